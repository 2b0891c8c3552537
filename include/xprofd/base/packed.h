/* Whole numbers that differ little from their neighbours, in few bytes: of each 64 the least one,
 * and how much more each of them is, in as many bytes as the largest needs, 0 to 8. Equal
 * neighbours take a quarter of a byte each; numbers without any order 8 1/4. */
#ifndef XPROFD_BASE_PACKED_H
#define XPROFD_BASE_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XPD_PACKED_BLOCK 64

struct xpd_packed_block {
    int64_t least;
    uint64_t where; /* in the bytes, << 4 | bytes of each number */
};
struct xpd_packed {
    const struct xpd_packed_block *block;
    const uint8_t *bytes;
};

struct xpd_packing { /* numbers on their way */
    struct xpd_packed_block *block;
    size_t blocks;
    uint8_t *bytes;
    size_t used, capacity;
    int64_t value[XPD_PACKED_BLOCK]; /* of the block in work */
    uint32_t pending;
    bool failed; /* out of memory */
};
/* For `count` numbers; false: out of memory. Free with xpd_packing_fini, also after a failure. */
bool xpd_packing_init(struct xpd_packing *packing, size_t count);
void xpd_packing_fini(struct xpd_packing *packing); /* one of zeros is legal */
void xpd_packing_flush(struct xpd_packing *packing);
/* Adds the next one, of at most as many as were announced. */
static inline void xpd_packing_put(struct xpd_packing *packing, int64_t value)
{
    packing->value[packing->pending++] = value;
    if (packing->pending == XPD_PACKED_BLOCK)
        xpd_packing_flush(packing);
}
/* When all are there: bytes that they take, blocks included. Not to be asked after a failure. */
size_t xpd_packing_bytes(struct xpd_packing *packing);
/* Lays them into so much memory, which is the caller's and aligned for any type. */
void xpd_packed_lay(struct xpd_packed *packed, void *memory, const struct xpd_packing *packing);

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
