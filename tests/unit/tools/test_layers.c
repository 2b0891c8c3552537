/* Layers of every capture there is: sums that close, whatever the way; and the numbers of a run
 * that are known. */
#include "tool_call.h"

static int64_t int_of(const cJSON *columns, const char *key, int index)
{
    return item_at(cJSON_GetObjectItem(columns, key), index);
}

static bool is_null(const cJSON *columns, const char *key, int index)
{
    return cJSON_IsNull(cJSON_GetArrayItem(cJSON_GetObjectItem(columns, key), index));
}

/* Cells add up to their part, parts to what is around them, layers and the rest to the step. */
static void check_sums(const cJSON *json)
{
    const cJSON *parts = at(json, "parts"), *cells = at(json, "cells");
    int n = (int)number_at(parts, "n"), cell_count = (int)number_at(cells, "n");
    int64_t *by_cell = calloc((size_t)n, sizeof *by_cell);
    int64_t *by_child = calloc((size_t)n, sizeof *by_child);
    for (int c = 0; c < cell_count; c++)
        by_cell[int_of(cells, "part", c)] += int_of(cells, "self_ps", c);
    for (int p = 0; p < n; p++) {
        assert_int_equal(by_cell[p], int_of(parts, "self_ps", p));
        if (is_null(parts, "parent", p)) {
            assert_int_equal(p, 0);
            continue;
        }
        assert_true(int_of(parts, "parent", p) < p);
        by_child[int_of(parts, "parent", p)] += int_of(parts, "self_ps", p);
    }
    for (int p = 0; p < n; p++)
        if (by_child[p] > 0)
            assert_int_equal(by_child[p], int_of(parts, "self_ps", p));
    int64_t inside = number_at(json, "inside.self_ps"), step = number_at(json, "step.self_ps");
    assert_int_equal(int_of(parts, "self_ps", 0), inside);
    assert_int_equal(column_sum(json, "layers.self_ps"), inside);
    assert_int_equal(column_sum(json, "bars.self_ps"), inside);
    if (number_at(json, "ticks.n") > 0)
        assert_int_equal(column_sum(json, "ticks.self_ps"), inside);
    assert_int_equal(inside + number_at(json, "outside.self_ps"), step);
    assert_int_equal(number_at(json, "inside.ops") + number_at(json, "outside.ops"),
                     number_at(json, "step.ops"));
    free(by_cell);
    free(by_child);
}

/* Each cell taken apart is by step, and by operation, what it is as a whole. */
static void check_cell(struct xpd_store *store, const char *query, const cJSON *json)
{
    const cJSON *cells = at(json, "cells");
    int last = (int)number_at(cells, "n") - 1;
    struct answer one;
    ask_ok(&one, store, "/api/v1/trace/layers", "%s&part=%d&layer=%d", query,
           (int)int_of(cells, "part", last), (int)int_of(cells, "layer", last));
    const cJSON *chosen = at(one.json, "chosen");
    if (cJSON_GetArraySize(at(chosen, "step_ps")) > 0)
        assert_int_equal(column_sum(chosen, "step_ps"), int_of(cells, "self_ps", last));
    assert_int_equal(number_at(chosen, "ops"), int_of(cells, "ops", last));
    assert_int_equal(column_sum(chosen, "largest.self_ps"), int_of(cells, "self_ps", last));
    answer_free(&one);
}

static int with_layers;

static void check_module(struct xpd_store *store, const char *run, const char *module)
{
    struct answer answer;
    char query[600];
    snprintf(query, sizeof query, "run=%s&module=%s", run, module);
    ask_ok(&answer, store, "/api/v1/trace/layers", "%s", query);
    bool known = cJSON_IsTrue(at(answer.json, "known"));
    assert_true(known || strlen(text_at(answer.json, "reason")) > 10);
    int ways = known ? (int)number_at(answer.json, "ways.n") : 0;
    with_layers += known;
    for (int i = 0; i < ways; i++) {
        struct answer way;
        char by[900];
        snprintf(by, sizeof by, "%s&by=%s", query, text_item(at(answer.json, "ways"), "name", i));
        ask_ok(&way, store, "/api/v1/trace/layers", "%s", by);
        if (cJSON_IsTrue(at(way.json, "known"))) {
            check_sums(way.json);
            check_cell(store, by, way.json);
            assert_int_equal(number_at(way.json, "step.self_ps"),
                             number_at(answer.json, "step.self_ps"));
        }
        answer_free(&way);
    }
    answer_free(&answer);
}

