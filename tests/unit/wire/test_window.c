/* Window: fields at offsets, refills, skips that read nothing, cut files, agreement with the
 * cursor. */
#include "support/pbw.h"
#include "support/tempfile.h"
#include "xprofd/wire/cursor.h"
#include "xprofd/wire/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct read {
    int rc;
    uint32_t number;
    uint8_t wire_type;
    uint64_t value;
    struct xpd_wire_range payload;
    struct xpd_err err;
};

static struct read next(struct xpd_window *window, uint64_t end)
{
    struct read r = {0};
    r.rc = xpd_window_field(window, end, &r.number, &r.wire_type, &r.value, &r.payload, &r.err);
    return r;
}

/* Both kinds of source for the same bytes. */
static struct xpd_source *source_of(const void *bytes, size_t size, bool file)
{
    struct xpd_source *source = NULL;
    struct xpd_err err;
    if (!file) {
        assert_int_equal(xpd_source_open_memory(&source, bytes, size, "mem", &err), XPD_OK);
        return source;
    }
    char *path = temp_file(bytes, size, NULL);
    assert_int_equal(xpd_source_open(&source, path, 0, &err), XPD_OK);
    temp_remove(path); /* the source keeps it open */
    return source;
}

static void descend_and_skip(void **state)
{
    (void)state;
    /* 0: 1 = 150; 3: 2 { 1: "ab" 3: fixed32 }; 14: 4 = fixed64; 23: end */
    static const uint8_t bytes[] = {0x08, 0x96, 0x01, 0x12, 0x09, 0x0A, 0x02, 'a',
                                    'b',  0x1D, 1,    2,    3,    0x80, 0x21, 1,
                                    2,    3,    4,    5,    6,    7,    0x80};
    for (int file = 0; file < 2; file++) {
        struct xpd_source *source = source_of(bytes, sizeof bytes, file);
        struct xpd_window window;
        struct xpd_err err;
        assert_int_equal(xpd_window_init(&window, source, &err), XPD_OK);
        assert_int_equal(window.buffer != NULL, file);

        struct read r = next(&window, sizeof bytes);
        assert_int_equal(r.rc, XPD_OK);
        assert_int_equal(r.number, 1);
        assert_int_equal(r.wire_type, 0);
        assert_int_equal(r.value, 150);
        assert_int_equal(window.offset, 3);

        struct read outer = next(&window, sizeof bytes);
        assert_int_equal(outer.number, 2);
        assert_int_equal(outer.wire_type, 2);
        assert_int_equal(outer.payload.offset, 5);
        assert_int_equal(outer.payload.size, 9);
        assert_int_equal(window.offset, 5);

        r = next(&window, 14); /* descend */
        assert_int_equal(r.number, 1);
        assert_int_equal(r.payload.offset, 7);
        assert_int_equal(r.payload.size, 2);
        const uint8_t *text;
        assert_int_equal(xpd_window_peek(&window, 7, 2, &text, &err), XPD_OK);
        assert_memory_equal(text, "ab", 2);
        window.offset = 9;
        r = next(&window, 14);
        assert_int_equal(r.number, 3);
        assert_int_equal(r.wire_type, 5);
        assert_true(r.value == 0x80030201);
        assert_int_equal(next(&window, 14).number, 0); /* the end of the message */
        assert_int_equal(next(&window, 14).rc, XPD_OK);

        r = next(&window, sizeof bytes); /* it goes on behind it */
        assert_int_equal(r.number, 4);
        assert_int_equal(r.wire_type, 1);
        assert_true(r.value == UINT64_C(0x8007060504030201));
        assert_int_equal(next(&window, sizeof bytes).number, 0);
        xpd_window_fini(&window);
        xpd_source_close(source);
    }
}

