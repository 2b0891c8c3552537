/* Stats of one event, or of one metadata entry, decoded on demand.
 *
 * In: the range of the message. Out: its XStats in order. XStat{metadata_id 1, double 2, uint64 3,
 * int64 4, str 5, bytes 6, ref 7, gzip text 8}. Messages are mostly a few hundred bytes and are
 * read whole; a large one is read field by field, and of a large text only the head is kept. */
#include "plane.h"
#include "xprofd/profile/events.h"
#include "xprofd/wire/cursor.h"
#include <string.h>

/* Stats of a plane: values as written, names and texts from the plane's stat_metadata.
 *
 * XStat{metadata_id 1, double 2, uint64 3, int64 4, str 5, bytes 6, ref 7}: a ref is the id of
 * stat_metadata whose name is the text. Bytes stay in the file. */

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2 };
enum { KIND_DOUBLE = 2, KIND_UINT, KIND_INT, KIND_TEXT, KIND_BYTES, KIND_REF };

bool xpd_stat_read(struct xpd_reader *reader, struct xpd_wire_range range,
                   struct xpd_raw_stat *stat, enum xpd_walk *step, struct xpd_err *err)
{
    struct xpd_walk_field field;
    uint64_t at = range.offset;
    *stat = (struct xpd_raw_stat){0};
    while ((*step = xpd_walk_next(reader, &at, xpd_range_end(range), &field, err)) ==
           XPD_WALK_FIELD) {
        if (field.number == 1 && field.type == VARINT)
            stat->metadata_id = field.value;
        else if ((field.number == KIND_DOUBLE && field.type == FIXED64) ||
                 ((field.number == KIND_UINT || field.number == KIND_INT ||
                   field.number == KIND_REF) &&
                  field.type == VARINT) ||
                 ((field.number == KIND_TEXT || field.number == KIND_BYTES) &&
                  field.type == LENGTH)) {
            stat->kind = field.number;
            stat->value = field.value;
            stat->bytes = field.payload;
        }
    }
    return *step == XPD_WALK_END;
}

struct wanted { /* stat_metadata ids with requested names */
    struct xpd_map64 index;
    xpd_name_id *name;
    uint32_t count;
};

static void want(struct wanted *wanted, uint64_t id)
{
    if (xpd_map64_get(&wanted->index, id) == XPD_NO_INDEX)
        xpd_map64_put(&wanted->index, id, wanted->count++);
}

static int find_names(struct xpd_reader *reader, struct xpd_plane_read *read, struct wanted *wanted,
                      struct xpd_err *err)
{
    struct xpd_metadata entry;
    struct xpd_metadata_region region = read->stats;
    enum xpd_walk step;
    bool failed = false;
    while ((step = xpd_metadata_next(reader, &region, XPD_STAT_METADATA, &entry, err)) ==
           XPD_WALK_FIELD) {
        uint32_t index = xpd_map64_get(&wanted->index, entry.id);
        if (index != XPD_NO_INDEX)
            wanted->name[index] = xpd_walk_text(reader, entry.name, &failed, err);
        if (failed)
            return err->code;
    }
    return step == XPD_WALK_FAILED ? err->code : XPD_OK;
}

static xpd_name_id name_of(const struct wanted *wanted, uint64_t id)
{
    uint32_t index = xpd_map64_get(&wanted->index, id);
    return index != XPD_NO_INDEX ? wanted->name[index] : 0;
}

