/* /api/v1/graph/path: the shortest way of a value from one instruction to another. */
#include "graph_rows.h"
#include "xprofd/graph/path.h"

#define XPD_GRAPH_PATH_ROW_FIELDS(FIELD)                                                           \
    XPD_OP_IX(FIELD)                                                                               \
    XPD_OP_ID(FIELD)                                                                               \
    XPD_OP_NAME(FIELD)                                                                             \
    XPD_OP_OPCODE(FIELD)                                                                           \
    XPD_OP_SHAPE(FIELD)                                                                            \
    XPD_OP_BYTES(FIELD)                                                                            \
    XPD_OP_GROUP(FIELD)                                                                            \
    XPD_OP_LINE(FIELD)                                                                             \
    XPD_OP_COMPUTATION(FIELD)                                                                      \
    XPD_OP_CYCLES(FIELD)                                                                           \
    FIELD(MAYBE(INDEX), operand,                                                                   \
          "by which the row before comes in; null: through a body's root, or the first")
XPD_RECORD(xpd_graph_path_row, XPD_GRAPH_PATH_ROW_FIELDS)

#define XPD_GRAPH_PATH_FIELDS(FIELD)                                                               \
    FIELD(BOOL, found, "")                                                                         \
    FIELD(BOOL, reversed, "the value goes from `to` to `from`, and so do the rows")                \
    FIELD(INLINE(xpd_graph_path_row), rows, "")                                                    \
    FIELD(TEXT, why, "a sentence when none was found, else \"\"")
XPD_RECORD(xpd_graph_way, XPD_GRAPH_PATH_FIELDS)

static const struct xpd_param_spec params[] = {
    {.name = "from",
     .type = XPD_PARAM_TEXT,
     .required = true,
     .help = "an instruction: id or name"},
    {.name = "to", .type = XPD_PARAM_TEXT, .required = true, .help = "an instruction: id or name"},
    XPD_PARAM_FORMAT,
    {0}};

static struct xpd_str why(struct xpd_graph_ask *ask, uint32_t from, uint32_t to)
{
    struct xpd_str a = xpd_graph_name(ask, from), b = xpd_graph_name(ask, to);
    struct xpd_strbuf *text = &ask->scratch;
    xpd_strbuf_puts(text, "No value flows from ");
    xpd_strbuf_add(text, a.data, a.size);
    xpd_strbuf_puts(text, " to ");
    xpd_strbuf_add(text, b.data, b.size);
    xpd_strbuf_puts(text, " or back; neither depends on the other.");
    return xpd_strbuf_keep(&ask->scratch, ask->ctx->arena);
}

static int fill(struct xpd_graph_ask *ask, void *answer, struct xpd_err *err)
{
    struct xpd_graph_way *to = answer;
    struct xpd_path path;
    uint32_t first, last;
    int rc = xpd_graph_find(ask, "from", &first, err);
    if (rc == XPD_OK)
        rc = xpd_graph_find(ask, "to", &last, err);
    if (rc == XPD_OK)
        rc = xpd_graph_path(&path, ask->ctx->arena, ask->index, first, last, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_graph_path_row *row =
        XPD_NEW_ARRAY(ask->ctx->arena, struct xpd_graph_path_row, path.count);
    if (!row)
        return xpd_tools_no_memory(err);
    xpd_graph_fill(ask, xpd_graph_path_row_record(), row, path.instruction, path.count);
    for (uint32_t i = 0; i < path.count; i++)
        row[i].operand = path.operand[i];
    to->found = path.found;
    to->reversed = path.reversed;
    to->rows.at = row;
    to->rows.n = path.count;
    if (!path.found)
        to->why = why(ask, first, last);
    return XPD_OK;
}

static int path(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    return xpd_graph_answer(ctx, xpd_graph_way_record(), fill, out, err);
}

const struct xpd_tool xpd_tool_graph_path = {
    .route = "/api/v1/graph/path",
    .title = "The shortest way of a value from one instruction to another.",
    .about = "Data flow only: operands to users, into called computations by their parameters and "
             "out by their root. " XPD_GRAPH_NOT_FOUND,
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .answer = xpd_graph_way_record,
    .make = path,
    .not_found = xpd_graph_nearest,
    .file_name = "path.csv"};
