/* /api/v1/trace/rows: processes and rows of a host, or of all, and where their clocks jump. */
#include "../program/explain_peaks.h"
#include "trace_common.h"
#include "xprofd/answer/write.h"

#define CLOCK_STEP_PS INT64_C(1000000000) /* 1 ms: less is the clocks' ordinary drift */
#define CLOCK_STEPS   200                 /* that are listed: the largest */

#define XPD_TRACE_PROCESS_ROW_FIELDS(FIELD)                                                        \
    FIELD(TEXT, name, "of its plane")                                                              \
    FIELD(INDEX, host, "place in `hosts`")                                                         \
    FIELD(WORD(XPD_PROCESS_WORDS), kind, "")                                                       \
    FIELD(MAYBE(INT), device, "its number; null: it has none")                                     \
    FIELD(INDEX, first_row, "")                                                                    \
    FIELD(COUNT, row_count, "measured ones")                                                       \
    FIELD(INT, event_count, "measured ones")                                                       \
    FIELD(BOOL, computes, "its events name the operations")                                        \
    FIELD(MAYBE(STRING), compute_unknown, "why its compute is unknown; null: known")               \
    FIELD(MAYBE(REAL), peak_flops_per_s, "from its plane")                                         \
    FIELD(MAYBE(REAL), peak_bytes_per_s, "likewise, of its memory")
XPD_RECORD(xpd_trace_process_row, XPD_TRACE_PROCESS_ROW_FIELDS)

#define XPD_ROW_KINDS                                                                              \
    "line steps xla_modules xla_ops async_ops trace_me stream internal counter name_scope "        \
    "framework_ops source offload launch_stats command_buffers"
#define XPD_TRACE_ROW_ROW_FIELDS(FIELD)                                                            \
    FIELD(INDEX, row, "its number")                                                                \
    FIELD(INDEX, process, "place in `processes`")                                                  \
    FIELD(INDEX, host, "place in `hosts`")                                                         \
    FIELD(BIG, id, "of its line in the file")                                                      \
    FIELD(TEXT, caption, "")                                                                       \
    FIELD(WORD(XPD_ROW_KINDS), kind, "")                                                           \
    FIELD(BOOL, derived, "made from other rows")                                                   \
    FIELD(MAYBE(STRING), how, "source of a derived row; null: measured")                           \
    FIELD(COUNT, depths, "")                                                                       \
    FIELD(INT, events, "")                                                                         \
    FIELD(SIGNED, first_ps, "start of its first event")                                            \
    FIELD(SIGNED, end_ps, "end of its last event")                                                 \
    FIELD(INT, busy_ps, "union of its events, host-aligned")                                       \
    FIELD(MAYBE(INT), device_busy_ps, "sum of its outermost events; null: some have no such time") \
    FIELD(BOOL, device_clock, "events have durations of the device's clock")                       \
    FIELD(INT, overflow, "events without a depth, because too many overlap")                       \
    FIELD(BOOL, cut, "the file ends inside one of its lines")                                      \
    FIELD(BOOL, hidden, "XProf hides it: internal events, planes of no known kind")
XPD_RECORD(xpd_trace_row_row, XPD_TRACE_ROW_ROW_FIELDS)

#define XPD_CLOCK_STEP_FIELDS(FIELD)                                                               \
    FIELD(INDEX, row, "")                                                                          \
    FIELD(INT, event, "event during which the host-aligned clock jumps")                           \
    FIELD(SIGNED, at_ps, "its end")                                                                \
    FIELD(INT, extra_ps, "host-aligned duration minus that of the device's clock")
XPD_RECORD(xpd_clock_step, XPD_CLOCK_STEP_FIELDS)

#define XPD_CLOCK_STEPS_FIELDS(FIELD)                                                              \
    FIELD(INT, left_out, "jumps not listed")                                                       \
    FIELD(INLINE(xpd_clock_step), rows, "the 200 largest, by row and time")
XPD_RECORD(xpd_clock_steps, XPD_CLOCK_STEPS_FIELDS)

#define XPD_TRACE_ROWS_FIELDS(FIELD)                                                               \
    FIELD(STRING, host, "host of the events; ALL: several hosts")                                  \
    FIELD(LIST(xpd_trace_of_host), hosts, "of the run")                                            \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(SIGNED, first_ps, "start of the first event")                                            \
    FIELD(SIGNED, end_ps, "end of the last event")                                                 \
    FIELD(INT, event_count, "measured ones")                                                       \
    FIELD(INT, hidden_count, "of these, on hidden rows")                                           \
    FIELD(MAYBE(BIG), profile_start_ns, "when the profile began, since 1970")                      \
    FIELD(BOOL, derived, "derived rows are among `rows`")                                          \
    FIELD(MAYBE(OBJECT(xpd_peaks)), peaks, "peak rates of the chip")                               \
    FIELD(MAYBE(STRING), device_type, "as the profile names it")                                   \
    FIELD(COLUMNS(xpd_trace_row_row), rows, "measured ones first")                                 \
    FIELD(COLUMNS(xpd_trace_process_row), processes, "hosts and devices")                          \
    FIELD(OBJECT(xpd_clock_steps), clock_steps,                                                    \
          "events during which the host-aligned clock jumps")                                      \
    FIELD(LIST(xpd_warning_row), warnings, "of the file")                                          \
    FIELD(LIST(xpd_warning_row), derived_warnings, "warnings of derived rows")