static void check_set(const char *name, const char *root, void *data)
{
    struct xpd_store *store = open_store(root);
    (void)name;
    (void)data;
    for_each_module(store, 12, check_module);
    xpd_store_close(store);
}

static void every_capture(void **state)
{
    (void)state;
    assert_true(for_each_data_set(check_set, NULL) > 0);
    assert_true(with_layers >= 2);
}

/* Turns of the loops of testdata/cpu_scan_while; means over its steps. */
static void turns(void **state)
{
    (void)state;
    struct xpd_store *store = open_testdata("cpu_scan_while");
    struct answer answer;
    ask_ok(&answer, store, "/api/v1/trace/layers", "run=run0&by=while.3");
    assert_string_equal(
        text_item(at(answer.json, "ways"), "kind", (int)number_at(answer.json, "way")), "loop");
    assert_int_equal(number_at(answer.json, "layers.n"), 6);
    for (int i = 1; i < 6; i++) /* each operation once a turn */
        assert_int_equal(item_at(at(answer.json, "layers.ops"), i),
                         item_at(at(answer.json, "layers.ops"), 0));
    answer_free(&answer);
    ask(&answer, store, "/api/v1/trace/layers", "run=run0&by=nothing");
    assert_int_equal(answer.code, XPD_ENOTFOUND);
    answer_free(&answer);
    ask(&answer, store, "/api/v1/trace/layers", "run=run0&steps=3-1");
    assert_int_equal(answer.code, XPD_EINVAL);
    answer_free(&answer);
    xpd_store_close(store);
}

static double real_of(const cJSON *json, const char *path)
{
    return cJSON_GetNumberValue(at(json, path)) / 1e9;
}

/* A transformer of four blocks, one of them with jax.checkpoint; steps 100 to 103. */
static void transformer(void **state)
{
    const char *root = shared_set("transformer_train");
    (void)state;
    if (!root)
        skip();
    struct xpd_store *store = open_store(root);
    struct answer answer, first, rest;
    ask_ok(&answer, store, "/api/v1/trace/layers", "run=logdir/run0");
    assert_string_equal(text_at(answer.json, "module"), "jit_train_step(2)");
    assert_string_equal(text_item(at(answer.json, "ways"), "name", 0), "block_*");
    assert_int_equal(number_at(answer.json, "layers.n"), 4);
    assert_int_equal(number_at(answer.json, "spans"), 4);
    assert_float_equal(real_of(answer.json, "inside.mean_ps"), 31.854, 0.0005);
    assert_float_equal(real_of(answer.json, "outside.mean_ps"), 8.704, 0.0005);
    assert_float_equal(real_of(answer.json, "step.mean_ps"), 40.558, 0.0005);
    const cJSON *parts = at(answer.json, "parts");
    bool recompute = false;
    for (int p = 0; p < (int)number_at(parts, "n"); p++)
        if (strcmp(text_item(parts, "name", p), "recompute") == 0) {
            recompute = true;
            assert_int_equal(int_of(parts, "layers", p), 1);
            assert_true(is_null(parts, "ratio", p)); /* no other layer to be held against */
        }
    assert_true(recompute);
    ask_ok(&first, store, "/api/v1/trace/layers", "run=logdir/run0&steps=100");
    ask_ok(&rest, store, "/api/v1/trace/layers", "run=logdir/run0&steps=101-102,103");
    assert_int_equal(number_at(first.json, "spans"), 1);
    assert_int_equal(number_at(first.json, "step.self_ps") + number_at(rest.json, "step.self_ps"),
                     number_at(answer.json, "step.self_ps"));
    answer_free(&answer);
    answer_free(&first);
    answer_free(&rest);
    xpd_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_capture),
        cmocka_unit_test(turns),
        cmocka_unit_test(transformer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
