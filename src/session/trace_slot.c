/* Makes the parts of a host's events, on demand, each once (part.h).
 *
 * In: a loaded run. Out: frozen results that live as long as the run. Reading a large profile takes
 * seconds, so a separate thread does the work (a job, which holds the run) and requests wait as
 * long as they choose. After a temporary failure the next request tries again. */
#include "session_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Memory of a part in addition to its events. Only for eviction; the real use is counted later. */
#define PART_BYTES ((uint64_t)16 << 20)

struct job {
    struct xpd_store *store;
    struct xpd_run_slot *slot;
    uint32_t host;
    const struct xpd_part_kind *kind;
};

static bool may_pass(int code)
{
    return code == XPD_ENOMEM || code == XPD_ELIMIT || code == XPD_ECHANGED || code == XPD_EIO ||
           code == XPD_EBUSY;
}

/* ---- memory ---- */

static bool of_all(const struct job *job)
{
    return job->host == xpd_run_all_hosts(&job->slot->run);
}

static uint64_t events_of(const struct job *job)
{
    const struct xpd_run *run = &job->slot->run;
    uint32_t first = of_all(job) ? 0 : job->host, end = of_all(job) ? run->host_count : first + 1;
    uint64_t events = 0;
    for (uint32_t i = first; i < end; i++)
        events += xpd_host_events(&run->host[i]);
    return events;
}

static int over_budget(const struct job *job, uint64_t room, struct xpd_err *err)
{
    const struct xpd_run *run = &job->slot->run;
    return xpd_fail(err, XPD_ELIMIT, of_all(job) ? "host" : run->host[job->host].input->name,
                    XPD_NO_OFFSET,
                    "The %llu events of %s need more memory than is free: %llu of %llu bytes. "
                    "Close other runs, or raise --memory-limit.",
                    (unsigned long long)events_of(job), of_all(job) ? "all hosts" : "this profile",
                    (unsigned long long)room, (unsigned long long)job->store->memory_limit_bytes);
}

/* ---- the work ---- */

struct opening {
    const struct job *job;
    uint64_t inflated_bytes; /* counted for the slot */
};

static bool go_on(void *ctx, uint64_t file_bytes, uint64_t held_bytes)
{
    struct opening *opening = ctx;
    const struct job *job = opening->job;
    (void)file_bytes;
    xpd_store_account_to(job->store, job->slot, &opening->inflated_bytes, held_bytes);
    return !atomic_load_explicit(&job->slot->trace[job->host].progress.stop, memory_order_relaxed);
}

static int open_file(const struct job *job, uint64_t room, struct xpd_part_from *from,
                     struct xpd_err *err)
{
    const struct xpd_host *host = &job->slot->run.host[job->host];
    struct opening opening = {.job = job};
    struct xpd_source_watch watch = {go_on, &opening};
    int rc = xpd_input_open(host->input, room, &watch, &from->source, err);
    xpd_store_account_to(job->store, job->slot, &opening.inflated_bytes, 0);
    return rc;
}

static int make(const struct job *job, void **made, struct xpd_err *err)
{
    struct xpd_run_slot *slot = job->slot;
    const struct xpd_part_kind *kind = job->kind;
    if (of_all(job) && !kind->from_needs)
        return xpd_join_make(job->store, slot, kind, made, err);
    uint64_t wanted = kind->event_bytes * events_of(job) + PART_BYTES;
    uint64_t room = xpd_store_room(job->store, wanted);
    struct xpd_part_from from = {.space = of_all(job) ? NULL : slot->run.host[job->host].space,
                                 .progress = &slot->trace[job->host].progress,
                                 .room_bytes = room};
    int rc = kind->reads_file ? open_file(job, room, &from, err) : XPD_OK;
    if (rc != XPD_OK)
        return rc;
    pthread_mutex_lock(&slot->lock);
    for (int i = 0; i < XPD_PART_NEEDS_MAX && kind->needs[i]; i++)
        from.need[i] = xpd_made_of(slot, job->host, kind->needs[i]);
    pthread_mutex_unlock(&slot->lock);
    bool scarce = room < wanted;
    wanted = scarce ? room : wanted;
    xpd_store_account(job->store, slot, (int64_t)wanted);
    rc = kind->make(made, &from, err);
    xpd_store_account(job->store, slot,
                      (rc == XPD_OK ? (int64_t)kind->bytes(*made) : 0) - (int64_t)wanted);
    return rc == XPD_ELIMIT || (rc == XPD_ENOMEM && scarce) ? over_budget(job, room, err) : rc;
}

