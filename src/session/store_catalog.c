/* The store's catalog: the newest scan, one scan at a time.
 *
 * In: how old it may be. Out: a held catalog. Who needs a newer one scans, outside the lock; the
 * others wait for that scan if it began late enough for them. */
#include "session_internal.h"

#include "xprofd/base/map64.h"
#include <string.h>
#include <time.h>

int64_t xpd_now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static uint64_t catalog_hash(const struct xpd_catalog *catalog)
{
    uint64_t hash = catalog->run_count;
    for (uint32_t i = 0; i < catalog->run_count; i++) {
        uint64_t part[2] = {hash, catalog->run[i].fingerprint};
        hash = xpd_hash(part, sizeof part);
    }
    for (uint32_t i = 0; i < catalog->found_count; i++) {
        uint64_t part[2] = {hash, xpd_hash(catalog->found[i].name, strlen(catalog->found[i].name))};
        hash = xpd_hash(part, sizeof part);
    }
    const char *texts[2] = {catalog->root_problem ? catalog->root_problem : "",
                            catalog->limit_text ? catalog->limit_text : ""};
    for (int i = 0; i < 2; i++) {
        uint64_t part[2] = {hash, xpd_hash(texts[i], strlen(texts[i]))};
        hash = xpd_hash(part, sizeof part);
    }
    uint64_t counts[3] = {hash, catalog->unreadable_folders, catalog->links_skipped};
    return xpd_hash(counts, sizeof counts);
}

#define GONE_MOST 4096 /* of deleted runs that are remembered by name; of more only the newest */

static void add_gone(struct xpd_catalog *fresh, const char *id)
{
    const char *copy = xpd_arena_strndup(&fresh->arena, id, strlen(id));
    if (copy && fresh->gone_count < GONE_MOST)
        fresh->gone[fresh->gone_count++] = copy;
}

/* Runs of the previous scan that are missing now: distinguishes a deleted run from one that never
 * existed, and an emptied folder from one that never had a file. */
static void note_gone(struct xpd_catalog *fresh, const struct xpd_catalog *old)
{
    struct xpd_map64 now = {0};
    for (uint32_t i = 0; i < fresh->run_count; i++)
        xpd_map64_put(&now, xpd_hash(fresh->run[i].id, strlen(fresh->run[i].id)), i);
    fresh->gone = XPD_NEW_ARRAY(&fresh->arena, const char *, GONE_MOST);
    for (uint32_t i = 0; i < old->run_count && fresh->gone && !now.failed; i++) {
        const struct xpd_run_entry *run = &old->run[i];
        uint32_t at = xpd_map64_get(&now, xpd_hash(run->id, strlen(run->id)));
        if (at == XPD_NO_INDEX)
            add_gone(fresh, run->id);
        else if (fresh->run[at].input_count == 0)
            fresh->run[at].emptied = run->input_count > 0 || run->emptied;
    }
    for (uint32_t i = 0; i < old->gone_count && fresh->gone && !now.failed; i++)
        if (xpd_map64_get(&now, xpd_hash(old->gone[i], strlen(old->gone[i]))) == XPD_NO_INDEX)
            add_gone(fresh, old->gone[i]);
    xpd_map64_fini(&now);
}

/* One scan outside the lock. A scan that found nothing new leaves the old catalog, so that its
 * generation tells clients whether to draw again. */
static void scan_now(struct xpd_store *store)
{
    uint64_t generation = store->catalog ? store->catalog->generation + 1 : 1;
    int64_t began = xpd_now_ns();
    struct xpd_catalog *fresh, *old = store->catalog; /* only a scan takes it away */
    store->scanning = true;
    pthread_mutex_unlock(&store->lock);
    if (xpd_catalog_scan(&fresh, store->root, &store->scan, generation, NULL) != XPD_OK)
        fresh = NULL;
    if (fresh && !xpd_pastes_list(store, fresh)) {
        xpd_catalog_release(fresh);
        fresh = NULL;
    }
    if (fresh && old)
        note_gone(fresh, old);
    uint64_t hash = fresh ? catalog_hash(fresh) : 0;
    pthread_mutex_lock(&store->lock);
    store->scanning = false;
    old = fresh;
    if (fresh && (!store->catalog || hash != store->catalog_hash)) {
        old = store->catalog;
        store->catalog = fresh;
        store->catalog_hash = hash;
    }
    store->scanned_ns = began;
    pthread_cond_broadcast(&store->changed);
    pthread_mutex_unlock(&store->lock);
    xpd_catalog_release(old);
    pthread_mutex_lock(&store->lock);
}

struct xpd_catalog *xpd_store_scan(struct xpd_store *store, int64_t since_ns)
{
    pthread_mutex_lock(&store->lock);
    while (!store->catalog || store->scanned_ns < since_ns) {
        if (store->scanning) {
            pthread_cond_wait(&store->changed, &store->lock);
            continue;
        }
        scan_now(store);
        if (!store->catalog)
            break; /* out of memory */
    }
    struct xpd_catalog *catalog = store->catalog ? xpd_catalog_hold(store->catalog) : NULL;
    pthread_mutex_unlock(&store->lock);
    return catalog;
}

struct xpd_catalog *xpd_store_catalog(struct xpd_store *store, int64_t max_age_ms)
{
    int64_t now = xpd_now_ns();
    bool any = max_age_ms < 0 || max_age_ms > now / 1000000;
    return xpd_store_scan(store, any ? 0 : now - max_age_ms * 1000000);
}
