/* The table of steps. In: the events of a host, the measured steps, executions. Out: for each chip
 * its steps with their parts.
 *
 * Steps are those of the trace (derived.h), else the runs of the program with most time, else equal
 * windows of time. */
#include "xprofd/trace/step_table.h"
#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/order.h"
#include "xprofd/base/threads.h"
#include "xprofd/trace/program_runs.h"

#include <stdlib.h>

struct making {
    const struct xpd_step_input *in;
    struct xpd_arena *arena, *scratch; /* of the table; of what only the making needs */
    struct xpd_step_table *out;
    bool other; /* the runs are of another program than the steps: those run between them */
};
struct marked { /* steps of a process that have events, and what is measured of each */
    const struct xpd_step *step;
    const struct xpd_overlap *overlap;
    const int64_t *device_ps;
    uint32_t count;
};

static int no_memory(struct xpd_err *err)
{
    return xpd_no_memory(err, NULL, "for the steps");
}

/* ---- lanes ---- */

static bool find_devices(struct making *m, struct xpd_step_lane *lane)
{
    const struct xpd_op_times *times = m->in->times;
    const struct xpd_op_device_runs **device =
        XPD_NEW_ARRAY(m->arena, const struct xpd_op_device_runs *, times->device_count);
    for (uint32_t i = 0; device && i < times->device_count; i++)
        if (times->device[i].process == lane->process)
            device[lane->of.device_count++] = &m->in->runs->device[i];
    lane->of.device = device;
    lane->of.part = m->in->places->part;
    return device != NULL;
}

/* A TPU's line of operations is one after another; elsewhere and by another clock, what ran is the
 * union of intervals. */
static bool one_at_a_time(const struct making *m, const struct xpd_step_lane *lane)
{
    if (m->in->view.trace->process[lane->process].kind != XPD_PROCESS_TPU ||
        lane->of.device_count != 1)
        return false;
    return m->out->clock == XPD_CLOCK_DEVICE;
}

static bool by_other_clock(const struct making *m, const struct xpd_step_lane *lane)
{
    for (uint32_t i = 0; i < lane->of.device_count; i++)
        if (lane->of.device[i]->device_clock && m->out->clock == XPD_CLOCK_HOST)
            return true;
    return false;
}

/* ---- the steps of the trace ---- */

static bool is_run(const struct xpd_view *view, const struct xpd_step *step)
{
    struct xpd_event event;
    return xpd_view_event(view, step->event, &event) &&
           xpd_view_row(view, event.row)->kind == XPD_ROW_MODULES;
}

#define OVERLAP 0.01 /* of a step: below that two of them touch */

/* By the chip's own clock where that is the answer's; after the last of all steps before. */
static void find_gaps(const struct making *m, struct xpd_step_lane *lane,
                      const struct xpd_step *step)
{
    struct xpd_time_range at = {0, 0}, next;
    bool device = m->out->clock == XPD_CLOCK_DEVICE;
    for (uint32_t i = 0; !m->other && i < lane->count; i++) {
        if (!device)
            next = (struct xpd_time_range){lane->cell[i].span.from_ps, lane->cell[i].span.to_ps};
        bool known = device ? xpd_step_device_range(&m->in->view, &step[i], &next) : true;
        if (i > 0 && known && next.from_ps >= at.to_ps)
            lane->cell[i - 1].gap_ps = next.from_ps - at.to_ps;
        else if (i > 0 && known)
            m->out->overlapping += (double)at.to_ps - (double)next.from_ps >
                                   OVERLAP * ((double)next.to_ps - (double)next.from_ps);
        at = i > 0 && at.to_ps > next.to_ps ? at : next;
    }
}

/* The idle part of a gap; its length is by the clock of the steps. */
static int64_t idle_of(int64_t gap_ps, const struct xpd_overlap *of)
{
    int64_t busy_ps = of->length_ps - of->idle_ps;
    if (gap_ps <= 0)
        return gap_ps;
    return busy_ps < gap_ps ? gap_ps - busy_ps : 0;
}

static int measure(const struct making *m, const struct xpd_step_lane *lane, int64_t from_ps,
                   int64_t to_ps, struct xpd_overlap *of, struct xpd_err *err)
{
    struct xpd_time_range range = {from_ps, to_ps};
    *of = (struct xpd_overlap){0};
    return from_ps < to_ps
               ? xpd_overlap_in(&m->in->view, m->in->overlap, lane->process, range, of, err)
               : XPD_OK;
}

