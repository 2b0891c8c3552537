/* Ops, Roofline and Overview of profiles that say little, or say it wrongly: one operation that ran
 * a million times, the program of another run, operations that name no program, events that overlap
 * or have no sane length, steps that nest, peaks that are none. */
#include "hlo_bench.h"
#include "tool_call.h"
#include "xspace_parts.h"
#include "xspace_wrap.h"

#define OPS      "/api/v1/trace/ops"
#define ONE      "/api/v1/trace/ops/one"
#define ROOFLINE "/api/v1/roofline"
#define SPLIT    "/api/v1/trace/stepsplit"
#define OVER     "/api/v1/overview"

enum { STAT_PROGRAM = 1 };
enum { LOOP = 1, FUSION, STEP, MODULE };

struct profile {
    struct pbw file;
    struct one_run made;
    struct xpd_store *store;
};

static void put_name(struct pbw *w, uint64_t id, const char *name, bool with_program)
{
    size_t entry = pbw_begin(w, 4), value;
    pbw_uint(w, 1, id);
    value = pbw_begin(w, 2);
    pbw_uint(w, 1, id);
    pbw_str(w, 2, name);
    if (with_program) {
        size_t stat = pbw_begin(w, 5);
        pbw_uint(w, 1, STAT_PROGRAM);
        pbw_uint(w, 4, 7);
        pbw_end(w, stat);
    }
    pbw_end(w, value);
    pbw_end(w, entry);
}

static size_t begin_chip(struct profile *p, bool with_program)
{
    size_t plane = xsp_plane(&p->file, "/device:TPU:0");
    xsp_stat_name(&p->file, STAT_PROGRAM, "program_id");
    put_name(&p->file, LOOP, "%while.1 = f32[8] while(f32[8] %p)", with_program);
    put_name(&p->file, FUSION, "%fusion.2 = f32[8] fusion(f32[8] %p)", with_program);
    xsp_event_name(&p->file, STEP, "train");
    xsp_event_name(&p->file, MODULE, "jit_f(7)");
    return plane;
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

/* Parts of a row of stepsplit: they are its duration. */
static void check_steps(struct profile *p, const char *query)
{
    static const char *const part[] = {"idle",   "copies_in", "copies_out", "copies", "collectives",
                                       "infeed", "waits",     "none",       "matmul", "elem",
                                       "reduce", "move",      "control",    "host",   "custom"};
    struct answer answer;
    ask_ok(&answer, p->store, SPLIT, "%s", query);
    for (int i = 0; i < number_at(answer.json, "steps.n"); i++) {
        int64_t sum_ps = 0;
        for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
            char path[40];
            snprintf(path, sizeof path, "steps.%s_ps", part[k]);
            int64_t ps = item_at(at(answer.json, path), i);
            assert_true(ps >= 0);
            sum_ps += ps;
        }
        assert_int_equal(sum_ps, item_at(at(answer.json, "steps.duration_ps"), i));
    }
    answer_free(&answer);
}

/* ---- much of one ---- */

#define MILLION 1000000

static void a_million_executions(void **state)
{
    (void)state;
    struct profile p = {.store = NULL};
    struct answer answer;
    size_t plane = begin_chip(&p, true);
    size_t line = xsp_line(&p.file, 1, "XLA Ops", 0);
    for (uint64_t i = 0; i < MILLION; i++)
        xsp_put_event(&p.file, FUSION, i * 1000, 100 + i % 100);
    pbw_end(&p.file, line);
    pbw_end(&p.file, plane);
    open_profile(&p);
    ask_ok(&answer, p.store, OPS, "run=run&percentiles=1");
    assert_int_equal(number_at(answer.json, "total"), 1);
    assert_int_equal(item_at(at(answer.json, "ops.count"), 0), MILLION);
    assert_int_equal(item_at(at(answer.json, "ops.self_ps"), 0), INT64_C(149500000));
    assert_int_equal(item_at(at(answer.json, "ops.p50_ps"), 0), 149);
    assert_int_equal(item_at(at(answer.json, "ops.p99_ps"), 0), 198);
    answer_free(&answer);
    ask_ok(&answer, p.store, ONE, "run=run&name=fusion.2");
    assert_int_equal(number_at(answer.json, "all_runs"), MILLION);
    assert_int_equal(column_sum(answer.json, "histogram.count"), MILLION);
    assert_int_equal(number_at(answer.json, "kernels.n"), 0); /* of a TPU */
    answer_free(&answer);
    check_steps(&p, "run=run&px=100");
    close_profile(&p);
}

