/* The loop of totals by chip, row, module and step over events that are not cut: events of a group
 * stand in runs, and a run is added up in registers. How far a run reaches: events of a depth stand
 * in order of time, and so do the steps and programs they are grouped by, so that a group changes
 * at the borders of those alone.
 *
 * In: a piece whose sums cannot overflow (the caller knows). Out: tallies by group, equal to those
 * of the general loop in totals_work.c. Where all events are of one group, each would wait for the
 * sums that the one before has just written; here sums are written once a run. */
#include "../groups/trace_groups.h"
#include "totals_loop.h"

#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"
#include "xprofd/trace/window.h"

/* ---- where a run ends ---- */

/* The first index in [at, end) whose start is beyond a time: looked for in steps that double, for
 * it is mostly near. */
static uint32_t first_beyond(const struct xpd_depth *depth, uint32_t at, uint32_t end,
                             int64_t until_ps)
{
    uint32_t low = at, step = 64;
    while (end - low > step && xpd_depth_start(depth, low + step) <= until_ps) {
        low += step;
        step = step < UINT32_MAX / 2 ? step * 2 : step;
    }
    uint32_t high = end - low > step ? low + step : end;
    XPD_BISECT(low, high, middle, xpd_depth_start(depth, middle) <= until_ps);
    return low;
}

/* Events whose names say the same program as event i, or that ran while the same one did. */
static uint32_t same_program(const struct xpd_grouping *grouping, const struct xpd_depth *depth,
                             uint32_t i, uint32_t end, uint32_t group)
{
    const uint32_t *of_name = grouping->group_of_name;
    bool by_time = of_name[depth->name[i]] == XPD_GROUP_ASK;
    uint32_t stop = by_time ? first_beyond(depth, i + 1, end, grouping->until_ps) : end;
    for (uint32_t k = i + 1; k < stop; k++) {
        xpd_read_ahead(&depth->name[k]);
        uint32_t other = of_name[depth->name[k]];
        if (other != group && !(other == XPD_GROUP_ASK && by_time))
            return k;
    }
    return stop;
}

static bool is_host(const struct xpd_grouping *grouping)
{
    const struct xpd_view *view = grouping->view;
    return view->derived && view->trace->process[grouping->process].kind == XPD_PROCESS_HOST;
}

uint32_t xpd_grouping_reach(struct xpd_grouping *grouping, const struct xpd_depth *depth,
                            uint32_t i, uint32_t end, uint32_t *stop)
{
    uint32_t group = xpd_grouping_of(grouping, depth, i);
    const struct xpd_view *view = grouping->view;
    *stop = i + 1;
    if (group == XPD_NO_INDEX)
        return group; /* out of memory: the grouping says so */
    if (grouping->fixed != XPD_NO_INDEX)
        *stop = end;
    else if (grouping->by == XPD_BY_STEP && !is_host(grouping))
        *stop = first_beyond(depth, i + 1, end, grouping->until_ps);
    else if (grouping->by == XPD_BY_STEP && depth->first_event < view->trace->event_count &&
             !view->trace->process[grouping->process].ran_ops) /* operations go by time besides */
        *stop = xpd_groups_reach(view->derived->groups, view->trace, depth, i, end);
    else if (grouping->by == XPD_BY_MODULE && !grouping->own)
        *stop = same_program(grouping, depth, i, end, group);
    return group;
}

/* ---- its sums ---- */

#define RUN_MAX 4096 /* events: what is read of them twice is still in the cache */

struct run { /* events [first, end) */
    uint32_t first, end;
    uint32_t below; /* in the depth below: where it goes on */
    struct xpd_tally sum;
    struct xpd_totals_work work;
};

