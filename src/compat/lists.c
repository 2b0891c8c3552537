/* /runs, /run_tools, /hosts, /module_list, /version, /config, /capture_profile: what is there, in
 * XProf's shapes. Rules: graph_hlo_opstats_server.md 4.2, 4.3, 5.1. */
#include "compat.h"

static int runs(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    (void)err;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_json_arr(&w);
    for (uint32_t i = 0; i < ctx->catalog->run_count; i++)
        xpd_json_text(&w, ctx->catalog->run[i].id);
    xpd_json_arr_end(&w);
    return XPD_OK;
}

const struct xpd_tool xpd_compat_runs = {.route = "/runs",
                                         .title = "Names of the runs, newest first.",
                                         .needs = XPD_NEEDS_CATALOG,
                                         .params = xpd_compat_params,
                                         .run = runs};

/* XProf lists a tool by the kind of data in the run; we list those of them that this program has.
 */
static int run_tools(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                     struct xpd_err *err)
{
    (void)err;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_json_arr(&w);
    if (ctx->run->has_events) {
        xpd_json_text(&w, "trace_viewer@");
        xpd_json_text(&w, "trace_viewer");
    }
    if (ctx->run->module_count > 0)
        xpd_json_text(&w, "memory_viewer");
    xpd_json_arr_end(&w);
    return XPD_OK;
}

const struct xpd_tool xpd_compat_run_tools = {.route = "/run_tools",
                                              .title = "Tools that can answer for a run.",
                                              .needs = XPD_NEEDS_RUN,
                                              .params = xpd_compat_params,
                                              .run = run_tools};

static bool is_one_of(struct xpd_str tag, const char *const *list)
{
    for (; *list; list++)
        if (xpd_str_eq(tag, xpd_str_of(*list)))
            return true;
    return false;
}

static void host_object(struct xpd_jsonw *w, const char *name)
{
    xpd_json_obj(w);
    xpd_json_ktext(w, "hostname", name);
    xpd_json_obj_end(w);
}

/* With several hosts some tools get ALL_HOSTS beside the hosts, some get it alone. */
static int hosts(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    (void)err;
    static const char *const with_all[] = {"input_pipeline_analyzer",
                                           "framework_op_stats",
                                           "kernel_stats",
                                           "overview_page",
                                           "pod_viewer",
                                           "megascale_stats",
                                           NULL};
    static const char *const only_all[] = {"overview_page", "pod_viewer", "smart_suggestion", NULL};
    struct xpd_str tag = xpd_param_text(ctx, "tag");
    bool several = ctx->run->host_count > 1;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_json_arr(&w);
    if (several && (is_one_of(tag, with_all) || is_one_of(tag, only_all)))
        host_object(&w, "ALL_HOSTS");
    if (!several || !is_one_of(tag, only_all))
        for (uint32_t i = 0; i < ctx->run->host_count; i++)
            host_object(&w, ctx->run->host[i].name);
    xpd_json_arr_end(&w);
    return XPD_OK;
}

const struct xpd_tool xpd_compat_hosts = {.route = "/hosts",
                                          .title = "Hosts of a run.",
                                          .needs = XPD_NEEDS_RUN,
                                          .params = xpd_compat_params,
                                          .run = hosts};

static int module_list(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                       struct xpd_err *err)
{
    (void)err;
    out->type = XPD_BODY_TEXT;
    for (uint32_t i = 0; i < ctx->run->module_count; i++) {
        if (i)
            xpd_strbuf_putc(&out->body, ',');
        xpd_strbuf_puts(&out->body, ctx->run->module[i].key);
    }
    return XPD_OK;
}

const struct xpd_tool xpd_compat_module_list = {.route = "/module_list",
                                                .title =
                                                    "Module keys of a run, separated by commas.",
                                                .needs = XPD_NEEDS_RUN,
                                                .params = xpd_compat_params,
                                                .run = module_list};

static int version(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    (void)ctx;
    (void)err;
    out->type = XPD_BODY_TEXT;
    xpd_strbuf_puts(&out->body, XPD_XPROF_VERSION);
    return XPD_OK;
}

const struct xpd_tool xpd_compat_version = {
    .route = "/version",
    .title = "The XProf version whose answers these routes give.",
    .needs = XPD_NEEDS_NOTHING,
    .run = version};

static int config(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    (void)ctx;
    (void)err;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    xpd_json_kbool(&w, "enableTabNameLabel", false);
    xpd_json_kbool(&w, "hideCaptureProfileButton", true);
    xpd_json_knull(&w, "srcPathPrefix");
    xpd_json_obj_end(&w);
    return XPD_OK;
}

const struct xpd_tool xpd_compat_config = {.route = "/config",
                                           .title =
                                               "Switches of XProf's page; capture is off here.",
                                           .needs = XPD_NEEDS_NOTHING,
                                           .run = config};

static int capture(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    (void)ctx;
    (void)err;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    xpd_json_ktext(
        &w, "error",
        "capture is not supported: xprofd only reads. Use jax.profiler.trace(...) in the "
        "program, or python -m jax.collect_profile PORT MS --log_dir=DIR");
    xpd_json_obj_end(&w);
    out->status = 501;
    return XPD_OK;
}

const struct xpd_tool xpd_compat_capture = {.route = "/capture_profile",
                                            .title = "Refused: xprofd only reads.",
                                            .needs = XPD_NEEDS_NOTHING,
                                            .run = capture};
