/* /api/v1/graph/calls: computations as a tree of calls. */
#include "graph_rows.h"
#include "xprofd/graph/totals.h"

#define COUNT_DEFAULT 500
#define COUNT_MAX     5000

#define XPD_GRAPH_CALL_FIELDS(FIELD)                                                               \
    FIELD(COUNT, depth, "calls from the top")                                                      \
    FIELD(TEXT, computation, "its name")                                                           \
    FIELD(COUNT, ops, "instructions in it")                                                        \
    FIELD(COUNT, callers, "how many instructions call it")                                         \
    FIELD(TEXT, caller, "name of the first, \"\": none")                                           \
    FIELD(TEXT, opcode, "of the first caller")                                                     \
    FIELD(MAYBE(INT), line, "of its head, in `graph/text?format=long&metadata=1`")
XPD_RECORD(xpd_graph_call, XPD_GRAPH_CALL_FIELDS)

#define XPD_GRAPH_CALLS_FIELDS(FIELD)                                                              \
    FIELD(COUNT, left_out, "computations beyond `count`")                                          \
    FIELD(INLINE(xpd_graph_call), rows, "")
XPD_RECORD(xpd_graph_call_tree, XPD_GRAPH_CALLS_FIELDS)

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
        row[i].opcode = xpd_tools_opcode(ask->hlo, at->caller);
    }
    to->left_out = calls.left_out;
    to->rows.at = row;
    to->rows.n = calls.count;
    return XPD_OK;
}

static int calls(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    return xpd_graph_answer(ctx, xpd_graph_call_tree_record(), fill, out, err);
}

const struct xpd_tool xpd_tool_graph_calls = {
    .route = "/api/v1/graph/calls",
    .title = "The computations of a module as a tree of calls.",
    .about = "Callers before callees, each below its first caller.",
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .answer = xpd_graph_call_tree_record,
    .make = calls,
    .file_name = "calls.csv"};
