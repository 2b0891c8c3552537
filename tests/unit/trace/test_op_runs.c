/* Executions of instructions: by hand on small profiles, and against the times of instructions on
 * every capture of testdata. */
#include "core_space.h"
#include "derive_space.h"
#include "xprofd/trace/op_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct made {
    struct xpd_op_times *times;
    struct xpd_op_runs *runs;
};

/* Sums of the executions of each op on each device are its share, to the picosecond. */
static void check_sums(const struct xpd_trace *trace, const struct made *made)
{
    const struct xpd_op_times *times = made->times;
    size_t ops = (size_t)times->op_count + 1;
    assert_int_equal(made->runs->device_count, times->device_count);
    for (uint32_t d = 0; d < times->device_count; d++) {
        const struct xpd_op_device_runs *device = &made->runs->device[d];
        struct xpd_op_sums *sums = calloc(ops, sizeof *sums);
        uint32_t hint = 0;
        for (uint32_t i = 0; i < device->count; i++) {
            struct xpd_op_sums *at = &sums[xpd_op_run_op(device, i)];
            int64_t ps = xpd_op_run_duration_ps(device, i);
            assert_true(xpd_op_run_op(device, i) < times->op_count);
            assert_true(i == 0 ||
                        xpd_op_run_start_ps(device, i) >= xpd_op_run_start_ps(device, i - 1));
            assert_in_range(xpd_op_run_start_ps(device, i) - trace->first_ps, 0,
                            trace->end_ps - trace->first_ps);
            at->min_ps = at->count == 0 || ps < at->min_ps ? ps : at->min_ps;
            at->max_ps = ps > at->max_ps ? ps : at->max_ps;
            at->count++;
            at->total_ps += ps;
            at->self_ps += xpd_op_run_self_ps(device, i, &hint);
        }
        for (uint32_t o = 0; o < times->op_count; o++)
            for (uint32_t s = 0; s < times->op[o].share_count; s++) {
                const struct xpd_op_share *share = &times->share[times->op[o].first_share + s];
                if (share->device != d)
                    continue;
                assert_int_equal(sums[o].count, share->sums.count);
                assert_int_equal(sums[o].total_ps, share->sums.total_ps);
                assert_int_equal(sums[o].self_ps, share->sums.self_ps);
                assert_int_equal(sums[o].min_ps, share->sums.min_ps);
                assert_int_equal(sums[o].max_ps, share->sums.max_ps);
                sums[o].count = 0;
            }
        for (uint32_t o = 0; o < times->op_count; o++)
            assert_int_equal(sums[o].count, 0); /* each has its share */
        free(sums);
    }
}

static struct made make(const struct xpd_trace *trace)
{
    struct made made = {0};
    struct xpd_err err = {0};
    if (xpd_op_times_make(&made.times, trace, 0, &err) != XPD_OK ||
        xpd_op_runs_make(&made.runs, trace, made.times, 0, &err) != XPD_OK)
        fail_msg("%s", err.text);
    assert_true(xpd_op_runs_memory_bytes(made.runs) >= sizeof *made.runs);
    check_sums(trace, &made);
    return made;
}

static void drop(struct made *made)
{
    xpd_op_runs_free(made->runs);
    xpd_op_times_free(made->times);
}

/* "name start duration self;" of each execution. */
static const char *text(const struct made *made, uint32_t d)
{
    static char out[2048];
    const struct xpd_op_device_runs *device = &made->runs->device[d];
    uint32_t hint = 0;
    size_t used = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < device->count && used < sizeof out - 100; i++) {
        struct xpd_str name =
            xpd_intern_get(&made->times->names, made->times->op[xpd_op_run_op(device, i)].name);
        used += (size_t)snprintf(
            out + used, sizeof out - used, "%.*s %lld %lld %lld;", (int)name.size, name.data,
            (long long)xpd_op_run_start_ps(device, i), (long long)xpd_op_run_duration_ps(device, i),
            (long long)xpd_op_run_self_ps(device, i, &hint));
    }
    return out;
}

#define PROGRAM(n) ((const struct dstat[]){{"program_id", n, NULL}, {0}})
#define DEVICE(n)  ((const struct dstat[]){{"device_duration_ps", n, NULL}, {0}})
#define OP(op, program)                                                                            \
    ((const struct dstat[]){{"hlo_op", 0, op}, {"program_id", program, NULL}, {0}})

/* A loop with a body that begins with it; the body is measured by the device; what partly overlaps
 * the loop is beside it. */
