/* The steps of Overview as spans of a host's time: what Input looks at where no thread marks steps.
 */
#ifndef XPROFD_SRC_TOOLS_INPUT_PERIODS_H
#define XPROFD_SRC_TOOLS_INPUT_PERIODS_H

#include "../steps/step_table.h"
#include "xprofd/trace/input.h"

struct xpd_input_periods {
    const struct xpd_step_table *table;
    struct xpd_input_given *step; /* host-aligned, disjoint, ascending; in ctx->arena */
    uint32_t count;               /* 0: nothing tells steps */
};
/* Each reaches from the end of the one before to its own end: of the last chip, where the clock of
 * the table is the host's; else by the gap between them and the step, means of the chips by their
 * own clock. The first is as long as its run. XPD_EBUSY while events are read. */
int xpd_input_periods_of(struct xpd_input_periods *out, const struct xpd_tool_ctx *ctx,
                         uint32_t host, struct xpd_err *err);

#endif
