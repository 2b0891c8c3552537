/* tag=megascale_stats: traffic between slices. Where a profile holds some, the answer is a refusal
 * with the reason, never an empty table that would say there is none. */
#include "../opstats/file_events.h"
#include "compat_tables.h"

/* Some event of the hosts in question has a name that begins so, on a plane that begins so. */
struct looked_for {
    const char *plane, *const *prefix; /* ends with NULL */
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
        if (rc == XPD_OK && found_in(host.trace, what))
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
    return refuse_if(ctx, &(struct looked_for){"/host:CPU", prefix}, "megascale_stats",
                     "traffic between slices (MegaScale events)", err);
}

const struct xpd_table_tool xpd_table_megascale_stats = {.tag = "megascale_stats",
                                                         .make = megascale};
