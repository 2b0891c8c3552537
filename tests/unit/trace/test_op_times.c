/* Times by instruction on small profiles, added up by hand. */
#include "derive_space.h"
#include "hlo_builder.h"
#include "xprofd/trace/op_loose.h"
#include "xprofd/trace/op_runs.h"
#include "xprofd/trace/overlap.h"
#include "xspace_wrap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct xpd_op_times *make(struct dspace *d)
{
    struct xpd_op_times *times = NULL;
    struct xpd_err err = {0};
    dspace_load(d);
    if (xpd_op_times_make(&times, d->trace, 0, &err) != XPD_OK)
        fail_msg("%s", err.text);
    assert_true(xpd_op_times_memory_bytes(times) >= sizeof *times);
    return times;
}

static const struct xpd_op *op_of(const struct xpd_op_times *times,
                                  const struct xpd_op_program *program, const char *name)
{
    assert_non_null(program);
    return xpd_op_of(times, program, xpd_str_of(name));
}

static void check(const struct xpd_op *op, uint64_t count, int64_t total, int64_t self, int64_t min,
                  int64_t max)
{
    assert_non_null(op);
    assert_int_equal(op->sums.count, count);
    assert_int_equal(op->sums.total_ps, total);
    assert_int_equal(op->sums.self_ps, self);
    assert_int_equal(op->sums.min_ps, min);
    assert_int_equal(op->sums.max_ps, max);
}

#define PROGRAM(n) ((const struct dstat[]){{"program_id", n, NULL}, {0}})
#define DEVICE(n)  ((const struct dstat[]){{"device_duration_ps", n, NULL}, {0}})

/* A loop 0..100 with its body's fusion 10..30 and 40..60 inside, on two chips; the second chip's
 * fusion is slower. The same name in another program is another op; the asynchronous row shows the
 * copy once more and does not count. */
static void tpu(struct dspace *d, const char *plane, int64_t slower)
{
    dspace_plane(d, plane, 1);
    uint32_t loop = dspace_name(d, "%while.1 = (s32[]) while((s32[]) %t)", "while.1", PROGRAM(7));
    uint32_t body = dspace_name(d, "%fusion.2 = f32[] fusion(f32[] %p)", "short", PROGRAM(7));
    uint32_t other = dspace_name(d, "fusion.2", "fusion.2", PROGRAM(9));
    uint32_t nobody = dspace_name(d, "%lost = f32[] add()", "lost", NO_STATS);
    dspace_line(d, "XLA Ops", 3);
    dspace_event(d, loop, 0, 100, NO_STATS);
    dspace_event(d, body, 10, 20, NO_STATS);
    dspace_event(d, body, 40, 20 + slower, NO_STATS);
    dspace_event(d, other, 200, 5, NO_STATS);
    dspace_event(d, nobody, 300, 5, NO_STATS);
    dspace_line(d, "Async XLA Ops", 4);
    dspace_event(d, body, 10, 70, NO_STATS);
}

static void names_of_tpus(void **state)
{
    (void)state;
    struct dspace d = {0};
    tpu(&d, "/device:TPU:0", 0);
    tpu(&d, "/device:TPU:1", 8);
    struct xpd_op_times *times = make(&d);
    assert_int_equal(times->program_count, 2);
    assert_int_equal(times->device_count, 2);
    assert_int_equal(times->device[1].number, 1);
    assert_int_equal(times->op_count, 3);
    const struct xpd_op_program *seven = xpd_op_program_of(times, 7);
    check(op_of(times, seven, "while.1"), 2, 200, 60 + 52, 100, 100);
    const struct xpd_op *body = op_of(times, seven, "fusion.2");
    check(body, 4, 88, 88, 20, 28);
    assert_int_equal(body->share_count, 2);
    assert_int_equal(times->share[body->first_share].sums.total_ps, 40);
    assert_int_equal(times->share[body->first_share + 1].sums.total_ps, 48);
    assert_int_equal(times->share[body->first_share + 1].device, 1);
    check(op_of(times, xpd_op_program_of(times, 9), "fusion.2"), 2, 10, 10, 5, 5);
    assert_int_equal(seven->count, 6);
    assert_string_equal(xpd_op_clock(seven->count, seven->device_count), "host");
    assert_null(op_of(times, seven, "short"));
    assert_null(op_of(times, seven, "lost"));
    assert_null(xpd_op_program_of(times, 0));
    xpd_op_times_free(times);
    dspace_free(&d);
}

