/* The parts of a host, one table row each. Their headers in xprofd/trace/ describe
 * them. */
#include "xprofd/session/store.h"

#include "xprofd/trace/join.h"

#include <stdlib.h>

/* Part 0 of what all the others need: the events. */
static const struct xpd_trace *trace_of(const struct xpd_part_from *from)
{
    return from->need[0];
}

/* `of`: the parts of each host, as pointers of their type; NULL: out of memory. */
#define TYPED(of, hosts)                                                                           \
    do {                                                                                           \
        (of) = calloc((size_t)(hosts)->count + 1, sizeof *(of));                                   \
        for (uint32_t i = 0; (of) && i < (hosts)->count; i++)                                      \
            (of)[i] = (hosts)->made[i];                                                            \
    } while (0)

static int no_memory(struct xpd_err *err)
{
    return xpd_no_memory(err, NULL, "for this answer");
}

/* ---- events ---- */

static int make_trace(void **out, const struct xpd_part_from *from, struct xpd_err *err)
{
    struct xpd_trace_options options = {0};
    struct xpd_trace *trace = NULL;
    int rc = xpd_trace_load(&trace, from->space, from->source, &options, from->progress,
                            from->room_bytes, err);
    *out = trace;
    return rc;
}

static int join_trace(void **out, const struct xpd_part_hosts *hosts, struct xpd_err *err)
{
    struct xpd_join_host *host = calloc((size_t)hosts->count + 1, sizeof *host);
    struct xpd_trace *trace = NULL;
    for (uint32_t i = 0; host && i < hosts->count; i++)
        host[i] = (struct xpd_join_host){hosts->name[i], hosts->made[i]};
    int rc =
        host ? xpd_join_trace(&trace, host, hosts->count, hosts->room_bytes, err) : no_memory(err);
    free(host);
    *out = trace;
    return rc;
}

static uint64_t trace_bytes(const void *made)
{
    return ((const struct xpd_trace *)made)->memory_bytes;
}

static void free_trace(void *made)
{
    xpd_trace_free(made);
}

const struct xpd_part_kind xpd_part_trace = {
    .doing = "reading the events",
    .reads_file = true,
    .event_bytes = 36, /* columns and pyramid; joined: copied starts and names, and the pyramid of a
                          host that is not the first */
    .joined_event_bytes = 16,
    .make = make_trace,
    .join = join_trace,
    .bytes = trace_bytes,
    .free = free_trace};

/* ---- derived rows ---- */

static int make_derived(void **out, const struct xpd_part_from *from, struct xpd_err *err)
{
    struct xpd_derived *derived = NULL;
    int rc = xpd_derived_make(&derived, trace_of(from), from->room_bytes, err);
    *out = derived;
    return rc;
}

static int join_derived(void **out, const struct xpd_part_hosts *hosts, struct xpd_err *err)
{
    const struct xpd_derived **of;
    struct xpd_derived *derived = NULL;
    TYPED(of, hosts);
    int rc = of ? xpd_join_derived(&derived, hosts->need[0], of, hosts->room_bytes, err)
                : no_memory(err);
    free(of);
    *out = derived;
    return rc;
}

static uint64_t derived_bytes(const void *made)
{
    const struct xpd_derived *derived = made;
    return sizeof *derived + derived->arena.used_bytes + xpd_intern_memory_bytes(&derived->names);
}

static void free_derived(void *made)
{
    xpd_derived_free(made);
}

const struct xpd_part_kind xpd_part_derived = {.doing = "deriving rows",
                                               .needs = {&xpd_part_trace},
                                               .event_bytes = 9,
                                               .joined_event_bytes = 1,
                                               .make = make_derived,
                                               .join = join_derived,
                                               .bytes = derived_bytes,
                                               .free = free_derived};

/* ---- flows ---- */

static int make_flows(void **out, const struct xpd_part_from *from, struct xpd_err *err)
{
    struct xpd_flows *flows = NULL;
    int rc = xpd_flows_make(&flows, trace_of(from), from->room_bytes, err);
    *out = flows;
    return rc;
}

static int join_flows(void **out, const struct xpd_part_hosts *hosts, struct xpd_err *err)
{
    const struct xpd_flows **of;
    struct xpd_flows *flows = NULL;
    TYPED(of, hosts);
    int rc =
        of ? xpd_join_flows(&flows, hosts->need[0], of, hosts->room_bytes, err) : no_memory(err);
    free(of);
    *out = flows;
    return rc;
}

static uint64_t flows_bytes(const void *made)
{
    const struct xpd_flows *flows = made;
    return sizeof *flows + flows->arena.used_bytes + flows->point_count * sizeof *flows->point;
}

static void free_flows(void *made)
{
    xpd_flows_free(made);
}

const struct xpd_part_kind xpd_part_flows = {.doing = "following the flows",
                                             .needs = {&xpd_part_trace},
                                             .event_bytes = 9,
                                             .joined_event_bytes = 1,
                                             .make = make_flows,
                                             .join = join_flows,
                                             .bytes = flows_bytes,
                                             .free = free_flows};

/* ---- instructions ---- */

static int make_times(void **out, const struct xpd_part_from *from, struct xpd_err *err)
{
    struct xpd_op_times *times = NULL;
    int rc = xpd_op_times_make(&times, trace_of(from), from->room_bytes, err);
    *out = times;
    return rc;
}

static int join_times(void **out, const struct xpd_part_hosts *hosts, struct xpd_err *err)
{
    const struct xpd_op_times **of;
    struct xpd_op_times *times = NULL;
    TYPED(of, hosts);
    int rc =
        of ? xpd_join_op_times(&times, hosts->need[0], of, hosts->room_bytes, err) : no_memory(err);
    free(of);
    *out = times;
    return rc;
}

static uint64_t times_bytes(const void *made)
{
    return xpd_op_times_memory_bytes(made);
}

static void free_times(void *made)
{
    xpd_op_times_free(made);
}

const struct xpd_part_kind xpd_part_op_times = {.doing = "adding up the instructions",
                                                .needs = {&xpd_part_trace},
                                                /* 20 of them for executions that only the file
                                                   names, which times keep in columns */
                                                .event_bytes = 29,
                                                .joined_event_bytes = 1,
                                                .make = make_times,
                                                .join = join_times,
                                                .bytes = times_bytes,
                                                .free = free_times};

static int make_runs(void **out, const struct xpd_part_from *from, struct xpd_err *err)
{
    struct xpd_op_runs *runs = NULL;
    int rc = xpd_op_runs_make(&runs, trace_of(from), from->need[1], from->room_bytes, err);
    *out = runs;
    return rc;
}

static int join_runs(void **out, const struct xpd_part_hosts *hosts, struct xpd_err *err)
{
    const struct xpd_op_runs **of;
    struct xpd_op_runs *runs = NULL;
    TYPED(of, hosts);
    int rc =
        of ? xpd_join_op_runs(&runs, hosts->need[0], hosts->need[1], of, hosts->room_bytes, err)
           : no_memory(err);
    free(of);
    *out = runs;
    return rc;
}

static uint64_t runs_bytes(const void *made)
{
    return xpd_op_runs_memory_bytes(made);
}

static void free_runs(void *made)
{
    xpd_op_runs_free(made);
}

const struct xpd_part_kind xpd_part_op_runs = {.doing = "finding the executions",
                                               .needs = {&xpd_part_trace, &xpd_part_op_times},
                                               .event_bytes = 20,
                                               .joined_event_bytes = 12,
                                               .make = make_runs,
                                               .join = join_runs,
                                               .bytes = runs_bytes,
                                               .free = free_runs};
