/* tag=framework_op_stats: framework operations of devices and of the host, with and without idle
 * time. */
#include "../opstats/framework.h"
#include "../opstats/opstats_record.h"
#include "compat_tables.h"

enum { MOST = 500 }; /* operations of devices, and of the host, that XProf shows */

struct row {
    double rank;
    struct xpd_str host_or_device, type, operation;
    struct xpd_ops_times times;
    double device_total_self_time_percent, device_cumulative_total_self_time_percent;
    double host_total_self_time_percent, host_cumulative_total_self_time_percent;
    struct xpd_ops_rates rates;
    double gpu_tensorcore_utilization;
    struct xpd_str eager;
};

/* clang-format off */
#define COLUMNS                                                                                    \
    XPD_COLUMN(struct row, rank, "Rank"),                                                          \
    XPD_COLUMN(struct row, host_or_device, "Host/device"),                                         \
    XPD_COLUMN(struct row, type, "Operation Type"),                                                \
    XPD_COLUMN(struct row, operation, "Operation Name"),                                           \
    XPD_COLUMN_AS(struct row, "occurrences", times.occurrences, "#Occurrences"),                   \
    XPD_COLUMN_AS(struct row, "total_time", times.total_us, "Total time (us)"),                    \
    XPD_COLUMN_AS(struct row, "avg_time", times.avg_us, "Avg. time (us)"),                         \
    XPD_COLUMN_AS(struct row, "total_self_time", times.self_us, "Total self-time (us)"),           \
    XPD_COLUMN_AS(struct row, "avg_self_time", times.avg_self_us, "Avg. self-time (us)"),          \
    XPD_COLUMN(struct row, device_total_self_time_percent, "Total self-time on Device (%)"),       \
    XPD_COLUMN(struct row, device_cumulative_total_self_time_percent,                              \
               "Cumulative total-self time on Device (%)"),                                        \
    XPD_COLUMN(struct row, host_total_self_time_percent, "Total self-time on Host (%)"),           \
    XPD_COLUMN_AS(struct row, "Host_cumulative_total_self_time_percent",                           \
                  host_cumulative_total_self_time_percent,                                         \
                  "Cumulative total-self time on Host (%)"),                                       \
    XPD_COLUMN_AS(struct row, "measured_flop_rate", rates.flop_rate,                               \
                  "Normalized FLOP Rate (FLOPs/s)"),                                               \
    XPD_COLUMN_AS(struct row, "model_flop_rate", rates.model_flop_rate,                            \
                  "Model FLOP Rate (GFLOP/s)"),                                                    \
    XPD_COLUMN_AS(struct row, "measured_memory_bw", rates.memory_bw,                               \
                  "Measured Memory BW (GBytes/Sec)"),                                              \
    XPD_COLUMN_AS(struct row, "operational_intensity", rates.intensity,                            \
                  "Operational Intensity (FLOPs/Byte)")
#define LAST_COLUMNS                                                                               \
    XPD_COLUMN_AS(struct row, "bound_by", rates.bound_by, "Bound by"),                             \
    XPD_COLUMN(struct row, eager, "Execution mode")
static const struct xpd_column columns[] = {COLUMNS, LAST_COLUMNS};
static const struct xpd_column gpu_columns[] = {
    COLUMNS,
    XPD_COLUMN(struct row, gpu_tensorcore_utilization, "GPU TensorCore utilization"),
    LAST_COLUMNS};
/* clang-format on */

struct job {
    const struct xpd_op_stats *stats;
    struct xpd_arena *arena;
    struct xpd_ops_db device; /* by framework operation */
};

static double tensor_core_share(const struct job *job, struct xpd_str op_name)
{
    struct xpd_ops_tensor_cores cores = xpd_ops_tensor_cores_of(job->stats, op_name);
    return xpd_ops_divide((double)cores.busy_ns, (double)cores.all_ns);
}

