/* The parts of an instruction. In: a line taken apart. Out: segments to show, parts with their
 * sentences. Pieces are taken in the order of the text, so that the segments joined are the text,
 * shortened. */
#include "words.h"

#include <inttypes.h>

enum { OPERANDS_SHOWN = 3, OPERANDS_BYTES = 120, VALUE_BYTES = 60, NAME_BYTES = 256 };

struct making {
    struct xpd_parts *out;
    struct xpd_arena *arena;
    const struct xpd_hlo_line *line;
    const struct xpd_explain_from *from;
    struct xpd_strbuf text;
    const char *shown; /* the line's text is shown up to here */
};

static struct xpd_str keep(struct making *m)
{
    struct xpd_str kept = {
        xpd_arena_strndup(m->arena, m->text.data ? m->text.data : "", m->text.size), m->text.size};
    xpd_strbuf_clear(&m->text);
    return kept.data ? kept : XPD_STR("");
}

static void segment(struct making *m, struct xpd_str text, uint32_t part)
{
    if (text.size && m->out->segment_count < sizeof m->out->segment / sizeof *m->out->segment)
        m->out->segment[m->out->segment_count++] = (struct xpd_segment){text, part};
}

/* The text between the last piece and this one. */
static void between(struct making *m, const char *until)
{
    if (until > m->shown)
        segment(m, (struct xpd_str){m->shown, (size_t)(until - m->shown)}, 0);
    m->shown = until;
}

/* A part whose sentence is in m->text; `show` replaces `piece` in the shown text. */
static void add(struct making *m, const char *label, struct xpd_str piece, struct xpd_str show)
{
    struct xpd_parts *out = m->out;
    struct xpd_str sentence = keep(m);
    if (out->count == XPD_PARTS_MOST) {
        out->attributes_left_out++;
        m->shown = piece.size ? piece.data + piece.size : m->shown;
        return;
    }
    out->part[out->count] =
        (struct xpd_part){.label = label, .sentence = sentence, .missing = piece.size == 0};
    out->count++;
    if (piece.size == 0)
        return;
    between(m, piece.data);
    segment(m, show, out->count);
    m->shown = piece.data + piece.size;
}

/* A name may be as long as the file likes; its beginning, whole letters, is enough for a person. */
static void put_name(struct making *m, struct xpd_str name)
{
    size_t size = name.size;
    if (size > NAME_BYTES)
        for (size = NAME_BYTES; size > 0 && ((unsigned char)name.data[size] & 0xC0) == 0x80;)
            size--;
    xpd_strbuf_add(&m->text, name.data, size);
    if (size < name.size)
        xpd_strbuf_printf(&m->text, "\xe2\x80\xa6 (%zu bytes)", name.size);
}

static void add_name(struct making *m)
{
    struct xpd_str name = m->line->name;
    if (name.data > m->line->text.data && name.data[-1] == '%')
        name = (struct xpd_str){name.data - 1, name.size + 1};
    struct xpd_str show = name;
    if (name.size > NAME_BYTES) {
        put_name(m, name);
        show = keep(m);
    }
    xpd_strbuf_puts(
        &m->text,
        "Unique in its module. You can search for it in the text, the trace and the memory view.");
    if (m->line->is_root)
        xpd_strbuf_puts(&m->text, " ROOT: the result of its computation.");
    add(m, "name", name, show);
}

static void add_tuple(struct making *m)
{
    const struct xpd_shape *shape = m->line->shape;
    struct xpd_str text = m->line->shape_text;
    xpd_strbuf_printf(&m->text, "A tuple of %" PRIu32 " results, ", shape->element_count);
    xpd_put_bytes(&m->text, xpd_shape_bytes(shape));
    xpd_strbuf_puts(&m->text, " together.");
    struct xpd_str sentence = keep(m), show = text;
    if (text.size > OPERANDS_BYTES) {
        xpd_strbuf_printf(&m->text, "(\xe2\x80\xa6 %" PRIu32 " results)", shape->element_count);
        show = keep(m);
    }
    xpd_strbuf_add(&m->text, sentence.data, sentence.size);
    add(m, "tuple", text, show);
}

static void add_shape(struct making *m)
{
    const struct xpd_hlo_line *line = m->line;
    const struct xpd_shape *shape = line->shape;
    if (shape->type == XPD_TYPE_TUPLE) {
        add_tuple(m);
        return;
    }
    xpd_words_type(&m->text, shape);
    add(m, "type", line->type_text, line->type_text);
    if (xpd_type_bits(shape->type) == 0)
        return;
    xpd_words_dims(&m->text, shape);
    add(m, "dimensions", line->dims_text, line->dims_text);
    if (line->order_text.size) {
        xpd_words_order(&m->text, shape);
        add(m, "order", line->order_text, line->order_text);
    }
    if (line->tiles_text.size) {
        xpd_words_tiles(&m->text, shape);
        add(m, "tiling", line->tiles_text, line->tiles_text);
    }
    if (shape->layout) {
        xpd_words_space(&m->text, shape->layout->memory_space, m->from);
        add(m, "memory", line->space_text, line->space_text);
    }
}

