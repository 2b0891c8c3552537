/* JSON writer: form, escapes, repair of text, numbers a browser cannot round. */
#include "xprofd/json/reader.h"
#include "xprofd/json/writer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct xpd_strbuf out;
static struct xpd_jsonw w;

static int start(void **state)
{
    (void)state;
    out = (struct xpd_strbuf){0};
    xpd_jsonw_init(&w, &out);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    xpd_strbuf_fini(&out);
    return 0;
}

static void expect(const char *text)
{
    assert_false(out.failed);
    assert_int_equal(w.depth, 0);
    assert_string_equal(out.data, text);
    xpd_strbuf_clear(&out);
    xpd_jsonw_init(&w, &out);
}

static void commas_and_colons(void **state)
{
    (void)state;
    xpd_json_obj(&w);
    xpd_json_obj_end(&w);
    expect("{}");
    xpd_json_arr(&w);
    xpd_json_arr(&w);
    xpd_json_arr_end(&w);
    xpd_json_obj(&w);
    xpd_json_obj_end(&w);
    xpd_json_i64(&w, 1);
    xpd_json_null(&w);
    xpd_json_arr_end(&w);
    expect("[[],{},1,null]");
    xpd_json_obj(&w);
    xpd_json_key(&w, "a");
    xpd_json_arr(&w);
    xpd_json_bool(&w, true);
    xpd_json_bool(&w, false);
    xpd_json_arr_end(&w);
    xpd_json_kstr(&w, "b", XPD_STR("x"));
    xpd_json_key(&w, "c");
    xpd_json_obj(&w);
    xpd_json_ki64(&w, "d", -1);
    xpd_json_obj_end(&w);
    xpd_json_obj_end(&w);
    expect("{\"a\":[true,false],\"b\":\"x\",\"c\":{\"d\":-1}}");
}

static void keyed(void **state)
{
    (void)state;
    xpd_json_obj(&w);
    xpd_json_ktext(&w, "t", "v");
    xpd_json_ktext(&w, "n", NULL);
    xpd_json_ku64(&w, "u", 5);
    xpd_json_kdouble(&w, "d", 0.5);
    xpd_json_kbool(&w, "b", true);
    xpd_json_knull(&w, "z");
    xpd_json_kstr(&w, "q\"<", (struct xpd_str){NULL, 0});
    xpd_json_obj_end(&w);
    expect("{\"t\":\"v\",\"n\":null,\"u\":5,\"d\":0.5,\"b\":true,\"z\":null,"
           "\"q\\\"\\u003c\":\"\"}");
}

static void raw(void **state)
{
    (void)state;
    xpd_json_obj(&w);
    xpd_json_key(&w, "a");
    xpd_json_raw(&w, XPD_STR("{\"x\":[1]}"));
    xpd_json_key(&w, "b");
    xpd_json_arr(&w);
    xpd_json_raw(&w, XPD_STR("1"));
    xpd_json_raw(&w, XPD_STR("2"));
    xpd_json_arr_end(&w);
    xpd_json_obj_end(&w);
    expect("{\"a\":{\"x\":[1]},\"b\":[1,2]}");
}

static void columns(void **state)
{
    (void)state;
    static const int64_t a[] = {0, -5, 9007199254740992, 9007199254740993, INT64_MIN};
    static const uint32_t b[] = {0, UINT32_MAX};
    xpd_json_obj(&w);
    xpd_json_col_i64(&w, "a", a, 5);
    xpd_json_col_u32(&w, "b", b, 2);
    xpd_json_col_i64(&w, "c", NULL, 0);
    xpd_json_obj_end(&w);
    expect("{\"a\":[0,-5,9007199254740992,\"9007199254740993\",\"-9223372036854775808\"],"
           "\"b\":[0,4294967295],\"c\":[]}");
}

static void integers(void **state)
{
    (void)state;
    xpd_json_arr(&w);
    xpd_json_i64(&w, 9007199254740992); /* 2^53 */
    xpd_json_i64(&w, 9007199254740993);
    xpd_json_i64(&w, -9007199254740992);
    xpd_json_i64(&w, -9007199254740993);
    xpd_json_u64(&w, 9007199254740992);
    xpd_json_u64(&w, 9007199254740993);
    xpd_json_u64(&w, UINT64_MAX);
    xpd_json_i64_string(&w, -7);
    xpd_json_u64_string(&w, 7);
    xpd_json_arr_end(&w);
    expect("[9007199254740992,\"9007199254740993\",-9007199254740992,\"-9007199254740993\","
           "9007199254740992,\"9007199254740993\",\"18446744073709551615\",\"-7\",\"7\"]");
}

