/* Events through the store: made once for whoever asks, counted, stopped, freed. */
#include "session_test.h"
#include "tempfile.h"
#include "xspace_gen.h"

#include "xprofd/trace/join.h"

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

/* All hosts together: above the traces of each, made once, counted; one that has no events is none
 * of them. */
static void all_hosts(void **state)
{
    (void)state;
    char *root = st_folder();
    put_events(root, "run/a.xplane.pb", 3000);
    put_events(root, "run/b.xplane.pb", 5000);
    st_profile(root, "run/c.xplane.pb", "V1", 77);
    struct xpd_store *store = st_open(root, 0);
    const struct xpd_run *run = st_acquire(store, "run");
    uint32_t all = xpd_run_all_hosts(run);
    const struct xpd_trace *trace = NULL, *again = NULL, *one[2] = {NULL};
    const struct xpd_derived *derived = NULL;
    const struct xpd_flows *flows = NULL, *flow[2] = {NULL};
    const struct xpd_op_times *times = NULL;
    const struct xpd_op_runs *runs = NULL;
    struct xpd_store_stats before, after;
    struct xpd_err err = {0};
    assert_int_equal(xpd_run_traced_hosts(run), 2);
    xpd_store_stats(store, &before);
    assert_int_equal(xpd_store_flows(store, run, all, -1, &flows, NULL, &err), XPD_OK);
    assert_int_equal(xpd_store_trace(store, run, all, -1, &trace, NULL, &err), XPD_OK);
    assert_int_equal(xpd_store_trace(store, run, all, 0, &again, NULL, &err), XPD_OK);
    assert_int_equal(xpd_store_derived(store, run, all, -1, &derived, NULL, &err), XPD_OK);
    assert_ptr_equal(trace, again);
    assert_ptr_equal(derived->trace, trace);
    assert_int_equal(trace->part_count, 2);
    for (uint32_t i = 0; i < 2; i++) { /* each is there already, as itself */
        assert_int_equal(xpd_store_trace(store, run, i, 0, &one[i], NULL, &err), XPD_OK);
        assert_int_equal(xpd_store_flows(store, run, i, 0, &flow[i], NULL, &err), XPD_OK);
        assert_ptr_equal(trace->part[i].trace, one[i]);
    }
    assert_int_equal(trace->event_count, one[0]->event_count + one[1]->event_count);
    assert_int_equal(flows->point_count, flow[0]->point_count + flow[1]->point_count);
    xpd_store_stats(store, &after);
    assert_true(after.memory_bytes >= before.memory_bytes + trace->memory_bytes +
                                          one[0]->memory_bytes + one[1]->memory_bytes);
    assert_int_equal(xpd_store_op_runs(store, run, all, -1, &runs, NULL, &err), XPD_OK);
    assert_int_equal(xpd_store_op_times(store, run, all, 0, &times, NULL, &err), XPD_OK);
    assert_ptr_equal(runs->times, times);
    assert_int_equal(times->part_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const struct xpd_op_times *own = NULL;
        assert_int_equal(xpd_store_op_times(store, run, i, 0, &own, NULL, &err), XPD_OK);
        assert_ptr_equal(times->part[i].times, own);
    }
    assert_int_equal(xpd_store_trace(store, run, all + 1, -1, &again, NULL, &err), XPD_ENOTFOUND);
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(root);
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
    const struct xpd_op_times *times = NULL, *times_again = NULL;
    assert_int_equal(xpd_store_op_times(store, run, 0, -1, &times, NULL, &err), XPD_OK);
    assert_int_equal(xpd_store_op_times(store, run, 0, 0, &times_again, NULL, &err), XPD_OK);
    assert_non_null(times);
    assert_ptr_equal(times, times_again);
    const struct xpd_op_runs *runs = NULL;
    assert_int_equal(xpd_store_op_runs(store, run, 0, -1, &runs, NULL, &err), XPD_OK);
    assert_ptr_equal(runs->times, times);
    assert_int_equal(xpd_store_trace(store, run, 1, -1, &again, NULL, &err), XPD_OK);
    assert_int_equal(again->event_count, 0);
    assert_int_equal(xpd_store_trace(store, run, 3, -1, &again, NULL, &err), XPD_ENOTFOUND);
    assert_null(again);
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(root);
}

