/* Events into columns, metadata tables, stats on demand. Bytes are written field by field, expected
 * values are what they were written from. */
#include "profile_test.h"

#include "xprofd/profile/event_read.h"
#include "xprofd/profile/events.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

enum { CAPACITY = 64 };

struct decoded {
    struct pt_loaded loaded;
    struct xpd_arena arena;
    struct xpd_intern names;
    struct xpd_warnings warnings;
    struct xpd_plane_tables tables;
    struct xpd_event_columns columns;
    struct xpd_marks marks;
    int64_t start_ps[CAPACITY], duration_ps[CAPACITY];
    uint32_t metadata[CAPACITY], where_low[CAPACITY];
    uint8_t where_high[CAPACITY];
    int32_t device_delta_ps[CAPACITY];
    int64_t device_start_ps[CAPACITY];
};

static void load_tables(struct decoded *d, const struct pbw *w)
{
    d->loaded = pt_load(w->data, w->len);
    assert_non_null(d->loaded.space);
    xpd_intern_init(&d->names, &d->arena);
    d->warnings.arena = &d->arena;
    assert_int_equal(xpd_plane_tables_load(&d->tables, d->loaded.source, &d->loaded.space->plane[0],
                                           &d->names, &d->arena, &d->warnings, NULL),
                     XPD_OK);
}

static void decode(struct decoded *d, const struct xpd_events_wanted *wanted)
{
    struct xpd_window window;
    d->columns = (struct xpd_event_columns){.start_ps = d->start_ps,
                                            .duration_ps = d->duration_ps,
                                            .metadata = d->metadata,
                                            .where_low = d->where_low,
                                            .where_high = d->where_high,
                                            .device_delta_ps = d->device_delta_ps,
                                            .device_start_ps = d->device_start_ps};
    assert_int_equal(xpd_window_init(&window, d->loaded.source, NULL), XPD_OK);
    assert_int_equal(xpd_events_decode(&d->columns, CAPACITY, &window,
                                       &d->loaded.space->plane[0].line[0], &d->tables, wanted,
                                       &d->marks, NULL),
                     XPD_OK);
    xpd_window_fini(&window);
}

static void done(struct decoded *d, struct pbw *w)
{
    xpd_plane_tables_fini(&d->tables);
    xpd_intern_fini(&d->names);
    xpd_arena_fini(&d->arena);
    free(d->marks.at);
    pt_free(&d->loaded);
    pbw_free(w);
}

static size_t begin_plane(struct pbw *w)
{
    size_t plane = pbw_begin(w, 1);
    pbw_str(w, 2, "/device:TPU:0");
    return plane;
}

static void field_orders(void **state)
{
    struct pbw w = {0};
    struct decoded d = {0};
    size_t plane = begin_plane(&w), line = pt_line(&w, 3, "XLA Ops"), event;
    (void)state;
    pbw_uint(&w, 3, 7); /* timestamp_ns: 7,000 ps */
    pt_event(&w, 11, 10, 20);
    event = pbw_begin(&w, 4); /* duration, offset, metadata; unknown fields of every type between */
    pbw_uint(&w, 3, 50);
    pbw_uint(&w, 99, 1);
    pbw_bytes(&w, 98, "unknown", 7);
    pbw_uint(&w, 2, 30);
    pbw_raw(&w,
            "\xa1\x06"
            "12345678"
            "\xa5\x06"
            "1234",
            16); /* fields 100: fixed64, fixed32 */
    pbw_uint(&w, 1, 12);
    pbw_end(&w, event);
    event = pbw_begin(&w, 4); /* the last of each counts */
    pbw_uint(&w, 1, 11);
    pbw_uint(&w, 2, 1);
    pbw_uint(&w, 2, 90);
    pbw_uint(&w, 1, 12);
    pbw_end(&w, event);
    event = pbw_begin(&w, 4); /* nothing at all: metadata 0, start of the line, an instant */
    pbw_end(&w, event);
    event = pbw_begin(&w, 4); /* stats before the time */
    pt_stat_uint(&w, 4, 5, 1234567);
    pbw_uint(&w, 2, 1000);
    pbw_uint(&w, 1, 11);
    pbw_end(&w, event);
    pbw_end(&w, line);
    pt_metadata(&w, 4, 11, "a");
    pt_metadata(&w, 4, 12, "b");
    pbw_end(&w, plane);

    load_tables(&d, &w);
    decode(&d, NULL);
    static const int64_t start[] = {7010, 7030, 7090, 7000, 8000}, duration[] = {20, 50, 0, 0, 0};
    static const uint32_t metadata[] = {0, 1, 1, XPD_NO_METADATA, 0};
    assert_int_equal(d.columns.count, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(d.start_ps[i], start[i]);
        assert_int_equal(d.duration_ps[i], duration[i]);
        assert_int_equal(d.metadata[i], metadata[i]);
    }
    assert_false(d.columns.sorted);
    assert_false(d.columns.cut);
    assert_int_equal(d.columns.odd_count, 0);
    done(&d, &w);
}

