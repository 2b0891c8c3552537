/* XProf's picture of small profiles: pids, threads, order and serial numbers, windows, the copies
 * it hides, its own Host Offload rows. Windows as XProf 2.24.2 answered them. */
#include "derive_space.h"
#include "xprofd/compat/viewer.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct xpd_xprof *open_view(const struct dspace *d, uint32_t base)
{
    struct xpd_xprof_input input = {
        .trace = d->trace, .derived = d->derived, .flows = d->flows, .host = "h", .pid_base = base};
    struct xpd_xprof *xprof;
    assert_int_equal(xpd_xprof_open(&xprof, &input, 0, NULL), XPD_OK);
    return xprof;
}

static bool put_event(void *user, const struct xpd_xprof_event *event)
{
    char *text = user;
    size_t used = strlen(text);
    snprintf(text + used, 4000 - used, "%.*s@%" PRId64 "+%" PRId64 "%s%s#%u ",
             (int)event->name.size, event->name.data, event->start_ps, event->duration_ps,
             event->kind == XPD_XPROF_ASYNC     ? "~"
             : event->kind == XPD_XPROF_COUNTER ? "="
                                                : "",
             event->ends == XPD_FLOW_IN    ? "<"
             : event->ends == XPD_FLOW_OUT ? ">"
                                           : "",
             event->serial);
    return true;
}

static const char *events(const struct xpd_xprof *xprof, struct xpd_xprof_query query)
{
    static char text[4000];
    text[0] = 0;
    assert_int_equal(xpd_xprof_each(xprof, &query, put_event, text, NULL), XPD_OK);
    return text;
}

/* V2 */
static void pids(void **state)
{
    (void)state;
    static const struct {
        int64_t plane;
        uint32_t pid;
    } vector[] = {{2, 3}, {10, 11}, {26, 27}, {499, 500}, {500, 1}, {600, 1}, {-1, 1}};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
        struct dspace d = {0};
        dspace_plane(&d, "/device:TPU:0", vector[i].plane);
        uint32_t name = dspace_name(&d, "a", NULL, NO_STATS);
        dspace_line(&d, "XLA Ops", 3);
        dspace_event(&d, name, 0, 1, NO_STATS);
        dspace_plane(&d, "/host:CPU", 9);
        name = dspace_name(&d, "b", NULL, NO_STATS);
        dspace_line(&d, "main", 0x200000005);
        dspace_event(&d, name, 0, 1, NO_STATS);
        dspace_line(&d, "empty", 6);
        dspace_plane(&d, "Task Environment", 1); /* not shown */
        name = dspace_name(&d, "c", NULL, NO_STATS);
        dspace_line(&d, "x", 1);
        dspace_event(&d, name, 0, 1, NO_STATS);
        dspace_load(&d);
        struct xpd_xprof *xprof = open_view(&d, 0);
        assert_int_equal(xprof->process_count, 2);
        assert_int_equal(xprof->process[0].pid, vector[i].pid);
        assert_int_equal(xprof->process[1].pid, 701);
        assert_string_equal(xprof->process[1].name, "h /host:CPU");
        assert_int_equal(xprof->process[1].thread_count, 1);
        assert_int_equal(xprof->thread[xprof->process[1].first_thread].tid, 5); /* low 32 bits */
        assert_int_equal(xprof->event_count, 2);
        xpd_xprof_close(xprof);
        xprof = open_view(&d, 2000);
        assert_int_equal(xprof->process[1].pid, 2701);
        xpd_xprof_close(xprof);
        dspace_free(&d);
    }
}

