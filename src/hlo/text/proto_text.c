/* An HloProto as text: the walk.
 *
 * In: bytes of a message, its fields by the table. Out: its known fields in the order of their
 * numbers. Invariants: level[d] holds the fields of the message open at depth d, and is not
 * touched while a message inside it is written; nesting is at most XPD_PROTO_DEPTH. */
#include "proto_put.h"

#include "xprofd/base/vec.h"
#include "xprofd/wire/cursor.h"

#include <stdio.h>
#include <stdlib.h>

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2, FIXED32 = 5 };
enum { ENTRY_KEY = 0, ENTRY_VALUE = 1 }; /* of a map's entry: places in its list of fields */

struct found {
    const struct xpd_proto_field *field;
    struct xpd_field wire;
};

struct entry {                   /* of a map */
    struct xpd_field key, value; /* number 0 = not there */
    uint64_t place;
};

struct level {
    XPD_VEC(struct found) found;
    XPD_VEC(struct entry) entry;
    struct xpd_strbuf joined; /* a message that the file wrote in several parts */
};

struct writer {
    struct xpd_proto_put put;
    const struct xpd_hlo_sink *sink;
    bool stopped, failed;
    struct level level[XPD_PROTO_DEPTH];
};

static void write_message(struct writer *w, uint16_t message, const uint8_t *bytes, size_t size,
                          uint32_t depth);

/* Between two values: passes on the output so far. False: the reader is gone. */
static bool goes_on(struct writer *w)
{
    w->stopped =
        w->stopped || w->put.out->failed || w->failed || !xpd_hlo_sink_goes_on(w->sink, w->put.out);
    return !w->stopped;
}

static bool is_text(const struct xpd_proto_field *field)
{
    return field->kind >= XPD_KIND_STR;
}

static uint8_t wire_type_of(const struct xpd_proto_field *field)
{
    return is_text(field)                ? LENGTH
           : field->kind == XPD_KIND_F32 ? FIXED32
           : field->kind == XPD_KIND_F64 ? FIXED64
                                         : VARINT;
}

/* ---- parsing a message ---- */

static bool fits(const struct xpd_proto_field *field, uint8_t wire_type)
{
    return wire_type == wire_type_of(field) ||
           (wire_type == LENGTH && field->rule == XPD_RULE_MANY); /* packed */
}

/* A file writes fields in order: the search goes on where the last one ended. */
static const struct xpd_proto_field *find(const struct xpd_proto_field *fields,
                                          const struct xpd_proto_field *from, uint32_t number)
{
    if (from->number > number)
        from = fields;
    while (from->number != 0 && from->number < number)
        from++;
    return from->number == number ? from : NULL;
}

static int by_number(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->wire.number != y->wire.number)
        return x->wire.number < y->wire.number ? -1 : 1;
    return x->wire.offset < y->wire.offset ? -1 : x->wire.offset > y->wire.offset;
}

static void take_apart(struct writer *w, struct level *level, uint16_t message,
                       struct xpd_cursor *cursor)
{
    const struct xpd_proto_field *fields = xpd_proto_fields(message), *at = fields;
    struct xpd_field wire;
    bool sorted = true;
    level->found.count = 0;
    while (xpd_cursor_next(cursor, &wire)) {
        const struct xpd_proto_field *field = find(fields, at, wire.number);
        if (!field || !fits(field, wire.wire_type))
            continue;
        at = field;
        if (level->found.count && level->found.at[level->found.count - 1].wire.number > wire.number)
            sorted = false;
        struct found found = {field, wire};
        XPD_PUSH(&level->found, found);
    }
    w->failed = w->failed || level->found.failed;
    if (!sorted)
        qsort(level->found.at, level->found.count, sizeof *level->found.at, by_number);
}

/* ---- values ---- */

static bool next_packed(const struct xpd_proto_field *field, const uint8_t **at, const uint8_t *end,
                        uint64_t *bits)
{
    size_t size = field->kind == XPD_KIND_F32 ? 4 : 8;
    *bits = 0;
    if (wire_type_of(field) == VARINT)
        return *at < end && xpd_varint(at, end, bits);
    if ((size_t)(end - *at) < size)
        return false;
    for (size_t i = 0; i < size; i++)
        *bits |= (uint64_t)(*at)[i] << (8 * i);
    *at += size;
    return true;
}

static void write_numbers(struct writer *w, const struct found *found)
{
    if (found->wire.wire_type != LENGTH) {
        xpd_proto_put_number(&w->put, found->field, found->wire.value);
        return;
    }
    const uint8_t *at = found->wire.bytes, *end = at + found->wire.size;
    uint64_t bits;
    while (goes_on(w) && next_packed(found->field, &at, end, &bits))
        xpd_proto_put_number(&w->put, found->field, bits);
}

