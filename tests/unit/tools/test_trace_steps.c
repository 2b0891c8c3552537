/* Steps of a trace that has more of them than an answer lists: on which thread each is, what the
 * pixels of a window can show, none of them dropped. */
#include "tool_call.h"
#include "xspace_parts.h"

#define ROUTE "/api/v1/trace/steps"
#define EVERY 10000000 /* ps from step to step of a thread */
#define LONG  5000000

enum { THREADS = 4, EACH = 40000, STEPS = THREADS * EACH, LISTED = 20000 };

/* A step takes 5 us of 10; on the last thread every hundredth takes 9.99 us, the others 1 ns. */
static int64_t length_of(int thread, int step)
{
    return thread < THREADS - 1 ? LONG : step % 100 == 0 ? EVERY - 10000 : 1000;
}

static bool write_steps(const char *path)
{
    struct pbw file = {0};
    size_t plane = xsp_plane(&file, "/host:CPU");
    for (int t = 0; t < THREADS; t++) {
        size_t line = xsp_line(&file, 700 + t, "python", 0);
        for (int i = 0; i < EACH; i++) {
            size_t event = xsp_event(&file, 1, (uint64_t)i * EVERY, (uint64_t)length_of(t, i));
            xsp_stat_int(&file, 1, 1);
            xsp_stat_int(&file, 2, t * EACH + i);
            pbw_end(&file, event);
        }
        pbw_end(&file, line);
    }
    xsp_event_name(&file, 1, "train");
    xsp_stat_name(&file, 1, "_r");
    xsp_stat_name(&file, 2, "step_num");
    pbw_end(&file, plane);
    bool saved = pbw_save(&file, path);
    pbw_free(&file);
    return saved;
}

static struct one_run made;
static struct xpd_store *store;

static int open_run(void **state)
{
    (void)state;
    make_run(&made);
    assert_true(write_steps(made.file));
    store = open_store(made.root);
    return 0;
}

static int close_run(void **state)
{
    (void)state;
    xpd_store_close(store);
    remove_run(&made);
    return 0;
}

static void lanes_have_all(void **state)
{
    (void)state;
    struct answer answer;
    ask_ok(&answer, store, ROUTE, "run=run");
    assert_int_equal(number_at(answer.json, "n"), LISTED);
    assert_int_equal(number_at(answer.json, "total"), STEPS);
    assert_int_equal(number_at(answer.json, "left_out"), STEPS - LISTED);
    assert_int_equal(number_at(answer.json, "lanes.n"), THREADS);
    assert_int_equal(column_sum(answer.json, "lanes.steps"), STEPS);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(item_at(at(answer.json, "lanes.row"), t), t);
    answer_free(&answer);
}

static void one_thread(void **state)
{
    (void)state;
    struct answer answer;
    ask_ok(&answer, store, ROUTE, "run=run&process=0&row=2&offset=39990");
    assert_int_equal(number_at(answer.json, "total"), EACH);
    assert_int_equal(number_at(answer.json, "n"), 10);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(item_at(at(answer.json, "row"), i), 2);
        assert_int_equal(item_at(at(answer.json, "number"), i), 2 * EACH + 39990 + i);
    }
    answer_free(&answer);
    ask_ok(&answer, store, ROUTE, "run=run&row=1&from=%lld&to=%lld", 7LL * EVERY + LONG,
           10LL * EVERY + 1);
    assert_int_equal(number_at(answer.json, "total"), 3); /* 8, 9, 10; 7 ends where it begins */
    assert_int_equal(item_at(at(answer.json, "number"), 0), EACH + 8);
    answer_free(&answer);
}

/* However many pixels: marks stand for all steps of the thread that touch the window. */
static void marks_have_all(void **state)
{
    (void)state;
    static const int px[] = {1, 10, 1000, 16384};
    for (size_t i = 0; i < sizeof px / sizeof *px; i++)
        for (int t = 0; t < THREADS; t++) {
            struct answer answer;
            ask_ok(&answer, store, ROUTE, "run=run&row=%d&px=%d", t, px[i]);
            int64_t n = number_at(answer.json, "marks.n");
            assert_true(n >= 1 && n <= 2 * px[i] + 2);
            assert_int_equal(column_sum(answer.json, "marks.count"), EACH);
            assert_int_equal(number_at(answer.json, "marks.row"), t);
            assert_null(cJSON_GetArrayItem(cJSON_GetObjectItem(answer.json, "start_ps"), 0));
            answer_free(&answer);
        }
}

/* A step that fills a pixel is a mark of its own, between marks of many. */
static void wide_ones_stand_alone(void **state)
{
    (void)state;
    struct answer answer;
    ask_ok(&answer, store, ROUTE, "run=run&row=3&px=2000&from=0&to=%lld", 200LL * EVERY);
    const cJSON *marks = at(answer.json, "marks");
    int64_t n = number_at(marks, "n"), alone = 0, steps = 0;
    for (int i = 0; i < n; i++) {
        int64_t length = item_at(at(marks, "end_ps"), i) - item_at(at(marks, "start_ps"), i);
        steps += item_at(at(marks, "count"), i);
        alone += length == EVERY - 10000 && item_at(at(marks, "count"), i) == 1;
        assert_int_equal(item_at(at(marks, "number"), i) >= 3 * EACH, 1);
    }
    assert_int_equal(alone, 2);
    assert_int_equal(steps, 200);
    answer_free(&answer);
    ask_ok(&answer, store, ROUTE, "run=run&row=3&px=10&from=0&to=%lld", 200LL * EVERY);
    assert_int_equal(number_at(answer.json, "marks.n"), 10);
    assert_int_equal(column_sum(answer.json, "marks.count"), 200);
    answer_free(&answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_have_all), cmocka_unit_test(one_thread),
        cmocka_unit_test(marks_have_all), cmocka_unit_test(wide_ones_stand_alone)};
    return cmocka_run_group_tests(tests, open_run, close_run);
}
