/* One unsigned stat of measured events, read from the file: of one, or of many in pieces. */
#include "../derived/derive.h"
#include "../load/core.h"
#include "xprofd/trace/join.h"
#include "xprofd/wire/cursor.h"
#include <stdlib.h>

/* From an event's number to its place, its stats and its duration by the device's clock. */

bool xpd_trace_find(const struct xpd_trace *trace, uint64_t event, const struct xpd_depth **depth,
                    uint32_t *index)
{
    if (event >= trace->event_count)
        return false;
    uint32_t low = 0, high = trace->depth_count; /* the last that begins at or before it */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (trace->depth[middle].first_event <= event)
            low = middle;
        else
            high = middle;
    }
    *depth = &trace->depth[low];
    *index = (uint32_t)(event - trace->depth[low].first_event);
    return *index < trace->depth[low].count;
}

int64_t xpd_trace_far_ps(const struct xpd_trace *trace, const struct xpd_depth *depth, uint32_t i)
{
    uint64_t event = depth->first_event + i, low = 0, high = trace->far_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (trace->far[middle].event < event)
            low = middle + 1;
        else
            high = middle;
    }
    return low < trace->far_count && trace->far[low].event == event ? trace->far[low].device_ps
                                                                    : -1;
}

int xpd_trace_stats(const struct xpd_trace *trace, uint64_t event, struct xpd_arena *scratch,
                    struct xpd_stat_value **out, uint32_t *count, uint32_t *from_metadata,
                    struct xpd_err *err)
{
    const struct xpd_depth *depth;
    uint32_t i, own_count = 0;
    struct xpd_stat_value *shared = NULL, *own = NULL;
    struct xpd_wire_range range;
    *out = NULL;
    *count = *from_metadata = 0;
    if (!xpd_trace_find(trace, event, &depth, &i))
        return xpd_fail(err, XPD_ENOTFOUND, "event", XPD_NO_OFFSET,
                        "There is no event %llu; the host has %llu.", (unsigned long long)event,
                        (unsigned long long)trace->event_count);
    if (trace->part) {
        const struct xpd_trace_host *part = xpd_part_of_event(trace, event);
        return xpd_trace_stats(part->trace, event - part->first_event, scratch, out, count,
                               from_metadata, err);
    }
    const struct xpd_event_name *name = &trace->name[depth->name[i]];
    const struct xpd_plane_tables *tables = &trace->tables[name->plane];
    int rc = xpd_source_check(trace->source, err);
    if (rc == XPD_OK && name->metadata != XPD_NO_METADATA)
        rc = xpd_stats_decode(trace->source, tables->event[name->metadata].range, 5, tables,
                              &trace->names, scratch, &shared, from_metadata, err);
    const struct xpd_plane *plane = &trace->space->plane[name->plane];
    if (rc == XPD_OK)
        rc = xpd_event_range(trace->source, xpd_depth_where(depth, i),
                             plane->range.offset + plane->range.size, &range, err);
    if (rc == XPD_OK)
        rc = xpd_stats_decode(trace->source, range, 4, tables, &trace->names, scratch, &own,
                              &own_count, err);
    if (rc != XPD_OK)
        return rc;
    *count = *from_metadata + own_count;
    *out = XPD_NEW_ARRAY(scratch, struct xpd_stat_value, *count);
    if (!*out)
        return xpd_fail(err, XPD_ELIMIT, "event", XPD_NO_OFFSET,
                        "The stats of this event do not fit the memory of a request.");
    if (*from_metadata != 0)
        memcpy(*out, shared, *from_metadata * sizeof *shared);
    if (own_count != 0)
        memcpy(*out + *from_metadata, own, own_count * sizeof *own);
    return XPD_OK;
}

/* Of an event's payload, however it is written. */
static bool find_any(const uint8_t *bytes, uint64_t size, uint64_t id, uint64_t *value)
{
    struct xpd_cursor cursor;
    struct xpd_field field, part;
    bool found = false;
    xpd_cursor_init(&cursor, bytes, (size_t)size, 0);
    while (xpd_cursor_next(&cursor, &field)) {
        if (field.number != 4 || field.wire_type != 2)
            continue;
        struct xpd_cursor inner = xpd_cursor_sub(&field);
        uint64_t stat_id = 0, number = 0;
        bool is_number = false;
        while (xpd_cursor_next(&inner, &part)) {
            if (part.number == 1 && part.wire_type == 0)
                stat_id = part.value;
            else if ((part.number == 3 || part.number == 4) && part.wire_type == 0) {
                number = part.value;
                is_number = true;
            }
        }
        if (is_number && stat_id == id) {
            *value = number;
            found = true;
        }
    }
    return found;
}

enum { ID = 1 << 3, UINT = 3 << 3, INT = 4 << 3, STATS = 4 << 3 | 2 }; /* tags of fields */
enum plain { PLAIN_NONE, PLAIN_FOUND, PLAIN_NOT };

/* A stat as all writers write it: its id, then one value. PLAIN_NOT: it is written in another way,
 * or is not a number. */
static enum plain read_plain(const uint8_t *at, const uint8_t *end, uint64_t id, uint64_t *value)
{
    uint64_t stat_id, number;
    if (at == end || *at++ != ID || !xpd_varint(&at, end, &stat_id))
        return PLAIN_NOT;
    if (stat_id != id)
        return PLAIN_NONE;
    if (at == end || (*at != UINT && *at != INT))
        return PLAIN_NOT;
    at++;
    if (!xpd_varint(&at, end, &number) || at != end)
        return PLAIN_NOT;
    *value = number;
    return PLAIN_FOUND;
}

/* Behind the number at `at`; NULL: it is none. Most are read as one word, whose bytes below 0x80
 * tell where the number ends. */