/* A line may begin before time 0, as clocks are joined: what ran then is in the times of
 * operations, and among their executions, as it is in the rows. */
static void before_time_zero(void **state)
{
    (void)state;
    struct dspace d = {0};
    dspace_plane(&d, "/device:TPU:0", 1);
    uint32_t op = dspace_name(&d, "%a = f32[] add()", "a", PROGRAM(7));
    uint32_t loop = dspace_name(&d, "%w = f32[] while()", "w", PROGRAM(7));
    dspace_line(&d, "XLA Ops", 3);
    pbw_int(&d.line, 3, -1); /* ns */
    dspace_event(&d, loop, 0, 500, NO_STATS);
    dspace_event(&d, op, 100, 200, NO_STATS);
    dspace_event(&d, op, 2000, 50, NO_STATS);
    struct xpd_op_times *times = make(&d);
    const struct xpd_op_program *program = xpd_op_program_of(times, 7);
    struct xpd_op_runs *runs = NULL;
    struct xpd_err err = {0};
    check(op_of(times, program, "a"), 2, 250, 250, 50, 200);
    check(op_of(times, program, "w"), 1, 500, 300, 500, 500);
    assert_int_equal(d.trace->first_ps, 1000);
    assert_int_equal(xpd_op_runs_make(&runs, d.trace, times, 0, &err), XPD_OK);
    assert_int_equal(runs->device[0].count, 3);
    xpd_op_runs_free(runs);
    xpd_op_times_free(times);
    dspace_free(&d);
}

/* The device's clock where all events have times on it, else the other for all: no mixture. */
static void clock_of_the_device(void **state)
{
    (void)state;
    struct dspace d = {0};
    dspace_plane(&d, "/device:TPU:0", 1);
    uint32_t op = dspace_name(&d, "%a = f32[] add()", "a", PROGRAM(7));
    dspace_line(&d, "XLA Ops", 3);
    dspace_event(&d, op, 0, 100, DEVICE(90));
    dspace_event(&d, op, 200, 100, NO_STATS);
    struct xpd_op_times *times = make(&d);
    const struct xpd_op_program *program = xpd_op_program_of(times, 7);
    check(op_of(times, program, "a"), 2, 200, 200, 100, 100);
    assert_string_equal(xpd_op_clock(program->count, program->device_count), "host");
    assert_string_equal(xpd_op_clock(2, 1), "mixed");
    assert_string_equal(xpd_op_clock(2, 2), "device");
    xpd_op_times_free(times);
    dspace_free(&d);
}

#define OP(op, program)                                                                            \
    ((const struct dstat[]){{"hlo_op", 0, op}, {"program_id", program, NULL}, {0}})
#define OP_ON(op, program, device)                                                                 \
    ((const struct dstat[]){                                                                       \
        {"hlo_op", 0, op}, {"program_id", program, NULL}, {"device_ordinal", device, NULL}, {0}})
#define OP_IN(op, module)                                                                          \
    ((const struct dstat[]){{"hlo_op", 0, op}, {"hlo_module", 0, module}, {0}})

/* Thunks: the events come in no order; a call that carries no op stands between loop and body; the
 * program with id 0 is one, and no id is another. */
