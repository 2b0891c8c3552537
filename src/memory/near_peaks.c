/* Separate peaks near the highest one.
 *
 * In: a space and the width of the band below its peak. Out: the first maximum of each run of steps
 * inside the band, highest first (earlier first among equals). Lanes start empty, so a run ends
 * with its lane. Blocks that stay below the band are skipped. */
#include "xprofd/memory/query.h"

#include "internal.h"

#include <math.h>

static void insert(struct xpd_near_peak *out, uint32_t *count, uint32_t capacity,
                   struct xpd_near_peak peak)
{
    uint32_t at = *count < capacity ? *count : capacity;
    while (at > 0 && out[at - 1].bytes < peak.bytes) {
        if (at < capacity)
            out[at] = out[at - 1];
        at--;
    }
    if (at < capacity)
        out[at] = peak;
    ++*count;
}

uint32_t xpd_near_peaks(const struct xpd_mem_space *space, double share, struct xpd_near_peak *out,
                        uint32_t capacity)
{
    uint32_t count = 0;
    if (space->peak_step == XPD_NO_STEP)
        return 0;
    if (!(share >= 0))
        share = 0;
    double depth = share >= 1 ? (double)space->peak_bytes : ceil((double)space->peak_bytes * share);
    int64_t floor_bytes = depth >= 9.2e18 ? INT64_MIN : space->peak_live_bytes - (int64_t)depth;
    for (uint32_t l = 0; l < space->lane_count; l++) {
        uint32_t i = space->lane[l].first_step, end = i + space->lane[l].step_count;
        while (i < end) {
            if (i % XPD_BLOCK_STEPS == 0 &&
                space->index->block[i / XPD_BLOCK_STEPS].max_live < floor_bytes) {
                i += end - i < XPD_BLOCK_STEPS ? end - i : XPD_BLOCK_STEPS;
                continue;
            }
            if (space->live_bytes[i] < floor_bytes) {
                i++;
                continue;
            }
            uint32_t best = i;
            for (; i < end && space->live_bytes[i] >= floor_bytes; i++)
                if (space->live_bytes[i] > space->live_bytes[best])
                    best = i;
            int64_t total = space->peak_bytes - (space->peak_live_bytes - space->live_bytes[best]);
            insert(out, &count, capacity, (struct xpd_near_peak){.step = best, .bytes = total});
        }
    }
    return count;
}
