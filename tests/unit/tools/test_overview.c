/* Overview and stepsplit where there is little to tell from, or much: 100,000 steps, no steps, no
 * program, one step, clocks that differ, operations without HLO. */
#include "tool_call.h"
#include "xspace_parts.h"

#include <math.h>
#include <unistd.h>

#define SPLIT "/api/v1/trace/stepsplit"
#define OVER  "/api/v1/overview"

enum {
    OP_NAME = 1,
    OP_PROGRAM = 2,
    OP_DEVICE_PS = 3,
    OP_DEVICE_AT = 4,
    STEP_ROOT = 5,
    STEP_NUM = 6
};
enum { FUSION = 1, DONE, REDUCE, TRAIN, KERNEL, MODULE, COPY_IN, COPY_OUT };

struct profile {
    struct pbw file;
    struct one_run made;
    struct xpd_store *store;
};

/* What an operation of a TPU is called, and its program. */
static void put_name_of(struct profile *p, uint64_t program, uint64_t id, const char *text,
                        const char *name)
{
    size_t entry = pbw_begin(&p->file, 4);
    pbw_uint(&p->file, 1, id);
    size_t value = pbw_begin(&p->file, 2);
    pbw_uint(&p->file, 1, id);
    pbw_str(&p->file, 2, text);
    pbw_str(&p->file, 4, name);
    size_t stat = pbw_begin(&p->file, 5);
    pbw_uint(&p->file, 1, OP_PROGRAM);
    pbw_uint(&p->file, 4, program);
    pbw_end(&p->file, stat);
    pbw_end(&p->file, value);
    pbw_end(&p->file, entry);
}

static void put_name(struct profile *p, uint64_t id, const char *text, const char *name)
{
    put_name_of(p, 7, id, text, name);
}

static size_t begin_plane(struct profile *p, const char *name)
{
    size_t plane = xsp_plane(&p->file, name);
    put_name(p, FUSION, "%fusion.1 = f32[8] fusion(f32[8] %p)", "fusion.1");
    put_name(p, DONE, "%copy-done.2 = f32[8] copy-done(f32[8] %c)", "copy-done.2");
    put_name(p, REDUCE, "%all-reduce.3 = f32[8] all-reduce(f32[8] %f)", "all-reduce.3");
    xsp_event_name(&p->file, TRAIN, "train");
    xsp_event_name(&p->file, KERNEL, "kernel");
    xsp_event_name(&p->file, MODULE, "jit_f(7)");
    xsp_event_name(&p->file, COPY_IN, "MemcpyH2D");
    xsp_event_name(&p->file, COPY_OUT, "MemcpyD2H");
    xsp_stat_name(&p->file, OP_NAME, "hlo_op");
    xsp_stat_name(&p->file, OP_PROGRAM, "program_id");
    xsp_stat_name(&p->file, OP_DEVICE_PS, "device_duration_ps");
    xsp_stat_name(&p->file, OP_DEVICE_AT, "device_offset_ps");
    xsp_stat_name(&p->file, STEP_ROOT, "_r");
    xsp_stat_name(&p->file, STEP_NUM, "step_num");
    return plane;
}

/* An event of a TPU: host-aligned at `at`, by its own clock at `device_at`. */
static void put_op(struct profile *p, uint64_t name, int64_t at, int64_t ps, int64_t device_at,
                   int64_t device_ps)
{
    size_t event = xsp_event(&p->file, name, (uint64_t)at, (uint64_t)ps);
    xsp_stat_int(&p->file, OP_DEVICE_PS, device_ps);
    xsp_stat_int(&p->file, OP_DEVICE_AT, device_at);
    pbw_end(&p->file, event);
}

static void put_kernel_of(struct profile *p, int64_t program, const char *op, int64_t at,
                          int64_t ps)
{
    size_t event = xsp_event(&p->file, KERNEL, (uint64_t)at, (uint64_t)ps);
    if (op)
        xsp_stat_text(&p->file, OP_NAME, op);
    if (op)
        xsp_stat_int(&p->file, OP_PROGRAM, program);
    pbw_end(&p->file, event);
}