XPD_RECORD(xpd_trace_rows, XPD_TRACE_ROWS_FIELDS)

struct clock_step {
    uint64_t event;
    uint32_t row;
    int64_t at_ps, extra_ps;
};
struct clock_steps {
    struct clock_step at[CLOCK_STEPS];
    uint32_t count;
    uint64_t all;
};

/* Keeps the largest; ties keep the earlier one. */
static void keep_step(struct clock_steps *steps, const struct clock_step *step)
{
    uint32_t least = 0;
    steps->all++;
    if (steps->count < CLOCK_STEPS) {
        steps->at[steps->count++] = *step;
        return;
    }
    for (uint32_t i = 1; i < CLOCK_STEPS; i++)
        if (steps->at[i].extra_ps < steps->at[least].extra_ps)
            least = i;
    if (step->extra_ps > steps->at[least].extra_ps)
        steps->at[least] = *step;
}

static void steps_of_depth(struct clock_steps *steps, const struct xpd_view *view, uint32_t row,
                           uint32_t number)
{
    const struct xpd_depth *depth = xpd_view_depth(view, row, number);
    for (uint32_t i = 0; depth->device_delta_ps && i < depth->count; i++) {
        int32_t delta_ps = depth->device_delta_ps[i];
        if (delta_ps != INT32_MIN && delta_ps < CLOCK_STEP_PS)
            continue;
        struct xpd_event event = xpd_view_event_at(view, row, number, i);
        int64_t device_ps = xpd_view_device_ps(view, &event);
        if (device_ps < 0 || event.duration_ps - device_ps < CLOCK_STEP_PS)
            continue;
        keep_step(steps, &(struct clock_step){.event = event.number,
                                              .row = row,
                                              .at_ps = event.start_ps + event.duration_ps,
                                              .extra_ps = event.duration_ps - device_ps});
    }
}

static int by_row_and_time(const void *a, const void *b)
{
    const struct clock_step *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->at_ps > y->at_ps) - (x->at_ps < y->at_ps);
}

static void find_clock_steps(struct clock_steps *steps, const struct xpd_view *view)
{
    for (uint32_t row = 0; row < view->trace->row_count; row++)
        for (uint32_t d = 0; d < view->trace->row[row].depth_count; d++)
            steps_of_depth(steps, view, row, d);
    qsort(steps->at, steps->count, sizeof steps->at[0], by_row_and_time);
}

/* ---- the answer ---- */

static int fill_clock_steps(struct xpd_trace_rows *out, const struct xpd_trace_call *call,
                            const struct clock_steps *steps, struct xpd_err *err)
{
    struct xpd_clock_steps *to = XPD_NEW(call->ctx->arena, struct xpd_clock_steps);
    struct xpd_clock_step *at =
        XPD_NEW_ARRAY(call->ctx->arena, struct xpd_clock_step, steps->count);
    if (!to || !at)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < steps->count; i++)
        at[i] =
            (struct xpd_clock_step){steps->at[i].row, (int64_t)steps->at[i].event,
                                    xpd_tools_at(call, steps->at[i].at_ps), steps->at[i].extra_ps};
    *to = (struct xpd_clock_steps){(int64_t)(steps->all - steps->count), {at, steps->count}};
    out->clock_steps = to;
    return XPD_OK;
}

static int fill_processes(struct xpd_trace_rows *out, const struct xpd_trace_call *call,
                          struct xpd_err *err)
{
    const struct xpd_view *view = &call->view;
    uint32_t n = view->trace->process_count;
    struct xpd_trace_process_row *to =
        XPD_NEW_ARRAY(call->ctx->arena, struct xpd_trace_process_row, n);
    if (!to)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        const struct xpd_trace_process *at = &view->trace->process[i];
        to[i] = (struct xpd_trace_process_row){
            .name = xpd_tools_plane_name(view, i),
            .host = xpd_tools_process_host(call, i),
            .kind = xpd_tools_process_word(at->kind),
            .device = at->device,
            .first_row = at->first_row,
            .row_count = at->row_count,
            .event_count = (int64_t)at->event_count,
            .computes = xpd_trace_computes(view->trace, i),
            .compute_unknown = xpd_trace_computes_not(view->trace, i),
            .peak_flops_per_s = at->peak_flops_per_s > 0 ? at->peak_flops_per_s : -1,
            .peak_bytes_per_s = at->peak_bytes_per_s > 0 ? at->peak_bytes_per_s : -1,
        };
    }
    out->processes.at = to;
    out->processes.n = n;
    return XPD_OK;
}

