/* /api/v1/graph/near: what lies within some steps of an instruction. */
#include "graph_rows.h"
#include "xprofd/graph/path.h"

#define RADIUS_DEFAULT 1
#define RADIUS_MAX     100
#define COUNT_DEFAULT  200
#define COUNT_MAX      5000

static const struct xpd_param_spec params[] = {
    {.name = "node",
     .type = XPD_PARAM_TEXT,
     .required = true,
     .help = "an instruction: id or name"},
    {.name = "radius",
     .type = XPD_PARAM_INT,
     .max = RADIUS_MAX,
     .fallback = RADIUS_DEFAULT,
     .help = "steps, 0 to 100, default 1"},
    {.name = "way",
     .type = XPD_PARAM_ENUM,
     .words = "both operands users",
     .help = "`both` (default), `operands` or `users`"},
    {.name = "bodies", .type = XPD_PARAM_INT, .max = 1, .help = "1: into called computations too"},
    {.name = "count",
     .type = XPD_PARAM_INT,
     .min = 1,
     .max = COUNT_MAX,
     .fallback = COUNT_DEFAULT,
     .help = "rows, 1 to 5000, default 200"},
    {0}};

static uint32_t ways_of(const struct xpd_tool_ctx *ctx)
{
    struct xpd_str way = xpd_param_text(ctx, "way");
    uint32_t ways = xpd_str_eq(way, XPD_STR("operands")) ? XPD_REACH_OPERANDS
                    : xpd_str_eq(way, XPD_STR("users"))  ? XPD_REACH_USERS
                                                         : XPD_REACH_OPERANDS | XPD_REACH_USERS;
    return ways | (xpd_param_int(ctx, &xpd_tool_graph_near, "bodies") ? XPD_REACH_BODIES : 0u);
}

static void put(struct xpd_graph_ask *ask, const struct xpd_reach *reach)
{
    struct xpd_jsonw *w = &ask->w;
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", reach->count);
    xpd_json_ku64(w, "left_out", reach->left_out);
    XPD_COLUMN(w, "distance", reach->count, xpd_json_u64(w, reach->distance[row]));
    xpd_graph_columns(ask, "name opcode shape bytes cycles line op_name computation",
                      reach->instruction, reach->count);
    xpd_json_obj_end(w);
}

static int run(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_graph_ask ask;
    struct xpd_reach reach;
    uint32_t node;
    int rc = xpd_graph_ask_init(&ask, ctx, out, err);
    if (rc == XPD_OK && xpd_graph_find(&ask, "node", &node, out)) {
        rc = xpd_graph_reach(&reach, ctx->arena, ask.index, node,
                             (uint32_t)xpd_param_int(ctx, &xpd_tool_graph_near, "radius"),
                             ways_of(ctx),
                             (uint32_t)xpd_param_int(ctx, &xpd_tool_graph_near, "count"), err);
        if (rc == XPD_OK)
            put(&ask, &reach);
    }
    xpd_graph_ask_fini(&ask);
    return rc;
}

const struct xpd_tool xpd_tool_graph_near = {
    .route = "/api/v1/graph/near",
    .title = "What lies within some steps of an instruction, as a list.",
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .run = run};
