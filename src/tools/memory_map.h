/* The address map between its two halves: choosing boxes, and joining those too small to draw. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_MAP_H
#define XPROFD_SRC_TOOLS_MEMORY_MAP_H

#include "table_words.h"

struct xpd_map_cell { /* joined boxes: their bounds and how many they are */
    uint32_t start, end, count;
    uint32_t tenancy; /* the largest of them: gives the colour */
    int64_t offset_bytes, top_bytes;
    int64_t largest_bytes;
    uint64_t key; /* place and sizes, map_join.c */
};

struct xpd_map_view {
    const struct xpd_mem_space *space;
    struct xpd_tenancy_columns column;
    const struct xpd_words *words; /* NULL: not made yet */
    struct xpd_step_window window;
    double px_per_step, px_per_byte;
    uint32_t *box; /* tenancy indexes */
    uint32_t box_count, merged_count;
    struct xpd_map_cell *cell;
    uint32_t cell_count;
    uint32_t coarse;           /* a cell is 2^coarse pixels wide and high */
    struct xpd_map_slot *slot; /* cells by key */
    struct xpd_map_slot *near; /* some of them once more, map_join.c */
};

/* Joins boxes into at most XPD_MAP_CELLS cells, which grow until they fit. */
#define XPD_MAP_CELLS 4096
bool xpd_map_join_begin(struct xpd_map_view *view, struct xpd_arena *arena);
void xpd_map_join(struct xpd_map_view *view, uint32_t tenancy);
/* The same for one that is narrower and lower than a pixel: its cell follows from its corner.
 * `from`: its start, not before the window. */
void xpd_map_join_tiny(struct xpd_map_view *view, uint32_t tenancy, uint32_t from);

#endif
