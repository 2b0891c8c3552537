/* Several hosts as one trace: where each stands (offsets worked out by hand), that every event is
 * found again under its new number with its own name, times and stats, steps over the chips of all
 * hosts, flows that stay apart, args of all files. */
#include "derive_space.h"

#include "xprofd/trace/args.h"
#include "xprofd/trace/join.h"
#include "xprofd/trace/peers.h"
#include "xprofd/trace/totals.h"
#include "xprofd/trace/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define DAY_NS (INT64_C(86400) * 1000000000)
#define T0     INT64_C(1795230414168421774) /* of a real profile */

/* ---- where hosts stand ---- */

static void places_are(struct xpd_place *place, uint32_t n, const int64_t *shift_ps,
                       const enum xpd_placed *placed, int64_t zero_ns)
{
    int64_t zero = -1;
    assert_true(xpd_join_place(place, n, &zero));
    for (uint32_t i = 0; i < n; i++) {
        if (place[i].shift_ps != shift_ps[i] || place[i].placed != placed[i])
            fail_msg("host %u: %lld %s", i, (long long)place[i].shift_ps,
                     xpd_placed_word(place[i].placed));
    }
    assert_int_equal(zero, zero_ns);
}

#define PLACES(zero) places_are(place, sizeof place / sizeof *place, shift, placed, zero)
#define CLOCK        XPD_PLACED_CLOCK
#define NONE         XPD_PLACED_NO_CLOCK
#define APART        XPD_PLACED_APART

static void placed_by_clock(void **state)
{
    (void)state;
    /* 12.3 ms later by its clock; 40 ms of events each. The order of the hosts does not matter. */
    struct xpd_place place[] = {{.zero_ns = T0 + 12300000, .first_ps = 5, .end_ps = 40000000000},
                                {.zero_ns = T0, .first_ps = 7, .end_ps = 40000000000}};
    const int64_t shift[] = {12300000000, 0};
    const enum xpd_placed placed[] = {CLOCK, CLOCK};
    PLACES(T0);
}

static void placed_in_a_chain(void **state)
{
    (void)state;
    /* A [0, 10 us], B [8, 18], C [18, 20]: C meets B in one instant, A not at all. */
    struct xpd_place place[] = {{.zero_ns = T0, .end_ps = 10000000},
                                {.zero_ns = T0 + 8000, .end_ps = 10000000},
                                {.zero_ns = T0 + 18000, .end_ps = 2000000}};
    const int64_t shift[] = {0, 8000000, 18000000};
    const enum xpd_placed placed[] = {CLOCK, CLOCK, CLOCK};
    PLACES(T0);
}

static void placed_without_clock(void **state)
{
    (void)state;
    /* Its first event, at 100, stands where those of the others begin: at 40. */
    struct xpd_place place[] = {{.zero_ns = 0, .first_ps = 100, .end_ps = 200},
                                {.zero_ns = T0, .first_ps = 40, .end_ps = 90},
                                {.zero_ns = 0, .first_ps = -20, .end_ps = 10}};
    const int64_t shift[] = {-60, 0, 60};
    const enum xpd_placed placed[] = {NONE, CLOCK, NONE};
    PLACES(T0);
}

static void placed_apart(void **state)
{
    (void)state;
    struct xpd_place place[] = {{.zero_ns = T0, .first_ps = 50, .end_ps = 1000},
                                {.zero_ns = T0 + DAY_NS / 24, .first_ps = 20, .end_ps = 1000}};
    const int64_t shift[] = {0, 30};
    const enum xpd_placed placed[] = {APART, APART};
    PLACES(0);
}

/* The larger set keeps the clock, though another host is earlier; of equal sets the earlier one. */
static void placed_by_most(void **state)
{
    (void)state;
    struct xpd_place place[] = {{.zero_ns = T0 - DAY_NS, .first_ps = 9, .end_ps = 1000},
                                {.zero_ns = T0 + 1, .first_ps = 500, .end_ps = 5000},
                                {.zero_ns = T0, .first_ps = 100, .end_ps = 5000}};
    const int64_t shift[] = {91, 1000, 0};
    const enum xpd_placed placed[] = {APART, CLOCK, CLOCK};
    PLACES(T0);
}

