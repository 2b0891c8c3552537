/* The store's catalog: the newest scan, one scan at a time.
 *
 * In: how old it may be. Out: a held catalog. Who needs a newer one scans, outside the lock; the
 * others wait for that scan if it began late enough for them. */
#include "internal.h"

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

/* One scan outside the lock. A scan that found nothing new leaves the old catalog, so that its
 * generation tells clients whether to draw again. */
static void scan_now(struct xpd_store *store)
{
    uint64_t generation = store->catalog ? store->catalog->generation + 1 : 1;
    int64_t began = xpd_now_ns();
    struct xpd_catalog *fresh, *old;
    store->scanning = true;
    pthread_mutex_unlock(&store->lock);
    if (xpd_catalog_scan(&fresh, store->root, &store->scan, generation, NULL) != XPD_OK)
        fresh = NULL;
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
