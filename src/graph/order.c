/* Program order in pixels. In: places and cycles. Out: contents of each pixel. */
#include "xprofd/graph/order.h"

enum { CALL_DEPTH = 64 };
#define TOTAL_MAX (INT64_C(1) << 50) /* times XPD_ORDER_PIXELS_MAX is below 2^63 */

static uint32_t at_place(const struct xpd_order *o, uint32_t place)
{
    return o->index->order[o->index->order_first[o->computation] + place];
}

static bool sum_cycles(struct xpd_order *o, const int64_t *cycles, uint32_t count)
{
    o->total = 0;
    for (uint32_t k = 0; k < count; k++) {
        int64_t own = cycles[at_place(o, k)];
        o->start[k] = o->total;
        if (own > 0 && (own > TOTAL_MAX || (o->total += own) > TOTAL_MAX))
            return false; /* no clock runs for so long: these are not cycles */
    }
    o->start[count] = o->total;
    return o->total > 0;
}

static void count_alike(struct xpd_order *o, uint32_t count)
{
    for (uint32_t k = 0; k <= count; k++)
        o->start[k] = k;
    o->total = count;
}

static uint32_t pixel_at(const struct xpd_order *o, int64_t at)
{
    int64_t pixel = o->total > 0 ? at * o->pixels / o->total : 0;
    return pixel < o->pixels ? (uint32_t)pixel : o->pixels - 1;
}

/* First position that lies in a pixel. */
static int64_t start_of(const struct xpd_order *o, uint32_t pixel)
{
    return ((int64_t)pixel * o->total + o->pixels - 1) / o->pixels;
}

static void add(struct xpd_order *o, int64_t (*weight)[XPD_OP_GROUP_COUNT], uint32_t k)
{
    uint32_t i = at_place(o, k), from = pixel_at(o, o->start[k]);
    int64_t start = o->start[k], end = o->start[k + 1];
    uint32_t to = end > start ? pixel_at(o, end - 1) : from;
    for (uint32_t p = from; p <= to; p++) {
        struct xpd_order_pixel *pixel = &o->pixel[p];
        int64_t a = p == from ? start : start_of(o, p), b = p == to ? end : start_of(o, p + 1);
        if (pixel->first == XPD_NO_INDEX)
            pixel->first = i;
        pixel->last = i;
        pixel->width += b - a;
        weight[p][o->index->group[i]] += b - a;
    }
}

static void choose_groups(struct xpd_order *o, int64_t (*weight)[XPD_OP_GROUP_COUNT])
{
    for (uint32_t p = 0; p < o->pixels; p++) {
        unsigned best = 0;
        for (unsigned g = 1; g < XPD_OP_GROUP_COUNT; g++)
            if (weight[p][g] > weight[p][best])
                best = g;
        if (weight[p][best] == 0 && o->pixel[p].first != XPD_NO_INDEX)
            best = o->index->group[o->pixel[p].first]; /* nothing in it takes time */
        o->pixel[p].group = (uint8_t)best;
    }
}

int xpd_graph_order(struct xpd_order *order, struct xpd_arena *arena,
                    const struct xpd_graph_index *index, const int64_t *cycles,
                    uint32_t computation, uint32_t pixels, struct xpd_err *err)
{
    uint32_t count = index->order_size[computation];
    *order = (struct xpd_order){.index = index, .computation = computation, .pixels = pixels};
    order->start = XPD_NEW_ARRAY(arena, int64_t, (size_t)count + 1);
    order->pixel = XPD_NEW_ARRAY(arena, struct xpd_order_pixel, pixels);
    int64_t(*weight)[XPD_OP_GROUP_COUNT] = xpd_arena_calloc(arena, pixels, sizeof *weight);
    if (!order->start || !order->pixel || !weight)
        return xpd_no_memory(err, "graph", "for this answer");
    for (uint32_t p = 0; p < pixels; p++)
        order->pixel[p].first = order->pixel[p].last = XPD_NO_INDEX;
    order->by_cycles = sum_cycles(order, cycles, count);
    if (!order->by_cycles)
        count_alike(order, count);
    for (uint32_t k = 0; k < count; k++)
        add(order, weight, k);
    choose_groups(order, weight);
    return XPD_OK;
}

uint32_t xpd_order_pixel_of(const struct xpd_order *order, uint32_t instruction)
{
    const struct xpd_graph_index *index = order->index;
    const uint32_t *computation = index->hlo->instructions.computation;
    for (int depth = 0; depth < CALL_DEPTH && instruction != XPD_NO_INDEX; depth++) {
        if (computation[instruction] == order->computation) {
            uint32_t place = index->place[instruction];
            return place == XPD_NO_INDEX
                       ? XPD_NO_INDEX
                       : pixel_at(order,
                                  order->start[place - index->order_first[order->computation]]);
        }
        instruction = index->caller_of[computation[instruction]];
    }
    return XPD_NO_INDEX;
}
