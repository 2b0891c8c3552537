/* /api/v1/graph/opcodes: instructions summed by opcode. */
#include "graph_rows.h"
#include "xprofd/graph/totals.h"

#define XPD_GRAPH_OPCODE_FIELDS(FIELD)                                                             \
    FIELD(TEXT, opcode, "")                                                                        \
    FIELD(INT, count, "instructions")                                                              \
    FIELD(MAYBE(INT), cycles, "the compiler's estimates")                                          \
    FIELD(MAYBE(INT), flops, "FLOPs of the instructions themselves, without called computations")  \
    FIELD(MAYBE(INT), moved_bytes, "read and written")                                             \
    FIELD(INT, result_bytes, "of all results")                                                     \
    FIELD(TEXT, first, "name of one")
XPD_RECORD(xpd_graph_opcode, XPD_GRAPH_OPCODE_FIELDS)

#define XPD_GRAPH_OPCODES_FIELDS(FIELD)                                                            \
    FIELD(COUNT, computations, "summed over")                                                      \
    FIELD(INT, instructions, "of all opcodes")                                                     \
    FIELD(INT, edges, "operands, one for each use")                                                \
    FIELD(INT, fusions, "")                                                                        \
    FIELD(INLINE(xpd_graph_opcode), rows, "")
XPD_RECORD(xpd_graph_opcodes, XPD_GRAPH_OPCODES_FIELDS)

static const struct xpd_param_spec params[] = {
    {.name = "computation", .type = XPD_PARAM_TEXT, .help = "only this computation; default: all"},
    XPD_PARAM_FORMAT,
    {0}};

static int put_rows(struct xpd_graph_opcodes *to, const struct xpd_graph_ask *ask,
                    const struct xpd_opcode_totals *totals, struct xpd_err *err)
{
    struct xpd_graph_opcode *row =
        XPD_NEW_ARRAY(ask->ctx->arena, struct xpd_graph_opcode, totals->count);
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < totals->count; i++) {
        const struct xpd_opcode_total *at = &totals->at[i];
        row[i] = (struct xpd_graph_opcode){.opcode = xpd_hlo_text(ask->hlo, at->opcode),
                                           .count = at->sum.ops,
                                           .cycles = at->sum.cycles,
                                           .flops = at->sum.flops,
                                           .moved_bytes = at->sum.bytes,
                                           .result_bytes = at->result_bytes,
                                           .first = xpd_graph_name(ask, at->first)};
    }
    to->rows.at = row;
    to->rows.n = totals->count;
    return XPD_OK;
}

static int fill(struct xpd_graph_ask *ask, void *answer, struct xpd_err *err)
{
    struct xpd_graph_opcodes *to = answer;
    struct xpd_opcode_totals totals;
    uint32_t computation = XPD_NO_INDEX;
    int rc = XPD_OK;
    if (xpd_param_has(ask->ctx, "computation"))
        rc = xpd_graph_pick_computation(ask->ctx, &computation, err);
    if (rc == XPD_OK)
        rc = xpd_graph_opcodes(&totals, ask->ctx->arena, ask->index, ask->costs, computation, err);
    if (rc != XPD_OK)
        return rc;
    to->computations = computation == XPD_NO_INDEX ? ask->hlo->computations.count : 1;
    to->instructions = (int64_t)totals.instructions;
    to->edges = (int64_t)totals.edges;
    to->fusions = (int64_t)totals.fusions;
    return put_rows(to, ask, &totals, err);
}

XPD_MAKE_BY(xpd_graph_answer, opcodes, xpd_graph_opcodes_record, fill)

const struct xpd_tool xpd_tool_graph_opcodes = {.route = "/api/v1/graph/opcodes",
                                                .title =
                                                    "A module's instructions summed by opcode.",
                                                .about = "Most frequent first.",
                                                .needs = XPD_NEEDS_MODULE,
                                                .params = params,
                                                .answer = xpd_graph_opcodes_record,
                                                .make = opcodes,
                                                .file_name = "opcodes.csv"};

/* /api/v1/graph/calls: computations as a tree of calls. */

#define COUNT_DEFAULT 500
#define COUNT_MAX     5000

