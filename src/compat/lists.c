/* /runs, /run_tools, /hosts, /module_list, /version, /config, /capture_profile: lists of runs,
 * tools, hosts and modules, in the JSON shapes of XProf 2.24.2. */
#include "compat.h"
#include "xprofd/compat/file_order.h"

static int runs(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    (void)err;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_json_arr(&w);
    for (uint32_t i = 0; i < ctx->catalog->run_count; i++)
        if (ctx->catalog->run[i].kind != XPD_RUN_HEAP) /* none of XProf's tools reads one */
            xpd_json_text(&w, ctx->catalog->run[i].id);
    xpd_json_arr_end(&w);
    return XPD_OK;
}

const struct xpd_tool xpd_compat_runs = {.route = "/runs",
                                         .title = "Names of the runs, newest first.",
                                         .needs = XPD_NEEDS_CATALOG,
                                         .params = xpd_compat_params,
                                         .run = runs};

/* ---- tools of a run ---- */

/* Properties that XProf checks in the first profile of a run. */
struct contents {
    bool profile, gpu, programs, megascale, counters;
};

/* Reads the names of a plane: XProf checks its metadata tables, not its events. */
struct probe {
    struct xpd_arena *arena;
    struct xpd_source *source;
    const struct xpd_xspace *space;
    struct xpd_intern names;
    struct xpd_warnings warnings;
    struct xpd_plane_tables tables;
};

static bool probe_plane(struct probe *probe, const struct xpd_plane *plane)
{
    struct xpd_err unread = {0}; /* the plane then has no names */
    xpd_plane_tables_fini(&probe->tables);
    return xpd_plane_tables_load(&probe->tables, probe->source, plane, &probe->names, probe->arena,
                                 &probe->warnings, &unread) == XPD_OK;
}

static bool knows_stat(const struct probe *probe, struct xpd_str name)
{
    uint64_t id;
    return xpd_plane_stat_id(&probe->tables, &probe->names, name, &id);
}

static bool names_event(const struct probe *probe, const char *prefix)
{
    for (uint32_t i = 0; i < probe->tables.event_count; i++)
        if (xpd_str_starts(xpd_intern_get(&probe->names, probe->tables.event[i].name), prefix))
            return true;
    return false;
}

static void look_into(struct contents *out, struct probe *probe)
{
    for (uint32_t i = 0; i < probe->space->plane_count; i++) {
        const struct xpd_plane *plane = &probe->space->plane[i];
        struct xpd_str name = xpd_intern_get(&probe->space->names, plane->name);
        out->gpu |= xpd_str_starts(name, "/device:GPU:");
        if (xpd_str_eq(name, XPD_STR("/host:metadata")) && probe_plane(probe, plane))
            out->programs |= knows_stat(probe, XPD_STR("Hlo Proto"));
        else if (xpd_str_eq(name, XPD_STR("/host:CPU")) && probe_plane(probe, plane))
            out->megascale |= names_event(probe, "MegaScale:");
        else if (xpd_str_starts(name, "/device:TPU:") && plane->event_count > 0 &&
                 probe_plane(probe, plane)) /* who knows that stat has events with it */
            out->counters |= knows_stat(probe, XPD_STR("counter_value"));
    }
}

static struct contents contents_of(const struct xpd_tool_ctx *ctx)
{
    struct contents out = {.programs = ctx->run->module_count > 0};
    const uint32_t *number = xpd_host_order(ctx->run, ctx->arena);
    for (uint32_t i = 0; number && i < ctx->run->host_count && !out.profile; i++) {
        const struct xpd_host *host = &ctx->run->host[number[i]];
        struct probe probe = {
            .arena = ctx->arena, .space = host->space, .warnings = {.arena = ctx->arena}};
        struct xpd_err unread = {0};
        if (!host->space || xpd_input_open(host->input, 0, NULL, &probe.source, &unread) != XPD_OK)
            continue;
        out = (struct contents){.profile = true};
        xpd_intern_init(&probe.names, probe.arena);
        look_into(&out, &probe);
        xpd_plane_tables_fini(&probe.tables);
        xpd_intern_fini(&probe.names);
        xpd_source_close(probe.source);
    }
    return out;
}

/* XProf's order. It answers other tags too, such as pod_viewer, and lists them nowhere. A run of
 * HLO files alone, which it does not list at all, has the tools of programs. */
static int run_tools(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                     struct xpd_err *err)
{
    (void)err;
    struct contents has = contents_of(ctx);
    const struct {
        const char *tag;
        bool listed;
    } tool[] = {{"overview_page", has.profile},           {"trace_viewer@", has.profile},
                {"graph_viewer", has.programs},           {"op_profile", has.profile},
                {"input_pipeline_analyzer", has.profile}, {"kernel_stats", has.gpu},
                {"memory_profile", has.profile},          {"memory_viewer", has.programs},
                {"roofline_model", has.profile},          {"perf_counters", has.counters},
                {"framework_op_stats", has.profile},      {"hlo_stats", has.profile},
                {"megascale_stats", has.megascale},       {"kernel_utilization", has.counters},
                {"utilization_viewer", has.counters}};
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_json_arr(&w);
    for (size_t i = 0; i < sizeof tool / sizeof *tool; i++)
        if (tool[i].listed && xpd_compat_has_tool(xpd_str_of(tool[i].tag)))
            xpd_json_text(&w, tool[i].tag);
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

/* With several hosts some tools get ALL_HOSTS and the hosts, some only ALL_HOSTS. */
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

/* Whole profiles, none with a program: of a cut one that cannot be known. */
static bool whole_without_programs(const struct xpd_run *run)
{
    bool whole = run->module_count == 0 && run->host_count > 0;
    for (uint32_t i = 0; i < run->host_count && whole; i++)
        whole = run->host[i].space && run->host[i].space->complete;
    return whole;
}

/* XProf notes that a run has no programs in a file of its own, which it then lists as one. */
static int module_list(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                       struct xpd_err *err)
{
    (void)err;
    out->type = XPD_BODY_TEXT;
    if (whole_without_programs(ctx->run))
        xpd_strbuf_puts(&out->body, "NO_MODULE");
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
