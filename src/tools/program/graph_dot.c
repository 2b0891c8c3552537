/* /api/v1/graph/dot: what lies around an instruction, or a whole computation, for Graphviz. */
#include "../tables/graph_common.h"
#include "xprofd/graph/dot.h"
#include "xprofd/tools/graph_table.h"

#define RADIUS_DEFAULT 2
#define RADIUS_MAX     10

static const struct xpd_param_spec params[] = {
    {.name = "node",
     .type = XPD_PARAM_TEXT,
     .required = true,
     .help = "an instruction or a computation, with or without %"},
    {.name = "radius",
     .type = XPD_PARAM_INT,
     .max = RADIUS_MAX,
     .fallback = RADIUS_DEFAULT,
     .help = "how far from the instruction, 0 to 10, default 2"},
    {.name = "merge", .type = XPD_PARAM_INT, .max = 1, .help = "1: a fusion is one node"},
    {.name = "config", .type = XPD_PARAM_INT, .max = 1, .help = "1: with backend configs"},
    {0}};

static int draw(const struct xpd_tool_ctx *ctx, struct xpd_hlo_printer *printer,
                struct xpd_strbuf *out, struct xpd_err *err)
{
    const struct xpd_hlo *hlo = ctx->hlo;
    const struct xpd_tool *tool = &xpd_tool_graph_dot;
    struct xpd_str name = xpd_param_text(ctx, "node");
    xpd_name_id id = xpd_intern_find(&hlo->names, xpd_tools_bare_name(name));
    uint32_t computation = xpd_tools_index_of(hlo->computations.name, hlo->computations.count, id);
    uint32_t instruction =
        computation == XPD_NO_INDEX
            ? xpd_tools_index_of(hlo->instructions.name, hlo->instructions.count, id)
            : XPD_NO_INDEX;
    struct xpd_graph_options options = {(uint32_t)xpd_param_int(ctx, tool, "radius"),
                                        xpd_param_int(ctx, tool, "merge") != 0};
    struct xpd_graph *graph = NULL;
    if (computation == XPD_NO_INDEX && instruction == XPD_NO_INDEX)
        return xpd_fail(err, XPD_ENOTFOUND, "node", XPD_NO_OFFSET,
                        "The module has no instruction or computation %.*s.", (int)name.size,
                        name.data);
    const struct xpd_graph_index *index = xpd_table_graph(ctx, err);
    if (!index)
        return err->code;
    int rc = xpd_graph_make(&graph, index, instruction, computation, &options, err);
    if (rc == XPD_OK)
        xpd_graph_dot(graph, printer, xpd_param_int(ctx, tool, "config") != 0, out);
    xpd_graph_free(graph);
    return rc;
}

static int run(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_proto_bytes proto;
    struct xpd_hlo_printer *printer = NULL;
    int rc = xpd_store_module_bytes(ctx->store, ctx->run, ctx->module, &proto, err);
    if (rc == XPD_OK)
        rc = xpd_hlo_printer_new(&printer, ctx->hlo, proto.at, proto.size, err);
    if (rc == XPD_OK)
        rc = draw(ctx, printer, &out->body, err);
    xpd_hlo_printer_free(printer);
    xpd_proto_bytes_free(&proto);
    out->type = XPD_BODY_TEXT;
    return rc;
}

const struct xpd_tool xpd_tool_graph_dot = {
    .route = "/api/v1/graph/dot",
    .title = "The neighbours of an instruction, or a whole computation, as text for Graphviz.",
    .needs = XPD_NEEDS_MODULE,
    .content = "text/plain",
    .about =
        "The nodes, clusters, edges, labels and colours that XProf draws with the same settings "
        "(`tests/golden/graph_dot`). The number of nodes is not limited; a radius of 1 or 2 is "
        "readable. A bitcast does not count as a step, and more than 16 users are not followed; a "
        "computation is drawn whole.",
    .params = params,
    .run = run};
