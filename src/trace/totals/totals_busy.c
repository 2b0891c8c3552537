/* Busy time of a row in a range: its outermost depth, and deeper events that extend beyond it.
 *
 * In: a row with at least one depth. Out: picoseconds. Events of deeper depths that no single event
 * above covers are collected, joined, and counted where the outermost depth is idle. */
#include "totals_work.h"

#include "xprofd/base/checked.h"
#include "xprofd/trace/window.h"

#include <stdlib.h>

struct interval {
    int64_t start_ps, end_ps;
};
struct busy {
    const struct xpd_totals_ask *ask;
    XPD_VEC(struct interval) orphan; /* not inside an event of the depth above */
};

static struct interval cut(const struct xpd_totals_ask *ask, const struct xpd_depth *depth,
                           uint32_t i)
{
    struct interval at = {xpd_depth_start(depth, i), xpd_depth_end(depth, i)};
    at.start_ps = at.start_ps < ask->range.from_ps ? ask->range.from_ps : at.start_ps;
    at.end_ps = at.end_ps > ask->range.to_ps ? ask->range.to_ps : at.end_ps;
    return at;
}

/* Events of a depth that no single event of the depth above covers. */
static void find_orphans(struct busy *busy, uint32_t row, uint32_t d)
{
    const struct xpd_view *view = busy->ask->view;
    const struct xpd_depth *depth = xpd_view_depth(view, row, d);
    const struct xpd_depth *above = xpd_view_depth(view, row, d - 1);
    uint32_t first, end;
    xpd_view_range(view, depth, busy->ask->range, &first, &end);
    uint32_t parent =
        first < end ? xpd_depth_first_touching(above, xpd_depth_start(depth, first)) : 0;
    for (uint32_t i = first; i < end; i++) {
        int64_t start_ps = xpd_depth_start(depth, i),
                end_ps = start_ps + xpd_depth_duration(depth, i);
        while (parent + 1 < above->count && xpd_depth_start(above, parent + 1) <= start_ps)
            parent++;
        if (parent < above->count && xpd_depth_start(above, parent) <= start_ps &&
            xpd_depth_end(above, parent) >= end_ps)
            continue;
        struct interval at = cut(busy->ask, depth, i);
        XPD_PUSH(&busy->orphan, at);
    }
}

static int by_start(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return (x->start_ps > y->start_ps) - (x->start_ps < y->start_ps);
}

/* How much of an interval the events of a depth cover. */
static int64_t covered_ps(const struct xpd_depth *depth, struct interval at)
{
    int64_t sum_ps = 0;
    for (uint32_t i = xpd_depth_first_touching(depth, at.start_ps);
         i < depth->count && xpd_depth_start(depth, i) < at.end_ps; i++) {
        int64_t start_ps = xpd_depth_start(depth, i),
                end_ps = start_ps + xpd_depth_duration(depth, i);
        start_ps = start_ps > at.start_ps ? start_ps : at.start_ps;
        end_ps = end_ps < at.end_ps ? end_ps : at.end_ps;
        sum_ps += end_ps > start_ps ? end_ps - start_ps : 0;
    }
    return sum_ps;
}

static int64_t orphans_ps(struct busy *busy, const struct xpd_depth *outer)
{
    int64_t sum_ps = 0;
    if (busy->orphan.count > 0)
        qsort(busy->orphan.at, busy->orphan.count, sizeof *busy->orphan.at, by_start);
    for (size_t i = 0; i < busy->orphan.count;) {
        struct interval whole = busy->orphan.at[i++];
        for (; i < busy->orphan.count && busy->orphan.at[i].start_ps <= whole.end_ps; i++)
            if (busy->orphan.at[i].end_ps > whole.end_ps)
                whole.end_ps = busy->orphan.at[i].end_ps;
        if (whole.end_ps > whole.start_ps)
            sum_ps += whole.end_ps - whole.start_ps - covered_ps(outer, whole);
    }
    return sum_ps;
}

int64_t xpd_totals_busy(const struct xpd_totals_ask *ask, uint32_t row, bool *failed)
{
    struct busy busy = {.ask = ask};
    const struct xpd_view *view = ask->view;
    uint32_t depths = xpd_view_row(view, row)->depth_count, first, end;
    int64_t sum_ps = 0;
    const struct xpd_depth *outer = xpd_view_depth(view, row, 0);
    xpd_view_range(view, outer, ask->range, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        struct interval at = cut(ask, outer, i);
        xpd_grow_i64(&sum_ps, at.end_ps > at.start_ps ? at.end_ps - at.start_ps : 0);
    }
    for (uint32_t d = 1; d < depths; d++)
        find_orphans(&busy, row, d);
    xpd_grow_i64(&sum_ps, orphans_ps(&busy, outer));
    *failed |= busy.orphan.failed;
    XPD_VEC_FINI(&busy.orphan);
    return sum_ps;
}
