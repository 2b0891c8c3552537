/* Totals by what runs at a time: steps and programs, with gaps between them and events that begin
 * at their borders, against sums made event by event. */
#include "derive_space.h"
#include "xprofd/trace/totals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RUNS = 40, PERIOD = 10000, LONG = 6000, EVENTS = 4000, PROGRAMS = 3, SLOTS = RUNS + 1 };

struct op {
    int64_t start_ps, duration_ps, device_ps;
};
struct sum {
    uint64_t count;
    int64_t total_ps, host_ps, min_ps, max_ps;
    int64_t value[EVENTS];
};

static uint64_t below(uint64_t *state, uint64_t limit)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state % limit;
}

/* Run k is [k * PERIOD + 1000, + LONG], both ends in it; -1: none runs. */
static int run_at(int64_t at_ps)
{
    int64_t k = (at_ps - 1000) / PERIOD;
    return at_ps >= 1000 && k < RUNS && (at_ps - 1000) % PERIOD <= LONG ? (int)k : -1;
}

/* Operations one after another, some exactly on the borders of a run, some instants. */
static void make_ops(struct op *op, uint64_t *seed)
{
    int64_t at = 0;
    for (int i = 0; i < EVENTS; i++) {
        int64_t duration = below(seed, 5) == 0 ? 0 : (int64_t)below(seed, 150);
        int64_t edge = (at - 1000) / PERIOD * PERIOD + 1000 + (below(seed, 2) ? PERIOD : LONG);
        op[i] = (struct op){at, duration, -1};
        if (at < edge && at + duration + 40 >= edge && at > 1000)
            op[i].duration_ps = duration = 0, op[i].start_ps = at = edge;
        if (below(seed, 3) > 0)
            op[i].device_ps = (int64_t)below(seed, 200);
        at += duration + 1 + (int64_t)below(seed, 50);
    }
}

