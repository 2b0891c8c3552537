/* Findings of memory and of time in one list. In: findings of all memory spaces and of time. Out:
 * their shares, their order, and which of them change the same buffers. */
#include "xprofd/doctor/doctor.h"

#include <stdlib.h>

/* Of each buffer the findings that change it, as bits of the first 64 that save anything. */
static void find_owners(uint64_t *owners, const struct xpd_finding *finding, uint32_t count,
                        const uint32_t *bit)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; bit[i] < 64 && k < finding[i].buffer_count; k++)
            owners[finding[i].buffer[k]] |= UINT64_C(1) << bit[i];
}

static uint64_t others_of(const struct xpd_finding *f, const uint64_t *owners)
{
    uint64_t all = 0;
    for (uint32_t k = 0; k < f->buffer_count; k++)
        all |= owners[f->buffer[k]];
    return all;
}

static bool list_overlaps(struct xpd_finding *finding, uint32_t count, const uint32_t *bit,
                          const uint64_t *owners, struct xpd_arena *arena)
{
    for (uint32_t i = 0; i < count; i++) {
        if (bit[i] >= 64)
            continue;
        uint64_t all = others_of(&finding[i], owners) & ~(UINT64_C(1) << bit[i]);
        uint32_t *list = XPD_NEW_ARRAY(arena, uint32_t, (size_t)__builtin_popcountll(all));
        uint32_t n = 0;
        if (!list)
            return false;
        for (uint32_t k = 0; k < count; k++)
            if (bit[k] < 64 && (all >> bit[k] & 1))
                list[n++] = k;
        finding[i].overlap = list;
        finding[i].overlap_count = n;
    }
    return true;
}

static bool find_overlaps(struct xpd_finding *finding, uint32_t count, const struct xpd_mem *mem,
                          struct xpd_arena *arena)
{
    uint64_t *owners = XPD_NEW_ARRAY(arena, uint64_t, mem->hlo->buffers.count);
    uint32_t *bit = XPD_NEW_ARRAY(arena, uint32_t, count), next = 0;
    if (!owners || !bit)
        return false;
    for (uint32_t i = 0; i < count; i++)
        bit[i] = finding[i].saving_bytes > 0 && !finding[i].silenced ? next++ : 64;
    find_owners(owners, finding, count, bit);
    return list_overlaps(finding, count, bit, owners, arena);
}

bool xpd_doctor_rank(struct xpd_finding *finding, uint32_t count, const struct xpd_mem *mem,
                     int64_t scale_bytes, struct xpd_arena *arena)
{
    for (uint32_t i = 0; i < count; i++)
        if (!finding[i].is_time && finding[i].saving_bytes >= 0 && scale_bytes > 0)
            finding[i].share = (double)finding[i].saving_bytes / (double)scale_bytes;
    if (count > 1)
        qsort(finding, count, sizeof *finding, xpd_finding_compare);
    return find_overlaps(finding, count, mem, arena);
}
