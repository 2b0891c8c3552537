/* The line of an instruction: result, opcode, operands, attributes, metadata, backend config.
 *
 * In: the frozen columns and the instruction's message. Out: text. */
#include "print_internal.h"

enum { LENGTH = 2 };

/* ---- texts of shapes ---- */

/* Kept, for a program has few shapes and names each of them thousands of times. A shape is known by
 * its address: equal ones of a module are one. Every entry's text lies in printer->shape_text,
 * which is emptied together with the entries. */
enum { KEPT_BYTES = 65536, KEPT_TEXT_BYTES = 256 }; /* of all texts, of one */

static struct xpd_shape_kept *entry_of(struct xpd_hlo_printer *printer,
                                       const struct xpd_shape *shape)
{
    uint64_t hash = (uint64_t)(uintptr_t)shape * 0x9E3779B97F4A7C15u;
    return &printer->shape_kept[hash >> (64 - XPD_SHAPES_KEPT_BITS)];
}

static void keep(struct xpd_hlo_printer *printer, const struct xpd_shape *shape,
                 struct xpd_str text)
{
    if (text.size > KEPT_TEXT_BYTES)
        return;
    if (printer->shape_text.size + text.size > KEPT_BYTES) {
        memset(printer->shape_kept, 0, sizeof printer->shape_kept);
        xpd_strbuf_clear(&printer->shape_text);
    }
    size_t at = printer->shape_text.size;
    xpd_strbuf_add(&printer->shape_text, text.data, text.size);
    if (!printer->shape_text.failed)
        *entry_of(printer, shape) =
            (struct xpd_shape_kept){shape, (uint32_t)at, (uint32_t)text.size};
}

static void print_known_shape(struct xpd_print *p, const struct xpd_shape *shape)
{
    const struct xpd_shape_kept *kept = entry_of(p->printer, shape);
    if (kept->shape == shape) {
        xpd_strbuf_add(p->out, p->printer->shape_text.data + kept->at, kept->size);
        return;
    }
    size_t from = p->out->size;
    xpd_shape_text(p->out, shape, true);
    if (!p->out->failed)
        keep(p->printer, shape, (struct xpd_str){p->out->data + from, p->out->size - from});
}

/* ---- the line ---- */

static void print_opcode(struct xpd_print *p, uint32_t wrapped)
{
    struct xpd_str opcode = xpd_print_opcode(p);
    if (wrapped == XPD_NO_INDEX) {
        xpd_strbuf_add(p->out, opcode.data, opcode.size);
        return;
    }
    struct xpd_str inner = xpd_hlo_text(p->hlo, p->hlo->instructions.opcode[wrapped]);
    xpd_strbuf_add(p->out, inner.data, inner.size);
    xpd_strbuf_puts(p->out, opcode.data + strlen("async")); /* "-start", "-update", "-done" */
}

static void print_operands(struct xpd_print *p)
{
    const struct xpd_hlo_instructions *ins = &p->hlo->instructions;
    uint32_t first = ins->operand_first[p->instruction];
    uint32_t count = ins->operand_first[p->instruction + 1] - first;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t operand = ins->operand[first + k];
        if (k != 0 && k % 5 == 0 && p->flags & XPD_PRINT_INDEX_COMMENTS)
            xpd_print_index(p->out, k);
        else if (k != 0)
            xpd_strbuf_puts(p->out, ", ");
        size_t from = p->out->size;
        if (operand == XPD_NO_INDEX) { /* the file names something that does not exist */
            xpd_strbuf_puts(p->out, "?");
        } else {
            if (p->flags & XPD_PRINT_OPERAND_SHAPES) {
                print_known_shape(p, ins->shape[operand]);
                xpd_strbuf_putc(p->out, ' ');
            }
            xpd_print_name(p, ins->name[operand]);
        }
        if (p->places)
            XPD_PUSH(&p->places->operand, ((struct xpd_hlo_place){from, p->out->size}));
    }
}

