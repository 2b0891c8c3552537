/* Wire cursor: all wire types, offsets, every kind of damage with the offset of the field. */
#include "xprofd/wire/cursor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define FAR UINT64_C(5000000000) /* past 4 GiB */

/* Field 1 = 150, field 2 = "testing", field 3 = fixed32, field 4 = fixed64: 0, 3, 12, 17, 26. */
static const uint8_t sample[] = {
    0x08, 0x96, 0x01,                                     /* 0 */
    0x12, 0x07, 't',  'e',  's',  't',  'i',  'n',  'g',  /* 3 */
    0x1D, 0x78, 0x56, 0x34, 0x92,                         /* 12 */
    0x21, 0xEF, 0xCD, 0xAB, 0x90, 0x78, 0x56, 0x34, 0xF2, /* 17 */
};

static void all_types(void **state)
{
    (void)state;
    struct xpd_cursor cursor;
    struct xpd_field field;
    xpd_cursor_init(&cursor, sample, sizeof sample, FAR);

    assert_true(xpd_cursor_next(&cursor, &field));
    assert_int_equal(field.number, 1);
    assert_int_equal(field.wire_type, 0);
    assert_int_equal(field.value, 150);
    assert_true(field.offset == FAR + 1);
    assert_int_equal(field.size, 0);
    assert_null(field.bytes);

    assert_true(xpd_cursor_next(&cursor, &field));
    assert_int_equal(field.number, 2);
    assert_int_equal(field.wire_type, 2);
    assert_int_equal(field.size, 7);
    assert_ptr_equal(field.bytes, sample + 5); /* borrowed */
    assert_true(field.offset == FAR + 5);
    assert_true(xpd_str_eq(xpd_field_str(&field), XPD_STR("testing")));

    assert_true(xpd_cursor_next(&cursor, &field));
    assert_int_equal(field.number, 3);
    assert_int_equal(field.wire_type, 5);
    assert_true(field.value == 0x92345678); /* no sign is added */
    assert_true(field.offset == FAR + 13);

    assert_true(xpd_cursor_next(&cursor, &field));
    assert_int_equal(field.number, 4);
    assert_int_equal(field.wire_type, 1);
    assert_true(field.value == UINT64_C(0xF234567890ABCDEF));
    assert_true(field.offset == FAR + 18);

    assert_false(xpd_cursor_next(&cursor, &field));
    struct xpd_err err;
    assert_int_equal(xpd_cursor_status(&cursor, "x", &err), XPD_OK);
}

static void empty(void **state)
{
    (void)state;
    struct xpd_cursor cursor;
    struct xpd_field field;
    xpd_cursor_init(&cursor, NULL, 0, 0);
    assert_false(xpd_cursor_next(&cursor, &field));
    assert_int_equal(xpd_cursor_status(&cursor, NULL, NULL), XPD_OK);
    static const uint8_t empty_payload[] = {0x0A, 0x00};
    xpd_cursor_init(&cursor, empty_payload, 2, 0);
    assert_true(xpd_cursor_next(&cursor, &field));
    assert_int_equal(field.size, 0);
    assert_int_equal(field.offset, 2);
    assert_true(xpd_str_eq(xpd_field_str(&field), XPD_STR("")));
    assert_false(xpd_cursor_next(&cursor, &field));
    assert_null(cursor.error_text);
}

static void cut_anywhere(void **state)
{
    (void)state;
    static const size_t starts[] = {0, 3, 12, 17, 26};
    for (size_t size = 0; size <= sizeof sample; size++) {
        /* A copy of exactly that size: reading one byte too many is seen by the sanitizer. */
        uint8_t copy[sizeof sample];
        memcpy(copy + sizeof sample - size, sample, size);
        struct xpd_cursor cursor;
        struct xpd_field field;
        xpd_cursor_init(&cursor, copy + sizeof sample - size, size, FAR);
        size_t whole = 0, read = 0;
        while (whole < 4 && starts[whole + 1] <= size)
            whole++;
        while (xpd_cursor_next(&cursor, &field))
            read++;
        assert_int_equal(read, whole);
        struct xpd_err err;
        if (starts[whole] == size) {
            assert_int_equal(xpd_cursor_status(&cursor, "a.pb", &err), XPD_OK);
            continue;
        }
        assert_int_equal(xpd_cursor_status(&cursor, "a.pb", &err), XPD_EFORMAT);
        assert_int_equal(err.code, XPD_EFORMAT);
        assert_true(err.offset == FAR + starts[whole]);
        assert_string_equal(err.where, "a.pb");
    }
}

