/* Lives of allocations by hand: pairs, what is live and whether it closes, growth and its verdicts,
 * what other runtimes write: no addresses, no sizes, no heap, frees of unknown arrays, lost frees.
 */
#include "xprofd/trace/allocators.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT(list) (uint32_t)(sizeof(list) / sizeof *(list))
#define MIB         INT64_C(1048576)

static struct xpd_allocation event(bool frees, int64_t at_ps, int64_t heap, int64_t given,
                                   uint64_t address)
{
    return (struct xpd_allocation){.at_ps = at_ps,
                                   .frees = frees,
                                   .reserved_bytes = -1,
                                   .allocated_bytes = heap,
                                   .available_bytes = -1,
                                   .requested_bytes = -1,
                                   .given_bytes = given,
                                   .peak_bytes = -1,
                                   .fragmentation = -1,
                                   .has_address = address != 0,
                                   .address = address,
                                   .data_type = -1};
}
#define MADE(at, heap, given, address)  event(false, at, heap, given, address)
#define FREED(at, heap, given, address) event(true, at, heap, given, address)

static struct xpd_arena arena;

static struct xpd_allocator allocator_of(struct xpd_allocation *e, uint32_t count)
{
    struct xpd_allocator a = {.name = XPD_STR("GPU_0_bfc"), .event = e, .count = count};
    for (uint32_t i = 0; i < count; i++)
        if (xpd_allocation_in_use(&e[i]) > a.most_bytes) {
            a.most_bytes = xpd_allocation_in_use(&e[i]);
            a.most = i;
        }
    return a;
}

static struct xpd_alloc_lives lives_of(const struct xpd_allocator *a)
{
    struct xpd_alloc_lives lives;
    assert_true(xpd_alloc_lives_make(&lives, a, &arena));
    return lives;
}

static int setup(void **state)
{
    (void)state;
    xpd_arena_init(&arena, 0);
    return 0;
}
static int teardown(void **state)
{
    (void)state;
    xpd_arena_fini(&arena);
    return 0;
}

/* An address may be used again; a free has the size of what it frees. */
static void pairs(void **state)
{
    (void)state;
    struct xpd_allocation e[] = {MADE(10, 100, 100, 1), MADE(20, 150, 50, 2), FREED(30, 50, -1, 1),
                                 MADE(40, 120, 70, 1), FREED(50, 70, -1, 2)};
    struct xpd_allocator a = allocator_of(e, COUNT(e));
    struct xpd_alloc_lives lives = lives_of(&a);
    assert_int_equal(lives.partner[0], 2);
    assert_int_equal(lives.partner[2], 0);
    assert_int_equal(lives.partner[1], 4);
    assert_int_equal(lives.partner[3], XPD_NO_INDEX);
    assert_int_equal(lives.bytes[2], 100);
    assert_int_equal(lives.bytes[4], 50);
    assert_int_equal(lives.before_bytes, 0);
    assert_int_equal(xpd_alloc_end_ps(&lives, 3), INT64_MAX);
    for (int64_t t = 10; t <= 60; t += 5)
        assert_int_equal(xpd_alloc_sum_at(&lives, t).closes_by, 0);
    assert_int_equal(xpd_alloc_sum_at(&lives, 29).listed_bytes, 150);
    assert_int_equal(xpd_alloc_sum_at(&lives, 30).listed_bytes, 50);
    assert_int_equal(xpd_alloc_sum_at(&lives, 9).event, XPD_NO_INDEX);
    assert_int_equal(xpd_alloc_sum_at(&lives, 9).closes_by, XPD_ALLOC_UNKNOWN);
}

/* What was there before the capture is not listed, and goes with the frees of what was made before
 * it.
 */
static void before_the_capture(void **state)
{
    (void)state;
    struct xpd_allocation e[] = {FREED(10, 300, 200, 7), MADE(20, 340, 40, 1),
                                 FREED(30, 240, -1, 8) /* says no size: the fall of the heap */};
    struct xpd_allocator a = allocator_of(e, COUNT(e));
    struct xpd_alloc_lives lives = lives_of(&a);
    assert_int_equal(lives.before_bytes, 500);
    assert_int_equal(lives.unknown_frees, 2);
    assert_int_equal(lives.bytes[2], 100);
    struct xpd_alloc_sum sum = xpd_alloc_sum_at(&lives, 30);
    assert_int_equal(sum.before_bytes, 200);
    assert_int_equal(sum.listed_bytes, 40);
    assert_int_equal(sum.closes_by, 0);
}

