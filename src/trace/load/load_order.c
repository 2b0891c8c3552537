/* Order of events in a row: (start asc, duration desc), equal ones as the file has them.
 *
 * Nearly every line is written in this order, and a row of several lines is a few such runs one
 * after another. So it is a merge sort over the runs that are there: linear when sorted, n log k
 * for k runs, never worse than n log n. */
#include "core.h"

#include <stdlib.h>

#define SHORT_RUN 24 /* shorter runs are made this long by insertion */

struct key {
    int64_t start_ps, duration_ps;
    uint32_t group, index;
};

static inline bool before(const struct key *a, const struct key *b)
{
    if (a->group != b->group)
        return a->group < b->group;
    if (a->start_ps != b->start_ps)
        return a->start_ps < b->start_ps;
    return a->duration_ps > b->duration_ps;
}

struct xpd_columns xpd_columns_lay(void *memory, uint32_t count, unsigned with)
{
    struct xpd_columns columns = {.count = count};
    uint8_t *at = memory;
    columns.start_ps = (int64_t *)(void *)at;
    at += sizeof(int64_t) * count;
    columns.duration_ps = (int64_t *)(void *)at;
    at += sizeof(int64_t) * count;
    columns.name = (uint32_t *)(void *)at;
    at += sizeof(uint32_t) * count;
    columns.where_low = (uint32_t *)(void *)at;
    at += sizeof(uint32_t) * count;
    if (with & XPD_WITH_DEVICE) {
        columns.device_delta_ps = (int32_t *)(void *)at;
        at += sizeof(int32_t) * count;
    }
    columns.where_high = with & XPD_WITH_HIGH ? at : NULL;
    return columns;
}

struct xpd_columns xpd_columns_part(const struct xpd_columns *columns, uint32_t first,
                                    uint32_t count)
{
    return (struct xpd_columns){
        .start_ps = columns->start_ps + first,
        .duration_ps = columns->duration_ps + first,
        .name = columns->name + first,
        .where_low = columns->where_low + first,
        .device_delta_ps = columns->device_delta_ps ? columns->device_delta_ps + first : NULL,
        .where_high = columns->where_high ? columns->where_high + first : NULL,
        .device_start_ps = columns->device_start_ps ? columns->device_start_ps + first : NULL,
        .count = count,
    };
}

bool xpd_columns_sorted(const struct xpd_columns *columns)
{
    for (uint32_t i = 1; i < columns->count; i++)
        if (columns->start_ps[i] < columns->start_ps[i - 1] ||
            (columns->start_ps[i] == columns->start_ps[i - 1] &&
             columns->duration_ps[i] > columns->duration_ps[i - 1]))
            return false;
    return true;
}

/* The run that begins at `first`, at least SHORT_RUN long; returns its end. */
static uint32_t find_run(struct key *key, uint32_t first, uint32_t count)
{
    uint32_t end = first + 1;
    if (end < count && before(&key[end], &key[first])) { /* falling: turned round */
        while (end < count && before(&key[end], &key[end - 1]))
            end++;
        for (uint32_t low = first, high = end - 1; low < high; low++, high--) {
            struct key swap = key[low];
            key[low] = key[high];
            key[high] = swap;
        }
    } else {
        while (end < count && !before(&key[end], &key[end - 1]))
            end++;
    }
    uint32_t least = count - first < SHORT_RUN ? count : first + SHORT_RUN;
    for (; end < least; end++) {
        struct key moving = key[end];
        uint32_t at = end;
        while (at > first && before(&moving, &key[at - 1])) {
            key[at] = key[at - 1];
            at--;
        }
        key[at] = moving;
    }
    return end;
}

static void merge(const struct key *a, uint32_t a_count, const struct key *b, uint32_t b_count,
                  struct key *out)
{
    uint32_t i = 0, k = 0;
    while (i < a_count && k < b_count)
        *out++ = before(&b[k], &a[i]) ? b[k++] : a[i++];
    while (i < a_count)
        *out++ = a[i++];
    while (k < b_count)
        *out++ = b[k++];
}

/* Merges neighbours until one run is left; `run` holds where each begins, and the end. */
static struct key *merge_runs(struct key *key, struct key *other, uint32_t *run, size_t runs)
{
    while (runs > 1) {
        size_t made = 0;
        for (size_t i = 0; i < runs; i += 2) {
            uint32_t first = run[i], middle = run[i + 1];
            uint32_t end = i + 2 <= runs ? run[i + 2] : middle;
            merge(key + first, middle - first, key + middle, end - middle, other + first);
            run[made++] = first;
        }
        run[made] = run[runs];
        runs = made;
        struct key *swap = key;
        key = other;
        other = swap;
    }
    return key;
}

static void *gather(const void *from, void *to, const struct key *key, uint32_t count, size_t size)
{
    for (uint32_t i = 0; i < count; i++) {
        size_t index = key[i].index;
        if (size == 8)
            ((uint64_t *)to)[i] = ((const uint64_t *)from)[index];
        else if (size == 4)
            ((uint32_t *)to)[i] = ((const uint32_t *)from)[index];
        else
            ((uint8_t *)to)[i] = ((const uint8_t *)from)[index];
    }
    return to;
}

static void apply(struct xpd_columns *columns, const struct key *key, void *spare)
{
    uint32_t count = columns->count;
    for (uint32_t i = 0; i < count; i++) {
        columns->start_ps[i] = key[i].start_ps;
        columns->duration_ps[i] = key[i].duration_ps;
    }
    memcpy(columns->name, gather(columns->name, spare, key, count, 4), (size_t)count * 4);
    memcpy(columns->where_low, gather(columns->where_low, spare, key, count, 4), (size_t)count * 4);
    if (columns->device_delta_ps)
        memcpy(columns->device_delta_ps, gather(columns->device_delta_ps, spare, key, count, 4),
               (size_t)count * 4);
    if (columns->device_start_ps)
        memcpy(columns->device_start_ps, gather(columns->device_start_ps, spare, key, count, 8),
               (size_t)count * 8);
    if (columns->where_high)
        memcpy(columns->where_high, gather(columns->where_high, spare, key, count, 1), count);
}

bool xpd_columns_sort(struct xpd_trace_blocks *blocks, struct xpd_columns *columns,
                      const uint32_t *key_of, bool *moved)
{
    uint32_t count = columns->count;
    XPD_VEC(uint32_t) run = {0};
    size_t bytes = count * sizeof(struct key);
    struct key *key = xpd_blocks_take_large(blocks, bytes);
    struct key *other = xpd_blocks_take_large(blocks, bytes);
    bool fine = key && other;
    *moved = false;
    for (uint32_t i = 0; fine && i < count; i++)
        key[i] =
            (struct key){columns->start_ps[i], columns->duration_ps[i], key_of ? key_of[i] : 0, i};
    for (uint32_t at = 0; fine && at < count;) {
        XPD_PUSH(&run, at);
        at = find_run(key, at, count);
    }
    XPD_PUSH(&run, count);
    fine = fine && !run.failed;
    if (fine && count != 0) {
        struct key *sorted = merge_runs(key, other, run.at, run.count - 1);
        for (uint32_t i = 0; i < count && !*moved; i++)
            *moved = sorted[i].index != i;
        if (*moved)
            apply(columns, sorted, sorted == key ? other : key);
    }
    XPD_VEC_FINI(&run);
    xpd_blocks_give_back(blocks, key, bytes);
    xpd_blocks_give_back(blocks, other, bytes);
    return fine;
}
