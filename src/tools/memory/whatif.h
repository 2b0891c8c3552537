/* What the answer of /api/v1/memory/whatif is made of: items (buffers and what is done to them),
 * tried one after another. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_WHATIF_H
#define XPROFD_SRC_TOOLS_MEMORY_WHATIF_H

#include "../common/common.h"
#include "xprofd/memory/trial.h"

#define XPD_WHATIF_BUFFERS 4096 /* of all items of a parameter */
#define XPD_WHATIF_ITEMS   512

struct xpd_whatif_item {
    const uint32_t *buffer;
    uint32_t count;
    enum xpd_action action;
    int64_t parts;
    /* filled when it is tried */
    const char *impossible; /* of its first buffer; NULL when one of them can be changed */
    uint32_t changed;       /* buffers that could be */
    int64_t adds_bytes, alone_bytes;
    int64_t bytes, moved_bytes, recomputed_bytes;
    int64_t flops; /* of computing them once more; -1 unknown */
};
struct xpd_whatif_list {
    struct xpd_whatif_item *at;
    uint32_t count, buffers; /* buffers: different ones */
};

/* Reads a list: "17,18" for `buffers`, "17:drop,3+5-9:shard:4" else (in `menu` without actions). */
int xpd_whatif_read(const struct xpd_tool_ctx *ctx, const char *name, struct xpd_whatif_list *list,
                    struct xpd_err *err);
/* Adds an item; what it alone changed is left in it. False without memory. */
bool xpd_whatif_apply(struct xpd_trial *trial, struct xpd_whatif_item *item,
                      const struct xpd_tool_ctx *ctx);
/* How far the peak falls by each item alone; the trial is as it was after that. */
bool xpd_whatif_alone(struct xpd_trial *trial, struct xpd_whatif_list *list,
                      const struct xpd_tool_ctx *ctx);
#define XPD_WHATIF_ROW_FIELDS(FIELD)                                                               \
    FIELD(INDEX, buffer, "the first of the buffers")                                               \
    FIELD(COUNT, count, "buffers")                                                                 \
    FIELD(COUNT, changed, "number of buffers that could be changed")                               \
    FIELD(WORD("drop halve unpad donate offload recompute shard"), action, "")                     \
    FIELD(MAYBE(STRING), impossible, "why none could be changed")                                  \
    FIELD(SIGNED, adds_bytes,                                                                      \
          "how far the peak falls in addition to the changes before it; for `try` and `menu`, in " \
          "addition to the whole plan")                                                            \
    FIELD(SIGNED, alone_bytes, "how far the peak falls by this change alone")                      \
    FIELD(INT, size_bytes, "of the buffers")                                                       \
    FIELD(INT, moved_bytes, "offloads, out and back")                                              \
    FIELD(INT, recomputed_bytes, "of the recomputed instructions")                                 \
    FIELD(MAYBE(INT), flops, "cycles to recompute them; null: unknown or not requested")
XPD_RECORD_TYPE(xpd_whatif_row, XPD_WHATIF_ROW_FIELDS)

/* Items as rows of the answer; NULL: no memory. */
const struct xpd_whatif_row *xpd_whatif_rows(const struct xpd_whatif_list *list,
                                             struct xpd_arena *arena);
/* What each action would do to the item of `menu` on top of the others; none when none is asked
 * for. */
int xpd_whatif_menu(struct xpd_whatif_list *menu, struct xpd_trial *trial,
                    struct xpd_whatif_list *wants, const struct xpd_tool_ctx *ctx,
                    struct xpd_err *err);

#endif
