/* The kernels that executions of an operation are, on a GPU: how each was launched. */
#ifndef XPROFD_SRC_TOOLS_TRACE_OPS_KERNELS_H
#define XPROFD_SRC_TOOLS_TRACE_OPS_KERNELS_H

#include "ops_order.h"
#include "xprofd/answer/record.h"
#include "xprofd/ops/op_kernels.h"

#define XPD_OPS_KERNEL_FIELDS(FIELD)                                                               \
    FIELD(TEXT, name, "of the kernel")                                                             \
    FIELD(INT, count, "events")                                                                    \
    FIELD(INT, total_ps, "of them")                                                                \
    FIELD(REAL, mean_ps, "")                                                                       \
    FIELD(INT, min_ps, "")                                                                         \
    FIELD(INT, max_ps, "")                                                                         \
    FIELD(TEXT, grid, "blocks in x, y and z, as the profiler wrote them; \"\" not recorded")       \
    FIELD(TEXT, block,                                                                             \
          "threads of a block in x, y and z, as the profiler wrote them; \"\" not recorded")       \
    FIELD(MAYBE(INT), registers, "registers of a thread; null: not recorded")                      \
    FIELD(MAYBE(INT), shared_bytes, "shared memory (LDS) of a block; null: not recorded")          \
    FIELD(MAYBE(REAL), occupancy_share, "theoretical; null: not recorded")
XPD_RECORD_TYPE(xpd_ops_kernel_row, XPD_OPS_KERNEL_FIELDS)

struct xpd_ops_kernels_of {
    struct xpd_ops_kernel_row *at; /* most time first; in the request's arena */
    uint32_t count;
    int64_t events; /* that were looked at */
};
/* Of an operation of `source`, by the stats of its events; none where its program ran on no GPU. */
int xpd_tools_ops_kernels(struct xpd_ops_kernels_of *out, const struct xpd_tool_ctx *ctx,
                          const struct xpd_ops_source *source, const struct xpd_op_runs *runs,
                          const struct xpd_op *op, struct xpd_err *err);

struct xpd_ops_kernel_times {
    struct xpd_op_kernel_time *at; /* in the request's arena */
    uint32_t count;
};
/* Of the operations of some lines that ran as kernels: those of one add up to its self time. */
int xpd_tools_ops_kernel_times(struct xpd_ops_kernel_times *out, const struct xpd_ops_lines *lines,
                               const struct xpd_ops_found *found, const struct xpd_tool_ctx *ctx,
                               struct xpd_err *err);

#endif
