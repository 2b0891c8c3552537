/* What holds most of a peak: rows that are alike, taken together. Alike are rows of one shape
 * (without layout), class and op path with its numbers left out, so that layer 0 and layer 5 fall
 * together; those without a buffer go by class. */
#ifndef XPROFD_MEMORY_PEAK_GROUP_H
#define XPROFD_MEMORY_PEAK_GROUP_H

#include "xprofd/memory/held.h"

struct xpd_peak_group {
    const uint32_t *row;          /* places in the list, ascending; in the arena */
    uint32_t count;               /* of them; 0 = nothing is held */
    int64_t bytes, padding_bytes; /* sums */
    bool all_equal;               /* each has the size of the first */
};

/* The group with the most bytes, of equal ones the first, of what is held at a peak. False: no
 * memory. */
bool xpd_peak_group_of(struct xpd_peak_group *out, const struct xpd_mem *mem,
                       const struct xpd_held_list *peak, struct xpd_arena *arena);
/* The peak in bytes if each f32 temporary of the group took half; -1: one of them shares its bytes
 * with other values, or is no such temporary, so that it cannot be known. */
int64_t xpd_peak_group_halved(const struct xpd_peak_group *group, const struct xpd_mem *mem,
                              const struct xpd_mem_space *space, const struct xpd_held_list *peak,
                              struct xpd_arena *arena);

#endif
