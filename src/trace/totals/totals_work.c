/* Which loop takes a piece, and the one that takes any.
 *
 * In: pieces. Out: tallies by name or group. The depth below runs along with the one that is added
 * up, so that self times cost no search. Pieces whose sums cannot overflow, which are nearly all,
 * go to totals_names.c and totals_runs.c. */
#include "totals_loop.h"

#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"
#include "xprofd/trace/window.h"

#include <stdlib.h>

struct step { /* constants of a piece */
    struct xpd_totals_loop loop;
    uint64_t place;   /* piece << 32 */
    uint64_t numbers; /* xpd_totals_numbers */
    struct xpd_totals_asked below;
    uint32_t group;
};

static uint32_t slot_of(const struct step *step, uint32_t i)
{
    struct xpd_totals_worker *worker = step->loop.worker;
    if (worker->mode == XPD_TOTALS_NAMES)
        return step->loop.depth->name[i];
    if (worker->mode == XPD_TOTALS_ROWS)
        return step->group;
    uint32_t group = xpd_grouping_of(&worker->grouping, step->loop.depth, i);
    if (group >= worker->room && !xpd_totals_make_room(worker, group)) {
        worker->failed = true;
        return XPD_NO_INDEX;
    }
    return group;
}

/* Of an event that is cut only a part of the work was done in the range. By name the work is
 * multiplied at the end: there, what was not done is noted. */
static void add_work(const struct step *step, uint32_t i, uint32_t slot, int64_t part_ps)
{
    struct xpd_totals_worker *worker = step->loop.worker;
    const struct xpd_depth *depth = step->loop.depth;
    int64_t all_ps = xpd_depth_duration(depth, i);
    bool names = worker->mode == XPD_TOTALS_NAMES, cut = part_ps < all_ps;
    struct xpd_name_work work;
    if (names ? !cut : !worker->work_of_name)
        return;
    work = names ? xpd_name_work_of(xpd_view_name(step->below.ask->view, depth->name[i]))
                 : worker->work_of_name[depth->name[i]];
    if (names && !worker->work)
        worker->work = calloc((size_t)worker->room + 1, sizeof *worker->work);
    worker->failed |= !worker->work;
    if (cut && worker->work) {
        int64_t counted_ps = names ? all_ps - part_ps : part_ps;
        work.flops = (uint64_t)xpd_totals_share((int64_t)work.flops, counted_ps, all_ps);
        work.bytes = (uint64_t)xpd_totals_share((int64_t)work.bytes, counted_ps, all_ps);
    }
    if (worker->work) {
        worker->work[slot].flops += work.flops;
        worker->work[slot].bytes += work.bytes;
    }
}

/* With sums that stop at the largest number. What they may have come to is noted, so that no loop
 * without checks adds to them. */
static void add_event(const struct step *step, uint32_t i, uint32_t slot, int64_t duration_ps,
                      int64_t self_ps, int64_t device_ps)
{
    struct xpd_totals_worker *worker = step->loop.worker;
    struct xpd_tally *tally = &worker->tally[slot];
    int64_t host_ps = xpd_totals_part(step->below.ask, step->loop.depth, i);
    if (tally->count++ == 0) {
        worker->first[slot] = step->place | i;
        XPD_PUSH(&worker->met, slot);
        tally->min_ps = INT64_MAX;
    }
    xpd_grow_i64(&tally->total_ps, duration_ps);
    xpd_grow_i64(&tally->self_ps, self_ps > 0 ? self_ps : 0);
    xpd_grow_i64(&tally->host_ps, host_ps);
    tally->min_ps = duration_ps < tally->min_ps ? duration_ps : tally->min_ps;
    tally->max_ps = duration_ps > tally->max_ps ? duration_ps : tally->max_ps;
    if (device_ps >= 0) {
        xpd_grow_i64(&tally->device_ps, device_ps);
        tally->device_count++;
    }
    xpd_grow_i64(&worker->bound_ps, device_ps > host_ps ? device_ps : host_ps);
    add_work(step, i, slot, host_ps);
}

