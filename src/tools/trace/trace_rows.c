/* /api/v1/trace/rows: processes and rows of a host, or of all, and where their clocks jump. */
#include "../program/explain_peaks.h"
#include "trace_common.h"
#include "xprofd/answer/write.h"

#define CLOCK_STEP_PS INT64_C(1000000000) /* 1 ms: less is the clocks' ordinary drift */
#define CLOCK_STEPS   200                 /* that are listed: the largest */

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

static void write_clock_steps(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                              const struct clock_steps *steps)
{
    uint32_t n = steps->count;
    xpd_json_key(w, "clock_steps");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    xpd_json_ku64(w, "left_out", steps->all - n);
    XPD_COLUMN(w, "row", n, xpd_json_u64(w, steps->at[row].row));
    XPD_COLUMN(w, "event", n, xpd_json_u64(w, steps->at[row].event));
    XPD_COLUMN(w, "at", n, xpd_json_i64(w, xpd_tools_at(call, steps->at[row].at_ps)));
    XPD_COLUMN(w, "extra", n, xpd_json_i64(w, steps->at[row].extra_ps));
    xpd_json_obj_end(w);
}

static void double_or_null(struct xpd_jsonw *w, double value)
{
    if (value > 0)
        xpd_json_double(w, value);
    else
        xpd_json_null(w);
}

static void write_processes(struct xpd_jsonw *w, const struct xpd_trace_call *call)
{
    const struct xpd_view *view = &call->view;
    const struct xpd_trace_process *all = view->trace->process;
    uint32_t n = view->trace->process_count;
    xpd_json_key(w, "processes");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "name", n, xpd_json_str(w, xpd_tools_plane_name(view, row)));
    XPD_COLUMN(w, "host", n, xpd_json_u64(w, xpd_tools_process_host(call, row)));
    XPD_COLUMN(w, "kind", n, xpd_json_text(w, xpd_tools_process_word(all[row].kind)));
    XPD_COLUMN(w, "device", n, xpd_json_i64(w, all[row].device));
    XPD_COLUMN(w, "first_row", n, xpd_json_u64(w, all[row].first_row));
    XPD_COLUMN(w, "row_count", n, xpd_json_u64(w, all[row].row_count));
    XPD_COLUMN(w, "event_count", n, xpd_json_u64(w, all[row].event_count));
    XPD_COLUMN(w, "computes", n, xpd_json_u64(w, xpd_trace_computes(view->trace, row)));
    XPD_COLUMN(w, "compute_unknown", n, xpd_json_text(w, xpd_trace_computes_not(view->trace, row)));
    XPD_COLUMN(w, "peak_flops", n, double_or_null(w, all[row].peak_flops_per_s));
    XPD_COLUMN(w, "peak_bytes", n, double_or_null(w, all[row].peak_bytes_per_s));
    xpd_json_obj_end(w);
}

static void write_rows(struct xpd_jsonw *w, const struct xpd_trace_call *call)
{
    const struct xpd_view *view = &call->view;
    uint32_t n = xpd_view_rows(view);
#define ROW xpd_view_row(view, row)
    xpd_json_key(w, "rows");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "row", n, xpd_json_u64(w, row));
    XPD_COLUMN(w, "process", n, xpd_json_u64(w, ROW->process));
    XPD_COLUMN(w, "host", n, xpd_json_u64(w, xpd_tools_process_host(call, ROW->process)));
    XPD_COLUMN(w, "id", n, xpd_json_i64_string(w, ROW->id));
    XPD_COLUMN(w, "caption", n, xpd_json_str(w, xpd_view_row_caption(view, row)));
    XPD_COLUMN(w, "kind", n, xpd_json_text(w, xpd_row_kind_word(ROW->kind)));
    XPD_COLUMN(w, "derived", n, xpd_json_i64(w, ROW->derived));
    XPD_COLUMN(w, "how", n, xpd_json_text(w, ROW->how));
    XPD_COLUMN(w, "depths", n, xpd_json_u64(w, ROW->depth_count));
    XPD_COLUMN(w, "events", n, xpd_json_u64(w, ROW->event_count));
    XPD_COLUMN(w, "first", n, xpd_json_i64(w, xpd_tools_at(call, ROW->first_ps)));
    XPD_COLUMN(w, "end", n, xpd_json_i64(w, xpd_tools_at(call, ROW->end_ps)));
    XPD_COLUMN(w, "busy", n, xpd_json_i64(w, ROW->busy_ps));
    XPD_COLUMN(w, "device_busy", n, xpd_json_i64(w, ROW->device_busy_ps));
    XPD_COLUMN(w, "device_clock", n, xpd_json_i64(w, ROW->has_device_clock));
    XPD_COLUMN(w, "overflow", n, xpd_json_u64(w, ROW->overflow_count));
    XPD_COLUMN(w, "cut", n, xpd_json_i64(w, ROW->cut));
    XPD_COLUMN(w, "hidden", n, xpd_json_i64(w, xpd_tools_row_hidden(view, row)));
    xpd_json_obj_end(w);
#undef ROW
}

/* Of the run's device, as Explain and the table of operations have them. */
static void write_peaks(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx)
{
    struct xpd_peaks peaks;
    bool known = xpd_explain_peaks(ctx, &peaks);
    xpd_json_key(w, "peaks");
    xpd_answer_put(w, xpd_peaks_record(), known ? &peaks : NULL);
    xpd_json_ktext(w, "device_type", ctx->run->device_type);
}

static void write(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                  const struct clock_steps *steps)
{
    const struct xpd_trace *trace = call->view.trace;
    xpd_json_obj(w);
    xpd_json_ktext(w, "host", xpd_tools_host_name(call));
    xpd_tools_hosts(w, call);
    xpd_tools_base(w, call);
    xpd_json_ki64(w, "first", xpd_tools_at(call, trace->first_ps));
    xpd_json_ki64(w, "end", xpd_tools_at(call, trace->end_ps));
    xpd_json_ku64(w, "event_count", trace->event_count);
    xpd_json_ku64(w, "hidden_count", trace->hidden_count);
    xpd_json_key(w, "profile_start_ns");
    if (trace->profile_start_ns > 0)
        xpd_json_i64_string(w, trace->profile_start_ns);
    else
        xpd_json_null(w);
    xpd_json_kbool(w, "derived", call->view.derived != NULL);
    write_peaks(w, call->ctx);
    write_processes(w, call);
    write_rows(w, call);
    write_clock_steps(w, call, steps);
    xpd_json_warnings(w, "warnings", &trace->warnings);
    xpd_json_warnings(w, "derived_warnings",
                      call->view.derived ? &call->view.derived->warnings : NULL);
    xpd_json_obj_end(w);
}

static int rows(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_trace_call call;
    bool derived = xpd_param_int(ctx, &xpd_tool_trace_rows, "derived") != 0;
    int rc = xpd_tools_trace(ctx, derived ? XPD_WANT_DERIVED : 0, &call, err);
    if (rc != XPD_OK)
        return rc;
    struct clock_steps *steps = XPD_NEW(ctx->arena, struct clock_steps);
    if (!steps)
        return xpd_tools_no_memory(err);
    find_clock_steps(steps, &call.view);
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    write(&w, &call, steps);
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    {.name = "derived",
     .type = XPD_PARAM_INT,
     .max = 1,
     .fallback = 1,
     .help = "1 (default) makes the derived rows first, 0 answers with the measured ones"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_rows = {
    .route = "/api/v1/trace/rows",
    .title = "Processes and rows of a host's events, or of all hosts, measured and derived.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .run = rows,
};
