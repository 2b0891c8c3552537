/* Tools that have something to say of few profiles: traffic between slices (megascale_stats),
 * requests of a model server (inference_profile). Where a profile holds what they tell of, the
 * answer is a refusal with the reason, never an empty table that would say there is none. */
#include "../opstats/file_events.h"
#include "../opstats/opstats_walk.h"
#include "compat_tables.h"

/* Some event of the hosts in question has a name that begins so, on a plane that begins so. */
struct looked_for {
    const char *plane, *const *prefix; /* ends with NULL */
    bool roots; /* or an event of the plane says that it is a request (_r = -1) */
};

static bool found_in(const struct xpd_trace *trace, const struct looked_for *what)
{
    for (uint32_t i = 0; i < trace->name_count; i++) {
        const struct xpd_event_name *name = &trace->name[i];
        if (name->plane == XPD_NO_INDEX ||
            !xpd_str_starts(
                xpd_intern_get(&trace->space->names, trace->space->plane[name->plane].name),
                what->plane))
            continue;
        for (const char *const *prefix = what->prefix; *prefix; prefix++)
            if (xpd_str_starts(xpd_intern_get(&trace->names, name->name), *prefix))
                return true;
    }
    return false;
}

static bool is_no_request(void *user, const struct xpd_ops_event *event)
{
    bool *found = user;
    return !(*found = event->stat[0].field && xpd_ops_int(&event->stat[0]) == -1);
}

/* Some event of the plane begins a request, as programs mark them: _r = -1. */
static int find_request(const struct xpd_trace *trace, const char *plane, bool *found,
                        struct xpd_err *err)
{
    static const char *const root[] = {"_r"};
    struct xpd_ops_walk walk;
    const struct xpd_xspace *space = trace->space;
    uint64_t id;
    int rc = xpd_ops_walk_init(&walk, trace, err);
    if (rc != XPD_OK)
        return rc;
    for (uint32_t p = 0; !*found && p < space->plane_count; p++) {
        if (!xpd_str_eq(xpd_intern_get(&space->names, space->plane[p].name), xpd_str_of(plane)) ||
            !xpd_plane_stat_id(&trace->tables[p], &trace->names, xpd_str_of(root[0]), &id))
            continue;
        xpd_ops_walk_plane(&walk, p, root, 1);
        for (uint32_t l = 0; !*found && l < space->plane[p].line_count; l++)
            xpd_ops_walk_line(&walk, &space->plane[p].line[l], is_no_request, found);
    }
    xpd_ops_walk_fini(&walk);
    return XPD_OK;
}

/* XPD_EINVAL where the tool would have something to say. */
static int refuse_if(const struct xpd_tool_ctx *ctx, const struct looked_for *what,
                     const char *tool, const char *of, struct xpd_err *err)
{
    uint32_t first, end;
    int rc = xpd_file_hosts_meant(ctx, &first, &end, err);
    for (uint32_t i = first; rc == XPD_OK && i < end; i++) {
        struct xpd_file_host host;
        if (!xpd_host_has_events(&ctx->run->host[i]))
            continue;
        rc = xpd_file_host_open(ctx, i, &host, err);
        bool found = rc == XPD_OK && found_in(host.trace, what);
        if (rc == XPD_OK && !found && what->roots)
            rc = find_request(host.trace, what->plane, &found, err);
        if (rc == XPD_OK && found)
            rc = xpd_fail(err, XPD_EINVAL, "tag", XPD_NO_OFFSET,
                          "%s of a profile with %s is not computed by xprofd", tool, of);
    }
    return rc;
}

/* ---- megascale_stats ---- */

struct transfer {
    double slack_ms, observed_ms, send_ms, send_done_ms, recv_ms, recv_done_ms, stall_ms, total_ms,
        occurrences, bytes, gbps;
    struct xpd_str rendezvous, recv_op, send_op, type, host_stall;
};

