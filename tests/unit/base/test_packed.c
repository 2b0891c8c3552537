/* Packed numbers against the numbers themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "xprofd/base/packed.h"

#include <stdlib.h>

enum { MOST = 1000 };

static int64_t value[MOST];

/* Packs the first `count` of them, reads all back; returns the bytes of their differences. */
static size_t check(size_t count)
{
    struct xpd_packed packed;
    struct xpd_packing packing;
    assert_true(xpd_packing_init(&packing, count));
    for (size_t i = 0; i < count; i++)
        xpd_packing_put(&packing, value[i]);
    size_t all = xpd_packing_bytes(&packing);
    void *memory = malloc(all + 1);
    assert_non_null(memory);
    assert_false(packing.failed);
    xpd_packed_lay(&packed, memory, &packing);
    xpd_packing_fini(&packing);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(xpd_packed_at(&packed, i), value[i]);
    size_t blocks = (count + XPD_PACKED_BLOCK - 1) / XPD_PACKED_BLOCK, bytes = 0;
    for (size_t b = 0; b < blocks; b++) {
        assert_int_equal(packed.block[b].where >> 4, bytes);
        size_t left = count - b * XPD_PACKED_BLOCK;
        bytes += (packed.block[b].where & 15) * (left < XPD_PACKED_BLOCK ? left : XPD_PACKED_BLOCK);
    }
    assert_int_equal(all, blocks * sizeof *packed.block + bytes);
    free(memory);
    return bytes;
}

static void counts(void **state)
{
    (void)state;
    static const size_t count[] = {0, 1, 2, 63, 64, 65, 127, 128, 129, MOST};
    for (size_t i = 0; i < MOST; i++)
        value[i] = (int64_t)(i * i) - 5000;
    for (size_t i = 0; i < sizeof count / sizeof *count; i++)
        check(count[i]);
}

/* One number from each width to the next, above and below zero, up to those that differ by 2^64
 * - 1.
 */
static void widths(void **state)
{
    (void)state;
    for (int bits = 0; bits < 64; bits++)
        for (int64_t off = -1; off <= 1; off++) {
            int64_t step = (int64_t)((UINT64_C(1) << bits) + (uint64_t)off);
            for (size_t i = 0; i < MOST; i++)
                value[i] = i % 3 == 0 ? 0 : i % 3 == 1 ? step : -(step / 2);
            check(200);
        }
    for (size_t i = 0; i < MOST; i++)
        value[i] = i % 2 ? INT64_MIN : INT64_MAX;
    check(MOST);
}

/* What it is for: numbers that stay the same take next to nothing, a jump costs its block only. */
static void sizes(void **state)
{
    (void)state;
    for (size_t i = 0; i < MOST; i++)
        value[i] = 4096;
    assert_int_equal(check(MOST), 0);
    for (size_t i = 500; i < MOST; i++) /* 38 bits */
        value[i] += INT64_C(225) * 1000000000;
    assert_int_equal(check(MOST), 5 * XPD_PACKED_BLOCK);
    for (size_t i = 0; i < MOST; i++)
        value[i] = (int64_t)i * 700;
    assert_int_equal(check(MOST), 2 * MOST);
}

/* After a failure numbers may still come, and nothing is kept of them. */
static void failed(void **state)
{
    (void)state;
    struct xpd_packing packing;
    assert_true(xpd_packing_init(&packing, MOST));
    packing.failed = true;
    for (int64_t i = 0; i < MOST; i++)
        xpd_packing_put(&packing, i);
    assert_int_equal(packing.blocks, 0);
    xpd_packing_fini(&packing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(widths),
        cmocka_unit_test(sizes),
        cmocka_unit_test(failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
