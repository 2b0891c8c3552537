/* Boxes of a pixel or more, joined because there are too many: one entry per pixel cell and size of
 * its members, beside the cells of smaller ones (map_choose.c). In: tenancies, one by one. Out:
 * bounds and counts. Only boxes of about the same width and height come together, so a joined box
 * never covers what is free.
 *
 * Whenever there are too many cells, cells of twice the width and height take their place: column,
 * line and sizes of a cell follow from those of the finer one, so that no box is looked at again.
 */
#include "memory_map.h"

#define SLOTS (4 * XPD_MAP_CELLS) /* a power of two, never more than half full */

struct xpd_map_slot {
    uint64_t key;
    uint32_t cell; /* index + 1, 0 = empty */
};

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

static struct xpd_map_slot *slot_of(struct xpd_map_view *view, uint64_t key)
{
    uint64_t mixed = key * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at = (uint32_t)(mixed >> 40) & (SLOTS - 1);
    while (view->slot[at].cell != 0 && view->slot[at].key != key)
        at = (at + 1) & (SLOTS - 1);
    return &view->slot[at];
}

void xpd_map_cell_widen(struct xpd_map_cell *cell, const struct xpd_map_cell *by)
{
    bool first = by->largest_bytes == cell->largest_bytes && by->tenancy < cell->tenancy;
    if (by->largest_bytes > cell->largest_bytes || first) {
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

static void add(struct xpd_map_view *view, struct xpd_map_slot *slot,
                const struct xpd_map_cell *cell)
{
    if (slot->cell != 0) {
        xpd_map_cell_widen(&view->cell[slot->cell - 1], cell);
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
    view->cell_count = 0;
    view->coarse++;
    for (uint32_t i = 0; i < n; i++) {
        struct xpd_map_cell cell = view->cell[i];
        cell.key = coarser(cell.key, 1);
        add(view, slot_of(view, cell.key), &cell);
    }
}

bool xpd_map_join_begin(struct xpd_map_view *view, struct xpd_arena *arena)
{
    view->slot = XPD_NEW_ARRAY(arena, struct xpd_map_slot, SLOTS);
    return view->slot != NULL;
}

static void join(struct xpd_map_view *view, uint32_t tenancy)
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
                                .key = coarser(key_of(view, tenancy), view->coarse)};
    view->merged_count++;
    struct xpd_map_slot *slot = slot_of(view, cell.key);
    while (slot->cell == 0 && view->cell_count == XPD_MAP_CELLS) {
        coarsen(view);
        cell.key = coarser(cell.key, 1);
        slot = slot_of(view, cell.key);
    }
    add(view, slot, &cell);
}

void xpd_map_join_rest(struct xpd_map_view *view)
{
    if (view->rest_count == 0)
        return;
    for (uint32_t i = 0; i < view->cell_count; i++)
        *slot_of(view, view->cell[i].key) = (struct xpd_map_slot){view->cell[i].key, i + 1};
    for (uint32_t i = 0; i < view->rest_count; i++)
        join(view, view->rest[i]);
    view->rest_count = 0;
}