static void write_device(struct dspace *d, const struct op *op, const char *plane, bool steps)
{
    static const char *const program[PROGRAMS] = {"jit_a(1)", "jit_b(2)", "jit_c(3)"};
    uint32_t of_program[PROGRAMS], of_op[7];
    char name[32];
    dspace_plane(d, plane, 1);
    for (int i = 0; i < PROGRAMS; i++)
        of_program[i] = dspace_name(d, program[i], "", NO_STATS);
    for (int i = 0; i < 7; i++) {
        snprintf(name, sizeof name, "fusion.%d", i);
        of_op[i] = dspace_name(d, name, "", ((const struct dstat[]){{"flops", 10 + i, NULL}, {0}}));
    }
    for (int line = steps ? 1 : 2; line <= 2; line++) {
        dspace_line(d, line == 1 ? "Steps" : "XLA Modules", line);
        for (int i = 0; i < RUNS; i++) {
            snprintf(name, sizeof name, "%d", i);
            dspace_event(d,
                         line == 1 ? dspace_name(d, name, "", NO_STATS) : of_program[i % PROGRAMS],
                         (int64_t)i * PERIOD + 1000, LONG, NO_STATS);
        }
    }
    dspace_line(d, "XLA Ops", 3);
    for (int i = 0; i < EVENTS; i++)
        dspace_event(
            d, of_op[i % 7], op[i].start_ps, op[i].duration_ps,
            op[i].device_ps < 0
                ? NO_STATS
                : ((const struct dstat[]){{"device_duration_ps", op[i].device_ps, NULL}, {0}}));
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void expect(struct sum *sum, const struct op *op, bool device)
{
    int64_t ps = device && op->device_ps >= 0 ? op->device_ps : op->duration_ps;
    sum->min_ps = sum->count == 0 || ps < sum->min_ps ? ps : sum->min_ps;
    sum->max_ps = ps > sum->max_ps ? ps : sum->max_ps;
    sum->total_ps += ps;
    sum->host_ps += op->duration_ps;
    sum->value[sum->count++] = ps;
}

/* Slot of a group: 0 outside, else 1 + its step or program. */
static int slot_of(const struct xpd_view *view, enum xpd_totals_by by,
                   const struct xpd_total *total)
{
    if (total->key == XPD_NO_INDEX)
        return 0;
    if (by == XPD_BY_STEP)
        return 1 + (int)view->derived->step[total->key].number;
    return 1 + xpd_view_caption(view, total->key).data[4] - 'a';
}

static void check(const struct xpd_view *view, const struct xpd_totals_ask *ask,
                  const struct op *const *op, int devices)
{
    struct xpd_totals totals;
    struct sum *want = calloc(SLOTS, sizeof *want);
    double flops[SLOTS] = {0};
    uint32_t group[SLOTS], groups = 0;
    for (int d = 0; d < devices; d++)
        for (int i = 0; i < EVENTS; i++) {
            int run = run_at(op[d][i].start_ps);
            int slot = run < 0 ? 0 : 1 + (ask->by == XPD_BY_STEP ? run : run % PROGRAMS);
            expect(&want[slot], &op[d][i], ask->clock == XPD_CLOCK_DEVICE);
            flops[slot] += 10 + i % 7;
        }
    assert_int_equal(xpd_totals_make(&totals, ask, NULL), XPD_OK);
    assert_true(totals.group_count <= SLOTS);
    while (groups < totals.group_count)
        group[groups] = groups, groups++;
    assert_int_equal(xpd_totals_percentiles(&totals, ask, group, groups, NULL), XPD_OK);
    for (uint32_t g = 0; g < groups; g++) {
        const struct xpd_total *got = &totals.group[g];
        struct sum *sum = &want[slot_of(view, ask->by, got)];
        qsort(sum->value, sum->count, sizeof *sum->value, by_value);
        assert_int_equal(got->count, sum->count);
        assert_int_equal(got->total_ps, sum->total_ps);
        assert_int_equal(got->self_ps, sum->total_ps);
        assert_int_equal(got->host_ps, sum->host_ps);
        assert_int_equal(got->min_ps, sum->min_ps);
        assert_int_equal(got->max_ps, sum->max_ps);
        assert_true(got->exact);
        assert_int_equal(got->p50_ps, sum->value[(sum->count + 1) / 2 - 1]);
        assert_int_equal(got->p99_ps, sum->value[(sum->count * 99 + 99) / 100 - 1]);
        assert_true(got->flops == flops[slot_of(view, ask->by, got)]);
        sum->count = 0;
    }
    for (int i = 0; i < SLOTS; i++)
        assert_int_equal(want[i].count, 0); /* every group was there */
    xpd_totals_fini(&totals);
    free(want);
}

/* With steps of their own, and with the runs of the main program as steps (not compared by step:
 * only one program's runs count then). `clip` takes the loop that asks for each event's group. */
static void by_step_and_program(bool steps)
{
    static struct op op[2][EVENTS];
    const struct op *const both[2] = {op[0], op[1]};
    uint64_t seed = 77;
    struct dspace d = {0};
    for (int i = 0; i < 2; i++) {
        make_ops(op[i], &seed);
        write_device(&d, op[i], i == 0 ? "/device:TPU:0" : "/device:TPU:1", steps);
    }
    dspace_load(&d);
    struct xpd_view view = {d.trace, d.derived};
    uint32_t row[2], rows = 0;
    for (uint32_t i = 0; i < d.trace->row_count; i++)
        if (d.trace->row[i].kind == XPD_ROW_OPS)
            row[rows++] = i;
    assert_int_equal(rows, 2);
    for (int variant = 0; variant < 16; variant++) {
        struct xpd_totals_ask ask = {.view = &view,
                                     .by = variant & 1 && steps ? XPD_BY_STEP : XPD_BY_MODULE,
                                     .clock = variant & 2 ? XPD_CLOCK_DEVICE : XPD_CLOCK_HOST,
                                     .row = row,
                                     .row_count = 2,
                                     .range = xpd_view_all(&view),
                                     .clip = (variant & 4) != 0,
                                     .threads = variant & 8 ? 3 : 1};
        check(&view, &ask, both, 2);
    }
    dspace_free(&d);
}

static void with_steps(void **state)
{
    (void)state;
    by_step_and_program(true);
}

static void without_steps(void **state)
{
    (void)state;
    by_step_and_program(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_steps),
        cmocka_unit_test(without_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
