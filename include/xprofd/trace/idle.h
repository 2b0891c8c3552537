/* Causes of a chip's idle time: between two launches, or while the host's loop waited for input. On
 * the host-aligned clock. */
#ifndef XPROFD_TRACE_IDLE_H
#define XPROFD_TRACE_IDLE_H

#include "xprofd/trace/overlap.h"

/* When the program waited for input, loaded or prepared it (input.h finds them). */
struct xpd_input_waits {
    const int64_t *start_ps, *end_ps; /* disjoint, ascending */
    uint32_t count;
    uint32_t name; /* of the view: with most time; XPD_NO_INDEX = none */
};

struct xpd_idle {
    uint64_t short_count; /* gaps shorter than asked for */
    int64_t short_ps;     /* all of them */
    int64_t input_ps;     /* part of the other gaps during waits for input */
};
/* Of the gaps of a chip (gaps.h) in a range. XPD_ENOMEM. */
int xpd_idle_of(struct xpd_idle *out, const struct xpd_view *view,
                const struct xpd_overlap_table *table, uint32_t process,
                struct xpd_time_range range, int64_t short_ps, const struct xpd_input_waits *input,
                struct xpd_err *err);

#endif
