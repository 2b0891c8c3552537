/* tag=roofline_model: rates of the operations against the peaks of the device; of the whole
 * profile, of the steps on average, and of each step; each with and without infeed and outfeed. */
#include "../opstats/opstats_record.h"
#include "../opstats/opstats_step_ops.h"
#include "compat_tables.h"
#include "xprofd/hlo/module.h"

#include <stdlib.h>

enum { MOST = 1000 }; /* operations that XProf shows */

struct row {
    struct xpd_str step;
    double rank;
    struct xpd_str category, operation;
    struct xpd_ops_times times;
    double total_self_time_percent, cumulative_total_self_time_percent, dma_stall_percent;
    struct xpd_ops_rates rates;
    double total_time_per_core, total_time_in_percentage, optimal_flop_rate, roofline_efficiency,
        compute_efficiency, max_mem_bw_utilization;
    bool include_infeed_outfeed;
    struct xpd_str hlo_module_id, source_info;
};

/* clang-format off */
#define FIRST                                                                                      \
    XPD_COLUMN(struct row, step, "Step"),                                                          \
    XPD_COLUMN(struct row, rank, "Rank"),                                                          \
    XPD_COLUMN(struct row, category, "Category"),                                                  \
    XPD_COLUMN(struct row, operation, "Operation"),                                                \
    XPD_COLUMN_AS(struct row, "occurrences", times.occurrences, "# Occurrences"),                  \
    XPD_COLUMN_AS(struct row, "total_time", times.total_us, "Total Time (us)"),                    \
    XPD_COLUMN_AS(struct row, "avg_time", times.avg_us, "Avg. time (us)"),                         \
    XPD_COLUMN_AS(struct row, "total_self_time", times.self_us, "Total self time (us)"),           \
    XPD_COLUMN_AS(struct row, "avg_self_time", times.avg_self_us, "Avg. self time (us)"),          \
    XPD_COLUMN(struct row, total_self_time_percent, "Total self time (%)"),                        \
    XPD_COLUMN(struct row, cumulative_total_self_time_percent, "Cumulative total self time (%)")
#define RATES                                                                                      \
    XPD_COLUMN_AS(struct row, "measured_flop_rate", rates.flop_rate,                               \
                  "Normalized FLOP Rate (GFLOP/s)"),                                               \
    XPD_COLUMN_AS(struct row, "model_flop_rate", rates.model_flop_rate,                            \
                  "Model FLOP Rate (GFLOP/s)"),                                                    \
    XPD_COLUMN_AS(struct row, "measured_memory_bw", rates.memory_bw, "Memory BW (GiB/s)"),         \
    XPD_COLUMN_AS(struct row, "hbm_bw", rates.hbm_bw, "HBM BW (GiB/s)")
#define INTENSITY                                                                                  \
    XPD_COLUMN_AS(struct row, "operational_intensity", rates.intensity,                            \
                  "Operational Intensity (FLOP/Byte)"),                                            \
    XPD_COLUMN_AS(struct row, "hbm_operational_intensity", rates.hbm_intensity,                    \
                  "HBM Operational Intensity (FLOP/Byte)")
#define LAST                                                                                       \
    XPD_COLUMN_AS(struct row, "bottleneck_operational_intensity", rates.bottleneck_intensity,      \
                  "Bottleneck Operational Intensity (FLOP/Byte)"),                                 \
    XPD_COLUMN_AS(struct row, "bound_by", rates.bound_by, "Bound by"),                             \
    XPD_COLUMN(struct row, total_time_per_core, "Total Time per core (us)"),                       \
    XPD_COLUMN(struct row, total_time_in_percentage, "Total Time (%)"),                            \
    XPD_COLUMN(struct row, optimal_flop_rate, "Optimal FLOP Rate (GFLOP/s)"),                      \
    XPD_COLUMN(struct row, roofline_efficiency, "Roofline efficiency (%)"),                        \
    XPD_COLUMN(struct row, compute_efficiency, "FLOP Rate / Peak (%)"),                            \
    XPD_COLUMN(struct row, max_mem_bw_utilization,                                                 \
               "Max memory BW utilization (among supported memories) (%)"),                        \
    XPD_COLUMN(struct row, include_infeed_outfeed, "Include Infeed/Outfeed"),                      \
    XPD_COLUMN(struct row, hlo_module_id, "Program ID"),                                           \
    XPD_COLUMN(struct row, source_info, "Source Info")
#define BW(place, id, label) XPD_COLUMN_AS(struct row, id, rates.bw[place], label)
#define OI(place, id, label) XPD_COLUMN_AS(struct row, id, rates.on_chip_intensity[place], label)