static void put_kernel(struct profile *p, const char *op, int64_t at, int64_t ps)
{
    put_kernel_of(p, 7, op, at, ps);
}

static void open_profile(struct profile *p)
{
    make_run(&p->made);
    assert_true(pbw_save(&p->file, p->made.file));
    pbw_free(&p->file);
    p->store = open_store(p->made.root);
}

static void close_profile(struct profile *p)
{
    xpd_store_close(p->store);
    remove_run(&p->made);
}

static int64_t row_sum(const cJSON *json, int i)
{
    static const char *const part[] = {
        "idle_ps",   "copies_in_ps", "copies_out_ps", "copies_ps", "collectives_ps",
        "infeed_ps", "waits_ps",     "none_ps",       "matmul_ps", "elem_ps",
        "reduce_ps", "move_ps",      "control_ps",    "host_ps",   "custom_ps"};
    int64_t sum_ps = 0;
    for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
        char path[40];
        snprintf(path, sizeof path, "steps.%s", part[k]);
        sum_ps += item_at(at(json, path), i);
    }
    return sum_ps;
}

/* ---- a chip ---- */

#define STEP   10000000 /* ps from step to step */
#define BUSY   8000000
#define FUSED  5000000
#define WAITED 2000000

/* Two chips whose host-aligned clock runs `slow` percent longer; the second chip works longer. */
static void put_chips(struct profile *p, int steps, int64_t slow)
{
    for (int chip = 0; chip < 2; chip++) {
        size_t plane = begin_plane(p, chip ? "/device:TPU:1" : "/device:TPU:0");
        size_t line = xsp_line(&p->file, 1, "XLA Modules", 0);
        for (int i = 0; i < steps; i++)
            xsp_put_event(&p->file, MODULE, (uint64_t)i * STEP,
                          BUSY * (100 + (uint64_t)slow) / 100);
        pbw_end(&p->file, line);
        line = xsp_line(&p->file, 2, "XLA Ops", 0);
        for (int64_t i = 0; i < steps; i++) {
            int64_t more = chip * 500000;
            put_op(p, FUSION, i * STEP, FUSED, i * STEP, FUSED);
            put_op(p, DONE, i * STEP + FUSED, WAITED, i * STEP + FUSED, WAITED);
            put_op(p, REDUCE, i * STEP + FUSED + WAITED, 1000 + more, i * STEP + FUSED + WAITED,
                   1000 + more);
        }
        pbw_end(&p->file, line);
        pbw_end(&p->file, plane);
    }
}

static void many_steps(void **state)
{
    (void)state;
    enum { STEPS = 30000, PX = 700 };
    struct profile p = {.store = NULL};
    struct answer answer;
    put_chips(&p, STEPS, 0);
    open_profile(&p);
    ask_ok(&answer, p.store, SPLIT, "run=run&px=%d", PX);
    assert_int_equal(number_at(answer.json, "total"), STEPS);
    assert_int_equal(number_at(answer.json, "a_column"), (STEPS + PX - 1) / PX);
    assert_true(number_at(answer.json, "steps.n") <= PX);
    assert_int_equal(column_sum(answer.json, "steps.steps"), STEPS);
    assert_true(answer.size < 300000);
    answer_free(&answer);
    ask_ok(&answer, p.store, SPLIT, "run=run");
    assert_int_equal(number_at(answer.json, "steps.n"), 20000);
    assert_int_equal(number_at(answer.json, "left_out"), STEPS - 20000);
    answer_free(&answer);
    ask_ok(&answer, p.store, OVER, "run=run");
    assert_int_equal(number_at(answer.json, "step.count"), 2 * STEPS);
    assert_int_equal(number_at(answer.json, "rest_ps"), 0);
    assert_true(answer.size < 16000);
    assert_string_equal(text_at(answer.json, "chips_sentence"),
                        "slowest: TPU:1, +500.0 ns (7.14 %) over the fastest");
    answer_free(&answer);
    close_profile(&p);
}