static void chips(void **state)
{
    (void)state;
    struct dspace d = {0};
    for (int64_t chip = 0; chip < 2; chip++) {
        dspace_plane(&d, chip ? "/device:TPU:1" : "/device:TPU:0", 1 + chip);
        uint32_t loop = dspace_name(&d, "%while.1 = (s32[]) while((s32[]) %t)", "", PROGRAM(7));
        uint32_t body = dspace_name(&d, "%fusion.2 = f32[] fusion(f32[] %p)", "", PROGRAM(7));
        uint32_t nobody = dspace_name(&d, "%lost = f32[] add()", "lost", NO_STATS);
        dspace_line(&d, "XLA Ops", 3);
        dspace_event(&d, loop, 0, 100, chip ? DEVICE(90) : NO_STATS);
        dspace_event(&d, body, 0, 20, DEVICE(18));
        dspace_event(&d, body, 40, 20, DEVICE(19));
        dspace_event(&d, body, 95, 15 * chip, DEVICE(10));
        dspace_event(&d, nobody, 300, 5, NO_STATS);
    }
    dspace_load(&d);
    struct made made = make(d.trace);
    /* One execution has no time on the chip's clock: all times are host-aligned. */
    assert_string_equal(text(&made, 0), "while.1 0 100 60;fusion.2 0 20 20;fusion.2 40 20 20;"
                                        "fusion.2 95 0 0;");
    assert_false(made.runs->device[0].device_clock);
    assert_int_equal(made.runs->device[0].side_by_side_ps, 0);
    assert_string_equal(text(&made, 1), "while.1 0 100 60;fusion.2 0 20 20;fusion.2 40 20 20;"
                                        "fusion.2 95 15 15;");
    assert_false(made.runs->device[1].device_clock);
    assert_int_equal(made.runs->device[1].side_by_side_ps, 5);
    uint32_t first, end;
    xpd_op_runs_range(&made.runs->device[0], 0, 40, &first, &end);
    assert_int_equal(first, 0);
    assert_int_equal(end, 2);
    xpd_op_runs_range(&made.runs->device[0], 40, INT64_MAX, &first, &end);
    assert_int_equal(first, 2);
    assert_int_equal(end, 4);
    xpd_op_runs_range(&made.runs->device[0], 50, 40, &first, &end);
    assert_int_equal(first, end);
    drop(&made);
    dspace_free(&d);
}

/* The executions of a chip stay where they stand in the trace: in one depth nothing is kept of
 * them; where others run between them, are nested, or are no operations, their numbers are. */
static void borrowed(void **state)
{
    (void)state;
    struct dspace d = {0};
    for (int64_t chip = 0; chip < 3; chip++) {
        static const char *const name[] = {"/device:TPU:0", "/device:TPU:1", "/device:TPU:2"};
        dspace_plane(&d, name[chip], 1 + chip);
        uint32_t op = dspace_name(&d, "%fusion.2 = f32[] fusion(f32[] %p)", "", PROGRAM(7));
        uint32_t nobody = dspace_name(&d, "%lost = f32[] add()", "lost", NO_STATS);
        dspace_line(&d, "XLA Ops", 3);
        if (chip == 1)
            dspace_event(&d, nobody, 0, 5, DEVICE(5));
        for (int64_t i = 0; i < 100; i++)
            dspace_event(&d, op, 10 * i + 5, 8, DEVICE(7));
        if (chip == 2)
            dspace_event(&d, op, 1100, 80, DEVICE(70));
        if (chip == 2)
            dspace_event(&d, op, 1110, 8, DEVICE(7));
    }
    dspace_load(&d);
    struct made made = make(d.trace);
    const struct xpd_op_device_runs *chip = made.runs->device;
    for (uint32_t c = 0; c < 3; c++) {
        assert_ptr_equal(chip[c].trace, d.trace);
        assert_int_equal(chip[c].count, c == 2 ? 102 : 100);
        assert_true(chip[c].device_clock);
        assert_int_equal(xpd_op_run_start_ps(&chip[c], 99), 995);
        assert_int_equal(xpd_op_run_duration_ps(&chip[c], 99), 7);
    }
    assert_null(chip[0].event);
    assert_null(chip[0].inside);
    assert_non_null(chip[1].event);
    assert_int_equal(chip[1].inside_count, 0);
    assert_int_equal(chip[2].inside_count, 1);
    assert_int_equal(chip[2].inside[0].at, 100);
    assert_int_equal(xpd_op_run_start_ps(&chip[2], 101), 1110);
    drop(&made);
    dspace_free(&d);
}

/* Streams run beside each other, and nothing in them is nested. */
static void streams(void **state)
{
    (void)state;
    struct dspace d = {0};
    dspace_plane(&d, "/device:GPU:0", 1);
    uint32_t kernel = dspace_name(&d, "kernel", "", NO_STATS);
    dspace_line(&d, "Stream #20(Compute)", 20);
    dspace_event(&d, kernel, 20, 14, OP("b", 4));
    dspace_event(&d, kernel, 0, 10, OP("a", 4));
    dspace_line(&d, "Stream #21(MemcpyD2H)", 21);
    dspace_event(&d, kernel, 5, 3, OP("copy", 4));
    dspace_event(&d, kernel, 30, 10, OP("copy", 4));
    dspace_load(&d);
    struct made made = make(d.trace);
    assert_string_equal(text(&made, 0), "a 0 10 10;copy 5 3 3;b 20 14 14;copy 30 10 10;");
    assert_int_equal(made.runs->device[0].side_by_side_ps, 3 + 4);
    drop(&made);
    dspace_free(&d);
}

