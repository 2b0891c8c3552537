/* Derived rows, groups, steps and flows of small profiles whose answers follow by hand. */
#include "derive_space.h"
#include "hlo_builder.h"
#include "xprofd/trace/async.h"
#include "xprofd/trace/view.h"
#include "xspace_wrap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define TPU0 "/device:TPU:0"

static uint32_t plain(struct dspace *d, const char *name)
{
    return dspace_name(d, name, NULL, NO_STATS);
}

static uint32_t op(struct dspace *d, const char *name, const char *tf_op, const char *source)
{
    const struct dstat stat[] = {{"tf_op", 0, tf_op}, {"source", 0, source}, {0}};
    return dspace_name(d, name, NULL, stat);
}

/* V20: an event that touches two modules belongs to the first. */
static void groups_by_overlap(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, TPU0, 2);
    uint32_t module = plain(&d, "jit_f(1)"), add = plain(&d, "add");
    dspace_line(&d, "XLA Modules", 2);
    dspace_event(&d, module, 0, 10, NO_STATS);
    dspace_event(&d, module, 10, 10, NO_STATS);
    dspace_line(&d, "XLA Ops", 3);
    dspace_event(&d, add, 10, 0, NO_STATS);
    dspace_event(&d, add, 12, 1, NO_STATS);
    dspace_event(&d, add, 30, 1, NO_STATS);
    dspace_load(&d);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "XLA Ops", 10)), 0);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "XLA Ops", 12)), 1);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "XLA Ops", 30)), XPD_NO_GROUP);
    assert_int_equal(xpd_group_of(d.derived, UINT64_MAX), XPD_NO_GROUP);
    dspace_free(&d);
}

/* Scopes, ops and sources of two steps; one source line in both steps is two bars. */
static void framework_rows(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, TPU0, 2);
    uint32_t module = plain(&d, "jit_f(1)");
    uint32_t add = op(&d, "%add", "jit(f)/jit(main)/add:", "a.py:1");
    uint32_t mul = op(&d, "%mul", "jit(f)/jit(main)/mul:", "a.py:1");
    dspace_line(&d, "XLA Modules", 2);
    dspace_event(&d, module, 0, 100000, NO_STATS);
    dspace_event(&d, module, 200000, 100000, NO_STATS);
    dspace_line(&d, "XLA Ops", 3);
    dspace_event(&d, add, 0, 10000, NO_STATS);
    dspace_event(&d, mul, 10000, 20000, NO_STATS);
    dspace_event(&d, add, 200000, 50000, NO_STATS);
    dspace_load(&d);
    assert_string_equal(dspace_events(&d, "Framework Name Scope", 0),
                        "jit(f) 0 30000; jit(f) 200000 250000; "
                        "| jit(main) 0 29000; jit(main) 200000 249000; ");
    assert_string_equal(dspace_events(&d, "Framework Ops", 0),
                        "add 0 10000; mul 10000 30000; add 200000 250000; ");
    assert_string_equal(dspace_events(&d, "Source code", 0),
                        "a.py:1 0 30000; a.py:1 200000 250000; ");
    const struct xpd_trace_row *row = dspace_row(&d, "Framework Ops", 0);
    assert_true(row->derived && row->how != NULL);
    assert_int_equal(row->id, 0xdeadbeefu + 3);
    assert_int_equal(row->busy_ps, 80000);
    dspace_free(&d);
}

static struct xpd_str scope_of(const struct dspace *d, const struct xpd_view *view, const char *row,
                               int64_t start_ps)
{
    struct xpd_event event = {0};
    uint64_t number = dspace_find(d, row, start_ps);
    assert_true(xpd_view_event(view, number, &event));
    return xpd_view_scope(view, event.name);
}

/* The scopes of an operation, of its bar in Framework Ops; none of what says none, and none of a
 * source line, however much it looks like a name with a type. */
static void scopes_of_names(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, TPU0, 2);
    uint32_t module = plain(&d, "jit_f(1)"), copy = plain(&d, "%copy");
    uint32_t add = op(&d, "%add", "jit(f)/layer_1/add:", "a/b.py:Add");
    uint32_t alone = op(&d, "%mul", "mul:", "a/b.py:Add");
    dspace_line(&d, "XLA Modules", 2);
    dspace_event(&d, module, 0, 100, NO_STATS);
    dspace_line(&d, "XLA Ops", 3);
    dspace_event(&d, add, 0, 10, NO_STATS);
    dspace_event(&d, alone, 10, 10, NO_STATS);
    dspace_event(&d, copy, 20, 10, NO_STATS);
    dspace_load(&d);
    struct xpd_view view = {d.trace, d.derived};
    assert_true(xpd_str_eq(scope_of(&d, &view, "XLA Ops", 0), XPD_STR("jit(f)/layer_1")));
    assert_int_equal(scope_of(&d, &view, "XLA Ops", 10).size, 0);
    assert_int_equal(scope_of(&d, &view, "XLA Ops", 20).size, 0);
    assert_int_equal(scope_of(&d, &view, "XLA Modules", 0).size, 0);
    uint32_t with = 0;
    for (uint32_t name = d.trace->name_count; name < xpd_view_names(&view); name++) {
        if (xpd_view_scope(&view, name).size == 0)
            continue;
        assert_true(xpd_str_eq(xpd_view_caption(&view, name), XPD_STR("add")));
        assert_true(xpd_str_eq(xpd_view_scope(&view, name), XPD_STR("jit(f)/layer_1")));
        with++;
    }
    assert_int_equal(with, 1);
    dspace_free(&d);
}

