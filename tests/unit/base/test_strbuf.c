/* String buffer: contents, integers, limit, sticky failure, handing over. */
#include "xprofd/base/strbuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void appends(void **state)
{
    (void)state;
    struct xpd_strbuf buf = {0};
    xpd_strbuf_fini(&buf); /* legal on a zeroed one */
    xpd_strbuf_puts(&buf, "ab");
    xpd_strbuf_putc(&buf, '\0');
    xpd_strbuf_add(&buf, "cd", 2);
    xpd_strbuf_add(&buf, NULL, 0);
    assert_int_equal(buf.size, 5);
    assert_memory_equal(buf.data, "ab\0cd\0", 6);
    xpd_strbuf_clear(&buf);
    assert_int_equal(buf.size, 0);
    assert_string_equal(buf.data, "");
    xpd_strbuf_printf(&buf, "%s=%d", "k", 42);
    assert_string_equal(buf.data, "k=42");
    assert_false(buf.failed);
    xpd_strbuf_fini(&buf);
    assert_null(buf.data);
}

static void integers(void **state)
{
    (void)state;
    static const struct {
        int64_t value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {7, "7"},
        {10, "10"},
        {99, "99"},
        {100, "100"},
        {-1, "-1"},
        {-10, "-10"},
        {12345, "12345"},
        {4294967296, "4294967296"},
        {INT64_MAX, "9223372036854775807"},
        {INT64_MIN, "-9223372036854775808"},
    };
    struct xpd_strbuf buf = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        xpd_strbuf_clear(&buf);
        xpd_strbuf_i64(&buf, cases[i].value);
        assert_string_equal(buf.data, cases[i].text);
    }
    xpd_strbuf_clear(&buf);
    xpd_strbuf_u64(&buf, UINT64_MAX);
    xpd_strbuf_putc(&buf, ' ');
    xpd_strbuf_u64(&buf, 0);
    assert_string_equal(buf.data, "18446744073709551615 0");
    xpd_strbuf_fini(&buf);
}

static void growth(void **state)
{
    (void)state;
    struct xpd_strbuf buf = {0};
    for (int i = 0; i < 100000; i++)
        xpd_strbuf_putc(&buf, (char)('a' + i % 26));
    assert_int_equal(buf.size, 100000);
    assert_int_equal(strlen(buf.data), 100000);
    assert_int_equal(buf.data[99999], 'a' + 99999 % 26);
    xpd_strbuf_clear(&buf);
    xpd_strbuf_printf(&buf, "%01000d", 3);
    assert_int_equal(buf.size, 1000);
    assert_int_equal(buf.data[999], '3');
    assert_int_equal(buf.data[1000], '\0');
    xpd_strbuf_fini(&buf);
}

static void limit_is_exact_and_sticky(void **state)
{
    (void)state;
    struct xpd_strbuf buf = {.limit_bytes = 5};
    xpd_strbuf_puts(&buf, "12345");
    assert_false(buf.failed);
    xpd_strbuf_putc(&buf, '6');
    assert_true(buf.failed);
    assert_string_equal(buf.data, "12345");
    xpd_strbuf_add(&buf, "", 0); /* even this is refused: it stays as it was */
    assert_true(buf.failed);

    xpd_strbuf_clear(&buf);
    assert_false(buf.failed);
    xpd_strbuf_puts(&buf, "123");
    xpd_strbuf_puts(&buf, "456"); /* whole or not at all */
    assert_true(buf.failed);
    assert_string_equal(buf.data, "123");
    xpd_strbuf_puts(&buf, "4"); /* would fit, but a hole in the middle is worse than an end */
    assert_string_equal(buf.data, "123");
    xpd_strbuf_printf(&buf, "%d", 4);
    assert_string_equal(buf.data, "123");
    xpd_strbuf_fini(&buf);
}

