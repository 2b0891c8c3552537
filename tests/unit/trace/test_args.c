/* Search in the args of single events: every kind of value, refs, links that are not args, events
 * out of order and on several depths, events beyond a window, the watch. Expected hits are counted
 * by hand from what is written here. */
#include "core_space.h"

#include "xprofd/trace/args.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DOUBLE = 2, UINT = 3, INT = 4, BYTES = 6, REF = 7, PACKED = 8 };
enum { S_QUEUE = 1, S_SHAPE, S_NOTE, S_RATE, S_FLOW, S_POOL, S_HUGE, S_TEXT = 2000 };

static bool holds(void *ctx, struct xpd_str text)
{
    return xpd_str_find(text, xpd_str_of(ctx), false) != SIZE_MAX;
}

static void stat_names(struct pbw *plane)
{
    core_name(plane, 5, S_QUEUE, "queue_id");
    core_name(plane, 5, S_SHAPE, "shape");
    core_name(plane, 5, S_NOTE, "note");
    core_name(plane, 5, S_RATE, "rate");
    core_name(plane, 5, S_FLOW, "flow");
    core_name(plane, 5, S_POOL, "bf16[8,128]"); /* what a ref stands for */
    core_name(plane, 5, S_HUGE, "huge");
    core_name(plane, 5, S_TEXT, "far_id");
}

static void fixed64_stat(struct pbw *event, uint64_t id, double value)
{
    size_t stat = pbw_begin(event, 4);
    unsigned char bytes[9] = {DOUBLE << 3 | 1};
    memcpy(bytes + 1, &value, sizeof value); /* tests run on little-endian machines */
    pbw_uint(event, 1, id);
    pbw_raw(event, bytes, sizeof bytes);
    pbw_end(event, stat);
}

static size_t event_at(struct pbw *w, uint64_t name, uint64_t start, uint64_t duration)
{
    size_t event = pbw_begin(w, 4);
    pbw_uint(w, 1, name);
    pbw_uint(w, 2, start);
    pbw_uint(w, 3, duration);
    return event;
}

/* Six events of one thread, the first inside the second (two depths), out of order. */
static void write(struct pbw *w)
{
    size_t plane = core_plane(w, "/host:CPU");
    size_t line = pbw_begin(w, 3), event;
    pbw_int(w, 1, 7);
    pbw_str(w, 2, "thread");
    event = event_at(w, 1, 110, 10);
    core_stat(w, S_QUEUE, UINT, 12);
    pbw_end(w, event);
    event = event_at(w, 2, 100, 100);
    core_stat(w, S_SHAPE, REF, S_POOL);
    core_stat(w, S_FLOW, UINT, 12);
    pbw_end(w, event);
    event = event_at(w, 1, 300, 10);
    core_stat(w, S_QUEUE, INT, (uint64_t)-12);
    pbw_end(w, event);
    event = event_at(w, 1, 320, 10);
    fixed64_stat(w, S_RATE, 0.5);
    pbw_end(w, event);
    event = event_at(w, 1, 0, 10);
    core_stat_text(w, S_NOTE, "needle in a haystack");
    pbw_end(w, event);
    event = event_at(w, 1, 400, 10);
    core_stat_text(w, S_TEXT, "far away");
    pbw_end(w, event);
    pbw_end(w, line);
    stat_names(w);
    core_name(w, 4, 1, "one");
    size_t entry = pbw_begin(w, 4); /* metadata 2 has an arg that all its events share */
    pbw_uint(w, 1, 2);
    size_t body = pbw_begin(w, 2);
    pbw_uint(w, 1, 2);
    pbw_str(w, 2, "two");
    size_t stat = pbw_begin(w, 5);
    pbw_uint(w, 1, S_NOTE);
    pbw_str(w, 5, "shared");
    pbw_end(w, stat);
    pbw_end(w, body);
    pbw_end(w, entry);
    pbw_end(w, plane);
}

