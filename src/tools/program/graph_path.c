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
          "operand that the previous row is; null: through a body's root, or the first row")
XPD_RECORD(xpd_graph_path_row, XPD_GRAPH_PATH_ROW_FIELDS)

#define XPD_GRAPH_PATH_FIELDS(FIELD)                                                               \
    FIELD(BOOL, found, "")                                                                         \
    FIELD(BOOL, reversed, "the value flows from `to` to `from`, as do the rows")                   \
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
        xpd_graph_rows(ask, xpd_graph_path_row_record(), path.instruction, path.count);
    if (!row)
        return xpd_tools_no_memory(err);
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

XPD_MAKE_BY(xpd_graph_answer, path, xpd_graph_way_record, fill)

const struct xpd_tool xpd_tool_graph_path = {
    .route = "/api/v1/graph/path",
    .title = "The shortest path of a value from one instruction to another.",
    .about = "Follows data only: from operands to users, into called computations through their "
             "parameters, out through their root. " XPD_GRAPH_NOT_FOUND,
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .answer = xpd_graph_way_record,
    .make = path,
    .not_found = xpd_graph_nearest,
    .file_name = "path.csv"};

/* /api/v1/graph/critical: the longest chain of operations. */

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
    FIELD(INT, own, "cycles or operations that it adds; for a loop or call, the chain inside, once")
XPD_RECORD(xpd_graph_critical_row, XPD_GRAPH_CRITICAL_ROW_FIELDS)

#define XPD_GRAPH_CRITICAL_FIELDS(FIELD)                                                           \
    FIELD(WORD("cycles ops"), by, "what `length` and `own` count")                                 \
    FIELD(INT, length, "of the chain")                                                             \
    FIELD(COUNT, total, "operations of the chain")                                                 \
    FIELD(COUNT, left_out, "operations not listed at the beginning; the last 5,000 are listed")    \
    FIELD(INLINE(xpd_graph_critical_row), rows, "")
XPD_RECORD(xpd_graph_critical_chain, XPD_GRAPH_CRITICAL_FIELDS)

static const struct xpd_param_spec critical_params[] = {
    {.name = "computation", .type = XPD_PARAM_TEXT, .help = "its name; default: the entry"},
    XPD_PARAM_FORMAT,
    {0}};

static int put_rows(struct xpd_graph_critical_chain *to, struct xpd_graph_ask *ask,
                    const struct xpd_critical *chain, struct xpd_err *err)
{
    uint32_t n = chain->count < ROWS_MAX ? chain->count : ROWS_MAX;
    uint32_t skip = chain->count - n; /* the end of the chain is what one waits for */
    struct xpd_graph_critical_row *row =
        xpd_graph_rows(ask, xpd_graph_critical_row_record(), chain->instruction + skip, n);
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++)
        row[i].own = chain->own[skip + i];
    to->left_out = skip;
    to->rows.at = row;
    to->rows.n = n;
    return XPD_OK;
}

static int fill_critical(struct xpd_graph_ask *ask, void *answer, struct xpd_err *err)
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

XPD_MAKE_BY(xpd_graph_answer, critical, xpd_graph_critical_chain_record, fill_critical)

const struct xpd_tool xpd_tool_graph_critical = {
    .route = "/api/v1/graph/critical",
    .title = "The longest chain of operations of a computation.",
    .about =
        "By the compiler's cycles if it gives any, else each operation counts 1. A loop counts one "
        "iteration. Parameters, constants, tuples, their elements and bitcasts take no time.",
    .needs = XPD_NEEDS_MODULE,
    .params = critical_params,
    .answer = xpd_graph_critical_chain_record,
    .make = critical,
    .file_name = "critical.csv"};

/* /api/v1/graph/near: what lies within some steps of an instruction. */

#define RADIUS_DEFAULT 1
#define RADIUS_MAX     100
#define COUNT_DEFAULT  200
#define COUNT_MAX      5000

