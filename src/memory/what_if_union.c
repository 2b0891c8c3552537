/* The saving where live bytes are a union of address ranges.
 *
 * In: removed tenancies. Out: the highest point without them. Only tenancies that meet the removed
 * ones in time and address matter: two covers are swept side by side, one with all of those and one
 * without the removed; their difference is what the removed hold alone. */
#include "what_if.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

struct box { /* a tenancy, or what a larger holder added to it */
    uint32_t from, to;
    int64_t low, high;
    bool removed;
};

struct edge {
    uint32_t step, box;
    int add;
};

static int by_step(const void *x, const void *y)
{
    const struct edge *a = x, *b = y;
    return (a->step > b->step) - (a->step < b->step);
}

static int64_t end_of(const struct xpd_tenancy *t, int64_t bytes)
{
    bool overflow = false;
    return xpd_add_i64(t->offset_bytes, bytes, &overflow);
}

static uint32_t add_boxes(const struct xpd_mem_space *space, uint32_t tenancy, bool removed,
                          struct box *out)
{
    const struct xpd_tenancy *t = &space->tenancy[tenancy];
    uint32_t count = 1, growths, first = xpd_growths_of(space->index, tenancy, &growths);
    int64_t size = growths ? space->index->growth[first].before_bytes : t->size_bytes;
    out[0] = (struct box){t->start_step, t->end_step, t->offset_bytes, end_of(t, size), removed};
    for (uint32_t k = first; k < first + growths; k++) {
        const struct xpd_growth *g = &space->index->growth[k];
        out[count++] = (struct box){g->step, t->end_step, end_of(t, g->before_bytes),
                                    end_of(t, g->after_bytes), removed};
    }
    return count;
}

static uint32_t gather(const struct xpd_mem_space *space, const struct xpd_removed *removed,
                       const bool *is_removed, struct box *box)
{
    uint32_t from = UINT32_MAX, to = 0, count = 0;
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (uint32_t i = 0; i < removed->count; i++) {
        const struct xpd_tenancy *t = &space->tenancy[removed->tenancy[i]];
        from = t->start_step < from ? t->start_step : from;
        to = t->end_step > to ? t->end_step : to;
        low = t->offset_bytes < low ? t->offset_bytes : low;
        high = end_of(t, t->size_bytes) > high ? end_of(t, t->size_bytes) : high;
    }
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        const struct xpd_tenancy *t = &space->tenancy[i];
        if ((t->flags & XPD_TENANCY_UNTRACED) || t->start_step >= to || t->end_step <= from ||
            t->offset_bytes >= high || end_of(t, t->size_bytes) <= low)
            continue;
        count += add_boxes(space, i, is_removed[i], box + count);
    }
    return count;
}

bool xpd_rest_of_union(const struct xpd_mem_space *space, const struct xpd_removed *removed,
                       struct xpd_arena *scratch, struct xpd_rest *rest)
{
    size_t most = (size_t)space->tenancy_count + space->index->growth_count;
    bool *is_removed = XPD_NEW_ARRAY(scratch, bool, space->tenancy_count);
    struct box *box = XPD_NEW_ARRAY(scratch, struct box, most);
    if (!is_removed || !box)
        return false;
    for (uint32_t i = 0; i < removed->count; i++)
        is_removed[removed->tenancy[i]] = true;
    uint32_t boxes = gather(space, removed, is_removed, box);
    struct edge *edge = XPD_NEW_ARRAY(scratch, struct edge, 2 * (size_t)boxes);
    int64_t *address = XPD_NEW_ARRAY(scratch, int64_t, 2 * (size_t)boxes);
    if (!edge || !address)
        return false;
    for (uint32_t i = 0; i < boxes; i++) {
        edge[2 * i] = (struct edge){box[i].from, i, 1};
        edge[2 * i + 1] = (struct edge){box[i].to, i, -1};
        address[2 * i] = box[i].low;
        address[2 * i + 1] = box[i].high;
    }
    if (boxes > 0)
        qsort(edge, 2 * (size_t)boxes, sizeof *edge, by_step);
    uint32_t addresses = xpd_cover_sort(address, 2 * boxes), from = 0;
    struct xpd_cover all, others;
    if (!xpd_cover_init(&all, address, addresses, scratch) ||
        !xpd_cover_init(&others, address, addresses, scratch))
        return false;
    for (uint32_t i = 0; i < 2 * boxes; i++) {
        xpd_rest_take(space, rest, from, edge[i].step,
                      xpd_cover_bytes(&all) - xpd_cover_bytes(&others));
        from = edge[i].step;
        const struct box *b = &box[edge[i].box];
        xpd_cover_change(&all, b->low, b->high, edge[i].add);
        if (!b->removed)
            xpd_cover_change(&others, b->low, b->high, edge[i].add);
    }
    xpd_rest_take(space, rest, from, space->step_count,
                  xpd_cover_bytes(&all) - xpd_cover_bytes(&others));
    return true;
}
