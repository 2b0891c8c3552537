/* The directory of whole XSpaces: planes, lines, counts, stats, texts. */
#include "profile_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_sample(void **state)
{
    (void)state;
    struct pbw w = {0};
    pt_sample(&w);
    struct pt_loaded got = pt_load(w.data, w.len);
    struct xpd_xspace *space = got.space;
    assert_non_null(space);
    assert_true(space->complete);
    assert_int_equal(space->read_until, w.len);
    assert_int_equal(space->whole_bytes, w.len);
    assert_int_equal(space->warnings.count, 0);
    assert_int_equal(space->plane_count, 2);
    const struct xpd_plane *plane = pt_plane(space, "/device:TPU:0");
    assert_int_equal(plane->id, 2);
    assert_int_equal(plane->line_count, 2);
    assert_int_equal(plane->event_count, 46);
    assert_int_equal(plane->line[1].event_count, 40);
    assert_true(pt_is(space, plane->line[1].name, "XLA Ops"));
    assert_int_equal(plane->stat_count, 1);
    assert_true(pt_is(space, plane->stat[0].name, "device_type_string"));
    assert_true(pt_is(space, plane->stat[0].text, "TPU v6 Lite"));
    assert_true(pt_is(space, space->device_type, "TPU v6 Lite"));
    assert_int_equal(space->hlo_count, 2);
    assert_true(pt_is(space, space->hlo[0].key, "jit_f(1001)"));
    assert_int_equal(space->hlo[0].run_count, 5);
    assert_int_equal(space->hlo[1].run_count, 1);
    assert_string_equal(space->platform, "tpu");
    assert_int_equal(space->device_count, 1);
    assert_int_equal(space->hostname_count, 1);
    assert_true(pt_is(space, space->hostname[0], "vm"));
    pt_free(&got);
    pbw_free(&w);
}

/* What is in a line's range can be read later as the XLine it is. */
static void test_line_ranges(void **state)
{
    (void)state;
    struct pbw w = {0};
    size_t plane = pbw_begin(&w, 1);
    pbw_str(&w, 2, "/host:CPU");
    size_t line = pt_line(&w, -3, "python");
    pbw_int(&w, 10, 77);
    pbw_str(&w, 11, "shown");
    pbw_int(&w, 3, 212990);
    pbw_int(&w, 9, -5);
    pt_event(&w, 1, 2, 3);
    pbw_end(&w, line);
    pbw_end(&w, plane);
    struct pt_loaded got = pt_load(w.data, w.len);
    const struct xpd_line *read = &got.space->plane[0].line[0];
    assert_int_equal(read->id, -3);
    assert_int_equal(read->display_id, 77);
    assert_int_equal(read->timestamp_ns, 212990);
    assert_int_equal(read->duration_ps, -5);
    assert_true(pt_is(got.space, read->display_name, "shown"));
    assert_int_equal(read->range.offset + read->range.size, w.len);
    assert_int_equal(w.data[read->range.offset], 1 << 3);
    pt_free(&got);
    pbw_free(&w);
}

/* Long events, many of them, and other fields between them: the quick count must agree. */
static void test_counts(void **state)
{
    (void)state;
    static const size_t extra[] = {0, 1, 100, 120, 127, 128, 200, 16000, 16383, 16384, 70000};
    const size_t n = sizeof extra / sizeof *extra;
    struct pbw w = {0};
    char *filler = calloc(1, 70000);
    size_t plane = pbw_begin(&w, 1);
    pbw_str(&w, 2, "/device:TPU:0");
    size_t line = pt_line(&w, 1, "ops");
    for (int i = 0; i < 500; i++) {
        size_t event = pbw_begin(&w, 4);
        pbw_uint(&w, 1, 1);
        pbw_bytes(&w, 9, filler, extra[(size_t)i % n]);
        pbw_end(&w, event);
        if (i % 50 == 0)
            pbw_uint(&w, 9, (uint64_t)i);
        if (i == 100)
            pbw_str(&w, 20, "an unknown field");
    }
    pbw_end(&w, line);
    pbw_end(&w, plane);
    struct pt_loaded got = pt_load(w.data, w.len);
    assert_true(got.space->complete);
    assert_int_equal(got.space->plane[0].line[0].event_count, 500);
    assert_int_equal(got.space->plane[0].line[0].duration_ps, 450);
    pt_free(&got);
    free(filler);
    pbw_free(&w);
}