static const struct xpd_column columns[] = {
    FIRST,
    XPD_COLUMN(struct row, dma_stall_percent, "%time stalled by DMA"),
    RATES,
    BW(XPD_OPS_CMEM_READ, "cmem_read_bw", "CMEM Read BW (GiB/s)"),
    BW(XPD_OPS_CMEM_WRITE, "cmem_write_bw", "CMEM Write BW (GiB/s)"),
    BW(XPD_OPS_VMEM_READ, "vmem_read_bw", "VMEM Read BW (GiB/s)"),
    BW(XPD_OPS_VMEM_WRITE, "vmem_write_bw", "VMEM Write BW (GiB/s)"),
    INTENSITY,
    OI(XPD_OPS_CMEM_READ, "cmem_read_operational_intensity", "CMEM Read Operational Intensity (FLOP/Byte)"),
    OI(XPD_OPS_CMEM_WRITE, "cmem_write_operational_intensity", "CMEM Write Operational Intensity (FLOP/Byte)"),
    OI(XPD_OPS_VMEM_READ, "vmem_read_operational_intensity", "VMEM Read Operational Intensity (FLOP/Byte)"),
    OI(XPD_OPS_VMEM_WRITE, "vmem_write_operational_intensity", "VMEM Write Operational Intensity (FLOP/Byte)"),
    LAST};
static const struct xpd_column gpu_columns[] = {
    FIRST, RATES,
    BW(XPD_OPS_VMEM_WRITE, "vmem_write_bw", "SHM/L1 BW (GiB/s)"),
    INTENSITY,
    OI(XPD_OPS_VMEM_WRITE, "vmem_write_operational_intensity", "SHM/L1 Operational Intensity (FLOP/Byte)"),
    LAST};
/* clang-format on */

struct diagnostic {
    struct xpd_str severity, message;
};
static const struct xpd_column diagnostic_columns[] = {
    XPD_COLUMN(struct diagnostic, severity, "Severity"),
    XPD_COLUMN(struct diagnostic, message, "Message")};

/* ---- peaks of the device ---- */

struct device { /* GFLOP/s and GiB/s */
    double flop_rate, hbm_bw, bw[XPD_OPS_ON_CHIP], time_scale;
    bool cmem, vmem;
};

static double gib(const struct xpd_op_stats *stats, uint32_t place)
{
    return (stats->peaks.count > place ? stats->peaks.gb_per_s[place] : 0) / XPD_OPS_GIBI;
}

static struct device device_of(const struct xpd_op_stats *stats)
{
    struct device d = {0};
    if (stats->hardware != XPD_OPS_GPU && stats->hardware != XPD_OPS_TPU)
        return d;
    d.flop_rate = stats->peaks.tflops * 1000.0;
    d.hbm_bw = gib(stats, XPD_BW_HBM);
    d.time_scale =
        xpd_ops_divide((double)stats->device.normalized_op_ps, (double)stats->device.total_op_ps);
    d.cmem = stats->peaks.has_cmem;
    d.vmem = stats->hardware == XPD_OPS_GPU || stats->peaks.has_merged_vmem;
    if (stats->hardware == XPD_OPS_GPU) {
        d.bw[XPD_OPS_VMEM_READ] = gib(stats, XPD_BW_SRAM_RD);
        d.bw[XPD_OPS_VMEM_WRITE] = gib(stats, XPD_BW_SRAM_WR);
    } else if (d.cmem || d.vmem) {
        int at = d.cmem ? XPD_OPS_CMEM_READ : XPD_OPS_VMEM_READ;
        d.bw[at] = gib(stats, d.cmem ? XPD_BW_CMEM_RD : XPD_BW_VMEM_RD);
        d.bw[at + 1] = gib(stats, d.cmem ? XPD_BW_CMEM_WR : XPD_BW_VMEM_WR);
    }
    return d;
}

/* ---- rows ---- */

struct job {
    const struct xpd_op_stats *stats;
    struct xpd_ops_steps steps;
    struct xpd_arena *arena;
    struct device device;
    struct row *row;
    uint32_t count;
    /* of the set that is made: */
    struct xpd_str step;
    bool with_feeds, average;
};

static double larger(double a, double b)
{
    return a < b ? b : a;
}

static double memory_share(const struct job *job, const struct xpd_ops_rates *rates)
{
    const struct device *d = &job->device;
    double most = xpd_ops_divide(rates->hbm_bw, d->hbm_bw);
    for (int i = 0; i < XPD_OPS_ON_CHIP; i++)
        if (i < XPD_OPS_VMEM_READ ? d->cmem : d->vmem)
            most = larger(most, xpd_ops_divide(rates->bw[i], d->bw[i]));
    return most;
}

