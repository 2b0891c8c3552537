/* /api/v1/trace/allocators: bytes in use by the runtime's allocators, along the trace.
 *
 * Each allocator's events come sorted; the window's columns are walked once with them: a column in
 * which something was reported has its extremes and what holds at its end. */
#include "alloc_lanes.h"
#include "xprofd/base/checked.h"

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
    FIELD(MAYBE(INT), available_bytes, "likewise: free")                                           \
    FIELD(MAYBE(REAL), fragmentation,                                                              \
          "1 - largest free block / free, as the last event of the column says")
XPD_RECORD(xpd_allocator_point, XPD_ALLOCATOR_POINT_FIELDS)

#define XPD_ALLOCATOR_TRACK_FIELDS(FIELD)                                                          \
    FIELD(TEXT, allocator, "its name")                                                             \
    FIELD(TEXT, title, "as people call it: TPU:0, mklcpu; of several hosts with the host")         \
    FIELD(INDEX, host, "place in the run's hosts")                                                 \
    FIELD(MAYBE(INDEX), process, "whose memory it deals out, of trace/rows")                       \
    FIELD(INT, events, "in the whole trace")                                                       \
    FIELD(INT, frees, "of these")                                                                  \
    FIELD(SIGNED, first_at_ps, "of its first event: before it nothing is known")                   \
    FIELD(SIGNED, last_at_ps, "of its last event")                                                 \
    FIELD(MAYBE(INT), capacity_bytes, "the most that reserved, allocated and free add up to")      \
    FIELD(INT, most_bytes, "in use in the whole trace")                                            \
    FIELD(SIGNED, most_at_ps, "when")                                                              \
    FIELD(MAYBE(INT), heap_most_bytes, "allocated alone, without what is reserved")                \
    FIELD(MAYBE(SIGNED), heap_most_at_ps, "when")                                                  \
    FIELD(INT, near_peak_ps, "with at least 99 % of the most in use")                              \
    FIELD(MAYBE(INT), peak_ever_bytes, "the most since the process began, as the runtime says")    \
    FIELD(MAYBE(SIGNED), before_bytes, "allocated before the first event")                         \
    FIELD(INT, unknown_frees, "of arrays that the capture did not see made")                       \
    FIELD(INT, replaced, "allocations whose address was given out again without a free")           \
    FIELD(INT, without_address, "events that say no address: nothing tells when they end")         \
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

static int64_t later(int64_t ps, int64_t shift_ps)
{
    xpd_grow_i64(&ps, shift_ps);
    return ps;
}

/* ---- the answer ---- */

static int fill_track(struct xpd_allocator_track *out, const struct xpd_trace_call *call,
                      const struct xpd_alloc_lane *lane, const struct xpd_alloc_value *value,
                      uint32_t count, struct xpd_err *err)
{
    const struct xpd_allocator *a = lane->of;
    const struct xpd_alloc_lives *lives = lane->lives;
    struct xpd_allocator_point *point =
        XPD_NEW_ARRAY(call->ctx->arena, struct xpd_allocator_point, count);
    if (!point)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < count; i++)
        point[i] = (struct xpd_allocator_point){xpd_tools_alloc_at(call, lane, value[i].at_ps),
                                                value[i].last_bytes,
                                                value[i].least_bytes,
                                                value[i].most_bytes,
                                                value[i].peak->reserved_bytes,
                                                value[i].peak->allocated_bytes,
                                                value[i].peak->available_bytes,
                                                value[i].end->fragmentation};
    *out = (struct xpd_allocator_track){
        .allocator = a->name,
        .title = lane->title,
        .host = lane->host,
        .process = lane->process,
        .events = a->count,
        .frees = (int64_t)a->free_count,
        .first_at_ps = xpd_tools_alloc_at(call, lane, a->event[0].at_ps),
        .last_at_ps = xpd_tools_alloc_at(call, lane, a->event[a->count - 1].at_ps),
        .capacity_bytes = lives->capacity_bytes,
        .most_bytes = a->most_bytes,
        .most_at_ps = xpd_tools_alloc_at(call, lane, a->event[a->most].at_ps),
        .heap_most_bytes = lives->heap_most_bytes,
        .heap_most_at_ps = lives->heap_most_bytes < 0
                               ? XPD_UNKNOWN
                               : xpd_tools_alloc_at(call, lane, a->event[lives->heap_most].at_ps),
        .near_peak_ps = lives->near_peak_ps,
        .peak_ever_bytes = lives->peak_ever_bytes,
        .before_bytes = lives->before_bytes,
        .unknown_frees = lives->unknown_frees,
        .replaced = lives->replaced,
        .without_address = lives->without_address,
        .points = {point, count},
    };
    return XPD_OK;
}

static int fill_tracks(struct xpd_trace_allocators *out, const struct xpd_trace_call *call,
                       const struct xpd_alloc_window *window, const struct xpd_alloc_lanes *lanes,
                       uint32_t px, struct xpd_err *err)
{
    struct xpd_arena *arena = call->ctx->arena;
    struct xpd_allocator_track *to = XPD_NEW_ARRAY(arena, struct xpd_allocator_track, lanes->count);
    struct xpd_alloc_value *value =
        XPD_NEW_ARRAY(arena, struct xpd_alloc_value, (size_t)px * 2 + 1);
    int rc = to && value ? XPD_OK : xpd_tools_no_memory(err);
    out->tracks.at = to;
    for (uint32_t k = 0; rc == XPD_OK && k < lanes->count; k++) {
        const struct xpd_alloc_lane *lane = &lanes->at[k];
        const struct xpd_alloc_window own = {later(window->from_ps, -lane->shift_ps),
                                             later(window->to_ps, -lane->shift_ps),
                                             window->cell_ps};
        uint32_t count = xpd_alloc_columns(value, &own, lane->of);
        rc = fill_track(&to[out->tracks.n++], call, lane, value, count, err);
    }
    return rc;
}

static int allocators(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct xpd_trace_allocators *out = XPD_NEW(ctx->arena, struct xpd_trace_allocators);
    struct xpd_trace_call call;
    struct xpd_time_range range;
    struct xpd_alloc_lanes lanes;
    int rc = out ? xpd_tools_trace(ctx, 0, &call, err) : xpd_tools_no_memory(err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_range(&call, &range, err);
    if (rc == XPD_OK)
        rc = xpd_tools_alloc_lanes(&lanes, &call, err);
    if (rc != XPD_OK)
        return rc;
    uint32_t px = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_allocators, "px");
    int64_t cell_ps = xpd_tools_trace_columns(&call, &range, px);
    struct xpd_alloc_window window = {range.from_ps, range.to_ps, cell_ps};
    *out = (struct xpd_trace_allocators){
        .base_ps = call.base_ps,
        .from_ps = xpd_tools_at(&call, window.from_ps),
        .to_ps = xpd_tools_at(&call, window.to_ps),
        .how = how,
        .dropped = lanes.dropped,
        .cut = lanes.cut,
    };
    *answer = out;
    return fill_tracks(out, &call, &window, &lanes, px, err);
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
