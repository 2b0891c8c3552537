/* Packs whole numbers. In: the numbers, one by one. Out: blocks of 64 and the bytes of their
 * differences. */
#include "xprofd/base/packed.h"
#include "xprofd/base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 8 }; /* bytes that are written at once, of which the next number overwrites some */

bool xpd_packing_init(struct xpd_packing *packing, size_t count)
{
    *packing = (struct xpd_packing){0};
    packing->block = malloc((count / XPD_PACKED_BLOCK + 1) * sizeof *packing->block);
    packing->failed = !packing->block;
    return !packing->failed;
}

void xpd_packing_fini(struct xpd_packing *packing)
{
    free(packing->block);
    free(packing->bytes);
}

static size_t width_of(uint64_t most)
{
    size_t width = 0;
    for (; most > 0; most >>= 8)
        width++;
    return width;
}

static void put_word(uint8_t *at, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(at, &word, WORD);
}

void xpd_packing_flush(struct xpd_packing *packing)
{
    uint32_t count = packing->pending;
    int64_t least = packing->value[0], most = least;
    packing->pending = 0;
    if (packing->failed || count == 0)
        return;
    for (uint32_t i = 1; i < count; i++) {
        least = packing->value[i] < least ? packing->value[i] : least;
        most = packing->value[i] > most ? packing->value[i] : most;
    }
    size_t width = width_of((uint64_t)most - (uint64_t)least);
    packing->block[packing->blocks++] =
        (struct xpd_packed_block){least, (uint64_t)packing->used << 4 | width};
    if (width == 0)
        return;
    if (!xpd_vec_grow((void **)&packing->bytes, &packing->capacity,
                      packing->used + count * width + WORD, 1)) {
        packing->failed = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++, packing->used += width)
        put_word(packing->bytes + packing->used, (uint64_t)packing->value[i] - (uint64_t)least);
}

size_t xpd_packing_bytes(struct xpd_packing *packing)
{
    xpd_packing_flush(packing);
    return packing->blocks * sizeof *packing->block + packing->used;
}

void xpd_packed_lay(struct xpd_packed *packed, void *memory, const struct xpd_packing *packing)
{
    size_t size = packing->blocks * sizeof *packing->block;
    uint8_t *bytes = (uint8_t *)memory + size;
    if (size > 0)
        memcpy(memory, packing->block, size);
    if (packing->used > 0)
        memcpy(bytes, packing->bytes, packing->used);
    *packed = (struct xpd_packed){memory, bytes};
}