/* V18: first start with first done of one instruction; a done too many is set aside. */
static void offload_pairs(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, TPU0, 2);
    uint32_t start =
        dspace_name(&d, "%copy-start = f32[1]{0:S(5)} copy-start()", "copy-start", NO_STATS);
    uint32_t done =
        dspace_name(&d, "%copy-done = f32[1]{0:S(5)} copy-done()", "copy-done", NO_STATS);
    uint32_t other =
        dspace_name(&d, "%copy-start.1 = f32[1]{0} copy-start()", "copy-start.1", NO_STATS);
    dspace_line(&d, "XLA Ops", 3);
    dspace_event(&d, start, 0, 1, NO_STATS);
    dspace_event(&d, start, 10, 1, NO_STATS);
    dspace_event(&d, done, 15, 5, NO_STATS);
    dspace_event(&d, other, 16, 1, NO_STATS); /* not to host memory */
    dspace_event(&d, done, 25, 5, NO_STATS);
    dspace_event(&d, done, 40, 5, NO_STATS);
    dspace_load(&d);
    assert_string_equal(dspace_events(&d, "Host Offload", 0),
                        "offload-copy.0 0 20; | offload-copy.0 10 30; ");
    dspace_free(&d);
}

/* The device clock decides when the host-aligned one says otherwise. */
static void offload_by_device_clock(void **state)
{
    struct dspace d = {0};
    (void)state;
#define AT(offset, duration)                                                                       \
    ((const struct dstat[]){                                                                       \
        {"device_offset_ps", (offset), NULL}, {"device_duration_ps", (duration), NULL}, {0}})
    dspace_plane(&d, TPU0, 2);
    uint32_t start = dspace_name(&d, "copy-start.3 S(5)", "copy-start.3", NO_STATS);
    uint32_t done = dspace_name(&d, "copy-done.3 S(5)", "copy-done.3", NO_STATS);
    dspace_line(&d, "XLA Ops", 3);
    dspace_event(&d, done, 100, 10, AT(1050, 5)); /* after its start, by the device */
    dspace_event(&d, start, 100, 1, AT(1000, 1));
    dspace_load(&d);
    assert_string_equal(dspace_events(&d, "Host Offload", 0), "offload-copy.3 100 110; ");
    assert_int_equal(xpd_derived_fact_of(d.derived, d.trace->event_count).device_ps, 55);
    struct xpd_derived_fact fact = xpd_derived_fact_of(d.derived, d.trace->event_count);
    assert_true(fact.event != fact.event2);
    assert_int_equal(xpd_derived_fact_of(d.derived, d.trace->event_count + 1).event, UINT64_MAX);
    dspace_free(&d);
}

/* A done belongs to the start it names as its operand, whatever their numbers are. */
static void offload_by_operand(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, TPU0, 2);
    uint32_t start1 = dspace_name(&d, "%copy-start.1 = (f32[1]{0:S(5)}) copy-start(f32[1] %a)",
                                  "copy-start.1", NO_STATS);
    uint32_t start2 = dspace_name(&d, "%copy-start.2 = (f32[1]{0:S(5)}) copy-start(f32[1] %b)",
                                  "copy-start.2", NO_STATS);
    uint32_t done7 = dspace_name(
        &d, "%copy-done.7 = f32[1]{0} copy-done((f32[1]{0:S(5)}, u32[]{:S(2)}) %copy-start.2)",
        "copy-done.7", NO_STATS);
    uint32_t done2 = dspace_name(
        &d, "%copy-done.2 = f32[1]{0} copy-done((f32[1]{0:S(5)}, u32[]{:S(2)}) %copy-start.1)",
        "copy-done.2", NO_STATS);
    dspace_line(&d, "XLA Ops", 3);
    dspace_event(&d, start1, 0, 1, NO_STATS);
    dspace_event(&d, start2, 10, 1, NO_STATS);
    dspace_event(&d, done7, 1000, 500, NO_STATS);
    dspace_event(&d, done2, 2000, 5, NO_STATS);
    dspace_load(&d);
    assert_string_equal(dspace_events(&d, "Host Offload", 0),
                        "offload-copy.1 0 2005; | offload-copy.2 10 1500; ");
    dspace_free(&d);
}

/* The wait is how long the done took: 500 of 1490, 5 of 2005; by the device clock where there is
 * one. */
static void waits_of_copies(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, TPU0, 2);
    uint32_t start = dspace_name(&d, "copy-start.3 S(5)", "copy-start.3", NO_STATS);
    uint32_t done = dspace_name(&d, "copy-done.3 S(5)", "copy-done.3", NO_STATS);
    dspace_line(&d, "XLA Ops", 3);
    dspace_event(&d, start, 0, 1, NO_STATS);
    dspace_event(&d, done, 1000, 500, NO_STATS);
    dspace_event(&d, start, 2000, 1, NO_STATS);
    dspace_event(&d, done, 4000, 5, NO_STATS);
    dspace_event(&d, start, 5000, 1, AT(9000, 1));
    dspace_event(&d, done, 5001, 900, AT(9001, 400)); /* the clock jumps in the done */
    dspace_load(&d);
    const struct xpd_view view = {d.trace, d.derived};
    const struct {
        int64_t wait_ps, whole_ps, drawn_ps;
        enum xpd_hidden hidden;
        enum xpd_clock clock;
    } want[] = {{500, 1500, 500, XPD_HIDDEN_PARTLY, XPD_CLOCK_HOST},
                {5, 2005, 5, XPD_HIDDEN_FULLY, XPD_CLOCK_HOST},
                {400, 401, 900, XPD_HIDDEN_NOT, XPD_CLOCK_DEVICE}};
    for (uint64_t i = 0; i < 3; i++) {
        struct xpd_event event;
        struct xpd_async_pair pair;
        assert_true(xpd_view_event(&view, d.trace->event_count + i, &event));
        assert_true(xpd_async_pair_of(&view, &event, &pair));
        assert_int_equal(pair.wait_ps, want[i].wait_ps);
        assert_int_equal(pair.whole_ps, want[i].whole_ps);
        assert_int_equal(pair.drawn_wait_ps, want[i].drawn_ps);
        assert_int_equal(pair.hidden, want[i].hidden);
        assert_int_equal(pair.clock, want[i].clock);
        assert_false(xpd_async_pair_of(&view, &pair.start, &pair));
    }
    assert_int_equal(xpd_hidden_of(0, 0), XPD_HIDDEN_FULLY);
    assert_int_equal(xpd_hidden_of(10, 1000), XPD_HIDDEN_PARTLY);
    assert_int_equal(xpd_hidden_of(990, 1000), XPD_HIDDEN_NOT);
    dspace_free(&d);
}

