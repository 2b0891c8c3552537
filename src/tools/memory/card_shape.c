/* The card's shape in words, and its padding dimension by dimension. In: a buffer. Out: text a
 * person can check. */
#include "card_parts.h"

#include "xprofd/hlo/tiling.h"

#define ORDERS_MAX 5

static void number(struct xpd_strbuf *out, int64_t value)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRId64, value);
    size_t first = digits[0] == '-', size = strlen(digits);
    for (size_t i = 0; i < size; i++) {
        if (i > first && (size - i) % 3 == 0)
            xpd_strbuf_putc(out, ',');
        xpd_strbuf_putc(out, digits[i]);
    }
}

XPD_RECORD_TABLE(xpd_buffer_dim, XPD_BUFFER_DIM_FIELDS)
XPD_RECORD_TABLE(xpd_buffer_order, XPD_BUFFER_ORDER_FIELDS)
XPD_RECORD_TABLE(xpd_buffer_padding, XPD_BUFFER_PADDING_FIELDS)

struct words { /* room for those of any shape */
    struct xpd_str *at;
    uint32_t count;
};

/* What card->text holds, as the next of them. */
static void word(struct words *words, struct xpd_card *card)
{
    words->at[words->count++] = xpd_card_text(card);
}

static void elements_words(struct words *words, struct xpd_card *card)
{
    const struct xpd_shape *shape = card->buffer->shape;
    int64_t product = 1;
    bool overflow = false;
    char scratch[16];
    xpd_strbuf_printf(&card->text, "%s: %" PRIu32 " bits an element",
                      xpd_type_name(shape->type, scratch), xpd_type_bits(shape->type));
    word(words, card);
    for (uint32_t i = 0; i < shape->rank; i++) {
        product = __builtin_mul_overflow(product, shape->dims[i], &product) ? (overflow = true, 1)
                                                                            : product;
        if (i > 0)
            xpd_strbuf_puts(&card->text, " x ");
        number(&card->text, shape->dims[i]);
    }
    if (shape->rank == 0)
        xpd_strbuf_puts(&card->text, "one element");
    else if (shape->rank > 1 && !overflow) {
        xpd_strbuf_puts(&card->text, " = ");
        number(&card->text, product);
        xpd_strbuf_puts(&card->text, " elements");
    } else {
        xpd_strbuf_puts(&card->text, " elements");
    }
    word(words, card);
}

static void layout_words(struct words *words, struct xpd_card *card)
{
    const struct xpd_shape *shape = card->buffer->shape;
    const struct xpd_layout *layout = shape->layout;
    if (!layout)
        return;
    if (layout->minor_to_major_count > 0) {
        xpd_strbuf_puts(&card->text, "neighbours in memory: dimension ");
        for (uint32_t i = 0; i < layout->minor_to_major_count; i++)
            xpd_strbuf_printf(&card->text, "%s%" PRId64, i ? ", then " : "",
                              layout->minor_to_major[i]);
        word(words, card);
    }
    for (uint32_t i = 0; i < layout->tile_count; i++) {
        xpd_strbuf_puts(&card->text, i ? "inside a tile: " : "stored in tiles of ");
        for (uint32_t j = 0; j < layout->tile[i].count; j++) {
            if (j > 0)
                xpd_strbuf_puts(&card->text, " x ");
            if (layout->tile[i].dims[j] < 0)
                xpd_strbuf_putc(&card->text, '*');
            else
                number(&card->text, layout->tile[i].dims[j]);
        }
        xpd_strbuf_puts(&card->text, i ? "" : ", each filled up");
        word(words, card);
    }
    if (layout->memory_space != 0) {
        xpd_strbuf_printf(&card->text, "S(%" PRId64 "): placed in memory space %" PRId64,
                          layout->memory_space, layout->memory_space);
        word(words, card);
    }
}

