/* The line of an instruction of a module, taken apart without being read: its names may hold any
 * sign.
 *
 * In: a module, its printer, an instruction. Out: the line as xpd_line_parse makes it of the same
 * text, for every name there is. */
#include "scan.h"

#include "xprofd/hlo/print.h"

static struct xpd_str piece(const struct xpd_hlo_line *line, struct xpd_hlo_place place)
{
    return (struct xpd_str){line->text.data + place.from, place.to - place.from};
}

/* Our own text of a shape: read again for the places of its parts. A shape too deep or of a type we
 * do not know has none. */
static void take_shape(struct xpd_hlo_line *line, struct xpd_arena *arena,
                       const struct xpd_shape *shape)
{
    struct xpd_hlo_line parts = {0};
    struct xpd_scan scan = {line->shape_text.data, line->shape_text.data + line->shape_text.size,
                            arena};
    line->shape = xpd_scan_shape(&scan, &parts);
    if (!line->shape || scan.at != scan.end) {
        line->shape = shape;
        return;
    }
    line->type_text = parts.type_text;
    line->dims_text = parts.dims_text;
    line->order_text = parts.order_text;
    line->tiles_text = parts.tiles_text;
    line->space_text = parts.space_text;
}

static void take_operands(struct xpd_hlo_line *line, struct xpd_arena *arena,
                          const struct xpd_hlo *hlo, uint32_t instruction,
                          const struct xpd_hlo_places *places)
{
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    const uint32_t *operand = ins->operand + ins->operand_first[instruction];
    uint32_t count = ins->operand_first[instruction + 1] - ins->operand_first[instruction];
    line->operands_text = piece(line, places->operands);
    line->operand = XPD_NEW_ARRAY(arena, struct xpd_line_operand, places->operand.count);
    for (size_t k = 0; line->operand && k < places->operand.count; k++) {
        struct xpd_str text = piece(line, places->operand.at[k]);
        uint32_t of = places->operand.count == count ? operand[k] : XPD_NO_INDEX;
        bool known = of != XPD_NO_INDEX && !xpd_str_eq(line->opcode, XPD_STR("parameter"));
        line->operand[k] =
            (struct xpd_line_operand){.text = text,
                                      .name = known ? xpd_hlo_text(hlo, ins->name[of]) : text,
                                      .shape = known ? ins->shape[of] : NULL};
        line->operand_count++;
    }
}

static void take_attributes(struct xpd_hlo_line *line, struct xpd_arena *arena,
                            const struct xpd_hlo_places *places)
{
    enum { SEPARATOR = 2 }; /* ", " */
    size_t count = places->attribute.count;
    line->attribute = XPD_NEW_ARRAY(arena, struct xpd_line_attribute, count);
    for (size_t k = 0; line->attribute && k < count; k++) {
        size_t from = places->attribute.at[k];
        size_t to = k + 1 < count ? places->attribute.at[k + 1] - SEPARATOR : line->text.size;
        struct xpd_str text = piece(line, (struct xpd_hlo_place){from, to});
        const char *equals = memchr(text.data, '=', text.size);
        size_t key = equals ? (size_t)(equals - text.data) : text.size;
        line->attribute[line->attribute_count++] = (struct xpd_line_attribute){
            .text = text,
            .key = {text.data, key},
            .value = equals ? (struct xpd_str){equals + 1, text.size - key - 1} : XPD_STR("")};
    }
}

/* The text, without the shapes of the operands when it is longer than a person reads. */
static void print(struct xpd_strbuf *text, struct xpd_hlo_places *places,
                  struct xpd_hlo_printer *printer, uint32_t instruction)
{
    xpd_hlo_print_places(printer, instruction, XPD_PRINT_EXPRESSION, text, places);
    if (text->size <= XPD_LINE_BYTES_MOST)
        return;
    xpd_strbuf_clear(text);
    places->operand.count = places->attribute.count = 0;
    xpd_hlo_print_places(printer, instruction, XPD_PRINT_PERCENT, text, places);
}

int xpd_line_of(struct xpd_hlo_line *out, struct xpd_arena *arena, const struct xpd_hlo *hlo,
                struct xpd_hlo_printer *printer, uint32_t instruction, struct xpd_err *err)
{
    struct xpd_strbuf text = {0};
    struct xpd_hlo_places places = {0};
    *out = (struct xpd_hlo_line){0};
    print(&text, &places, printer, instruction);
    const char *kept = text.failed ? NULL : xpd_arena_strndup(arena, text.data, text.size);
    if (kept) {
        out->text = (struct xpd_str){kept, text.size};
        out->name = piece(out, places.name);
        out->shape_text = piece(out, places.shape);
        out->opcode = piece(out, places.opcode);
        take_shape(out, arena, hlo->instructions.shape[instruction]);
        take_operands(out, arena, hlo, instruction, &places);
        take_attributes(out, arena, &places);
    }
    xpd_strbuf_fini(&text);
    XPD_VEC_FINI(&places.operand);
    XPD_VEC_FINI(&places.attribute);
    return kept && !arena->failed ? XPD_OK
                                  : xpd_fail(err, XPD_ENOMEM, "text", XPD_NO_OFFSET,
                                             "There is no memory to explain this text.");
}
