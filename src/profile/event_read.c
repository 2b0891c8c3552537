/* Events of a line with the stats that are wanted.
 *
 * In: the range of an XLine. Out: one call for each event. Most stats are irrelevant for a pass:
 * they are recognised by the first bytes that all writers use, and skipped by their length. Other
 * encodings are read field by field. */
#include "xprofd/profile/event_read.h"
#include "decode.h"
#include "plane.h"
#include "xprofd/wire/cursor.h"

enum { TAG_STAT_ID = 1 << 3 | VARINT };

void xpd_stat_ids_want(struct xpd_stat_ids *ids, uint32_t index, uint64_t id)
{
    ids->id[index] = id;
    ids->known |= UINT32_C(1) << index;
    ids->high |= id >= sizeof ids->slot;
    if (id < sizeof ids->slot)
        ids->slot[id] = (uint8_t)(index + 1);
}

void xpd_stat_ids_init(struct xpd_stat_ids *ids, const struct xpd_plane_tables *tables,
                       const struct xpd_intern *names, const char *const *name, uint32_t count)
{
    *ids = (struct xpd_stat_ids){0};
    for (uint32_t i = 0; i < count; i++) {
        uint64_t id;
        if (xpd_plane_stat_id(tables, names, xpd_str_of(name[i]), &id))
            xpd_stat_ids_want(ids, i, id);
    }
}

/* The index of a wanted id, XPD_NO_INDEX for others. */
static inline uint32_t index_of(const struct xpd_stat_ids *ids, uint64_t id)
{
    if (id < sizeof ids->slot)
        return ids->slot[id] ? ids->slot[id] - 1u : XPD_NO_INDEX;
    for (uint32_t i = 0; ids->high && i < XPD_STAT_IDS_MAX; i++)
        if ((ids->known >> i & 1) && ids->id[i] == id)
            return i;
    return XPD_NO_INDEX;
}

/* Of several values the last one counts, as in every protobuf reader. */
static void read_any_stat(const struct xpd_stat_ids *ids, const uint8_t *bytes, size_t size,
                          struct xpd_event_said *event)
{
    static const uint8_t wire_type[] = {
        [XPD_SAID_DOUBLE] = FIXED64, [XPD_SAID_UINT] = VARINT,  [XPD_SAID_INT] = VARINT,
        [XPD_SAID_TEXT] = LENGTH,    [XPD_SAID_BYTES] = LENGTH, [XPD_SAID_REF] = VARINT};
    struct xpd_cursor cursor;
    struct xpd_field field;
    struct xpd_said said = {0};
    uint64_t id = 0;
    xpd_cursor_init(&cursor, bytes, size, 0);
    while (xpd_cursor_next(&cursor, &field)) {
        if (field.number == 1 && field.wire_type == VARINT)
            id = field.value;
        else if (field.number >= XPD_SAID_DOUBLE && field.number <= XPD_SAID_REF &&
                 field.wire_type == wire_type[field.number])
            said =
                (struct xpd_said){field.number, field.value,
                                  field.wire_type == LENGTH ? xpd_field_str(&field) : XPD_STR("")};
    }
    uint32_t index = index_of(ids, id);
    if (index == XPD_NO_INDEX)
        return;
    event->stat[index] = said;
    event->has |= UINT32_C(1) << index;
}

/* Its id and then one value. */
static inline void read_stat(const struct xpd_stat_ids *ids, const uint8_t *bytes, size_t size,
                             struct xpd_event_said *event)
{
    const uint8_t *at = bytes, *end = bytes + size;
    uint64_t id, value;
    if (size < 2 || *at++ != TAG_STAT_ID || !xpd_varint(&at, end, &id)) {
        read_any_stat(ids, bytes, size, event);
        return;
    }
    uint32_t index = index_of(ids, id);
    if (index == XPD_NO_INDEX)
        return;
    uint8_t tag = at < end ? *at++ : 0;
    bool number = tag == (XPD_SAID_UINT << 3 | VARINT) || tag == (XPD_SAID_INT << 3 | VARINT) ||
                  tag == (XPD_SAID_REF << 3 | VARINT);
    if (!number || !xpd_varint(&at, end, &value) || at != end) {
        read_any_stat(ids, bytes, size, event);
        return;
    }
    event->stat[index] = (struct xpd_said){.field = tag >> 3, .value = value};
    event->has |= UINT32_C(1) << index;
}

static inline void begin(struct xpd_event_said *event)
{
    event->metadata = event->offset_ps = event->duration_ps = event->occurrences = 0;
    event->aggregated = event->damaged = false;
    event->has = 0;
}

