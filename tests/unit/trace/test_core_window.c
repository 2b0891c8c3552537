/* Depths, the pyramid and windows against plain scans, on rows of many shapes. */
#include "core_space.h"
#include "tempfile.h"
#include "xprofd/trace/derived.h"
#include "xspace_gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- depths against a plain scan ---- */

enum { NESTED_MOST = 256 }; /* deeper rows are only packed */

static int by_time(const void *x, const void *y)
{
    const struct core_event *a = x, *b = y;
    if (a->start_ps != b->start_ps)
        return a->start_ps < b->start_ps ? -1 : 1;
    return a->duration_ps > b->duration_ps ? -1 : a->duration_ps < b->duration_ps;
}

static void check_depths(struct core_event *event, size_t count)
{
    struct pbw w = {0};
    size_t plane = core_plane(&w, "/host:CPU");
    core_line(&w, 5, "thread", event, count);
    core_names(&w, 5);
    pbw_end(&w, plane);
    struct core_trace core = core_load(w.data, w.len, 1);
    const struct xpd_trace_row *row = &core.trace->row[0];
    core_check(core.trace);
    qsort(event, count, sizeof *event, by_time);
    int64_t end[512], covered = INT64_MIN, busy = 0;
    uint32_t at[512] = {0}, used = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t stop = event[i].start_ps + event[i].duration_ps;
        uint32_t d = 0;
        for (uint32_t in = 0; used <= NESTED_MOST && in < used; in++)
            if (end[in] > event[i].start_ps && end[in] >= stop)
                d = in + 1; /* below all that it lies in */
        while (d < used && end[d] > event[i].start_ps)
            d++;
        used += d == used;
        end[d] = stop;
        assert_in_range(used, 1, 512);
        assert_in_range(d, 0, row->depth_count - 1);
        const struct xpd_depth *depth = &core.trace->depth[row->first_depth + d];
        assert_in_range(at[d], 0, depth->count - 1);
        assert_int_equal(xpd_depth_start(depth, at[d]), event[i].start_ps);
        assert_int_equal(xpd_depth_duration(depth, at[d]), event[i].duration_ps);
        at[d]++;
        if (stop > covered) {
            busy += stop - (covered > event[i].start_ps ? covered : event[i].start_ps);
            covered = stop;
        }
    }
    assert_int_equal(row->depth_count, used);
    assert_int_equal(row->busy_ps, busy);
    core_free(&core);
    pbw_free(&w);
}

static void nested_and_packed(void **state)
{
    static struct core_event event[3000];
    uint64_t random = 12345;
    (void)state;
    for (int round = 0; round < 40; round++) {
        size_t count = 1 + core_random(&random, 3000);
        int64_t spread = 1 + (int64_t)core_random(&random, 100000);
        int64_t longest = 1 + (int64_t)core_random(&random, round % 4 == 0 ? 20 : 2000);
        for (size_t i = 0; i < count; i++)
            event[i] = (struct core_event){(int64_t)core_random(&random, (uint64_t)spread) + 1,
                                           (int64_t)core_random(&random, (uint64_t)longest),
                                           1 + core_random(&random, 5)};
        if ((double)count * (double)longest / (double)spread > 200)
            continue; /* deeper than the plain scan's table */
        check_depths(event, count);
    }
}

/* ---- windows against a plain scan ---- */

struct boxes {
    struct xpd_box box[20000];
    size_t count;
};

static void keep_box(void *user, const struct xpd_box *box)
{
    struct boxes *boxes = user;
    assert_true(boxes->count < 20000);
    boxes->box[boxes->count++] = *box;
}

/* The definition: one box for each event of at least a cell, one for the others of a cell. */
static void plain_boxes(const struct xpd_depth *depth, const struct xpd_trace_window *window,
                        struct boxes *out)
{
    int64_t cell_ps = INT64_C(1) << window->cell_shift, cell = 0;
    bool open = false;
    out->count = 0;
    for (uint32_t i = 0; i < depth->count; i++) {
        int64_t start = xpd_depth_start(depth, i), duration = xpd_depth_duration(depth, i);
        struct xpd_box box = {start, start + duration, duration, 1, i, i, depth->name[i]};
        if (start + duration < window->from_ps || start > window->to_ps)
            continue;
        bool small = duration < cell_ps;
        if (small && open && cell == start >> window->cell_shift) {
            struct xpd_box *last = &out->box[out->count - 1];
            if (box.end_ps > last->end_ps)
                last->end_ps = box.end_ps;
            last->busy_ps += duration;
            last->count++;
            if (duration > xpd_depth_duration(depth, last->longest))
                last->longest = i;
            continue;
        }
        out->box[out->count++] = box;
        open = small;
        cell = start >> window->cell_shift;
    }
    for (size_t i = 0; i < out->count; i++)
        if (out->box[i].busy_ps > out->box[i].end_ps - out->box[i].start_ps)
            out->box[i].busy_ps = out->box[i].end_ps - out->box[i].start_ps;
}

