/* /api/v1/trace/overlap: what each device did in a range of time: compute, communication and copies
 * hidden under it or not, nothing. */
#include "overlap_kept.h"
#include "xprofd/base/vec.h"

#include <stdlib.h>

#define COLLECTIVES_MAX 20000 /* rows of an answer */

struct device {
    uint32_t process;
    struct xpd_overlap of;
};

struct collective {
    uint32_t process;
    struct xpd_overlap_collective of;
};
struct collectives {
    XPD_VEC(struct collective) at;
};

/* Why there is no row at all: hosts stand for everything else that may be in the file. */
static const char *compute_unknown(const struct xpd_trace *trace)
{
    const char *why = "the trace has no process";
    for (uint32_t p = trace->process_count; p-- > 0;) {
        if (xpd_trace_computes(trace, p))
            return NULL;
        if (trace->process[p].kind == XPD_PROCESS_HOST || p == 0)
            why = xpd_trace_computes_not(trace, p);
    }
    return why;
}

static void write_head(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                       const struct xpd_time_range *range, uint32_t n)
{
    xpd_tools_base(w, call);
    xpd_json_ktext(w, "clock", "host");
    xpd_json_ki64(w, "from", xpd_tools_at(call, range->from_ps));
    xpd_json_ki64(w, "to", xpd_tools_at(call, range->to_ps));
    xpd_json_ktext(w, "host", xpd_tools_host_name(call));
    xpd_json_ku64(w, "n", n);
    xpd_json_ktext(w, "compute_unknown", compute_unknown(call->view.trace));
}

static void write_devices(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                          const struct xpd_time_range *range, const struct device *at, uint32_t n)
{
    const struct xpd_trace *trace = call->view.trace;
    xpd_json_obj(w);
    write_head(w, call, range, n);
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

/* One row a device. */
static int by_device(const struct xpd_trace_call *call, const struct xpd_overlap_table *table,
                     const struct xpd_time_range *range, struct xpd_tool_result *out,
                     struct xpd_err *err)
{
    const struct xpd_trace *trace = call->view.trace;
    struct device *at = XPD_NEW_ARRAY(call->ctx->arena, struct device, trace->process_count);
    struct xpd_jsonw w;
    uint32_t n = 0;
    int rc = at ? XPD_OK : xpd_tools_no_memory(err);
    for (uint32_t p = 0; p < trace->process_count && rc == XPD_OK; p++) {
        if (!xpd_trace_computes(trace, p))
            continue;
        at[n].process = p;
        rc = xpd_overlap_in(&call->view, table, p, *range, &at[n].of, err);
        n++;
    }
    if (rc != XPD_OK)
        return rc;
    xpd_jsonw_init(&w, &out->body);
    write_devices(&w, call, range, at, n);
    return XPD_OK;
}

static int by_exposed(const void *a, const void *b)
{
    const struct collective *x = a, *y = b;
    if (x->of.exposed_ps != y->of.exposed_ps)
        return x->of.exposed_ps < y->of.exposed_ps ? 1 : -1;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return (x->of.name > y->of.name) - (x->of.name < y->of.name);
}

static int collect(struct collectives *all, const struct xpd_trace_call *call,
                   const struct xpd_overlap_table *table, const struct xpd_time_range *range,
                   struct xpd_err *err)
{
    const struct xpd_trace *trace = call->view.trace;
    int rc = XPD_OK;
    for (uint32_t p = 0; p < trace->process_count && rc == XPD_OK; p++) {
        struct xpd_overlap_collective *of = NULL;
        uint32_t n = 0;
        if (xpd_trace_computes(trace, p))
            rc = xpd_overlap_collectives(&call->view, table, p, *range, &of, &n, err);
        for (uint32_t i = 0; i < n; i++) {
            struct collective one = {p, of[i]};
            XPD_PUSH(&all->at, one);
        }
        free(of);
    }
    if (rc == XPD_OK && all->at.failed)
        rc = xpd_tools_no_memory(err);
    if (rc == XPD_OK && all->at.count > 1)
        qsort(all->at.at, all->at.count, sizeof *all->at.at, by_exposed);
    return rc;
}

/* One row a collective of a device, most exposed first. */
static int by_collective(const struct xpd_trace_call *call, const struct xpd_overlap_table *table,
                         const struct xpd_time_range *range, struct xpd_tool_result *out,
                         struct xpd_err *err)
{
    const struct xpd_trace *trace = call->view.trace;
    struct collectives all = {0};
    int rc = collect(&all, call, table, range, err);
    const struct collective *at = all.at.at;
    uint32_t limit = (uint32_t)xpd_param_int(call->ctx, &xpd_tool_trace_overlap, "limit");
    uint32_t n = all.at.count < limit ? (uint32_t)all.at.count : limit;
    struct xpd_jsonw json, *w = &json;
    xpd_jsonw_init(w, &out->body);
    if (rc == XPD_OK) {
        xpd_json_obj(w);
        write_head(w, call, range, n);
        xpd_json_ku64(w, "left_out", all.at.count - n);
        XPD_COLUMN(w, "process", n, xpd_json_u64(w, at[row].process));
        XPD_COLUMN(w, "name", n, xpd_json_str(w, xpd_view_caption(&call->view, at[row].of.name)));
        XPD_COLUMN(w, "device", n, xpd_json_i64(w, trace->process[at[row].process].device));
        XPD_COLUMN(w, "count", n, xpd_json_u64(w, at[row].of.count));
        XPD_COLUMN(w, "total", n, xpd_json_i64(w, at[row].of.total_ps));
        XPD_COLUMN(w, "exposed", n, xpd_json_i64(w, at[row].of.exposed_ps));
        XPD_COLUMN(w, "most_exposed", n, xpd_json_i64(w, at[row].of.most_ps));
        xpd_json_obj_end(w);
    }
    XPD_VEC_FINI(&all.at);
    return rc;
}

static int overlap(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_trace_call call;
    struct xpd_time_range range;
    const struct xpd_overlap_table *table;
    int rc = xpd_tools_trace(ctx, XPD_WANT_DERIVED, &call, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_range(&call, &range, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_overlap(&table, &call, err);
    if (rc != XPD_OK)
        return rc;
    bool each = xpd_str_eq(xpd_param_text(ctx, "by"), XPD_STR("collective"));
    return each ? by_collective(&call, table, &range, out, err)
                : by_device(&call, table, &range, out, err);
}

static const struct xpd_param_spec params[] = {
    XPD_TRACE_PARAM_FROM,
    XPD_TRACE_PARAM_TO,
    {.name = "by",
     .type = XPD_PARAM_ENUM,
     .words = "device collective",
     .help = "collective: each by itself; default device"},
    XPD_PARAM_LIMIT(COLLECTIVES_MAX, COLLECTIVES_MAX, "collectives"),
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_overlap = {
    .route = "/api/v1/trace/overlap",
    .title = "Compute, communication and copies, hidden or exposed, of each device in a range.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .run = overlap,
};
