/* The list of tools as the page's rail shows it, and what a run holds for each. */
#ifndef XPROFD_SRC_TOOLS_COMMON_RAIL_H
#define XPROFD_SRC_TOOLS_COMMON_RAIL_H

#include "common.h"

/* "tools":[{id, title, available, reason}]; `run` NULL: of the program as such. */
void xpd_rail_write(struct xpd_jsonw *w, const struct xpd_run *run);
/* Why a run holds nothing for a tool, NULL = it does. `has_memory`: some module has a buffer
 * assignment. */
const char *xpd_rail_memory_reason(const struct xpd_run *run, bool has_memory);
const char *xpd_rail_trace_reason(const struct xpd_run *run);
const char *xpd_rail_graph_reason(const struct xpd_run *run);

/* What to say first about a run: the worst of host errors, compile failures and warnings. */
struct xpd_run_problems {
    uint32_t count;
    enum xpd_severity severity;
    const char *text; /* NULL = none */
};
void xpd_run_problems_of(const struct xpd_run *run, struct xpd_run_problems *out);

const char *xpd_run_kind_word(enum xpd_run_kind kind); /* "profile", "dump", "file" */

#endif
