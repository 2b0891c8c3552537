/* Taking one message apart.
 *
 * In: the bytes of a message. Out: its fields in the order of the file, in the caller's arena. */
#include "raw.h"

enum { VARINT = 0, LENGTH = 2 };

struct xpd_raw xpd_raw_read(struct xpd_arena *arena, const void *bytes, size_t size)
{
    struct xpd_raw raw = {0};
    struct xpd_cursor cursor;
    struct xpd_field field;
    uint32_t count = 0;
    xpd_cursor_init(&cursor, bytes, size, 0);
    while (count < UINT32_MAX && xpd_cursor_next(&cursor, &field))
        count++;
    struct xpd_field *out = XPD_NEW_ARRAY(arena, struct xpd_field, count);
    if (!out)
        return raw;
    xpd_cursor_init(&cursor, bytes, size, 0);
    while (raw.count < count && xpd_cursor_next(&cursor, &out[raw.count]))
        raw.count++;
    raw.field = out;
    return raw;
}

const struct xpd_field *xpd_raw_last(const struct xpd_raw *raw, uint32_t number)
{
    for (uint32_t i = raw->count; i > 0; i--)
        if (raw->field[i - 1].number == number)
            return &raw->field[i - 1];
    return NULL;
}

bool xpd_raw_has(const struct xpd_raw *raw, uint32_t number)
{
    return xpd_raw_last(raw, number) != NULL;
}

int64_t xpd_raw_int(const struct xpd_raw *raw, uint32_t number, int64_t otherwise)
{
    const struct xpd_field *field = xpd_raw_last(raw, number);
    return field && field->wire_type != LENGTH ? (int64_t)field->value : otherwise;
}

struct xpd_str xpd_raw_text(const struct xpd_raw *raw, uint32_t number)
{
    const struct xpd_field *field = xpd_raw_last(raw, number);
    return field && field->wire_type == LENGTH ? xpd_field_str(field) : XPD_STR("");
}

struct xpd_raw xpd_raw_message(struct xpd_arena *arena, const struct xpd_raw *raw, uint32_t number)
{
    const struct xpd_field *field = xpd_raw_last(raw, number);
    if (!field || field->wire_type != LENGTH)
        return (struct xpd_raw){0};
    return xpd_raw_read(arena, field->bytes, (size_t)field->size);
}

struct xpd_raw_ints xpd_raw_ints(struct xpd_arena *arena, const struct xpd_raw *raw,
                                 uint32_t number)
{
    size_t count = 0, room = 0;
    for (uint32_t i = 0; i < raw->count; i++)
        if (raw->field[i].number == number)
            xpd_field_ints(&raw->field[i], NULL, 0, &room);
    int64_t *out = XPD_NEW_ARRAY(arena, int64_t, room);
    for (uint32_t i = 0; out && i < raw->count; i++)
        if (raw->field[i].number == number)
            xpd_field_ints(&raw->field[i], out, room, &count);
    return (struct xpd_raw_ints){out, out ? (uint32_t)(count < room ? count : room) : 0};
}

bool xpd_raw_each(struct xpd_arena *arena, const struct xpd_raw *raw, uint32_t number, uint32_t *at,
                  struct xpd_raw *message)
{
    while (*at < raw->count) {
        const struct xpd_field *field = &raw->field[(*at)++];
        if (field->number != number || field->wire_type != LENGTH)
            continue;
        *message = xpd_raw_read(arena, field->bytes, (size_t)field->size);
        return true;
    }
    return false;
}

uint32_t xpd_raw_count(const struct xpd_raw *raw, uint32_t number)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < raw->count; i++)
        count += raw->field[i].number == number;
    return count;
}
