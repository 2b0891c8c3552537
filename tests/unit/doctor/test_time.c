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

/* 10 runs on two chips; times of an instruction over all of them. */
static struct xpd_doctor_time tpu(int64_t self_ps[COUNT])
{
    struct xpd_doctor_time time = {
        .clock = "device", .chips = 2, .runs = 10, .self_ps = self_ps, .one_at_a_time = true};
    for (int i = 0; i < COUNT; i++)
        time.ops_ps += self_ps[i];
    return time;
}

static void waits_by_kind(void **state)
{
    (void)state;
    struct sick s = open_program();
    int64_t self_ps[COUNT] = {
        [WORK] = 50 * MS, [DONE] = 30 * MS, [REDUCE] = 12 * MS, [PREFETCHED] = 8 * MS};
    struct xpd_doctor_time time = tpu(self_ps);
    examine(&s, &time);
    assert_int_equal(s.doctor.count, 3);
    const struct xpd_finding *f = sick_finding(&s, "T01", 0);
    assert_int_equal(f->saving_ps, 3 * MS);
    assert_int_equal(f->of_ps, 10 * MS);
    assert_true(f->share > 0.299 && f->share < 0.301);
    assert_int_equal(f->instruction, DONE);
    assert_int_equal(f->severity, XPD_DOCTOR_WARN);
    assert_int_equal(f->saving_bytes, -1);
    assert_non_null(strstr(f->claim.data, "waits 3.0 ms of the 10.0 ms"));
    assert_non_null(strstr(f->claim.data, "host memory: %copy-done 3.0 ms. In 10 runs on 2 chips "
                                          "it is 30.0 ms of 100.0 ms, by the device's clock"));
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
    struct xpd_doctor_time time = tpu(self_ps);
    examine(&s, &time);
    assert_int_equal(s.doctor.count, 0);
    /* The start is the work of starting: no wait, however long. */
    time.ops_ps = 0;
    memset(self_ps, 0, sizeof self_ps);
    examine(&s, &time);
    assert_int_equal(s.doctor.count, 0);
    sick_close(&s);
}

static void streams_by_what_is_exposed(void **state)
{
    (void)state;
    struct sick s = open_program();
    int64_t self_ps[COUNT] = {[DONE] = 30 * MS};
    struct xpd_doctor_time time = tpu(self_ps);
    time.one_at_a_time = false;
    examine(&s, &time);
    assert_int_equal(s.doctor.count, 0);
    assert_non_null(strstr(s.doctor.not_judged.data, "T01: no step of a chip was recorded"));
    time.steps = 4;
    time.steps_ps = 400 * MS;
    time.comm_exposed_ps = 40 * MS;
    time.copy_exposed_ps = 19 * MS;
    examine(&s, &time);
    assert_int_equal(s.doctor.count, 1);
    const struct xpd_finding *f = sick_finding(&s, "T01", 0);
    assert_int_equal(f->saving_ps, 10 * MS);
    assert_non_null(strstr(f->claim.data, "spends 10.0 ms (10 %) on collectives"));
    sick_close(&s);
}

static void idle_within_and_between_steps(void **state)
{
    (void)state;
    struct sick s = open_program();
    int64_t self_ps[COUNT] = {[WORK] = MS};
    struct xpd_doctor_time time = tpu(self_ps);
    time.steps = 10;
    time.steps_ps = 80 * MS;
    time.idle_ps = 10 * MS;
    time.gap_ps = 20 * MS;
    examine(&s, &time);
    const struct xpd_finding *f = sick_finding(&s, "T02", 0);
    assert_non_null(f);
    assert_int_equal(f->saving_ps, 3 * MS);
    assert_int_equal(f->of_ps, 10 * MS);
    assert_non_null(strstr(f->claim.data, "1.0 ms within steps, 2.0 ms between them"));
    time.idle_ps = 0;
    time.gap_ps = 4 * MS; /* of 84 */
    examine(&s, &time);
    assert_null(sick_finding(&s, "T02", 0));
    sick_close(&s);
}

static struct xpd_finding finding(int64_t saving_bytes, int64_t saving_ps, double share,
                                  uint32_t *buffer)
{
    static const struct xpd_doctor_rule rule = {.id = "D02"};
    return (struct xpd_finding){.rule = &rule,
                                .severity = XPD_DOCTOR_WARN,
                                .saving_bytes = saving_bytes,
                                .is_time = saving_ps >= 0,
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
        cmocka_unit_test(idle_within_and_between_steps),
        cmocka_unit_test(one_order_by_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
