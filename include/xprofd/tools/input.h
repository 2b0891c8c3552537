/* The verdict on the input of a run: one answer for every page, route, command and rule. */
#ifndef XPROFD_TOOLS_INPUT_H
#define XPROFD_TOOLS_INPUT_H

#include "xprofd/tools/tool.h"
#include "xprofd/trace/input.h"

/* By the parameters `host` (default: the first host with events), `steps` and `rules`. The numbers
 * are of that host. XPD_EBUSY while its events are read; no steps: says is XPD_INPUT_UNKNOWN and
 * *why_not one sentence; else *why_not is NULL. */
int xpd_tools_input_verdict(struct xpd_input_verdict *out, const char **why_not,
                            const struct xpd_tool_ctx *ctx, struct xpd_err *err);

#endif