/* The whole time of the trace in pieces, step after step: what no step covers, then what this one
 * covers and none before it. What ran in them is host-aligned as all of overlap is. */
static int measure_lane(const struct making *m, struct xpd_step_lane *lane, struct xpd_err *err)
{
    struct xpd_time_range all = xpd_view_all(&m->in->view);
    struct xpd_overlap of;
    int64_t at_ps = all.from_ps;
    int rc = XPD_OK;
    for (uint32_t i = 0; rc == XPD_OK && i <= lane->count; i++) {
        struct xpd_step_cell *cell = &lane->cell[i];
        int64_t next_ps = i < lane->count ? cell->span.from_ps : all.to_ps;
        rc = measure(m, lane, at_ps, next_ps, &of, err);
        xpd_grow_i64(&lane->outside_ps, of.compute_ps);
        if (i > 0)
            cell[-1].gap_idle_ps = idle_of(cell[-1].gap_ps, &of);
        if (rc != XPD_OK || i == lane->count)
            break;
        at_ps = next_ps > at_ps ? next_ps : at_ps;
        rc = measure(m, lane, at_ps, cell->span.to_ps, &of, err);
        xpd_grow_i64(&lane->compute_ps, of.compute_ps);
        at_ps = cell->span.to_ps > at_ps ? cell->span.to_ps : at_ps;
    }
    xpd_grow_i64(&lane->compute_ps, lane->outside_ps);
    return rc;
}

static int64_t hidden_of(const struct xpd_overlap *overlap)
{
    int64_t hidden_ps = overlap->comm_overlapped_ps;
    xpd_grow_i64(&hidden_ps, overlap->copy_overlapped_ps);
    return hidden_ps < overlap->compute_ps ? hidden_ps : overlap->compute_ps;
}

static bool take_steps(struct making *m, struct xpd_step_lane *lane, const struct marked *of)
{
    const struct xpd_step *step = of->step;
    bool union_of = !one_at_a_time(m, lane), stretch = by_other_clock(m, lane);
    lane->cell = XPD_NEW_ARRAY(m->arena, struct xpd_step_cell, of->count);
    for (uint32_t i = 0; lane->cell && i < of->count; i++) {
        bool device = m->out->clock == XPD_CLOCK_DEVICE;
        lane->cell[lane->count++] = (struct xpd_step_cell){
            .number = step[i].number,
            .gap_ps = -1,
            .hidden_ps = hidden_of(&of->overlap[i]),
            .span = {.from_ps = step[i].start_ps,
                     .to_ps = step[i].end_ps,
                     .duration_ps = device ? of->device_ps[i] : step[i].end_ps - step[i].start_ps,
                     .measured = union_of ? &of->overlap[i] : NULL,
                     .stretch = stretch}};
    }
    if (lane->cell)
        find_gaps(m, lane, step);
    m->out->side_by_side |= union_of;
    return lane->cell != NULL;
}

static int from_steps(struct making *m, struct xpd_err *err)
{
    const struct xpd_view *view = &m->in->view;
    bool fine = true;
    for (uint32_t p = 0; fine && p < view->trace->process_count; p++) {
        uint32_t first, end;
        xpd_steps_of(view->derived, p, &first, &end);
        if (first == end || !xpd_trace_computes(view->trace, p))
            continue;
        struct xpd_step_lane *lane = &m->out->lane[m->out->lane_count++];
        lane->process = p;
        struct marked of = {view->derived->step + first, m->in->kept->overlap + first,
                            m->in->kept->device_ps + first, end - first};
        fine = find_devices(m, lane) && take_steps(m, lane, &of);
        if (is_run(view, &view->derived->step[first])) {
            struct xpd_event event;
            m->out->what = XPD_STEPS_RUNS;
            if (xpd_view_event(view, view->derived->step[first].event, &event))
                m->out->program = view->trace->name[event.name].caption;
        }
    }
    return fine ? XPD_OK : no_memory(err);
}

/* ---- other spans, whose parts have to be measured ---- */

