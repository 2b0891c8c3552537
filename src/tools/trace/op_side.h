/* One program in some steps, on one host or on all: what layers are found in, and one side of a
 * comparison. */
#ifndef XPROFD_SRC_TOOLS_TRACE_OP_SIDE_H
#define XPROFD_SRC_TOOLS_TRACE_OP_SIDE_H

#include "../common/common.h"
#include "xprofd/trace/step_spans.h"

struct xpd_op_ask {        /* "" = not said */
    struct xpd_str module; /* default: the program with most time */
    struct xpd_str host;   /* default: all that have events */
    struct xpd_str steps;  /* "100-102,105"; default: all */
};
struct xpd_op_side {
    const char *why_not;       /* one sentence without a full stop; NULL = all below is there */
    uint32_t host, module;     /* in run->host, or xpd_run_all_hosts; in run->module */
    const char *key;           /* of the program, as events call it where there is no HLO */
    const struct xpd_hlo *hlo; /* NULL: the profile does not hold it */
    struct xpd_view view;
    const struct xpd_op_runs *runs;
    const struct xpd_op_program *program;
    uint32_t *instruction; /* by op of the program: of hlo, XPD_NO_INDEX = none of this name */
    struct xpd_step_spans spans;
    const char *clock; /* "device", "host", "mixed" */
};
/* Of the run of `ctx`. XPD_EBUSY while events are read; XPD_EINVAL, XPD_ENOTFOUND for what the
 * parameters say. */
int xpd_tools_op_side(struct xpd_op_side *out, const struct xpd_tool_ctx *ctx,
                      const struct xpd_op_ask *ask, struct xpd_err *err);

/* "100-102,105" as ranges, in the arena. XPD_EINVAL for what is none. */
int xpd_tools_step_numbers(struct xpd_str text, struct xpd_arena *arena,
                           struct xpd_step_numbers **out, uint32_t *count, struct xpd_err *err);

#define XPD_PARAM_STEPS(name_, words)                                                              \
    {                                                                                              \
        .name = (name_), .type = XPD_PARAM_TEXT, .max = 4096, .help = (words)                      \
    }

#endif
