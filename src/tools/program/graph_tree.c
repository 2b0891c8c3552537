/* /api/v1/graph/tree: one level of a program: computations, scopes with repeated layers folded,
 * operations. */
#include "graph_tree.h"
#include "../tables/tools_tables.h"

XPD_RECORD_TABLE(xpd_graph_heavy, XPD_GRAPH_HEAVY_FIELDS)
XPD_RECORD_TABLE(xpd_graph_heaviest_list, XPD_GRAPH_HEAVIEST_FIELDS)

#define XPD_GRAPH_TREE_ROW_FIELDS(FIELD)                                                           \
    FIELD(TEXT, key, "for `parent`")                                                               \
    FIELD(TEXT, label, "")                                                                         \
    FIELD(WORD("computation scope fold op group"), kind, "")                                       \
    FIELD(COUNT, repeat,                                                                           \
          "number of occurrences of a fold: numbered scopes, equal operations, or a scope of "     \
          "which three quarters of the operations occur a multiple of that number")                \
    FIELD(INT, ops, "operations, including called computations below")                             \
    FIELD(MAYBE(INT), ops_each, "operations of one occurrence; null if they differ")               \
    FIELD(MAYBE(INT), cycles, "the compiler's estimates")                                          \
    FIELD(MAYBE(INT), moved_bytes, "read and written")                                             \
    FIELD(MAYBE(INT), flops,                                                                       \
          "null: unknown; FLOPs of fusion bodies and other called regions count at their callers") \
    FIELD(MAYBE(INDEX), ix, "index of the only or first instruction")                              \
    FIELD(TEXT, id, "of that instruction, or \"\"")                                                \
    FIELD(MAYBE(INT), line,                                                                        \
          "of the first operation, or of the computation, in "                                     \
          "`graph/text?format=long&metadata=1`")                                                   \
    FIELD(WORD(XPD_GROUP_WORDS), group, "kind of work with most time")                             \
    FIELD(BOOL, has_children, "")
XPD_RECORD(xpd_graph_tree_row, XPD_GRAPH_TREE_ROW_FIELDS)

#define XPD_GRAPH_TREE_FIELDS(FIELD)                                                               \
    FIELD(TEXT, parent, "the parameter `parent`")                                                  \
    FIELD(INLINE(xpd_graph_tree_row), rows, "")                                                    \
    FIELD(COUNT, left_out, "rows merged into the last one, which has no children")                 \
    FIELD(COUNT, limit, "rows at most")
XPD_RECORD(xpd_graph_level, XPD_GRAPH_TREE_FIELDS)

static const struct xpd_param_spec params[] = {
    {.name = "parent", .type = XPD_PARAM_TEXT, .help = "`key` of a row; default: the top"},
    XPD_PARAM_FORMAT,
    {0}};

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
    struct xpd_str path = xpd_hlo_op_name(hlo, i);
    size_t at = path.size;
    for (int parts = 0; at > 0; at--)
        if (path.data[at - 1] == '/' && ++parts == 2)
            break;
    return (struct xpd_str){path.data + at, path.size - at};
}

const struct xpd_graph_heaviest_list *xpd_graph_heaviest_rows(struct xpd_graph_ask *ask,
                                                              const struct xpd_heaviest *heaviest)
{
    struct xpd_arena *arena = ask->ctx->arena;
    uint32_t n = heaviest->count, *first = XPD_NEW_ARRAY(arena, uint32_t, n);
    struct xpd_graph_heaviest_list *to = XPD_NEW(arena, struct xpd_graph_heaviest_list);
    struct xpd_graph_heavy *row = XPD_NEW_ARRAY(arena, struct xpd_graph_heavy, n);
    if (!first || !to || !row)
        return NULL;
    for (uint32_t k = 0; k < n; k++)
        first[k] = heaviest->at[k].first;
    xpd_graph_fill(ask, xpd_graph_heavy_record(), row, first, n);
    for (uint32_t k = 0; k < n; k++) {
        const struct xpd_heavy *at = &heaviest->at[k];
        row[k].last = at->repeat > 1 ? xpd_graph_name(ask, at->last) : XPD_STR("");
        row[k].repeat = at->repeat;
        row[k].self_ps = heaviest->by_time ? at->weight : -1;
        row[k].cycles = at->sum.cycles;
        row[k].flops = at->sum.flops;
        row[k].moved_bytes = at->sum.bytes;
        row[k].label = short_path(ask->hlo, first[k]);
    }
    to->by = heaviest->by_time ? "time" : heaviest->by_cycles ? "cycles" : "bytes";
    to->limit = XPD_HEAVIEST;
    to->rows.at = row;
    to->rows.n = n;
    return to;
}

