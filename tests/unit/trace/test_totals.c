/* Sums, self times, percentiles and busy time on traces small enough to do by hand. */
#include "core_space.h"
#include "xprofd/trace/totals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct xpd_totals_ask ask_all(const struct xpd_view *view, const uint32_t *row,
                                     uint32_t count, enum xpd_totals_by by)
{
    return (struct xpd_totals_ask){.view = view,
                                   .by = by,
                                   .clock = XPD_CLOCK_DEVICE,
                                   .row = row,
                                   .row_count = count,
                                   .range = xpd_view_all(view)};
}

static const struct xpd_total *group(const struct xpd_totals *totals, const struct xpd_view *view,
                                     const char *caption)
{
    for (uint32_t i = 0; i < totals->group_count; i++)
        if (xpd_str_eq(xpd_view_caption(view, totals->group[i].key), xpd_str_of(caption)))
            return &totals->group[i];
    fail_msg("no group %s", caption);
    return NULL;
}

/* op1 0..100 holds op2 10..30 and op2 40..90, which holds op3 50..60; then op1 100..150. */
static const struct core_event nested[] = {
    {0, 100, 1}, {10, 20, 2}, {40, 50, 2}, {50, 10, 3}, {100, 50, 1}};

static struct core_trace load_nested(struct pbw *w)
{
    size_t plane = core_plane(w, "/device:TPU:0");
    core_line(w, 3, "XLA Ops", nested, 5);
    core_names(w, 3);
    pbw_end(w, plane);
    return core_load(w->data, w->len, 1);
}

static void sums_and_self_times(void **state)
{
    (void)state;
    struct pbw w = {0};
    struct core_trace core = load_nested(&w);
    struct xpd_view view = {.trace = core.trace};
    const uint32_t row[] = {0};
    struct xpd_totals_ask ask = ask_all(&view, row, 1, XPD_BY_NAME);
    struct xpd_totals totals;
    assert_int_equal(xpd_totals_make(&totals, &ask, NULL), XPD_OK);
    assert_int_equal(totals.group_count, 3);
    const struct xpd_total *op1 = group(&totals, &view, "op1");
    assert_int_equal(op1->count, 2);
    assert_int_equal(op1->total_ps, 150);
    assert_int_equal(op1->self_ps, 30 + 50); /* 100 - 20 - 50, and 50 */
    assert_int_equal(op1->min_ps, 50);
    assert_int_equal(op1->max_ps, 100);
    assert_int_equal(op1->device_count, 0);
    const struct xpd_total *op2 = group(&totals, &view, "op2");
    assert_int_equal(op2->total_ps, 70);
    assert_int_equal(op2->self_ps, 60);
    assert_int_equal(group(&totals, &view, "op3")->self_ps, 10);
    assert_int_equal(totals.all.count, 5);
    assert_int_equal(totals.all.total_ps, 230);
    assert_int_equal(totals.all.self_ps, 150);
    assert_int_equal(totals.busy_ps, 150);
    xpd_totals_fini(&totals);
    core_free(&core);
    pbw_free(&w);
}

/* 30..50 touches op1 (0..100), op2 (40..90) and, at 50, nothing of op3, which only begins there; it
 * does not touch op2 10..30, which ends there. */