#define XPD_GRAPH_NEAR_ROW_FIELDS(FIELD)                                                           \
    FIELD(COUNT, distance, "steps from `node`")                                                    \
    XPD_OP_IX(FIELD)                                                                               \
    XPD_OP_ID(FIELD)                                                                               \
    XPD_OP_NAME(FIELD)                                                                             \
    XPD_OP_OPCODE(FIELD)                                                                           \
    XPD_OP_SHAPE(FIELD)                                                                            \
    XPD_OP_BYTES(FIELD)                                                                            \
    XPD_OP_CYCLES(FIELD)                                                                           \
    XPD_OP_LINE(FIELD)                                                                             \
    XPD_OP_OP_NAME(FIELD)                                                                          \
    XPD_OP_COMPUTATION(FIELD)
XPD_RECORD(xpd_graph_near_row, XPD_GRAPH_NEAR_ROW_FIELDS)

#define XPD_GRAPH_NEAR_FIELDS(FIELD)                                                               \
    FIELD(COUNT, left_out, "found and not listed")                                                 \
    FIELD(INLINE(xpd_graph_near_row), rows, "")
XPD_RECORD(xpd_graph_near, XPD_GRAPH_NEAR_FIELDS)

static const struct xpd_param_spec near_params[] = {
    {.name = "node",
     .type = XPD_PARAM_TEXT,
     .required = true,
     .help = "an instruction: id or name"},
    {.name = "radius",
     .type = XPD_PARAM_INT,
     .max = RADIUS_MAX,
     .fallback = RADIUS_DEFAULT,
     .help = "steps"},
    {.name = "way",
     .type = XPD_PARAM_ENUM,
     .words = "both operands users",
     .help = "which way to go"},
    {.name = "bodies",
     .type = XPD_PARAM_INT,
     .max = 1,
     .help = "1: also into and out of called computations"},
    XPD_GRAPH_COUNT_PARAM(COUNT_DEFAULT, COUNT_MAX),
    XPD_PARAM_FORMAT,
    {0}};

static uint32_t ways_of(const struct xpd_tool_ctx *ctx)
{
    struct xpd_str way = xpd_param_text(ctx, "way");
    uint32_t ways = xpd_str_eq(way, XPD_STR("operands")) ? XPD_REACH_OPERANDS
                    : xpd_str_eq(way, XPD_STR("users"))  ? XPD_REACH_USERS
                                                         : XPD_REACH_OPERANDS | XPD_REACH_USERS;
    return ways | (xpd_param_int(ctx, &xpd_tool_graph_near, "bodies") ? XPD_REACH_BODIES : 0u);
}

static int fill_near(struct xpd_graph_ask *ask, void *answer, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = ask->ctx;
    struct xpd_graph_near *to = answer;
    struct xpd_reach reach;
    uint32_t node, radius = (uint32_t)xpd_param_int(ctx, &xpd_tool_graph_near, "radius");
    uint32_t most = (uint32_t)xpd_param_int(ctx, &xpd_tool_graph_near, "count");
    int rc = xpd_graph_find(ask, "node", &node, err);
    if (rc == XPD_OK)
        rc = xpd_graph_reach(&reach, ctx->arena, ask->index, node, radius, ways_of(ctx), most, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_graph_near_row *row =
        xpd_graph_rows(ask, xpd_graph_near_row_record(), reach.instruction, reach.count);
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < reach.count; i++)
        row[i].distance = reach.distance[i];
    to->left_out = reach.left_out;
    to->rows.at = row;
    to->rows.n = reach.count;
    return XPD_OK;
}

XPD_MAKE_BY(xpd_graph_answer, near, xpd_graph_near_record, fill_near)

const struct xpd_tool xpd_tool_graph_near = {
    .route = "/api/v1/graph/near",
    .title = "The instructions within a few steps of an instruction, as a list.",
    .about = "Nothing is folded; nearest first. " XPD_GRAPH_NOT_FOUND,
    .needs = XPD_NEEDS_MODULE,
    .params = near_params,
    .answer = xpd_graph_near_record,
    .make = near,
    .not_found = xpd_graph_nearest,
    .file_name = "near.csv"};
