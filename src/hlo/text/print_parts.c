/* Parts of an instruction's text, for drawing it. */
#include "print_internal.h"

enum { LENGTH = 2 };

static struct xpd_print open_one(struct xpd_hlo_printer *printer, uint32_t instruction,
                                 uint32_t flags, struct xpd_strbuf *out)
{
    const struct xpd_field *message = &printer->message[instruction];
    struct xpd_print p = {.printer = printer,
                          .hlo = printer->hlo,
                          .out = out,
                          .flags = flags,
                          .instruction = instruction};
    xpd_arena_reset(&printer->scratch);
    p.raw = xpd_raw_read(&printer->scratch, message->bytes, (size_t)message->size);
    return p;
}

void xpd_hlo_print_attributes(struct xpd_hlo_printer *printer, uint32_t instruction, uint32_t flags,
                              char end, struct xpd_strbuf *out)
{
    char separator[2] = {end, '\0'};
    struct xpd_print p = open_one(printer, instruction, flags, out);
    struct xpd_strbuf text = {0};
    p.out = &text;
    p.separator = separator;
    xpd_print_attributes(&p, xpd_print_wrapped(printer, instruction));
    if (text.size > 1) { /* begins with a separator, is to end with one */
        xpd_strbuf_add(out, text.data + 1, text.size - 1);
        xpd_strbuf_putc(out, end);
    }
    out->failed = out->failed || text.failed || printer->scratch.failed;
    xpd_strbuf_fini(&text);
}

bool xpd_hlo_print_value(struct xpd_hlo_printer *printer, uint32_t instruction, int64_t most,
                         bool in_lines, struct xpd_strbuf *out)
{
    const struct xpd_shape *shape = printer->hlo->instructions.shape[instruction];
    struct xpd_print p = open_one(printer, instruction, 0, out);
    const struct xpd_field *field = xpd_raw_last(&p.raw, 8);
    if (!field || field->wire_type != LENGTH || shape->type == XPD_TYPE_TUPLE ||
        !xpd_print_elements_at_most(shape, most))
        return false;
    struct xpd_raw literal = xpd_raw_read(&printer->scratch, field->bytes, (size_t)field->size);
    p.in_lines = in_lines;
    xpd_print_literal(&p, shape, &literal, 0);
    return !printer->scratch.failed;
}

bool xpd_hlo_print_first_values(struct xpd_hlo_printer *printer, uint32_t instruction,
                                uint64_t most, struct xpd_strbuf *out, uint64_t *all)
{
    const struct xpd_shape *shape = printer->hlo->instructions.shape[instruction];
    struct xpd_print p = open_one(printer, instruction, 0, out);
    const struct xpd_field *field = xpd_raw_last(&p.raw, 8);
    *all = 0;
    if (!field || field->wire_type != LENGTH)
        return false;
    struct xpd_raw literal = xpd_raw_read(&printer->scratch, field->bytes, (size_t)field->size);
    return xpd_print_literal_first(&p, shape, &literal, most, all) && !printer->scratch.failed;
}

bool xpd_hlo_literal_cut(struct xpd_hlo_printer *printer, uint32_t instruction, uint64_t *have,
                         uint64_t *want)
{
    struct xpd_print p = open_one(printer, instruction, 0, NULL);
    const struct xpd_field *field = xpd_raw_last(&p.raw, 8);
    *have = *want = 0;
    if (!field || field->wire_type != LENGTH)
        return false;
    struct xpd_raw literal = xpd_raw_read(&printer->scratch, field->bytes, (size_t)field->size);
    xpd_print_literal_counts(&p, printer->hlo->instructions.shape[instruction], &literal, 0, have,
                             want);
    return *have < *want && !printer->scratch.failed;
}

struct xpd_str xpd_hlo_attribute(struct xpd_hlo_printer *printer, uint32_t instruction,
                                 uint32_t flags, const char *key, struct xpd_arena *arena)
{
    struct xpd_strbuf text = {0};
    struct xpd_str rest, found = XPD_STR(""), name = xpd_str_of(key);
    xpd_hlo_print_attributes(printer, instruction, flags, '\n', &text);
    for (size_t at = 0; at < text.size; at += rest.size + 1) { /* each ends with a line break */
        rest = (struct xpd_str){text.data + at, text.size - at};
        const char *end = memchr(rest.data, '\n', rest.size);
        rest.size = end ? (size_t)(end - rest.data) : rest.size;
        if (!xpd_str_starts(rest, key) || rest.size == name.size || rest.data[name.size] != '=')
            continue;
        size_t size = rest.size - name.size - 1;
        const char *kept = xpd_arena_strndup(arena, rest.data + name.size + 1, size);
        found = kept ? (struct xpd_str){kept, size} : found;
        break;
    }
    xpd_strbuf_fini(&text);
    return found;
}