/* 3.9: chip 0 ran one program more; the same run of the main program has the same number. */
static void steps_agree_over_chips(void **state)
{
    struct dspace d = {0};
    (void)state;
    for (int64_t chip = 0; chip < 2; chip++) {
        dspace_plane(&d, chip ? "/device:TPU:1" : TPU0, 2 + 8 * chip);
        uint32_t once = plain(&d, "jit_init(7)"), step = plain(&d, "jit_step(9)");
        dspace_line(&d, "XLA Modules", 2);
        if (chip == 0)
            dspace_event(&d, once, 0, 10, NO_STATS);
        for (int64_t k = 0; k < 3; k++)
            dspace_event(&d, step, 100 + 100 * k + chip, 50, NO_STATS);
    }
    dspace_load(&d);
    assert_int_equal(d.derived->step_count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(d.derived->step[i].number, i % 3);
        assert_int_equal(d.derived->step[i].process, i / 3);
        /* XProf counts all modules of a chip */
        assert_int_equal(d.derived->step[i].xprof_group, i < 3 ? i + 1 : i - 3);
    }
    uint64_t event = d.derived->step[4].event;
    assert_int_equal(xpd_step_of(d.derived, event), 4);
    assert_int_equal(xpd_step_of(d.derived, dspace_find(&d, "XLA Modules", 0)), XPD_NO_INDEX);
    dspace_free(&d);
}

static void steps_row_wins(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, TPU0, 2);
    uint32_t first = plain(&d, "41"), second = plain(&d, "42"), module = plain(&d, "jit_f(1)");
    dspace_line(&d, "Steps", 1);
    dspace_event(&d, first, 0, 90, NO_STATS);
    dspace_event(&d, second, 100, 90, NO_STATS);
    dspace_line(&d, "XLA Modules", 2);
    dspace_event(&d, module, 5, 10, NO_STATS);
    dspace_event(&d, module, 105, 10, NO_STATS);
    dspace_event(&d, module, 150, 10, NO_STATS);
    dspace_load(&d);
    assert_int_equal(d.derived->step_count, 2);
    assert_int_equal(d.derived->step[0].number, 41);
    assert_int_equal(d.derived->step[1].number, 42);
    assert_int_equal(xpd_step_of(d.derived, dspace_find(&d, "XLA Modules", 150)), 1);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "XLA Modules", 150)), 1);
    dspace_free(&d);
}

/* Host: "train" with _r groups what it holds and what that makes; the rest has no group. */
static void groups_from_roots(void **state)
{
    struct dspace d = {0};
    (void)state;
#define ROOT(step) ((const struct dstat[]){{"_r", 1, NULL}, {"step_num", (step), NULL}, {0}})
#define MAKES(id)  ((const struct dstat[]){{"_pt", 15, NULL}, {"_p", (id), NULL}, {0}})
#define USES(id)   ((const struct dstat[]){{"_ct", 15, NULL}, {"_c", (id), NULL}, {0}})
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t train = plain(&d, "train"), call = plain(&d, "call"), work = plain(&d, "work");
    uint32_t inner = plain(&d, "inner");
    dspace_line(&d, "main", 11);
    dspace_event(&d, train, 0, 100, ROOT(7));
    dspace_event(&d, call, 10, 20, MAKES(5));
    dspace_event(&d, train, 40, 10, ROOT(8)); /* inside of a root of its level: no step */
    dspace_event(&d, train, 200, 100, ROOT(9));
    dspace_event(&d, call, 400, 5, NO_STATS);
    dspace_line(&d, "pool", 12);
    dspace_event(&d, work, 1000, 100, USES(5));
    dspace_event(&d, inner, 1010, 10, NO_STATS);
    dspace_event(&d, work, 2000, 100, USES(6));
    dspace_load(&d);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "main", 10)), 0);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "main", 40)), 0);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "main", 200)), 1);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "main", 400)), XPD_NO_GROUP);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "pool", 1000)), 0);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "pool", 1010)), 0);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "pool", 2000)), XPD_NO_GROUP);
    assert_int_equal(d.derived->step_count, 2);
    assert_int_equal(d.derived->step[0].number, 7);
    assert_int_equal(d.derived->step[1].number, 9);
    struct xpd_str name = xpd_step_name_of(d.derived, dspace_find(&d, "main", 200));
    assert_true(xpd_str_eq(name, XPD_STR("train 9")));
    assert_int_equal(xpd_step_name_of(d.derived, dspace_find(&d, "main", 400)).size, 0);
    assert_int_equal(xpd_step_of(d.derived, dspace_find(&d, "pool", 1010)), 0);
    dspace_free(&d);
}

/* Epochs that count their steps from 0, on one thread: no two have one number, the names stay. One
 * that is far ahead keeps what it was given. Another thread counts by itself. */
static void numbers_count_on(void **state)
{
    static const int64_t given[] = {2, 3, 0, 1, 1, 9}, want[] = {2, 3, 4, 5, 6, 14};
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t train = plain(&d, "train");
    dspace_line(&d, "main", 11);
    for (int64_t i = 0; i < 6; i++)
        dspace_event(&d, train, 100 * i, 50, ROOT(given[i]));
    dspace_line(&d, "other", 12);
    dspace_event(&d, train, 1000, 50, ROOT(0));
    dspace_load(&d);
    assert_int_equal(d.derived->step_count, 7);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(d.derived->step[i].number, want[i]);
    assert_int_equal(d.derived->step[6].number, 0);
    struct xpd_str name = xpd_step_name_of(d.derived, dspace_find(&d, "main", 200));
    assert_true(xpd_str_eq(name, XPD_STR("train 0")));
    assert_true(xpd_str_eq(xpd_intern_get(&d.derived->names, d.derived->step[2].name), name));
    assert_int_equal(d.derived->warnings.count, 1);
    assert_string_equal(d.derived->warnings.item[0].code, "steps_again");
    dspace_free(&d);
}

