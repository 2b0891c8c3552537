/* Which buffer holds the result of an instruction that defines none of its own.
 *
 * A copy-done, a get-tuple-element or a bitcast names bytes that another instruction wrote: its
 * value is followed back to where it was defined, by the rules by which uses are followed forward
 * (uses.c). Loops give what their body returned last, conditionals what their first branch returns:
 * all of it lies in the same place. */
#ifndef XPROFD_MEMORY_HOLDER_H
#define XPROFD_MEMORY_HOLDER_H

#include "xprofd/memory/memory.h"

/* By instruction: the largest buffer that it defines, the first of equal ones; if it defines none,
 * the one that holds its result (of a tuple the largest part). XPD_NO_INDEX: inside of a fusion or
 * a reducer, never run, or not to be followed. Of the arena; NULL without memory. */
const uint32_t *xpd_mem_holders(const struct xpd_mem *mem, struct xpd_arena *arena);

/* Of the value at a shape index of an instruction's result. `of`: see hlo/module.h. */
uint32_t xpd_mem_holder_at(const struct xpd_mem *mem, const struct xpd_buffers_of *of,
                           uint32_t instruction, const int64_t *index, uint32_t index_count);

#endif
