/* A bit set over [0, count) that counts the members before a number. It is the index of sparse
 * columns, in which few of many items have an entry. */
#ifndef XPROFD_BASE_RANKS_H
#define XPROFD_BASE_RANKS_H

#include "xprofd/base/arena.h"

struct xpd_ranks {
    uint64_t *bit;
    uint32_t *before; /* by word of 64 bits: members in all words before it */
};

static inline size_t xpd_ranks_words(size_t count)
{
    return count / 64 + (count % 64 != 0);
}
/* Makes an empty set; false: out of memory. */
static inline bool xpd_ranks_init(struct xpd_ranks *ranks, struct xpd_arena *arena, size_t words)
{
    ranks->bit = XPD_NEW_ARRAY(arena, uint64_t, words);
    ranks->before = XPD_NEW_ROOM(arena, uint32_t, words);
    return ranks->bit && ranks->before;
}
static inline void xpd_ranks_set(struct xpd_ranks *ranks, size_t i)
{
    ranks->bit[i / 64] |= UINT64_C(1) << i % 64;
}
/* To be called when all members are set, before xpd_ranks_of. Returns the number of members. */
static inline uint32_t xpd_ranks_count(struct xpd_ranks *ranks, size_t words)
{
    uint32_t count = 0;
    for (size_t i = 0; i < words; i++) {
        ranks->before[i] = count;
        count += (uint32_t)__builtin_popcountll(ranks->bit[i]);
    }
    return count;
}
static inline bool xpd_ranks_has(const struct xpd_ranks *ranks, uint64_t i)
{
    return (ranks->bit[i / 64] >> i % 64) & 1;
}
/* Number of members before i. */
static inline uint32_t xpd_ranks_of(const struct xpd_ranks *ranks, uint64_t i)
{
    uint64_t below = ranks->bit[i / 64] & ((UINT64_C(1) << i % 64) - 1);
    return ranks->before[i / 64] + (uint32_t)__builtin_popcountll(below);
}

#endif
