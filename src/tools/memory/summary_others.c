/* The same memory as XProf, JAX and XLA's own report count it, and why XProf's number differs where
 * it does. */
#include "summary.h"

XPD_RECORD_TABLE(xpd_differs_row, XPD_DIFFERS_ROW_FIELDS)
XPD_RECORD_TABLE(xpd_summary_xprof, XPD_SUMMARY_XPROF_FIELDS)
XPD_RECORD_TABLE(xpd_summary_jax, XPD_SUMMARY_JAX_FIELDS)
XPD_RECORD_TABLE(xpd_xla_report, XPD_XLA_REPORT_FIELDS)

static void fill_differs(struct xpd_summary_xprof *out, const struct xpd_tool_ctx *ctx,
                         const struct xpd_facts *facts)
{
    const struct xpd_mem_space *space = ctx->space;
    const struct xpd_differs_row all[] = {
        {"peak_bytes", space->peak_bytes, out->peak_bytes, facts->peak_reason},
        {"unpadded_peak_bytes", space->peak_unpadded_bytes, out->unpadded_peak_bytes,
         "XProf counts arguments, outputs and constants with their padding"},
        {"total_bytes", space->totals.reserved, out->total_bytes,
         "XProf counts allocations by their own memory space; values can be in the heap of "
         "another"},
    };
    enum { ALL = sizeof all / sizeof *all };
    struct xpd_differs_row *row = XPD_NEW_ARRAY(ctx->arena, struct xpd_differs_row, ALL);
    for (uint32_t i = 0; row && i < ALL; i++)
        if (all[i].ours != all[i].xprof)
            row[out->differs.n++] = all[i];
    out->differs.at = row;
}

const struct xpd_summary_xprof *xpd_summary_xprof_of(const struct xpd_tool_ctx *ctx,
                                                     const struct xpd_facts *facts)
{
    const struct xpd_xprof_memory *xprof = &facts->xprof;
    struct xpd_summary_xprof *out = XPD_NEW(ctx->arena, struct xpd_summary_xprof);
    if (!out)
        return NULL;
    int64_t peak = xprof->peak_bytes + xprof->indefinite_bytes;
    int64_t set_aside = xprof->total_bytes - xprof->indefinite_total_bytes;
    *out = (struct xpd_summary_xprof){
        .peak_bytes = peak,
        .total_bytes = xprof->total_bytes,
        .unpadded_peak_bytes = xprof->peak_unpadded_bytes + xprof->indefinite_bytes,
        .argument_bytes = xprof->parameter_bytes,
        .temp_bytes = peak - xprof->indefinite_total_bytes,
        .temp_with_fragmentation_bytes = set_aside,
        .fragmentation_percent =
            set_aside ? 100.0 * (double)(xprof->total_bytes - peak) / (double)set_aside : 0.0,
        .peak_position = xprof->peak_position,
        .error = xprof->error_text,
    };
    fill_differs(out, ctx, facts);
    return out;
}

const struct xpd_summary_jax *xpd_summary_jax_of(const struct xpd_tool_ctx *ctx,
                                                 const struct xpd_facts *facts)
{
    const struct xpd_jax_analysis *jax = &facts->jax;
    struct xpd_summary_jax *out = XPD_NEW(ctx->arena, struct xpd_summary_jax);
    if (out)
        *out = (struct xpd_summary_jax){jax->argument,    jax->output,     jax->alias,
                                        jax->temp,        jax->peak,       jax->host_argument,
                                        jax->host_output, jax->host_alias, jax->host_temp};
    return out;
}

/* XLA's memory-usage-report counts thread-local allocations, which neither we nor XProf do. */
const struct xpd_xla_report *xpd_xla_report_of(const struct xpd_tool_ctx *ctx)
{
    struct xpd_xla_report *out = XPD_NEW(ctx->arena, struct xpd_xla_report);
    if (out)
        out->total_bytes = ctx->space->totals.reserved + ctx->space->totals.thread_local_;
    return out;
}
