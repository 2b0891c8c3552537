/* The store: runs loaded at most once, held while used, evicted when memory is short.
 *
 * In: run ids. Out: frozen runs. A slot stays in the list until it is evicted or closed; one whose
 * files changed loses its place (`listed`) and is freed by its last holder. */
#include "session_internal.h"

#include "session_budget.h"
#include "xprofd/base/log.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CATALOG_AGE_NS ((int64_t)1000000000)
#define MANY_INPUTS    16 /* above: files are checked not at every acquire */
#define CHECK_EVERY_MS 250
#define DOUBTFUL_MS    1000 /* how old may be what was found of a run that is not well */

/* ---- memory, under the store lock ---- */

/* ---- acquire ---- */

struct which { /* run, and hosts of it */
    struct xpd_str id, only;
};

static struct xpd_run_slot *find_slot(struct xpd_store *store, struct which which)
{
    for (struct xpd_run_slot *slot = store->slot; slot; slot = slot->next)
        if (slot->listed && xpd_str_eq(which.id, xpd_str_of(slot->id)) &&
            xpd_str_eq(which.only, xpd_str_of(slot->only))) {
            slot->asked_ns = xpd_now_ns();
            return slot;
        }
    return NULL;
}

static int no_such_run(const struct xpd_catalog *catalog, struct xpd_str id, struct xpd_err *err)
{
    char names[240];
    if (xpd_str_starts(id, XPD_PASTE_PREFIX))
        return xpd_fail(err, XPD_ENOTFOUND, "run", XPD_NO_OFFSET,
                        "The program \"%.*s\" is no longer in memory: only the last %d pasted "
                        "programs are kept until the server ends. Paste it again.",
                        (int)(id.size < 80 ? id.size : 80), id.data, XPD_PASTES_MAX);
    for (uint32_t i = 0; i < catalog->gone_count; i++)
        if (xpd_str_eq(id, xpd_str_of(catalog->gone[i])))
            return xpd_fail(err, XPD_ENOTFOUND, "run", XPD_NO_OFFSET,
                            "The run \"%.*s\" was deleted or moved while xprofd was running: "
                            "nothing of it is left under %.120s.",
                            (int)(id.size < 80 ? id.size : 80), id.data, catalog->root);
    xpd_catalog_names(catalog, id, names, sizeof names);
    return xpd_fail(err, XPD_ENOTFOUND, "run", XPD_NO_OFFSET,
                    "There is no run \"%.*s\"; %u run%s found under %.120s%s%s.",
                    (int)(id.size < 80 ? id.size : 80), id.data, catalog->run_count,
                    catalog->run_count == 1 ? " was" : "s were", catalog->root,
                    names[0] ? ": " : "", names);
}

/* A held catalog, and the run in it; *entry is NULL when there is none of that id. */
static struct xpd_catalog *catalog_with(struct xpd_store *store, struct xpd_str id,
                                        int64_t since_ns, const struct xpd_run_entry **entry)
{
    struct xpd_catalog *catalog = xpd_store_scan(store, since_ns);
    *entry = catalog ? xpd_catalog_find(catalog, id) : NULL;
    if (!catalog || *entry)
        return catalog;
    xpd_catalog_release(catalog);
    if (store->samples && (*entry = xpd_catalog_find(store->samples, id)) != NULL)
        return xpd_catalog_hold(store->samples);
    if (store->base && (*entry = xpd_catalog_find(store->base, id)) != NULL)
        return xpd_catalog_hold(store->base);
    catalog = xpd_store_scan(store, xpd_now_ns()); /* it may be brand new */
    *entry = catalog ? xpd_catalog_find(catalog, id) : NULL;
    return catalog;
}

/* Under the store lock. */
static void enqueue(struct xpd_store *store, struct xpd_run_slot *slot)
{
    for (struct xpd_run_slot *whole = store->slot; whole; whole = whole->next)
        whole->in_parts |= slot->only[0] && !whole->only[0] && strcmp(whole->id, slot->id) == 0;
    slot->listed = true;
    slot->asked_ns = xpd_now_ns();
    slot->holders = 1; /* the loader's */
    slot->next = store->slot;
    store->slot = slot;
    if (store->queue_last)
        store->queue_last->queue_next = slot;
    else
        store->queue_first = slot;
    store->queue_last = slot;
    pthread_cond_signal(&store->work);
}

