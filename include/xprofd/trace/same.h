/* All executions of an event's operation: distribution, the slowest, and comparison of the chips.
 * The same operation: the same caption within the same program, in rows of the same kind; on
 * threads, the same caption anywhere. */
#ifndef XPROFD_TRACE_SAME_H
#define XPROFD_TRACE_SAME_H

#include "xprofd/trace/totals.h"

#define XPD_SAME_SLOWEST 20
#define XPD_SAME_BINS    40

struct xpd_same_chip {
    uint32_t process;
    uint64_t count;
    int64_t total_ps, min_ps, max_ps;
};
struct xpd_same {
    enum xpd_clock clock; /* of all durations here */
    uint64_t count;
    int64_t total_ps, min_ps, max_ps, p50_ps, p99_ps;
    bool exact;                                 /* the percentiles are */
    struct xpd_event slowest[XPD_SAME_SLOWEST]; /* longest first */
    int64_t slowest_ps[XPD_SAME_SLOWEST];
    uint32_t slowest_count;
    bool log_bins;                          /* equal factors instead of equal steps */
    int64_t bin_from_ps[XPD_SAME_BINS + 1]; /* bin i: [from i, from i+1), the last one closed */
    uint64_t bin_count[XPD_SAME_BINS];
    uint32_t bins;
    struct xpd_same_chip *chip; /* that have it, by process */
    uint32_t chip_count;
};
int xpd_same_of(struct xpd_same *out, const struct xpd_view *view, const struct xpd_event *event,
                enum xpd_clock clock, struct xpd_arena *arena, struct xpd_err *err);

#endif