static void thunks_of_the_cpu(void **state)
{
    (void)state;
    struct dspace d = {0};
    dspace_plane(&d, "/host:CPU", 1);
    uint32_t any = dspace_name(&d, "any", "", NO_STATS);
    dspace_line(&d, "tf_XLAEigen/1", 5);
    dspace_event(&d, any, 20, 30, OP_ON("body", 0, 1));
    dspace_event(&d, any, 10, 80, NO_STATS);
    dspace_event(&d, any, 0, 100, OP_ON("while", 0, 1));
    dspace_event(&d, any, 60, 10, OP_ON("body", 0, 1));
    dspace_line(&d, "tf_XLAEigen/2", 6);
    dspace_event(&d, any, 20, 7, OP_ON("body", 0, 0));
    dspace_event(&d, any, 50, 3, OP_IN("body", "jit_f"));
    dspace_event(&d, any, 60, 3, ((const struct dstat[]){{"hlo_op", 0, "body"}, {0}}));
    struct xpd_op_times *times = make(&d);
    const struct xpd_op_program *zero = xpd_op_program_of(times, 0);
    check(op_of(times, zero, "while"), 1, 100, 60, 100, 100);
    const struct xpd_op *body = op_of(times, zero, "body");
    check(body, 3, 47, 47, 7, 30);
    assert_int_equal(body->share_count, 2);
    assert_int_equal(times->device[times->share[body->first_share].device].number, 0);
    const struct xpd_op_program *named = xpd_op_program_named(times, XPD_STR("jit_f"));
    assert_false(named->has_id);
    check(op_of(times, named, "body"), 1, 3, 3, 3, 3);
    assert_null(xpd_op_program_named(times, XPD_STR("jit_g")));
    xpd_op_times_free(times);
    dspace_free(&d);
}

/* Kernels of two streams; the innermost op of a path ran; a line of ops only sums up. */
static void kernels_of_gpus(void **state)
{
    (void)state;
    struct dspace d = {0};
    dspace_plane(&d, "/device:GPU:3", 1);
    uint32_t kernel = dspace_name(&d, "loop_add_fusion", "", NO_STATS);
    dspace_line(&d, "Stream #20(Compute)", 20);
    dspace_event(&d, kernel, 0, 10, OP("while.1::fusion.5", 4));
    dspace_event(&d, kernel, 20, 14, OP("fusion.5", 4));
    dspace_line(&d, "Stream #21(MemcpyD2H)", 21);
    dspace_event(&d, kernel, 5, 3, OP("copy-start", 4));
    dspace_line(&d, "XLA Ops", 99);
    dspace_event(&d, kernel, 0, 34, OP("fusion.5", 4));
    struct xpd_op_times *times = make(&d);
    const struct xpd_op_program *program = xpd_op_program_of(times, 4);
    check(op_of(times, program, "fusion.5"), 2, 24, 24, 10, 14);
    check(op_of(times, program, "copy-start"), 1, 3, 3, 3, 3);
    assert_int_equal(program->op_count, 2);
    assert_int_equal(times->device[0].number, 3);
    xpd_op_times_free(times);
    dspace_free(&d);
}

#define SAYS(...) ((const struct dstat[]){__VA_ARGS__, {0}})
#define DETAILS                                                                                    \
    {                                                                                              \
        "kernel_details", 0, "regs:1"                                                              \
    }

static const struct xpd_op_program *loose_of(const struct xpd_op_times *times,
                                             enum xpd_op_loose loose)
{
    struct xpd_op_program want = {.loose = loose};
    return xpd_op_program_same(times, &want, XPD_STR(""));
}

static void is_read(enum xpd_op_loose loose, const char *name, const char *path, const char *type,
                    enum xpd_op_group group)
{
    struct xpd_loose_op op = xpd_op_loose_read(loose, xpd_str_of(name));
    assert_true(xpd_str_eq(op.path, xpd_str_of(path)));
    assert_true(xpd_str_eq(op.type, xpd_str_of(type)));
    assert_int_equal(op.group, group);
}

/* What names no program is of the TensorFlow operation that launched it, or of the kernel's own
 * name; copies and collectives are apart, as overlap.h has them; a stream's other events run
 * nothing. The kernel that ran most says how often an operation of several did. */
