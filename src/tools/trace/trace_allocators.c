/* /api/v1/trace/allocators: bytes in use by the runtime's allocators, along the trace.
 *
 * Each allocator's events come sorted; the window's columns are walked once with them: a column in
 * which something was reported has its extremes and what holds at its end. */
#include "../tables/tables.h"
#include "allocators.h"
#include "trace_common.h"
#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"
#include "xprofd/trace/join.h"

#define PX_MAX 16384
static const char how[] = "as the runtime's allocator reported it (events MemoryAllocation and "
                          "MemoryDeallocation): reserved + allocated";

#define XPD_ALLOCATOR_POINT_FIELDS(FIELD)                                                          \
    FIELD(SIGNED, at_ps, "from here on")                                                           \
    FIELD(INT, last_bytes, "in use at the end of its column")                                      \
    FIELD(INT, least_bytes, "in use in it")                                                        \
    FIELD(INT, most_here_bytes, "in use in it")                                                    \
    FIELD(MAYBE(INT), reserved_bytes, "as the event of that most says")                            \
    FIELD(MAYBE(INT), allocated_bytes, "likewise")                                                 \
    FIELD(MAYBE(INT), available_bytes, "likewise: free")
XPD_RECORD(xpd_allocator_point, XPD_ALLOCATOR_POINT_FIELDS)

#define XPD_ALLOCATOR_TRACK_FIELDS(FIELD)                                                          \
    FIELD(TEXT, allocator, "its name")                                                             \
    FIELD(INDEX, host, "place in the run's hosts")                                                 \
    FIELD(MAYBE(INDEX), process, "whose memory it deals out, of trace/rows")                       \
    FIELD(INT, events, "in the whole trace")                                                       \
    FIELD(INT, frees, "of these")                                                                  \
    FIELD(MAYBE(INT), capacity_bytes, "the most that reserved, allocated and free add up to")      \
    FIELD(INT, most_bytes, "in use in the whole trace")                                            \
    FIELD(SIGNED, most_at_ps, "when")                                                              \
    FIELD(INLINE(xpd_allocator_point), points, "")
XPD_RECORD(xpd_allocator_track, XPD_ALLOCATOR_TRACK_FIELDS)

#define XPD_TRACE_ALLOCATORS_FIELDS(FIELD)                                                         \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(SIGNED, from_ps, "of the window")                                                        \
    FIELD(SIGNED, to_ps, "of the window")                                                          \
    FIELD(STRING, how, "where the bytes are from")                                                 \
    FIELD(INT, dropped, "allocation events that do not say what they need to")                     \
    FIELD(BOOL, cut, "a file is truncated, and has fewer events")                                  \
    FIELD(LIST(xpd_allocator_track), tracks, "one for each allocator")
XPD_RECORD(xpd_trace_allocators, XPD_TRACE_ALLOCATORS_FIELDS)

struct value { /* what holds from `at_ps` on */
    int64_t at_ps, last, least, most;
    const struct xpd_allocation *peak; /* the event of `most` */
};
struct columns {
    struct value *value;
    uint32_t count;
};
struct window {
    int64_t from_ps, to_ps, cell_ps;
};

static void one(struct columns *columns, int64_t at_ps, const struct xpd_allocation *event)
{
    int64_t bytes = xpd_allocation_in_use(event);
    columns->value[columns->count++] = (struct value){at_ps, bytes, bytes, bytes, event};
}

static uint64_t column_of(const struct window *window, int64_t at_ps)
{
    return ((uint64_t)at_ps - (uint64_t)window->from_ps) / (uint64_t)window->cell_ps;
}

/* The events of one column: with what held before, which counts for the part in front of them. */
static uint32_t add_column(struct columns *columns, const struct window *window,
                           const struct xpd_allocator *a, uint32_t i)
{
    uint64_t column = column_of(window, a->event[i].at_ps);
    int64_t start_ps = window->from_ps + (int64_t)column * window->cell_ps;
    uint32_t first = i;
    while (i < a->count && a->event[i].at_ps < window->to_ps &&
           column_of(window, a->event[i].at_ps) == column)
        i++;
    if (i - first == 1) {
        one(columns, a->event[first].at_ps, &a->event[first]);
        return i;
    }
    bool held = first > 0 && a->event[first].at_ps > start_ps;
    struct value sum = {0};
    for (uint32_t k = held ? first - 1 : first; k < i; k++) {
        int64_t bytes = xpd_allocation_in_use(&a->event[k]);
        if (!sum.peak || bytes > sum.most) {
            sum.most = bytes;
            sum.least = sum.peak ? sum.least : bytes;
            sum.peak = &a->event[k];
        }
        sum.least = bytes < sum.least ? bytes : sum.least;
        sum.last = bytes;
    }
    sum.at_ps = held ? start_ps : a->event[first].at_ps;
    columns->value[columns->count++] = sum;
    int64_t end_ps = start_ps + window->cell_ps;
    bool next_is_there = i < a->count && a->event[i].at_ps == end_ps;
    if (sum.least != sum.most && end_ps < window->to_ps && !next_is_there)
        one(columns, end_ps, &a->event[i - 1]);
    return i;
}