/* A device's line "Steps" whose names begin again, up to the end of the numbers. */
static void numbers_of_a_line_count_on(void **state)
{
    static const char *const name[] = {"7", "0", "1", "9223372036854775807", "0"};
    static const int64_t want[] = {7, 8, 9, INT64_MAX, 10};
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/device:TPU:0", 0);
    dspace_line(&d, "Steps", 1);
    for (int64_t i = 0; i < 5; i++)
        dspace_event(&d, plain(&d, name[i]), 100 * i, 50, NO_STATS);
    dspace_load(&d);
    assert_int_equal(d.derived->step_count, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(d.derived->step[i].number, want[i]);
    dspace_free(&d);
}

/* Steps whose names tell no number take part in the counting: no two have one number. */
static void numbers_beside_names_without(void **state)
{
    static const char *const name[] = {"0", "1", "warm", "train", "2", "3", "50", "last"};
    static const int64_t want[] = {0, 1, 2, 3, 4, 5, 52, 53};
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/device:TPU:0", 0);
    dspace_line(&d, "Steps", 1);
    for (int64_t i = 0; i < 8; i++)
        dspace_event(&d, plain(&d, name[i]), 100 * i, 50, NO_STATS);
    dspace_load(&d);
    assert_int_equal(d.derived->step_count, 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(d.derived->step[i].number, want[i]);
    dspace_free(&d);
}

/* Producers that make each other and a context with thousands of ends: every event is met once. */
static void cycles_and_crowds(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t train = plain(&d, "train"), ring = plain(&d, "ring");
    dspace_line(&d, "main", 11);
    dspace_event(&d, train, 0, 10,
                 (const struct dstat[]){{"_r", 1, NULL}, {"_pt", 1, NULL}, {"_p", 0, NULL}, {0}});
    dspace_line(&d, "ring", 12);
    for (int64_t i = 0; i < 100; i++)
        dspace_event(&d, ring, 100 + 10 * i, 5,
                     (const struct dstat[]){{"_ct", 1, NULL},
                                            {"_c", i, NULL},
                                            {"_pt", 1, NULL},
                                            {"_p", (i + 1) % 100, NULL},
                                            {0}});
    dspace_line(&d, "crowd", 13);
    for (int64_t i = 0; i < 5000; i++) {
        bool makes = i % 2;
        dspace_event(&d, ring, 100000 + i, 0,
                     (const struct dstat[]){
                         {makes ? "_pt" : "_ct", 2, NULL}, {makes ? "_p" : "_c", 77, NULL}, {0}});
    }
    dspace_load(&d);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "ring", 100 + 10 * 99)), 0);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "crowd", 100000)), XPD_NO_GROUP);
    assert_int_equal(d.flows->point_count, 1 + 200 + 5000);
    assert_int_equal(d.flows->matched_count, 101); /* 100 ids of the ring, the crowd */
    assert_int_equal(d.flows->open_count, 0);
    dspace_free(&d);
}

/* V1: the stat flow, in and out at once. */
static void flow_stat(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, TPU0, 2);
    uint32_t copy = plain(&d, "async-copy");
    dspace_line(&d, "Async XLA Ops", 4);
    dspace_event(&d, copy, 0, 10,
                 (const struct dstat[]){{"flow", 616168039, NULL}, {"_a", 1, NULL}, {0}});
    dspace_event(&d, copy, 20, 10, NO_STATS);
    dspace_load(&d);
    assert_int_equal(d.flows->point_count, 1);
    assert_int_equal(d.flows->id[0], 154042009);
    assert_int_equal(d.flows->point[0].ends, XPD_FLOW_IN | XPD_FLOW_OUT);
    assert_int_equal(d.flows->point[0].category, 0);
    assert_int_equal(d.flows->point[0].flow, 0);
    assert_int_equal(d.flows->flow_count, 1);
    uint64_t first, end;
    xpd_flows_of(d.flows, d.flows->point[0].event, &first, &end);
    assert_int_equal(first, 0);
    assert_int_equal(end, 1);
    xpd_flows_of(d.flows, d.flows->point[0].event + 1, &first, &end);
    assert_int_equal(first, end);
    assert_string_equal(xpd_flow_category_word(12), "tpu_launch");
    assert_string_equal(xpd_flow_category_word(1), "");
    assert_string_equal(xpd_flow_category_word(200), "");
    dspace_free(&d);
}

/* A run of a program: enqueued on the host, run on chip 1, completed on the host. */
static void launch_flows(void **state)
{
    struct dspace d = {0};
    (void)state;
#define RUN(chip)                                                                                  \
    ((const struct dstat[]){{"run_id", 5 + (1 << 27), NULL},                                       \
                            {"queue_id", 0, NULL},                                                 \
                            {"device_ordinal", (chip), NULL},                                      \
                            {0}})
    dspace_plane(&d, "/device:TPU:1", 2);
    uint32_t module = plain(&d, "jit_f(1)");
    dspace_line(&d, "XLA Modules", 2);
    dspace_event(&d, module, 50, 10,
                 (const struct dstat[]){{"run_id", 5, NULL}, {"queue_id", 0, NULL}, {0}});
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t enqueue = plain(&d, "DoEnqueueProgram"), complete = plain(&d, "CompleteCallbacks");
    dspace_line(&d, "main", 11);
    dspace_event(&d, enqueue, 10, 10, RUN(1));
    dspace_event(&d, complete, 70, 10, RUN(1));
    dspace_event(&d, enqueue, 90, 10, RUN(0)); /* another chip */
    dspace_load(&d);
    assert_int_equal(d.flows->point_count, 4);
    assert_int_equal(d.flows->matched_count, 1);
    assert_int_equal(d.flows->open_count, 1);
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(d.flows->point[i].category, 12);
    dspace_free(&d);
}

