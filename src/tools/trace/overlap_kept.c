/* Tables of overlap beside the run: of any range, and of the steps. In: a host's trace with derived
 * rows. Out: frozen tables. */
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

/* When its work ran by the chips' own clocks: made by itself, since only steps ask for it. */
static int device_overlap(const struct xpd_overlap_device **out, const struct xpd_trace_call *call,
                          struct xpd_err *err)
{
    struct xpd_tool_ctx of_run = *call->ctx;
    of_run.module = XPD_NO_INDEX;
    *out = xpd_table(&of_run, XPD_TABLE_OVERLAP_DEVICE, xpd_trace_detail(call), false, sizeof **out,
                     make_device, err);
    return xpd_table_status(*out, err);
}

/* ---- the steps ---- */

static bool computes(const struct xpd_view *view, uint32_t step)
{
    return xpd_trace_computes(view->trace, view->derived->step[step].process);
}

/* By the device's clock when it is known of every step of every chip. */
static enum xpd_clock find_clock(const struct xpd_view *view, int64_t *device_ps)
{
    bool all = true, any = false;
    for (uint32_t i = 0; i < view->derived->step_count; i++) {
        device_ps[i] = xpd_step_device_ps(view, &view->derived->step[i]);
        any |= computes(view, i);
        all &= !computes(view, i) || device_ps[i] >= 0;
    }
    return all && any ? XPD_CLOCK_DEVICE : XPD_CLOCK_HOST;
}

static const char *why_host(const struct xpd_view *view, bool asked)
{
    if (asked)
        return "asked for";
    for (uint32_t i = 0; i < view->derived->step_count; i++)
        if (computes(view, i) &&
            view->trace->process[view->derived->step[i].process].kind != XPD_PROCESS_HOST)
            return "not all steps and work of the chips have times on the chips' own clocks";
    return "no chip has steps, and threads have no clock of their own";
}

static int measure(struct xpd_overlap *overlap, const struct xpd_trace_call *call,
                   const struct xpd_overlap_device *device, struct xpd_err *err)
{
    const struct xpd_overlap_table *table;
    int rc = xpd_tools_trace_overlap(&table, call, err);
    for (uint32_t p = 0, first, end; rc == XPD_OK && p < call->view.trace->process_count; p++) {
        xpd_steps_of(call->view.derived, p, &first, &end);
        if (first < end && computes(&call->view, first))
            rc = xpd_overlap_of(&call->view, table, device, first, end - first, overlap + first,
                                err);
    }
    return rc;
}

static bool all_by_device(const struct xpd_view *view, const struct xpd_overlap *overlap)
{
    for (uint32_t i = 0; i < view->derived->step_count; i++)
        if (computes(view, i) && overlap[i].clock != XPD_CLOCK_DEVICE)
            return false;
    return true;
}

static int make_steps(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                      uint32_t detail, struct xpd_err *err)
{
    struct xpd_steps_kept *kept = table;
    struct xpd_trace_call call = {.ctx = ctx, .host = xpd_trace_detail_host(ctx, detail / 2)};
    const struct xpd_overlap_device *device = NULL;
    int rc = view_of(&call.view, ctx, detail / 2, err);
    if (rc != XPD_OK)
        return rc;
    uint32_t count = call.view.derived->step_count;
    int64_t *device_ps = XPD_NEW_ARRAY(arena, int64_t, count);
    struct xpd_overlap *overlap = XPD_NEW_ARRAY(arena, struct xpd_overlap, count);
    if (!device_ps || !overlap)
        return xpd_tools_no_memory(err);
    enum xpd_clock known = find_clock(&call.view, device_ps);
    kept->clock = detail % 2 ? XPD_CLOCK_HOST : known;
    if (kept->clock == XPD_CLOCK_DEVICE)
        rc = device_overlap(&device, &call, err);
    if (rc == XPD_OK)
        rc = measure(overlap, &call, device, err);
    if (rc == XPD_OK && device && !all_by_device(&call.view, overlap)) {
        kept->clock = XPD_CLOCK_HOST; /* some work of a chip has no time on its own clock */
        rc = measure(overlap, &call, NULL, err);
    }
    kept->why_host = kept->clock == XPD_CLOCK_HOST ? why_host(&call.view, detail % 2) : NULL;
    kept->device_ps = device_ps;
    kept->overlap = overlap;
    return rc;
}

int xpd_tools_trace_steps(const struct xpd_steps_kept **out, const struct xpd_trace_call *call,
                          enum xpd_clock clock, struct xpd_err *err)
{
    struct xpd_tool_ctx of_run = *call->ctx;
    of_run.module = XPD_NO_INDEX;
    uint32_t detail = xpd_trace_detail(call) * 2 + (clock == XPD_CLOCK_HOST);
    *out = xpd_table(&of_run, XPD_TABLE_STEPS, detail, false, sizeof **out, make_steps, err);
    return xpd_table_status(*out, err);
}