static void fill(struct columns *columns, const struct window *window,
                 const struct xpd_allocator *a)
{
    uint32_t low = 0;
    XPD_BISECT(low, a->count, middle, a->event[middle].at_ps < window->from_ps);
    columns->count = 0;
    if (low > 0 && (low == a->count || a->event[low].at_ps > window->from_ps))
        one(columns, window->from_ps, &a->event[low - 1]);
    while (low < a->count && a->event[low].at_ps < window->to_ps)
        low = add_column(columns, window, a, low);
}

/* ---- whose memory it is ---- */

/* "0" is a chip of a TPU runtime, "GPU_0_bfc" a GPU; -1 = neither: memory of the host. */
static int64_t device_of(struct xpd_str name, enum xpd_process_kind *kind)
{
    int64_t device;
    *kind = xpd_str_starts(name, "GPU_") ? XPD_PROCESS_GPU : XPD_PROCESS_TPU;
    if (*kind == XPD_PROCESS_GPU || xpd_str_starts(name, "TPU_")) {
        name.data += 4;
        name.size -= 4;
        size_t digits = 0;
        while (digits < name.size && name.data[digits] >= '0' && name.data[digits] <= '9')
            digits++;
        name.size = digits;
    }
    return xpd_str_to_i64(name, &device) && device >= 0 ? device : -1;
}

/* The process whose memory an allocator deals out; of no known device: the first host's. */
static int64_t process_of(const struct xpd_trace *trace, struct xpd_str name)
{
    enum xpd_process_kind kind;
    int64_t device = device_of(name, &kind);
    for (uint32_t p = 0; device >= 0 && p < trace->process_count; p++)
        if (trace->process[p].device == device &&
            (trace->process[p].kind == kind || trace->process[p].kind == XPD_PROCESS_CUSTOM))
            return p;
    for (uint32_t p = 0; p < trace->process_count; p++)
        if (trace->process[p].kind == XPD_PROCESS_HOST)
            return p;
    return -1;
}

/* Reserved + allocated + free: the most that an event adds up to; -1 = free memory is not said. */
static int64_t capacity_of(const struct xpd_allocator *a)
{
    int64_t most = -1;
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->event[i].available_bytes < 0)
            continue;
        int64_t sum = xpd_allocation_in_use(&a->event[i]);
        xpd_grow_i64(&sum, a->event[i].available_bytes);
        most = sum > most ? sum : most;
    }
    return most;
}

/* ---- the answer ---- */

struct reporter {  /* one host on the axis of the answer */
    uint32_t host; /* index in run->host */
    const struct xpd_trace *trace;
    uint32_t first_process;
    int64_t shift_ps;
};

static struct reporter reporter_of(const struct xpd_trace_call *call, uint32_t part)
{
    const struct xpd_trace *trace = call->view.trace;
    if (!trace->part)
        return (struct reporter){call->host, trace, 0, 0};
    const struct xpd_trace_host *at = &trace->part[part];
    return (struct reporter){xpd_tools_part_host(call->ctx->run, part), at->trace,
                             at->first_process, at->shift_ps};
}

static int64_t later(int64_t ps, int64_t shift_ps)
{
    xpd_grow_i64(&ps, shift_ps);
    return ps;
}

static int fill_track(struct xpd_allocator_track *out, const struct xpd_trace_call *call,
                      const struct reporter *reporter, const struct xpd_allocator *a,
                      const struct columns *columns, struct xpd_err *err)
{
    struct xpd_allocator_point *point =
        XPD_NEW_ARRAY(call->ctx->arena, struct xpd_allocator_point, columns->count);
    int64_t shift_ps = reporter->shift_ps;
    int64_t process = process_of(reporter->trace, a->name);
    if (!point)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < columns->count; i++) {
        const struct value *value = &columns->value[i];
        point[i] = (struct xpd_allocator_point){xpd_tools_at(call, later(value->at_ps, shift_ps)),
                                                value->last,
                                                value->least,
                                                value->most,
                                                value->peak->reserved_bytes,
                                                value->peak->allocated_bytes,
                                                value->peak->available_bytes};
    }
    *out = (struct xpd_allocator_track){
        .allocator = a->name,
        .host = reporter->host,
        .process = process < 0 ? XPD_NO_INDEX : (uint32_t)process + reporter->first_process,
        .events = a->count,
        .frees = (int64_t)a->free_count,
        .capacity_bytes = capacity_of(a),
        .most_bytes = a->most_bytes,
        .most_at_ps = xpd_tools_at(call, later(a->event[a->most].at_ps, shift_ps)),
        .points = {point, columns->count},
    };
    return XPD_OK;
}

