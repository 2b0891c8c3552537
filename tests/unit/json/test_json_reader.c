/* JSON reader: access, numbers, what is refused before and by the parser. */
#include "xprofd/json/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct xpd_json *parse(const char *text)
{
    return xpd_json_parse(xpd_str_of(text));
}

static void access_by_name_and_index(void **state)
{
    (void)state;
    struct xpd_json *doc = parse(" {\"a\": [10, \"x\", {\"b\": null}], \"A\": \"upper\",\n"
                                 "\"t\": true, \"e\": [], \"u\": \"\\u00e4\\n\"} \n");
    assert_non_null(doc);
    const struct xpd_json *a = xpd_json_member(doc, "a");
    assert_int_equal(xpd_json_count(a), 3);
    int64_t value = 0;
    assert_true(xpd_json_to_i64(xpd_json_item(a, 0), &value));
    assert_int_equal(value, 10);
    assert_string_equal(xpd_json_to_text(xpd_json_item(a, 1)), "x");
    assert_non_null(xpd_json_member(xpd_json_item(a, 2), "b"));
    assert_null(xpd_json_item(a, 3));
    assert_null(xpd_json_item(a, SIZE_MAX));
    assert_string_equal(xpd_json_to_text(xpd_json_member(doc, "A")), "upper"); /* case counts */
    assert_string_equal(xpd_json_to_text(xpd_json_member(doc, "u")), "\xC3\xA4\n");
    assert_null(xpd_json_member(doc, "missing"));
    assert_int_equal(xpd_json_count(xpd_json_member(doc, "e")), 0);
    /* Of the wrong kind: nothing, and nothing of nothing is nothing. */
    assert_int_equal(xpd_json_count(doc), 0);
    assert_null(xpd_json_item(doc, 0));
    assert_null(xpd_json_member(a, "a"));
    assert_null(xpd_json_to_text(a));
    assert_false(xpd_json_is_true(a) || xpd_json_is_true(NULL));
    assert_true(xpd_json_is_true(xpd_json_member(doc, "t")));
    assert_false(xpd_json_to_i64(xpd_json_member(doc, "t"), &value));
    assert_null(xpd_json_member(NULL, "a"));
    assert_null(xpd_json_item(NULL, 0));
    assert_int_equal(xpd_json_count(NULL), 0);
    assert_null(xpd_json_to_text(NULL));
    assert_false(xpd_json_to_i64(NULL, &value));
    xpd_json_free(doc);
    xpd_json_free(NULL);
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
        int64_t value;
    } cases[] = {
        {"0", true, 0},
        {"-5", true, -5},
        {"1e3", true, 1000},
        {"2.0", true, 2},
        {"1.5", false, 0},
        {"9007199254740991", true, 9007199254740991},
        {"9007199254740992", false, 0}, /* may have been ...993 in the text */
        {"9007199254740993", false, 0},
        {"-9007199254740991", true, -9007199254740991},
        {"1e300", false, 0},
        {"1e999", false, 0},
        {"\"12\"", true, 12},
        {"\"9223372036854775807\"", true, INT64_MAX}, /* XLA writes int64 as text */
        {"\"-9223372036854775808\"", true, INT64_MIN},
        {"\"9223372036854775808\"", false, 0},
        {"\"12x\"", false, 0},
        {"\"\"", false, 0},
        {"\"1.0\"", false, 0},
        {"true", false, 0},
        {"null", false, 0},
        {"[1]", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct xpd_json *doc = parse(cases[i].text);
        int64_t value = 77;
        assert_non_null(doc);
        assert_int_equal(xpd_json_to_i64(doc, &value), cases[i].good);
        assert_true(value == (cases[i].good ? cases[i].value : 77));
        xpd_json_free(doc);
    }
}

