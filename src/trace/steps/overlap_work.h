/* What of a process computes, communicates and copies in a range of time, as lists of intervals. */
#ifndef XPROFD_TRACE_OVERLAP_WORK_H
#define XPROFD_TRACE_OVERLAP_WORK_H

#include "intervals.h"
#include "xprofd/trace/overlap.h"

/* Of a name; UNKNOWN: it is in no row of work. */
enum xpd_overlap_role {
    XPD_ROLE_UNKNOWN,
    XPD_ROLE_NEITHER,
    XPD_ROLE_COMPUTE,
    XPD_ROLE_CONTROL, /* a loop, branch or call that a thread runs: compute while nothing else runs
                       */
    XPD_ROLE_COPY,
    XPD_ROLE_COPY_IN, /* of these, from the host's memory */
    XPD_ROLE_COPY_OUT,
    XPD_ROLE_COMM,
    XPD_ROLE_COMM_START,
    XPD_ROLE_COMM_DONE
};

struct xpd_overlap_named { /* one execution of a collective */
    struct xpd_interval at;
    uint32_t name;
};
struct xpd_overlap_pair { /* an asynchronous one, from start to done */
    struct xpd_overlap_named of;
    uint64_t start, done; /* its events */
    int64_t last_end_ps;  /* the latest end of this one and those before it */
};

struct xpd_overlapping { /* begins with the view and its table, all else zero */
    const struct xpd_view *view;
    const struct xpd_overlap_table *table;
    uint32_t process; /* whose rows are in `row`, when `knows_rows`: they are looked for once */
    bool knows_rows;
    const struct xpd_overlap_device *device; /* collect by its clock, cut at `window`; else NULL */
    struct xpd_time_range window;
    XPD_VEC(uint32_t) row;                  /* of work and of copies */
    XPD_VEC(struct xpd_overlap_named) each; /* the collectives of the range */
    struct xpd_intervals compute, control, comm, copy, all;
    struct xpd_intervals copy_in, copy_out; /* of `copy`, whose way is known */
};

/* Fills `row`. */
void xpd_overlap_find_rows(struct xpd_overlapping *o, uint32_t process);
/* Whether events of that name in that row, one of `row`, compute, communicate or copy. */
bool xpd_overlap_counts(const struct xpd_overlapping *o, uint32_t row, uint32_t name);
/* Fills compute, comm, the copies and each; control is in compute. */
void xpd_overlap_collect(struct xpd_overlapping *o, uint32_t process, struct xpd_time_range range);
/* The times of one range, everything in it looked at. out->step stays as it is. */
void xpd_overlap_measure(struct xpd_overlapping *o, uint32_t process, struct xpd_time_range range,
                         struct xpd_overlap *out);
/* sum += sign * more, times only. */
void xpd_overlap_add(struct xpd_overlap *sum, const struct xpd_overlap *more, int sign);
bool xpd_overlap_failed(const struct xpd_overlapping *o); /* no memory for a list */
void xpd_overlap_close(struct xpd_overlapping *o);

/* An event of a measured depth by the device's clock. */
static inline struct xpd_interval xpd_overlap_device_at(const struct xpd_trace *trace,
                                                        const struct xpd_depth *depth, uint32_t i)
{
    if (depth->first_event >= trace->event_count || !depth->device_later_ps.block)
        return (struct xpd_interval){0, 0};
    int64_t start_ps = xpd_depth_device_start(depth, i);
    return (struct xpd_interval){start_ps, start_ps + xpd_trace_device_ps(trace, depth, i)};
}
/* From the start of one event to the end of another; empty where either is not known. */
struct xpd_interval xpd_overlap_device_span(const struct xpd_trace *trace, uint64_t start,
                                            uint64_t done);

/* overlap_sums.c: fills out->cut and out->cut_first; what else is in *out is made already. false =
 * no memory. */
bool xpd_overlap_sums_make(struct xpd_overlap_table *out, const struct xpd_view *view,
                           struct xpd_arena *arena);

#endif
