/* A run in parts: some hosts alone, beside the whole run and those who want that. */
#include "session_test.h"
#include "xspace_gen.h"

#include "xprofd/trace/join.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void put_events(const char *root, const char *name, uint64_t events)
{
    char path[600];
    st_write(root, name, "", 0);
    snprintf(path, sizeof path, "%s/%s", root, name);
    assert_true(xsg_write(path, XSG_TPU, events));
}

static const struct xpd_run *part_of(struct xpd_store *store, const char *only)
{
    const struct xpd_run *run = NULL;
    struct xpd_load_state load = {0};
    struct xpd_err err = {0};
    int rc = xpd_store_acquire_part(store, XPD_STR("run"), xpd_str_of(only), -1, &run, &load, &err);
    if (rc != XPD_OK)
        print_error("%s\n", err.text);
    assert_int_equal(rc, XPD_OK);
    return run;
}

static struct xpd_store *open_three(char **root)
{
    *root = st_folder();
    put_events(*root, "run/a.xplane.pb", 3000);
    put_events(*root, "run/b.xplane.pb", 5000);
    st_profile(*root, "run/c.xplane.pb", "V1", 77);
    return st_open(*root, 0);
}

static uint64_t events_of(const struct xpd_host *host)
{
    uint64_t events = 0;
    for (uint32_t i = 0; i < host->space->plane_count; i++)
        events += host->space->plane[i].event_count;
    return events;
}

static void close_all(struct xpd_store *store, char *root)
{
    xpd_store_close(store);
    st_remove(root);
}

/* Only what was asked for is there, and the rest is named. */
static void names_the_rest(void **state)
{
    (void)state;
    char *root;
    struct xpd_store *store = open_three(&root);
    const struct xpd_run *run = part_of(store, "c");
    assert_int_equal(run->host_count, 1);
    assert_string_equal(run->host[0].name, "c");
    assert_string_equal(st_keys(run), "V1(77)");
    assert_int_equal(run->left_out_count, 2);
    assert_string_equal(run->left_out[0]->host, "a");
    assert_string_equal(run->left_out[1]->host, "b");
    bool said = false;
    for (uint32_t i = 0; i < run->warnings->count; i++)
        said |= strcmp(run->warnings->item[i].code, "hosts_left_out") == 0;
    assert_true(said);
    const struct xpd_run *whole = st_acquire(store, "run"); /* no other request is affected */
    assert_int_equal(whole->host_count, 3);
    assert_int_equal(whole->left_out_count, 0);
    const struct xpd_run *two = part_of(store, "b,a"); /* in the run's own order */
    assert_int_equal(two->host_count, 2);
    assert_string_equal(two->host[0].name, "a");
    assert_int_equal(two->module_count, 0);
    xpd_store_release(store, two);
    xpd_store_release(store, whole);
    xpd_store_release(store, run);
    close_all(store, root);
}

static void unknown_host(void **state)
{
    (void)state;
    static const char *const wrong[] = {"d", "a,d", "ab", ",a", "a,,b"};
    char *root;
    struct xpd_store *store = open_three(&root);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct xpd_run *run = NULL;
        struct xpd_load_state load;
        struct xpd_err err = {0};
        assert_int_equal(xpd_store_acquire_part(store, XPD_STR("run"), xpd_str_of(wrong[i]), -1,
                                                &run, &load, &err),
                         XPD_ENOTFOUND);
        assert_string_equal(err.where, "only");
        assert_null(run);
    }
    close_all(store, root);
}

/* What one has read the other takes, whichever came first: directories and events. */
static void shared(void **state)
{
    (void)state;
    for (int part_first = 0; part_first < 2; part_first++) {
        char *root;
        struct xpd_store *store = open_three(&root);
        const struct xpd_run *part = part_first ? part_of(store, "b,c") : NULL;
        const struct xpd_run *whole = st_acquire(store, "run");
        if (!part_first)
            part = part_of(store, "b,c");
        assert_ptr_equal(part->host[0].space, whole->host[1].space);
        assert_ptr_equal(part->host[1].space, whole->host[2].space);
        const struct xpd_trace *one = NULL, *other = NULL;
        const struct xpd_flows *flow = NULL;
        struct xpd_err err = {0};
        assert_int_equal(xpd_store_trace(store, part, 0, -1, &one, NULL, &err), XPD_OK);
        assert_int_equal(xpd_store_trace(store, whole, 1, 0, &other, NULL, &err), XPD_OK);
        assert_ptr_equal(one, other);
        assert_int_equal(one->event_count, events_of(&whole->host[1]));
        assert_int_equal(xpd_store_flows(store, whole, 3, -1, &flow, NULL, &err), XPD_OK);
        assert_int_equal(xpd_store_trace(store, whole, 3, 0, &other, NULL, &err), XPD_OK);
        assert_int_equal(other->event_count, events_of(&whole->host[0]) + one->event_count);
        assert_ptr_equal(other->part[1].trace, one);
        /* The lender may go first, as far as its clients are concerned. */
        xpd_store_release(store, part_first ? part : whole);
        xpd_store_release(store, part_first ? whole : part);
        struct xpd_store_stats stats;
        xpd_store_stats(store, &stats);
        assert_int_equal(stats.runs_held, 0);
        close_all(store, root);
    }
}

