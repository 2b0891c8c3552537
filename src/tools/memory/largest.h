/* The group of equal buffers that holds most of the peak, and what changing it would do. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_LARGEST_H
#define XPROFD_SRC_TOOLS_MEMORY_LARGEST_H

#include "../common/common.h"
#include "xprofd/memory/held.h"

#define XPD_SENTENCE_PART_FIELDS(FIELD)                                                            \
    FIELD(TEXT, text, "")                                                                          \
    FIELD(WORD("text number code source"), kind, "")
XPD_RECORD_TYPE(xpd_sentence_part, XPD_SENTENCE_PART_FIELDS)

#define XPD_LARGEST_FIELDS(FIELD)                                                                  \
    FIELD(COUNT, count, "number of equal buffers")                                                 \
    FIELD(INT, size_bytes, "sum of their sizes")                                                   \
    FIELD(REAL, share, "of the peak; 0 when the peak is 0")                                        \
    FIELD(MAYBE(INT), each_bytes, "null: their sizes differ")                                      \
    FIELD(TEXT, shape, "")                                                                         \
    FIELD(WORD(XPD_CLASS_WORDS), class, "")                                                        \
    FIELD(WORD(XPD_GROUP_WORDS), group, "kind of work that produces them")                         \
    FIELD(MAYBE(TEXT), op_name, "of the first")                                                    \
    FIELD(MAYBE(TEXT), file, "of the first")                                                       \
    FIELD(MAYBE(INT), line, "of the first")                                                        \
    FIELD(INT, padding_bytes, "of `size_bytes`")                                                   \
    FIELD(VALUES(INDEX), buffers, "at most 64")                                                    \
    FIELD(LIST(xpd_sentence_part), sentence, "the same in words")                                  \
    FIELD(MAYBE(TEXT), advice, "only if the effect is known exactly")
XPD_RECORD_TYPE(xpd_largest, XPD_LARGEST_FIELDS)

/* *out is NULL when nothing is held at the peak. It is kept in `arena`; what is only needed
 * meanwhile is in ctx->arena. */
int xpd_largest_of(const struct xpd_largest **out, struct xpd_arena *arena,
                   const struct xpd_tool_ctx *ctx, const struct xpd_held_list *peak,
                   struct xpd_err *err);

#endif