/* A name with more than half of the time of a box must be its name. */
static void check_name(const struct xpd_depth *depth, const struct xpd_box *box)
{
    int64_t of_name = 0, of_all = 0, of_first[64] = {0};
    for (uint32_t i = box->first; i < box->first + box->count; i++) {
        of_all += xpd_depth_duration(depth, i);
        of_name += depth->name[i] == box->name ? xpd_depth_duration(depth, i) : 0;
        if (depth->name[i] < 64)
            of_first[depth->name[i]] += xpd_depth_duration(depth, i);
    }
    if (box->count == 1)
        assert_int_equal(box->name, depth->name[box->first]);
    (void)of_name;
    for (uint32_t n = 0; n < 64; n++)
        if (of_first[n] > of_all / 4 * 3)
            assert_int_equal(box->name, n);
}

static void check_window(const struct xpd_depth *depth, const struct xpd_trace_window *window)
{
    static struct boxes ours, plain;
    ours.count = 0;
    uint64_t count = xpd_depth_boxes(depth, window, keep_box, &ours);
    plain_boxes(depth, window, &plain);
    assert_int_equal(count, ours.count);
    assert_int_equal(ours.count, plain.count);
    for (size_t i = 0; i < plain.count; i++) {
        const struct xpd_box *a = &ours.box[i], *b = &plain.box[i];
        assert_int_equal(a->first, b->first);
        assert_int_equal(a->count, b->count);
        assert_int_equal(a->start_ps, b->start_ps);
        assert_int_equal(a->end_ps, b->end_ps);
        assert_int_equal(a->busy_ps, b->busy_ps);
        assert_int_equal(xpd_depth_duration(depth, a->longest),
                         xpd_depth_duration(depth, b->longest));
        if (!depth->overlapping)
            check_name(depth, a);
    }
}

static void check_windows_of(const struct xpd_trace *trace, const struct xpd_depth *depth,
                             uint32_t count, uint64_t *random, int rounds)
{
    int64_t all = trace->end_ps - trace->first_ps + 1;
    for (uint32_t d = 0; d < count; d++)
        for (int i = 0; i < rounds; i++) {
            int64_t span = all >> core_random(random, 24);
            int64_t from = trace->first_ps - 5 + (int64_t)core_random(random, (uint64_t)all);
            struct xpd_trace_window window = {from, from + span, 0};
            window.cell_shift =
                i == 0 ? 62 : xpd_cell_shift(span, 1 + (uint32_t)core_random(random, 300));
            if (i == 1)
                window = (struct xpd_trace_window){INT64_MIN / 4, INT64_MAX / 4, 40};
            if (window.cell_shift == 0 && depth[d].count > 10000)
                continue;
            check_window(&depth[d], &window);
        }
}

static void check_windows(const struct xpd_trace *trace, uint64_t *random, int rounds)
{
    check_windows_of(trace, trace->depth, trace->depth_count, random, rounds);
}

/* Events of derived rows have their times from the measured ones: in order, disjoint, and drawn as
 * if they had columns. */
static void check_derived(const struct xpd_trace *trace, uint64_t *random, uint64_t *of_own)
{
    struct xpd_derived *derived;
    assert_int_equal(xpd_derived_make(&derived, trace, 0, NULL), XPD_OK);
    for (uint32_t d = 0; d < derived->depth_count; d++) {
        const struct xpd_depth *depth = &derived->depth[d];
        int64_t longest_ps = 0;
        for (uint32_t i = 0; i < depth->count; i++) {
            struct xpd_derived_fact fact = xpd_derived_fact_of(derived, depth->first_event + i);
            const struct xpd_depth *of;
            uint32_t index;
            assert_true(xpd_trace_find(trace, fact.event, &of, &index));
            assert_int_equal(xpd_depth_start(depth, i), of->start_ps[index]);
            if (xpd_depth_duration(depth, i) > longest_ps)
                longest_ps = xpd_depth_duration(depth, i);
            *of_own += xpd_depth_duration(depth, i) != of->duration_ps[index];
            assert_true(i == 0 || depth->overlapping ||
                        xpd_depth_end(depth, i - 1) <= xpd_depth_start(depth, i));
        }
        assert_int_equal(depth->longest_ps, longest_ps);
    }
    check_windows_of(trace, derived->depth, derived->depth_count, random, 8);
    xpd_derived_free(derived);
}