/* A step of the host reaches the program it enqueued, also through an operation inside of it; a
 * program that was not enqueued has no group. */
static void groups_reach_chips(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/device:TPU:0", 2);
    uint32_t module = plain(&d, "jit_f(1)"), add = plain(&d, "add");
    dspace_line(&d, "XLA Modules", 2);
    dspace_event(&d, module, 1000, 100, NO_STATS); /* of no step or flow */
    dspace_event(&d, module, 2000, 100,
                 (const struct dstat[]){{"run_id", 5, NULL}, {"queue_id", 0, NULL}, {0}});
    dspace_event(&d, module, 3000, 100, NO_STATS);
    dspace_line(&d, "XLA Ops", 3);
    dspace_event(&d, add, 2010, 10, NO_STATS);
    dspace_event(&d, add, 3010, 10, USES(6));
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t train = plain(&d, "train"), enqueue = plain(&d, "DoEnqueueProgram");
    uint32_t send = plain(&d, "send");
    dspace_line(&d, "main", 11);
    dspace_event(&d, train, 0, 100, ROOT(7));
    dspace_event(&d, enqueue, 10, 10, RUN(0));
    dspace_event(&d, train, 200, 100, ROOT(8));
    dspace_event(&d, send, 210, 10, MAKES(6));
    dspace_load(&d);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "XLA Modules", 1000)), XPD_NO_GROUP);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "XLA Modules", 2000)), 0);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "XLA Ops", 2010)), 0);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "XLA Modules", 3000)), 1);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "XLA Ops", 3010)), 1);
    dspace_free(&d);
}

/* Every plane knows group_id: the file was grouped before, and what it says counts. */
static void groups_of_the_file(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t train = plain(&d, "train"), call = plain(&d, "call");
    dspace_line(&d, "main", 11);
    dspace_event(&d, train, 0, 100,
                 (const struct dstat[]){{"_r", 1, NULL}, {"group_id", 41, NULL}, {0}});
    dspace_event(&d, call, 10, 10, (const struct dstat[]){{"group_id", 42, NULL}, {0}});
    dspace_event(&d, call, 200, 10, NO_STATS);
    dspace_load(&d);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "main", 0)), 41);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "main", 10)), 42);
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "main", 200)), XPD_NO_GROUP);
    dspace_free(&d);
}

static void regions(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t start = plain(&d, "ThreadpoolListener::StartRegion");
    uint32_t stop = plain(&d, "ThreadpoolListener::StopRegion");
    dspace_line(&d, "pool", 11);
    dspace_event(&d, stop, 5, 0, NO_STATS); /* began before the profile */
    dspace_event(&d, start, 10, 0, NO_STATS);
    dspace_event(&d, stop, 30, 0, NO_STATS);
    dspace_event(&d, start, 30, 0, NO_STATS);
    dspace_event(&d, stop, 45, 0, NO_STATS);
    dspace_event(&d, start, 50, 0, NO_STATS); /* goes on after it */
    dspace_load(&d);
    assert_string_equal(dspace_events(&d, "pool: regions", 0),
                        "ThreadpoolListener::Region 10 30; ThreadpoolListener::Region 30 45; ");
    dspace_free(&d);
}

/* What XProf hides by its name stays hidden, also where the event says that it is of an operation.
 */
static void hidden_with_operation(void **state)
{
    (void)state;
    struct dspace d = {0};
    static const struct dstat op[] = {{"hlo_op", 0, "dot.1"}, {"program_id", 4, NULL}, {0}};
    dspace_plane(&d, "/host:CPU", 1);
    uint32_t work = dspace_name(&d, "dot.1", "", NO_STATS);
    uint32_t memory = dspace_name(&d, "MemoryAllocation", "", NO_STATS);
    dspace_line(&d, "thread", 5);
    dspace_event(&d, work, 0, 10, op);
    dspace_event(&d, memory, 20, 0, op);
    dspace_load(&d);
    assert_int_equal(d.trace->event_count, 2);
    assert_int_equal(d.trace->hidden_count, 1);
    dspace_free(&d);
}

/* V14 and V19: kernels of one module are one bar; launches bring the step to the kernels. */
static void gpu_rows(void **state)
{
    struct dspace d = {0};
    (void)state;
#define KERNEL(id)                                                                                 \
    ((const struct dstat[]){{"kernel_details", 0, "regs:8"},                                       \
                            {"hlo_module", 0, "jit_f"},                                            \
                            {"hlo_op", 0, "fusion::add"},                                          \
                            {"program_id", 9, NULL},                                               \
                            {"tf_op", 0, "jit(f)/mul:"},                                           \
                            {"correlation_id", (id), NULL},                                        \
                            {0}})
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t train = plain(&d, "train"), launch = plain(&d, "launch");
    dspace_line(&d, "main", 11);
    dspace_event(&d, train, 0, 100, ROOT(3));
    dspace_event(&d, launch, 1, 1, (const struct dstat[]){{"correlation_id", 1, NULL}, {0}});
    dspace_event(&d, train, 200, 100, ROOT(4));
    dspace_event(&d, launch, 210, 1, (const struct dstat[]){{"correlation_id", 2, NULL}, {0}});
    dspace_plane(&d, "/device:GPU:0", 1);
    uint32_t kernel = plain(&d, "kernel"), copy = plain(&d, "memcpy");
    dspace_line(&d, "Stream #14(Compute)", 14);
    dspace_event(&d, kernel, 1000, 5000, KERNEL(1));
    dspace_event(&d, copy, 6500, 100, NO_STATS); /* no kernel; the step of the last one */
    dspace_event(&d, kernel, 7000, 2000, KERNEL(2));
    dspace_load(&d);
    assert_string_equal(dspace_events(&d, "Steps", 0), "train 3 1000 6600; train 4 7000 9000; ");
    assert_string_equal(dspace_events(&d, "XLA Modules - from #14", 0),
                        "jit_f(9) 1000 6000; jit_f(9) 7000 9000; ");
    assert_string_equal(dspace_events(&d, "XLA Ops - from #14", 0),
                        "fusion 1000 6000; fusion 7000 9000; | add 1000 5000; add 7000 9000; ");
    assert_string_equal(dspace_events(&d, "Framework Ops - from #14", 0),
                        "mul 1000 6000; mul 7000 9000; ");
    assert_int_equal(xpd_group_of(d.derived, dspace_find(&d, "Stream #14(Compute)", 6500)), 0);
    dspace_free(&d);
}