/* A held slot for the id, found or put into the queue. */
static int hold_slot(struct xpd_store *store, struct which which, int64_t since_ns,
                     struct xpd_run_slot **out, struct xpd_err *err)
{
    struct xpd_str id = which.id;
    pthread_mutex_lock(&store->lock);
    struct xpd_run_slot *slot = find_slot(store, which);
    if (slot)
        slot->holders++;
    pthread_mutex_unlock(&store->lock);
    *out = slot;
    if (slot)
        return XPD_OK;

    const struct xpd_run_entry *entry;
    struct xpd_catalog *catalog = catalog_with(store, id, since_ns, &entry);
    if (catalog && !entry) {
        int rc = no_such_run(catalog, id, err);
        xpd_catalog_release(catalog);
        return rc;
    }
    struct xpd_run_slot *fresh =
        entry ? xpd_run_slot_new(store, id, which.only, catalog, entry) : NULL;
    xpd_catalog_release(catalog);
    if (!fresh)
        return xpd_no_memory(err, "run", "for a run");
    pthread_mutex_lock(&store->lock);
    slot = find_slot(store, which); /* another thread may have been faster */
    if (!slot) {
        slot = fresh;
        fresh = NULL;
        enqueue(store, slot);
    }
    slot->holders++;
    pthread_mutex_unlock(&store->lock);
    xpd_run_slot_free(fresh);
    *out = slot;
    return XPD_OK;
}

/* Waits until the slot is ready or failed, or the time is over. Under the store lock. */
static void wait_for(struct xpd_store *store, struct xpd_run_slot *slot, int wait_ms)
{
    int64_t end = xpd_now_ns() + (int64_t)wait_ms * 1000000;
    struct timespec until = {.tv_sec = (time_t)(end / 1000000000),
                             .tv_nsec = (long)(end % 1000000000)};
    while ((slot->state == XPD_SLOT_QUEUED || slot->state == XPD_SLOT_LOADING) && !store->closing) {
        if (wait_ms < 0)
            pthread_cond_wait(&store->changed, &store->lock);
        else if (wait_ms == 0 ||
                 pthread_cond_timedwait(&store->changed, &store->lock, &until) == ETIMEDOUT)
            return;
    }
}

static void fill_state(const struct xpd_run_slot *slot, struct xpd_load_state *state)
{
    uint64_t before = atomic_load(&slot->before_bytes);
    state->done_bytes = before + atomic_load(&slot->progress.done_bytes);
    state->total_bytes = atomic_load(&slot->all_bytes);
    if (state->done_bytes > state->total_bytes) /* inflated files count more than they weigh */
        state->done_bytes = state->total_bytes;
    snprintf(state->what, sizeof state->what, "%s",
             slot->state == XPD_SLOT_QUEUED ? "waiting for a loader" : slot->what);
}

/* A folder without files, a file that may not be read: identities do not tell when that is over. */
static bool is_doubtful(const struct xpd_run_entry *entry)
{
    for (uint32_t i = 0; i < entry->input_count; i++)
        if (entry->input[i].problem)
            return true;
    return entry->input_count == 0;
}

/* A file that came beside those of the run is found by a scan, which is made when the folder has
 * another time than at the last look, at most once a second. */
static void look_beside(struct xpd_store *store, struct xpd_run_slot *slot)
{
    int64_t now = xpd_now_ns(), folder = xpd_run_folder_ns(slot->run.entry);
    pthread_mutex_lock(&store->lock);
    bool due = folder != slot->folder_ns && now - store->scanned_ns >= CATALOG_AGE_NS;
    pthread_mutex_unlock(&store->lock);
    if (!due)
        return;
    xpd_catalog_release(xpd_store_scan(store, now));
    pthread_mutex_lock(&store->lock);
    slot->folder_ns = folder;
    pthread_mutex_unlock(&store->lock);
}