/* Starts of the events that match, as a sum: each start is another number. */
static int64_t hits_of(const struct xpd_trace *trace, const char *text, bool apart, bool numbers,
                       uint64_t *shared)
{
    struct xpd_arg_match match = {
        .matches = holds, .ctx = (void *)(uintptr_t)text, .apart = apart, .numbers = numbers};
    struct xpd_arg_hits *hits;
    int64_t sum = 0;
    uint64_t count = 0;
    assert_int_equal(xpd_args_scan(&hits, trace, &match, NULL, NULL), XPD_OK);
    for (uint32_t d = 0; d < trace->depth_count; d++)
        for (uint32_t i = 0; i < trace->depth[d].count; i++)
            if (xpd_arg_hit(hits, trace->depth[d].first_event + i)) {
                sum += trace->depth[d].start_ps[i] + 1;
                count++;
            }
    assert_int_equal(count, hits->hit_count);
    *shared = 0;
    for (uint32_t i = 0; i < hits->name_count; i++)
        *shared += hits->name[i];
    xpd_arg_hits_free(hits);
    return sum;
}

static void raw_stat(struct pbw *event, uint64_t id, uint32_t kind, const char *bytes)
{
    size_t stat = pbw_begin(event, 4);
    pbw_uint(event, 1, id);
    pbw_str(event, kind, bytes);
    pbw_end(event, stat);
}

/* Bytes, a ref to nothing and a packed text that is none have no text: their names are found all
 * the same, whether name and value are asked together or apart. */
static void names_of_args_without_text(void **state)
{
    (void)state;
    struct pbw w = {0};
    uint64_t shared;
    size_t plane = core_plane(&w, "/host:CPU"), line = pbw_begin(&w, 3), event;
    event = event_at(&w, 1, 10, 5);
    raw_stat(&w, S_NOTE, BYTES, "needle");
    pbw_end(&w, event);
    event = event_at(&w, 1, 20, 5);
    core_stat(&w, S_NOTE, REF, 77);
    pbw_end(&w, event);
    event = event_at(&w, 1, 40, 5);
    raw_stat(&w, S_NOTE, PACKED, "not packed");
    pbw_end(&w, event);
    pbw_end(&w, line);
    stat_names(&w);
    core_name(&w, 4, 1, "one");
    pbw_end(&w, plane);
    struct core_trace core = core_load(w.data, w.len, 1);
    for (int apart = 0; apart < 2; apart++) {
        assert_int_equal(hits_of(core.trace, "note", apart != 0, true, &shared), 11 + 21 + 41);
        assert_int_equal(hits_of(core.trace, "needle", apart != 0, true, &shared), 0);
    }
    assert_int_equal(hits_of(core.trace, "note=", false, true, &shared), 11 + 21 + 41);
    core_free(&core);
    pbw_free(&w);
}

static void each_kind(void **state)
{
    (void)state;
    struct pbw w = {0};
    uint64_t shared;
    write(&w);
    struct core_trace core = core_load(w.data, w.len, 1);
    const struct xpd_trace *trace = core.trace;
    assert_int_equal(trace->event_count, 6);
    assert_int_equal(hits_of(trace, "needle", true, false, &shared), 1);
    assert_int_equal(hits_of(trace, "bf16[8", true, false, &shared), 101);        /* a ref */
    assert_int_equal(hits_of(trace, "12", true, true, &shared), 111 + 301 + 101); /* 12, -12, 128 */
    assert_int_equal(hits_of(trace, "12", true, false, &shared), 101); /* numbers were ruled out */
    assert_int_equal(hits_of(trace, "-12", true, true, &shared), 301);
    assert_int_equal(hits_of(trace, "0.5", true, true, &shared), 321);
    assert_int_equal(hits_of(trace, "queue", true, false, &shared), 111 + 301); /* a name */
    assert_int_equal(hits_of(trace, "queue_id=12", false, true, &shared), 111);
    assert_int_equal(hits_of(trace, "shape=bf16", false, true, &shared), 101);
    assert_int_equal(hits_of(trace, "far_id=far", false, true, &shared), 401);
    assert_int_equal(hits_of(trace, "rate=0.5", false, true, &shared), 321);
    assert_int_equal(hits_of(trace, "flow", true, true, &shared), 0); /* a link, no arg */
    assert_int_equal(shared, 0);
    assert_int_equal(hits_of(trace, "shared", true, true, &shared), 0);
    assert_int_equal(shared, 1);
    core_free(&core);
    pbw_free(&w);
}

