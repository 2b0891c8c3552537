/* Error records: filling, cutting at characters, words. */
#include "xprofd/base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void fill(void **state)
{
    (void)state;
    struct xpd_err err = {0};
    assert_int_equal(xpd_fail(&err, XPD_EFORMAT, "a.pb", 4294967297, "bad %s %d", "field", 7),
                     XPD_EFORMAT);
    assert_int_equal(err.code, XPD_EFORMAT);
    assert_true(err.offset == 4294967297);
    assert_string_equal(err.where, "a.pb");
    assert_string_equal(err.text, "bad field 7");

    assert_int_equal(xpd_fail(NULL, XPD_EIO, "x", 0, "%d", 1),
                     XPD_EIO); /* the caller does not want the error */
    assert_int_equal(xpd_fail(&err, XPD_EBUSY, NULL, XPD_NO_OFFSET, "later"), XPD_EBUSY);
    assert_string_equal(err.where, "");
    assert_true(err.offset == XPD_NO_OFFSET);
}

static void own_texts_as_arguments(void **state)
{
    (void)state;
    struct xpd_err err;
    xpd_fail(&err, XPD_EIO, "name", 0, "inner");
    xpd_fail(&err, XPD_EFORMAT, err.where, 1, "outer (%s)", err.text);
    assert_string_equal(err.where, "name");
    assert_string_equal(err.text, "outer (inner)");
}

static void no_memory_for(void **state)
{
    (void)state;
    struct xpd_err err = {0};
    assert_int_equal(xpd_no_memory(&err, "a.pb", "to group %u events", 7U), XPD_ENOMEM);
    assert_int_equal(err.code, XPD_ENOMEM);
    assert_true(err.offset == XPD_NO_OFFSET);
    assert_string_equal(err.where, "a.pb");
    assert_string_equal(err.text, "not enough memory to group 7 events");
    assert_int_equal(xpd_no_memory(NULL, NULL, "for the steps"), XPD_ENOMEM);
}

/* where holds 159 bytes: 158 letters leave one, too few for any sequence. */
static void cut_at_characters(void **state)
{
    (void)state;
    static const char *const wide[] = {"\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    struct xpd_err err;
    for (size_t kind = 0; kind < 3; kind++) {
        size_t length = strlen(wide[kind]);
        for (size_t before = 150; before <= 160; before++) {
            char where[200];
            memset(where, 'x', before);
            memcpy(where + before, wide[kind], length + 1);
            strcat(where, "yyyyyyyyyyyyyyyyy");
            xpd_fail(&err, XPD_EIO, where, 0, "t");
            size_t size = strlen(err.where);
            /* Everything up to 159 bytes, unless the sequence would be cut: then before it. */
            size_t expected = before < 159 && before + length > 159 ? before : 159;
            assert_int_equal(size, expected);
            assert_memory_equal(err.where, where, size);
        }
    }
    /* Not UTF-8 at all: cut where it is full. */
    char bytes[200];
    memset(bytes, 0x80, sizeof bytes - 1);
    bytes[sizeof bytes - 1] = '\0';
    xpd_fail(&err, XPD_EIO, bytes, 0, "t");
    assert_int_equal(strlen(err.where), 159);
}

static void long_texts(void **state)
{
    (void)state;
    struct xpd_err err;
    xpd_fail(&err, XPD_EIO, NULL, 0, "%01000d", 1);
    assert_int_equal(strlen(err.text), 479);
    xpd_fail(&err, XPD_EIO, NULL, 0, "%0477d\xE2\x82\xAC", 1); /* 3 bytes where 2 have room */
    assert_int_equal(strlen(err.text), 477);
}

static void words(void **state)
{
    (void)state;
    static const char *const expected[XPD_CODE_COUNT] = {
        "ok", "invalid_argument", "not_found", "bad_format",  "limit",   "no_memory",
        "io", "changed",          "busy",      "not_written", "internal"};
    for (int code = 0; code < XPD_CODE_COUNT; code++)
        assert_string_equal(xpd_code_word(code), expected[code]);
    assert_string_equal(xpd_code_word(-1), "internal");
    assert_string_equal(xpd_code_word(XPD_CODE_COUNT), "internal");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fill),          cmocka_unit_test(own_texts_as_arguments),
        cmocka_unit_test(no_memory_for), cmocka_unit_test(cut_at_characters),
        cmocka_unit_test(long_texts),    cmocka_unit_test(words),
    };
    return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
