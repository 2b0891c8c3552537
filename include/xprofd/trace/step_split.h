/* What a step of a chip is made of: compute by group of operations, waits by kind and direction,
 * nothing. The parts of a step add up to its duration, to the picosecond.
 *
 * In are the executions that begin in the step, with their self times (op_runs.h).
 * - Where a chip runs one operation at a time, its parts are the sums of self times, and what is
 *   left of the step is idle.
 * - Where operations run side by side (streams, threads of a pool), and where the step is by
 * another clock than its executions, what was computed, exposed and idle is measured by union of
 * intervals (overlap.h: the very numbers of trace/steps). The self times of the executions are
 * scaled to it, so that a moment counts once. Compute beyond them (kernels that name no operation)
 * has no group; copies and collectives beyond them (in flight without an operation on the chip)
 * have no name. Where the events of a GPU tell which way copies go, each way is what they say.
 * - Self times that are more than the step itself (a damaged file) are scaled to it, too.
 * - A window of time that nothing marked cuts operations: each has the part of its self time that
 *   lies in the window, wherever it begins. */
#ifndef XPROFD_TRACE_STEP_SPLIT_H
#define XPROFD_TRACE_STEP_SPLIT_H

#include "xprofd/hlo/source_info.h"
#include "xprofd/trace/op_runs.h"
#include "xprofd/trace/overlap.h"

enum xpd_step_part {
    XPD_PART_IDLE,
    XPD_PART_COPY_IN,  /* waits for copies from the host's memory to the chip's */
    XPD_PART_COPY_OUT, /* and back */
    XPD_PART_COPY, /* waits for copies whose direction nothing tells, or that stay on the chip */
    XPD_PART_COLLECTIVE, /* waits for them, and those that are not asynchronous */
    XPD_PART_INFEED,     /* and outfeed, send, recv to the host */
    XPD_PART_WAIT,       /* others: semaphores, barriers */
    XPD_PART_COMPUTE,    /* + enum xpd_op_group */
    XPD_PART_COUNT = XPD_PART_COMPUTE + XPD_OP_GROUP_COUNT
};
static inline bool xpd_part_waits(uint32_t part)
{
    return part > XPD_PART_IDLE && part < XPD_PART_COMPUTE;
}

/* What runs the steps: a chip, or a host that computes itself with all its devices. */
struct xpd_split_lane {
    const struct xpd_op_device_runs *const *device;
    uint32_t device_count; /* 0: no operation is known */
    const uint8_t *part;   /* enum xpd_step_part of each op of the times; none is idle */
    int64_t longest_ps;    /* no execution is longer; only for spans that cut */
};
struct xpd_split_span {
    int64_t from_ps, to_ps; /* host-aligned: the executions that begin in it */
    int64_t duration_ps;    /* by the clock of the answer */
    /* What the union of intervals says of it; NULL: one operation at a time. */
    const struct xpd_overlap *measured;
    bool stretch; /* its executions are by another clock: scaled up, too */
    bool cuts;    /* a window of time: what lies in it counts, wherever it begins */
};
struct xpd_step_parts {
    int64_t ps[XPD_PART_COUNT]; /* add up to duration_ps */
    int64_t unnamed_ps;         /* of compute: of no operation */
};
/* By op of the times; added to. */
struct xpd_split_op {
    int64_t time_ps; /* its part of the step's */
    int64_t self_ps; /* of its executions, or what a window has of it, before any scaling */
    uint64_t count;  /* executions that begin in it */
};
/* `ops` may be NULL. Pure. */
void xpd_step_split(struct xpd_step_parts *out, const struct xpd_split_lane *lane,
                    const struct xpd_split_span *span, struct xpd_split_op *ops);

#endif