static const struct xpd_column transfer_columns[] = {
    XPD_COLUMN_AS(struct transfer, "rendezvous_name", rendezvous, "Rendezvous Name"),
    XPD_COLUMN_AS(struct transfer, "recv_op_name", recv_op, "Recv Op Name"),
    XPD_COLUMN_AS(struct transfer, "send_op_name", send_op, "Send Op Name"),
    XPD_COLUMN_AS(struct transfer, "transfer_type", type, "Transfer Type"),
    XPD_COLUMN_AS(struct transfer, "slack_time", slack_ms, "Slack Time (ms)"),
    XPD_COLUMN_AS(struct transfer, "host_stall", host_stall, "Host Stall (ms)"),
    XPD_COLUMN_AS(struct transfer, "observed_duration", observed_ms, "Observed Duration (ms)"),
    XPD_COLUMN_AS(struct transfer, "send_stall", send_ms, "Send Stall (ms)"),
    XPD_COLUMN_AS(struct transfer, "send_done_stall", send_done_ms, "SendDone Stall (ms)"),
    XPD_COLUMN_AS(struct transfer, "recv_stall", recv_ms, "Recv Stall (ms)"),
    XPD_COLUMN_AS(struct transfer, "recv_done_stall", recv_done_ms, "RecvDone Stall (ms)"),
    XPD_COLUMN_AS(struct transfer, "stall_duration", stall_ms, "Stall Duration (ms)"),
    XPD_COLUMN_AS(struct transfer, "total_stall", total_ms, "Aggregated Total Stall (ms)"),
    XPD_COLUMN(struct transfer, occurrences, "Occurrences"),
    XPD_COLUMN_AS(struct transfer, "net_tx_bytes", bytes, "Data Transmitted Size"),
    XPD_COLUMN_AS(struct transfer, "required_bandwidth", gbps, "Required Bandwidth (Gbps)"),
};

static int megascale(const struct xpd_tool_ctx *ctx, struct xpd_tables *out, struct xpd_err *err)
{
    static const char *const prefix[] = {"MegaScale:", NULL};
    static const struct xpd_data_table table = {XPD_COLUMNS(transfer_columns)};
    *out = (struct xpd_tables){.table = &table, .count = 1};
    return refuse_if(ctx, &(struct looked_for){"/host:CPU", prefix, false}, "megascale_stats",
                     "traffic between slices (MegaScale events)", err);
}

const struct xpd_table_tool xpd_table_megascale_stats = {.tag = "megascale_stats",
                                                         .make = megascale};

/* ---- inference_profile ---- */

struct latency {
    double latency_ms, preprocess_ms, runtime_ms, to_device_ms, to_host_ms, compute_ms,
        postprocess_ms, idle_ms;
    struct xpd_str percentile, request, url;
};

static const struct xpd_column model_columns[] = {
    XPD_COLUMN_AS(struct latency, "model_name", percentile, "Model Name"),
};
static const struct xpd_column latency_columns[] = {
    XPD_COLUMN(struct latency, percentile, "Percentile"),
    XPD_COLUMN_AS(struct latency, "request_id", request, "Request ID"),
    XPD_COLUMN(struct latency, latency_ms, "Latency"),
    XPD_COLUMN_AS(struct latency, "host_preprocessing", preprocess_ms, "Host preprocess"),
    XPD_COLUMN_AS(struct latency, "host_runtime", runtime_ms, "Host runtime"),
    XPD_COLUMN_AS(struct latency, "data_transfer_h2d", to_device_ms, "Data transfer H2D"),
    XPD_COLUMN_AS(struct latency, "data_transfer_d2h", to_host_ms, "Data transfer D2H"),
    XPD_COLUMN_AS(struct latency, "device_compute", compute_ms, "Device compute"),
    XPD_COLUMN_AS(struct latency, "host_postprocess", postprocess_ms, "Host postprocess"),
    XPD_COLUMN_AS(struct latency, "idle time", idle_ms, "Idle time"),
    XPD_COLUMN_AS(struct latency, "trace_viewer_url", url, "Trace Viewer URL"),
};

/* One row of averages of nothing, as XProf has it. */
static int inference(const struct xpd_tool_ctx *ctx, struct xpd_tables *out, struct xpd_err *err)
{
    static const char *const prefix[] = {
        "SessionRun",         "TfrtModelRun", "ServingModelRun",     "ProcessBatch",
        "BatchingSessionRun", "RunGraph",     "ModelServerRequest_", NULL};
    static const struct xpd_property of_models[] = {{"hasBatching", {"false", 5}},
                                                    {"hasTensorPattern", {"false", 5}}};
    static const struct xpd_property of_all[] = {{"averageLatencyMs", {"0.000", 5}},
                                                 {"throughput", {"0.0", 3}}};
    static const struct latency models = {.percentile = {"ALL", 3}};
    static const struct latency average = {
        .percentile = {"Average", 7}, .request = {"N/A", 3}, .url = {"", 0}};
    static const struct xpd_data_table tables[] = {
        {XPD_COLUMNS(model_columns), .row = &models, .row_bytes = sizeof models, .row_count = 1,
         .property = of_models, .property_count = 2},
        {XPD_COLUMNS(latency_columns), .row = &average, .row_bytes = sizeof average, .row_count = 1,
         .property = of_all, .property_count = 2}};
    *out = (struct xpd_tables){.table = tables, .count = 2};
    return refuse_if(ctx, &(struct looked_for){"/host:CPU", prefix, true}, "inference_profile",
                     "requests of a model server", err);
}

const struct xpd_table_tool xpd_table_inference_profile = {.tag = "inference_profile",
                                                           .make = inference};
