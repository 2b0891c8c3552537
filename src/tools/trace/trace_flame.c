/* /api/v1/trace/flame: the merged call tree of a selection; the heaviest nodes, the rest counted.
 */
#include "trace_common.h"
#include "xprofd/trace/flame.h"

#define NODES_MAX 2000

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

static void write_parent(struct xpd_jsonw *w, const struct choice *choice, uint32_t node)
{
    uint32_t parent = choice->flame->node[node].parent;
    xpd_json_i64(w, parent == XPD_NO_INDEX ? -1 : (int64_t)choice->place[parent] - 1);
}

static void write_rows(struct xpd_jsonw *w, const struct xpd_row_list *rows)
{
    xpd_json_key(w, "of_rows");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < rows->count; i++)
        xpd_json_u64(w, rows->at[i]);
    xpd_json_arr_end(w);
}

static void write(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                  const struct choice *choice, const struct xpd_row_list *rows,
                  struct xpd_time_range range)
{
    const struct xpd_view *view = &call->view;
    const struct xpd_flame_node *node = choice->flame->node;
    uint32_t n = choice->shown_count;
    const uint32_t *at = choice->shown;
    int64_t all_ps = 0;
    for (uint32_t i = 0; i < choice->flame->node_count; i++)
        if (node[i].parent == XPD_NO_INDEX)
            all_ps += node[i].total_ps;
    xpd_json_obj(w);
    xpd_tools_base(w, call);
    xpd_json_ktext(w, "clock", "host");
    xpd_json_ki64(w, "from", xpd_tools_at(call, range.from_ps));
    xpd_json_ki64(w, "to", xpd_tools_at(call, range.to_ps));
    write_rows(w, rows);
    xpd_json_ki64(w, "total_all", all_ps);
    xpd_json_ku64(w, "n", n);
    xpd_json_ku64(w, "folded", choice->flame->node_count - n);
    xpd_json_ku64(w, "lost", choice->flame->lost);
    XPD_COLUMN(w, "name", n, xpd_json_str(w, xpd_view_caption(view, node[at[row]].name)));
    XPD_COLUMN(w, "parent", n, write_parent(w, choice, at[row]));
    XPD_COLUMN(w, "total", n, xpd_json_i64(w, node[at[row]].total_ps));
    XPD_COLUMN(w, "self", n, xpd_json_i64(w, node[at[row]].self_ps));
    XPD_COLUMN(w, "count", n, xpd_json_u64(w, node[at[row]].count));
    XPD_COLUMN(w, "group", n,
               xpd_json_text(w, xpd_op_group_word(xpd_view_name(view, node[at[row]].name)->group)));
    XPD_COLUMN(w, "first_event", n, xpd_json_u64(w, node[at[row]].first_event));
    xpd_json_obj_end(w);
}

static int flame_tool(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                      struct xpd_err *err)
{
    struct xpd_trace_call call;
    struct xpd_row_list rows;
    struct xpd_time_range range;
    struct xpd_flame flame = {0};
    struct choice choice = {.flame = &flame};
    int rc = xpd_tools_trace(ctx, 0, &call, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_rows(&call, XPD_ROWS_WORK, &rows, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_range(&call, &range, err);
    if (rc == XPD_OK)
        rc = xpd_flame_make(&flame, &call.view, rows.at, rows.count, range, err);
    if (rc == XPD_OK)
        rc = choose(&choice, ctx, err);
    if (rc == XPD_OK) {
        struct xpd_jsonw w;
        xpd_jsonw_init(&w, &out->body);
        write(&w, &call, &choice, &rows, range);
    }
    xpd_flame_fini(&flame);
    return rc;
}

static const struct xpd_param_spec params[] = {
    XPD_TRACE_PARAM_ROWS,
    XPD_TRACE_PARAM_FROM,
    XPD_TRACE_PARAM_TO,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_flame = {
    .route = "/api/v1/trace/flame",
    .title = "The merged call tree of some rows in a range of time.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .run = flame_tool,
};
