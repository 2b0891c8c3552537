/* Steps of chips as spans of their host's time, from tables written by hand. */
#include "xprofd/trace/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define CELL(number_, from, to, length, gap)                                                       \
    {                                                                                              \
        .number = (number_), .gap_ps = (gap), .span = {                                            \
            .from_ps = (from),                                                                     \
            .to_ps = (to),                                                                         \
            .duration_ps = (length)                                                                \
        }                                                                                          \
    }
static struct xpd_step_cell first[] = {CELL(1, 0, 100, 90, 20), CELL(2, 120, 220, 90, -1)};
static struct xpd_step_cell second[] = {CELL(1, 5, 105, 90, 20), CELL(2, 125, 215, 90, -1)};
static struct xpd_step_lane lane[] = {{.cell = first, .count = 2}, {.cell = second, .count = 2}};

static void spans_are(const struct xpd_step_table *table, const int64_t (*expected)[3], uint32_t n)
{
    struct xpd_arena arena = {0};
    struct xpd_input_periods out;
    assert_int_equal(xpd_input_periods_of(&out, table, &arena, NULL), XPD_OK);
    assert_int_equal(out.count, n);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(out.step[i].number, expected[i][0]);
        assert_int_equal(out.step[i].from_ps, expected[i][1]);
        assert_int_equal(out.step[i].to_ps, expected[i][2]);
    }
    xpd_arena_fini(&arena);
}

/* A step ends where the last of its chips ends. */
static void by_host_clock(void **state)
{
    (void)state;
    const struct xpd_step_table table = {.what = XPD_STEPS_MARKED,
                                         .clock = XPD_CLOCK_HOST,
                                         .lane = lane,
                                         .lane_count = 2,
                                         .cells = 4};
    spans_are(&table, (const int64_t[][3]){{1, 0, 105}, {2, 105, 220}}, 2);
}

/* Lengths and gaps of the chip, 90 and 20; alone the steps would end 10 and 20 later than that. */
static void by_chip_clock(void **state)
{
    (void)state;
    const struct xpd_step_table table = {.what = XPD_STEPS_RUNS,
                                         .clock = XPD_CLOCK_DEVICE,
                                         .lane = lane,
                                         .lane_count = 1,
                                         .cells = 2};
    spans_are(&table, (const int64_t[][3]){{1, 20, 110}, {2, 110, 220}}, 2);
}

/* The second chip lacks step 2; step 3 exists on none, so that 4 is the next one. */
static void gaps_over_a_missing_step(void **state)
{
    (void)state;
    struct xpd_step_cell a[] = {CELL(1, 0, 100, 90, 10), CELL(2, 110, 210, 90, 20),
                                CELL(4, 230, 330, 90, -1)};
    struct xpd_step_cell b[] = {CELL(1, 0, 100, 90, 130), CELL(4, 230, 330, 90, -1)};
    struct xpd_step_lane lanes[] = {{.cell = a, .count = 3}, {.cell = b, .count = 2}};
    struct xpd_step_table table = {.lane = lanes, .lane_count = 2};
    struct xpd_arena scratch = {0};
    assert_true(xpd_step_table_drop_gaps(&table, &scratch));
    assert_int_equal(a[0].gap_ps, 10);
    assert_int_equal(a[1].gap_ps, 20);
    assert_int_equal(b[0].gap_ps, -1);
    b[0].gap_ps = 130; /* alone it lacks nothing */
    lanes[0] = lanes[1];
    table.lane_count = 1;
    assert_true(xpd_step_table_drop_gaps(&table, &scratch));
    assert_int_equal(b[0].gap_ps, 130);
    xpd_arena_fini(&scratch);
}

static void windows_are_no_steps(void **state)
{
    (void)state;
    const struct xpd_step_table table = {
        .what = XPD_STEPS_WINDOWS, .lane = lane, .lane_count = 2, .cells = 4};
    spans_are(&table, NULL, 0);
    assert_true(xpd_step_table_program(&(struct xpd_step_table){.program = XPD_NO_NAME}).size == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_host_clock),
        cmocka_unit_test(by_chip_clock),
        cmocka_unit_test(gaps_over_a_missing_step),
        cmocka_unit_test(windows_are_no_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
