/* The operations that ran, one row each: time, work, bound and loss.
 *
 * The only source of these figures for Ops, Roofline, Overview and the findings of time, which take
 * rows from here and sum nothing themselves. Pure functions of measured times (op_times.h), a
 * program and its costs (hlo/cost.h), and the peaks of a chip. Unknown amounts are -1.
 *
 * A row is an instruction of a program that has times. An operation of the trace that is not in the
 * program (no HLO in the profile, or that of another program) is also a row: its times are
 * measured, its work is unknown. */
#ifndef XPROFD_OPS_OPS_H
#define XPROFD_OPS_OPS_H

#include "xprofd/base/vec.h"
#include "xprofd/explain/expect.h"
#include "xprofd/hlo/scope.h"
#include "xprofd/hlo/source_info.h"
#include "xprofd/ops/spread.h"

enum xpd_ops_bound { /* what sets the time of an operation */
                     XPD_BOUND_UNKNOWN,
                     XPD_BOUND_COMPUTE,
                     XPD_BOUND_HBM,
                     XPD_BOUND_VMEM,
                     XPD_BOUND_CMEM,
                     XPD_BOUND_LINK,
                     XPD_BOUND_LATENCY, /* short, and far from any roof */
                     XPD_BOUND_WAIT,    /* it waits for copies in flight or other chips */
                     XPD_BOUND_COUNT
};
#define XPD_BOUND_WORDS "unknown " XPD_BOUNDS " latency wait"
const char *xpd_ops_bound_word(enum xpd_ops_bound bound);

enum xpd_ops_against { /* what `lost_ps` is measured against */
                       XPD_LOST_UNKNOWN,
                       XPD_LOST_ROOFLINE, /* the peaks of the chip */
                       XPD_LOST_BEST,    /* the best rates that this run reached: ranks, not a limit
                                          */
                       XPD_LOST_NOTHING, /* at most the whole wait: an upper bound */
                       XPD_LOST_SEVERAL  /* of a sum only */
};

enum xpd_op_place { /* where Roofline shows it */
                    XPD_PLACE_POINT,
                    XPD_PLACE_NO_FLOPS, /* it moves bytes only */
                    XPD_PLACE_UNKNOWN,  /* its work is unknown */
                    XPD_PLACE_WAIT,
                    XPD_PLACE_NONE, /* its called or started operations are listed separately */
                    XPD_PLACE_COUNT
};
#define XPD_PLACE_WORDS "point no_flops unknown wait none"
const char *xpd_ops_place_word(enum xpd_op_place place);

/* Bound "latency": shorter than this and below this share of the roofline. */
#define XPD_LATENCY_PS    INT64_C(10000000)
#define XPD_LATENCY_SHARE 0.05
/* Minimum duration of an execution that counts for the best rates of a run. */
#define XPD_BEST_PS INT64_C(50000000)

struct xpd_ops_program { /* what rows are made of */
    const char *name;    /* key of its module, or what the events call it */
    const struct xpd_op_times *times;
    const struct xpd_op_program *program; /* of `times` */
    const struct xpd_op **wait;    /* by instruction: the op of the done of its asynchronous pair */
    const struct xpd_hlo *hlo;     /* NULL: the profile has no HLO of it */
    const char *why_no_hlo;        /* a reason of its own, one sentence; NULL */
    const struct xpd_costs *costs; /* NULL where hlo is */
    const struct xpd_op_chosen *chosen; /* by op of `times`; NULL: all executions */
    bool kernels;                       /* a GPU: one execution can be several events */
};

struct xpd_op_row {
    uint32_t program;     /* as given */
    uint32_t instruction; /* of its HLO; XPD_NO_INDEX: none of this name */
    const struct xpd_op *op;
    struct xpd_str name;
    enum xpd_op_group group;
    enum xpd_phase phase;

