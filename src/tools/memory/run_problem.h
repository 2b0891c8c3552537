/* The worst problem of a run in one line: what, in numbers; the file's or compiler's own words
 * beside it. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_RUN_PROBLEM_H
#define XPROFD_SRC_TOOLS_MEMORY_RUN_PROBLEM_H

#include "../common/common.h"
#include "split.h"

/* Writes "problem":{severity, text, detail} or null, and "problems". `space` and `split` are of the
 * default module's memory; NULL where there is none. */
void xpd_run_problem_write(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                           const struct xpd_mem_space *space, const struct xpd_peak_split *split);

#endif