struct reports { /* of each host */
    const struct xpd_allocations **of;
    uint32_t count;
};

static int read_reports(const struct xpd_trace_call *call, struct reports *reports,
                        struct xpd_err *err)
{
    reports->count = call->view.trace->part ? call->view.trace->part_count : 1;
    reports->of = XPD_NEW_ARRAY(call->ctx->arena, const struct xpd_allocations *, reports->count);
    if (!reports->of)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < reports->count; i++) {
        reports->of[i] = xpd_tools_allocations(call->ctx, reporter_of(call, i).host, err);
        if (!reports->of[i])
            return xpd_table_status(NULL, err);
    }
    return XPD_OK;
}

static int fill_tracks(struct xpd_trace_allocators *out, const struct xpd_trace_call *call,
                       const struct window *window, const struct reports *reports,
                       struct columns *columns, struct xpd_err *err)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < reports->count; i++)
        count += reports->of[i]->count;
    struct xpd_allocator_track *to =
        XPD_NEW_ARRAY(call->ctx->arena, struct xpd_allocator_track, count);
    int rc = to ? XPD_OK : xpd_tools_no_memory(err);
    out->tracks.at = to;
    for (uint32_t i = 0; i < reports->count; i++) {
        struct reporter reporter = reporter_of(call, i);
        const struct window own = {later(window->from_ps, -reporter.shift_ps),
                                   later(window->to_ps, -reporter.shift_ps), window->cell_ps};
        for (uint32_t k = 0; rc == XPD_OK && k < reports->of[i]->count; k++) {
            const struct xpd_allocator *a = &reports->of[i]->allocator[k];
            fill(columns, &own, a);
            rc = fill_track(&to[out->tracks.n++], call, &reporter, a, columns, err);
        }
    }
    return rc;
}

static int answer_of(struct xpd_trace_allocators *out, const struct xpd_trace_call *call,
                     const struct window *window, const struct reports *reports, uint32_t px,
                     struct xpd_err *err)
{
    /* A column gives two values at most, and one stands in front. */
    struct columns columns = {XPD_NEW_ARRAY(call->ctx->arena, struct value, (size_t)px * 2 + 1), 0};
    if (!columns.value)
        return xpd_tools_no_memory(err);
    *out = (struct xpd_trace_allocators){
        .base_ps = call->base_ps,
        .from_ps = xpd_tools_at(call, window->from_ps),
        .to_ps = xpd_tools_at(call, window->to_ps),
        .how = how,
    };
    for (uint32_t i = 0; i < reports->count; i++) {
        out->dropped += (int64_t)reports->of[i]->dropped;
        out->cut = out->cut || reports->of[i]->cut;
    }
    return fill_tracks(out, call, window, reports, &columns, err);
}

static int allocators(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct xpd_trace_allocators *out = XPD_NEW(ctx->arena, struct xpd_trace_allocators);
    struct xpd_trace_call call;
    struct xpd_time_range range;
    struct reports reports;
    int rc = out ? xpd_tools_trace(ctx, 0, &call, err) : xpd_tools_no_memory(err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_range(&call, &range, err);
    if (rc == XPD_OK)
        rc = read_reports(&call, &reports, err);
    if (rc != XPD_OK)
        return rc;
    uint32_t px = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_allocators, "px");
    int64_t cell_ps = xpd_tools_trace_columns(&call, &range, px);
    struct window window = {range.from_ps, range.to_ps, cell_ps};
    *answer = out;
    return answer_of(out, &call, &window, &reports, px, err);
}

static const struct xpd_param_spec params[] = {
    XPD_TRACE_PARAM_FROM,
    XPD_TRACE_PARAM_TO,
    XPD_TRACE_PARAM_PX(PX_MAX, "columns across the window"),
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_allocators = {
    .route = "/api/v1/trace/allocators",
    .title = "Bytes in use by the runtime's allocators along the trace, where the profile has "
             "allocation events.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_trace_allocators_record,
    .make = allocators,
};
