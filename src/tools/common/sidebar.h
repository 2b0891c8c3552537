/* The tools of the page's sidebar, and what a run holds for each. */
#ifndef XPROFD_SRC_TOOLS_COMMON_SIDEBAR_H
#define XPROFD_SRC_TOOLS_COMMON_SIDEBAR_H

#include "common.h"
#include "sidebar.def"

#define XPD_SIDEBAR_ONE(...)    +1
#define XPD_SIDEBAR_TOOLS       (0 XPD_SIDEBAR(XPD_SIDEBAR_ONE))
#define XPD_SIDEBAR_ID(id, ...) " " #id
#define XPD_SIDEBAR_IDS         (&(XPD_SIDEBAR(XPD_SIDEBAR_ID))[1])

#define XPD_TOOL_STATE_FIELDS(FIELD)                                                               \
    FIELD(WORD(XPD_SIDEBAR_IDS), id, "")                                                           \
    FIELD(STRING, title, "title on the page")                                                      \
    FIELD(BOOL, available, "")                                                                     \
    FIELD(MAYBE(STRING), reason, "why not")
XPD_RECORD_TYPE(xpd_tool_state, XPD_TOOL_STATE_FIELDS)
/* `run` NULL: every tool is available. Texts are constants or live as long as the run. */
void xpd_sidebar_of(struct xpd_tool_state out[XPD_SIDEBAR_TOOLS], const struct xpd_run *run);
/* Why a run has no data for a tool; NULL = it has some. `has_memory`: some module has a buffer
 * assignment. */
const char *xpd_sidebar_memory_reason(const struct xpd_run *run, bool has_memory);
const char *xpd_sidebar_trace_reason(const struct xpd_run *run);
const char *xpd_sidebar_graph_reason(const struct xpd_run *run);

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
