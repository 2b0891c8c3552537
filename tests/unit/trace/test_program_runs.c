/* Where the runs of a program begin when nothing marks them, by hand: as events name them, by the
 * order of its operations, by how often they ran; and which runs the recording has only a part of.
 */
#include "xprofd/trace/program_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT(list) (uint32_t)(sizeof(list) / sizeof *(list))

enum { OPS = 5, MOST = 40, NONE = XPD_NO_INDEX };
static const uint32_t in_order[OPS] = {0, 1, 2, 3, 4};

/* Operations of one program, each 5 ps long and 10 behind the one before; a pause of 1000 before
 * those that are 100 more. */
struct made {
    struct xpd_arena arena;
    struct xpd_op_program program;
    struct xpd_op_times times;
    uint32_t op[MOST];
    int64_t start_ps[MOST], duration_ps[MOST];
    struct xpd_op_device_runs device;
};

static void make(struct made *made, const uint32_t *of, uint32_t count)
{
    int64_t at_ps = 0;
    *made = (struct made){.program = {.op_count = OPS}};
    xpd_arena_init(&made->arena, 0);
    made->times = (struct xpd_op_times){.program = &made->program, .program_count = 1};
    for (uint32_t i = 0; i < count; i++) {
        at_ps += of[i] >= 100 ? 1000 : 10;
        made->op[i] = of[i] % 100;
        made->start_ps[i] = at_ps;
        made->duration_ps[i] = 5;
    }
    made->device = (struct xpd_op_device_runs){.count = count,
                                               .op = made->op,
                                               .start_ps = made->start_ps,
                                               .duration_ps = made->duration_ps};
}

static struct xpd_run_spans runs_of(struct made *made, const uint32_t *order)
{
    struct xpd_run_spans runs;
    assert_true(xpd_run_spans_make(&runs, &made->arena, &made->times, &made->device, &made->program,
                                   order));
    return runs;
}

/* Each run has these executions, from the first to the last of them. */
static void assert_run(const struct made *made, const struct xpd_run_spans *runs, uint32_t run,
                       uint32_t first, uint32_t last)
{
    assert_true(run < runs->count);
    assert_int_equal(runs->span[run].from_ps, made->start_ps[first]);
    assert_int_equal(runs->span[run].to_ps, made->start_ps[last] + made->duration_ps[last]);
}

/* Two operations once in a run, one three times, in a loop at its end: runs are cut at the long
 * gap, not where the first of them is seen again. */
static void by_how_often(void **state)
{
    (void)state;
    struct made made;
    make(&made, (uint32_t[]){0, 9, 1, 2, 2, 2, 100, 1, 2, 2, 2}, 11);
    struct xpd_run_spans runs = runs_of(&made, NULL);
    assert_int_equal(runs.count, 2);
    assert_int_equal(runs.in_part, 0);
    assert_run(&made, &runs, 0, 0, 5);
    assert_run(&made, &runs, 1, 6, 10);
    xpd_arena_fini(&made.arena);
    /* One that is in a branch of the second run only tells no runs. */
    make(&made, (uint32_t[]){0, 1, 0, 2, 1}, 5);
    assert_int_equal(runs_of(&made, NULL).count, 1);
    assert_int_equal(runs_of(&made, (uint32_t[OPS]){0, 1, NONE, NONE, NONE}).count, 2);
    made.program.first_op = 20;
    assert_int_equal(runs_of(&made, NULL).count, 0);
    xpd_arena_fini(&made.arena);
}

/* Each operation several kernels, a loop, a branch in one run; the loop begins the second run. */
static void by_order(void **state)
{
    (void)state;
    static const uint32_t order[OPS] = {7, 11, NONE, 20, 21};
    struct made made;
    make(&made, (uint32_t[]){0, 0, 1, 2, 2, 2, 3, 4, 4, 102, 0, 1, 1, 2, 3, 4}, 16);
    struct xpd_run_spans runs = runs_of(&made, order);
    assert_int_equal(runs.count, 2);
    assert_int_equal(runs.first_number, 0);
    assert_run(&made, &runs, 0, 0, 8);
    assert_run(&made, &runs, 1, 9, 15);
    xpd_arena_fini(&made.arena);
}

