/* The answer of /api/v1/trace/gaps, as its writers share it. */
#ifndef XPROFD_SRC_TOOLS_TRACE_TRACE_GAPS_H
#define XPROFD_SRC_TOOLS_TRACE_TRACE_GAPS_H

#include "trace_common.h"
#include "xprofd/trace/gaps.h"

struct xpd_gaps_answer {
    struct xpd_trace_call *call;
    struct xpd_gaps_ask ask;
    struct xpd_gaps gaps;
    struct xpd_meanwhile *meanwhile; /* by gap */
    uint32_t *of_gap;                /* the gap of each */
    uint32_t meanwhile_count;
    uint32_t unknown; /* gaps, the last ones, whose meanwhile was not looked up */
};
/* "" for none. */
struct xpd_str xpd_gaps_caption(const struct xpd_gaps_answer *answer, uint64_t event);
/* From the end of the event before to the start of that after, -1 = the trace begins or ends. */
int64_t xpd_gaps_whole(const struct xpd_gaps_answer *answer, const struct xpd_gap *gap);

/* trace_gaps_text.c */
void xpd_gaps_write_csv(struct xpd_tool_result *out, const struct xpd_gaps_answer *answer);
void xpd_gaps_write_text(struct xpd_tool_result *out, const struct xpd_gaps_answer *answer);

#endif
