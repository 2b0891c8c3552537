/* /api/v1/graph/layouts: copies that only change a layout. */
#include "graph_rows.h"
#include "xprofd/graph/totals.h"

#define COUNT_DEFAULT 100
#define COUNT_MAX     2000

static const struct xpd_param_spec params[] = {{.name = "count",
                                                .type = XPD_PARAM_INT,
                                                .min = 1,
                                                .max = COUNT_MAX,
                                                .fallback = COUNT_DEFAULT,
                                                .help = "rows, 1 to 2000, default 100"},
                                               {0}};

static int put(struct xpd_graph_ask *ask, const struct xpd_layout_changes *changes,
               struct xpd_err *err)
{
    struct xpd_jsonw *w = &ask->w;
    const struct xpd_layout_change *at = changes->at;
    uint32_t n = changes->count, *ix = XPD_NEW_ARRAY(ask->ctx->arena, uint32_t, n);
    if (!ix)
        return xpd_tools_no_memory(err);
    for (uint32_t k = 0; k < n; k++)
        ix[k] = at[k].instruction;
    xpd_json_obj(w);
    xpd_json_ku64(w, "total", changes->total);
    xpd_json_ki64(w, "total_moved_bytes", changes->bytes);
    xpd_json_ku64(w, "n", n);
    xpd_graph_columns(ask, "name opcode moved_bytes cycles line op_name shape", ix, n);
    XPD_COLUMN(w, "from", n, xpd_graph_put_name(ask, at[row].operand));
    XPD_COLUMN(w, "from_shape", n,
               xpd_graph_put_shape(ask, ask->hlo->instructions.shape[at[row].operand]));
    xpd_json_obj_end(w);
    return XPD_OK;
}

static int run(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_graph_ask ask;
    struct xpd_layout_changes changes;
    int rc = xpd_graph_ask_init(&ask, ctx, out, err);
    if (rc == XPD_OK)
        rc = xpd_graph_layout_changes(
            &changes, ctx->arena, ask.index, ask.costs,
            (uint32_t)xpd_param_int(ctx, &xpd_tool_graph_layouts, "count"), err);
    if (rc == XPD_OK)
        rc = put(&ask, &changes, err);
    xpd_graph_ask_fini(&ask);
    return rc;
}

const struct xpd_tool xpd_tool_graph_layouts = {
    .route = "/api/v1/graph/layouts",
    .title = "Copies and transposes that only change a layout, largest first.",
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .run = run};
