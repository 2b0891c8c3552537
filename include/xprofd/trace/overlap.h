/* What a chip did in each step: compute, communication hidden under it or not, copies to and from
 * the host, nothing. By interval union on the host-aligned clock (features A6):
 *
 * compute  union of operations that are neither collectives, copies, waits nor wrappers of others
 * comm     union of collectives: synchronous ones, and asynchronous ones from start to done
 * copies   union of copies to and from host memory, from start to done (the derived offload rows),
 *          of copies that the chip makes itself, and of what a GPU's copy engines do (memset, too);
 *          what the threads of a host copy is compute
 * overlapped / exposed: comm inside / outside of compute; exposed copies: those outside of compute
 * and of comm; idle: outside of all three. What is computed or exposed and what is idle add up to
 * the range.
 *
 * What ran is what stands on a TPU's line of operations, on a GPU's streams, and for a host without
 * chips what its threads ran of a program (events with hlo_op). On a stream a kernel computes,
 * regardless of its name, also one that copies; NCCL's and those of a collective communicate.
 *
 * Ranges are of the host-aligned clock. Steps are by the chip's own clock too, where all its work
 * has times on it: from its first to its last operation. */
#ifndef XPROFD_TRACE_OVERLAP_H
#define XPROFD_TRACE_OVERLAP_H

#include "xprofd/trace/self.h"

struct xpd_overlap {
    uint32_t step; /* index in derived->step, XPD_NO_INDEX = none */
    int64_t compute_ps, comm_overlapped_ps, comm_exposed_ps;
    int64_t copy_overlapped_ps, copy_exposed_ps; /* with compute */
    /* Of copy_exposed_ps, where a GPU's events tell the way (copy_way.h): from the host's memory;
     * to it, while nothing comes from there. A TPU's operations tell it (step_split.h). */
    int64_t copy_in_ps, copy_out_ps;
    int64_t idle_ps;
    int64_t length_ps;    /* of the step or range: compute + comm_exposed + copy_exposed + idle */
    enum xpd_clock clock; /* of all its times */
};
/* All times are measures of sets of moments: those of a long range are a difference of sums. */
struct xpd_overlap_cut {
    int64_t at_ps;
    struct xpd_overlap before; /* from the first cut of the process to this one */
};

/* Data for all ranges: made once for a view with derived rows, frozen. */
struct xpd_overlap_table {
    const uint8_t *role;                 /* by name of the view */
    const struct xpd_overlap_pair *pair; /* asynchronous collectives by process, then by start */
    const uint32_t *pair_first;          /* by process, one more than there are */
    /* Starts without a done and dones without a start, of collectives that have both elsewhere: no
     * communication is counted for them. */
    uint32_t lone_halves;
    const struct xpd_overlap_cut *cut; /* moments of each process, ascending; NULL: not made */
    const uint32_t *cut_first;         /* by process, one more than there are */
};
/* Reads all events of devices; results are in `arena`. XPD_ENOMEM. */
int xpd_overlap_table_make(struct xpd_overlap_table *out, const struct xpd_view *view,
                           struct xpd_arena *arena, struct xpd_err *err);
/* The same without cuts: every answer is the same, but a range is looked at from its first to its
 * last event. Enough for ranges of which each moment is asked for once. */
int xpd_overlap_roles_make(struct xpd_overlap_table *out, const struct xpd_view *view,
                           struct xpd_arena *arena, struct xpd_err *err);

/* When work ran by the chips' own clocks; frozen. */
struct xpd_overlap_device {
    const bool *known; /* by process: all its work has a time on its own clock */
};
/* Looks through the durations of all work; results are in `arena`. XPD_ENOMEM. */
int xpd_overlap_device_make(struct xpd_overlap_device *out, const struct xpd_view *view,
                            struct xpd_arena *arena, struct xpd_err *err);

/* Steps [first, first + count) of the derived trace, in order, one element of `out` each. With
 * `device`, steps use the device's clock if known (see out->clock); NULL: all host-aligned.
 * XPD_ENOMEM. */
int xpd_overlap_of(const struct xpd_view *view, const struct xpd_overlap_table *table,
                   const struct xpd_overlap_device *device, uint32_t first, uint32_t count,
                   struct xpd_overlap *out, struct xpd_err *err);
/* The same for any range of one process; out->step is XPD_NO_INDEX. XPD_ENOMEM. */
int xpd_overlap_in(const struct xpd_view *view, const struct xpd_overlap_table *table,
                   uint32_t process, struct xpd_time_range range, struct xpd_overlap *out,
                   struct xpd_err *err);

/* One collective of a process: all its executions that touch the range, each from start to done. */
struct xpd_overlap_collective {
    uint32_t name;                /* of the view; of an asynchronous one that of its start */
    uint32_t count;               /* executions */
    int64_t total_ps, exposed_ps; /* sums over executions: inside of the range; of it outside of
                                     compute */
    int64_t most_ps;              /* exposed in the worst execution */
};
/* Most exposed first, ties by name; the caller frees *out. If collectives run in parallel, the sum
 * of their exposed times exceeds xpd_overlap.comm_exposed_ps, which counts each moment once.
 * XPD_ENOMEM. */
int xpd_overlap_collectives(const struct xpd_view *view, const struct xpd_overlap_table *table,
                            uint32_t process, struct xpd_time_range range,
                            struct xpd_overlap_collective **out, uint32_t *count,
                            struct xpd_err *err);

#endif