void xpd_card_shape(struct xpd_card *card)
{
    const struct xpd_shape *shape = card->buffer->shape;
    uint32_t most = 4 + (shape->layout ? shape->layout->tile_count : 0);
    struct words words = {XPD_NEW_ARRAY(card->ctx->arena, struct xpd_str, most), 0};
    xpd_shape_text(&card->text, shape, true);
    card->out->shape = xpd_card_text(card);
    if (!words.at)
        return;
    if (shape->type == XPD_TYPE_TUPLE) {
        xpd_strbuf_printf(&card->text,
                          "tuple: a table of %" PRIu32 " addresses; the values are elsewhere",
                          shape->element_count);
        word(&words, card);
    } else if (xpd_type_bits(shape->type) > 0) {
        elements_words(&words, card);
        layout_words(&words, card);
    }
    card->out->shape_words.at = words.at;
    card->out->shape_words.n = words.count;
}

static void dim_words(struct xpd_strbuf *out, const struct xpd_tiled_dim *dim)
{
    number(out, dim->size);
    if (dim->padded_size != dim->size) {
        xpd_strbuf_puts(out, " stored as ");
        number(out, dim->padded_size);
    }
    if (dim->tile <= 1) {
        xpd_strbuf_puts(out, ", not tiled");
        return;
    }
    xpd_strbuf_puts(out, " = ");
    number(out, dim->padded_size / dim->tile);
    xpd_strbuf_puts(out, " x ");
    number(out, dim->tile);
    if (dim->size > 0 && dim->padded_size >= 2 * dim->size)
        xpd_strbuf_printf(out, ", %.4g times the data",
                          (double)dim->padded_size / (double)dim->size);
}

static void fill_dims(struct xpd_buffer_padding *out, struct xpd_card *card,
                      const struct xpd_tiling *tiling)
{
    uint32_t n = tiling->known ? tiling->dim_count : 0;
    struct xpd_buffer_dim *row = XPD_NEW_ARRAY(card->ctx->arena, struct xpd_buffer_dim, n);
    for (uint32_t i = 0; row && i < n; i++) {
        const struct xpd_tiled_dim *dim = &tiling->dim[i];
        dim_words(&card->text, dim);
        row[i] = (struct xpd_buffer_dim){dim->dimension, dim->size,       dim->padded_size,
                                         dim->tile,      dim->cost_bytes, xpd_card_text(card)};
    }
    out->dims.at = row;
    out->dims.n = row ? n : 0;
}

static void fill_orders(struct xpd_buffer_padding *out, const struct xpd_card *card,
                        const struct xpd_tiling *tiling)
{
    struct xpd_order_choice order[ORDERS_MAX];
    uint32_t n = tiling->known ? xpd_tiling_orders(card->buffer->shape, order, ORDERS_MAX) : 0;
    n = n < ORDERS_MAX ? n : ORDERS_MAX;
    struct xpd_buffer_order *row = XPD_NEW_ARRAY(card->ctx->arena, struct xpd_buffer_order, n);
    for (uint32_t i = 0; row && i < n; i++)
        row[i] = (struct xpd_buffer_order){
            {xpd_arena_copy(card->ctx->arena, order[i].minor_to_major, tiling->dim_count,
                            sizeof *order[i].minor_to_major),
             tiling->dim_count},
            order[i].tiled_bytes};
    out->orders.at = row;
    out->orders.n = row ? n : 0;
}

void xpd_card_padding(struct xpd_card *card)
{
    const struct xpd_layout *layout = card->buffer->shape->layout;
    struct xpd_buffer_padding *out = XPD_NEW(card->ctx->arena, struct xpd_buffer_padding);
    struct xpd_tiling tiling;
    xpd_tiling_of(&tiling, card->buffer->shape);
    if (!out)
        return;
    out->known = tiling.known;
    out->tiled_bytes = tiling.known ? tiling.tiled_bytes : -1;
    out->other_overhead_bytes =
        tiling.known ? card->buffer->size_bytes - tiling.tiled_bytes : XPD_UNKNOWN;
    for (uint32_t i = 0; layout && layout->tile_count > 0 && i < layout->tile[0].count; i++)
        xpd_strbuf_printf(&card->text, "%s%" PRId64, i ? "x" : "", layout->tile[0].dims[i]);
    out->tile = xpd_tools_or_null(xpd_card_text(card));
    fill_dims(out, card, &tiling);
    fill_orders(out, card, &tiling);
    card->out->padding = out;
}
