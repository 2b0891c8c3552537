/* Kernels of operations by hand: two streams of a GPU, kernels that are alike, executions without
 * an event of their own. */
#include "../trace/derive_space.h"
#include "xprofd/ops/op_kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OP(op, launch)                                                                             \
    ((const struct dstat[]){                                                                       \
        {"hlo_op", 0, op}, {"program_id", 4, NULL}, {"kernel_details", 0, launch}, {0}})
#define ONE "regs:32 static_shared:8 dynamic_shared:4 grid:2,1,1 block:64,1,1 occ_pct:50"
#define TWO "regs:16 grid:1,1,1 block:32,1,1 occ_pct:0"
#define NOT_FILLED                                                                                 \
    "regs:2191500840 static_shared:32462 dynamic_shared:0 grid:8,1,1 block:256,1,1 occ_pct:0"

struct gpu {
    struct dspace d;
    struct xpd_op_times *times;
    struct xpd_op_runs *runs;
    struct xpd_arena arena;
};

/* Op a: gemm 0-10 and 40-60, both ONE, tail 10-13, TWO; op b: gemm 20-34 on another stream; op c:
 * gemm 70-80, of which the tracer told only the launch. */
static int gpu_open(void **state)
{
    struct gpu *gpu = calloc(1, sizeof *gpu);
    struct dspace *d = &gpu->d;
    dspace_plane(d, "/device:GPU:0", 1);
    uint32_t gemm = dspace_name(d, "gemm", "", NO_STATS);
    uint32_t tail = dspace_name(d, "tail", "", NO_STATS);
    dspace_line(d, "Stream #20(Compute)", 20);
    dspace_event(d, gemm, 0, 10, OP("a", ONE));
    dspace_event(d, tail, 10, 3, OP("a", TWO));
    dspace_event(d, gemm, 40, 20, OP("a", ONE));
    dspace_event(d, gemm, 70, 10, OP("c", NOT_FILLED));
    dspace_line(d, "Stream #21(Compute)", 21);
    dspace_event(d, gemm, 20, 14, OP("b", ONE));
    dspace_load(d);
    assert_int_equal(xpd_op_times_make(&gpu->times, d->trace, 0, NULL), XPD_OK);
    assert_int_equal(xpd_op_runs_make(&gpu->runs, d->trace, gpu->times, 0, NULL), XPD_OK);
    *state = gpu;
    return 0;
}

static int gpu_close(void **state)
{
    struct gpu *gpu = *state;
    xpd_op_runs_free(gpu->runs);
    xpd_op_times_free(gpu->times);
    xpd_arena_fini(&gpu->arena);
    dspace_free(&gpu->d);
    free(gpu);
    return 0;
}

static const struct xpd_op *op_of(const struct gpu *gpu, const char *name)
{
    for (uint32_t i = 0; i < gpu->times->op_count; i++)
        if (xpd_str_eq(xpd_intern_get(&gpu->times->names, gpu->times->op[i].name),
                       xpd_str_of(name)))
            return &gpu->times->op[i];
    fail_msg("no op %s", name);
    return NULL;
}

static void alike_ones_are_one(void **state)
{
    struct gpu *gpu = *state;
    struct xpd_op_kernels out;
    assert_int_equal(xpd_op_kernels_make(&out, gpu->d.trace, gpu->runs, op_of(gpu, "a"),
                                         XPD_LOOSE_NOT, &gpu->arena, NULL),
                     XPD_OK);
    assert_int_equal(out.count, 2);
    assert_int_equal(out.events, 3);
    const struct xpd_op_kernel *gemm = &out.at[0], *tail = &out.at[1];
    assert_true(xpd_str_eq(gemm->name, XPD_STR("gemm")));
    assert_int_equal(gemm->count, 2);
    assert_int_equal(gemm->total_ps, 30);
    assert_int_equal(gemm->min_ps, 10);
    assert_int_equal(gemm->max_ps, 20);
    assert_int_equal(gemm->grid[0], 2);
    assert_int_equal(gemm->block[0], 64);
    assert_int_equal(gemm->registers, 32);
    assert_int_equal(gemm->shared_bytes, 12);
    assert_true(gemm->occupancy_share == 0.5);
    assert_true(xpd_str_eq(tail->name, XPD_STR("tail")));
    assert_true(tail->occupancy_share == -1); /* 0: none was computed */
}

static void a_record_that_was_not_filled_in(void **state)
{
    struct gpu *gpu = *state;
    struct xpd_op_kernels out;
    assert_int_equal(xpd_op_kernels_make(&out, gpu->d.trace, gpu->runs, op_of(gpu, "c"),
                                         XPD_LOOSE_NOT, &gpu->arena, NULL),
                     XPD_OK);
    assert_int_equal(out.at[0].registers, -1);
    assert_int_equal(out.at[0].shared_bytes, -1);
    assert_int_equal(out.at[0].grid[0], 8);
}

static void the_event_of_an_operation(void **state)
{
    struct gpu *gpu = *state;
    const struct xpd_trace *trace = gpu->d.trace;
    uint32_t process = gpu->times->device[0].process;
    uint64_t event = dspace_find(&gpu->d, "Stream #20(Compute)", 40);
    int64_t start_ps = trace->first_ps + 40;
    assert_int_equal(xpd_op_event(trace, process, XPD_STR("a"), XPD_LOOSE_NOT, start_ps), event);
    assert_int_equal(xpd_op_event(trace, process, XPD_STR("b"), XPD_LOOSE_NOT, start_ps), -1);
}

static int64_t time_of(const struct xpd_op_kernel_times *times, const struct xpd_op_row *row,
                       const char *kernel)
{
    for (size_t i = 0; i < times->time.count; i++)
        if (times->time.at[i].row == row &&
            xpd_str_eq(times->time.at[i].kernel, xpd_str_of(kernel)))
            return times->time.at[i].self_ps;
    return -1;
}

static void times_add_up_to_those_of_the_operation(void **state)
{
    struct gpu *gpu = *state;
    struct xpd_op_row a = {.op = op_of(gpu, "a")};
    const struct xpd_op_row *row[3] = {NULL, NULL, NULL}; /* b and c are not asked for */
    struct xpd_op_kernel_times all = {0}, first = {0};
    assert_int_equal(gpu->times->op_count, 3);
    row[a.op - gpu->times->op] = &a;
    assert_true(xpd_op_kernel_times_add(&all, row, gpu->d.trace, gpu->runs, NULL, 0));
    assert_int_equal(all.time.count, 2);
    assert_int_equal(time_of(&all, &a, "gemm"), 30);
    assert_int_equal(time_of(&all, &a, "tail"), 3);
    const struct xpd_op_range range = {0, 0, 1};
    assert_true(xpd_op_kernel_times_add(&first, row, gpu->d.trace, gpu->runs, &range, 1));
    assert_int_equal(first.time.count, 1);
    assert_int_equal(time_of(&first, &a, "gemm"), 10);
    XPD_VEC_FINI(&all.time);
    XPD_VEC_FINI(&first.time);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alike_ones_are_one),
        cmocka_unit_test(a_record_that_was_not_filled_in),
        cmocka_unit_test(the_event_of_an_operation),
        cmocka_unit_test(times_add_up_to_those_of_the_operation),
    };
    return cmocka_run_group_tests(tests, gpu_open, gpu_close);
}