static void test_stat_kinds(void **state)
{
    (void)state;
    struct pbw w = {0};
    size_t plane = pbw_begin(&w, 1);
    /* the stats before the names they use, and before the plane's own name */
    double real = 1.5;
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    size_t stat = pbw_begin(&w, 6);
    pbw_uint(&w, 1, 1);
    unsigned char fixed[9] = {2 << 3 | 1};
    memcpy(fixed + 1, &bits, 8);
    pbw_raw(&w, fixed, sizeof fixed);
    pbw_end(&w, stat);
    pt_stat_uint(&w, 6, 2, UINT64_MAX);
    stat = pbw_begin(&w, 6);
    pbw_uint(&w, 1, 3);
    pbw_int(&w, 4, -9);
    pbw_end(&w, stat);
    pt_stat_bytes(&w, 6, 4, "abc", 3);
    stat = pbw_begin(&w, 6);
    pbw_uint(&w, 1, 5);
    pbw_uint(&w, 7, 6);
    pbw_end(&w, stat);
    stat = pbw_begin(&w, 6);
    pbw_uint(&w, 1, 99); /* no such name */
    pbw_uint(&w, 7, 98);
    pbw_end(&w, stat);
    pbw_str(&w, 2, "Task Environment");
    static const char *const names[] = {"real", "large", "negative", "bytes", "ref", "the text"};
    for (uint64_t i = 0; i < 6; i++)
        pt_metadata(&w, 5, i + 1, names[i]);
    pbw_end(&w, plane);
    struct pt_loaded got = pt_load(w.data, w.len);
    const struct xpd_plane *read = pt_plane(got.space, "Task Environment");
    assert_int_equal(read->stat_count, 6);
    assert_int_equal(read->stat[0].type, XPD_STAT_DOUBLE);
    assert_true(read->stat[0].real == 1.5);
    assert_int_equal(read->stat[1].type, XPD_STAT_UINT);
    assert_int_equal((uint64_t)read->stat[1].integer, UINT64_MAX);
    assert_int_equal(read->stat[2].integer, -9);
    assert_int_equal(read->stat[3].type, XPD_STAT_BYTES);
    assert_memory_equal(w.data + read->stat[3].bytes.offset, "abc", 3);
    assert_int_equal(read->stat[4].type, XPD_STAT_TEXT);
    assert_true(pt_is(got.space, read->stat[4].text, "the text"));
    for (uint32_t i = 0; i < 5; i++)
        assert_true(pt_is(got.space, read->stat[i].name, names[i]));
    assert_int_equal(read->stat[5].text, 0);
    pt_free(&got);
    pbw_free(&w);
}

/* More lines with events than are listed: said with the number of the limit, and each is counted;
 * lines without events take no place of theirs. */