/* ---- operands ---- */

static void put_where(struct making *m, const struct xpd_shape *shape)
{
    char scratch[24];
    int64_t space = shape->layout ? shape->layout->memory_space : 0;
    const struct xpd_shape *own = m->line->shape;
    int64_t own_space = own->layout ? own->layout->memory_space : 0;
    bool same = own->type != XPD_TYPE_TUPLE && own->layout && own_space == space;
    xpd_strbuf_printf(&m->text, ", %sin %s", same ? "also " : "",
                      xpd_words_space_name(m->from, space, scratch));
}

static void words_of_operands(struct making *m)
{
    const struct xpd_hlo_line *line = m->line;
    int64_t bytes = 0;
    bool known = true;
    for (uint32_t i = 0; i < line->operand_count; i++) {
        const struct xpd_shape *shape = line->operand[i].shape;
        known = known && shape;
        if (shape) {
            int64_t one = xpd_shape_bytes(shape);
            bytes = one > INT64_MAX - bytes ? INT64_MAX : bytes + one;
        }
    }
    if (line->operand_count == 1)
        xpd_strbuf_puts(&m->text, "One input");
    else
        xpd_strbuf_printf(&m->text, "%" PRIu32 " inputs", line->operand_count);
    if (known) {
        xpd_strbuf_puts(&m->text, ", ");
        xpd_put_bytes(&m->text, bytes);
        if (line->operand_count > 1)
            xpd_strbuf_puts(&m->text, " together");
        else if (line->operand[0].shape->type != XPD_TYPE_TUPLE)
            put_where(m, line->operand[0].shape);
    } else {
        xpd_strbuf_puts(&m->text, "; their shapes are not in this text");
    }
    xpd_strbuf_puts(&m->text, ". Made by ");
    for (uint32_t i = 0; i < line->operand_count && i < OPERANDS_SHOWN; i++) {
        xpd_strbuf_puts(&m->text, i ? ", %" : "%");
        put_name(m, line->operand[i].name);
    }
    if (line->operand_count > OPERANDS_SHOWN)
        xpd_strbuf_printf(&m->text, " and %" PRIu32 " more", line->operand_count - OPERANDS_SHOWN);
    xpd_strbuf_putc(&m->text, '.');
}

static void add_operands(struct making *m)
{
    const struct xpd_hlo_line *line = m->line;
    struct xpd_str text = line->operands_text, show = text;
    if (line->operand_count == 0 || xpd_str_eq(line->opcode, XPD_STR("parameter"))) {
        if (text.size == 0)
            return;
        bool number = xpd_str_eq(line->opcode, XPD_STR("parameter"));
        xpd_strbuf_puts(&m->text,
                        number ? "Its number among the inputs, from 0." : "The value itself.");
        if (text.size > OPERANDS_BYTES)
            show = XPD_STR("\xe2\x80\xa6");
        add(m, number ? "number" : "value", text, show);
        return;
    }
    if (text.size > OPERANDS_BYTES) {
        xpd_strbuf_printf(&m->text, "\xe2\x80\xa6 %" PRIu32 " operands", line->operand_count);
        show = keep(m);
    }
    words_of_operands(m);
    add(m, line->operand_count == 1 ? "operand" : "operands", text, show);
}

/* ---- attributes ---- */

static void add_attribute(struct making *m, const struct xpd_line_attribute *attribute)
{
    struct xpd_str text = attribute->text, show = text;
    if (attribute->value.size > VALUE_BYTES &&
        !xpd_str_eq(attribute->key, XPD_STR("replica_groups"))) {
        xpd_strbuf_printf(&m->text, "%.*s={\xe2\x80\xa6}", (int)attribute->key.size,
                          attribute->key.data);
        show = keep(m);
    }
    const char *label = xpd_words_attribute(&m->text, m->line, attribute, m->from, m->arena);
    add(m, label, text, show);
}

int xpd_parts_of(struct xpd_parts *out, struct xpd_arena *arena, const struct xpd_hlo_line *line,
                 const struct xpd_explain_from *from, struct xpd_err *err)
{
    struct making m = {.out = out, .arena = arena, .line = line, .from = from};
    memset(out, 0, sizeof *out);
    m.shown = line->is_root ? line->name.data - (line->name.data[-1] == '%') : line->text.data;
    add_name(&m);
    add_shape(&m);
    xpd_strbuf_puts(&m.text, xpd_opcode_sentence(line->opcode));
    add(&m, "operation", line->opcode, line->opcode);
    add_operands(&m);
    for (uint32_t i = 0; i < line->attribute_count; i++)
        add_attribute(&m, &line->attribute[i]);
    between(&m, line->text.data + line->text.size);
    bool failed = m.text.failed || arena->failed;
    xpd_strbuf_fini(&m.text);
    return failed ? xpd_no_memory(err, "text", "to explain this text") : XPD_OK;
}
