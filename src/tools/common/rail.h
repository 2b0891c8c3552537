/* The list of tools as the page's rail shows it, and what a run holds for each. */
#ifndef XPROFD_SRC_TOOLS_COMMON_RAIL_H
#define XPROFD_SRC_TOOLS_COMMON_RAIL_H

#include "common.h"

#define XPD_TOOL_STATE_FIELDS(FIELD)                                                               \
    FIELD(WORD("overview memory trace graph ops roofline input doctor"), id, "")                   \
    FIELD(STRING, title, "as the page calls it")                                                   \
    FIELD(BOOL, available, "")                                                                     \
    FIELD(MAYBE(STRING), reason, "why not")
XPD_RECORD_TYPE(xpd_tool_state, XPD_TOOL_STATE_FIELDS)
#define XPD_RAIL_TOOLS 8
/* `run` NULL: of the program as such. */
void xpd_rail_of(struct xpd_tool_state out[XPD_RAIL_TOOLS], const struct xpd_run *run);
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

#define XPD_RUN_KINDS "profile dump file heap"
const char *xpd_run_kind_word(enum xpd_run_kind kind); /* one of them */

#endif
