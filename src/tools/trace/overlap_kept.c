/* The table of overlap beside the run. In: a host's trace with derived rows. Out: the frozen table.
 */
#include "overlap_kept.h"
#include "../tables/tables.h"

static int view_of(struct xpd_view *view, const struct xpd_tool_ctx *ctx, uint32_t detail,
                   struct xpd_err *err)
{
    uint32_t host = xpd_trace_detail_host(ctx, detail);
    *view = (struct xpd_view){0};
    int rc =
        xpd_store_trace(ctx->store, ctx->run, host, ctx->wait_ms, &view->trace, ctx->state, err);
    if (rc == XPD_OK)
        rc = xpd_store_derived(ctx->store, ctx->run, host, ctx->wait_ms, &view->derived, ctx->state,
                               err);
    return rc;
}

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    struct xpd_view view;
    int rc = view_of(&view, ctx, detail, err);
    return rc == XPD_OK ? xpd_overlap_table_make(table, &view, arena, err) : rc;
}

static int make_device(void *device, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                       uint32_t detail, struct xpd_err *err)
{
    struct xpd_view view;
    int rc = view_of(&view, ctx, detail, err);
    return rc == XPD_OK ? xpd_overlap_device_make(device, &view, arena, err) : rc;
}

int xpd_tools_trace_overlap(const struct xpd_overlap_table **out, const struct xpd_trace_call *call,
                            struct xpd_err *err)
{
    struct xpd_tool_ctx of_run = *call->ctx;
    of_run.module = XPD_NO_INDEX;
    *out = xpd_table(&of_run, XPD_TABLE_OVERLAP, xpd_trace_detail(call), false, sizeof **out, make,
                     err);
    return xpd_table_status(*out, err);
}

int xpd_tools_trace_overlap_device(const struct xpd_overlap_device **out,
                                   const struct xpd_trace_call *call, struct xpd_err *err)
{
    struct xpd_tool_ctx of_run = *call->ctx;
    of_run.module = XPD_NO_INDEX;
    *out = xpd_table(&of_run, XPD_TABLE_OVERLAP_DEVICE, xpd_trace_detail(call), false, sizeof **out,
                     make_device, err);
    return xpd_table_status(*out, err);
}