static void one_double(double value, const char *text)
{
    xpd_json_double(&w, value);
    expect(text);
}

static void doubles(void **state)
{
    (void)state;
    one_double(0, "0");
    one_double(-0.0, "-0");
    one_double(1, "1");
    one_double(-100000, "-100000");
    one_double(0.1, "0.1");
    one_double(2.5, "2.5");
    one_double(1.0 / 3, "0.3333333333333333");    /* 16 digits */
    one_double(0.1 + 0.2, "0.30000000000000004"); /* 17 digits */
    one_double(999999999999999, "999999999999999");
    one_double(1e15, "1e+15");
    one_double(1e22, "1e+22");
    one_double(1e-7, "1e-07");
    one_double(5e-324, "4.94065645841247e-324"); /* the least there is */
    one_double(1.7976931348623157e308, "1.7976931348623157e+308");
    one_double(NAN, "null");
    one_double(INFINITY, "null");
    one_double(-INFINITY, "null");
}

static void doubles_read_back(void **state)
{
    (void)state;
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        double value;
        memcpy(&value, &x, sizeof value);
        if (!isfinite(value))
            continue;
        xpd_json_double(&w, value);
        assert_true(strtod(out.data, NULL) == value);
        xpd_strbuf_clear(&out);
        xpd_jsonw_init(&w, &out);
    }
}

static void text_is(const char *bytes, size_t size, const char *expected)
{
    xpd_json_str(&w, (struct xpd_str){bytes, size});
    expect(expected);
}

#define TEXT(literal, expected) text_is(literal, sizeof(literal) - 1, "\"" expected "\"")
#define FFFD                    "\xEF\xBF\xBD"

static void escapes(void **state)
{
    (void)state;
    TEXT("", "");
    TEXT("plain text, quite long: nothing to do", "plain text, quite long: nothing to do");
    TEXT("a\"b\\c", "a\\\"b\\\\c");
    TEXT("\n\t\r\b\f", "\\u000a\\u0009\\u000d\\u0008\\u000c");
    TEXT("\0\x01\x1f\x7f", "\\u0000\\u0001\\u001f\\u007f");
    TEXT("</script>&", "\\u003c/script\\u003e\\u0026");
    TEXT("%fusion.1 = f32[8]{0} 'x'/~", "%fusion.1 = f32[8]{0} 'x'/~");
    for (size_t before = 0; before < 20; before++) { /* at any place of the fast path */
        char bytes[64], expected[64];
        memset(bytes, 'p', 40);
        bytes[before] = '"';
        snprintf(expected, sizeof expected, "\"%.*s\\\"%.*s\"", (int)before, bytes,
                 (int)(39 - before), bytes + before + 1);
        text_is(bytes, 40, expected);
    }
}

static void every_byte(void **state)
{
    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        char c = (char)byte, expected[16];
        if (byte >= 0x80)
            snprintf(expected, sizeof expected, "\"%s\"", FFFD);
        else if (byte == '"' || byte == '\\')
            snprintf(expected, sizeof expected, "\"\\%c\"", byte);
        else if (byte < 0x20 || byte == 0x7F || byte == '<' || byte == '>' || byte == '&')
            snprintf(expected, sizeof expected, "\"\\u%04x\"", (unsigned)byte);
        else
            snprintf(expected, sizeof expected, "\"%c\"", byte);
        text_is(&c, 1, expected);
    }
}

static void valid_utf8_is_left_alone(void **state)
{
    (void)state;
    TEXT("\xC2\xA0", "\xC2\xA0");                 /* U+00A0 */
    TEXT("\xC2\x80\xC2\x9F", "\\u0080\\u009f");   /* C1 control characters */
    TEXT("\xDF\xBF", "\xDF\xBF");                 /* U+07FF */
    TEXT("\xE0\xA0\x80", "\xE0\xA0\x80");         /* U+0800 */
    TEXT("\xED\x9F\xBF", "\xED\x9F\xBF");         /* U+D7FF */
    TEXT("\xEE\x80\x80", "\xEE\x80\x80");         /* U+E000 */
    TEXT("\xEF\xBF\xBF", "\xEF\xBF\xBF");         /* U+FFFF */
    TEXT("\xF0\x90\x80\x80", "\xF0\x90\x80\x80"); /* U+10000 */
    TEXT("\xF4\x8F\xBF\xBF", "\xF4\x8F\xBF\xBF"); /* U+10FFFF */
    TEXT("\xC3\xA4<\xE2\x82\xAC", "\xC3\xA4\\u003c\xE2\x82\xAC");
}

