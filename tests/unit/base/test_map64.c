/* Map of 64-bit keys: all keys, overwriting, growth, ids of HLO. */
#include "xprofd/base/map64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void empty(void **state)
{
    (void)state;
    struct xpd_map64 map = {0};
    assert_int_equal(xpd_map64_get(&map, 0), XPD_NO_INDEX);
    xpd_map64_fini(&map);
    xpd_map64_fini(&map);
    assert_true(xpd_map64_reserve(&map, 0));
    assert_int_equal(xpd_map64_get(&map, 0), XPD_NO_INDEX);
    xpd_map64_fini(&map);
}

static void any_key_any_value(void **state)
{
    (void)state;
    struct xpd_map64 map = {0};
    assert_int_equal(xpd_map64_put(&map, 0, 7), XPD_NO_INDEX);
    assert_int_equal(xpd_map64_put(&map, UINT64_MAX, 0), XPD_NO_INDEX);
    assert_int_equal(xpd_map64_put(&map, (uint64_t)-2, UINT32_MAX - 1), XPD_NO_INDEX);
    assert_int_equal(map.count, 3);
    assert_int_equal(xpd_map64_get(&map, 0), 7);
    assert_int_equal(xpd_map64_get(&map, UINT64_MAX), 0);
    assert_int_equal(xpd_map64_get(&map, (uint64_t)-2), UINT32_MAX - 1);
    assert_int_equal(xpd_map64_get(&map, 1), XPD_NO_INDEX);

    assert_int_equal(xpd_map64_put(&map, 0, 8), 7); /* overwriting gives the old one */
    assert_int_equal(xpd_map64_get(&map, 0), 8);
    assert_int_equal(map.count, 3);

    assert_int_equal(xpd_map64_put(&map, 0, XPD_NO_INDEX), XPD_NO_INDEX); /* cannot be kept */
    assert_true(map.failed);
    assert_int_equal(xpd_map64_get(&map, 0), 8);
    xpd_map64_fini(&map);
}

/* Ids are (computation << 32 | n): only two narrow ranges of bits differ. */
static void hlo_ids(void **state)
{
    (void)state;
    enum { COMPUTATIONS = 300, EACH = 500 };
    struct xpd_map64 map = {0};
    uint32_t index = 0;
    for (uint64_t c = 0; c < COMPUTATIONS; c++)
        for (uint64_t n = 0; n < EACH; n++)
            assert_int_equal(xpd_map64_put(&map, c << 32 | n, index++), XPD_NO_INDEX);
    assert_int_equal(map.count, COMPUTATIONS * EACH);
    assert_true(map.slot_count >= 2 * map.count);
    index = 0;
    for (uint64_t c = 0; c < COMPUTATIONS; c++)
        for (uint64_t n = 0; n < EACH; n++)
            assert_int_equal(xpd_map64_get(&map, c << 32 | n), index++);
    assert_int_equal(xpd_map64_get(&map, UINT64_C(300) << 32), XPD_NO_INDEX);
    assert_int_equal(xpd_map64_get(&map, EACH), XPD_NO_INDEX);

    /* Keys lie near their slots: runs of used slots stay short (a load of one half at most, where a
     * good mix gives runs of some tens and a bad one thousands). */
    uint32_t run = 0, longest = 0;
    for (uint32_t i = 0; i < map.slot_count; i++) {
        run = map.value[i] ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    assert_in_range(longest, 1, 100);
    xpd_map64_fini(&map);
}

static void reserve(void **state)
{
    (void)state;
    struct xpd_map64 map = {0};
    assert_true(xpd_map64_reserve(&map, 1000));
    uint32_t slots = map.slot_count;
    for (uint64_t key = 0; key < 1000; key++)
        xpd_map64_put(&map, key * key, (uint32_t)key);
    assert_int_equal(map.slot_count, slots); /* nothing moved */
    assert_true(xpd_map64_reserve(&map, 5));
    assert_int_equal(map.slot_count, slots);
    assert_int_equal(xpd_map64_get(&map, 998001), 999);

    assert_false(xpd_map64_reserve(&map, UINT32_MAX)); /* would take 2^33 slots */
    assert_true(map.failed);
    assert_int_equal(xpd_map64_get(&map, 998001), 999);
    xpd_map64_fini(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty),
        cmocka_unit_test(any_key_any_value),
        cmocka_unit_test(hlo_ids),
        cmocka_unit_test(reserve),
    };
    return cmocka_run_group_tests_name("map64", tests, NULL, NULL);
}
