/* /api/v1/trace/same: all runs of the operation an event is one of. */
#include "trace_common.h"
#include "xprofd/trace/same.h"

#define XPD_SAME_BIN_FIELDS(FIELD)                                                                 \
    FIELD(INT, from_ps, "shortest duration in the bin")                                            \
    FIELD(INT, to_ps, "first duration above the bin; for the last bin the longest")                \
    FIELD(INT, count, "runs")
XPD_RECORD(xpd_same_bin, XPD_SAME_BIN_FIELDS)

#define XPD_SAME_BINS_FIELDS(FIELD)                                                                \
    FIELD(BOOL, log, "bins widen by a constant factor; else all are equally wide")                 \
    FIELD(INLINE(xpd_same_bin), rows, "")
XPD_RECORD(xpd_same_bins, XPD_SAME_BINS_FIELDS)

#define XPD_SAME_SLOW_FIELDS(FIELD)                                                                \
    FIELD(INT, event, "")                                                                          \
    FIELD(INDEX, row, "of trace/rows")                                                             \
    FIELD(SIGNED, start_ps, "host-aligned")                                                        \
    FIELD(INT, duration_ps, "host-aligned")                                                        \
    FIELD(INT, clock_duration_ps, "by `clock`")
XPD_RECORD(xpd_same_slow, XPD_SAME_SLOW_FIELDS)

#define XPD_SAME_OF_CHIP_FIELDS(FIELD)                                                             \
    FIELD(INDEX, process, "of trace/rows")                                                         \
    FIELD(MAYBE(INT), device, "its number; null: it has none")                                     \
    FIELD(INT, count, "runs")                                                                      \
    FIELD(INT, total_ps, "")                                                                       \
    FIELD(REAL, mean_ps, "")                                                                       \
    FIELD(INT, min_ps, "")                                                                         \
    FIELD(INT, max_ps, "")
XPD_RECORD(xpd_same_of_chip, XPD_SAME_OF_CHIP_FIELDS)

#define XPD_TRACE_SAME_FIELDS(FIELD)                                                               \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(INT, event, "the requested event")                                                       \
    FIELD(TEXT, caption, "")                                                                       \
    FIELD(WORD(XPD_CLOCK_WORDS), clock, "of all durations but `slowest.duration_ps`")              \
    FIELD(INT, duration_ps, "of the requested event")                                              \
    FIELD(INT, count, "executions of the operation")                                               \
    FIELD(INT, total_ps, "of all of them")                                                         \
    FIELD(REAL, mean_ps, "")                                                                       \
    FIELD(INT, min_ps, "")                                                                         \
    FIELD(INT, p50_ps, "")                                                                         \
    FIELD(INT, p99_ps, "")                                                                         \
    FIELD(INT, max_ps, "")                                                                         \
    FIELD(BOOL, exact, "the percentiles are exact; else within 1 %")                               \
    FIELD(OBJECT(xpd_same_bins), bins, "histogram of durations")                                   \
    FIELD(COLUMNS(xpd_same_slow), slowest, "the longest first")                                    \
    FIELD(COLUMNS(xpd_same_of_chip), by_chip, "the same operation on every chip")
XPD_RECORD(xpd_trace_same, XPD_TRACE_SAME_FIELDS)

struct tables {
    struct xpd_trace_same answer;
    struct xpd_same_bins bins;
    struct xpd_same_bin bin[XPD_SAME_BINS];
    struct xpd_same_slow slow[XPD_SAME_SLOWEST];
};

static void fill_bins(struct tables *out, const struct xpd_same *same)
{
    for (uint32_t i = 0; i < same->bins; i++)
        out->bin[i] = (struct xpd_same_bin){same->bin_from_ps[i], same->bin_from_ps[i + 1],
                                            (int64_t)same->bin_count[i]};
    out->bins = (struct xpd_same_bins){same->log_bins, {out->bin, same->bins}};
    out->answer.bins = &out->bins;
}

static void fill_slowest(struct tables *out, const struct xpd_trace_call *call,
                         const struct xpd_same *same)
{
    for (uint32_t i = 0; i < same->slowest_count; i++) {
        const struct xpd_event *at = &same->slowest[i];
        out->slow[i] =
            (struct xpd_same_slow){(int64_t)at->number, at->row, xpd_tools_at(call, at->start_ps),
                                   at->duration_ps, same->slowest_ps[i]};
    }
    out->answer.slowest.at = out->slow;
    out->answer.slowest.n = same->slowest_count;
}

static int fill_chips(struct tables *out, const struct xpd_trace_call *call,
                      const struct xpd_same *same, struct xpd_err *err)
{
    struct xpd_same_of_chip *to =
        XPD_NEW_ARRAY(call->ctx->arena, struct xpd_same_of_chip, same->chip_count);
    if (!to)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < same->chip_count; i++) {
        const struct xpd_same_chip *chip = &same->chip[i];
        to[i] = (struct xpd_same_of_chip){
            .process = chip->process,
            .device = call->view.trace->process[chip->process].device,
            .count = (int64_t)chip->count,
            .total_ps = chip->total_ps,
            .mean_ps = (double)chip->total_ps / (double)chip->count,
            .min_ps = chip->min_ps,
            .max_ps = chip->max_ps,
        };
    }
    out->answer.by_chip.at = to;
    out->answer.by_chip.n = same->chip_count;
    return XPD_OK;
}

static int fill(struct tables *out, const struct xpd_trace_call *call,
                const struct xpd_event *event, const struct xpd_same *same, struct xpd_err *err)
{
    out->answer = (struct xpd_trace_same){
        .base_ps = call->base_ps,
        .event = (int64_t)event->number,
        .caption = xpd_view_caption(&call->view, event->name),
        .clock = xpd_clock_word(same->clock),
        .duration_ps = xpd_event_ps(&call->view, event, same->clock),
        .count = (int64_t)same->count,
        .total_ps = same->total_ps,
        .mean_ps = (double)same->total_ps / (double)same->count,
        .min_ps = same->min_ps,
        .p50_ps = same->p50_ps,
        .p99_ps = same->p99_ps,
        .max_ps = same->max_ps,
        .exact = same->exact,
    };
    fill_bins(out, same);
    fill_slowest(out, call, same);
    return fill_chips(out, call, same, err);
}

static int same_tool(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct xpd_trace_call call;
    struct xpd_event event;
    int rc = xpd_tools_trace(ctx, 0, &call, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_event(&call, &event, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_same *same = XPD_NEW(ctx->arena, struct xpd_same);
    struct tables *out = XPD_NEW(ctx->arena, struct tables);
    if (!same || !out)
        return xpd_tools_no_memory(err);
    rc = xpd_same_of(same, &call.view, &event, xpd_tools_clock(ctx), ctx->arena, err);
    *answer = &out->answer;
    return rc == XPD_OK ? fill(out, &call, &event, same, err) : rc;
}

static const struct xpd_param_spec params[] = {
    XPD_TRACE_PARAM_EVENT,
    XPD_TRACE_PARAM_CLOCK,
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_same = {
    .route = "/api/v1/trace/same",
    .title = "All executions of an event's operation: distribution, the slowest, by chip.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_trace_same_record,
    .make = same_tool,
    .file_name = "trace_same.csv",
};
