/* The loops of totals, and the plan of who does what.
 *
 * In: pieces. Out: tallies by name or group. The depth below runs along with the one that is added
 * up, so that self times cost no search. The loop here takes every piece; those whose sums cannot
 * overflow, which are nearly all, go to totals_names.c and totals_runs.c. */
#include "totals_work.h"

#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/threads.h"
#include "xprofd/trace/window.h"

#define PIECE_EVENTS  (1u << 18)
#define GAP_SEARCH    (1u << 16) /* events looked through for a place to part a depth */
#define THREAD_EVENTS 400000     /* below that, a thread more costs what it brings */

/* ---- the plan ---- */

/* The first index from `at` on at which a piece may begin: everything before has ended. */
static uint32_t find_gap(const struct xpd_depth *depth, uint32_t at, uint32_t end)
{
    uint32_t stop = end - at > GAP_SEARCH ? at + GAP_SEARCH : end;
    for (; at < stop; at++)
        if (depth->start_ps[at - 1] + depth->duration_ps[at - 1] < depth->start_ps[at])
            return at;
    return end;
}

static void plan_depth(struct xpd_totals_plan *plan, struct xpd_totals_piece whole,
                       const struct xpd_depth *depth, bool innermost)
{
    uint32_t at = whole.first, end = whole.end;
    plan->events += end - at;
    while (at < end) {
        uint32_t next = end - at > PIECE_EVENTS ? at + PIECE_EVENTS : end;
        if (next < end && depth->overlapping)
            next = end;
        else if (next < end && !innermost)
            next = find_gap(depth, next, end);
        whole.first = at;
        whole.end = next;
        XPD_PUSH(&plan->piece, whole);
        at = next;
    }
}

static void plan_row(struct xpd_totals_plan *plan, uint32_t row, uint32_t group, int64_t *busy_ps)
{
    const struct xpd_totals_ask *ask = plan->ask;
    const struct xpd_trace_row *all = xpd_view_row(ask->view, row);
    if (!xpd_row_touches(all, ask->range.from_ps, ask->range.to_ps))
        return;
    for (uint32_t d = 0; d < all->depth_count; d++) {
        const struct xpd_depth *depth = xpd_view_depth(ask->view, row, d);
        struct xpd_totals_piece whole = {.row = row, .depth = d, .group = group};
        xpd_view_range(ask->view, depth, ask->range, &whole.first, &whole.end);
        plan_depth(plan, whole, depth, d + 1 == all->depth_count);
    }
    if (all->depth_count == 0)
        return;
    if (ask->range.from_ps <= all->first_ps && ask->range.to_ps >= all->end_ps) {
        xpd_grow_i64(busy_ps, all->busy_ps); /* known since it was loaded */
    } else {
        struct xpd_totals_piece busy = {.row = row, .depth = XPD_NO_INDEX};
        XPD_PUSH(&plan->piece, busy);
    }
}

bool xpd_totals_plan(struct xpd_totals_plan *plan, const struct xpd_totals_ask *ask,
                     struct xpd_grouping *grouping, int64_t *busy_ps)
{
    bool rows = xpd_totals_mode(ask->by) == XPD_TOTALS_ROWS;
    plan->ask = ask;
    for (uint32_t r = 0; r < ask->row_count; r++) {
        if (rows)
            xpd_grouping_row(grouping, ask->row[r]);
        plan_row(plan, ask->row[r], rows ? grouping->fixed : XPD_NO_INDEX, busy_ps);
    }
    return !plan->piece.failed && !grouping->failed && plan->piece.count < UINT32_MAX / 2;
}

uint32_t xpd_totals_threads(const struct xpd_totals_plan *plan)
{
    uint32_t threads = xpd_threads_count(plan->ask->threads);
    uint64_t worth = plan->events / THREAD_EVENTS + 1;
    if (plan->ask->threads == 0 && worth < threads)
        threads = (uint32_t)worth;
    return threads < plan->piece.count || plan->piece.count == 0 ? threads
                                                                 : (uint32_t)plan->piece.count;
}

/* ---- the loop ---- */

