/* Boxes too small to draw, joined: one entry per pixel cell and size of its members. In: tenancies,
 * one by one. Out: bounds and counts. Only boxes of about the same width and height come together,
 * so a joined box never covers what is free.
 *
 * Cells begin as one pixel. Whenever there are too many, cells of twice the width and height take
 * their place: column, line and sizes of a cell follow from those of the finer one, so that no box
 * is looked at again. */
#include "memory_map.h"

#define SLOTS (4 * XPD_MAP_CELLS) /* a power of two, never more than half full */

struct xpd_map_slot {
    uint64_t key;
    uint32_t cell; /* index + 1, 0 = empty */
};

/* Tenancies come in order of their start, so most fall in a cell of the column reached just now.
 * Those cells have a place by their line, a newer one simply taking that of an older one: a small
 * table that stays in the nearest cache, which the slots do not. */
#define NEAR 1024 /* a power of two */

/* 0 below 2, else the power of two above the value: of a value half as large it is one less. */
static uint64_t class_of(double value)
{
    uint64_t whole = value < 0x1p31 ? (uint64_t)value : UINT64_C(1) << 31;
    return whole < 2 ? 0 : (uint64_t)(64 - __builtin_clzll(whole));
}

static uint64_t coarser_class(uint64_t size, uint32_t times)
{
    return size > times + 1 ? size - times : 0;
}

static uint64_t line_of(const struct xpd_map_view *view, uint32_t tenancy)
{
    double y = (double)view->column.offset_bytes[tenancy] * view->px_per_byte;
    return y > 0 ? y < 0x1p25 ? (uint64_t)(int64_t)y : 1 << 25 : 0;
}

/* Key of a cell one pixel wide and high: classes of the sizes, column and line. */
static uint64_t key_of(const struct xpd_map_view *view, uint32_t tenancy)
{
    const struct xpd_tenancy_columns *of = &view->column;
    uint32_t from = of->start_step[tenancy], to = of->end_step[tenancy];
    from = from > view->window.from ? from : view->window.from;
    to = to < view->window.to ? to : view->window.to;
    double x = (double)(from - view->window.from) * view->px_per_step;
    uint64_t wide = class_of((double)(to - from) * view->px_per_step);
    uint64_t high = class_of((double)of->size_bytes[tenancy] * view->px_per_byte);
    uint64_t column = (uint64_t)x;
    return wide << 58 | high << 52 | (column & 0x3ffffff) << 26 | line_of(view, tenancy);
}

/* The key after the cells have doubled so many times. */
static uint64_t coarser(uint64_t key, uint32_t times)
{
    uint64_t wide = coarser_class(key >> 58, times);
    uint64_t high = coarser_class(key >> 52 & 0x3f, times);
    uint64_t column = (key >> 26 & 0x3ffffff) >> times, line = (key & 0x3ffffff) >> times;
    return wide << 58 | high << 52 | column << 26 | line;
}

bool xpd_map_join_begin(struct xpd_map_view *view, struct xpd_arena *arena)
{
    view->cell = XPD_NEW_ARRAY(arena, struct xpd_map_cell, XPD_MAP_CELLS);
    view->slot = XPD_NEW_ARRAY(arena, struct xpd_map_slot, SLOTS);
    view->near = XPD_NEW_ARRAY(arena, struct xpd_map_slot, NEAR);
    return view->cell && view->slot && view->near;
}

static struct xpd_map_slot *slot_of(struct xpd_map_view *view, uint64_t key)
{
    uint64_t mixed = key * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at = (uint32_t)(mixed >> 40) & (SLOTS - 1);
    while (view->slot[at].cell != 0 && view->slot[at].key != key)
        at = (at + 1) & (SLOTS - 1);
    return &view->slot[at];
}

static struct xpd_map_slot *near_of(const struct xpd_map_view *view, uint64_t key)
{
    return &view->near[(key + (key >> 52) * 67) & (NEAR - 1)];
}

