/* The cache of answers: a hash table of entries, each with its place in a list from newest to
 * oldest use.
 *
 * An entry without an answer is being made; other requests for it wait on the condition. An entry
 * lives while it is in the table or a request waits for it. */
#include "result_cache.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define BUCKETS       1024u
#define KEPT_FRACTION 4   /* an answer larger than a quarter of the budget is not kept */
#define ENTRY_BYTES   512 /* an entry and its answer, without body, roughly */

struct entry {
    struct entry *chain; /* same bucket */
    struct entry *newer, *older;
    struct xpd_result *result; /* NULL while it is being made */
    uint32_t waiters;          /* references to this entry; guarded by the lock */
    bool in_table;
    uint64_t hash;
    size_t bytes;
    size_t key_size;
    char key[];
};

struct xpd_results {
    pthread_mutex_t lock;
    pthread_cond_t made;
    struct entry *bucket[BUCKETS];
    struct entry *newest, *oldest; /* only entries with an answer */
    size_t gathered_bytes;         /* of answers that are being sent */
    struct xpd_results_stats stats;
};

struct xpd_results *xpd_results_new(size_t limit_bytes)
{
    struct xpd_results *results = calloc(1, sizeof *results);
    if (!results)
        return NULL;
    pthread_condattr_t monotonic;
    pthread_mutex_init(&results->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&results->made, &monotonic);
    pthread_condattr_destroy(&monotonic);
    results->stats.limit_bytes = limit_bytes;
    return results;
}

void xpd_result_release(void *owner)
{
    struct xpd_result *result = owner;
    if (!result || atomic_fetch_sub(&result->holders, 1) != 1)
        return;
    free(result->body);
    free(result->gzip);
    free(result);
}

/* ---- list and table; the lock is held ---- */

static void unlink_use(struct xpd_results *results, struct entry *entry)
{
    *(entry->newer ? &entry->newer->older : &results->newest) = entry->older;
    *(entry->older ? &entry->older->newer : &results->oldest) = entry->newer;
    entry->newer = entry->older = NULL;
}

static void link_newest(struct xpd_results *results, struct entry *entry)
{
    entry->older = results->newest;
    entry->newer = NULL;
    *(results->newest ? &results->newest->newer : &results->oldest) = entry;
    results->newest = entry;
}

static struct entry *find(struct xpd_results *results, struct xpd_str key, uint64_t hash)
{
    struct entry *entry = results->bucket[hash % BUCKETS];
    while (entry && !(entry->hash == hash && entry->key_size == key.size &&
                      memcmp(entry->key, key.data, key.size) == 0))
        entry = entry->chain;
    return entry;
}

static void drop_if_unused(struct entry *entry)
{
    if (entry->in_table || entry->waiters > 0)
        return;
    xpd_result_release(entry->result);
    free(entry);
}

static void take_out(struct xpd_results *results, struct entry *entry)
{
    struct entry **at = &results->bucket[entry->hash % BUCKETS];
    while (*at != entry)
        at = &(*at)->chain;
    *at = entry->chain;
    entry->in_table = false;
    if (entry->bytes > 0) {
        unlink_use(results, entry);
        results->stats.bytes -= entry->bytes;
        results->stats.count--;
        entry->bytes = 0;
    }
    drop_if_unused(entry);
}

static void make_room(struct xpd_results *results)
{
    while (results->stats.bytes > results->stats.limit_bytes && results->oldest) {
        results->stats.evicted++;
        take_out(results, results->oldest);
    }
}

static struct entry *add(struct xpd_results *results, struct xpd_str key, uint64_t hash)
{
    struct entry *entry = calloc(1, sizeof *entry + key.size);
    if (!entry)
        return NULL;
    memcpy(entry->key, key.data, key.size);
    entry->key_size = key.size;
    entry->hash = hash;
    entry->in_table = true;
    entry->chain = results->bucket[hash % BUCKETS];
    results->bucket[hash % BUCKETS] = entry;
    return entry;
}

/* ---- asking ---- */

static struct xpd_result *make_new(void (*make)(void *ctx, struct xpd_result *out), void *ctx)
{
    struct xpd_result *result = calloc(1, sizeof *result);
    if (!result)
        return NULL;
    atomic_init(&result->holders, 1);
    make(ctx, result);
    return result;
}

