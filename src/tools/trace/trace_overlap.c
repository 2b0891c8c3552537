/* /api/v1/trace/overlap: what each device did in a range of time: compute, communication and copies
 * hidden under it or not, nothing. */
#include "trace_common.h"
#include "xprofd/trace/overlap.h"

struct device {
    uint32_t process;
    struct xpd_overlap of;
};

static bool is_device(enum xpd_process_kind kind)
{
    return kind == XPD_PROCESS_TPU || kind == XPD_PROCESS_GPU;
}

static void write(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                  const struct xpd_time_range *range, const struct device *at, uint32_t n)
{
    const struct xpd_trace *trace = call->view.trace;
    xpd_json_obj(w);
    xpd_tools_base(w, call);
    xpd_json_ktext(w, "clock", "host");
    xpd_json_ki64(w, "from", xpd_tools_at(call, range->from_ps));
    xpd_json_ki64(w, "to", xpd_tools_at(call, range->to_ps));
    xpd_json_ktext(w, "host", xpd_tools_host_name(call));
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "process", n, xpd_json_u64(w, at[row].process));
    XPD_COLUMN(w, "name", n, xpd_json_str(w, xpd_tools_process_name(&call->view, at[row].process)));
    XPD_COLUMN(w, "device", n, xpd_json_i64(w, trace->process[at[row].process].device));
    XPD_COLUMN(w, "compute", n, xpd_json_i64(w, at[row].of.compute_ps));
    XPD_COLUMN(w, "overlapped_comm", n, xpd_json_i64(w, at[row].of.comm_overlapped_ps));
    XPD_COLUMN(w, "exposed_comm", n, xpd_json_i64(w, at[row].of.comm_exposed_ps));
    XPD_COLUMN(w, "overlapped_copy", n, xpd_json_i64(w, at[row].of.copy_overlapped_ps));
    XPD_COLUMN(w, "exposed_copy", n, xpd_json_i64(w, at[row].of.copy_exposed_ps));
    XPD_COLUMN(w, "idle", n, xpd_json_i64(w, at[row].of.idle_ps));
    xpd_json_obj_end(w);
}

static int overlap(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_trace_call call;
    struct xpd_time_range range;
    uint32_t n = 0;
    int rc = xpd_tools_trace(ctx, XPD_WANT_DERIVED, &call, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_range(&call, &range, err);
    if (rc != XPD_OK)
        return rc;
    const struct xpd_trace *trace = call.view.trace;
    struct device *at = XPD_NEW_ARRAY(ctx->arena, struct device, (size_t)trace->process_count + 1);
    if (!at)
        return xpd_tools_no_memory(err);
    for (uint32_t p = 0; p < trace->process_count && rc == XPD_OK; p++) {
        if (!is_device(trace->process[p].kind))
            continue;
        at[n].process = p;
        rc = xpd_overlap_in(&call.view, p, range, &at[n].of, err);
        n++;
    }
    if (rc != XPD_OK)
        return rc;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    write(&w, &call, &range, at, n);
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    XPD_TRACE_PARAM_FROM,
    XPD_TRACE_PARAM_TO,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_overlap = {
    .route = "/api/v1/trace/overlap",
    .title = "Compute, communication and copies, hidden or exposed, of each device in a range.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .run = overlap,
};
