/* tag=hlo_stats: the operations of the devices, longest self time first. */
#include "../opstats/opstats_record.h"
#include "compat_tables.h"

struct row {
    double rank;
    struct xpd_str program_id, category, hlo_op_name, hlo_op_expression, tf_op_name;
    struct xpd_ops_times times;
    double total_self_time_percent, cumulative_total_self_time_percent;
    struct xpd_ops_rates rates;
    double dma_stall_percent;
    struct xpd_str remat, outside, autotuned, source_info, core_type, parent_op_name;
    double vdd_energy;
};

/* clang-format off */
static const struct xpd_column columns[] = {
    XPD_COLUMN(struct row, rank, "Rank"),
    XPD_COLUMN(struct row, program_id, "Program id"),
    XPD_COLUMN(struct row, category, "HLO op category"),
    XPD_COLUMN(struct row, hlo_op_name, "HLO op name"),
    XPD_COLUMN(struct row, hlo_op_expression, "HLO op text"),
    XPD_COLUMN(struct row, tf_op_name, "Framework op name"),
    XPD_COLUMN_AS(struct row, "occurrences", times.occurrences, "#Occurrences"),
    XPD_COLUMN_AS(struct row, "total_time", times.total_us, "Total time (us)"),
    XPD_COLUMN_AS(struct row, "avg_time", times.avg_us, "Avg. time (us)"),
    XPD_COLUMN_AS(struct row, "total_self_time", times.self_us, "Total self time (us)"),
    XPD_COLUMN_AS(struct row, "avg_self_time", times.avg_self_us, "Avg. self time (us)"),
    XPD_COLUMN(struct row, total_self_time_percent, "Total self time (%)"),
    XPD_COLUMN(struct row, cumulative_total_self_time_percent, "Cumulative total self time (%)"),
    XPD_COLUMN(struct row, dma_stall_percent, "%time stalled by DMA"),
    XPD_COLUMN_AS(struct row, "model_flop_rate", rates.model_flop_rate, "Model GFLOP/s"),
    XPD_COLUMN_AS(struct row, "normalized_flop_rate", rates.flop_rate, "Normalized GFLOP/s"),
    XPD_COLUMN_AS(struct row, "measured_memory_bw", rates.memory_bw, "Measured memory BW (GiB/s)"),
    XPD_COLUMN_AS(struct row, "hbm_bw", rates.hbm_bw, "HBM BW (GiB/s)"),
    XPD_COLUMN_AS(struct row, "cmem_read_bw", rates.bw[XPD_OPS_CMEM_READ], "CMEM Read BW (GiB/s)"),
    XPD_COLUMN_AS(struct row, "cmem_write_bw", rates.bw[XPD_OPS_CMEM_WRITE], "CMEM Write BW (GiB/s)"),
    XPD_COLUMN_AS(struct row, "operational_intensity", rates.intensity, "Operational intensity (FLOPS/Byte)"),
    XPD_COLUMN_AS(struct row, "bound_by", rates.bound_by, "Bound by"),
    XPD_COLUMN_AS(struct row, "hlo_rematerialization", remat, "Rematerialization"),
    XPD_COLUMN_AS(struct row, "outside_compilation", outside, "Outside Compilation"),
    XPD_COLUMN_AS(struct row, "autotuned", autotuned, "Autotuned"),
    XPD_COLUMN(struct row, source_info, "Source Info"),
    XPD_COLUMN(struct row, core_type, "TPU core type"),
    XPD_COLUMN(struct row, parent_op_name, "Parent op name"),
    XPD_COLUMN(struct row, vdd_energy, "VDD Energy (J)"),
};
/* clang-format on */

struct list {
    const struct xpd_op_stats *stats;
    struct xpd_arena *arena;
    struct row *row;
    uint32_t count;
};

static struct xpd_str yes_no(bool yes)
{
    return yes ? XPD_STR("Yes") : XPD_STR("No");
}

/* Before " = ", without the '%'. */
static struct xpd_str name_in(struct xpd_str expression)
{
    size_t at = xpd_str_find(expression, XPD_STR(" = "), false);
    if (at != SIZE_MAX)
        expression.size = at;
    if (expression.size && expression.data[0] == '%') {
        expression.data++;
        expression.size--;
    }
    return expression;
}

