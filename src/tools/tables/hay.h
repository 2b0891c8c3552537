/* The names of all instructions of a module in one piece, in small letters, so that looking for a
 * part of a name is one pass over memory. */
#ifndef XPROFD_SRC_TOOLS_TABLES_HAY_H
#define XPROFD_SRC_TOOLS_TABLES_HAY_H

#include "tables.h"
#include "xprofd/match/match.h"

struct xpd_hay {
    const char *text;      /* names, each with a zero byte behind it */
    uint32_t size;         /* of all */
    const uint32_t *start; /* by instruction, and one more: the end */
    const uint32_t *at;    /* by 64 bytes of text: the instruction whose name holds the first */
    uint32_t count;        /* of instructions; 0 when the names are more than 4 GiB */
};
const struct xpd_hay *xpd_table_hay(const struct xpd_tool_ctx *ctx, struct xpd_err *err);

/* By instruction: what xpd_match_test says of its name and a plain text in small letters. NULL:
 * each name has to be tried (an odd text, too many names, no memory). */
const uint8_t *xpd_hay_ranks(const struct xpd_hay *hay, struct xpd_str word,
                             struct xpd_arena *arena);

#endif