struct step { /* what stays the same for a piece */
    struct xpd_totals_worker *worker;
    const struct xpd_totals_ask *ask;
    const struct xpd_depth *depth, *child; /* child NULL: nothing below */
    uint64_t place;                        /* piece << 32 */
    uint64_t numbers, child_numbers;       /* xpd_totals_numbers */
    uint32_t group;
    bool device; /* the clock */
};

/* An event's duration, and that on the device's clock or -1. */
static inline int64_t duration_of(const struct step *step, const struct xpd_depth *depth,
                                  uint32_t i, int64_t *device_ps)
{
    uint64_t numbers = depth == step->child ? step->child_numbers : step->numbers;
    return xpd_totals_duration(step->ask, depth, i, numbers + i, device_ps);
}

/* Time of the events one depth below that lie inside; *below moves on with the parents. */
static int64_t inside_ps(const struct step *step, uint32_t i, uint32_t *below)
{
    const struct xpd_depth *parent = step->depth, *child = step->child;
    int64_t start_ps = parent->start_ps[i], end_ps = start_ps + parent->duration_ps[i];
    int64_t sum_ps = 0, device_ps;
    uint32_t c = *below, after;
    bool jumps = step->device && xpd_clock_jumps(parent, i);
    while (c < child->count && child->start_ps[c] < start_ps)
        c++;
    for (after = c; c < child->count && child->start_ps[c] <= end_ps; c++) {
        bool inside = child->start_ps[c] + child->duration_ps[c] <= end_ps;
        if (jumps || (step->device && xpd_clock_jumps(child, c)))
            inside = xpd_nesting_holds(step->ask->view, parent, i, child, c, inside,
                                       &step->worker->nesting);
        if (!inside)
            continue;
        sum_ps += duration_of(step, child, c, &device_ps);
        after = c + 1;
    }
    *below = after;
    return sum_ps;
}

static uint32_t slot_of(const struct step *step, uint32_t i)
{
    struct xpd_totals_worker *worker = step->worker;
    if (worker->mode == XPD_TOTALS_NAMES)
        return step->depth->name[i];
    if (worker->mode == XPD_TOTALS_ROWS)
        return step->group;
    uint32_t group = xpd_grouping_of(&worker->grouping, step->depth, i);
    if (group >= worker->room && !xpd_totals_make_room(worker, group)) {
        worker->failed = true;
        return XPD_NO_INDEX;
    }
    return group;
}

/* For any piece, with sums that stop at the largest number. What they may have come to is noted, so
 * that no loop without checks adds to them. */
static void add_any(const struct step *step, uint32_t first, uint32_t end)
{
    struct xpd_totals_worker *worker = step->worker;
    const struct xpd_depth *depth = step->depth, *child = step->child;
    uint32_t below =
        child && first < end ? xpd_depth_first_touching(child, depth->start_ps[first]) : 0;
    for (uint32_t i = first; i < end && !worker->failed; i++) {
        int64_t device_ps, duration_ps = duration_of(step, depth, i, &device_ps);
        int64_t self_ps = duration_ps - (child ? inside_ps(step, i, &below) : 0);
        uint32_t slot = slot_of(step, i);
        if (slot == XPD_NO_INDEX)
            return;
        struct xpd_tally *tally = &worker->tally[slot];
        if (tally->count++ == 0) {
            worker->first[slot] = step->place | i;
            XPD_PUSH(&worker->met, slot);
            tally->min_ps = INT64_MAX;
        }
        xpd_grow_i64(&tally->total_ps, duration_ps);
        xpd_grow_i64(&tally->self_ps, self_ps > 0 ? self_ps : 0);
        xpd_grow_i64(&tally->host_ps, depth->duration_ps[i]);
        tally->min_ps = duration_ps < tally->min_ps ? duration_ps : tally->min_ps;
        tally->max_ps = duration_ps > tally->max_ps ? duration_ps : tally->max_ps;
        if (device_ps >= 0) {
            xpd_grow_i64(&tally->device_ps, device_ps);
            tally->device_count++;
        }
        xpd_grow_i64(&worker->bound_ps,
                     device_ps > depth->duration_ps[i] ? device_ps : depth->duration_ps[i]);
        if (worker->mode != XPD_TOTALS_NAMES && worker->work_of_name) {
            worker->work[slot].flops += worker->work_of_name[depth->name[i]].flops;
            worker->work[slot].bytes += worker->work_of_name[depth->name[i]].bytes;
        }
    }
}

