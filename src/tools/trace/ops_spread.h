/* Percentiles of the operations of a run, and how much of them ran side by side: from each of their
 * executions. */
#ifndef XPROFD_SRC_TOOLS_TRACE_OPS_SPREAD_H
#define XPROFD_SRC_TOOLS_TRACE_OPS_SPREAD_H

#include "ops_rows.h"

/* Fills percentiles in. XPD_EBUSY while the executions are read. */
int xpd_tools_ops_spread(struct xpd_ops_found *found, const struct xpd_tool_ctx *ctx,
                         struct xpd_err *err);

/* Of all programs of the hosts: time in which operations ran beside others of their device. */
int xpd_tools_ops_side_by_side(int64_t *out, const struct xpd_ops_found *found,
                               const struct xpd_tool_ctx *ctx, struct xpd_err *err);

#endif
