/* Searches in the args of events: each question answered once, the last few answers kept.
 *
 * In: a loaded trace, a key. Out: frozen hits. A large file takes seconds, so a thread does it and
 * clients ask again for the result; a search without requests is abandoned, so that continued
 * typing does not leave a queue of work. */
#include "session_internal.h"

#include <stdio.h>
#include <stdlib.h>

#define KEPT         8 /* questions of a host, those in work among them */
#define ABANDONED_NS (INT64_C(5) * 1000000000)

struct job {
    struct xpd_store *store;
    struct xpd_run_slot *slot;
    struct xpd_trace_slot *trace;
    const struct xpd_trace *events;
    struct xpd_args_slot *args;
    struct xpd_args_want want; /* its key is that of args */
};

/* ---- the work ---- */

static bool go_on(void *ctx, uint64_t done_bytes)
{
    struct job *job = ctx;
    atomic_store(&job->args->done_bytes, done_bytes);
    int64_t asked_ns = atomic_load(&job->args->asked_ns);
    return !xpd_store_closing(job->store) && xpd_now_ns() - asked_ns < ABANDONED_NS;
}

static int work(struct job *job, struct xpd_arg_hits **hits, struct xpd_err *err)
{
    const struct xpd_trace *trace = job->events;
    const struct xpd_arg_watch watch = {go_on, job};
    struct xpd_arg_match match;
    int rc = xpd_store_work_begin(job->store, job->slot->id, err);
    if (rc != XPD_OK)
        return rc;
    uint64_t wanted = xpd_arg_hits_bytes(trace);
    if (xpd_store_room(job->store, wanted) < wanted)
        rc = xpd_fail(err, XPD_ELIMIT, "q", XPD_NO_OFFSET,
                      "Not enough memory for this search: %llu bytes for the hits. Raise "
                      "--memory-limit.",
                      (unsigned long long)wanted);
    if (rc == XPD_OK)
        rc = job->want.open(job->want.key, &match, err);
    if (rc == XPD_OK) {
        rc = xpd_args_scan(hits, trace, &match, &watch, err);
        job->want.close(&match);
    }
    xpd_store_work_end(job->store);
    return rc;
}

static void *run_job(void *argument)
{
    struct job *job = argument;
    struct xpd_arg_hits *hits = NULL;
    struct xpd_err err = {0};
    int rc = work(job, &hits, &err);
    if (rc == XPD_OK)
        xpd_store_account(job->store, job->slot, (int64_t)hits->memory_bytes);
    pthread_mutex_lock(&job->slot->lock);
    job->args->hits = hits;
    job->args->error = err;
    job->args->state = rc == XPD_OK ? XPD_WORK_DONE : XPD_WORK_FAILED;
    job->args->holders--;
    pthread_cond_broadcast(&job->slot->changed);
    pthread_mutex_unlock(&job->slot->lock);
    xpd_job_end(job->store, job->slot);
    free(job);
    return NULL;
}

/* ---- the list ---- */

static void unlink_args(struct xpd_trace_slot *trace, struct xpd_args_slot *args)
{
    struct xpd_args_slot **at = &trace->args;
    while (*at != args)
        at = &(*at)->next;
    *at = args->next;
}

/* Under the run lock. Returns the bytes that are free by this. */
static uint64_t drop(struct xpd_trace_slot *trace, struct xpd_args_slot *args)
{
    uint64_t bytes = args->hits ? args->hits->memory_bytes : 0;
    unlink_args(trace, args);
    xpd_args_free(args);
    return bytes;
}

static struct xpd_args_slot *find(const struct xpd_trace_slot *trace, struct xpd_str key)
{
    for (struct xpd_args_slot *args = trace->args; args; args = args->next)
        if (xpd_str_eq((struct xpd_str){args->key, args->key_size}, key))
            return args;
    return NULL;
}

/* Room for one more; false when all are in use. */
static bool make_room(struct xpd_trace_slot *trace, uint64_t *freed)
{
    uint32_t count = 0;
    struct xpd_args_slot *oldest = NULL;
    for (struct xpd_args_slot *args = trace->args; args; args = args->next) {
        count++;
        if (args->holders == 0 && (!oldest || args->used_ns < oldest->used_ns))
            oldest = args;
    }
    if (count < KEPT)
        return true;
    if (oldest)
        *freed += drop(trace, oldest);
    return oldest != NULL;
}

static struct xpd_args_slot *add(struct xpd_trace_slot *trace, struct xpd_str key)
{
    struct xpd_args_slot *args = calloc(1, sizeof *args);
    char *copy = malloc(key.size + 1);
    if (!args || !copy) {
        free(args);
        free(copy);
        return NULL;
    }
    memcpy(copy, key.data, key.size);
    args->key = copy;
    args->key_size = key.size;
    args->state = XPD_WORK_BUSY;
    args->next = trace->args;
    trace->args = args;
    return args;
}