static struct xpd_result *hold(struct xpd_result *result)
{
    if (result)
        atomic_fetch_add(&result->holders, 1);
    return result;
}

static bool is_worth_keeping(const struct xpd_results *results, const struct xpd_result *result)
{
    return result && result->err.code == XPD_OK && result->status == 200 && !result->streamed &&
           result->size <= results->stats.limit_bytes / KEPT_FRACTION;
}

static struct timespec time_in(int ms)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    int64_t ns = at.tv_nsec + (int64_t)ms * 1000000;
    at.tv_sec += ns / 1000000000;
    at.tv_nsec = ns % 1000000000;
    return at;
}

/* Waits until the entry has an answer; the lock is held. NULL when its maker ran out of memory, or
 * when it is not done in time: then *busy. */
static struct xpd_result *wait_for(struct xpd_results *results, struct entry *entry, int wait_ms,
                                   bool *busy)
{
    struct timespec until = time_in(wait_ms);
    int rc = 0;
    entry->waiters++;
    while (!entry->result && entry->in_table && rc == 0)
        rc = pthread_cond_timedwait(&results->made, &results->lock, &until);
    *busy = !entry->result && entry->in_table;
    struct xpd_result *result = hold(entry->result);
    results->stats.found += !*busy;
    if (entry->bytes > 0) {
        unlink_use(results, entry);
        link_newest(results, entry);
    }
    entry->waiters--;
    drop_if_unused(entry);
    return result; /* NOLINT(clang-analyzer-unix.Malloc): held above */
}

/* Sets the entry's answer and wakes waiting requests; the lock is held. */
static void settle(struct xpd_results *results, struct entry *entry, struct xpd_result *result)
{
    results->stats.made++;
    entry->result = hold(result);
    if (is_worth_keeping(results, result)) {
        size_t size = result->packed ? result->size : 2 * result->size; /* twice: gzip */
        entry->bytes = size + entry->key_size + ENTRY_BYTES;
        results->stats.bytes += entry->bytes;
        results->stats.count++;
        link_newest(results, entry);
        make_room(results);
    } else {
        take_out(results, entry);
    }
    pthread_cond_broadcast(&results->made);
}

struct xpd_result *xpd_results_get(struct xpd_results *results, struct xpd_str key, int wait_ms,
                                   void (*make)(void *ctx, struct xpd_result *out), void *ctx,
                                   bool *busy)
{
    *busy = false;
    if (key.size == 0)
        return make_new(make, ctx);
    uint64_t hash = xpd_hash(key.data, key.size);
    pthread_mutex_lock(&results->lock);
    struct entry *entry = find(results, key, hash);
    struct xpd_result *result;
    if (entry) {
        result = wait_for(results, entry, wait_ms, busy);
        pthread_mutex_unlock(&results->lock);
        return result;
    }
    entry = add(results, key, hash);
    pthread_mutex_unlock(&results->lock);
    result = make_new(make, ctx);
    if (!entry)
        return result;
    pthread_mutex_lock(&results->lock);
    settle(results, entry, result);
    pthread_mutex_unlock(&results->lock);
    return result;
}

struct xpd_result *xpd_results_find(struct xpd_results *results, struct xpd_str key)
{
    bool busy;
    pthread_mutex_lock(&results->lock);
    struct entry *entry = find(results, key, xpd_hash(key.data, key.size));
    struct xpd_result *result = entry && entry->result ? wait_for(results, entry, 0, &busy) : NULL;
    pthread_mutex_unlock(&results->lock);
    return result;
}

/* ---- streamed answers ---- */

struct gathering {
    struct xpd_results *results;
    struct xpd_body_source from;
    struct xpd_strbuf bytes;
    size_t counted_bytes; /* of the budget */
    bool given_up;
    struct xpd_result like;
    size_t key_size;
    char key[];
};

static void give_up(struct gathering *gathering)
{
    struct xpd_results *results = gathering->results;
    pthread_mutex_lock(&results->lock);
    results->gathered_bytes -= gathering->counted_bytes;
    pthread_mutex_unlock(&results->lock);
    gathering->counted_bytes = 0;
    gathering->given_up = true;
    xpd_strbuf_fini(&gathering->bytes);
}