/* Without HLO: steps, waits by name and chips stay; nothing is held against a roofline. */
static void without_hlo(void **state)
{
    (void)state;
    struct profile p = {.store = NULL};
    struct answer answer;
    put_chips(&p, 3, 0);
    open_profile(&p);
    ask_ok(&answer, p.store, SPLIT, "run=run&chip=0");
    assert_string_equal(text_at(answer.json, "clock"), "device");
    assert_string_equal(text_at(answer.json, "sentence"),
                        "the 3 runs of jit_f, no markers recorded");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(item_at(at(answer.json, "steps.duration_ps"), i), FUSED + WAITED + 1000);
        assert_int_equal(item_at(at(answer.json, "steps.copies_ps"), i), WAITED);
        assert_int_equal(item_at(at(answer.json, "steps.collectives_ps"), i), 1000);
        assert_int_equal(item_at(at(answer.json, "steps.idle_ps"), i), 0);
        assert_int_equal(row_sum(answer.json, i), FUSED + WAITED + 1000);
    }
    assert_int_equal(item_at(at(answer.json, "steps.gap_ps"), 0), STEP - FUSED - WAITED - 1000);
    answer_free(&answer);
    ask_ok(&answer, p.store, OVER, "run=run&peak_flops=1e12&peak_bandwidth=1e9");
    const cJSON *losses = at(answer.json, "losses");
    int last = (int)number_at(losses, "n") - 1;
    assert_string_equal(cJSON_GetArrayItem(at(losses, "kind"), last - 1)->valuestring,
                        "not_judged");
    assert_string_equal(cJSON_GetArrayItem(at(losses, "why"), last - 1)->valuestring,
                        "no HLO in the profile (hlo_proto off)");
    assert_int_equal(item_at(at(losses, "total_ps"), last - 1), 6 * FUSED);
    assert_int_equal(column_sum(losses, "total_ps"), number_at(answer.json, "step.total_ps"));
    assert_non_null(strstr(answer.body, "enable_hlo_proto=True"));
    answer_free(&answer);
    close_profile(&p);
}

/* The numbers of a step are the chips' own; that the host-aligned clock says others is said. */
static void clocks_apart(void **state)
{
    (void)state;
    struct profile p = {.store = NULL};
    struct answer answer;
    put_chips(&p, 3, 20);
    open_profile(&p);
    ask_ok(&answer, p.store, OVER, "run=run");
    assert_non_null(strstr(text_at(answer.json, "step.clocks"), "the host-aligned clock jumps"));
    answer_free(&answer);
    ask_ok(&answer, p.store, SPLIT, "run=run&chip=0&clock=host");
    assert_string_equal(text_at(answer.json, "why_host"), "asked for");
    for (int i = 0; i < 3; i++)
        assert_int_equal(row_sum(answer.json, i), BUSY * 12 / 10);
    answer_free(&answer);
    close_profile(&p);
}

static void one_step(void **state)
{
    (void)state;
    struct profile p = {.store = NULL};
    struct answer answer;
    put_chips(&p, 1, 0);
    open_profile(&p);
    ask_ok(&answer, p.store, OVER, "run=run&chip=TPU:1");
    assert_string_equal(text_at(answer.json, "step.no_spread"), "one step: no spread");
    assert_int_equal(number_at(answer.json, "step.count"), 1);
    assert_true(cJSON_IsNull(at(answer.json, "step.gap_ps")));
    assert_non_null(strstr(answer.body, "no gap between steps was measured"));
    answer_free(&answer);
    ask(&answer, p.store, OVER, "run=run&step=5");
    assert_int_equal(answer.code, XPD_ENOTFOUND);
    answer_free(&answer);
    close_profile(&p);
}

