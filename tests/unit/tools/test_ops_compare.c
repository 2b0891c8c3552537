/* Operations before and after: whatever a row is, the changes add up to the change of the sums, and
 * nothing is left out. */
#include "tool_call.h"

static const char *const ways[] = {"group", "scope", "operation", "source"};

static int64_t column(const cJSON *table, const char *key, int64_t *unknown)
{
    const cJSON *item;
    int64_t sum = 0;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(table, key))
    {
        if (cJSON_IsNull(item))
            ++*unknown;
        else
            sum += (int64_t)cJSON_GetNumberValue(item);
    }
    return sum;
}

static void check_answer(const cJSON *json)
{
    const cJSON *rows = at(json, "rows"), *unpaired = at(json, "unpaired");
    int64_t change_ps = number_at(json, "change_ps"), none = 0;
    int64_t before_ps = number_at(json, "before.self_ps"),
            after_ps = number_at(json, "after.self_ps");
    assert_int_equal(change_ps, after_ps - before_ps);
    assert_int_equal(column(rows, "change_ps", &none) + number_at(json, "rest_ps"), change_ps);
    assert_int_equal(column(rows, "before_ps", &none), before_ps);
    assert_int_equal(column(rows, "after_ps", &none), after_ps);
    assert_int_equal(column(rows, "ops_before", &none), number_at(json, "before.ops"));
    assert_int_equal(column(rows, "ops_after", &none), number_at(json, "after.ops"));
    assert_int_equal(number_at(json, "unpaired_total"),
                     number_at(json, "before.unpaired") + number_at(json, "after.unpaired"));
    assert_int_equal(number_at(unpaired, "n"), number_at(json, "unpaired_total"));
    assert_int_equal(number_at(json, "before.ops") - number_at(json, "before.unpaired"),
                     number_at(json, "after.ops") - number_at(json, "after.unpaired"));
}

static int compared;

/* By all four, and with one row alone: what is not listed is in the rest. */
static bool check(struct xpd_store *store, const char *query)
{
    struct answer answer;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        ask_ok(&answer, store, "/api/v1/trace/ops/compare", "%s&by=%s&limit=20000", query, ways[w]);
        bool known = cJSON_IsTrue(at(answer.json, "known"));
        if (known)
            check_answer(answer.json);
        else
            assert_true(strlen(text_at(answer.json, "reason")) > 10);
        answer_free(&answer);
        if (!known)
            return false;
    }
    ask_ok(&answer, store, "/api/v1/trace/ops/compare", "%s&limit=1", query);
    int64_t none = 0;
    assert_int_equal(column(at(answer.json, "rows"), "change_ps", &none) +
                         number_at(answer.json, "rest_ps"),
                     number_at(answer.json, "change_ps"));
    answer_free(&answer);
    compared++;
    return true;
}

/* Each program of a run with the one that takes most time: most have little in common. */
static void check_module(struct xpd_store *store, const char *run, const char *module)
{
    char query[900];
    snprintf(query, sizeof query, "run=%s&base_module=%s", run, module);
    check(store, query);
}

static void check_set(const char *name, const char *root, void *data)
{
    struct xpd_store *store = open_store(root);
    (void)name;
    (void)data;
    for_each_module(store, 6, check_module);
    xpd_store_close(store);
}

static void every_capture(void **state)
{
    (void)state;
    assert_true(for_each_data_set(check_set, NULL) > 0);
    assert_true(compared >= 5);
}

/* Against itself nothing changes and each has its pair; a program that is not there is said. */
static void itself(void **state)
{
    (void)state;
    struct xpd_store *store = open_testdata("cpu_mlp_train");
    struct answer answer;
    ask_ok(&answer, store, "/api/v1/trace/ops/compare", "run=run0&by=operation");
    assert_int_equal(number_at(answer.json, "change_ps"), 0);
    assert_int_equal(number_at(answer.json, "unpaired_total"), 0);
    const cJSON *rows = at(answer.json, "rows");
    for (int i = 0; i < (int)number_at(rows, "n"); i++)
        assert_string_equal(text_item(rows, "name_before", i), text_item(rows, "name_after", i));
    answer_free(&answer);
    ask(&answer, store, "/api/v1/trace/ops/compare", "run=run0&base_module=nothing");
    assert_int_equal(answer.code, XPD_ENOTFOUND);
    answer_free(&answer);
    ask_ok(&answer, store, "/api/v1/trace/ops/compare", "run=run0&base_steps=987654");
    assert_true(cJSON_IsFalse(at(answer.json, "known")));
    assert_string_equal(text_at(answer.json, "reason"),
                        "before: this program did not run in the steps asked for");
    answer_free(&answer);
    xpd_store_close(store);
}

/* Two steps of one run, known from its events. */
static void two_steps(void **state)
{
    const char *root = shared_set("transformer_train");
    (void)state;
    if (!root)
        skip();
    struct xpd_store *store = open_store(root);
    struct answer answer;
    const char *query = "run=logdir/run0&base_steps=101&steps=102";
    assert_true(check(store, query));
    ask_ok(&answer, store, "/api/v1/trace/ops/compare", "%s", query);
    assert_int_equal(number_at(answer.json, "change_ps"), -INT64_C(9533759000));
    answer_free(&answer);
    xpd_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_capture),
        cmocka_unit_test(itself),
        cmocka_unit_test(two_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