/* If unknown: the name, if it is an opcode. */
static struct xpd_str category_of(const struct xpd_ops_metrics *op)
{
    if (op->category.size > 0)
        return op->category;
    return xpd_hlo_is_opcode(op->name) ? op->name : XPD_STR("unknown");
}

static struct row *add(struct job *job, const struct xpd_ops_metrics *op, uint64_t total_ps)
{
    struct row *row = &job->row[job->count++];
    *row = (struct row){.step = job->step,
                        .category = category_of(op),
                        .operation = op->name,
                        .times = xpd_ops_times_of(op),
                        .rates = xpd_ops_rates_of(op, job->stats),
                        .include_infeed_outfeed = job->with_feeds,
                        .hlo_module_id = xpd_ops_u64_text(job->arena, op->program_id),
                        .source_info = xpd_ops_source_cell(job->arena, op)};
    if (job->average) {
        row->times.total_us = xpd_ops_divide(row->times.total_us, job->steps.count);
        row->times.self_us = xpd_ops_divide(row->times.self_us, job->steps.count);
    }
    row->total_time_per_core = xpd_ops_divide(row->times.total_us, job->stats->core_count);
    row->total_time_in_percentage = xpd_ops_divide((double)op->time_ps, (double)total_ps);
    row->dma_stall_percent = xpd_ops_divide((double)op->dma_stall_ps, (double)op->time_ps);
    row->compute_efficiency = xpd_ops_divide(row->rates.flop_rate, job->device.flop_rate);
    row->max_mem_bw_utilization = memory_share(job, &row->rates);
    row->roofline_efficiency = larger(row->max_mem_bw_utilization, row->compute_efficiency);
    row->optimal_flop_rate = xpd_ops_divide(row->rates.flop_rate, row->roofline_efficiency);
    return row;
}

/* The program as a whole: the innermost operations together, in all the time. */
static void add_program(struct job *job, const struct xpd_ops_db *db)
{
    struct xpd_ops_metrics all = {
        .name = XPD_STR("Program"), .category = XPD_STR("Program"), .occurrences = 1};
    uint64_t feed_ps = 0;
    for (uint32_t i = 0; i < db->count; i++) {
        const struct xpd_ops_metrics *op = &db->at[i];
        if (xpd_ops_may_hold(op))
            continue;
        if (!job->with_feeds && xpd_ops_is_feed(op)) {
            feed_ps += op->time_ps;
            continue;
        }
        all.flops_v2 += op->flops_v2;
        all.model_flops_v2 += op->model_flops_v2;
        all.bytes += op->bytes;
        xpd_ops_add_access(job->arena, &all.access, &all.access_count, op->access, op->access_count,
                           1);
    }
    all.time_ps = db->total_ps - feed_ps;
    add(job, &all, all.time_ps);
}

static void add_operations(struct job *job, const struct xpd_ops_db *db)
{
    uint64_t total_ps = db->total_ps;
    for (uint32_t i = 0; !job->with_feeds && i < db->count; i++)
        total_ps -= xpd_ops_is_feed(&db->at[i]) ? db->at[i].time_ps : 0;
    uint32_t count, rank = 0;
    double total_us = (double)total_ps / 1e6, sum = 0;
    const struct xpd_ops_metrics **op = xpd_ops_sorted(db->at, db->count, MOST, &count, job->arena);
    for (uint32_t i = 0; i < count; i++) {
        if (op[i]->occurrences == 0 || (!job->with_feeds && xpd_ops_is_feed(op[i])))
            continue;
        struct row *row = add(job, op[i], total_ps);
        row->rank = ++rank;
        row->total_self_time_percent = xpd_ops_divide(row->times.self_us, total_us);
        sum += row->total_self_time_percent;
        row->cumulative_total_self_time_percent = sum;
    }
}

static void add_set(struct job *job, bool with_feeds)
{
    const struct xpd_op_stats *stats = job->stats;
    job->with_feeds = with_feeds;
    job->step = XPD_STR("Total");
    add_program(job, &stats->device);
    add_operations(job, &stats->device);
    if (stats->has_complete) {
        job->step = XPD_STR("Average");
        job->average = true;
        add_program(job, &job->steps.all);
        job->average = false;
    }
    for (uint32_t i = 0; i < job->steps.count; i++) {
        job->step = xpd_ops_u64_text(job->arena, job->steps.at[i].number);
        add_program(job, &job->steps.at[i].ops);
    }
}

/* ---- the table ---- */

static struct xpd_str six_digits(struct job *job, double value)
{
    const char *text = xpd_arena_printf(job->arena, "%.6g", value);
    return xpd_str_of(text ? text : "");
}

static double ridge(const struct device *d, double bw)
{
    return xpd_ops_divide(d->flop_rate, bw * XPD_OPS_GIBI);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct xpd_property *)a)->name, ((const struct xpd_property *)b)->name);
}

