/* Events through the store: made once for whoever asks, counted, stopped, freed. */
#include "session_test.h"
#include "tempfile.h"
#include "xspace_gen.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void put_events(const char *root, const char *name, uint64_t events)
{
    char path[600];
    st_write(root, name, "", 0);
    snprintf(path, sizeof path, "%s/%s", root, name);
    assert_true(xsg_write(path, XSG_TPU, events));
}

static void made_once(void **state)
{
    (void)state;
    char *root = st_folder();
    put_events(root, "run/a.xplane.pb", 3000);
    st_profile(root, "run/b.xplane.pb", "V1", 77);
    struct xpd_store *store = st_open(root, 0);
    const struct xpd_run *run = st_acquire(store, "run");
    const struct xpd_trace *trace = NULL, *again = NULL;
    const struct xpd_derived *derived = NULL;
    const struct xpd_flows *flows = NULL;
    struct xpd_store_stats before, after;
    struct xpd_err err = {0};
    xpd_store_stats(store, &before);
    assert_int_equal(xpd_store_flows(store, run, 0, -1, &flows, NULL, &err), XPD_OK);
    assert_int_equal(xpd_store_trace(store, run, 0, -1, &trace, NULL, &err), XPD_OK);
    assert_int_equal(xpd_store_trace(store, run, 0, 0, &again, NULL, &err), XPD_OK);
    assert_int_equal(xpd_store_derived(store, run, 0, -1, &derived, NULL, &err), XPD_OK);
    assert_non_null(flows);
    assert_ptr_equal(trace, again);
    assert_ptr_equal(derived->trace, trace);
    assert_true(trace->event_count > 2900);
    xpd_store_stats(store, &after);
    assert_true(after.memory_bytes >= before.memory_bytes + trace->memory_bytes);
    assert_int_equal(xpd_store_trace(store, run, 1, -1, &again, NULL, &err), XPD_OK);
    assert_int_equal(again->event_count, 0);
    assert_int_equal(xpd_store_trace(store, run, 2, -1, &again, NULL, &err), XPD_ENOTFOUND);
    assert_null(again);
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(root);
}

static void not_a_profile(void **state)
{
    (void)state;
    char *root = st_folder();
    const struct xpd_trace *trace;
    struct xpd_err err = {0};
    st_hlo(root, "dump/module_0001.jit_f.hlo_proto.pb", "V1");
    st_write(root, "cut/h.xplane.pb", "\x0a\xff\xff", 3);
    struct xpd_store *store = st_open(root, 0);
    struct xpd_catalog *catalog = xpd_store_catalog(store, -1);
    for (uint32_t i = 0; i < catalog->run_count; i++) {
        const struct xpd_run *run = st_acquire(store, catalog->run[i].id);
        if (run->host_count != 0) {
            int rc = xpd_store_trace(store, run, 0, -1, &trace, NULL, &err);
            assert_true(rc == XPD_ENOTFOUND || rc == XPD_EFORMAT);
            assert_int_equal(err.code, rc);
        }
        xpd_store_release(store, run);
    }
    xpd_catalog_release(catalog);
    xpd_store_close(store);
    st_remove(root);
}

static void over_budget(void **state)
{
    (void)state;
    char *root = st_folder();
    const struct xpd_trace *trace;
    struct xpd_store_stats before, after;
    struct xpd_err err = {0};
    put_events(root, "run/a.xplane.pb", 200000);
    struct xpd_store *store = st_open(root, 4 << 20);
    const struct xpd_run *run = st_acquire(store, "run");
    xpd_store_stats(store, &before);
    assert_int_equal(xpd_store_trace(store, run, 0, -1, &trace, NULL, &err), XPD_ELIMIT);
    assert_non_null(strstr(err.text, "--memory-limit"));
    xpd_store_stats(store, &after);
    assert_int_equal(before.memory_bytes, after.memory_bytes);
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(root);
}

/* The file was written again: no mix of two profiles. */
static void changed_file(void **state)
{
    (void)state;
    char *root = st_folder();
    const struct xpd_trace *trace;
    struct xpd_err err = {0};
    put_events(root, "run/a.xplane.pb", 2000);
    struct xpd_store *store = st_open(root, 0);
    const struct xpd_run *run = st_acquire(store, "run");
    put_events(root, "run/a.xplane.pb", 2500);
    assert_int_equal(xpd_store_trace(store, run, 0, -1, &trace, NULL, &err), XPD_ECHANGED);
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(root);
}

struct asker {
    struct xpd_store *store;
    const struct xpd_run *run;
    const struct xpd_trace *trace;
    int rc;
};

static void *ask(void *argument)
{
    struct asker *asker = argument;
    const struct xpd_derived *derived;
    asker->rc = xpd_store_derived(asker->store, asker->run, 0, -1, &derived, NULL, NULL);
    if (asker->rc == XPD_OK)
        asker->rc = xpd_store_trace(asker->store, asker->run, 0, -1, &asker->trace, NULL, NULL);
    return NULL;
}

static void many_askers(void **state)
{
    (void)state;
    char *root = st_folder();
    put_events(root, "run/a.xplane.pb", 20000);
    struct xpd_store *store = st_open(root, 0);
    const struct xpd_run *run = st_acquire(store, "run");
    struct asker asker[8];
    pthread_t thread[8];
    for (int i = 0; i < 8; i++) {
        asker[i] = (struct asker){.store = store, .run = run};
        assert_int_equal(pthread_create(&thread[i], NULL, ask, &asker[i]), 0);
    }
    for (int i = 0; i < 8; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(asker[i].rc, XPD_OK);
        assert_ptr_equal(asker[i].trace, asker[0].trace);
    }
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(root);
}

/* Busy says how far it is; closing the store in the middle waits for the thread that reads. */
static void busy_then_closed(void **state)
{
    (void)state;
    char *root = st_folder();
    const struct xpd_trace *trace;
    struct xpd_load_state load = {0};
    struct xpd_err err = {0};
    put_events(root, "run/a.xplane.pb", 300000);
    struct xpd_store *store = st_open(root, 0);
    const struct xpd_run *run = st_acquire(store, "run");
    int rc = xpd_store_trace(store, run, 0, 0, &trace, &load, &err);
    if (rc == XPD_EBUSY) {
        assert_null(trace);
        assert_true(load.total_bytes > 0 && load.done_bytes <= load.total_bytes);
        assert_non_null(strstr(load.what, "a.xplane.pb"));
    } else {
        assert_int_equal(rc, XPD_OK);
    }
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_once),   cmocka_unit_test(not_a_profile),
        cmocka_unit_test(over_budget), cmocka_unit_test(changed_file),
        cmocka_unit_test(many_askers), cmocka_unit_test(busy_then_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
