/* /data and /data_csv: by tag to the tool that answers. XProf says 404 "No Data" for four different
 * causes; here each has its own sentence (and status, where 404 would be wrong). */
#include "compat.h"
#include "tables/compat_tables.h"

static bool is_memory_viewer(struct xpd_str tag)
{
    /* '^' is how old clients mark a tool */
    return xpd_str_eq(tag, XPD_STR("memory_viewer")) || xpd_str_eq(tag, XPD_STR("memory_viewer^"));
}

bool xpd_compat_has_tool(struct xpd_str tag)
{
    return xpd_str_starts(tag, "trace_viewer") || xpd_str_eq(tag, XPD_STR("graph_viewer")) ||
           is_memory_viewer(tag) || xpd_table_tool_find(tag);
}

static int no_such_tool(struct xpd_str tag, struct xpd_err *err)
{
    if (tag.size == 0)
        return xpd_fail(err, XPD_EINVAL, "tag", XPD_NO_OFFSET,
                        "tag= is missing; /run_tools names the tools of a run");
    return xpd_fail(err, XPD_ENOTFOUND, "tag", XPD_NO_OFFSET,
                    "xprofd has no tool \"%.*s\"; /run_tools names those it has", (int)tag.size,
                    tag.data);
}

static int data(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_str tag = xpd_param_text(ctx, "tag");
    if (xpd_str_eq(tag, XPD_STR("trace_viewer@")))
        return xpd_compat_trace_viewer(ctx, out, err);
    if (xpd_str_eq(tag, XPD_STR("trace_viewer")))
        return xpd_compat_trace_viewer_old(ctx, out, err);
    if (xpd_str_eq(tag, XPD_STR("graph_viewer")))
        return xpd_compat_graph_viewer(ctx, out, err);
    if (xpd_str_eq(tag, XPD_STR("megascale_stats")) && xpd_compat_flag(ctx, "perfetto"))
        return xpd_fail(err, XPD_EINVAL, "perfetto", XPD_NO_OFFSET,
                        "perfetto=true is not offered: /api/v1/trace/export, or xprofd export "
                        "--format=chrome, writes the run's events in a form that Perfetto opens");
    const struct xpd_table_tool *tables = xpd_table_tool_find(tag);
    if (tables)
        return xpd_table_tool_json(tables, ctx, out, err);
    if (!is_memory_viewer(tag))
        return no_such_tool(tag, err);
    if (xpd_param_text(ctx, "view_memory_allocation_timeline").size > 0)
        return xpd_compat_memory_timeline(ctx, out, err);
    return xpd_compat_memory_viewer(ctx, out, err);
}

const struct xpd_tool xpd_compat_data = {.route = "/data",
                                         .title = "A tool's answer, by tag.",
                                         .needs = XPD_NEEDS_RUN,
                                         .may_stream = true,
                                         .params = xpd_compat_params,
                                         .run = data};

static int data_csv(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                    struct xpd_err *err)
{
    struct xpd_str tag = xpd_param_text(ctx, "tag");
    const struct xpd_table_tool *tables = xpd_table_tool_find(tag);
    if (tables)
        return xpd_table_tool_csv(tables, ctx, out, err);
    if (!is_memory_viewer(tag))
        return no_such_tool(tag, err);
    return xpd_compat_memory_csv(ctx, out, err);
}

const struct xpd_tool xpd_compat_data_csv = {.route = "/data_csv",
                                             .title = "A tool's table as CSV, by tag.",
                                             .needs = XPD_NEEDS_RUN,
                                             .params = xpd_compat_params,
                                             .run = data_csv};
