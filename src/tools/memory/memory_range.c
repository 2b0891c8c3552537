/* /api/v1/memory/range: the totals of a selected range of steps. */
#include "table_steps.h"
#include "xprofd/tools/held.h"

#define LARGEST_MAX 12

struct range {
    struct xpd_step_window window;
    uint32_t max_step, min_step;
    struct xpd_flow_sum allocated, freed;
    uint32_t largest[LARGEST_MAX]; /* tenancies that begin in the range */
    uint32_t largest_count;
};

static int measure(struct range *range, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    const struct xpd_flow *flow = xpd_table_flow(ctx, err);
    if (!flow)
        return xpd_table_status(flow, err);
    xpd_live_extremes(ctx->space, range->window, &range->min_step, &range->max_step);
    range->allocated = xpd_flow_started(flow, range->window);
    range->freed = xpd_flow_ended(flow, range->window);
    range->largest_count = xpd_flow_largest(flow, range->window, range->largest, LARGEST_MAX);
    return XPD_OK;
}

static void write_sum(struct xpd_jsonw *w, const char *key, struct xpd_flow_sum sum)
{
    xpd_json_key(w, key);
    xpd_json_obj(w);
    xpd_json_ku64(w, "count", sum.count);
    xpd_json_ki64(w, "bytes", sum.bytes);
    xpd_json_obj_end(w);
}

static void write(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx, const struct range *range)
{
    const struct xpd_mem_space *space = ctx->space;
    const struct xpd_tenancy *tenancy = space->tenancy;
    const uint32_t *largest = range->largest;
    uint32_t n = range->largest_count;
    int64_t resident = space->totals.resident;
    struct xpd_names names;
    xpd_names_init(&names, ctx->arena);
    xpd_json_obj(w);
    xpd_json_ku64(w, "from", range->window.from);
    xpd_json_ku64(w, "to", range->window.to);
    xpd_json_ki64(w, "max_bytes", resident + space->live_bytes[range->max_step]);
    xpd_json_ku64(w, "max_step", range->max_step);
    xpd_json_ki64(w, "min_bytes", resident + space->live_bytes[range->min_step]);
    xpd_json_ku64(w, "min_step", range->min_step);
    write_sum(w, "allocated", range->allocated);
    write_sum(w, "freed", range->freed);
    xpd_json_key(w, "largest");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "buffer", n, xpd_json_u64(w, tenancy[largest[row]].buffer));
    XPD_COLUMN(w, "name", n,
               xpd_json_u64(w, xpd_names_buffer(&names, ctx->mem, tenancy[largest[row]].buffer)));
    XPD_COLUMN(w, "size_bytes", n, xpd_json_i64(w, tenancy[largest[row]].size_bytes));
    xpd_json_obj_end(w);
    xpd_names_write(&names, w);
    xpd_json_obj_end(w);
    xpd_names_fini(&names);
}

static int range_tool(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                      struct xpd_err *err)
{
    struct range range = {0};
    int rc = xpd_tools_window(ctx, &xpd_tool_memory_range, &range.window, err);
    if (rc == XPD_OK && ctx->space->step_count == 0)
        rc = xpd_fail(err, XPD_ENOTFOUND, "space", XPD_NO_OFFSET,
                      "this memory space has no heap trace, so it has no steps");
    if (rc == XPD_OK)
        rc = measure(&range, ctx, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    write(&w, ctx, &range);
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    XPD_STEP_WINDOW_PARAMS,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_memory_range = {
    .route = "/api/v1/memory/range",
    .title = "Totals of a range of steps: extremes, what is allocated and freed in it.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = range_tool,
};
