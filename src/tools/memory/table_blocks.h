/* Blocks of buffers (memory/blocks.h) kept beside a module, and those held at a step in an answer.
 */
#ifndef XPROFD_SRC_TOOLS_MEMORY_TABLE_BLOCKS_H
#define XPROFD_SRC_TOOLS_MEMORY_TABLE_BLOCKS_H

#include "../tables/table_words.h"
#include "xprofd/memory/blocks.h"
#include "xprofd/memory/held.h"

const struct xpd_blocks *xpd_table_blocks(const struct xpd_tool_ctx *ctx, struct xpd_err *err);

#define XPD_HELD_BLOCKS_ROW_FIELDS(FIELD)                                                          \
    FIELD(NAME, shape, "without layout")                                                           \
    FIELD(NAME, scope,                                                                             \
          "op name without jit(..) and the operation, numbers of layers as *; \"\" without one")   \
    FIELD(NAME, class, "of its largest buffer")                                                    \
    FIELD(NAME, group, "of its largest buffer")                                                    \
    FIELD(INT, largest_bytes, "of its largest buffer")                                             \
    FIELD(COUNT, count, "buffers")                                                                 \
    FIELD(INT, size_bytes, "of all of them")                                                       \
    FIELD(COUNT, unlisted_count, "without a row")                                                  \
    FIELD(INT, unlisted_bytes, "without a row")                                                    \
    FIELD(INT, unlisted_unpadded_bytes, "without a row, without padding")
XPD_RECORD_TYPE(xpd_held_blocks_row, XPD_HELD_BLOCKS_ROW_FIELDS)

#define XPD_HELD_BLOCKS_REST_FIELDS(FIELD)                                                         \
    FIELD(COUNT, blocks, "how many")                                                               \
    FIELD(COUNT, count, "buffers")                                                                 \
    FIELD(INT, size_bytes, "of all of them")                                                       \
    FIELD(COUNT, unlisted_count, "without a row")                                                  \
    FIELD(INT, unlisted_bytes, "without a row")                                                    \
    FIELD(INT, unlisted_unpadded_bytes, "without a row, without padding")
XPD_RECORD_TYPE(xpd_held_blocks_rest, XPD_HELD_BLOCKS_REST_FIELDS)

#define XPD_HELD_BLOCKS_LIST_FIELDS(FIELD)                                                         \
    FIELD(INLINE(xpd_held_blocks_row), rows, "at most 256")                                        \
    FIELD(OBJECT(xpd_held_blocks_rest), left_out, "blocks not listed")
XPD_RECORD_TYPE(xpd_held_blocks_list, XPD_HELD_BLOCKS_LIST_FIELDS)

struct xpd_held_block {
    uint32_t block, count, unlisted_count;
    int64_t bytes, unlisted_bytes, unlisted_unpadded_bytes;
    const struct xpd_held *largest; /* the first of equal ones: gives class and group */
};

struct xpd_held_blocks {
    const struct xpd_blocks *all;
    struct xpd_held_block *at; /* largest first */
    uint32_t *place;           /* by block: its place in `at`, + 1 */
    uint32_t count, written;   /* of those, the first have places in the answer */
};

/* Adds a row that is held; `listed`: it is in the answer as a row, too. */
void xpd_held_blocks_add(struct xpd_held_blocks *blocks, const struct xpd_held *row, bool listed);
int xpd_held_blocks_begin(struct xpd_held_blocks *blocks, const struct xpd_tool_ctx *ctx,
                          struct xpd_err *err);
/* Sorts them; what is asked after that is `place` and the answer. */
void xpd_held_blocks_end(struct xpd_held_blocks *blocks);
/* The place in the answer of a row's block, XPD_NO_INDEX: beyond what is written. */
uint32_t xpd_held_block_of(const struct xpd_held_blocks *blocks, const struct xpd_held *row);
/* NULL: no memory. */
const struct xpd_held_blocks_list *xpd_held_blocks_fill(const struct xpd_held_blocks *blocks,
                                                        const struct xpd_tool_ctx *ctx);

#endif