static void odd_times(void **state)
{
    struct pbw w = {0};
    struct decoded d = {0};
    size_t plane = begin_plane(&w), line = pt_line(&w, 3, "XLA Ops"), event;
    (void)state;
    pbw_uint(&w, 3, 1000);
    pt_event(&w, 11, (uint64_t)-5000, 20);    /* 10 bytes: before the line, not odd */
    pt_event(&w, 11, 0, (uint64_t)-1);        /* negative duration */
    pt_event(&w, 11, INT64_MAX, 5);           /* beyond the limit */
    pt_event(&w, 11, (uint64_t)INT64_MIN, 5); /* the other way */
    pt_event(&w, 11, 0, INT64_MAX);           /* the end overflows */
    event = pbw_begin(&w, 4);                 /* aggregated: no position */
    pbw_uint(&w, 1, 11);
    pbw_uint(&w, 2, 77);
    pbw_uint(&w, 5, 12);
    pbw_uint(&w, 3, 9);
    pbw_end(&w, event);
    pbw_end(&w, line);
    pt_metadata(&w, 4, 11, "a");
    pbw_end(&w, plane);

    load_tables(&d, &w);
    decode(&d, NULL);
    assert_int_equal(d.columns.count, 6);
    assert_int_equal(d.start_ps[0], 995000);
    assert_int_equal(d.duration_ps[1], 0);
    assert_int_equal(d.start_ps[2], XPD_TIME_LIMIT_PS);
    assert_int_equal(d.duration_ps[2], 0);
    assert_int_equal(d.start_ps[3], -XPD_TIME_LIMIT_PS);
    assert_int_equal(d.duration_ps[3], 5);
    assert_int_equal(d.start_ps[4] + d.duration_ps[4], XPD_TIME_LIMIT_PS);
    assert_int_equal(d.start_ps[5], 1000000);
    assert_int_equal(d.duration_ps[5], 9);
    assert_int_equal(d.columns.aggregated_count, 1);
    assert_int_equal(d.columns.odd_count, 4); /* events: [2] is odd twice */
    done(&d, &w);
}

/* 192 ps more than 2^63 on either side: what an offset brings back into the limit is shown where it
 * is, to the picosecond; the rest at the limit, and counted. */
