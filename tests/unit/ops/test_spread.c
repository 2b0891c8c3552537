/* Executions added up: sums of some of them, percentiles, executions of several kernels. */
#include "xprofd/ops/spread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { OPS = 3, CHIPS = 2 };
static const int64_t zeros[64];

/* Chip 0: a 10, b 100 (30 of it inside), a 20, c 5, a 30, c 7; chip 1: a 40, a 60. */
static const uint32_t op0[] = {0, 1, 0, 2, 0, 2}, op1[] = {0, 0};
static const int64_t time0[] = {10, 100, 20, 5, 30, 7}, time1[] = {40, 60};
static const struct xpd_op_inside inside[] = {{1, 30}};
static struct xpd_op_device_runs device[CHIPS] = {
    {.count = 6,
     .op = op0,
     .start_ps = zeros,
     .duration_ps = time0,
     .inside = inside,
     .inside_count = 1,
     .device_clock = true},
    {.count = 2, .op = op1, .start_ps = zeros, .duration_ps = time1, .device_clock = true}};
static struct xpd_op_device cores[CHIPS];
static struct xpd_op_times times = {.op_count = OPS, .device_count = CHIPS, .device = cores};
static const struct xpd_op_runs runs = {.times = &times, .device = device, .device_count = CHIPS};

static void spread_is(const struct xpd_op_spread *at, int64_t p50, int64_t p99, int64_t min,
                      int64_t max)
{
    assert_int_equal(at->p50_ps, p50);
    assert_int_equal(at->p99_ps, p99);
    assert_int_equal(at->min_ps, min);
    assert_int_equal(at->max_ps, max);
}

static void percentiles_are_over_all_chips(void **state)
{
    (void)state;
    struct xpd_op_range all[CHIPS];
    struct xpd_op_spread out[OPS];
    struct xpd_err err = {0};
    xpd_op_ranges_all(all, &runs);
    assert_int_equal(xpd_op_spread_make(out, &runs, all, CHIPS, NULL, &err), XPD_OK);
    spread_is(&out[0], 30, 60, 10, 60); /* 10 20 30 40 60: the third; few, so p99 is the longest */
    spread_is(&out[1], 100, 100, 100, 100);
    spread_is(&out[2], 5, 7, 5, 7); /* nearest rank, no mean of two */
}

static void some_executions(void **state)
{
    (void)state;
    const struct xpd_op_range some[] = {{0, 1, 3}, {0, 5, 6}, {1, 0, 1}};
    struct xpd_op_spread out[OPS];
    struct xpd_err err = {0};
    struct xpd_arena arena = {0};
    assert_int_equal(xpd_op_spread_make(out, &runs, some, 3, NULL, &err), XPD_OK);
    spread_is(&out[0], 20, 40, 20, 40);
    spread_is(&out[2], 7, 7, 7, 7);
    const struct xpd_op_chosen *chosen = xpd_op_choose(&runs, some, 3, &arena);
    assert_non_null(chosen);
    assert_int_equal(chosen[0].sums.count, 2);
    assert_int_equal(chosen[0].sums.total_ps, 60);
    assert_int_equal(chosen[0].chips, 2);
    assert_true(chosen[0].slowest_mean_ps == 40 && chosen[0].fastest_mean_ps == 20);
    assert_int_equal(chosen[1].sums.total_ps, 100);
    assert_int_equal(chosen[1].sums.self_ps, 70);
    assert_int_equal(chosen[1].chips, 1);
    assert_int_equal(chosen[2].sums.min_ps, 7);
    assert_int_equal(xpd_op_spread_make(out, &runs, some, 0, NULL, &err), XPD_OK);
    spread_is(&out[0], -1, -1, -1, -1);
    xpd_arena_fini(&arena);
}

/* A SparseCore beside a chip's main core is slower by nature, which says nothing of chips. */
static void a_sparse_core_is_not_compared_with_a_chip(void **state)
{
    (void)state;
    const struct xpd_op_range all[] = {{0, 0, 6}, {1, 0, 2}}, last[] = {{1, 0, 2}, {0, 0, 6}};
    struct xpd_arena arena = {0};
    cores[1].sparse = true;
    for (int i = 0; i < 2; i++) {
        const struct xpd_op_chosen *chosen = xpd_op_choose(&runs, i ? last : all, 2, &arena);
        assert_non_null(chosen);
        assert_int_equal(chosen[0].sums.count, 5);
        assert_int_equal(chosen[0].chips, 2);
        assert_int_equal(chosen[0].compared, 1);
        assert_true(chosen[0].slowest_mean_ps == 20 && chosen[0].fastest_mean_ps == 20);
    }
    cores[1].sparse = false;
    xpd_arena_fini(&arena);
}

static void an_execution_of_several_kernels(void **state)
{
    (void)state;
    const struct xpd_op_range all[] = {{0, 0, 6}};
    const uint32_t three[] = {3, 1, 2}, two[] = {2, 1, 1};
    struct xpd_op_spread out[OPS];
    struct xpd_err err = {0};
    assert_int_equal(xpd_op_spread_make(out, &runs, all, 1, three, &err), XPD_OK);
    spread_is(&out[0], 60, 60, 60, 60);
    spread_is(&out[2], 12, 12, 12, 12);
    assert_int_equal(xpd_op_spread_make(out, &runs, all, 1, two, &err), XPD_OK);
    spread_is(&out[0], -1, -1, -1, -1); /* three kernels are not executions of two */
}

/* Of a million executions the ranks are exact, whatever their order. */
static void a_million(void **state)
{
    (void)state;
    enum { N = 1000000 };
    uint32_t *op = calloc(N, sizeof *op);
    int64_t *ps = malloc(N * sizeof *ps);
    struct xpd_op_device_runs one = {.count = N, .op = op, .start_ps = ps, .duration_ps = ps};
    const struct xpd_op_runs many = {.times = &times, .device = &one, .device_count = 1};
    const struct xpd_op_range all = {0, 0, N};
    struct xpd_op_spread out[OPS];
    struct xpd_err err = {0};
    for (int64_t i = 0; i < N; i++)
        ps[i] = i * 7919 % N + 1; /* each of 1 to N once */
    assert_int_equal(xpd_op_spread_make(out, &many, &all, 1, NULL, &err), XPD_OK);
    spread_is(&out[0], N / 2, N / 100 * 99, 1, N);
    free(op);
    free(ps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentiles_are_over_all_chips), cmocka_unit_test(some_executions),
        cmocka_unit_test(an_execution_of_several_kernels),
        cmocka_unit_test(a_sparse_core_is_not_compared_with_a_chip), cmocka_unit_test(a_million)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