static void print_constant(struct xpd_print *p)
{
    const struct xpd_shape *shape = p->hlo->instructions.shape[p->instruction];
    const struct xpd_field *field = xpd_raw_last(&p->raw, 8);
    bool shown = p->flags & XPD_PRINT_LARGE ||
                 (shape->type != XPD_TYPE_TUPLE && xpd_print_elements_at_most(shape, 10));
    if (!field || field->wire_type != LENGTH || !shown) {
        xpd_strbuf_puts(p->out, "{...}");
        return;
    }
    struct xpd_raw literal = xpd_raw_read(&p->printer->scratch, field->bytes, (size_t)field->size);
    xpd_print_literal(p, shape, &literal, 0);
}

static void print_in_parentheses(struct xpd_print *p)
{
    const struct xpd_hlo_instructions *ins = &p->hlo->instructions;
    struct xpd_str opcode = xpd_print_opcode(p);
    size_t from = p->out->size;
    if (xpd_str_eq(opcode, XPD_STR("constant"))) {
        print_constant(p);
        return;
    }
    if (!xpd_str_eq(opcode, XPD_STR("parameter"))) {
        print_operands(p);
        return;
    }
    xpd_strbuf_i64(p->out, ins->parameter_number[p->instruction]);
    if (p->places)
        XPD_PUSH(&p->places->operand, ((struct xpd_hlo_place){from, p->out->size}));
}

static struct xpd_hlo_place since(const struct xpd_print *p, size_t from)
{
    return (struct xpd_hlo_place){from, p->out->size};
}

static void print_expression(struct xpd_print *p)
{
    const struct xpd_hlo_instructions *ins = &p->hlo->instructions;
    uint32_t wrapped = xpd_print_wrapped(p->printer, p->instruction);
    struct xpd_hlo_places none = {0}, *places = p->places ? p->places : &none;
    size_t name = p->out->size + (p->flags & XPD_PRINT_PERCENT ? 1 : 0);
    xpd_print_name(p, ins->name[p->instruction]);
    places->name = since(p, name);
    xpd_strbuf_puts(p->out, " = ");
    size_t shape = p->out->size;
    print_known_shape(p, ins->shape[p->instruction]);
    places->shape = since(p, shape);
    xpd_strbuf_putc(p->out, ' ');
    size_t opcode = p->out->size;
    print_opcode(p, wrapped);
    places->opcode = since(p, opcode);
    xpd_strbuf_putc(p->out, '(');
    size_t operands = p->out->size;
    print_in_parentheses(p);
    places->operands = since(p, operands);
    xpd_strbuf_putc(p->out, ')');
    xpd_print_attributes(p, wrapped);
}

static void print_line(struct xpd_print *p)
{
    print_expression(p);
    xpd_print_origin(p);
    if (p->flags & XPD_PRINT_METADATA)
        xpd_print_metadata(p);
    struct xpd_str config = p->flags & XPD_PRINT_CONFIG ? xpd_print_config_of(p) : XPD_STR("");
    if (config.size) {
        xpd_strbuf_puts(p->out, ", backend_config=");
        xpd_print_dictionary(p->out, config);
    }
}

static void print_instruction(struct xpd_hlo_printer *printer, uint32_t instruction, uint32_t flags,
                              struct xpd_strbuf *out, struct xpd_hlo_places *places)
{
    if (instruction >= printer->hlo->instructions.count)
        return;
    const struct xpd_field *message = &printer->message[instruction];
    struct xpd_print p = {.printer = printer,
                          .hlo = printer->hlo,
                          .out = out,
                          .flags = flags,
                          .instruction = instruction,
                          .places = places};
    p.raw = xpd_raw_read(&printer->scratch, message->bytes, (size_t)message->size);
    print_line(&p);
    out->failed = out->failed || printer->scratch.failed;
    xpd_arena_reset(&printer->scratch);
}

void xpd_hlo_print_instruction(struct xpd_hlo_printer *printer, uint32_t instruction,
                               uint32_t flags, struct xpd_strbuf *out)
{
    print_instruction(printer, instruction, flags, out, NULL);
}

void xpd_hlo_print_places(struct xpd_hlo_printer *printer, uint32_t instruction, uint32_t flags,
                          struct xpd_strbuf *out, struct xpd_hlo_places *places)
{
    print_instruction(printer, instruction,
                      flags & ~(uint32_t)(XPD_PRINT_METADATA | XPD_PRINT_CONFIG), out, places);
    out->failed = out->failed || places->operand.failed || places->attribute.failed;
}
