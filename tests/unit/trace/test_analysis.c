/* Parents, search, the merged call tree, all runs of an operation: by hand. */
#include "core_space.h"
#include "derive_space.h"
#include "xprofd/trace/flame.h"
#include "xprofd/trace/peers.h"
#include "xprofd/trace/roofline.h"
#include "xprofd/trace/same.h"
#include "xprofd/trace/search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* op1 0..100 holds op2 10..30 and op2 40..90, which holds op3 50..60; then op1 100..150. */
static const struct core_event nested[] = {
    {0, 100, 1}, {10, 20, 2}, {40, 50, 2}, {50, 10, 3}, {100, 50, 1}};

struct one { /* a host with one thread */
    struct pbw w;
    struct core_trace core;
    struct xpd_view view;
};

static void open_one(struct one *one)
{
    *one = (struct one){0};
    size_t plane = core_plane(&one->w, "/host:CPU");
    core_line(&one->w, 3, "thread", nested, 5);
    core_names(&one->w, 3);
    pbw_end(&one->w, plane);
    one->core = core_load(one->w.data, one->w.len, 1);
    one->view.trace = one->core.trace;
}

static void close_one(struct one *one)
{
    core_free(&one->core);
    pbw_free(&one->w);
}

/* The event that starts at a time with a duration. */
static struct xpd_event at(const struct xpd_view *view, int64_t start_ps, int64_t duration_ps)
{
    struct xpd_event event = {0};
    for (uint64_t i = 0; i < xpd_view_events(view); i++)
        if (xpd_view_event(view, i, &event) && event.start_ps == start_ps &&
            event.duration_ps == duration_ps)
            return event;
    fail_msg("no event at %lld", (long long)start_ps);
    return event;
}

static void parents(void **state)
{
    (void)state;
    struct one one;
    struct xpd_event parent;
    open_one(&one);
    struct xpd_event op3 = at(&one.view, 50, 10);
    assert_true(xpd_event_parent(&one.view, &op3, &parent));
    assert_int_equal(parent.start_ps, 40);
    assert_true(xpd_event_parent(&one.view, &parent, &parent));
    assert_int_equal(parent.duration_ps, 100);
    assert_false(xpd_event_parent(&one.view, &parent, &parent));
    struct xpd_event last = at(&one.view, 100, 50);
    assert_false(xpd_event_parent(&one.view, &last, &parent));
    struct xpd_event op1 = at(&one.view, 0, 100);
    assert_int_equal(xpd_event_self_ps(&one.view, &op1, XPD_CLOCK_DEVICE), 30);
    close_one(&one);
}

/* Hits come in order of time over all depths, page by page, and are counted whole. */
static void search_pages(void **state)
{
    (void)state;
    struct one one;
    struct xpd_arena arena = {0};
    struct xpd_search_found found;
    open_one(&one);
    uint8_t wanted[8] = {0};
    for (uint32_t i = 0; i < xpd_view_names(&one.view); i++)
        wanted[i] = !xpd_str_eq(xpd_view_caption(&one.view, i), XPD_STR("op2"));
    const uint32_t row[] = {0};
    struct xpd_search_ask ask = {.view = &one.view,
                                 .wanted = wanted,
                                 .row = row,
                                 .row_count = 1,
                                 .range = xpd_view_all(&one.view),
                                 .limit = 2,
                                 .columns = 15};
    assert_int_equal(xpd_search_events(&found, &ask, &arena, NULL), XPD_OK);
    assert_int_equal(found.count, 3);
    assert_int_equal(found.total_ps, 160);
    assert_int_equal(found.hit_count, 2);
    assert_int_equal(found.hit[0].start_ps, 0);
    assert_int_equal(found.hit[1].start_ps, 50);
    for (int i = 0; i < 15; i++)
        assert_int_equal(found.flag[i], 1);
    ask.offset = 2;
    assert_int_equal(xpd_search_events(&found, &ask, &arena, NULL), XPD_OK);
    assert_int_equal(found.count, 3);
    assert_int_equal(found.hit_count, 1);
    assert_int_equal(found.hit[0].start_ps, 100);
    ask.offset = 3;
    assert_int_equal(xpd_search_events(&found, &ask, &arena, NULL), XPD_OK);
    assert_int_equal(found.hit_count, 0);
    ask.range = (struct xpd_time_range){101, 120};
    ask.offset = 0;
    assert_int_equal(xpd_search_events(&found, &ask, &arena, NULL), XPD_OK);
    assert_int_equal(found.count, 1);
    xpd_arena_fini(&arena);
    close_one(&one);
}

