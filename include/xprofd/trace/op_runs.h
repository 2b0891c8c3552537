/* Every execution of every instruction, on the chips of one host or of several (join.h): the basis
 * of steps, percentiles, layers and comparisons of steps.
 *
 * Which events are executions, of which program and instruction, and what `self` means is as
 * op_times.h says; the two agree to the picosecond (the sums of the executions of an op on a device
 * are its xpd_op_share). Columns by device, in order of start: 20 bytes an execution, and 16 more
 * for each with others nested in it. */
#ifndef XPROFD_TRACE_OP_RUNS_H
#define XPROFD_TRACE_OP_RUNS_H

#include "xprofd/trace/op_times.h"

struct xpd_op_inside { /* of an execution with others nested in it */
    uint32_t at;       /* in the columns of its device, ascending */
    int64_t inside_ps; /* time of the nested ones: self is duration minus this, at least 0 */
};
struct xpd_op_device_runs { /* of times->device[same index] */
    uint32_t count;
    const uint32_t *op;         /* in times->op */
    const int64_t *start_ps;    /* host-aligned, ascending: where Trace draws it */
    const int64_t *duration_ps; /* by the device's clock where the event has it */
    const struct xpd_op_inside *inside;
    uint32_t inside_count;
    bool device_clock;       /* of all its durations; else host-aligned or mixed */
    int64_t side_by_side_ps; /* time in which some overlap others without being nested (streams,
                                threads of a pool), each beyond the first; host-aligned. 0 = none */
};
struct xpd_op_runs {
    struct xpd_arena arena;
    const struct xpd_op_times *times;
    struct xpd_op_device_runs *device;
    uint32_t device_count; /* times->device_count */
};

/* `times` are those of the same trace and must outlive it. XPD_ELIMIT over the budget (0 = none).
 */
int xpd_op_runs_make(struct xpd_op_runs **out, const struct xpd_trace *trace,
                     const struct xpd_op_times *times, uint64_t arena_budget_bytes,
                     struct xpd_err *err);
void xpd_op_runs_free(struct xpd_op_runs *runs); /* NULL is legal */
uint64_t xpd_op_runs_memory_bytes(const struct xpd_op_runs *runs);

/* The executions of a device that begin in [from_ps, to_ps): [*first, *end). */
void xpd_op_runs_range(const struct xpd_op_device_runs *device, int64_t from_ps, int64_t to_ps,
                       uint32_t *first, uint32_t *end);
/* Self time of the execution `at`. `hint`: a place in `inside`, moved along; begin with 0 and ask
 * in ascending order. */
int64_t xpd_op_run_self_ps(const struct xpd_op_device_runs *device, uint32_t at, uint32_t *hint);

#endif
