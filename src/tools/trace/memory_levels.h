/* The compiler's live bytes while each operation of a trace runs: a table beside the run, made once
 * for a host and looked up by every window after that. */
#ifndef XPROFD_SRC_TOOLS_TRACE_MEMORY_LEVELS_H
#define XPROFD_SRC_TOOLS_TRACE_MEMORY_LEVELS_H

#include "trace_common.h"

#define XPD_NO_PROGRAM UINT16_MAX

struct xpd_name_level { /* of a name of the trace */
    int64_t bytes;      /* -1 = unknown */
    uint32_t step;
    uint16_t program; /* index in xpd_trace_levels.program, XPD_NO_PROGRAM = none */
};
struct xpd_level_program {
    uint32_t module;   /* index in run->module */
    const char *space; /* whose bytes they are: "hbm" */
};
struct xpd_trace_levels {
    struct xpd_name_level *name; /* index = name of an event of the trace */
    struct xpd_level_program *program;
    uint32_t program_count;
};
/* Of the trace of `call`. XPD_EBUSY while the times of its instructions are read. */
int xpd_tools_trace_levels(const struct xpd_trace_levels **out, const struct xpd_trace_call *call,
                           struct xpd_err *err);

#endif