static void edges_of_a_range(void **state)
{
    (void)state;
    struct pbw w = {0};
    struct core_trace core = load_nested(&w);
    struct xpd_view view = {.trace = core.trace};
    const uint32_t row[] = {0};
    struct xpd_totals_ask ask = ask_all(&view, row, 1, XPD_BY_NAME);
    struct xpd_totals totals;
    ask.range = (struct xpd_time_range){30, 50};
    assert_int_equal(xpd_totals_make(&totals, &ask, NULL), XPD_OK);
    assert_int_equal(totals.all.count, 2);
    assert_int_equal(group(&totals, &view, "op1")->total_ps, 100);
    assert_int_equal(group(&totals, &view, "op2")->total_ps, 50);
    assert_int_equal(totals.busy_ps, 20);
    xpd_totals_fini(&totals);
    ask.clip = true;
    assert_int_equal(xpd_totals_make(&totals, &ask, NULL), XPD_OK);
    assert_int_equal(group(&totals, &view, "op1")->total_ps, 20);
    assert_int_equal(group(&totals, &view, "op1")->self_ps, 10);
    assert_int_equal(group(&totals, &view, "op2")->total_ps, 10);
    assert_int_equal(totals.all.self_ps, 20);
    xpd_totals_fini(&totals);
    ask.range = (struct xpd_time_range){100, 150}; /* the end of the trace counts as inside */
    ask.clip = false;
    assert_int_equal(xpd_totals_make(&totals, &ask, NULL), XPD_OK);
    assert_int_equal(totals.all.count, 1);
    xpd_totals_fini(&totals);
    core_free(&core);
    pbw_free(&w);
}

/* Operations of two chips are two names in the file and one group; by chip and by row they part. */
static void chips_and_rows(void **state)
{
    (void)state;
    struct pbw w = {0};
    for (int i = 0; i < 2; i++) {
        size_t plane = core_plane(&w, i ? "/device:TPU:1" : "/device:TPU:0");
        core_line(&w, 3, "XLA Ops", nested, i ? 5 : 1);
        core_names(&w, 3);
        pbw_end(&w, plane);
    }
    struct core_trace core = core_load(w.data, w.len, 1);
    struct xpd_view view = {.trace = core.trace};
    const uint32_t row[] = {0, 1};
    struct xpd_totals totals;
    struct xpd_totals_ask ask = ask_all(&view, row, 2, XPD_BY_NAME);
    assert_int_equal(xpd_totals_make(&totals, &ask, NULL), XPD_OK);
    assert_int_equal(totals.group_count, 3);
    assert_int_equal(group(&totals, &view, "op1")->count, 3);
    xpd_totals_fini(&totals);
    for (int by = XPD_BY_CHIP; by <= XPD_BY_ROW; by++) {
        ask.by = (enum xpd_totals_by)by;
        assert_int_equal(xpd_totals_make(&totals, &ask, NULL), XPD_OK);
        assert_int_equal(totals.group_count, 2);
        assert_int_equal(totals.group[0].key, 0);
        assert_int_equal(totals.group[0].total_ps, 100);
        assert_int_equal(totals.group[1].total_ps, 230);
        xpd_totals_fini(&totals);
    }
    core_free(&core);
    pbw_free(&w);
}

/* Two events that overlap without nesting take nothing from each other; together they are busy from
 * 0 to 150, with 120..130 inside the second one. */
static void overlapping_events(void **state)
{
    (void)state;
    static const struct core_event events[] = {{0, 100, 1}, {50, 100, 2}, {120, 10, 3}};
    struct pbw w = {0};
    size_t plane = core_plane(&w, "/device:TPU:0");
    core_line(&w, 4, "Async XLA Ops", events, 3);
    core_names(&w, 3);
    pbw_end(&w, plane);
    struct core_trace core = core_load(w.data, w.len, 1);
    struct xpd_view view = {.trace = core.trace};
    const uint32_t row[] = {0};
    struct xpd_totals totals;
    struct xpd_totals_ask ask = ask_all(&view, row, 1, XPD_BY_NAME);
    assert_int_equal(xpd_totals_make(&totals, &ask, NULL), XPD_OK);
    assert_int_equal(group(&totals, &view, "op1")->self_ps, 100);
    assert_int_equal(group(&totals, &view, "op2")->self_ps, 90);
    assert_int_equal(totals.busy_ps, 150);
    assert_int_equal(core.trace->row[0].busy_ps, 150);
    xpd_totals_fini(&totals);
    core_free(&core);
    pbw_free(&w);
}