static inline const uint8_t *skip_number(const uint8_t *at, const uint8_t *end)
{
    uint64_t word, skipped;
    if (end - at >= (ptrdiff_t)sizeof word) {
        memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        word = ~word & UINT64_C(0x8080808080808080);
        if (word)
            return at + ((unsigned)__builtin_ctzll(word) >> 3) + 1;
    }
    return xpd_varint(&at, end, &skipped) ? at : NULL;
}

/* Behind the stats at `at` that are short, as most are, and whose ids of one byte are others; NULL:
 * the last one does not end before `end`. */
static inline const uint8_t *skip_others(const uint8_t *at, const uint8_t *end, uint64_t id)
{
    while (end - at >= 4 && at[0] == STATS && at[1] >= 2 && at[1] < 0x80 && at[2] == ID &&
           at[3] < 0x80 && at[3] != id) {
        if (at[1] > end - at - 2)
            return NULL;
        at += 2 + at[1];
    }
    return at;
}

/* One pass over an event whose fields all have tags of one byte. */
static enum plain find_plain(const uint8_t *at, uint64_t size, uint64_t id, uint64_t *value)
{
    const uint8_t *end = at + size;
    enum plain found = PLAIN_NONE;
    uint64_t skipped;
    while ((at = skip_others(at, end, id)) && at < end) {
        uint8_t tag = *at++;
        if (tag >= 0x80 || tag < ID || (tag & 7) == 1 || (tag & 7) > 2)
            return PLAIN_NOT;
        if ((tag & 7) == 0) {
            if (!(at = skip_number(at, end)))
                return PLAIN_NOT;
            continue;
        }
        if (!xpd_varint(&at, end, &skipped) || skipped > (uint64_t)(end - at))
            return PLAIN_NOT;
        enum plain one = tag == STATS ? read_plain(at, at + skipped, id, value) : PLAIN_NONE;
        if (one == PLAIN_NOT)
            return PLAIN_NOT;
        found = one == PLAIN_FOUND ? one : found;
        at += skipped;
    }
    return at ? found : PLAIN_NOT;
}

static bool find_stat(const uint8_t *bytes, uint64_t size, uint64_t id, uint64_t *value)
{
    enum plain found = find_plain(bytes, size, id, value);
    return found == PLAIN_NOT ? find_any(bytes, size, id, value) : found == PLAIN_FOUND;
}

bool xpd_event_stat(const struct xpd_trace *trace, uint64_t event, struct xpd_str stat,
                    uint64_t *value)
{
    const struct xpd_depth *depth;
    uint32_t index;
    uint8_t bytes[4096];
    struct xpd_wire_range range;
    uint64_t id;
    if (!xpd_trace_find(trace, event, &depth, &index) || !depth->where_low)
        return false;
    if (trace->part) {
        const struct xpd_trace_host *part = xpd_part_of_event(trace, event);
        return xpd_event_stat(part->trace, event - part->first_event, stat, value);
    }
    uint32_t plane = trace->name[depth->name[index]].plane;
    return plane < trace->space->plane_count &&
           xpd_plane_stat_id(&trace->tables[plane], &trace->names, stat, &id) &&
           xpd_event_range(trace->source, xpd_depth_where(depth, index),
                           trace->space->plane[plane].range.offset +
                               trace->space->plane[plane].range.size,
                           &range, NULL) == XPD_OK &&
           range.size <= sizeof bytes &&
           xpd_source_read(trace->source, range.offset, bytes, (size_t)range.size, NULL) ==
               XPD_OK &&
           find_stat(bytes, range.size, id, value);
}

/* ---- all of a depth ---- */

#define BEFORE 11u        /* bytes that hold the size of an event */
#define PIECE  (1u << 18) /* read at once: events of a depth mostly follow each other */

bool xpd_event_reader_init(struct xpd_event_reader *reader, const struct xpd_trace *trace)
{
    *reader = (struct xpd_event_reader){.trace = trace, .bytes = malloc(PIECE)};
    return reader->bytes != NULL;
}

void xpd_event_reader_fini(struct xpd_event_reader *reader)
{
    free(reader->bytes);
    reader->bytes = NULL;
}

/* Has the file's [from, end) in `bytes`; what is behind the file's end is left out. */
static bool hold(struct xpd_event_reader *reader, uint64_t from, uint64_t end)
{
    uint64_t whole = xpd_source_size(reader->trace->source);
    if (from >= reader->from && end <= reader->end)
        return true;
    if (end > whole || end - from > PIECE)
        return false;
    reader->from = from;
    reader->end = whole - from > PIECE ? from + PIECE : whole;
    if (xpd_source_read(reader->trace->source, from, reader->bytes, (size_t)(reader->end - from),
                        NULL) == XPD_OK)
        return true;
    reader->end = from; /* nothing is held */
    return false;
}

bool xpd_event_reader_at(struct xpd_event_reader *reader, const struct xpd_depth *depth, uint32_t i,
                         const uint8_t **bytes, size_t *size)
{
    uint64_t where = xpd_depth_where(depth, i), length;
    uint64_t head = where < BEFORE ? where : BEFORE;
    if (!depth->where_low || !hold(reader, where - head, where) ||
        !xpd_event_size(reader->bytes + (where - head - reader->from), (size_t)head, &length) ||
        length > PIECE - BEFORE || !hold(reader, where, where + length))
        return false;
    *bytes = reader->bytes + (where - reader->from);
    *size = (size_t)length;
    return true;
}

bool xpd_event_bytes_stat(const uint8_t *bytes, size_t size, uint64_t id, uint64_t *value)
{
    return find_stat(bytes, size, id, value);
}
