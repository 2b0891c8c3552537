/* /api/v1/graph/critical: the longest chain of operations. */
#include "graph_rows.h"
#include "xprofd/graph/path.h"

#define ROWS_MAX 5000

static const struct xpd_param_spec params[] = {
    {.name = "computation", .type = XPD_PARAM_TEXT, .help = "its name; default: the entry"}, {0}};

static void put(struct xpd_graph_ask *ask, const struct xpd_critical *critical)
{
    struct xpd_jsonw *w = &ask->w;
    uint32_t n = critical->count < ROWS_MAX ? critical->count : ROWS_MAX;
    uint32_t skip = critical->count - n; /* the end of the chain is what one waits for */
    xpd_json_obj(w);
    xpd_json_ktext(w, "by", critical->by_cycles ? "cycles" : "ops");
    xpd_json_ki64(w, "length", critical->length);
    xpd_json_ku64(w, "total", critical->count);
    xpd_json_ku64(w, "n", n);
    xpd_json_ku64(w, "left_out", skip);
    xpd_graph_columns(ask, "name opcode op_name shape bytes group line",
                      critical->instruction + skip, n);
    XPD_COLUMN(w, "own", n, xpd_json_i64(w, critical->own[skip + row]));
    xpd_json_obj_end(w);
}

static int run(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_graph_ask ask;
    struct xpd_critical critical;
    uint32_t computation = XPD_NO_INDEX;
    int rc = xpd_graph_ask_init(&ask, ctx, out, err);
    if (rc == XPD_OK)
        rc = xpd_graph_pick_computation(ctx, &computation, err);
    if (rc == XPD_OK)
        rc = xpd_graph_critical(&critical, ctx->arena, ask.index, ask.costs->cycles, computation,
                                err);
    if (rc == XPD_OK)
        put(&ask, &critical);
    xpd_graph_ask_fini(&ask);
    return rc;
}

const struct xpd_tool xpd_tool_graph_critical = {
    .route = "/api/v1/graph/critical",
    .title = "The longest chain of operations of a computation.",
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .run = run};
