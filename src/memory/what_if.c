/* By how much the peak falls when some storages are gone (A4), exact for live bytes.
 *
 * In: buffers of any class. Out: the saving and the peak that is left. A buffer stands for its whole
 * storage: all its tenancies, all values that share it. In summed spaces a storage is a few pieces of
 * constant size; between their ends the curve keeps its shape, so its range maxima say all. In union
 * spaces (VMEM, CMEM) only the bytes nobody else covers count: what_if_union.c. */
#include "what_if.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t unique(uint32_t *item, uint32_t count)
{
    if (count < 2)
        return count;
    qsort(item, count, sizeof *item, compare_u32);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < count; i++)
        if (item[i] != item[kept - 1])
            item[kept++] = item[i];
    return kept;
}

/* Splits the set into resident allocations (their bytes) and storages (their tenancies). */
static bool collect(const struct xpd_mem *mem, const struct xpd_mem_space *space,
                    const uint32_t *buffer, uint32_t count, struct xpd_arena *scratch,
                    int64_t *resident, struct xpd_removed *removed)
{
    uint32_t *allocation = XPD_NEW_ARRAY(scratch, uint32_t, count);
    uint32_t *root = XPD_NEW_ARRAY(scratch, uint32_t, count);
    uint32_t allocations = 0, roots = 0, tenancies = 0;
    bool overflow = false;
    *resident = 0;
    if (!allocation || !root)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (buffer[i] >= mem->hlo->buffers.count)
            continue;
        uint32_t a = mem->buffer[buffer[i]].allocation;
        if (a == XPD_NO_INDEX || mem->hlo->allocation[a].color != space->color)
            continue;
        if (xpd_mem_resident(mem->hlo->allocation[a].flags))
            allocation[allocations++] = a;
        else if (!xpd_mem_indefinite(mem->hlo->allocation[a].flags))
            root[roots++] = mem->buffer[buffer[i]].root;
    }
    allocations = unique(allocation, allocations);
    for (uint32_t i = 0; i < allocations; i++)
        if (mem->hlo->allocation[allocation[i]].size_bytes > 0)
            *resident = xpd_add_i64(*resident, mem->hlo->allocation[allocation[i]].size_bytes,
                                    &overflow);
    roots = unique(root, roots);
    for (uint32_t i = 0; i < roots; i++)
        for (uint32_t t = mem->buffer[root[i]].storage_tenancy; t != XPD_NO_INDEX;
             t = space->tenancy[t].next_of_buffer)
            tenancies++;
    removed->tenancy = XPD_NEW_ARRAY(scratch, uint32_t, tenancies);
    if (!removed->tenancy)
        return false;
    for (uint32_t i = 0; i < roots; i++)
        for (uint32_t t = mem->buffer[root[i]].storage_tenancy; t != XPD_NO_INDEX;
             t = space->tenancy[t].next_of_buffer)
            if (!(space->tenancy[t].flags & XPD_TENANCY_UNTRACED))
                removed->tenancy[removed->count++] = t;
    return true;
}

struct change { /* from this step on the sum of the removed differs by so much */
    uint32_t step;
    int64_t bytes;
};

static int by_step(const void *x, const void *y)
{
    const struct change *a = x, *b = y;
    return (a->step > b->step) - (a->step < b->step);
}

/* Sums that do not fit are cut at the limit, as those of the curve are. */
static int64_t plus(int64_t a, int64_t b)
{
    bool overflow = false;
    return xpd_add_i64(a, b, &overflow);
}

static int64_t minus(int64_t a, int64_t b)
{
    return plus(a, b == INT64_MIN ? INT64_MAX : -b);
}

static uint32_t list_changes(const struct xpd_mem_space *space, const struct xpd_removed *removed,
                             struct change *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < removed->count; i++) {
        const struct xpd_tenancy *t = &space->tenancy[removed->tenancy[i]];
        uint32_t growths, first = xpd_growths_of(space->index, removed->tenancy[i], &growths);
        int64_t size = growths ? space->index->growth[first].before_bytes : t->size_bytes;
        out[count++] = (struct change){t->start_step, size};
        for (uint32_t k = first; k < first + growths; k++) {
            const struct xpd_growth *g = &space->index->growth[k];
            out[count++] = (struct change){g->step, g->after_bytes - g->before_bytes};
        }
        out[count++] = (struct change){t->end_step, -t->size_bytes};
    }
    return count;
}

