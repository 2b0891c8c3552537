/* Live bytes as the union of live address ranges, for VMEM and CMEM.
 *
 * There the slices of a sliced prefetch are listed beside the whole buffer, at overlapping offsets,
 * without SHARE_WITH, so a sum counts them twice. In: finished tenancies and growths of a space.
 * Out: live_bytes[] overwritten, and unpadded_bytes[] with the union of the ranges cut to their
 * sizes without padding, which is never more. A segment tree over the compressed addresses keeps,
 * per node, the number of ranges that cover it completely and its covered bytes: O(n log n).
 */
#include "memory_internal.h"
#include "xprofd/base/radix.h"

#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/order.h"

#include <stdlib.h>

uint32_t xpd_cover_sort(int64_t *coordinate, uint32_t count)
{
    if (count == 0)
        return 0;
    qsort(coordinate, count, sizeof *coordinate, xpd_order_i64);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < count; i++)
        if (coordinate[i] != coordinate[kept - 1])
            coordinate[kept++] = coordinate[i];
    return kept;
}

bool xpd_cover_init(struct xpd_cover *cover, const int64_t *coordinate, uint32_t count,
                    struct xpd_arena *arena)
{
    size_t leaves = count > 1 ? (size_t)count - 1 : 1, nodes = 1;
    while (nodes < leaves)
        nodes *= 2;
    *cover = (struct xpd_cover){.leaf_count = count > 1 ? count - 1 : 0,
                                .coordinate = coordinate,
                                .coordinate_count = count};
    cover->times = XPD_NEW_ARRAY(arena, uint32_t, 2 * nodes);
    cover->covered = XPD_NEW_ARRAY(arena, int64_t, 2 * nodes);
    return cover->times && cover->covered;
}

static uint32_t coordinate_index(const struct xpd_cover *cover, int64_t value)
{
    uint32_t low = 0;
    XPD_BISECT(low, cover->coordinate_count, middle, cover->coordinate[middle] < value);
    return low;
}

/* Node covers leaves [left, right). Depth is at most 32. */
static void change(struct xpd_cover *cover, uint32_t node, uint32_t left, uint32_t right,
                   uint32_t from, uint32_t to, int add)
{
    if (from <= left && right <= to) {
        cover->times[node] += (uint32_t)add; /* -1 wraps to a decrement */
    } else {
        uint32_t middle = left + (right - left) / 2;
        if (from < middle)
            change(cover, 2 * node, left, middle, from, to, add);
        if (to > middle)
            change(cover, 2 * node + 1, middle, right, from, to, add);
    }
    if (cover->times[node] > 0)
        cover->covered[node] = cover->coordinate[right] - cover->coordinate[left];
    else if (right - left == 1)
        cover->covered[node] = 0;
    else
        cover->covered[node] = cover->covered[2 * node] + cover->covered[2 * node + 1];
}

void xpd_cover_change(struct xpd_cover *cover, int64_t from, int64_t to, int add)
{
    if (from >= to || cover->leaf_count == 0)
        return;
    change(cover, 1, 0, cover->leaf_count, coordinate_index(cover, from),
           coordinate_index(cover, to), add);
}

int64_t xpd_cover_bytes(const struct xpd_cover *cover)
{
    return cover->leaf_count ? cover->covered[1] : 0;
}

struct sweep {        /* tenancies that end or grow, by step */
    uint32_t *ending; /* tenancies by end step */
    uint32_t end_count;
    struct xpd_growth *growth; /* by step */
};

static int growth_by_step(const void *x, const void *y)
{
    const struct xpd_growth *a = x, *b = y;
    return (a->step > b->step) - (a->step < b->step);
}

static bool make_sweep(struct xpd_mem_build *b, const struct xpd_mem_space *space,
                       struct sweep *sweep)
{
    uint32_t n = space->tenancy_count, growths = space->index->growth_count;
    uint32_t *key = XPD_NEW_ARRAY(&b->scratch, uint32_t, n);
    sweep->ending = XPD_NEW_ARRAY(&b->scratch, uint32_t, n);
    sweep->growth = XPD_NEW_ARRAY(&b->scratch, struct xpd_growth, growths);
    if (!key || !sweep->ending || !sweep->growth)
        return false;
    sweep->end_count = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (space->tenancy[i].flags & XPD_TENANCY_UNTRACED)
            continue;
        key[sweep->end_count] = space->tenancy[i].end_step;
        sweep->ending[sweep->end_count++] = i;
    }
    if (!xpd_radix_sort_u32(key, sweep->ending, sweep->end_count))
        return false;
    for (uint32_t i = 0; i < growths; i++)
        sweep->growth[i] = space->index->growth[i];
    if (growths > 1)
        qsort(sweep->growth, growths, sizeof *sweep->growth, growth_by_step);
    return true;
}

