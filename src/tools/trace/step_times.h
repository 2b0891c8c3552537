/* How long the steps of a recorded run took, for budgets: a step is as long as the slowest of its
 * devices needed. */
#ifndef XPROFD_SRC_TOOLS_TRACE_STEP_TIMES_H
#define XPROFD_SRC_TOOLS_TRACE_STEP_TIMES_H

#include "../common/common.h"

#define XPD_STEPS_JUDGED 5 /* fewer steps say nothing: time is noisy */

struct xpd_step_times {
    const char *why_not;  /* one sentence without a full stop; NULL = the times are known */
    int64_t *duration_ps; /* by step, ascending */
    uint32_t count;
    double exposed_comm; /* share of the devices' step time; -1: no device has steps */
};
/* Of the module of ctx, on its first host with events. XPD_EBUSY while they are read. */
int xpd_step_times_of(struct xpd_step_times *out, const struct xpd_tool_ctx *ctx,
                      struct xpd_err *err);
/* Nearest rank: the smallest duration that `quantile` of the steps do not exceed. */
int64_t xpd_step_quantile(const struct xpd_step_times *times, double quantile);

#endif