/* Under the run lock, which it lets go of meanwhile: the store's comes before it. */
static int start(const struct job *from, struct xpd_err *err)
{
    struct job *job = malloc(sizeof *job);
    if (job) {
        bool started;
        *job = *from;
        job->want.key = (struct xpd_str){job->args->key, job->args->key_size};
        job->args->holders++;
        pthread_mutex_unlock(&from->slot->lock);
        started = xpd_job_start(job->store, job->slot, run_job, job);
        pthread_mutex_lock(&from->slot->lock);
        if (started)
            return XPD_OK;
        from->args->holders--;
        free(job);
    }
    return xpd_fail(err, XPD_ENOMEM, "q", XPD_NO_OFFSET,
                    "A thread for this search cannot be started.");
}

/* ---- asking ---- */

static void tell(const struct xpd_run *run, uint32_t host, struct xpd_args_slot *args,
                 struct xpd_load_state *state)
{
    if (!state)
        return;
    char title[64];
    xpd_host_title(run, host, title, sizeof title);
    state->total_bytes = xpd_host_file_bytes(run, host);
    state->done_bytes = args ? atomic_load(&args->done_bytes) : 0;
    if (state->done_bytes > state->total_bytes)
        state->done_bytes = state->total_bytes;
    snprintf(state->what, sizeof state->what, "searching the args of %s", title);
}

static int busy(struct xpd_err *err)
{
    return xpd_fail(err, XPD_EBUSY, "q", XPD_NO_OFFSET, "The args are still being searched.");
}

/* Under the run lock. */
static int demand(struct job *job, uint32_t host, int wait_ms, const struct xpd_arg_hits **hits,
                  struct xpd_load_state *state, uint64_t *freed, struct xpd_err *err)
{
    int64_t now = xpd_now_ns(), until = wait_ms < 0 ? -1 : now + (int64_t)wait_ms * 1000000;
    struct xpd_args_slot *args = find(job->trace, job->want.key);
    if (args && args->state == XPD_WORK_FAILED && args->error.code == XPD_EBUSY &&
        args->holders == 0) { /* cancelled, but requested again */
        *freed += drop(job->trace, args);
        args = NULL;
    }
    if (!args) {
        if (!make_room(job->trace, freed)) {
            tell(&job->slot->run, host, NULL, state);
            return busy(err);
        }
        args = add(job->trace, job->want.key);
        if (!args)
            return xpd_no_memory(err, "q", "for this search");
        atomic_store(&args->asked_ns, wait_ms < 0 ? INT64_MAX : now);
        job->args = args;
        int rc = start(job, err);
        if (rc != XPD_OK) { /* other waiting requests get the error, too */
            struct xpd_err why = {.code = rc};
            args->error = err ? *err : why;
            args->state = XPD_WORK_FAILED;
            pthread_cond_broadcast(&job->slot->changed);
        }
    }
    job->args = args;
    args->holders++;
    bool in_time = true;
    while (args->state == XPD_WORK_BUSY && in_time) {
        if (atomic_load(&args->asked_ns) != INT64_MAX)
            atomic_store(&args->asked_ns, wait_ms < 0 ? INT64_MAX : xpd_now_ns());
        in_time = xpd_slot_wait(job->slot, until);
    }
    args->used_ns = xpd_now_ns();
    if (args->state == XPD_WORK_DONE) {
        *hits = args->hits;
        return XPD_OK;
    }
    args->holders--;
    if (args->state == XPD_WORK_BUSY) {
        tell(&job->slot->run, host, args, state);
        return busy(err);
    }
    int code = args->error.code;
    if (err)
        *err = args->error;
    if (args->holders == 0)
        *freed += drop(job->trace, args);
    return code;
}

int xpd_store_args(struct xpd_store *store, const struct xpd_run *run, uint32_t host,
                   const struct xpd_args_want *want, int wait_ms, const struct xpd_arg_hits **hits,
                   struct xpd_load_state *state, struct xpd_err *err)
{
    struct xpd_run_slot *slot = xpd_slot_of(run);
    uint64_t freed = 0;
    *hits = NULL;
    const struct xpd_trace *events;
    int rc = xpd_store_trace(store, run, host, wait_ms, &events, state, err);
    if (rc != XPD_OK)
        return rc;
    xpd_lender(&slot, &host);
    struct job job = {
        .store = store, .slot = slot, .trace = &slot->trace[host], .events = events, .want = *want};
    pthread_mutex_lock(&slot->lock);
    rc = demand(&job, host, wait_ms, hits, state, &freed, err);
    pthread_mutex_unlock(&slot->lock);
    if (freed > 0)
        xpd_store_account(store, slot, -(int64_t)freed);
    return rc;
}

void xpd_store_args_release(const struct xpd_run *run, uint32_t host,
                            const struct xpd_arg_hits *hits)
{
    struct xpd_run_slot *slot = xpd_slot_of(run);
    if (!hits)
        return;
    xpd_lender(&slot, &host);
    pthread_mutex_lock(&slot->lock);
    for (struct xpd_args_slot *args = slot->trace[host].args; args; args = args->next)
        if (args->hits == hits) {
            args->holders--;
            break;
        }
    pthread_mutex_unlock(&slot->lock);
}
