/* Generated profiles of hosts and GPUs: Python frames, launches with the kernels that they make,
 * TensorFlow's executor, a thousand rows. Names, stats and how often each stands follow real
 * profiles of JAX and TensorFlow; what is linked (correlation_id, _p/_c, step roots) is linked
 * here, too, so that groups and flows have their usual work. */
#include "xspace_gen_parts.h"

enum { NAMES = 400, FRAMES = 900, STREAMS = 16, KERNELS = 600, POOL = 64, WIDE_ROWS = 1000 };
enum stat {
    RUN_ID = 20,
    PRODUCER_TYPE,
    PRODUCER,
    CONSUMER_TYPE,
    CONSUMER,
    ROOT,
    STEP_NUM,
    SECONDS,
    SHAPE,
    KIND,
    CORRELATION,
    DEVICE_ID,
    CONTEXT,
    DETAILS,
    HLO_MODULE,
    HLO_OP,
    OCCUPANCY,
    STEP_ID,
    ITER_NUM,
    ADDRESS,
    STAT_END
};
enum { REFERENCE = 100, REFERENCES = 3000 }; /* texts that stats refer to: operations */
enum { UNSIGNED = 3, SIGNED = 4, REFER = 7 };
#define STEP_PS UINT64_C(5000000000)

void xsg_write_host_stat_names(struct xsg *gen)
{
    static const char *const name[] = {"run_id",
                                       "_pt",
                                       "_p",
                                       "_ct",
                                       "_c",
                                       "_r",
                                       "step_num",
                                       "seconds",
                                       "shape",
                                       "kind",
                                       "correlation_id",
                                       "device_id",
                                       "context_id",
                                       "kernel_details",
                                       "hlo_module",
                                       "hlo_op",
                                       "occupancy_pct",
                                       "id",
                                       "iter_num",
                                       "address"};
    char text[64];
    for (uint64_t i = RUN_ID; i < STAT_END; i++)
        xsg_write_name(gen, 5, i, name[i - RUN_ID]);
    for (uint64_t i = 0; i < REFERENCES; i++) {
        (void)snprintf(text, sizeof text, "loop_fusion_%llu", (unsigned long long)i);
        xsg_write_name(gen, 5, REFERENCE + i, text);
    }
}

/* Five stats of five kinds. Of eight events one makes something, and another one uses it. */
void xsg_put_host_stats(struct xsg *gen, struct xsg_message *event)
{
    uint64_t number = xsg_next(gen) % 1000000;
    xsg_put_stat_real(event, SECONDS, (double)number / 1e3);
    xsg_put_stat_text(event, SHAPE, "f32[1024]");
    xsg_put_stat(event, KIND, REFER, REFERENCE + number % REFERENCES);
    bool makes = number % 8 == 1, uses = number % 8 == 2;
    xsg_put_stat(event,
                 makes  ? PRODUCER_TYPE
                 : uses ? CONSUMER_TYPE
                        : ADDRESS,
                 makes || uses ? SIGNED : UNSIGNED, makes || uses ? 5 : number);
    xsg_put_stat(event, makes ? PRODUCER : uses ? CONSUMER : RUN_ID, UNSIGNED, number / 8);
}

static void write_names(struct xsg *gen, uint64_t first, uint64_t count, const char *format)
{
    char text[96];
    for (uint64_t i = 0; i < count; i++) {
        (void)snprintf(text, sizeof text, "%s_%llu", format, (unsigned long long)i);
        xsg_write_name(gen, 4, first + i, text);
    }
}

/* A thread that marks steps, as StepTraceAnnotation does. */
static void write_steps(struct xsg *gen, uint64_t line_id, uint64_t name, uint64_t steps)
{
    uint64_t line = xsg_begin_line(gen, line_id, "python");
    for (uint64_t i = 0; i < steps; i++) {
        struct xsg_message event = xsg_event(name, i * STEP_PS, STEP_PS - 1000000);
        xsg_put_stat(&event, ROOT, SIGNED, 1);
        xsg_put_stat(&event, STEP_NUM, SIGNED, i);
        xsg_put_stat(&event, PRODUCER_TYPE, SIGNED, 5);
        xsg_put_stat(&event, PRODUCER, UNSIGNED, UINT64_C(1) << 40 | i);
        xsg_write_message(gen, 4, &event);
    }
    xsg_end(gen, line);
}

/* ---- Python ---- */

struct frames {
    struct xsg *gen;
    uint64_t left;
};