static bool resolve(struct xpd_reader *reader, const struct xpd_raw_stat *raw,
                    const struct wanted *wanted, struct xpd_stat *stat, struct xpd_err *err)
{
    bool failed = false;
    stat->name = name_of(wanted, raw->metadata_id);
    stat->integer = (int64_t)raw->value;
    switch (raw->kind) {
    case KIND_DOUBLE:
        stat->type = XPD_STAT_DOUBLE;
        memcpy(&stat->real, &raw->value, sizeof stat->real);
        break;
    case KIND_UINT: stat->type = XPD_STAT_UINT; break;
    case KIND_INT: stat->type = XPD_STAT_INT; break;
    case KIND_TEXT:
        stat->type = XPD_STAT_TEXT;
        stat->text = xpd_walk_text(reader, raw->bytes, &failed, err);
        break;
    case KIND_BYTES:
        stat->type = XPD_STAT_BYTES;
        stat->bytes = raw->bytes;
        break;
    case KIND_REF:
        stat->type = XPD_STAT_TEXT;
        stat->text = name_of(wanted, raw->value);
        break;
    default: stat->type = XPD_STAT_NONE; break;
    }
    return !failed;
}

int xpd_stats_resolve(struct xpd_reader *reader, struct xpd_plane_read *read, struct xpd_err *err)
{
    struct xpd_arena *arena = &reader->space->arena;
    struct xpd_plane *plane = read->plane;
    size_t count = read->stat.count;
    struct wanted wanted = {0};
    if (count == 0)
        return XPD_OK;
    for (size_t i = 0; i < count; i++) {
        want(&wanted, read->stat.at[i].metadata_id);
        if (read->stat.at[i].kind == KIND_REF)
            want(&wanted, read->stat.at[i].value);
    }
    wanted.name = XPD_NEW_ARRAY(arena, xpd_name_id, wanted.count);
    plane->stat = XPD_NEW_ARRAY(arena, struct xpd_stat, count);
    int rc = XPD_OK;
    if (!wanted.name || !plane->stat || wanted.index.failed)
        rc = xpd_fail(err, XPD_ELIMIT, xpd_source_name(reader->window.source), plane->range.offset,
                      "The stats of a plane do not fit the memory budget.");
    if (rc == XPD_OK)
        rc = find_names(reader, read, &wanted, err);
    for (size_t i = 0; i < count && rc == XPD_OK; i++) {
        if (!resolve(reader, &read->stat.at[i], &wanted, &plane->stat[i], err))
            rc = err->code;
        plane->stat_count = (uint32_t)(i + 1);
    }
    xpd_map64_fini(&wanted.index);
    return rc;
}

#define WHOLE_BYTES   ((uint64_t)64 << 10) /* messages up to this are read in one piece */
#define INFLATE_BYTES ((uint64_t)16 << 20) /* of a gzip text */

enum { KIND_GZIP = 8 };

struct decoding {
    const struct xpd_source *source;
    const struct xpd_plane_tables *tables;
    const struct xpd_intern *names;
    struct xpd_arena *scratch;
    struct xpd_stat_value *value; /* grows in the arena */
    uint32_t count, capacity;
};

static int no_room(const struct decoding *decoding, struct xpd_err *err)
{
    return xpd_fail(err, XPD_ELIMIT, xpd_source_name(decoding->source), XPD_NO_OFFSET,
                    "The stats of an event do not fit the memory of a request (%llu bytes).",
                    (unsigned long long)decoding->scratch->budget_bytes);
}

static struct xpd_str stat_name(const struct decoding *decoding, uint64_t id)
{
    uint32_t index = xpd_map64_get(&decoding->tables->stat_of, id);
    return index == XPD_NO_INDEX
               ? XPD_STR("")
               : xpd_intern_get(decoding->names, decoding->tables->stat_name[index]);
}

static struct xpd_stat_value *new_value(struct decoding *decoding)
{
    if (decoding->count == decoding->capacity) {
        uint32_t capacity = decoding->capacity ? decoding->capacity * 2 : 16;
        struct xpd_stat_value *value =
            XPD_NEW_ARRAY(decoding->scratch, struct xpd_stat_value, capacity);
        if (!value)
            return NULL;
        if (decoding->count != 0)
            memcpy(value, decoding->value, decoding->count * sizeof *value);
        decoding->value = value;
        decoding->capacity = capacity;
    }
    struct xpd_stat_value *value = &decoding->value[decoding->count++];
    *value = (struct xpd_stat_value){.name = XPD_STR(""), .text = XPD_STR("")};
    return value;
}

