/* Threads and their queue. In: jobs. Out: each is run until it says that it is done. */
#include "work.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* More than processors: a thread may sleep while a file is read. */
#define THREADS_MIN 16
#define THREADS_MAX 128

struct queue {
    struct xpd_job *first, *last;
};

struct xpd_work {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct queue ready, later; /* later: to be tried again at retry_at */
    struct timespec retry_at;
    uint32_t waiting; /* jobs in `ready` */
    uint32_t idle;
    _Atomic bool ends;
    bool joined;
    uint32_t count;
    pthread_t thread[THREADS_MAX];
};

static void push(struct queue *queue, struct xpd_job *job)
{
    job->next = NULL;
    *(queue->last ? &queue->last->next : &queue->first) = job;
    queue->last = job;
}

static struct xpd_job *pop(struct queue *queue)
{
    struct xpd_job *job = queue->first;
    queue->first = job->next;
    if (!queue->first)
        queue->last = NULL;
    return job;
}

static bool is_past(const struct timespec *at)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > at->tv_sec || (now.tv_sec == at->tv_sec && now.tv_nsec >= at->tv_nsec);
}

/* All jobs that wait are tried at one time. The lock is held. */
static void retry(struct xpd_work *work)
{
    while (work->later.first) {
        push(&work->ready, pop(&work->later));
        work->waiting++;
    }
    pthread_cond_broadcast(&work->changed);
}

static void put_later(struct xpd_work *work, struct xpd_job *job)
{
    if (!work->later.first) {
        clock_gettime(CLOCK_MONOTONIC, &work->retry_at);
        work->retry_at.tv_nsec += XPD_WORK_RETRY_MS * 1000000L;
        if (work->retry_at.tv_nsec >= 1000000000L) {
            work->retry_at.tv_nsec -= 1000000000L;
            work->retry_at.tv_sec++;
        }
        pthread_cond_signal(&work->changed); /* a thread must keep the time */
    }
    push(&work->later, job);
}

/* The next job, or NULL at the end. The lock is held. */
static struct xpd_job *take(struct xpd_work *work)
{
    for (;;) {
        if (work->later.first && (work->ends || is_past(&work->retry_at)))
            retry(work);
        if (work->ready.first) {
            work->waiting--;
            return pop(&work->ready);
        }
        if (work->ends)
            return NULL;
        work->idle++;
        if (work->later.first)
            pthread_cond_timedwait(&work->changed, &work->lock, &work->retry_at);
        else
            pthread_cond_wait(&work->changed, &work->lock);
        work->idle--;
    }
}

static void *serve(void *of)
{
    struct xpd_work *work = of;
    pthread_mutex_lock(&work->lock);
    for (struct xpd_job *job; (job = take(work)) != NULL;) {
        pthread_mutex_unlock(&work->lock);
        bool done = job->run(job);
        pthread_mutex_lock(&work->lock);
        if (!done)
            put_later(work, job);
    }
    pthread_mutex_unlock(&work->lock);
    return NULL;
}

static uint32_t threads_wanted(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (processors < THREADS_MIN / 2)
        return THREADS_MIN;
    return processors < THREADS_MAX / 2 ? 2 * (uint32_t)processors : THREADS_MAX;
}

static void start_threads(struct xpd_work *work, uint32_t threads)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)4 << 20);
    while (work->count < threads &&
           pthread_create(&work->thread[work->count], &attributes, serve, work) == 0)
        work->count++;
    pthread_attr_destroy(&attributes);
}

struct xpd_work *xpd_work_new(uint32_t threads)
{
    struct xpd_work *work = calloc(1, sizeof *work);
    pthread_condattr_t monotonic;
    if (!work)
        return NULL;
    pthread_mutex_init(&work->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&work->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (threads == 0)
        threads = threads_wanted();
    start_threads(work, threads < THREADS_MAX ? threads : THREADS_MAX);
    if (work->count > 0)
        return work;
    xpd_work_free(work);
    return NULL;
}

void xpd_work_put(struct xpd_work *work, struct xpd_job *job)
{
    pthread_mutex_lock(&work->lock);
    bool here = work->joined;
    if (!here) {
        push(&work->ready, job);
        work->waiting++;
        pthread_cond_signal(&work->changed);
    }
    pthread_mutex_unlock(&work->lock);
    while (here && !job->run(job))
        continue;
}

uint32_t xpd_work_waiting(struct xpd_work *work)
{
    pthread_mutex_lock(&work->lock);
    uint32_t waiting = work->waiting;
    pthread_mutex_unlock(&work->lock);
    return waiting;
}

bool xpd_work_is_idle(struct xpd_work *work)
{
    pthread_mutex_lock(&work->lock);
    bool idle = work->idle > 0 && work->waiting == 0;
    pthread_mutex_unlock(&work->lock);
    return idle;
}

bool xpd_work_ends(const struct xpd_work *work)
{
    return work->ends;
}

void xpd_work_end(struct xpd_work *work)
{
    pthread_mutex_lock(&work->lock);
    work->ends = true;
    pthread_cond_broadcast(&work->changed);
    pthread_mutex_unlock(&work->lock);
    for (uint32_t i = 0; i < work->count; i++)
        pthread_join(work->thread[i], NULL);
    pthread_mutex_lock(&work->lock);
    work->count = 0;
    work->joined = true;
    while (work->ready.first || work->later.first) { /* put between the last look and the join */
        struct xpd_job *job = pop(work->ready.first ? &work->ready : &work->later);
        pthread_mutex_unlock(&work->lock);
        while (!job->run(job))
            continue;
        pthread_mutex_lock(&work->lock);
    }
    pthread_mutex_unlock(&work->lock);
}

void xpd_work_free(struct xpd_work *work)
{
    if (!work)
        return;
    pthread_cond_destroy(&work->changed);
    pthread_mutex_destroy(&work->lock);
    free(work);
}