struct xpd_str xpd_hlo_config(struct xpd_hlo_printer *printer, uint32_t instruction, uint32_t flags)
{
    struct xpd_print p = open_one(printer, instruction, flags, NULL);
    return xpd_print_config_of(&p);
}

uint32_t xpd_hlo_control_predecessors(struct xpd_hlo_printer *printer, uint32_t instruction,
                                      const uint32_t **predecessor)
{
    struct xpd_print p = open_one(printer, instruction, 0, NULL);
    struct xpd_raw_ints ids = xpd_raw_ints(&printer->scratch, &p.raw, 37);
    uint32_t *found = XPD_NEW_ARRAY(&printer->scratch, uint32_t, ids.count), n = 0;
    for (uint32_t i = 0; found && i < ids.count; i++) {
        uint32_t index = xpd_print_find_local(&p, ids.at[i]);
        if (index != XPD_NO_INDEX)
            found[n++] = index;
    }
    *predecessor = found;
    return n;
}

bool xpd_hlo_frontend_attribute(struct xpd_hlo_printer *printer, uint32_t instruction,
                                struct xpd_str name, struct xpd_str *value)
{
    struct xpd_print p = open_one(printer, instruction, 0, NULL);
    struct xpd_raw all = xpd_raw_message(&printer->scratch, &p.raw, 68), entry;
    uint32_t at = 0;
    bool found = false;
    while (xpd_raw_each(&printer->scratch, &all, 1, &at, &entry))
        if (xpd_str_eq(xpd_raw_text(&entry, 1), name)) { /* the last one counts */
            *value = xpd_raw_text(&entry, 2);
            found = true;
        }
    return found;
}

int64_t xpd_hlo_channel(struct xpd_hlo_printer *printer, uint32_t instruction)
{
    struct xpd_print p = open_one(printer, instruction, 0, NULL);
    int64_t channel = xpd_raw_int(&p.raw, 26, 0);
    return channel > 0 ? channel : 0;
}

struct xpd_str xpd_hlo_direction(struct xpd_hlo_printer *printer, uint32_t instruction)
{
    struct xpd_print p = open_one(printer, instruction, 0, NULL);
    return xpd_raw_text(&p.raw, 63);
}

static struct xpd_str metadata_text(struct xpd_hlo_printer *printer, uint32_t instruction,
                                    uint32_t field)
{
    struct xpd_print p = open_one(printer, instruction, 0, NULL);
    struct xpd_raw metadata = xpd_raw_message(&printer->scratch, &p.raw, 7);
    return xpd_raw_text(&metadata, field);
}

struct xpd_str xpd_hlo_op_type(struct xpd_hlo_printer *printer, uint32_t instruction)
{
    return metadata_text(printer, instruction, 1);
}

struct xpd_str xpd_hlo_dedup_name(struct xpd_hlo_printer *printer, uint32_t instruction)
{
    return metadata_text(printer, instruction, 12);
}

static bool field_may_break(const struct xpd_field *message)
{
    enum { FRONTEND_ATTRIBUTES = 68, CONFIG = 43, CONFIG_PAYLOAD = 99 };
    struct xpd_cursor cursor = xpd_cursor_sub(message);
    struct xpd_field field;
    while (xpd_cursor_next(&cursor, &field))
        if (field.number == FRONTEND_ATTRIBUTES || field.number == CONFIG_PAYLOAD ||
            (field.number == CONFIG && field.wire_type == LENGTH &&
             memchr(field.bytes, '\n', (size_t)field.size)))
            return true;
    return false;
}

bool xpd_hlo_may_break(struct xpd_hlo_printer *printer, uint32_t instruction)
{
    uint32_t wrapped = xpd_print_wrapped(printer, instruction);
    return field_may_break(&printer->message[instruction]) ||
           (wrapped != XPD_NO_INDEX && field_may_break(&printer->message[wrapped]));
}