static bool copy_text(struct decoding *decoding, const uint8_t *bytes, uint64_t size,
                      struct xpd_stat_value *value)
{
    size_t kept = (size_t)(size < XPD_STAT_TEXT_MAX ? size : XPD_STAT_TEXT_MAX);
    const char *text = xpd_arena_strndup(decoding->scratch, (const char *)bytes, kept);
    value->text = (struct xpd_str){text ? text : "", text ? kept : 0};
    value->size_bytes = size;
    return text != NULL;
}

/* Newest writers compress long texts. One that cannot be unpacked stays as the bytes it is. */
static bool inflate_text(struct decoding *decoding, const uint8_t *bytes, uint64_t size,
                         struct xpd_stat_value *value)
{
    struct xpd_source *packed = NULL;
    bool fine = xpd_source_open_packed(&packed, bytes, (size_t)size, "stat", INFLATE_BYTES, NULL) ==
                    XPD_OK &&
                !xpd_source_truncated_gzip(packed);
    value->type = fine ? XPD_STAT_TEXT : XPD_STAT_BYTES;
    bool copied =
        fine ? copy_text(decoding, xpd_source_memory(packed), xpd_source_size(packed), value)
             : copy_text(decoding, bytes, size, value);
    xpd_source_close(packed);
    return copied;
}

static bool take_value(struct decoding *decoding, const struct xpd_field *field,
                       struct xpd_stat_value *value)
{
    uint32_t kind = field->number;
    uint8_t wire = kind == KIND_DOUBLE                                         ? FIXED64
                   : kind == KIND_UINT || kind == KIND_INT || kind == KIND_REF ? VARINT
                                                                               : LENGTH;
    if (kind < KIND_DOUBLE || kind > KIND_GZIP || field->wire_type != wire)
        return true;
    value->integer = (int64_t)field->value;
    switch (kind) {
    case KIND_DOUBLE:
        value->type = XPD_STAT_DOUBLE;
        memcpy(&value->real, &field->value, sizeof value->real);
        return true;
    case KIND_UINT: value->type = XPD_STAT_UINT; return true;
    case KIND_INT: value->type = XPD_STAT_INT; return true;
    case KIND_TEXT:
    case KIND_BYTES:
        value->type = kind == KIND_TEXT ? XPD_STAT_TEXT : XPD_STAT_BYTES;
        return copy_text(decoding, field->bytes, field->size, value);
    case KIND_GZIP: return inflate_text(decoding, field->bytes, field->size, value);
    default: /* KIND_REF: the name of another stat is the text */
        value->type = XPD_STAT_TEXT;
        value->text = stat_name(decoding, field->value);
        value->size_bytes = value->text.size;
        return true;
    }
}

/* One XStat; damage inside ends it, earlier fields count. */
static bool add_stat(struct decoding *decoding, const void *bytes, size_t size)
{
    if (decoding->count >= XPD_STATS_MAX)
        return true;
    struct xpd_stat_value *value = new_value(decoding);
    struct xpd_cursor cursor;
    struct xpd_field field;
    if (!value)
        return false;
    xpd_cursor_init(&cursor, bytes, size, 0);
    while (xpd_cursor_next(&cursor, &field)) {
        if (field.number == 1 && field.wire_type == VARINT)
            value->id = field.value;
        else if (!take_value(decoding, &field, value))
            return false;
    }
    value->name = stat_name(decoding, value->id);
    return true;
}

static int decode_whole(struct decoding *decoding, struct xpd_wire_range range,
                        uint32_t stats_field, struct xpd_err *err)
{
    size_t size = (size_t)range.size;
    struct xpd_cursor cursor;
    struct xpd_field field;
    uint8_t *bytes = xpd_arena_bytes(decoding->scratch, size);
    if (!bytes)
        return no_room(decoding, err);
    int rc = xpd_source_read(decoding->source, range.offset, bytes, size, err);
    if (rc != XPD_OK)
        return rc;
    xpd_cursor_init(&cursor, bytes, size, range.offset);
    while (xpd_cursor_next(&cursor, &field))
        if (field.number == stats_field && field.wire_type == LENGTH &&
            !add_stat(decoding, field.bytes, (size_t)field.size))
            return no_room(decoding, err);
    return XPD_OK;
}