static void refused(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",     " ",   "{",    "[1,",     "{\"a\":1,", "{\"a\"}", "[1 2]", "nul",  "x",   "1 2",
        "{} x", "\"a", "\"\\", "\"\\u12", "]",         "}{",      "{a:1}", "[1]]", "'a'", "\"\\q\"",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_null(parse(cases[i]));
    assert_null(xpd_json_parse((struct xpd_str){NULL, 0}));
    assert_null(xpd_json_parse(XPD_STR("[1]\0"))); /* a NUL is not a space */
    assert_null(xpd_json_parse(XPD_STR("[\"a\0b\"]")));
    /* Exactly as long as said: no byte beyond is looked at (the sanitizer watches). */
    char *text = malloc(3);
    assert_non_null(text);
    text[0] = '[', text[1] = '1', text[2] = ',';
    assert_null(xpd_json_parse((struct xpd_str){text, 3}));
    text[2] = ']';
    struct xpd_json *doc = xpd_json_parse((struct xpd_str){text, 3});
    assert_non_null(doc);
    xpd_json_free(doc);
    free(text);
}

/* `depth` arrays around `inside`, which may be brackets in a text. */
static struct xpd_json *parse_deep(size_t depth, const char *inside)
{
    size_t size = strlen(inside);
    char *text = malloc(2 * depth + size + 1);
    assert_non_null(text);
    memset(text, '[', depth);
    memcpy(text + depth, inside, size);
    memset(text + depth + size, ']', depth);
    struct xpd_json *doc = xpd_json_parse((struct xpd_str){text, 2 * depth + size});
    free(text);
    return doc;
}

static void depth(void **state)
{
    (void)state;
    struct xpd_json *doc = parse_deep(64, "1");
    assert_non_null(doc);
    const struct xpd_json *at = doc;
    for (int i = 0; i < 64; i++)
        at = xpd_json_item(at, 0);
    int64_t value;
    assert_true(xpd_json_to_i64(at, &value));
    xpd_json_free(doc);
    assert_null(parse_deep(65, "1"));
    assert_null(parse_deep(64, "{}"));
    assert_null(parse_deep(100000, ""));
    doc = parse_deep(64, "\"[[[[{{{{\\\"[[[[\\\\\""); /* brackets in a text are text */
    assert_non_null(doc);
    xpd_json_free(doc);
    doc = parse("[[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],"
                "[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],"
                "[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[]]");
    assert_non_null(doc); /* wide, not deep */
    xpd_json_free(doc);
}

static void size(void **state)
{
    (void)state;
    enum { MIB = 1 << 20 };
    char *text = malloc(MIB + 1);
    assert_non_null(text);
    memset(text, ' ', MIB + 1);
    text[0] = '1';
    struct xpd_json *doc = xpd_json_parse((struct xpd_str){text, MIB});
    assert_non_null(doc);
    xpd_json_free(doc);
    assert_null(xpd_json_parse((struct xpd_str){text, MIB + 1}));

    /* The most values there can be, by index: a list that is walked for each would take hours. */
    for (size_t i = 1; i < MIB - 1; i++)
        text[i] = i % 2 ? '7' : ',';
    text[0] = '[';
    text[MIB - 2] = ' ';
    text[MIB - 1] = ']';
    doc = xpd_json_parse((struct xpd_str){text, MIB});
    assert_non_null(doc);
    size_t count = xpd_json_count(doc);
    assert_int_equal(count, (MIB - 2) / 2);
    int64_t sum = 0, value;
    for (size_t i = 0; i < count; i++) {
        assert_true(xpd_json_to_i64(xpd_json_item(doc, i), &value));
        sum += value;
    }
    assert_int_equal(sum, 7 * (MIB - 2) / 2);
    xpd_json_free(doc);
    free(text);
}

static void loose_numbers(void **state)
{
    (void)state;
    struct xpd_json *doc = parse("[1.0, 70000.5, \" 88\", \"01\", \"abc\", null, 1e300]");
    assert_non_null(doc);
    static const int64_t expected[] = {1, 70000, 88, 1};
    int64_t value = 0;
    for (size_t i = 0; i < 4; i++) {
        assert_true(xpd_json_to_i64_loosely(xpd_json_item(doc, i), &value));
        assert_int_equal(value, expected[i]);
    }
    for (size_t i = 4; i < 8; i++)
        assert_false(xpd_json_to_i64_loosely(xpd_json_item(doc, i), &value));
    xpd_json_free(doc);
}

/* What is not ours is at most 1 MiB long. */
static void a_long_answer(void **state)
{
    (void)state;
    enum { BYTES = (1 << 20) + 1 };
    char *text = malloc(BYTES);
    assert_non_null(text);
    memset(text, ' ', BYTES);
    memcpy(text, "[7]", 3);
    assert_null(xpd_json_parse((struct xpd_str){text, BYTES}));
    struct xpd_json *doc = xpd_json_parse_answer((struct xpd_str){text, BYTES});
    assert_int_equal(xpd_json_count(doc), 1);
    xpd_json_free(doc);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_answer),
        cmocka_unit_test(loose_numbers),
        cmocka_unit_test(access_by_name_and_index),
        cmocka_unit_test(numbers),
        cmocka_unit_test(refused),
        cmocka_unit_test(depth),
        cmocka_unit_test(size),
    };
    return cmocka_run_group_tests_name("json_reader", tests, NULL, NULL);
}
