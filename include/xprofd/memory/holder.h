/* The buffer that holds the result of an instruction without its own buffer.
 *
 * A copy-done, get-tuple-element or bitcast refers to bytes that another instruction wrote.
 * Its value is followed back to its definition, by the rules for following uses forward
 * (uses.c). A loop has the result of its body, a conditional that of its first branch; all
 * share one place. */
#ifndef XPROFD_MEMORY_HOLDER_H
#define XPROFD_MEMORY_HOLDER_H

#include "xprofd/memory/memory.h"

/* By instruction: the largest buffer that it defines, the first of equal ones; if it defines none,
 * the one that holds its result (of a tuple the largest part). XPD_NO_INDEX: inside a fusion or
 * reducer, never executed, or not traceable. In the arena; NULL: out of memory. */
const uint32_t *xpd_mem_holders(const struct xpd_mem *mem, struct xpd_arena *arena);

/* Of the value at a shape index of an instruction's result. `of`: see hlo/module.h. */
uint32_t xpd_mem_holder_at(const struct xpd_mem *mem, const struct xpd_buffers_of *of,
                           uint32_t instruction, const int64_t *index, uint32_t index_count);

#endif
