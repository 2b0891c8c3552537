/* Damaged files: cut at every byte, each byte changed, wrong sizes. Nothing may crash, and what
 * is whole must be kept. */
#include "profile_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_cut_at_every_byte(void **state)
{
    (void)state;
    struct pbw w = {0};
    pt_sample(&w);
    uint64_t events = 0, programs = 0;
    for (size_t size = 0; size <= w.len; size++) {
        unsigned char *copy = malloc(size ? size : 1); /* its own block: overruns are seen */
        memcpy(copy, w.data, size);
        struct pt_loaded got = pt_load(copy, size);
        if (got.space) {
            const struct xpd_xspace *space = got.space;
            uint64_t now = 0;
            for (uint32_t i = 0; i < space->plane_count; i++) {
                now += space->plane[i].event_count;
                for (uint32_t k = 0; k < space->plane[i].line_count; k++) {
                    struct xpd_wire_range range = space->plane[i].line[k].range;
                    assert_true(range.offset + range.size <= size);
                }
            }
            assert_true(now >= events); /* more bytes never show less */
            assert_true(space->hlo_count >= programs);
            events = now;
            programs = space->hlo_count;
            assert_true(space->read_until <= size);
            if (!space->complete) {
                assert_non_null(pt_warning(space, "file_cut"));
                assert_true(space->whole_bytes > size || space->read_until < size);
            }
        } else {
            assert_int_equal(got.err.code, XPD_EFORMAT);
            assert_int_equal(events, 0);
        }
        pt_free(&got);
        free(copy);
    }
    assert_int_equal(events, 46);
    assert_int_equal(programs, 2);
    pbw_free(&w);
}

static void test_cut_message(void **state)
{
    (void)state;
    struct pbw w = {0};
    pt_sample(&w);
    struct pt_loaded got = pt_load(w.data, 60); /* inside the first line */
    assert_non_null(got.space);
    assert_false(got.space->complete);
    assert_true(got.space->whole_bytes > 60);
    assert_true(got.space->read_until > 40 && got.space->read_until <= 60);
    const struct xpd_warning *warning = pt_warning(got.space, "file_cut");
    assert_non_null(strstr(warning->text, "60 bytes of at least"));
    assert_non_null(strstr(warning->text, "/device:TPU:0"));
    assert_int_equal(warning->offset, got.space->read_until);
    pt_free(&got);
    pbw_free(&w);
}

static void test_every_byte_changed(void **state)
{
    (void)state;
    static const unsigned char change[] = {0x01, 0x80, 0xFF, 0x07};
    struct pbw w = {0};
    pt_sample(&w);
    for (size_t i = 0; i < w.len; i++)
        for (size_t k = 0; k < sizeof change; k++) {
            w.data[i] ^= change[k];
            struct pt_loaded got = pt_load(w.data, w.len);
            if (got.space)
                assert_true(got.space->read_until <= w.len);
            pt_free(&got);
            w.data[i] ^= change[k];
        }
    pbw_free(&w);
}

/* A damaged plane does not take the next one with it. */
static void test_damage_inside(void **state)
{
    (void)state;
    struct pbw w = {0};
    size_t plane = pbw_begin(&w, 1);
    pbw_str(&w, 2, "/host:one");
    pbw_raw(&w, "\x07\x07", 2); /* wire type 7 */
    pbw_end(&w, plane);
    plane = pbw_begin(&w, 1);
    pbw_str(&w, 2, "/host:two");
    size_t line = pt_line(&w, 1, "t");
    pt_event(&w, 1, 1, 1);
    pbw_end(&w, line);
    pbw_end(&w, plane);
    struct pt_loaded got = pt_load(w.data, w.len);
    assert_non_null(got.space);
    assert_false(got.space->complete);
    assert_int_equal(got.space->plane_count, 2);
    assert_int_equal(got.space->plane[1].event_count, 1);
    const struct xpd_warning *warning = pt_warning(got.space, "file_damaged");
    assert_non_null(warning);
    assert_non_null(strstr(warning->text, "/host:one"));
    pt_free(&got);
    pbw_free(&w);
}

static void test_empty(void **state)
{
    (void)state;
    struct pt_loaded got = pt_load("", 0);
    assert_null(got.space);
    assert_int_equal(got.err.code, XPD_EFORMAT);
    assert_non_null(strstr(got.err.text, "2 GB"));
    pt_free(&got);
}

/* Lengths up to 2^63 must not wrap anywhere. */
static void test_lying_lengths(void **state)
{
    (void)state;
    static const unsigned char big[] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0};
    for (size_t length = 1; length <= 9; length++)
        for (uint32_t tag = 1; tag <= 6; tag++) {
            struct pbw w = {0};
            size_t plane = pbw_begin(&w, 1);
            pbw_str(&w, 2, "/host:metadata");
            unsigned char byte = (unsigned char)(tag << 3 | 2);
            pbw_raw(&w, &byte, 1);
            pbw_raw(&w, big, length - 1);
            pbw_raw(&w, "\x7F", 1);
            pbw_end(&w, plane);
            struct pt_loaded got = pt_load(w.data, w.len);
            assert_non_null(got.space);
            assert_false(got.space->complete);
            pt_free(&got);
            pbw_free(&w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_cut_message),
        cmocka_unit_test(test_every_byte_changed),
        cmocka_unit_test(test_damage_inside),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_lying_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