/* For any piece. */
static void add_any(const struct step *step, uint32_t first, uint32_t end)
{
    const struct xpd_totals_loop *loop = &step->loop;
    const struct xpd_totals_ask *ask = step->below.ask;
    bool device = ask->clock == XPD_CLOCK_DEVICE;
    uint32_t below =
        loop->child && first < end
            ? xpd_depth_first_touching(loop->child, xpd_depth_start(loop->depth, first))
            : 0;
    for (uint32_t i = first; i < end && !loop->worker->failed; i++) {
        int64_t device_ps;
        int64_t duration_ps =
            xpd_totals_duration(ask, loop->depth, i, step->numbers + i, &device_ps);
        int64_t inside_ps =
            loop->child ? xpd_totals_inside_ps(loop, i, &below, device, &step->below) : 0;
        uint32_t slot = slot_of(step, i);
        if (slot == XPD_NO_INDEX)
            return;
        add_event(step, i, slot, duration_ps, duration_ps - inside_ps, device_ps);
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
    if (!depth->duration_ps)
        return false;
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
    if (!depth->overlapping &&
        __builtin_sub_overflow(xpd_depth_start(depth, piece->end - 1),
                               xpd_depth_start(depth, piece->first), &most_ps))
        return false;
    if (!depth->overlapping)
        count = 1;
    return !__builtin_mul_overflow(most_ps, count, bound_ps) &&
           !__builtin_add_overflow(*bound_ps, depth->longest_ps, bound_ps) &&
           !__builtin_add_overflow(*bound_ps, clocks_ps, bound_ps);
}

/* Events of a depth are disjoint: only the first and the last one of a piece can stick out, and
 * what is nested in them. */
bool xpd_totals_is_cut(const struct xpd_totals_ask *ask, const struct xpd_depth *depth,
                       const struct xpd_totals_piece *piece)
{
    return ask->clip && piece->first < piece->end &&
           (depth->overlapping ||
            xpd_totals_part(ask, depth, piece->first) < xpd_depth_duration(depth, piece->first) ||
            xpd_totals_part(ask, depth, piece->end - 1) <
                xpd_depth_duration(depth, piece->end - 1));
}

/* Whether the loop without checks may take a piece: no duration is missing from the columns, and no
 * sum of this thread can have passed 2^62 when it is done. */
static bool sums_fit(const struct step *step, const struct xpd_totals_piece *piece)
{
    struct xpd_totals_worker *worker = step->loop.worker;
    const struct xpd_depth *depth = step->loop.depth, *child = step->loop.child;
    const struct xpd_totals_ask *ask = step->below.ask;
    const struct xpd_view *view = ask->view;
    int64_t bound_ps = 0;
    if (xpd_totals_is_cut(ask, depth, piece) || !xpd_totals_in_columns(view, depth) ||
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
    const struct xpd_depth *depth = xpd_view_depth(view, piece->row, piece->depth), *child = NULL;
    if (piece->depth + 1 < xpd_view_row(view, piece->row)->depth_count)
        child = xpd_view_depth(view, piece->row, piece->depth + 1);
    struct step step = {.loop = xpd_totals_loop_of(worker, depth, child),
                        .place = (uint64_t)(piece - worker->plan->piece.at) << 32,
                        .numbers = xpd_totals_numbers(view, depth),
                        .below = {ask, child ? xpd_totals_numbers(view, child) : 0},
                        .group = piece->group};
    if (worker->mode == XPD_TOTALS_TIMES)
        xpd_grouping_row(&worker->grouping, piece->row);
    if (!sums_fit(&step, piece))
        add_any(&step, piece->first, piece->end);
    else if (worker->mode == XPD_TOTALS_NAMES)
        xpd_totals_add_names(worker, piece, depth, child, step.place);
    else
        xpd_totals_add_runs(worker, piece, depth, child, step.place);
    worker->failed |= worker->met.failed || worker->grouping.failed;
}
