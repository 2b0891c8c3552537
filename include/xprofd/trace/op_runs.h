/* Every execution of every instruction, on the chips of one host or of several (join.h): the basis
 * of steps, percentiles, layers and comparisons of steps.
 *
 * Which events are executions, of which program and instruction, and what `self` means is as
 * op_times.h says; the two agree to the picosecond (the sums of the executions of an op on a device
 * are its xpd_op_share). By device, in order of start.
 *
 * Executions of a TPU are events of the trace, whose columns are borrowed: nothing is kept of them
 * where one depth holds all of them, else four bytes each. Those that only stats in the file name
 * have columns, 20 bytes each, which the times own. 16 more for each with others nested in it. */
#ifndef XPROFD_TRACE_OP_RUNS_H
#define XPROFD_TRACE_OP_RUNS_H

#include "xprofd/base/bisect.h"
#include "xprofd/trace/op_times.h"

struct xpd_op_inside { /* of an execution with others nested in it */
    uint32_t at;       /* in the columns of its device, ascending */
    int64_t inside_ps; /* time of the nested ones: self is duration minus this, at least 0 */
};
struct xpd_op_program_run { /* a run of a program: executions of one run_id */
    uint32_t program;       /* in times->program */
    int64_t from_ps, to_ps; /* host-aligned: its first execution begins, its last one ends */
};
struct xpd_op_device_runs { /* of times->device[same index]; ask with xpd_op_run_... below */
    uint32_t count;
    /* Of a TPU: where they stand. */
    const struct xpd_trace *trace; /* NULL: they have columns of their own */
    const struct xpd_depth *depth; /* the depths of the trace that hold them, and any between */
    uint32_t depth_count;
    const uint32_t *event;      /* counted from the first event of `depth`; NULL: those of depth[0],
                                   all of them */
    const uint32_t *op_of_name; /* in times->op, by name of the trace */
    bool host_clock;            /* durations are host-aligned, though some may be known otherwise */
    /* Of all others: columns. */
    const uint32_t *op;                   /* in times->op */
    const int64_t *start_ps;              /* host-aligned, ascending: where Trace draws it */
    const int64_t *duration_ps;           /* by the device's clock where the event has it */
    const struct xpd_op_program_run *run; /* in order of start; where events name their run: CPUs */
    uint32_t run_count;                   /* of a join: 0 */
    /* Of any. */
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
    uint32_t device_count;      /* times->device_count */
    const uint32_t *op_of_name; /* of its devices; NULL: none has one */
    struct xpd_op_runs **own;   /* of a join: by part, those made for it (xpd_op_part); or NULL */
    uint32_t own_count;
};

/* `trace`, and `times`, which are those of the same trace, must outlive it. XPD_ELIMIT over the
 * budget (0 = none). */
int xpd_op_runs_make(struct xpd_op_runs **out, const struct xpd_trace *trace,
                     const struct xpd_op_times *times, uint64_t arena_budget_bytes,
                     struct xpd_err *err);
void xpd_op_runs_free(struct xpd_op_runs *runs); /* NULL is legal */
uint64_t xpd_op_runs_memory_bytes(const struct xpd_op_runs *runs);

struct xpd_op_run_place {
    const struct xpd_depth *depth;
    uint32_t at;
};
/* Where an execution stands in the trace; the device has one. */
static inline struct xpd_op_run_place xpd_op_run_place(const struct xpd_op_device_runs *device,
                                                       uint32_t at)
{
    const struct xpd_depth *depth = device->depth;
    if (!device->event)
        return (struct xpd_op_run_place){depth, at};
    uint64_t event = depth->first_event + device->event[at];
    uint32_t next = 1;
    XPD_BISECT(next, device->depth_count, middle, depth[middle].first_event <= event);
    return (struct xpd_op_run_place){&depth[next - 1],
                                     (uint32_t)(event - depth[next - 1].first_event)};
}
/* Of which operation the execution `at` is, in times->op. */
static inline uint32_t xpd_op_run_op(const struct xpd_op_device_runs *device, uint32_t at)
{
    if (!device->trace)
        return device->op[at];
    struct xpd_op_run_place place = xpd_op_run_place(device, at);
    return device->op_of_name[place.depth->name[place.at]];
}
/* When it begins, host-aligned: where Trace draws it. Ascending. */
static inline int64_t xpd_op_run_start_ps(const struct xpd_op_device_runs *device, uint32_t at)
{
    if (!device->trace)
        return device->start_ps[at];
    struct xpd_op_run_place place = xpd_op_run_place(device, at);
    return xpd_depth_start(place.depth, place.at);
}
/* Its duration, by the device's clock where the event has it. */
static inline int64_t xpd_op_run_duration_ps(const struct xpd_op_device_runs *device, uint32_t at)
{
    if (!device->trace)
        return device->duration_ps[at];
    struct xpd_op_run_place place = xpd_op_run_place(device, at);
    int64_t device_ps =
        device->host_clock ? -1 : xpd_trace_device_ps(device->trace, place.depth, place.at);
    return device_ps >= 0 ? device_ps : xpd_depth_duration(place.depth, place.at);
}

/* The executions of a device that begin in [from_ps, to_ps): [*first, *end). */
void xpd_op_runs_range(const struct xpd_op_device_runs *device, int64_t from_ps, int64_t to_ps,
                       uint32_t *first, uint32_t *end);
/* Self time of the execution `at`, whose duration is known. `hint`: a place in `inside`, moved
 * along; begin with 0 and ask in ascending order. */
static inline int64_t xpd_op_run_self_of(const struct xpd_op_device_runs *device, uint32_t at,
                                         int64_t duration_ps, uint32_t *hint)
{
    while (*hint < device->inside_count && device->inside[*hint].at < at)
        ++*hint;
    if (*hint < device->inside_count && device->inside[*hint].at == at)
        duration_ps -= device->inside[*hint].inside_ps;
    return duration_ps > 0 ? duration_ps : 0;
}
static inline int64_t xpd_op_run_self_ps(const struct xpd_op_device_runs *device, uint32_t at,
                                         uint32_t *hint)
{
    return xpd_op_run_self_of(device, at, xpd_op_run_duration_ps(device, at), hint);
}

#endif
