/* The address map between its two halves: choosing boxes, and joining those too small to draw. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_MAP_H
#define XPROFD_SRC_TOOLS_MEMORY_MAP_H

#include "common.h"

struct xpd_map_cell { /* joined boxes: their bounds and how many they are */
    uint32_t start, end, count;
    int64_t offset_bytes, top_bytes;
    int64_t largest_bytes;
    uint32_t buffer; /* of the largest of them: gives the colour */
};

struct xpd_map_view {
    const struct xpd_mem_space *space;
    struct xpd_step_window window;
    double px_per_step, px_per_byte;
    uint32_t *box, *small; /* tenancy indexes */
    uint32_t box_count, small_count;
    struct xpd_map_cell *cell;
    uint32_t cell_count;
};

/* Fills view->cell from view->small, at most XPD_MAP_CELLS of them: cells grow until they fit. */
#define XPD_MAP_CELLS 4096
int xpd_map_join(const struct xpd_tool_ctx *ctx, struct xpd_map_view *view, struct xpd_err *err);

#endif