static void lines_that_begin_too_far_away(void **state)
{
    static const struct {
        int64_t timestamp_ns, offset_ps, start_ps;
        bool odd;
    } want[] = {
        {9223372036854776, 0, XPD_TIME_LIMIT_PS, true},
        {9223372036854776, -(INT64_C(3) << 61), XPD_TIME_LIMIT_PS, true}, /* 192 beyond it */
        {9223372036854776, -(INT64_C(3) << 61) - 192, XPD_TIME_LIMIT_PS, false},
        {9223372036854776, -(INT64_C(3) << 61) - 1000, INT64_C(2305843009213693144), false},
        {9223372036854776, INT64_MIN, 192, false},
        {9223372036854776, INT64_MAX, XPD_TIME_LIMIT_PS, true},
        {-9223372036854776, INT64_MAX, -193, false},
        {-9223372036854776, 0, -XPD_TIME_LIMIT_PS, true},
        {-9223372036854776, INT64_MIN, -XPD_TIME_LIMIT_PS, true},
        {INT64_MAX, INT64_MIN, XPD_TIME_LIMIT_PS, true},
        {INT64_MIN, INT64_MAX, -XPD_TIME_LIMIT_PS, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct pbw w = {0};
        struct decoded d = {0};
        size_t plane = begin_plane(&w), line = pt_line(&w, 3, "XLA Ops");
        pbw_int(&w, 3, want[i].timestamp_ns);
        pt_event(&w, 11, (uint64_t)want[i].offset_ps, 0);
        pt_event(&w, 11, (uint64_t)want[i].offset_ps, 5);
        pbw_end(&w, line);
        pt_metadata(&w, 4, 11, "a");
        pbw_end(&w, plane);
        load_tables(&d, &w);
        decode(&d, NULL);
        assert_int_equal(d.columns.count, 2);
        assert_int_equal(d.start_ps[0], want[i].start_ps);
        assert_int_equal(d.start_ps[1], want[i].start_ps);
        bool at_limit = want[i].start_ps == XPD_TIME_LIMIT_PS; /* no room for a duration */
        assert_int_equal(d.duration_ps[1], at_limit ? 0 : 5);
        assert_int_equal(d.columns.odd_count, (want[i].odd ? 2 : 0) + (at_limit && !want[i].odd));
        done(&d, &w);
    }
}

static void device_durations_and_marks(void **state)
{
    struct pbw w = {0};
    struct decoded d = {0};
    size_t plane = begin_plane(&w), line = pt_line(&w, 3, "XLA Ops"), event, stat;
    static const uint64_t mark_id[] = {9, 300};
    const struct xpd_events_wanted wanted = {
        .mark_id = mark_id, .mark_count = 2, .device_duration_id = 2, .has_device = true};
    (void)state;
    event = pbw_begin(&w, 4);
    pbw_uint(&w, 3, 1000);
    pt_stat_uint(&w, 4, 1, 5);
    pt_stat_uint(&w, 4, 2, 990);
    pbw_end(&w, event);
    event = pbw_begin(&w, 4); /* the value before the id; the duration last */
    stat = pbw_begin(&w, 4);
    pbw_uint(&w, 3, 40);
    pbw_uint(&w, 1, 2);
    pbw_end(&w, stat);
    pt_stat_uint(&w, 4, 9, 77);
    pbw_uint(&w, 3, 30);
    pbw_end(&w, event);
    event = pbw_begin(&w, 4); /* none given */
    pbw_uint(&w, 3, 10);
    pt_stat_uint(&w, 4, 300, 78);
    pbw_end(&w, event);
    event = pbw_begin(&w, 4); /* does not fit 32 bits */
    pbw_uint(&w, 3, 10000000000);
    pt_stat_uint(&w, 4, 2, 1);
    pbw_end(&w, event);
    pbw_end(&w, line);
    pbw_end(&w, plane);

    load_tables(&d, &w);
    decode(&d, &wanted);
    assert_int_equal(d.columns.count, 4);
    assert_int_equal(d.device_delta_ps[0], 10);
    assert_int_equal(d.device_delta_ps[1], -10);
    assert_int_equal(d.device_delta_ps[2], INT32_MIN);
    assert_int_equal(d.device_delta_ps[3], INT32_MIN);
    assert_int_equal(d.columns.device_count, 3);
    static const struct xpd_marked_stat expected[] = {
        {.event = 1, .mark = 0, .value = 77},
        {.event = 2, .mark = 1, .value = 78},
        {.event = 3, .mark = XPD_MARK_DEVICE_DURATION, .value = 1}};
    assert_int_equal(d.marks.count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(d.marks.at[i].event, expected[i].event);
        assert_int_equal(d.marks.at[i].mark, expected[i].mark);
        assert_int_equal(d.marks.at[i].value, expected[i].value);
    }
    done(&d, &w);
}

/* However it is written; the last one counts; only numbers do. One stat can be both times. */
static void device_starts(void **state)
{
    struct pbw w = {0};
    struct decoded d = {0};
    size_t plane = begin_plane(&w), line = pt_line(&w, 3, "XLA Ops"), event, stat;
    struct xpd_events_wanted wanted = {.device_duration_id = 2,
                                       .has_device = true,
                                       .device_offset_id = 1,
                                       .has_device_start = true};
    (void)state;
    event = pbw_begin(&w, 4);
    pt_stat_uint(&w, 4, 1, 5000);
    pt_stat_uint(&w, 4, 2, 0);
    pbw_end(&w, event);
    event = pbw_begin(&w, 4); /* the value before the id, and two of them */
    pt_stat_uint(&w, 4, 1, 6000);
    stat = pbw_begin(&w, 4);
    pbw_uint(&w, 3, 7000);
    pbw_uint(&w, 1, 1);
    pbw_end(&w, stat);
    pbw_end(&w, event);
    event = pbw_begin(&w, 4); /* a text */
    stat = pbw_begin(&w, 4);
    pbw_uint(&w, 1, 1);
    pbw_str(&w, 5, "8000");
    pbw_end(&w, stat);
    pbw_end(&w, event);
    event = pbw_begin(&w, 4);
    pt_stat_uint(&w, 4, 1, UINT64_MAX);
    pbw_end(&w, event);
    pbw_end(&w, line);
    pbw_end(&w, plane);
    load_tables(&d, &w);
    decode(&d, &wanted);
    static const int64_t expected[] = {5000, 7000, -1, -1};
    for (int i = 0; i < 4; i++)
        assert_int_equal(d.device_start_ps[i], expected[i]);
    assert_int_equal(d.columns.device_count, 1);
    wanted.device_duration_id = 1;
    decode(&d, &wanted);
    assert_int_equal(d.device_start_ps[0], 5000);
    assert_int_equal(d.device_delta_ps[0], -5000);
    done(&d, &w);
}

/* ---- numbers of every length ---- */

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Of any length up to `bits`, each as often. */
static uint64_t number(uint64_t *state, unsigned bits)
{
    uint64_t width = next(state) % (bits + 1);
    return width == 0 ? 0 : next(state) >> (64 - width);
}

struct written {
    uint64_t id, offset, duration, device, begin;
    bool has_device, has_begin;
};

static void write_random(struct pbw *w, struct written *event, uint64_t *state, uint64_t device_id,
                         uint64_t begin_id)
{
    static const uint64_t ids[] = {0, 1, 127, 128, 16383, 16384, 2097151, 2097152, 1 << 28, 5};
    static const uint64_t dull[] = {1, 3, 63, 64, 127, 128, 300, 100000};
    char text[200];
    *event = (struct written){ids[next(state) % 10], number(state, 58), number(state, 58),
                              number(state, 58),     number(state, 64), next(state) % 4 != 0,
                              next(state) % 4 != 0};
    size_t at = pbw_begin(w, 4);
    if (event->id != 0)
        pbw_uint(w, 1, event->id);
    pbw_uint(w, 2, event->offset);
    if (event->duration != 0)
        pbw_uint(w, 3, event->duration);
    for (uint64_t n = next(state) % 4, after = next(state) % 4, i = 0; i < 4; i++) {
        if (i == after && event->has_device)
            pt_stat_uint(w, 4, device_id, event->device);
        if (i + after == 3 && event->has_begin)
            pt_stat_uint(w, 4, begin_id, event->begin);
        if (i >= n)
            continue;
        size_t stat = pbw_begin(w, 4), size = next(state) % 3 == 0 ? 150 : next(state) % 20;
        pbw_uint(w, 1, dull[next(state) % 8]);
        memset(text, 'x', size);
        pbw_bytes(w, 5, text, size);
        pbw_end(w, stat);
    }
    pbw_end(w, at);
}

/* What was written is what is read: on this processor, and as on one that lacks instructions. */
static void numbers_of_every_length(void **state)
{
    static const uint64_t known[] = {0, 1, 127, 128, 16383, 16384, 2097151, 2097152, 1 << 28};
    uint64_t random = 0x9E3779B97F4A7C15;
    (void)state;
    for (int round = 0; round < 200; round++) {
        struct pbw w = {0};
        struct decoded d = {0};
        struct written event[CAPACITY];
        uint64_t device_id = round % 3 == 0 ? 200 : 2;
        uint64_t begin_id = round % 7 == 0 ? 201 : 6;
        struct xpd_events_wanted wanted = {.device_duration_id = device_id,
                                           .has_device = round % 5 != 0,
                                           .device_offset_id = begin_id,
                                           .has_device_start = round % 4 != 0,
                                           .metadata_base = 1000,
                                           .portable = round % 2 != 0};
        size_t plane = begin_plane(&w), line = pt_line(&w, 3, "XLA Ops");
        uint64_t unknown = 0;
        for (int i = 0; i < CAPACITY; i++)
            write_random(&w, &event[i], &random, device_id, begin_id);
        pbw_end(&w, line);
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            pt_metadata(&w, 4, known[i], "name");
        pbw_end(&w, plane);
        load_tables(&d, &w);
        decode(&d, &wanted);
        assert_int_equal(d.columns.count, CAPACITY);
        assert_int_equal(d.columns.odd_count, 0);
        for (int i = 0; i < CAPACITY; i++) {
            uint32_t named = 0;
            while (named < 9 && known[named] != event[i].id)
                named++;
            unknown += named == 9;
            assert_int_equal(d.metadata[i], named == 9 ? XPD_NO_METADATA : 1000 + named);
            assert_int_equal(d.start_ps[i], event[i].offset);
            assert_int_equal(d.duration_ps[i], event[i].duration);
            int64_t delta = (int64_t)event[i].duration - (int64_t)event[i].device;
            bool kept =
                wanted.has_device && event[i].has_device && delta > INT32_MIN && delta <= INT32_MAX;
            assert_int_equal(d.device_delta_ps[i], kept ? delta : INT32_MIN);
            kept = wanted.has_device_start && event[i].has_begin && event[i].begin <= INT64_MAX / 2;
            assert_int_equal(d.device_start_ps[i], kept ? (int64_t)event[i].begin : -1);
        }
        assert_int_equal(d.columns.unknown_count, unknown);
        done(&d, &w);
    }
}

/* Ids of any size; equal ones: the last counts. */
static void metadata_ids(void **state)
{
    struct pbw w = {0};
    struct decoded d = {0};
    size_t plane = begin_plane(&w), line = pt_line(&w, 3, "XLA Ops");
    (void)state;
    pt_event(&w, UINT64_C(9646411105960254074), 1, 1);
    pt_event(&w, 3, 2, 1);
    pt_event(&w, 4, 3, 1);
    pt_event(&w, 100000, 4, 1);
    pt_event(&w, 0, 5, 1);
    pbw_end(&w, line);
    pt_metadata(&w, 4, 3, "first");
    pt_metadata(&w, 4, UINT64_C(9646411105960254074), "hash");
    pt_metadata(&w, 4, 3, "second");
    pt_metadata(&w, 4, 100000, "far");
    size_t entry = pbw_begin(&w, 4); /* key 0 is not written */
    size_t value = pbw_begin(&w, 2);
    pbw_str(&w, 2, "zero");
    pbw_str(&w, 4, "shown");
    pbw_end(&w, value);
    pbw_end(&w, entry);
    pbw_end(&w, plane);

    load_tables(&d, &w);
    decode(&d, NULL);
    static const char *const name[] = {"hash", "second", NULL, "far", "zero"};
    for (int i = 0; i < 5; i++) {
        if (!name[i]) {
            assert_int_equal(d.metadata[i], XPD_NO_METADATA);
            continue;
        }
        assert_in_range(d.metadata[i], 0, d.tables.event_count - 1);
        assert_string_equal(xpd_intern_get(&d.names, d.tables.event[d.metadata[i]].name).data,
                            name[i]);
    }
    assert_string_equal(xpd_intern_get(&d.names, d.tables.event[4].display_name).data, "shown");
    done(&d, &w);
}

static void damaged_lines(void **state)
{
    struct pbw w = {0};
    struct decoded d = {0};
    size_t plane = begin_plane(&w), line = pt_line(&w, 3, "XLA Ops"), event;
    (void)state;
    pt_event(&w, 11, 10, 20);
    pt_event(&w, 11, 40, 20);
    event = pbw_begin(&w, 4);
    pbw_uint(&w, 1, 11);
    pbw_raw(&w, "\x22\x7f", 2); /* a stat longer than its event */
    pbw_end(&w, event);
    pt_event(&w, 11, 70, 20);
    pbw_end(&w, line);
    pbw_end(&w, plane);
    load_tables(&d, &w);
    decode(&d, NULL);
    assert_int_equal(d.columns.count, 2);
    assert_true(d.columns.cut);
    done(&d, &w);
}

/* The same line read at once, cut at every byte: never more events than are whole. */
static void cut_anywhere(void **state)
{
    struct pbw w = {0};
    size_t plane = begin_plane(&w), line = pt_line(&w, 3, "XLA Ops");
    (void)state;
    for (uint64_t i = 0; i < 20; i++)
        pt_event(&w, 300 + i, 1000000 * i, 900000);
    pbw_end(&w, line);
    pbw_end(&w, plane);
    uint64_t before = 0;
    for (size_t size = 40; size <= w.len; size++) {
        struct decoded d = {0};
        struct pbw none = {0};
        struct pbw part = {.data = w.data, .len = size};
        load_tables(&d, &part);
        if (d.loaded.space->plane[0].line_count != 0) {
            decode(&d, NULL);
            assert_int_equal(d.columns.count, d.loaded.space->plane[0].line[0].event_count);
            assert_true(d.columns.count >= before && d.columns.count <= before + 1);
            assert_int_equal(d.columns.cut, size < w.len);
            before = d.columns.count;
        }
        done(&d, &none);
    }
    assert_int_equal(before, 20);
    pbw_free(&w);
}

static void stats_on_demand(void **state)
{
    struct pbw w = {0};
    struct decoded d = {0};
    size_t plane = begin_plane(&w), line = pt_line(&w, 3, "XLA Ops"), event, stat;
    uint8_t packed[200];
    z_stream z = {.next_in = (uint8_t *)"compressed text",
                  .avail_in = 15,
                  .next_out = packed,
                  .avail_out = sizeof packed};
    (void)state;
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t packed_size = sizeof packed - z.avail_out;
    deflateEnd(&z);

    event = pbw_begin(&w, 4);
    pbw_uint(&w, 1, 11);
    pt_stat_uint(&w, 3, 1, UINT64_MAX); /* field 3 of an event: no stat */
    pt_stat_uint(&w, 4, 1, UINT64_MAX);
    stat = pbw_begin(&w, 4);
    pbw_uint(&w, 1, 2);
    pbw_uint(&w, 4, (uint64_t)-7);
    pbw_end(&w, stat);
    stat = pbw_begin(&w, 4);
    pbw_uint(&w, 1, 3);
    pbw_uint(&w, 7, 4);
    pbw_end(&w, stat);
    stat = pbw_begin(&w, 4);
    pbw_uint(&w, 1, 99);
    pbw_str(&w, 5, "no name");
    pbw_end(&w, stat);
    stat = pbw_begin(&w, 4);
    pbw_uint(&w, 1, 5);
    pbw_raw(&w, "\x11\0\0\0\0\0\0\xf8\x3f", 9); /* 1.5 */
    pbw_end(&w, stat);
    stat = pbw_begin(&w, 4);
    pbw_uint(&w, 1, 6);
    pbw_bytes(&w, 8, packed, packed_size);
    pbw_end(&w, stat);
    stat = pbw_begin(&w, 4);
    pbw_uint(&w, 1, 6);
    pbw_bytes(&w, 8, "no gzip", 7);
    pbw_end(&w, stat);
    stat = pbw_begin(&w, 4);
    pbw_uint(&w, 1, 7);
    pbw_end(&w, stat);
    pbw_end(&w, event);
    pbw_end(&w, line);
    for (uint64_t i = 1; i <= 7; i++) {
        char name[8];
        snprintf(name, sizeof name, "s%u", (unsigned)i);
        pt_metadata(&w, 5, i, name);
    }
    pbw_end(&w, plane);

    load_tables(&d, &w);
    decode(&d, NULL);
    struct xpd_stat_value *value;
    struct xpd_wire_range range;
    struct xpd_err err = {0};
    uint32_t count;
    const struct xpd_line *at = &d.loaded.space->plane[0].line[0];
    assert_int_equal(xpd_event_range(d.loaded.source, d.where_low[0],
                                     at->range.offset + at->range.size, &range, &err),
                     XPD_OK);
    assert_int_equal(xpd_stats_decode(d.loaded.source, range, 4, &d.tables, &d.names, &d.arena,
                                      &value, &count, &err),
                     XPD_OK);
    assert_int_equal(count, 8);
    assert_string_equal(value[0].name.data, "s1");
    assert_int_equal(value[0].type, XPD_STAT_UINT);
    assert_true((uint64_t)value[0].integer == UINT64_MAX);
    assert_int_equal(value[1].type, XPD_STAT_INT);
    assert_int_equal(value[1].integer, -7);
    assert_int_equal(value[2].type, XPD_STAT_TEXT);
    assert_string_equal(value[2].text.data, "s4");
    assert_string_equal(value[3].name.data, "");
    assert_int_equal(value[3].id, 99);
    assert_string_equal(value[3].text.data, "no name");
    assert_int_equal(value[4].type, XPD_STAT_DOUBLE);
    assert_true(value[4].real == 1.5);
    assert_int_equal(value[5].type, XPD_STAT_TEXT);
    assert_string_equal(value[5].text.data, "compressed text");
    assert_int_equal(value[6].type, XPD_STAT_BYTES);
    assert_int_equal(value[6].text.size, 7);
    assert_int_equal(value[7].type, XPD_STAT_NONE);
    /* A place that is not an event. */
    assert_int_equal(xpd_event_range(d.loaded.source, d.where_low[0] + 1, w.len, &range, &err),
                     XPD_EFORMAT);
    assert_int_equal(xpd_event_range(d.loaded.source, 0, w.len, &range, &err), XPD_EFORMAT);
    done(&d, &w);
}

/* ---- one event after another, with the stats that are wanted ---- */

static const char *const said_name[] = {"number", "text", "absent", "far"};

static void put_said(char *out, size_t size, const struct xpd_event_said *event)
{
    int used = snprintf(out, size, "%d@%d+%d%s%s", (int)event->metadata, (int)event->offset_ps,
                        (int)event->duration_ps, event->aggregated ? " many" : "",
                        event->damaged ? " damaged" : "");
    for (uint32_t i = 0; i < 32; i++) {
        const struct xpd_said *said = &event->stat[i];
        if (!(event->has >> i & 1))
            continue;
        used +=
            snprintf(out + used, size - (size_t)used, " %s/%d=", said_name[i], (int)said->field);
        used += said->field == XPD_SAID_TEXT || said->field == XPD_SAID_BYTES
                    ? snprintf(out + used, size - (size_t)used, "%.*s",
                               said->text.size > 9 ? 9 : (int)said->text.size, said->text.data)
                    : snprintf(out + used, size - (size_t)used, "%lld", (long long)said->value);
    }
}

struct told {
    char text[16][96];
    size_t count, most;
};

static bool tell(void *user, const struct xpd_event_said *event)
{
    struct told *told = user;
    put_said(told->text[told->count], sizeof told->text[0], event);
    return ++told->count < told->most;
}

static void tell_line(struct decoded *d, struct told *told)
{
    struct xpd_window window;
    struct xpd_stat_ids ids;
    xpd_stat_ids_init(&ids, &d->tables, &d->names, said_name, 4);
    assert_int_equal(ids.known, 1 | 2 | 8);
    assert_int_equal(xpd_window_init(&window, d->loaded.source, NULL), XPD_OK);
    xpd_line_each_event(&window, &d->loaded.space->plane[0].line[0], &ids, tell, told);
    xpd_window_fini(&window);
}

/* Stats as all writers write them, and as protobuf allows it: the same is said. */
static void put_events(struct pbw *w)
{
    static const char large[20000] = "large";
    size_t event = pbw_begin(w, 4), stat;
    pbw_uint(w, 1, 11);
    pbw_uint(w, 2, 5);
    pbw_uint(w, 3, 6);
    pt_stat_uint(w, 4, 3, 99); /* not asked for */
    pt_stat_uint(w, 4, 1, 300);
    stat = pbw_begin(w, 4);
    pbw_uint(w, 1, 2);
    pbw_str(w, 5, "words");
    pbw_end(w, stat);
    pbw_end(w, event);
    event = pbw_begin(w, 4); /* the value before the id; a reference; an id beyond the table */
    stat = pbw_begin(w, 4);
    pbw_uint(w, 4, 7);
    pbw_uint(w, 1, 1);
    pbw_end(w, stat);
    stat = pbw_begin(w, 4);
    pbw_uint(w, 1, 2);
    pbw_uint(w, 7, 3);
    pbw_end(w, stat);
    pt_stat_uint(w, 4, 700, 8);
    pbw_uint(w, 3, 1);
    pbw_uint(w, 1, 12);
    pbw_uint(w, 5, 2);
    pbw_end(w, event);
    event = pbw_begin(w, 4); /* an unknown field; of two values the last; a stat without one */
    pbw_str(w, 77, "unknown");
    stat = pbw_begin(w, 4);
    pbw_uint(w, 1, 1);
    pbw_str(w, 5, "not this");
    pbw_uint(w, 3, 9);
    pbw_end(w, stat);
    stat = pbw_begin(w, 4);
    pbw_uint(w, 1, 2);
    pbw_end(w, stat);
    pbw_end(w, event);
    event = pbw_begin(w, 4); /* its size takes three bytes */
    pt_stat_bytes(w, 4, 2, large, sizeof large);
    pbw_end(w, event);
}

static void events_one_by_one(void **state)
{
    (void)state;
    static const char *const want[] = {"11@5+6 number/3=300 text/5=words",
                                       "12@0+1 many number/4=7 text/7=3 far/3=8",
                                       "0@0+0 number/3=9 text/0=0", "0@0+0 text/6=large"};
    struct pbw w = {0};
    struct decoded d = {0};
    struct told told = {.most = 16};
    size_t plane = begin_plane(&w), line = pt_line(&w, 1, "ops");
    put_events(&w);
    pbw_uint(&w, 10, 3); /* a field of the line between its events */
    put_events(&w);
    size_t event = pbw_begin(&w, 4);
    pbw_uint(&w, 1, 5);
    pbw_raw(&w, "\x12\x7f", 2); /* a text that is not there: the event ends, and so may the line */
    pbw_end(&w, event);
    pt_event(&w, 1, 2, 3);
    pbw_end(&w, line);
    static const uint64_t id[] = {1, 2, 700};
    for (size_t i = 0; i < 3; i++)
        pt_metadata(&w, 5, id[i], said_name[i == 2 ? 3 : i]);
    pbw_end(&w, plane);
    load_tables(&d, &w);
    tell_line(&d, &told);
    assert_int_equal(told.count, 10);
    for (size_t i = 0; i < 8; i++)
        assert_string_equal(told.text[i], want[i % 4]);
    assert_string_equal(told.text[8], "5@0+0 damaged");
    assert_string_equal(told.text[9], "1@2+3");
    told = (struct told){.most = 3};
    tell_line(&d, &told); /* who has enough ends it */
    assert_int_equal(told.count, 3);
    done(&d, &w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(field_orders),
        cmocka_unit_test(odd_times),
        cmocka_unit_test(numbers_of_every_length),
        cmocka_unit_test(metadata_ids),
        cmocka_unit_test(lines_that_begin_too_far_away),
        cmocka_unit_test(device_durations_and_marks),
        cmocka_unit_test(device_starts),
        cmocka_unit_test(damaged_lines),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(stats_on_demand),
        cmocka_unit_test(events_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
