/* What of a heap is not in use after a step: holes, what is free above, and what is set aside for
 * something that is not live. In: a step. Out: sums that close. */
#include "xprofd/report/report.h"

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

/* Addresses held after the step, ascending; *top gets the end of the live ones. */
static struct range *held_ranges(const struct xpd_mem_space *space, uint32_t step, uint32_t *count,
                                 int64_t *top, struct xpd_arena *scratch)
{
    uint32_t live = xpd_live_at(space, step, NULL, 0);
    uint32_t *tenancy = XPD_NEW_ARRAY(scratch, uint32_t, live);
    struct range *range = XPD_NEW_ARRAY(scratch, struct range, live);
    *count = 0;
    *top = 0;
    if (!tenancy || !range)
        return NULL;
    xpd_live_at(space, step, tenancy, live);
    for (uint32_t i = 0; i < live; i++) {
        const struct xpd_tenancy *t = &space->tenancy[tenancy[i]];
        struct range held = {t->offset_bytes, t->offset_bytes};
        xpd_grow_i64(&held.high, t->size_bytes);
        if (held.low < 0)
            held.low = 0;
        if (held.high > space->heap_bytes)
            held.high = space->heap_bytes;
        if (held.low >= held.high)
            continue;
        range[(*count)++] = held;
        if (!(t->flags & XPD_TENANCY_UNTRACED) && held.high > *top)
            *top = held.high;
    }
    if (*count > 1)
        qsort(range, *count, sizeof *range, by_low);
    return range;
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

int xpd_report_gaps_at(struct xpd_report_gaps *out, const struct xpd_mem_space *space,
                       uint32_t step, struct xpd_arena *scratch, struct xpd_err *err)
{
    *out = (struct xpd_report_gaps){.largest = XPD_NO_INDEX};
    if (step == XPD_NO_STEP) { /* nothing is known of the heap but its size */
        out->idle_bytes = space->heap_bytes;
        return XPD_OK;
    }
    uint32_t ranges;
    struct range *range = held_ranges(space, step, &ranges, &out->top_bytes, scratch);
    out->hole = XPD_NEW_ARRAY(scratch, struct xpd_hole, (size_t)ranges + 1);
    if (!range || !out->hole)
        return xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for the gaps at a step");
    int64_t end = 0;
    for (uint32_t i = 0; i < ranges; i++) {
        put_free(out, end, range[i].low);
        end = range[i].high > end ? range[i].high : end;
    }
    put_free(out, end, space->heap_bytes);
    out->idle_bytes =
        space->heap_bytes - space->live_bytes[step] - out->holes_bytes - out->above_bytes;
    return XPD_OK;
}
