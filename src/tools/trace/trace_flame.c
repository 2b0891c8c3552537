/* /api/v1/trace/flame: the merged call tree of a selection; the heaviest nodes, the rest counted.
 */
#include "trace_common.h"
#include "xprofd/base/checked.h"
#include "xprofd/trace/flame.h"

#define NODES_MAX 2000

#define XPD_TRACE_FLAME_NODE_FIELDS(FIELD)                                                         \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(MAYBE(INDEX), parent, "index in the list; null: none")                                   \
    FIELD(INT, total_ps, "")                                                                       \
    FIELD(INT, self_ps, "total minus the nodes below, listed or not")                              \
    FIELD(INT, count, "events")                                                                    \
    FIELD(WORD(XPD_GROUP_WORDS), group, "kind of work")                                            \
    FIELD(INT, first_event, "")
XPD_RECORD(xpd_trace_flame_node, XPD_TRACE_FLAME_NODE_FIELDS)

#define XPD_TRACE_FLAME_FIELDS(FIELD)                                                              \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(WORD("host"), clock, "of all times")                                                     \
    FIELD(SIGNED, from_ps, "of the range")                                                         \
    FIELD(SIGNED, to_ps, "of the range")                                                           \
    FIELD(VALUES(INDEX), of_rows, "rows of trace/rows that were merged")                           \
    FIELD(INT, total_all_ps, "of all outermost nodes, listed or not")                              \
    FIELD(COUNT, folded, "nodes not listed")                                                       \
    FIELD(INT, lost, "events without a node: too many paths")                                      \
    FIELD(INLINE(xpd_trace_flame_node), nodes, "the heaviest first")
XPD_RECORD(xpd_trace_flame, XPD_TRACE_FLAME_FIELDS)

struct choice {
    const struct xpd_flame *flame;
    uint32_t *order; /* nodes, most time first */
    uint32_t *place; /* by node: its number in the answer + 1 */
    uint32_t *shown; /* nodes of the answer */
    uint32_t shown_count;
};

static int by_total(const void *a, const void *b, void *ctx)
{
    const struct xpd_flame_node *node = ctx;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (node[x].total_ps != node[y].total_ps)
        return node[x].total_ps > node[y].total_ps ? -1 : 1;
    return (x > y) - (x < y);
}

/* A node without its parent would hang in the air: it is folded with it. */
static int choose(struct choice *choice, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    const struct xpd_flame *flame = choice->flame;
    uint32_t n = flame->node_count;
    choice->order = XPD_NEW_ARRAY(ctx->arena, uint32_t, n);
    choice->place = XPD_NEW_ARRAY(ctx->arena, uint32_t, n);
    choice->shown = XPD_NEW_ARRAY(ctx->arena, uint32_t, n < NODES_MAX ? n : NODES_MAX);
    if (!choice->order || !choice->place || !choice->shown)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++)
        choice->order[i] = i;
    qsort_r(choice->order, n, sizeof *choice->order, by_total, flame->node);
    for (uint32_t i = 0; i < n && choice->shown_count < NODES_MAX; i++) {
        uint32_t node = choice->order[i], parent = flame->node[node].parent;
        if (parent != XPD_NO_INDEX && choice->place[parent] == 0)
            continue;
        choice->shown[choice->shown_count++] = node;
        choice->place[node] = choice->shown_count;
    }
    return XPD_OK;
}

static struct xpd_trace_flame_node node_of(const struct xpd_view *view, const struct choice *choice,
                                           uint32_t number)
{
    const struct xpd_flame_node *node = &choice->flame->node[number];
    return (struct xpd_trace_flame_node){
        .name = xpd_view_caption(view, node->name),
        .parent = node->parent == XPD_NO_INDEX ? XPD_NO_INDEX : choice->place[node->parent] - 1,
        .total_ps = node->total_ps,
        .self_ps = node->self_ps,
        .count = (int64_t)node->count,
        .group = xpd_op_group_word(xpd_view_name(view, node->name)->group),
        .first_event = (int64_t)node->first_event,
    };
}

static int fill(struct xpd_trace_flame *out, const struct xpd_trace_call *call,
                const struct choice *choice, struct xpd_err *err)
{
    const struct xpd_flame *flame = choice->flame;
    uint32_t n = choice->shown_count;
    struct xpd_trace_flame_node *node =
        XPD_NEW_ARRAY(call->ctx->arena, struct xpd_trace_flame_node, n);
    if (!node)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < flame->node_count; i++)
        if (flame->node[i].parent == XPD_NO_INDEX)
            xpd_grow_i64(&out->total_all_ps, flame->node[i].total_ps);
    for (uint32_t i = 0; i < n; i++)
        node[i] = node_of(&call->view, choice, choice->shown[i]);
    out->base_ps = call->base_ps;
    out->clock = "host";
    out->folded = flame->node_count - n;
    out->lost = (int64_t)flame->lost;
    out->nodes.at = node;
    out->nodes.n = n;
    return XPD_OK;
}

static int flame_tool(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct xpd_trace_flame *out = XPD_NEW(ctx->arena, struct xpd_trace_flame);
    struct xpd_trace_call call;
    struct xpd_row_list rows;
    struct xpd_time_range range;
    struct xpd_flame flame = {0};
    struct choice choice = {.flame = &flame};
    int rc = out ? xpd_tools_trace(ctx, 0, &call, err) : xpd_tools_no_memory(err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_rows(&call, XPD_ROWS_WORK, &rows, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_range(&call, &range, err);
    if (rc == XPD_OK)
        rc = xpd_flame_make(&flame, &call.view, rows.at, rows.count, range, err);
    if (rc == XPD_OK)
        rc = choose(&choice, ctx, err);
    if (rc == XPD_OK) {
        out->from_ps = xpd_tools_at(&call, range.from_ps);
        out->to_ps = xpd_tools_at(&call, range.to_ps);
        out->of_rows.at = rows.at;
        out->of_rows.n = rows.count;
        rc = fill(out, &call, &choice, err);
    }
    xpd_flame_fini(&flame);
    *answer = out;
    return rc;
}

static const struct xpd_param_spec params[] = {
    XPD_TRACE_PARAM_ROWS, XPD_TRACE_PARAM_FROM, XPD_TRACE_PARAM_TO,
    XPD_PARAM_FORMAT,     {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_flame = {
    .route = "/api/v1/trace/flame",
    .title = "The merged call tree of some rows in a range of time.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_trace_flame_record,
    .make = flame_tool,
    .file_name = "trace_flame.csv",
};
