/* XProf's numbers of host planes: 701 and one more for each name before, and at a cost that grows
 * as their number does. */
#include "derive_space.h"
#include "xprofd/trace/xprof.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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

static double processor_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void many_planes(struct dspace *d, uint32_t count)
{
    char name[64];
    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "/host:CPU %08u", (i * 2654435761u) >> 8); /* in no order */
        add_plane(d, name, i);
    }
    dspace_load(d);
}

static double took_ms(const struct dspace *d, double least_ms)
{
    double before = processor_ms();
    xpd_xprof_close(open_view(d));
    double ms = processor_ms() - before;
    return ms < least_ms ? ms : least_ms;
}

/* Each plane was compared with all others: four times the work. Least times, of as many rounds as
 * a busy machine needs. */
static void twice_as_many(void **state)
{
    enum { PLANES = 500, ROUNDS = 60 };
    struct dspace once = {0}, twice = {0};
    double once_ms = 1e9, twice_ms = 1e9;
    (void)state;
    many_planes(&once, PLANES);
    many_planes(&twice, 2 * PLANES);
    for (int i = 0; i < ROUNDS && (i < 3 || twice_ms > 2.2 * once_ms); i++) {
        once_ms = took_ms(&once, once_ms);
        twice_ms = took_ms(&twice, twice_ms);
    }
    print_message("%.3f -> %.3f ms: %.2f\n", once_ms, twice_ms, twice_ms / once_ms);
    assert_true(twice_ms <= 2.2 * once_ms);
    dspace_free(&once);
    dspace_free(&twice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(twice_as_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
