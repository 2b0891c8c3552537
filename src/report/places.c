/* Who has which addresses when: all tenants of a byte, who may never share bytes, who shares them.
 * In: a frozen space. Out: tenancies in order of their first step. One scan over the columns. */
#include "report_internal.h"
#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/order.h"
#include "xprofd/base/radix.h"
#include "xprofd/memory/query.h"
#include "xprofd/report/report.h"
#include <stdlib.h>

/* Which addresses of a heap have one tenant all program long, which several, which none.
 *
 * In: the tenancies in order of their addresses. Out: ranges of own addresses, and the three sums.
 * One sweep over begins and ends, both in order; what a damaged file puts outside of the heap is
 * cut off. */

/* The part of a tenancy in the heap. */
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

/* Unused bytes of a heap after a step: holes, free bytes above, and bytes reserved but not live.
 * In: a step. Out: sums that close. */

/* The bytes of the heap that a tenancy holds; false: none. */
static bool reach_of(const struct xpd_mem_space *space, uint32_t tenancy, int64_t *low,
                     int64_t *high)
{
    struct xpd_tenancy_columns column = xpd_tenancy_columns_of(space);
    *low = *high = column.offset_bytes[tenancy];
    xpd_grow_i64(high, column.size_bytes[tenancy]);
    *low = *low < 0 ? 0 : *low;
    *high = *high > space->heap_bytes ? space->heap_bytes : *high;
    return *low < *high;
}

/* Those held after a step that reach into the heap, as a bit at their place in by_address: a step
 * holds few, and going through bits in order costs less than sorting. Finds the highest live byte
 * meanwhile. */
struct held {
    uint32_t *tenancy, count;
    uint64_t *place; /* bits */
};

static bool find_held(struct held *held, int64_t *top, const struct xpd_report *report,
                      uint32_t step, struct xpd_arena *scratch)
{
    const struct xpd_mem_space *space = report->space;
    int64_t low, high;
    held->count = xpd_live_at(space, step, NULL, 0);
    held->tenancy = XPD_NEW_ARRAY(scratch, uint32_t, held->count);
    held->place = XPD_NEW_ARRAY(scratch, uint64_t, (size_t)space->tenancy_count / 64 + 1);
    if (!held->tenancy || !held->place)
        return false;
    xpd_live_at(space, step, held->tenancy, held->count);
    for (uint32_t i = 0; i < held->count; i++) {
        uint32_t tenancy = held->tenancy[i], rank = report->address_rank[tenancy];
        if (!reach_of(space, tenancy, &low, &high))
            continue;
        held->place[rank / 64] |= UINT64_C(1) << (rank % 64);
        if (high > *top && !(space->tenancy[tenancy].flags & XPD_TENANCY_UNTRACED))
            *top = high;
    }
    return true;
}

/* A stretch that nothing holds, which may reach over the highest live byte. */
static void put_free(struct xpd_report_gaps *out, int64_t from, int64_t to)
{
    if (from >= to)
        return;
    if (to > out->top_bytes) {
        int64_t above = from > out->top_bytes ? from : out->top_bytes;
        out->above_bytes += to - above;
        to = above;
    }
    if (from >= to)
        return;
    out->holes_bytes += to - from;
    if (out->largest == XPD_NO_INDEX || to - from > out->hole[out->largest].size_bytes)
        out->largest = out->hole_count;
    out->hole[out->hole_count++] = (struct xpd_hole){from, to - from};
}

int xpd_report_gaps_at(struct xpd_report_gaps *out, const struct xpd_report *report, uint32_t step,
                       struct xpd_arena *scratch, struct xpd_err *err)
{
    const struct xpd_mem_space *space = report->space;
    *out = (struct xpd_report_gaps){.largest = XPD_NO_INDEX};
    if (step == XPD_NO_STEP) { /* nothing is known of the heap but its size */
        out->idle_bytes = space->heap_bytes;
        return XPD_OK;
    }
    struct held held;
    bool ok = find_held(&held, &out->top_bytes, report, step, scratch);
    out->hole = ok ? XPD_NEW_ARRAY(scratch, struct xpd_hole, (size_t)held.count + 1) : NULL;
    if (!out->hole)
        return xpd_no_memory(err, NULL, "for the gaps at a step");
    int64_t end = 0, low, high;
    for (uint32_t word = 0; word <= space->tenancy_count / 64; word++)
        for (uint64_t bits = held.place[word]; bits != 0; bits &= bits - 1) {
            uint32_t rank = word * 64 + (uint32_t)__builtin_ctzll(bits);
            reach_of(space, report->by_address[rank], &low, &high);
            put_free(out, end, low);
            end = high > end ? high : end;
        }
    put_free(out, end, space->heap_bytes);
    out->idle_bytes =
        space->heap_bytes - space->live_bytes[step] - out->holes_bytes - out->above_bytes;
    return XPD_OK;
}

