/* Borrowed text: comparison, search, numbers, hash. */
#include "xprofd/base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void comparison(void **state)
{
    (void)state;
    struct xpd_str none = {NULL, 0};
    assert_true(xpd_str_eq(none, XPD_STR("")));
    assert_true(xpd_str_eq(XPD_STR("a\0b"), XPD_STR("a\0b")));
    assert_false(xpd_str_eq(XPD_STR("a\0b"), XPD_STR("a\0c")));
    assert_false(xpd_str_eq(XPD_STR("a"), XPD_STR("ab")));
    assert_int_equal(xpd_str_of(NULL).size, 0);
    assert_string_equal(xpd_str_of(NULL).data, "");

    assert_true(xpd_str_ends(XPD_STR("host0.xplane.pb"), ".xplane.pb"));
    assert_false(xpd_str_ends(XPD_STR("xplane.pb"), ".xplane.pb"));
    assert_true(xpd_str_ends(none, ""));
    assert_false(xpd_str_ends(none, "a"));
    assert_true(xpd_str_starts(XPD_STR("/device:TPU:0"), "/device:"));
    assert_false(xpd_str_starts(XPD_STR("/dev"), "/device:"));
    assert_true(xpd_str_starts(none, ""));
}

static void order(void **state)
{
    struct xpd_str none = {0};
    (void)state;
    assert_true(xpd_str_order(none, XPD_STR("")) == 0);
    assert_true(xpd_str_order(none, XPD_STR("a")) < 0);
    assert_true(xpd_str_order(XPD_STR("a"), XPD_STR("ab")) < 0);
    assert_true(xpd_str_order(XPD_STR("b"), XPD_STR("ab")) > 0);
    assert_true(xpd_str_order(XPD_STR("a\0b"), XPD_STR("a\0c")) < 0);
    assert_true(xpd_str_order(XPD_STR("\xC3"), XPD_STR("z")) > 0); /* bytes, not chars */
    assert_true(xpd_str_order(XPD_STR("ab"), XPD_STR("ab")) == 0);
}

static void rows_of_a_table(void **state)
{
    static const struct {
        const char *name;
        int value;
    } table[] = {{"", 1}, {"add", 2}, {"all-gather", 3}, {"all-gather-done", 4}, {"while", 5}};
    static const struct {
        struct xpd_str text;
        int value; /* 0: no such row */
    } all[] = {{XPD_STR(""), 1},           {XPD_STR("add"), 2},
               {XPD_STR("all-gather"), 3}, {XPD_STR("all-gather-done"), 4},
               {XPD_STR("while"), 5},      {XPD_STR("ad"), 0},
               {XPD_STR("addx"), 0},       {XPD_STR("zz"), 0},
               {{"add\0x", 5}, 0},         {{NULL, 0}, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const void *row = bsearch(&all[i].text, table, sizeof table / sizeof *table, sizeof *table,
                                  xpd_str_compare_row);
        size_t at = row ? (size_t)((const char *)row - (const char *)table) / sizeof *table : 0;
        assert_int_equal(row ? table[at].value : 0, all[i].value);
    }
}

static void find(void **state)
{
    (void)state;
    struct xpd_str text = XPD_STR("Fusion.12 fusion.1 \0end");
    assert_int_equal(xpd_str_find(text, XPD_STR("fusion"), false), 10);
    assert_int_equal(xpd_str_find(text, XPD_STR("FUSION"), true), 0);
    assert_int_equal(xpd_str_find(text, XPD_STR("fUSION.1 "), true), 10);
    assert_true(xpd_str_find(text, XPD_STR("FUSION"), false) == SIZE_MAX);
    assert_int_equal(xpd_str_find(text, XPD_STR("end"), false), 20); /* behind a NUL */
    assert_int_equal(xpd_str_find(text, XPD_STR("END"), true), 20);
    assert_int_equal(xpd_str_find(text, XPD_STR(""), true), 0);
    assert_true(xpd_str_find(XPD_STR("ab"), XPD_STR("abc"), true) == SIZE_MAX);
    assert_true(xpd_str_find(XPD_STR("ab"), XPD_STR("abc"), false) == SIZE_MAX);
    assert_int_equal(xpd_str_find(XPD_STR("aab"), XPD_STR("AB"), true), 1);
    /* Folds letters only: '@' + 0x20 is '`', '[' + 0x20 is '{'. */
    assert_true(xpd_str_find(XPD_STR("@["), XPD_STR("`{"), true) == SIZE_MAX);
    /* U+00C4 and U+00E4 differ in one bit as letters do, and are left alone. */
    assert_true(xpd_str_find(XPD_STR("\xC3\x84"), XPD_STR("\xC3\xA4"), true) == SIZE_MAX);
}

static void bytes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {
        {"0", 0},
        {"9223372036854775807", INT64_MAX}, /* beyond 2^53: exact */
        {"9007199254740993", INT64_C(9007199254740993)},
        {"16GiB", INT64_C(17179869184)},
        {"16gb", INT64_C(17179869184)},
        {"512MiB", 536870912},
        {"1.5K", 1536},
        {"0.5k", 512},
        {"3.", 3},
        {"8388607T", INT64_C(8388607) << 40},
    };
    static const char *const bad[] = {"",
                                      ".5K",
                                      "K",
                                      "1KK",
                                      "1iB",
                                      "1B",
                                      "1 K",
                                      "1Kib ",
                                      "-1",
                                      "8388608T",
                                      "1e9",
                                      "0x10",
                                      "1.5.5K",
                                      "1Ki",
                                      "1.0000000000000001K",
                                      "99999999999999999999"};
    int64_t value;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!xpd_str_to_bytes(xpd_str_of(good[i].text), &value))
            fail_msg("refused: %s", good[i].text);
        assert_int_equal(value, good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (xpd_str_to_bytes(xpd_str_of(bad[i]), &value))
            fail_msg("accepted: %s", bad[i]);
}

