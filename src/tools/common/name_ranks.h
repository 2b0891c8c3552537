/* What a pattern says of the names of a module's instructions and buffers; each name is tried when
 * it is first asked for, and once. */
#ifndef XPROFD_SRC_TOOLS_COMMON_NAME_RANKS_H
#define XPROFD_SRC_TOOLS_COMMON_NAME_RANKS_H

#include "common.h"
#include "xprofd/match/match.h"

struct xpd_name_ranks {
    struct xpd_match *match;
    const struct xpd_mem *mem;
    uint8_t *rank;  /* by instruction: enum xpd_match_rank + 1, 0 = not tried */
    bool index_too; /* the pattern may lie in a buffer's shape index, or reach into it */
};

/* False: no memory. */
bool xpd_name_ranks_init(struct xpd_name_ranks *ranks, struct xpd_match *match,
                         const struct xpd_mem *mem, struct xpd_arena *arena);
enum xpd_match_rank xpd_rank_instruction(struct xpd_name_ranks *ranks, uint32_t instruction);

static inline enum xpd_match_rank xpd_rank_of_instruction(struct xpd_name_ranks *ranks,
                                                          uint32_t instruction)
{
    uint8_t known = ranks->rank[instruction];
    return known ? (enum xpd_match_rank)(known - 1) : xpd_rank_instruction(ranks, instruction);
}

/* Of a buffer's whole name: its instruction's with the shape index behind it, or "buffer 7". `room`
 * is for the name. */
enum xpd_match_rank xpd_rank_of_buffer(struct xpd_name_ranks *ranks, uint32_t buffer,
                                       struct xpd_strbuf *room);

#endif