static void small_fields_across_refills(void **state)
{
    (void)state;
    struct pbw w = {0};
    uint64_t sum = 0;
    enum { FIELDS = 600000 };
    for (uint64_t i = 0; i < FIELDS; i++) { /* 3 to 11 bytes each: refills fall anywhere */
        uint64_t value = i % 7 == 0 ? UINT64_MAX - i : i;
        pbw_uint(&w, 1, value);
        sum += value;
    }
    struct xpd_source *source = source_of(w.data, w.len, true);
    struct xpd_window window;
    assert_int_equal(xpd_window_init(&window, source, NULL), XPD_OK);
    uint64_t count = 0;
    for (struct read r; (r = next(&window, w.len)).number != 0; count++) {
        assert_int_equal(r.rc, XPD_OK);
        sum -= r.value;
    }
    assert_int_equal(count, FIELDS);
    assert_true(sum == 0);
    assert_int_equal(window.read_bytes, w.len); /* each byte once, tails are kept */
    xpd_window_fini(&window);
    xpd_source_close(source);
    pbw_free(&w);
}

static void skips_read_nothing_between(void **state)
{
    (void)state;
    struct pbw w = {0}, payload = {0};
    char *filler = calloc(1 << 20, 1);
    assert_non_null(filler);
    for (int i = 0; i < 20; i++) { /* 20 payloads of 1 MiB */
        pbw_bytes(&w, 3, filler, 1 << 20);
        pbw_uint(&w, 1, (uint64_t)i);
    }
    struct xpd_source *source = source_of(w.data, w.len, true);
    struct xpd_window window;
    assert_int_equal(xpd_window_init(&window, source, NULL), XPD_OK);
    uint64_t expected = 0;
    for (struct read r; (r = next(&window, w.len)).number != 0;) {
        assert_int_equal(r.rc, XPD_OK);
        if (r.number == 3) {
            assert_int_equal(r.payload.size, 1 << 20);
            window.offset = r.payload.offset + r.payload.size;
        } else {
            assert_int_equal(r.value, expected++);
        }
    }
    assert_int_equal(expected, 20);
    assert_in_range(window.read_bytes, 20, 21 * 65536); /* of 20 MiB */
    xpd_window_fini(&window);
    xpd_source_close(source);
    pbw_free(&w);
    pbw_free(&payload);
    free(filler);
}

static void beyond_4_gib(void **state)
{
    (void)state;
    /* 0: field 1 of 5,000,000,000 bytes (a hole), behind it 2 = 7 and 3: "end" */
    static const uint8_t head[] = {0x0A, 0x80, 0xE4, 0x97, 0xD0, 0x12};
    static const uint8_t tail[] = {0x10, 0x07, 0x1A, 0x03, 'e', 'n', 'd'};
    const uint64_t behind = UINT64_C(5000000006), size = behind + sizeof tail;
    char *path = temp_file(head, sizeof head, NULL);
    temp_write_at(path, behind, tail, sizeof tail);
    struct xpd_source *source = NULL;
    struct xpd_window window;
    struct xpd_err err;
    assert_int_equal(xpd_source_open(&source, path, 0, &err), XPD_OK);
    assert_true(xpd_source_size(source) == size);
    assert_int_equal(xpd_window_init(&window, source, &err), XPD_OK);

    struct read r = next(&window, size);
    assert_int_equal(r.number, 1);
    assert_int_equal(r.payload.offset, 6);
    assert_true(r.payload.size == UINT64_C(5000000000));
    window.offset = r.payload.offset + r.payload.size;
    r = next(&window, size);
    assert_int_equal(r.number, 2);
    assert_int_equal(r.value, 7);
    r = next(&window, size);
    assert_int_equal(r.number, 3);
    assert_true(r.payload.offset == behind + 4);
    assert_in_range(window.read_bytes, 1, 70000);

    const uint8_t *at = NULL;
    assert_int_equal(xpd_window_peek(&window, r.payload.offset, 3, &at, &err), XPD_OK);
    assert_memory_equal(at, "end", 3);

    /* The last byte is missing: the offset of the field that says so is past 4 GiB too. */
    temp_resize(path, size - 1);
    xpd_window_fini(&window);
    xpd_source_close(source);
    assert_int_equal(xpd_source_open(&source, path, 0, &err), XPD_OK);
    assert_int_equal(xpd_window_init(&window, source, &err), XPD_OK);
    window.offset = behind + 2;
    r = next(&window, size - 1);
    assert_int_equal(r.rc, XPD_EFORMAT);
    assert_true(r.err.offset == behind + 2);
    xpd_window_fini(&window);
    xpd_source_close(source);
    temp_remove(path);
}

