/* XProf's numbers of host planes: 701 and one more for each name before, and at a cost that grows
 * as their number does. */
#include "planes_cost.h"
#include "xprofd/compat/viewer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void add_plane(struct dspace *d, const char *name, uint32_t id)
{
    dspace_plane(d, name, id);
    uint32_t event = dspace_name(d, "a", NULL, NO_STATS);
    dspace_line(d, "main", 1);
    dspace_event(d, event, 0, 1, NO_STATS);
}

static struct xpd_xprof *open_view(const struct dspace *d)
{
    struct xpd_xprof_input input = {.trace = d->trace, .derived = d->derived, .flows = d->flows};
    struct xpd_xprof *xprof;
    assert_int_equal(xpd_xprof_open(&xprof, &input, 0, NULL), XPD_OK);
    return xprof;
}

static uint32_t pid_of(const struct xpd_xprof *xprof, const char *name)
{
    uint32_t pid = 0;
    for (uint32_t i = 0; i < xprof->process_count; i++) {
        if (strcmp(xprof->process[i].name, name) != 0)
            continue;
        assert_true(pid == 0 || pid == xprof->process[i].pid);
        pid = xprof->process[i].pid;
    }
    return pid;
}

/* Bytes are compared, a name stands before what it begins, one without lines counts. */
static void numbers(void **state)
{
    static const struct {
        const char *name;
        uint32_t pid;
    } vector[] = {{"/host:CPU2", 705},
                  {"/host:CPU", 701},
                  {"/host:CPU\xc3\xa9", 706},
                  {"/host:CPU", 701},
                  {"/host:CPU10", 704}};
    struct dspace d = {0};
    (void)state;
    for (uint32_t i = 0; i < sizeof vector / sizeof *vector; i++)
        add_plane(&d, vector[i].name, i);
    dspace_plane(&d, "/host:CPU0", 9);
    dspace_load(&d);
    struct xpd_xprof *xprof = open_view(&d);
    for (uint32_t i = 0; i < sizeof vector / sizeof *vector; i++)
        assert_int_equal(pid_of(xprof, vector[i].name), vector[i].pid);
    assert_int_equal(pid_of(xprof, "/host:CPU0"), 0);
    xpd_xprof_close(xprof);
    dspace_free(&d);
}

struct shown {
    char text[600];
};

static bool put_event(void *user, const struct xpd_xprof_event *event)
{
    struct shown *out = user;
    size_t used = strlen(out->text);
    snprintf(out->text + used, sizeof out->text - used, "%u/%u %.*s@%d+%d ", event->pid, event->tid,
             (int)event->name.size, event->name.data, (int)event->start_ps,
             (int)event->duration_ps);
    return true;
}

static void show(const struct xpd_xprof *view, struct shown *out)
{
    struct xpd_xprof_query query = {.full_dma = true};
    *out = (struct shown){0};
    for (uint32_t i = 0; i < view->process_count; i++)
        snprintf(out->text + strlen(out->text), sizeof out->text - strlen(out->text),
                 "%u=%s:%u-%u ", view->process[i].pid, view->process[i].name,
                 view->process[i].first_thread, view->process[i].thread_count);
    for (uint32_t i = 0; i < view->thread_count; i++)
        snprintf(out->text + strlen(out->text), sizeof out->text - strlen(out->text), "%u.%u ",
                 view->thread[i].pid, view->thread[i].tid);
    assert_int_equal(xpd_xprof_each(view, &query, put_event, out, NULL), XPD_OK);
}

/* What is kept of a host, as a request wants it, is what would be opened for that request; several
 * may share it. */
static void shared(void **state)
{
    (void)state;
    struct dspace d = {0};
    struct shown want, got, plain;
    add_plane(&d, "/host:CPU2", 1);
    add_plane(&d, "/device:TPU:0", 2);
    add_plane(&d, "/host:CPU", 3);
    dspace_load(&d);
    struct xpd_xprof *kept = open_view(&d), *own, *first, *second;
    struct xpd_xprof_input input = {
        .trace = d.trace, .derived = d.derived, .flows = d.flows, .host = "h", .pid_base = 2000};
    assert_int_equal(xpd_xprof_open(&own, &input, 0, NULL), XPD_OK);
    assert_int_equal(xpd_xprof_share(&first, kept, "other", 1000, NULL), XPD_OK);
    assert_int_equal(xpd_xprof_share(&second, kept, "h", 2000, NULL), XPD_OK);
    show(own, &want);
    xpd_xprof_close(first);
    show(second, &got);
    show(kept, &plain);
    assert_string_equal(got.text, want.text);
    assert_non_null(strstr(got.text, "2701=h /host:CPU:"));
    assert_string_not_equal(plain.text, got.text); /* it stays as it was */
    assert_true(xpd_xprof_bytes(kept) > sizeof *kept);
    xpd_xprof_close(second);
    xpd_xprof_close(own);
    xpd_xprof_close(kept);
    dspace_free(&d);
}

static void open_and_close(const struct dspace *d)
{
    xpd_xprof_close(open_view(d));
}

/* Each plane was compared with all others. */
static void twice_as_many(void **state)
{
    (void)state;
    assert_grows_with_planes(&(struct planes_cost){
        .planes = 500, .rounds = 60, .add = add_plane, .work = open_and_close});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(shared),
                                       cmocka_unit_test(twice_as_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