static void flame_of_a_row(void **state)
{
    (void)state;
    struct one one;
    struct xpd_flame flame;
    const uint32_t row[] = {0};
    open_one(&one);
    assert_int_equal(xpd_flame_make(&flame, &one.view, row, 1, xpd_view_all(&one.view), NULL),
                     XPD_OK);
    assert_int_equal(flame.node_count, 3); /* op1, op1/op2, op1/op2/op3 */
    assert_int_equal(flame.node[0].parent, XPD_NO_INDEX);
    assert_int_equal(flame.node[0].total_ps, 150);
    assert_int_equal(flame.node[0].self_ps, 80);
    assert_int_equal(flame.node[0].count, 2);
    assert_int_equal(flame.node[1].parent, 0);
    assert_int_equal(flame.node[1].total_ps, 70);
    assert_int_equal(flame.node[1].self_ps, 60);
    assert_int_equal(flame.node[2].parent, 1);
    assert_int_equal(flame.node[2].total_ps, 10);
    xpd_flame_fini(&flame);
    struct xpd_time_range range = {50, 110}; /* cut at both edges */
    assert_int_equal(xpd_flame_make(&flame, &one.view, row, 1, range, NULL), XPD_OK);
    assert_int_equal(flame.node[0].total_ps, 60);
    assert_int_equal(flame.node[0].self_ps, 20);
    assert_int_equal(flame.node[1].total_ps, 40);
    assert_int_equal(flame.node[1].self_ps, 30);
    xpd_flame_fini(&flame);
    close_one(&one);
}

static void all_runs(void **state)
{
    (void)state;
    struct one one;
    struct xpd_arena arena = {0};
    struct xpd_same same;
    open_one(&one);
    struct xpd_event op2 = at(&one.view, 10, 20);
    assert_int_equal(xpd_same_of(&same, &one.view, &op2, XPD_CLOCK_DEVICE, &arena, NULL), XPD_OK);
    assert_int_equal(same.clock, XPD_CLOCK_HOST); /* a thread has no other */
    assert_int_equal(same.count, 2);
    assert_int_equal(same.total_ps, 70);
    assert_int_equal(same.min_ps, 20);
    assert_int_equal(same.max_ps, 50);
    assert_int_equal(same.p50_ps, 20);
    assert_int_equal(same.p99_ps, 50);
    assert_int_equal(same.slowest_count, 2);
    assert_int_equal(same.slowest[0].start_ps, 40);
    assert_int_equal(same.chip_count, 1);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < same.bins; i++) {
        assert_true(same.bin_from_ps[i] < same.bin_from_ps[i + 1]);
        sum += same.bin_count[i];
    }
    assert_int_equal(sum, 2);
    assert_int_equal(same.bin_count[0], 1);
    assert_int_equal(same.bin_count[same.bins - 1], 1);
    xpd_arena_fini(&arena);
    close_one(&one);
}

