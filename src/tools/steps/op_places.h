/* What each operation that ran on a host is: which instruction of which program, and which part of
 * a step its time belongs to. */
#ifndef XPROFD_SRC_TOOLS_STEPS_OP_PLACES_H
#define XPROFD_SRC_TOOLS_STEPS_OP_PLACES_H

#include "../common/common.h"
#include "xprofd/trace/step_table.h"

/* Loads the programs that ran, before their times are known. */
void xpd_op_places_load(const struct xpd_tool_ctx *ctx, uint32_t host);
/* Of the times of `host`; what it keeps is in `arena`. Loads the programs, too. */
int xpd_op_places_make(struct xpd_op_places *out, const struct xpd_tool_ctx *ctx, uint32_t host,
                       const struct xpd_op_times *times, struct xpd_arena *arena,
                       struct xpd_err *err);

#endif