void xpd_rest_take(const struct xpd_mem_space *space, struct xpd_rest *rest, uint32_t from,
                   uint32_t to, int64_t removed_bytes)
{
    if (from >= to)
        return;
    uint32_t step = xpd_live_argmax(space, from, to);
    int64_t left = minus(space->live_bytes[step], removed_bytes);
    if (rest->step == XPD_NO_STEP || left > rest->bytes) {
        rest->step = step;
        rest->bytes = left;
    }
}

static void rest_by_ranges(const struct xpd_mem_space *space, struct change *change,
                           uint32_t count, struct xpd_rest *rest)
{
    int64_t gone = 0;
    uint32_t from = 0;
    if (count > 1)
        qsort(change, count, sizeof *change, by_step);
    for (uint32_t i = 0; i < count; i++) {
        xpd_rest_take(space, rest, from, change[i].step, gone);
        from = change[i].step;
        gone = plus(gone, change[i].bytes);
    }
    xpd_rest_take(space, rest, from, space->step_count, gone);
}

static bool rest_by_pass(const struct xpd_mem_space *space, const struct change *change,
                         uint32_t count, struct xpd_arena *scratch, struct xpd_rest *rest)
{
    int64_t *delta = XPD_NEW_ARRAY(scratch, int64_t, (size_t)space->step_count + 1);
    if (!delta)
        return false;
    for (uint32_t i = 0; i < count; i++)
        delta[change[i].step] = plus(delta[change[i].step], change[i].bytes);
    int64_t gone = 0;
    for (uint32_t i = 0; i < space->step_count; i++) {
        gone = plus(gone, delta[i]);
        int64_t left = minus(space->live_bytes[i], gone);
        if (rest->step == XPD_NO_STEP || left > rest->bytes) {
            rest->step = i;
            rest->bytes = left;
        }
    }
    return true;
}

static bool rest_of_sum(const struct xpd_mem_space *space, const struct xpd_removed *removed,
                        struct xpd_arena *scratch, struct xpd_rest *rest)
{
    size_t most = 2 * (size_t)removed->count + space->index->growth_count;
    struct change *change = XPD_NEW_ARRAY(scratch, struct change, most);
    if (!change)
        return false;
    uint32_t count = list_changes(space, removed, change);
    if (count > space->step_count / 32 && count > 64)
        return rest_by_pass(space, change, count, scratch, rest);
    rest_by_ranges(space, change, count, rest);
    return true;
}

int64_t xpd_saving(const struct xpd_mem *mem, const struct xpd_mem_space *space,
                   const uint32_t *buffer, uint32_t count, int64_t *new_peak_bytes,
                   uint32_t *new_step, struct xpd_arena *scratch)
{
    int64_t resident = 0;
    struct xpd_removed removed = {0};
    struct xpd_rest rest = {.step = XPD_NO_STEP};
    bool ok = collect(mem, space, buffer, count, scratch, &resident, &removed);
    if (ok && removed.count == 0) {
        rest.step = space->peak_step;
        rest.bytes = space->peak_live_bytes;
    } else if (ok) {
        ok = space->live_is_union ? xpd_rest_of_union(space, &removed, scratch, &rest)
                                  : rest_of_sum(space, &removed, scratch, &rest);
    }
    if (!ok) { /* no room to compute: claim nothing */
        resident = 0;
        rest.step = space->peak_step;
        rest.bytes = space->peak_live_bytes;
    }
    int64_t saving = plus(minus(space->peak_live_bytes, rest.bytes), resident);
    if (saving < 0) /* only after an overflow */
        saving = 0;
    if (saving > space->peak_bytes)
        saving = space->peak_bytes;
    if (new_peak_bytes)
        *new_peak_bytes = space->peak_bytes - saving;
    if (new_step)
        *new_step = rest.step;
    return saving;
}
