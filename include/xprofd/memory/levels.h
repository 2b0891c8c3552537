/* How much is live while an instruction runs, for those instructions that something shows: the
 * events of a trace.
 *
 * In schedule order each step belongs to the instruction that runs at it (xpd_mem_running). A shown
 * instruction stands for the steps since the shown one before it, its own included; the last one
 * also for those behind it. So the highest level of all is the peak. One without steps has what is
 * live since the last step before. */
#ifndef XPROFD_MEMORY_LEVELS_H
#define XPROFD_MEMORY_LEVELS_H

#include "xprofd/memory/memory.h"

struct xpd_mem_level {
    int64_t bytes; /* resident ones included; -1 = not shown */
    uint32_t step; /* where that is, XPD_NO_STEP = before all */
};
/* By instruction; `shown` too. NULL without memory. */
struct xpd_mem_level *xpd_mem_levels(const struct xpd_mem *mem, const struct xpd_mem_space *space,
                                     const bool *shown, struct xpd_arena *arena);

#endif
