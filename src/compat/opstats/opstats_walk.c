/* Events of a line, one by one, out of the file. */
#include "opstats_walk.h"

#include "xprofd/wire/cursor.h"

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2 };

int xpd_ops_walk_init(struct xpd_ops_walk *walk, const struct xpd_trace *trace, struct xpd_err *err)
{
    *walk = (struct xpd_ops_walk){.trace = trace};
    return xpd_window_init(&walk->window, trace->source, err);
}

void xpd_ops_walk_fini(struct xpd_ops_walk *walk)
{
    xpd_window_fini(&walk->window);
}

void xpd_ops_walk_plane(struct xpd_ops_walk *walk, uint32_t plane, const char *const *name,
                        uint32_t count)
{
    walk->plane = plane;
    walk->tables = &walk->trace->tables[plane];
    walk->wanted = count;
    for (uint32_t i = 0; i < count; i++)
        if (!xpd_plane_stat_id(walk->tables, &walk->trace->names, xpd_str_of(name[i]),
                               &walk->id[i]))
            walk->id[i] = UINT64_MAX;
}

static void read_stat(const struct xpd_ops_walk *walk, struct xpd_cursor cursor,
                      struct xpd_ops_event *event)
{
    struct xpd_field field;
    struct xpd_ops_stat stat = {0};
    uint64_t id = 0;
    while (xpd_cursor_next(&cursor, &field)) {
        if (field.number == 1 && field.wire_type == VARINT) {
            id = field.value;
        } else if (field.number >= 2 && field.number <= 7) {
            stat.field = (uint8_t)field.number;
            stat.bits = field.value;
            stat.bytes = field.wire_type == LENGTH ? xpd_field_str(&field) : XPD_STR("");
        }
    }
    for (uint32_t i = 0; i < walk->wanted; i++)
        if (walk->id[i] == id)
            event->stat[i] = stat;
}

uint32_t xpd_ops_metadata_of(const struct xpd_ops_walk *walk, uint64_t id)
{
    const struct xpd_plane_tables *tables = walk->tables;
    if (id < tables->dense_count)
        return tables->dense[id];
    uint32_t at = xpd_map64_get(&tables->event_of, id);
    return at == XPD_NO_INDEX ? XPD_NO_METADATA : at;
}

static bool read_event(const struct xpd_ops_walk *walk, const uint8_t *bytes, size_t size,
                       struct xpd_ops_event *event)
{
    struct xpd_cursor cursor;
    struct xpd_field field;
    event->metadata_id = 0;
    event->offset_ps = event->duration_ps = event->occurrences = 0;
    for (uint32_t i = 0; i < walk->wanted; i++)
        event->stat[i].field = 0;
    xpd_cursor_init(&cursor, bytes, size, 0);
    while (xpd_cursor_next(&cursor, &field)) {
        if (field.wire_type == LENGTH && field.number == 4)
            read_stat(walk, xpd_cursor_sub(&field), event);
        if (field.wire_type != VARINT)
            continue;
        switch (field.number) {
        case 1: event->metadata_id = field.value; break;
        case 2: /* either offset or number of occurrences: the last one counts */
            event->offset_ps = (int64_t)field.value;
            event->occurrences = 0;
            break;
        case 3: event->duration_ps = (int64_t)field.value; break;
        case 5:
            event->occurrences = (int64_t)field.value;
            event->offset_ps = 0;
            break;
        default: break;
        }
    }
    event->metadata = xpd_ops_metadata_of(walk, event->metadata_id);
    return cursor.error_text == NULL;
}

void xpd_ops_walk_line(struct xpd_ops_walk *walk, const struct xpd_line *line, xpd_ops_event_fn *fn,
                       void *user)
{
    struct xpd_window *window = &walk->window;
    uint64_t end = line->range.offset + line->range.size, value = 0;
    uint32_t number = 0;
    uint8_t type = 0;
    struct xpd_wire_range payload;
    window->offset = line->range.offset;
    while (window->offset < end &&
           xpd_window_field(window, end, &number, &type, &value, &payload, NULL) == XPD_OK &&
           number != 0) {
        const uint8_t *bytes;
        struct xpd_ops_event event;
        if (type != LENGTH)
            continue;
        if (number == 4 && payload.size <= XPD_WINDOW_BYTES &&
            xpd_window_peek(window, payload.offset, (size_t)payload.size, &bytes, NULL) == XPD_OK) {
            event.where = payload.offset;
            if (!read_event(walk, bytes, (size_t)payload.size, &event) || !fn(user, &event))
                break;
        }
        window->offset = payload.offset + payload.size;
    }
}

int64_t xpd_ops_int(const struct xpd_ops_stat *stat)
{
    return stat->field == 4 ? (int64_t)stat->bits : 0;
}

uint64_t xpd_ops_uint(const struct xpd_ops_stat *stat)
{
    return stat->field == 3 ? stat->bits : 0;
}

uint64_t xpd_ops_any_int(const struct xpd_ops_stat *stat)
{
    return stat->field == 3 || stat->field == 4 ? stat->bits : 0;
}

double xpd_ops_double(const struct xpd_ops_stat *stat)
{
    double value = 0;
    if (stat->field == 2)
        memcpy(&value, &stat->bits, sizeof value);
    return value;
}

struct xpd_str xpd_ops_text(const struct xpd_ops_walk *walk, const struct xpd_ops_stat *stat)
{
    if (stat->field == 5)
        return stat->bytes;
    if (stat->field != 7)
        return XPD_STR("");
    uint32_t at = xpd_map64_get(&walk->tables->stat_of, stat->bits);
    return at == XPD_NO_INDEX ? XPD_STR("")
                              : xpd_intern_get(&walk->trace->names, walk->tables->stat_name[at]);
}

struct xpd_str xpd_ops_line_name(const struct xpd_ops_walk *walk, const struct xpd_line *line)
{
    return xpd_intern_get(&walk->trace->space->names, line->name);
}

/* Takes "/device:TPU:" and digits away. */
static bool take_core(struct xpd_str *text)
{
    uint32_t number;
    if (!xpd_str_starts(*text, "/device:TPU:"))
        return false;
    text->data += 12;
    text->size -= 12;
    return xpd_str_take_u32(text, &number);
}

bool xpd_ops_is_tensor_core(struct xpd_str plane)
{
    return take_core(&plane) && plane.size == 0;
}

/* "/device:TPU:0 SparseCore 1", with a word before the number or not. */
bool xpd_ops_is_sparse_core(struct xpd_str plane)
{
    uint32_t number;
    if (!take_core(&plane) || !xpd_str_starts(plane, " SparseCore "))
        return false;
    plane.data += 12;
    plane.size -= 12;
    while (plane.size > 0 && (plane.data[0] | 0x20) >= 'a' && (plane.data[0] | 0x20) <= 'z') {
        plane.data++;
        plane.size--;
    }
    if (plane.size > 0 && plane.data[0] == ' ') {
        plane.data++;
        plane.size--;
    }
    return xpd_str_take_u32(&plane, &number) && plane.size == 0;
}

bool xpd_ops_is_eager(const struct xpd_ops_walk *walk, const struct xpd_ops_event *event, bool told,
                      bool said)
{
    return told && walk->derived && xpd_eager_is_told(walk->derived)
               ? xpd_event_is_eager(walk->derived, event->where)
               : said;
}