/* A free that was lost: the life ends where the address is given out again, and the sum says that
 * the heap has more than is listed. */
static void lost_free(void **state)
{
    (void)state;
    struct xpd_allocation e[] = {MADE(10, 100, 100, 1), MADE(20, 160, 60, 1)};
    struct xpd_allocator a = allocator_of(e, COUNT(e));
    struct xpd_alloc_lives lives = lives_of(&a);
    assert_int_equal(lives.replaced, 1);
    assert_false(xpd_alloc_is_live(&lives, 0, 20));
    assert_true(xpd_alloc_is_live(&lives, 1, 20));
    assert_int_equal(xpd_alloc_sum_at(&lives, 25).closes_by, 100);
}

/* Events without an address come and go as a sum; an address of 0 that is said is one. */
static void without_address(void **state)
{
    (void)state;
    struct xpd_allocation e[] = {MADE(10, 100, 100, 0), MADE(20, 130, 30, 5), FREED(30, 70, 60, 0)};
    struct xpd_allocator a = allocator_of(e, COUNT(e));
    struct xpd_alloc_lives lives = lives_of(&a);
    struct xpd_alloc_sum sum = xpd_alloc_sum_at(&lives, 30);
    assert_int_equal(lives.without_address, 2);
    assert_int_equal(sum.without_address_bytes, 40);
    assert_int_equal(sum.listed_bytes, 30);
    assert_int_equal(sum.closes_by, 0);
    e[0].has_address = true;
    e[2].has_address = true;
    lives = lives_of(&a);
    assert_int_equal(lives.partner[0], 2);
    assert_int_equal(lives.without_address, 0);
}

/* An allocator that says no heap and no sizes: nothing is made up. */
static void says_nothing(void **state)
{
    (void)state;
    struct xpd_allocation e[] = {MADE(10, -1, -1, 1), MADE(20, -1, -1, 2), FREED(30, -1, -1, 1)};
    for (uint32_t i = 0; i < COUNT(e); i++)
        e[i].reserved_bytes = 10;
    struct xpd_allocator a = allocator_of(e, COUNT(e));
    struct xpd_alloc_lives lives = lives_of(&a);
    struct xpd_alloc_sum sum = xpd_alloc_sum_at(&lives, 20);
    assert_int_equal(lives.before_bytes, XPD_ALLOC_UNKNOWN);
    assert_int_equal(lives.capacity_bytes, -1);
    assert_int_equal(lives.heap_most_bytes, -1);
    assert_int_equal(sum.listed_count, 2);
    assert_int_equal(sum.unsized_count, 2);
    assert_int_equal(sum.closes_by, XPD_ALLOC_UNKNOWN);
}

/* The ends of 64 bits: no overflow, no wrong sum. */
static void hostile(void **state)
{
    (void)state;
    struct xpd_allocation e[] = {MADE(INT64_MIN, INT64_MAX, INT64_MAX, 1),
                                 MADE(0, INT64_MAX, INT64_MAX, 2), FREED(INT64_MAX, 0, -1, 3)};
    e[1].available_bytes = INT64_MAX;
    struct xpd_allocator a = allocator_of(e, COUNT(e));
    struct xpd_alloc_lives lives = lives_of(&a);
    assert_int_equal(lives.capacity_bytes, INT64_MAX);
    assert_int_equal(xpd_alloc_sum_at(&lives, 0).closes_by, XPD_ALLOC_UNKNOWN);
    struct xpd_alloc_span span[] = {{0, INT64_MIN, INT64_MAX}};
    struct xpd_alloc_spans spans = {.at = span, .count = 1};
    struct xpd_alloc_growth growth;
    struct xpd_alloc_never never;
    assert_true(xpd_alloc_growth_make(&growth, &lives, &spans, INT64_MIN, &arena));
    assert_true(xpd_alloc_never_make(&never, &lives, &spans, INT64_MAX, &arena));
    assert_int_equal(growth.verdict, XPD_ALLOC_FEW_STEPS);
}

/* ---- growth ---- */

#define STEPS 12
struct run { /* each step of 100 ps keeps `kept` and gives `passing` back */
    struct xpd_allocation e[STEPS * 3];
    struct xpd_alloc_span span[STEPS];
    struct xpd_allocator a;
    struct xpd_alloc_lives lives;
    struct xpd_alloc_spans spans;
    struct xpd_alloc_growth growth;
};