/* An operation that the picture draws inside another one because the host-aligned clock jumped: on
 * the device the first ended (at 1100) before the second began (at 2000). */
static void nesting_by_the_device_clock(void **state)
{
    (void)state;
    struct pbw w = {0};
    size_t plane = core_plane(&w, "/device:TPU:0");
    size_t line = pbw_begin(&w, 3);
    pbw_int(&w, 1, 3);
    pbw_str(&w, 2, "XLA Ops");
    static const uint64_t drawn[2][4] = {/* start, duration, device offset, device duration */
                                         {0, 9000000, 1000, 100},
                                         {5000, 50, 2000, 50}};
    for (int i = 0; i < 2; i++) {
        size_t at = pbw_begin(&w, 4);
        pbw_uint(&w, 1, (uint64_t)i + 1);
        pbw_uint(&w, 2, drawn[i][0]);
        pbw_uint(&w, 3, drawn[i][1]);
        core_stat(&w, 1, 3, drawn[i][2]);
        core_stat(&w, 2, 3, drawn[i][3]);
        pbw_end(&w, at);
    }
    pbw_end(&w, line);
    core_names(&w, 2);
    core_name(&w, 5, 1, "device_offset_ps");
    core_name(&w, 5, 2, "device_duration_ps");
    pbw_end(&w, plane);
    struct core_trace core = core_load(w.data, w.len, 1);
    struct xpd_view view = {.trace = core.trace};
    const uint32_t row[] = {0};
    struct xpd_totals totals;
    struct xpd_totals_ask ask = ask_all(&view, row, 1, XPD_BY_NAME);
    assert_int_equal(xpd_totals_make(&totals, &ask, NULL), XPD_OK);
    assert_int_equal(group(&totals, &view, "op1")->total_ps, 100);
    assert_int_equal(group(&totals, &view, "op1")->self_ps, 100);
    assert_int_equal(group(&totals, &view, "op1")->host_ps, 9000000);
    assert_int_equal(totals.all.device_count, 2);
    xpd_totals_fini(&totals);
    ask.clock = XPD_CLOCK_HOST;
    assert_int_equal(xpd_totals_make(&totals, &ask, NULL), XPD_OK);
    assert_int_equal(group(&totals, &view, "op1")->self_ps, 9000000 - 50);
    xpd_totals_fini(&totals);
    struct xpd_event event;
    assert_true(xpd_view_event(&view, 0, &event));
    assert_int_equal(xpd_event_self_ps(&view, &event, XPD_CLOCK_DEVICE), 100);
    assert_int_equal(xpd_event_self_ps(&view, &event, XPD_CLOCK_HOST), 9000000 - 50);
    core_free(&core);
    pbw_free(&w);
}

/* Nearest rank: of 1..100 the 50th is 50, the 99th 99; of three values the first is neither. */
static void ranks(void **state)
{
    (void)state;
    assert_int_equal(xpd_rank_of(0.50, 100), 49);
    assert_int_equal(xpd_rank_of(0.99, 100), 98);
    assert_int_equal(xpd_rank_of(0.50, 3), 1);
    assert_int_equal(xpd_rank_of(0.99, 3), 2);
    assert_int_equal(xpd_rank_of(0.99, 1), 0);
    int64_t value[100];
    for (int i = 0; i < 100; i++)
        value[i] = (i * 37) % 100 + 1;
    assert_int_equal(xpd_select_i64(value, 100, 49), 50);
    assert_int_equal(xpd_select_i64(value, 100, 98), 99);
    assert_int_equal(xpd_select_i64(value, 100, 0), 1);
}

