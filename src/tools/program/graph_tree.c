/* /api/v1/graph/tree: one level of a program: computations, scopes with repeated layers folded,
 * operations. */
#include "graph_tree.h"
#include "../tables/tables.h"

static const struct xpd_param_spec params[] = {
    {.name = "parent", .type = XPD_PARAM_TEXT, .help = "`key` of a row; default: the top"}, {0}};

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    const struct xpd_graph_index *index = xpd_table_graph(ctx, err);
    const struct xpd_costs *costs = index ? xpd_tools_costs(ctx, err) : NULL;
    (void)detail;
    return costs ? xpd_outline_index_make(table, arena, index, costs, err) : XPD_ENOMEM;
}

const struct xpd_outline_index *xpd_table_outline(const struct xpd_graph_ask *ask,
                                                  struct xpd_err *err)
{
    return xpd_table(ask->ctx, XPD_TABLE_TREE, 0, false, sizeof(struct xpd_outline_index), make,
                     err);
}

/* The last part of op_name with the scope before it, for a label: "attention/dot_general". */
static struct xpd_str short_path(const struct xpd_hlo *hlo, uint32_t i)
{
    struct xpd_str path = xpd_tools_op_name(hlo, i);
    size_t at = path.size;
    for (int parts = 0; at > 0; at--)
        if (path.data[at - 1] == '/' && ++parts == 2)
            break;
    return (struct xpd_str){path.data + at, path.size - at};
}

void xpd_graph_put_heaviest(struct xpd_graph_ask *ask, const struct xpd_heaviest *heaviest)
{
    struct xpd_jsonw *w = &ask->w;
    const struct xpd_heavy *at = heaviest->at;
    uint32_t n = heaviest->count, first[XPD_HEAVIEST];
    for (uint32_t k = 0; k < n; k++)
        first[k] = at[k].first;
    xpd_json_key(w, "heaviest");
    xpd_json_obj(w);
    xpd_json_ktext(w, "by", heaviest->by_time ? "time" : heaviest->by_cycles ? "cycles" : "bytes");
    xpd_json_ku64(w, "n", n);
    xpd_json_ku64(w, "limit", XPD_HEAVIEST);
    xpd_graph_columns(ask, "name opcode group matmul line", first, n);
    XPD_COLUMN(w, "last", n, if (at[row].repeat > 1) xpd_graph_put_name(ask, at[row].last);
               else xpd_json_text(w, ""));
    XPD_COLUMN(w, "repeat", n, xpd_json_u64(w, at[row].repeat));
    if (heaviest->by_time)
        XPD_COLUMN(w, "self_ps", n, xpd_json_i64(w, at[row].weight));
    XPD_COLUMN(w, "cycles", n, xpd_graph_put_known(ask, at[row].sum.cycles));
    XPD_COLUMN(w, "flops", n, xpd_graph_put_known(ask, at[row].sum.flops));
    XPD_COLUMN(w, "bytes", n, xpd_graph_put_known(ask, at[row].sum.bytes));
    XPD_COLUMN(w, "label", n, xpd_json_str(w, short_path(ask->hlo, first[row])));
    xpd_json_obj_end(w);
}

static const char *const kinds[] = {"computation", "scope", "fold", "op", "group"};

static void put_ix(struct xpd_graph_ask *ask, const struct xpd_outline_row *row)
{
    xpd_tools_index(&ask->w, row->instruction);
}

static void put_id(struct xpd_graph_ask *ask, const struct xpd_outline_row *row)
{
    if (row->instruction != XPD_NO_INDEX)
        xpd_graph_put_id(ask, row->instruction);
    else
        xpd_json_text(&ask->w, "");
}

static void put_line(struct xpd_graph_ask *ask, const struct xpd_outline_row *row)
{
    uint32_t line = row->instruction != XPD_NO_INDEX   ? ask->index->line[row->instruction]
                    : row->computation != XPD_NO_INDEX ? ask->index->head_line[row->computation]
                                                       : 0;
    if (line)
        xpd_json_u64(&ask->w, line);
    else
        xpd_json_null(&ask->w);
}

static void put_rows(struct xpd_graph_ask *ask, const struct xpd_outline *tree)
{
    struct xpd_jsonw *w = &ask->w;
    const struct xpd_outline_row *at = tree->row;
    uint32_t n = tree->count;
    xpd_json_obj(w);
    xpd_json_kstr(w, "parent", xpd_param_text(ask->ctx, "parent"));
    xpd_json_ku64(w, "n", n);
    xpd_json_ku64(w, "left_out", tree->left_out);
    xpd_json_ku64(w, "limit", XPD_OUTLINE_ROWS_MAX);
    XPD_COLUMN(w, "key", n, xpd_json_str(w, at[row].key));
    XPD_COLUMN(w, "label", n, xpd_json_str(w, at[row].label));
    XPD_COLUMN(w, "kind", n, xpd_json_text(w, kinds[at[row].kind]));
    XPD_COLUMN(w, "repeat", n, xpd_json_u64(w, at[row].repeat));
    XPD_COLUMN(w, "ops", n, xpd_json_i64(w, at[row].sum.ops));
    XPD_COLUMN(w, "ops_each", n,
               xpd_graph_put_known(ask, at[row].repeat && at[row].sum.ops % at[row].repeat == 0
                                            ? at[row].sum.ops / at[row].repeat
                                            : -1));
    XPD_COLUMN(w, "cycles", n, xpd_graph_put_known(ask, at[row].sum.cycles));
    XPD_COLUMN(w, "bytes", n, xpd_graph_put_known(ask, at[row].sum.bytes));
    XPD_COLUMN(w, "flops", n, xpd_graph_put_known(ask, at[row].sum.flops));
    XPD_COLUMN(w, "ix", n, put_ix(ask, &at[row]));
    XPD_COLUMN(w, "id", n, put_id(ask, &at[row]));
    XPD_COLUMN(w, "line", n, put_line(ask, &at[row]));
    XPD_COLUMN(w, "group", n,
               xpd_json_text(w, xpd_op_group_word((enum xpd_op_group)at[row].group)));
    XPD_COLUMN(w, "has_children", n, xpd_json_bool(w, at[row].has_children));
    xpd_json_obj_end(w);
}

static int run(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_graph_ask ask;
    struct xpd_outline tree;
    int rc = xpd_graph_ask_init(&ask, ctx, out, err);
    const struct xpd_outline_index *sums = rc == XPD_OK ? xpd_table_outline(&ask, err) : NULL;
    if (rc == XPD_OK && !sums)
        rc = XPD_ENOMEM;
    if (rc == XPD_OK)
        rc = xpd_outline_level(&tree, ctx->arena, ask.index, sums, ask.costs,
                               xpd_param_text(ctx, "parent"), err);
    if (rc == XPD_OK)
        put_rows(&ask, &tree);
    xpd_graph_ask_fini(&ask);
    return rc;
}

const struct xpd_tool xpd_tool_graph_tree = {
    .route = "/api/v1/graph/tree",
    .title =
        "One level of a program: computations, scopes with repeated layers folded, operations.",
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .run = run};
