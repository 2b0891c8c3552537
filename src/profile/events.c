/* Events of a line into columns, in one pass through the window.
 *
 * In: the range of an XLine. Out: one entry in each column per event, in file order. This is the
 * loop that reads 25 million events per gigabyte: fields of an event are distinguished by their tag
 * byte, varints of up to eight bytes are decoded at once, and stats are skipped by their length
 * unless the first byte of their id is wanted. Fields may come in any order; unknown ones are
 * skipped. */
#include "decode.h"
#include "xprofd/wire/cursor.h"
#include <stdlib.h>

enum { SLACK = 16 }; /* bytes that may be read after an event */

#define ALWAYS inline __attribute__((always_inline))
#define RARE   __attribute__((noinline, cold))

static ALWAYS uint64_t load_word(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* The bits of `word` under `mask`, moved together. One instruction (BMI2) where the processor has
 * it and does not take it apart into hundreds, as the first two Zen do. Written as assembler, since
 * a function that may use it cannot be inlined into one that may not. */
static ALWAYS uint64_t gather(uint64_t word, uint64_t mask)
{
#ifdef __x86_64__
    uint64_t bits;
    __asm__("pext %2, %1, %0" : "=r"(bits) : "r"(word), "r"(mask));
    return bits;
#else
    (void)mask;
    return word; /* never called: has_gather is false */
#endif
}

static inline bool has_gather(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("znver1") &&
           !__builtin_cpu_is("znver2");
#else
    return false;
#endif
}

/* A number of eight to ten bytes behind the tag at `at`; NULL = no number. */
static RARE const uint8_t *wide_number(const uint8_t *at, uint64_t *value)
{
    const uint8_t *end = at + 11;
    at++;
    return xpd_varint(&at, end, value) ? at : NULL;
}

/* The number after the one-byte tag at `at`; returns its end, NULL = no number. Reads eight bytes
 * at once: the first byte after the tag without its high bit gives the length. */
static ALWAYS const uint8_t *number_behind_tag(const uint8_t *at, uint64_t *value, bool pext)
{
    uint64_t word = load_word(at), stop = ~word & UINT64_C(0x8080808080808000);
    if (__builtin_expect(stop == 0, 0))
        return wide_number(at, value);
    word &= stop ^ (stop - 1);
    if (pext) {
        *value = gather(word, UINT64_C(0x7f7f7f7f7f7f7f00));
        return at + ((unsigned)__builtin_ctzll(stop) >> 3) + 1;
    }
    word = (word & UINT64_C(0x7f7f7f7f7f7f7f00)) >> 8;
    /* Groups of 7 bits move together: pairs become 14, those 28, those 56. */
    word -= (word & UINT64_C(0x007f007f007f007f) << 8) >> 1;
    word -= 3 * ((word & UINT64_C(0x00003fff00003fff) << 16) >> 2);
    *value = (uint32_t)word | word >> 32 << 28;
    return at + ((unsigned)__builtin_ctzll(stop) >> 3) + 1;
}

static ALWAYS bool is_wanted(const struct xpd_decode *decode, uint64_t id)
{
    return id < 128 ? (decode->wanted_bits[id >> 6] >> (id & 63)) & 1 : decode->wanted_high;
}

/* The end of a stat of 128 bytes or more, or of one that does not begin with a short id, if it is
 * certainly not wanted; else NULL. */
static RARE const uint8_t *skip_odd_stat(const struct xpd_decode *decode, const uint8_t *at,
                                         const uint8_t *end)
{
    uint64_t size, id;
    if (*at++ != TAG_STAT || !xpd_varint(&at, end, &size) || size > (uint64_t)(end - at))
        return NULL;
    const uint8_t *stat_end = at + size;
    if (!decode->any_wanted)
        return stat_end;
    if (size < 2 || *at++ != TAG_METADATA || !xpd_varint(&at, stat_end, &id) ||
        is_wanted(decode, id))
        return NULL;
    return stat_end;
}

/* A stat of these that most device events have: {device_duration_ps or device_offset_ps, number}.
 */
static ALWAYS bool take_device(const struct xpd_decode *decode, const uint8_t *value_at,
                               const uint8_t *stat_end, uint32_t id, struct xpd_wire_event *event,
                               bool pext)
{
    uint64_t value;
    if ((id != decode->device_id && id != decode->device_start_id) ||
        (*value_at != (3 << 3 | VARINT) && *value_at != (4 << 3 | VARINT)) ||
        number_behind_tag(value_at, &value, pext) != stat_end)
        return false;
    if (id == decode->device_id) {
        event->device_ps = value;
        event->has_device = true;
    } else {
        event->device_start_ps = value;
        event->has_device_start = true;
    }
    return true;
}

/* Stats from `at` to `end`. Of those wanted only the device's times are taken. */
static ALWAYS bool read_stats(const struct xpd_decode *decode, const uint8_t *at,
                              const uint8_t *end, struct xpd_wire_event *event, bool pext)
{
    while (at < end) {
        uint32_t head = (uint32_t)load_word(at); /* tag, size, tag of the id, id */
        const uint8_t *stat_end = at + 2 + (head >> 8 & 0x7F);
        if ((head & 0x80FF80FF) != (TAG_METADATA << 16 | TAG_STAT) || stat_end - at < 4 ||
            stat_end > end) {
            if (!(at = skip_odd_stat(decode, at, end)))
                return false;
            continue;
        }
        uint32_t id = head >> 24;
        if (is_wanted(decode, id) && !take_device(decode, at + 4, stat_end, id, event, pext))
            return false;
        at = stat_end;
    }
    return at == end;
}

/* False: use xpd_decode_any. May read SLACK bytes past `end`. */
static ALWAYS bool read_plain(const struct xpd_decode *decode, const uint8_t *at,
                              const uint8_t *end, struct xpd_wire_event *event, bool pext)
{
    *event = (struct xpd_wire_event){0};
    if (at < end && *at == TAG_METADATA) {
        uint32_t low = at[1], more = low >> 7, high = at[2]; /* short ids, without a branch */
        event->metadata_id = (low & 0x7F) | (high << 7 & (0 - more));
        if (!(more & high >> 7))
            at += 2 + more;
        else if (!(at = number_behind_tag(at, &event->metadata_id, pext)))
            return false;
    }
    if (at < end && *at == TAG_OFFSET && !(at = number_behind_tag(at, &event->offset_ps, pext)))
        return false;
    if (at < end && *at == TAG_DURATION && !(at = number_behind_tag(at, &event->duration_ps, pext)))
        return false;
    return read_stats(decode, at, end, event, pext);
}

/* Events that are not as nearly all are: fields in an odd order, unknown fields, stats that are
 * wanted, sizes beyond a window. Correct for anything, not quick. */

static void xpd_decode_mark(struct xpd_decode *decode, struct xpd_marked_stat mark)
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

/* A stat whose id may be wanted, in any field order. */
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
    if (wanted->has_device_start && id == wanted->device_offset_id && number) {
        event->device_start_ps = value;
        event->has_device_start = true;
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
static bool xpd_decode_any(struct xpd_decode *decode, const uint8_t *at, const uint8_t *end,
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
static int xpd_decode_large(struct xpd_decode *decode, struct xpd_window *window,
                            struct xpd_wire_range range, struct xpd_wire_event *event,
                            struct xpd_err *err)
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

static int64_t limit_time(int64_t sum, bool overflow, bool negative)
{
    return (overflow ? negative : sum < 0) ? -XPD_TIME_LIMIT_PS : XPD_TIME_LIMIT_PS;
}

/* Where events go: the columns and what is counted on the way, in registers while a span is read
 * (a byte stored into where_high could change anything that is reached by a pointer). */
struct sink {
    int64_t *start_ps, *duration_ps;
    uint32_t *metadata, *where_low;
    uint8_t *where_high;
    int32_t *device_delta_ps;
    int64_t *device_start_ps;
    uint64_t count, odd_count, aggregated_count, device_count, unknown_count;
    int64_t base_ps, last_start_ps, last_duration_ps;
    uint64_t plain_below; /* offsets and durations below it meet no limit; 0 = any may */
    const uint32_t *dense;
    uint32_t dense_count, metadata_base;
    bool sorted;
};

static inline struct sink open_sink(const struct xpd_decode *decode)
{
    const struct xpd_event_columns *columns = decode->columns;
    return (struct sink){.start_ps = columns->start_ps,
                         .duration_ps = columns->duration_ps,
                         .metadata = columns->metadata,
                         .where_low = columns->where_low,
                         .where_high = columns->where_high,
                         .device_delta_ps = columns->device_delta_ps,
                         .device_start_ps = columns->device_start_ps,
                         .count = columns->count,
                         .odd_count = columns->odd_count,
                         .aggregated_count = columns->aggregated_count,
                         .device_count = columns->device_count,
                         .unknown_count = columns->unknown_count,
                         .base_ps = decode->base_ps,
                         .last_start_ps = decode->last_start_ps,
                         .last_duration_ps = decode->last_duration_ps,
                         .plain_below = decode->plain_below,
                         .dense = decode->tables->dense,
                         .dense_count = decode->tables->dense_count,
                         .metadata_base = decode->wanted->metadata_base,
                         .sorted = columns->sorted};
}

static inline void close_sink(struct xpd_decode *decode, const struct sink *sink)
{
    struct xpd_event_columns *columns = decode->columns;
    columns->count = sink->count;
    columns->odd_count = sink->odd_count;
    columns->aggregated_count = sink->aggregated_count;
    columns->device_count = sink->device_count;
    columns->unknown_count = sink->unknown_count;
    columns->sorted = sink->sorted;
    decode->last_start_ps = sink->last_start_ps;
    decode->last_duration_ps = sink->last_duration_ps;
}

static ALWAYS void put_device(struct xpd_decode *decode, struct sink *sink,
                              const struct xpd_wire_event *event, int64_t duration_ps)
{
    int32_t kept = INT32_MIN;
    if (event->has_device && (int64_t)event->device_ps >= 0) {
        int64_t delta = duration_ps - (int64_t)event->device_ps;
        sink->device_count++;
        if (delta > INT32_MIN && delta <= INT32_MAX)
            kept = (int32_t)delta;
        else
            xpd_decode_mark(decode, (struct xpd_marked_stat){.event = (uint32_t)sink->count,
                                                             .mark = XPD_MARK_DEVICE_DURATION,
                                                             .value = event->device_ps});
    }
    sink->device_delta_ps[sink->count] = kept;
}

/* Start and duration of an event that the limits may concern. */
static RARE void limit_event(struct sink *sink, const struct xpd_wire_event *event,
                             int64_t *start_ps, int64_t *duration_ps)
{
    int64_t offset = event->aggregated ? 0 : (int64_t)event->offset_ps, start;
    bool overflow = __builtin_add_overflow(sink->base_ps, offset, &start);
    bool odd = overflow || start > XPD_TIME_LIMIT_PS || start < -XPD_TIME_LIMIT_PS;
    if (odd)
        start = limit_time(start, overflow, offset < 0);
    int64_t duration = (int64_t)event->duration_ps;
    if (duration < 0 || duration > XPD_TIME_LIMIT_PS - start) {
        duration = duration < 0 ? 0 : XPD_TIME_LIMIT_PS - start;
        odd = true;
    }
    sink->odd_count += odd;
    sink->aggregated_count += event->aggregated;
    *start_ps = start;
    *duration_ps = duration;
}

static ALWAYS void put_event(struct xpd_decode *decode, struct sink *sink,
                             const struct xpd_wire_event *event, uint64_t where)
{
    uint64_t i = sink->count;
    int64_t start = (int64_t)((uint64_t)sink->base_ps + event->offset_ps);
    int64_t duration = (int64_t)event->duration_ps;
    if (__builtin_expect(
            (event->offset_ps | event->duration_ps) >= sink->plain_below || event->aggregated, 0))
        limit_event(sink, event, &start, &duration);
    uint32_t metadata = event->metadata_id < sink->dense_count
                            ? sink->dense[event->metadata_id]
                            : xpd_map64_get(&decode->tables->event_of, event->metadata_id);
    if (__builtin_expect(metadata == XPD_NO_METADATA, 0))
        sink->unknown_count++;
    else
        metadata += sink->metadata_base;
    sink->start_ps[i] = start;
    sink->duration_ps[i] = duration;
    sink->metadata[i] = metadata;
    sink->where_low[i] = (uint32_t)where;
    if (sink->where_high)
        sink->where_high[i] = (uint8_t)(where >> 32);
    if (sink->device_delta_ps)
        put_device(decode, sink, event, duration);
    if (sink->device_start_ps)
        sink->device_start_ps[i] =
            event->has_device_start && event->device_start_ps <= INT64_MAX / 2
                ? (int64_t)event->device_start_ps
                : -1;
    if (start < sink->last_start_ps ||
        (start == sink->last_start_ps && duration > sink->last_duration_ps))
        sink->sorted = false;
    sink->last_start_ps = start;
    sink->last_duration_ps = duration;
    sink->count = i + 1;
}

/* Of a line that begins too far away for a number of picoseconds, events may lie near all the same:
 * those get their sum as offset, the others the beginning, which is beyond the limit. */
static void bring_near(const struct xpd_decode *decode, struct sink *sink,
                       struct xpd_wire_event *event)
{
    __extension__ typedef __int128 wide;
    wide start_ps = (wide)decode->timestamp_ns * 1000 + (int64_t)event->offset_ps;
    bool near =
        !event->aggregated && start_ps >= -XPD_TIME_LIMIT_PS && start_ps <= XPD_TIME_LIMIT_PS;
    sink->base_ps = near ? 0 : decode->base_ps;
    event->offset_ps = near ? (uint64_t)(int64_t)start_ps : 0;
}

/* Whole events from the front of these bytes, which stand at `where` in the file; returns how many
 * bytes they take. Stops at anything else and at an event that leaves the bytes. */
static ALWAYS size_t decode_span_by(struct xpd_decode *decode, const uint8_t *bytes, size_t size,
                                    uint64_t where, bool pext)
{
    const uint8_t *at = bytes, *stop = bytes + size;
    if (decode->far_line)
        return 0;
    struct sink sink = open_sink(decode);
    while (stop - at >= 3 && at[0] == TAG_EVENT && sink.count < decode->capacity) {
        size_t length = at[1], head = 2;
        if (length >= 0x80) {
            if (at[2] >= 0x80)
                break; /* 16 KiB and more: rare */
            length = (length & 0x7F) | (size_t)at[2] << 7;
            head = 3;
        }
        if (length > (size_t)(stop - at) - head)
            break;
        const uint8_t *payload = at + head, *end = payload + length;
        struct xpd_wire_event event;
        if (stop - end < SLACK || !read_plain(decode, payload, end, &event, pext)) {
            struct xpd_wire_event any;
            if (!xpd_decode_any(decode, payload, end, (uint32_t)sink.count, &any)) {
                decode->damaged = true;
                break;
            }
            event = any;
        }
        put_event(decode, &sink, &event, where + (uint64_t)(payload - bytes));
        at = end;
    }
    close_sink(decode, &sink);
    return (size_t)(at - bytes);
}

static size_t decode_span(struct xpd_decode *decode, const uint8_t *bytes, size_t size,
                          uint64_t where)
{
    return decode->pext ? decode_span_by(decode, bytes, size, where, true)
                        : decode_span_by(decode, bytes, size, where, false);
}

/* One field of the line that decode_span could not take. *at moves behind it. */
static int decode_slowly(struct xpd_decode *decode, struct xpd_window *window, uint64_t *at,
                         uint64_t end, struct xpd_err *err)
{
    struct xpd_wire_range payload;
    struct xpd_err why = {0};
    const uint8_t *bytes;
    struct xpd_wire_event event;
    uint64_t value;
    uint32_t number;
    uint8_t wire;
    window->offset = *at;
    int rc = xpd_window_field(window, end, &number, &wire, &value, &payload, &why);
    if (rc == XPD_OK && wire == LENGTH && number == 4) {
        if (decode->columns->count >= decode->capacity) {
            decode->damaged = true;
            return XPD_OK;
        }
        if (payload.size <= XPD_WINDOW_BYTES) {
            rc = xpd_window_peek(window, payload.offset, (size_t)payload.size, &bytes, &why);
            if (rc == XPD_OK && !xpd_decode_any(decode, bytes, bytes + payload.size,
                                                (uint32_t)decode->columns->count, &event))
                decode->damaged = true;
        } else {
            rc = xpd_decode_large(decode, window, payload, &event, &why);
        }
        if (rc == XPD_OK && !decode->damaged) {
            struct sink sink = open_sink(decode);
            if (decode->far_line)
                bring_near(decode, &sink, &event);
            put_event(decode, &sink, &event, payload.offset);
            close_sink(decode, &sink);
        }
    }
    if (rc == XPD_EFORMAT)
        decode->damaged = true;
    else if (rc != XPD_OK) {
        if (err)
            *err = why;
        return rc;
    }
    if (!decode->damaged)
        *at = number == 0 ? end : wire == LENGTH ? payload.offset + payload.size : window->offset;
    return XPD_OK;
}

static void want(struct xpd_decode *decode, uint64_t id)
{
    if (id < 128)
        decode->wanted_bits[id >> 6] |= UINT64_C(1) << (id & 63);
    else
        decode->wanted_high = true;
    decode->any_wanted = true;
}

/* What the quick loop knows `id` by: UINT32_MAX where the stat is wanted for something else, too.
 */
static uint32_t alone(const struct xpd_events_wanted *wanted, bool has, uint64_t id, bool other)
{
    for (uint32_t i = 0; i < wanted->mark_count; i++)
        other |= wanted->mark_id[i] == id;
    return has && !other && id < 128 ? (uint32_t)id : UINT32_MAX;
}

static void prepare(struct xpd_decode *decode, const struct xpd_line *line)
{
    const struct xpd_events_wanted *wanted = decode->wanted;
    decode->timestamp_ns = line->timestamp_ns;
    decode->far_line = __builtin_mul_overflow(line->timestamp_ns, 1000, &decode->base_ps);
    if (decode->far_line)
        decode->base_ps = line->timestamp_ns < 0 ? INT64_MIN : INT64_MAX;
    bool near =
        decode->base_ps >= -XPD_TIME_LIMIT_PS / 2 && decode->base_ps <= XPD_TIME_LIMIT_PS / 2;
    decode->plain_below = near ? XPD_TIME_LIMIT_PS / 4 : 0; /* of two and the base */
    decode->last_start_ps = INT64_MIN;
    for (uint32_t i = 0; i < wanted->mark_count; i++)
        want(decode, wanted->mark_id[i]);
    if (wanted->has_device)
        want(decode, wanted->device_duration_id);
    if (wanted->has_device_start)
        want(decode, wanted->device_offset_id);
    bool same = wanted->has_device && wanted->has_device_start &&
                wanted->device_duration_id == wanted->device_offset_id;
    decode->device_id = alone(wanted, wanted->has_device, wanted->device_duration_id, same);
    decode->device_start_id =
        alone(wanted, wanted->has_device_start, wanted->device_offset_id, same);
}

static int hand_over(struct xpd_marks *marks)
{
    if (!marks || !marks->take || marks->count == 0 || marks->failed)
        return XPD_OK;
    int rc = marks->take(marks->context);
    marks->count = 0;
    return rc;
}

int xpd_events_decode(struct xpd_event_columns *columns, uint64_t capacity,
                      struct xpd_window *window, const struct xpd_line *line,
                      const struct xpd_plane_tables *tables, const struct xpd_events_wanted *wanted,
                      struct xpd_marks *marks, struct xpd_err *err)
{
    static const struct xpd_events_wanted nothing;
    struct xpd_decode decode = {.columns = columns,
                                .capacity = capacity < UINT32_MAX ? capacity : UINT32_MAX - 1,
                                .tables = tables,
                                .wanted = wanted ? wanted : &nothing,
                                .pext = has_gather() && !(wanted && wanted->portable),
                                .marks = marks};
    uint64_t file = xpd_source_size(window->source), at = line->range.offset;
    uint64_t end = at + line->range.size;
    end = end < file ? end : file;
    columns->count = columns->odd_count = columns->aggregated_count = columns->device_count = 0;
    columns->unknown_count = 0;
    columns->sorted = true;
    columns->cut = line->cut;
    prepare(&decode, line);
    if (end > UINT64_C(1) << XPD_WHERE_BITS)
        return xpd_fail(err, XPD_ELIMIT, xpd_source_name(window->source), at,
                        "The file is larger than 1 TiB, the limit for reading events.");
    while (at < end && !decode.damaged) {
        const uint8_t *bytes;
        size_t size;
        int rc = xpd_window_span(window, at, end, &bytes, &size, err);
        if (rc != XPD_OK)
            return rc;
        size_t used = decode_span(&decode, bytes, size, at);
        at += used;
        if (used == 0 && !decode.damaged)
            rc = decode_slowly(&decode, window, &at, end, err);
        if (rc == XPD_OK)
            rc = hand_over(marks);
        if (rc != XPD_OK)
            return rc;
    }
    columns->cut |= decode.damaged;
    if (marks && marks->failed)
        return xpd_fail(err, XPD_ENOMEM, xpd_source_name(window->source), at,
                        "Not enough memory for the stats of a line.");
    return XPD_OK;
}