#define XPD_GRAPH_CALL_FIELDS(FIELD)                                                               \
    FIELD(COUNT, depth, "calls from the top")                                                      \
    FIELD(TEXT, computation, "its name")                                                           \
    FIELD(COUNT, ops, "instructions in it")                                                        \
    FIELD(COUNT, callers, "number of instructions that call it")                                   \
    FIELD(TEXT, caller, "name of the first, \"\": none")                                           \
    FIELD(TEXT, opcode, "of the first caller")                                                     \
    FIELD(MAYBE(INT), line, "of its head, in `graph/text?format=long&metadata=1`")
XPD_RECORD(xpd_graph_call, XPD_GRAPH_CALL_FIELDS)

#define XPD_GRAPH_CALLS_FIELDS(FIELD)                                                              \
    FIELD(COUNT, left_out, "computations beyond `count`")                                          \
    FIELD(INLINE(xpd_graph_call), rows, "")
XPD_RECORD(xpd_graph_call_tree, XPD_GRAPH_CALLS_FIELDS)

static const struct xpd_param_spec calls_params[] = {
    XPD_GRAPH_COUNT_PARAM(COUNT_DEFAULT, COUNT_MAX), XPD_PARAM_FORMAT, {0}};

static int fill_calls(struct xpd_graph_ask *ask, void *answer, struct xpd_err *err)
{
    struct xpd_graph_call_tree *to = answer;
    struct xpd_calls calls;
    uint32_t most = (uint32_t)xpd_param_int(ask->ctx, &xpd_tool_graph_calls, "count");
    int rc = xpd_graph_calls(&calls, ask->ctx->arena, ask->index, most, err);
    struct xpd_graph_call *row =
        rc == XPD_OK ? XPD_NEW_ARRAY(ask->ctx->arena, struct xpd_graph_call, calls.count) : NULL;
    if (!row)
        return rc != XPD_OK ? rc : xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < calls.count; i++) {
        const struct xpd_call *at = &calls.at[i];
        const struct xpd_hlo_computations *all = &ask->hlo->computations;
        row[i] = (struct xpd_graph_call){.depth = at->depth,
                                         .computation =
                                             xpd_hlo_text(ask->hlo, all->name[at->computation]),
                                         .ops = all->instruction_count[at->computation],
                                         .callers = at->callers,
                                         .line = xpd_graph_head_line(ask, at->computation)};
        if (at->caller == XPD_NO_INDEX)
            continue;
        row[i].caller = xpd_graph_name(ask, at->caller);
        row[i].opcode = xpd_hlo_opcode(ask->hlo, at->caller);
    }
    to->left_out = calls.left_out;
    to->rows.at = row;
    to->rows.n = calls.count;
    return XPD_OK;
}

XPD_MAKE_BY(xpd_graph_answer, calls, xpd_graph_call_tree_record, fill_calls)

const struct xpd_tool xpd_tool_graph_calls = {
    .route = "/api/v1/graph/calls",
    .title = "The computations of a module as a tree of calls.",
    .about = "Callers before callees, each below its first caller.",
    .needs = XPD_NEEDS_MODULE,
    .params = calls_params,
    .answer = xpd_graph_call_tree_record,
    .make = calls,
    .file_name = "calls.csv"};

/* /api/v1/graph/layouts: copies that only change a layout. */

#define LAYOUTS_DEFAULT 100
#define LAYOUTS_MAX     2000

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

static const struct xpd_param_spec layouts_params[] = {
    XPD_GRAPH_COUNT_PARAM(LAYOUTS_DEFAULT, LAYOUTS_MAX), XPD_PARAM_FORMAT, {0}};

static int fill_layouts(struct xpd_graph_ask *ask, void *answer, struct xpd_err *err)
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

XPD_MAKE_BY(xpd_graph_answer, layouts, xpd_graph_layouts_record, fill_layouts)

const struct xpd_tool xpd_tool_graph_layouts = {
    .route = "/api/v1/graph/layouts",
    .title = "Copies and transposes that only change a layout, largest first.",
    .about = "Includes fusions with such a root. Operand and result have the same element type and "
             "dimensions, but another dimension order or other tiles. Fusions of one array that "
             "only transpose, copy and reshape it may also merge and split dimensions. Moves "
             "between memories that keep the layout do not count.",
    .needs = XPD_NEEDS_MODULE,
    .params = layouts_params,
    .answer = xpd_graph_layouts_record,
    .make = layouts,
    .file_name = "layouts.csv"};