/* ---- a GPU ---- */

/* Three runs of a program on two streams that overlap by 100; in the gap of 1,100 of each run a
 * copy in of 600 and one out of 300, of which 100 are beside the one in. */
static void runs_on_streams(void **state)
{
    (void)state;
    struct profile p = {.store = NULL};
    struct answer answer;
    size_t plane = begin_plane(&p, "/device:GPU:0");
    size_t line = xsp_line(&p.file, 20, "Stream #20(Compute)", 0);
    for (int i = 0; i < 3; i++) {
        put_kernel(&p, "fusion.1", i * 10000, 1000);
        put_kernel(&p, "fusion.2", i * 10000 + 3000, 1000);
    }
    pbw_end(&p.file, line);
    line = xsp_line(&p.file, 21, "Stream #21(Compute)", 0);
    for (int i = 0; i < 3; i++)
        put_kernel(&p, "fusion.3", i * 10000 + 900, 1000);
    pbw_end(&p.file, line);
    line = xsp_line(&p.file, 22, "Stream #22(MemcpyH2D)", 0);
    for (uint64_t i = 0; i < 3; i++) {
        xsp_put_event(&p.file, COPY_IN, i * 10000 + 2000, 600);
        xsp_put_event(&p.file, COPY_OUT, i * 10000 + 2500, 300);
    }
    pbw_end(&p.file, line);
    pbw_end(&p.file, plane);
    open_profile(&p);
    ask_ok(&answer, p.store, SPLIT, "run=run");
    assert_string_equal(text_at(answer.json, "what"), "runs");
    assert_int_equal(number_at(answer.json, "total"), 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(item_at(at(answer.json, "steps.duration_ps"), i), 4000);
        assert_int_equal(item_at(at(answer.json, "steps.copies_in_ps"), i), 600);
        assert_int_equal(item_at(at(answer.json, "steps.copies_out_ps"), i), 200);
        assert_int_equal(item_at(at(answer.json, "steps.copies_ps"), i), 0);
        assert_int_equal(item_at(at(answer.json, "steps.idle_ps"), i), 4000 - 1900 - 1000 - 800);
        assert_int_equal(row_sum(answer.json, i), 4000);
    }
    assert_int_equal(item_at(at(answer.json, "steps.gap_ps"), 0), 6000);
    answer_free(&answer);
    ask_ok(&answer, p.store, OVER, "run=run");
    assert_string_equal(text_at(answer.json, "step.unit"), "run");
    const cJSON *losses = at(answer.json, "losses");
    assert_string_equal(cJSON_GetArrayItem(at(losses, "kind"), 1)->valuestring, "copies_in");
    assert_int_equal(item_at(at(losses, "total_ps"), 1), 3 * 600);
    assert_int_equal(item_at(at(losses, "total_ps"), 2), 3 * 200);
    assert_int_equal(column_sum(losses, "total_ps"), number_at(answer.json, "step.total_ps"));
    answer_free(&answer);
    close_profile(&p);
}

/* Between the runs of the program with most time another one runs for 500 of 9,000: the chip is not
 * idle then. */