/* ---- jobs ---- */

static void publish(const struct job *job, void *made, int rc, const struct xpd_err *why)
{
    struct xpd_run_slot *slot = job->slot;
    pthread_mutex_lock(&slot->lock);
    struct xpd_made *at = xpd_made_place(&slot->trace[job->host], job->kind); /* it has one */
    at->at = made;
    at->error = *why;
    at->state = rc == XPD_OK ? XPD_WORK_DONE : XPD_WORK_FAILED;
    pthread_cond_broadcast(&slot->changed);
    pthread_mutex_unlock(&slot->lock);
}

/* Each host makes its part separately and once. All are started before the first is
 * waited for, so that two are read at a time; no work may be begun yet, this waits for it. */
static int ask_hosts(const struct job *job, struct xpd_err *err)
{
    const struct xpd_run *run = &job->slot->run;
    int rc = job->kind->reads_file ? xpd_join_room(job->store, job->slot, job->kind, err) : XPD_OK;
    for (uint32_t i = 0; rc == XPD_OK && i < run->host_count; i++) /* starts; asked again below */
        if (xpd_host_has_events(&run->host[i]))
            (void)xpd_store_part(job->store, run, i, job->kind, 0, NULL, NULL, NULL);
    for (uint32_t i = 0; rc == XPD_OK && i < run->host_count; i++)
        if (xpd_host_has_events(&run->host[i]))
            rc = xpd_store_part(job->store, run, i, job->kind, -1, NULL, NULL, err);
    return rc;
}

/* Each job is a thread with its own glibc heap: its temporary memory would stay with the process,
 * and that of the next job would be added. Under a sanitizer glibc's heap is not in use: this would
 * be its first call, set it up for this thread, and glibc would abort when the thread ends. */
static void give_back(void)
{
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    (void)malloc_trim(0);
#endif
}

static void *run_job(void *argument)
{
    struct job job = *(struct job *)argument;
    const struct xpd_part_kind *const *needs = job.kind->needs;
    void *made = NULL;
    struct xpd_err err = {0};
    free(argument);
    int rc = XPD_OK;
    for (int i = 0; rc == XPD_OK && i < XPD_PART_NEEDS_MAX && needs[i]; i++)
        rc = xpd_store_part(job.store, &job.slot->run, job.host, needs[i], -1, NULL, NULL, &err);
    if (rc == XPD_OK && of_all(&job) && !job.kind->from_needs)
        rc = ask_hosts(&job, &err);
    if (rc == XPD_OK)
        rc = xpd_store_work_begin(job.store, job.slot->id, &err);
    if (rc == XPD_OK) {
        rc = make(&job, &made, &err);
        xpd_store_work_end(job.store);
    }
    give_back();
    publish(&job, made, rc, &err);
    xpd_job_end(job.store, job.slot);
    return NULL;
}

static int start_job(struct xpd_store *store, struct xpd_run_slot *slot, uint32_t host,
                     const struct xpd_part_kind *kind, struct xpd_err *err)
{
    struct job *job = malloc(sizeof *job);
    if (job) {
        *job = (struct job){store, slot, host, kind};
        if (xpd_job_start(store, slot, run_job, job))
            return XPD_OK;
        free(job);
    }
    return xpd_fail(err, XPD_ENOMEM, slot->id, XPD_NO_OFFSET,
                    "A thread for reading events cannot be started.");
}

/* ---- asking ---- */

/* Called under the run lock, which it releases. */
static void start(struct xpd_store *store, struct xpd_run_slot *slot, uint32_t host,
                  struct xpd_made *made)
{
    struct xpd_progress *progress = &slot->trace[host].progress;
    struct xpd_err why = {0};
    made->state = XPD_WORK_BUSY;
    if (made->kind->reads_file) {
        atomic_store(&progress->done_bytes, 0);
        atomic_store(&progress->total_bytes, xpd_host_file_bytes(&slot->run, host));
    }
    pthread_mutex_unlock(&slot->lock);
    int rc = start_job(store, slot, host, made->kind, &why);
    pthread_mutex_lock(&slot->lock);
    if (rc != XPD_OK) {
        made->state = XPD_WORK_FAILED;
        made->error = why;
        pthread_cond_broadcast(&slot->changed);
    }
}