/* V5: starts 10, 10, 10, 20, 20, 30; longest first, then process and row. */
static void serials(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t a = dspace_name(&d, "a", NULL, NO_STATS), b = dspace_name(&d, "b", NULL, NO_STATS);
    uint32_t c = dspace_name(&d, "c", NULL, NO_STATS);
    dspace_line(&d, "two", 2);
    dspace_event(&d, b, 10, 5, NO_STATS);
    dspace_event(&d, b, 20, 0, NO_STATS);
    dspace_line(&d, "one", 1);
    dspace_event(&d, a, 10, 5, NO_STATS);
    dspace_event(&d, c, 10, 3, NO_STATS);
    dspace_event(&d, a, 20, 0, NO_STATS);
    dspace_event(&d, a, 30, 1, NO_STATS);
    dspace_load(&d);
    struct xpd_xprof *xprof = open_view(&d, 0);
    assert_string_equal(events(xprof, (struct xpd_xprof_query){0}),
                        "a@10+5#0 b@10+5#1 c@10+3#2 a@20+0#0 b@20+0#1 a@30+1#0 ");
    /* what begins before the window keeps its number */
    assert_string_equal(
        events(xprof, (struct xpd_xprof_query){.windowed = true, .from_ps = 14, .to_ps = 20}),
        "a@10+5#0 b@10+5#1 a@20+0#0 b@20+0#1 ");
    xpd_xprof_close(xprof);
    dspace_free(&d);
}

/* V8: closed interval. */
static void windows(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t a = dspace_name(&d, "a", NULL, NO_STATS);
    for (int64_t i = 0; i < 6; i++) {
        static const int64_t at[][2] = {{999, 0},  {1000, 0}, {2000, 0},
                                        {2001, 0}, {900, 99}, {900, 100}};
        dspace_line(&d, "row", i + 1);
        dspace_event(&d, a, at[i][0], at[i][1], NO_STATS);
    }
    dspace_load(&d);
    struct xpd_xprof *xprof = open_view(&d, 0);
    assert_string_equal(
        events(xprof, (struct xpd_xprof_query){.windowed = true, .from_ps = 1000, .to_ps = 2000}),
        "a@900+100#0 a@1000+0#0 a@2000+0#0 ");
    xpd_xprof_close(xprof);
    dspace_free(&d);
}

/* V25: copies of a TPU are hidden until asked for, then shown outside of the window too. */
static void copies(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/device:TPU:0", 2);
    uint32_t copy = dspace_name(&d, "async-copy", NULL, NO_STATS);
    uint32_t add = dspace_name(&d, "add", NULL, NO_STATS);
    dspace_line(&d, "XLA Ops", 3);
    dspace_event(&d, add, 50, 10, NO_STATS);
    dspace_line(&d, "Async XLA Ops", 4);
    dspace_event(&d, copy, 5, 10,
                 (const struct dstat[]){{"flow", 616168039, NULL}, {"_a", 1, NULL}, {0}});
    dspace_load(&d);
    struct xpd_xprof *xprof = open_view(&d, 0);
    assert_string_equal(events(xprof, (struct xpd_xprof_query){0}), "add@50+10#0 ");
    assert_string_equal(events(xprof, (struct xpd_xprof_query){.full_dma = true}),
                        "async-copy@5+10~#0 add@50+10#0 ");
    assert_string_equal(events(xprof,
                               (struct xpd_xprof_query){
                                   .full_dma = true, .windowed = true, .from_ps = 55, .to_ps = 56}),
                        "add@50+10#0 ");
    struct xpd_xprof_query query = {
        .full_dma = true, .dma_anywhere = true, .windowed = true, .from_ps = 55, .to_ps = 56};
    assert_string_equal(events(xprof, query), "async-copy@5+10~#0 add@50+10#0 ");
    query.from_ps = query.to_ps = 4; /* nothing is read behind the end of the window */
    assert_string_equal(events(xprof, query), "");
    xpd_xprof_close(xprof);
    dspace_free(&d);
}

/* The old trace_viewer lists the thread of the copies and none of them: as recorded of
 * tpu-v6e-offload, chip 0. */