static int by_value(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Against sorting, below and above the size from which bins are counted first. */
static void ranks_of_durations(void **state)
{
    (void)state;
    uint64_t seed = 99;
    int64_t value[20000], sorted[20000], found[3];
    static const size_t sizes[] = {1, 2, 100, 4096, 4097, 20000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint64_t below = 1; below < UINT64_C(1) << 60; below *= 1000) {
            size_t n = sizes[s], rank[3] = {n / 2, n - 1 - n / 100, n - 1};
            for (size_t i = 0; i < n; i++)
                sorted[i] = value[i] = (int64_t)core_random(&seed, below);
            sorted[0] = value[0] = INT64_MAX;
            sorted[n / 3] = value[n / 3] = -5; /* in the bin of 0 */
            qsort(sorted, n, sizeof *sorted, by_value);
            xpd_select_durations(value, n, rank, found, 3);
            for (int k = 0; k < 3; k++)
                assert_int_equal(found[k], sorted[rank[k]]);
        }
}

/* Against sorting: random, equal, sorted and sawtooth inputs of many sizes. */
static void selection_is_sorting(void **state)
{
    (void)state;
    uint64_t seed = 20261121;
    int64_t value[3000], sorted[3000];
    for (size_t n = 1; n < 3000; n = n * 2 + 1)
        for (int shape = 0; shape < 4; shape++) {
            for (size_t i = 0; i < n; i++)
                value[i] = shape == 0   ? (int64_t)core_random(&seed, 1000)
                           : shape == 1 ? 7
                           : shape == 2 ? (int64_t)i
                                        : (int64_t)(i % 17) * -3;
            memcpy(sorted, value, n * sizeof *value);
            qsort(sorted, n, sizeof *sorted, by_value);
            size_t k = core_random(&seed, n);
            assert_int_equal(xpd_select_i64(value, n, k), sorted[k]);
        }
}

/* Bins are exact below 32, at most 1/32 wide, in order, and hold everything. */
static void bins_of_durations(void **state)
{
    (void)state;
    static const int64_t value[] = {0,   1,    31,     32,         33,         63,       64,
                                    100, 1000, 999999, 1000000000, 1234567890, INT64_MAX};
    uint32_t last = 0;
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
        uint32_t bin = xpd_duration_bin(value[i]);
        assert_true(bin < XPD_DURATION_BINS && bin >= last);
        last = bin;
        double middle = (double)xpd_duration_of_bin(bin), error = middle - (double)value[i];
        assert_true((error < 0 ? -error : error) <= XPD_TOTALS_ERROR * (double)value[i]);
    }
    assert_int_equal(xpd_duration_of_bin(xpd_duration_bin(31)), 31);
}

/* op1 lasts 1, 2, ..., 100: p50 50, p99 99. */
static void percentiles(void **state)
{
    (void)state;
    struct core_event event[100];
    for (int i = 0; i < 100; i++)
        event[i] = (struct core_event){i * 1000, (i * 37) % 100 + 1, 1};
    struct pbw w = {0};
    size_t plane = core_plane(&w, "/host:CPU");
    core_line(&w, 3, "thread", event, 100);
    core_names(&w, 1);
    pbw_end(&w, plane);
    struct core_trace core = core_load(w.data, w.len, 1);
    struct xpd_view view = {.trace = core.trace};
    const uint32_t row[] = {0}, groups[] = {0};
    struct xpd_totals totals;
    struct xpd_totals_ask ask = ask_all(&view, row, 1, XPD_BY_NAME);
    assert_int_equal(xpd_totals_make(&totals, &ask, NULL), XPD_OK);
    assert_int_equal(xpd_totals_percentiles(&totals, &ask, groups, 1, NULL), XPD_OK);
    assert_int_equal(totals.group[0].p50_ps, 50);
    assert_int_equal(totals.group[0].p99_ps, 99);
    assert_true(totals.group[0].exact);
    xpd_totals_fini(&totals);
    core_free(&core);
    pbw_free(&w);
}

