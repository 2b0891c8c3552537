/* Who had these bytes before and after a tenancy.
 *
 * In: a tenancy. Out: the nearest tenancies of the same lane that overlap its addresses and end at
 * or before its start, or start at or after its end. One pass over the columns. */
#include "xprofd/memory/query.h"

#include "internal.h"

void xpd_neighbours(const struct xpd_mem_space *space, uint32_t tenancy, uint32_t *before,
                    uint32_t *before_more, uint32_t *after, uint32_t *after_more)
{
    const struct xpd_live_index *index = space->index;
    uint32_t befores = 0, afters = 0;
    *before = *after = XPD_NO_INDEX;
    *before_more = *after_more = 0;
    if (tenancy >= space->tenancy_count || (space->tenancy[tenancy].flags & XPD_TENANCY_UNTRACED))
        return;
    uint32_t start = index->start[tenancy], end = index->end[tenancy];
    int64_t low = index->offset[tenancy], size = index->size[tenancy];
    const struct xpd_lane *lane = &space->lane[space->tenancy[tenancy].lane];
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        /* differences of offsets do not overflow: none is negative */
        int64_t distance = index->offset[i] - low;
        if (distance >= size || -distance >= index->size[i] || size == 0 || index->size[i] == 0 ||
            i == tenancy)
            continue;
        if (index->start[i] < lane->first_step ||
            index->start[i] >= lane->first_step + lane->step_count ||
            (space->tenancy[i].flags & XPD_TENANCY_UNTRACED))
            continue;
        if (index->end[i] <= start) {
            befores++;
            if (*before == XPD_NO_INDEX || index->end[i] > index->end[*before])
                *before = i;
        } else if (index->start[i] >= end) {
            afters++;
            if (*after == XPD_NO_INDEX || index->start[i] < index->start[*after])
                *after = i;
        }
    }
    *before_more = befores > 0 ? befores - 1 : 0;
    *after_more = afters > 0 ? afters - 1 : 0;
}
