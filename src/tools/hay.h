/* The names of all instructions of a module in one piece, in small letters, so that looking for a
 * part of a name is one pass over memory. */
#ifndef XPROFD_SRC_TOOLS_HAY_H
#define XPROFD_SRC_TOOLS_HAY_H

#include "match.h"
#include "tables.h"
#include "xprofd/memory/held.h"

struct xpd_hay {
    const char *text;      /* names, each with a zero byte behind it */
    uint32_t size;         /* of all */
    const uint32_t *start; /* by instruction, and one more: the end */
    const uint32_t *at;    /* by 64 bytes of text: the instruction whose name holds the first */
    bool odd;       /* a name holds a zero byte, or is longer than a regular expression looks at */
    uint32_t count; /* of instructions; 0 when the names are more than 4 GiB */
};
const struct xpd_hay *xpd_table_hay(const struct xpd_tool_ctx *ctx, struct xpd_err *err);

/* What a pattern says of the names of a module. A buffer's name is its instruction's with a shape
 * index "{1,2}" behind it, which may match where the name alone does not. */
enum xpd_longer { XPD_LONGER_NO, XPD_LONGER_YES, XPD_LONGER_TEST };
struct xpd_name_ranks {
    const uint8_t *rank;   /* by instruction: as xpd_match_test gives it; NULL: no hay, no memory */
    const uint8_t *longer; /* by instruction: enum xpd_longer; NULL = any may match */
    const uint16_t *left;  /* by instruction, where `longer` says test: the automaton's state behind
                              the name; NULL = the whole name has to be tested */
    const uint32_t *start; /* of the hay */
};
/* A regular expression without an automaton is tried only on names that hold the parts it cannot do
 * without. */
struct xpd_name_ranks xpd_hay_ranks(const struct xpd_hay *hay, const struct xpd_hlo *hlo,
                                    struct xpd_match *match, struct xpd_arena *arena);
/* Whether the name of a buffer that has a shape index matches. `room` is for its text. */
bool xpd_hay_holds_buffer(const struct xpd_name_ranks *ranks, struct xpd_match *match,
                          const struct xpd_mem *mem, uint32_t buffer, struct xpd_strbuf *room);

#endif
