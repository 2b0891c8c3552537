/* Blocks: buffers of one shape in one scope. A large program holds thousands of buffers that no
 * picture can show one by one; together they are what its peak is made of. */
#ifndef XPROFD_MEMORY_BLOCKS_H
#define XPROFD_MEMORY_BLOCKS_H

#include "xprofd/memory/memory.h"

struct xpd_blocks {
    const uint32_t *of_buffer;
    /* By block. Shapes are without layout; scopes without the operation, and with "*" for the
     * numbers that tell layers apart; "" where nothing is known. */
    const struct xpd_str *shape, *scope;
    uint32_t count;
};

/* All memory is the arena's. False: no memory. */
bool xpd_mem_blocks(const struct xpd_mem *mem, struct xpd_arena *arena, struct xpd_blocks *blocks);

/* Buffers below this size are summed up unless something else is asked for: the largest power of
 * two that is at most 1/4096 of the peak. In a bar of 4,096 pixels such a buffer is narrower than
 * one. 0: none is. */
int64_t xpd_mem_fold_bytes(const struct xpd_mem_space *space);

#endif
