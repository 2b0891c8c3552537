/* /api/v1/status: who answers, how much it holds, which tools there are. */
#include "common/rail.h"

#ifndef XPD_VERSION
#define XPD_VERSION "0.1.0"
#endif

static int status(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    (void)err;
    struct xpd_store_stats stats;
    xpd_store_stats(ctx->store, &stats);
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    xpd_json_ktext(&w, "name", "xprofd");
    xpd_json_ktext(&w, "version", XPD_VERSION);
    xpd_json_ki64(&w, "api", 1);
    xpd_json_ktext(&w, "root", ctx->catalog->root);
    xpd_json_ku64(&w, "generation", ctx->catalog->generation);
    xpd_json_key(&w, "store");
    xpd_json_obj(&w);
    xpd_json_ku64(&w, "memory_bytes", stats.memory_bytes);
    xpd_json_ku64(&w, "memory_limit_bytes", stats.memory_limit_bytes);
    xpd_json_ku64(&w, "runs_loaded", stats.runs_loaded);
    xpd_json_ku64(&w, "runs_held", stats.runs_held);
    xpd_json_ku64(&w, "loads", stats.loads);
    xpd_json_ku64(&w, "evictions", stats.evictions);
    xpd_json_obj_end(&w);
    xpd_rail_write(&w, NULL);
    xpd_json_obj_end(&w);
    return XPD_OK;
}

const struct xpd_tool xpd_tool_status = {
    .route = "/api/v1/status",
    .title = "The program: version, what it holds in memory, its tools.",
    .needs = XPD_NEEDS_CATALOG,
    .run = status,
};