/* One U+FFFD for each longest start of a sequence, as in table 3-8 of the Unicode Standard. */
static void invalid_utf8_is_repaired(void **state)
{
    (void)state;
    TEXT("a\x80z", "a" FFFD "z");
    TEXT("\xC0\xAF", FFFD FFFD); /* an overlong '/' */
    TEXT("\xC1\xBF", FFFD FFFD);
    TEXT("\xE0\x80\xAF", FFFD FFFD FFFD); /* overlong, three bytes */
    TEXT("\xE0\x9F\xBF", FFFD FFFD FFFD);
    TEXT("\xF0\x8F\xBF\xBF", FFFD FFFD FFFD FFFD);
    TEXT("\xED\xA0\x80", FFFD FFFD FFFD); /* a surrogate */
    TEXT("\xED\xBF\xBF", FFFD FFFD FFFD);
    TEXT("\xF4\x90\x80\x80", FFFD FFFD FFFD FFFD); /* U+110000 */
    TEXT("\xF5\x80", FFFD FFFD);
    TEXT("\xFE\xFF", FFFD FFFD);
    TEXT("\xC3", FFFD);     /* cut at the end of the text */
    TEXT("\xE2\x82", FFFD); /* one for both: they belong together */
    TEXT("\xF0\x9F\x98", FFFD);
    TEXT("\xE2\x82"
         "A",
         FFFD "A"); /* cut by another character */
    TEXT("\xF0\x9F\x98\"", FFFD "\\\"");
    TEXT("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF"
         "A",
         FFFD FFFD FFFD FFFD "A"); /* table 3-8 itself */
}

/* Whatever goes in, a JSON parser takes what comes out. */
static void random_text_is_valid(void **state)
{
    (void)state;
    uint32_t x = 2463534242;
    for (size_t round = 0; round < 2000; round++) {
        char bytes[100];
        for (size_t i = 0; i < sizeof bytes; i++) {
            x ^= x << 13, x ^= x >> 17, x ^= x << 5;
            bytes[i] = (char)(x % 5 ? 0x80 | (x >> 8) : (x >> 8) % 127 + 1);
        }
        xpd_json_str(&w, (struct xpd_str){bytes, round % sizeof bytes});
        for (size_t i = 1; i + 1 < out.size; i++)
            assert_true(strchr("<>&", out.data[i]) == NULL && (unsigned char)out.data[i] >= 0x20);
        struct xpd_json *doc = xpd_json_parse((struct xpd_str){out.data, out.size});
        assert_non_null(doc);
        assert_non_null(xpd_json_to_text(doc));
        xpd_json_free(doc);
        xpd_strbuf_clear(&out);
        xpd_jsonw_init(&w, &out);
    }
}

static void limit(void **state)
{
    (void)state;
    out.limit_bytes = 10;
    xpd_json_str(&w, XPD_STR("12345678")); /* with the quotes exactly 10 */
    expect("\"12345678\"");
    xpd_json_str(&w, XPD_STR("1234<")); /* 2 + 4 + 6 */
    assert_true(out.failed);
    out.limit_bytes = 12;
    xpd_strbuf_clear(&out);
    xpd_jsonw_init(&w, &out);
    xpd_json_str(&w, XPD_STR("1234<"));
    expect("\"1234\\u003c\"");
}

static void deepest(void **state)
{
    (void)state;
    for (int i = 0; i < XPD_JSON_DEPTH; i++)
        xpd_json_arr(&w);
    for (int i = 0; i < XPD_JSON_DEPTH; i++)
        xpd_json_arr_end(&w);
    expect("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(commas_and_colons),
        CASE(keyed),
        CASE(raw),
        CASE(columns),
        CASE(integers),
        CASE(doubles),
        CASE(doubles_read_back),
        CASE(escapes),
        CASE(every_byte),
        CASE(valid_utf8_is_left_alone),
        CASE(invalid_utf8_is_repaired),
        CASE(random_text_is_valid),
        CASE(limit),
        CASE(deepest),
    };
    return cmocka_run_group_tests_name("json_writer", tests, NULL, NULL);
}
