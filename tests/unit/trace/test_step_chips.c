/* Chips side by side: common steps, sums, and when one of them is a straggler. */
#include "xprofd/trace/step_chips.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { STEPS = 6, CHIPS = 3, LENGTH_PS = 1000 };

struct run { /* steps of all chips: chip by chip */
    struct xpd_step step[STEPS * CHIPS];
    struct xpd_overlap overlap[STEPS * CHIPS];
    struct xpd_measured_step at[STEPS * CHIPS];
    struct xpd_arena arena;
    struct xpd_step_chips chips;
};

/* All steps take as long; chip c starts c ps late and waits for the others while it does not
 * compute. */
static void make(struct run *run, uint32_t chip_count, uint32_t steps, const int64_t *compute_ps)
{
    uint32_t n = 0;
    *run = (struct run){0};
    for (uint32_t c = 0; c < chip_count; c++)
        for (uint32_t k = 0; k < steps; k++, n++) {
            int64_t start_ps = (int64_t)k * LENGTH_PS + c;
            run->step[n] = (struct xpd_step){
                .process = c, .number = k, .start_ps = start_ps, .end_ps = start_ps + LENGTH_PS};
            run->overlap[n] = (struct xpd_overlap){.compute_ps = compute_ps[c],
                                                   .comm_exposed_ps = LENGTH_PS - compute_ps[c],
                                                   .length_ps = LENGTH_PS};
            run->at[n] = (struct xpd_measured_step){&run->step[n], &run->overlap[n]};
        }
    assert_int_equal(xpd_step_chips_make(&run->chips, chip_count, run->at, n, &run->arena, NULL),
                     XPD_OK);
}

static void the_one_that_works_longest(void **state)
{
    (void)state;
    struct run run;
    make(&run, CHIPS, STEPS, (const int64_t[]){500, 600, 510});
    assert_int_equal(run.chips.count, CHIPS);
    assert_int_equal(run.chips.common, STEPS);
    assert_true(run.chips.straggles);
    assert_int_equal(run.chips.most->process, 1);
    assert_int_equal(run.chips.most->most_work, STEPS);
    assert_int_equal(run.chips.median_work_ps, STEPS * 510);
    assert_true(run.chips.ahead > 0.17 && run.chips.ahead < 0.18);
    assert_int_equal(xpd_step_chip_work_ps(&run.chips.at[0]), STEPS * 500);
    assert_int_equal(run.chips.at[0].late_ps, 0);
    assert_int_equal(run.chips.at[2].late_ps, STEPS * 2);
    assert_int_equal(run.chips.at[2].came_last, STEPS);
    xpd_arena_fini(&run.arena);
}

static void less_than_a_percent_is_no_straggler(void **state)
{
    (void)state;
    struct run run;
    make(&run, CHIPS, STEPS, (const int64_t[]){500, 504, 500});
    assert_int_equal(run.chips.most->process, 1);
    assert_false(run.chips.straggles);
    xpd_arena_fini(&run.arena);
}

static void few_steps_or_chips_say_nothing(void **state)
{
    (void)state;
    struct run run;
    make(&run, CHIPS, XPD_CHIPS_STEPS_LEAST - 1, (const int64_t[]){500, 900, 500});
    assert_null(run.chips.most);
    assert_false(run.chips.straggles);
    xpd_arena_fini(&run.arena);
    make(&run, 1, STEPS, (const int64_t[]){500});
    assert_null(run.chips.most);
    assert_int_equal(run.chips.count, 1);
    xpd_arena_fini(&run.arena);
}

/* A chip that missed a step, or has it twice, takes the step out for all. */
static void a_step_counts_that_each_chip_has_once(void **state)
{
    (void)state;
    struct run run;
    make(&run, CHIPS, STEPS, (const int64_t[]){500, 600, 510});
    run.step[0].number = 99;          /* of chip 0 */
    run.step[STEPS * 2 - 1].number--; /* of chip 1: its last is the one before once more */
    assert_int_equal(
        xpd_step_chips_make(&run.chips, CHIPS, run.at, STEPS * CHIPS, &run.arena, NULL), XPD_OK);
    assert_int_equal(run.chips.common, STEPS - 3);
    assert_int_equal(run.chips.at[0].steps, STEPS);
    assert_null(run.chips.most);
    xpd_arena_fini(&run.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_one_that_works_longest),
        cmocka_unit_test(less_than_a_percent_is_no_straggler),
        cmocka_unit_test(few_steps_or_chips_say_nothing),
        cmocka_unit_test(a_step_counts_that_each_chip_has_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
