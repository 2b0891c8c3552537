/* Packs whole numbers. In: the numbers. Out: blocks of 64 and the bytes of their differences. */
#include "xprofd/base/packed.h"

static size_t width_of(uint64_t most)
{
    size_t width = 0;
    for (; most > 0; most >>= 8)
        width++;
    return width;
}

/* The block that begins at `value`: its least number, and the bytes that the differences need. */
static int64_t least_of(const int64_t *value, size_t count, size_t *width)
{
    int64_t least = value[0], most = value[0];
    for (size_t i = 1; i < count; i++) {
        least = value[i] < least ? value[i] : least;
        most = value[i] > most ? value[i] : most;
    }
    *width = width_of((uint64_t)most - (uint64_t)least);
    return least;
}

static size_t block_end(size_t first, size_t count)
{
    return count - first < XPD_PACKED_BLOCK ? count : first + XPD_PACKED_BLOCK;
}

static void put(uint8_t *at, uint64_t more, size_t width)
{
    for (size_t b = 0; b < width; b++, more >>= 8)
        at[b] = (uint8_t)more;
}

bool xpd_packed_make(struct xpd_packed *packed, const int64_t *value, size_t count,
                     struct xpd_arena *arena)
{
    size_t blocks = count / XPD_PACKED_BLOCK + (count % XPD_PACKED_BLOCK != 0), size = 0;
    packed->block = XPD_NEW_ROOM(arena, struct xpd_packed_block, blocks);
    packed->bytes = NULL;
    for (size_t b = 0; packed->block && b < blocks; b++) {
        size_t first = b * XPD_PACKED_BLOCK, end = block_end(first, count), width;
        packed->block[b].least = least_of(value + first, end - first, &width);
        packed->block[b].where = (uint64_t)size << 4 | width;
        size += (end - first) * width;
    }
    packed->bytes = packed->block ? XPD_NEW_ROOM(arena, uint8_t, size) : NULL;
    if (!packed->bytes)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct xpd_packed_block *block = &packed->block[i / XPD_PACKED_BLOCK];
        size_t width = block->where & 15;
        put(packed->bytes + (block->where >> 4) + i % XPD_PACKED_BLOCK * width,
            (uint64_t)value[i] - (uint64_t)block->least, width);
    }
    return true;
}
