/* Blocks: buffers of one shape in one scope. A large program has thousands of buffers, too many to
 * draw one by one; blocks make up its peak. */
#ifndef XPROFD_MEMORY_BLOCKS_H
#define XPROFD_MEMORY_BLOCKS_H

#include "xprofd/memory/memory.h"

struct xpd_blocks {
    const uint32_t *of_buffer;
    /* By block. Shapes are without layout; scopes without the operation, and with "*" for the
     * numbers of layers; "" if unknown. */
    const struct xpd_str *shape, *scope;
    uint32_t count;
};

/* All memory is from the arena. False: out of memory. */
bool xpd_mem_blocks(const struct xpd_mem *mem, struct xpd_arena *arena, struct xpd_blocks *blocks);

/* The default size below which buffers are shown as one sum: the largest power of two that is at
 * most 1/4096 of the peak, so such a buffer is narrower than a pixel in a bar of 4,096 pixels. 0:
 * no folding. */
int64_t xpd_mem_fold_bytes(const struct xpd_mem_space *space);

#endif
