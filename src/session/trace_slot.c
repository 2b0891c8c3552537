/* Events on demand: the trace of a host, the rows derived from it, its flows, each made once.
 *
 * In: a loaded run. Out: frozen results that live as long as the run. Reading a large profile takes
 * seconds, so a thread of its own does the work (a job, which holds the run) and askers wait as
 * long as they like. What failed for a reason that may pass is tried again by the next to ask. */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Columns and pyramid of an event (design: at most 32 bytes), and what a trace needs besides. Only
 * to evict by; what is really used is what counts. */
#define EVENT_BYTES 36
#define TRACE_BYTES ((uint64_t)16 << 20)

struct job {
    struct xpd_store *store;
    struct xpd_run_slot *slot;
    uint32_t host;
    enum xpd_trace_part part;
};

/* A job of all hosts asks each of them. */
static int ask(struct xpd_store *store, const struct xpd_run *run, uint32_t host,
               enum xpd_trace_part part, int wait_ms, struct xpd_load_state *state,
               struct xpd_made *made, struct xpd_err *err);

static bool may_pass(int code)
{
    return code == XPD_ENOMEM || code == XPD_ELIMIT || code == XPD_ECHANGED || code == XPD_EIO ||
           code == XPD_EBUSY;
}

/* ---- memory ---- */