    int64_t count;      /* events; of a GPU kernels */
    int64_t executions; /* at least 1 */
    uint32_t kernels;   /* events of one execution */
    int64_t total_ps, self_ps;
    int64_t other_total_ps; /* host-aligned, where total_ps is the device's; else -1 */
    int64_t p50_ps, p99_ps, min_ps, max_ps; /* of executions; percentiles by xpd_ops_spread */
    uint32_t chips;
    double chip_spread;    /* mean on the slowest chip over that on the fastest; -1 of one chip */
    double mean_ps;        /* total of one execution */
    int64_t wait_total_ps; /* of the asynchronous pair that it is half of */

    struct xpd_amounts amounts; /* of one execution, as all work */
    int64_t bytes;              /* of all memories: the sum of the next four */
    int64_t hbm_bytes, vmem_bytes, cmem_bytes, other_bytes;
    uint32_t matmul; /* in costs->matmuls; XPD_NO_INDEX */
    /* A wrapper, a start, a done: its work takes its time in others, so it has no rates. */
    bool works_elsewhere;
    double flops_per_s, hbm_bytes_per_s, vmem_bytes_per_s, intensity;

    enum xpd_op_place place;
    enum xpd_ops_bound bound;
    const char *why_unknown; /* of its bound: one sentence; else NULL */
    int64_t roofline_ps;     /* of one execution; of a program's peaks, regardless of `bound` */
    const char *roof;        /* "compute", "HBM": what sets it; NULL = none */
    double roofline_share;   /* of mean_ps */
    int64_t lost_ps;         /* of all executions, 0 and up */
    enum xpd_ops_against lost_against;
};

struct xpd_op_rows { /* rows in the order of programs, then of instructions, then those without */
    struct xpd_op_row *row;
    uint32_t count;
    int64_t total_ps, self_ps;
    int64_t judged_ps;                         /* self time of rows whose bound is known */
    double best_flops_per_s, best_bytes_per_s; /* that an execution of XPD_BEST_PS reached; -1 */
};

/* `peaks`: NULL where none are known. XPD_ENOMEM. */
int xpd_ops_make(struct xpd_op_rows *out, struct xpd_arena *arena,
                 const struct xpd_ops_program *program, uint32_t program_count,
                 const struct xpd_peaks *peaks, struct xpd_err *err);

/* Kernels of an execution by op of the times of program `of`, for xpd_op_spread_make; NULL: one
 * each, or no memory (*fails is set, else left alone). */
const uint32_t *xpd_ops_kernels(const struct xpd_op_rows *rows,
                                const struct xpd_ops_program *program, uint32_t of,
                                struct xpd_arena *arena, bool *fails);

/* Fills in the percentiles of executions; `spread` by op of the times of a program, one for each
 * program. */
void xpd_ops_spread(struct xpd_op_rows *rows, const struct xpd_ops_program *program,
                    const struct xpd_op_spread *const *spread);

/* Rates, bound and loss of a row whose times and amounts are filled in. */
void xpd_ops_judge(struct xpd_op_row *row, const struct xpd_ops_program *of,
                   const struct xpd_peaks *peaks);

/* Loss against the best rates of the run, for a row without a roofline that could have one. */
void xpd_ops_judge_by_best(struct xpd_op_row *row, const struct xpd_ops_program *of,
                           const struct xpd_peaks *best);

/* ---- text columns; made on demand, because few of many rows are shown ---- */

enum xpd_op_text {
    XPD_OPS_NAME,
    XPD_OPS_OPCODE,
    XPD_OPS_CATEGORY, /* XProf's words */
    XPD_OPS_GROUP,
    XPD_OPS_SCOPE, /* xpd_scope_plain */
    XPD_OPS_PHASE,
    XPD_OPS_SHAPE,  /* of the result, without layout */
    XPD_OPS_DTYPE,  /* of what the matrix unit multiplies; of other work the result's */
    XPD_OPS_SOURCE, /* file:line */
    XPD_OPS_BOUND,
    XPD_OPS_TEXT_COUNT
};
/* Appends the text; nothing if unknown. */
void xpd_op_row_text(struct xpd_strbuf *out, enum xpd_op_text column, const struct xpd_op_row *row,
                     const struct xpd_ops_program *of);

#endif