/* Called under the run lock, which it releases to start a job. */
static int demand(struct xpd_store *store, struct xpd_run_slot *slot, uint32_t host,
                  struct xpd_made *made, int wait_ms, struct xpd_load_state *load_state,
                  struct xpd_err *err)
{
    int64_t until = wait_ms < 0 ? -1 : xpd_now_ns() + (int64_t)wait_ms * 1000000;
    for (bool asked = false;; asked = true) {
        if (made->state == XPD_WORK_DONE)
            return XPD_OK;
        if (made->state == XPD_WORK_FAILED && (asked || !may_pass(made->error.code))) {
            if (err)
                *err = made->error;
            return made->error.code;
        }
        if (made->state != XPD_WORK_BUSY) {
            start(store, slot, host, made);
        } else if (!xpd_slot_wait(slot, until)) {
            if (load_state)
                xpd_made_state(slot, host, made->kind, load_state);
            return xpd_fail(err, XPD_EBUSY, "run", XPD_NO_OFFSET,
                            "The events are still being read.");
        }
    }
}

static int askable(const struct xpd_run *run, uint32_t host, const struct xpd_part_kind *kind,
                   struct xpd_err *err)
{
    if (host == xpd_run_all_hosts(run) && !kind->join && !kind->from_needs)
        return xpd_fail(err, XPD_EINVAL, "host", XPD_NO_OFFSET,
                        "this covers a single host: select it with host=");
    if (host == xpd_run_all_hosts(run) && xpd_run_traced_hosts(run) > 0)
        return XPD_OK;
    if (host >= run->host_count)
        return xpd_fail(err, XPD_ENOTFOUND, "host", XPD_NO_OFFSET,
                        "There is no host %u; the run has %u.", host, run->host_count);
    const struct xpd_host *at = &run->host[host];
    if (at->error.code != XPD_OK) {
        if (err)
            *err = at->error;
        return at->error.code;
    }
    if (!at->space)
        return xpd_fail(err, XPD_ENOTFOUND, "host", XPD_NO_OFFSET,
                        "%s is a program, not a profile: it has no events.", at->input->name);
    return XPD_OK;
}

int xpd_store_part(struct xpd_store *store, const struct xpd_run *run, uint32_t host,
                   const struct xpd_part_kind *kind, int wait_ms, const void **made,
                   struct xpd_load_state *state, struct xpd_err *err)
{
    struct xpd_run_slot *slot = xpd_slot_of(run);
    int rc = askable(run, host, kind, err);
    if (made)
        *made = NULL;
    if (rc != XPD_OK)
        return rc;
    xpd_lender(&slot, &host);
    pthread_mutex_lock(&slot->lock);
    struct xpd_made *at = xpd_made_place(&slot->trace[host], kind);
    rc = at ? demand(store, slot, host, at, wait_ms, state, err)
            : xpd_no_memory(err, slot->id, "for this answer");
    if (rc == XPD_OK && made)
        *made = at->at;
    pthread_mutex_unlock(&slot->lock);
    return rc;
}

/* ---- the parts that every page may ask for (trace_parts.c) ---- */

#define ACCESSOR(name, type)                                                                       \
    int xpd_store_##name(struct xpd_store *store, const struct xpd_run *run, uint32_t host,        \
                         int wait_ms, const struct type **out, struct xpd_load_state *state,       \
                         struct xpd_err *err)                                                      \
    {                                                                                              \
        const void *made;                                                                          \
        int rc = xpd_store_part(store, run, host, &xpd_part_##name, wait_ms, &made, state, err);   \
        if (out)                                                                                   \
            *out = made;                                                                           \
        return rc;                                                                                 \
    }
ACCESSOR(trace, xpd_trace)
ACCESSOR(derived, xpd_derived)
ACCESSOR(flows, xpd_flows)
ACCESSOR(op_times, xpd_op_times)
ACCESSOR(op_runs, xpd_op_runs)
