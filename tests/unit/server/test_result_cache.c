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

/* ---- answers that are sent while they are made ---- */

struct pieces { /* so many, of so many bytes; then the end, or a failure */
    int left;
    size_t size;
    int rc, closed;
};

static int next_piece(void *self, struct xpd_strbuf *out, struct xpd_err *err)
{
    struct pieces *pieces = self;
    if (pieces->left == 0)
        return pieces->rc == XPD_OK ? XPD_OK
                                    : xpd_fail(err, pieces->rc, NULL, XPD_NO_OFFSET, "broken");
    pieces->left--;
    for (size_t i = 0; i < pieces->size; i++)
        xpd_strbuf_putc(out, (char)('a' + pieces->left));
    return XPD_OK;
}

static void close_pieces(void *self)
{
    ((struct pieces *)self)->closed++;
}

static struct xpd_body_source gather(struct xpd_results *results, const char *key,
                                     struct pieces *pieces)
{
    struct xpd_result like = {.status = 200, .type = "text/plain", .note = "said"};
    struct xpd_body_source source = {
        .next = next_piece, .close = close_pieces, .self = pieces, .compress = true};
    xpd_results_gather(results, xpd_str_of(key), &like, &source);
    return source;
}

/* Asks for so many pieces, each into a buffer that holds something already; then lets go. */
static void send(struct xpd_body_source *source, int pieces, int rc)
{
    for (int i = 0; i < pieces; i++) {
        struct xpd_strbuf out = {0};
        struct xpd_err err = {0};
        xpd_strbuf_puts(&out, "before");
        assert_int_equal(source->next(source->self, &out, &err), i + 1 < pieces ? XPD_OK : rc);
        xpd_strbuf_fini(&out);
    }
    source->close(source->self);
}

static struct xpd_result *find(struct xpd_results *results, const char *key)
{
    return xpd_results_find(results, xpd_str_of(key));
}

static void test_what_was_sent_is_kept(void **state)
{
    (void)state;
    struct xpd_results *results = xpd_results_new(1 << 20);
    struct pieces one = {.left = 3, .size = 2}, two = {.left = 3, .size = 2};
    struct xpd_body_source source = gather(results, "a", &one), other = gather(results, "a", &two);
    assert_null(find(results, "a"));
    send(&source, 4, XPD_OK);
    send(&other, 4, XPD_OK); /* the same once more: nothing is added */
    assert_int_equal(one.closed + two.closed, 2);
    struct xpd_result *kept = find(results, "a");
    assert_non_null(kept);
    assert_true(kept->packed);
    assert_int_equal(kept->status, 200);
    assert_string_equal(kept->type, "text/plain");
    assert_string_equal(kept->note, "said");
    assert_int_equal(kept->size, 6);
    assert_memory_equal(kept->body, "ccbbaa", 6);
    struct xpd_results_stats stats;
    xpd_results_stats(results, &stats);
    assert_int_equal(stats.count, 1);
    assert_int_equal(stats.found, 1);
    xpd_results_free(results);
    xpd_result_release(kept);
}

/* Only what went out whole is kept, and only as much as a quarter of the budget at a time. */
static void test_what_broke_off_is_not_kept(void **state)
{
    (void)state;
    struct xpd_results *results = xpd_results_new(1 << 20);
    struct pieces left = {.left = 3, .size = 2}, broken = {.left = 3, .size = 2, .rc = XPD_EIO};
    struct pieces large = {.left = 5, .size = 1 << 16}, fits = {.left = 3, .size = 1 << 16};
    struct xpd_body_source source = gather(results, "left", &left);
    send(&source, 2, XPD_OK);
    source = gather(results, "broken", &broken);
    send(&source, 4, XPD_EIO);
    source = gather(results, "large", &large);
    struct xpd_strbuf out = {0};
    for (int i = 0; i < 6; i++) /* all of it is sent all the same */
        assert_int_equal(source.next(source.self, &out, NULL), XPD_OK);
    assert_int_equal(out.size, 5 << 16);
    xpd_strbuf_fini(&out);
    source.close(source.self);
    source = gather(results, "", &(struct pieces){.left = 1, .size = 1});
    send(&source, 2, XPD_OK);
    assert_null(find(results, "left"));
    assert_null(find(results, "broken"));
    assert_null(find(results, "large"));
    assert_null(find(results, ""));
    struct xpd_results_stats stats;
    xpd_results_stats(results, &stats);
    assert_int_equal(stats.count, 0);
    assert_int_equal(stats.bytes, 0);
    source = gather(results, "fits", &fits); /* what the others held is free again */
    send(&source, 4, XPD_OK);
    struct xpd_result *kept = find(results, "fits");
    assert_non_null(kept);
    xpd_result_release(kept);
    struct recipe recipe = {.size = 120000, .status = 200};
    char key[16];
    for (int i = 0; i < 6; i++) {
        snprintf(key, sizeof key, "k%d", i);
        ask_and_release(results, key, &recipe);
    }
    assert_null(find(results, "fits")); /* least recently used */
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
        cmocka_unit_test(test_what_was_sent_is_kept),
        cmocka_unit_test(test_what_broke_off_is_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