#define THUNK(op, device)                                                                          \
    ((const struct dstat[]){                                                                       \
        {"hlo_op", 0, op}, {"hlo_module", 0, "jit_f"}, {"device_ordinal", device, NULL}, {0}})

/* Two devices share the threads of the CPU; an op of one thread may be inside another there only.
 */
static void threads(void **state)
{
    (void)state;
    struct dspace d = {0};
    dspace_plane(&d, "/host:CPU", 1);
    uint32_t any = dspace_name(&d, "any", "", NO_STATS);
    dspace_line(&d, "tf_XLAEigen/1", 5);
    dspace_event(&d, any, 0, 100, THUNK("while", 0));
    dspace_event(&d, any, 20, 30, THUNK("body", 0));
    dspace_event(&d, any, 200, 30, THUNK("body", 1));
    dspace_line(&d, "tf_XLAEigen/2", 6);
    dspace_event(&d, any, 10, 10, THUNK("body", 0));
    dspace_load(&d);
    struct made made = make(d.trace);
    assert_int_equal(made.runs->device_count, 2);
    assert_string_equal(text(&made, 0), "while 0 100 70;body 10 10 10;body 20 30 30;");
    assert_int_equal(made.runs->device[0].side_by_side_ps, 10);
    assert_string_equal(text(&made, 1), "body 200 30 30;");
    assert_int_equal(made.runs->device[1].side_by_side_ps, 0);
    drop(&made);
    dspace_free(&d);
}

/* Lines with unix times, which do not fit picoseconds: starts are where Trace draws them, and a
 * body is still inside its loop. */
static void unix_times(void **state)
{
    (void)state;
    struct dspace d = {0};
    dspace_plane(&d, "/host:CPU", 1);
    uint32_t any = dspace_name(&d, "any", "", NO_STATS);
    dspace_line(&d, "tf_XLAEigen/1", 5);
    pbw_int(&d.line, 3, INT64_C(1700000000000000000));
    dspace_event(&d, any, 0, 100, THUNK("while", 0));
    dspace_event(&d, any, 20, 30, THUNK("body", 0));
    dspace_line(&d, "tf_XLAEigen/2", 6);
    pbw_int(&d.line, 3, INT64_C(1700000000000000001));
    dspace_event(&d, any, 5, 10, THUNK("body", 0));
    dspace_load(&d);
    struct made made = make(d.trace);
    assert_string_equal(text(&made, 0), "while 0 100 70;body 20 30 30;body 1005 10 10;");
    drop(&made);
    dspace_free(&d);
}

static void no_room(void **state)
{
    (void)state;
    struct dspace d = {0};
    struct xpd_op_times *times;
    struct xpd_op_runs *runs;
    struct xpd_err err = {0};
    dspace_plane(&d, "/device:GPU:0", 1);
    uint32_t kernel = dspace_name(&d, "kernel", "", NO_STATS);
    dspace_line(&d, "Stream #20(Compute)", 20);
    dspace_event(&d, kernel, 20, 14, OP("b", 4));
    dspace_load(&d);
    assert_int_equal(xpd_op_times_make(&times, d.trace, 0, &err), XPD_OK);
    assert_int_equal(xpd_op_runs_make(&runs, d.trace, times, 16, &err), XPD_ELIMIT);
    assert_null(runs);
    xpd_op_runs_free(NULL);
    xpd_op_times_free(times);
    dspace_free(&d);
}

/* Every capture: each device kind, devices by the hundred, loops, files that are cut. */
static void captures(void **state)
{
    (void)state;
    static const char *const file[] = {"tpu_run/logdir/plugins/profile/train/tpu-host-0",
                                       "tpu_run/logdir/plugins/profile/train/tpu-host-1",
                                       "gpu_jax/logdir/plugins/profile/train/gpu-host",
                                       "gpu_tf/logdir/plugins/profile/train/worker0",
                                       "gpu_tf/logdir/plugins/profile/train/worker1",
                                       "gpu_ops/logdir/plugins/profile/ops/h",
                                       "gpu_ops/logdir/plugins/profile/kernels/h",
                                       "cpu_tf/logdir/plugins/profile/train/vm",
                                       "cpu_mlp_train/logdir/plugins/profile/run0/host0",
                                       "cpu_scan_while/logdir/plugins/profile/run0/host0",
                                       "cpu_sharded8/logdir/plugins/profile/run0/host0",
                                       "cut/logdir/plugins/profile/tpu/tpu-host-0",
                                       "cut/logdir/plugins/profile/cpu/host0"};
    const char *source = getenv("XPD_SOURCE");
    uint64_t executions = 0;
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/testdata/%s.xplane.pb", source ? source : ".", file[i]);
        struct core_trace core = core_load_file(path, 2);
        struct made made = make(core.trace);
        for (uint32_t k = 0; k < made.runs->device_count; k++)
            executions += made.runs->device[k].count;
        drop(&made);
        core_free(&core);
    }
    assert_true(executions > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chips),    cmocka_unit_test(borrowed),   cmocka_unit_test(streams),
        cmocka_unit_test(threads),  cmocka_unit_test(unix_times), cmocka_unit_test(no_room),
        cmocka_unit_test(captures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