static int take_spans(struct making *m, struct xpd_step_lane *lane,
                      const struct xpd_run_spans *spans, struct xpd_err *err)
{
    struct xpd_overlap *measured = XPD_NEW_ARRAY(m->arena, struct xpd_overlap, spans->count);
    int rc = XPD_OK;
    lane->cell = XPD_NEW_ARRAY(m->arena, struct xpd_step_cell, spans->count);
    if (!measured || !lane->cell)
        return no_memory(err);
    m->out->side_by_side = true;
    for (uint32_t i = 0; rc == XPD_OK && i < spans->count; i++) {
        struct xpd_time_range range = {spans->span[i].from_ps, spans->span[i].to_ps};
        rc = xpd_overlap_in(&m->in->view, m->in->overlap, lane->process, range, &measured[i], err);
        lane->cell[lane->count++] =
            (struct xpd_step_cell){.number = (int64_t)spans->first_number + i,
                                   .gap_ps = -1,
                                   .hidden_ps = hidden_of(&measured[i]),
                                   .span = {.from_ps = range.from_ps,
                                            .to_ps = range.to_ps,
                                            .duration_ps = range.to_ps - range.from_ps,
                                            .measured = &measured[i],
                                            .stretch = by_other_clock(m, lane),
                                            .cuts = m->out->what == XPD_STEPS_WINDOWS}};
    }
    find_gaps(m, lane, NULL);
    return rc;
}

/* NULL = no program ran. */
static const struct xpd_op_program *main_of(const struct xpd_op_times *times)
{
    const struct xpd_op_program *busiest = xpd_op_program_busiest(times);
    return busiest && !busiest->loose ? busiest : NULL;
}

/* Operations of the entry computation, which each run has, by their places in it. *out: NULL where
 * the profile does not hold the program, or none of them was timed. */
static bool find_order(struct making *m, const struct xpd_op_program *program, uint32_t **out)
{
    const struct xpd_op_places *places = m->in->places;
    uint32_t *order = XPD_NEW_ROOM(m->scratch, uint32_t, program->op_count);
    bool any = false;
    for (uint32_t o = 0; order && o < program->op_count; o++) {
        size_t op = program->first_op + o;
        order[o] = places->entry[op] ? places->place[op].instruction : XPD_NO_INDEX;
        any |= places->entry[op];
    }
    *out = any ? order : NULL;
    return order != NULL;
}

/* A lane for each process that computes. */
static bool find_lanes(struct making *m, uint32_t *lanes)
{
    const struct xpd_trace *trace = m->in->view.trace;
    for (uint32_t p = 0; p < trace->process_count; p++) {
        if (!xpd_trace_computes(trace, p))
            continue;
        m->out->lane[*lanes] = (struct xpd_step_lane){.process = p};
        if (!find_devices(m, &m->out->lane[(*lanes)++]))
            return false;
    }
    return true;
}

/* The device of a lane that ran the program most often tells where its runs begin. */
static bool find_runs_of(struct making *m, const struct xpd_step_lane *lane,
                         const struct xpd_op_program *program, const uint32_t *order,
                         struct xpd_run_spans *best)
{
    struct xpd_run_spans runs;
    for (uint32_t i = 0; i < lane->of.device_count; i++) {
        if (!xpd_run_spans_make(&runs, m->scratch, m->in->times, lane->of.device[i], program,
                                order))
            return false;
        if (runs.count > best->count)
            *best = runs;
    }
    if (best->in_part > m->out->in_part)
        m->out->in_part = best->in_part;
    return true;
}

/* Recording began within run 0 of some chips, of which only a part is there. A chip that had ended
 * it has no part, and begins with run 1 as well: its first run begins with run 1 of the others. */
static void align_runs(struct xpd_run_spans *runs, uint32_t count)
{
    const struct xpd_run_spans *begun = NULL;
    for (uint32_t i = 0; i < count && !begun; i++)
        begun = runs[i].first_number == 1 && runs[i].count > 0 ? &runs[i] : NULL;
    for (uint32_t i = 0; begun && i < count; i++) {
        if (runs[i].count == 0 || runs[i].first_number == 1)
            continue;
        int64_t from_ps = runs[i].span[0].from_ps;
        runs[i].first_number = from_ps / 2 > begun->part_from_ps / 4 + begun->span[0].from_ps / 4;
    }
}

/* Those of lanes that have any; others have none afterwards. */
static int take_all(struct making *m, uint32_t lanes, const struct xpd_run_spans *runs,
                    struct xpd_err *err)
{
    int rc = XPD_OK;
    m->out->lane_count = 0;
    for (uint32_t i = 0; rc == XPD_OK && i < lanes; i++) {
        struct xpd_step_lane *lane = &m->out->lane[m->out->lane_count];
        *lane = m->out->lane[i];
        if (runs[i].count > 0)
            rc = take_spans(m, lane, &runs[i], err);
        m->out->lane_count += lane->count > 0;
    }
    return rc;
}

