/* Radix sort against insertion, one key at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "xprofd/base/radix.h"

#include <string.h>

enum { MOST = 400, ROUNDS = 300 };

static uint64_t random_state = 7;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Behind all that are not larger, so that equal keys keep their order. */
static void insert(uint64_t *key, uint32_t *value, uint32_t count, uint64_t new_key,
                   uint32_t new_value)
{
    uint32_t at = count;
    for (; at > 0 && key[at - 1] > new_key; at--) {
        key[at] = key[at - 1];
        value[at] = value[at - 1];
    }
    key[at] = new_key;
    value[at] = new_value;
}

/* The narrow sort against the same insertion, with the upper halves of the keys. */
static void check_narrow(const uint64_t *key, uint32_t count)
{
    uint64_t wanted[MOST];
    uint32_t wanted_value[MOST], sorted[MOST], value[MOST];
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = (uint32_t)(key[i] >> 32);
        value[i] = i;
        insert(wanted, wanted_value, i, sorted[i], i);
    }
    assert_true(xpd_radix_sort_u32(sorted, value, count));
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(sorted[i], wanted[i]);
        assert_int_equal(value[i], wanted_value[i]);
    }
}

static void check(const uint64_t *key, uint32_t count)
{
    check_narrow(key, count);
    uint64_t wanted[MOST], sorted[MOST], alone[MOST];
    uint32_t wanted_value[MOST], value[MOST];
    for (uint32_t i = 0; i < count; i++) {
        insert(wanted, wanted_value, i, key[i], i);
        sorted[i] = alone[i] = key[i];
        value[i] = i;
    }
    assert_true(xpd_radix_sort_u64(sorted, value, count));
    assert_true(xpd_radix_sort_u64(alone, NULL, count));
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(sorted[i], wanted[i]);
        assert_int_equal(alone[i], wanted[i]);
        assert_int_equal(value[i], wanted_value[i]);
    }
}

/* Few bits, so that many are equal, at any height, so that any number of digits differs. */
static void as_insertion(void **state)
{
    uint64_t key[MOST];
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t count = (uint32_t)(next_random() % (MOST + 1));
        uint64_t few = next_random(), mask = few & next_random(), base = next_random() & ~mask;
        for (uint32_t i = 0; i < count; i++)
            key[i] = base | (next_random() & mask);
        check(key, count);
    }
}

static void sorted_equal_and_turned_round(void **state)
{
    uint64_t key[MOST];
    (void)state;
    for (uint32_t i = 0; i < MOST; i++)
        key[i] = i * UINT64_C(512);
    check(key, MOST);
    for (uint32_t i = 0; i < MOST; i++)
        key[i] = (uint64_t)(MOST - i) << 56 | 3;
    check(key, MOST);
    memset(key, 0xFF, sizeof key);
    check(key, MOST);
    check(key, 1);
    check(key, 0);
}

static void signed_keys_keep_their_order(void **state)
{
    static const int64_t value[] = {INT64_MIN, INT64_MIN + 1, -512, -1, 0, 1, 512, INT64_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
        assert_int_equal(xpd_radix_value(xpd_radix_key(value[i])), value[i]);
        assert_true(i == 0 || xpd_radix_key(value[i - 1]) < xpd_radix_key(value[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_insertion),
                                       cmocka_unit_test(sorted_equal_and_turned_round),
                                       cmocka_unit_test(signed_keys_keep_their_order)};
    return cmocka_run_group_tests_name("base_radix", tests, NULL, NULL);
}
