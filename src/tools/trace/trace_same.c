/* /api/v1/trace/same: all runs of the operation an event is one of. */
#include "trace_common.h"
#include "xprofd/trace/same.h"

static void write_bins(struct xpd_jsonw *w, const struct xpd_same *same)
{
    uint32_t n = same->bins;
    xpd_json_key(w, "bins");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    xpd_json_kbool(w, "log", same->log_bins);
    XPD_COLUMN(w, "from", n, xpd_json_i64(w, same->bin_from_ps[row]));
    XPD_COLUMN(w, "to", n, xpd_json_i64(w, same->bin_from_ps[row + 1]));
    XPD_COLUMN(w, "count", n, xpd_json_u64(w, same->bin_count[row]));
    xpd_json_obj_end(w);
}

static void write_slowest(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                          const struct xpd_same *same)
{
    uint32_t n = same->slowest_count;
    const struct xpd_event *at = same->slowest;
    xpd_json_key(w, "slowest");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "event", n, xpd_json_u64(w, at[row].number));
    XPD_COLUMN(w, "row", n, xpd_json_u64(w, at[row].row));
    XPD_COLUMN(w, "start", n, xpd_json_i64(w, xpd_tools_at(call, at[row].start_ps)));
    XPD_COLUMN(w, "duration", n, xpd_json_i64(w, at[row].duration_ps));
    XPD_COLUMN(w, "clock_duration", n, xpd_json_i64(w, same->slowest_ps[row]));
    xpd_json_obj_end(w);
}

static void write_chips(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                        const struct xpd_same *same)
{
    uint32_t n = same->chip_count;
    const struct xpd_same_chip *chip = same->chip;
    xpd_json_key(w, "by_chip");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "process", n, xpd_json_u64(w, chip[row].process));
    XPD_COLUMN(w, "device", n,
               xpd_json_i64(w, call->view.trace->process[chip[row].process].device));
    XPD_COLUMN(w, "count", n, xpd_json_u64(w, chip[row].count));
    XPD_COLUMN(w, "total", n, xpd_json_i64(w, chip[row].total_ps));
    XPD_COLUMN(w, "mean", n,
               xpd_json_double(w, (double)chip[row].total_ps / (double)chip[row].count));
    XPD_COLUMN(w, "min", n, xpd_json_i64(w, chip[row].min_ps));
    XPD_COLUMN(w, "max", n, xpd_json_i64(w, chip[row].max_ps));
    xpd_json_obj_end(w);
}

static void write(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                  const struct xpd_event *event, const struct xpd_same *same)
{
    xpd_json_obj(w);
    xpd_tools_base(w, call);
    xpd_json_ku64(w, "event", event->number);
    xpd_json_kstr(w, "caption", xpd_view_caption(&call->view, event->name));
    xpd_json_ktext(w, "clock", xpd_clock_word(same->clock));
    xpd_json_ki64(w, "duration", xpd_event_ps(&call->view, event, same->clock));
    xpd_json_ku64(w, "count", same->count);
    xpd_json_ki64(w, "total", same->total_ps);
    xpd_json_kdouble(w, "mean", (double)same->total_ps / (double)same->count);
    xpd_json_ki64(w, "min", same->min_ps);
    xpd_json_ki64(w, "p50", same->p50_ps);
    xpd_json_ki64(w, "p99", same->p99_ps);
    xpd_json_ki64(w, "max", same->max_ps);
    xpd_json_kbool(w, "exact", same->exact);
    write_bins(w, same);
    write_slowest(w, call, same);
    write_chips(w, call, same);
    xpd_json_obj_end(w);
}

static int same_tool(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                     struct xpd_err *err)
{
    struct xpd_trace_call call;
    struct xpd_event event;
    int rc = xpd_tools_trace(ctx, 0, &call, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_event(&call, &event, err);
    struct xpd_same *same = rc == XPD_OK ? XPD_NEW(ctx->arena, struct xpd_same) : NULL;
    if (rc == XPD_OK && !same)
        rc = xpd_tools_no_memory(err);
    if (rc == XPD_OK)
        rc = xpd_same_of(same, &call.view, &event, xpd_tools_clock(ctx), ctx->arena, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    write(&w, &call, &event, same);
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    XPD_TRACE_PARAM_EVENT,
    XPD_TRACE_PARAM_CLOCK,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_same = {
    .route = "/api/v1/trace/same",
    .title = "All runs of an event's operation: distribution, the slowest, chip by chip.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .run = same_tool,
};