static int take_runs(struct making *m, const struct xpd_op_program *program, struct xpd_err *err)
{
    uint32_t *order, lanes = 0;
    struct xpd_run_spans *runs = NULL;
    if (!find_lanes(m, &lanes) || !find_order(m, program, &order) ||
        !(runs = XPD_NEW_ARRAY(m->scratch, struct xpd_run_spans, lanes)))
        return no_memory(err);
    for (uint32_t i = 0; i < lanes; i++)
        if (!find_runs_of(m, &m->out->lane[i], program, order, &runs[i]))
            return no_memory(err);
    align_runs(runs, lanes);
    return take_all(m, lanes, runs, err);
}

static int64_t longest_of(const struct xpd_split_lane *lane)
{
    int64_t longest_ps = 0;
    for (uint32_t d = 0; d < lane->device_count; d++)
        for (uint32_t i = 0; i < lane->device[d]->count; i++) {
            int64_t ps = xpd_op_run_duration_ps(lane->device[d], i);
            longest_ps = ps > longest_ps ? ps : longest_ps;
        }
    return longest_ps;
}

static int take_windows(struct making *m, struct xpd_err *err)
{
    struct xpd_run_span span[XPD_STEP_WINDOWS];
    struct xpd_run_spans *runs = NULL;
    uint32_t lanes = 0;
    struct xpd_time_range all = xpd_view_all(&m->in->view);
    int64_t width_ps = (all.to_ps - all.from_ps) / XPD_STEP_WINDOWS;
    if (!find_lanes(m, &lanes) || !(runs = XPD_NEW_ARRAY(m->scratch, struct xpd_run_spans, lanes)))
        return no_memory(err);
    for (int i = 0; i < XPD_STEP_WINDOWS; i++)
        span[i] = (struct xpd_run_span){
            all.from_ps + i * width_ps,
            i + 1 == XPD_STEP_WINDOWS ? all.to_ps : all.from_ps + (i + 1) * width_ps};
    for (uint32_t i = 0; i < lanes; i++) {
        m->out->lane[i].of.longest_ps = longest_of(&m->out->lane[i].of);
        runs[i] = (struct xpd_run_spans){.span = span, .count = XPD_STEP_WINDOWS};
    }
    return take_all(m, lanes, runs, err);
}

/* The times of the program that was asked for; NULL: no operation of it ran on this host. */
static const struct xpd_op_program *ran_of(const struct making *m)
{
    const struct xpd_op_program *program = xpd_op_program_of(m->in->times, m->in->program->id);
    return program ? program : xpd_op_program_named(m->in->times, m->in->program->name);
}

static int from_others(struct making *m, struct xpd_err *err)
{
    const struct xpd_op_program *program = m->in->program ? ran_of(m) : main_of(m->in->times);
    if (m->in->program && !program)
        return XPD_OK;
    m->other = program != NULL && program != main_of(m->in->times);
    m->out->what = program ? XPD_STEPS_RUNS : XPD_STEPS_WINDOWS;
    m->out->clock = XPD_CLOCK_HOST;
    m->out->why_host = program ? "runs of the program are found by its operations, which the "
                                 "host-aligned clock places"
                               : "no steps were recorded, so the time of the recording is divided";
    if (program) {
        m->out->program = program->name;
        m->out->by_times = program;
    }
    return program ? take_runs(m, program, err) : take_windows(m, err);
}

/* ---- runs of a program that was asked for, where chips have a row of them ---- */

/* The overlap of a run is kept by its cell; the rest is scratch. */
static int find_runs(struct making *m, uint32_t process, struct marked *out, struct xpd_err *err)
{
    const struct xpd_view *view = &m->in->view;
    struct xpd_str key = m->in->program->key;
    uint64_t id = m->in->program->id;
    uint32_t n = xpd_runs_of_program(view->trace, process, key, id, NULL, 0);
    if (n == XPD_NO_INDEX || n == 0)
        return n == 0 ? XPD_OK : no_memory(err);
    struct xpd_step *step = XPD_NEW_ARRAY(m->scratch, struct xpd_step, n);
    struct xpd_overlap *overlap = XPD_NEW_ARRAY(m->arena, struct xpd_overlap, n);
    int64_t *device_ps = XPD_NEW_ARRAY(m->scratch, int64_t, n);
    int rc = XPD_OK;
    if (!step || !overlap || !device_ps)
        return no_memory(err);
    if (xpd_runs_of_program(view->trace, process, key, id, step, n) != n)
        return no_memory(err);
    for (uint32_t i = 0; rc == XPD_OK && i < n; i++) {
        struct xpd_time_range range = {step[i].start_ps, step[i].end_ps};
        device_ps[i] = xpd_step_device_ps(view, &step[i]);
        rc = xpd_overlap_in(view, m->in->overlap, process, range, &overlap[i], err);
    }
    *out = (struct marked){step, overlap, device_ps, n};
    return rc;
}

