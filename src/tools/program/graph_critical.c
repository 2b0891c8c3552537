/* /api/v1/graph/critical: the longest chain of operations. */
#include "graph_rows.h"
#include "xprofd/graph/path.h"

#define ROWS_MAX 5000

#define XPD_GRAPH_CRITICAL_ROW_FIELDS(FIELD)                                                       \
    XPD_OP_IX(FIELD)                                                                               \
    XPD_OP_ID(FIELD)                                                                               \
    XPD_OP_NAME(FIELD)                                                                             \
    XPD_OP_OPCODE(FIELD)                                                                           \
    XPD_OP_OP_NAME(FIELD)                                                                          \
    XPD_OP_SHAPE(FIELD)                                                                            \
    XPD_OP_BYTES(FIELD)                                                                            \
    XPD_OP_GROUP(FIELD)                                                                            \
    XPD_OP_LINE(FIELD)                                                                             \
    FIELD(INT, own, "cycles or operations that it adds; a loop or call: the chain inside it, once")
XPD_RECORD(xpd_graph_critical_row, XPD_GRAPH_CRITICAL_ROW_FIELDS)

#define XPD_GRAPH_CRITICAL_FIELDS(FIELD)                                                           \
    FIELD(WORD("cycles ops"), by, "what `length` and `own` count")                                 \
    FIELD(INT, length, "of the chain")                                                             \
    FIELD(COUNT, total, "operations of the chain")                                                 \
    FIELD(COUNT, left_out, "operations at its beginning: at most 5,000, its end, are listed")      \
    FIELD(INLINE(xpd_graph_critical_row), rows, "")
XPD_RECORD(xpd_graph_critical_chain, XPD_GRAPH_CRITICAL_FIELDS)

static const struct xpd_param_spec params[] = {
    {.name = "computation", .type = XPD_PARAM_TEXT, .help = "its name; default: the entry"},
    XPD_PARAM_FORMAT,
    {0}};

static int put_rows(struct xpd_graph_critical_chain *to, struct xpd_graph_ask *ask,
                    const struct xpd_critical *chain, struct xpd_err *err)
{
    uint32_t n = chain->count < ROWS_MAX ? chain->count : ROWS_MAX;
    uint32_t skip = chain->count - n; /* the end of the chain is what one waits for */
    struct xpd_graph_critical_row *row =
        XPD_NEW_ARRAY(ask->ctx->arena, struct xpd_graph_critical_row, n);
    if (!row)
        return xpd_tools_no_memory(err);
    xpd_graph_fill(ask, xpd_graph_critical_row_record(), row, chain->instruction + skip, n);
    for (uint32_t i = 0; i < n; i++)
        row[i].own = chain->own[skip + i];
    to->left_out = skip;
    to->rows.at = row;
    to->rows.n = n;
    return XPD_OK;
}

static int fill(struct xpd_graph_ask *ask, void *answer, struct xpd_err *err)
{
    struct xpd_graph_critical_chain *to = answer;
    struct xpd_critical chain;
    uint32_t computation = XPD_NO_INDEX;
    int rc = xpd_graph_pick_computation(ask->ctx, &computation, err);
    if (rc == XPD_OK)
        rc = xpd_graph_critical(&chain, ask->ctx->arena, ask->index, ask->costs->cycles,
                                computation, err);
    if (rc != XPD_OK)
        return rc;
    to->by = chain.by_cycles ? "cycles" : "ops";
    to->length = chain.length;
    to->total = chain.count;
    return put_rows(to, ask, &chain, err);
}

static int critical(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    return xpd_graph_answer(ctx, xpd_graph_critical_chain_record(), fill, out, err);
}

const struct xpd_tool xpd_tool_graph_critical = {
    .route = "/api/v1/graph/critical",
    .title = "The longest chain of operations of a computation.",
    .about = "By the compiler's cycles where it gives any, else each operation counts 1. A loop's "
             "turn counts once. Parameters, constants, tuples, their elements and bitcasts take no "
             "time.",
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .answer = xpd_graph_critical_chain_record,
    .make = critical,
    .file_name = "critical.csv"};