static void widen(struct xpd_map_cell *cell, const struct xpd_map_cell *by)
{
    if (by->largest_bytes > cell->largest_bytes) {
        cell->largest_bytes = by->largest_bytes;
        cell->tenancy = by->tenancy;
    }
    cell->count += by->count;
    cell->start = by->start < cell->start ? by->start : cell->start;
    cell->end = by->end > cell->end ? by->end : cell->end;
    cell->offset_bytes =
        by->offset_bytes < cell->offset_bytes ? by->offset_bytes : cell->offset_bytes;
    cell->top_bytes = by->top_bytes > cell->top_bytes ? by->top_bytes : cell->top_bytes;
}

static void add(struct xpd_map_view *view, const struct xpd_map_cell *cell)
{
    struct xpd_map_slot *slot = slot_of(view, cell->key);
    if (slot->cell != 0) {
        widen(&view->cell[slot->cell - 1], cell);
        return;
    }
    view->cell[view->cell_count++] = *cell;
    *slot = (struct xpd_map_slot){cell->key, view->cell_count};
}

/* Cells of twice the width and height; the new ones overwrite the old ones from the front. */
static void coarsen(struct xpd_map_view *view)
{
    uint32_t n = view->cell_count;
    memset(view->slot, 0, SLOTS * sizeof *view->slot);
    memset(view->near, 0, NEAR * sizeof *view->near);
    view->cell_count = 0;
    view->coarse++;
    for (uint32_t i = 0; i < n; i++) {
        struct xpd_map_cell cell = view->cell[i];
        cell.key = coarser(cell.key, 1);
        add(view, &cell);
    }
}

/* A tenancy whose cell is not among those near: into the one it has, or into a new one. */
static void join_far(struct xpd_map_view *view, uint32_t tenancy, uint64_t key)
{
    const struct xpd_tenancy_columns *column = &view->column;
    int64_t offset = column->offset_bytes[tenancy], size = column->size_bytes[tenancy];
    struct xpd_map_cell cell = {.start = column->start_step[tenancy],
                                .end = column->end_step[tenancy],
                                .count = 1,
                                .offset_bytes = offset,
                                .top_bytes = offset + size,
                                .largest_bytes = size,
                                .tenancy = tenancy,
                                .key = key};
    struct xpd_map_slot *slot = slot_of(view, key);
    if (slot->cell == 0)
        while (view->cell_count == XPD_MAP_CELLS) {
            coarsen(view);
            cell.key = coarser(cell.key, 1);
        }
    add(view, &cell);
    *near_of(view, cell.key) = *slot_of(view, cell.key);
}

static inline void join(struct xpd_map_view *view, uint32_t tenancy, uint64_t key)
{
    view->merged_count++;
    const struct xpd_map_slot *near = near_of(view, key);
    if (near->cell == 0 || near->key != key) {
        join_far(view, tenancy, key);
        return;
    }
    const struct xpd_tenancy_columns *column = &view->column;
    struct xpd_map_cell *cell = &view->cell[near->cell - 1];
    uint32_t start = column->start_step[tenancy], end = column->end_step[tenancy];
    int64_t offset = column->offset_bytes[tenancy], size = column->size_bytes[tenancy];
    int64_t top = offset + size;
    bool larger = size > cell->largest_bytes;
    cell->count++;
    cell->start = start < cell->start ? start : cell->start;
    cell->end = end > cell->end ? end : cell->end;
    cell->offset_bytes = offset < cell->offset_bytes ? offset : cell->offset_bytes;
    cell->top_bytes = top > cell->top_bytes ? top : cell->top_bytes;
    cell->largest_bytes = larger ? size : cell->largest_bytes;
    cell->tenancy = larger ? tenancy : cell->tenancy;
}

void xpd_map_join(struct xpd_map_view *view, uint32_t tenancy)
{
    join(view, tenancy, coarser(key_of(view, tenancy), view->coarse));
}

void xpd_map_join_tiny(struct xpd_map_view *view, uint32_t tenancy, uint32_t from)
{
    double x = (double)(from - view->window.from) * view->px_per_step;
    uint64_t line = line_of(view, tenancy);
    join(view, tenancy,
         (((uint64_t)(int64_t)x & 0x3ffffff) >> view->coarse) << 26 | line >> view->coarse);
}
