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

static size_t blocks_of(size_t count)
{
    return count / XPD_PACKED_BLOCK + (count % XPD_PACKED_BLOCK != 0);
}

size_t xpd_packed_bytes(const int64_t *value, size_t count)
{
    size_t bytes = blocks_of(count) * sizeof(struct xpd_packed_block);
    for (size_t first = 0, end, width; first < count; first = end) {
        end = block_end(first, count);
        least_of(value + first, end - first, &width);
        bytes += (end - first) * width;
    }
    return bytes;
}

void xpd_packed_lay(struct xpd_packed *packed, void *memory, const int64_t *value, size_t count)
{
    size_t blocks = blocks_of(count), used = 0;
    packed->block = memory;
    packed->bytes = (uint8_t *)(packed->block + blocks);
    for (size_t b = 0; b < blocks; b++) {
        size_t first = b * XPD_PACKED_BLOCK, end = block_end(first, count), width;
        int64_t least = least_of(value + first, end - first, &width);
        packed->block[b] = (struct xpd_packed_block){least, (uint64_t)used << 4 | width};
        for (size_t i = first; width > 0 && i < end; i++, used += width)
            put(packed->bytes + used, (uint64_t)value[i] - (uint64_t)least, width);
    }
}
