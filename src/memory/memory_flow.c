/* See flow.h. In: tenancies, sorted by start. Out: sums of blocks of them. */
#include "xprofd/memory/flow.h"

#include "memory_internal.h"
#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"

#define BLOCK XPD_FLOW_BLOCK

/* ---- made once ---- */

static struct xpd_flow_block *started_of(const struct xpd_mem_space *space, struct xpd_arena *arena)
{
    uint32_t n = space->tenancy_count;
    struct xpd_flow_block *block = XPD_NEW_ARRAY(arena, struct xpd_flow_block, n / BLOCK + 1);
    for (uint32_t b = 0; block && b <= n / BLOCK; b++)
        block[b].largest_bytes = -1;
    for (uint32_t i = 0; block && i < n; i++) {
        struct xpd_flow_block *at = &block[i / BLOCK];
        int64_t size = space->tenancy[i].size_bytes;
        if (space->tenancy[i].flags & XPD_TENANCY_UNTRACED)
            continue;
        at->sum.count++;
        xpd_grow_i64(&at->sum.bytes, size);
        at->largest_bytes = size > at->largest_bytes ? size : at->largest_bytes;
    }
    return block;
}

static bool is_freed(const struct xpd_mem_space *space, uint32_t i)
{
    const struct xpd_tenancy *tenancy = &space->tenancy[i];
    return !(tenancy->flags & (XPD_TENANCY_UNTRACED | XPD_TENANCY_NEVER_FREED)) &&
           tenancy->end_step < space->step_count;
}

/* Sorted by counting how many end at each step. */
static uint32_t *order_by_end(const struct xpd_mem_space *space, uint32_t *count,
                              struct xpd_arena *keep, struct xpd_arena *scratch)
{
    uint32_t *next = XPD_NEW_ARRAY(scratch, uint32_t, (size_t)space->step_count + 1), sum = 0;
    if (!next)
        return NULL;
    for (uint32_t i = 0; i < space->tenancy_count; i++)
        if (is_freed(space, i))
            next[space->tenancy[i].end_step]++;
    for (uint32_t step = 0; step < space->step_count; step++) {
        uint32_t ends = next[step];
        next[step] = sum;
        sum += ends;
    }
    uint32_t *order = XPD_NEW_ROOM(keep, uint32_t, sum);
    for (uint32_t i = 0; order && i < space->tenancy_count; i++)
        if (is_freed(space, i))
            order[next[space->tenancy[i].end_step]++] = i;
    *count = sum;
    return order;
}

bool xpd_flow_make(struct xpd_flow *flow, const struct xpd_mem_space *space, struct xpd_arena *keep,
                   struct xpd_arena *scratch)
{
    uint32_t n = 0;
    uint32_t *by_end = order_by_end(space, &n, keep, scratch);
    int64_t *ended = by_end ? XPD_NEW_ARRAY(keep, int64_t, n / BLOCK + 1) : NULL;
    struct xpd_flow_block *started = ended ? started_of(space, keep) : NULL;
    if (!started)
        return false;
    for (uint32_t i = 0; i < n; i++)
        xpd_grow_i64(&ended[i / BLOCK], space->tenancy[by_end[i]].size_bytes);
    *flow = (struct xpd_flow){space, started, by_end, n, ended};
    return true;
}

/* ---- questions ---- */

struct span { /* places in an order */
    uint32_t from, to;
};

static struct span starts_in(const struct xpd_mem_space *space, struct xpd_step_window window)
{
    struct span span = {0, window.to > window.from ? xpd_tenancies_until(space, window.to - 1) : 0};
    if (window.to > window.from && window.from > 0)
        span.from = xpd_tenancies_until(space, window.from - 1);
    return span;
}

static uint32_t ends_before(const struct xpd_flow *flow, uint32_t step)
{
    const struct xpd_tenancy *tenancy = flow->space->tenancy;
    uint32_t low = 0;
    XPD_BISECT(low, flow->end_count, middle, tenancy[flow->by_end[middle]].end_step < step);
    return low;
}

/* Whether the rest of a block from here on is in the span. */
static bool is_block(struct span span, uint32_t at)
{
    return at % BLOCK == 0 && span.to - at >= BLOCK;
}

struct xpd_flow_sum xpd_flow_started(const struct xpd_flow *flow, struct xpd_step_window window)
{
    const struct xpd_tenancy *tenancy = flow->space->tenancy;
    struct xpd_flow_sum sum = {0};
    struct span span = starts_in(flow->space, window);
    for (uint32_t i = span.from; i < span.to;) {
        if (is_block(span, i)) {
            sum.count += flow->started[i / BLOCK].sum.count;
            xpd_grow_i64(&sum.bytes, flow->started[i / BLOCK].sum.bytes);
            i += BLOCK;
            continue;
        }
        if (!(tenancy[i].flags & XPD_TENANCY_UNTRACED)) {
            sum.count++;
            xpd_grow_i64(&sum.bytes, tenancy[i].size_bytes);
        }
        i++;
    }
    return sum;
}

struct xpd_flow_sum xpd_flow_ended(const struct xpd_flow *flow, struct xpd_step_window window)
{
    struct span span = {0};
    if (window.to > window.from)
        span = (struct span){ends_before(flow, window.from), ends_before(flow, window.to)};
    struct xpd_flow_sum sum = {.count = span.to - span.from};
    for (uint32_t i = span.from; i < span.to;) {
        bool block = is_block(span, i);
        xpd_grow_i64(&sum.bytes, block ? flow->ended_bytes[i / BLOCK]
                                       : flow->space->tenancy[flow->by_end[i]].size_bytes);
        i += block ? BLOCK : 1;
    }
    return sum;
}

/* Into a list sorted by size; returns the new count. */
static uint32_t offer(const struct xpd_tenancy *all, uint32_t index, uint32_t *out, uint32_t count,
                      uint32_t capacity)
{
    uint32_t at = count;
    if (count == capacity) {
        if (count == 0 || all[index].size_bytes <= all[out[count - 1]].size_bytes)
            return count;
        at--;
    } else {
        count++;
    }
    for (; at > 0 && all[out[at - 1]].size_bytes < all[index].size_bytes; at--)
        out[at] = out[at - 1];
    out[at] = index;
    return count;
}

uint32_t xpd_flow_largest(const struct xpd_flow *flow, struct xpd_step_window window, uint32_t *out,
                          uint32_t capacity)
{
    const struct xpd_tenancy *tenancy = flow->space->tenancy;
    struct span span = starts_in(flow->space, window);
    uint32_t count = 0;
    for (uint32_t i = span.from; i < span.to;) {
        if (is_block(span, i) && count == capacity &&
            (count == 0 ||
             flow->started[i / BLOCK].largest_bytes <= tenancy[out[count - 1]].size_bytes)) {
            i += BLOCK; /* none of them is larger than the last of the list */
            continue;
        }
        if (!(tenancy[i].flags & XPD_TENANCY_UNTRACED))
            count = offer(tenancy, i, out, count, capacity);
        i++;
    }
    return count;
}