static int over_budget(const struct job *job, uint64_t room, struct xpd_err *err)
{
    const struct xpd_host *host = &job->slot->run.host[job->host];
    return xpd_fail(err, XPD_ELIMIT, host->input->name, XPD_NO_OFFSET,
                    "The %llu events of this profile need more memory than is free: %llu of %llu "
                    "bytes. Close other runs, or raise --memory-limit.",
                    (unsigned long long)xpd_host_events(host), (unsigned long long)room,
                    (unsigned long long)job->store->memory_limit_bytes);
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

static int load_trace(const struct job *job, struct xpd_trace **trace, struct xpd_err *err)
{
    struct xpd_run_slot *slot = job->slot;
    const struct xpd_host *host = &slot->run.host[job->host];
    struct xpd_progress *progress = &slot->trace[job->host].progress;
    uint64_t wanted = EVENT_BYTES * xpd_host_events(host) + TRACE_BYTES;
    uint64_t room = xpd_store_room(job->store, wanted);
    struct opening opening = {.job = job};
    struct xpd_source_watch watch = {go_on, &opening};
    struct xpd_source *source;
    int rc = xpd_input_open(host->input, room, &watch, &source, err);
    xpd_store_account_to(job->store, slot, &opening.inflated_bytes, 0);
    if (rc != XPD_OK)
        return rc;
    struct xpd_trace_options options = {0};
    wanted = wanted < room ? wanted : room;
    xpd_store_account(job->store, slot, (int64_t)wanted);
    rc = xpd_trace_load(trace, host->space, source, &options, progress, room, err);
    xpd_store_account(job->store, slot,
                      (rc == XPD_OK ? (int64_t)(*trace)->memory_bytes : 0) - (int64_t)wanted);
    return rc == XPD_ELIMIT ? over_budget(job, room, err) : rc;
}

static int make(const struct job *job, struct xpd_made *made, struct xpd_err *err)
{
    if (job->host == xpd_run_all_hosts(&job->slot->run))
        return xpd_join_make(job->store, job->slot, job->part, made, err);
    if (job->part == XPD_PART_TRACE)
        return load_trace(job, &made->trace, err);
    const struct xpd_trace *trace = job->slot->trace[job->host].trace;
    uint64_t room = xpd_store_room(job->store, trace->memory_bytes / 4), used = 0;
    int rc;
    if (job->part == XPD_PART_DERIVED) {
        rc = xpd_derived_make(&made->derived, trace, room, err);
        used = rc == XPD_OK ? xpd_derived_bytes(made->derived) : 0;
    } else if (job->part == XPD_PART_FLOWS) {
        rc = xpd_flows_make(&made->flows, trace, room, err);
        used = rc == XPD_OK ? sizeof *made->flows + made->flows->arena.used_bytes : 0;
    } else if (job->part == XPD_PART_LEVELS) {
        const struct xpd_trace_slot *at = &job->slot->trace[job->host];
        struct xpd_xprof_input input = {.trace = trace, .derived = at->derived, .flows = at->flows};
        rc = xpd_xprof_levels_make(&made->levels, &input, room, err);
        used = rc == XPD_OK ? xpd_xprof_levels_bytes(made->levels) : 0;
    } else {
        rc = xpd_op_times_make(&made->op_times, trace, room, err);
        used = rc == XPD_OK ? xpd_op_times_memory_bytes(made->op_times) : 0;
    }
    xpd_store_account(job->store, job->slot, (int64_t)used);
    return rc == XPD_ELIMIT ? over_budget(job, room, err) : rc;
}

/* ---- jobs ---- */

static void publish(const struct job *job, const struct xpd_made *made, int rc,
                    const struct xpd_err *why)
{
    struct xpd_run_slot *slot = job->slot;
    struct xpd_trace_slot *at = &slot->trace[job->host];
    pthread_mutex_lock(&slot->lock);
    if (job->part == XPD_PART_TRACE)
        at->trace = made->trace;
    else if (job->part == XPD_PART_DERIVED)
        at->derived = made->derived;
    else if (job->part == XPD_PART_FLOWS)
        at->flows = made->flows;
    else if (job->part == XPD_PART_LEVELS)
        at->levels = made->levels;
    else
        at->op_times = made->op_times;
    at->error[job->part] = *why;
    at->state[job->part] = rc == XPD_OK ? XPD_WORK_DONE : XPD_WORK_FAILED;
    pthread_cond_broadcast(&slot->changed);
    pthread_mutex_unlock(&slot->lock);
}

/* Each host makes its part by itself, once, whoever asks. All are started before the first is
 * waited for, so that two are read at a time; no work may be begun yet, this waits for it. */
static int ask_hosts(const struct job *job, struct xpd_err *err)
{
    const struct xpd_run *run = &job->slot->run;
    struct xpd_made made;
    int rc = job->part == XPD_PART_TRACE ? xpd_join_room(job->store, job->slot, err) : XPD_OK;
    for (uint32_t i = 0; rc == XPD_OK && i < run->host_count; i++) /* starts; asked again below */
        if (xpd_host_has_events(&run->host[i]))
            (void)ask(job->store, run, i, job->part, 0, NULL, &made, NULL);
    for (uint32_t i = 0; rc == XPD_OK && i < run->host_count; i++)
        if (xpd_host_has_events(&run->host[i]))
            rc = ask(job->store, run, i, job->part, -1, NULL, &made, err);
    return rc;
}

static void *run_job(void *argument)
{
    struct job job = *(struct job *)argument;
    struct xpd_made made = {0};
    struct xpd_err err = {0};
    free(argument);
    int rc = XPD_OK;
    if (job.part != XPD_PART_TRACE)
        rc = xpd_store_trace(job.store, &job.slot->run, job.host, -1, NULL, NULL, &err);
    if (rc == XPD_OK && job.part == XPD_PART_LEVELS)
        rc = xpd_store_derived(job.store, &job.slot->run, job.host, -1, NULL, NULL, &err);
    if (rc == XPD_OK && job.part == XPD_PART_LEVELS)
        rc = xpd_store_flows(job.store, &job.slot->run, job.host, -1, NULL, NULL, &err);
    if (rc == XPD_OK && job.host == xpd_run_all_hosts(&job.slot->run))
        rc = ask_hosts(&job, &err);
    if (rc == XPD_OK)
        rc = xpd_store_work_begin(job.store, job.slot->id, &err);
    if (rc == XPD_OK) {
        rc = make(&job, &made, &err);
        xpd_store_work_end(job.store);
    }
    publish(&job, &made, rc, &err);
    xpd_job_end(job.store, job.slot);
    return NULL;
}

static int start_job(struct xpd_store *store, struct xpd_run_slot *slot, uint32_t host,
                     enum xpd_trace_part part, struct xpd_err *err)
{
    struct job *job = malloc(sizeof *job);
    if (job) {
        *job = (struct job){store, slot, host, part};
        if (xpd_job_start(store, slot, run_job, job))
            return XPD_OK;
        free(job);
    }
    return xpd_fail(err, XPD_ENOMEM, slot->id, XPD_NO_OFFSET,
                    "A thread for reading events cannot be started.");
}

/* ---- asking ---- */

/* Under the run lock, which it lets go of to start a job. */
static int demand(struct xpd_store *store, struct xpd_run_slot *slot, uint32_t host,
                  enum xpd_trace_part part, int wait_ms, struct xpd_load_state *load_state,
                  struct xpd_err *err)
{
    struct xpd_trace_slot *at = &slot->trace[host];
    int64_t until = wait_ms < 0 ? -1 : xpd_now_ns() + (int64_t)wait_ms * 1000000;
    for (bool asked = false;;) {
        enum xpd_work_state *state = &at->state[part];
        if (*state == XPD_WORK_DONE)
            return XPD_OK;
        if (*state == XPD_WORK_FAILED && (asked || !may_pass(at->error[part].code))) {
            if (err)
                *err = at->error[part];
            return at->error[part].code;
        }
        if (*state != XPD_WORK_BUSY) {
            struct xpd_err why = {0};
            *state = XPD_WORK_BUSY;
            if (part == XPD_PART_TRACE) {
                atomic_store(&at->progress.done_bytes, 0);
                atomic_store(&at->progress.total_bytes, xpd_host_file_bytes(&slot->run, host));
            }
            pthread_mutex_unlock(&slot->lock);
            int rc = start_job(store, slot, host, part, &why);
            pthread_mutex_lock(&slot->lock);
            if (rc != XPD_OK) {
                *state = XPD_WORK_FAILED;
                at->error[part] = why;
                pthread_cond_broadcast(&slot->changed);
            }
            asked = true;
            continue;
        }
        asked = true;
        if (!xpd_slot_wait(slot, until)) {
            if (load_state)
                xpd_made_state(slot, host, part, load_state);
            return xpd_fail(err, XPD_EBUSY, "run", XPD_NO_OFFSET,
                            "The events are still being read.");
        }
    }
}

static int askable(const struct xpd_run *run, uint32_t host, enum xpd_trace_part part,
                   struct xpd_err *err)
{
    if (host == xpd_run_all_hosts(run) && (part == XPD_PART_OP_TIMES || part == XPD_PART_LEVELS))
        return xpd_fail(err, XPD_EINVAL, "host", XPD_NO_OFFSET,
                        "this is made for one host alone: name it with host=");
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
                        "%s is a program, not a profile: it holds no events.", at->input->name);
    return XPD_OK;
}

