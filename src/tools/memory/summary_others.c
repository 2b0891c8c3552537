/* The same memory as XProf, JAX and XLA's own report count it, and why XProf's number differs where
 * it does. */
#include "summary.h"

static void differs(struct xpd_jsonw *w, const char *what, int64_t ours, int64_t xprof,
                    const char *reason)
{
    if (ours == xprof)
        return;
    xpd_json_obj(w);
    xpd_json_ktext(w, "what", what);
    xpd_json_ki64(w, "ours", ours);
    xpd_json_ki64(w, "xprof", xprof);
    xpd_json_ktext(w, "reason", reason);
    xpd_json_obj_end(w);
}

static void write_xprof(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                        const struct xpd_facts *facts)
{
    const struct xpd_mem_space *space = ctx->space;
    const struct xpd_xprof_memory *xprof = &facts->xprof;
    int64_t peak = xprof->peak_bytes + xprof->indefinite_bytes;
    int64_t unpadded = xprof->peak_unpadded_bytes + xprof->indefinite_bytes;
    int64_t temp = peak - xprof->indefinite_total_bytes;
    int64_t set_aside = xprof->total_bytes - xprof->indefinite_total_bytes;
    xpd_json_key(w, "xprof");
    xpd_json_obj(w);
    xpd_json_ki64(w, "peak_bytes", peak);
    xpd_json_ki64(w, "total_bytes", xprof->total_bytes);
    xpd_json_ki64(w, "unpadded_peak_bytes", unpadded);
    xpd_json_ki64(w, "argument_bytes", xprof->parameter_bytes);
    xpd_json_ki64(w, "temp_bytes", temp);
    xpd_json_ki64(w, "temp_with_fragmentation_bytes", set_aside);
    xpd_json_kdouble(w, "fragmentation_percent",
                     set_aside ? 100.0 * (double)(xprof->total_bytes - peak) / (double)set_aside
                               : 0.0);
    xpd_json_ki64(w, "peak_position", xprof->peak_position);
    xpd_json_ktext(w, "error", xprof->error_text);
    xpd_json_key(w, "differs");
    xpd_json_arr(w);
    differs(w, "peak_bytes", space->peak_bytes, peak, facts->peak_reason);
    differs(w, "unpadded_peak_bytes", space->peak_unpadded_bytes, unpadded,
            "XProf counts arguments, outputs and constants with their padding");
    differs(
        w, "total_bytes", space->totals.reserved, xprof->total_bytes,
        "XProf counts allocations by their own memory space; values can be in the heap of another");
    xpd_json_arr_end(w);
    xpd_json_obj_end(w);
}

static void write_jax(struct xpd_jsonw *w, const struct xpd_jax_analysis *jax)
{
    xpd_json_key(w, "jax");
    xpd_json_obj(w);
    xpd_json_ki64(w, "argument_bytes", jax->argument);
    xpd_json_ki64(w, "output_bytes", jax->output);
    xpd_json_ki64(w, "alias_bytes", jax->alias);
    xpd_json_ki64(w, "temp_bytes", jax->temp);
    xpd_json_ki64(w, "peak_bytes", jax->peak);
    xpd_json_ki64(w, "host_argument_bytes", jax->host_argument);
    xpd_json_ki64(w, "host_output_bytes", jax->host_output);
    xpd_json_ki64(w, "host_alias_bytes", jax->host_alias);
    xpd_json_ki64(w, "host_temp_bytes", jax->host_temp);
    xpd_json_obj_end(w);
}

void xpd_summary_others(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                        const struct xpd_facts *facts)
{
    write_xprof(w, ctx, facts);
    write_jax(w, &facts->jax);
    /* XLA's memory-usage-report counts thread-local allocations, which neither we nor XProf do. */
    xpd_json_key(w, "xla_report");
    xpd_json_obj(w);
    xpd_json_ki64(w, "total_bytes", ctx->space->totals.reserved + ctx->space->totals.thread_local_);
    xpd_json_obj_end(w);
}
