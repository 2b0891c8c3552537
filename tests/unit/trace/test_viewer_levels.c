/* In which of XProf's stores events lie, and what a window without length shows of them. Windows as
 * XProf 2.24.2 answered them. */
#include "compat/viewer/viewer_private.h"
#include "derive_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define US ((int64_t)1000000)
#define MS ((int64_t)1000000000)
#define S  ((int64_t)1000000000000)

struct opened {
    struct xpd_xprof_levels *levels;
    struct xpd_xprof *xprof;
};

static void open_both(const struct dspace *d, struct opened *at)
{
    struct xpd_xprof_input input = {.trace = d->trace, .derived = d->derived, .flows = d->flows};
    assert_int_equal(xpd_xprof_open(&at->xprof, &input, 0, NULL), XPD_OK);
    assert_int_equal(xpd_xprof_levels_make(&at->levels, at->xprof, 0, NULL), XPD_OK);
    at->xprof->input.levels = at->levels;
    assert_true(xpd_xprof_levels_bytes(at->levels) > at->xprof->event_count);
}

static void close_both(struct opened *at)
{
    xpd_xprof_close(at->xprof);
    xpd_xprof_levels_free(at->levels);
}

struct text {
    const struct opened *at;
    char text[400];
};

static bool put_level(void *user, const struct xpd_xprof_event *event)
{
    struct text *out = user;
    size_t used = strlen(out->text);
    snprintf(out->text + used, sizeof out->text - used, "%.*s%u ", (int)event->name.size,
             event->name.data,
             out->at->levels->level[out->at->xprof->stream[event->stream].first + event->place]);
    return true;
}

/* "A0 B3 ": names in XProf's order, each with its level. */
static void shows(const struct opened *at, struct xpd_xprof_query query, const char *wanted)
{
    struct text out = {.at = at};
    assert_int_equal(xpd_xprof_each(at->xprof, &query, put_level, &out, NULL), XPD_OK);
    assert_string_equal(out.text, wanted);
}

/* V11 */
static void nested(void **state)
{
    static const struct {
        const char *name;
        int64_t start_ps, duration_ps;
    } event[] = {{"A", 0, 3 * S},         {"B", MS, 2 * US},  {"C", MS + 5 * US, 2 * US},
                 {"D", MS + 8 * US, 500}, {"F", 2 * MS, 700}, {"G", 2 * S, 5 * MS}};
    struct dspace d = {0};
    struct opened at;
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    dspace_line(&d, "main", 1);
    for (size_t i = 0; i < sizeof event / sizeof *event; i++)
        dspace_event(&d, dspace_name(&d, event[i].name, NULL, NO_STATS), event[i].start_ps,
                     event[i].duration_ps, NO_STATS);
    dspace_load(&d);
    open_both(&d, &at);
    shows(&at, (struct xpd_xprof_query){0}, "A0 B0 C6 D6 F4 G0 ");
    close_both(&at);
    dspace_free(&d);
}

/* V12: the flow makes A visible before its duration and its gap would; its end B is long enough. */
static void flows(void **state)
{
    struct dspace d = {0};
    struct opened at;
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t dummy = dspace_name(&d, "Dummy", NULL, NO_STATS);
    uint32_t a = dspace_name(&d, "A", NULL, NO_STATS), b = dspace_name(&d, "B", NULL, NO_STATS);
    dspace_line(&d, "main", 1);
    dspace_event(&d, dummy, 0, 100, (const struct dstat[]){{"flow", 99 << 2 | 2, NULL}, {0}});
    dspace_event(&d, a, 1000, 100, (const struct dstat[]){{"flow", 1 << 2 | 2, NULL}, {0}});
    dspace_event(&d, b, 2000, 2 * S, (const struct dstat[]){{"flow", 1 << 2 | 1, NULL}, {0}});
    dspace_load(&d);
    open_both(&d, &at);
    shows(&at, (struct xpd_xprof_query){0}, "Dummy0 A9 B0 ");
    close_both(&at);
    dspace_free(&d);
}

