/* Side tables: data that tools derive from a module or a run and use repeatedly, made
 * once.
 *
 * In: a key and a function that fills the table. Out: the frozen table, valid as long as
 * the run is held, its memory counted with the run's. The first request does the work
 * outside all locks, others wait for that table; after a failure the next request tries
 * again. A function may ask for other tables of the module, never in a circle. */
#include "session_internal.h"
#include <stdlib.h>
#include <sys/resource.h>

/* The list of a module's tables; the run's own for XPD_NO_INDEX. */
static struct xpd_side **sides_of(struct xpd_run_slot *slot, uint32_t module)
{
    return module == XPD_NO_INDEX ? &slot->side : &slot->module[module].side;
}

static struct xpd_side *find(struct xpd_side *side, uint64_t key)
{
    while (side && side->key != key)
        side = side->next;
    return side;
}

static struct xpd_side *add(struct xpd_side **first, uint64_t key)
{
    struct xpd_side *side = calloc(1, sizeof *side);
    if (!side)
        return NULL;
    side->key = key;
    side->next = *first;
    *first = side;
    return side;
}

static int make(struct xpd_store *store, struct xpd_run_slot *slot,
                const struct xpd_side_want *want, struct xpd_side *side, struct xpd_err *err)
{
    uint64_t room = xpd_store_room(store, 0);
    xpd_arena_init(&side->arena, room > 0 ? room : 1);
    side->table = xpd_arena_calloc(&side->arena, 1, want->size);
    struct xpd_err why = {0};
    int rc = side->table ? want->make(side->table, &side->arena, want->of, &why) : XPD_ELIMIT;
    if (rc == XPD_OK && side->arena.failed)
        rc = XPD_ELIMIT;
    if (rc == XPD_OK) {
        xpd_store_account(store, slot, (int64_t)side->arena.used_bytes);
        return XPD_OK;
    }
    xpd_arena_fini(&side->arena);
    side->table = NULL;
    if (why.code != rc) /* it did not say why */
        return xpd_fail(err, rc, slot->id, XPD_NO_OFFSET, "Not enough memory for a table.");
    if (err)
        *err = why;
    return rc;
}

/* Under the run lock, which it lets go of while the table is made. */
static int demand(struct xpd_store *store, struct xpd_run_slot *slot, struct xpd_side *side,
                  const struct xpd_side_want *want, struct xpd_err *err)
{
    while (side->state == XPD_WORK_BUSY)
        pthread_cond_wait(&slot->changed, &slot->lock);
    if (side->state == XPD_WORK_DONE)
        return XPD_OK;
    side->state = XPD_WORK_BUSY;
    pthread_mutex_unlock(&slot->lock);
    int rc = make(store, slot, want, side, err);
    pthread_mutex_lock(&slot->lock);
    side->state = rc == XPD_OK ? XPD_WORK_DONE : XPD_WORK_FAILED;
    pthread_cond_broadcast(&slot->changed);
    return rc;
}

int xpd_store_side(struct xpd_store *store, const struct xpd_run *run, uint32_t module,
                   const struct xpd_side_want *want, const void **table, struct xpd_err *err)
{
    struct xpd_run_slot *slot = xpd_slot_of(run);
    int rc = XPD_EBUSY;
    pthread_mutex_lock(&slot->lock);
    struct xpd_side **first = sides_of(slot, module), *side = find(*first, want->key);
    if (want->make && !side)
        side = add(first, want->key);
    if (want->make)
        rc = side ? demand(store, slot, side, want, err)
                  : xpd_no_memory(err, slot->id, "for a table");
    else if (side && side->state == XPD_WORK_DONE)
        rc = XPD_OK;
    *table = rc == XPD_OK ? side->table : NULL;
    pthread_mutex_unlock(&slot->lock);
    return rc;
}

/* A thread that makes a module's side tables in advance, once a
 * module. In: the work. It has a lower priority than answers,
 * holds the run meanwhile, and the store waits for it on close.
 * If the thread cannot be started, the tables are made on
 * demand. */

#define NICE 10 /* of this thread only: on Linux each has its own */

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
