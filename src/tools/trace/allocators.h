/* What the allocators of a host reported, read once, and the moment of the largest use of a
 * device's memory in a run. */
#ifndef XPROFD_SRC_TOOLS_TRACE_ALLOCATORS_H
#define XPROFD_SRC_TOOLS_TRACE_ALLOCATORS_H

#include "../common/common.h"
#include "xprofd/trace/allocators.h"

/* Of one host of ctx->run; empty when its profile has no such events. Valid as long as the run is
 * held, or as ctx->arena. NULL: *err says why. */
const struct xpd_allocations *xpd_tools_allocations(const struct xpd_tool_ctx *ctx, uint32_t host,
                                                    struct xpd_err *err);

struct xpd_runtime_memory {
    struct xpd_alloc_peak of; /* of.most NULL = nothing was recorded */
    uint32_t host;            /* of of.most */
};
/* Over the hosts of the module and the allocators of device memory (on a CPU: all). */
int xpd_tools_runtime_memory(struct xpd_runtime_memory *out, const struct xpd_tool_ctx *ctx,
                             struct xpd_err *err);

#endif
