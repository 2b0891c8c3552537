/* /api/v1/graph/layouts: copies that only change a layout. */
#include "graph_rows.h"
#include "xprofd/graph/totals.h"

#define COUNT_DEFAULT 100
#define COUNT_MAX     2000

#define XPD_GRAPH_LAYOUT_FIELDS(FIELD)                                                             \
    XPD_OP_IX(FIELD)                                                                               \
    XPD_OP_ID(FIELD)                                                                               \
    XPD_OP_NAME(FIELD)                                                                             \
    XPD_OP_OPCODE(FIELD)                                                                           \
    XPD_OP_MOVED(FIELD)                                                                            \
    XPD_OP_CYCLES(FIELD)                                                                           \
    XPD_OP_LINE(FIELD)                                                                             \
    XPD_OP_OP_NAME(FIELD)                                                                          \
    XPD_OP_SHAPE(FIELD)                                                                            \
    FIELD(TEXT, from, "name of the operand")                                                       \
    FIELD(TEXT, from_shape, "of the operand, with layout")
XPD_RECORD(xpd_graph_layout_row, XPD_GRAPH_LAYOUT_FIELDS)

#define XPD_GRAPH_LAYOUTS_FIELDS(FIELD)                                                            \
    FIELD(COUNT, total, "operations that change a layout, listed or not")                          \
    FIELD(INT, total_moved_bytes, "read and written by all of them")                               \
    FIELD(INLINE(xpd_graph_layout_row), rows, "")
XPD_RECORD(xpd_graph_layouts, XPD_GRAPH_LAYOUTS_FIELDS)

static const struct xpd_param_spec params[] = {{.name = "count",
                                                .type = XPD_PARAM_INT,
                                                .min = 1,
                                                .max = COUNT_MAX,
                                                .fallback = COUNT_DEFAULT,
                                                .help = "rows"},
                                               XPD_PARAM_FORMAT,
                                               {0}};

static int fill(struct xpd_graph_ask *ask, void *answer, struct xpd_err *err)
{
    struct xpd_graph_layouts *to = answer;
    struct xpd_layout_changes changes;
    uint32_t most = (uint32_t)xpd_param_int(ask->ctx, &xpd_tool_graph_layouts, "count");
    int rc = xpd_graph_layout_changes(&changes, ask->ctx->arena, ask->index, ask->costs, most, err);
    if (rc != XPD_OK)
        return rc;
    uint32_t n = changes.count, *ix = XPD_NEW_ARRAY(ask->ctx->arena, uint32_t, n);
    struct xpd_graph_layout_row *row =
        XPD_NEW_ARRAY(ask->ctx->arena, struct xpd_graph_layout_row, n);
    if (!ix || !row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t operand = changes.at[i].operand;
        ix[i] = changes.at[i].instruction;
        row[i].from = xpd_graph_name(ask, operand);
        row[i].from_shape = xpd_graph_shape(ask, ask->hlo->instructions.shape[operand]);
    }
    xpd_graph_fill(ask, xpd_graph_layout_row_record(), row, ix, n);
    to->total = changes.total;
    to->total_moved_bytes = changes.bytes;
    to->rows.at = row;
    to->rows.n = n;
    return XPD_OK;
}

static int layouts(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    return xpd_graph_answer(ctx, xpd_graph_layouts_record(), fill, out, err);
}

const struct xpd_tool xpd_tool_graph_layouts = {
    .route = "/api/v1/graph/layouts",
    .title = "Copies and transposes that only change a layout, largest first.",
    .about =
        "Also fusions with such a root. Operand and result have the same element type and the "
        "same dimensions in any order, and another order of dimensions or other tiles; fusions "
        "of one array that only transpose, copy and reshape it may also join and split "
        "dimensions. Moves between memories that keep the layout are none.",
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .answer = xpd_graph_layouts_record,
    .make = layouts,
    .file_name = "layouts.csv"};
