/* Computations that the text folds away: "slice-start(%x), slice={[0:8]}" says in one line an
 * async-start and the computation it calls, which holds parameters and a root only. */
#include "parse_internal.h"

#include "xprofd/wire/cursor.h"
#include <stdio.h>

enum { NAME = 1, OPCODE = 2, SHAPE = 3, PARAMETER_NUMBER = 9, ID = 35, OPERANDS = 36 };
enum { SHAPE_TUPLE = 4 };

/* The elements of a tuple whose ShapeProto that is. */
static uint32_t elements_of(struct xpd_parse *p, const uint8_t *bytes, uint64_t size,
                            const struct xpd_field **out)
{
    XPD_VEC(struct xpd_field) element = {0};
    struct xpd_cursor cursor;
    struct xpd_field field;
    xpd_cursor_init(&cursor, bytes, (size_t)size, 0);
    while (xpd_cursor_next(&cursor, &field))
        if (field.number == SHAPE_TUPLE && field.wire_type == 2)
            XPD_PUSH(&element, field);
    *out = element.count ? XPD_COPY_VEC(&p->scratch, &element) : NULL;
    uint32_t count = *out ? (uint32_t)element.count : 0;
    XPD_VEC_FINI(&element);
    return count;
}

static void put_name(struct xpd_parse *p, struct xpd_str of, const char *what)
{
    xpd_strbuf_clear(&p->line_text);
    xpd_strbuf_add(&p->line_text, of.data, of.size);
    xpd_strbuf_puts(&p->line_text, what);
    xpd_out_text(&p->body, NAME, (struct xpd_str){p->line_text.data, p->line_text.size});
}

static void end_instruction(struct xpd_parse *p, struct xpd_parsed_instruction *parsed)
{
    parsed->size = (uint32_t)(p->body.size - parsed->at);
    if (parsed->id != XPD_PARSE_NO_ID && !p->instruction_of.failed)
        p->instruction_of.at[parsed->id - 1] = (uint32_t)p->instruction.count;
    XPD_PUSH(&p->instruction, *parsed);
}

static void put_shape(struct xpd_parse *p, const struct xpd_field *shape)
{
    xpd_out_text(&p->body, SHAPE, xpd_field_str(shape));
}

static uint32_t make_parameter(struct xpd_parse *p, const struct xpd_folded *folded,
                               const struct xpd_field *shape, uint32_t number)
{
    struct xpd_parsed_instruction parsed = {.at = p->body.size,
                                            .id = xpd_parse_new_instruction_id(p)};
    char name[40];
    snprintf(name, sizeof name, ".wrapped.param_%u", number);
    put_name(p, folded->name, name);
    xpd_out_text(&p->body, OPCODE, XPD_STR("parameter"));
    put_shape(p, shape);
    xpd_out_int(&p->body, ID, parsed.id);
    xpd_out_int(&p->body, PARAMETER_NUMBER, number);
    end_instruction(p, &parsed);
    return parsed.id;
}

static uint32_t make_root(struct xpd_parse *p, const struct xpd_folded *folded,
                          const struct xpd_field *shape, uint32_t operands)
{
    struct xpd_parsed_instruction parsed = {.at = p->body.size,
                                            .id = xpd_parse_new_instruction_id(p),
                                            .operand_first = (uint32_t)p->operand.count - operands,
                                            .operand_count = operands,
                                            .called_first = folded->called_first,
                                            .called_count = folded->called_count};
    put_name(p, folded->name, ".wrapped.root");
    xpd_out_text(&p->body, OPCODE, folded->opcode);
    put_shape(p, shape);
    xpd_out_int(&p->body, ID, parsed.id);
    if (operands != 0) {
        size_t begin = xpd_out_begin(&p->body, OPERANDS);
        for (uint32_t i = 0; i < operands && !p->operand.failed; i++)
            xpd_out_varint(&p->body, p->operand.at[parsed.operand_first + i]);
        xpd_out_end(&p->body, begin);
    }
    if (folded->bytes_size != 0)
        xpd_strbuf_add(&p->body, p->wrapped.data + folded->bytes_at, folded->bytes_size);
    end_instruction(p, &parsed);
    return parsed.id;
}

/* The shape of a start is ((operands...), result, ...); of another one only the result is made. */
static void unfold(struct xpd_parse *p, const struct xpd_folded *folded)
{
    struct xpd_parsed_computation computation = {.id = folded->computation,
                                                 .thread = folded->thread,
                                                 .first = (uint32_t)p->instruction.count};
    const struct xpd_field *part = NULL, *operand = NULL;
    struct xpd_field shape = {0};
    struct xpd_cursor cursor;
    void *bytes =
        xpd_arena_copy(&p->scratch, p->body.data + folded->shape_at, folded->shape_size, 1);
    xpd_cursor_init(&cursor, bytes, bytes ? folded->shape_size : 0, 0);
    (void)xpd_cursor_next(&cursor, &shape);
    uint32_t parts = elements_of(p, shape.bytes, shape.size, &part), operands = 0;
    if (parts >= 2)
        operands = elements_of(p, part[0].bytes, part[0].size, &operand);
    uint32_t first = (uint32_t)p->operand.count;
    uint32_t *id = XPD_NEW_ARRAY(&p->scratch, uint32_t, operands);
    for (uint32_t i = 0; id && i < operands; i++)
        id[i] = make_parameter(p, folded, &operand[i], i);
    for (uint32_t i = 0; id && i < operands; i++)
        XPD_PUSH(&p->operand, id[i]);
    computation.root =
        make_root(p, folded, parts >= 2 ? &part[1] : &shape, (uint32_t)p->operand.count - first);
    computation.count = (uint32_t)p->instruction.count - computation.first;
    xpd_strbuf_clear(&p->line_text);
    xpd_strbuf_add(&p->line_text, folded->name.data, folded->name.size);
    xpd_strbuf_puts(&p->line_text, ".wrapped");
    computation.name = xpd_strbuf_keep(&p->line_text, &p->scratch);
    computation.shape_at = p->shapes.size;
    if (!p->computation_of.failed)
        p->computation_of.at[computation.id - 1] = (uint32_t)p->computation.count;
    XPD_PUSH(&p->computation, computation);
}

void xpd_parse_unfold(struct xpd_parse *p)
{
    for (size_t i = 0; i < p->folded.count && !p->body.failed && !p->wrapped.failed; i++)
        unfold(p, &p->folded.at[i]);
    p->folded.count = 0;
    xpd_strbuf_clear(&p->wrapped);
}
