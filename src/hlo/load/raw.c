/* Taking one message apart.
 *
 * In: the bytes of a message. Out: its fields in the order of the file, in the caller's arena. */
#include "raw.h"

enum { LENGTH = 2 };

static inline void mark(struct xpd_raw *raw, uint32_t number)
{
    uint32_t bit = number < 127 ? number : 127;
    raw->seen[bit / 64] |= (uint64_t)1 << (bit % 64);
}

struct xpd_raw xpd_raw_of(const struct xpd_field *field, uint32_t count)
{
    struct xpd_raw raw = {field, field ? count : 0, {0, 0}};
    for (uint32_t i = 0; i < raw.count; i++)
        mark(&raw, field[i].number);
    return raw;
}

/* How many fields follow: only messages longer than most are read twice. */
static uint32_t count_rest(struct xpd_cursor cursor, uint32_t count)
{
    struct xpd_field field;
    while (count < UINT32_MAX && xpd_cursor_next(&cursor, &field))
        count++;
    return count;
}

struct xpd_raw xpd_raw_read(struct xpd_arena *arena, const void *bytes, size_t size)
{
    enum { MOST = 32 };
    struct xpd_field first[MOST];
    struct xpd_raw raw = {0};
    struct xpd_cursor cursor;
    xpd_cursor_init(&cursor, bytes, size, 0);
    for (; raw.count < MOST && xpd_cursor_next(&cursor, &first[raw.count]); raw.count++)
        mark(&raw, first[raw.count].number);
    uint32_t all = raw.count < MOST ? raw.count : count_rest(cursor, raw.count);
    struct xpd_field *out = XPD_NEW_ARRAY(arena, struct xpd_field, all);
    if (!out)
        return (struct xpd_raw){0};
    memcpy(out, first, raw.count * sizeof *out);
    for (; raw.count < all && xpd_cursor_next(&cursor, &out[raw.count]); raw.count++)
        mark(&raw, out[raw.count].number);
    raw.field = out;
    return raw;
}

const struct xpd_field *xpd_raw_find_last(const struct xpd_raw *raw, uint32_t number)
{
    for (uint32_t i = raw->count; i > 0; i--)
        if (raw->field[i - 1].number == number)
            return &raw->field[i - 1];
    return NULL;
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
    if (!xpd_raw_may_have(raw, number))
        return (struct xpd_raw_ints){0};
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
    while (xpd_raw_may_have(raw, number) && *at < raw->count) {
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
    for (uint32_t i = 0; i < raw->count && xpd_raw_may_have(raw, number); i++)
        count += raw->field[i].number == number;
    return count;
}