static void of_no_program(void **state)
{
    (void)state;
    struct dspace d = {0};
    dspace_plane(&d, "/device:GPU:0", 1);
    uint32_t a = dspace_name(&d, "void a<float>(x::y)", "", NO_STATS);
    uint32_t b = dspace_name(&d, "b", "", NO_STATS), once = dspace_name(&d, "once", "", NO_STATS);
    uint32_t copy = dspace_name(&d, "MemcpyH2D", "", NO_STATS);
    uint32_t blind = dspace_name(&d, "Memcpy", "", NO_STATS);
    uint32_t nccl = dspace_name(&d, "ncclKernel_AllReduce", "", NO_STATS);
    dspace_line(&d, "Stream #20", 20);
    for (int64_t i = 0; i < 3; i++) {
        dspace_event(&d, a, 100 * i, 10, SAYS(DETAILS, {"tf_op", 0, "m/x/MatMul:MatMul"}));
        dspace_event(&d, b, 100 * i + 20, 10, SAYS(DETAILS, {"level 0", 0, "m/x/MatMul:MatMul"}));
    }
    dspace_event(&d, once, 400, 10, SAYS(DETAILS, {"tf_op", 0, "m/x/MatMul:MatMul"}));
    dspace_event(&d, a, 500, 7, SAYS(DETAILS));
    dspace_event(&d, b, 520, 7, SAYS({"tf_op", 0, "no_kernel:Add"}));
    dspace_event(&d, nccl, 600, 9, SAYS(DETAILS, {"tf_op", 0, "m/x/MatMul:MatMul"}));
    dspace_event(&d, a, 700, 5, OP("fusion.5", 4));
    dspace_line(&d, "Stream #21", 21);
    dspace_event(&d, copy, 0, 3, SAYS({"memcpy_details", 0, "size:4"}, {"tf_op", 0, "get:Get"}));
    dspace_event(&d, blind, 10, 3,
                 SAYS({"memcpy_details", 0, "kind_src:device kind_dst:pinned size:4"}));
    struct xpd_op_times *times = make(&d);
    const struct xpd_op_program *kernels = loose_of(times, XPD_LOOSE_KERNELS);
    const struct xpd_op *matmul = op_of(times, kernels, "m/x/MatMul:MatMul");
    check(matmul, 7, 70, 70, 10, 10);
    assert_int_equal(matmul->most_count, 3);
    check(op_of(times, kernels, "void a<float>(x::y)"), 1, 7, 7, 7, 7);
    assert_int_equal(kernels->op_count, 2);
    check(op_of(times, loose_of(times, XPD_LOOSE_COLLECTIVES), "m/x/MatMul:MatMul"), 1, 9, 9, 9, 9);
    const struct xpd_op_program *copies = loose_of(times, XPD_LOOSE_COPIES);
    check(op_of(times, copies, "MemcpyH2D of get"), 1, 3, 3, 3, 3);
    check(op_of(times, copies, "Memcpy (device to host)"), 1, 3, 3, 3, 3);
    check(op_of(times, xpd_op_program_of(times, 4), "fusion.5"), 1, 5, 5, 5, 5);
    assert_null(xpd_op_program_named(times, xpd_op_loose_word(XPD_LOOSE_COPIES)));
    is_read(XPD_LOOSE_KERNELS, "m/x/MatMul:MatMul", "m/x/MatMul", "MatMul", XPD_OP_MATMUL);
    is_read(XPD_LOOSE_KERNELS, "m/Maximum:Maximum", "m/Maximum", "Maximum", XPD_OP_ELEMENTWISE);
    is_read(XPD_LOOSE_KERNELS, "void a<float>(x::y)", "", "", XPD_OP_NONE);
    is_read(XPD_LOOSE_COLLECTIVES, "ncclKernel_AllReduce", "", "", XPD_OP_COLLECTIVE);
    is_read(XPD_LOOSE_COPIES, "MemcpyH2D of get", "get", "MemcpyH2D", XPD_OP_HOST);
    is_read(XPD_LOOSE_COPIES, "MemcpyD2D", "", "MemcpyD2D", XPD_OP_MOVE);
    assert_int_equal(xpd_op_loose_read(XPD_LOOSE_COPIES, XPD_STR("Memcpy (device to host)")).way,
                     XPD_COPY_OUT);
    xpd_op_times_free(times);
    dspace_free(&d);
}