/* Random nests: self times of a group add up to the union of the row, whatever the nesting. */
static void self_times_add_up(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int round = 0; round < 50; round++) {
        struct core_event event[200];
        size_t count = 0;
        int64_t at = 0;
        while (count < 190) { /* a parent with up to eight children, some with one of their own */
            int64_t length = 100 + (int64_t)core_random(&seed, 1000), child = at;
            event[count++] = (struct core_event){at, length, 1 + core_random(&seed, 3)};
            for (int k = 0; k < 8 && count < 190; k++) {
                child += (int64_t)core_random(&seed, 50);
                int64_t part = (int64_t)core_random(&seed, 100);
                if (child + part > at + length)
                    break;
                event[count++] = (struct core_event){child, part, 1 + core_random(&seed, 3)};
                if (part > 10 && k % 2)
                    event[count++] = (struct core_event){child + 1, part - 2, 2};
                child += part;
            }
            at += length + (int64_t)core_random(&seed, 20);
        }
        struct pbw w = {0};
        size_t plane = core_plane(&w, "/host:CPU");
        core_line(&w, 3, "thread", event, count);
        core_names(&w, 3);
        pbw_end(&w, plane);
        struct core_trace core = core_load(w.data, w.len, 1);
        struct xpd_view view = {.trace = core.trace};
        const uint32_t row[] = {0};
        struct xpd_totals totals;
        struct xpd_totals_ask ask = ask_all(&view, row, 1, XPD_BY_NAME);
        assert_int_equal(xpd_totals_make(&totals, &ask, NULL), XPD_OK);
        assert_int_equal(totals.all.count, count);
        assert_int_equal(totals.all.self_ps, core.trace->row[0].busy_ps);
        assert_int_equal(totals.busy_ps, core.trace->row[0].busy_ps);
        xpd_totals_fini(&totals);
        core_free(&core);
        pbw_free(&w);
    }
}

/* Two rows of 300,000 nested events, more than one piece each: what is expected is added up while
 * they are made, and any number of threads finds it. */
enum { WIDE = 100000, WIDE_NAMES = 7 };
struct expected {
    uint64_t count;
    int64_t total_ps, self_ps, min_ps, max_ps;
    int64_t *value;
};

static void expect_event(struct expected *name, int64_t duration_ps, int64_t self_ps)
{
    name->min_ps = name->count == 0 || duration_ps < name->min_ps ? duration_ps : name->min_ps;
    name->max_ps = duration_ps > name->max_ps ? duration_ps : name->max_ps;
    name->total_ps += duration_ps;
    name->self_ps += self_ps;
    name->value[name->count++] = duration_ps;
}

static void write_wide(struct pbw *w, struct core_event *event, struct expected *expected,
                       const char *plane_name, uint64_t *seed)
{
    int64_t at = 0;
    for (size_t i = 0; i < WIDE; i++) {
        int64_t first = (int64_t)core_random(seed, 1000), second = (int64_t)core_random(seed, 50);
        int64_t length = first + second + (int64_t)core_random(seed, 100);
        uint64_t name[3] = {core_random(seed, WIDE_NAMES), core_random(seed, WIDE_NAMES),
                            core_random(seed, WIDE_NAMES)};
        event[3 * i] = (struct core_event){at, length, name[0] + 1};
        event[3 * i + 1] = (struct core_event){at, first, name[1] + 1};
        event[3 * i + 2] = (struct core_event){at + length - second, second, name[2] + 1};
        expect_event(&expected[name[0]], length, length - first - second);
        expect_event(&expected[name[1]], first, first);
        expect_event(&expected[name[2]], second, second);
        at += length + 1 + (int64_t)core_random(seed, 20);
    }
    size_t plane = core_plane(w, plane_name);
    core_line(w, 3, "thread", event, 3 * (size_t)WIDE);
    core_names(w, WIDE_NAMES);
    pbw_end(w, plane);
}

