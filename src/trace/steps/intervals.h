/* Sets of time as lists of intervals. */
#ifndef XPROFD_TRACE_INTERVALS_H
#define XPROFD_TRACE_INTERVALS_H

#include "xprofd/base/vec.h"

#include <stdint.h>

struct xpd_interval {
    int64_t start_ps, end_ps;
};
struct xpd_intervals {
    struct xpd_interval *at;
    size_t count, capacity;
    bool failed;
};
/* Adds the part of an interval in [from_ps, to_ps); extends the last one if it follows without a
 * gap, as usual. */
static inline void xpd_intervals_put(struct xpd_intervals *list, int64_t from_ps, int64_t to_ps,
                                     int64_t start_ps, int64_t end_ps)
{
    struct xpd_interval at = {start_ps > from_ps ? start_ps : from_ps,
                              end_ps < to_ps ? end_ps : to_ps};
    if (at.end_ps <= at.start_ps)
        return;
    struct xpd_interval *last = list->count > 0 ? &list->at[list->count - 1] : NULL;
    if (!last || at.start_ps < last->start_ps || at.start_ps > last->end_ps)
        XPD_PUSH(list, at);
    else if (at.end_ps > last->end_ps)
        last->end_ps = at.end_ps;
}
/* Behind those of the list, whatever their order. */
static inline void xpd_intervals_add(struct xpd_intervals *list, const struct xpd_intervals *more)
{
    for (size_t i = 0; i < more->count; i++)
        XPD_PUSH(list, more->at[i]);
    list->failed |= more->failed;
}
/* Sorts and joins touching intervals: the result is disjoint, in order, without empty ones. */
void xpd_intervals_join(struct xpd_intervals *list);
int64_t xpd_intervals_sum(const struct xpd_intervals *joined);
/* Part of [from_ps, to_ps) in a joined list. */
int64_t xpd_intervals_inside(const struct xpd_intervals *joined, int64_t from_ps, int64_t to_ps);
int64_t xpd_intervals_common(const struct xpd_intervals *a, const struct xpd_intervals *b);

#endif
