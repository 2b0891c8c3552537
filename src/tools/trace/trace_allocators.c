/* /api/v1/trace/allocators: bytes in use by the runtime's allocators, along the trace.
 *
 * Each allocator's events come sorted; the window's columns are walked once with them: a column in
 * which something was reported has its extremes and what holds at its end. */
#include "alloc_lanes.h"
#include "xprofd/base/checked.h"

#include <stdlib.h>

#define PX_MAX     16384
#define ASKERS_MAX 64 /* threads that are listed */
static const char how[] = "as the runtime's allocator reported it (events MemoryAllocation and "
                          "MemoryDeallocation): reserved + allocated";

#define XPD_ALLOCATOR_POINT_FIELDS(FIELD)                                                          \
    FIELD(SIGNED, at_ps, "start of the value")                                                     \
    FIELD(INT, last_bytes, "in use at the end of its column")                                      \
    FIELD(INT, least_bytes, "in use in the column")                                                \
    FIELD(INT, most_here_bytes, "in use in the column")                                            \
    FIELD(MAYBE(INT), reserved_bytes, "as reported by the event of that maximum")                  \
    FIELD(MAYBE(INT), allocated_bytes, "likewise")                                                 \
    FIELD(MAYBE(INT), available_bytes, "likewise: free")                                           \
    FIELD(MAYBE(REAL), fragmentation,                                                              \
          "1 - largest free block / free, as reported by the last event of the column")
XPD_RECORD(xpd_allocator_point, XPD_ALLOCATOR_POINT_FIELDS)

#define XPD_ALLOCATOR_TRACK_FIELDS(FIELD)                                                          \
    FIELD(TEXT, allocator, "its name")                                                             \
    FIELD(TEXT, title, "display name: TPU:0, mklcpu; with the host if there are several")          \
    FIELD(INDEX, host, "place in the run's hosts")                                                 \
    FIELD(MAYBE(INDEX), process, "device whose memory it allocates, in trace/rows")                \
    FIELD(INT, events, "in the whole trace")                                                       \
    FIELD(INT, frees, "of these")                                                                  \
    FIELD(SIGNED, first_at_ps, "time of its first event; unknown before")                          \
    FIELD(SIGNED, last_at_ps, "of its last event")                                                 \
    FIELD(MAYBE(INT), capacity_bytes, "maximum of reserved + allocated + free")                    \
    FIELD(INT, most_bytes, "in use in the whole trace")                                            \
    FIELD(SIGNED, most_at_ps, "when")                                                              \
    FIELD(MAYBE(INT), heap_most_bytes, "maximum of allocated, without reserved")                   \
    FIELD(MAYBE(SIGNED), heap_most_at_ps, "when")                                                  \
    FIELD(MAYBE(INT), heap_near_bytes,                                                             \
          "with `heap`: the allocated bytes closest to it; null: not asked, or not recorded")      \
    FIELD(MAYBE(SIGNED), heap_near_at_ps, "when, the first time")                                  \
    FIELD(INT, near_peak_ps, "with at least 99 % of the most in use")                              \
    FIELD(MAYBE(INT), peak_ever_bytes, "maximum since the process began, as the runtime reports")  \
    FIELD(MAYBE(SIGNED), before_bytes, "allocated before the first event")                         \
    FIELD(INT, unknown_frees, "of arrays allocated before the capture")                            \
    FIELD(INT, replaced, "allocations whose address was allocated again without a free")           \
    FIELD(INT, without_address,                                                                    \
          "events without an address: the end of these allocations is unknown")                    \
    FIELD(INLINE(xpd_allocator_point), points, "")
XPD_RECORD(xpd_allocator_track, XPD_ALLOCATOR_TRACK_FIELDS)

#define XPD_ALLOC_ASKED_FIELDS(FIELD)                                                              \
    FIELD(SIGNED, at_ps, "of the first allocation of its column")                                  \
    FIELD(INT, asked, "allocations in the column")
XPD_RECORD(xpd_alloc_asked, XPD_ALLOC_ASKED_FIELDS)

#define XPD_ALLOC_ASKER_FIELDS(FIELD)                                                              \
    FIELD(MAYBE(INDEX), row, "of trace/rows; null: events whose thread is not in the trace")       \
    FIELD(TEXT, thread, "its name")                                                                \
    FIELD(INT, count, "allocations in the window")                                                 \
    FIELD(INLINE(xpd_alloc_asked), points, "")
XPD_RECORD(xpd_alloc_asker, XPD_ALLOC_ASKER_FIELDS)

#define XPD_TRACE_ALLOCATORS_FIELDS(FIELD)                                                         \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(SIGNED, from_ps, "of the window")                                                        \
    FIELD(SIGNED, to_ps, "of the window")                                                          \
    FIELD(STRING, how, "source of the bytes")                                                      \
    FIELD(INT, dropped, "allocation events without the required stats")                            \
    FIELD(BOOL, cut, "a file is truncated, and has fewer events")                                  \
    FIELD(LIST(xpd_allocator_track), tracks, "one for each allocator")                             \
    FIELD(LIST(xpd_alloc_asker), asked_by,                                                         \
          "with `allocator`: the threads that requested memory from it in the window, most "       \
          "first, at most 64")                                                                     \
    FIELD(COUNT, askers_left_out, "threads beyond these")
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
    uint32_t near =
        xpd_param_has(call->ctx, "heap")
            ? xpd_alloc_nearest(a, xpd_param_int(call->ctx, &xpd_tool_trace_allocators, "heap"))
            : XPD_NO_INDEX;
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
        .heap_near_bytes = near == XPD_NO_INDEX ? -1 : a->event[near].allocated_bytes,
        .heap_near_at_ps = near == XPD_NO_INDEX
                               ? XPD_UNKNOWN
                               : xpd_tools_alloc_at(call, lane, a->event[near].at_ps),
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

