/* The operations of a run, out of the store: what Ops, Roofline and Overview are made from
 * (ops/ops.h), with the programs, hosts and peaks they belong to. */
#ifndef XPROFD_SRC_TOOLS_TRACE_OPS_ROWS_H
#define XPROFD_SRC_TOOLS_TRACE_OPS_ROWS_H

#include "../program/explain_peaks.h"
#include "op_side.h"
#include "xprofd/ops/ops.h"

struct xpd_ops_source { /* of one program */
    uint32_t module;    /* in run->module; XPD_NO_INDEX: the profile has no HLO of it */
    uint32_t host;      /* in run->host, or xpd_run_all_hosts: whose events */
    const struct xpd_trace *trace;
    enum xpd_op_loose loose;          /* no program: what names none */
    const struct xpd_op_range *range; /* executions that were chosen; NULL: all */
    uint32_t range_count;
};

struct xpd_ops_found {
    struct xpd_op_rows ops;
    struct xpd_ops_program *program; /* rows have an index into it */
    struct xpd_ops_source *source;   /* likewise */
    uint32_t program_count;
    struct xpd_peaks peaks;
    bool has_peaks;
    const char *reason; /* why there are no times; NULL = there are */
    const char *clock;  /* "device", "host", "mixed"; NULL without times */
    uint32_t host;      /* whose times these are; xpd_run_all_hosts; XPD_NO_INDEX: there are none */
    bool has_steps;     /* steps were asked for */
    uint32_t step_count;         /* of them ran */
    bool *left_out;              /* by host: it ran one of the programs, too */
    struct xpd_ops_hosts *hosts; /* by row (ops_hosts.h); NULL: the times are of one host */
    const struct xpd_run *run;
};
/* By the parameters `module`, `host` (without it all hosts together), `steps` and those of the
 * peaks. XPD_EBUSY while events are read; that there are no times is not an error. */
#define XPD_OPS_STEPS_PARAM                                                                        \
    XPD_PARAM_STEPS("steps", "only executions that begin in these steps, `100-102,105`; all else " \
                             "is left out")
int xpd_tools_ops(struct xpd_ops_found *out, const struct xpd_tool_ctx *ctx, struct xpd_err *err);
/* The question of a call about one program (NULL: all) on one host. False: no memory. */
bool xpd_tools_ops_ask(struct xpd_tool_ctx *ask, const struct xpd_tool_ctx *ctx, const char *module,
                       const char *host);
/* Whether an operation is faster than the peak of a memory, or of its compute unit. */
bool xpd_tools_ops_is_beyond(const struct xpd_ops_found *found, bool memory);
/* Operations that are faster than a peak: by how much, what the table of chips says, and how to
 * give the right one. No text (data NULL) where none is. */
struct xpd_str xpd_tools_ops_peaks_problem(const struct xpd_ops_found *found,
                                           struct xpd_arena *arena);
/* "MI355X, derived from ..." and the end of the line. */
void xpd_tools_ops_peaks_words(struct xpd_strbuf *out, const struct xpd_peaks *peaks);

#endif