/* TensorFlow without XLA on the threads of a host: `executor` 60 of 100 ps, in which it runs. */
static void threads(struct dspace *d, const char *executor)
{
    dspace_plane(d, "/host:CPU", 1);
    uint32_t runs = dspace_name(d, executor, "", NO_STATS);
    uint32_t matmul = dspace_name(d, "m/x/MatMul:MatMul", "", NO_STATS);
    uint32_t call = dspace_name(d, "m/call:PartitionedCall", "", NO_STATS);
    uint32_t get = dspace_name(d, "get/IteratorGetNext:IteratorGetNext", "", NO_STATS);
    uint32_t decode = dspace_name(d, "DecodeJpeg:DecodeJpeg", "", NO_STATS);
    dspace_line(d, "tf_Compute/1", 1);
    dspace_event(d, runs, 0, 60, NO_STATS);
    dspace_event(d, call, 0, 40, NO_STATS);
    dspace_event(d, matmul, 10, 20, NO_STATS);
    dspace_event(d, get, 40, 10, NO_STATS); /* waits */
    dspace_event(d, matmul, 80, 10, NO_STATS);
    dspace_line(d, "tf_Compute/2", 2);
    dspace_event(d, matmul, 85, 10, NO_STATS);
    dspace_line(d, "tf_data_private_threadpool/3", 3); /* makes batches */
    dspace_event(d, decode, 0, 100, NO_STATS);
}

static void of_tensorflow(void **state)
{
    (void)state;
    struct dspace d = {0};
    struct xpd_overlap_table table;
    struct xpd_overlap overlap;
    struct xpd_arena arena = {0};
    threads(&d, "ExecutorState::Process");
    struct xpd_op_times *times = make(&d);
    const struct xpd_op_program *program = loose_of(times, XPD_LOOSE_THREADS);
    check(op_of(times, program, "m/x/MatMul:MatMul"), 3, 40, 40, 10, 20);
    check(op_of(times, program, "m/call:PartitionedCall"), 1, 40, 20, 40, 40);
    assert_int_equal(program->op_count, 2);
    is_read(XPD_LOOSE_THREADS, "m/x/MatMul:MatMul", "m/x/MatMul", "MatMul", XPD_OP_MATMUL);
    is_read(XPD_LOOSE_THREADS, "m/call:PartitionedCall", "m/call", "PartitionedCall",
            XPD_OP_CONTROL);

    struct xpd_view view = {.trace = d.trace, .derived = d.derived};
    assert_true(xpd_trace_computes(d.trace, 0));
    assert_int_equal(xpd_overlap_table_make(&table, &view, &arena, NULL), XPD_OK);
    assert_int_equal(
        xpd_overlap_in(&view, &table, 0, (struct xpd_time_range){0, 100}, &overlap, NULL), XPD_OK);
    assert_int_equal(overlap.compute_ps, 35); /* 10..30 and 80..95 */
    assert_int_equal(overlap.idle_ps, 65);
    xpd_arena_fini(&arena);
    xpd_op_times_free(times);
    dspace_free(&d);

    struct dspace batches = {0}; /* only tf.data ran operations: what computed is not known */
    dspace_plane(&batches, "/host:CPU", 1);
    uint32_t decode = dspace_name(&batches, "DecodeJpeg:DecodeJpeg", "", NO_STATS);
    uint32_t eager = dspace_name(&batches, "EagerKernelExecute", "", NO_STATS);
    dspace_line(&batches, "python", 1);
    dspace_event(&batches, eager, 0, 100, NO_STATS);
    dspace_line(&batches, "tf_data_private_threadpool/3", 3);
    dspace_event(&batches, decode, 0, 100, NO_STATS);
    times = make(&batches);
    assert_int_equal(times->program_count, 0);
    assert_false(xpd_trace_computes(batches.trace, 0));
    xpd_op_times_free(times);
    dspace_free(&batches);

    struct dspace other = {0}; /* called alike, but no executor of TensorFlow ran it */
    threads(&other, "something else");
    times = make(&other);
    assert_int_equal(times->program_count, 0);
    assert_false(xpd_trace_computes(other.trace, 0));
    xpd_op_times_free(times);
    dspace_free(&other);
}

