/* Events that are not as nearly all are: fields in an odd order, unknown fields, stats that are
 * wanted, sizes beyond a window. Correct for anything, not quick. */
#include "decode.h"

#include "xprofd/wire/cursor.h"
#include <stdlib.h>

void xpd_decode_mark(struct xpd_decode *decode, struct xpd_marked_stat mark)
{
    struct xpd_marks *marks = decode->marks;
    if (!marks)
        return;
    if (marks->count == marks->capacity) {
        size_t capacity = marks->capacity ? marks->capacity * 2 : 64;
        struct xpd_marked_stat *at = realloc(marks->at, capacity * sizeof *at);
        if (!at) {
            marks->failed = true;
            return;
        }
        marks->at = at;
        marks->capacity = capacity;
    }
    marks->at[marks->count++] = mark;
}

/* A stat whose id may be wanted, whatever the order of its fields. */
static void take_stat(struct xpd_decode *decode, const uint8_t *at, const uint8_t *end,
                      uint32_t index, struct xpd_wire_event *event)
{
    const struct xpd_events_wanted *wanted = decode->wanted;
    struct xpd_cursor cursor;
    struct xpd_field field;
    uint64_t id = 0, value = 0;
    uint8_t of = 0;
    bool number = false;
    xpd_cursor_init(&cursor, at, (size_t)(end - at), 0);
    while (xpd_cursor_next(&cursor, &field)) {
        if (field.number == 1 && field.wire_type == VARINT) {
            id = field.value;
        } else if (field.number >= 2) {
            value = field.value;
            of = field.number < UINT8_MAX ? (uint8_t)field.number : UINT8_MAX;
            number = (field.number == 3 || field.number == 4) && field.wire_type == VARINT;
        }
    }
    if (wanted->has_device && id == wanted->device_duration_id && number) {
        event->device_ps = value;
        event->has_device = true;
    }
    for (uint32_t i = 0; i < wanted->mark_count && i < MARKS_MAX; i++)
        if (wanted->mark_id[i] == id)
            xpd_decode_mark(decode, (struct xpd_marked_stat){index, (uint8_t)i, of, value});
}

static void take_number(struct xpd_wire_event *event, uint32_t number, uint64_t value)
{
    switch (number) {
    case 1: event->metadata_id = value; break;
    case 2:
        event->offset_ps = value;
        event->aggregated = false; /* the two are one of a kind: the last counts */
        break;
    case 3: event->duration_ps = value; break;
    case 5: event->aggregated = true; break;
    default: break;
    }
}

/* A number of the event, or a field that XEvent does not have. False: the bytes make no sense. */
static bool take_field(const uint8_t **at, const uint8_t *end, struct xpd_wire_event *event)
{
    uint64_t tag, value;
    if (!xpd_varint(at, end, &tag) || tag >> 3 == 0 || tag > UINT32_MAX)
        return false;
    switch (tag & 7) {
    case VARINT:
        if (!xpd_varint(at, end, &value))
            return false;
        take_number(event, (uint32_t)(tag >> 3), value);
        return true;
    case LENGTH:
        if (!xpd_varint(at, end, &value) || value > (uint64_t)(end - *at))
            return false;
        *at += value;
        return true;
    case FIXED64:
    case FIXED32: {
        size_t size = (tag & 7) == FIXED64 ? 8 : 4;
        if (size > (size_t)(end - *at))
            return false;
        *at += size;
        return true;
    }
    default: return false;
    }
}

/* Any event: fields in any order, unknown ones between them. */
bool xpd_decode_any(struct xpd_decode *decode, const uint8_t *at, const uint8_t *end,
                    uint32_t index, struct xpd_wire_event *event)
{
    *event = (struct xpd_wire_event){0};
    while (at < end) {
        uint64_t value;
        if (*at != TAG_STAT && *at != TAG_OCCURRENCES) {
            if (!take_field(&at, end, event))
                return false;
            continue;
        }
        bool stat = *at++ == TAG_STAT;
        if (!xpd_varint(&at, end, &value))
            return false;
        event->aggregated |= !stat;
        if (!stat)
            continue;
        if (value > (uint64_t)(end - at))
            return false;
        if (decode->any_wanted)
            take_stat(decode, at, at + value, index, event);
        at += value;
    }
    return true;
}

/* An event of more than a window: field by field, its stats not looked at beyond a window. */
int xpd_decode_large(struct xpd_decode *decode, struct xpd_window *window,
                     struct xpd_wire_range range, struct xpd_wire_event *event, struct xpd_err *err)
{
    uint64_t end = range.offset + range.size, value;
    struct xpd_wire_range payload;
    uint32_t number;
    uint8_t wire;
    *event = (struct xpd_wire_event){0};
    window->offset = range.offset;
    for (;;) {
        int rc = xpd_window_field(window, end, &number, &wire, &value, &payload, err);
        if (rc == XPD_EFORMAT)
            decode->damaged = true;
        if (rc != XPD_OK)
            return rc == XPD_EFORMAT ? XPD_OK : rc;
        if (number == 0)
            return XPD_OK;
        if (wire == LENGTH) {
            const uint8_t *bytes;
            window->offset = payload.offset + payload.size;
            if (number == 4 && decode->any_wanted && payload.size <= XPD_WINDOW_BYTES) {
                rc = xpd_window_peek(window, payload.offset, (size_t)payload.size, &bytes, err);
                if (rc != XPD_OK)
                    return rc;
                take_stat(decode, bytes, bytes + payload.size, (uint32_t)decode->columns->count,
                          event);
            }
        } else if (wire == VARINT) {
            take_number(event, number, value);
        }
    }
}
