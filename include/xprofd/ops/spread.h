/* Durations of the executions of operations: sums, percentiles, extremes, and differences between
 * chips; for a whole trace or for chosen executions (steps).
 *
 * An execution of an operation is `kernels` events of it, one after another on a device: 1 but on
 * GPUs (ops.h). Percentiles are by nearest rank, over the executions on all chips. */
#ifndef XPROFD_OPS_SPREAD_H
#define XPROFD_OPS_SPREAD_H

#include "xprofd/trace/op_runs.h"

struct xpd_op_range { /* executions of one device: runs->device[device], from `first` to `end` */
    uint32_t device, first, end;
};

struct xpd_op_chosen { /* of one op; sums.count 0: none of its executions was chosen */
    struct xpd_op_sums sums;
    bool host_known;   /* sums.host_total_ps is */
    uint32_t chips;    /* devices that ran it */
    uint32_t compared; /* of them: of one kind, SparseCores only where no chip's main core ran it */
    bool sparse;       /* these are SparseCores */
    double slowest_mean_ps, fastest_mean_ps; /* of events, on those */
};
/* Of all executions, as the times say. */
struct xpd_op_chosen xpd_op_all(const struct xpd_op_times *times, const struct xpd_op *op);
/* Of the executions in some ranges, by index in times->op; ranges of a device follow one another.
 * In `arena`; NULL without memory. */
struct xpd_op_chosen *xpd_op_choose(const struct xpd_op_runs *runs,
                                    const struct xpd_op_range *range, uint32_t count,
                                    struct xpd_arena *arena);

struct xpd_op_spread {      /* of executions; -1 where kernels and events do not go together */
    int64_t p50_ps, p99_ps; /* p99: of fewer than 20 the longest */
    int64_t min_ps, max_ps;
};
/* By index in times->op, of executions in some ranges; of all of them where `range` is NULL.
 * `kernels`: of one execution, by op; NULL = 1 each. XPD_ENOMEM. */
int xpd_op_spread_make(struct xpd_op_spread *out, const struct xpd_op_runs *runs,
                       const struct xpd_op_range *range, uint32_t count, const uint32_t *kernels,
                       struct xpd_err *err);
/* All executions of all devices: runs->device_count ranges. */
void xpd_op_ranges_all(struct xpd_op_range *range, const struct xpd_op_runs *runs);

#endif