static void placed_of_two_pairs(void **state)
{
    (void)state;
    struct xpd_place place[] = {{.zero_ns = T0 + DAY_NS, .end_ps = 1000},
                                {.zero_ns = T0, .first_ps = 3, .end_ps = 1000},
                                {.zero_ns = T0 + DAY_NS, .end_ps = 1000},
                                {.zero_ns = T0, .first_ps = 3, .end_ps = 1000}};
    const int64_t shift[] = {3, 0, 3, 0};
    const enum xpd_placed placed[] = {APART, CLOCK, APART, CLOCK};
    PLACES(T0);
}

/* Years apart, more than picoseconds hold; and a host without events, which has no say. */
static void placed_far(void **state)
{
    (void)state;
    struct xpd_place place[] = {{.zero_ns = 1, .first_ps = 4, .end_ps = 1000},
                                {.zero_ns = INT64_MAX, .first_ps = 4, .end_ps = 1000},
                                {.empty = true, .zero_ns = INT64_MAX}};
    const int64_t shift[] = {0, 0, 0};
    const enum xpd_placed placed[] = {APART, APART, NONE};
    PLACES(0);
}

/* Events at both ends of what a file may hold: the host stays where it is. */
static void placed_too_far_to_align(void **state)
{
    (void)state;
    struct xpd_place place[] = {{.first_ps = -(INT64_C(1) << 61), .end_ps = 0},
                                {.first_ps = INT64_C(1) << 61, .end_ps = INT64_MAX}};
    const int64_t shift[] = {0, 0};
    const enum xpd_placed placed[] = {NONE, NONE};
    PLACES(0);
}

/* ---- two hosts ---- */

#define NAMED(...) ((const struct dstat[]){__VA_ARGS__, {0}})

/* A chip that runs `programs` from 10,000 on, 1000 each and 1000 apart; in each an operation, and
 * an all-reduce from its 500 on. A thread of the host with two events that are linked. */
static void write_host(struct dspace *d, const char *programs, const char *note)
{
    uint32_t f, g, op, reduce, out, in;
    dspace_plane(d, "/device:TPU:0", 1);
    f = dspace_name(d, "jit_f(7)", NULL, NO_STATS);
    g = dspace_name(d, "jit_g(8)", NULL, NO_STATS);
    op = dspace_name(
        d, "%fusion.1 = f32[8]", "fusion.1",
        NAMED({"hlo_category", 0, "loop fusion"}, {"tf_op", 0, "jit(f)/jit(main)/add:"}));
    reduce = dspace_name(d, "%all-reduce.2 = f32[8]", "all-reduce.2",
                         NAMED({"hlo_category", 0, "all-reduce"}));
    dspace_line(d, "XLA Modules", 1);
    for (int64_t i = 0; programs[i]; i++)
        dspace_event(d, programs[i] == 'f' ? f : g, 10000 + 2000 * i, 1000, NO_STATS);
    dspace_line(d, "XLA Ops", 2);
    for (int64_t i = 0; programs[i]; i++) {
        dspace_event(d, op, 10000 + 2000 * i, 500, NAMED({"run", i, NULL}));
        dspace_event(d, reduce, 10500 + 2000 * i, 500, NO_STATS);
    }
    dspace_plane(d, "/host:CPU", 2);
    dspace_line(d, "main", 3);
    out = dspace_name(d, "launch", NULL, NO_STATS);
    in = dspace_name(d, "wait", NULL, NO_STATS);
    dspace_event(d, out, 9000, 100, NAMED({"_pt", 15, NULL}, {"_p", 5, NULL}, {"note", 0, note}));
    dspace_event(d, in, 9500, 100, NAMED({"_ct", 15, NULL}, {"_c", 5, NULL}));
    dspace_load(d);
}