/* Whether the loaded files are still those on the disk. */
static bool is_stale(struct xpd_store *store, struct xpd_run_slot *slot)
{
    const struct xpd_run_entry *entry = slot->run.entry;
    if (slot->catalog == store->samples || slot->catalog == store->base)
        return false; /* a pasted text is in the newest catalog, or was removed */
    int64_t now_ms = xpd_now_ns() / 1000000;
    struct xpd_catalog *catalog = NULL;
    bool doubtful = is_doubtful(entry);
    pthread_mutex_lock(&store->lock);
    if (doubtful && now_ms - slot->checked_ms >= DOUBTFUL_MS) {
        pthread_mutex_unlock(&store->lock);
        return true;
    }
    bool look = entry->input_count <= MANY_INPUTS || now_ms - slot->checked_ms >= CHECK_EVERY_MS;
    slot->checked_ms = look && !doubtful ? now_ms : slot->checked_ms;
    pthread_mutex_unlock(&store->lock);
    if (look)
        look_beside(store, slot);
    pthread_mutex_lock(&store->lock);
    if (store->catalog && store->catalog->generation != slot->checked_generation)
        catalog = xpd_catalog_hold(store->catalog);
    pthread_mutex_unlock(&store->lock);
    bool stale = look && xpd_run_files_changed(entry);
    if (catalog) {
        const struct xpd_run_entry *now = xpd_catalog_find(catalog, xpd_str_of(slot->id));
        pthread_mutex_lock(&store->lock);
        stale |= !now || now->fingerprint != slot->fingerprint;
        if (!stale)
            slot->checked_generation = catalog->generation;
        pthread_mutex_unlock(&store->lock);
        xpd_catalog_release(catalog);
    }
    return stale;
}

static void unlist(struct xpd_store *store, struct xpd_run_slot *slot)
{
    pthread_mutex_lock(&store->lock);
    slot->listed = false;
    pthread_mutex_unlock(&store->lock);
    xpd_store_release(store, &slot->run);
}

int xpd_store_acquire(struct xpd_store *store, struct xpd_str run_id, int wait_ms,
                      const struct xpd_run **run, struct xpd_load_state *state, struct xpd_err *err)
{
    return xpd_store_acquire_part(store, run_id, XPD_STR(""), wait_ms, run, state, err);
}

int xpd_store_acquire_part(struct xpd_store *store, struct xpd_str run_id, struct xpd_str only,
                           int wait_ms, const struct xpd_run **run, struct xpd_load_state *state,
                           struct xpd_err *err)
{
    int64_t since = xpd_now_ns() - CATALOG_AGE_NS;
    *run = NULL;
    for (int round = 0;; round++) {
        struct xpd_run_slot *slot;
        int rc = hold_slot(store, (struct which){run_id, only}, since, &slot, err);
        if (rc != XPD_OK)
            return rc;
        pthread_mutex_lock(&store->lock);
        wait_for(store, slot, wait_ms);
        enum xpd_slot_state now = slot->state;
        if (now != XPD_SLOT_READY && now != XPD_SLOT_FAILED && state)
            fill_state(slot, state);
        pthread_mutex_unlock(&store->lock);

        if (now == XPD_SLOT_READY) {
            /* A file that is being written all the time is shown as it was, not waited for. */
            if (round >= 2 || !is_stale(store, slot)) {
                *run = &slot->run;
                return XPD_OK;
            }
            unlist(store, slot);
            since = xpd_now_ns();
            continue;
        }
        if (now == XPD_SLOT_FAILED) {
            if (slot->given_up) { /* but this request wants it */
                unlist(store, slot);
                continue;
            }
            rc = slot->error.code;
            if (err)
                *err = slot->error;
            unlist(store, slot); /* reported once; the next request starts again */
            return rc;
        }
        xpd_store_release(store, &slot->run);
        return xpd_fail(err, XPD_EBUSY, "run", XPD_NO_OFFSET, "The run is still being read.");
    }
}

/* ---- open, close ---- */

static int init_sync(struct xpd_store *store)
{
    int rc = pthread_mutex_init(&store->lock, NULL);
    if (rc == 0)
        rc = xpd_cond_init(&store->changed);
    if (rc == 0)
        rc = pthread_cond_init(&store->work, NULL);
    return rc;
}

/* The catalog of a second root, for comparisons with runs of the first: its runs with their own
 * ids, because a run of the first root may have the same name. It is made once with the store and
 * never changes; a changed file is reported when it is opened. */
