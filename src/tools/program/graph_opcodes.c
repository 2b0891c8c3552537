/* /api/v1/graph/opcodes: instructions summed by opcode. */
#include "graph_rows.h"
#include "xprofd/graph/totals.h"

static const struct xpd_param_spec params[] = {
    {.name = "computation", .type = XPD_PARAM_TEXT, .help = "only of this one; default: all"}, {0}};

static void put(struct xpd_graph_ask *ask, const struct xpd_opcode_totals *totals, uint32_t of)
{
    struct xpd_jsonw *w = &ask->w;
    const struct xpd_opcode_total *at = totals->at;
    uint32_t n = totals->count;
    xpd_json_obj(w);
    xpd_json_ku64(w, "computations", of == XPD_NO_INDEX ? ask->hlo->computations.count : 1);
    xpd_json_ku64(w, "instructions", totals->instructions);
    xpd_json_ku64(w, "edges", totals->edges);
    xpd_json_ku64(w, "fusions", totals->fusions);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "opcode", n, xpd_json_str(w, xpd_hlo_text(ask->hlo, at[row].opcode)));
    XPD_COLUMN(w, "count", n, xpd_json_i64(w, at[row].sum.ops));
    XPD_COLUMN(w, "cycles", n, xpd_graph_put_known(ask, at[row].sum.cycles));
    XPD_COLUMN(w, "flops", n, xpd_graph_put_known(ask, at[row].sum.flops));
    XPD_COLUMN(w, "moved_bytes", n, xpd_graph_put_known(ask, at[row].sum.bytes));
    XPD_COLUMN(w, "result_bytes", n, xpd_json_i64(w, at[row].result_bytes));
    XPD_COLUMN(w, "first", n, xpd_graph_put_name(ask, at[row].first));
    xpd_json_obj_end(w);
}

static int run(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_graph_ask ask;
    struct xpd_opcode_totals totals;
    uint32_t computation = XPD_NO_INDEX;
    int rc = xpd_graph_ask_init(&ask, ctx, out, err);
    if (rc == XPD_OK && xpd_param_has(ctx, "computation"))
        rc = xpd_graph_pick_computation(ctx, &computation, err);
    if (rc == XPD_OK)
        rc = xpd_graph_opcodes(&totals, ctx->arena, ask.index, ask.costs, computation, err);
    if (rc == XPD_OK)
        put(&ask, &totals, computation);
    xpd_graph_ask_fini(&ask);
    return rc;
}

const struct xpd_tool xpd_tool_graph_opcodes = {.route = "/api/v1/graph/opcodes",
                                                .title =
                                                    "A module's instructions summed by opcode.",
                                                .needs = XPD_NEEDS_MODULE,
                                                .params = params,
                                                .run = run};
