/* All steps of a host, each with its parts: what Overview and trace/stepsplit answer from.
 *
 * A pure function of the frozen structures of the host. Times are picoseconds on the axis of its
 * trace. The table borrows from its input, which must outlive it. */
#ifndef XPROFD_TRACE_STEP_TABLE_H
#define XPROFD_TRACE_STEP_TABLE_H

#include "xprofd/trace/step_split.h"

enum xpd_step_what { XPD_STEPS_MARKED, XPD_STEPS_RUNS, XPD_STEPS_WINDOWS };
#define XPD_STEP_WINDOWS 100 /* that the trace is cut into where nothing marks steps */

struct xpd_op_origin {
    uint32_t module, instruction; /* XPD_NO_INDEX: the profile does not hold it */
    bool loose;                   /* it is of no program (trace/op_loose.h) */
};
struct xpd_op_places { /* columns by op of the times */
    uint8_t *part;     /* enum xpd_step_part */
    bool *entry;       /* it is in the entry computation: each run of the program has it */
    struct xpd_op_origin *place;
};
/* Of all ops, in `arena`, each by its name: of no module, in no entry computation. False: no
 * memory. */
bool xpd_op_places_init(struct xpd_op_places *out, const struct xpd_op_times *times,
                        struct xpd_arena *arena);
/* `op` is this instruction of `hlo`, which is the module number `module` of the caller. */
void xpd_op_places_put(struct xpd_op_places *places, size_t op, const struct xpd_hlo *hlo,
                       uint32_t module, uint32_t instruction);

struct xpd_steps_kept { /* all steps of a trace, measured on one clock */
    enum xpd_clock clock;
    const char *why_host;              /* NULL: the clock is the device's */
    const int64_t *device_ps;          /* by step, -1 = unknown */
    const struct xpd_overlap *overlap; /* by step, on `clock`; nothing for hosts with chips */
};

struct xpd_step_program {
    struct xpd_str key, name; /* "jit_f(7)", "jit_f" */
    uint64_t id;
};
struct xpd_step_input { /* of one host */
    struct xpd_view view;
    const struct xpd_op_times *times;
    const struct xpd_op_runs *runs; /* of `times` */
    const struct xpd_steps_kept *kept;
    const struct xpd_overlap_table *overlap;
    const struct xpd_op_places *places;
    const struct xpd_step_program *program; /* steps are its runs; NULL: those of the trace */
    enum xpd_clock clock;                   /* that was asked for */
};

struct xpd_step_cell { /* a step on a chip */
    int64_t number;
    struct xpd_split_span span;
    int64_t hidden_ps; /* of its compute, what ran while copies or collectives were in flight */
    int64_t gap_ps;    /* to the next step of the chip; -1 = it is the last, the next one overlaps,
                          or the chip lacks a step that others have in between */
    int64_t gap_idle_ps; /* part of the gap in which the chip is idle; -1 as gap_ps */
    struct xpd_step_parts parts;
};
struct xpd_step_lane {
    uint32_t process; /* of the host's trace */
    struct xpd_split_lane of;
    struct xpd_step_cell *cell; /* in order */
    uint32_t count;
    /* What the chip computed in the whole trace, and of that what ran in none of the steps: before
     * the first, between two, after the last. As in overlap.h, by union of intervals. */
    int64_t compute_ps, outside_ps;
};
struct xpd_step_table {
    const struct xpd_trace *trace;
    const struct xpd_op_times *times;
    struct xpd_op_places places;
    enum xpd_step_what what;
    xpd_name_id program; /* of XPD_STEPS_RUNS, in trace->names or times->names; see by_times */
    const struct xpd_op_program *by_times; /* its operations tell its runs; NULL: the trace does */
    enum xpd_clock clock;
    const char *why_host; /* NULL: the clock is the device's */
    bool side_by_side;    /* parts are by union of intervals */
    struct xpd_step_lane *lane;
    uint32_t lane_count;
    uint64_t cells;       /* of all lanes */
    int64_t total_ps;     /* durations of all cells */
    uint32_t overlapping; /* cells that begin well before an earlier one of their chip ends */
    uint32_t in_part;     /* runs of the program that are no steps: the recording has only a part */
    bool nothing;         /* no operation, kernel or wait was recorded in any of them */
    bool threads_mark;    /* threads of the host mark steps, be they these or not */
    struct xpd_split_op *op; /* by op: of all cells */
};
/* The table is kept in `arena`; `scratch` may be reset afterwards. XPD_ENOMEM. */
int xpd_step_table_make(struct xpd_step_table *out, const struct xpd_step_input *in,
                        struct xpd_arena *arena, struct xpd_arena *scratch, struct xpd_err *err);
/* A part of the above: gaps over a step that only other chips have are made
 * unknown. False: no memory. */
bool xpd_step_table_drop_gaps(struct xpd_step_table *table, struct xpd_arena *scratch);
struct xpd_str xpd_step_table_program(const struct xpd_step_table *table); /* "" = none */

#endif
