/* /api/v1/graph/order: a computation in program order, one entry a pixel, and where an
 * instruction, its operands and users lie in it. */
#include "graph_rows.h"
#include "xprofd/graph/order.h"

#define PIXELS_DEFAULT 800
#define NEAR_MAX       1024 /* operands and users whose pixels are told */

static const struct xpd_param_spec params[] = {
    XPD_PARAM_PX(PIXELS_DEFAULT, XPD_ORDER_PIXELS_MAX, "pixels, 1 to 4096, default 800"),
    {.name = "computation", .type = XPD_PARAM_TEXT, .help = "its name; default: the entry"},
    {.name = "node", .type = XPD_PARAM_TEXT, .help = "an instruction to mark: id or name"},
    {0}};

static void put_ix(struct xpd_graph_ask *ask, uint32_t i)
{
    if (i == XPD_NO_INDEX)
        xpd_json_null(&ask->w);
    else
        xpd_json_u64(&ask->w, i);
}

static void put_name(struct xpd_graph_ask *ask, uint32_t i)
{
    if (i == XPD_NO_INDEX)
        xpd_json_text(&ask->w, "");
    else
        xpd_graph_put_name(ask, i);
}

/* The instructions, and where they are; those that are not in this computation are left out. */
static void put_near(struct xpd_graph_ask *ask, const struct xpd_order *order, const char *ix,
                     const char *px, const uint32_t *near, uint32_t count)
{
    uint32_t n = 0, *at = XPD_NEW_ARRAY(ask->ctx->arena, uint32_t, NEAR_MAX);
    for (uint32_t k = 0; at && k < count && n < NEAR_MAX; k++)
        if (near[k] != XPD_NO_INDEX && xpd_order_pixel_of(order, near[k]) != XPD_NO_INDEX)
            at[n++] = near[k];
    XPD_COLUMN(&ask->w, ix, n, xpd_json_u64(&ask->w, at[row]));
    XPD_COLUMN(&ask->w, px, n, xpd_json_u64(&ask->w, xpd_order_pixel_of(order, at[row])));
}

static void put_marks(struct xpd_graph_ask *ask, const struct xpd_order *order, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &ask->hlo->instructions;
    const struct xpd_graph_index *index = ask->index;
    struct xpd_jsonw *w = &ask->w;
    uint32_t first = ins->operand_first[i], users = xpd_index_users(index, i);
    uint32_t operands = ins->operand_first[i + 1] - first;
    xpd_json_key(w, "node");
    xpd_json_obj(w);
    xpd_json_ku64(w, "ix", i);
    xpd_tools_kindex(w, "px", xpd_order_pixel_of(order, i));
    put_near(ask, order, "operands_ix", "operands_px", ins->operand + first, operands);
    put_near(ask, order, "users_ix", "users_px", index->user + index->user_first[i], users);
    xpd_json_ku64(w, "operands", operands);
    xpd_json_ku64(w, "users", users);
    xpd_json_ku64(w, "limit", NEAR_MAX);
    xpd_json_obj_end(w);
}

static void put_order(struct xpd_graph_ask *ask, const struct xpd_order *order, uint32_t node)
{
    struct xpd_jsonw *w = &ask->w;
    const struct xpd_order_pixel *pixel = order->pixel;
    const struct xpd_hlo *hlo = ask->hlo;
    xpd_json_obj(w);
    xpd_json_kstr(w, "computation", xpd_hlo_text(hlo, hlo->computations.name[order->computation]));
    xpd_json_ktext(w, "by", order->by_cycles ? "cycles" : "lines");
    xpd_json_ki64(w, "total", order->total);
    xpd_json_ku64(w, "n", order->pixels);
    XPD_COLUMN(w, "group", order->pixels,
               xpd_json_text(w, xpd_op_group_word((enum xpd_op_group)pixel[row].group)));
    XPD_COLUMN(w, "first_ix", order->pixels, put_ix(ask, pixel[row].first));
    XPD_COLUMN(w, "first_name", order->pixels, put_name(ask, pixel[row].first));
    XPD_COLUMN(w, "last_ix", order->pixels, put_ix(ask, pixel[row].last));
    XPD_COLUMN(w, "cycles", order->pixels,
               xpd_graph_put_known(ask, order->by_cycles ? pixel[row].width : -1));
    if (node != XPD_NO_INDEX)
        put_marks(ask, order, node);
    else
        xpd_json_knull(w, "node");
    xpd_json_obj_end(w);
}

static int run(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_graph_ask ask;
    struct xpd_order order;
    uint32_t node = XPD_NO_INDEX, computation = XPD_NO_INDEX;
    uint32_t pixels = (uint32_t)xpd_param_int(ctx, &xpd_tool_graph_order, "px");
    bool found = true;
    int rc = xpd_graph_ask_init(&ask, ctx, out, err);
    if (rc == XPD_OK)
        rc = xpd_graph_pick_computation(ctx, &computation, err);
    if (rc == XPD_OK && xpd_param_has(ctx, "node"))
        found = xpd_graph_find(&ask, "node", &node, out);
    if (rc == XPD_OK && found)
        rc = xpd_graph_order(&order, ctx->arena, ask.index, ask.costs->cycles, computation, pixels,
                             err);
    if (rc == XPD_OK && found)
        put_order(&ask, &order, node);
    xpd_graph_ask_fini(&ask);
    return rc;
}

const struct xpd_tool xpd_tool_graph_order = {
    .route = "/api/v1/graph/order",
    .title = "A computation in program order, squeezed into pixels.",
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .run = run};
