/* The worst problem of a run in one line: what, in numbers; the file's or compiler's own words
 * beside it. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_RUN_PROBLEM_H
#define XPROFD_SRC_TOOLS_MEMORY_RUN_PROBLEM_H

#include "../common/common.h"
#include "xprofd/memory/held.h"

#define XPD_RUN_PROBLEM_FIELDS(FIELD)                                                              \
    FIELD(WORD("note warning error"), severity, "")                                                \
    FIELD(TEXT, text, "one sentence, with numbers where they are known")                           \
    FIELD(MAYBE(TEXT), detail,                                                                     \
          "the original message of the file or compiler, if it differs from `text`")
XPD_RECORD_TYPE(xpd_run_problem, XPD_RUN_PROBLEM_FIELDS)

/* The worst problem of the run, and in *count how many it has; NULL when it has none, or without
 * memory. `space` and `split` are of the default module's memory; NULL where there is none. */
const struct xpd_run_problem *xpd_run_problem_of(const struct xpd_tool_ctx *ctx,
                                                 const struct xpd_mem_space *space,
                                                 const struct xpd_peak_split *split,
                                                 uint32_t *count);

#endif
