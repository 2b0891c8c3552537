/* Sizes that cannot be right are cut so that no sum overflows; sizes that can be are kept. */
#include "hlo_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct xpd_hlo *load(int64_t size, int64_t offset)
{
    struct hb hb;
    hb_init(&hb, "sizes");
    for (int64_t i = 1; i <= 3; i++) {
        hb_buffer(&hb, i, size, 1, 0);
        hb_alloc_begin(&hb, &(struct hb_alloc){.index = i, .size = size});
        hb_assign(&hb, i, offset, size);
        hb_alloc_end(&hb);
    }
    hb_trace(&hb, "A1 A2 A3 F1 F2 F3");
    return ht_load(&hb);
}

static void huge_sizes_are_cut(void **state)
{
    (void)state;
    static const int64_t huge[] = {INT64_MAX, INT64_MAX - 7, INT64_MIN, INT64_MIN + 1};
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
        struct xpd_hlo *hlo = load(huge[i], huge[i]);
        int64_t sum = 0;
        for (uint32_t k = 0; k < 3; k++) {
            assert_true((hlo->buffers.size_bytes[k] < 0) == (huge[i] < 0));
            assert_int_equal(hlo->buffers.size_bytes[k], hlo->allocation[k].size_bytes);
            assert_false(__builtin_add_overflow(sum, hlo->buffers.size_bytes[k], &sum));
            assert_false(__builtin_add_overflow(sum, hlo->allocation[k].size_bytes, &sum));
            assert_false(__builtin_add_overflow(sum, hlo->assigned[k].offset_bytes, &sum));
            assert_false(__builtin_add_overflow(sum, hlo->assigned[k].size_bytes, &sum));
        }
        assert_int_equal(ht_warned(hlo, "overflow"), 1);
        xpd_hlo_free(hlo);
    }
}

static void large_sizes_are_kept(void **state)
{
    (void)state;
    const int64_t petabyte = INT64_C(1) << 50;
    struct xpd_hlo *hlo = load(petabyte, 3 * petabyte);
    for (uint32_t k = 0; k < 3; k++) {
        assert_int_equal(hlo->buffers.size_bytes[k], petabyte);
        assert_int_equal(hlo->assigned[k].offset_bytes, 3 * petabyte);
    }
    assert_int_equal(ht_warned(hlo, "overflow"), 0);
    xpd_hlo_free(hlo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(huge_sizes_are_cut),
                                       cmocka_unit_test(large_sizes_are_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
