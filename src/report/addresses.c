/* Which addresses of a heap have one tenant all program long, which several, which none.
 *
 * In: the tenancies. Out: ranges of own addresses, and the three sums. One sweep over the ends of
 * all ranges; what a damaged file puts outside of the heap is cut off. */
#include "internal.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

struct end {
    int64_t at;
    int32_t change;
};

static int by_place(const void *x, const void *y)
{
    const struct end *a = x, *b = y;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (a->change > b->change) - (a->change < b->change);
}

/* The part of a tenancy that lies in the heap. */
static bool clip(const struct xpd_mem_space *space, const struct xpd_tenancy *t, int64_t *from,
                 int64_t *to)
{
    bool overflow = false;
    *from = t->offset_bytes < 0 ? 0 : t->offset_bytes;
    *to = xpd_add_i64(t->offset_bytes, t->size_bytes, &overflow);
    if (overflow || *to > space->heap_bytes)
        *to = space->heap_bytes;
    return *from < *to;
}

static void put_range(struct xpd_own *own, struct xpd_report_addresses *sum, int64_t from,
                      int64_t to, int64_t tenants)
{
    if (tenants == 0) {
        return;
    }
    if (tenants > 1) {
        sum->shared_bytes += to - from;
        sum->shared_tenant_bytes += tenants * (to - from);
        return;
    }
    own->before[own->count] = sum->own_bytes;
    own->from[own->count] = from;
    own->to[own->count++] = to;
    sum->own_bytes += to - from;
}

bool xpd_own_make(struct xpd_own *own, struct xpd_report_addresses *addresses,
                  const struct xpd_mem_space *space, struct xpd_arena *arena)
{
    uint32_t ends = 0;
    size_t most = 2 * (size_t)space->tenancy_count;
    struct end *end = malloc((most + 1) * sizeof *end);
    own->from = XPD_NEW_ARRAY(arena, int64_t, most + 1);
    own->to = XPD_NEW_ARRAY(arena, int64_t, most + 1);
    own->before = XPD_NEW_ARRAY(arena, int64_t, most + 1);
    bool ok = end && own->from && own->to && own->before;
    for (uint32_t i = 0; ok && i < space->tenancy_count; i++) {
        int64_t from, to;
        if (!clip(space, &space->tenancy[i], &from, &to))
            continue;
        end[ends++] = (struct end){from, 1};
        end[ends++] = (struct end){to, -1};
    }
    if (ok && ends > 1)
        qsort(end, ends, sizeof *end, by_place);
    int64_t tenants = 0;
    for (uint32_t i = 0; ok && i < ends; i++) {
        if (i > 0 && end[i].at > end[i - 1].at)
            put_range(own, addresses, end[i - 1].at, end[i].at, tenants);
        tenants += end[i].change;
    }
    addresses->unused_bytes = space->heap_bytes - addresses->own_bytes - addresses->shared_bytes;
    free(end);
    return ok;
}

/* Own bytes below an address. */
static int64_t below(const struct xpd_own *own, int64_t address)
{
    uint32_t low = 0, high = own->count; /* first range that begins at or above the address */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (own->from[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    int64_t to = own->to[low - 1] < address ? own->to[low - 1] : address;
    return own->before[low - 1] + to - own->from[low - 1];
}

int64_t xpd_own_bytes(const struct xpd_own *own, int64_t offset, int64_t size)
{
    bool overflow = false;
    int64_t end = xpd_add_i64(offset, size, &overflow);
    return size > 0 ? below(own, overflow ? INT64_MAX : end) - below(own, offset) : 0;
}