static int fill_rows(struct xpd_trace_rows *out, const struct xpd_trace_call *call,
                     struct xpd_err *err)
{
    const struct xpd_view *view = &call->view;
    uint32_t n = xpd_view_rows(view);
    struct xpd_trace_row_row *to = XPD_NEW_ARRAY(call->ctx->arena, struct xpd_trace_row_row, n);
    if (!to)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        const struct xpd_trace_row *at = xpd_view_row(view, i);
        to[i] = (struct xpd_trace_row_row){
            .row = i,
            .process = at->process,
            .host = xpd_tools_process_host(call, at->process),
            .id = at->id,
            .caption = xpd_view_row_caption(view, i),
            .kind = xpd_row_kind_word(at->kind),
            .derived = at->derived,
            .how = at->how,
            .depths = at->depth_count,
            .events = (int64_t)at->event_count,
            .first_ps = xpd_tools_at(call, at->first_ps),
            .end_ps = xpd_tools_at(call, at->end_ps),
            .busy_ps = at->busy_ps,
            .device_busy_ps = at->device_busy_ps,
            .device_clock = at->has_device_clock,
            .overflow = (int64_t)at->overflow_count,
            .cut = at->cut,
            .hidden = xpd_tools_row_hidden(view, i),
        };
    }
    out->rows.at = to;
    out->rows.n = n;
    return XPD_OK;
}

static void fill_warnings(struct xpd_trace_rows *out, const struct xpd_trace_call *call)
{
    const struct xpd_warnings *own = &call->view.trace->warnings;
    const struct xpd_warnings *derived = call->view.derived ? &call->view.derived->warnings : NULL;
    out->warnings.at = xpd_tools_warnings(call->ctx->arena, own);
    out->warnings.n = own->count;
    out->derived_warnings.at = xpd_tools_warnings(call->ctx->arena, derived);
    out->derived_warnings.n = derived ? derived->count : 0;
}

/* The peaks are those of the run's device, as Explain and the table of operations have them. */
static int fill(struct xpd_trace_rows *out, const struct xpd_trace_call *call,
                const struct clock_steps *steps, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = call->ctx;
    const struct xpd_trace *trace = call->view.trace;
    struct xpd_peaks *peaks = XPD_NEW(ctx->arena, struct xpd_peaks);
    if (!peaks)
        return xpd_tools_no_memory(err);
    *out = (struct xpd_trace_rows){
        .host = xpd_tools_host_name(call),
        .hosts = {xpd_tools_hosts(call), ctx->run->host_count},
        .base_ps = call->base_ps,
        .first_ps = xpd_tools_at(call, trace->first_ps),
        .end_ps = xpd_tools_at(call, trace->end_ps),
        .event_count = (int64_t)trace->event_count,
        .hidden_count = (int64_t)trace->hidden_count,
        .profile_start_ns = trace->profile_start_ns > 0 ? trace->profile_start_ns : XPD_UNKNOWN,
        .derived = call->view.derived != NULL,
        .peaks = xpd_explain_peaks(ctx, peaks) ? peaks : NULL,
        .device_type = ctx->run->device_type,
    };
    fill_warnings(out, call);
    int rc = fill_processes(out, call, err);
    if (rc == XPD_OK)
        rc = fill_rows(out, call, err);
    if (rc == XPD_OK)
        rc = fill_clock_steps(out, call, steps, err);
    return rc == XPD_OK && ctx->arena->failed ? xpd_tools_no_memory(err) : rc;
}

static int rows(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct xpd_trace_call call;
    bool derived = xpd_param_int(ctx, &xpd_tool_trace_rows, "derived") != 0;
    int rc = xpd_tools_trace(ctx, derived ? XPD_WANT_DERIVED : 0, &call, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_trace_rows *out = XPD_NEW(ctx->arena, struct xpd_trace_rows);
    struct clock_steps *steps = XPD_NEW(ctx->arena, struct clock_steps);
    if (!out || !steps)
        return xpd_tools_no_memory(err);
    find_clock_steps(steps, &call.view);
    *answer = out;
    return fill(out, &call, steps, err);
}

static const struct xpd_param_spec params[] = {
    {.name = "derived",
     .type = XPD_PARAM_INT,
     .max = 1,
     .fallback = 1,
     .help = "1 (default): includes the derived rows, and makes them first; 0: measured rows only"},
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_rows = {
    .route = "/api/v1/trace/rows",
    .title = "Processes and rows of a host's events, or of all hosts, measured and derived.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_trace_rows_record,
    .make = rows,
    .file_name = "trace_rows.csv",
    XPD_IN_REPORT("", {135, XPD_EACH_HOST, "derived=0|1", "the rows of the trace"}),
};
