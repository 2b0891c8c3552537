/* /api/v1/graph/order: a computation in program order, one entry a pixel, and where an
 * instruction, its operands and users lie in it. */
#include "graph_rows.h"
#include "xprofd/graph/order.h"

#define PIXELS_DEFAULT 800
#define NEAR_MAX       1024 /* operands and users whose pixels are told */

#define XPD_GRAPH_PIXEL_FIELDS(FIELD)                                                              \
    FIELD(WORD(XPD_GROUP_WORDS), group, "kind of work with most of the pixel")                     \
    FIELD(MAYBE(INDEX), first_ix, "first instruction of the pixel")                                \
    FIELD(TEXT, first_name, "its name, or \"\"")                                                   \
    FIELD(MAYBE(INDEX), last_ix, "last instruction of the pixel")                                  \
    FIELD(MAYBE(INT), cycles, "cycles in the pixel; null by lines")
XPD_RECORD(xpd_graph_pixel, XPD_GRAPH_PIXEL_FIELDS)

#define XPD_GRAPH_MARKS_FIELDS(FIELD)                                                              \
    FIELD(INDEX, ix, "index of the instruction in the module")                                     \
    FIELD(MAYBE(INDEX), px, "pixel where it begins; null: not below this computation")             \
    FIELD(VALUES(INDEX), operands_ix, "in this computation or called from it")                     \
    FIELD(VALUES(INDEX), operands_px, "pixels of these")                                           \
    FIELD(VALUES(INDEX), users_ix, "likewise")                                                     \
    FIELD(VALUES(INDEX), users_px, "pixels of these")                                              \
    FIELD(COUNT, operands, "total number")                                                         \
    FIELD(COUNT, users, "total number")                                                            \
    FIELD(COUNT, limit, "of the lists")
XPD_RECORD(xpd_graph_marks, XPD_GRAPH_MARKS_FIELDS)

#define XPD_GRAPH_ORDER_FIELDS(FIELD)                                                              \
    FIELD(TEXT, computation, "its name")                                                           \
    FIELD(WORD("cycles lines"), by, "what the width of an instruction is")                         \
    FIELD(INT, total, "cycles or instructions")                                                    \
    FIELD(INLINE(xpd_graph_pixel), pixels, "")                                                     \
    FIELD(MAYBE(OBJECT(xpd_graph_marks)), node,                                                    \
          "position of the instruction `node`; null without `node`")
XPD_RECORD(xpd_graph_strip, XPD_GRAPH_ORDER_FIELDS)

static const struct xpd_param_spec params[] = {
    XPD_PARAM_PX(PIXELS_DEFAULT, XPD_ORDER_PIXELS_MAX, "pixels"),
    {.name = "computation", .type = XPD_PARAM_TEXT, .help = "its name; default: the entry"},
    {.name = "node", .type = XPD_PARAM_TEXT, .help = "an instruction to mark: id or name"},
    {0}};

struct numbers {
    uint32_t *ix, *px, n;
};

/* The instructions, and where they are; those that are not in this computation are left out. */
static struct numbers places(const struct xpd_graph_ask *ask, const struct xpd_order *order,
                             const uint32_t *near, uint32_t count)
{
    uint32_t most = count < NEAR_MAX ? count : NEAR_MAX;
    struct numbers found = {XPD_NEW_ARRAY(ask->ctx->arena, uint32_t, most),
                            XPD_NEW_ARRAY(ask->ctx->arena, uint32_t, most), 0};
    for (uint32_t k = 0; found.ix && found.px && k < count && found.n < most; k++) {
        uint32_t px = near[k] != XPD_NO_INDEX ? xpd_order_pixel_of(order, near[k]) : XPD_NO_INDEX;
        if (px == XPD_NO_INDEX)
            continue;
        found.ix[found.n] = near[k];
        found.px[found.n++] = px;
    }
    return found;
}