struct two {
    struct dspace host[2];
    struct xpd_trace *trace;
    struct xpd_derived *derived;
    struct xpd_flows *flows;
    struct xpd_view view;
};

/* The second host begins 2 ns later by the clock: 2000 ps. Alone it would call jit_g its program.
 */
static void make_two(struct two *two, int64_t later_ns)
{
    *two = (struct two){0};
    write_host(&two->host[0], "fff", "of the first");
    write_host(&two->host[1], "fgg", "of the second");
    two->host[0].trace->profile_start_ns = T0;
    two->host[1].trace->profile_start_ns = later_ns < 0 ? 0 : T0 + later_ns;
    struct xpd_err err = {0};
    const struct xpd_join_host host[] = {{"a", two->host[0].trace}, {"b", two->host[1].trace}};
    const struct xpd_derived *derived[] = {two->host[0].derived, two->host[1].derived};
    const struct xpd_flows *flows[] = {two->host[0].flows, two->host[1].flows};
    assert_int_equal(xpd_join_trace(&two->trace, host, 2, 0, &err), XPD_OK);
    assert_int_equal(xpd_join_derived(&two->derived, two->trace, derived, 0, &err), XPD_OK);
    assert_int_equal(xpd_join_flows(&two->flows, two->trace, flows, 0, &err), XPD_OK);
    two->view = (struct xpd_view){two->trace, two->derived};
}

static void free_two(struct two *two)
{
    xpd_flows_free(two->flows);
    xpd_derived_free(two->derived);
    xpd_trace_free(two->trace);
    dspace_free(&two->host[0]);
    dspace_free(&two->host[1]);
}

static void same_text(struct xpd_str a, struct xpd_str b)
{
    if (!xpd_str_eq(a, b))
        fail_msg("\"%.*s\" is not \"%.*s\"", (int)a.size, a.data, (int)b.size, b.data);
}

/* The event of a host that stands under a number of the joined trace. */
static void same_event(const struct two *two, uint32_t h, uint64_t number, uint64_t own_number)
{
    const struct dspace *d = &two->host[h];
    const struct xpd_view own = {d->trace, d->derived};
    const struct xpd_trace_host *part = &two->trace->part[h];
    struct xpd_event a, b;
    assert_true(xpd_view_event(&two->view, number, &a));
    assert_true(xpd_view_event(&own, own_number, &b));
    assert_int_equal(a.number, number);
    assert_int_equal(a.start_ps, b.start_ps + part->shift_ps);
    assert_int_equal(a.duration_ps, b.duration_ps);
    assert_int_equal(a.depth, b.depth);
    same_text(xpd_view_caption_of(&two->view, &a), xpd_view_caption_of(&own, &b));
    same_text(xpd_view_text(&two->view, a.name, xpd_view_name(&two->view, a.name)->category),
              xpd_view_text(&own, b.name, xpd_view_name(&own, b.name)->category));
    same_text(xpd_view_row_caption(&two->view, a.row), xpd_view_row_caption(&own, b.row));
    assert_int_equal(xpd_view_process(&two->view, a.row),
                     xpd_view_process(&own, b.row) + part->first_process);
    assert_int_equal(xpd_view_device_ps(&two->view, &a), xpd_view_device_ps(&own, &b));
    assert_int_equal(xpd_group_of(two->derived, number), xpd_group_of(d->derived, own_number));
}

static void same_fact(const struct two *two, uint32_t h, uint64_t number, uint64_t own_number)
{
    struct xpd_derived_fact a = xpd_derived_fact_of(two->derived, number);
    struct xpd_derived_fact b = xpd_derived_fact_of(two->host[h].derived, own_number);
    assert_int_equal(a.event, b.event + two->trace->part[h].first_event);
    assert_int_equal(a.event2, b.event2 + two->trace->part[h].first_event);
    assert_int_equal(a.device_ps, b.device_ps);
    assert_int_equal(a.group, b.group);
}