static void another_program_between_runs(void **state)
{
    (void)state;
    struct profile p = {.store = NULL};
    struct answer answer;
    size_t plane = begin_plane(&p, "/device:GPU:0");
    size_t line = xsp_line(&p.file, 20, "Stream #20(Compute)", 0);
    for (int i = 0; i < 3; i++) {
        put_kernel(&p, "fusion.1", i * 10000, 1000);
        put_kernel_of(&p, 8, "add.9", i * 10000 + 4000, 500);
    }
    pbw_end(&p.file, line);
    pbw_end(&p.file, plane);
    open_profile(&p);
    ask_ok(&answer, p.store, OVER, "run=run");
    assert_int_equal(number_at(answer.json, "step.gap_ps"), 9000);
    assert_int_equal(number_at(answer.json, "step.gap_idle_ps"), 8500);
    assert_string_equal(text_at(answer.json, "headline"),
                        "Nothing runs for 85 % of the time from run to run");
    assert_non_null(strstr(text_at(answer.json, "detail"),
                           "8.5 ns of 10.0 ns, 8.5 ns of it between runs, where other work runs "
                           "for 500 ps"));
    const cJSON *host = cJSON_GetArrayItem(at(answer.json, "verdicts"), 3);
    assert_string_equal(at(host, "text")->valuestring, "8.5 ns idle between runs, 8.5 times a run");
    answer_free(&answer);
    ask_ok(&answer, p.store, "/api/v1/doctor", "run=run");
    assert_non_null(
        strstr(answer.body, "the chip is idle for 8.5 ns (85 %): 0 ps inside it, 8.5 ns after it"));
    answer_free(&answer);
    close_profile(&p);
}

/* Overview of a run of kernels of no program, `ps` long each and evenly apart in 100 us. */
static void ask_windows(struct profile *p, struct answer *answer, int kernels, int64_t ps)
{
    size_t plane = begin_plane(p, "/device:GPU:0");
    size_t line = xsp_line(&p->file, 20, "Stream #20(Compute)", 0);
    for (int i = 0; i < kernels; i++)
        put_kernel(p, NULL, i * (100000000 / kernels), ps);
    put_kernel(p, NULL, 99999990, 10);
    pbw_end(&p->file, line);
    pbw_end(&p->file, plane);
    open_profile(p);
    ask_ok(answer, p->store, OVER, "run=run");
    assert_string_equal(text_at(answer->json, "step.what"), "windows");
    assert_int_equal(number_at(answer->json, "step.total_ps"), 100000000);
}

/* A kernel that runs through several windows is in each of them: its mean is its time by the
 * number of windows, which is what Ops says of it. */
static void kernels_longer_than_windows(void **state)
{
    (void)state;
    struct profile p = {.store = NULL};
    struct answer answer;
    ask_windows(&p, &answer, 5, 12500000);
    assert_int_equal(number_at(answer.json, "wins.n"), 1);
    assert_int_equal(item_at(at(answer.json, "wins.count"), 0), 6);
    assert_int_equal(item_at(at(answer.json, "wins.mean_ps"), 0), 625000);
    answer_free(&answer);
    ask_ok(&answer, p.store, OVER, "run=run&step=1"); /* within the first kernel */
    assert_int_equal(item_at(at(answer.json, "wins.count"), 0), 0);
    assert_int_equal(item_at(at(answer.json, "wins.mean_ps"), 0), 1000000);
    answer_free(&answer);
    close_profile(&p);
}

/* Kernels of no program: time is cut into windows. */
static void windows(void **state)
{
    (void)state;
    struct profile p = {.store = NULL};
    struct answer answer;
    ask_windows(&p, &answer, 50, 1000000);
    assert_string_equal(text_at(answer.json, "step.unit"), "window");
    assert_string_equal(text_at(answer.json, "step.sentence"),
                        "100 windows of 1.0 µs: the profile has no steps");
    assert_int_equal(number_at(answer.json, "rest_ps"), 0);
    assert_non_null(
        strstr(answer.body, "what ran belongs to no XLA program, so its work is unknown"));
    answer_free(&answer);
    close_profile(&p);
}

/* One host runs a program, the kernels of the other are of none: the steps are the runs of the
 * first alone, and the answer says so. A mean over runs and windows would be of nothing. */
