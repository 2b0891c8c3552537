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

static void word(struct xpd_jsonw *w, struct xpd_card *card)
{
    xpd_json_str(w, (struct xpd_str){card->text.data, card->text.size});
    xpd_strbuf_clear(&card->text);
}

static void elements_words(struct xpd_jsonw *w, struct xpd_card *card)
{
    const struct xpd_shape *shape = card->buffer->shape;
    int64_t product = 1;
    bool overflow = false;
    char scratch[16];
    xpd_strbuf_printf(&card->text, "%s: %" PRIu32 " bits an element",
                      xpd_type_name(shape->type, scratch), xpd_type_bits(shape->type));
    word(w, card);
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
    word(w, card);
}

static void layout_words(struct xpd_jsonw *w, struct xpd_card *card)
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
        word(w, card);
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
        word(w, card);
    }
    if (layout->memory_space != 0) {
        xpd_strbuf_printf(&card->text, "S(%" PRId64 "): placed in memory space %" PRId64,
                          layout->memory_space, layout->memory_space);
        word(w, card);
    }
}

void xpd_card_shape(struct xpd_jsonw *w, struct xpd_card *card)
{
    const struct xpd_shape *shape = card->buffer->shape;
    xpd_strbuf_clear(&card->text);
    xpd_shape_text(&card->text, shape, true);
    xpd_card_text(w, "shape", card);
    xpd_json_key(w, "shape_words");
    xpd_json_arr(w);
    if (shape->type == XPD_TYPE_TUPLE) {
        xpd_strbuf_printf(&card->text,
                          "tuple: a table of %" PRIu32 " addresses; the values are elsewhere",
                          shape->element_count);
        word(w, card);
    } else if (xpd_type_bits(shape->type) > 0) {
        elements_words(w, card);
        layout_words(w, card);
    }
    xpd_json_arr_end(w);
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

static void write_dims(struct xpd_jsonw *w, struct xpd_card *card, const struct xpd_tiling *tiling)
{
    xpd_json_key(w, "dims");
    xpd_json_arr(w);
    for (uint32_t i = 0; tiling->known && i < tiling->dim_count; i++) {
        const struct xpd_tiled_dim *dim = &tiling->dim[i];
        xpd_json_obj(w);
        xpd_json_ku64(w, "dimension", dim->dimension);
        xpd_json_ki64(w, "size", dim->size);
        xpd_json_ki64(w, "padded_size", dim->padded_size);
        xpd_json_ki64(w, "tile", dim->tile);
        xpd_json_ki64(w, "cost_bytes", dim->cost_bytes);
        xpd_strbuf_clear(&card->text);
        dim_words(&card->text, dim);
        xpd_card_text(w, "words", card);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
}

static void write_orders(struct xpd_jsonw *w, const struct xpd_card *card,
                         const struct xpd_tiling *tiling)
{
    struct xpd_order_choice order[ORDERS_MAX];
    uint32_t n = tiling->known ? xpd_tiling_orders(card->buffer->shape, order, ORDERS_MAX) : 0;
    xpd_json_key(w, "orders");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < n && i < ORDERS_MAX; i++) {
        xpd_json_obj(w);
        xpd_json_col_i64(w, "minor_to_major", order[i].minor_to_major, tiling->dim_count);
        xpd_json_ki64(w, "tiled_bytes", order[i].tiled_bytes);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
}

void xpd_card_padding(struct xpd_jsonw *w, struct xpd_card *card)
{
    const struct xpd_layout *layout = card->buffer->shape->layout;
    struct xpd_tiling tiling;
    xpd_tiling_of(&tiling, card->buffer->shape);
    xpd_json_key(w, "padding");
    xpd_json_obj(w);
    xpd_json_kbool(w, "known", tiling.known);
    xpd_tools_kknown(w, "tiled_bytes", tiling.known ? tiling.tiled_bytes : -1);
    if (tiling.known)
        xpd_json_ki64(w, "other_overhead_bytes", card->buffer->size_bytes - tiling.tiled_bytes);
    else
        xpd_json_knull(w, "other_overhead_bytes");
    xpd_strbuf_clear(&card->text);
    for (uint32_t i = 0; layout && layout->tile_count > 0 && i < layout->tile[0].count; i++)
        xpd_strbuf_printf(&card->text, "%s%" PRId64, i ? "x" : "", layout->tile[0].dims[i]);
    xpd_tools_kstr(w, "tile", (struct xpd_str){card->text.data, card->text.size});
    write_dims(w, card, &tiling);
    write_orders(w, card, &tiling);
    xpd_json_obj_end(w);
}