static bool is_rematerialized(const struct xpd_ops_metrics *op)
{
    struct xpd_str left = op->long_name;
    const char *equals = left.size ? memchr(left.data, '=', left.size) : NULL;
    if (equals)
        left.size = (size_t)(equals - left.data);
    return xpd_str_find(left, XPD_STR(".remat"), false) != SIZE_MAX ||
           xpd_str_find(op->provenance, XPD_STR("rematted_computation"), false) != SIZE_MAX;
}

static struct row *add(struct list *list, const struct xpd_ops_metrics *op, struct xpd_str parent)
{
    static const char *const cores[] = {"", "TensorCore", "SparseCore"};
    struct row *row = &list->row[list->count++];
    struct xpd_str expression = op->long_name.size ? op->long_name : op->name;
    *row = (struct row){.program_id = xpd_ops_u64_text(list->arena, op->program_id),
                        .category = op->category,
                        .hlo_op_name = name_in(expression),
                        .hlo_op_expression = expression,
                        .tf_op_name = op->provenance,
                        .times = xpd_ops_times_of(op),
                        .rates = xpd_ops_rates_of(op, list->stats),
                        .remat = yes_no(is_rematerialized(op)),
                        .outside = yes_no(false),
                        .autotuned = yes_no(false),
                        .source_info = xpd_ops_source_cell(list->arena, op),
                        .core_type = xpd_str_of(cores[op->core]),
                        .parent_op_name = parent,
                        .vdd_energy = op->energy_j};
    row->dma_stall_percent = xpd_ops_divide((double)op->dma_stall_ps, (double)op->time_ps);
    return row;
}

/* Operations of a SparseCore follow the one that called them; they have no rank. */
static void add_children(struct list *list, const struct xpd_ops_metrics *op)
{
    uint32_t count;
    const struct xpd_ops_metrics **child =
        xpd_ops_sorted(op->children.at, op->children.count, UINT32_MAX, &count, list->arena);
    for (uint32_t i = 0; i < count; i++) {
        if (child[i]->occurrences == 0)
            continue;
        if (child[i]->core == XPD_OPS_SPARSE_CORE)
            add(list, child[i], op->name);
        add_children(list, child[i]);
    }
}

static uint32_t count_all(const struct xpd_ops_metrics *op, uint32_t count)
{
    uint32_t all = count;
    for (uint32_t i = 0; i < count; i++)
        if (op[i].children.count)
            all += count_all(op[i].children.at, op[i].children.count);
    return all;
}

static int make(const struct xpd_tool_ctx *ctx, struct xpd_tables *out, struct xpd_err *err)
{
    struct list list = {.arena = ctx->arena};
    int rc = xpd_op_stats_of(ctx, &list.stats, err);
    if (rc != XPD_OK)
        return rc;
    const struct xpd_ops_db *db = &list.stats->device;
    double total_us = (double)db->total_ps / 1e6, sum = 0;
    uint32_t count, rank = 0;
    list.row = XPD_NEW_ARRAY(ctx->arena, struct row, count_all(db->at, db->count));
    const struct xpd_ops_metrics **op =
        xpd_ops_sorted(db->at, db->count, UINT32_MAX, &count, ctx->arena);
    for (uint32_t i = 0; list.row && i < count; i++) {
        if (op[i]->occurrences == 0)
            continue;
        struct row *row = add(&list, op[i], XPD_STR(""));
        double fraction = xpd_ops_divide(row->times.self_us, total_us);
        sum += fraction;
        row->rank = ++rank;
        row->total_self_time_percent = fraction * 100.0;
        row->cumulative_total_self_time_percent = sum * 100.0;
        add_children(&list, op[i]);
    }
    return xpd_tables_alone(out, ctx,
                            &(struct xpd_data_table){XPD_COLUMNS(columns), .row = list.row,
                                                     .row_bytes = sizeof *list.row,
                                                     .row_count = list.count},
                            err);
}

const struct xpd_table_tool xpd_table_hlo_stats = {.tag = "hlo_stats", .make = make};