struct bad {
    const char *what; /* in the text */
    uint8_t bytes[16];
    size_t size;
};

static void damage(void **state)
{
    (void)state;
    static const struct bad cases[] = {
        {"field number", {0x00, 0x01}, 2},                   /* number 0 */
        {"field number", {0x02, 0x00}, 2},                   /* number 0, length-delimited */
        {"field number", {0x80, 0x80, 0x80, 0x80, 0x10}, 5}, /* tag 2^32: number 2^29 */
        {"group", {0x0B, 0x0C}, 2},
        {"group", {0x0C}, 1},
        {"wire type", {0x0E, 0x00}, 2},
        {"wire type", {0x0F, 0x00}, 2},
        {"more than 10 bytes", /* value of 11 bytes */
         {0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01},
         12},
        {"more than 10 bytes", /* tag of 11 bytes */
         {0x88, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0x01},
         12},
        {"length", {0x0A, 0x02, 'a'}, 3},
        {"length", {0x0A, 0x01}, 2},
        {"length", /* 2^64 - 1: at + size would wrap */
         {0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 'a'},
         12},
        {"cut", {0x80}, 1},
        {"cut", {0x08}, 1},
        {"cut", {0x09, 1, 2, 3, 4, 5, 6, 7}, 8},
        {"cut", {0x0D, 1, 2, 3}, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        /* A good field of two bytes in front: the offset is FAR + 2. */
        uint8_t bytes[20] = {0x10, 0x05};
        memcpy(bytes + 2, cases[i].bytes, cases[i].size);
        struct xpd_cursor cursor;
        struct xpd_field field;
        struct xpd_err err;
        xpd_cursor_init(&cursor, bytes, 2 + cases[i].size, FAR);
        assert_true(xpd_cursor_next(&cursor, &field));
        assert_false(xpd_cursor_next(&cursor, &field));
        assert_non_null(cursor.error_text);
        assert_true(cursor.error_offset == FAR + 2);
        assert_false(xpd_cursor_next(&cursor, &field)); /* sticky */
        assert_true(cursor.error_offset == FAR + 2);
        assert_int_equal(xpd_cursor_status(&cursor, NULL, &err), XPD_EFORMAT);
        assert_true(err.offset == FAR + 2);
        assert_non_null(strstr(err.text, cases[i].what));
    }
}

static void extremes_that_are_legal(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {
        0xF8, 0xFF, 0xFF, 0xFF, 0x0F, 0x01,                               /* number 2^29 - 1 */
        0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, /* -1 */
        0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, /* bits past 64 drop */
        0x88, 0x00, 0x81, 0x80, 0x80, 0x00,                               /* padded: 1 = 1 */
        0x8A, 0x80, 0x00, 0x81, 0x00, 'x',                                /* padded length */
    };
    struct xpd_cursor cursor;
    struct xpd_field field;
    xpd_cursor_init(&cursor, bytes, sizeof bytes, 0);
    assert_true(xpd_cursor_next(&cursor, &field));
    assert_int_equal(field.number, 536870911);
    assert_true(xpd_cursor_next(&cursor, &field));
    assert_true(field.value == UINT64_MAX);
    assert_true(xpd_cursor_next(&cursor, &field));
    assert_true(field.value == UINT64_MAX);
    assert_true(xpd_cursor_next(&cursor, &field));
    assert_int_equal(field.number, 1);
    assert_int_equal(field.value, 1);
    assert_true(xpd_cursor_next(&cursor, &field));
    assert_int_equal(field.number, 1);
    assert_int_equal(field.size, 1);
    assert_int_equal(field.offset, sizeof bytes - 1);
    assert_false(xpd_cursor_next(&cursor, &field));
    assert_null(cursor.error_text);
}

static void nested(void **state)
{
    (void)state;
    /* 1 { 2 { 3: cut } }: the offset is that of the innermost field in the file. */
    static const uint8_t bytes[] = {0x0A, 0x05, 0x12, 0x03, 0x18, 0x80, 0x80};
    struct xpd_cursor outer, middle, inner;
    struct xpd_field field;
    xpd_cursor_init(&outer, bytes, sizeof bytes, FAR);
    assert_true(xpd_cursor_next(&outer, &field));
    middle = xpd_cursor_sub(&field);
    assert_true(xpd_cursor_next(&middle, &field));
    assert_true(field.offset == FAR + 4);
    inner = xpd_cursor_sub(&field);
    assert_false(xpd_cursor_next(&inner, &field));
    assert_true(inner.error_offset == FAR + 4);
    assert_false(xpd_cursor_next(&middle, &field));
    assert_null(middle.error_text); /* what is around it is fine */
}

static void varints(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[11];
        size_t size;
        uint64_t value;
    } cases[] = {
        {{0x00}, 1, 0},
        {{0x7F}, 1, 127},
        {{0x80, 0x01}, 2, 128},
        {{0xFF, 0x7F}, 2, 16383},
        {{0x80, 0x80, 0x01}, 3, 16384},
        {{0xFF, 0xFF, 0xFF, 0xFF, 0x0F}, 5, UINT32_MAX},
        {{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, 10, UINT64_C(1) << 63},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint8_t *at = cases[i].bytes;
        uint64_t value = 99;
        assert_true(xpd_varint(&at, cases[i].bytes + cases[i].size, &value));
        assert_true(value == cases[i].value);
        assert_ptr_equal(at, cases[i].bytes + cases[i].size);
        /* One byte less: refused, nothing moved. */
        at = cases[i].bytes;
        assert_false(xpd_varint(&at, cases[i].bytes + cases[i].size - 1, &value));
        assert_ptr_equal(at, cases[i].bytes);
        assert_true(value == cases[i].value);
    }
}

static void repeated_integers(void **state)
{
    (void)state;
    /* Field 1: packed 1, 300, -1; then 5 alone; then packed and empty; then a fixed64 of 7. */
    static const uint8_t bytes[] = {0x0A, 0x0D, 0x01, 0xAC, 0x02, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                    0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0x08, 0x05, 0x0A, 0x00, 0x09,
                                    0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
    struct xpd_field field;
    for (size_t capacity = 0; capacity <= 6; capacity++) {
        int64_t out[6] = {-9, -9, -9, -9, -9, -9};
        static const int64_t expected[] = {1, 300, -1, 5, 7};
        struct xpd_cursor cursor;
        size_t count = 0;
        xpd_cursor_init(&cursor, bytes, sizeof bytes, 0);
        while (xpd_cursor_next(&cursor, &field))
            assert_true(xpd_field_ints(&field, out, capacity, &count));
        assert_null(cursor.error_text);
        assert_int_equal(count, 5);
        for (size_t i = 0; i < 6; i++)
            assert_int_equal(out[i], i < capacity && i < 5 ? expected[i] : -9);
    }
    static const uint8_t cut[] = {0x0A, 0x02, 0x01, 0x80};
    struct xpd_cursor cursor;
    size_t count = 0;
    int64_t out[4] = {0};
    xpd_cursor_init(&cursor, cut, sizeof cut, 0);
    assert_true(xpd_cursor_next(&cursor, &field));
    assert_false(xpd_field_ints(&field, out, 4, &count));
    assert_int_equal(count, 1); /* the one before the cut */
    assert_int_equal(out[0], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_types),
        cmocka_unit_test(empty),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(damage),
        cmocka_unit_test(extremes_that_are_legal),
        cmocka_unit_test(nested),
        cmocka_unit_test(varints),
        cmocka_unit_test(repeated_integers),
    };
    return cmocka_run_group_tests_name("cursor", tests, NULL, NULL);
}