/* ---- another program, or none ---- */

static void the_program_of_another_run(void **state)
{
    (void)state;
    struct profile p = {.store = NULL};
    struct bench_size size = {200, 200, 400};
    struct pbw hlo = {0};
    struct answer answer;
    bench_build(&hlo, &size);
    xspace_wrap(&p.file, "jit_other", 99, &hlo);
    pbw_free(&hlo);
    size_t plane = begin_chip(&p, true);
    size_t line = xsp_line(&p.file, 1, "XLA Ops", 0);
    for (uint64_t i = 0; i < 20; i++)
        xsp_put_event(&p.file, FUSION, i * 1000, 500);
    pbw_end(&p.file, line);
    pbw_end(&p.file, plane);
    open_profile(&p);
    ask_ok(&answer, p.store, OPS, "run=run&peak_flops=1e12&peak_bandwidth=1e12");
    assert_int_equal(number_at(answer.json, "total"), 1);
    assert_int_equal(number_at(answer.json, "self_ps"), 20 * 500);
    assert_true(cJSON_IsNull(cJSON_GetArrayItem(at(answer.json, "ops.flops"), 0)));
    assert_string_equal(cJSON_GetArrayItem(at(answer.json, "ops.bound"), 0)->valuestring,
                        "unknown");
    assert_non_null(
        strstr(cJSON_GetArrayItem(at(answer.json, "ops.bound_reason"), 0)->valuestring, "HLO"));
    answer_free(&answer);
    ask_ok(&answer, p.store, ROOFLINE, "run=run&peak_flops=1e12&peak_bandwidth=1e12");
    assert_int_equal(number_at(answer.json, "judged"), 0);
    assert_int_equal(column_sum(answer.json, "places.self_ps"), 20 * 500);
    answer_free(&answer);
    ask_ok(&answer, p.store, OVER, "run=run&peak_flops=1e12&peak_bandwidth=1e12");
    assert_non_null(strstr(answer.body, "the profile has other programs, not the one that ran"));
    answer_free(&answer);
    close_profile(&p);
}

static void operations_without_a_program(void **state)
{
    (void)state;
    struct profile p = {.store = NULL};
    struct answer answer;
    size_t plane = begin_chip(&p, false);
    size_t line = xsp_line(&p.file, 1, "XLA Ops", 0);
    for (uint64_t i = 0; i < 20; i++)
        xsp_put_event(&p.file, FUSION, i * 100000000, 50000000);
    pbw_end(&p.file, line);
    pbw_end(&p.file, plane);
    open_profile(&p);
    ask_ok(&answer, p.store, OVER, "run=run");
    assert_int_equal(number_at(answer.json, "rest_ps"), 0);
    int64_t all_ps = number_at(answer.json, "step.total_ps");
    assert_int_equal(column_sum(answer.json, "losses.total_ps"), all_ps);
    assert_true(all_ps > 0);
    answer_free(&answer);
    ask_ok(&answer, p.store, ROOFLINE, "run=run");
    assert_true(cJSON_IsTrue(at(answer.json, "known")) ||
                strlen(text_at(answer.json, "reason")) > 0);
    answer_free(&answer);
    check_steps(&p, "run=run");
    close_profile(&p);
}

/* ---- times that are wrong ---- */

