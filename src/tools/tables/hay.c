/* Looking for a part of many names at once. In: the names of a module in one piece. Out: which of
 * them hold the pattern, and where it stands in them.
 *
 * Sixteen places are looked at together: only where the first and the last byte of the pattern fit
 * is the rest compared. */
#include "hay.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define BLOCK 64

static inline char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* First place at or after `from` where the word stands, `size` = nowhere. */
static uint32_t find_plain(const char *text, uint32_t from, uint32_t size, struct xpd_str word)
{
    for (uint32_t at = from; word.size <= size && at <= size - word.size; at++)
        if (text[at] == word.data[0] && memcmp(text + at, word.data, word.size) == 0)
            return at;
    return size;
}

#if defined(__SSE2__)
static uint32_t find(const char *text, uint32_t from, uint32_t size, struct xpd_str word)
{
    const __m128i first = _mm_set1_epi8(word.data[0]);
    const __m128i last = _mm_set1_epi8(word.data[word.size - 1]);
    uint64_t at = from, reach = word.size - 1;
    for (; at + reach + 16 <= size; at += 16) {
        __m128i head = _mm_loadu_si128((const __m128i *)(const void *)(text + at));
        __m128i tail = _mm_loadu_si128((const __m128i *)(const void *)(text + at + reach));
        __m128i both = _mm_and_si128(_mm_cmpeq_epi8(head, first), _mm_cmpeq_epi8(tail, last));
        for (unsigned fits = (unsigned)_mm_movemask_epi8(both); fits != 0; fits &= fits - 1) {
            uint64_t here = at + (unsigned)__builtin_ctz(fits);
            if (memcmp(text + here, word.data, word.size) == 0)
                return (uint32_t)here;
        }
    }
    return find_plain(text, (uint32_t)at, size, word);
}
#else
#define find find_plain
#endif

/* The next name at or after *from that holds the word; *place is where in the text. The search goes
 * on behind that name. */
static uint32_t next_name(const struct xpd_hay *hay, struct xpd_str word, uint32_t *from,
                          uint32_t *place)
{
    *place = find(hay->text, *from, hay->size, word);
    if (*place >= hay->size)
        return XPD_NO_INDEX;
    uint32_t name = hay->at[*place / BLOCK];
    while (hay->start[name + 1] <= *place)
        name++;
    *from = hay->start[name + 1];
    return name;
}

static void rank_plain(const struct xpd_hay *hay, struct xpd_str word, uint8_t *rank)
{
    uint32_t from = 0, place, name;
    while ((name = next_name(hay, word, &from, &place)) != XPD_NO_INDEX) {
        uint32_t start = hay->start[name], length = hay->start[name + 1] - 1 - start;
        rank[name] = place > start         ? XPD_MATCH_PART
                     : length == word.size ? XPD_MATCH_EXACT
                                           : XPD_MATCH_PREFIX;
    }
}

const uint8_t *xpd_hay_ranks(const struct xpd_hay *hay, struct xpd_str word,
                             struct xpd_arena *arena)
{
    if (hay->count == 0 || word.size == 0 || word.size > XPD_MATCH_PATTERN_MAX ||
        memchr(word.data, '\0', word.size))
        return NULL;
    uint8_t *rank = xpd_arena_bytes(arena, hay->count);
    if (!rank)
        return NULL;
    memset(rank, XPD_MATCH_NONE, hay->count);
    rank_plain(hay, word, rank);
    return rank;
}

static bool fill(struct xpd_hay *hay, const struct xpd_hlo *hlo, char *text, uint32_t *start,
                 uint32_t *at)
{
    uint32_t size = 0, block = 0;
    for (uint32_t i = 0; i < hlo->instructions.count; i++) {
        struct xpd_str name = xpd_hlo_text(hlo, hlo->instructions.name[i]);
        start[i] = size;
        for (size_t k = 0; k < name.size; k++)
            text[size++] = fold(name.data[k]);
        text[size++] = '\0';
        for (; (uint64_t)block * BLOCK < size; block++)
            at[block] = i;
    }
    start[hlo->instructions.count] = size;
    *hay = (struct xpd_hay){text, size, start, at, hlo->instructions.count};
    return true;
}

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    const struct xpd_hlo *hlo = ctx->hlo;
    uint64_t size = 0;
    for (uint32_t i = 0; i < hlo->instructions.count; i++)
        size += xpd_hlo_text(hlo, hlo->instructions.name[i]).size + 1;
    if (size >= UINT32_MAX)
        return XPD_OK;
    char *text = xpd_arena_bytes(arena, size);
    uint32_t *start = XPD_NEW_ARRAY(arena, uint32_t, (size_t)hlo->instructions.count + 1);
    uint32_t *at = XPD_NEW_ARRAY(arena, uint32_t, size / BLOCK + 1);
    if (!text || !start || !at || !fill(table, hlo, text, start, at))
        return xpd_tools_no_memory(err);
    return XPD_OK;
}

const struct xpd_hay *xpd_table_hay(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_HAY, 0, false, sizeof(struct xpd_hay), make, err);
}
