/* An error text read and held against a run's programs. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_OOM_H
#define XPROFD_SRC_TOOLS_MEMORY_OOM_H

#include "../common/common.h"

#include "xprofd/memory/oom_text.h"

#define XPD_OOM_PART_FIELDS(FIELD)                                                                 \
    FIELD(COUNT, offset_bytes, "in `text`")                                                        \
    FIELD(COUNT, size_bytes, "")                                                                   \
    FIELD(STRING, what,                                                                            \
          "`needed`, `capacity`, `exceeded`, `module`, `space`, `size`, `shape`, `op`")
XPD_RECORD_TYPE(xpd_oom_part_row, XPD_OOM_PART_FIELDS)

#define XPD_OOM_ITEM_FIELDS(FIELD)                                                                 \
    FIELD(MAYBE(INT), size_bytes, "as printed, rounded")                                           \
    FIELD(MAYBE(INT), unpadded_bytes, "")                                                          \
    FIELD(MAYBE(TEXT), shape, "")                                                                  \
    FIELD(MAYBE(TEXT), op_name, "")                                                                \
    FIELD(MAYBE(TEXT), instruction, "")                                                            \
    FIELD(MAYBE(TEXT), tag, "")                                                                    \
    FIELD(VALUES(INDEX), buffers, "programs that the message may be about, at most 16")
XPD_RECORD_TYPE(xpd_oom_item_row, XPD_OOM_ITEM_FIELDS)

#define XPD_OOM_MATCH_FIELDS(FIELD)                                                                \
    FIELD(MAYBE(STRING), module, "key; null: not in the run")                                      \
    FIELD(MAYBE(SIGNED), space, "color")                                                           \
    FIELD(MAYBE(FLAG), matches, "its numbers equal those of the text; null: unknown")              \
    FIELD(TEXT, sentence, "the same in words")
XPD_RECORD_TYPE(xpd_oom_match_row, XPD_OOM_MATCH_FIELDS)

#define XPD_OOM_FIELDS(FIELD)                                                                      \
    FIELD(BOOL, understood, "false: only `text` is known")                                         \
    FIELD(MAYBE(STRING), form, "kind of message: `tpu_hbm_e1000`, `gpu`, ...")                     \
    FIELD(MAYBE(TEXT), module, "module named in the text")                                         \
    FIELD(MAYBE(TEXT), space, "that the text names: `hbm`, `vmem`, ...")                           \
    FIELD(MAYBE(INT), color, "of that space")                                                      \
    FIELD(MAYBE(INT), needed_bytes, "as printed, rounded")                                         \
    FIELD(MAYBE(INT), capacity_bytes, "")                                                          \
    FIELD(MAYBE(INT), exceeded_bytes, "")                                                          \
    FIELD(TEXT, text, "at most 8,000 bytes")                                                       \
    FIELD(LIST(xpd_oom_part_row), parts, "lines of the text that were recognised, at most 256")    \
    FIELD(LIST(xpd_oom_item_row), items, "allocations listed in the text, at most 200")            \
    FIELD(COUNT, items_left_out, "")                                                               \
    FIELD(MAYBE(OBJECT(xpd_oom_match_row)), match, "program of the run; null without a run")
XPD_RECORD_TYPE(xpd_oom, XPD_OOM_FIELDS)

/* The answer of /api/v1/oom. `ctx->run` may be NULL: then match is NULL. */
int xpd_oom_of(const struct xpd_oom **out, const struct xpd_tool_ctx *ctx, struct xpd_str text,
               struct xpd_err *err);

#endif