/* An event with the fields that all have, in any order; false: it has others, or is damaged. */
static bool read_plain(const struct xpd_stat_ids *ids, const uint8_t *at, const uint8_t *end,
                       struct xpd_event_said *event)
{
    uint64_t value;
    begin(event);
    while (at < end) {
        uint8_t tag = *at++;
        if (!xpd_varint(&at, end, &value))
            return false;
        switch (tag) {
        case TAG_STAT:
            if (value > (uint64_t)(end - at))
                return false;
            if (ids->known)
                read_stat(ids, at, (size_t)value, event);
            at += value;
            break;
        case TAG_METADATA: event->metadata = value; break;
        case TAG_OFFSET: event->offset_ps = value; break;
        case TAG_DURATION: event->duration_ps = value; break;
        default: return false;
        }
    }
    return true;
}

static void read_any(const struct xpd_stat_ids *ids, const uint8_t *bytes, size_t size,
                     struct xpd_event_said *event)
{
    struct xpd_cursor cursor;
    struct xpd_field field;
    begin(event);
    xpd_cursor_init(&cursor, bytes, size, 0);
    while (xpd_cursor_next(&cursor, &field)) {
        if (field.wire_type == LENGTH && field.number == 4 && ids->known)
            read_any_stat(ids, field.bytes, (size_t)field.size, event);
        if (field.wire_type != VARINT)
            continue;
        switch (field.number) {
        case 1: event->metadata = field.value; break;
        case 2:
        case 5:
            event->aggregated = field.number == 5;
            event->offset_ps = event->aggregated ? 0 : field.value;
            event->occurrences = event->aggregated ? field.value : 0;
            break;
        case 3: event->duration_ps = field.value; break;
        default: break;
        }
    }
    event->damaged = cursor.error_text != NULL;
}

void xpd_event_read(const struct xpd_stat_ids *ids, const uint8_t *bytes, size_t size,
                    struct xpd_event_said *event)
{
    if (!read_plain(ids, bytes, bytes + size, event))
        read_any(ids, bytes, size, event);
}

struct xpd_str xpd_said_text(const struct xpd_said *said, const struct xpd_plane_tables *tables,
                             const struct xpd_intern *names)
{
    if (said->field == XPD_SAID_TEXT)
        return said->text;
    uint32_t at =
        said->field == XPD_SAID_REF ? xpd_map64_get(&tables->stat_of, said->value) : XPD_NO_INDEX;
    return at == XPD_NO_INDEX ? XPD_STR("") : xpd_intern_get(names, tables->stat_name[at]);
}

struct reading { /* of a line */
    const struct xpd_stat_ids *ids;
    xpd_event_said_fn *fn;
    void *user;
    struct xpd_event_said event;
};

static bool give(struct reading *reading, const uint8_t *bytes, struct xpd_wire_range range)
{
    reading->event.range = range;
    xpd_event_read(reading->ids, bytes, (size_t)range.size, &reading->event);
    return reading->fn(reading->user, &reading->event);
}

/* Whole events of a stretch of bytes; *used: how much of it they are. */
static bool read_span(struct reading *reading, const uint8_t *bytes, size_t size, uint64_t offset,
                      size_t *used)
{
    const uint8_t *at = bytes, *end = bytes + size, *payload;
    size_t length;
    bool more = true;
    while (more && (payload = xpd_plain_event(at, end, &length))) {
        more = give(reading, payload,
                    (struct xpd_wire_range){offset + (uint64_t)(payload - bytes), length});
        at = payload + length;
    }
    *used = (size_t)(at - bytes);
    return more;
}

/* One field of the line, of any kind; false at the end, or where the bytes make no sense. */
static bool read_field(struct reading *reading, struct xpd_window *window, uint64_t end)
{
    uint32_t number = 0;
    uint8_t type = 0;
    uint64_t value = 0;
    struct xpd_wire_range payload;
    const uint8_t *bytes;
    if (xpd_window_field(window, end, &number, &type, &value, &payload, NULL) != XPD_OK ||
        number == 0)
        return false;
    if (type != LENGTH)
        return true;
    if (number == 4 && payload.size <= XPD_WINDOW_BYTES &&
        xpd_window_peek(window, payload.offset, (size_t)payload.size, &bytes, NULL) == XPD_OK &&
        !give(reading, bytes, payload))
        return false;
    window->offset = payload.offset + payload.size;
    return true;
}

void xpd_line_each_event(struct xpd_window *window, const struct xpd_line *line,
                         const struct xpd_stat_ids *ids, xpd_event_said_fn *fn, void *user)
{
    struct reading reading = {.ids = ids, .fn = fn, .user = user};
    uint64_t file = xpd_source_size(window->source), at = line->range.offset;
    uint64_t end = at + line->range.size, whole = end < file ? end : file;
    while (at < end) {
        const uint8_t *bytes;
        size_t size = 0, used = 0;
        if (at < whole && xpd_window_span(window, at, whole, &bytes, &size, NULL) == XPD_OK &&
            !read_span(&reading, bytes, size, at, &used))
            return;
        window->offset = at + used;
        if (used == 0 && !read_field(&reading, window, end))
            return;
        at = window->offset;
    }
}