static void copies_of_old_viewer(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/device:TPU:0", 2);
    uint32_t copy = dspace_name(&d, "async-copy", NULL, NO_STATS);
    dspace_line(&d, "Async XLA Ops", 4);
    dspace_event(&d, copy, 5, 10, NO_STATS);
    dspace_load(&d);
    struct xpd_xprof_input input = {.trace = d.trace, .derived = d.derived, .old = true};
    struct xpd_xprof *xprof;
    assert_int_equal(xpd_xprof_open(&xprof, &input, 0, NULL), XPD_OK);
    assert_int_equal(xprof->thread_count, 1);
    assert_int_equal(xprof->thread[0].tid, 4);
    assert_int_equal(xprof->event_count, 0);
    assert_string_equal(events(xprof, (struct xpd_xprof_query){0}), "");
    xpd_xprof_close(xprof);
    dspace_free(&d);
}

static bool count_event(void *user, const struct xpd_xprof_event *event)
{
    (void)event;
    ++*(uint32_t *)user;
    return true;
}

/* 5.2: from 500,000 events on a sample closer to the last one that is shown than the resolution is
 * left out: of those every 10 ps every tenth at 100 ps. The samples are those of the walk. */
static void many_samples(void **state)
{
    struct dspace d = {0};
    uint32_t walked = 0, samples = 0;
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t power = dspace_name(&d, "power", NULL, NO_STATS);
    dspace_line(&d, "_counters_", 1);
    for (int64_t i = 0; i < 500000; i++)
        dspace_event(&d, power, 10 * i, 0, NO_STATS);
    dspace_load(&d);
    struct xpd_xprof *xprof = open_view(&d, 0);
    struct xpd_xprof_query query = {.resolution_ps = 100};
    assert_int_equal(xpd_xprof_each(xprof, &query, count_event, &walked, NULL), XPD_OK);
    assert_int_equal(xpd_xprof_each_counter(xprof, &query, count_event, &samples, NULL), XPD_OK);
    assert_int_equal(walked, 50000);
    assert_int_equal(samples, 50000);
    xpd_xprof_close(xprof);
    dspace_free(&d);
}

/* V18: FIFO, the row whose last end is earliest; then 25..40 fits behind 0..20. */
static void offload_rows(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/device:TPU:0", 2);
    uint32_t start = dspace_name(&d, "%copy-start = f32[]{:S(5)}", "copy-start", NO_STATS);
    uint32_t done = dspace_name(&d, "%copy-done = f32[]{:S(5)}", "copy-done", NO_STATS);
    dspace_line(&d, "XLA Ops", 3);
    dspace_event(&d, start, 0, 1, NO_STATS);
    dspace_event(&d, start, 10, 1, NO_STATS);
    dspace_event(&d, done, 15, 5, NO_STATS);
    dspace_event(&d, start, 25, 1, NO_STATS);
    dspace_event(&d, done, 27, 3, NO_STATS);
    dspace_event(&d, done, 35, 5, NO_STATS);
    dspace_event(&d, done, 50, 5, NO_STATS); /* no start left */
    dspace_load(&d);
    struct xpd_xprof *xprof = open_view(&d, 0);
    assert_int_equal(xprof->thread_count, 3);
    assert_int_equal(xprof->thread[1].tid, 0xdeadbeefu + 8);
    assert_true(xpd_str_eq(xprof->thread[2].caption, XPD_STR("Host Offload Ops row 1")));
    const char *text = events(xprof, (struct xpd_xprof_query){0});
    assert_non_null(strstr(text, "offload-copy.0@0+20#0"));
    assert_non_null(strstr(text, "offload-copy.0@10+20#0"));
    assert_non_null(strstr(text, "offload-copy.0@25+15#0"));
    assert_null(strstr(text, "offload-copy.0@50"));
    xpd_xprof_close(xprof);
    dspace_free(&d);
}

/* Counters have no thread; of two flows XProf keeps the consumer's. */
static void counters_and_flows(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t power = dspace_name(&d, "power", NULL, NO_STATS),
             work = dspace_name(&d, "work", NULL, NO_STATS);
    dspace_line(&d, "_counters_", 1);
    dspace_event(&d, power, 1, 0, (const struct dstat[]){{"watts", 9, NULL}, {0}});
    dspace_line(&d, "main", 2);
    dspace_event(&d, work, 5, 2,
                 (const struct dstat[]){
                     {"_pt", 1, NULL}, {"_p", 3, NULL}, {"_ct", 1, NULL}, {"_c", 4, NULL}, {0}});
    dspace_event(&d, work, 8, 2, (const struct dstat[]){{"_pt", 1, NULL}, {"_p", 4, NULL}, {0}});
    dspace_load(&d);
    struct xpd_xprof *xprof = open_view(&d, 0);
    assert_int_equal(xprof->thread_count, 1);
    assert_string_equal(events(xprof, (struct xpd_xprof_query){0}),
                        "power@1+0=#0 work@5+2<#0 work@8+2>#0 ");
    xpd_xprof_close(xprof);
    dspace_free(&d);
}

