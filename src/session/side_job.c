/* A thread that makes a module's side tables before anybody asks, once a module.
 *
 * In: what to do. It runs below the priority of answers, holds the run meanwhile, and is waited for
 * when the store closes; a thread that cannot be started is no error, the tables then come when
 * they are asked for. */
#include "internal.h"

#include <stdlib.h>
#include <sys/resource.h>

#define NICE 10 /* of this thread alone: on Linux each has its own */

struct job {
    struct xpd_store *store;
    struct xpd_run_slot *slot;
    uint32_t module;
    xpd_side_work *work;
};

static void *run_job(void *argument)
{
    struct job job = *(struct job *)argument;
    free(argument);
    setpriority(PRIO_PROCESS, 0, NICE);
    job.work(job.store, &job.slot->run, job.module);
    xpd_job_end(job.store, job.slot);
    return NULL;
}

static bool start(struct job *job)
{
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    bool started = pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
                   pthread_create(&thread, &attributes, run_job, job) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

/* Takes the hold of a job; false when the store is about to close. */
static bool begin_job(struct xpd_store *store, struct xpd_run_slot *slot)
{
    pthread_mutex_lock(&store->lock);
    bool open = !store->closing;
    slot->holders += open;
    slot->jobs += open;
    store->jobs += open;
    pthread_mutex_unlock(&store->lock);
    return open;
}

void xpd_store_side_ahead(struct xpd_store *store, const struct xpd_run *run, uint32_t module,
                          xpd_side_work *work)
{
    struct xpd_run_slot *slot = xpd_slot_of(run);
    pthread_mutex_lock(&slot->lock);
    bool asked = slot->module[module].ahead;
    slot->module[module].ahead = true;
    pthread_mutex_unlock(&slot->lock);
    struct job *job = asked ? NULL : malloc(sizeof *job);
    if (!job)
        return;
    *job = (struct job){store, slot, module, work};
    if (!begin_job(store, slot)) {
        free(job);
    } else if (!start(job)) {
        free(job);
        xpd_job_end(store, slot);
    }
}
