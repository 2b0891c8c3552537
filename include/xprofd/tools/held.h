/* Rows of what is held after a step (memory/held.h), and what each saves. */
#ifndef XPROFD_TOOLS_HELD_H
#define XPROFD_TOOLS_HELD_H

#include "xprofd/memory/held.h"

/* How far the peak falls without this row. A memory failure is left in the arena. */
int64_t xpd_held_saving(const struct xpd_held *row, const struct xpd_mem *mem,
                        const struct xpd_mem_space *space, struct xpd_arena *arena);

#endif