static struct xpd_str id_of(const struct xpd_graph_ask *ask, uint32_t i)
{
    char *text = i != XPD_NO_INDEX
                     ? xpd_arena_printf(ask->ctx->arena, "%" PRId64, ask->hlo->instructions.id[i])
                     : NULL;
    return text ? xpd_str_of(text) : XPD_STR("");
}

static int64_t line_of(const struct xpd_graph_ask *ask, const struct xpd_outline_row *row)
{
    if (row->instruction == XPD_NO_INDEX)
        return xpd_graph_head_line(ask, row->computation);
    uint32_t line = ask->index->line[row->instruction];
    return line ? (int64_t)line : -1;
}

static struct xpd_graph_tree_row row_of(const struct xpd_graph_ask *ask,
                                        const struct xpd_outline_row *at)
{
    static const char *const kinds[] = {"computation", "scope", "fold", "op", "group"};
    bool even = at->repeat && at->sum.ops % at->repeat == 0;
    return (struct xpd_graph_tree_row){.key = at->key,
                                       .label = at->label,
                                       .kind = kinds[at->kind],
                                       .repeat = at->repeat,
                                       .ops = at->sum.ops,
                                       .ops_each = even ? at->sum.ops / at->repeat : -1,
                                       .cycles = at->sum.cycles,
                                       .moved_bytes = at->sum.bytes,
                                       .flops = at->sum.flops,
                                       .ix = at->instruction,
                                       .id = id_of(ask, at->instruction),
                                       .line = line_of(ask, at),
                                       .group = xpd_op_group_word((enum xpd_op_group)at->group),
                                       .has_children = at->has_children};
}

static int fill(struct xpd_graph_ask *ask, void *answer, struct xpd_err *err)
{
    struct xpd_graph_level *to = answer;
    struct xpd_outline tree;
    const struct xpd_outline_index *sums = xpd_table_outline(ask, err);
    if (!sums)
        return XPD_ENOMEM;
    to->parent = xpd_param_text(ask->ctx, "parent");
    int rc =
        xpd_outline_level(&tree, ask->ctx->arena, ask->index, sums, ask->costs, to->parent, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_graph_tree_row *row =
        XPD_NEW_ARRAY(ask->ctx->arena, struct xpd_graph_tree_row, tree.count);
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t k = 0; k < tree.count; k++)
        row[k] = row_of(ask, &tree.row[k]);
    to->rows.at = row;
    to->rows.n = tree.count;
    to->left_out = tree.left_out;
    to->limit = XPD_OUTLINE_ROWS_MAX;
    return XPD_OK;
}

XPD_MAKE_BY(xpd_graph_answer, level, xpd_graph_level_record, fill)

const struct xpd_tool xpd_tool_graph_tree = {
    .route = "/api/v1/graph/tree",
    .title =
        "One level of a program: computations, scopes with repeated layers folded, operations.",
    .about = "The rows of a level add up to their parent; every instruction is counted once. Below "
             "the top: the entry (with the computations that its while, conditional and call "
             "operations run, below these), fusion bodies, called regions, async wrappers, "
             "computations that nothing calls. A `parent` that is not there: 404.",
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .answer = xpd_graph_level_record,
    .make = level,
    .file_name = "tree.csv",
    XPD_IN_REPORT("", {130, XPD_EACH_MODULE, "", "the computations of each program"},
                  {130, XPD_EACH_ENTRY, "parent={computation_key}", NULL}),
};