static void every_event_is_found(void **state)
{
    (void)state;
    struct two two;
    make_two(&two, 2);
    uint64_t number = 0;
    for (uint32_t h = 0; h < 2; h++)
        for (uint64_t i = 0; i < two.host[h].trace->event_count; i++)
            same_event(&two, h, number++, i);
    assert_int_equal(number, two.trace->event_count);
    for (uint32_t h = 0; h < 2; h++) {
        uint64_t measured = two.host[h].trace->event_count;
        assert_true(two.host[h].derived->event_count > 0);
        for (uint64_t i = 0; i < two.host[h].derived->event_count; i++) {
            same_event(&two, h, number, measured + i);
            same_fact(&two, h, number++, measured + i);
        }
    }
    assert_int_equal(number, xpd_view_events(&two.view));
    struct xpd_event none;
    assert_false(xpd_view_event(&two.view, number, &none));
    /* 9000 of the first; 10,000 + 2 * 2000 + 1000 + 2000 of the second. */
    assert_int_equal(two.trace->first_ps, 9000);
    assert_int_equal(two.trace->end_ps, 17000);
    assert_int_equal(two.trace->profile_start_ns, T0);
    assert_int_equal(two.trace->part[1].shift_ps, 2000);
    assert_true(xpd_trace_comparable(two.trace, 0, two.trace->part[1].first_process));
    free_two(&two);
}

static void names_of_processes(void **state)
{
    (void)state;
    struct two two;
    make_two(&two, 2);
    static const char *const wanted[] = {"a /device:TPU:0", "a /host:CPU", "b /device:TPU:0",
                                         "b /host:CPU"};
    assert_int_equal(two.trace->process_count, 4);
    for (uint32_t p = 0; p < 4; p++) {
        same_text(xpd_intern_get(&two.trace->names, two.trace->process[p].name),
                  xpd_str_of(wanted[p]));
        assert_string_equal(xpd_part_of_process(two.trace, p)->host, p < 2 ? "a" : "b");
    }
    assert_string_equal(xpd_part_of_event(two.trace, two.trace->part[1].first_event - 1)->host,
                        "a");
    assert_string_equal(xpd_part_of_event(two.trace, two.trace->part[1].first_event)->host, "b");
    free_two(&two);
}

/* The stats of an event are read from the file of its host. */
static void stats_of_both(void **state)
{
    (void)state;
    struct two two;
    make_two(&two, 2);
    static const char *const wanted[] = {"of the first", "of the second"};
    for (uint32_t h = 0; h < 2; h++) {
        struct xpd_arena scratch = {0};
        struct xpd_stat_value *stat;
        uint32_t count, shared;
        bool found = false;
        uint64_t own = dspace_find(&two.host[h], "main", 9000);
        assert_int_equal(xpd_trace_stats(two.trace, own + two.trace->part[h].first_event, &scratch,
                                         &stat, &count, &shared, NULL),
                         XPD_OK);
        for (uint32_t i = 0; i < count; i++)
            if (xpd_str_eq(stat[i].name, XPD_STR("note"))) {
                same_text(stat[i].text, xpd_str_of(wanted[h]));
                found = true;
            }
        assert_true(found);
        xpd_arena_fini(&scratch);
    }
    free_two(&two);
}

/* jit_f runs 4000 ps over both hosts, jit_g 2000: it is the program of the steps, on `b` too. That
 * of `b` is by the clock the second of `a`. */
