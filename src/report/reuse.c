/* How many tenancies ever lie on some byte of a range. In: the tenancies. Out: two sorted lists of
 * addresses: those that end at or below the range and those that begin at or above it do not. */
#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/order.h"
#include "xprofd/memory/query.h"
#include "xprofd/report/report.h"

#include <stdlib.h>

int xpd_report_reuse_make(struct xpd_report_reuse *out, const struct xpd_mem_space *space,
                          struct xpd_arena *arena, struct xpd_err *err)
{
    struct xpd_tenancy_columns column = xpd_tenancy_columns_of(space);
    *out = (struct xpd_report_reuse){
        .low = XPD_NEW_ARRAY(arena, int64_t, (size_t)space->tenancy_count + 1),
        .high = XPD_NEW_ARRAY(arena, int64_t, (size_t)space->tenancy_count + 1)};
    if (!out->low || !out->high)
        return xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory to count tenants");
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
static uint32_t below(const int64_t *value, uint32_t count, int64_t limit)
{
    uint32_t low = 0;
    XPD_BISECT(low, count, middle, value[middle] < limit);
    return low;
}

uint32_t xpd_report_reuse_of(const struct xpd_report_reuse *reuse, int64_t from, int64_t to)
{
    if (from >= to)
        return 0;
    uint32_t begun = below(reuse->low, reuse->count, to);
    uint32_t over = from == INT64_MAX ? reuse->count : below(reuse->high, reuse->count, from + 1);
    return begun - over;
}