static void gather(struct gathering *gathering, const char *bytes, size_t size)
{
    struct xpd_results *results = gathering->results;
    xpd_strbuf_add(&gathering->bytes, bytes, size);
    pthread_mutex_lock(&results->lock);
    results->gathered_bytes += gathering->bytes.capacity - gathering->counted_bytes;
    bool fits = results->gathered_bytes <= results->stats.limit_bytes / KEPT_FRACTION;
    pthread_mutex_unlock(&results->lock);
    gathering->counted_bytes = gathering->bytes.capacity;
    if (!fits || gathering->bytes.failed)
        give_up(gathering);
}

/* All of it has been sent. Another client may have sent the same meanwhile. */
static void keep(struct gathering *gathering)
{
    struct xpd_results *results = gathering->results;
    struct xpd_str key = {gathering->key, gathering->key_size};
    uint64_t hash = xpd_hash(key.data, key.size);
    struct xpd_result *result = malloc(sizeof *result);
    if (result) {
        *result = gathering->like;
        atomic_init(&result->holders, 1);
        result->body = xpd_strbuf_take(&gathering->bytes, &result->size);
        char *fitting = result->body ? realloc(result->body, result->size + 1) : NULL;
        result->body = fitting ? fitting : result->body;
        pthread_mutex_lock(&results->lock);
        struct entry *entry =
            result->body && !find(results, key, hash) ? add(results, key, hash) : NULL;
        if (entry)
            settle(results, entry, result);
        pthread_mutex_unlock(&results->lock);
        xpd_result_release(result);
    }
    give_up(gathering);
}

static int next_gathered(void *self, struct xpd_strbuf *out, struct xpd_err *err)
{
    struct gathering *gathering = self;
    size_t before = out->size;
    int rc = gathering->from.next(gathering->from.self, out, err);
    if (gathering->given_up)
        return rc;
    if (rc != XPD_OK || out->failed)
        give_up(gathering);
    else if (out->size > before)
        gather(gathering, out->data + before, out->size - before);
    else
        keep(gathering);
    return rc;
}

static void close_gathered(void *self)
{
    struct gathering *gathering = self;
    gathering->from.close(gathering->from.self);
    give_up(gathering);
    free(gathering);
}

void xpd_results_gather(struct xpd_results *results, struct xpd_str key,
                        const struct xpd_result *like, struct xpd_body_source *source)
{
    struct gathering *gathering = key.size > 0 ? calloc(1, sizeof *gathering + key.size) : NULL;
    if (!gathering)
        return;
    gathering->results = results;
    gathering->from = *source;
    gathering->like = *like;
    gathering->like.packed = true;
    gathering->like.streamed = false;
    gathering->key_size = key.size;
    memcpy(gathering->key, key.data, key.size);
    *source =
        (struct xpd_body_source){.next = next_gathered, .close = close_gathered, .self = gathering};
}

bool xpd_result_gzip(struct xpd_results *results, struct xpd_result *result, const void **bytes,
                     size_t *size)
{
    pthread_mutex_lock(&results->lock);
    bool known = result->gzip || result->gzip_useless;
    pthread_mutex_unlock(&results->lock);
    struct xpd_strbuf buf = {0};
    bool smaller = !known && xpd_gzip(result->body, result->size, &buf);

    pthread_mutex_lock(&results->lock);
    if (!result->gzip && smaller)
        result->gzip = xpd_strbuf_take(&buf, &result->gzip_size);
    else if (!known && !smaller)
        result->gzip_useless = true;
    *bytes = result->gzip;
    *size = result->gzip_size;
    pthread_mutex_unlock(&results->lock);
    xpd_strbuf_fini(&buf);
    return *bytes != NULL;
}

void xpd_results_stats(struct xpd_results *results, struct xpd_results_stats *out)
{
    pthread_mutex_lock(&results->lock);
    *out = results->stats;
    pthread_mutex_unlock(&results->lock);
}

void xpd_results_free(struct xpd_results *results)
{
    if (!results)
        return;
    pthread_mutex_lock(&results->lock);
    for (uint32_t i = 0; i < BUCKETS; i++)
        while (results->bucket[i])
            take_out(results, results->bucket[i]); /* NOLINT(clang-analyzer-unix.Malloc) */
    pthread_mutex_unlock(&results->lock);
    pthread_cond_destroy(&results->made);
    pthread_mutex_destroy(&results->lock);
    free(results);
}