static int scan_base(struct xpd_catalog **out, const char *root,
                     const struct xpd_scan_limits *limits, struct xpd_err *err)
{
    int rc = xpd_catalog_scan(out, root, limits, 1, err);
    if (rc != XPD_OK)
        return rc;
    for (uint32_t i = 0; i < (*out)->run_count; i++) {
        struct xpd_run_entry *run = &(*out)->run[i];
        run->id = xpd_arena_printf(&(*out)->arena, "%s%s", XPD_BASE_PREFIX, run->id);
        if (run->lead)
            run->lead = xpd_arena_printf(&(*out)->arena, "%s%s", XPD_BASE_PREFIX, run->lead);
        if (run->id && !(*out)->arena.failed)
            continue;
        xpd_catalog_release(*out);
        *out = NULL;
        return xpd_no_memory(err, root, "for a store");
    }
    return XPD_OK;
}

int xpd_store_open(struct xpd_store **out, const char *root,
                   const struct xpd_store_options *options, struct xpd_err *err)
{
    struct xpd_store *store = calloc(1, sizeof *store);
    *out = NULL;
    if (store)
        store->root = strdup(root);
    if (!store || !store->root || init_sync(store) != 0) {
        free(store ? store->root : NULL);
        free(store);
        return xpd_no_memory(err, root, "for a store");
    }
    if (options) {
        store->scan = options->scan;
        store->memory_limit_bytes = options->memory_limit_bytes;
        store->sample = options->sample;
        store->sample_count = options->sample_count;
    }
    if (store->memory_limit_bytes == 0)
        store->memory_limit_bytes = xpd_budget_default("");
    if (store->sample_count != 0)
        store->samples = xpd_samples_catalog(store->sample, store->sample_count);
    int rc = store->sample_count != 0 && !store->samples ? xpd_no_memory(err, root, "for a store")
                                                         : XPD_OK;
    if (rc == XPD_OK && options && options->base_root)
        rc = scan_base(&store->base, options->base_root, &store->scan, err);
    if (rc == XPD_OK)
        rc = xpd_loaders_start(store, err);
    if (rc != XPD_OK) {
        xpd_store_close(store);
        return rc;
    }
    *out = store;
    return XPD_OK;
}

/* Removes a run that is not held, if there is one: borrowers before lenders. */
static struct xpd_run_slot *take_slot(struct xpd_store *store)
{
    struct xpd_run_slot **at = &store->slot;
    while (*at && (*at)->holders > ((*at)->state == XPD_SLOT_QUEUED ? 1u : 0u))
        at = &(*at)->next;
    if (!*at)
        at = &store->slot;
    struct xpd_run_slot *slot = *at;
    if (slot)
        *at = slot->next;
    return slot;
}

void xpd_store_close(struct xpd_store *store)
{
    if (!store)
        return;
    xpd_loaders_stop(store);
    struct xpd_run_slot *slot;
    while ((slot = take_slot(store)) != NULL) {
        bool queued = slot->state == XPD_SLOT_QUEUED;
        if (slot->holders > (queued ? 1u : 0u))
            xpd_log(XPD_LOG_ERROR, "run %s is still in use when the store closes", slot->id);
        xpd_run_slot_free(slot);
    }
    xpd_catalog_release(store->catalog);
    xpd_catalog_release(store->samples);
    xpd_catalog_release(store->base);
    xpd_pastes_free(store);
    pthread_cond_destroy(&store->work);
    pthread_cond_destroy(&store->changed);
    pthread_mutex_destroy(&store->lock);
    free(store->root);
    free(store);
}

const struct xpd_catalog *xpd_store_base(const struct xpd_store *store)
{
    return store->base;
}

void xpd_store_stats(struct xpd_store *store, struct xpd_store_stats *out)
{
    pthread_mutex_lock(&store->lock);
    *out = (struct xpd_store_stats){
        .memory_bytes = store->memory_bytes,
        .memory_limit_bytes = store->memory_limit_bytes,
        .loads = store->loads,
        .evictions = store->evictions,
    };
    for (struct xpd_run_slot *slot = store->slot; slot; slot = slot->next) {
        out->runs_loaded += slot->state == XPD_SLOT_READY;
        out->runs_held += slot->state == XPD_SLOT_READY && slot->holders > slot->jobs;
    }
    pthread_mutex_unlock(&store->lock);
}
