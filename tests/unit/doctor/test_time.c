/* Findings of time on plain numbers: each once where it speaks and once where it must not; one
 * order for time and memory; findings that change the same buffers. */
#include "doctor_test.h"

#define MS INT64_C(1000000000)

static const struct hb_shape f32_16m = {.type = HB_F32, .rank = 2, .dims = {4096, 1024}};
static const struct hb_shape on_host = {
    .type = HB_F32, .rank = 2, .dims = {4096, 1024}, .layout = HB_DESCENDING, .memory_space = 5};

enum { ARGUMENT, START, WORK, DONE, REDUCE, PREFETCH, PREFETCHED, COUNT };
static const struct op program[COUNT] = {
    {.id = 1, .name = "a", .opcode = "parameter", .shape = &f32_16m, .mib = 16, .kind = 'p'},
    {.id = 2, .name = "copy-start", .opcode = "copy-start", .shape = &on_host, .operand = {1}},
    {.id = 3, .name = "work", .opcode = "add", .shape = &f32_16m, .operand = {1}},
    {.id = 4, .name = "copy-done", .opcode = "copy-done", .shape = &on_host, .operand = {2}},
    {.id = 5, .name = "reduce", .opcode = "all-reduce", .shape = &f32_16m, .operand = {3}},
    {.id = 6, .name = "slice-start", .opcode = "slice-start", .shape = &f32_16m, .operand = {1}},
    {.id = 7, .name = "slice-done", .opcode = "slice-done", .shape = &f32_16m, .operand = {6}}};

static struct sick open_program(void)
{
    struct hb hb;
    struct sick s;
    hb_init(&hb, "hand_made");
    sick_program(&hb, program, COUNT, "");
    sick_open(&s, &hb);
    return s;
}

static void examine(struct sick *s, const struct xpd_doctor_time *time)
{
    struct xpd_err err = {0};
    if (xpd_doctor_time_run(&s->doctor, &s->input, time, &s->arena, &err) != XPD_OK)
        fail_msg("%s", err.text);
}

/* Columns of what operations took, which a case fills. */
struct columns {
    int64_t self_ps[COUNT], lost_ps[COUNT];
    uint64_t count[COUNT];
    const char *bound[COUNT];
    bool relayout[COUNT];
    struct xpd_doctor_ops ops;
};

/* 10 runs on two chips; times of an instruction over all of them. Nothing has a roofline. */
static struct xpd_doctor_time tpu(struct columns *columns, const int64_t self_ps[COUNT])
{
    *columns = (struct columns){.ops = {.clock = "device", .chips = 2, .runs = 10}};
    for (int i = 0; i < COUNT; i++) {
        columns->self_ps[i] = self_ps[i];
        columns->ops.all_ps += self_ps[i];
        columns->count[i] = 10;
        columns->lost_ps[i] = -1;
    }
    columns->ops.self_ps = columns->self_ps;
    columns->ops.lost_ps = columns->lost_ps;
    columns->ops.count = columns->count;
    columns->ops.bound = columns->bound;
    columns->ops.relayout = columns->relayout;
    return (struct xpd_doctor_time){.ops = &columns->ops,
                                    .chips = 2,
                                    .one_at_a_time = true,
                                    .steps_clock = "device",
                                    .short_gaps_ps = -1,
                                    .straggler_ps = -1,
                                    .input_ps = -1};
}

/* `count` steps of 10 ms each. */
static void steps_of(struct xpd_doctor_time *time, int count)
{
    time->steps = (uint64_t)count;
    time->steps_ps = 10 * count * MS;
}

