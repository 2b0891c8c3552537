/* Sentences about a shape: element type, dimensions, order, tiling, memory space. */
#include "words.h"

#include <inttypes.h>
#include <stdio.h>

uint32_t xpd_words_body(const struct xpd_explain_from *from)
{
    if (!from->hlo)
        return XPD_NO_INDEX;
    const struct xpd_hlo_instructions *ins = &from->hlo->instructions;
    uint32_t at = ins->called_first[from->instruction];
    return at < ins->called_first[from->instruction + 1] ? ins->called[at] : XPD_NO_INDEX;
}

static const char *long_name(int32_t type)
{
    static const struct {
        const char *name, *words;
    } of[] = {{"bf16", "bfloat16"},
              {"f16", "half precision float"},
              {"f32", "float32"},
              {"f64", "float64"},
              {"pred", "true or false"},
              {"s4", "signed 4-bit integer"},
              {"s8", "signed byte"},
              {"s16", "signed 16-bit integer"},
              {"s32", "signed integer"},
              {"s64", "signed 64-bit integer"},
              {"u4", "unsigned 4-bit integer"},
              {"u8", "byte"},
              {"u16", "unsigned 16-bit integer"},
              {"u32", "unsigned integer"},
              {"u64", "unsigned 64-bit integer"},
              {"c64", "complex of two float32"},
              {"c128", "complex of two float64"},
              {"token", "a token, no data"}};
    char scratch[16];
    const char *name = xpd_type_name(type, scratch);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (strcmp(name, of[i].name) == 0)
            return of[i].words;
    return NULL;
}

void xpd_words_type(struct xpd_strbuf *out, const struct xpd_shape *shape)
{
    char scratch[16];
    const char *words = long_name(shape->type);
    uint32_t bits = xpd_type_bits(shape->type);
    xpd_strbuf_puts(out, words ? words : xpd_type_name(shape->type, scratch));
    if (bits == 8)
        xpd_strbuf_puts(out, ", 1 byte an element.");
    else if (bits > 0 && bits % 8 == 0)
        xpd_strbuf_printf(out, ", %" PRIu32 " bytes an element.", bits / 8);
    else if (bits > 0)
        xpd_strbuf_printf(out, ", %" PRIu32 " bits an element.", bits);
    else
        xpd_strbuf_putc(out, '.');
}

static void put_product(struct xpd_strbuf *out, const struct xpd_shape *shape)
{
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (i > 0)
            xpd_strbuf_puts(out, " \xc2\xb7 ");
        if (shape->dims[i] == XPD_DIM_UNBOUNDED)
            xpd_strbuf_putc(out, '?');
        else
            xpd_strbuf_printf(out, "%" PRId64, shape->dims[i]);
    }
}

void xpd_words_dims(struct xpd_strbuf *out, const struct xpd_shape *shape)
{
    int64_t elements = xpd_shape_elements(shape);
    uint32_t bits = xpd_type_bits(shape->type);
    bool overflow = false;
    int64_t bytes = xpd_shape_unpadded_bytes(shape, &overflow);
    if (shape->rank == 0)
        xpd_strbuf_puts(out, "A single value");
    else {
        put_product(out, shape);
        if (shape->rank > 1) {
            xpd_strbuf_puts(out, " = ");
            xpd_put_number(out, elements);
        }
        xpd_strbuf_puts(out, elements == 1 ? " element" : " elements");
    }
    if (bits >= 8 && bits % 8 == 0)
        xpd_strbuf_printf(out, " \xc3\x97 %" PRIu32 " B", bits / 8);
    if (!overflow && bits > 0) {
        xpd_strbuf_puts(out, " = ");
        xpd_put_bytes(out, bytes);
        xpd_strbuf_puts(out, " on each device");
    }
    xpd_strbuf_putc(out, '.');
    if (shape->dynamic)
        xpd_strbuf_puts(out, " Sizes with <= are upper limits.");
}

static bool is_row_major(const struct xpd_layout *layout)
{
    for (uint32_t i = 0; i < layout->minor_to_major_count; i++)
        if (layout->minor_to_major[i] != layout->minor_to_major_count - 1 - i)
            return false;
    return true;
}