static void payload_past_the_end(void **state)
{
    (void)state;
    /* 0: 1 = 5; 2: field 2 of 100 bytes, of which 3 are there */
    static const uint8_t bytes[] = {0x08, 0x05, 0x12, 0x64, 0x08, 0x07, 0x08};
    for (int file = 0; file < 2; file++) {
        struct xpd_source *source = source_of(bytes, sizeof bytes, file);
        struct xpd_window window;
        struct xpd_err err;
        assert_int_equal(xpd_window_init(&window, source, &err), XPD_OK);
        assert_int_equal(next(&window, sizeof bytes).value, 5);
        struct read r = next(&window, sizeof bytes);
        assert_int_equal(r.rc, XPD_EFORMAT);
        assert_int_equal(r.err.offset, 2);
        assert_int_equal(r.number, 2);
        assert_int_equal(r.payload.offset, 4);
        assert_int_equal(r.payload.size, 100);
        /* What is there can be read on: the window stands at the payload. */
        assert_int_equal(window.offset, 4);
        assert_int_equal(next(&window, sizeof bytes).value, 7);
        r = next(&window, sizeof bytes);
        assert_int_equal(r.rc, XPD_EFORMAT);
        assert_int_equal(r.err.offset, 6);
        assert_int_equal(r.number, 0);
        assert_int_equal(window.offset, 6);

        /* An end beyond the file, as a caller gets who believes the length. */
        window.offset = 4;
        assert_int_equal(next(&window, 104).value, 7);
        assert_int_equal(next(&window, 104).rc, XPD_EFORMAT);
        window.offset = 7;
        r = next(&window, 104);
        assert_int_equal(r.rc, XPD_EFORMAT);
        assert_int_equal(r.err.offset, 7);

        const uint8_t *at;
        assert_int_equal(xpd_window_peek(&window, 4, 4, &at, &err), XPD_EFORMAT);
        assert_int_equal(err.offset, 4);
        assert_int_equal(xpd_window_peek(&window, 4, 3, &at, &err), XPD_OK);
        assert_int_equal(xpd_window_peek(&window, 7, 0, &at, &err), XPD_OK);
        assert_int_equal(xpd_window_peek(&window, 8, 0, &at, &err), XPD_EFORMAT);
        assert_int_equal(xpd_window_peek(&window, 0, XPD_WINDOW_BYTES + 1, &at, &err), XPD_EINVAL);
        xpd_window_fini(&window);
        xpd_source_close(source);
    }
}

static void lengths_that_make_no_sense(void **state)
{
    (void)state;
    static const uint8_t wraps[] = {0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                    0xFF, 0xFF, 0xFF, 0x01, 0,    0};
    struct xpd_source *source = source_of(wraps, sizeof wraps, false);
    struct xpd_window window;
    assert_int_equal(xpd_window_init(&window, source, NULL), XPD_OK);
    struct read r = next(&window, sizeof wraps);
    assert_int_equal(r.rc, XPD_EFORMAT);
    assert_int_equal(r.err.offset, 0);
    assert_int_equal(r.number, 0); /* offset + size would wrap: there is no range to give */
    assert_int_equal(r.payload.size, 0);
    assert_int_equal(window.offset, 0);
    xpd_window_fini(&window);
    xpd_source_close(source);
}

static void reads_in_the_window_are_not_repeated(void **state)
{
    (void)state;
    enum { SIZE = 3 << 20 }; /* larger than the window */
    uint8_t *bytes = malloc(SIZE);
    assert_non_null(bytes);
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(i * 31 >> 3);
    struct xpd_source *source = source_of(bytes, SIZE, true);
    struct xpd_window window;
    struct xpd_err err;
    const uint8_t *peeked;
    assert_int_equal(xpd_window_init(&window, source, &err), XPD_OK);
    assert_int_equal(xpd_window_peek(&window, 1000, 50, &peeked, &err), XPD_OK);
    assert_memory_equal(peeked, bytes + 1000, 50);
    uint64_t before = window.read_bytes;
    /* Once it is in the window, nothing is read. */
    assert_int_equal(xpd_window_peek(&window, 1010, 20, &peeked, &err), XPD_OK);
    assert_memory_equal(peeked, bytes + 1010, 20);
    assert_int_equal(window.read_bytes, before);
    /* A whole window at once, and back again. */
    assert_int_equal(xpd_window_peek(&window, 77, XPD_WINDOW_BYTES, &peeked, &err), XPD_OK);
    assert_int_equal(memcmp(peeked, bytes + 77, XPD_WINDOW_BYTES), 0);
    assert_int_equal(xpd_window_peek(&window, 0, 100, &peeked, &err), XPD_OK);
    assert_memory_equal(peeked, bytes, 100);
    xpd_window_fini(&window);
    xpd_source_close(source);
    free(bytes);
}

