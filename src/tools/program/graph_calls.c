/* /api/v1/graph/calls: computations as a tree of calls. */
#include "graph_rows.h"
#include "xprofd/graph/totals.h"

#define COUNT_DEFAULT 500
#define COUNT_MAX     5000

static const struct xpd_param_spec params[] = {{.name = "count",
                                                .type = XPD_PARAM_INT,
                                                .min = 1,
                                                .max = COUNT_MAX,
                                                .fallback = COUNT_DEFAULT,
                                                .help = "rows, 1 to 5000, default 500"},
                                               {0}};

static void put_caller(struct xpd_graph_ask *ask, uint32_t caller)
{
    if (caller == XPD_NO_INDEX)
        xpd_json_text(&ask->w, "");
    else
        xpd_graph_put_name(ask, caller);
}

static void put(struct xpd_graph_ask *ask, const struct xpd_calls *calls)
{
    struct xpd_jsonw *w = &ask->w;
    const struct xpd_call *at = calls->at;
    const struct xpd_hlo_computations *c = &ask->hlo->computations;
    uint32_t n = calls->count;
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    xpd_json_ku64(w, "left_out", calls->left_out);
    XPD_COLUMN(w, "depth", n, xpd_json_u64(w, at[row].depth));
    XPD_COLUMN(w, "computation", n,
               xpd_json_str(w, xpd_hlo_text(ask->hlo, c->name[at[row].computation])));
    XPD_COLUMN(w, "ops", n, xpd_json_u64(w, c->instruction_count[at[row].computation]));
    XPD_COLUMN(w, "callers", n, xpd_json_u64(w, at[row].callers));
    XPD_COLUMN(w, "caller", n, put_caller(ask, at[row].caller));
    XPD_COLUMN(w, "opcode", n,
               xpd_json_str(w, at[row].caller == XPD_NO_INDEX
                                   ? XPD_STR("")
                                   : xpd_tools_opcode(ask->hlo, at[row].caller)));
    XPD_COLUMN(w, "line", n,
               xpd_graph_put_known(ask, ask->index->head_line[at[row].computation]
                                            ? (int64_t)ask->index->head_line[at[row].computation]
                                            : -1));
    xpd_json_obj_end(w);
}

static int run(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_graph_ask ask;
    struct xpd_calls calls;
    int rc = xpd_graph_ask_init(&ask, ctx, out, err);
    if (rc == XPD_OK)
        rc = xpd_graph_calls(&calls, ctx->arena, ask.index,
                             (uint32_t)xpd_param_int(ctx, &xpd_tool_graph_calls, "count"), err);
    if (rc == XPD_OK)
        put(&ask, &calls);
    xpd_graph_ask_fini(&ask);
    return rc;
}

const struct xpd_tool xpd_tool_graph_calls = {
    .route = "/api/v1/graph/calls",
    .title = "The computations of a module as a tree of calls.",
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .run = run};
