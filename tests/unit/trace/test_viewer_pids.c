/* XProf's numbers of host planes: 701 and one more for each name before, and at a cost that grows
 * as their number does. */
#include "planes_cost.h"
#include "xprofd/compat/viewer.h"

#include <setjmp.h>
#include <stdarg.h>
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(twice_as_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
