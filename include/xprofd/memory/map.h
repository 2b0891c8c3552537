/* The address map: tenancies of a window drawn as boxes, and smaller ones merged into
 * cells. */
#ifndef XPROFD_MEMORY_MAP_H
#define XPROFD_MEMORY_MAP_H

#include "xprofd/memory/query.h"

struct xpd_map_cell { /* merged boxes: their bounds and number */
    uint32_t start, end, count;
    uint32_t tenancy; /* the largest of them (the first of equal ones), which sets the colour */
    int64_t offset_bytes, top_bytes;
    int64_t largest_bytes;
    uint64_t key; /* place and sizes, map_choose.c */
};

struct xpd_map_view {
    const struct xpd_mem_space *space;
    struct xpd_tenancy_columns column;
    struct xpd_step_window window;
    double px_per_step, px_per_byte;
    uint32_t py;   /* height of the picture in pixels */
    uint32_t *box; /* tenancy indexes */
    uint32_t box_count, merged_count;
    struct xpd_map_cell *cell;
    uint32_t cell_count;
    uint32_t coarse;           /* a cell is 2^coarse pixels wide and high */
    struct xpd_map_slot *slot; /* cells by key */
    const uint32_t *rest;      /* tenancies of at least a pixel that are too many to be boxes */
    uint32_t rest_count;
};

#define XPD_MAP_BOXES 4096
#define XPD_MAP_CELLS 4096
/* Fills box, cell and rest; the first two have limits, and cells grow until they fit. False: out of
 * memory. Call xpd_map_join_rest afterwards. */
bool xpd_map_choose(struct xpd_map_view *view, struct xpd_arena *arena);
/* The same of the first `count` tenancies, which begin before the window's end; those from `split`
 * on are handled by a second thread (none if `split` is 0 or at least `count`). The outcome does
 * not depend on `split`. */
bool xpd_map_choose_split(struct xpd_map_view *view, uint32_t count, uint32_t split,
                          struct xpd_arena *arena);

/* Merges the rest into existing and new cells; everything else stays unchanged. */
void xpd_map_join_rest(struct xpd_map_view *view);

#endif
