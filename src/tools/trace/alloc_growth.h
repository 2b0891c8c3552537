/* Growth of the allocators of an answer: over which steps, and what it means. */
#ifndef XPROFD_SRC_TOOLS_TRACE_ALLOC_GROWTH_H
#define XPROFD_SRC_TOOLS_TRACE_ALLOC_GROWTH_H

#include "alloc_lanes.h"

struct xpd_alloc_grown {
    struct xpd_alloc_spans spans; /* times of the view */
    struct xpd_alloc_growth growth;
};
/* By lane, in the arena of the call, which has derived rows. NULL: *err says why. */
struct xpd_alloc_grown *xpd_tools_alloc_growth(const struct xpd_trace_call *call,
                                               const struct xpd_alloc_lanes *lanes,
                                               struct xpd_err *err);

#endif