static void waits_by_kind(void **state)
{
    (void)state;
    struct sick s = open_program();
    int64_t self_ps[COUNT] = {
        [WORK] = 50 * MS, [DONE] = 30 * MS, [REDUCE] = 12 * MS, [PREFETCHED] = 8 * MS};
    struct columns columns;
    struct xpd_doctor_time time = tpu(&columns, self_ps);
    examine(&s, &time);
    assert_int_equal(s.doctor.count, 3);
    const struct xpd_finding *f = sick_finding(&s, "T01", 0);
    assert_int_equal(f->saving_ps, 3 * MS);
    assert_int_equal(f->of_ps, 10 * MS);
    assert_true(f->share > 0.299 && f->share < 0.301);
    assert_int_equal(f->instruction, DONE);
    assert_int_equal(f->severity, XPD_DOCTOR_WARN);
    assert_int_equal(f->saving_bytes, -1);
    assert_int_equal(f->op_count, 1);
    assert_int_equal(f->op[0].saving_ps, 3 * MS);
    assert_non_null(strstr(f->claim.data, "spends 3.0 ms of the 10.0 ms"));
    assert_non_null(strstr(f->claim.data, "host memory: %copy-done 3.0 ms. In 10 runs on 2 chips "
                                          "this is 30.0 ms of 100.0 ms, by the device's clock"));
    assert_int_equal(sick_finding(&s, "T01", 1)->instruction, REDUCE);
    assert_int_equal(sick_finding(&s, "T01", 2)->instruction, PREFETCHED);
    assert_int_equal(sick_finding(&s, "T01", 2)->severity, XPD_DOCTOR_INFO);
    sick_close(&s);
}

static void hidden_transfers_are_no_finding(void **state)
{
    (void)state;
    struct sick s = open_program();
    int64_t self_ps[COUNT] = {[START] = 90 * MS, [WORK] = 99 * MS, [DONE] = MS, [REDUCE] = 4 * MS};
    struct columns columns;
    struct xpd_doctor_time time = tpu(&columns, self_ps);
    examine(&s, &time);
    assert_int_equal(s.doctor.count, 0);
    /* The start is the work of starting: no wait, however long. */
    columns.ops.all_ps = 0;
    memset(columns.self_ps, 0, sizeof columns.self_ps);
    examine(&s, &time);
    assert_int_equal(s.doctor.count, 0);
    sick_close(&s);
}

/* What computes runs beside copies already: to start them earlier is not advice then. */
static void copies_that_hide_all_there_is(void **state)
{
    (void)state;
    struct sick s = open_program();
    int64_t self_ps[COUNT] = {[WORK] = 5 * MS, [DONE] = 95 * MS};
    struct columns columns;
    struct xpd_doctor_time time = tpu(&columns, self_ps);
    time.compute_ps = 5 * MS;
    time.hidden_ps = 5 * MS;
    examine(&s, &time);
    const struct xpd_finding *f = sick_finding(&s, "T01", 0);
    assert_non_null(strstr(f->claim.data, "Starting them earlier does not help"));
    assert_null(strstr(f->advice.data, "start the copies earlier"));
    time.hidden_ps = 2 * MS;
    examine(&s, &time);
    f = sick_finding(&s, "T01", 0);
    assert_null(strstr(f->claim.data, "Starting them earlier"));
    assert_non_null(strstr(f->advice.data, "start the copies earlier"));
    sick_close(&s);
}

static void streams_by_what_is_exposed(void **state)
{
    (void)state;
    struct sick s = open_program();
    int64_t self_ps[COUNT] = {[DONE] = 30 * MS};
    struct columns columns;
    struct xpd_doctor_time time = tpu(&columns, self_ps);
    time.one_at_a_time = false;
    examine(&s, &time);
    assert_int_equal(s.doctor.count, 0);
    assert_non_null(
        strstr(s.doctor.not_judged.data, "T01, T02, T04, T12: no step of a chip was recorded"));
    time.steps = 4;
    time.steps_ps = 400 * MS;
    time.comm_exposed_ps = 40 * MS;
    time.copy_exposed_ps = 19 * MS;
    examine(&s, &time);
    assert_int_equal(s.doctor.count, 1);
    const struct xpd_finding *f = sick_finding(&s, "T01", 0);
    assert_int_equal(f->saving_ps, 10 * MS);
    assert_non_null(strstr(f->claim.data, "spends 10.0 ms (10 %) on collectives"));
    assert_true(xpd_str_eq(f->place, XPD_STR("collectives")));
    time.copy_exposed_ps = 40 * MS;
    examine(&s, &time);
    assert_true(xpd_str_eq(sick_finding(&s, "T01", 1)->place, XPD_STR("copies")));
    sick_close(&s);
}

