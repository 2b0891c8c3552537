/* Which addresses of a heap have one tenant all program long, which several, which none.
 *
 * In: the tenancies in order of their addresses. Out: ranges of own addresses, and the three sums.
 * One sweep over begins and ends, both in order; what a damaged file puts outside of the heap is
 * cut off. */
#include "internal.h"

#include "xprofd/base/checked.h"
#include "xprofd/base/radix.h"

/* The part of a tenancy that lies in the heap. */
static bool clip(int64_t heap_bytes, int64_t offset, int64_t size, int64_t *from, int64_t *to)
{
    bool overflow = false;
    *from = offset < 0 ? 0 : offset;
    *to = xpd_add_i64(offset, size, &overflow);
    if (overflow || *to > heap_bytes)
        *to = heap_bytes;
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

/* Begins and ends, each in ascending order. */
struct ends {
    int64_t *begin;
    uint64_t *end; /* none is negative */
    uint32_t count;
};

static bool find_ends(struct ends *ends, const struct xpd_mem_space *space,
                      const uint32_t *by_address, struct xpd_arena *arena)
{
    struct xpd_tenancy_columns column = xpd_tenancy_columns_of(space);
    ends->begin = XPD_NEW_ARRAY(arena, int64_t, space->tenancy_count);
    ends->end = XPD_NEW_ARRAY(arena, uint64_t, space->tenancy_count);
    ends->count = 0;
    if (!ends->begin || !ends->end)
        return false;
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        int64_t from, to, offset = column.offset_bytes[by_address[i]];
        if (!clip(space->heap_bytes, offset, column.size_bytes[by_address[i]], &from, &to))
            continue;
        ends->begin[ends->count] = from;
        ends->end[ends->count++] = (uint64_t)to;
    }
    return xpd_radix_sort_u64(ends->end, NULL, ends->count);
}

static void sweep(struct xpd_own *own, struct xpd_report_addresses *addresses,
                  const struct ends *ends)
{
    int64_t at = 0, tenants = 0;
    for (uint32_t i = 0, k = 0; k < ends->count;) {
        bool begins = i < ends->count && ends->begin[i] <= (int64_t)ends->end[k];
        int64_t next = begins ? ends->begin[i] : (int64_t)ends->end[k];
        if (next > at)
            put_range(own, addresses, at, next, tenants);
        at = next;
        tenants += begins ? 1 : -1;
        i += begins;
        k += !begins;
    }
}

bool xpd_own_make(struct xpd_own *own, struct xpd_report_addresses *addresses,
                  const struct xpd_mem_space *space, const uint32_t *by_address,
                  struct xpd_arena *arena)
{
    struct ends ends;
    size_t most = 2 * (size_t)space->tenancy_count + 1;
    own->from = XPD_NEW_ARRAY(arena, int64_t, most);
    own->to = XPD_NEW_ARRAY(arena, int64_t, most);
    own->before = XPD_NEW_ARRAY(arena, int64_t, most);
    if (!own->from || !own->to || !own->before || !find_ends(&ends, space, by_address, arena))
        return false;
    sweep(own, addresses, &ends);
    addresses->unused_bytes = space->heap_bytes - addresses->own_bytes - addresses->shared_bytes;
    return true;
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
