/* The events that executions of an operation are, on a GPU: how each kernel was launched, and what
 * kernels of one name took. */
#ifndef XPROFD_OPS_OP_KERNELS_H
#define XPROFD_OPS_OP_KERNELS_H

#include "xprofd/ops/ops.h"

struct xpd_op_kernel {          /* events of an operation that are alike */
    struct xpd_str name;        /* of the trace */
    uint32_t grid[3], block[3]; /* as the profiler wrote them; zeros: not recorded */
    int64_t registers;          /* of a thread; -1: not recorded, or not filled in */
    int64_t shared_bytes;       /* of a block; likewise */
    double occupancy_share;     /* theoretical; likewise */
    int64_t count, total_ps, min_ps, max_ps;
};
/* Events that are read for this, the first ones of each device. */
#define XPD_KERNEL_EVENTS_MOST 2000

struct xpd_op_kernels {
    struct xpd_op_kernel *at; /* most time first; in the arena */
    uint32_t count;
    int64_t events; /* that were looked at */
};
/* Of an operation of runs->times, by the stats of its events, which are read from the file; none
 * where it ran on no GPU. `loose`: of its program. XPD_ENOMEM. */
int xpd_op_kernels_make(struct xpd_op_kernels *out, const struct xpd_trace *trace,
                        const struct xpd_op_runs *runs, const struct xpd_op *op,
                        enum xpd_op_loose loose, struct xpd_arena *arena, struct xpd_err *err);

/* Number of the event of an operation that begins at a moment in a process of the trace; -1: there
 * is none that says so. */
int64_t xpd_op_event(const struct xpd_trace *trace, uint32_t process, struct xpd_str op,
                     enum xpd_op_loose loose, int64_t start_ps);

struct xpd_op_kernel_time { /* of the operation `row`: what its kernels of one name took */
    const struct xpd_op_row *row;
    struct xpd_str kernel; /* of the trace; data NULL: executions without an event of their own */
    int64_t self_ps;
};
struct xpd_op_kernel_times {
    XPD_VEC(struct xpd_op_kernel_time) time; /* the caller frees it */
};
/* Adds the executions of a host: those in some ranges, all where `range` is NULL. `row`: by op of
 * runs->times, NULL where it is not asked for. Those of one add up to its self time. False: no
 * memory. */
bool xpd_op_kernel_times_add(struct xpd_op_kernel_times *to, const struct xpd_op_row *const *row,
                             const struct xpd_trace *trace, const struct xpd_op_runs *runs,
                             const struct xpd_op_range *range, uint32_t count);

#endif
