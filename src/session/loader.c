/* Loader threads: take slots from the queue, load them, wake waiting requests. A
 * file that changed while it was read is read once more, after a new scan;
 * profilers write their file at once, so the second read nearly always finds it
 * complete. */
#include "session_internal.h"

#include <stdio.h>
#include <string.h>

/* Points the slot at the run's entry in a scan made now. */
static int look_again(struct xpd_store *store, struct xpd_run_slot *slot, struct xpd_err *err)
{
    struct xpd_catalog *catalog = xpd_store_scan(store, xpd_now_ns());
    const struct xpd_run_entry *entry =
        catalog ? xpd_catalog_find(catalog, xpd_str_of(slot->id)) : NULL;
    if (!entry) {
        xpd_catalog_release(catalog);
        return xpd_fail(err, XPD_ENOTFOUND, slot->id, XPD_NO_OFFSET,
                        "This run is no longer there.");
    }
    xpd_files_hide(store, slot);
    xpd_run_slot_clear(slot);
    struct xpd_catalog *old = slot->catalog;
    pthread_mutex_lock(&store->lock);
    slot->catalog = catalog;
    slot->run.entry = entry;
    slot->fingerprint = entry->fingerprint;
    slot->checked_generation = catalog->generation;
    pthread_mutex_unlock(&store->lock);
    xpd_catalog_release(old);
    return XPD_OK;
}

static int load_slot(struct xpd_store *store, struct xpd_run_slot *slot, struct xpd_err *err)
{
    int rc = xpd_run_load(store, slot, err);
    if (rc != XPD_ECHANGED)
        return rc;
    rc = look_again(store, slot, err);
    return rc == XPD_OK ? xpd_run_load(store, slot, err) : rc;
}

static void *loader(void *argument)
{
    struct xpd_store *store = argument;
    for (;;) {
        pthread_mutex_lock(&store->lock);
        while (!store->queue_first && !store->closing)
            pthread_cond_wait(&store->work, &store->lock);
        struct xpd_run_slot *slot = store->closing ? NULL : store->queue_first;
        if (slot) {
            store->queue_first = slot->queue_next;
            if (!store->queue_first)
                store->queue_last = NULL;
            slot->state = XPD_SLOT_LOADING;
            snprintf(slot->what, sizeof slot->what, "opening its files");
        }
        pthread_mutex_unlock(&store->lock);
        if (!slot)
            return NULL;
        struct xpd_err err = {0};
        int rc = load_slot(store, slot, &err);
        if (rc != XPD_OK) {
            xpd_files_hide(store, slot);
            xpd_run_slot_clear(slot);
        }
        xpd_store_loaded(store, slot, rc, &err);
    }
}

int xpd_loaders_start(struct xpd_store *store, struct xpd_err *err)
{
    for (store->loader_count = 0; store->loader_count < XPD_LOADERS; store->loader_count++)
        if (pthread_create(&store->loader[store->loader_count], NULL, loader, store) != 0)
            return xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET,
                            "A thread for reading profiles cannot be started.");
    return XPD_OK;
}

void xpd_loaders_stop(struct xpd_store *store)
{
    pthread_mutex_lock(&store->lock);
    store->closing = true;
    for (struct xpd_run_slot *slot = store->slot; slot; slot = slot->next) {
        atomic_store(&slot->progress.stop, true);
        atomic_store(&slot->inflated.stop, true);
        xpd_trace_jobs_stop(slot);
    }
    pthread_cond_broadcast(&store->work);
    pthread_cond_broadcast(&store->changed);
    xpd_jobs_wait(store);
    pthread_mutex_unlock(&store->lock);
    for (int i = 0; i < store->loader_count; i++)
        pthread_join(store->loader[i], NULL);
    store->loader_count = 0;
}
