/* /api/v1/trace/steps: the steps of every process and what its device did in each. */
#include "overlap_kept.h"
#include "trace_common.h"

#define STEPS_MAX 20000 /* of one answer, all processes together */

static void write_overlap(struct xpd_jsonw *w, uint32_t n, const struct xpd_overlap *at)
{
    XPD_COLUMN(w, "compute", n, xpd_json_i64(w, at[row].compute_ps));
    XPD_COLUMN(w, "overlapped_comm", n, xpd_json_i64(w, at[row].comm_overlapped_ps));
    XPD_COLUMN(w, "exposed_comm", n, xpd_json_i64(w, at[row].comm_exposed_ps));
    XPD_COLUMN(w, "overlapped_copy", n, xpd_json_i64(w, at[row].copy_overlapped_ps));
    XPD_COLUMN(w, "exposed_copy", n, xpd_json_i64(w, at[row].copy_exposed_ps));
    XPD_COLUMN(w, "idle", n, xpd_json_i64(w, at[row].idle_ps));
}

static void write(struct xpd_jsonw *w, const struct xpd_trace_call *call, uint32_t first,
                  uint32_t n, const struct xpd_overlap *overlap)
{
    const struct xpd_derived *derived = call->view.derived;
    const struct xpd_step *step = derived->step + first;
    xpd_json_obj(w);
    xpd_tools_base(w, call);
    xpd_json_ktext(w, "clock", "host");
    xpd_json_ku64(w, "n", n);
    xpd_json_ku64(w, "offset", first);
    xpd_json_ku64(w, "left_out", derived->step_count - n);
    XPD_COLUMN(w, "process", n, xpd_json_u64(w, step[row].process));
    XPD_COLUMN(w, "number", n, xpd_json_i64(w, step[row].number));
    XPD_COLUMN(w, "name", n, xpd_json_str(w, xpd_intern_get(&derived->names, step[row].name)));
    XPD_COLUMN(w, "event", n, xpd_json_u64(w, step[row].event));
    XPD_COLUMN(w, "start", n, xpd_json_i64(w, xpd_tools_at(call, step[row].start_ps)));
    XPD_COLUMN(w, "end", n, xpd_json_i64(w, xpd_tools_at(call, step[row].end_ps)));
    XPD_COLUMN(w, "device", n, xpd_json_i64(w, xpd_step_device_ps(&call->view, &step[row])));
    if (overlap)
        write_overlap(w, n, overlap);
    xpd_json_obj_end(w);
}

static int steps(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_trace_call call;
    struct xpd_overlap *overlap = NULL;
    int rc = xpd_tools_trace(ctx, XPD_WANT_DERIVED, &call, err);
    if (rc != XPD_OK)
        return rc;
    uint32_t count = call.view.derived->step_count;
    uint32_t first = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_steps, "offset");
    uint32_t limit = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_steps, "limit");
    first = first < count ? first : count;
    uint32_t n = count - first < limit ? count - first : limit;
    if (xpd_param_int(ctx, &xpd_tool_trace_steps, "overlap") != 0) {
        const struct xpd_overlap_table *table = NULL;
        overlap = XPD_NEW_ARRAY(ctx->arena, struct xpd_overlap, n);
        rc = overlap ? xpd_tools_trace_overlap(&table, &call, err) : xpd_tools_no_memory(err);
        if (rc == XPD_OK)
            rc = xpd_overlap_of(&call.view, table, first, n, overlap, err);
    }
    if (rc != XPD_OK)
        return rc;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    write(&w, &call, first, n, overlap);
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    {.name = "overlap",
     .type = XPD_PARAM_INT,
     .max = 1,
     .fallback = 1,
     .help = "1 (default): compute, communication, copies and idle time too; 0: steps only"},
    {.name = "offset", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "first step"},
    XPD_PARAM_LIMIT(STEPS_MAX, STEPS_MAX, "steps, default and at most 20,000"),
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_steps = {
    .route = "/api/v1/trace/steps",
    .title = "Steps of every process: compute, communication hidden or not, copies, idle time.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .run = steps,
};
