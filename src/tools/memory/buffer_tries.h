/* What a pattern says of buffers, as docs/API.md tells: name, op name, opcode, source line; the
 * shape when the pattern has a [ or , in it. What repeats is tried once in a request. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_BUFFER_TRIES_H
#define XPROFD_SRC_TOOLS_MEMORY_BUFFER_TRIES_H

#include "../tables/name_ranks.h"
#include "../tables/table_words.h"
#include "table_buffers.h"

struct xpd_tried_shape;
struct xpd_tries {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_words *words;
    struct xpd_match match;
    uint8_t *name, *source, *instruction; /* not tried, yes or no */
    struct xpd_name_ranks ranks;          /* all NULL when the names were not looked through */
    struct xpd_tried_shape *shape;        /* kept ones, when shape_too */
    bool shape_too;                       /* the pattern could be part of a shape */
    bool index_too;                       /* ... of what stands behind an instruction's name */
    struct xpd_strbuf text;
};

/* `typed` outlives it. "" matches every buffer. */
void xpd_tries_init(struct xpd_tries *tries, const struct xpd_tool_ctx *ctx, struct xpd_str typed);
void xpd_tries_fini(struct xpd_tries *tries);
/* To be called before those below, unless the pattern is "". False: no memory. */
bool xpd_tries_begin(struct xpd_tries *tries, const struct xpd_words *words);
/* One buffer (XPD_NO_INDEX: no). */
bool xpd_tries_buffer(struct xpd_tries *tries, uint32_t buffer);
/* All rows of a space in a few passes without a choice at each row: 1 = matches, else 0. NULL: each
 * has to be tried (no automaton, odd names, no memory). */
const uint8_t *xpd_tries_rows(struct xpd_tries *tries, const struct xpd_all_rows *all);

#endif