/* A file cut under the window: an error, never old bytes in new places. */
static void file_that_shrinks(void **state)
{
    (void)state;
    struct pbw w = {0};
    for (int i = 0; i < 200000; i++)
        pbw_uint(&w, 1, 5);
    char *path = temp_file(w.data, w.len, NULL);
    struct xpd_source *source = NULL;
    struct xpd_window window;
    struct xpd_err err;
    assert_int_equal(xpd_source_open(&source, path, 0, &err), XPD_OK);
    assert_int_equal(xpd_window_init(&window, source, &err), XPD_OK);
    assert_int_equal(next(&window, w.len).value, 5);
    temp_resize(path, 100000);
    struct read r;
    while ((r = next(&window, w.len)).rc == XPD_OK)
        assert_int_equal(r.value, 5);
    assert_int_equal(r.rc, XPD_ECHANGED);
    assert_int_equal(r.err.offset, 100000);
    assert_int_equal(next(&window, w.len).rc, XPD_ECHANGED); /* and again */
    xpd_window_fini(&window);
    xpd_source_close(source);
    temp_remove(path);
    pbw_free(&w);
}

/* Random bytes: the window in a file, the window in memory and the cursor see the same fields, and
 * stop at the same offset. Two readers written apart do not share a mistake. */
static void agrees_with_the_cursor(void **state)
{
    (void)state;
    uint32_t x = 2463534242;
    for (int round = 0; round < 3000; round++) {
        uint8_t bytes[64];
        for (size_t i = 0; i < sizeof bytes; i++) {
            x ^= x << 13, x ^= x >> 17, x ^= x << 5;
            /* Small values make more fields that hold together. */
            bytes[i] = (uint8_t)(x % 3 ? (x >> 8) & 0x2F : x >> 8);
        }
        struct xpd_source *source = source_of(bytes, sizeof bytes, round % 16 == 0);
        struct xpd_window window;
        struct xpd_cursor cursor;
        struct xpd_field field;
        assert_int_equal(xpd_window_init(&window, source, NULL), XPD_OK);
        xpd_cursor_init(&cursor, bytes, sizeof bytes, 0);
        struct read r;
        while (xpd_cursor_next(&cursor, &field)) {
            r = next(&window, sizeof bytes);
            assert_int_equal(r.rc, XPD_OK);
            assert_int_equal(r.number, field.number);
            assert_int_equal(r.wire_type, field.wire_type);
            assert_true(r.value == field.value);
            assert_int_equal(r.payload.size, field.size);
            if (field.wire_type == 2) {
                assert_int_equal(r.payload.offset, field.offset);
                window.offset = r.payload.offset + r.payload.size;
            }
            assert_ptr_equal(cursor.at, bytes + window.offset);
        }
        r = next(&window, sizeof bytes);
        if (cursor.error_text) {
            assert_int_equal(r.rc, XPD_EFORMAT);
            assert_int_equal(r.err.offset, cursor.error_offset);
        } else {
            assert_int_equal(r.rc, XPD_OK);
            assert_int_equal(r.number, 0);
        }
        xpd_window_fini(&window);
        xpd_source_close(source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descend_and_skip),
        cmocka_unit_test(small_fields_across_refills),
        cmocka_unit_test(skips_read_nothing_between),
        cmocka_unit_test(beyond_4_gib),
        cmocka_unit_test(payload_past_the_end),
        cmocka_unit_test(lengths_that_make_no_sense),
        cmocka_unit_test(reads_in_the_window_are_not_repeated),
        cmocka_unit_test(file_that_shrinks),
        cmocka_unit_test(agrees_with_the_cursor),
    };
    return cmocka_run_group_tests_name("window", tests, NULL, NULL);
}