static bool by_device(const struct making *m, const struct xpd_step_lane *lane,
                      const struct marked *of)
{
    for (uint32_t i = 0; i < of->count; i++)
        if (of->device_ps[i] < 0)
            return false;
    return one_at_a_time(m, lane);
}

/* All lanes by one clock: the device's where each run of each chip has it, and a chip runs one
 * operation at a time. */
static int from_runs(struct making *m, struct xpd_err *err)
{
    const struct xpd_trace *trace = m->in->view.trace;
    struct marked *of = XPD_NEW_ARRAY(m->scratch, struct marked, trace->process_count);
    int rc = of ? XPD_OK : no_memory(err);
    bool device = m->in->clock == XPD_CLOCK_DEVICE;
    m->other = ran_of(m) != main_of(m->in->times);
    m->out->clock = XPD_CLOCK_DEVICE;
    for (uint32_t p = 0; rc == XPD_OK && p < trace->process_count; p++) {
        struct xpd_step_lane *lane = &m->out->lane[m->out->lane_count];
        rc = xpd_trace_computes(trace, p) ? find_runs(m, p, &of[m->out->lane_count], err) : XPD_OK;
        if (rc != XPD_OK || of[m->out->lane_count].count == 0)
            continue;
        *lane = (struct xpd_step_lane){.process = p};
        if (!find_devices(m, lane))
            return no_memory(err);
        device = device && by_device(m, lane, &of[m->out->lane_count]);
        m->out->lane_count++;
    }
    if (!device) {
        m->out->clock = XPD_CLOCK_HOST;
        m->out->why_host =
            m->in->clock == XPD_CLOCK_HOST
                ? "asked for"
                : "not all runs and work of the chips have times on their own clocks";
    } else
        m->out->why_host = NULL;
    for (uint32_t l = 0; rc == XPD_OK && l < m->out->lane_count; l++)
        if (!take_steps(m, &m->out->lane[l], &of[l]))
            rc = no_memory(err);
    m->out->what = XPD_STEPS_RUNS;
    return rc;
}

/* The steps of the trace are its runs already. */
static bool is_main(const struct making *m)
{
    const struct xpd_derived *derived = m->in->view.derived;
    struct xpd_event event;
    if (derived->step_count == 0 || !is_run(&m->in->view, &derived->step[0]) ||
        !xpd_view_event(&m->in->view, derived->step[0].event, &event))
        return false;
    const struct xpd_event_name *name = &m->in->view.trace->name[event.name];
    return xpd_str_eq(xpd_intern_get(&m->in->view.trace->names, name->caption),
                      m->in->program->key);
}

/* ---- parts ---- */

enum { SPLITTERS = 2 };

struct splitting {
    const struct making *m;
    struct {
        struct xpd_split_op *op; /* what it adds up */
        struct xpd_err err;
        int rc;
    } at[SPLITTERS];
};

static void split_lane(void *context, uint32_t number, uint32_t thread)
{
    struct splitting *s = context;
    struct xpd_step_lane *lane = &s->m->out->lane[number];
    int rc = measure_lane(s->m, lane, &s->at[thread].err);
    if (rc != XPD_OK)
        s->at[thread].rc = rc;
    for (uint32_t i = 0; rc == XPD_OK && i < lane->count; i++)
        xpd_step_split(&lane->cell[i].parts, &lane->of, &lane->cell[i].span, s->at[thread].op);
}

/* Chip by chip; the sums of operations are the same in any order. */
static int split_all(struct making *m, struct xpd_err *err)
{
    struct xpd_step_table *out = m->out;
    uint32_t ops = out->times->op_count;
    bool alone = out->lane_count < 2;
    struct splitting s = {.m = m, .at = {{.op = out->op}}};
    s.at[1].op = alone ? NULL : XPD_NEW_ARRAY(m->scratch, struct xpd_split_op, ops);
    if (!alone && !s.at[1].op)
        return no_memory(err);
    xpd_threads_each(alone ? 1 : SPLITTERS, out->lane_count, split_lane, &s);
    for (uint32_t o = 0; !alone && o < ops; o++) {
        xpd_grow_i64(&out->op[o].time_ps, s.at[1].op[o].time_ps);
        xpd_grow_i64(&out->op[o].self_ps, s.at[1].op[o].self_ps);
        out->op[o].count += s.at[1].op[o].count;
    }
    for (int i = 0; i < SPLITTERS; i++)
        if (s.at[i].rc != XPD_OK) {
            if (err)
                *err = s.at[i].err;
            return s.at[i].rc;
        }
    return XPD_OK;
}

