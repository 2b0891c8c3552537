/* Tables by step against plain loops over all tenancies and all steps, on random programs. */
#include "naive_case.h"
#include "xprofd/memory/flow.h"
#include "xprofd/memory/step_tops.h"

#define ROUNDS        400
#define LARGEST       5
#define TENANCIES_MAX 400

static struct naive n;
static struct mem_case c;
static struct xpd_arena arena;

static uint32_t seed = 3;
static uint32_t next_random(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static bool is_traced(const struct xpd_tenancy *t)
{
    return !(t->flags & XPD_TENANCY_UNTRACED);
}

static int64_t plain_top(const struct xpd_mem_space *space, uint32_t from, uint32_t to)
{
    int64_t top = 0;
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        const struct xpd_tenancy *t = &space->tenancy[i];
        if (is_traced(t) && t->start_step < to && t->end_step > from &&
            t->offset_bytes + t->size_bytes > top)
            top = t->offset_bytes + t->size_bytes;
    }
    return top;
}

static void check_tops(const struct xpd_mem_space *space)
{
    struct xpd_step_tops tops;
    uint32_t first[NAIVE_STEPS + 1], columns = 0;
    int64_t out[NAIVE_STEPS];
    assert_true(xpd_step_tops_make(&tops, space, &arena, &arena));
    assert_int_equal(tops.from[tops.count], space->step_count);
    for (uint32_t k = 0; k < tops.count; k++)
        for (uint32_t step = tops.from[k]; step < tops.from[k + 1]; step++)
            assert_int_equal(tops.top[k], plain_top(space, step, step + 1));
    if (space->step_count == 0)
        return;
    first[0] = next_random(space->step_count); /* columns of any width, from anywhere */
    while (first[columns] < space->step_count && columns < NAIVE_STEPS - 1) {
        uint32_t to = first[columns] + 1 + next_random(9);
        first[++columns] = to < space->step_count ? to : space->step_count;
    }
    xpd_step_tops_of(&tops, first, columns, out);
    for (uint32_t i = 0; i < columns; i++)
        assert_int_equal(out[i], plain_top(space, first[i], first[i + 1]));
}

/* The largest that begin in the window: taken one by one, the first of equal ones. */
static void check_largest(const struct xpd_flow *flow, struct xpd_step_window window)
{
    const struct xpd_mem_space *space = flow->space;
    bool taken[TENANCIES_MAX] = {false};
    assert_true(space->tenancy_count <= TENANCIES_MAX);
    uint32_t got[LARGEST], count = xpd_flow_largest(flow, window, got, LARGEST);
    for (uint32_t k = 0; k < LARGEST; k++) {
        uint32_t best = XPD_NO_INDEX;
        for (uint32_t i = 0; i < space->tenancy_count; i++) {
            const struct xpd_tenancy *t = &space->tenancy[i];
            if (!taken[i] && is_traced(t) && t->start_step >= window.from &&
                t->start_step < window.to &&
                (best == XPD_NO_INDEX || t->size_bytes > space->tenancy[best].size_bytes))
                best = i;
        }
        if (best == XPD_NO_INDEX) {
            assert_int_equal(count, k);
            return;
        }
        assert_int_equal(got[k], best);
        taken[best] = true;
    }
    assert_int_equal(count, LARGEST);
}

static void check_flow(const struct xpd_flow *flow, struct xpd_step_window window)
{
    const struct xpd_mem_space *space = flow->space;
    struct xpd_flow_sum started = xpd_flow_started(flow, window), begun = {0}, freed = {0};
    struct xpd_flow_sum ended = xpd_flow_ended(flow, window);
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        const struct xpd_tenancy *t = &space->tenancy[i];
        if (!is_traced(t))
            continue;
        if (t->start_step >= window.from && t->start_step < window.to) {
            begun.count++;
            begun.bytes += t->size_bytes;
        }
        if (!(t->flags & XPD_TENANCY_NEVER_FREED) && t->end_step >= window.from &&
            t->end_step < window.to) {
            freed.count++;
            freed.bytes += t->size_bytes;
        }
    }
    assert_int_equal(started.count, begun.count);
    assert_int_equal(started.bytes, begun.bytes);
    assert_int_equal(ended.count, freed.count);
    assert_int_equal(ended.bytes, freed.bytes);
    check_largest(flow, window);
}

static void check_extremes(const struct xpd_mem_space *space, struct xpd_step_window window)
{
    uint32_t low, high, lowest = window.from, highest = window.from;
    bool any = xpd_live_extremes(space, window, &low, &high);
    assert_int_equal(any, window.from < window.to);
    for (uint32_t i = window.from; i < window.to; i++) {
        lowest = space->live_bytes[i] < space->live_bytes[lowest] ? i : lowest;
        highest = space->live_bytes[i] > space->live_bytes[highest] ? i : highest;
    }
    if (!any)
        return;
    assert_int_equal(low, lowest);
    assert_int_equal(high, highest);
}

static void check_space(const struct xpd_mem_space *space)
{
    struct xpd_flow flow;
    check_tops(space);
    assert_true(xpd_flow_make(&flow, space, &arena, &arena));
    for (uint32_t k = 0; k < 12 && space->step_count > 0; k++) {
        uint32_t from = next_random(space->step_count);
        uint32_t to = from + next_random(space->step_count - from + 1);
        struct xpd_step_window window = {k ? from : 0, k ? to : space->step_count};
        check_flow(&flow, window);
        check_extremes(space, window);
    }
}

static void random_programs(void **state)
{
    (void)state;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        naive_open(&n, &c, round, round % 2 == 0);
        for (int s = 0; s < NAIVE_SPACES; s++)
            check_space(mem_space(&c, s));
        xpd_arena_reset(&arena);
        mem_close(&c);
    }
    xpd_arena_fini(&arena);
}

enum { DEEP = 150, VALUES = 2 * DEEP };

/* Each value of even number stays until all deeper ones are gone; those of odd number are freed
 * three steps later. */
static void put_stairs(struct hb *hb)
{
    hb_trace_begin(hb);
    for (int v = 0; v < VALUES; v++) {
        hb_event(hb, HB_ALLOC, v, "main", "op", 0);
        if (v >= 3 && v % 2 == 1)
            hb_event(hb, HB_FREE, v - 2, "main", "op", 0);
    }
    for (int v = VALUES - 2; v >= 10; v -= 2) /* the first ones are never freed */
        hb_event(hb, HB_FREE, v, "main", "op", 0);
    hb_trace_end(hb, true, 0);
}

/* More steps and tenancies than a block or a list of the tables has: storages one above another,
 * each freed before the one below it, with short ones between them. */
static void long_program(void **state)
{
    (void)state;
    struct hb hb;
    hb_init(&hb, "stairs");
    for (int v = 0; v < VALUES; v++)
        hb_buffer(&hb, v, 1 + v * v % 97, 1, 0);
    hb_alloc_begin(&hb, &(struct hb_alloc){.index = 0, .size = 100 * VALUES, .color = 0});
    for (int v = 0; v < VALUES; v++)
        hb_assign(&hb, v, v % 2 ? 37 * (v % 13) : 100 * v, 1 + v * v % 97);
    hb_alloc_end(&hb);
    put_stairs(&hb);
    mem_open_builder(&c, &hb);
    const struct xpd_mem_space *space = mem_space(&c, 0);
    assert_int_equal(space->tenancy_count, VALUES);
    for (int k = 0; k < 40; k++)
        check_space(space);
    xpd_arena_fini(&arena);
    mem_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs),
        cmocka_unit_test(long_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
