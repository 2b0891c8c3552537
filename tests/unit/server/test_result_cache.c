/* The cache of answers: one computation for equal questions, a byte budget, nothing wrong kept. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/result_cache.h"

struct recipe {
    size_t size;
    int status, code;
    useconds_t sleep_us;
    atomic_int made;
};

static void make(void *ctx, struct xpd_result *out)
{
    struct recipe *recipe = ctx;
    atomic_fetch_add(&recipe->made, 1);
    if (recipe->sleep_us)
        usleep(recipe->sleep_us);
    out->err.code = recipe->code;
    out->status = recipe->status;
    out->type = "text/plain";
    out->body = malloc(recipe->size + 1);
    memset(out->body, 'x', recipe->size);
    out->size = recipe->size;
}

static struct xpd_result *ask(struct xpd_results *results, const char *key, struct recipe *recipe)
{
    bool busy;
    return xpd_results_get(results, xpd_str_of(key), 10000, make, recipe, &busy);
}

static void ask_and_release(struct xpd_results *results, const char *key, struct recipe *recipe)
{
    xpd_result_release(ask(results, key, recipe));
}

static void test_kept(void **state)
{
    (void)state;
    struct xpd_results *results = xpd_results_new(1 << 20);
    struct recipe recipe = {.size = 100, .status = 200};
    struct xpd_result *one = ask(results, "a", &recipe), *two = ask(results, "a", &recipe);
    assert_ptr_equal(one, two);
    assert_int_equal(recipe.made, 1);
    xpd_result_release(one);
    ask_and_release(results, "b", &recipe);
    assert_int_equal(recipe.made, 2);
    ask_and_release(results, "", &recipe);
    ask_and_release(results, "", &recipe);
    assert_int_equal(recipe.made, 4); /* an empty key is never kept */
    xpd_results_free(results);
    assert_int_equal(two->size, 100); /* held: outlives the cache */
    xpd_result_release(two);
}

static void test_not_kept(void **state)
{
    (void)state;
    struct xpd_results *results = xpd_results_new(1 << 20);
    struct recipe error = {.size = 1, .status = 0, .code = XPD_EIO};
    struct recipe other = {.size = 1, .status = 404};
    struct recipe large = {.size = (1 << 18) + 1, .status = 200};
    for (int i = 0; i < 2; i++) {
        ask_and_release(results, "error", &error);
        ask_and_release(results, "other", &other);
        ask_and_release(results, "large", &large);
    }
    assert_int_equal(error.made, 2);
    assert_int_equal(other.made, 2);
    assert_int_equal(large.made, 2);
    struct xpd_results_stats stats;
    xpd_results_stats(results, &stats);
    assert_int_equal(stats.count, 0);
    assert_int_equal(stats.bytes, 0);
    xpd_results_free(results);
}

static void test_budget(void **state)
{
    (void)state;
    struct xpd_results *results = xpd_results_new(100000);
    struct xpd_results_stats stats;
    struct recipe recipe = {.size = 10000, .status = 200};
    char key[16];
    for (int i = 0; i < 4; i++) {
        snprintf(key, sizeof key, "k%d", i);
        ask_and_release(results, key, &recipe);
    }
    ask_and_release(results, "k0", &recipe); /* used again: now k1 is the oldest */
    assert_int_equal(recipe.made, 4);
    ask_and_release(results, "k4", &recipe);
    xpd_results_stats(results, &stats);
    assert_true(stats.bytes <= 100000);
    assert_int_equal(stats.count, 4);
    assert_int_equal(stats.evicted, 1);
    ask_and_release(results, "k0", &recipe);
    assert_int_equal(recipe.made, 5);
    ask_and_release(results, "k1", &recipe);
    assert_int_equal(recipe.made, 6);
    for (int i = 0; i < 3000; i++) {
        snprintf(key, sizeof key, "m%d", i);
        ask_and_release(results, key, &recipe);
        xpd_results_stats(results, &stats);
        assert_true(stats.bytes <= 100000);
    }
    xpd_results_free(results);
}

