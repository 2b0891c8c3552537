/* What a step is made of, by hand: parts add up, waits are told from compute, what runs side by
 * side counts once. */
#include "xprofd/trace/step_split.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT(list) (uint32_t)(sizeof(list) / sizeof *(list))

/* fusion, copy-done in, copy-done out, all-reduce, matmul */
static const uint8_t parts[] = {XPD_PART_COMPUTE + XPD_OP_ELEMENTWISE, XPD_PART_COPY_IN,
                                XPD_PART_COPY_OUT, XPD_PART_COLLECTIVE,
                                XPD_PART_COMPUTE + XPD_OP_MATMUL};

static int64_t sum_of(const struct xpd_step_parts *parts_of)
{
    int64_t sum_ps = 0;
    for (uint32_t p = 0; p < XPD_PART_COUNT; p++) {
        assert_true(parts_of->ps[p] >= 0);
        sum_ps += parts_of->ps[p];
    }
    return sum_ps;
}

static const uint32_t op[] = {0, 4, 1, 2, 3, 0};
static const int64_t start_ps[] = {100, 110, 130, 200, 260, 400};
static const int64_t duration_ps[] = {60, 10, 50, 30, 20, 7};
static const struct xpd_op_inside inside[] = {{0, 10}};
static const struct xpd_op_device_runs runs = {.count = COUNT(op),
                                               .op = op,
                                               .start_ps = start_ps,
                                               .duration_ps = duration_ps,
                                               .inside = inside,
                                               .inside_count = COUNT(inside)};
static const struct xpd_op_device_runs *const device[] = {&runs};
static const struct xpd_split_lane lane = {.device = device, .device_count = 1, .part = parts};

static void one_at_a_time(void **state)
{
    (void)state;
    struct xpd_step_parts out;
    struct xpd_split_op ops[5] = {{0}};
    struct xpd_split_span span = {.from_ps = 100, .to_ps = 400, .duration_ps = 200};
    xpd_step_split(&out, &lane, &span, ops);
    assert_int_equal(out.ps[XPD_PART_COMPUTE + XPD_OP_ELEMENTWISE], 50); /* less what is inside */
    assert_int_equal(out.ps[XPD_PART_COMPUTE + XPD_OP_MATMUL], 10);
    assert_int_equal(out.ps[XPD_PART_COPY_IN], 50);
    assert_int_equal(out.ps[XPD_PART_COPY_OUT], 30);
    assert_int_equal(out.ps[XPD_PART_COLLECTIVE], 20);
    assert_int_equal(out.ps[XPD_PART_IDLE], 40);
    assert_int_equal(sum_of(&out), 200);
    assert_int_equal(ops[0].count, 1); /* the one at 400 begins in the next step */
    assert_int_equal(ops[0].time_ps, 50);
    assert_int_equal(ops[4].self_ps, 10);
}

/* Operations of 160 ps in a step of 80: a damaged file. No part is negative. */
static void more_than_the_step(void **state)
{
    (void)state;
    struct xpd_step_parts out;
    struct xpd_split_op ops[5] = {{0}};
    struct xpd_split_span span = {.from_ps = 100, .to_ps = 400, .duration_ps = 80};
    xpd_step_split(&out, &lane, &span, ops);
    assert_int_equal(sum_of(&out), 80);
    assert_int_equal(out.ps[XPD_PART_IDLE], 0);
    assert_int_equal(out.ps[XPD_PART_COPY_IN] + out.ps[XPD_PART_COPY_OUT], 40);
    assert_int_equal(ops[0].self_ps, 50);
    assert_int_equal(
        ops[0].time_ps + ops[1].time_ps + ops[2].time_ps + ops[3].time_ps + ops[4].time_ps, 80);
}

/* The union of intervals says what counts; operations share it. */
static void side_by_side(void **state)
{
    (void)state;
    struct xpd_step_parts out;
    struct xpd_split_op ops[5] = {{0}};
    struct xpd_overlap measured = {.compute_ps = 30,
                                   .comm_exposed_ps = 5,
                                   .copy_exposed_ps = 40,
                                   .idle_ps = 25,
                                   .length_ps = 100};
    struct xpd_split_span span = {
        .from_ps = 100, .to_ps = 400, .duration_ps = 100, .measured = &measured};
    xpd_step_split(&out, &lane, &span, ops);
    assert_int_equal(sum_of(&out), 100);
    assert_int_equal(out.ps[XPD_PART_COMPUTE + XPD_OP_ELEMENTWISE], 25); /* 50 of 60 */
    assert_int_equal(out.ps[XPD_PART_COMPUTE + XPD_OP_MATMUL], 5);
    assert_int_equal(out.ps[XPD_PART_COPY_IN], 25);
    assert_int_equal(out.ps[XPD_PART_COPY_OUT], 15);
    assert_int_equal(out.ps[XPD_PART_COLLECTIVE], 5);
    assert_int_equal(out.ps[XPD_PART_IDLE], 25);
    assert_int_equal(out.unnamed_ps, 0);
    assert_int_equal(ops[0].time_ps + ops[4].time_ps, 30);
}

