#include "planes_cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#define MOST 3.0 /* times as long; growth by the square would be 4 */

static double processor_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void many_planes(const struct planes_cost *cost, struct dspace *d, uint32_t count)
{
    char name[64];
    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "/host:CPU %08u", (i * 2654435761u) >> 8); /* in no order */
        cost->add(d, name, i);
    }
    dspace_load(d);
}

/* The least time so far: others use the machine, too. */
static double took_ms(const struct planes_cost *cost, const struct dspace *d, double least_ms)
{
    double before = processor_ms();
    cost->work(d);
    double ms = processor_ms() - before;
    return ms < least_ms ? ms : least_ms;
}

void assert_grows_with_planes(const struct planes_cost *cost)
{
    struct dspace once = {0}, twice = {0};
    double once_ms = 1e9, twice_ms = 1e9;
    many_planes(cost, &once, cost->planes);
    many_planes(cost, &twice, 2 * cost->planes);
    for (int i = 0; i < cost->rounds && (i < 3 || twice_ms > MOST * once_ms); i++) {
        once_ms = took_ms(cost, &once, once_ms);
        twice_ms = took_ms(cost, &twice, twice_ms);
    }
    print_message("%.3f -> %.3f ms: %.2f\n", once_ms, twice_ms, twice_ms / once_ms);
    assert_true(twice_ms <= MOST * once_ms);
    dspace_free(&once);
    dspace_free(&twice);
}