#define LAUNCH(op, program)                                                                        \
    ((const struct dstat[]){                                                                       \
        {"hlo_op", 0, op}, {"program_id", program, NULL}, {"correlation_id", 1, NULL}, {0}})

/* Calls that launch kernels carry the operation too, and are not executions; nor is what the
 * profiler derived and left in the file, known by its name or its id (here a negative 32-bit
 * number). Kernels of one stream that overlap, as nodes of a CUDA graph do, have all their time to
 * themselves; an operation is several kernels, on several streams of several chips. */
static void launches_are_no_executions(void **state)
{
    (void)state;
    struct dspace d = {0};
    for (int64_t gpu = 0; gpu < 2; gpu++) {
        dspace_plane(&d, gpu ? "/device:GPU:1" : "/device:GPU:0", 1 + gpu);
        uint32_t kernel = dspace_name(&d, "kernel", "", NO_STATS);
        dspace_line(&d, "Stream #7(Kernel)", 7);
        dspace_event(&d, kernel, 100, 50, LAUNCH("gemm.1", 4));
        dspace_event(&d, kernel, 110, 20, LAUNCH("gemm.1", 4));
        dspace_line(&d, "Stream #8(Kernel)", 8);
        dspace_event(&d, kernel, 120, 5, LAUNCH("gemm.1", 4));
        static const char *const made[] = {"XLA Ops - from #7", "Framework Ops", "Source code"};
        for (int64_t i = 0; i < 3; i++) {
            dspace_line(&d, made[i], 90 + i);
            dspace_event(&d, kernel, 100, 50, OP("gemm.1", 4));
        }
        dspace_line(&d, "of another name", -559038734);
        dspace_event(&d, kernel, 100, 50, OP("gemm.1", 4));
    }
    dspace_plane(&d, "/host:CPU", 3);
    uint32_t call = dspace_name(&d, "vendorLaunchKernel", "", NO_STATS);
    dspace_line(&d, "Host Threads/1", 5);
    dspace_event(&d, call, 0, 30, LAUNCH("gemm.1", 4));
    dspace_event(&d, call, 40, 30, OP("gemm.1", 4));
    dspace_event(&d, call, 80, 30, OP("other.1", 4));
    struct xpd_op_times *times = make(&d);
    const struct xpd_op_program *program = xpd_op_program_of(times, 4);
    check(op_of(times, program, "gemm.1"), 6, 150, 150, 5, 50);
    assert_null(op_of(times, program, "other.1"));
    assert_int_equal(op_of(times, program, "gemm.1")->share_count, 2);
    xpd_op_times_free(times);
    dspace_free(&d);
}

/* No chip has events (the profiler was not let near it): a launch is still no execution. */
static void launches_without_kernels(void **state)
{
    (void)state;
    struct dspace d = {0};
    dspace_plane(&d, "/host:CPU", 3);
    uint32_t call = dspace_name(&d, "vendorLaunchKernel", "", NO_STATS);
    dspace_line(&d, "Host Threads/1", 5);
    dspace_event(&d, call, 0, 30, LAUNCH("gemm.1", 4));
    struct xpd_op_times *times = make(&d);
    assert_int_equal(times->op_count, 0);
    xpd_op_times_free(times);
    dspace_free(&d);
}

/* The HLO of a program whose one operation is f.1. */
static void put_program(struct dspace *d, const char *name, uint64_t id)
{
    static const struct hb_shape f32 = {.type = HB_F32};
    struct hb hb;
    struct pbw hlo = {0};
    hb_init(&hb, name);
    hb_begin_computation(&hb, "main", 1, false);
    hb_instruction(&hb, &(struct hb_instr){.name = "f.1", .opcode = "add", .id = 1, .shape = &f32});
    hb_end_computation(&hb, 1);
    hb_finish(&hb, &hlo);
    xspace_wrap(&d->file, name, id, &hlo);
    pbw_free(&hlo);
}

/* Programs f and g: the GPU recorded `f` and `g` kernels of theirs, the host started each ten
 * times. What was lost of them. */
