/* /api/v1/memory/range: the totals of a selected range of steps. */
#include "table_steps.h"
#include "xprofd/tools/held.h"

#define LARGEST_MAX 12

#define XPD_MEMORY_RANGE_ROW_FIELDS(FIELD)                                                         \
    FIELD(INDEX, buffer, "the value that began it")                                                \
    FIELD(NAME, name, "of the buffer")                                                             \
    FIELD(INT, size_bytes, "")
XPD_RECORD(xpd_memory_range_row, XPD_MEMORY_RANGE_ROW_FIELDS)

#define XPD_MEMORY_RANGE_FIELDS(FIELD)                                                             \
    FIELD(COUNT, from, "first step")                                                               \
    FIELD(COUNT, to, "step after the last one")                                                    \
    FIELD(INT, max_bytes, "most that is held after one of its steps, residents included")          \
    FIELD(COUNT, max_step, "first step with it")                                                   \
    FIELD(INT, min_bytes, "least, residents included")                                             \
    FIELD(COUNT, min_step, "first step with it")                                                   \
    FIELD(OBJECT(xpd_bytes_sum), allocated, "lifetimes that begin in it, at their full size")      \
    FIELD(OBJECT(xpd_bytes_sum), freed, "lifetimes that end in it, likewise")                      \
    FIELD(COLUMNS(xpd_memory_range_row), largest, "of those that begin in it, at most 12")
XPD_RECORD(xpd_memory_range, XPD_MEMORY_RANGE_FIELDS)

struct range {
    struct xpd_memory_range out;
    struct xpd_bytes_sum allocated, freed;
    struct xpd_memory_range_row row[LARGEST_MAX];
};

static void fill_largest(struct range *range, const struct xpd_tool_ctx *ctx,
                         const struct xpd_flow *flow, struct xpd_step_window window)
{
    struct xpd_texts texts = {.arena = ctx->arena};
    uint32_t largest[LARGEST_MAX];
    uint32_t n = xpd_flow_largest(flow, window, largest, LARGEST_MAX);
    for (uint32_t i = 0; i < n; i++) {
        const struct xpd_tenancy *tenancy = &ctx->space->tenancy[largest[i]];
        range->row[i].buffer = tenancy->buffer;
        range->row[i].name = xpd_texts_buffer(&texts, ctx->mem, tenancy->buffer);
        range->row[i].size_bytes = tenancy->size_bytes;
    }
    range->out.largest.at = range->row;
    range->out.largest.n = n;
    xpd_texts_fini(&texts);
}

static struct xpd_bytes_sum sum_of(struct xpd_flow_sum sum)
{
    return (struct xpd_bytes_sum){.count = sum.count, .size_bytes = sum.bytes};
}

static int measure(struct range *range, const struct xpd_tool_ctx *ctx,
                   struct xpd_step_window window, struct xpd_err *err)
{
    const struct xpd_mem_space *space = ctx->space;
    const struct xpd_flow *flow = xpd_table_flow(ctx, err);
    struct xpd_memory_range *out = &range->out;
    if (!flow)
        return xpd_table_status(flow, err);
    xpd_live_extremes(space, window, &out->min_step, &out->max_step);
    out->from = window.from;
    out->to = window.to;
    out->max_bytes = space->totals.resident + space->live_bytes[out->max_step];
    out->min_bytes = space->totals.resident + space->live_bytes[out->min_step];
    range->allocated = sum_of(xpd_flow_started(flow, window));
    range->freed = sum_of(xpd_flow_ended(flow, window));
    out->allocated = &range->allocated;
    out->freed = &range->freed;
    fill_largest(range, ctx, flow, window);
    return XPD_OK;
}

static int range_tool(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    struct xpd_step_window window;
    struct range *range = XPD_NEW(ctx->arena, struct range);
    if (!range)
        return xpd_tools_no_memory(err);
    int rc = xpd_tools_window(ctx, &xpd_tool_memory_range, &window, err);
    if (rc == XPD_OK && ctx->space->step_count == 0)
        rc = xpd_fail(err, XPD_ENOTFOUND, "space", XPD_NO_OFFSET,
                      "this memory space has no heap trace, so it has no steps");
    if (rc == XPD_OK)
        rc = measure(range, ctx, window, err);
    *out = &range->out;
    return rc;
}

static const struct xpd_param_spec params[] = {
    XPD_STEP_WINDOW_PARAMS,
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_memory_range = {
    .route = "/api/v1/memory/range",
    .title = "Totals of a range of steps: extremes, what is allocated and freed in it.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .answer = xpd_memory_range_record,
    .make = range_tool,
    .file_name = "range.csv",
};
