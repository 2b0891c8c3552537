/* /api/v1/graph/node: one instruction: what it uses, who uses it, what it calls, who calls it,
 * where it comes from. */
#include "graph_rows.h"

#define ROWS_MAX 2000 /* operands, users */

static const struct xpd_param_spec params[] = {{.name = "node",
                                                .type = XPD_PARAM_TEXT,
                                                .required = true,
                                                .help = "an instruction: id or name"},
                                               {0}};

#define XPD_NEAR_ROW_FIELDS(FIELD)                                                                 \
    XPD_OP_IX(FIELD)                                                                               \
    XPD_OP_ID(FIELD)                                                                               \
    XPD_OP_NAME(FIELD)                                                                             \
    XPD_OP_OPCODE(FIELD)                                                                           \
    XPD_OP_SHAPE(FIELD)                                                                            \
    XPD_OP_BYTES(FIELD)                                                                            \
    XPD_OP_SPACE(FIELD)                                                                            \
    XPD_OP_LINE(FIELD)                                                                             \
    XPD_OP_GROUP(FIELD)
XPD_RECORD(xpd_near_op, XPD_NEAR_ROW_FIELDS)

#define XPD_NEAR_OPS_FIELDS(FIELD)                                                                 \
    FIELD(COUNT, total, "number of them; at most `rows_limit` are listed")                         \
    FIELD(INLINE(xpd_near_op), rows, "")
XPD_RECORD(xpd_near_ops, XPD_NEAR_OPS_FIELDS)

#define XPD_OPERAND_ROW_FIELDS(FIELD)                                                              \
    FIELD(COUNT, operand, "its number, from 0")                                                    \
    XPD_NEAR_ROW_FIELDS(FIELD)                                                                     \
    XPD_OP_LABEL(FIELD)
XPD_RECORD(xpd_operand_op, XPD_OPERAND_ROW_FIELDS)

#define XPD_OPERANDS_FIELDS(FIELD)                                                                 \
    FIELD(COUNT, total, "number of them; at most `rows_limit` are listed")                         \
    FIELD(COUNT, missing, "operands that the module does not have")                                \
    FIELD(INLINE(xpd_operand_op), rows, "")
XPD_RECORD(xpd_operand_ops, XPD_OPERANDS_FIELDS)

#define XPD_NODE_OP_FIELDS(FIELD)                                                                  \
    XPD_OP_IX(FIELD)                                                                               \
    XPD_OP_ID(FIELD)                                                                               \
    XPD_OP_NAME(FIELD)                                                                             \
    XPD_OP_LABEL(FIELD)                                                                            \
    XPD_OP_OPCODE(FIELD)                                                                           \
    XPD_OP_KIND(FIELD)                                                                             \
    XPD_OP_OP_NAME(FIELD)                                                                          \
    XPD_OP_SHAPE(FIELD)                                                                            \
    XPD_OP_BYTES(FIELD)                                                                            \
    XPD_OP_ELEMENTS(FIELD)                                                                         \
    XPD_OP_SPACE(FIELD)                                                                            \
    XPD_OP_GROUP(FIELD)                                                                            \
    XPD_OP_SCHEME(FIELD)                                                                           \
    XPD_OP_LINE(FIELD)                                                                             \
    XPD_OP_IS_ROOT(FIELD)                                                                          \
    XPD_OP_COLLECTIVE(FIELD)                                                                       \
    XPD_OP_CYCLES(FIELD)                                                                           \
    XPD_OP_FLOPS(FIELD)                                                                            \
    XPD_OP_MOVED(FIELD)                                                                            \
    XPD_OP_MATMUL(FIELD)
XPD_RECORD(xpd_node_op, XPD_NODE_OP_FIELDS)

#define XPD_NODE_HOME_FIELDS(FIELD)                                                                \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(BOOL, is_entry, "")                                                                      \
    FIELD(BOOL, is_fusion, "")                                                                     \
    FIELD(COUNT, ops, "instructions")                                                              \
    FIELD(MAYBE(INT), line, "in `graph/text?format=long&metadata=1`; null when it is folded")
XPD_RECORD(xpd_node_home, XPD_NODE_HOME_FIELDS)

#define XPD_NODE_CALL_FIELDS(FIELD)                                                                \
    FIELD(TEXT, computation, "\"\": the module does not have it")                                  \
    FIELD(COUNT, ops, "instructions")                                                              \
    FIELD(MAYBE(INT), line, "in `graph/text?format=long&metadata=1`; null when it is folded")      \
    FIELD(STRING, does, "what a trivial one does (`add`, `max`); else \"\"")
