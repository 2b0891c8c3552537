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

#define BUCKETS 256u

struct queue {
    struct xpd_job *first, *last;
};

struct client { /* lives while it has jobs that wait or run */
    uint64_t key;
    struct queue ready;
    uint32_t waiting, running; /* waiting: jobs in `ready` */
    struct client *chain;      /* same bucket */
    struct client *next;       /* whose turn is later; only of those with jobs in `ready` */
};

struct xpd_work {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct client *bucket[BUCKETS];
    struct client *first, *last; /* by turn */
    struct client no_memory;     /* of those for whom there was none */
    struct queue later;          /* to be tried again at retry_at */
    struct timespec retry_at;
    uint32_t waiting, running;
    uint32_t idle;
    _Atomic bool gives_up;
    bool ends, joined;
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

/* ---- clients; the lock is held ---- */

static struct client *find_client(const struct xpd_work *work, uint64_t key)
{
    struct client *client = work->bucket[key % BUCKETS];
    while (client && client->key != key)
        client = client->chain;
    return client;
}

static struct client *client_of(struct xpd_work *work, uint64_t key)
{
    struct client *client = find_client(work, key);
    if (client)
        return client;
    client = calloc(1, sizeof *client);
    if (!client)
        return &work->no_memory;
    client->key = key;
    client->chain = work->bucket[key % BUCKETS];
    work->bucket[key % BUCKETS] = client;
    return client;
}

static void drop_if_done(struct xpd_work *work, struct client *client)
{
    if (client->waiting > 0 || client->running > 0 || client == &work->no_memory)
        return;
    struct client **at = &work->bucket[client->key % BUCKETS];
    while (*at != client)
        at = &(*at)->chain;
    *at = client->chain;
    free(client);
}

static void put_last(struct xpd_work *work, struct client *client)
{
    client->next = NULL;
    *(work->last ? &work->last->next : &work->first) = client;
    work->last = client;
}

static void put_ready(struct xpd_work *work, struct xpd_job *job)
{
    struct client *client = client_of(work, job->client);
    if (client->waiting++ == 0)
        put_last(work, client);
    push(&client->ready, job);
    work->waiting++;
}

static bool may_run(const struct xpd_work *work, const struct client *client)
{
    return work->ends || client->running < work->count - work->running;
}

/* The job whose turn it is, NULL when there is none that may run. Give *of to has_run. */
static struct xpd_job *take_ready(struct xpd_work *work, struct client **of)
{
    struct client *before = NULL, *client = work->first;
    for (; client && !may_run(work, client); client = client->next)
        before = client;
    if (!client)
        return NULL;
    *(before ? &before->next : &work->first) = client->next;
    if (work->last == client)
        work->last = before;
    struct xpd_job *job = pop(&client->ready);
    *of = client;
    client->waiting--;
    client->running++;
    work->waiting--;
    work->running++;
    if (client->waiting > 0)
        put_last(work, client);
    return job;
}

static void has_run(struct xpd_work *work, struct client *client)
{
    client->running--;
    work->running--;
    drop_if_done(work, client);
}

/* ---- waiting ---- */

static bool is_past(const struct timespec *at)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > at->tv_sec || (now.tv_sec == at->tv_sec && now.tv_nsec >= at->tv_nsec);
}

/* All jobs that wait are tried at one time. The lock is held. */
static void retry(struct xpd_work *work)
{
    while (work->later.first)
        put_ready(work, pop(&work->later));
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
static struct xpd_job *take(struct xpd_work *work, struct client **of)
{
    for (;;) {
        if (work->later.first && (work->ends || is_past(&work->retry_at)))
            retry(work);
        struct xpd_job *job = take_ready(work, of);
        if (job && work->first && work->idle > 0) /* one that ended may have made room for two */
            pthread_cond_signal(&work->changed);
        if (job || work->ends)
            return job;
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
    struct client *client;
    for (struct xpd_job *job; (job = take(work, &client)) != NULL;) {
        pthread_mutex_unlock(&work->lock);
        bool done = job->run(job);
        pthread_mutex_lock(&work->lock);
        has_run(work, client);
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
    pthread_mutex_lock(&work->lock);
    while (work->count < threads &&
           pthread_create(&work->thread[work->count], &attributes, serve, work) == 0)
        work->count++;
    pthread_mutex_unlock(&work->lock);
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
        put_ready(work, job);
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

bool xpd_work_has_room(struct xpd_work *work, uint64_t key, uint32_t most)
{
    pthread_mutex_lock(&work->lock);
    const struct client *client = find_client(work, key);
    uint32_t own = client ? client->waiting : 0;
    bool room = work->waiting < most && own < most - work->waiting;
    pthread_mutex_unlock(&work->lock);
    return room;
}

bool xpd_work_is_idle(struct xpd_work *work)
{
    pthread_mutex_lock(&work->lock);
    bool idle = work->idle > 0 && work->waiting == 0;
    pthread_mutex_unlock(&work->lock);
    return idle;
}

void xpd_work_give_up(struct xpd_work *work)
{
    work->gives_up = true;
}

bool xpd_work_gives_up(const struct xpd_work *work)
{
    return work->gives_up;
}

void xpd_work_end(struct xpd_work *work)
{
    xpd_work_give_up(work);
    pthread_mutex_lock(&work->lock);
    work->ends = true;
    pthread_cond_broadcast(&work->changed);
    pthread_mutex_unlock(&work->lock);
    for (uint32_t i = 0; i < work->count; i++)
        pthread_join(work->thread[i], NULL);
    pthread_mutex_lock(&work->lock);
    work->count = 0;
    work->joined = true;
    while (work->first || work->later.first) { /* put between the last look and the join */
        struct client *client = NULL;
        struct xpd_job *job = work->first ? take_ready(work, &client) : pop(&work->later);
        pthread_mutex_unlock(&work->lock);
        while (!job->run(job))
            continue;
        pthread_mutex_lock(&work->lock);
        if (client)
            has_run(work, client);
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