/* Hidden is what lies in the middle of a flow on a TPU, slice or asynchronous span; on a host it is
 * shown. An event is asynchronous where it says so itself. */
static void copies_by_device(void **state)
{
    struct dspace d = {0};
    (void)state;
#define MIDDLE(id, async)                                                                          \
    ((const struct dstat[]){{"flow", 3 | (id) << 2, NULL}, {(async) ? "_a" : "x", 1, NULL}, {0}})
    dspace_plane(&d, "/device:TPU:0 SparseCore 1", 2);
    uint32_t copy = dspace_name(&d, "copy", NULL, NO_STATS);
    dspace_line(&d, "Sparse Core Ops", 3);
    dspace_event(&d, copy, 1, 1, MIDDLE(1, false));
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t send = dspace_name(&d, "send", NULL, NO_STATS);
    dspace_line(&d, "main", 4);
    dspace_event(&d, send, 5, 1, MIDDLE(2, false));
    dspace_event(&d, send, 7, 1, MIDDLE(3, true));
    dspace_load(&d);
    struct xpd_xprof *xprof = open_view(&d, 0);
    assert_string_equal(events(xprof, (struct xpd_xprof_query){0}), "send@5+1#0 send@7+1~#0 ");
    assert_string_equal(events(xprof, (struct xpd_xprof_query){.full_dma = true}),
                        "copy@1+1#0 send@5+1#0 send@7+1~#0 ");
    xpd_xprof_close(xprof);
    dspace_free(&d);
}

/* What XProf appends stands behind what the file says: correlation, producer, consumer. */
static void last_flow(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t work = dspace_name(&d, "work", NULL, NO_STATS);
    dspace_line(&d, "main", 2);
    dspace_event(
        &d, work, 5, 1, /* an end by its own words, but a producer too */
        (const struct dstat[]){{"flow", 1 | 9 << 2, NULL}, {"_pt", 1, NULL}, {"_p", 3, NULL}, {0}});
    dspace_event(&d, work, 8, 1, (const struct dstat[]){{"flow", 1 | 9 << 2, NULL}, {0}});
    dspace_load(&d);
    struct xpd_xprof *xprof = open_view(&d, 0);
    assert_string_equal(events(xprof, (struct xpd_xprof_query){0}), "work@5+1>#0 work@8+1<#0 ");
    xpd_xprof_close(xprof);
    dspace_free(&d);
}

/* Host planes are numbered with those that are not shown; a plane whose lines are empty has a name,
 * but not a TensorCore, whose empty lines are cleared away; lines "counters_..." are threads. */
static void planes_without_events(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    dspace_plane(&d, "/host:CPU 2", 1);
    uint32_t work = dspace_name(&d, "work", NULL, NO_STATS);
    dspace_line(&d, "main", 2);
    dspace_event(&d, work, 5, 1, NO_STATS);
    dspace_line(&d, "counters_of_something", 3);
    dspace_event(&d, work, 6, 1, NO_STATS);
    dspace_plane(&d, "/host:CPU 3", 1);
    dspace_line(&d, "empty", 4);
    dspace_plane(&d, "/device:TPU:0", 2);
    dspace_line(&d, "empty", 4);
    dspace_load(&d);
    struct xpd_xprof *xprof = open_view(&d, 0);
    assert_int_equal(xprof->process_count, 2);
    assert_int_equal(xprof->process[0].pid, 702);
    assert_int_equal(xprof->process[0].thread_count, 2);
    assert_int_equal(xprof->process[1].pid, 703);
    assert_string_equal(xprof->process[1].name, "h /host:CPU 3");
    assert_int_equal(xprof->process[1].thread_count, 0);
    assert_string_equal(events(xprof, (struct xpd_xprof_query){0}), "work@5+1#0 work@6+1#0 ");
    xpd_xprof_close(xprof);
    dspace_free(&d);
}

