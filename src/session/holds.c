/* References to runs, and the bytes of all runs. In: references taken and released,
 * bytes allocated. Out: unreferenced runs, freed when memory is needed, least
 * recently used first, or when their files have changed. A slot holds those it
 * borrows from (files.c): freeing it gives up holds of older ones, and may free them
 * in turn. */
#include "session_internal.h"

#include <stdlib.h>

/* ---- what is made of events ---- */

void xpd_args_free(struct xpd_args_slot *args)
{
    xpd_arg_hits_free(args->hits);
    free(args->key);
    free(args);
}

static void clear_args(struct xpd_trace_slot *trace)
{
    while (trace->args) {
        struct xpd_args_slot *args = trace->args;
        trace->args = args->next;
        xpd_args_free(args);
    }
}

static void clear_made(struct xpd_trace_slot *trace)
{
    while (trace->made) {
        struct xpd_made *made = trace->made;
        trace->made = made->next;
        made->kind->free(made->at);
        free(made);
    }
}

void xpd_trace_jobs_stop(struct xpd_run_slot *slot)
{
    if (slot->state == XPD_SLOT_READY)
        for (uint32_t i = 0; i < slot->run.host_count; i++)
            atomic_store(&slot->trace[i].progress.stop, true);
}

void xpd_trace_slots_clear(struct xpd_run_slot *slot)
{
    /* All hosts together first: they borrow from each. */
    for (uint32_t i = slot->run.host_count + 1; slot->trace && i-- > 0;) {
        clear_args(&slot->trace[i]);
        clear_made(&slot->trace[i]);
    }
    slot->trace = NULL;
}

/* ---- contents of a slot ---- */

static void part_free(struct xpd_store *store, struct xpd_host_part *part)
{
    xpd_file_release(part->file);
    if (part->lender)
        xpd_store_release_job(store, part->lender);
    *part = (struct xpd_host_part){0};
}

static void clear_sides(struct xpd_side **first)
{
    while (*first) {
        struct xpd_side *side = *first;
        *first = side->next;
        xpd_arena_fini(&side->arena);
        free(side);
    }
}

void xpd_run_slot_clear(struct xpd_run_slot *slot)
{
    struct xpd_run *run = &slot->run;
    xpd_trace_slots_clear(slot);
    clear_sides(&slot->side);
    for (uint32_t i = 0; i < run->module_count && slot->module; i++) {
        clear_sides(&slot->module[i].side);
        xpd_mem_free(slot->module[i].mem);
        xpd_hlo_free(slot->module[i].hlo);
    }
    for (uint32_t i = 0; i < run->host_count; i++)
        part_free(slot->store, &slot->part[i]);
    xpd_arena_fini(&slot->arena);
    const struct xpd_run_entry *entry = run->entry;
    *run = (struct xpd_run){.entry = entry};
    slot->module = NULL;
    slot->part = NULL;
    slot->warnings = (struct xpd_warnings){0};
}

void xpd_run_slot_free(struct xpd_run_slot *slot)
{
    if (!slot)
        return;
    xpd_run_slot_clear(slot);
    xpd_catalog_release(slot->catalog);
    pthread_cond_destroy(&slot->changed);
    pthread_mutex_destroy(&slot->lock);
    free(slot->id);
    free(slot->only);
    free(slot);
}

/* ---- references ---- */

static void unlink_slot(struct xpd_store *store, struct xpd_run_slot *slot)
{
    for (struct xpd_run_slot **at = &store->slot; *at; at = &(*at)->next)
        if (*at == slot) {
            *at = slot->next;
            store->memory_bytes -= slot->bytes;
            slot->bytes = 0;
            return;
        }
}

/* Takes unheld slots out, least recently used first, until there is room; chained by queue_next. */
static struct xpd_run_slot *evict(struct xpd_store *store, uint64_t wanted)
{
    struct xpd_run_slot *gone = NULL;
    uint64_t limit = store->memory_limit_bytes;
    while (store->memory_bytes > limit || limit - store->memory_bytes < wanted) {
        struct xpd_run_slot *oldest = NULL;
        for (struct xpd_run_slot *slot = store->slot; slot; slot = slot->next)
            if (slot->holders == 0 && (!oldest || slot->used_at < oldest->used_at))
                oldest = slot;
        if (!oldest)
            break;
        unlink_slot(store, oldest);
        oldest->queue_next = gone;
        gone = oldest;
        store->evictions++;
    }
    return gone;
}

static void free_chain(struct xpd_run_slot *slot)
{
    while (slot) {
        struct xpd_run_slot *next = slot->queue_next;
        xpd_run_slot_free(slot);
        slot = next;
    }
}

uint64_t xpd_store_room(struct xpd_store *store, uint64_t wanted)
{
    struct xpd_run_slot *gone;
    uint64_t limit, used;
    do { /* again: what is freed may have held others */
        pthread_mutex_lock(&store->lock);
        gone = evict(store, wanted);
        limit = store->memory_limit_bytes;
        used = store->memory_bytes;
        pthread_mutex_unlock(&store->lock);
        free_chain(gone);
    } while (gone);
    return used < limit ? limit - used : 1; /* 0 would mean "no limit" to an arena */
}

void xpd_store_account(struct xpd_store *store, struct xpd_run_slot *slot, int64_t delta)
{
    pthread_mutex_lock(&store->lock);
    slot->bytes += (uint64_t)delta;
    store->memory_bytes += (uint64_t)delta;
    pthread_mutex_unlock(&store->lock);
}

void xpd_store_account_to(struct xpd_store *store, struct xpd_run_slot *slot, uint64_t *counted,
                          uint64_t now)
{
    xpd_store_account(store, slot, (int64_t)now - (int64_t)*counted);
    *counted = now;
}

/* Releases a reference and unlocks; frees unneeded data. */
static void drop_hold(struct xpd_store *store, struct xpd_run_slot *slot)
{
    slot->holders--;
    slot->used_at = ++store->clock;
    bool dead = slot->holders == 0 && !slot->listed;
    if (dead)
        unlink_slot(store, slot);
    struct xpd_run_slot *gone = evict(store, 0);
    pthread_mutex_unlock(&store->lock);
    if (dead)
        xpd_run_slot_free(slot);
    free_chain(gone);
}

void xpd_store_hold(struct xpd_store *store, const struct xpd_run *run)
{
    pthread_mutex_lock(&store->lock);
    xpd_slot_of(run)->holders++;
    pthread_mutex_unlock(&store->lock);
}

void xpd_store_release(struct xpd_store *store, const struct xpd_run *run)
{
    if (!run)
        return;
    pthread_mutex_lock(&store->lock);
    drop_hold(store, xpd_slot_of(run));
}

void xpd_store_release_job(struct xpd_store *store, struct xpd_run_slot *slot)
{
    pthread_mutex_lock(&store->lock);
    slot->jobs--;
    drop_hold(store, slot);
}

void xpd_store_loaded(struct xpd_store *store, struct xpd_run_slot *slot, int rc,
                      const struct xpd_err *err)
{
    uint64_t bytes = rc == XPD_OK ? xpd_run_slot_bytes(slot) : 0;
    pthread_mutex_lock(&store->lock);
    slot->state = rc == XPD_OK ? XPD_SLOT_READY : XPD_SLOT_FAILED;
    slot->bytes += bytes;
    store->memory_bytes += bytes;
    if (rc == XPD_OK)
        store->loads++;
    else
        slot->error = *err;
    pthread_cond_broadcast(&store->changed);
    drop_hold(store, slot);
}