static void open_message(struct writer *w, const struct xpd_proto_field *field)
{
    if (w->put.is_json) {
        xpd_json_obj(&w->put.json);
        return;
    }
    xpd_proto_put_indent(&w->put);
    xpd_strbuf_puts(w->put.out, field->name);
    xpd_strbuf_add(w->put.out, " {\n", 3);
    w->put.indent++;
}

static void close_message(struct writer *w)
{
    if (w->put.is_json) {
        xpd_json_obj_end(&w->put.json);
        return;
    }
    w->put.indent--;
    xpd_proto_put_indent(&w->put);
    xpd_strbuf_add(w->put.out, "}\n", 2);
}

static void write_value(struct writer *w, const struct found *found, uint32_t depth)
{
    if (found->field->kind == XPD_KIND_MSG) {
        open_message(w, found->field);
        write_message(w, found->field->sub, found->wire.bytes, (size_t)found->wire.size, depth + 1);
        close_message(w);
    } else if (is_text(found->field)) {
        xpd_proto_put_text(&w->put, found->field, xpd_field_str(&found->wire));
    } else {
        write_numbers(w, found);
    }
}

/* ---- a field with all its occurrences ---- */

static void write_many(struct writer *w, struct level *level, size_t from, size_t to,
                       uint32_t depth)
{
    if (w->put.is_json) {
        xpd_json_key(&w->put.json, level->found.at[from].field->name);
        xpd_json_arr(&w->put.json);
    }
    for (size_t i = from; i < to && goes_on(w); i++)
        write_value(w, &level->found.at[i], depth);
    if (w->put.is_json)
        xpd_json_arr_end(&w->put.json);
}

/* The last one counts; parts of one message add up, which is the same as writing them in one. */
static void write_one(struct writer *w, struct level *level, size_t from, size_t to, uint32_t depth)
{
    struct found found = level->found.at[to - 1];
    if (found.field->kind == XPD_KIND_MSG && to - from > 1) {
        xpd_strbuf_clear(&level->joined);
        for (size_t i = from; i < to; i++)
            xpd_strbuf_add(&level->joined, level->found.at[i].wire.bytes,
                           (size_t)level->found.at[i].wire.size);
        w->failed = w->failed || level->joined.failed;
        found.wire.bytes = (const uint8_t *)level->joined.data;
        found.wire.size = level->joined.size;
    }
    if (found.field->rule == XPD_RULE_ONE && found.field->kind != XPD_KIND_MSG &&
        (is_text(found.field) ? found.wire.size == 0
                              : xpd_proto_is_zero(found.field, found.wire.value)))
        return;
    if (w->put.is_json)
        xpd_json_key(&w->put.json, found.field->name);
    write_value(w, &found, depth);
}

/* ---- maps ---- */

static bool is_text_key(const struct entry *entry)
{
    return entry->key.wire_type == LENGTH;
}

static int by_key(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (is_text_key(x) && is_text_key(y)) {
        size_t n = x->key.size < y->key.size ? (size_t)x->key.size : (size_t)y->key.size;
        int order = n ? memcmp(x->key.bytes, y->key.bytes, n) : 0;
        if (order != 0)
            return order;
        if (x->key.size != y->key.size)
            return x->key.size < y->key.size ? -1 : 1;
    } else if ((int64_t)x->key.value != (int64_t)y->key.value) {
        return (int64_t)x->key.value < (int64_t)y->key.value ? -1 : 1;
    }
    return x->place < y->place ? -1 : x->place > y->place;
}

static bool same_key(const struct entry *x, const struct entry *y)
{
    if (is_text_key(x) && is_text_key(y))
        return xpd_str_eq(xpd_field_str(&x->key), xpd_field_str(&y->key));
    return x->key.value == y->key.value;
}

/* Missing fields of an entry have the empty value. */
static struct entry read_entry(const struct xpd_proto_field *fields, const struct found *found,
                               uint64_t place)
{
    struct entry entry = {.key = {.wire_type = wire_type_of(&fields[ENTRY_KEY])},
                          .value = {.wire_type = LENGTH},
                          .place = place};
    struct xpd_cursor cursor = xpd_cursor_sub(&found->wire);
    struct xpd_field wire;
    while (xpd_cursor_next(&cursor, &wire))
        for (int i = ENTRY_KEY; i <= ENTRY_VALUE; i++)
            if (wire.number == fields[i].number && wire.wire_type == wire_type_of(&fields[i]))
                *(i == ENTRY_KEY ? &entry.key : &entry.value) = wire;
    return entry;
}