static void windows(void **state)
{
    static struct core_event event[20000];
    uint64_t random = 99;
    (void)state;
    for (int round = 0; round < 12; round++) {
        size_t count = 200 + core_random(&random, 19000);
        int64_t at = 1;
        for (size_t i = 0; i < count; i++) {
            uint64_t burst = core_random(&random, 50) == 0 ? 20000000 : 300;
            at += (int64_t)core_random(&random, burst);
            int64_t duration = (int64_t)core_random(&random, core_random(&random, 9) ? 200 : 90000);
            event[i] = (struct core_event){at, duration, 1 + core_random(&random, 3) / 2};
        }
        struct pbw w = {0};
        size_t plane = core_plane(&w, "/host:CPU");
        core_line(&w, 5, "thread", event, count);
        core_names(&w, 3);
        pbw_end(&w, plane);
        struct core_trace core = core_load(w.data, w.len, 1);
        core_check(core.trace);
        check_windows(core.trace, &random, 40);
        core_free(&core);
        pbw_free(&w);
    }
}

/* Every shape of the generator, small: what holds for all holds, and windows are plain scans. */
static void shapes(void **state)
{
    uint64_t random = 7, of_own = 0;
    (void)state;
    for (int shape = 0; shape < XSG_SHAPE_COUNT; shape++) {
        char *path = temp_file("", 0, ".xplane.pb");
        uint64_t events = shape == XSG_INSTANT ? 6000 : shape == XSG_MANY_ROWS ? 2000 : 12000;
        assert_true(xsg_write(path, (enum xsg_shape)shape, events));
        struct core_trace core = core_load_file(path, 2);
        const struct xpd_trace *trace = core.trace;
        core_check(trace);
        check_windows(trace, &random, shape == XSG_MANY_ROWS || shape == XSG_INSTANT ? 2 : 8);
        if (shape != XSG_MANY_ROWS && shape != XSG_INSTANT)
            check_derived(trace, &random, &of_own);
        const struct xpd_trace_row *row = &trace->row[0];
        switch (shape) {
        case XSG_ONE_ROW: assert_int_equal(row->depth_count, 1); break;
        case XSG_MANY_ROWS: assert_int_equal(trace->row_count, events); break;
        case XSG_DEEP: assert_int_equal(row->depth_count, 250); break;
        case XSG_ZERO: assert_int_equal(row->depth_count, 1); break;
        case XSG_INSTANT:
            assert_int_equal(row->depth_count, XPD_DEPTHS_MAX);
            assert_int_equal(row->overflow_count, events - XPD_DEPTHS_MAX);
            assert_non_null(core_warning(trace, "too_deep"));
            assert_true(trace->depth[trace->depth_count - 1].overlapping);
            break;
        default: break;
        }
        core_free(&core);
        temp_remove(path);
    }
    assert_true(of_own > 100); /* merged ones and those that were shrunk */
}

static void find_events(void **state)
{
    char *path = temp_file("", 0, ".xplane.pb");
    (void)state;
    assert_true(xsg_write(path, XSG_TPU, 5000));
    struct core_trace core = core_load_file(path, 1);
    const struct xpd_trace *trace = core.trace;
    const struct xpd_depth *depth;
    uint32_t index;
    for (uint32_t d = 0; d < trace->depth_count; d++)
        for (uint32_t i = 0; i < trace->depth[d].count; i++) {
            assert_true(xpd_trace_find(trace, trace->depth[d].first_event + i, &depth, &index));
            assert_ptr_equal(depth, &trace->depth[d]);
            assert_int_equal(index, i);
        }
    assert_false(xpd_trace_find(trace, trace->event_count, &depth, &index));
    assert_false(xpd_trace_find(trace, UINT64_MAX, &depth, &index));
    core_free(&core);
    temp_remove(path);
}

struct timed { /* an event; device_ps -1: it has no such time */
    int64_t start_ps, duration_ps, device_ps;
    int64_t device_start_ps; /* 0: not said */
};