static void write_frame(struct frames *frames, uint64_t at_ps, uint64_t ps, int depth)
{
    struct xsg *gen = frames->gen;
    bool native = depth > 8 && xsg_next(gen) % 4 == 0;
    if (frames->left == 0)
        return;
    frames->left--;
    struct xsg_message event =
        xsg_event(native ? 1 + xsg_below(gen, NAMES) : 1000 + xsg_below(gen, FRAMES), at_ps, ps);
    if (native)
        xsg_put_host_stats(gen, &event);
    xsg_write_message(gen, 4, &event);
    uint64_t inner = depth < 40 && ps > 4000 && !native ? 1 + xsg_below(gen, 2) : 0;
    for (uint64_t i = 0; i < inner; i++)
        write_frame(frames, at_ps + i * (ps / inner) + ps / 64, ps / inner - ps / 32, depth + 1);
}

void xsg_write_python(struct xsg *gen, uint64_t events)
{
    enum { THREADS = 16 };
    uint64_t plane = xsg_begin_plane(gen, 1, "/host:CPU"), steps = events / 20000 + 1;
    write_steps(gen, 1, 990, steps);
    for (uint64_t thread = 0; thread < THREADS; thread++) {
        uint64_t line = xsg_begin_line(gen, 100 + thread, "python"), at = 1000;
        struct frames frames = {gen, events / THREADS};
        while (frames.left > 0) {
            uint64_t ps = 20000000 + xsg_below(gen, 60000000);
            write_frame(&frames, at, ps, 1);
            at += ps + 1000000;
        }
        xsg_end(gen, line);
    }
    write_names(gen, 1, NAMES, "PjitFunction::call");
    write_names(gen, 1000, FRAMES, "$layers.py:120 __call__");
    xsg_write_name(gen, 4, 990, "train");
    xsg_write_host_stat_names(gen);
    xsg_end(gen, plane);
}

/* ---- GPU ---- */

/* Half of the events launch, half are launched: number i on stream i % STREAMS. */
static void write_launches(struct xsg *gen, uint64_t count, uint64_t every_ps)
{
    uint64_t plane = xsg_begin_plane(gen, 1, "/host:CPU");
    write_steps(gen, 1, 990, count / 5000 + 1);
    for (uint64_t thread = 0; thread < 4; thread++) {
        uint64_t line = xsg_begin_line(gen, 50 + thread, "pjrt");
        for (uint64_t i = thread; i < count; i += 4) {
            struct xsg_message event = xsg_event(1 + i % 2, 5000 + i * every_ps, every_ps * 3);
            xsg_put_stat(&event, CORRELATION, UNSIGNED, i + 1);
            xsg_put_stat(&event, DEVICE_ID, SIGNED, i % STREAMS / 4);
            xsg_put_stat(&event, CONTEXT, SIGNED, 1);
            if (i % 100 == thread) { /* what the step's thread asked for */
                xsg_put_stat(&event, CONSUMER_TYPE, SIGNED, 5);
                xsg_put_stat(&event, CONSUMER, UNSIGNED,
                             UINT64_C(1) << 40 | i * every_ps / STEP_PS);
            } else {
                xsg_put_stat(&event, ADDRESS, UNSIGNED, i * 256);
                xsg_put_stat_real(&event, SECONDS, 0.5);
            }
            xsg_write_message(gen, 4, &event);
        }
        xsg_end(gen, line);
    }
    xsg_write_name(gen, 4, 1, "LaunchKernel");
    xsg_write_name(gen, 4, 2, "cuLaunchKernel");
    xsg_write_name(gen, 4, 990, "train");
    xsg_write_host_stat_names(gen);
    xsg_end(gen, plane);
}

static void write_stream(struct xsg *gen, uint64_t stream, uint64_t count, uint64_t every_ps)
{
    char text[32];
    (void)snprintf(text, sizeof text, "Stream #%llu(Compute)", (unsigned long long)stream);
    uint64_t line = xsg_begin_line(gen, 13 + stream, text);
    for (uint64_t i = stream; i < count; i += STREAMS) {
        uint64_t op = i / STREAMS % REFERENCES; /* each is the same kernel in all steps */
        struct xsg_message event =
            xsg_event(1 + op % KERNELS, 9000000 + i * every_ps, every_ps * (STREAMS - 1));
        xsg_put_stat(&event, CORRELATION, UNSIGNED, i + 1);
        xsg_put_stat(&event, HLO_OP, REFER, REFERENCE + op);
        xsg_put_stat(&event, HLO_MODULE, REFER, REFERENCE);
        xsg_put_stat_real(&event, OCCUPANCY, 62.5);
        xsg_put_stat_text(&event, DETAILS, "regs:32 grid:1,1,1 block:128,1,1");
        xsg_write_message(gen, 4, &event);
    }
    xsg_end(gen, line);
}