static void make_run(struct run *r, uint32_t steps, int64_t kept, int64_t passing, int64_t base)
{
    uint32_t n = 0;
    int64_t heap = base;
    for (uint32_t i = 0; i < steps; i++) {
        int64_t at = (int64_t)i * 100;
        r->span[i] = (struct xpd_alloc_span){i, at, at + 90};
        r->e[n++] = MADE(at + 10, heap += passing, passing, 1000);
        r->e[n++] = MADE(at + 20, heap += kept, kept, i + 1);
        r->e[n++] = FREED(at + 30, heap -= passing, -1, 1000);
    }
    r->a = allocator_of(r->e, n);
    r->lives = lives_of(&r->a);
    r->spans = (struct xpd_alloc_spans){.at = r->span, .count = steps};
    assert_true(xpd_alloc_growth_make(&r->growth, &r->lives, &r->spans, 0, &arena));
}

static void leak(void **state)
{
    (void)state;
    struct run r;
    struct xpd_alloc_never never;
    make_run(&r, STEPS, MIB, 3 * MIB, 10 * MIB);
    assert_int_equal(r.growth.verdict, XPD_ALLOC_LEAK);
    assert_true(fabs(r.growth.slope_bytes - (double)MIB) < 0.2 * (double)MIB);
    assert_true(r.growth.r2 > 0.95);
    assert_true(isnan(r.growth.full_in_steps)); /* no capacity is said */
    assert_int_equal(r.growth.step[5].least_bytes, 15 * MIB);
    assert_int_equal(r.growth.step[5].most_bytes, 19 * MIB);
    assert_int_equal(r.growth.step[5].allocated_bytes, 4 * MIB);
    assert_int_equal(r.growth.step[5].freed_bytes, 3 * MIB);
    assert_int_equal(r.growth.step[5].left_bytes, MIB);
    assert_true(xpd_alloc_never_make(&never, &r.lives, &r.spans, 0, &arena));
    assert_int_equal(never.made, 2 * STEPS);
    assert_int_equal(never.freed_in_step, STEPS);
    assert_int_equal(never.kept, STEPS);
    assert_int_equal(never.kept_bytes, STEPS * MIB);
    assert_int_equal(never.group_count, 1);
    assert_int_equal(never.made, never.kept + never.freed_in_step + never.freed_later);
}

static void no_leak(void **state)
{
    (void)state;
    struct run r;
    make_run(&r, 7, MIB, 0, 0); /* below 8 steps */
    assert_int_equal(r.growth.verdict, XPD_ALLOC_FEW_STEPS);
    make_run(&r, STEPS, 1000, 0, 0); /* a line, many times the lowest, but not 1 MiB in all */
    assert_int_equal(r.growth.verdict, XPD_ALLOC_NO_GROWTH);
    make_run(&r, STEPS, MIB, 0, 4096 * MIB); /* not 1 % of what is held */
    assert_int_equal(r.growth.verdict, XPD_ALLOC_NO_GROWTH);
    make_run(&r, STEPS, 0, MIB, 10 * MIB); /* level: no line */
    assert_int_equal(r.growth.verdict, XPD_ALLOC_NO_GROWTH);
    assert_int_equal(r.growth.step[3].least_bytes, 10 * MIB);
}

/* A step before the first event has no value and is not taken for 0. */
static void unknown_steps(void **state)
{
    (void)state;
    struct run r;
    make_run(&r, STEPS, MIB, 0, MIB);
    struct xpd_alloc_growth growth;
    assert_true(xpd_alloc_growth_make(&growth, &r.lives, &r.spans, 250, &arena)); /* events later */
    assert_int_equal(growth.step[0].least_bytes, -1);
    assert_int_equal(growth.step[1].most_bytes, -1);
    assert_int_equal(growth.known, STEPS - 2);
}

/* Nothing marks steps and nothing runs: tenths, each of which is told. */
static void tenths(void **state)
{
    (void)state;
    struct run r;
    struct xpd_alloc_spans spans;
    struct xpd_trace trace = {0};
    const struct xpd_view view = {.trace = &trace};
    make_run(&r, STEPS, MIB, 0, MIB);
    assert_true(xpd_alloc_spans_make(&spans, &view, XPD_NO_INDEX, &r.a, 0, &arena));
    assert_int_equal(spans.what, XPD_ALLOC_STEPS_TENTHS);
    assert_int_equal(spans.count, 10);
    assert_int_equal(spans.at[0].from_ps, r.e[0].at_ps);
    assert_int_equal(spans.at[9].to_ps, r.e[STEPS * 3 - 1].at_ps);
}