/* A loop that two bodies overlap at their ends, one of them beyond the loop; a length of -5. */
static void events_that_overlap(void **state)
{
    (void)state;
    struct profile p = {.store = NULL};
    struct answer answer;
    size_t plane = begin_chip(&p, true);
    size_t line = xsp_line(&p.file, 2, "XLA Modules", 0);
    xsp_put_event(&p.file, MODULE, 0, 10000);
    pbw_end(&p.file, line);
    line = xsp_line(&p.file, 1, "XLA Ops", 0);
    xsp_put_event(&p.file, LOOP, 1000, 5000);
    xsp_put_event(&p.file, FUSION, 2000, 2500);
    xsp_put_event(&p.file, FUSION, 4000, 4000);
    xsp_put_event(&p.file, FUSION, 9000, (uint64_t)-5);
    pbw_end(&p.file, line);
    pbw_end(&p.file, plane);
    open_profile(&p);
    ask_ok(&answer, p.store, OPS, "run=run&percentiles=1");
    int64_t self_ps = number_at(answer.json, "self_ps");
    assert_int_equal(column_sum(answer.json, "ops.self_ps"), self_ps);
    for (int i = 0; i < number_at(answer.json, "total"); i++) {
        assert_true(item_at(at(answer.json, "ops.self_ps"), i) >= 0);
        assert_true(item_at(at(answer.json, "ops.self_ps"), i) <=
                    item_at(at(answer.json, "ops.total_ps"), i));
    }
    answer_free(&answer);
    ask_ok(&answer, p.store, OVER, "run=run");
    assert_int_equal(number_at(answer.json, "rest_ps"), 0);
    answer_free(&answer);
    check_steps(&p, "run=run");
    close_profile(&p);
}

/* Four steps, the second inside of the first, the fourth over the end of the third. */
static void steps_that_nest(void **state)
{
    (void)state;
    struct profile p = {.store = NULL};
    struct answer answer;
    size_t plane = begin_chip(&p, true);
    size_t line = xsp_line(&p.file, 3, "Steps", 0);
    xsp_put_event(&p.file, STEP, 0, 10000);
    xsp_put_event(&p.file, STEP, 2000, 3000);
    xsp_put_event(&p.file, STEP, 20000, 5000);
    xsp_put_event(&p.file, STEP, 23000, 7000);
    pbw_end(&p.file, line);
    line = xsp_line(&p.file, 1, "XLA Ops", 0);
    for (uint64_t i = 0; i < 30; i++)
        xsp_put_event(&p.file, FUSION, i * 1000, 600);
    pbw_end(&p.file, line);
    pbw_end(&p.file, plane);
    open_profile(&p);
    check_steps(&p, "run=run");
    ask_ok(&answer, p.store, OVER, "run=run");
    assert_int_equal(number_at(answer.json, "rest_ps"), 0);
    for (int i = 0; i < number_at(answer.json, "losses.n"); i++)
        assert_true(item_at(at(answer.json, "losses.total_ps"), i) >= 0);
    answer_free(&answer);
    close_profile(&p);
}

/* ---- peaks ---- */

static void peaks_that_are_none(void **state)
{
    (void)state;
    struct profile p = {.store = NULL};
    struct answer answer;
    static const char *const none[] = {"peak_flops=0", "peak_bandwidth=-1", "peak_link=0.0",
                                       "peak_flops=nan"};
    size_t plane = begin_chip(&p, true);
    size_t line = xsp_line(&p.file, 1, "XLA Ops", 0);
    xsp_put_event(&p.file, FUSION, 0, 500);
    pbw_end(&p.file, line);
    pbw_end(&p.file, plane);
    open_profile(&p);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        ask(&answer, p.store, ROOFLINE, "run=run&%s", none[i]);
        assert_int_equal(answer.code, XPD_EINVAL);
        assert_non_null(strstr(answer.err.text, "peak_"));
        answer_free(&answer);
    }
    ask_ok(&answer, p.store, ROOFLINE, "run=run&peak_flops=1e12");
    answer_free(&answer);
    close_profile(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_executions),
        cmocka_unit_test(the_program_of_another_run),
        cmocka_unit_test(operations_without_a_program),
        cmocka_unit_test(events_that_overlap),
        cmocka_unit_test(steps_that_nest),
        cmocka_unit_test(peaks_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
