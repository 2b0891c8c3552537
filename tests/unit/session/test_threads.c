/* Many clients at once, with files that change and memory that is short. For ThreadSanitizer. */
#include "session_test.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define THREADS 8

struct client {
    struct xpd_store *store;
    int number, rounds;
    _Atomic int *failed; /* cmocka's asserts belong to one thread */
    const void *seen;
};

static void *ask_one(void *argument)
{
    struct client *client = argument;
    const struct xpd_run *run;
    struct xpd_load_state state;
    const struct xpd_hlo *hlo = NULL;
    const struct xpd_mem *mem = NULL;
    if (xpd_store_acquire(client->store, XPD_STR("r0"), -1, &run, &state, NULL) != XPD_OK) {
        atomic_fetch_add(client->failed, 1);
        return NULL;
    }
    if (xpd_store_module(client->store, run, 0, &hlo, &mem, NULL) != XPD_OK || mem->hlo != hlo)
        atomic_fetch_add(client->failed, 1);
    client->seen = hlo;
    xpd_store_release(client->store, run);
    return NULL;
}

static void *ask_all(void *argument)
{
    struct client *client = argument;
    for (int i = 0; i < client->rounds; i++) {
        char id[16];
        const struct xpd_run *run;
        struct xpd_load_state state;
        struct xpd_err err = {0};
        uint32_t module;
        snprintf(id, sizeof id, "r%d", (i * 7 + client->number) % 4);
        int wait = i % 3 == 0 ? 0 : i % 3 == 1 ? 5 : -1;
        int rc = xpd_store_acquire(client->store, xpd_str_of(id), wait, &run, &state, &err);
        if (rc == XPD_OK) {
            rc = xpd_store_default_module(client->store, run, &module, &err);
            if (rc != XPD_OK && rc != XPD_ECHANGED && rc != XPD_ELIMIT)
                atomic_fetch_add(client->failed, 1);
            if (strcmp(run->entry->id, id) != 0 || run->module_count == 0)
                atomic_fetch_add(client->failed, 1);
            xpd_store_release(client->store, run);
        } else if (rc != XPD_EBUSY && rc != XPD_ELIMIT) {
            atomic_fetch_add(client->failed, 1);
        }
        if (i % 5 == 0)
            xpd_catalog_release(xpd_store_catalog(client->store, i % 10));
        struct xpd_store_stats stats;
        xpd_store_stats(client->store, &stats);
    }
    return NULL;
}

static int run_clients(struct xpd_store *store, void *(*work)(void *), int rounds,
                       struct client client[THREADS])
{
    pthread_t thread[THREADS];
    _Atomic int failed = 0;
    for (int i = 0; i < THREADS; i++) {
        client[i] =
            (struct client){.store = store, .number = i, .rounds = rounds, .failed = &failed};
        assert_int_equal(pthread_create(&thread[i], NULL, work, &client[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return atomic_load(&failed);
}

static void test_single_flight(void **state)
{
    (void)state;
    char *root = st_folder();
    st_profile(root, "r0/h.xplane.pb", "V7", 1);
    struct xpd_store *store = st_open(root, 0);
    struct client client[THREADS];
    assert_int_equal(run_clients(store, ask_one, 1, client), 0);
    for (int i = 1; i < THREADS; i++)
        assert_ptr_equal(client[i].seen, client[0].seen); /* one load of one module */
    struct xpd_store_stats stats;
    xpd_store_stats(store, &stats);
    assert_int_equal(stats.loads, 1);
    xpd_store_close(store);
    st_remove(root);
}

static void *rewrite(void *argument)
{
    const char *root = argument;
    for (int i = 0; i < 60; i++) {
        char name[64], to[600], from[600];
        /* as profilers and copies do it: written aside, moved into place; sometimes in place */
        snprintf(name, sizeof name, "r%d/h.xplane.pb", i % 2);
        if (i % 3 == 0) {
            st_profile(root, name, i % 2 ? "V2" : "V5", (uint64_t)i);
        } else {
            st_profile(root, "aside.tmp", i % 2 ? "V3" : "V7", (uint64_t)i);
            snprintf(from, sizeof from, "%s/aside.tmp", root);
            snprintf(to, sizeof to, "%s/%s", root, name);
            rename(from, to);
        }
    }
    return NULL;
}

static void test_storm(void **state)
{
    (void)state;
    char *root = st_folder();
    char name[64];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "r%d/h.xplane.pb", i);
        st_profile(root, name, i % 2 ? "V1" : "V7", 1);
        st_profile(root, name, "V1", 1);
    }
    struct xpd_store *store = st_open(root, 600000); /* room for two or three runs */
    struct client client[THREADS];
    assert_int_equal(run_clients(store, ask_all, 200, client), 0);
    struct xpd_store_stats stats;
    xpd_store_stats(store, &stats);
    assert_int_equal(stats.runs_held, 0);
    assert_true(stats.memory_bytes <= stats.memory_limit_bytes);
    xpd_store_close(store);
    st_remove(root);
}

/* A file written in place may be met half-written: then the run has no modules or its host an
 * error, but nothing crashes and nothing mixes. */
static void *ask_while_changing(void *argument)
{
    struct client *client = argument;
    for (int i = 0; i < client->rounds; i++) {
        const struct xpd_run *run;
        struct xpd_load_state state;
        struct xpd_err err = {0};
        const struct xpd_mem *mem;
        int rc = xpd_store_acquire(client->store, i % 2 ? XPD_STR("r0") : XPD_STR("r1"), -1, &run,
                                   &state, &err);
        if (rc == XPD_OK) {
            if (run->module_count != 0)
                (void)xpd_store_module(client->store, run, 0, NULL, &mem, &err);
            xpd_store_release(client->store, run);
        } else if (rc != XPD_ECHANGED && rc != XPD_ENOTFOUND) {
            atomic_fetch_add(client->failed, 1);
        }
    }
    return NULL;
}

static void test_changing_files(void **state)
{
    (void)state;
    char *root = st_folder();
    st_profile(root, "r0/h.xplane.pb", "V1", 1);
    st_profile(root, "r1/h.xplane.pb", "V1", 1);
    struct xpd_store *store = st_open(root, 0);
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, rewrite, root), 0);
    struct client client[THREADS];
    assert_int_equal(run_clients(store, ask_while_changing, 60, client), 0);
    pthread_join(writer, NULL);
    const struct xpd_run *run = st_acquire(store, "r1"); /* in the end what is there */
    assert_string_equal(st_keys(run), "V3(59)");
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(root);
}

static void test_close_while_loading(void **state)
{
    (void)state;
    char *root = st_folder();
    char name[64];
    for (int i = 0; i < 10; i++) {
        snprintf(name, sizeof name, "r%d/h.xplane.pb", i);
        st_profile(root, name, "V7", 1);
    }
    for (int round = 0; round < 10; round++) {
        struct xpd_store *store = st_open(root, 0);
        for (int i = 0; i < 10; i++) {
            const struct xpd_run *run;
            struct xpd_load_state load;
            snprintf(name, sizeof name, "r%d", i);
            if (xpd_store_acquire(store, xpd_str_of(name), 0, &run, &load, NULL) == XPD_OK)
                xpd_store_release(store, run);
        }
        xpd_store_close(store);
    }
    st_remove(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_flight),
        cmocka_unit_test(test_storm),
        cmocka_unit_test(test_changing_files),
        cmocka_unit_test(test_close_while_loading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