/* A program's number that is written as a double or as a text is 0, as in XProf: the row showed the
 * bits of the double (9.0 was program 4621256167635550208). */
static void gpu_program_of_another_type(void **state)
{
    struct dspace d = {0};
    (void)state;
#define OF_PROGRAM(number, text)                                                                   \
    ((const struct dstat[]){{"kernel_details", 0, "regs:8"},                                       \
                            {"hlo_module", 0, "jit_f"},                                            \
                            {"program_id", (number), (text)},                                      \
                            {0}})
    dspace_plane(&d, "/device:GPU:0", 1);
    uint32_t kernel = plain(&d, "kernel");
    dspace_line(&d, "Stream #14(Compute)", 14);
    dspace_event(&d, kernel, 1000, 1000, OF_PROGRAM(9, dspace_real));
    dspace_event(&d, kernel, 3000, 1000, OF_PROGRAM(9, NULL));
    dspace_event(&d, kernel, 5000, 1000, OF_PROGRAM(0, "9"));
    dspace_load(&d);
    assert_string_equal(dspace_events(&d, "XLA Modules - from #14", 0),
                        "jit_f(0) 1000 2000; jit_f(9) 3000 4000; jit_f(0) 5000 6000; ");
    dspace_free(&d);
}

/* V14 in full: kernels of one module with the same outermost scope range are one bar, with another
 * one they are two; operations are held apart level by level. The ranges' parents: 11 and 12 lie in
 * 1, 21 in 2; 31 and 32 are each other's parents, which is cut. */
static void gpu_scope_ranges(void **state)
{
    struct dspace d = {0};
    (void)state;
    static const int64_t parent[][2] = {{11, 1}, {12, 1}, {21, 2}, {31, 32}, {32, 31}};
#define SCOPED(id, op)                                                                             \
    ((const struct dstat[]){{"kernel_details", 0, "regs:8"},                                       \
                            {"hlo_module", 0, "jit_f"},                                            \
                            {"hlo_op", 0, (op)},                                                   \
                            {"scope_range_id", (id), NULL},                                        \
                            {0}})
    dspace_plane(&d, "/device:GPU:0", 1);
    uint32_t kernel = plain(&d, "kernel");
    dspace_line(&d, "Stream #7(Compute)", 7);
    dspace_event(&d, kernel, 0, 10000, SCOPED(11, "call::add"));
    dspace_event(&d, kernel, 20000, 10000, SCOPED(12, "call::add"));
    dspace_event(&d, kernel, 40000, 10000, SCOPED(21, "call::add"));
    dspace_event(&d, kernel, 60000, 10000, SCOPED(31, "call::add"));
    dspace_plane(&d, "/host:__ScopeRangeCallStack__", 9);
    for (size_t i = 0; i < sizeof parent / sizeof *parent; i++) {
        size_t stat = pbw_begin(&d.plane, 6);
        pbw_uint(&d.plane, 1, (uint64_t)parent[i][0]);
        pbw_uint(&d.plane, 4, (uint64_t)parent[i][1]);
        pbw_end(&d.plane, stat);
    }
    dspace_load(&d);
    assert_string_equal(dspace_events(&d, "XLA Modules - from #7", 0),
                        "jit_f 0 30000; jit_f 40000 50000; jit_f 60000 70000; ");
    /* in range 1 "call" goes on and each "add" is its own; only a span that equals the one around
     * it ends 1 ns earlier, and the second "add" does not; XProf leaves the last one as it is */
    assert_string_equal(dspace_events(&d, "XLA Ops - from #7", 0),
                        "call 0 30000; call 40000 50000; call 60000 70000; | add 0 10000; add "
                        "20000 30000; add 40000 49000; add 60000 70000; ");
    dspace_free(&d);
}

/* Three launches of step 0 for device 0, one of step 1, one for device 1; the driver's own calls
 * and events without a step do not count. */
static void launches_beside(int64_t threads)
{
    struct dspace d = {0};
#define LAUNCH(device, id)                                                                         \
    ((const struct dstat[]){{"device_id", (device), NULL}, {"correlation_id", (id), NULL}, {0}})
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t train = plain(&d, "train"), launch = plain(&d, "LaunchKernel");
    uint32_t driver = plain(&d, "cuLaunchKernel");
    for (int64_t i = 0; i < threads; i++) {
        dspace_line(&d, "thread", 1 + i);
        dspace_event(&d, driver, 1, 1, NO_STATS);
    }
    dspace_line(&d, "main", 1000);
    dspace_event(&d, launch, 0, 5, LAUNCH(0, 1)); /* before any step */
    dspace_event(&d, train, 1000000, 100000000, ROOT(3));
    dspace_event(&d, launch, 2000000, 3000000, LAUNCH(0, 2));
    dspace_event(&d, driver, 2500000, 1000000, LAUNCH(0, 2));
    dspace_event(&d, launch, 10000000, 1000000, LAUNCH(0, 3));
    dspace_event(&d, launch, 20000000, 2000000, LAUNCH(0, 4));
    dspace_event(&d, launch, 30000000, 2000000, LAUNCH(1, 5));
    dspace_event(&d, train, 200000000, 100000000, ROOT(4));
    dspace_event(&d, launch, 210000000, 4000000, LAUNCH(0, 6));
    for (int64_t gpu = 0; gpu < 2; gpu++) {
        dspace_plane(&d, gpu ? "/device:GPU:1" : "/device:GPU:0", 1 + gpu);
        uint32_t kernel = plain(&d, "kernel");
        dspace_line(&d, "Stream #14(Compute)", 14);
        dspace_event(&d, kernel, 5000000, 5000, NO_STATS);
    }
    dspace_load(&d);
    assert_string_equal(dspace_events(&d, "Launch Stats", 0),
                        "Launch Stats for train 3 2000000 22000000; "
                        "Launch Stats for train 4 210000000 214000000; ");
    assert_string_equal(dspace_events(&d, "Launch Stats", 1),
                        "Launch Stats for train 3 30000000 32000000; ");
    const struct xpd_trace_row *row = dspace_row(&d, "Launch Stats", 0);
    assert_int_equal(row->id, INT64_C(0xdeadbeef) + 1);
    const struct xpd_depth *depth = &d.derived->depth[row->first_depth];
    const struct xpd_event_name *name = &d.derived->name[depth->name[0] - d.trace->name_count];
    struct xpd_str full = xpd_intern_get(&d.derived->names, name->name);
    assert_true(xpd_str_eq(
        full, XPD_STR("Launch Stats for train 3: 3 launches, longest 3.000 us, mean 2.000 us")));
    dspace_free(&d);
}