static void test_gzip(void **state)
{
    (void)state;
    struct xpd_results *results = xpd_results_new(1 << 20);
    struct recipe recipe = {.size = 5000, .status = 200};
    struct xpd_result *result = ask(results, "a", &recipe);
    const void *first, *second;
    size_t size;
    assert_true(xpd_result_gzip(results, result, &first, &size));
    assert_true(size < 200);
    assert_true(xpd_result_gzip(results, result, &second, &size));
    assert_ptr_equal(first, second);
    xpd_result_release(result);
    xpd_results_free(results);
}

struct crowd {
    struct xpd_results *results;
    struct recipe *recipe;
    const char *key;
    atomic_int wrong;
};

static void *one_of_many(void *ctx)
{
    struct crowd *crowd = ctx;
    struct xpd_result *result = ask(crowd->results, crowd->key, crowd->recipe);
    const void *bytes;
    size_t size;
    if (!result || result->size != crowd->recipe->size ||
        (result->err.code == XPD_OK && !xpd_result_gzip(crowd->results, result, &bytes, &size)))
        atomic_fetch_add(&crowd->wrong, 1);
    xpd_result_release(result);
    return NULL;
}

static void run_crowd(struct xpd_results *results, struct recipe *recipe, const char *key)
{
    pthread_t thread[16];
    struct crowd crowd = {.results = results, .recipe = recipe, .key = key};
    for (size_t i = 0; i < 16; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, one_of_many, &crowd), 0);
    for (size_t i = 0; i < 16; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(crowd.wrong, 0);
}

static void test_single_flight(void **state)
{
    (void)state;
    struct xpd_results *results = xpd_results_new(1 << 20);
    struct recipe recipe = {.size = 5000, .status = 200, .sleep_us = 300000};
    run_crowd(results, &recipe, "slow");
    assert_int_equal(recipe.made, 1);
    struct recipe failing = {.size = 10, .code = XPD_EIO, .sleep_us = 300000};
    run_crowd(results, &failing,
              "failing"); /* who waits shares the error, a later one tries again */
    assert_true(failing.made < 16);
    int made = failing.made;
    ask_and_release(results, "failing", &failing);
    assert_int_equal(failing.made, made + 1);
    xpd_results_free(results);
}

static void *many_keys(void *ctx)
{
    struct xpd_results *results = ctx;
    struct recipe recipe = {.size = 3000, .status = 200};
    char key[16];
    for (int i = 0; i < 500; i++) {
        snprintf(key, sizeof key, "k%d", i * 7 % 40);
        struct xpd_result *result = ask(results, key, &recipe);
        const void *bytes;
        size_t size;
        xpd_result_gzip(results, result, &bytes, &size);
        xpd_result_release(result);
    }
    return NULL;
}

/* Asks for the key that it makes itself: what a second client gets at that moment. */
struct meanwhile {
    struct xpd_results *results;
    struct xpd_result *answer;
    bool busy;
};

static void make_while_asked(void *ctx, struct xpd_result *out)
{
    struct meanwhile *meanwhile = ctx;
    struct recipe never = {0};
    meanwhile->answer =
        xpd_results_get(meanwhile->results, XPD_STR("slow"), 0, make, &never, &meanwhile->busy);
    assert_int_equal(never.made, 0);
    out->status = 200;
}

static void test_what_is_being_made_is_busy(void **state)
{
    (void)state;
    struct xpd_results *results = xpd_results_new(1 << 20);
    struct meanwhile meanwhile = {.results = results};
    bool busy;
    struct xpd_result *made =
        xpd_results_get(results, XPD_STR("slow"), 0, make_while_asked, &meanwhile, &busy);
    assert_false(busy);
    assert_non_null(made);
    assert_true(meanwhile.busy);
    assert_null(meanwhile.answer);
    xpd_result_release(made);
    xpd_results_free(results);
}

static void test_threads_and_eviction(void **state)
{
    (void)state;
    struct xpd_results *results = xpd_results_new(60000);
    pthread_t thread[4];
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, many_keys, results), 0);
    for (size_t i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    struct xpd_results_stats stats;
    xpd_results_stats(results, &stats);
    assert_true(stats.bytes <= 60000);
    assert_true(stats.evicted > 0);
    xpd_results_free(results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_not_kept),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_single_flight),
        cmocka_unit_test(test_what_is_being_made_is_busy),
        cmocka_unit_test(test_threads_and_eviction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