/* On another stream the last operation of a run is late: the next run has begun. */
static void side_by_side(void **state)
{
    (void)state;
    struct made made;
    make(&made, (uint32_t[]){0, 2, 1, 3, 4, 0, 1, 2, 3, 0, 4, 1, 2, 3, 4}, 15);
    made.start_ps[10] = made.start_ps[9] + 1;
    struct xpd_run_spans runs = runs_of(&made, in_order);
    assert_int_equal(runs.count, 3);
    assert_run(&made, &runs, 0, 0, 4);
    assert_run(&made, &runs, 1, 5, 10);
    assert_run(&made, &runs, 2, 9, 14);
    xpd_arena_fini(&made.arena);
}

/* The recording begins and ends in a run: with few of their operations, and with most of them,
 * where some ran more often than there are whole runs. */
static void recorded_in_part(void **state)
{
    (void)state;
    struct made made;
    make(&made, (uint32_t[]){3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1}, 14);
    struct xpd_run_spans runs = runs_of(&made, in_order);
    assert_int_equal(runs.count, 2);
    assert_int_equal(runs.in_part, 2);
    assert_int_equal(runs.first_number, 1);
    assert_run(&made, &runs, 0, 2, 6);
    assert_run(&made, &runs, 1, 7, 11);
    xpd_arena_fini(&made.arena);
    make(&made, (uint32_t[]){1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3}, 18);
    runs = runs_of(&made, in_order);
    assert_int_equal(runs.count, 2);
    assert_int_equal(runs.in_part, 2);
    assert_run(&made, &runs, 0, 4, 8);
    assert_run(&made, &runs, 1, 9, 13);
    xpd_arena_fini(&made.arena);
}

/* In one run an operation was not recorded, or its events do not name it. */
static void one_is_missing(void **state)
{
    (void)state;
    struct made made;
    make(&made, (uint32_t[]){0, 1, 2, 3, 4, 0, 1, 2, 4, 0, 1, 2, 3, 4}, 14);
    struct xpd_run_spans runs = runs_of(&made, in_order);
    assert_int_equal(runs.count, 3);
    assert_int_equal(runs.in_part, 0);
    assert_run(&made, &runs, 0, 0, 4);
    assert_run(&made, &runs, 1, 5, 8);
    assert_run(&made, &runs, 2, 9, 13);
    xpd_arena_fini(&made.arena);
}

/* The program does not say in which order operations run: how often they ran tells more. */
static void in_another_order(void **state)
{
    (void)state;
    static const uint32_t order[OPS] = {4, 1, 3, 0, 2};
    struct made made;
    make(&made, (uint32_t[]){0, 1, 2, 3, 4, 100, 1, 2, 3, 4, 100, 1, 2, 3, 4}, 15);
    struct xpd_run_spans runs = runs_of(&made, order);
    assert_int_equal(runs.count, 3);
    assert_int_equal(runs.in_part, 0);
    assert_run(&made, &runs, 1, 5, 9);
    xpd_arena_fini(&made.arena);
}

/* Events name their runs, which run side by side; another program has some, too. */
static void as_named(void **state)
{
    (void)state;
    struct made made;
    make(&made, (uint32_t[]){3, 4, 0, 1, 0, 2, 1, 3, 2, 4, 3, 4}, 12);
    const struct xpd_op_program_run run[] = {{0, 10, 25}, {0, 30, 105}, {1, 45, 50}, {0, 50, 125}};
    made.device.run = run;
    made.device.run_count = COUNT(run);
    struct xpd_run_spans runs = runs_of(&made, in_order);
    assert_int_equal(runs.count, 2);
    assert_int_equal(runs.in_part, 1);
    assert_int_equal(runs.first_number, 1);
    assert_int_equal(runs.span[0].from_ps, 30);
    assert_int_equal(runs.span[0].to_ps, 105);
    assert_int_equal(runs.span[1].from_ps, 50);
    runs = runs_of(&made, NULL);
    assert_int_equal(runs.count, 3);
    assert_int_equal(runs.in_part, 0);
    xpd_arena_fini(&made.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_how_often),   cmocka_unit_test(by_order),
        cmocka_unit_test(side_by_side),   cmocka_unit_test(recorded_in_part),
        cmocka_unit_test(one_is_missing), cmocka_unit_test(in_another_order),
        cmocka_unit_test(as_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
