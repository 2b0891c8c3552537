/* The names of all instructions of a module in one piece, in small letters, so that looking for a
 * part of a name is one pass over memory. */
#ifndef XPROFD_SRC_TOOLS_HAY_H
#define XPROFD_SRC_TOOLS_HAY_H

#include "match.h"
#include "tables.h"

struct xpd_hay {
    const char *text;      /* names, each with a zero byte behind it */
    uint32_t size;         /* of all */
    const uint32_t *start; /* by instruction, and one more: the end */
    const uint32_t *at;    /* by 64 bytes of text: the instruction whose name holds the first */
    bool odd;       /* a name holds a zero byte, or is longer than a regular expression looks at */
    uint32_t count; /* of instructions; 0 when the names are more than 4 GiB */
};
const struct xpd_hay *xpd_table_hay(const struct xpd_tool_ctx *ctx, struct xpd_err *err);

/* Ranks of all instructions' names, as xpd_match_test gives them; a regular expression is tried
 * only on names that hold the parts it cannot do without. *may_be_longer, by instruction (NULL =
 * each): whether the pattern can match a buffer's name, which has a shape index behind that of the
 * instruction. NULL without memory, or when the names are no hay. */
const uint8_t *xpd_hay_ranks(const struct xpd_hay *hay, const struct xpd_hlo *hlo,
                             struct xpd_match *match, struct xpd_arena *arena,
                             const uint8_t **may_be_longer);

#endif