static void idle_within_and_between_steps(void **state)
{
    (void)state;
    struct sick s = open_program();
    int64_t self_ps[COUNT] = {[WORK] = MS};
    struct columns columns;
    struct xpd_doctor_time time = tpu(&columns, self_ps);
    time.steps = 10;
    time.steps_ps = 80 * MS;
    time.idle_ps = 10 * MS;
    time.gap_ps = 20 * MS;
    time.gap_idle_ps = 20 * MS;
    examine(&s, &time);
    const struct xpd_finding *f = sick_finding(&s, "T02", 0);
    assert_non_null(f);
    assert_int_equal(f->saving_ps, 3 * MS);
    assert_int_equal(f->of_ps, 10 * MS);
    assert_non_null(strstr(f->claim.data, "1.0 ms inside it, 2.0 ms after it"));
    time.gap_idle_ps = 10 * MS; /* in the rest other programs run */
    examine(&s, &time);
    f = sick_finding(&s, "T02", 0);
    assert_int_equal(f->saving_ps, 2 * MS);
    assert_int_equal(f->of_ps, 10 * MS);
    time.idle_ps = 0;
    time.gap_ps = time.gap_idle_ps = 4 * MS; /* of 84 */
    examine(&s, &time);
    assert_null(sick_finding(&s, "T02", 0));
    sick_close(&s);
}

/* Each idle moment is in one finding: gaps between launches and waits for input leave T02 the rest.
 */
static void idle_is_counted_once(void **state)
{
    (void)state;
    struct sick s = open_program();
    int64_t self_ps[COUNT] = {[WORK] = MS};
    struct columns columns;
    struct xpd_doctor_time time = tpu(&columns, self_ps);
    steps_of(&time, 10);
    time.idle_ps = 60 * MS;
    time.short_gaps = 5000;
    time.short_gaps_ps = 20 * MS;
    time.input_ps = 30 * MS;
    time.input = XPD_STR("loader.py:49 next");
    examine(&s, &time);
    const struct xpd_finding *idle = sick_finding(&s, "T02", 0);
    const struct xpd_finding *launches = sick_finding(&s, "T04", 0);
    const struct xpd_finding *input = sick_finding(&s, "T12", 0);
    assert_int_equal(idle->saving_ps + launches->saving_ps + input->saving_ps, 6 * MS);
    assert_int_equal(idle->saving_ps, MS);
    assert_non_null(strstr(launches->claim.data, "is idle 500 times for less than 100 µs"));
    assert_non_null(strstr(input->claim.data, "3.0 ms while the host waits in loader.py:49 next"));
    time.short_gaps_ps = 4 * MS; /* below 5 % of 100 */
    time.input_ps = 4 * MS;
    examine(&s, &time);
    assert_null(sick_finding(&s, "T04", 0));
    assert_null(sick_finding(&s, "T12", 0));
    sick_close(&s);
}

/* Threads of a pool that sleep are not launched; without calls for input nothing is said of it. */
static void a_cpu_launches_nothing(void **state)
{
    (void)state;
    struct sick s = open_program();
    int64_t self_ps[COUNT] = {[WORK] = MS};
    struct columns columns;
    struct xpd_doctor_time time = tpu(&columns, self_ps);
    steps_of(&time, 10);
    time.threads = true;
    time.short_gaps_ps = 50 * MS;
    time.no_input = "no event names what computes";
    time.idle_ps = 52 * MS; /* below 5 % of 100 beside the short gaps */
    examine(&s, &time);
    assert_null(strstr(s.doctor.not_judged.data, "T12"));
    time.idle_ps = 60 * MS;
    examine(&s, &time);
    assert_null(sick_finding(&s, "T04", 0));
    assert_null(sick_finding(&s, "T09", 0));
    assert_non_null(strstr(s.doctor.not_judged.data, "T12: no event names what computes"));
    time.infeed_ps = 20 * MS;
    examine(&s, &time);
    assert_int_equal(sick_finding(&s, "T12", 0)->saving_ps, 2 * MS);
    sick_close(&s);
}

static void one_chip_holds_the_others_up(void **state)
{
    (void)state;
    struct sick s = open_program();
    int64_t self_ps[COUNT] = {[WORK] = MS};
    struct columns columns;
    struct xpd_doctor_time time = tpu(&columns, self_ps);
    time.common_steps = 10;
    time.common_ps = 100 * MS;
    time.straggler = XPD_STR("TPU:1");
    time.straggler_ps = 5 * MS;
    examine(&s, &time);
    const struct xpd_finding *f = sick_finding(&s, "T03", 0);
    assert_int_equal(f->saving_ps, MS / 2);
    assert_int_equal(f->severity, XPD_DOCTOR_WARN);
    assert_non_null(strstr(f->claim.data, "TPU:1 works 500.0 µs longer"));
    time.straggler_ps = MS; /* 1 % */
    examine(&s, &time);
    assert_null(sick_finding(&s, "T03", 0));
    sick_close(&s);
}

