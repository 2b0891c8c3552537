/* /api/v1/graph/opcodes: instructions summed by opcode. */
#include "graph_rows.h"
#include "xprofd/graph/totals.h"

#define XPD_GRAPH_OPCODE_FIELDS(FIELD)                                                             \
    FIELD(TEXT, opcode, "")                                                                        \
    FIELD(INT, count, "instructions")                                                              \
    FIELD(MAYBE(INT), cycles, "the compiler's estimates")                                          \
    FIELD(MAYBE(INT), flops, "of the instructions themselves, not of what they call")              \
    FIELD(MAYBE(INT), moved_bytes, "read and written")                                             \
    FIELD(INT, result_bytes, "of all results")                                                     \
    FIELD(TEXT, first, "name of one")
XPD_RECORD(xpd_graph_opcode, XPD_GRAPH_OPCODE_FIELDS)

#define XPD_GRAPH_OPCODES_FIELDS(FIELD)                                                            \
    FIELD(COUNT, computations, "summed over")                                                      \
    FIELD(INT, instructions, "of all opcodes")                                                     \
    FIELD(INT, edges, "operands, each as often as it is used")                                     \
    FIELD(INT, fusions, "")                                                                        \
    FIELD(INLINE(xpd_graph_opcode), rows, "")
XPD_RECORD(xpd_graph_opcodes, XPD_GRAPH_OPCODES_FIELDS)

static const struct xpd_param_spec params[] = {
    {.name = "computation", .type = XPD_PARAM_TEXT, .help = "only of this one; default: all"},
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

static int opcodes(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    return xpd_graph_answer(ctx, xpd_graph_opcodes_record(), fill, out, err);
}

const struct xpd_tool xpd_tool_graph_opcodes = {.route = "/api/v1/graph/opcodes",
                                                .title =
                                                    "A module's instructions summed by opcode.",
                                                .about = "Most frequent first.",
                                                .needs = XPD_NEEDS_MODULE,
                                                .params = params,
                                                .answer = xpd_graph_opcodes_record,
                                                .make = opcodes,
                                                .file_name = "opcodes.csv"};