static void hosts_apart(void **state)
{
    (void)state;
    struct profile p = {.store = NULL};
    struct answer answer;
    char path[400];
    for (int host = 0; host < 2; host++) {
        size_t plane = begin_plane(&p, "/device:GPU:0");
        size_t line = xsp_line(&p.file, 20, "Stream #20(Compute)", 0);
        for (int i = 0; i < 3; i++)
            put_kernel(&p, host == 1 ? "fusion.1" : NULL, i * 2000000, 1000000);
        pbw_end(&p.file, line);
        pbw_end(&p.file, plane);
        if (host == 0) {
            make_run(&p.made);
            snprintf(path, sizeof path, "%s/a.xplane.pb", p.made.run);
            assert_true(pbw_save(&p.file, path));
            pbw_free(&p.file);
        }
    }
    assert_true(pbw_save(&p.file, p.made.file));
    pbw_free(&p.file);
    p.store = open_store(p.made.root);
    ask_ok(&answer, p.store, SPLIT, "run=run");
    assert_string_equal(text_at(answer.json, "what"), "runs");
    assert_int_equal(number_at(answer.json, "total"), 3);
    assert_int_equal(cJSON_GetArraySize(at(answer.json, "chips")), 1);
    assert_non_null(strstr(text_at(answer.json, "sentence"), "; without a, which has no steps"));
    answer_free(&answer);
    ask_ok(&answer, p.store, OVER, "run=run");
    assert_int_equal(number_at(answer.json, "step.total_ps"), 3 * 1000000);
    assert_int_equal(number_at(answer.json, "rest_ps"), 0);
    answer_free(&answer);
    ask_ok(&answer, p.store, SPLIT, "run=run&host=a");
    assert_string_equal(text_at(answer.json, "what"), "windows");
    answer_free(&answer);
    unlink(path);
    close_profile(&p);
}

/* Steps without a single operation: how long they are is known, what they do is not. */
static void no_operations(void **state)
{
    (void)state;
    struct profile p = {.store = NULL};
    struct answer answer;
    size_t plane = begin_plane(&p, "/device:TPU:0");
    size_t line = xsp_line(&p.file, 1, "Steps", 0);
    for (uint64_t i = 0; i < 3; i++)
        xsp_put_event(&p.file, TRAIN, i * STEP, BUSY);
    pbw_end(&p.file, line);
    pbw_end(&p.file, plane);
    open_profile(&p);
    ask_ok(&answer, p.store, OVER, "run=run");
    assert_string_equal(text_at(answer.json, "headline"),
                        "It is unknown what a step spends its time on");
    assert_int_equal(number_at(answer.json, "step.mean_ps"), BUSY);
    for (int i = 0; i < 5; i++)
        assert_string_equal(
            at(cJSON_GetArrayItem(at(answer.json, "verdicts"), i), "says")->valuestring, "unknown");
    assert_string_equal(cJSON_GetArrayItem(at(answer.json, "losses.label"), 0)->valuestring,
                        "no operations recorded");
    assert_int_equal(column_sum(answer.json, "losses.total_ps"), 3 * BUSY);
    assert_non_null(strstr(answer.body, "device_tracer_level=1"));
    answer_free(&answer);
    ask_ok(&answer, p.store, "/api/v1/doctor", "run=run");
    assert_int_equal(number_at(answer.json, "found"), 0);
    assert_non_null(strstr(text_at(answer.json, "measured.not_judged"),
                           "T01, T02, T04: no operation was recorded"));
    answer_free(&answer);
    close_profile(&p);
}

/* The second inside of the first, the fourth over the end of the third; a gap of 10 between them.
 */
