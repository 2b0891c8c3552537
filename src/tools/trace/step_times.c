/* Step times of a run. In: the derived steps of a host. Out: one duration a step, sorted. */
#include "step_times.h"
#include "../tables/measured.h"
#include "overlap_kept.h"

#include "xprofd/base/checked.h"
#include "xprofd/base/order.h"
#include "xprofd/trace/totals.h"

#include <stdlib.h>

struct one { /* of one step on one process */
    int64_t number, duration_ps;
};

static int by_number(const void *a, const void *b)
{
    const struct one *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->duration_ps < y->duration_ps) - (x->duration_ps > y->duration_ps);
}

static bool is_device(const struct xpd_view *view, const struct xpd_step *step)
{
    return xpd_trace_computes(view->trace, step->process);
}

/* The steps of devices, of the host when no device has any. */
static uint32_t collect(const struct xpd_view *view, struct one *all)
{
    const struct xpd_derived *derived = view->derived;
    uint32_t count = 0;
    bool devices = false;
    for (uint32_t i = 0; i < derived->step_count; i++)
        devices |= is_device(view, &derived->step[i]);
    for (uint32_t i = 0; i < derived->step_count; i++) {
        const struct xpd_step *step = &derived->step[i];
        if (devices && !is_device(view, step))
            continue;
        int64_t device_ps = devices ? xpd_step_device_ps(view, step) : -1;
        all[count++] =
            (struct one){step->number, device_ps >= 0 ? device_ps : step->end_ps - step->start_ps};
    }
    return count;
}

static int find_exposed(struct xpd_step_times *out, const struct xpd_trace_call *call,
                        struct xpd_err *err)
{
    const struct xpd_view *view = &call->view;
    const struct xpd_steps_kept *kept = NULL;
    int64_t exposed_ps = 0, all_ps = 0;
    int rc = xpd_tools_trace_steps(&kept, call, XPD_CLOCK_DEVICE, err);
    for (uint32_t i = 0; rc == XPD_OK && i < view->derived->step_count; i++) {
        if (!is_device(view, &view->derived->step[i]))
            continue;
        xpd_grow_i64(&exposed_ps, kept->overlap[i].comm_exposed_ps);
        xpd_grow_i64(&all_ps, kept->overlap[i].length_ps);
    }
    out->exposed_comm = all_ps > 0 ? (double)exposed_ps / (double)all_ps : -1;
    return rc;
}

static int measure(struct xpd_step_times *out, const struct xpd_trace_call *call,
                   struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = call->ctx;
    const struct xpd_view *view = &call->view;
    struct one *all = XPD_NEW_ARRAY(ctx->arena, struct one, view->derived->step_count);
    out->duration_ps = XPD_NEW_ARRAY(ctx->arena, int64_t, view->derived->step_count);
    if (!all || !out->duration_ps)
        return xpd_tools_no_memory(err);
    uint32_t count = collect(view, all);
    if (count > 1)
        qsort(all, count, sizeof *all, by_number);
    for (uint32_t i = 0; i < count; i++) /* the longest of a number comes first */
        if (i == 0 || all[i].number != all[i - 1].number)
            out->duration_ps[out->count++] = all[i].duration_ps;
    if (out->count > 1)
        qsort(out->duration_ps, out->count, sizeof *out->duration_ps, xpd_order_i64);
    if (out->count < XPD_STEPS_JUDGED)
        out->why_not = xpd_arena_printf(
            ctx->arena, "the recording has %" PRIu32 " step%s; step times need at least 5",
            out->count, out->count == 1 ? "" : "s");
    return find_exposed(out, call, err);
}

int xpd_step_times_of(struct xpd_step_times *out, const struct xpd_tool_ctx *ctx,
                      struct xpd_err *err)
{
    struct xpd_trace_call call = {.ctx = ctx};
    *out = (struct xpd_step_times){.why_not = xpd_measured_never(ctx->run, ctx->module)};
    if (out->why_not)
        return XPD_OK;
    call.host = xpd_measured_host(ctx->run, ctx->module);
    if (call.host == XPD_NO_INDEX) {
        out->why_not = "the host that holds this program has no events";
        return XPD_OK;
    }
    int rc = xpd_store_trace(ctx->store, ctx->run, call.host, ctx->wait_ms, &call.view.trace,
                             ctx->state, err);
    if (rc == XPD_OK)
        rc = xpd_store_derived(ctx->store, ctx->run, call.host, ctx->wait_ms, &call.view.derived,
                               ctx->state, err);
    return rc == XPD_OK ? measure(out, &call, err) : rc;
}

int64_t xpd_step_quantile(const struct xpd_step_times *times, double quantile)
{
    return times->duration_ps[xpd_rank_of(quantile, times->count)];
}
