/* The queue of requests: order, jobs that wait, the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <pthread.h>

#include "server/work.h"

enum { WAITED_FOR = 10 };

struct step { /* a job that is done after some tries */
    struct xpd_job job;
    int tries; /* -1: until WAITED_FOR others have run */
    int place; /* of its last try among all */
    _Atomic int *order;
};

static bool run_step(struct xpd_job *job)
{
    struct step *step = (struct step *)job;
    if (step->tries < 0 && *step->order < WAITED_FOR)
        return false;
    step->place = atomic_fetch_add(step->order, 1);
    return --step->tries <= 0;
}

static void put(struct xpd_work *work, struct step *step, int tries, _Atomic int *order)
{
    *step = (struct step){.job = {.run = run_step}, .tries = tries, .place = -1, .order = order};
    xpd_work_put(work, &step->job);
}

static void jobs_run_in_order(void **state)
{
    (void)state;
    struct xpd_work *work = xpd_work_new(1);
    struct step step[100];
    _Atomic int order = 0;
    for (int i = 0; i < 100; i++)
        put(work, &step[i], 1, &order);
    xpd_work_end(work);
    for (int i = 0; i < 100; i++)
        assert_int_equal(step[i].place, i);
    xpd_work_free(work);
}

/* One thread: a job that waits must not keep those behind it from running. */
static void who_waits_takes_no_thread(void **state)
{
    (void)state;
    struct xpd_work *work = xpd_work_new(1);
    struct step waits, next[WAITED_FOR];
    _Atomic int order = 0;
    put(work, &waits, -1, &order);
    for (int i = 0; i < WAITED_FOR; i++)
        put(work, &next[i], 1, &order);
    xpd_work_end(work);
    for (int i = 0; i < WAITED_FOR; i++)
        assert_int_equal(next[i].place, i);
    assert_int_equal(waits.place, WAITED_FOR);
    xpd_work_free(work);
}

static void a_job_is_tried_until_it_is_done(void **state)
{
    (void)state;
    struct xpd_work *work = xpd_work_new(2);
    struct step step[50];
    _Atomic int order = 0;
    for (int i = 0; i < 50; i++)
        put(work, &step[i], 1 + i % 3, &order);
    xpd_work_end(work);
    assert_int_equal(order, 17 * 1 + 17 * 2 + 16 * 3);
    xpd_work_free(work);
}

static void after_the_end_a_job_runs_at_once(void **state)
{
    (void)state;
    struct xpd_work *work = xpd_work_new(1);
    struct step step;
    _Atomic int order = 0;
    xpd_work_end(work);
    put(work, &step, 2, &order);
    assert_int_equal(order, 2);
    assert_int_equal(xpd_work_waiting(work), 0);
    assert_false(xpd_work_is_idle(work));
    xpd_work_free(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_run_in_order),
        cmocka_unit_test(who_waits_takes_no_thread),
        cmocka_unit_test(a_job_is_tried_until_it_is_done),
        cmocka_unit_test(after_the_end_a_job_runs_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