/* A window has the part of each operation that lies in it: of 60 ps less 10 nested ones from 100 to
 * 160 a third, of 50 from 130 on 30 and 20. */
static void windows_cut(void **state)
{
    (void)state;
    struct xpd_step_parts out;
    struct xpd_split_lane cut = lane;
    struct xpd_split_op ops[5] = {{0}};
    struct xpd_overlap first = {.compute_ps = 60, .length_ps = 60},
                       next = {.compute_ps = 20, .copy_exposed_ps = 20, .idle_ps = 60};
    struct xpd_split_span span = {
        .from_ps = 140, .to_ps = 160, .duration_ps = 60, .measured = &first, .cuts = true};
    cut.longest_ps = 60;
    xpd_step_split(&out, &cut, &span, ops);
    assert_int_equal(sum_of(&out), 60);
    assert_int_equal(ops[0].self_ps, 16); /* 50 * 20 / 60 */
    assert_int_equal(ops[0].count, 0);    /* it began before */
    assert_int_equal(ops[1].self_ps, 20); /* of 50, from 130 */
    assert_int_equal(ops[4].self_ps, 0);  /* ended before */
    span = (struct xpd_split_span){
        .from_ps = 160, .to_ps = 260, .duration_ps = 100, .measured = &next, .cuts = true};
    xpd_step_split(&out, &cut, &span, ops);
    assert_int_equal(sum_of(&out), 100);
    assert_int_equal(ops[1].self_ps, 40); /* and 20 of it here */
    assert_int_equal(ops[2].self_ps, 30);
    assert_int_equal(ops[2].count, 1);
}

/* Kernels that name no operation compute, too; copies in flight have no operation. */
static void beyond_operations(void **state)
{
    (void)state;
    struct xpd_step_parts out;
    struct xpd_overlap measured = {.compute_ps = 70, .copy_exposed_ps = 8, .idle_ps = 22};
    struct xpd_split_span span = {
        .from_ps = 400, .to_ps = 500, .duration_ps = 100, .measured = &measured};
    xpd_step_split(&out, &lane, &span, NULL);
    assert_int_equal(sum_of(&out), 100);
    assert_int_equal(out.ps[XPD_PART_COMPUTE + XPD_OP_ELEMENTWISE], 7);
    assert_int_equal(out.ps[XPD_PART_COMPUTE + XPD_OP_NONE], 63);
    assert_int_equal(out.unnamed_ps, 63);
    assert_int_equal(out.ps[XPD_PART_COPY], 8);
    span.stretch = true; /* by another clock than the operations: they fill it */
    xpd_step_split(&out, &lane, &span, NULL);
    assert_int_equal(out.ps[XPD_PART_COMPUTE + XPD_OP_ELEMENTWISE], 70);
    assert_int_equal(out.unnamed_ps, 0);
    struct xpd_split_lane none = {.part = parts};
    xpd_step_split(&out, &none, &span, NULL);
    assert_int_equal(sum_of(&out), 100);
    assert_int_equal(out.unnamed_ps, 70);
}

/* Where a GPU's events tell the way of copies, that is what counts, not what operations tell. */
static void copies_by_their_way(void **state)
{
    (void)state;
    struct xpd_step_parts out;
    struct xpd_overlap measured = {
        .compute_ps = 30, .copy_exposed_ps = 40, .copy_in_ps = 8, .copy_out_ps = 20, .idle_ps = 30};
    struct xpd_split_span span = {
        .from_ps = 100, .to_ps = 400, .duration_ps = 100, .measured = &measured};
    struct xpd_split_op ops[5] = {{0}};
    xpd_step_split(&out, &lane, &span, ops);
    assert_int_equal(sum_of(&out), 100);
    assert_int_equal(out.ps[XPD_PART_COPY_IN], 8);
    assert_int_equal(out.ps[XPD_PART_COPY_OUT], 20);
    assert_int_equal(out.ps[XPD_PART_COPY], 12);
    assert_int_equal(ops[1].time_ps, 8); /* of 50 that it lasts */
    assert_int_equal(ops[2].time_ps, 20);
    struct xpd_split_lane none = {.part = parts};
    xpd_step_split(&out, &none, &span, NULL);
    assert_int_equal(out.ps[XPD_PART_COPY_IN], 8);
    assert_int_equal(out.ps[XPD_PART_COPY_OUT], 20);
    assert_int_equal(out.ps[XPD_PART_COPY], 12);
    assert_int_equal(sum_of(&out), 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_at_a_time),     cmocka_unit_test(more_than_the_step),
        cmocka_unit_test(side_by_side),      cmocka_unit_test(windows_cut),
        cmocka_unit_test(beyond_operations), cmocka_unit_test(copies_by_their_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
