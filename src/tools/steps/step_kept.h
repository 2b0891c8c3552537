/* The steps of a host (trace/step_table.h): a table beside the run, made once. */
#ifndef XPROFD_SRC_TOOLS_STEPS_STEP_KEPT_H
#define XPROFD_SRC_TOOLS_STEPS_STEP_KEPT_H

#include "../trace/trace_common.h"
#include "xprofd/trace/step_table.h"

/* Of one host with events. `program`, in run->module: the steps are its runs, even if others are
 * marked; XPD_NO_INDEX: none was asked for. XPD_EBUSY while events are read. */
int xpd_step_table_of(const struct xpd_step_table **out, const struct xpd_tool_ctx *ctx,
                      uint32_t host, enum xpd_clock clock, uint32_t program, struct xpd_err *err);

#endif