/* A short budget: whoever borrows goes, then who lent. */
static void evicted(void **state)
{
    (void)state;
    char *root;
    struct xpd_store *store = open_three(&root);
    xpd_store_release(store, st_acquire(store, "run"));
    xpd_store_release(store, part_of(store, "a"));
    xpd_store_release(store, part_of(store, "a,b"));
    struct xpd_store_stats stats;
    xpd_store_stats(store, &stats);
    assert_int_equal(stats.runs_loaded, 3);
    close_all(store, root);

    root = st_folder();
    put_events(root, "run/a.xplane.pb", 3000);
    put_events(root, "run/b.xplane.pb", 3000);
    store = st_open(root, 1);
    for (int i = 0; i < 3; i++) {
        const struct xpd_run *part = part_of(store, i % 2 ? "a" : "b"),
                             *whole = st_acquire(store, "run");
        assert_int_equal(whole->host_count, 2);
        xpd_store_release(store, whole);
        xpd_store_release(store, part);
    }
    xpd_store_stats(store, &stats);
    assert_int_equal(stats.memory_bytes, 0);
    assert_int_equal(stats.runs_loaded, 0);
    close_all(store, root);
}

static void progress_told(void **state)
{
    (void)state;
    char *root;
    struct xpd_store *store = open_three(&root);
    struct xpd_arena arena;
    struct xpd_run_progress is;
    struct xpd_err err = {0};
    xpd_arena_init(&arena, 0);
    struct xpd_str id = XPD_STR("run"), all = XPD_STR("");
    assert_int_equal(xpd_store_progress(store, id, all, &arena, &is, &err), XPD_OK);
    assert_int_equal(is.state, XPD_RUN_NOT_LOADED);
    assert_int_equal(is.file_count, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(is.file[i].state, XPD_FILE_WAITS);
    const struct xpd_run *part = part_of(store, "a,b");
    assert_int_equal(xpd_store_progress(store, id, all, &arena, &is, &err), XPD_OK);
    assert_int_equal(is.state, XPD_RUN_NOT_LOADED); /* it started nothing */
    assert_int_equal(xpd_store_progress(store, id, XPD_STR("a,b"), &arena, &is, &err), XPD_OK);
    assert_int_equal(is.state, XPD_RUN_LOADED);
    assert_string_equal(is.file[0].host, "a");
    assert_int_equal(is.file[0].state, XPD_FILE_READ);
    assert_true(events_of(&part->host[0]) > 3000);
    assert_int_equal(is.file[0].events, events_of(&part->host[0]));
    assert_int_equal(is.file[0].done_bytes, is.file[0].size_bytes);
    assert_int_equal(is.file[1].events, events_of(&part->host[1]));
    assert_int_equal(is.file[2].state, XPD_FILE_LEFT_OUT);
    assert_false(is.file[2].counted);
    assert_false(is.file[1].events_read);
    const struct xpd_trace *trace;
    assert_int_equal(xpd_store_trace(store, part, 1, -1, &trace, NULL, &err), XPD_OK);
    assert_int_equal(xpd_store_progress(store, id, XPD_STR("a,b"), &arena, &is, &err), XPD_OK);
    assert_true(is.file[1].events_read);
    assert_int_equal(is.file[1].events_done_bytes, is.file[1].size_bytes);
    assert_int_equal(is.file[0].events_total_bytes, 0);
    assert_int_equal(xpd_store_progress(store, XPD_STR("no"), all, &arena, &is, &err),
                     XPD_ENOTFOUND);
    xpd_store_release(store, part);
    xpd_arena_fini(&arena);
    close_all(store, root);
}

struct client {
    struct xpd_store *store;
    const char *only;
    uint32_t hosts;
    int failed, limited;
};

static void *ask_again(void *argument)
{
    struct client *client = argument;
    struct xpd_arena arena;
    xpd_arena_init(&arena, 0);
    for (int i = 0; i < 12; i++) {
        const struct xpd_run *run = NULL;
        struct xpd_load_state load;
        struct xpd_run_progress is;
        const struct xpd_trace *trace;
        if (xpd_store_acquire_part(client->store, XPD_STR("run"), xpd_str_of(client->only), -1,
                                   &run, &load, NULL) != XPD_OK) {
            client->failed++;
            continue;
        }
        client->failed += run->host_count != client->hosts;
        int rc = xpd_store_trace(client->store, run, client->hosts > 1 ? client->hosts : 0, -1,
                                 &trace, NULL, NULL);
        client->failed += rc != XPD_OK && rc != XPD_ELIMIT; /* what others hold may leave no room */
        client->limited += rc == XPD_ELIMIT;
        client->failed += xpd_store_progress(client->store, XPD_STR("run"),
                                             xpd_str_of(client->only), &arena, &is, NULL) != XPD_OK;
        xpd_store_release(client->store, run);
    }
    xpd_arena_fini(&arena);
    return NULL;
}

/* Whole and parts at once, with a budget that throws them out all the time. */
static void together(void **state)
{
    (void)state;
    char *root = st_folder();
    put_events(root, "run/a.xplane.pb", 300);
    put_events(root, "run/b.xplane.pb", 300);
    put_events(root, "run/c.xplane.pb", 300);
    for (int tight = 0; tight < 2; tight++) {
        struct xpd_store *store = st_open(root, tight ? 40000000 : 0);
        struct client client[] = {{store, "", 3, 0, 0},
                                  {store, "a", 1, 0, 0},
                                  {store, "a,b", 2, 0, 0},
                                  {store, "b,c", 2, 0, 0}};
        pthread_t thread[4];
        for (int i = 0; i < 4; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, ask_again, &client[i]), 0);
        for (int i = 0; i < 4; i++) {
            pthread_join(thread[i], NULL);
            assert_int_equal(client[i].failed, 0);
            assert_true(tight || client[i].limited == 0);
        }
        xpd_store_close(store);
    }
    st_remove(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_the_rest), cmocka_unit_test(unknown_host),
        cmocka_unit_test(shared),         cmocka_unit_test(evicted),
        cmocka_unit_test(progress_told),  cmocka_unit_test(together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
