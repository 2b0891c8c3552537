/* Side tables of the store: made once for all, counted, tried again after a failure. */
#include "session_test.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define THREADS 8
#define BYTES   100000

static _Atomic int made;

static int make(void *table, struct xpd_arena *arena, const void *of, struct xpd_err *err)
{
    uint8_t **bytes = table;
    atomic_fetch_add(&made, 1);
    if (*(const bool *)of)
        return xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "asked to fail");
    *bytes = xpd_arena_calloc(arena, 1, BYTES);
    return *bytes ? XPD_OK : XPD_ENOMEM;
}

struct client {
    struct xpd_store *store;
    const struct xpd_run *run;
    const void *table;
    int code;
};

static const bool succeed = false, fail_once = true;

static void *ask(void *argument)
{
    struct client *client = argument;
    struct xpd_side_want want = {.key = 7, .size = sizeof(void *), .make = make, .of = &succeed};
    client->code = xpd_store_side(client->store, client->run, 0, &want, &client->table, NULL);
    return NULL;
}

static void tables_are_made_once(void **state)
{
    char *folder = st_folder();
    st_hlo(folder, "x/module_0001.V1.after_optimizations.hlo.pb", "V1");
    struct xpd_store *store = st_open(folder, 0);
    const struct xpd_run *run = st_acquire(store, "x");
    struct xpd_side_want look = {.key = 7};
    struct xpd_side_want failing = {
        .key = 7, .size = sizeof(void *), .make = make, .of = &fail_once};
    struct xpd_store_stats before, after;
    struct client client[THREADS];
    pthread_t thread[THREADS];
    const void *table;
    struct xpd_err err = {0};
    (void)state;
    atomic_store(&made, 0);
    assert_int_equal(xpd_store_side(store, run, 0, &look, &table, NULL), XPD_EBUSY);
    assert_null(table);
    assert_int_equal(xpd_store_side(store, run, 0, &failing, &table, &err), XPD_ENOMEM);
    assert_null(table);
    assert_int_equal(made, 1);
    xpd_store_stats(store, &before);
    for (int i = 0; i < THREADS; i++) {
        client[i] = (struct client){.store = store, .run = run};
        assert_int_equal(pthread_create(&thread[i], NULL, ask, &client[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(made, 2);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(client[i].code, XPD_OK);
        assert_ptr_equal(client[i].table, client[0].table);
    }
    xpd_store_stats(store, &after);
    assert_true(after.memory_bytes >= before.memory_bytes + BYTES);
    assert_int_equal(xpd_store_side(store, run, 0, &look, &table, NULL), XPD_OK);
    assert_ptr_equal(table, client[0].table);
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(folder);
}

/* A profile without a program has tables as well: of the run, made once, and not a module's. */
static void a_run_has_tables_of_its_own(void **state)
{
    char *folder = st_folder();
    st_hlo(folder, "x/module_0001.V1.after_optimizations.hlo.pb", "V1");
    struct xpd_store *store = st_open(folder, 0);
    const struct xpd_run *run = st_acquire(store, "x");
    struct xpd_side_want want = {.key = 7, .size = sizeof(void *), .make = make, .of = &succeed};
    struct xpd_side_want look = {.key = 7};
    struct xpd_store_stats before, after;
    const void *first, *second;
    (void)state;
    atomic_store(&made, 0);
    xpd_store_stats(store, &before);
    assert_int_equal(xpd_store_side(store, run, XPD_NO_INDEX, &want, &first, NULL), XPD_OK);
    assert_int_equal(xpd_store_side(store, run, XPD_NO_INDEX, &want, &second, NULL), XPD_OK);
    xpd_store_stats(store, &after);
    assert_int_equal(made, 1);
    assert_ptr_equal(first, second);
    assert_true(after.memory_bytes >= before.memory_bytes + BYTES);
    assert_int_equal(xpd_store_side(store, run, 0, &look, &second, NULL), XPD_EBUSY);
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(folder);
}

static _Atomic int begun, ended;

/* Works until the store closes. */
static void work(struct xpd_store *store, const struct xpd_run *run, uint32_t module)
{
    atomic_fetch_add(&begun, module < run->module_count ? 1 : 100);
    while (!xpd_store_closing(store))
        sched_yield();
    atomic_fetch_add(&ended, 1);
}

/* Once a module; it holds the run even when nothing else does, and closing waits for it. */
static void a_thread_works_ahead_once(void **state)
{
    char *folder = st_folder();
    st_hlo(folder, "x/module_0001.V1.after_optimizations.hlo.pb", "V1");
    struct xpd_store *store = st_open(folder, 0);
    const struct xpd_run *run = st_acquire(store, "x");
    struct xpd_store_stats stats;
    (void)state;
    xpd_store_side_ahead(store, run, 0, work);
    xpd_store_side_ahead(store, run, 0, work);
    xpd_store_release(store, run);
    while (atomic_load(&begun) == 0)
        sched_yield();
    xpd_store_stats(store, &stats);
    assert_int_equal(stats.runs_loaded, 1);
    assert_int_equal(stats.runs_held, 0); /* by a client */
    assert_int_equal(atomic_load(&ended), 0);
    xpd_store_close(store);
    assert_int_equal(atomic_load(&begun), 1);
    assert_int_equal(atomic_load(&ended), 1);
    st_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_are_made_once),
                                       cmocka_unit_test(a_run_has_tables_of_its_own),
                                       cmocka_unit_test(a_thread_works_ahead_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