static void put(struct xpd_data_table *table, struct xpd_property *list, const char *name,
                struct xpd_str value)
{
    list[table->property_count++] = (struct xpd_property){name, value};
}

static void fill_properties(struct job *job, struct xpd_data_table *table, bool gpu)
{
    static const char *const peak[] = {"peak_cmem_read_bw", "peak_cmem_write_bw",
                                       "peak_vmem_read_bw", "peak_vmem_write_bw"};
    static const char *const point[] = {"cmem_read_ridge_point", "cmem_write_ridge_point",
                                        "vmem_read_ridge_point", "vmem_write_ridge_point"};
    const struct device *d = &job->device;
    bool known = job->stats->hardware == XPD_OPS_GPU || job->stats->hardware == XPD_OPS_TPU;
    struct xpd_property *list = XPD_NEW_ARRAY(job->arena, struct xpd_property, 24);
    if (!list)
        return;
    put(table, list, "device_type", known ? job->stats->device_type : XPD_STR(""));
    put(table, list, "peak_flop_rate", six_digits(job, d->flop_rate));
    put(table, list, "peak_hbm_bw", six_digits(job, d->hbm_bw));
    put(table, list, "hbm_ridge_point", six_digits(job, ridge(d, d->hbm_bw)));
    for (int i = gpu ? XPD_OPS_VMEM_WRITE : 0; i < XPD_OPS_ON_CHIP; i++) {
        put(table, list, peak[i], six_digits(job, d->bw[i]));
        put(table, list, point[i], six_digits(job, ridge(d, d->bw[i])));
    }
    if (!gpu) {
        bool tpu = job->stats->hardware == XPD_OPS_TPU;
        put(table, list, "megacore", six_digits(job, tpu && job->stats->peaks.has_megacore));
        put(table, list, "has_cmem", six_digits(job, d->cmem));
        put(table, list, "has_merged_vmem", six_digits(job, d->vmem));
        put(table, list, "time_scale_multiplier", six_digits(job, d->time_scale));
    }
    qsort(list, table->property_count, sizeof *list, by_name);
    table->property = list;
}

static void fill_diagnostics(struct job *job, struct xpd_data_table *table)
{
    struct diagnostic *row = XPD_NEW(job->arena, struct diagnostic);
    *table = (struct xpd_data_table){XPD_COLUMNS(diagnostic_columns), .row_bytes = sizeof *row};
    if (!row || !job->steps.warning)
        return;
    *row = (struct diagnostic){XPD_STR("WARNING"), xpd_str_of(job->steps.warning)};
    table->row = row;
    table->row_count = 1;
}

static uint32_t most_rows(const struct job *job)
{
    uint32_t ops = job->stats->device.count;
    return 2 * ((ops < MOST ? ops : MOST) + 2 + job->steps.count);
}

static int make(const struct xpd_tool_ctx *ctx, struct xpd_tables *out, struct xpd_err *err)
{
    struct job job = {.arena = ctx->arena};
    int rc = xpd_op_stats_of(ctx, &job.stats, err);
    if (rc != XPD_OK)
        return rc;
    bool known = job.stats->hardware == XPD_OPS_GPU || job.stats->hardware == XPD_OPS_TPU;
    if (known)
        rc = xpd_ops_steps_of(ctx, &job.steps, err);
    if (rc != XPD_OK)
        return rc;
    bool gpu = known && xpd_str_find(job.stats->device_type, XPD_STR("GPU"), false) != SIZE_MAX;
    struct xpd_data_table *table = XPD_NEW_ARRAY(ctx->arena, struct xpd_data_table, 2);
    job.row = XPD_NEW_ARRAY(ctx->arena, struct row, most_rows(&job));
    job.device = device_of(job.stats);
    if (!table || !job.row)
        return xpd_no_memory(err, NULL, "for this answer");
    if (known) {
        add_set(&job, true);
        add_set(&job, false);
    }
    table[0] = (struct xpd_data_table){XPD_COLUMNS(columns), .row = job.row,
                                       .row_bytes = sizeof *job.row, .row_count = job.count};
    if (gpu) {
        table[0].column = gpu_columns;
        table[0].column_count = sizeof gpu_columns / sizeof *gpu_columns;
    }
    fill_properties(&job, &table[0], gpu);
    fill_diagnostics(&job, &table[1]);
    *out = (struct xpd_tables){.table = table, .count = 2};
    return ctx->arena->failed ? xpd_no_memory(err, NULL, "for this answer") : XPD_OK;
}

const struct xpd_table_tool xpd_table_roofline_model = {.tag = "roofline_model", .make = make};