static void any_number_of_threads(void **state)
{
    (void)state;
    uint64_t seed = 4242;
    struct core_event *event = malloc(3 * (size_t)WIDE * sizeof *event);
    struct expected expected[WIDE_NAMES] = {0};
    for (size_t i = 0; i < WIDE_NAMES; i++)
        expected[i].value = malloc(6 * (size_t)WIDE * sizeof *expected[i].value);
    struct pbw w = {0};
    write_wide(&w, event, expected, "/device:CUSTOM:0", &seed);
    write_wide(&w, event, expected, "/device:CUSTOM:1", &seed);
    struct core_trace core = core_load(w.data, w.len, 2);
    struct xpd_view view = {.trace = core.trace};
    const uint32_t row[] = {1, 0};
    for (uint32_t threads = 0; threads <= 5; threads++) {
        struct xpd_totals totals;
        struct xpd_totals_ask ask = ask_all(&view, row, 2, XPD_BY_NAME);
        uint32_t groups[WIDE_NAMES];
        ask.threads = threads;
        assert_int_equal(xpd_totals_make(&totals, &ask, NULL), XPD_OK);
        assert_int_equal(totals.group_count, WIDE_NAMES);
        for (uint32_t i = 0; i < WIDE_NAMES; i++)
            groups[i] = i;
        assert_int_equal(xpd_totals_percentiles(&totals, &ask, groups, WIDE_NAMES, NULL), XPD_OK);
        for (size_t i = 0; i < WIDE_NAMES; i++) {
            struct expected *want = &expected[i];
            char caption[8] = "op1";
            caption[2] = (char)('1' + i);
            const struct xpd_total *got = group(&totals, &view, caption);
            qsort(want->value, want->count, sizeof *want->value, by_value);
            assert_int_equal(got->count, want->count);
            assert_int_equal(got->total_ps, want->total_ps);
            assert_int_equal(got->self_ps, want->self_ps);
            assert_int_equal(got->min_ps, want->min_ps);
            assert_int_equal(got->max_ps, want->max_ps);
            assert_true(got->exact);
            assert_int_equal(got->p50_ps, want->value[(want->count + 1) / 2 - 1]);
            assert_int_equal(got->p99_ps, want->value[(want->count * 99 + 99) / 100 - 1]);
        }
        assert_int_equal(totals.busy_ps, core.trace->row[0].busy_ps + core.trace->row[1].busy_ps);
        /* The first group is that of the first event of the row named first. */
        assert_int_equal(totals.group[0].first_event,
                         core.trace->depth[view.trace->row[1].first_depth].first_event);
        xpd_totals_fini(&totals);
        for (int by = XPD_BY_CATEGORY; by <= XPD_BY_ROW; by++) {
            ask.by = (enum xpd_totals_by)by;
            assert_int_equal(xpd_totals_make(&totals, &ask, NULL), XPD_OK);
            assert_int_equal(totals.all.count, 6 * WIDE);
            assert_int_equal(totals.all.self_ps, totals.busy_ps);
            assert_int_equal(totals.group_count, by >= XPD_BY_CHIP ? 2 : 1);
            assert_int_equal(xpd_totals_percentiles(&totals, &ask, groups, 1, NULL), XPD_OK);
            assert_true(totals.group[0].p50_ps >= 0);
            xpd_totals_fini(&totals);
        }
    }
    core_free(&core);
    pbw_free(&w);
    for (size_t i = 0; i < WIDE_NAMES; i++)
        free(expected[i].value);
    free(event);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_self_times),
        cmocka_unit_test(edges_of_a_range),
        cmocka_unit_test(chips_and_rows),
        cmocka_unit_test(overlapping_events),
        cmocka_unit_test(nesting_by_the_device_clock),
        cmocka_unit_test(ranks),
        cmocka_unit_test(selection_is_sorting),
        cmocka_unit_test(ranks_of_durations),
        cmocka_unit_test(bins_of_durations),
        cmocka_unit_test(percentiles),
        cmocka_unit_test(self_times_add_up),
        cmocka_unit_test(any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
