/* Shapes as XLA prints them.
 *
 * In: a frozen shape, at most XPD_HLO_DEPTH levels deep. Out: text such as
 * bf16[8,128]{1,0:T(8,128)(2,1)S(1)}. The order of the parts of a layout is that of XLA. */
#include "xprofd/hlo/shape.h"

static void put_type(struct xpd_strbuf *out, int32_t type)
{
    char scratch[16];
    xpd_strbuf_puts(out, xpd_type_name(type, scratch));
}

static void put_ints(struct xpd_strbuf *out, const int64_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i != 0)
            xpd_strbuf_putc(out, ',');
        xpd_strbuf_i64(out, values[i]);
    }
}

static void put_number(struct xpd_strbuf *out, const char *before, int64_t value)
{
    xpd_strbuf_puts(out, before);
    xpd_strbuf_i64(out, value);
    xpd_strbuf_putc(out, ')');
}

static void put_tile(struct xpd_strbuf *out, const struct xpd_tile *tile)
{
    xpd_strbuf_putc(out, '(');
    for (uint32_t i = 0; i < tile->count; i++) {
        if (i != 0)
            xpd_strbuf_putc(out, ',');
        if (tile->dims[i] == XPD_DIM_UNBOUNDED)
            xpd_strbuf_putc(out, '*');
        else
            xpd_strbuf_i64(out, tile->dims[i]);
    }
    xpd_strbuf_putc(out, ')');
}

static void put_splits(struct xpd_strbuf *out, const struct xpd_layout *layout)
{
    if (layout->split_count == 0)
        return;
    xpd_strbuf_puts(out, "SC");
    for (uint32_t i = 0; i < layout->split_count; i++) {
        const struct xpd_split *split = &layout->split[i];
        xpd_strbuf_putc(out, '(');
        xpd_strbuf_i64(out, split->dimension);
        xpd_strbuf_putc(out, ':');
        put_ints(out, split->indices, split->count);
        xpd_strbuf_putc(out, ')');
    }
}

static void put_primitive(struct xpd_strbuf *out, const char *before, int32_t type)
{
    if (type == 0)
        return;
    xpd_strbuf_puts(out, before);
    put_type(out, type);
    xpd_strbuf_putc(out, ')');
}

/* Everything of a layout behind the colon; the same words in the same order as XLA. */
static void put_attributes(struct xpd_strbuf *out, const struct xpd_layout *layout)
{
    if (layout->tile_count != 0)
        xpd_strbuf_putc(out, 'T');
    for (uint32_t i = 0; i < layout->tile_count; i++)
        put_tile(out, &layout->tile[i]);
    if (layout->tail_padding_elements != 0 && layout->tail_padding_elements != 1)
        put_number(out, "L(", layout->tail_padding_elements);
    put_primitive(out, "#(", layout->index_type);
    put_primitive(out, "*(", layout->pointer_type);
    if (layout->element_size_bits != 0)
        put_number(out, "E(", layout->element_size_bits);
    if (layout->memory_space != 0)
        put_number(out, "S(", layout->memory_space);
    put_splits(out, layout);
    if (layout->physical_shape) {
        xpd_strbuf_puts(out, "P(");
        xpd_shape_text(out, layout->physical_shape, true);
        xpd_strbuf_putc(out, ')');
    }
    if (layout->dynamic_prefix_bytes > 0)
        put_number(out, "M(", layout->dynamic_prefix_bytes);
}

static bool has_attributes(const struct xpd_layout *layout)
{
    return layout->tile_count != 0 ||
           (layout->tail_padding_elements != 0 && layout->tail_padding_elements != 1) ||
           layout->index_type != 0 || layout->pointer_type != 0 || layout->element_size_bits != 0 ||
           layout->memory_space != 0 || layout->split_count != 0 || layout->physical_shape ||
           layout->dynamic_prefix_bytes > 0;
}

static void put_layout(struct xpd_strbuf *out, const struct xpd_shape *shape)
{
    const struct xpd_layout *layout = shape->layout;
    bool attributes = has_attributes(layout);
    if (shape->rank == 0 && layout->minor_to_major_count == 0 && !attributes)
        return;
    xpd_strbuf_putc(out, '{');
    put_ints(out, layout->minor_to_major, layout->minor_to_major_count);
    if (attributes)
        xpd_strbuf_putc(out, ':');
    put_attributes(out, layout);
    xpd_strbuf_putc(out, '}');
}

static void put_array(struct xpd_strbuf *out, const struct xpd_shape *shape, bool with_layout)
{
    put_type(out, shape->type);
    xpd_strbuf_putc(out, '[');
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (i != 0)
            xpd_strbuf_putc(out, ',');
        bool dynamic = shape->dynamic && shape->dynamic[i];
        if (dynamic && shape->dims[i] == XPD_DIM_UNBOUNDED) {
            xpd_strbuf_putc(out, '?');
            continue;
        }
        if (dynamic)
            xpd_strbuf_puts(out, "<=");
        xpd_strbuf_i64(out, shape->dims[i]);
    }
    xpd_strbuf_putc(out, ']');
    if (with_layout && shape->layout)
        put_layout(out, shape);
}

static void put_tuple(struct xpd_strbuf *out, const struct xpd_shape *shape, bool with_layout)
{
    xpd_strbuf_putc(out, '(');
    for (uint32_t i = 0; i < shape->element_count && !out->failed; i++) {
        if (i != 0 && i % 5 == 0)
            xpd_strbuf_printf(out, ", /*index=%u*/", i);
        else if (i != 0)
            xpd_strbuf_puts(out, ", ");
        xpd_shape_text(out, &shape->element[i], with_layout);
    }
    xpd_strbuf_putc(out, ')');
}

void xpd_shape_text(struct xpd_strbuf *out, const struct xpd_shape *shape, bool with_layout)
{
    switch (shape->type) {
    case XPD_TYPE_TUPLE: put_tuple(out, shape, with_layout); break;
    case XPD_TYPE_TOKEN: xpd_strbuf_puts(out, "token[]"); break;
    case XPD_TYPE_OPAQUE: xpd_strbuf_puts(out, "opaque[]"); break;
    case XPD_TYPE_BUFFER:
        xpd_strbuf_puts(out, "b(");
        if (shape->element_count != 0)
            xpd_shape_text(out, &shape->element[0], with_layout);
        xpd_strbuf_putc(out, ')');
        break;
    default: put_array(out, shape, with_layout); break;
    }
}
