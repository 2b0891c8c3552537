/* Growth of a run's allocators. In: lanes and the steps of a trace. Out: growth by lane, and the
 * two numbers that budgets judge. */
#include "alloc_growth.h"
#include "xprofd/tools/over_time.h"

#include <math.h>

struct xpd_alloc_grown *xpd_tools_alloc_growth(const struct xpd_trace_call *call,
                                               const struct xpd_alloc_lanes *lanes,
                                               struct xpd_err *err)
{
    struct xpd_arena *arena = call->ctx->arena;
    struct xpd_alloc_grown *out = XPD_NEW_ARRAY(arena, struct xpd_alloc_grown, lanes->count);
    bool fine = out != NULL;
    for (uint32_t k = 0; fine && k < lanes->count; k++) {
        const struct xpd_alloc_lane *lane = &lanes->at[k];
        fine = xpd_alloc_spans_make(&out[k].spans, &call->view, lane->process, lane->of,
                                    lane->shift_ps, arena) &&
               xpd_alloc_growth_make(&out[k].growth, lane->lives, &out[k].spans, lane->shift_ps,
                                     arena);
    }
    if (!fine)
        xpd_tools_no_memory(err);
    return fine ? out : NULL;
}

/* ---- two numbers ---- */

static void take(struct xpd_over_time *out, const struct xpd_alloc_lanes *lanes,
                 const struct xpd_alloc_grown *grown, bool host_too)
{
    const struct xpd_alloc_growth *most = NULL;
    for (uint32_t k = 0; k < lanes->count; k++) {
        const struct xpd_alloc_lane *lane = &lanes->at[k];
        const struct xpd_alloc_growth *g = &grown[k].growth;
        if (!host_too && xpd_allocator_is_host(lane->of->name))
            continue;
        if (lane->of->most_bytes > out->peak_bytes)
            out->peak_bytes = lane->of->most_bytes;
        if (most && !xpd_alloc_grows_more(g, most))
            continue;
        most = g;
        out->slope_bytes = g->slope_bytes;
        out->r2 = g->r2;
        out->steps = g->known;
        out->verdict = g->verdict;
    }
}

/* Memory of the host is all there is where no allocator deals out a device's. */
static bool has_devices(const struct xpd_alloc_lanes *lanes)
{
    for (uint32_t k = 0; k < lanes->count; k++)
        if (!xpd_allocator_is_host(lanes->at[k].of->name))
            return true;
    return false;
}

int xpd_over_time_of(struct xpd_over_time *out, const struct xpd_tool_ctx *ctx, bool host_too,
                     struct xpd_err *err)
{
    struct xpd_trace_call call;
    struct xpd_alloc_lanes lanes = {0};
    *out = (struct xpd_over_time){
        .peak_bytes = -1, .slope_bytes = NAN, .r2 = NAN, .verdict = XPD_ALLOC_FEW_STEPS};
    if (!ctx->run->has_memory_events) {
        out->why_not = "the runtime recorded no allocations";
        return XPD_OK;
    }
    int rc = xpd_tools_trace(ctx, XPD_WANT_DERIVED, &call, err);
    if (rc == XPD_OK)
        rc = xpd_tools_alloc_lanes(&lanes, &call, err);
    if (rc != XPD_OK)
        return rc;
    const struct xpd_alloc_grown *grown = xpd_tools_alloc_growth(&call, &lanes, err);
    if (!grown)
        return xpd_table_status(NULL, err);
    take(out, &lanes, grown, host_too || !has_devices(&lanes));
    if (out->peak_bytes < 0)
        out->why_not = "the runtime recorded no allocations";
    return XPD_OK;
}