static void steps_of_all_chips(void **state)
{
    (void)state;
    struct two two;
    make_two(&two, 2);
    static const struct {
        uint32_t process;
        int64_t number, start_ps;
    } wanted[] = {{0, 0, 10000}, {0, 1, 12000}, {0, 2, 14000}, {2, 1, 12000}};
    assert_int_equal(two.host[1].derived->step_count, 2); /* alone: the two runs of jit_g */
    assert_int_equal(two.derived->step_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const struct xpd_step *step = &two.derived->step[i];
        assert_int_equal(step->process, wanted[i].process);
        assert_int_equal(step->number, wanted[i].number);
        assert_int_equal(step->start_ps, wanted[i].start_ps);
        assert_int_equal(step->end_ps, wanted[i].start_ps + 1000);
        assert_int_equal(xpd_step_of(two.derived, step->event), i);
    }
    free_two(&two);
}

/* The all-reduce of the second run of jit_f, which is the first on the chip of `b`; `b` has none of
 * the first. */
static void peers_of_all_hosts(void **state)
{
    (void)state;
    struct two two;
    make_two(&two, 2);
    struct xpd_arena arena = {0};
    struct xpd_event event;
    struct xpd_peer *peer;
    uint32_t count;
    assert_true(xpd_view_event(&two.view, dspace_find(&two.host[0], "XLA Ops", 12500), &event));
    assert_int_equal(xpd_peers_of(&two.view, &event, &arena, &peer, &count, NULL), XPD_OK);
    assert_int_equal(count, 2);
    assert_int_equal(peer[1].process, 2);
    assert_int_equal(peer[1].event.start_ps, 12500);
    event = peer[1].event; /* and back */
    assert_int_equal(xpd_peers_of(&two.view, &event, &arena, &peer, &count, NULL), XPD_OK);
    assert_int_equal(count, 2);
    assert_int_equal(peer[1].event.start_ps, 12500);
    assert_int_equal(peer[1].process, 0);
    assert_true(xpd_view_event(&two.view, dspace_find(&two.host[0], "XLA Ops", 10500), &event));
    assert_int_equal(xpd_peers_of(&two.view, &event, &arena, &peer, &count, NULL), XPD_OK);
    assert_int_equal(count, 1);
    /* Runs themselves, too. */
    assert_true(xpd_view_event(&two.view, dspace_find(&two.host[0], "XLA Modules", 12000), &event));
    assert_int_equal(xpd_peers_of(&two.view, &event, &arena, &peer, &count, NULL), XPD_OK);
    assert_int_equal(count, 2);
    assert_int_equal(peer[1].event.start_ps, 12000);
    xpd_arena_fini(&arena);
    free_two(&two);
}

/* Whichever host is named first: numbers begin with the earliest capture. A quarter of a run later
 * is no other run; without clocks runs are counted. */
static void runs_by_clock(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second;
        int64_t later_ns, first_run[2];
    } row[] = {{"fff", "fff", 2, {0, 1}},  {"fffff", "fff", 4, {0, 2}}, {"fff", "ffff", -2, {1, 0}},
               {"gfff", "ffg", 2, {0, 0}}, {"ffff", "fff", 0, {0, 0}},  {"gg", "fff", 1, {0, 0}}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct dspace d[2];
        memset(d, 0, sizeof d);
        write_host(&d[0], row[i].first, "");
        write_host(&d[1], row[i].second, "");
        d[0].trace->profile_start_ns = T0;
        d[1].trace->profile_start_ns = T0 + row[i].later_ns;
        const struct xpd_join_host host[] = {{"a", d[0].trace}, {"b", d[1].trace}};
        struct xpd_trace *trace;
        assert_int_equal(xpd_join_trace(&trace, host, 2, 0, NULL), XPD_OK);
        for (uint32_t k = 0; k < 2; k++)
            if (trace->part[k].first_run != row[i].first_run[k])
                fail_msg("%s, %s: %lld", row[i].first, row[i].second,
                         (long long)trace->part[k].first_run);
        bool same = row[i].first_run[0] == row[i].first_run[1];
        assert_int_equal(trace->warnings.count, same ? 0 : 1);
        if (!same)
            assert_string_equal(trace->warnings.item[0].code, "runs_later");
        xpd_trace_free(trace);
        dspace_free(&d[0]);
        dspace_free(&d[1]);
    }
}

