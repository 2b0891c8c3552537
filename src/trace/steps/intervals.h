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
/* Adds what of an interval lies in [from_ps, to_ps): to the last one where it follows that without
 * a gap, as work mostly does. */
void xpd_intervals_put(struct xpd_intervals *list, int64_t from_ps, int64_t to_ps, int64_t start_ps,
                       int64_t end_ps);
/* Sorts and joins what touches: disjoint, in order, without empty ones. */
void xpd_intervals_join(struct xpd_intervals *list);
int64_t xpd_intervals_sum(const struct xpd_intervals *joined);
/* Of [from_ps, to_ps) what lies in a joined list. */
int64_t xpd_intervals_inside(const struct xpd_intervals *joined, int64_t from_ps, int64_t to_ps);
int64_t xpd_intervals_common(const struct xpd_intervals *a, const struct xpd_intervals *b);

#endif
