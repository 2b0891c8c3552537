/* tag=kernel_stats: GPU kernels that are alike, longest first. */
#include "../opstats/opstats.h"
#include "compat_tables.h"

struct row {
    double rank;
    struct xpd_str kernel_name;
    double registers_per_thread, shmem_bytes;
    struct xpd_str block_dim, grid_dim;
    double occupancy_pct;
    bool is_op_tensor_core_eligible, is_kernel_using_tensor_core;
    struct xpd_str op_name;
    double occurrences, total_duration_us, avg_duration_us, min_duration_us, max_duration_us;
};

static const struct xpd_column columns[] = {
    XPD_COLUMN(struct row, rank, "Rank"),
    XPD_COLUMN(struct row, kernel_name, "Kernel Name"),
    XPD_COLUMN(struct row, registers_per_thread, "Registers per thread"),
    XPD_COLUMN(struct row, shmem_bytes, "Shared Mem bytes"),
    XPD_COLUMN(struct row, block_dim, "Block dim"),
    XPD_COLUMN(struct row, grid_dim, "Grid dim"),
    XPD_COLUMN(struct row, occupancy_pct, "Theoretical Occupancy %"),
    XPD_COLUMN(struct row, is_op_tensor_core_eligible, "Op is TensorCore eligible"),
    XPD_COLUMN(struct row, is_kernel_using_tensor_core, "Kernel uses TensorCore"),
    XPD_COLUMN(struct row, op_name, "Op Name"),
    XPD_COLUMN(struct row, occurrences, "Occurrences"),
    XPD_COLUMN(struct row, total_duration_us, "Total Duration (\xce\xbcs)"),
    XPD_COLUMN(struct row, avg_duration_us, "Avg Duration (\xce\xbcs)"),
    XPD_COLUMN(struct row, min_duration_us, "Min Duration (\xce\xbcs)"),
    XPD_COLUMN(struct row, max_duration_us, "Max Duration (\xce\xbcs)"),
};

static struct xpd_str triple(struct xpd_arena *arena, const uint32_t of[3])
{
    const char *text = xpd_arena_printf(arena, "%u,%u,%u", of[0], of[1], of[2]);
    return xpd_str_of(text ? text : "");
}

static struct row row_of(struct xpd_arena *arena, const struct xpd_ops_kernel *kernel)
{
    uint64_t mean_ns = kernel->total_ns / kernel->occurrences; /* whole ones, as XProf has it */
    return (struct row){.kernel_name = kernel->name,
                        .registers_per_thread = kernel->registers,
                        .shmem_bytes = kernel->static_shared_bytes + kernel->dynamic_shared_bytes,
                        .block_dim = triple(arena, kernel->block),
                        .grid_dim = triple(arena, kernel->grid),
                        .occupancy_pct = (double)(float)kernel->occupancy_percent,
                        .is_op_tensor_core_eligible = kernel->eligible,
                        .is_kernel_using_tensor_core = kernel->tensor_core,
                        .op_name = kernel->op_name,
                        .occurrences = (double)kernel->occurrences,
                        .total_duration_us = (double)kernel->total_ns / 1e3,
                        .avg_duration_us = (double)mean_ns / 1e3,
                        .min_duration_us = (double)kernel->min_ns / 1e3,
                        .max_duration_us = (double)kernel->max_ns / 1e3};
}

static int make(const struct xpd_tool_ctx *ctx, struct xpd_tables *out, struct xpd_err *err)
{
    const struct xpd_op_stats *stats;
    int rc = xpd_op_stats_of(ctx, &stats, err);
    if (rc != XPD_OK)
        return rc;
    struct row *row = XPD_NEW_ARRAY(ctx->arena, struct row, stats->kernels.count);
    for (uint32_t i = 0; row && i < stats->kernels.count; i++) {
        row[i] = row_of(ctx->arena, &stats->kernels.at[i]);
        row[i].rank = i + 1;
    }
    return xpd_tables_alone(out, ctx,
                            &(struct xpd_data_table){XPD_COLUMNS(columns), .row = row,
                                                     .row_bytes = sizeof *row,
                                                     .row_count = stats->kernels.count},
                            err);
}

const struct xpd_table_tool xpd_table_kernel_stats = {.tag = "kernel_stats", .make = make};
