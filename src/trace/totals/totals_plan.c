/* Division of work. In: rows, a range. Out: pieces in the
 * order of the rows, and the useful number of threads. A
 * piece begins where no event before it holds one of the
 * depth below, so that threads need nothing of each
 * other. */
#include "totals_work.h"

#include "xprofd/base/checked.h"
#include "xprofd/base/threads.h"

#define PIECE_EVENTS  (1u << 18)
#define GAP_SEARCH    (1u << 16) /* events looked through for a place to part a depth */
#define THREAD_EVENTS 400000     /* below that, another thread gives no gain */

/* The first index from `at` on at which a piece may begin: everything before has ended. */
static uint32_t find_gap(const struct xpd_depth *depth, uint32_t at, uint32_t end)
{
    uint32_t stop = end - at > GAP_SEARCH ? at + GAP_SEARCH : end;
    for (; at < stop; at++)
        if (xpd_depth_end(depth, at - 1) < xpd_depth_start(depth, at))
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