/* ---- operations ---- */

static void memory_bound_work_beyond_its_roofline(void **state)
{
    (void)state;
    struct sick s = open_program();
    int64_t self_ps[COUNT] = {[WORK] = 100 * MS, [REDUCE] = 900 * MS};
    struct columns columns;
    struct xpd_doctor_time time = tpu(&columns, self_ps);
    columns.bound[WORK] = "HBM";
    columns.lost_ps[WORK] = 20 * MS;
    examine(&s, &time);
    const struct xpd_finding *f = sick_finding(&s, "T05", 0);
    assert_int_equal(f->saving_ps, 2 * MS);
    assert_int_equal(f->severity, XPD_DOCTOR_INFO);
    assert_int_equal(f->instruction, WORK);
    assert_non_null(
        strstr(f->claim.data, "bound by memory reaches 80 % of its rate and takes 10.0"));
    columns.lost_ps[WORK] = 9 * MS; /* it reaches 91 % */
    examine(&s, &time);
    assert_null(sick_finding(&s, "T05", 0));
    assert_null(sick_finding(&s, "T13", 0));
    columns.lost_ps[WORK] = 97 * MS; /* 3 %: it is not the memory that holds it back */
    examine(&s, &time);
    assert_null(sick_finding(&s, "T05", 0));
    columns.lost_ps[WORK] = 20 * MS;
    columns.ops.peaks_wrong = "%work is faster than the memory";
    columns.ops.memory_wrong = true;
    examine(&s, &time);
    assert_null(sick_finding(&s, "T05", 0));
    assert_non_null(strstr(sick_finding(&s, "T13", 0)->claim.data, "faster than the memory"));
    assert_non_null(strstr(s.doctor.not_judged.data, "T05: an operation is faster"));
    columns.ops.no_peaks = "peaks of this device are not known";
    examine(&s, &time);
    assert_non_null(
        strstr(s.doctor.not_judged.data, "T05, T06: peaks of this device are not known"));
    sick_close(&s);
}

/* m 512, n 130, k 1024 in tiles of 8 x 128 x 128: n is to blame. */
static void matrix_products_say_which_dimension(void **state)
{
    (void)state;
    struct sick s = open_program();
    int64_t self_ps[COUNT] = {[WORK] = 100 * MS};
    struct columns columns;
    struct xpd_doctor_time time = tpu(&columns, self_ps);
    uint32_t matmul[COUNT];
    struct xpd_matmul product = {.instruction = WORK, .batch = 1, .m = 512, .n = 130, .k = 1024};
    struct xpd_costs costs = {.matmul = matmul, .matmuls = &product, .matmul_count = 1};
    memset(matmul, 0xff, sizeof matmul);
    matmul[WORK] = 0;
    columns.bound[WORK] = "compute";
    columns.lost_ps[WORK] = 70 * MS;
    columns.ops.costs = &costs;
    columns.ops.tile_m = 8;
    columns.ops.tile_n = columns.ops.tile_k = 128;
    examine(&s, &time);
    const struct xpd_finding *f = sick_finding(&s, "T06", 0);
    assert_int_equal(f->saving_ps, 7 * MS);
    assert_non_null(strstr(f->claim.data, "1 matrix product reaches 30 %"));
    assert_non_null(
        strstr(f->claim.data, "(m 512, n 130, k 1024), n = 130 takes the space of 256"));
    product.n = 128;
    examine(&s, &time);
    assert_non_null(strstr(sick_finding(&s, "T06", 0)->claim.data, "fill the tiles"));
    columns.ops.compute_wrong = true;
    examine(&s, &time);
    assert_null(sick_finding(&s, "T06", 0));
    columns.ops.compute_wrong = false;
    columns.lost_ps[WORK] = 30 * MS; /* it reaches 70 % */
    examine(&s, &time);
    assert_null(sick_finding(&s, "T06", 0));
    sick_close(&s);
}