/* How many tenancies ever lie on some byte of a range. In: the tenancies. Out: two sorted lists of
 * addresses: those that end at or below the range and those that begin at or above it do not. */

int xpd_report_reuse_make(struct xpd_report_reuse *out, const struct xpd_mem_space *space,
                          struct xpd_arena *arena, struct xpd_err *err)
{
    struct xpd_tenancy_columns column = xpd_tenancy_columns_of(space);
    *out = (struct xpd_report_reuse){
        .low = XPD_NEW_ARRAY(arena, int64_t, (size_t)space->tenancy_count + 1),
        .high = XPD_NEW_ARRAY(arena, int64_t, (size_t)space->tenancy_count + 1)};
    if (!out->low || !out->high)
        return xpd_no_memory(err, NULL, "to count tenants");
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        if (column.size_bytes[i] <= 0)
            continue;
        int64_t end = column.offset_bytes[i];
        xpd_grow_i64(&end, column.size_bytes[i]);
        out->low[out->count] = column.offset_bytes[i];
        out->high[out->count++] = end;
    }
    if (out->count > 1) {
        qsort(out->low, out->count, sizeof *out->low, xpd_order_i64);
        qsort(out->high, out->count, sizeof *out->high, xpd_order_i64);
    }
    return XPD_OK;
}

/* How many of the ascending values are below a limit. */
static uint32_t reuse_below(const int64_t *value, uint32_t count, int64_t limit)
{
    uint32_t low = 0;
    XPD_BISECT(low, count, middle, value[middle] < limit);
    return low;
}

uint32_t xpd_report_reuse_of(const struct xpd_report_reuse *reuse, int64_t from, int64_t to)
{
    if (from >= to)
        return 0;
    uint32_t begun = reuse_below(reuse->low, reuse->count, to);
    uint32_t over =
        from == INT64_MAX ? reuse->count : reuse_below(reuse->high, reuse->count, from + 1);
    return begun - over;
}

static void put(uint32_t *out, uint32_t capacity, uint32_t *count, uint32_t tenancy)
{
    if (*count < capacity)
        out[*count] = tenancy;
    ++*count;
}

/* Offsets are unchecked numbers of the file; an end that does not fit is the last address. */
static int64_t end_of(const struct xpd_tenancy_columns *column, uint32_t tenancy)
{
    int64_t end = column->offset_bytes[tenancy];
    xpd_grow_i64(&end, column->size_bytes[tenancy]);
    return end;
}

uint32_t xpd_report_tenants(const struct xpd_mem_space *space, int64_t address, uint32_t *out,
                            uint32_t capacity)
{
    struct xpd_tenancy_columns column = xpd_tenancy_columns_of(space);
    uint32_t count = 0;
    for (uint32_t i = 0; i < space->tenancy_count; i++)
        if (column.offset_bytes[i] <= address && address < end_of(&column, i))
            put(out, capacity, &count, i);
    return count;
}

uint32_t xpd_report_conflicts(const struct xpd_mem_space *space, uint32_t tenancy, uint32_t *out,
                              uint32_t capacity, int64_t *bytes)
{
    struct xpd_tenancy_columns column = xpd_tenancy_columns_of(space);
    uint32_t count = 0, from = column.start_step[tenancy], to = column.end_step[tenancy];
    *bytes = 0;
    for (uint32_t i = 0; i < space->tenancy_count && column.start_step[i] < to; i++) {
        if (i == tenancy || column.end_step[i] <= from ||
            column.end_step[i] <= column.start_step[i])
            continue;
        xpd_grow_i64(bytes, column.size_bytes[i]);
        put(out, capacity, &count, i);
    }
    return count;
}

uint32_t xpd_report_predecessors(const struct xpd_mem_space *space, uint32_t tenancy, uint32_t *out,
                                 uint32_t capacity, int64_t *bytes)
{
    struct xpd_tenancy_columns column = xpd_tenancy_columns_of(space);
    uint32_t count = 0, from = column.start_step[tenancy], to = column.end_step[tenancy];
    int64_t low = column.offset_bytes[tenancy], high = end_of(&column, tenancy);
    *bytes = 0;
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        bool meet = column.offset_bytes[i] < high && low < end_of(&column, i) && low < high &&
                    column.size_bytes[i] > 0;
        bool together = column.start_step[i] < to && from < column.end_step[i];
        if (i == tenancy || !meet || together)
            continue;
        xpd_grow_i64(bytes, column.size_bytes[i]);
        put(out, capacity, &count, i);
    }
    return count;
}