static int made_count, freed_count;
static int make_count(void **out, const struct xpd_part_from *from, struct xpd_err *err)
{
    const struct xpd_trace *trace = from->need[1];
    uint64_t *count = malloc(sizeof *count);
    (void)err;
    assert_ptr_equal(((const struct xpd_derived *)from->need[0])->trace, trace);
    assert_null(from->source);
    *count = trace->event_count;
    *out = count;
    made_count++;
    return XPD_OK;
}
static uint64_t bytes_of_count(const void *made)
{
    return *(const uint64_t *)made > 0 ? 12345 : 0;
}
static void free_count(void *made)
{
    free(made);
    freed_count++;
}

/* A part that the store knows nothing of: made once above what it needs, counted, freed. */
static void part_of_another_layer(void **state)
{
    (void)state;
    static const struct xpd_part_kind kind = {.doing = "counting",
                                              .needs = {&xpd_part_derived, &xpd_part_trace},
                                              .make = make_count,
                                              .bytes = bytes_of_count,
                                              .free = free_count};
    char *root = st_folder();
    put_events(root, "run/a.xplane.pb", 3000);
    struct xpd_store *store = st_open(root, 0);
    const struct xpd_run *run = st_acquire(store, "run");
    const struct xpd_derived *derived;
    const void *count, *again;
    struct xpd_store_stats before, after;
    struct xpd_err err = {0};
    assert_int_equal(xpd_store_derived(store, run, 0, -1, &derived, NULL, &err), XPD_OK);
    xpd_store_stats(store, &before);
    assert_int_equal(xpd_store_part(store, run, 0, &kind, -1, &count, NULL, &err), XPD_OK);
    assert_int_equal(xpd_store_part(store, run, 0, &kind, 0, &again, NULL, &err), XPD_OK);
    assert_ptr_equal(count, again);
    assert_int_equal(made_count, 1);
    xpd_store_stats(store, &after);
    assert_int_equal(after.memory_bytes, before.memory_bytes + 12345);
    assert_int_equal(xpd_store_part(store, run, 1, &kind, -1, &again, NULL, &err), XPD_EINVAL);
    xpd_store_release(store, run);
    xpd_store_close(store);
    assert_int_equal(freed_count, 1);
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

/* All hosts do not fit: said before any is read, so that each is still shown alone. */
static void all_hosts_over_budget(void **state)
{
    (void)state;
    char *root = st_folder();
    const struct xpd_trace *trace;
    struct xpd_store_stats before, after;
    struct xpd_err err = {0};
    put_events(root, "run/a.xplane.pb", 100000);
    put_events(root, "run/b.xplane.pb", 100000);
    struct xpd_store *store = st_open(root, 8 << 20);
    const struct xpd_run *run = st_acquire(store, "run");
    xpd_store_stats(store, &before);
    assert_int_equal(xpd_store_trace(store, run, xpd_run_all_hosts(run), -1, &trace, NULL, &err),
                     XPD_ELIMIT);
    assert_null(trace);
    assert_non_null(strstr(err.text, "of 2 hosts together"));
    assert_non_null(strstr(err.text, "host="));
    xpd_store_stats(store, &after);
    assert_int_equal(after.memory_bytes, before.memory_bytes);
    assert_int_equal(xpd_store_trace(store, run, 1, -1, &trace, NULL, &err), XPD_OK);
    xpd_store_release(store, run);
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

static bool holds(void *ctx, struct xpd_str text)
{
    return xpd_str_find(text, *(struct xpd_str *)ctx, false) != SIZE_MAX;
}

static int opened, closed;
static int open_match(struct xpd_str key, struct xpd_arg_match *match, struct xpd_err *err)
{
    struct xpd_str *text = malloc(sizeof *text);
    if (!text)
        return xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory");
    *text = key;
    *match = (struct xpd_arg_match){.matches = holds, .ctx = text, .numbers = true};
    opened++;
    return XPD_OK;
}

static void close_match(struct xpd_arg_match *match)
{
    free(match->ctx);
    closed++;
}

/* A question is answered once however often it is asked; of many the last few are kept, and those
 * in use always; what is given up comes back when it is wanted after all. */
static void args_kept(void **state)
{
    (void)state;
    char *root = st_folder();
    put_events(root, "run/a.xplane.pb", 3000);
    struct xpd_store *store = st_open(root, 0);
    const struct xpd_run *run = st_acquire(store, "run");
    const struct xpd_arg_hits *first, *again, *other;
    struct xpd_store_stats before, after;
    struct xpd_err err = {0};
    struct xpd_args_want want = {XPD_STR("="), open_match, close_match};
    opened = closed = 0;
    assert_int_equal(xpd_store_args(store, run, 0, &want, -1, &first, NULL, &err), XPD_OK);
    assert_true(first->hit_count > 0);
    assert_int_equal(xpd_store_args(store, run, 0, &want, 0, &again, NULL, &err), XPD_OK);
    assert_ptr_equal(first, again);
    assert_int_equal(opened, 1);
    xpd_store_args_release(run, 0, again);
    xpd_store_stats(store, &before);
    for (int i = 0; i < 20; i++) {
        char key[16];
        snprintf(key, sizeof key, "no such %d", i);
        want.key = xpd_str_of(key);
        assert_int_equal(xpd_store_args(store, run, 0, &want, -1, &other, NULL, &err), XPD_OK);
        assert_int_equal(other->hit_count, 0);
        xpd_store_args_release(run, 0, other);
    }
    xpd_store_stats(store, &after);
    assert_int_equal(after.memory_bytes, before.memory_bytes + 7 * first->memory_bytes);
    want.key = XPD_STR("=");
    assert_int_equal(xpd_store_args(store, run, 0, &want, 0, &again, NULL, &err), XPD_OK);
    assert_ptr_equal(first, again); /* it was held all the time */
    assert_int_equal(opened, 21);
    assert_int_equal(closed, 21);
    xpd_store_args_release(run, 0, again);
    xpd_store_args_release(run, 0, first);
    assert_int_equal(xpd_store_args(store, run, 7, &want, 0, &again, NULL, &err), XPD_ENOTFOUND);
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(root);
}

/* Whoever comes back for it gets it; the store closes in the middle of one. */
static void args_busy(void **state)
{
    (void)state;
    char *root = st_folder();
    put_events(root, "run/a.xplane.pb", 200000);
    struct xpd_store *store = st_open(root, 0);
    const struct xpd_run *run = st_acquire(store, "run");
    const struct xpd_arg_hits *hits;
    struct xpd_load_state load = {0};
    struct xpd_err err = {0};
    struct xpd_args_want want = {XPD_STR("12"), open_match, close_match};
    assert_int_equal(xpd_store_trace(store, run, 0, -1, NULL, NULL, &err), XPD_OK);
    int rc, asked = 0;
    while ((rc = xpd_store_args(store, run, 0, &want, 0, &hits, &load, &err)) == XPD_EBUSY) {
        assert_non_null(strstr(load.what, "args"));
        assert_true(load.total_bytes > 0 && load.done_bytes <= load.total_bytes);
        usleep(1000);
        asked++;
    }
    assert_int_equal(rc, XPD_OK);
    assert_true(asked > 0);
    xpd_store_args_release(run, 0, hits);
    want.key = XPD_STR("another");
    rc = xpd_store_args(store, run, 0, &want, 0, &hits, &load, &err);
    assert_true(rc == XPD_EBUSY || rc == XPD_OK);
    xpd_store_args_release(run, 0, hits);
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_once),        cmocka_unit_test(part_of_another_layer),
        cmocka_unit_test(all_hosts),        cmocka_unit_test(all_hosts_over_budget),
        cmocka_unit_test(not_a_profile),    cmocka_unit_test(over_budget),
        cmocka_unit_test(changed_file),     cmocka_unit_test(many_askers),
        cmocka_unit_test(busy_then_closed), cmocka_unit_test(args_kept),
        cmocka_unit_test(args_busy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
