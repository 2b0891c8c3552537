/* Records change places in their array: by ranges of keys, until few are left.
 *
 * In: records of 24 bytes that begin with their key. Out: the same array in order. Each pass writes
 * at a thousand places in turn, few enough for the caches. */
#include "xprofd/base/buckets.h"
#include "xprofd/base/threads.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 256, MANY = 1 << 16 }; /* MANY: worth threads */

typedef unsigned char bytes;

struct rule {
    uint32_t (*bucket_of)(const void *record); /* NULL: by ranges of keys */
    uint64_t least;
    unsigned shift;
};

static uint64_t key_of(const bytes *record)
{
    uint64_t key;
    memcpy(&key, record, sizeof key);
    return key;
}

static inline uint32_t bucket_of(const struct rule *rule, const bytes *record)
{
    if (rule->bucket_of)
        return rule->bucket_of(record);
    return (uint32_t)((key_of(record) - rule->least) >> rule->shift);
}

static void split(bytes *record, size_t count, const struct rule *rule, size_t end[XPD_BUCKETS])
{
    size_t next[XPD_BUCKETS] = {0}, before = 0;
    for (size_t i = 0; i < count; i++)
        next[bucket_of(rule, record + i * XPD_RECORD_BYTES)]++;
    for (uint32_t b = 0; b < XPD_BUCKETS; b++) {
        size_t own = next[b];
        next[b] = before;
        before += own;
        end[b] = before;
    }
    for (uint32_t b = 0; b < XPD_BUCKETS; b++)
        while (next[b] < end[b]) {
            bytes moved[XPD_RECORD_BYTES], other[XPD_RECORD_BYTES];
            memcpy(moved, record + next[b] * XPD_RECORD_BYTES, sizeof moved);
            for (uint32_t to = bucket_of(rule, moved); to != b; to = bucket_of(rule, moved)) {
                bytes *place = record + next[to]++ * XPD_RECORD_BYTES;
                memcpy(other, place, sizeof other);
                memcpy(place, moved, sizeof moved);
                memcpy(moved, other, sizeof moved);
            }
            memcpy(record + next[b]++ * XPD_RECORD_BYTES, moved, sizeof moved);
        }
}

void xpd_buckets_split(void *records, size_t count, uint32_t (*by)(const void *record),
                       size_t end[XPD_BUCKETS])
{
    split(records, count, &(struct rule){.bucket_of = by}, end);
}

struct sorting {
    bytes *record;
    int (*order)(const void *, const void *);
    size_t end[XPD_BUCKETS];
};

static void sort_few(bytes *record, size_t count, int (*order)(const void *, const void *))
{
    if (count > 1)
        qsort(record, count, XPD_RECORD_BYTES, order);
}

static void sort_bucket(void *context, uint32_t bucket, uint32_t thread)
{
    const struct sorting *sorting = context;
    size_t first = bucket > 0 ? sorting->end[bucket - 1] : 0;
    (void)thread;
    xpd_buckets_sort(sorting->record + first * XPD_RECORD_BYTES, sorting->end[bucket] - first,
                     sorting->order);
}

/* Each call leaves a thousandth of the range of keys. */
void xpd_buckets_sort(void *records, size_t count, int (*order)(const void *, const void *))
{
    struct sorting sorting = {.record = records, .order = order};
    struct rule rule = {.least = UINT64_MAX};
    uint64_t most = 0;
    for (size_t i = 0; i < count && count > FEW; i++) {
        uint64_t key = key_of(sorting.record + i * XPD_RECORD_BYTES);
        rule.least = key < rule.least ? key : rule.least;
        most = key > most ? key : most;
    }
    if (count <= FEW || rule.least == most) {
        sort_few(sorting.record, count, order);
        return;
    }
    while ((most - rule.least) >> rule.shift >= XPD_BUCKETS)
        rule.shift++;
    split(sorting.record, count, &rule, sorting.end);
    xpd_threads_each(count < MANY, XPD_BUCKETS, sort_bucket, &sorting);
}