static bool lose(struct xpd_lost_runs *lost, int f, int g, char text[400])
{
    struct dspace d = {0};
    struct xpd_arena arena = {0};
    put_program(&d, "jit_f", 4);
    put_program(&d, "jit_g", 5);
    dspace_plane(&d, "/device:GPU:0", 1);
    uint32_t kernel = dspace_name(&d, "kernel", "", NO_STATS);
    dspace_line(&d, "Stream #7(Kernel)", 7);
    for (int i = 0; i < f; i++)
        dspace_event(&d, kernel, 10 * i, 5, LAUNCH("f.1", 4));
    for (int i = 0; i < g; i++)
        dspace_event(&d, kernel, 1000 + 10 * i, 5, LAUNCH("f.1", 5));
    dspace_plane(&d, "/host:CPU", 3);
    uint32_t start_f = dspace_name(&d, "jit_f:XLA GPU module", "", NO_STATS);
    uint32_t start_g = dspace_name(&d, "jit_g:XLA GPU module", "", NO_STATS);
    dspace_line(&d, "python", 5);
    for (int i = 0; i < 10; i++) {
        dspace_event(&d, start_f, 20 * i, 5, NO_STATS);
        dspace_event(&d, start_g, 20 * i + 10, 5, NO_STATS);
    }
    struct xpd_op_times *times = make(&d);
    bool any = xpd_lost_runs_of(lost, d.trace, times);
    snprintf(text, 400, "%s", any ? xpd_lost_runs_text(lost, &arena) : "");
    xpd_arena_fini(&arena);
    xpd_op_times_free(times);
    dspace_free(&d);
    return any;
}

/* A GPU's tracer that ran out of buffers says nothing of it: the host's launches do. */
static void executions_that_were_lost(void **state)
{
    (void)state;
    struct xpd_lost_runs lost;
    char text[400];
    assert_true(lose(&lost, 3, 8, text));
    assert_int_equal(lost.started, 10);
    assert_int_equal(lost.recorded, 3);
    assert_int_equal(lost.others, 1);
    assert_non_null(strstr(text, "started jit_f 10 times over all GPUs, and at most 3 of these"));
    assert_non_null(
        strstr(text, "in the profile (1 other program lacks a tenth or more): the rest"));
    assert_true(lose(&lost, 9, 2, text));
    assert_non_null(strstr(text, "started jit_g 10 times over all GPUs, and at most 2 of these"));
    assert_null(strstr(text, "other program"));
    assert_false(lose(&lost, 9, 10, text));
    assert_false(lose(&lost, 0, 20, text)); /* f may have no kernels; g may have two */
}

static void nothing_to_join(void **state)
{
    (void)state;
    struct dspace d = {0};
    dspace_plane(&d, "/host:CPU", 1);
    uint32_t any = dspace_name(&d, "any", "", NO_STATS);
    dspace_line(&d, "python", 5);
    dspace_event(&d, any, 20, 30, NO_STATS);
    struct xpd_op_times *times = make(&d);
    assert_int_equal(times->op_count, 0);
    assert_null(xpd_op_program_of(times, 1));
    xpd_op_times_free(times);
    struct xpd_err err = {0};
    dspace_free(&d);
    struct dspace e = {0};
    tpu(&e, "/device:TPU:0", 0);
    dspace_load(&e);
    assert_int_equal(xpd_op_times_make(&times, e.trace, 16, &err), XPD_ELIMIT); /* no room */
    assert_null(times);
    xpd_op_times_free(NULL);
    dspace_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_tpus),
        cmocka_unit_test(before_time_zero),
        cmocka_unit_test(clock_of_the_device),
        cmocka_unit_test(thunks_of_the_cpu),
        cmocka_unit_test(kernels_of_gpus),
        cmocka_unit_test(of_no_program),
        cmocka_unit_test(of_tensorflow),
        cmocka_unit_test(launches_are_no_executions),
        cmocka_unit_test(launches_without_kernels),
        cmocka_unit_test(executions_that_were_lost),
        cmocka_unit_test(nothing_to_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