XPD_RECORD(xpd_node_call, XPD_NODE_CALL_FIELDS)

#define XPD_NODE_CALLS_FIELDS(FIELD)                                                               \
    FIELD(COUNT, total, "number of them; at most `rows_limit` are listed")                         \
    FIELD(INLINE(xpd_node_call), rows, "")
XPD_RECORD(xpd_node_calls, XPD_NODE_CALLS_FIELDS)

#define XPD_SOURCE_FRAME_FIELDS(FIELD)                                                             \
    FIELD(TEXT, file, "")                                                                          \
    FIELD(TEXT, function, "")                                                                      \
    FIELD(INT, line, "")
XPD_RECORD(xpd_node_frame, XPD_SOURCE_FRAME_FIELDS)

#define XPD_NODE_SOURCE_FIELDS(FIELD)                                                              \
    FIELD(MAYBE(TEXT), file, "")                                                                   \
    FIELD(MAYBE(INT), line, "")                                                                    \
    FIELD(LIST(xpd_node_frame), stack, "innermost first")                                          \
    FIELD(BOOL, stack_cut, "the stack continues")                                                  \
    FIELD(BOOL, inside_fusion, "true: taken from an instruction inside")
XPD_RECORD(xpd_node_source, XPD_NODE_SOURCE_FIELDS)

#define XPD_GRAPH_NODE_FIELDS(FIELD)                                                               \
    FIELD(COLUMNS(xpd_node_op), node, "one row")                                                   \
    FIELD(OBJECT(xpd_node_home), computation, "computation that contains it")                      \
    FIELD(OBJECT(xpd_near_ops), caller,                                                            \
          "instruction that calls this computation; null for the entry")                           \
    FIELD(OBJECT(xpd_operand_ops), operands, "")                                                   \
    FIELD(OBJECT(xpd_near_ops), users, "")                                                         \
    FIELD(OBJECT(xpd_near_ops), control, "instructions that must run before it")                   \
    FIELD(OBJECT(xpd_near_ops), pair, "the done of a start, the start of a done")                  \
    FIELD(OBJECT(xpd_node_calls), calls, "computations that it calls")                             \
    FIELD(OBJECT(xpd_node_source), source, "in the user's program")                                \
    FIELD(COUNT, rows_limit, "")
XPD_RECORD(xpd_node_answer, XPD_GRAPH_NODE_FIELDS)

/* The operands that are in the module, with their numbers. */
static const struct xpd_operand_ops *operands_of(struct xpd_graph_ask *ask, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &ask->hlo->instructions;
    struct xpd_arena *arena = ask->ctx->arena;
    uint32_t first = ins->operand_first[i], count = ins->operand_first[i + 1] - first, n = 0;
    uint32_t most = count < ROWS_MAX ? count : ROWS_MAX;
    uint32_t *at = XPD_NEW_ARRAY(arena, uint32_t, most);
    struct xpd_operand_ops *out = XPD_NEW(arena, struct xpd_operand_ops);
    struct xpd_operand_op *row = XPD_NEW_ARRAY(arena, struct xpd_operand_op, most);
    if (!at || !out || !row)
        return NULL;
    out->total = count;
    for (uint32_t k = 0; k < count; k++) {
        out->missing += ins->operand[first + k] == XPD_NO_INDEX;
        if (ins->operand[first + k] == XPD_NO_INDEX || n == ROWS_MAX)
            continue;
        row[n].operand = k;
        at[n++] = ins->operand[first + k];
    }
    xpd_graph_fill(ask, xpd_operand_op_record(), row, at, n);
    out->rows.at = row;
    out->rows.n = n;
    return out;
}

static const struct xpd_near_ops *near_of(struct xpd_graph_ask *ask, const uint32_t *at,
                                          uint32_t total)
{
    uint32_t n = total < ROWS_MAX ? total : ROWS_MAX;
    struct xpd_near_ops *out = XPD_NEW(ask->ctx->arena, struct xpd_near_ops);
    struct xpd_near_op *row = xpd_graph_rows(ask, xpd_near_op_record(), at, n);
    if (!out || !row)
        return NULL;
    out->total = total;
    out->rows.at = row;
    out->rows.n = n;
    return out;
}

