/* What of a heap is not in use after a step: holes, what is free above, and what is set aside for
 * something that is not live. In: a step. Out: sums that close. */
#include "xprofd/report/report.h"

#include "xprofd/base/checked.h"
#include "xprofd/memory/query.h"

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
        return xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for the gaps at a step");
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