struct pass { /* over all steps: of whole ranges, or of those cut to what is not padding */
    struct xpd_mem_build *b;
    const struct xpd_mem_space *space;
    const struct sweep *sweep;
    struct xpd_cover cover;
    bool unpadded;
};

static int64_t first_size(const struct xpd_mem_space *space, uint32_t tenancy)
{
    uint32_t count, first = xpd_growths_of(space->index, tenancy, &count);
    return count ? space->index->growth[first].before_bytes : space->tenancy[tenancy].size_bytes;
}

/* Where a tenancy of that size ends. The size without padding is that of its largest holder; a
 * smaller one before it is cut to that too. */
static int64_t reach(const struct pass *p, const struct xpd_tenancy *t, int64_t bytes)
{
    if (p->unpadded && bytes > t->unpadded_bytes)
        bytes = t->unpadded_bytes;
    return xpd_add_i64(t->offset_bytes, bytes, &p->b->overflow);
}

static uint32_t collect_addresses(const struct pass *p, int64_t *at)
{
    const struct xpd_mem_space *space = p->space;
    uint32_t count = 0;
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        const struct xpd_tenancy *t = &space->tenancy[i];
        at[count++] = t->offset_bytes;
        at[count++] = reach(p, t, t->size_bytes);
    }
    for (uint32_t i = 0; i < space->index->growth_count; i++)
        at[count++] = reach(p, &space->tenancy[space->index->growth[i].tenancy],
                            space->index->growth[i].before_bytes);
    return xpd_cover_sort(at, count);
}

/* A growth was added as a range of its own: takes the pieces away one by one. */
static void end_tenancy(struct pass *p, uint32_t tenancy)
{
    const struct xpd_live_index *index = p->space->index;
    const struct xpd_tenancy *t = &p->space->tenancy[tenancy];
    uint32_t count, first = xpd_growths_of(index, tenancy, &count);
    xpd_cover_change(&p->cover, t->offset_bytes, reach(p, t, first_size(p->space, tenancy)), -1);
    for (uint32_t k = first; k < first + count; k++)
        xpd_cover_change(&p->cover, reach(p, t, index->growth[k].before_bytes),
                         reach(p, t, index->growth[k].after_bytes), -1);
}

static void walk_steps(struct pass *p, int64_t *bytes)
{
    const struct xpd_mem_space *space = p->space;
    const struct sweep *sweep = p->sweep;
    uint32_t start = 0, end = 0, growth = 0;
    for (uint32_t step = 0; step < space->step_count; step++) {
        for (; end < sweep->end_count && space->tenancy[sweep->ending[end]].end_step <= step; end++)
            end_tenancy(p, sweep->ending[end]);
        for (; start < space->tenancy_count && space->tenancy[start].start_step <= step; start++) {
            const struct xpd_tenancy *t = &space->tenancy[start];
            if (!(t->flags & XPD_TENANCY_UNTRACED))
                xpd_cover_change(&p->cover, t->offset_bytes, reach(p, t, first_size(space, start)),
                                 1);
        }
        for (; growth < space->index->growth_count && sweep->growth[growth].step <= step;
             growth++) {
            const struct xpd_tenancy *t = &space->tenancy[sweep->growth[growth].tenancy];
            xpd_cover_change(&p->cover, reach(p, t, sweep->growth[growth].before_bytes),
                             reach(p, t, sweep->growth[growth].after_bytes), 1);
        }
        bytes[step] = xpd_cover_bytes(&p->cover);
    }
}

bool xpd_mem_build_union(struct xpd_mem_build *b, struct xpd_mem_space *space)
{
    struct sweep sweep;
    size_t most = 2 * (size_t)space->tenancy_count + space->index->growth_count;
    int64_t *address = XPD_NEW_ARRAY(&b->scratch, int64_t, most);
    if (!address || !make_sweep(b, space, &sweep))
        return false;
    struct pass pass = {.b = b, .space = space, .sweep = &sweep};
    for (int unpadded = 0; unpadded < 2; unpadded++) {
        pass.unpadded = unpadded == 1;
        if (!xpd_cover_init(&pass.cover, address, collect_addresses(&pass, address), &b->scratch))
            return false;
        walk_steps(&pass, pass.unpadded ? space->unpadded_bytes : space->live_bytes);
    }
    return true;
}
