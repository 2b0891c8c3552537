/* What of a heap is not in use after a step: holes, what is free above, and what is set aside for
 * something that is not live. In: a step. Out: sums that close. */
#include "xprofd/report/report.h"

#include "xprofd/base/checked.h"

/* The bytes of the heap that a tenancy holds after the step. */
static bool held(const struct xpd_mem_space *space, uint32_t tenancy, uint32_t step, int64_t *low,
                 int64_t *high)
{
    struct xpd_tenancy_columns column = xpd_tenancy_columns_of(space);
    if (column.start_step[tenancy] > step || column.end_step[tenancy] <= step)
        return false;
    *low = *high = column.offset_bytes[tenancy];
    xpd_grow_i64(high, column.size_bytes[tenancy]);
    *low = *low < 0 ? 0 : *low;
    *high = *high > space->heap_bytes ? space->heap_bytes : *high;
    return *low < *high;
}

/* The highest live byte; returns how many tenancies are held. */
static uint32_t find_top(const struct xpd_mem_space *space, uint32_t step, int64_t *top)
{
    uint32_t count = 0;
    int64_t low, high;
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        if (!held(space, i, step, &low, &high))
            continue;
        count++;
        if (high > *top && !(space->tenancy[i].flags & XPD_TENANCY_UNTRACED))
            *top = high;
    }
    return count;
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
    uint32_t count = find_top(space, step, &out->top_bytes);
    out->hole = XPD_NEW_ARRAY(scratch, struct xpd_hole, (size_t)count + 1);
    if (!out->hole)
        return xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for the gaps at a step");
    int64_t end = 0, low, high;
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        if (!held(space, report->by_address[i], step, &low, &high))
            continue;
        put_free(out, end, low);
        end = high > end ? high : end;
    }
    put_free(out, end, space->heap_bytes);
    out->idle_bytes =
        space->heap_bytes - space->live_bytes[step] - out->holes_bytes - out->above_bytes;
    return XPD_OK;
}