/* Twenty events of a microsecond, each millisecond from the 10th on: e0 is the first of its row, 11
 * the first more than 10 ms behind it, the even ones and then the odd ones more than 1 ms behind
 * the last. XProf answered start_time_ms=15 with 0 2 4 5, and start_time_ms=100 with 0 11. */
static void instants(void **state)
{
    struct dspace d = {0};
    struct opened at;
    char name[20][8];
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    dspace_line(&d, "main", 1);
    for (int i = 0; i < 20; i++) {
        snprintf(name[i], sizeof name[i], "e%d.", i);
        dspace_event(&d, dspace_name(&d, name[i], NULL, NO_STATS), (10 + i) * MS, US, NO_STATS);
    }
    dspace_load(&d);
    open_both(&d, &at);
    struct xpd_xprof_query query = {.windowed = true, .instant = true};
    query.from_ps = query.to_ps = 15 * MS;
    shows(&at, query, "e0.0 e2.3 e4.3 e5.4 ");
    query.from_ps = query.to_ps = 100 * MS;
    shows(&at, query, "e0.0 e11.2 ");
    query.from_ps = query.to_ps = INT64_MAX;
    shows(&at, query, "e0.0 ");
    query.instant = false; /* a window like any other */
    query.from_ps = 15 * MS;
    query.to_ps = 16 * MS;
    shows(&at, query, "e5.4 e6.3 ");
    close_both(&at);
    dspace_free(&d);
}

/* R = 375 us needs the stores down to 100 us (V13); 0 needs all. */
static void last_levels(void **state)
{
    (void)state;
    assert_int_equal(xpd_xprof_last_level(375 * US), 4);
    assert_int_equal(xpd_xprof_last_level(2 * S), 0);
    assert_int_equal(xpd_xprof_last_level(S), 0);
    assert_int_equal(xpd_xprof_last_level(S - 1), 1);
    assert_int_equal(xpd_xprof_last_level(1), 12);
    assert_int_equal(xpd_xprof_last_level(0), 12);
    assert_int_equal(xpd_xprof_level_begin(1, 5 * S), 4 * S); /* V13 */
    assert_true(xpd_xprof_level_begin(0, 5 * S) < 0);
}

struct seen {
    uint64_t event[400];
    uint32_t serial[400], count;
};

static bool put_seen(void *user, const struct xpd_xprof_event *event)
{
    struct seen *seen = user;
    assert_true(seen->count < 400);
    seen->event[seen->count] = event->event;
    seen->serial[seen->count++] = event->serial;
    return true;
}

/* A window in the order that is kept with the levels shows the same as in one made for it: threads
 * of events of all lengths, of which three or four start together, longest first as collectors sort
 * them. */
static void windows(void **state)
{
    struct dspace d = {0};
    struct opened at;
    uint32_t random = 1;
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t name = dspace_name(&d, "a", NULL, NO_STATS);
    for (uint32_t line = 1; line <= 3; line++) {
        dspace_line(&d, "main", line);
        int64_t longest_ps = 0;
        for (int i = 0; i < 100; i++) {
            random = random * 1664525 + 1013904223;
            int64_t most_ps = i > 0 && i * 32 / 100 == (i - 1) * 32 / 100 ? longest_ps : 7;
            longest_ps = (int64_t)(random >> 16) % (most_ps + 1);
            dspace_event(&d, name, i * 32 / 100, longest_ps, NO_STATS);
        }
    }
    dspace_load(&d);
    open_both(&d, &at);
    assert_false(xpd_xprof_is_shuffled(at.xprof));
    for (int64_t from_ps = 0; from_ps < 40; from_ps++)
        for (int64_t to_ps = from_ps + 1; to_ps < 40; to_ps += 3) {
            struct xpd_xprof_query query = {.windowed = true, .from_ps = from_ps, .to_ps = to_ps};
            struct seen kept = {.count = 0}, made = {.count = 0};
            at.xprof->input.levels = at.levels;
            assert_int_equal(xpd_xprof_each(at.xprof, &query, put_seen, &kept, NULL), XPD_OK);
            at.xprof->input.levels = NULL;
            assert_int_equal(xpd_xprof_each(at.xprof, &query, put_seen, &made, NULL), XPD_OK);
            assert_int_equal(kept.count, made.count);
            assert_memory_equal(kept.event, made.event, kept.count * sizeof *kept.event);
            assert_memory_equal(kept.serial, made.serial, kept.count * sizeof *kept.serial);
        }
    close_both(&at);
    dspace_free(&d);
}