static int decode_large(struct decoding *decoding, struct xpd_window *window,
                        struct xpd_wire_range range, uint32_t stats_field, struct xpd_err *err)
{
    uint64_t end = range.offset + range.size, value;
    struct xpd_wire_range payload;
    uint32_t number;
    uint8_t wire;
    window->offset = range.offset;
    for (;;) {
        struct xpd_err why = {0};
        int rc = xpd_window_field(window, end, &number, &wire, &value, &payload, &why);
        if (rc == XPD_EFORMAT || (rc == XPD_OK && number == 0))
            return XPD_OK; /* damage ends the message */
        if (rc == XPD_OK && wire == LENGTH) {
            window->offset = payload.offset + payload.size;
            /* A stat of more than a window is not kept: nothing draws a megabyte. */
            const uint8_t *bytes;
            if (number == stats_field && payload.size <= XPD_WINDOW_BYTES) {
                rc = xpd_window_peek(window, payload.offset, (size_t)payload.size, &bytes, &why);
                if (rc == XPD_OK && !add_stat(decoding, bytes, (size_t)payload.size))
                    return no_room(decoding, err);
            }
        }
        if (rc != XPD_OK) {
            if (err)
                *err = why;
            return rc;
        }
    }
}

int xpd_stats_decode(const struct xpd_source *source, struct xpd_wire_range range,
                     uint32_t stats_field, const struct xpd_plane_tables *tables,
                     const struct xpd_intern *names, struct xpd_arena *scratch,
                     struct xpd_stat_value **out, uint32_t *count, struct xpd_err *err)
{
    struct decoding decoding = {
        .source = source, .tables = tables, .names = names, .scratch = scratch};
    int rc;
    if (range.size <= WHOLE_BYTES) {
        rc = decode_whole(&decoding, range, stats_field, err);
    } else {
        struct xpd_window window;
        rc = xpd_window_init(&window, source, err);
        if (rc == XPD_OK)
            rc = decode_large(&decoding, &window, range, stats_field, err);
        xpd_window_fini(&window);
    }
    *out = rc == XPD_OK ? decoding.value : NULL;
    *count = rc == XPD_OK ? decoding.count : 0;
    return rc;
}

/* The length is a varint: its last byte stands right before the payload, the others, which have
 * their high bit set, before that; then comes the tag. */
bool xpd_event_size(const uint8_t *before, size_t size, uint64_t *payload)
{
    enum { TAG = 4 << 3 | LENGTH };
    size_t first = size;
    if (first > 0)
        first--; /* the last byte of the length */
    while (first > 0 && before[first - 1] >= 0x80)
        first--;
    const uint8_t *at = before + first;
    return first > 0 && before[first - 1] == TAG && xpd_varint(&at, before + size, payload) &&
           at == before + size;
}

int xpd_event_range(const struct xpd_source *source, uint64_t where, uint64_t line_end,
                    struct xpd_wire_range *range, struct xpd_err *err)
{
    enum { LONGEST = 11 };
    uint8_t head[LONGEST];
    size_t size = where < LONGEST ? (size_t)where : LONGEST;
    int rc = xpd_source_read(source, where - size, head, size, err);
    if (rc != XPD_OK)
        return rc;
    uint64_t length;
    if (!xpd_event_size(head, size, &length) || where > line_end || length > line_end - where)
        return xpd_fail(err, XPD_EFORMAT, xpd_source_name(source), where,
                        "The bytes at byte %llu are not an event.", (unsigned long long)where);
    *range = (struct xpd_wire_range){where, length};
    return XPD_OK;
}