/* More hits than are kept at a time (1 M), on one row, seven of eight events; the numbers agree. */
static void many_hits(void **state)
{
    (void)state;
    enum { EVENTS = 1200000 };
    struct pbw w = {0};
    uint64_t shared;
    size_t plane = core_plane(&w, "/host:CPU"), line = pbw_begin(&w, 3);
    pbw_str(&w, 2, "thread");
    for (uint64_t i = 0; i < EVENTS; i++) {
        size_t event = event_at(&w, 1, i * 10, 5);
        core_stat(&w, S_QUEUE, UINT, i % 8 != 0);
        pbw_end(&w, event);
    }
    pbw_end(&w, line);
    stat_names(&w);
    core_name(&w, 4, 1, "one");
    pbw_end(&w, plane);
    struct core_trace core = core_load(w.data, w.len, 1);
    int64_t hits = hits_of(core.trace, "queue_id=1", false, true, &shared);
    /* the starts of all events, 10 apart, without those of every eighth, 80 apart; and 1 for each
     * hit */
    const int64_t all = EVENTS, rest = EVENTS / 8;
    assert_int_equal(hits, 5 * all * (all - 1) - 40 * rest * (rest - 1) + all - rest);
    core_free(&core);
    pbw_free(&w);
}

/* An event of more than a window (1 MB) is read stat by stat. */
static void beyond_a_window(void **state)
{
    (void)state;
    struct pbw w = {0};
    uint64_t shared;
    char *text = malloc(600001);
    memset(text, 'x', 600000);
    text[600000] = '\0';
    size_t plane = core_plane(&w, "/host:CPU"), line = pbw_begin(&w, 3);
    size_t event = event_at(&w, 1, 10, 5);
    core_stat_text(&w, S_HUGE, text);
    memcpy(text + 599990, "haystack-y", 10);
    core_stat_text(&w, S_HUGE, text);
    core_stat(&w, S_QUEUE, UINT, 44);
    pbw_end(&w, event);
    pbw_end(&w, line);
    stat_names(&w);
    core_name(&w, 4, 1, "one");
    pbw_end(&w, plane);
    struct core_trace core = core_load(w.data, w.len, 1);
    assert_int_equal(hits_of(core.trace, "haystack-y", true, false, &shared), 11);
    assert_int_equal(hits_of(core.trace, "44", true, true, &shared), 11);
    assert_int_equal(hits_of(core.trace, "45", true, true, &shared), 0);
    core_free(&core);
    pbw_free(&w);
    free(text);
}

static bool stop_at_once(void *ctx, uint64_t done_bytes)
{
    (void)done_bytes;
    ++*(int *)ctx;
    return false;
}

static void stops(void **state)
{
    (void)state;
    struct pbw w = {0};
    struct xpd_err err = {0};
    struct xpd_arg_hits *hits;
    int asked = 0;
    write(&w);
    struct core_trace core = core_load(w.data, w.len, 1);
    const struct xpd_arg_watch watch = {stop_at_once, &asked};
    struct xpd_arg_match match = {.matches = holds, .ctx = (void *)(uintptr_t) "x", .apart = true};
    assert_int_equal(xpd_args_scan(&hits, core.trace, &match, &watch, &err), XPD_EBUSY);
    assert_null(hits);
    assert_int_equal(err.code, XPD_EBUSY);
    assert_int_equal(asked, 1);
    core_free(&core);
    pbw_free(&w);
}

/* A line that is cut in the middle of its third event: the two before it are searched. */
static void cut_file(void **state)
{
    (void)state;
    struct pbw w = {0};
    uint64_t shared;
    size_t plane = core_plane(&w, "/host:CPU");
    stat_names(&w);
    core_name(&w, 4, 1, "one");
    size_t line = pbw_begin(&w, 3);
    pbw_str(&w, 2, "thread");
    for (uint64_t i = 0; i < 3; i++) {
        size_t event = event_at(&w, 1, i * 10, 5);
        core_stat_text(&w, S_NOTE, "needle");
        pbw_end(&w, event);
    }
    pbw_end(&w, line);
    pbw_end(&w, plane);
    struct core_trace core = core_load(w.data, w.len - 4, 1);
    assert_int_equal(core.trace->event_count, 2);
    assert_int_equal(hits_of(core.trace, "needle", true, false, &shared), 1 + 11);
    core_free(&core);
    pbw_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind), cmocka_unit_test(names_of_args_without_text),
        cmocka_unit_test(many_hits), cmocka_unit_test(beyond_a_window),
        cmocka_unit_test(stops),     cmocka_unit_test(cut_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