void xpd_words_order(struct xpd_strbuf *out, const struct xpd_shape *shape)
{
    const struct xpd_layout *layout = shape->layout;
    uint32_t count = layout->minor_to_major_count;
    if (count == 0)
        return;
    int64_t minor = layout->minor_to_major[0];
    xpd_strbuf_printf(out, "Minor first: dimension %" PRId64, minor);
    if (minor >= 0 && minor < shape->rank)
        xpd_strbuf_printf(out, " (%" PRId64 ")", shape->dims[minor]);
    xpd_strbuf_puts(out, " is contiguous");
    for (uint32_t i = 1; i < count; i++)
        xpd_strbuf_printf(out, ", then %" PRId64, layout->minor_to_major[i]);
    xpd_strbuf_putc(out, '.');
    if (count > 1 && is_row_major(layout))
        xpd_strbuf_puts(out, " Row-major.");
    else if (count == 2)
        xpd_strbuf_puts(out, " Column-major.");
}

static void put_tile(struct xpd_strbuf *out, const struct xpd_tile *tile)
{
    int64_t rows = tile->count > 1 ? tile->dims[tile->count - 2] : 0;
    int64_t columns = tile->count > 0 ? tile->dims[tile->count - 1] : 0;
    if (tile->count == 2 && rows > 0 && columns > 0)
        xpd_strbuf_printf(out, "%" PRId64 " row%s \xc3\x97 %" PRId64 " column%s", rows,
                          rows == 1 ? "" : "s", columns, columns == 1 ? "" : "s");
    else {
        for (uint32_t i = 0; i < tile->count; i++)
            if (tile->dims[i] < 0)
                xpd_strbuf_puts(out, i ? " \xc3\x97 *" : "*");
            else
                xpd_strbuf_printf(out, "%s%" PRId64, i ? " \xc3\x97 " : "", tile->dims[i]);
        xpd_strbuf_puts(out, " elements");
    }
}

/* Bits of the elements that the last tile keeps together. */
static int64_t word_bits(const struct xpd_shape *shape, const struct xpd_tile *tile)
{
    int64_t bits = shape->layout->element_size_bits ? shape->layout->element_size_bits
                                                    : xpd_type_bits(shape->type);
    for (uint32_t i = 0; i < tile->count; i++) {
        if (tile->dims[i] <= 0 || tile->dims[i] > 64)
            return 0;
        bits *= tile->dims[i];
    }
    return bits;
}

void xpd_words_tiles(struct xpd_strbuf *out, const struct xpd_shape *shape)
{
    const struct xpd_layout *layout = shape->layout;
    for (uint32_t i = 0; i < layout->tile_count; i++) {
        xpd_strbuf_puts(out, i == 0 ? "Cut into tiles of " : "; inside, ");
        put_tile(out, &layout->tile[i]);
        if (i > 0 && i + 1 == layout->tile_count && word_bits(shape, &layout->tile[i]) == 32)
            xpd_strbuf_puts(out, " share a 32-bit word");
    }
    xpd_strbuf_putc(out, '.');
}

const char *xpd_words_space_name(const struct xpd_explain_from *from, int64_t space,
                                 char scratch[24])
{
    const char *platform = from->platform && from->platform[0] ? from->platform : "tpu";
    if (from->space_name)
        return from->space_name(platform, space, scratch);
    snprintf(scratch, 24, "S(%" PRId64 ")", space);
    return scratch;
}

void xpd_words_space(struct xpd_strbuf *out, int64_t space, const struct xpd_explain_from *from)
{
    char scratch[24], main_scratch[24];
    const char *main_name = xpd_words_space_name(from, 0, main_scratch);
    if (space == 0) {
        xpd_strbuf_printf(out, "No S(n): %s.", main_name);
        return;
    }
    xpd_strbuf_printf(out, "S(%" PRId64 ") is %s", space,
                      xpd_words_space_name(from, space, scratch));
    if (space == XPD_SPACE_VMEM)
        xpd_strbuf_puts(out, ", on the chip");
    else if (space == XPD_SPACE_HOST)
        xpd_strbuf_puts(out, ", memory of the chip's machine");
    xpd_strbuf_printf(out, ". Without S it would be %s.", main_name);
}