static void signed_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
        int64_t value;
    } cases[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"-1", true, -1},
        {"007", true, 7},
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775808", false, 0},
        {"-9223372036854775808", true, INT64_MIN},
        {"-9223372036854775809", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"--1", false, 0},
        {"+1", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"1.5", false, 0},
        {"0x10", false, 0},
        {"1e3", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t value = 12345;
        assert_int_equal(xpd_str_to_i64(xpd_str_of(cases[i].text), &value), cases[i].good);
        assert_true(value == (cases[i].good ? cases[i].value : 12345)); /* untouched when bad */
    }
    int64_t value;
    assert_false(xpd_str_to_i64(XPD_STR("1\0"), &value)); /* the NUL is part of the text */
    assert_true(xpd_str_to_i64((struct xpd_str){"1234", 2}, &value));
    assert_int_equal(value, 12);
}

static void unsigned_numbers(void **state)
{
    (void)state;
    uint64_t value = 5;
    assert_true(xpd_str_to_u64(XPD_STR("18446744073709551615"), &value));
    assert_true(value == UINT64_MAX);
    assert_false(xpd_str_to_u64(XPD_STR("18446744073709551616"), &value));
    assert_false(xpd_str_to_u64(XPD_STR("99999999999999999999"), &value));
    assert_false(xpd_str_to_u64(XPD_STR("-1"), &value));
    assert_false(xpd_str_to_u64(XPD_STR(""), &value));
    assert_true(value == UINT64_MAX);
    assert_true(xpd_str_to_u64(XPD_STR("00000000000000000000000000042"), &value));
    assert_int_equal(value, 42);
}

