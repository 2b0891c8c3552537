/* Kernels of operations in answers. In: operations of a run. Out: their kernels (ops/op_kernels.h)
 * as rows, and the time that each took, over all hosts. */
#include "ops_kernels.h"

XPD_RECORD_TABLE(xpd_ops_kernel_row, XPD_OPS_KERNEL_FIELDS)

static struct xpd_str triple(struct xpd_arena *arena, const uint32_t of[3])
{
    const char *text =
        of[0] > 0 ? xpd_arena_printf(arena, "%" PRIu32 ",%" PRIu32 ",%" PRIu32, of[0], of[1], of[2])
                  : "";
    return xpd_str_of(text ? text : "");
}

int xpd_tools_ops_kernels(struct xpd_ops_kernels_of *out, const struct xpd_tool_ctx *ctx,
                          const struct xpd_ops_source *source, const struct xpd_op_runs *runs,
                          const struct xpd_op *op, struct xpd_err *err)
{
    struct xpd_op_kernels found;
    int rc = xpd_op_kernels_make(&found, source->trace, runs, op, source->loose, ctx->arena, err);
    if (rc != XPD_OK)
        return rc;
    *out = (struct xpd_ops_kernels_of){
        .at = XPD_NEW_ARRAY(ctx->arena, struct xpd_ops_kernel_row, found.count),
        .count = found.count,
        .events = found.events};
    for (uint32_t i = 0; out->at && i < found.count; i++) {
        const struct xpd_op_kernel *of = &found.at[i];
        out->at[i] = (struct xpd_ops_kernel_row){
            .name = of->name,
            .count = of->count,
            .total_ps = of->total_ps,
            .mean_ps = (double)of->total_ps / (double)of->count,
            .min_ps = of->min_ps,
            .max_ps = of->max_ps,
            .grid = triple(ctx->arena, of->grid),
            .block = triple(ctx->arena, of->block),
            .registers = of->registers,
            .shared_bytes = of->shared_bytes,
            .occupancy_share = of->occupancy_share,
        };
    }
    return ctx->arena->failed ? xpd_tools_no_memory(err) : XPD_OK;
}

/* ---- time by kernel ---- */

/* Rows of the lines on a host, by op of its times; NULL without memory. */
static const struct xpd_op_row **rows_by_op(const struct xpd_ops_lines *lines,
                                            const struct xpd_ops_found *found,
                                            const struct xpd_op_times *times,
                                            struct xpd_arena *arena)
{
    const struct xpd_op_row **row =
        XPD_NEW_ARRAY(arena, const struct xpd_op_row *, (size_t)times->op_count + 1);
    for (uint32_t i = 0; row && i < lines->count; i++) {
        const struct xpd_ops_program *of = &found->program[lines->at[i].row->program];
        if (of->times == times && of->kernels)
            row[lines->at[i].row->op - times->op] = lines->at[i].row;
    }
    return row;
}

static int add_host(struct xpd_op_kernel_times *to, const struct xpd_op_row **row,
                    const struct xpd_ops_source *source, const struct xpd_tool_ctx *ctx,
                    struct xpd_err *err)
{
    const struct xpd_op_runs *runs;
    int rc =
        xpd_store_op_runs(ctx->store, ctx->run, source->host, ctx->wait_ms, &runs, ctx->state, err);
    if (rc != XPD_OK)
        return rc;
    return row && xpd_op_kernel_times_add(to, row, source->trace, runs, source->range,
                                          source->range_count)
               ? XPD_OK
               : xpd_tools_no_memory(err);
}

int xpd_tools_ops_kernel_times(struct xpd_ops_kernel_times *out, const struct xpd_ops_lines *lines,
                               const struct xpd_ops_found *found, const struct xpd_tool_ctx *ctx,
                               struct xpd_err *err)
{
    struct xpd_op_kernel_times made = {0};
    int rc = XPD_OK;
    for (uint32_t p = 0; rc == XPD_OK && p < found->program_count; p++) {
        uint32_t same = 0; /* a program of the same host: its times are the same */
        while (found->program[same].times != found->program[p].times)
            same++;
        if (same == p)
            rc = add_host(&made, rows_by_op(lines, found, found->program[p].times, ctx->arena),
                          &found->source[p], ctx, err);
    }
    for (size_t i = 0; i < made.time.count; i++)
        if (!made.time.at[i].kernel.data)
            made.time.at[i].kernel = XPD_STR("no event of its own");
    *out = (struct xpd_ops_kernel_times){.at = XPD_COPY_VEC(ctx->arena, &made.time),
                                         .count = (uint32_t)made.time.count};
    XPD_VEC_FINI(&made.time);
    return rc == XPD_OK && !out->at ? xpd_tools_no_memory(err) : rc;
}