/* A stat _r makes a root whatever it says (XProf 2.24.2); those of higher levels are numbered
 * first.
 */
static void roots_of_any_level(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t work = dspace_name(&d, "work", NULL, NO_STATS);
    dspace_line(&d, "main", 1);
    dspace_event(&d, work, 0, 1, (const struct dstat[]){{"_r", -1, NULL}, {0}});
    dspace_event(&d, work, 2, 1, (const struct dstat[]){{"_r", 0, NULL}, {0}});
    dspace_event(&d, work, 4, 1, (const struct dstat[]){{"_r", 2, NULL}, {0}});
    dspace_load(&d);
    struct xpd_xprof *xprof = open_view(&d, 0);
    assert_string_equal(events(xprof, (struct xpd_xprof_query){0}),
                        "work 2@0+1#0 work 1@2+1#0 work 0@4+1#0 ");
    xpd_xprof_close(xprof);
    dspace_free(&d);
}

/* Steps of one group that follow each other are one, those without a group go; they are called by
 * the step of the host. An operation between the two halves belongs to the step. */
static void merged_steps(void **state)
{
    struct dspace d = {0};
    (void)state;
#define ROOT(step) ((const struct dstat[]){{"_r", 1, NULL}, {"step_num", (step), NULL}, {0}})
#define MAKES(id)  ((const struct dstat[]){{"_pt", 15, NULL}, {"_p", (id), NULL}, {0}})
#define USES(id)   ((const struct dstat[]){{"_ct", 15, NULL}, {"_c", (id), NULL}, {0}})
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t train = dspace_name(&d, "train", NULL, NO_STATS);
    uint32_t call = dspace_name(&d, "call", NULL, NO_STATS);
    dspace_line(&d, "main", 1);
    dspace_event(&d, train, 0, 10, ROOT(7));
    dspace_event(&d, call, 2, 1, MAKES(5));
    dspace_plane(&d, "/device:TPU:0", 2);
    uint32_t step = dspace_name(&d, "41", NULL, NO_STATS),
             add = dspace_name(&d, "add", NULL, NO_STATS);
    dspace_line(&d, "Steps", 1);
    dspace_event(&d, step, 20, 10, NO_STATS); /* of no step or flow */
    dspace_event(&d, step, 40, 10, USES(5));
    dspace_event(&d, step, 60, 10, USES(5));
    dspace_line(&d, "XLA Ops", 3);
    dspace_event(&d, add, 22, 1, NO_STATS);
    dspace_event(&d, add, 55, 1, NO_STATS);
    dspace_load(&d);
    struct xpd_xprof *xprof = open_view(&d, 0);
    assert_string_equal(events(xprof, (struct xpd_xprof_query){0}),
                        "train 7@0+10#0 call@2+1>#0 add@22+1#0 train 7@40+30<#0 add@55+1#0 ");
    assert_int_equal(xprof->event_count, 5);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "XLA Ops", 22)), XPD_NO_GROUP);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "XLA Ops", 55)), 0);
    xpd_xprof_close(xprof);
    dspace_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pids),
                                       cmocka_unit_test(serials),
                                       cmocka_unit_test(windows),
                                       cmocka_unit_test(copies),
                                       cmocka_unit_test(offload_rows),
                                       cmocka_unit_test(counters_and_flows),
                                       cmocka_unit_test(roots_of_any_level),
                                       cmocka_unit_test(many_samples),
                                       cmocka_unit_test(copies_by_device),
                                       cmocka_unit_test(copies_of_old_viewer),
                                       cmocka_unit_test(last_flow),
                                       cmocka_unit_test(planes_without_events),
                                       cmocka_unit_test(merged_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
