/* Operations of steps by hand: what the peaks allow, one operation on two hosts, losses that add up
 * to the steps, what would be won. */
#include "xprofd/ops/step_ops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { COMPUTE = XPD_PART_COMPUTE + XPD_OP_MATMUL };

static struct xpd_step_op op_of(uint32_t part, int64_t time_ps)
{
    return (struct xpd_step_op){.name = XPD_STR("op"),
                                .part = part,
                                .time_ps = time_ps,
                                .self_ps = time_ps,
                                .count = 1,
                                .ideal_ps = -1,
                                .flops = -1,
                                .hbm_bytes = -1,
                                .moved_bytes = -1};
}

/* Four kernels are two executions of two; half of the time is shared with others. */
static void judged_by_its_row(void **state)
{
    (void)state;
    struct xpd_op_row row = {.instruction = XPD_NO_INDEX,
                             .count = 8,
                             .executions = 4,
                             .roofline_ps = 30,
                             .hbm_bytes = 100,
                             .roof = "HBM",
                             .amounts = {.flops = -1}};
    struct xpd_ops_program program = {0};
    struct xpd_step_op op = op_of(COMPUTE, 100);
    op.count = 4;
    op.self_ps = 200;
    xpd_step_op_judge(&op, &program, &row);
    assert_int_equal(op.ideal_ps, 30); /* 30 for each of two, half of that */
    assert_true(op.hbm_bytes == 200 && op.flops == -1 && op.moved_bytes == -1);
    assert_int_equal(xpd_step_op_win_ps(&op), 70);
    row.roofline_ps = 1000; /* not more than it took */
    xpd_step_op_judge(&op, &program, &row);
    assert_int_equal(op.ideal_ps, 100);
    struct xpd_step_op none = op_of(COMPUTE, 100);
    xpd_step_op_judge(&none, &program, NULL);
    assert_true(none.ideal_ps == -1 && none.hbm_bytes == -1);
    assert_int_equal(xpd_step_op_win_ps(&none), -1);
}

static void one_operation_on_two_hosts(void **state)
{
    (void)state;
    struct xpd_step_op to = op_of(COMPUTE, 10), more = op_of(COMPUTE, 5);
    to.ideal_ps = 4;
    more.ideal_ps = 1;
    xpd_step_op_add(&to, &more);
    assert_int_equal(to.time_ps, 15);
    assert_int_equal(to.count, 2);
    assert_int_equal(to.ideal_ps, 5);
    more.ideal_ps = -1; /* what is unknown of one is unknown of both */
    xpd_step_op_add(&to, &more);
    assert_int_equal(to.ideal_ps, -1);
}

/* The same name in two programs, by their modules or, without them, by what names the programs. */
static void the_same_operation(void **state)
{
    (void)state;
    struct xpd_arena arena;
    struct xpd_same_ops same;
    struct xpd_step_op op = op_of(COMPUTE, 1), held = op, waits = op_of(XPD_PART_COLLECTIVE, 1);
    struct xpd_str seven = XPD_STR("(7)"), eight = XPD_STR("(8)");
    op.place.module = waits.place.module = XPD_NO_INDEX;
    held.place.module = 3;
    xpd_arena_init(&arena, 0);
    xpd_same_ops_init(&same, &arena);
    uint64_t key = xpd_same_ops_key(&same, seven, &op);
    assert_int_equal(key, xpd_same_ops_key(&same, seven, &op));
    assert_int_not_equal(key, xpd_same_ops_key(&same, eight, &op));
    assert_int_not_equal(key, xpd_same_ops_key(&same, seven, &waits));
    assert_int_not_equal(key, xpd_same_ops_key(&same, seven, &held));
    assert_int_equal(xpd_same_ops_key(&same, seven, &held), xpd_same_ops_key(&same, eight, &held));
    op.name = XPD_STR("other");
    assert_int_not_equal(key, xpd_same_ops_key(&same, seven, &op));
    assert_false(same.text.failed);
    xpd_same_ops_fini(&same);
    xpd_arena_fini(&arena);
}

static void losses_add_up(void **state)
{
    (void)state;
    struct xpd_step_op op[] = {op_of(COMPUTE, 100), op_of(COMPUTE, 60), op_of(COMPUTE, 10),
                               op_of(COMPUTE, 30), op_of(XPD_PART_COLLECTIVE, 50)};
    int64_t part_ps[XPD_PART_COUNT] = {[XPD_PART_IDLE] = 7, [XPD_PART_COLLECTIVE] = 50};
    struct xpd_losses losses;
    int64_t sum_ps = 0;
    part_ps[COMPUTE] = 100 + 60 + 10 + 30 + 3; /* 3 of no operation */
    op[0].ideal_ps = 80;
    op[0].roof = "compute";
    op[1].ideal_ps = 40;
    op[1].roof = "HBM";
    op[2].ideal_ps = 1;
    op[2].latency = true;
    xpd_losses_make(&losses, part_ps, op, 5);
    assert_int_equal(losses.ps[XPD_LOSS_IDLE], 7);
    assert_int_equal(losses.ps[XPD_LOSS_COLLECTIVES], 50);
    assert_int_equal(losses.ps[XPD_LOSS_COMPUTE], 20);
    assert_int_equal(losses.ps[XPD_LOSS_MEMORY], 20);
    assert_int_equal(losses.ps[XPD_LOSS_LATENCY], 9);
    assert_int_equal(losses.ps[XPD_LOSS_NOT_JUDGED], 30 + 3);
    assert_int_equal(losses.ps[XPD_LOSS_ROOFLINE], 80 + 40 + 1);
    assert_int_equal(losses.ops[XPD_LOSS_ROOFLINE], 3);
    assert_int_equal(losses.ops[XPD_LOSS_COLLECTIVES], 1);
    assert_ptr_equal(losses.not_judged, &op[3]);
    for (int i = 0; i < XPD_LOSS_COUNT; i++)
        sum_ps += losses.ps[i];
    assert_int_equal(sum_ps, 7 + 50 + 203);
}

static void waits_are_won_whole(void **state)
{
    (void)state;
    struct xpd_step_op op = op_of(XPD_PART_COPY_IN, 2 * XPD_LATENCY_PS);
    op.moved_bytes = 1000;
    assert_int_equal(xpd_step_op_win_ps(&op), 2 * XPD_LATENCY_PS);
    assert_int_equal(xpd_step_op_group(&op), XPD_OP_HOST);
    assert_true(xpd_step_op_moved_per_s(&op) > 0);
    op.self_ps = XPD_LATENCY_PS / 2; /* it was moved before */
    assert_true(xpd_step_op_moved_per_s(&op) < 0);
    op.part = COMPUTE;
    assert_int_equal(xpd_step_op_group(&op), XPD_OP_MATMUL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judged_by_its_row),   cmocka_unit_test(one_operation_on_two_hosts),
        cmocka_unit_test(the_same_operation),  cmocka_unit_test(losses_add_up),
        cmocka_unit_test(waits_are_won_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