static void steps_overlap(void **state)
{
    (void)state;
    struct profile p = {.store = NULL};
    struct answer answer;
    size_t plane = begin_plane(&p, "/device:TPU:0");
    size_t line = xsp_line(&p.file, 1, "Steps", 0);
    static const uint64_t step[][2] = {{0, 10}, {2, 3}, {20, 5}, {23, 7}};
    for (int i = 0; i < 4; i++)
        xsp_put_event(&p.file, TRAIN, step[i][0] * STEP, step[i][1] * STEP);
    pbw_end(&p.file, line);
    line = xsp_line(&p.file, 2, "XLA Ops", 0);
    for (uint64_t i = 0; i < 30; i++)
        xsp_put_event(&p.file, FUSION, i * STEP, FUSED);
    pbw_end(&p.file, line);
    pbw_end(&p.file, plane);
    open_profile(&p);
    ask_ok(&answer, p.store, OVER, "run=run");
    assert_string_equal(text_at(answer.json, "step.overlap"),
                        "2 of 4 steps begin before another one on the same chip ends: what runs in "
                        "both is counted in both");
    assert_int_equal(number_at(answer.json, "step.gap_ps"), 10 * STEP);
    const cJSON *host = cJSON_GetArrayItem(at(answer.json, "verdicts"), 3);
    assert_string_equal(at(host, "says")->valuestring, "unknown");
    assert_string_equal(at(host, "text")->valuestring, "steps of a chip overlap");
    answer_free(&answer);
    ask_ok(&answer, p.store, "/api/v1/doctor", "run=run");
    assert_non_null(strstr(text_at(answer.json, "measured.not_judged"),
                           "T01, T02, T04: steps of one chip overlap"));
    answer_free(&answer);
    close_profile(&p);
}

/* Two programs whose HLO is not in the profile: the events of operations have only their ids, the
 * row of programs has their names. */
static void programs_without_hlo(void **state)
{
    (void)state;
    enum { OTHER = 20, OTHER_MODULE };
    struct profile p = {.store = NULL};
    struct answer answer;
    size_t plane = begin_plane(&p, "/device:TPU:0");
    put_name_of(&p, 8, OTHER, "%fusion.9 = f32[8] fusion(f32[8] %p)", "fusion.9");
    xsp_event_name(&p.file, OTHER_MODULE, "jit_g(8)");
    size_t line = xsp_line(&p.file, 2, "XLA Modules", 0);
    for (uint64_t i = 0; i < 3; i++)
        xsp_put_event(&p.file, i == 2 ? OTHER_MODULE : MODULE, i * STEP, BUSY);
    pbw_end(&p.file, line);
    line = xsp_line(&p.file, 3, "XLA Ops", 0);
    for (int64_t i = 0; i < 3; i++)
        put_op(&p, i == 2 ? OTHER : FUSION, i * STEP, FUSED, i * STEP, FUSED);
    pbw_end(&p.file, line);
    pbw_end(&p.file, plane);
    open_profile(&p);
    ask_ok(&answer, p.store, OVER, "run=run");
    assert_int_equal(number_at(answer.json, "programs.n"), 2);
    assert_string_equal(cJSON_GetArrayItem(at(answer.json, "programs.name"), 0)->valuestring,
                        "jit_f(7)");
    assert_string_equal(cJSON_GetArrayItem(at(answer.json, "programs.name"), 1)->valuestring,
                        "jit_g(8)");
    assert_int_equal(item_at(at(answer.json, "programs.self_ps"), 1), FUSED);
    assert_int_equal(item_at(at(answer.json, "programs.runs"), 0), 2);
    assert_int_equal(item_at(at(answer.json, "programs.runs"), 1), 1);
    answer_free(&answer);
    close_profile(&p);
}

/* A chip that ran its program twice and another one once before the first marked step; the
 * SparseCore beside it takes part in each of these runs. */
