/* The operations of some steps: what each takes of them, what of that the peaks allow, and where
 * the steps go: losses that add up to the steps, from nothing running to the roofline. Pure
 * functions of parts of steps (step_split.h) and of rows (ops.h). */
#ifndef XPROFD_OPS_STEP_OPS_H
#define XPROFD_OPS_STEP_OPS_H

#include "xprofd/base/intern.h"
#include "xprofd/base/map64.h"
#include "xprofd/ops/ops.h"
#include "xprofd/trace/step_table.h"

struct xpd_step_op { /* of a host, or of several together */
    struct xpd_str name;
    uint32_t part; /* enum xpd_step_part */
    struct xpd_op_origin place;
    int64_t time_ps;         /* its part of the steps */
    int64_t self_ps;         /* of its executions in them, also where others ran beside them */
    int64_t count;           /* of events */
    int64_t ideal_ps;        /* of time_ps, what the peaks allow; -1 = not judged */
    double flops, hbm_bytes; /* of all executions; -1 = unknown */
    double moved_bytes;      /* of a copy: by its shape; -1 = unknown, or none */
    bool partial;            /* flops and bytes are the least */
    bool latency;            /* short, and far from any roof */
    const char *roof;        /* XPD_BOUNDS: what sets its roofline; NULL = none */
    const char *why_unknown; /* why it is not checked; NULL = it is, or the reason is unknown */
};

/* From its part, times and count all that follows. `row`: of the operation, NULL = none; `program`:
 * what rows are made of. */
void xpd_step_op_judge(struct xpd_step_op *op, const struct xpd_ops_program *program,
                       const struct xpd_op_row *row);
/* Adds to an operation what another host has of it. */
void xpd_step_op_add(struct xpd_step_op *to, const struct xpd_step_op *op);

/* Operations of several hosts, by what makes two of them the same. */
struct xpd_same_ops {
    struct xpd_intern text;
    struct xpd_map64 at; /* by key: the place in the caller's list */
};
void xpd_same_ops_init(struct xpd_same_ops *same, struct xpd_arena *arena);
void xpd_same_ops_fini(struct xpd_same_ops *same);
/* By its module, part and name; `program` names its program where the profile does not hold the
 * module. A failure is kept in `same`. */
uint64_t xpd_same_ops_key(struct xpd_same_ops *same, struct xpd_str program,
                          const struct xpd_step_op *op);

enum xpd_loss {
    XPD_LOSS_IDLE,
    XPD_LOSS_COPIES_IN,
    XPD_LOSS_COPIES_OUT,
    XPD_LOSS_COPIES,
    XPD_LOSS_COLLECTIVES,
    XPD_LOSS_INFEED,
    XPD_LOSS_WAITS,
    XPD_LOSS_COMPUTE,
    XPD_LOSS_MEMORY,
    XPD_LOSS_LATENCY,
    XPD_LOSS_NOT_JUDGED,
    XPD_LOSS_ROOFLINE,
    XPD_LOSS_COUNT
};
enum xpd_loss xpd_step_op_loss(const struct xpd_step_op *op);
struct xpd_losses {
    int64_t ps[XPD_LOSS_COUNT];
    uint32_t ops[XPD_LOSS_COUNT];         /* how many operations are in it */
    const struct xpd_step_op *not_judged; /* the largest that is not; NULL: none */
};
/* `part_ps`: parts of the steps, which the losses add up to. Borrows from `op`. */
void xpd_losses_make(struct xpd_losses *out, const int64_t part_ps[XPD_PART_COUNT],
                     const struct xpd_step_op *op, size_t count);

/* What is won at the peaks; of a wait at most all of it. -1: it is not judged. */
int64_t xpd_step_op_win_ps(const struct xpd_step_op *op);
/* Kind of work; waits have that of what they wait for. */
enum xpd_op_group xpd_step_op_group(const struct xpd_step_op *op);
/* Of a copy, over the wait; -1 = unknown. When a wait is over at once, the bytes were moved before
 * it. */
double xpd_step_op_moved_per_s(const struct xpd_step_op *op);

#endif
