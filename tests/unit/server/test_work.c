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

static void put_of(struct xpd_work *work, struct step *step, uint64_t client, int tries,
                   _Atomic int *order)
{
    *step = (struct step){
        .job = {.run = run_step, .client = client}, .tries = tries, .place = -1, .order = order};
    xpd_work_put(work, &step->job);
}

static void put(struct xpd_work *work, struct step *step, int tries, _Atomic int *order)
{
    put_of(work, step, 0, tries, order);
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

struct meeting { /* jobs that stay in a thread until they are let go */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int inside;
    bool open;
};

struct guest {
    struct xpd_job job;
    struct meeting *meeting;
    _Atomic bool ran;
};

static bool stay(struct xpd_job *job)
{
    struct guest *guest = (struct guest *)job;
    struct meeting *meeting = guest->meeting;
    pthread_mutex_lock(&meeting->lock);
    guest->ran = true;
    meeting->inside++;
    pthread_cond_broadcast(&meeting->changed);
    while (!meeting->open)
        pthread_cond_wait(&meeting->changed, &meeting->lock);
    pthread_mutex_unlock(&meeting->lock);
    return true;
}

static void wait_inside(struct meeting *meeting, int count)
{
    pthread_mutex_lock(&meeting->lock);
    while (meeting->inside < count)
        pthread_cond_wait(&meeting->changed, &meeting->lock);
    pthread_mutex_unlock(&meeting->lock);
}

static void invite(struct xpd_work *work, struct guest *guest, uint64_t client,
                   struct meeting *meeting)
{
    *guest = (struct guest){.job = {.run = stay, .client = client}, .meeting = meeting};
    xpd_work_put(work, &guest->job);
}

static void let_go(struct meeting *meeting)
{
    pthread_mutex_lock(&meeting->lock);
    meeting->open = true;
    pthread_cond_broadcast(&meeting->changed);
    pthread_mutex_unlock(&meeting->lock);
}

/* One thread, held until all jobs are there: the client with few jobs does not wait for all of the
 * other's. */
static void clients_take_turns(void **state)
{
    (void)state;
    struct xpd_work *work = xpd_work_new(1);
    struct meeting meeting = {.lock = PTHREAD_MUTEX_INITIALIZER,
                              .changed = PTHREAD_COND_INITIALIZER};
    struct guest holds;
    struct step many[50], few[3];
    _Atomic int order = 0;
    invite(work, &holds, 9, &meeting);
    wait_inside(&meeting, 1);
    for (int i = 0; i < 50; i++)
        put_of(work, &many[i], 1, 1, &order);
    for (int i = 0; i < 3; i++)
        put_of(work, &few[i], 2, 1, &order);
    let_go(&meeting);
    xpd_work_end(work);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(many[i].place, 2 * i);
        assert_int_equal(few[i].place, 2 * i + 1);
    }
    assert_int_equal(many[49].place, 52);
    xpd_work_free(work);
}

/* Of 8 threads the first client gets 4, the second 2, the third 1, and one is left. */
static void no_client_takes_all_threads(void **state)
{
    (void)state;
    struct xpd_work *work = xpd_work_new(8);
    struct meeting meeting = {.lock = PTHREAD_MUTEX_INITIALIZER,
                              .changed = PTHREAD_COND_INITIALIZER};
    static struct guest guest[4][20];
    static const int inside[] = {4, 6, 7, 8};
    for (uint64_t client = 0; client < 4; client++) {
        for (int i = 0; i < 20; i++)
            invite(work, &guest[client][i], client, &meeting);
        wait_inside(&meeting, inside[client]);
    }
    assert_true(guest[3][0].ran);
    assert_false(guest[0][4].ran);
    let_go(&meeting);
    wait_inside(&meeting, 80);
    xpd_work_end(work);
    xpd_work_free(work);
}

static void a_client_fills_half_of_the_places(void **state)
{
    (void)state;
    struct xpd_work *work = xpd_work_new(1);
    struct meeting meeting = {.lock = PTHREAD_MUTEX_INITIALIZER,
                              .changed = PTHREAD_COND_INITIALIZER};
    static struct guest first, guest[2][100];
    int took[2] = {0, 0};
    invite(work, &first, 9, &meeting);
    wait_inside(&meeting, 1);
    for (uint64_t client = 0; client < 2; client++)
        while (xpd_work_has_room(work, client, 100))
            invite(work, &guest[client][took[client]++], client, &meeting);
    assert_int_equal(took[0], 50);
    assert_int_equal(took[1], 25);
    let_go(&meeting);
    xpd_work_end(work);
    assert_int_equal(meeting.inside, 1 + 50 + 25);
    xpd_work_free(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_run_in_order),
        cmocka_unit_test(who_waits_takes_no_thread),
        cmocka_unit_test(a_job_is_tried_until_it_is_done),
        cmocka_unit_test(clients_take_turns),
        cmocka_unit_test(no_client_takes_all_threads),
        cmocka_unit_test(a_client_fills_half_of_the_places),
        cmocka_unit_test(after_the_end_a_job_runs_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
