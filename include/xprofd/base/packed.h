/* Whole numbers that differ little from their neighbours, in few bytes: of each 64 the least one,
 * and how much more each of them is, in as many bytes as the largest needs, 0 to 8. Equal
 * neighbours take a quarter of a byte each; numbers without any order 8 1/4. */
#ifndef XPROFD_BASE_PACKED_H
#define XPROFD_BASE_PACKED_H

#include <stddef.h>
#include <stdint.h>

#define XPD_PACKED_BLOCK 64

struct xpd_packed_block {
    int64_t least;
    uint64_t where; /* in the bytes, << 4 | bytes of each number */
};
struct xpd_packed {
    struct xpd_packed_block *block;
    uint8_t *bytes;
};

/* Bytes that so many numbers take, blocks included. */
size_t xpd_packed_bytes(const int64_t *value, size_t count);
/* Packs them into that memory, which is the caller's and aligned for any type; `value` is not kept.
 */
void xpd_packed_lay(struct xpd_packed *packed, void *memory, const int64_t *value, size_t count);

/* The number at i, which is below the count. */
static inline int64_t xpd_packed_at(const struct xpd_packed *packed, size_t i)
{
    const struct xpd_packed_block *block = &packed->block[i / XPD_PACKED_BLOCK];
    size_t width = block->where & 15;
    const uint8_t *at = packed->bytes + (block->where >> 4) + i % XPD_PACKED_BLOCK * width;
    uint64_t more = 0;
    for (size_t b = width; b-- > 0;)
        more = more << 8 | at[b];
    return (int64_t)((uint64_t)block->least + more);
}

#endif