/* The row of operations of a chip. */
static struct core_trace load_timed(struct pbw *w, const struct timed *event, int count)
{
    size_t plane = core_plane(w, "/device:TPU:0"), line = pbw_begin(w, 3);
    pbw_int(w, 1, 3);
    pbw_str(w, 2, "XLA Ops");
    for (int i = count - 1; i >= 0; i--) { /* backwards: also when sorted, each keeps its own */
        size_t at = pbw_begin(w, 4);
        pbw_uint(w, 1, 1);
        pbw_uint(w, 2, (uint64_t)event[i].start_ps);
        pbw_uint(w, 3, (uint64_t)event[i].duration_ps);
        if (event[i].device_ps >= 0)
            core_stat(w, 2, 3, (uint64_t)event[i].device_ps);
        if (event[i].device_start_ps > 0)
            core_stat(w, 3, 3, (uint64_t)event[i].device_start_ps);
        pbw_end(w, at);
    }
    pbw_end(w, line);
    core_names(w, 1);
    core_name(w, 5, 2, "device_duration_ps");
    core_name(w, 5, 3, "device_offset_ps");
    pbw_end(w, plane);
    return core_load(w->data, w->len, 1);
}

/* The sum by the device's clock is that of the outermost events: also of one that begins before its
 * neighbour has ended, which is drawn a depth lower, and of one of no length after the last. */
static void device_clock_sum(void **state)
{
    (void)state;
    /* Drawn in no time at the start of the next one; by the device's clock it came before, and only
     * the third is inside. */
    static const struct timed jumped[] = {
        {0, 100, 90, 5000}, {200, 0, 70, 5090}, {200, 1000, 900, 5160}, {300, 50, 40, 5300}};
    static const struct timed event[] = {
        {0, 1000, 990, 0},  {100, 50, 45, 0}, {900, 1000, 1001, 0}, {1500, 400, 390, 0},
        {1600, 100, 90, 0}, {1900, 0, 3, 0},  {2000, 100, 20000, 0}};
    struct pbw w = {0};
    struct core_trace core = load_timed(&w, event, 7);
    core_check(core.trace);
    assert_true(core.trace->row[0].has_device_clock);
    assert_int_equal(core.trace->row[0].device_busy_ps, 990 + 1001 + 3 + 20000);
    core_free(&core);
    pbw_free(&w);
    w = (struct pbw){0};
    core = load_timed(&w, jumped, 4);
    assert_int_equal(core.trace->row[0].device_busy_ps, 90 + 70 + 900);
    core_free(&core);
    pbw_free(&w);
}

/* Durations by the device's clock, also those that differ by more than 32 bits hold. One of the
 * outermost events has none: their sum is unknown. */
static void device_clock(void **state)
{
    struct pbw w = {0};
    (void)state;
    static const struct timed event[] = {{0, 1000, 990, 0},
                                         {10, 100, 95, 0},
                                         {20000000000, 30000000000, 1000, 0},
                                         {60000000000, 500, -1, 0},
                                         {60000000001, 50, 40, 0}};
    struct core_trace core = load_timed(&w, event, 5);
    const struct xpd_trace *trace = core.trace;
    core_check(trace);
    assert_int_equal(trace->depth_count, 2);
    assert_true(trace->row[0].has_device_clock);
    assert_int_equal(trace->row[0].device_busy_ps, -1);
    static const int outer[] = {0, 2, 3}, inner[] = {1, 4};
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(xpd_trace_device_ps(trace, &trace->depth[0], i),
                         event[outer[i]].device_ps);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(xpd_trace_device_ps(trace, &trace->depth[1], i),
                         event[inner[i]].device_ps);
    core_free(&core);
    pbw_free(&w);
}

static void cells(void **state)
{
    (void)state;
    assert_int_equal(xpd_cell_shift(2000, 2000), 0);
    assert_int_equal(xpd_cell_shift(4096, 2), 11);
    assert_int_equal(xpd_cell_shift(4095, 2), 10);
    assert_int_equal(xpd_cell_shift(0, 2000), 0);
    assert_int_equal(xpd_cell_shift(-5, 0), 0);
    assert_int_equal(xpd_cell_shift(INT64_MAX, 1), 62);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_and_packed),
        cmocka_unit_test(windows),
        cmocka_unit_test(shapes),
        cmocka_unit_test(find_events),
        cmocka_unit_test(device_clock),
        cmocka_unit_test(device_clock_sum),
        cmocka_unit_test(cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
