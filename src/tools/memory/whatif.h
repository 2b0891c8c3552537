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
/* "rows":{...}, "try":{...}: columns of the items. */
void xpd_whatif_write(struct xpd_jsonw *w, const char *key, const struct xpd_whatif_list *list);
/* "menu":{...}: what each action would do to the item on top of the others. */
int xpd_whatif_menu(struct xpd_jsonw *w, struct xpd_trial *trial, struct xpd_whatif_list *wants,
                    const struct xpd_tool_ctx *ctx, struct xpd_err *err);

#endif
