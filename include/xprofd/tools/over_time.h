/* Memory over the time of a run in two numbers: the most that an allocator had in use, and how much
 * the lowest use grows from step to step. What budgets and `xprofd memory --fail-on-leak` judge. */
#ifndef XPROFD_TOOLS_OVER_TIME_H
#define XPROFD_TOOLS_OVER_TIME_H

#include "xprofd/tools/tool.h"
#include "xprofd/trace/allocators.h"

struct xpd_over_time {
    const char *why_not; /* one sentence without a full stop; NULL = something was recorded */
    int64_t peak_bytes;  /* reserved + allocated, of the allocator with most */
    /* Of the allocator that grows most; a leak comes before all others. */
    double slope_bytes; /* a step; NAN = fewer than two steps */
    double r2;
    uint32_t steps;
    enum xpd_alloc_verdict verdict;
};
/* Of the run of ctx (the hosts that its parameters mean), device memory alone unless `host_too`:
 * pools of the host's memory would hide it. XPD_EBUSY while the events are read. */
int xpd_over_time_of(struct xpd_over_time *out, const struct xpd_tool_ctx *ctx, bool host_too,
                     struct xpd_err *err);

#endif