/* Where a shorter event of a thread stands before a longer one that starts with it, XProf takes the
 * longer one when it has taken the shorter; those of another thread come when they are longest. */
static void in_turn(void **state)
{
    struct dspace d = {0};
    struct opened at;
    static const char *const names[] = {"a", "b", "c", "d"};
    static const int64_t length_us[] = {1, 9, 4, 3}; /* a and b on one line, c and d on the next */
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    for (int i = 0; i < 4; i++) {
        if (i % 2 == 0)
            dspace_line(&d, "main", 1 + i / 2);
        dspace_event(&d, dspace_name(&d, names[i], NULL, NO_STATS), MS, length_us[i] * US,
                     NO_STATS);
    }
    dspace_load(&d);
    open_both(&d, &at);
    assert_true(xpd_xprof_is_shuffled(at.xprof));
    shows(&at, (struct xpd_xprof_query){0}, "c0 d0 a0 b0 ");
    close_both(&at);
    dspace_free(&d);
}

/* XProf stops reading a store at the first event behind the window: what stands behind it in the
 * file is not shown, be it earlier. */
static void disordered(void **state)
{
    struct dspace d = {0};
    struct opened at;
    struct xpd_xprof_query query = {.windowed = true, .from_ps = 5, .to_ps = 20};
    struct seen before = {.count = 0}, both = {.count = 0};
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t name = dspace_name(&d, "a", NULL, NO_STATS);
    dspace_line(&d, "main", 1);
    dspace_event(&d, name, 30, 1, NO_STATS);
    dspace_event(&d, name, 10, 1, NO_STATS);
    dspace_load(&d);
    open_both(&d, &at);
    at.xprof->input.levels = at.levels;
    assert_true(xpd_xprof_is_shuffled(at.xprof));
    assert_int_equal(xpd_xprof_each(at.xprof, &query, put_seen, &before, NULL), XPD_OK);
    assert_int_equal(before.count, 0);
    query.to_ps = 30;
    assert_int_equal(xpd_xprof_each(at.xprof, &query, put_seen, &both, NULL), XPD_OK);
    assert_int_equal(both.count, 2);
    close_both(&at);
    dspace_free(&d);
}

/* Two lines of one thread, as the Python tracer of TensorFlow 2.12 writes them beside that of the
 * host: the second begins anew, and its events stand behind those of the first in XProf's stores.
 * XProf answered this window with 74 events. */
static void second_line(void **state)
{
    struct dspace d = {0};
    struct opened at;
    struct xpd_xprof_query query = {
        .windowed = true, .from_ps = INT64_C(36288523845), .to_ps = INT64_C(43654912117)};
    struct seen seen = {.count = 0};
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t name = dspace_name(&d, "a", NULL, NO_STATS);
    dspace_line(&d, "x", 5);
    for (int i = 0; i < 600; i++)
        dspace_event(&d, name, US + i * 100 * US, 20 * US, NO_STATS);
    dspace_line(&d, "x", 5);
    for (int i = 0; i < 60; i++)
        dspace_event(&d, name, US + (i * 700 + 50) * US, 30 * US, NO_STATS);
    dspace_load(&d);
    open_both(&d, &at);
    assert_true(xpd_xprof_is_shuffled(at.xprof));
    assert_int_equal(xpd_xprof_each(at.xprof, &query, put_seen, &seen, NULL), XPD_OK);
    assert_int_equal(seen.count, 74);
    close_both(&at);
    dspace_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(windows),    cmocka_unit_test(in_turn),
                                       cmocka_unit_test(nested),     cmocka_unit_test(flows),
                                       cmocka_unit_test(instants),   cmocka_unit_test(last_levels),
                                       cmocka_unit_test(disordered), cmocka_unit_test(second_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