void xsg_write_gpu(struct xsg *gen, uint64_t events)
{
    uint64_t count = events / 2, every_ps = 1000000;
    char text[32];
    write_launches(gen, count, every_ps);
    for (uint64_t device = 0; device < STREAMS / 4; device++) {
        (void)snprintf(text, sizeof text, "/device:GPU:%llu", (unsigned long long)device);
        uint64_t plane = xsg_begin_plane(gen, 2 + device, text);
        for (uint64_t i = 0; i < 4; i++)
            write_stream(gen, 4 * device + i, count, every_ps);
        write_names(gen, 1, KERNELS, "loop_add_fusion");
        xsg_write_host_stat_names(gen);
        xsg_end(gen, plane);
    }
}

/* ---- TensorFlow's executor ---- */

/* A task of a pool's thread: region, executor, what it runs. */
static void write_task(struct xsg *gen, uint64_t number, uint64_t at_ps, uint64_t operations)
{
    uint64_t step = at_ps / STEP_PS, took_ps = operations * 1000000 + 500000;
    struct xsg_message event = xsg_event(901, at_ps, 0);
    xsg_put_stat(&event, CONSUMER_TYPE, SIGNED, 15);
    xsg_put_stat(&event, CONSUMER, UNSIGNED, UINT64_C(1) << 41 | number);
    xsg_write_message(gen, 4, &event);
    event = xsg_event(900, at_ps + 1000, took_ps);
    xsg_put_stat(&event, STEP_ID, SIGNED, step);
    xsg_put_stat(&event, ITER_NUM, SIGNED, step);
    xsg_put_stat(&event, CONSUMER_TYPE, SIGNED, 2);
    xsg_put_stat(&event, CONSUMER, UNSIGNED, UINT64_C(1) << 40 | step);
    xsg_write_message(gen, 4, &event);
    for (uint64_t i = 0; i < operations; i++) {
        event = xsg_event(1 + xsg_below(gen, NAMES), at_ps + 2000 + i * 1000000, 900000);
        xsg_put_stat(&event, STEP_ID, SIGNED, step);
        xsg_put_stat_text(&event, SHAPE, "(float[64,1024])");
        xsg_write_message(gen, 4, &event);
    }
    event = xsg_event(902, at_ps + took_ps + 2000, 0);
    xsg_write_message(gen, 4, &event);
}

void xsg_write_executor(struct xsg *gen, uint64_t events)
{
    enum { OPERATIONS = 12 };
    uint64_t plane = xsg_begin_plane(gen, 1, "/host:CPU");
    uint64_t tasks = events / POOL / (OPERATIONS + 3), every_ps = (OPERATIONS + 4) * 1000000;
    write_steps(gen, 1, 990, tasks * every_ps / STEP_PS + 1);
    for (uint64_t thread = 0; thread < POOL; thread++) {
        uint64_t line = xsg_begin_line(gen, 1000 + thread, "tf_inter_op");
        for (uint64_t i = 0; i < tasks; i++)
            write_task(gen, i * POOL + thread, 1000 + i * every_ps, OPERATIONS);
        xsg_end(gen, line);
    }
    write_names(gen, 1, NAMES, "gradients/MatMul:MatMul");
    xsg_write_name(gen, 4, 900, "ExecutorState::Process");
    xsg_write_name(gen, 4, 901, "ThreadpoolListener::StartRegion");
    xsg_write_name(gen, 4, 902, "ThreadpoolListener::StopRegion");
    xsg_write_name(gen, 4, 990, "train");
    xsg_write_host_stat_names(gen);
    xsg_end(gen, plane);
}

/* ---- many rows ---- */

void xsg_write_wide(struct xsg *gen, uint64_t events)
{
    uint64_t plane = xsg_begin_plane(gen, 1, "/host:CPU");
    char text[32];
    write_steps(gen, 1, 990, 100);
    for (uint64_t row = 0; row < WIDE_ROWS; row++) {
        (void)snprintf(text, sizeof text, "worker/%llu", (unsigned long long)row);
        uint64_t line = xsg_begin_line(gen, 1000 + row, text), at = 1000 + row;
        for (uint64_t i = 0; i < events / WIDE_ROWS; i++) {
            struct xsg_message event =
                xsg_event(1 + xsg_below(gen, NAMES), at, 100000 + xsg_below(gen, 50000000));
            xsg_put_host_stats(gen, &event);
            xsg_write_message(gen, 4, &event);
            at += 60000000 + xsg_below(gen, 1000000);
        }
        xsg_end(gen, line);
    }
    write_names(gen, 1, NAMES, "tsl::WorkQueue::run");
    xsg_write_name(gen, 4, 990, "train");
    xsg_write_host_stat_names(gen);
    xsg_end(gen, plane);
}