static void numbers_in_front(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t value;
        const char *rest;
    } cases[] = {{"7", 7, ""},
                 {"0042:x", 42, ":x"},
                 {"4294967294,", 4294967294u, ","},
                 {"4294967295", UINT32_MAX, ""},
                 {"4294967296", UINT32_MAX, ""},
                 {"99999999999999999999999-", UINT32_MAX, "-"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct xpd_str text = xpd_str_of(cases[i].text);
        uint32_t value;
        assert_true(xpd_str_take_u32(&text, &value));
        assert_int_equal(value, cases[i].value);
        assert_true(xpd_str_eq(text, xpd_str_of(cases[i].rest)));
    }
    struct xpd_str none = XPD_STR("-1"), part = {"1234", 2};
    uint32_t value = 5;
    assert_false(xpd_str_take_u32(&none, &value));
    assert_int_equal(none.size, 2); /* both untouched */
    assert_int_equal(value, 5);
    assert_true(xpd_str_take_u32(&part, &value));
    assert_int_equal(value, 12);
    struct xpd_str list = XPD_STR(",x");
    assert_true(xpd_str_take_char(&list, ','));
    assert_false(xpd_str_take_char(&list, ','));
    assert_true(xpd_str_take_char(&list, 'x'));
    assert_false(xpd_str_take_char(&list, 'x')); /* nothing is left */
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Names of compilers differ in a digit at the end: of 100,000 no two may share the 64 bits, and the
 * low 16 bits, which choose the slot, must be spread: 100,000 throws into 65,536 cells leave about
 * 65,536 * exp(-100,000 / 65,536) = 14,249 of them empty. */
static void hash_spreads_names(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    uint64_t *hash = malloc(COUNT * sizeof *hash);
    unsigned char *used = calloc(65536, 1);
    assert_non_null(hash);
    assert_non_null(used);
    size_t empty = 0;
    for (int i = 0; i < COUNT; i++) {
        char name[40];
        int size = snprintf(name, sizeof name, "multiply_add_fusion.%d", i);
        hash[i] = xpd_hash(name, (size_t)size);
        used[hash[i] & 0xFFFF] = 1;
    }
    for (size_t i = 0; i < 65536; i++)
        empty += used[i] == 0;
    assert_in_range(empty, 13000, 15500);
    qsort(hash, COUNT, sizeof *hash, by_value);
    for (int i = 1; i < COUNT; i++)
        assert_true(hash[i - 1] != hash[i]);
    free(hash);
    free(used);
}

static void hash_knows_size_and_place(void **state)
{
    (void)state;
    static const unsigned char zeros[40];
    uint64_t seen[40];
    for (size_t size = 0; size < 40; size++) { /* zero bytes count by their number */
        seen[size] = xpd_hash(zeros, size);
        for (size_t i = 0; i < size; i++)
            assert_true(seen[i] != seen[size]);
    }
    /* The same bytes at any alignment, and each single byte matters at every size. */
    char room[64], other[64];
    for (size_t size = 1; size < 40; size++) {
        for (size_t i = 0; i < size; i++)
            other[i] = room[i + 3] = (char)(i * 7 + 1);
        assert_true(xpd_hash(room + 3, size) == xpd_hash(other, size));
        for (size_t i = 0; i < size; i++) {
            other[i] ^= 1;
            assert_true(xpd_hash(room + 3, size) != xpd_hash(other, size));
            other[i] ^= 1;
        }
    }
    assert_true(xpd_hash(NULL, 0) == xpd_hash("", 0));
}

static void trimmed(void **state)
{
    (void)state;
    assert_true(xpd_str_eq(xpd_str_trim(XPD_STR(" \t a b\r\n")), XPD_STR("a b")));
    assert_true(xpd_str_eq(xpd_str_trim(XPD_STR("a")), XPD_STR("a")));
    assert_int_equal(xpd_str_trim(XPD_STR(" \n ")).size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trimmed),
        cmocka_unit_test(comparison),
        cmocka_unit_test(order),
        cmocka_unit_test(rows_of_a_table),
        cmocka_unit_test(find),
        cmocka_unit_test(bytes),
        cmocka_unit_test(signed_numbers),
        cmocka_unit_test(unsigned_numbers),
        cmocka_unit_test(numbers_in_front),
        cmocka_unit_test(hash_spreads_names),
        cmocka_unit_test(hash_knows_size_and_place),
    };
    return cmocka_run_group_tests_name("str", tests, NULL, NULL);
}