static void gpu_launches(void **state)
{
    (void)state;
    launches_beside(0);
    launches_beside(300); /* more depths than a byte can tell apart */
}

/* What the event of a stream that starts at a time says of its program. */
static const struct xpd_event_name *name_at(const struct dspace *d, int64_t start_ps)
{
    const struct xpd_depth *depth;
    uint32_t index;
    uint64_t event = dspace_find(d, "Stream #14(Compute)", start_ps);
    assert_true(xpd_trace_find(d->trace, event, &depth, &index));
    return &d->trace->name[depth->name[index]];
}

static void check_name(const struct dspace *d, int64_t start_ps, const char *program,
                       const char *category)
{
    const struct xpd_event_name *name = name_at(d, start_ps);
    assert_true(xpd_str_eq(xpd_intern_get(&d->trace->names, name->program), xpd_str_of(program)));
    assert_true(xpd_str_eq(xpd_intern_get(&d->trace->names, name->category), xpd_str_of(category)));
}

/* One kernel runs for two programs and two kinds of operations: each event says its own; what says
 * nothing has no program. */
static void gpu_programs_of_events(void **state)
{
    struct dspace d = {0};
    (void)state;
#define SAYS(module, id, op)                                                                       \
    ((const struct dstat[]){                                                                       \
        {"hlo_module", 0, module}, {"program_id", id, NULL}, {"hlo_op", 0, op}, {0}})
    dspace_plane(&d, "/device:GPU:0", 1);
    uint32_t kernel = plain(&d, "kernel");
    dspace_line(&d, "Stream #14(Compute)", 14);
    dspace_event(&d, kernel, 1000, 10, SAYS("jit_f", 7, "while.1::loop_add_fusion.2"));
    dspace_event(&d, kernel, 2000, 10, SAYS("jit_g", 8, "copy.3"));
    dspace_event(&d, kernel, 3000, 10, SAYS("jit_g", 8, "my_attention_ffi.4"));
    dspace_event(&d, kernel, 4000, 10, NO_STATS);
    dspace_event(&d, kernel, 5000, 10,
                 ((const struct dstat[]){{"hlo_module", 0, "jit_h"}, {"hlo_op", 0, "dot.1"}, {0}}));
    dspace_event(&d, kernel, 6000, 10, SAYS("jit_g", 8, "all-reduce-start.4"));
    dspace_load(&d);
    check_name(&d, 1000, "jit_f(7)", "loop fusion");
    check_name(&d, 2000, "jit_g(8)", "data formatting");
    check_name(&d, 3000, "jit_g(8)", "custom-call");
    check_name(&d, 4000, "", "");
    check_name(&d, 5000, "jit_h", "dot");
    check_name(&d, 6000, "jit_g(8)", "all-reduce-start");
    assert_int_equal(name_at(&d, 1000)->program_id, 7);
    assert_int_equal(name_at(&d, 4000)->program_id, 0);
    dspace_free(&d);
}

/* Where the file holds the HLO it says what an operation is, whatever its name looks like; another
 * program's instruction of the same name is another one. */
static void gpu_categories_by_hlo(void **state)
{
    struct dspace d = {0};
    (void)state;
    static const struct hb_shape f32 = {.type = HB_F32};
    struct pbw proto = {0}, wrapped = {0};
    struct hb hb;
    hb_init(&hb, "jit_f");
    hb_begin_computation(&hb, "main", 1, false);
    hb_instruction(&hb, &(struct hb_instr){.name = "loop_add_fusion.2",
                                           .opcode = "fusion",
                                           .id = 1,
                                           .shape = &f32,
                                           .fusion_kind = "kInput"});
    hb_instruction(
        &hb, &(struct hb_instr){.name = "copy.3", .opcode = "custom-call", .id = 2, .shape = &f32});
    hb_instruction(&hb,
                   &(struct hb_instr){.name = "my_sum", .opcode = "add", .id = 3, .shape = &f32});
    hb_end_computation(&hb, 3);
    hb_finish(&hb, &proto);
    xspace_wrap(&wrapped, "jit_f", 7, &proto);
    pbw_raw(&d.file, wrapped.data, wrapped.len);
    dspace_plane(&d, "/device:GPU:0", 1);
    uint32_t kernel = plain(&d, "kernel");
    dspace_line(&d, "Stream #14(Compute)", 14);
    dspace_event(&d, kernel, 1000, 10, SAYS("jit_f", 7, "while.1::loop_add_fusion.2"));
    dspace_event(&d, kernel, 2000, 10, SAYS("jit_f", 7, "copy.3"));
    dspace_event(&d, kernel, 3000, 10, SAYS("jit_f", 7, "my_sum"));
    dspace_event(&d, kernel, 4000, 10, SAYS("jit_g", 8, "copy.3"));
    dspace_event(&d, kernel, 5000, 10, SAYS("jit_f", 7, "dot.9"));
    dspace_event(
        &d, kernel, 6000, 10,
        ((const struct dstat[]){{"hlo_module", 0, "jit_f"}, {"hlo_op", 0, "my_sum"}, {0}}));
    dspace_load(&d);
    check_name(&d, 1000, "jit_f(7)", "input fusion");
    check_name(&d, 2000, "jit_f(7)", "custom-call");
    check_name(&d, 3000, "jit_f(7)", "non-fusion elementwise");
    check_name(&d, 4000, "jit_g(8)", "data formatting");
    check_name(&d, 5000, "jit_f(7)", "dot");
    check_name(&d, 6000, "jit_f", "non-fusion elementwise");
    pbw_free(&proto);
    pbw_free(&wrapped);
    dspace_free(&d);
}