static void runs_before_the_first_step(void **state)
{
    (void)state;
    struct profile p = {.store = NULL};
    struct answer answer;
    for (int core = 0; core < 2; core++) {
        size_t plane = begin_plane(&p, core ? "/device:TPU:0 SparseCore 0" : "/device:TPU:0");
        size_t line = xsp_line(&p.file, 1, "Steps", 0);
        for (uint64_t i = 3; core == 0 && i < 5; i++)
            xsp_put_event(&p.file, TRAIN, i * STEP, BUSY);
        pbw_end(&p.file, line);
        line = xsp_line(&p.file, 2, "XLA Modules", 0);
        for (uint64_t i = 0; i < 5; i++)
            xsp_put_event(&p.file, i == 1 ? KERNEL : MODULE, i * STEP, BUSY);
        pbw_end(&p.file, line);
        line = xsp_line(&p.file, 3, "XLA Ops", 0);
        for (int64_t i = 0; i < 5; i++)
            put_op(&p, FUSION, i * STEP, FUSED, i * STEP, FUSED);
        pbw_end(&p.file, line);
        pbw_end(&p.file, plane);
    }
    open_profile(&p);
    ask_ok(&answer, p.store, OVER, "run=run");
    assert_int_equal(number_at(answer.json, "capture.before"), 3);
    assert_int_equal(number_at(answer.json, "capture.before_own"), 2);
    assert_string_equal(text_at(answer.json, "capture.sentence"),
                        "30.0 µs before the first step: 1 run of other programs, 2 of its own");
    answer_free(&answer);
    ask_ok(&answer, p.store, "/api/v1/trace/ops", "run=run");
    assert_int_equal(number_at(answer.json, "chips"), 1); /* two devices of one chip */
    assert_int_equal(item_at(at(answer.json, "ops.chips"), 0), 2);
    assert_true(cJSON_IsNull(cJSON_GetArrayItem(at(answer.json, "ops.chip_spread"), 0)));
    answer_free(&answer);
    close_profile(&p);
}

/* ---- damaged ---- */

/* Steps inside of each other, operations that overlap, durations beyond any clock. */
static void odd_times(void **state)
{
    (void)state;
    struct profile p = {.store = NULL};
    struct answer answer;
    size_t plane = begin_plane(&p, "/device:TPU:0");
    size_t line = xsp_line(&p.file, 1, "Steps", 0);
    xsp_put_event(&p.file, TRAIN, 0, 1000);
    xsp_put_event(&p.file, TRAIN, 100, 200);
    xsp_put_event(&p.file, TRAIN, 150, 0);
    xsp_put_event(&p.file, TRAIN, 2000, INT64_MAX / 4);
    pbw_end(&p.file, line);
    line = xsp_line(&p.file, 2, "XLA Ops", 0);
    put_op(&p, FUSION, 0, 900, 0, INT64_MAX / 2);
    put_op(&p, FUSION, 50, 900, 50, 900);
    put_op(&p, DONE, 120, 900, INT64_MAX / 2, INT64_MAX / 2);
    put_op(&p, REDUCE, 2000, 900, -5, -7);
    pbw_end(&p.file, line);
    pbw_end(&p.file, plane);
    open_profile(&p);
    for (int clock = 0; clock < 2; clock++) {
        ask_ok(&answer, p.store, SPLIT, "run=run&chip=all&clock=%s", clock ? "host" : "device");
        for (int i = 0; i < (int)number_at(answer.json, "steps.n"); i++)
            assert_int_equal(row_sum(answer.json, i),
                             item_at(at(answer.json, "steps.duration_ps"), i));
        answer_free(&answer);
        ask_ok(&answer, p.store, OVER, "run=run&clock=%s", clock ? "host" : "device");
        assert_int_equal(number_at(answer.json, "rest_ps"), 0);
        answer_free(&answer);
    }
    close_profile(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_steps),
        cmocka_unit_test(without_hlo),
        cmocka_unit_test(clocks_apart),
        cmocka_unit_test(one_step),
        cmocka_unit_test(runs_on_streams),
        cmocka_unit_test(another_program_between_runs),
        cmocka_unit_test(windows),
        cmocka_unit_test(kernels_longer_than_windows),
        cmocka_unit_test(odd_times),
        cmocka_unit_test(hosts_apart),
        cmocka_unit_test(no_operations),
        cmocka_unit_test(steps_overlap),
        cmocka_unit_test(programs_without_hlo),
        cmocka_unit_test(runs_before_the_first_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