static void layout_copies_win_all_they_take(void **state)
{
    (void)state;
    struct sick s = open_program();
    int64_t self_ps[COUNT] = {[WORK] = 10 * MS, [PREFETCH] = 90 * MS};
    struct columns columns;
    struct xpd_doctor_time time = tpu(&columns, self_ps);
    columns.bound[WORK] = "HBM";
    columns.lost_ps[WORK] = 5 * MS;
    columns.relayout[WORK] = true;
    examine(&s, &time);
    const struct xpd_finding *f = sick_finding(&s, "T07", 0);
    assert_int_equal(f->saving_ps, MS);
    assert_int_equal(f->severity, XPD_DOCTOR_WARN);
    assert_null(sick_finding(&s, "T05", 0)); /* it is in one finding */
    columns.relayout[WORK] = false;
    examine(&s, &time);
    assert_null(sick_finding(&s, "T07", 0));
    assert_non_null(sick_finding(&s, "T05", 0));
    sick_close(&s);
}

static const struct op again[] = {
    {.id = 1, .name = "a", .opcode = "parameter", .shape = &f32_16m, .mib = 16, .kind = 'p'},
    {.id = 2, .name = "work.remat", .opcode = "add", .shape = &f32_16m, .operand = {1}},
    {.id = 3, .name = "work", .opcode = "add", .shape = &f32_16m, .operand = {1}}};

static void what_is_computed_again(void **state)
{
    (void)state;
    struct hb hb;
    struct sick s;
    hb_init(&hb, "hand_made");
    sick_program(&hb, again, 3, "");
    sick_open(&s, &hb);
    int64_t self_ps[COUNT] = {[1] = 10 * MS, [2] = 90 * MS};
    struct columns columns;
    struct xpd_doctor_time time = tpu(&columns, self_ps);
    s.input.capacity_bytes = 1024 * MIB;
    examine(&s, &time);
    const struct xpd_finding *f = sick_finding(&s, "T08", 0);
    assert_int_equal(f->saving_ps, MS);
    assert_int_equal(f->severity, XPD_DOCTOR_INFO);
    assert_non_null(strstr(f->advice.data, "free at the peak"));
    columns.self_ps[1] = 0;
    examine(&s, &time);
    assert_null(sick_finding(&s, "T08", 0));
    sick_close(&s);
}

static void many_small_operations(void **state)
{
    (void)state;
    struct sick s = open_program();
    int64_t self_ps[COUNT] = {[WORK] = 10 * MS, [REDUCE] = 90 * MS};
    struct columns columns;
    struct xpd_doctor_time time = tpu(&columns, self_ps);
    columns.count[WORK] = 10000; /* of 1 us */
    columns.bound[WORK] = "HBM";
    columns.lost_ps[WORK] = 9 * MS;
    examine(&s, &time);
    const struct xpd_finding *f = sick_finding(&s, "T09", 0);
    assert_int_equal(f->saving_ps, 9 * MS / 10);
    assert_non_null(strstr(f->claim.data, "executes 1000 operations of less than 10 µs each"));
    columns.count[WORK] = 100; /* 10 a run, of 100 us */
    examine(&s, &time);
    assert_null(sick_finding(&s, "T09", 0));
    sick_close(&s);
}

/* ---- the recording ---- */

static void clocks_that_differ(void **state)
{
    (void)state;
    struct sick s = open_program();
    int64_t self_ps[COUNT] = {[WORK] = MS};
    struct columns columns;
    struct xpd_doctor_time time = tpu(&columns, self_ps);
    steps_of(&time, 100);
    examine(&s, &time);
    assert_null(sick_finding(&s, "T10", 0));
    time.off_steps = 7;
    time.host_least_ps = 5 * MS;
    time.host_most_ps = 12 * MS;
    time.device_least_ps = time.device_most_ps = 10 * MS;
    examine(&s, &time);
    const struct xpd_finding *f = sick_finding(&s, "T10", 0);
    assert_int_equal(f->saving_ps, -1);
    assert_non_null(strstr(f->claim.data, "7 of 100 steps"));
    assert_non_null(strstr(f->claim.data, "5.0 ms to 12.0 ms"));
    sick_close(&s);
}

static void what_the_profiler_says_is_missing(void **state)
{
    (void)state;
    struct sick s = open_program();
    int64_t self_ps[COUNT] = {[WORK] = MS};
    struct columns columns;
    struct xpd_doctor_time time = tpu(&columns, self_ps);
    examine(&s, &time);
    assert_null(sick_finding(&s, "T11", 0));
    time.complaints = 2;
    time.complaint = XPD_STR("dropped 5 events");
    time.cut = true;
    examine(&s, &time);
    assert_non_null(sick_finding(&s, "T11", 1));
    assert_non_null(strstr(sick_finding(&s, "T11", 1)->claim.data, "\"dropped 5 events\""));
    assert_null(sick_finding(&s, "T11", 2));
    time.lost = "the host started f 10 times";
    time.started = 10;
    time.recorded = 3;
    examine(&s, &time);
    const struct xpd_finding *f = sick_finding(&s, "T11", 2);
    assert_string_equal(f->claim.data, "Executions are missing: the host started f 10 times.");
    assert_int_equal(f->number[1].value, 3);
    sick_close(&s);
}

