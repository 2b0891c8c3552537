/* Threads that make something of a run on demand: they hold the run, few of them work at a time,
 * and the store waits for them when it closes. */
#include "session_internal.h"

#include <errno.h>

#define JOBS_AT_WORK 2

int xpd_store_work_begin(struct xpd_store *store, const char *id, struct xpd_err *err)
{
    int rc = XPD_OK;
    pthread_mutex_lock(&store->lock);
    while (store->jobs_running >= JOBS_AT_WORK && !store->closing)
        pthread_cond_wait(&store->changed, &store->lock);
    if (store->closing)
        rc = xpd_fail(err, XPD_EBUSY, id, XPD_NO_OFFSET, "The server is shutting down.");
    else
        store->jobs_running++;
    pthread_mutex_unlock(&store->lock);
    return rc;
}

void xpd_store_work_end(struct xpd_store *store)
{
    pthread_mutex_lock(&store->lock);
    store->jobs_running--;
    pthread_cond_broadcast(&store->changed);
    pthread_mutex_unlock(&store->lock);
}

bool xpd_job_start(struct xpd_store *store, struct xpd_run_slot *slot, void *(*run)(void *),
                   void *argument)
{
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_mutex_lock(&store->lock);
    slot->holders++;
    slot->jobs++;
    store->jobs++;
    pthread_mutex_unlock(&store->lock);
    bool started = pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
                   pthread_create(&thread, &attributes, run, argument) == 0;
    pthread_attr_destroy(&attributes);
    if (!started)
        xpd_job_end(store, slot);
    return started;
}

void xpd_job_end(struct xpd_store *store, struct xpd_run_slot *slot)
{
    xpd_store_release_job(store, slot);
    pthread_mutex_lock(&store->lock);
    store->jobs--;
    pthread_cond_broadcast(&store->changed);
    pthread_mutex_unlock(&store->lock);
}

void xpd_jobs_wait(struct xpd_store *store)
{
    while (store->jobs != 0)
        pthread_cond_wait(&store->changed, &store->lock);
}

bool xpd_slot_wait(struct xpd_run_slot *slot, int64_t until_ns)
{
    struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000),
                             .tv_nsec = (long)(until_ns % 1000000000)};
    if (until_ns < 0)
        return pthread_cond_wait(&slot->changed, &slot->lock) == 0;
    return pthread_cond_timedwait(&slot->changed, &slot->lock, &until) != ETIMEDOUT;
}

bool xpd_store_closing(struct xpd_store *store)
{
    pthread_mutex_lock(&store->lock);
    bool closing = store->closing;
    pthread_mutex_unlock(&store->lock);
    return closing;
}
