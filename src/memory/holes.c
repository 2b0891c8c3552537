/* Free address ranges at a step.
 *
 * In: a step. Out: what is free below the highest held byte, ascending, cut where one heap ends and
 * the next begins (no buffer can lie across). Untraced members hold their bytes. */
#include "xprofd/memory/query.h"

#include "internal.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

struct range {
    int64_t low, high;
};

static int by_low(const void *x, const void *y)
{
    const struct range *a = x, *b = y;
    return (a->low > b->low) - (a->low < b->low);
}

/* One free range, cut at the heaps; returns how many pieces it makes. out may be NULL. */
static uint32_t put(const struct xpd_mem_space *space, int64_t low, int64_t high,
                    struct xpd_hole *out)
{
    uint32_t first = 0, end = space->heap_count, count = 0;
    while (first < end) { /* first heap that begins above `low` */
        uint32_t middle = first + (end - first) / 2;
        if (space->heap[middle].base_bytes <= low)
            first = middle + 1;
        else
            end = middle;
    }
    while (low < high) {
        int64_t stop = high;
        while (first < space->heap_count && space->heap[first].base_bytes <= low)
            first++;
        if (first < space->heap_count && space->heap[first].base_bytes < high)
            stop = space->heap[first].base_bytes;
        if (out)
            out[count] = (struct xpd_hole){.offset_bytes = low, .size_bytes = stop - low};
        count++;
        low = stop;
    }
    return count;
}

uint32_t xpd_holes_at(const struct xpd_mem_space *space, uint32_t step, struct xpd_arena *scratch,
                      struct xpd_hole **out, struct xpd_err *err)
{
    uint32_t live = xpd_live_at(space, step, NULL, 0), ranges = 0, holes = 0;
    uint32_t *tenancy = XPD_NEW_ARRAY(scratch, uint32_t, live);
    struct range *range = XPD_NEW_ARRAY(scratch, struct range, live);
    bool overflow = false;
    *out = NULL;
    if (tenancy && range) {
        xpd_live_at(space, step, tenancy, live);
        for (uint32_t i = 0; i < live; i++) {
            const struct xpd_tenancy *t = &space->tenancy[tenancy[i]];
            if (t->size_bytes > 0)
                range[ranges++] = (struct range){
                    t->offset_bytes, xpd_add_i64(t->offset_bytes, t->size_bytes, &overflow)};
        }
        if (ranges > 1)
            qsort(range, ranges, sizeof *range, by_low);
        for (int round = 0; round < 2; round++) {
            int64_t top = 0;
            holes = 0;
            for (uint32_t i = 0; i < ranges; i++) {
                if (range[i].low > top)
                    holes += put(space, top, range[i].low, *out ? *out + holes : NULL);
                top = range[i].high > top ? range[i].high : top;
            }
            if (round == 0 && !(*out = XPD_NEW_ARRAY(scratch, struct xpd_hole, holes)))
                break;
        }
        if (*out)
            return holes;
    }
    xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET,
             "There is not enough memory to list the free ranges.");
    return 0;
}