static void clocks_that_disagree(void **state)
{
    (void)state;
    struct two two;
    make_two(&two, 3600 * INT64_C(1000000000));
    assert_int_equal(two.trace->part[1].placed, XPD_PLACED_APART);
    assert_int_equal(two.trace->part[1].shift_ps, 0); /* both begin at 9000 */
    assert_false(xpd_trace_comparable(two.trace, 0, 2));
    assert_true(xpd_trace_comparable(two.trace, 2, 3));
    assert_int_equal(two.trace->warnings.count, 1);
    assert_string_equal(two.trace->warnings.item[0].code, "hosts_apart");
    free_two(&two);
    make_two(&two, -1);
    assert_int_equal(two.trace->part[0].placed, XPD_PLACED_CLOCK);
    assert_int_equal(two.trace->part[1].placed, XPD_PLACED_NO_CLOCK);
    assert_string_equal(two.trace->warnings.item[0].code, "hosts_without_clock");
    free_two(&two);
}

/* Both have a flow of the same kind and number; neither leads to the other host. */
static void flows_stay_apart(void **state)
{
    (void)state;
    struct two two;
    make_two(&two, 2);
    assert_int_equal(two.flows->point_count, 4);
    assert_int_equal(two.flows->matched_count, 2);
    assert_int_equal(two.host[0].flows->id[0], two.host[1].flows->id[0]);
    assert_int_equal(two.flows->point[0].flow, two.flows->point[1].flow);
    assert_int_equal(two.flows->point[2].flow, two.flows->point[3].flow);
    assert_true(two.flows->id[0] < two.flows->id[1]);
    assert_int_equal(two.flows->flow_count, 2);
    assert_int_equal(two.flows->point[1].flow, 0);
    assert_int_equal(two.flows->point[2].flow, 1);
    for (uint32_t h = 0; h < 2; h++) {
        uint64_t event = dspace_find(&two.host[h], "main", 9000) + two.trace->part[h].first_event;
        uint64_t at, end;
        xpd_flows_of(two.flows, event, &at, &end);
        assert_int_equal(end, at + 1);
        assert_int_equal(two.flows->of_event[at].flow, h);
    }
    free_two(&two);
}

static bool holds(void *ctx, struct xpd_str text)
{
    return xpd_str_find(text, xpd_str_of(ctx), false) != SIZE_MAX;
}

static bool count_bytes(void *ctx, uint64_t done_bytes)
{
    uint64_t *most = ctx;
    *most = done_bytes > *most ? done_bytes : *most;
    return true;
}

static void args_of_all_files(void **state)
{
    (void)state;
    struct two two;
    make_two(&two, 2);
    char text[] = "run=2", note[] = "of the second";
    uint64_t most = 0;
    const struct xpd_arg_match match = {holds, text, false, true, false};
    const struct xpd_arg_match second = {holds, note, false, true, false};
    const struct xpd_arg_watch watch = {count_bytes, &most};
    struct xpd_arg_hits *hits;
    assert_int_equal(xpd_args_scan(&hits, two.trace, &match, &watch, NULL), XPD_OK);
    assert_int_equal(hits->hit_count, 2);
    for (uint32_t h = 0; h < 2; h++)
        assert_true(xpd_arg_hit(hits, dspace_find(&two.host[h], "XLA Ops", 14000) +
                                          two.trace->part[h].first_event));
    assert_true(most > two.host[0].space->file_bytes); /* the second file counts on */
    xpd_arg_hits_free(hits);
    assert_int_equal(xpd_args_scan(&hits, two.trace, &second, NULL, NULL), XPD_OK);
    assert_int_equal(hits->hit_count, 1);
    assert_true(xpd_arg_hit(hits, dspace_find(&two.host[1], "main", 9000) +
                                      two.trace->part[1].first_event));
    xpd_arg_hits_free(hits);
    free_two(&two);
}

