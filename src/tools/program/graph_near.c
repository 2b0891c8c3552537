/* /api/v1/graph/near: what lies within some steps of an instruction. */
#include "graph_rows.h"
#include "xprofd/graph/path.h"

#define RADIUS_DEFAULT 1
#define RADIUS_MAX     100
#define COUNT_DEFAULT  200
#define COUNT_MAX      5000

#define XPD_GRAPH_NEAR_ROW_FIELDS(FIELD)                                                           \
    FIELD(COUNT, distance, "steps from `node`")                                                    \
    XPD_OP_IX(FIELD)                                                                               \
    XPD_OP_ID(FIELD)                                                                               \
    XPD_OP_NAME(FIELD)                                                                             \
    XPD_OP_OPCODE(FIELD)                                                                           \
    XPD_OP_SHAPE(FIELD)                                                                            \
    XPD_OP_BYTES(FIELD)                                                                            \
    XPD_OP_CYCLES(FIELD)                                                                           \
    XPD_OP_LINE(FIELD)                                                                             \
    XPD_OP_OP_NAME(FIELD)                                                                          \
    XPD_OP_COMPUTATION(FIELD)
XPD_RECORD(xpd_graph_near_row, XPD_GRAPH_NEAR_ROW_FIELDS)

#define XPD_GRAPH_NEAR_FIELDS(FIELD)                                                               \
    FIELD(COUNT, left_out, "met and not listed")                                                   \
    FIELD(INLINE(xpd_graph_near_row), rows, "")
XPD_RECORD(xpd_graph_near, XPD_GRAPH_NEAR_FIELDS)

static const struct xpd_param_spec params[] = {
    {.name = "node",
     .type = XPD_PARAM_TEXT,
     .required = true,
     .help = "an instruction: id or name"},
    {.name = "radius",
     .type = XPD_PARAM_INT,
     .max = RADIUS_MAX,
     .fallback = RADIUS_DEFAULT,
     .help = "steps"},
    {.name = "way",
     .type = XPD_PARAM_ENUM,
     .words = "both operands users",
     .help = "which way to go"},
    {.name = "bodies",
     .type = XPD_PARAM_INT,
     .max = 1,
     .help = "1: into and out of called computations too"},
    {.name = "count",
     .type = XPD_PARAM_INT,
     .min = 1,
     .max = COUNT_MAX,
     .fallback = COUNT_DEFAULT,
     .help = "rows"},
    XPD_PARAM_FORMAT,
    {0}};

static uint32_t ways_of(const struct xpd_tool_ctx *ctx)
{
    struct xpd_str way = xpd_param_text(ctx, "way");
    uint32_t ways = xpd_str_eq(way, XPD_STR("operands")) ? XPD_REACH_OPERANDS
                    : xpd_str_eq(way, XPD_STR("users"))  ? XPD_REACH_USERS
                                                         : XPD_REACH_OPERANDS | XPD_REACH_USERS;
    return ways | (xpd_param_int(ctx, &xpd_tool_graph_near, "bodies") ? XPD_REACH_BODIES : 0u);
}

static int fill(struct xpd_graph_ask *ask, void *answer, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = ask->ctx;
    struct xpd_graph_near *to = answer;
    struct xpd_reach reach;
    uint32_t node, radius = (uint32_t)xpd_param_int(ctx, &xpd_tool_graph_near, "radius");
    uint32_t most = (uint32_t)xpd_param_int(ctx, &xpd_tool_graph_near, "count");
    int rc = xpd_graph_find(ask, "node", &node, err);
    if (rc == XPD_OK)
        rc = xpd_graph_reach(&reach, ctx->arena, ask->index, node, radius, ways_of(ctx), most, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_graph_near_row *row =
        XPD_NEW_ARRAY(ctx->arena, struct xpd_graph_near_row, reach.count);
    if (!row)
        return xpd_tools_no_memory(err);
    xpd_graph_fill(ask, xpd_graph_near_row_record(), row, reach.instruction, reach.count);
    for (uint32_t i = 0; i < reach.count; i++)
        row[i].distance = reach.distance[i];
    to->left_out = reach.left_out;
    to->rows.at = row;
    to->rows.n = reach.count;
    return XPD_OK;
}

static int near(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    return xpd_graph_answer(ctx, xpd_graph_near_record(), fill, out, err);
}

const struct xpd_tool xpd_tool_graph_near = {
    .route = "/api/v1/graph/near",
    .title = "What lies within some steps of an instruction, as a list.",
    .about = "Nothing is folded; nearest first. " XPD_GRAPH_NOT_FOUND,
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .answer = xpd_graph_near_record,
    .make = near,
    .not_found = xpd_graph_nearest,
    .file_name = "near.csv"};
