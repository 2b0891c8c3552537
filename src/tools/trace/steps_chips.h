/* The chips of a run side by side over the steps that all of them have: one table, on one clock. */
#ifndef XPROFD_SRC_TOOLS_TRACE_STEPS_CHIPS_H
#define XPROFD_SRC_TOOLS_TRACE_STEPS_CHIPS_H

#include "trace_common.h"
#include "xprofd/trace/overlap.h"

struct xpd_measured_step {
    const struct xpd_step *step;
    const struct xpd_overlap *overlap; /* on the clock of the table */
};
/* "chips": {...}. `at`: steps of chips; reordered. XPD_ENOMEM. */
int xpd_steps_chips(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                    struct xpd_measured_step *at, uint32_t count, struct xpd_err *err);

#endif