static void impossible_sizes(void **state)
{
    (void)state;
    struct xpd_strbuf buf = {0};
    xpd_strbuf_puts(&buf, "x");
    assert_false(xpd_strbuf_reserve(&buf, SIZE_MAX));
    assert_true(buf.failed);
    xpd_strbuf_clear(&buf);
    assert_false(xpd_strbuf_reserve(&buf, SIZE_MAX - 1));
    xpd_strbuf_clear(&buf);
    assert_true(xpd_strbuf_reserve(&buf, 1000));
    assert_true(buf.capacity > 1000);
    xpd_strbuf_fini(&buf);
}

static void take(void **state)
{
    (void)state;
    struct xpd_strbuf buf = {0};
    size_t size = 99;
    xpd_strbuf_puts(&buf, "abc");
    char *text = xpd_strbuf_take(&buf, &size);
    assert_string_equal(text, "abc");
    assert_int_equal(size, 3);
    assert_null(buf.data);
    assert_int_equal(buf.size, 0);
    free(text);

    text = xpd_strbuf_take(&buf, &size); /* of an empty buffer: an empty text */
    assert_string_equal(text, "");
    assert_int_equal(size, 0);
    free(text);

    buf.limit_bytes = 2;
    xpd_strbuf_puts(&buf, "ab");
    xpd_strbuf_puts(&buf, "c");
    assert_null(xpd_strbuf_take(&buf, &size)); /* never a part */
    assert_int_equal(size, 0);
    assert_true(buf.failed);
    xpd_strbuf_fini(&buf);
}

/* A list is what the numbers are one by one, also across pieces and up to a limit. */
static void lists_of_numbers(void **state)
{
    (void)state;
    int64_t value[1000];
    struct xpd_strbuf one = {0}, list = {0};
    for (int i = 0; i < 1000; i++) {
        value[i] = i == 500 ? INT64_MIN : i == 501 ? INT64_MAX : (int64_t)i * i * (i % 2 ? -7 : 7);
        if (i > 0)
            xpd_strbuf_putc(&one, ',');
        xpd_strbuf_i64(&one, value[i]);
    }
    xpd_strbuf_i64_list(&list, value, 1000);
    assert_string_equal(list.data, one.data);
    assert_int_equal(list.size, one.size);
    size_t size = one.size;
    xpd_strbuf_fini(&list);  /* a limit is set before the first append */
    list.limit_bytes = size; /* exactly enough */
    xpd_strbuf_i64_list(&list, value, 1000);
    assert_false(list.failed);
    assert_int_equal(list.size, size);
    xpd_strbuf_fini(&list);
    list.limit_bytes = size - 1;
    xpd_strbuf_i64_list(&list, value, 1000);
    assert_true(list.failed);
    xpd_strbuf_clear(&list);
    list.limit_bytes = 0;
    xpd_strbuf_i64_list(&list, value, 0);
    assert_int_equal(list.size, 0);
    xpd_strbuf_fini(&one);
    xpd_strbuf_fini(&list);
}

/* Each number of up to five digits, as snprintf writes it. */
static void numbers_of_a_column(void **state)
{
    (void)state;
    struct xpd_strbuf out = {0};
    for (int64_t i = -20000; i < 20000; i++) {
        char text[64];
        int64_t pair[2] = {i, -i};
        xpd_strbuf_clear(&out);
        xpd_strbuf_i64_list(&out, pair, 2);
        snprintf(text, sizeof text, "%lld,%lld", (long long)i, (long long)-i);
        assert_string_equal(out.data, text);
    }
    xpd_strbuf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_a_column),
        cmocka_unit_test(appends),
        cmocka_unit_test(integers),
        cmocka_unit_test(growth),
        cmocka_unit_test(limit_is_exact_and_sticky),
        cmocka_unit_test(impossible_sizes),
        cmocka_unit_test(lists_of_numbers),
        cmocka_unit_test(take),
    };
    return cmocka_run_group_tests_name("strbuf", tests, NULL, NULL);
}
