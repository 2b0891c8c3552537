/* All steps of a host, each with its parts: a table beside the run, from which Overview and
 * trace/stepsplit answer. */
#ifndef XPROFD_SRC_TOOLS_STEPS_STEP_TABLE_H
#define XPROFD_SRC_TOOLS_STEPS_STEP_TABLE_H

#include "../trace/trace_common.h"
#include "op_places.h"

enum xpd_step_what { XPD_STEPS_MARKED, XPD_STEPS_RUNS, XPD_STEPS_WINDOWS };
#define XPD_STEP_WINDOWS 100 /* that the trace is cut into where nothing tells steps */

struct xpd_step_cell { /* a step on a chip */
    int64_t number;
    struct xpd_split_span span;
    int64_t hidden_ps;   /* of its compute, what ran while copies or collectives were in flight */
    int64_t gap_ps;      /* to the next step of the chip; -1 = it is the last */
    int64_t gap_idle_ps; /* of it, what the chip does nothing in; -1 as there */
    struct xpd_step_parts parts;
};
struct xpd_step_lane {
    uint32_t process; /* of the host's trace */
    struct xpd_split_lane of;
    struct xpd_step_cell *cell; /* in order */
    uint32_t count;
};
struct xpd_step_table {
    const struct xpd_trace *trace;
    const struct xpd_op_times *times;
    struct xpd_op_places places;
    enum xpd_step_what what;
    xpd_name_id program; /* of XPD_STEPS_RUNS, in trace->names or times->names; see by_times */
    bool by_times;
    enum xpd_clock clock;
    const char *why_host; /* NULL: the clock is the device's */
    bool side_by_side;    /* parts are by union of intervals */
    struct xpd_step_lane *lane;
    uint32_t lane_count;
    uint64_t cells;          /* of all lanes */
    uint32_t overlapping;    /* of them: begin well before an earlier one of their chip ends */
    bool nothing;            /* no operation, kernel or wait was recorded in any of them */
    struct xpd_split_op *op; /* by op: of all cells */
};
/* Of one host with events. `program`, in run->module: the steps are its runs, even if others are
 * marked; XPD_NO_INDEX: none was asked for. XPD_EBUSY while events are read. */
int xpd_step_table_of(const struct xpd_step_table **out, const struct xpd_tool_ctx *ctx,
                      uint32_t host, enum xpd_clock clock, uint32_t program, struct xpd_err *err);
struct xpd_str xpd_step_table_program(const struct xpd_step_table *table); /* "" = none */

#endif