static const struct xpd_node_calls *calls_of(struct xpd_graph_ask *ask, uint32_t i)
{
    const struct xpd_hlo *hlo = ask->hlo;
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    const uint32_t *called = ins->called + ins->called_first[i];
    uint32_t total = ins->called_first[i + 1] - ins->called_first[i];
    uint32_t n = total < ROWS_MAX ? total : ROWS_MAX;
    struct xpd_node_calls *out = XPD_NEW(ask->ctx->arena, struct xpd_node_calls);
    struct xpd_node_call *row = XPD_NEW_ARRAY(ask->ctx->arena, struct xpd_node_call, n);
    if (!out || !row)
        return NULL;
    for (uint32_t k = 0; k < n; k++) {
        row[k] = (struct xpd_node_call){XPD_STR(""), 0, -1, ""};
        if (called[k] == XPD_NO_INDEX)
            continue;
        const char *does = ask->index->trivial[called[k]];
        row[k] = (struct xpd_node_call){xpd_hlo_text(hlo, hlo->computations.name[called[k]]),
                                        hlo->computations.instruction_count[called[k]],
                                        xpd_graph_head_line(ask, called[k]), does ? does : ""};
    }
    out->total = total;
    out->rows.at = row;
    out->rows.n = n;
    return out;
}

static const struct xpd_node_source *source_of(struct xpd_graph_ask *ask, uint32_t i)
{
    struct xpd_source_info source;
    xpd_source_of(ask->hlo, i, &source);
    struct xpd_node_source *out = XPD_NEW(ask->ctx->arena, struct xpd_node_source);
    struct xpd_node_frame *row =
        XPD_NEW_ARRAY(ask->ctx->arena, struct xpd_node_frame, source.frame_count);
    if (!out || !row)
        return NULL;
    for (uint32_t k = 0; k < source.frame_count; k++) {
        const struct xpd_hlo_frame *frame = &ask->hlo->frame[source.frame[k] - 1];
        row[k] = (struct xpd_node_frame){xpd_hlo_text(ask->hlo, frame->file),
                                         xpd_hlo_text(ask->hlo, frame->function), frame->line};
    }
    out->file = xpd_tools_or_null(source.file);
    out->line = source.file.size ? source.line : -1;
    out->stack.at = row;
    out->stack.n = source.frame_count;
    out->stack_cut = source.frames_cut;
    out->inside_fusion = source.from != i;
    return out;
}

static const struct xpd_node_home *home_of(struct xpd_graph_ask *ask, uint32_t computation)
{
    const struct xpd_hlo *hlo = ask->hlo;
    struct xpd_node_home *out = XPD_NEW(ask->ctx->arena, struct xpd_node_home);
    if (out)
        *out = (struct xpd_node_home){xpd_hlo_text(hlo, hlo->computations.name[computation]),
                                      computation == hlo->entry,
                                      ask->index->fusion_of[computation] != XPD_NO_INDEX,
                                      hlo->computations.instruction_count[computation],
                                      xpd_graph_head_line(ask, computation)};
    return out;
}

static int node(struct xpd_graph_ask *ask, void *answer, struct xpd_err *err)
{
    struct xpd_node_answer *out = answer;
    const struct xpd_graph_index *index = ask->index;
    struct xpd_node_op *own = XPD_NEW(ask->ctx->arena, struct xpd_node_op);
    uint32_t i;
    if (!own)
        return xpd_tools_no_memory(err);
    int rc = xpd_graph_find(ask, "node", &i, err);
    if (rc != XPD_OK)
        return rc;
    uint32_t computation = ask->hlo->instructions.computation[i];
    uint32_t caller = index->caller_of[computation];
    uint32_t pair = index->op[i] == XPD_GOP_DONE ? index->fold[i] : index->pair[i];
    xpd_graph_fill(ask, xpd_node_op_record(), own, &i, 1);
    *out = (struct xpd_node_answer){
        .node = {own, 1},
        .computation = home_of(ask, computation),
        .caller = near_of(ask, &caller, caller != XPD_NO_INDEX),
        .operands = operands_of(ask, i),
        .users = near_of(ask, index->user + index->user_first[i], xpd_index_users(index, i)),
        .control = near_of(ask, index->control + index->control_first[i],
                           index->control_first[i + 1] - index->control_first[i]),
        .pair = near_of(ask, &pair, pair != XPD_NO_INDEX),
        .calls = calls_of(ask, i),
        .source = source_of(ask, i),
        .rows_limit = ROWS_MAX,
    };
    return XPD_OK;
}

XPD_MAKE_BY(xpd_graph_answer, make, xpd_node_answer_record, node)

const struct xpd_tool xpd_tool_graph_node = {
    .route = "/api/v1/graph/node",
    .title = "One instruction: operands, users, called computations and source.",
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .about = XPD_GRAPH_NOT_FOUND,
    .answer = xpd_node_answer_record,
    .make = make,
    .not_found = xpd_graph_nearest};
