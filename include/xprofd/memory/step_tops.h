/* The highest held byte after each step, as runs of steps that have the same one.
 *
 * Made once for a space; the cost of a window is then the number of runs in it, independent of the
 * buffers. */
#ifndef XPROFD_MEMORY_STEP_TOPS_H
#define XPROFD_MEMORY_STEP_TOPS_H

#include "xprofd/memory/memory.h"

struct xpd_step_tops {
    uint32_t count;       /* runs; run k is the steps [from[k], from[k + 1]) */
    const uint32_t *from; /* count + 1: the last one is the steps of the space */
    const int64_t *top;   /* address behind the highest held byte, 0 = nothing is held */
};

/* O(steps + tenancies log steps). Tenancies without heap events, which are always there, do not
 * count. The runs live in `keep`; `scratch` gives 16 bytes a step. False without memory. */
bool xpd_step_tops_make(struct xpd_step_tops *tops, const struct xpd_mem_space *space,
                        struct xpd_arena *keep, struct xpd_arena *scratch);
/* The highest top of each of n columns of steps, [first[c], first[c + 1]) with first ascending. */
void xpd_step_tops_of(const struct xpd_step_tops *tops, const uint32_t *first, uint32_t n,
                      int64_t *out);

#endif