/* The first time at which the heap is closest; events that say none do not count. */
static void nearest(void **state)
{
    (void)state;
    struct xpd_allocation e[] = {MADE(10, -1, 100, 1), MADE(20, 150, 50, 2), FREED(30, 50, -1, 1),
                                 MADE(40, 150, 70, 1)};
    struct xpd_allocator a = allocator_of(e, COUNT(e));
    assert_int_equal(xpd_alloc_nearest(&a, 149), 1);
    assert_int_equal(xpd_alloc_nearest(&a, 0), 2);
    assert_int_equal(xpd_alloc_nearest(&a, INT64_MAX), 1);
    struct xpd_allocator none = allocator_of(e, 1);
    assert_int_equal(xpd_alloc_nearest(&none, 100), XPD_NO_INDEX);
}

/* Equal ones fold; a sum with an unknown size is unknown, as is the last end with one of them. */
static void equal_ones(void **state)
{
    (void)state;
    struct xpd_allocation e[] = {MADE(10, 8, 8, 1), MADE(20, 16, 8, 2), MADE(30, 20, 4, 3),
                                 FREED(40, 12, -1, 1), FREED(60, 8, -1, 3)};
    for (uint32_t i = 0; i < 3; i++)
        e[i].requested_bytes = 4;
    e[2].region = 1; /* another one */
    struct xpd_allocator a = allocator_of(e, COUNT(e));
    struct xpd_alloc_lives lives = lives_of(&a);
    struct xpd_alloc_purpose purpose[COUNT(e)] = {{0}};
    struct xpd_alloc_one live[COUNT(e)];
    struct xpd_alloc_group group[COUNT(e)];
    const int64_t b_ps = 50;
    uint32_t n = xpd_alloc_live_add(live, &lives, purpose, 7, 30, NULL);
    assert_int_equal(n, 3);
    assert_int_equal(live[0].state, XPD_ALLOC_AT_BOTH);
    assert_int_equal(xpd_alloc_groups(group, live, n, false), 3);
    assert_int_equal(xpd_alloc_groups(group, live, n, true), 2);
    assert_int_equal(group[0].count, 2);
    assert_int_equal(group[0].first->event, 0);
    assert_int_equal(group[0].first->lane, 7);
    assert_int_equal(group[0].size_bytes, 16);
    assert_int_equal(group[0].requested_bytes, 8);
    assert_int_equal(group[0].last_from_ps, 20);
    assert_int_equal(group[0].to_ps, INT64_MAX); /* the second is not freed */
    assert_int_equal(group[1].to_ps, 60);
    n = xpd_alloc_live_add(live, &lives, purpose, 7, 15, &b_ps);
    assert_int_equal(n, 3);
    assert_int_equal(live[0].state, XPD_ALLOC_ONLY_A);
    assert_int_equal(live[1].state, XPD_ALLOC_ONLY_B);
    assert_int_equal(xpd_alloc_groups(group, live, n, true), 3); /* states are told apart */
    lives.bytes[1] = -1;
    n = xpd_alloc_live_add(live, &lives, purpose, 7, 30, NULL);
    (void)xpd_alloc_groups(group, live, n, true);
    assert_int_equal(group[0].size_bytes, -1);
}

/* ---- the curve ---- */

static void columns(void **state)
{
    (void)state;
    struct xpd_allocation e[] = {MADE(5, 10, 10, 1), MADE(12, 30, 20, 2), FREED(15, 4, -1, 2),
                                 MADE(18, 10, 6, 2)};
    struct xpd_allocator a = allocator_of(e, COUNT(e));
    struct xpd_alloc_window window = {0, 40, 10};
    struct xpd_alloc_value value[9];
    assert_int_equal(xpd_alloc_columns(value, &window, &a), 3);
    assert_int_equal(value[0].at_ps, 5);
    assert_int_equal(value[1].least_bytes, 4);
    assert_int_equal(value[1].most_bytes, 30);
    assert_int_equal(value[1].last_bytes, 10);
    assert_ptr_equal(value[1].peak, &e[1]);
    assert_ptr_equal(value[1].end, &e[3]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs),         cmocka_unit_test(before_the_capture),
        cmocka_unit_test(lost_free),     cmocka_unit_test(without_address),
        cmocka_unit_test(says_nothing),  cmocka_unit_test(hostile),
        cmocka_unit_test(leak),          cmocka_unit_test(no_leak),
        cmocka_unit_test(unknown_steps), cmocka_unit_test(tenths),
        cmocka_unit_test(columns),       cmocka_unit_test(nearest),
        cmocka_unit_test(equal_ones),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
