/* Live bytes while an instruction runs, for the instructions that a trace shows as
 * events.
 *
 * In schedule order each step belongs to the instruction that runs at it
 * (xpd_mem_running). A shown instruction covers the steps since the previous shown one,
 * including its own; the last one also covers the steps after it. So the highest level is
 * the peak. An instruction without steps has the value of the last step before it. */
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