static void test_too_many_lines(void **state)
{
    (void)state;
    enum { LISTED = 1048576, MORE = 3, EMPTY = 70000 };
    struct pbw w = {0};
    size_t plane = pbw_begin(&w, 1);
    pbw_str(&w, 2, "/host:CPU");
    for (int i = 0; i < EMPTY; i++)
        pbw_bytes(&w, 3, "", 0);
    for (int i = 0; i < LISTED + MORE; i++)
        pbw_bytes(&w, 3, "\x22\x02\x18\x05", 4); /* an event of 5 ps */
    pbw_end(&w, plane);
    struct pt_loaded got = {0}; /* without the budget of the other tests: they are many */
    assert_int_equal(xpd_source_open_memory(&got.source, w.data, w.len, "lines", NULL), XPD_OK);
    assert_int_equal(xpd_xspace_load(&got.space, got.source, NULL, 0, NULL), XPD_OK);
    const struct xpd_warning *warning = pt_warning(got.space, "too_many_lines");
    assert_non_null(warning);
    assert_int_equal(warning->severity, XPD_ERROR);
    assert_int_equal(warning->count, MORE);
    assert_non_null(strstr(warning->text, "1048576 lines"));
    assert_int_equal(got.space->plane[0].event_count, LISTED + MORE);
    uint32_t with_events = 0;
    for (uint32_t i = 0; i < got.space->plane[0].line_count; i++)
        with_events += got.space->plane[0].line[i].event_count > 0;
    assert_int_equal(with_events, LISTED);
    pt_free(&got);
    pbw_free(&w);
}

static void test_profiler_texts(void **state)
{
    (void)state;
    struct pbw w = {0};
    pbw_str(&w, 2, "no space left on device");
    pbw_str(&w, 2, "another");
    pbw_str(&w, 3, "dropped 17 events");
    struct pt_loaded got = pt_load(w.data, w.len);
    assert_non_null(got.space);
    assert_int_equal(got.space->error_count, 2);
    assert_int_equal(got.space->warning_count, 1);
    assert_non_null(strstr(pt_warning(got.space, "profiler_error")->text, "no space left"));
    assert_non_null(strstr(pt_warning(got.space, "profiler_warning")->text, "17 events"));
    pt_free(&got);
    pbw_free(&w);
}

static void test_budget(void **state)
{
    (void)state;
    struct pbw w = {0};
    struct xpd_source *source;
    struct xpd_xspace *space;
    struct xpd_err err = {0};
    size_t plane = pbw_begin(&w, 1);
    pbw_str(&w, 2, "/host:CPU");
    for (int i = 0; i < 5000; i++) {
        char name[64];
        snprintf(name, sizeof name, "a thread with quite a long name %d", i);
        pbw_end(&w, pt_line(&w, i, name));
    }
    pbw_end(&w, plane);
    assert_int_equal(xpd_source_open_memory(&source, w.data, w.len, "x", &err), XPD_OK);
    assert_int_equal(xpd_xspace_load(&space, source, NULL, 100000, &err), XPD_ELIMIT);
    assert_null(space);
    assert_non_null(strstr(err.text, "100000"));
    assert_int_equal(xpd_xspace_load(&space, source, NULL, 0, &err), XPD_OK);
    assert_int_equal(space->plane[0].line_count, 5000);
    assert_true(xpd_xspace_memory_bytes(space) > 5000 * sizeof(struct xpd_line));
    xpd_xspace_free(space);
    xpd_source_close(source);
    pbw_free(&w);
}

static void test_stop(void **state)
{
    (void)state;
    struct pbw w = {0};
    struct xpd_source *source;
    struct xpd_xspace *space;
    struct xpd_err err = {0};
    struct xpd_progress progress = {0};
    pt_sample(&w);
    assert_int_equal(xpd_source_open_memory(&source, w.data, w.len, "x", &err), XPD_OK);
    assert_int_equal(xpd_xspace_load(&space, source, &progress, 0, &err), XPD_OK);
    assert_int_equal(atomic_load(&progress.done_bytes), w.len);
    assert_int_equal(atomic_load(&progress.total_bytes), w.len);
    xpd_xspace_free(space);
    atomic_store(&progress.stop, true);
    assert_int_equal(xpd_xspace_load(&space, source, &progress, 0, &err), XPD_EBUSY);
    assert_null(space);
    xpd_source_close(source);
    pbw_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample),         cmocka_unit_test(test_line_ranges),
        cmocka_unit_test(test_counts),         cmocka_unit_test(test_stat_kinds),
        cmocka_unit_test(test_profiler_texts), cmocka_unit_test(test_budget),
        cmocka_unit_test(test_stop),           cmocka_unit_test(test_too_many_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