static bool is_training(const struct xpd_data_table *table)
{
    const struct row *row = table->row;
    for (uint32_t i = 0; i < table->row_count; i++)
        if (xpd_ops_is_gradient(row[i].operation, row[i].type))
            return true;
    return false;
}

/* ---- a table ---- */

static struct row row_of(const struct job *job, const struct xpd_ops_metrics *op, bool on_device)
{
    return (struct row){.host_or_device = on_device ? XPD_STR("Device") : XPD_STR("Host"),
                        .type = op->category,
                        .operation = op->name,
                        .times = xpd_ops_times_of(op),
                        .rates = xpd_ops_rates_of(op, job->stats),
                        .gpu_tensorcore_utilization =
                            on_device ? tensor_core_share(job, op->name) : 0,
                        .eager = op->eager ? XPD_STR("Eager") : XPD_STR("Function")};
}

static void add_rows(const struct job *job, struct xpd_data_table *table, struct row *row,
                     const struct xpd_ops_db *db, bool idle, bool on_device)
{
    uint32_t count;
    const struct xpd_ops_metrics **op = xpd_ops_sorted(db->at, db->count, MOST, &count, job->arena);
    double total_us = (double)(idle ? db->total_ps : db->total_op_ps) / 1e6, sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!idle && xpd_ops_is_idle(op[i]))
            continue;
        struct row *to = &row[table->row_count++];
        *to = row_of(job, op[i], on_device);
        double fraction = xpd_ops_divide(to->times.self_us, total_us);
        sum += fraction;
        to->rank = table->row_count;
        if (on_device) {
            to->device_total_self_time_percent = fraction;
            to->device_cumulative_total_self_time_percent = sum;
        } else {
            to->host_total_self_time_percent = fraction;
            to->host_cumulative_total_self_time_percent = sum;
        }
    }
}

static void fill(const struct job *job, struct xpd_data_table *table, bool idle)
{
    bool gpu = xpd_str_find(job->stats->device_type, XPD_STR("GPU"), false) != SIZE_MAX;
    struct row *row = XPD_NEW_ARRAY(job->arena, struct row, 2 * MOST);
    struct xpd_property *property = XPD_NEW_ARRAY(job->arena, struct xpd_property, 2);
    *table = (struct xpd_data_table){XPD_COLUMNS(columns), .row = row, .row_bytes = sizeof *row};
    if (gpu) {
        table->column = gpu_columns;
        table->column_count = sizeof gpu_columns / sizeof *gpu_columns;
    }
    if (!row || !property)
        return;
    add_rows(job, table, row, &job->device, idle, true);
    add_rows(job, table, row, &job->stats->host, idle, false);
    property[0] = (struct xpd_property){"architecture_type", XPD_STR("Unknown")};
    property[1] = (struct xpd_property){"task_type", is_training(table) ? XPD_STR("Training")
                                                                        : XPD_STR("Inference")};
    table->property = property;
    table->property_count = 2;
}

static int make(const struct xpd_tool_ctx *ctx, struct xpd_tables *out, struct xpd_err *err)
{
    struct job job = {.arena = ctx->arena};
    int rc = xpd_op_stats_of(ctx, &job.stats, err);
    if (rc != XPD_OK)
        return rc;
    xpd_ops_db_init(&job.device, job.arena);
    xpd_ops_by_framework(&job.device, job.stats);
    struct xpd_data_table *table = XPD_NEW_ARRAY(ctx->arena, struct xpd_data_table, 2);
    if (table) {
        fill(&job, &table[0], true);
        fill(&job, &table[1], false);
    }
    bool failed = job.device.failed;
    xpd_ops_db_fini(&job.device);
    *out = (struct xpd_tables){.table = table, .count = 2};
    return !table || failed || ctx->arena->failed ? xpd_no_memory(err, NULL, "for this answer")
                                                  : XPD_OK;
}

const struct xpd_table_tool xpd_table_framework_op_stats = {.tag = "framework_op_stats",
                                                            .make = make};