/* The second chip missed the first program: its k-th run of a program is paired all the same. */
static void partners_on_other_chips(void **state)
{
    (void)state;
    static const struct core_event modules[] = {{0, 10, 1}, {100, 50, 2}, {200, 50, 2}};
    static const struct core_event ops[] = {{0, 5, 3}, {110, 10, 4}, {130, 10, 4}, {210, 10, 4}};
    struct pbw w = {0};
    for (int chip = 0; chip < 2; chip++) {
        size_t plane = core_plane(&w, chip ? "/device:TPU:1" : "/device:TPU:0");
        core_line(&w, 2, "XLA Modules", modules + chip, 3 - (size_t)chip);
        core_line(&w, 3, "XLA Ops", ops + chip, 4 - (size_t)chip);
        core_names(&w, 4);
        pbw_end(&w, plane);
    }
    struct core_trace core = core_load(w.data, w.len, 1);
    struct xpd_view view = {.trace = core.trace};
    struct xpd_arena arena = {0};
    struct xpd_peer *peer;
    uint32_t count;
    const int64_t start[] = {130, 210};
    for (int i = 0; i < 2; i++) {
        struct xpd_event event = at(&view, start[i], 10); /* of the first chip */
        assert_int_equal(xpd_peers_of(&view, &event, &arena, &peer, &count, NULL), XPD_OK);
        assert_int_equal(count, 2);
        assert_int_equal(peer[1].process, 1);
        assert_int_equal(peer[1].event.start_ps, start[i]);
    }
    struct xpd_event module = at(&view, 200, 50);
    assert_int_equal(xpd_peers_of(&view, &module, &arena, &peer, &count, NULL), XPD_OK);
    assert_int_equal(count, 2);
    assert_int_equal(peer[1].event.start_ps, 200);
    struct xpd_event alone = at(&view, 0, 5);
    assert_int_equal(xpd_peers_of(&view, &alone, &arena, &peer, &count, NULL), XPD_OK);
    assert_int_equal(count, 1);
    xpd_arena_fini(&arena);
    core_free(&core);
    pbw_free(&w);
}

/* An event without work has no roofline, and says why. */
static void no_roofline(void **state)
{
    (void)state;
    struct one one;
    struct xpd_roofline roof;
    open_one(&one);
    struct xpd_event event = at(&one.view, 0, 100);
    xpd_roofline_of(&one.view, &event, NULL, &roof);
    assert_non_null(roof.why_not);
    assert_null(roof.bound);
    close_one(&one);
}

/* The peaks of a chip whose plane says none are those of the run; without any the amounts stand
 * alone, with the reason. */
static void peaks_of_the_run(void **state)
{
    (void)state;
    struct dspace d = {0};
    struct xpd_roofline roof;
    const struct xpd_peaks run = {"TPU vX", 4e12, 2e12, -1, -1, "typed", XPD_PEAKS_REST};
    const struct dstat work[] = {{"flops", 8000, NULL}, {"bytes_accessed", 1000, NULL}, {0}};
    dspace_plane(&d, "/device:TPU:0", 1);
    uint32_t dot = dspace_name(&d, "dot.1", "", work);
    dspace_line(&d, "XLA Ops", 1);
    dspace_event(&d, dot, 0, 4000, NO_STATS);
    dspace_load(&d);
    struct xpd_view view = {.trace = d.trace};
    struct xpd_event event = at(&view, 0, 4000);
    xpd_roofline_of(&view, &event, &run, &roof);
    assert_null(roof.why_not);
    assert_string_equal(roof.bound, "compute");
    assert_int_equal(roof.at_roofline_ps, 2000);
    assert_true(roof.peak_bytes_per_s > 1.9e12 && roof.peak_bytes_per_s < 2.1e12);
    xpd_roofline_of(&view, &event, NULL, &roof);
    assert_non_null(roof.why_not);
    assert_true(roof.measured);
    assert_int_equal(roof.flops, 8000);
    dspace_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents),
        cmocka_unit_test(search_pages),
        cmocka_unit_test(flame_of_a_row),
        cmocka_unit_test(all_runs),
        cmocka_unit_test(partners_on_other_chips),
        cmocka_unit_test(no_roofline),
        cmocka_unit_test(peaks_of_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