static const struct xpd_graph_marks *marks(const struct xpd_graph_ask *ask,
                                           const struct xpd_order *order, uint32_t i)
{
    const struct xpd_hlo_instructions *all = &ask->hlo->instructions;
    const struct xpd_graph_index *index = ask->index;
    struct xpd_graph_marks *to = XPD_NEW(ask->ctx->arena, struct xpd_graph_marks);
    if (!to)
        return NULL;
    uint32_t first = all->operand_first[i];
    to->ix = i;
    to->px = xpd_order_pixel_of(order, i);
    to->operands = all->operand_first[i + 1] - first;
    to->users = xpd_index_users(index, i);
    to->limit = NEAR_MAX;
    struct numbers operands = places(ask, order, all->operand + first, to->operands);
    struct numbers users = places(ask, order, index->user + index->user_first[i], to->users);
    to->operands_ix.at = operands.ix;
    to->operands_px.at = operands.px;
    to->operands_ix.n = to->operands_px.n = operands.n;
    to->users_ix.at = users.ix;
    to->users_px.at = users.px;
    to->users_ix.n = to->users_px.n = users.n;
    return to;
}

static int put_pixels(struct xpd_graph_strip *to, const struct xpd_graph_ask *ask,
                      const struct xpd_order *order, struct xpd_err *err)
{
    struct xpd_graph_pixel *pixel =
        XPD_NEW_ARRAY(ask->ctx->arena, struct xpd_graph_pixel, order->pixels);
    if (!pixel)
        return xpd_tools_no_memory(err);
    for (uint32_t k = 0; k < order->pixels; k++) {
        const struct xpd_order_pixel *at = &order->pixel[k];
        pixel[k] = (struct xpd_graph_pixel){
            .group = xpd_op_group_word((enum xpd_op_group)at->group),
            .first_ix = at->first,
            .first_name = at->first != XPD_NO_INDEX ? xpd_graph_name(ask, at->first) : XPD_STR(""),
            .last_ix = at->last,
            .cycles = order->by_cycles ? at->width : -1};
    }
    to->pixels.at = pixel;
    to->pixels.n = order->pixels;
    return XPD_OK;
}

static int fill(struct xpd_graph_ask *ask, void *answer, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = ask->ctx;
    struct xpd_graph_strip *to = answer;
    struct xpd_order order;
    uint32_t node = XPD_NO_INDEX, computation = XPD_NO_INDEX;
    uint32_t pixels = (uint32_t)xpd_param_int(ctx, &xpd_tool_graph_order, "px");
    int rc = xpd_graph_pick_computation(ctx, &computation, err);
    if (rc == XPD_OK && xpd_param_has(ctx, "node"))
        rc = xpd_graph_find(ask, "node", &node, err);
    if (rc == XPD_OK)
        rc = xpd_graph_order(&order, ctx->arena, ask->index, ask->costs->cycles, computation,
                             pixels, err);
    if (rc != XPD_OK)
        return rc;
    to->computation = xpd_hlo_text(ask->hlo, ask->hlo->computations.name[order.computation]);
    to->by = order.by_cycles ? "cycles" : "lines";
    to->total = order.total;
    to->node = node != XPD_NO_INDEX ? marks(ask, &order, node) : NULL;
    return put_pixels(to, ask, &order, err);
}

XPD_MAKE_BY(xpd_graph_answer, order, xpd_graph_strip_record, fill)

const struct xpd_tool xpd_tool_graph_order = {
    .route = "/api/v1/graph/order",
    .title = "A computation in program order, summed up by pixel.",
    .about = "The width of an instruction is the compiler's estimate of its cycles; without "
             "estimates for the computation, all are equal. " XPD_GRAPH_NOT_FOUND,
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .answer = xpd_graph_strip_record,
    .make = order,
    .not_found = xpd_graph_nearest,
    XPD_IN_REPORT("px", {130, XPD_EACH_MODULE, "px=1024", "the program order"},
                  {130, XPD_EACH_ENTRY, "px=1024&computation={computation}", NULL}),
};