/* A run whose profile has no HLO: what needs no program is told, the rest is not judged. */
static void no_program(void **state)
{
    (void)state;
    struct xpd_err err = {0};
    struct xpd_arena arena = {0};
    struct xpd_doctor doctor;
    struct xpd_doctor_input input = {.platform = "gpu", .capacity_bytes = -1};
    struct xpd_doctor_time time = {.no_ops = "the profile holds no program",
                                   .chips = 2,
                                   .steps_clock = "host",
                                   .idle_ps = 30 * MS,
                                   .straggler_ps = -1,
                                   .input_ps = -1};
    steps_of(&time, 10);
    assert_int_equal(xpd_doctor_time_run(&doctor, &input, &time, &arena, &err), XPD_OK);
    assert_int_equal(doctor.count, 1);
    assert_string_equal(doctor.finding[0].rule->id, "T02");
    assert_non_null(
        strstr(doctor.not_judged.data, "T05, T06, T07, T08, T09: the profile holds no program"));
    assert_true(xpd_doctor_rank(doctor.finding, doctor.count, NULL, 0, &arena));
    xpd_arena_fini(&arena);
}

static struct xpd_finding finding(int64_t saving_bytes, int64_t saving_ps, double share,
                                  uint32_t *buffer)
{
    static const struct xpd_doctor_rule rule = {.id = "D02"};
    return (struct xpd_finding){.rule = &rule,
                                .severity = XPD_DOCTOR_WARN,
                                .saving_bytes = saving_bytes,
                                .about = saving_ps >= 0 ? XPD_FINDS_TIME : XPD_FINDS_MEMORY,
                                .saving_ps = saving_ps,
                                .share = share,
                                .buffer = buffer,
                                .buffer_count = buffer != NULL};
}

/* 60 % of a run, 50 % of the memory, 20 % of a step, 10 % of the memory, nothing to save. */
static void one_order_by_share(void **state)
{
    (void)state;
    struct sick s = open_program();
    uint32_t same[] = {0};
    struct xpd_finding all[] = {finding(10, -1, -1, same), finding(-1, 2 * MS, 0.2, NULL),
                                finding(-1, -1, -1, same), finding(50, -1, -1, same),
                                finding(-1, MS, 0.6, NULL)};
    assert_true(xpd_doctor_rank(all, 5, s.mem, 100, &s.arena));
    static const double wanted[] = {0.6, 0.5, 0.2, 0.1, -1};
    for (int i = 0; i < 5; i++)
        assert_true(all[i].share > wanted[i] - 1e-9 && all[i].share < wanted[i] + 1e-9);
    assert_int_equal(all[1].overlap_count, 1);
    assert_int_equal(all[1].overlap[0], 3);
    assert_int_equal(all[3].overlap[0], 1);
    assert_int_equal(all[0].overlap_count + all[2].overlap_count + all[4].overlap_count, 0);
    sick_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_by_kind),
        cmocka_unit_test(hidden_transfers_are_no_finding),
        cmocka_unit_test(streams_by_what_is_exposed),
        cmocka_unit_test(copies_that_hide_all_there_is),
        cmocka_unit_test(idle_within_and_between_steps),
        cmocka_unit_test(idle_is_counted_once),
        cmocka_unit_test(a_cpu_launches_nothing),
        cmocka_unit_test(one_chip_holds_the_others_up),
        cmocka_unit_test(memory_bound_work_beyond_its_roofline),
        cmocka_unit_test(matrix_products_say_which_dimension),
        cmocka_unit_test(layout_copies_win_all_they_take),
        cmocka_unit_test(what_is_computed_again),
        cmocka_unit_test(many_small_operations),
        cmocka_unit_test(clocks_that_differ),
        cmocka_unit_test(what_the_profiler_says_is_missing),
        cmocka_unit_test(no_program),
        cmocka_unit_test(one_order_by_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