static void write_entry(struct writer *w, const struct xpd_proto_field *map,
                        const struct entry *entry, uint32_t depth)
{
    const struct xpd_proto_field *fields = xpd_proto_fields(map->sub);
    struct found key = {&fields[ENTRY_KEY], entry->key};
    struct found value = {&fields[ENTRY_VALUE], entry->value};
    open_message(w, map);
    if (w->put.is_json)
        xpd_json_key(&w->put.json, "key");
    write_value(w, &key, depth);
    if (w->put.is_json)
        xpd_json_key(&w->put.json, "value");
    write_value(w, &value, depth + 1);
    close_message(w);
}

static void write_map(struct writer *w, struct level *level, size_t from, size_t to, uint32_t depth)
{
    const struct xpd_proto_field *map = level->found.at[from].field;
    level->entry.count = 0;
    for (size_t i = from; i < to; i++) {
        struct entry entry = read_entry(xpd_proto_fields(map->sub), &level->found.at[i], i);
        XPD_PUSH(&level->entry, entry);
    }
    w->failed = w->failed || level->entry.failed;
    qsort(level->entry.at, level->entry.count, sizeof *level->entry.at, by_key);
    if (w->put.is_json) {
        xpd_json_key(&w->put.json, map->name);
        xpd_json_arr(&w->put.json);
    }
    for (size_t i = 0; i < level->entry.count && goes_on(w); i++) /* of equal keys the last one */
        if (i + 1 == level->entry.count || !same_key(&level->entry.at[i], &level->entry.at[i + 1]))
            write_entry(w, map, &level->entry.at[i], depth);
    if (w->put.is_json)
        xpd_json_arr_end(&w->put.json);
}

/* ---- messages ---- */

static void write_note(struct writer *w, const char *before, uint64_t number, const char *behind)
{
    char note[160];
    snprintf(note, sizeof note, "%s%llu%s", before, (unsigned long long)number, behind);
    xpd_proto_put_note(&w->put, note);
}

static void write_message(struct writer *w, uint16_t message, const uint8_t *bytes, size_t size,
                          uint32_t depth)
{
    /* A field of a message opens an array, an entry and its value at most. */
    if (depth >= XPD_PROTO_DEPTH - 1 ||
        (w->put.is_json && w->put.json.depth + 4 > XPD_JSON_DEPTH)) {
        write_note(w, "", size, " bytes are nested too deep and left out");
        return;
    }
    struct level *level = &w->level[depth];
    struct xpd_cursor cursor;
    xpd_cursor_init(&cursor, bytes, size, 0);
    take_apart(w, level, message, &cursor);
    for (size_t from = 0, to; from < level->found.count && goes_on(w); from = to) {
        uint32_t number = level->found.at[from].wire.number;
        for (to = from + 1; to < level->found.count && level->found.at[to].wire.number == number;)
            to++;
        switch (level->found.at[from].field->rule) {
        case XPD_RULE_MANY: write_many(w, level, from, to, depth); break;
        case XPD_RULE_MAP: write_map(w, level, from, to, depth); break;
        default: write_one(w, level, from, to, depth); break;
        }
    }
    if (cursor.error_text)
        write_note(w, "damaged from byte ", cursor.error_offset,
                   " of this message on; the rest is left out");
}

int xpd_hlo_proto_text(enum xpd_proto_form form, const uint8_t *bytes, size_t size,
                       struct xpd_strbuf *out, const struct xpd_hlo_sink *sink, struct xpd_err *err)
{
    struct writer *w = calloc(1, sizeof *w);
    if (!w)
        return xpd_no_memory(err, NULL, "for this text");
    w->put = (struct xpd_proto_put){.out = out, .is_json = form == XPD_PROTO_JSON};
    w->sink = sink;
    xpd_jsonw_init(&w->put.json, out);
    if (w->put.is_json)
        xpd_json_obj(&w->put.json);
    write_message(w, 0, bytes, size, 0);
    if (w->put.is_json) {
        xpd_json_obj_end(&w->put.json);
        xpd_strbuf_putc(out, '\n');
    }
    bool failed = w->failed || out->failed;
    for (uint32_t i = 0; i < XPD_PROTO_DEPTH; i++) {
        XPD_VEC_FINI(&w->level[i].found);
        XPD_VEC_FINI(&w->level[i].entry);
        xpd_strbuf_fini(&w->level[i].joined);
    }
    free(w);
    return failed ? xpd_no_memory(err, NULL, "for this text") : XPD_OK;
}