#define OF_LAUNCH(id) ((const struct dstat[]){{"correlation_id", (id), NULL}, {0}})

/* Steps of a GPU are what the host's steps launched there: of step 3 two kernels, between which one
 * of step 4 begins on another stream. A kernel that no step launched is in none. */
static void gpu_steps_of_the_host(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t train = plain(&d, "train"), launch = plain(&d, "LaunchKernel");
    dspace_line(&d, "main", 11);
    dspace_event(&d, train, 1000, 5000, ROOT(3));
    dspace_event(&d, launch, 2000, 10, LAUNCH(0, 2));
    dspace_event(&d, launch, 3000, 10, LAUNCH(0, 3));
    dspace_event(&d, train, 7000, 2000, ROOT(4));
    dspace_event(&d, launch, 7500, 10, LAUNCH(0, 4));
    dspace_plane(&d, "/device:GPU:0", 1);
    uint32_t kernel = plain(&d, "kernel");
    dspace_line(&d, "Stream #14(Compute)", 14);
    dspace_event(&d, kernel, 8000, 1000, OF_LAUNCH(2));
    dspace_event(&d, kernel, 12000, 1000, OF_LAUNCH(3));
    dspace_line(&d, "Stream #15(Compute)", 15);
    dspace_event(&d, kernel, 10000, 5000, OF_LAUNCH(4));
    dspace_load(&d);
    uint32_t first, end;
    xpd_steps_of(d.derived, 0, &first, &end);
    assert_int_equal(end - first, 2);
    const struct xpd_step *step = &d.derived->step[first];
    assert_int_equal(step[0].number, 3);
    assert_int_equal(step[0].start_ps, 8000);
    assert_int_equal(step[0].end_ps, 13000);
    assert_int_equal(step[1].number, 4);
    assert_int_equal(step[1].end_ps, 15000);
    assert_true(xpd_str_eq(xpd_intern_get(&d.derived->names, step[0].name), XPD_STR("train 3")));
    dspace_free(&d);
}

/* A line "Steps" in the file is what the steps are; none is derived beside it. */
static void gpu_steps_of_the_file(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t train = plain(&d, "train"), launch = plain(&d, "LaunchKernel");
    dspace_line(&d, "main", 11);
    dspace_event(&d, train, 1000, 5000, ROOT(3));
    dspace_event(&d, launch, 2000, 10, LAUNCH(0, 2));
    dspace_plane(&d, "/device:GPU:0", 1);
    uint32_t kernel = plain(&d, "kernel"), seven = plain(&d, "7");
    dspace_line(&d, "Stream #14(Compute)", 14);
    dspace_event(&d, kernel, 8000, 1000, OF_LAUNCH(2));
    dspace_line(&d, "Steps", -559038737);
    dspace_event(&d, seven, 7000, 6000, NO_STATS);
    dspace_load(&d);
    uint32_t first, end;
    xpd_steps_of(d.derived, 0, &first, &end);
    assert_int_equal(end - first, 1);
    assert_int_equal(d.derived->step[first].number, 7);
    assert_int_equal(d.derived->step[first].end_ps, 13000);
    for (uint32_t i = 0; i < d.derived->row_count; i++)
        assert_int_not_equal(d.derived->row[i].kind, XPD_ROW_STEPS);
    dspace_free(&d);
}

static void nothing_at_all(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/host:metadata", 0);
    dspace_load(&d);
    assert_int_equal(d.derived->row_count, 0);
    assert_int_equal(d.derived->step_count, 0);
    assert_int_equal(d.flows->point_count, 0);
    dspace_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups_by_overlap),
                                       cmocka_unit_test(framework_rows),
                                       cmocka_unit_test(scopes_of_names),
                                       cmocka_unit_test(offload_pairs),
                                       cmocka_unit_test(offload_by_device_clock),
                                       cmocka_unit_test(offload_by_operand),
                                       cmocka_unit_test(waits_of_copies),
                                       cmocka_unit_test(steps_agree_over_chips),
                                       cmocka_unit_test(steps_row_wins),
                                       cmocka_unit_test(groups_from_roots),
                                       cmocka_unit_test(numbers_count_on),
                                       cmocka_unit_test(numbers_of_a_line_count_on),
                                       cmocka_unit_test(numbers_beside_names_without),
                                       cmocka_unit_test(cycles_and_crowds),
                                       cmocka_unit_test(flow_stat),
                                       cmocka_unit_test(launch_flows),
                                       cmocka_unit_test(groups_reach_chips),
                                       cmocka_unit_test(groups_of_the_file),
                                       cmocka_unit_test(regions),
                                       cmocka_unit_test(gpu_rows),
                                       cmocka_unit_test(gpu_program_of_another_type),
                                       cmocka_unit_test(gpu_scope_ranges),
                                       cmocka_unit_test(gpu_launches),
                                       cmocka_unit_test(hidden_with_operation),
                                       cmocka_unit_test(gpu_programs_of_events),
                                       cmocka_unit_test(gpu_categories_by_hlo),
                                       cmocka_unit_test(gpu_steps_of_the_host),
                                       cmocka_unit_test(gpu_steps_of_the_file),
                                       cmocka_unit_test(nothing_at_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