/* Names of both hosts are one group: 3 + 3 runs of fusion.1, of 500 each. */
static void totals_of_both(void **state)
{
    (void)state;
    struct two two;
    make_two(&two, 2);
    uint32_t row[64], rows = 0;
    for (uint32_t i = 0; i < two.trace->row_count; i++)
        if (two.trace->row[i].kind == XPD_ROW_OPS)
            row[rows++] = i;
    assert_int_equal(rows, 2);
    struct xpd_totals totals;
    struct xpd_totals_ask ask = {.view = &two.view,
                                 .row = row,
                                 .row_count = rows,
                                 .range = xpd_view_all(&two.view),
                                 .by = XPD_BY_NAME};
    assert_int_equal(xpd_totals_make(&totals, &ask, NULL), XPD_OK);
    assert_int_equal(totals.group_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(totals.group[i].count, 6);
        assert_int_equal(totals.group[i].total_ps, 3000);
    }
    xpd_totals_fini(&totals);
    free_two(&two);
}

/* ---- many events: the pyramid of a host that was moved ---- */

static void count_box(void *user, const struct xpd_box *box)
{
    int64_t *sum = user;
    sum[0] += box->count;
    sum[1] += box->busy_ps;
}

static void moved_pyramid(void **state)
{
    (void)state;
    enum { EVENTS = 5000 };
    static struct dspace d[2];
    for (int h = 0; h < 2; h++) {
        dspace_plane(&d[h], "/host:CPU", 1);
        dspace_line(&d[h], "main", 1);
        uint32_t name = dspace_name(&d[h], h ? "b" : "a", NULL, NO_STATS);
        for (int64_t i = 0; i < EVENTS; i++)
            dspace_event(&d[h], name, i * 1000, 7, NO_STATS);
        dspace_load(&d[h]);
        d[h].trace->profile_start_ns = T0 + h * 333;
    }
    struct xpd_trace *trace;
    const struct xpd_join_host host[] = {{"a", d[0].trace}, {"b", d[1].trace}};
    assert_int_equal(xpd_join_trace(&trace, host, 2, 0, NULL), XPD_OK);
    const struct xpd_depth *depth = &trace->depth[trace->part[1].first_depth];
    assert_true(depth->mip_count > 0);
    /* 1000 of them begin in [333,000 + 1,000,000, + 2,000,000). */
    const struct xpd_trace_window window = {1333000, 2332999, 16};
    int64_t sum[2] = {0};
    xpd_depth_boxes(depth, &window, count_box, sum);
    assert_int_equal(sum[0], 1000);
    assert_int_equal(sum[1], 7000);
    /* The budget holds. */
    struct xpd_trace *none;
    struct xpd_err err = {0};
    assert_int_equal(xpd_join_trace(&none, host, 2, 4096, &err), XPD_ELIMIT);
    assert_null(none);
    xpd_trace_free(trace);
    dspace_free(&d[0]);
    dspace_free(&d[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placed_by_clock),
        cmocka_unit_test(placed_in_a_chain),
        cmocka_unit_test(placed_without_clock),
        cmocka_unit_test(placed_apart),
        cmocka_unit_test(placed_by_most),
        cmocka_unit_test(placed_of_two_pairs),
        cmocka_unit_test(placed_far),
        cmocka_unit_test(every_event_is_found),
        cmocka_unit_test(names_of_processes),
        cmocka_unit_test(stats_of_both),
        cmocka_unit_test(steps_of_all_chips),
        cmocka_unit_test(peers_of_all_hosts),
        cmocka_unit_test(clocks_that_disagree),
        cmocka_unit_test(flows_stay_apart),
        cmocka_unit_test(args_of_all_files),
        cmocka_unit_test(totals_of_both),
        cmocka_unit_test(runs_by_clock),
        cmocka_unit_test(moved_pyramid),
        cmocka_unit_test(placed_too_far_to_align),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