/* ---- the table ---- */

static int find_steps(struct making *m, struct xpd_err *err)
{
    if (!m->in->program || is_main(m))
        return from_steps(m, err);
    return from_runs(m, err);
}

/* ---- steps that a chip lacks ----
 *
 * An event of the line of steps may be lost, on one chip. What follows there is not the gap between
 * two steps, but most of a step, and the mean of the chips would have it. */

/* Of all chips, ascending, each as often as it occurs; NULL: no memory. */
static int64_t *numbers_of(const struct xpd_step_table *table, size_t *count,
                           struct xpd_arena *scratch)
{
    size_t cells = 0;
    for (uint32_t l = 0; l < table->lane_count; l++)
        cells += table->lane[l].count;
    int64_t *number = XPD_NEW_ARRAY(scratch, int64_t, cells);
    *count = 0;
    for (uint32_t l = 0; number && l < table->lane_count; l++)
        for (uint32_t i = 0; i < table->lane[l].count; i++)
            number[(*count)++] = table->lane[l].cell[i].number;
    if (*count > 1)
        qsort(number, *count, sizeof *number, xpd_order_i64);
    return number;
}

static bool any_between(const int64_t *number, size_t count, int64_t after, int64_t before)
{
    size_t low = 0;
    XPD_BISECT(low, count, middle, number[middle] <= after);
    return low < count && number[low] < before;
}

bool xpd_step_table_drop_gaps(struct xpd_step_table *table, struct xpd_arena *scratch)
{
    size_t count;
    if (table->lane_count < 2)
        return true;
    const int64_t *number = numbers_of(table, &count, scratch);
    for (uint32_t l = 0; number && l < table->lane_count; l++) {
        struct xpd_step_cell *cell = table->lane[l].cell;
        for (uint32_t i = 1; i < table->lane[l].count; i++)
            if (any_between(number, count, cell[i - 1].number, cell[i].number))
                cell[i - 1].gap_ps = -1;
    }
    return number != NULL;
}

int xpd_step_table_make(struct xpd_step_table *out, const struct xpd_step_input *in,
                        struct xpd_arena *arena, struct xpd_arena *scratch, struct xpd_err *err)
{
    struct making m = {.in = in, .arena = arena, .scratch = scratch, .out = out};
    bool worked = false;
    *out = (struct xpd_step_table){.trace = in->view.trace,
                                   .times = in->times,
                                   .places = *in->places,
                                   .program = XPD_NO_NAME,
                                   .clock = in->kept->clock,
                                   .why_host = in->kept->why_host};
    out->lane = XPD_NEW_ARRAY(arena, struct xpd_step_lane, (size_t)out->trace->process_count + 1);
    out->op = XPD_NEW_ARRAY(arena, struct xpd_split_op, out->times->op_count);
    if (!out->lane || !out->op)
        return no_memory(err);
    int rc = find_steps(&m, err);
    if (rc == XPD_OK && out->lane_count == 0)
        rc = from_others(&m, err);
    if (rc == XPD_OK && !xpd_step_table_drop_gaps(out, scratch))
        rc = no_memory(err);
    if (rc == XPD_OK)
        rc = split_all(&m, err);
    for (uint32_t l = 0; rc == XPD_OK && l < out->lane_count; l++)
        for (uint32_t i = 0; i < out->lane[l].count; i++) {
            const struct xpd_step_cell *cell = &out->lane[l].cell[i];
            out->cells++;
            xpd_grow_i64(&out->total_ps, cell->span.duration_ps);
            worked |= cell->parts.ps[XPD_PART_IDLE] < cell->span.duration_ps;
        }
    out->nothing = out->cells > 0 && !worked;
    for (uint32_t i = 0; i < in->view.derived->step_count; i++)
        out->threads_mark |= in->view.derived->step[i].thread != XPD_NO_INDEX;
    return rc;
}

struct xpd_str xpd_step_table_program(const struct xpd_step_table *table)
{
    if (table->program == XPD_NO_NAME)
        return XPD_STR("");
    return xpd_intern_get(table->by_times ? &table->times->names : &table->trace->names,
                          table->program);
}