/* Whether a depth has events whose device durations do not fit into its column. */
static bool any_far(const struct xpd_trace *trace, const struct xpd_depth *depth)
{
    uint64_t low = 0;
    XPD_BISECT(low, trace->far_count, middle, trace->far[middle].event < depth->first_event);
    return low < trace->far_count && trace->far[low].event < depth->first_event + depth->count;
}

bool xpd_totals_in_columns(const struct xpd_view *view, const struct xpd_depth *depth)
{
    if (depth->device_delta_ps)
        return !any_far(view->trace, depth);
    return xpd_totals_numbers(view, depth) == 0;
}

/* What the durations of a piece add up to at most, on either clock; false: more than a number
 * holds. Events of a depth are disjoint, so that they do not sum to more than the time they span.
 */
static bool bound_of(const struct xpd_depth *depth, const struct xpd_totals_piece *piece,
                     int64_t *bound_ps)
{
    int64_t count = (int64_t)(piece->end - piece->first), most_ps = depth->longest_ps;
    int64_t clocks_ps = count * -(int64_t)INT32_MIN; /* below 2^63: both are below 2^32 */
    if (count == 0)
        return true;
    if (!depth->overlapping && __builtin_sub_overflow(depth->start_ps[piece->end - 1],
                                                      depth->start_ps[piece->first], &most_ps))
        return false;
    if (!depth->overlapping)
        count = 1;
    return !__builtin_mul_overflow(most_ps, count, bound_ps) &&
           !__builtin_add_overflow(*bound_ps, depth->longest_ps, bound_ps) &&
           !__builtin_add_overflow(*bound_ps, clocks_ps, bound_ps);
}

/* Whether the loop without checks may take a piece: no duration is missing from the columns, and no
 * sum of this thread can have passed 2^62 when it is done. */
static bool sums_fit(const struct step *step, const struct xpd_totals_piece *piece)
{
    struct xpd_totals_worker *worker = step->worker;
    const struct xpd_depth *depth = step->depth, *child = step->child;
    const struct xpd_view *view = step->ask->view;
    int64_t bound_ps = 0;
    if (step->ask->clip || !xpd_totals_in_columns(view, depth) ||
        (child && (!child->device_delta_ps != !depth->device_delta_ps ||
                   !xpd_totals_in_columns(view, child))) ||
        !bound_of(depth, piece, &bound_ps) ||
        __builtin_add_overflow(worker->bound_ps, bound_ps, &bound_ps) || bound_ps > INT64_MAX / 2)
        return false;
    worker->bound_ps = bound_ps;
    return true;
}

void xpd_totals_add_piece(struct xpd_totals_worker *worker, const struct xpd_totals_piece *piece)
{
    const struct xpd_totals_ask *ask = worker->plan->ask;
    const struct xpd_view *view = ask->view;
    if (piece->depth == XPD_NO_INDEX) {
        xpd_grow_i64(&worker->busy_ps, xpd_totals_busy(ask, piece->row, &worker->failed));
        return;
    }
    struct step step = {.worker = worker,
                        .ask = ask,
                        .depth = xpd_view_depth(view, piece->row, piece->depth),
                        .place = (uint64_t)(piece - worker->plan->piece.at) << 32,
                        .group = piece->group,
                        .device = ask->clock == XPD_CLOCK_DEVICE};
    if (piece->depth + 1 < xpd_view_row(view, piece->row)->depth_count)
        step.child = xpd_view_depth(view, piece->row, piece->depth + 1);
    step.numbers = xpd_totals_numbers(view, step.depth);
    step.child_numbers = step.child ? xpd_totals_numbers(view, step.child) : 0;
    if (worker->mode == XPD_TOTALS_TIMES)
        xpd_grouping_row(&worker->grouping, piece->row);
    if (!sums_fit(&step, piece))
        add_any(&step, piece->first, piece->end);
    else if (worker->mode == XPD_TOTALS_NAMES)
        xpd_totals_add_names(worker, piece, step.depth, step.child, step.place);
    else
        xpd_totals_add_runs(worker, piece, step.depth, step.child, step.place);
    worker->failed |= worker->met.failed || worker->grouping.failed;
}