/* ---- threads ---- */

/* An allocation in the window: sorted by thread, a thread's by time. */
struct asked_once {
    uint32_t row, count; /* of the view; of the thread, set at its first */
    int64_t at_ps;
};

static int by_thread(const void *a, const void *b)
{
    const struct asked_once *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->at_ps > y->at_ps) - (x->at_ps < y->at_ps);
}

static int most_first(const void *a, const void *b)
{
    const struct xpd_alloc_asker *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static uint32_t find_asked(struct asked_once *out, const struct xpd_alloc_lane *lane,
                           const struct xpd_alloc_purpose *purpose,
                           const struct xpd_alloc_window *own)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < lane->of->count; i++) {
        const struct xpd_allocation *e = &lane->of->event[i];
        if (e->frees || e->at_ps < own->from_ps || e->at_ps > own->to_ps)
            continue;
        uint32_t row = purpose[i].row;
        out[n++] = (struct asked_once){row == XPD_NO_INDEX ? row : row + lane->first_row, 0,
                                       later(e->at_ps, lane->shift_ps)};
    }
    qsort(out, n, sizeof *out, by_thread);
    return n;
}

/* One thread's allocations as columns: those of one cell are one point. */
static bool fill_asker(struct xpd_alloc_asker *out, const struct xpd_trace_call *call,
                       const struct xpd_alloc_window *window, const struct asked_once *at,
                       uint32_t n)
{
    struct xpd_alloc_asked *point = XPD_NEW_ARRAY(call->ctx->arena, struct xpd_alloc_asked, n);
    uint32_t points = 0;
    int64_t cell = -1;
    for (uint32_t i = 0; point && i < n; i++) {
        int64_t in = (at[i].at_ps - window->from_ps) / window->cell_ps;
        if (in != cell)
            point[points++].at_ps = xpd_tools_at(call, at[i].at_ps);
        cell = in;
        point[points - 1].asked++;
    }
    bool known = at->row != XPD_NO_INDEX;
    *out = (struct xpd_alloc_asker){.row = at->row,
                                    .thread = known ? xpd_view_row_caption(&call->view, at->row)
                                                    : XPD_STR(""),
                                    .count = n,
                                    .points = {point, points}};
    return point != NULL;
}

static int fill_askers(struct xpd_trace_allocators *out, const struct xpd_trace_call *call,
                       const struct xpd_alloc_window *window, const struct xpd_alloc_lane *lane,
                       struct xpd_err *err)
{
    struct xpd_arena *arena = call->ctx->arena;
    const struct xpd_alloc_window own = {later(window->from_ps, -lane->shift_ps),
                                         later(window->to_ps, -lane->shift_ps), window->cell_ps};
    const struct xpd_alloc_purpose *purpose = xpd_tools_alloc_purposes(call, lane, err);
    if (!purpose)
        return xpd_table_status(NULL, err);
    struct asked_once *at = XPD_NEW_ARRAY(arena, struct asked_once, lane->of->count);
    uint32_t n = at ? find_asked(at, lane, purpose, &own) : 0, threads = 0;
    for (uint32_t i = 0; i < n; i++) {
        threads += i == 0 || at[i].row != at[i - 1].row;
        at[i].count = threads;
    }
    struct xpd_alloc_asker *to = XPD_NEW_ARRAY(arena, struct xpd_alloc_asker, threads);
    bool fine = at && to;
    for (uint32_t i = 0, end; fine && i < n; i = end) {
        for (end = i; end < n && at[end].row == at[i].row;)
            end++;
        fine = fill_asker(&to[at[i].count - 1], call, window, &at[i], end - i);
    }
    if (!fine)
        return xpd_tools_no_memory(err);
    qsort(to, threads, sizeof *to, most_first);
    out->asked_by.at = to;
    out->asked_by.n = threads < ASKERS_MAX ? threads : ASKERS_MAX;
    out->askers_left_out = threads - (uint32_t)out->asked_by.n;
    return XPD_OK;
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
    uint32_t first, end;
    rc = fill_tracks(out, &call, &window, &lanes, px, err);
    if (rc == XPD_OK)
        rc = xpd_tools_alloc_choice(&lanes, ctx, &first, &end, err);
    return rc == XPD_OK && end == first + 1 && xpd_param_has(ctx, "allocator")
               ? fill_askers(out, &call, &window, &lanes.at[first], err)
               : rc;
}

static const struct xpd_param_spec params[] = {
    XPD_TRACE_PARAM_FROM,
    XPD_TRACE_PARAM_TO,
    XPD_TRACE_PARAM_PX(PX_MAX, "columns across the window"),
    {.name = "allocator",
     .type = XPD_PARAM_INT,
     .max = UINT32_MAX,
     .help = "index of the track whose requesting threads to list"},
    {.name = "heap",
     .type = XPD_PARAM_INT,
     .max = INT64_MAX,
     .help = "bytes: each track says when its allocated bytes were closest to them"},
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
    XPD_IN_REPORT("px window", {145, XPD_EACH_HOST, "px=4096", "the allocators of the trace"},
                  {150, XPD_EACH_ALLOCATOR, "allocator={#}&px=4096", NULL}),
};