static XPD_ALWAYS void add(const struct xpd_totals_loop *loop, struct run *run, const bool nested,
                           const bool column, const bool device)
{
    const struct xpd_totals_columns at = loop->at;
    struct xpd_tally sum = {.min_ps = INT64_MAX};
    uint32_t below = run->below;
    for (uint32_t i = run->first; i < run->end; i++) {
        xpd_read_ahead(&at.duration_ps[i]);
        if (column)
            xpd_read_ahead(&at.delta_ps[i]);
        int64_t host_ps = at.duration_ps[i];
        int64_t by_device_ps = column ? xpd_column_device_ps(&at, i) : -1;
        int64_t ps = device && by_device_ps >= 0 ? by_device_ps : host_ps;
        int64_t self_ps = nested ? ps - xpd_totals_inside_ps(loop, i, &below, device, NULL) : ps;
        sum.total_ps += ps;
        sum.self_ps += self_ps > 0 ? self_ps : 0;
        sum.host_ps += host_ps;
        sum.min_ps = ps < sum.min_ps ? ps : sum.min_ps;
        sum.max_ps = ps > sum.max_ps ? ps : sum.max_ps;
        sum.device_ps += column && by_device_ps >= 0 ? by_device_ps : 0;
        sum.device_count += column && by_device_ps >= 0;
    }
    sum.count = run->end - run->first;
    run->below = below;
    run->sum = sum;
}

static void add_work(const struct xpd_totals_loop *loop, struct run *run)
{
    const struct xpd_name_work *work = loop->worker->work_of_name;
    const uint32_t *name = loop->depth->name;
    run->work = (struct xpd_totals_work){0, 0};
    for (uint32_t i = run->first; work && i < run->end; i++) {
        run->work.flops += work[name[i]].flops;
        run->work.bytes += work[name[i]].bytes;
    }
}

static void add_run(const struct xpd_totals_loop *loop, struct run *run)
{
    XPD_TOTALS_BY_KIND(add, loop, run);
    add_work(loop, run);
}

/* Sums that the general loop has added to may stand at the largest number there is. */
static void put(struct xpd_totals_worker *worker, uint32_t slot, const struct run *run,
                uint64_t place)
{
    struct xpd_tally *tally = &worker->tally[slot];
    const struct xpd_tally *sum = &run->sum;
    if (tally->count == 0) {
        worker->first[slot] = place | run->first;
        tally->min_ps = INT64_MAX;
        XPD_PUSH(&worker->met, slot);
    }
    tally->count += sum->count;
    tally->device_count += sum->device_count;
    xpd_grow_i64(&tally->total_ps, sum->total_ps);
    xpd_grow_i64(&tally->self_ps, sum->self_ps);
    xpd_grow_i64(&tally->host_ps, sum->host_ps);
    xpd_grow_i64(&tally->device_ps, sum->device_ps);
    tally->min_ps = sum->min_ps < tally->min_ps ? sum->min_ps : tally->min_ps;
    tally->max_ps = sum->max_ps > tally->max_ps ? sum->max_ps : tally->max_ps;
    worker->work[slot].flops += run->work.flops;
    worker->work[slot].bytes += run->work.bytes;
}

void xpd_totals_add_runs(struct xpd_totals_worker *worker, const struct xpd_totals_piece *piece,
                         const struct xpd_depth *depth, const struct xpd_depth *child,
                         uint64_t place)
{
    struct xpd_totals_loop loop = xpd_totals_loop_of(worker, depth, child);
    struct run run = {.end = piece->first};
    uint32_t slot = piece->group;
    if (child && piece->first < piece->end)
        run.below = xpd_depth_first_touching(child, xpd_depth_start(depth, piece->first));
    while (run.end < piece->end) {
        run.first = run.end;
        run.end = piece->end - run.first < RUN_MAX ? piece->end : run.first + RUN_MAX;
        if (worker->mode == XPD_TOTALS_TIMES)
            slot = xpd_grouping_reach(&worker->grouping, depth, run.first, run.end, &run.end);
        if (slot >= worker->room && !xpd_totals_make_room(worker, slot)) {
            worker->failed = true;
            return;
        }
        add_run(&loop, &run);
        put(worker, slot, &run, place);
    }
}