static int ask(struct xpd_store *store, const struct xpd_run *run, uint32_t host,
               enum xpd_trace_part part, int wait_ms, struct xpd_load_state *state,
               struct xpd_made *made, struct xpd_err *err)
{
    struct xpd_run_slot *slot = xpd_slot_of(run);
    int rc = askable(run, host, part, err);
    if (rc != XPD_OK)
        return rc;
    xpd_lender(&slot, &host);
    pthread_mutex_lock(&slot->lock);
    rc = demand(store, slot, host, part, wait_ms, state, err);
    *made = xpd_made_parts(&slot->trace[host]);
    pthread_mutex_unlock(&slot->lock);
    return rc;
}

int xpd_store_trace(struct xpd_store *store, const struct xpd_run *run, uint32_t host, int wait_ms,
                    const struct xpd_trace **trace, struct xpd_load_state *state,
                    struct xpd_err *err)
{
    struct xpd_made made = {0};
    int rc = ask(store, run, host, XPD_PART_TRACE, wait_ms, state, &made, err);
    if (trace)
        *trace = rc == XPD_OK ? made.trace : NULL;
    return rc;
}

int xpd_store_derived(struct xpd_store *store, const struct xpd_run *run, uint32_t host,
                      int wait_ms, const struct xpd_derived **derived, struct xpd_load_state *state,
                      struct xpd_err *err)
{
    struct xpd_made made = {0};
    int rc = ask(store, run, host, XPD_PART_DERIVED, wait_ms, state, &made, err);
    if (derived)
        *derived = rc == XPD_OK ? made.derived : NULL;
    return rc;
}

int xpd_store_flows(struct xpd_store *store, const struct xpd_run *run, uint32_t host, int wait_ms,
                    const struct xpd_flows **flows, struct xpd_load_state *state,
                    struct xpd_err *err)
{
    struct xpd_made made = {0};
    int rc = ask(store, run, host, XPD_PART_FLOWS, wait_ms, state, &made, err);
    if (flows)
        *flows = rc == XPD_OK ? made.flows : NULL;
    return rc;
}

int xpd_store_op_times(struct xpd_store *store, const struct xpd_run *run, uint32_t host,
                       int wait_ms, const struct xpd_op_times **times, struct xpd_load_state *state,
                       struct xpd_err *err)
{
    struct xpd_made made = {0};
    int rc = ask(store, run, host, XPD_PART_OP_TIMES, wait_ms, state, &made, err);
    if (times)
        *times = rc == XPD_OK ? made.op_times : NULL;
    return rc;
}

int xpd_store_xprof_levels(struct xpd_store *store, const struct xpd_run *run, uint32_t host,
                           int wait_ms, const struct xpd_xprof_levels **levels,
                           struct xpd_load_state *state, struct xpd_err *err)
{
    struct xpd_made made = {0};
    int rc = ask(store, run, host, XPD_PART_LEVELS, wait_ms, state, &made, err);
    if (levels)
        *levels = rc == XPD_OK ? made.levels : NULL;
    return rc;
}
