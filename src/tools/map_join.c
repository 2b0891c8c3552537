/* Boxes too small to draw, joined: one entry per pixel cell and size of its members. In: tenancies.
 * Out: bounds and counts. Only boxes of about the same width and height come together, so a joined
 * box never covers what is free. */
#include "memory_map.h"

#include <math.h>

static uint64_t log2_of(double value)
{
    int level = 0;
    if (value < 2.0)
        return 0;
    frexp(value, &level);
    return level < 32 ? (uint64_t)level : 31;
}

/* A cell is `scale` pixels wide and high. Its key holds column, row and the two size classes. */
static uint64_t key_of(const struct xpd_map_view *view, const struct xpd_tenancy *tenancy,
                       double scale)
{
    uint32_t from =
        tenancy->start_step > view->window.from ? tenancy->start_step : view->window.from;
    uint32_t to = tenancy->end_step < view->window.to ? tenancy->end_step : view->window.to;
    double x = (double)(from - view->window.from) * view->px_per_step / scale;
    double y = (double)tenancy->offset_bytes * view->px_per_byte / scale;
    uint64_t wide = log2_of((double)(to - from) * view->px_per_step / scale);
    uint64_t high = log2_of((double)tenancy->size_bytes * view->px_per_byte / scale);
    uint64_t column = x > 0 ? (uint64_t)x : 0, line = y > 0 ? (uint64_t)y : 0;
    return (wide << 58) ^ (high << 52) ^ ((column & 0x3ffffff) << 26) ^ (line & 0x3ffffff);
}

static void add(struct xpd_map_cell *cell, const struct xpd_tenancy *tenancy)
{
    int64_t top = tenancy->offset_bytes + tenancy->size_bytes;
    if (cell->count == 0 || tenancy->size_bytes > cell->largest_bytes) {
        cell->largest_bytes = tenancy->size_bytes;
        cell->buffer = tenancy->buffer;
    }
    if (cell->count++ == 0) {
        cell->start = tenancy->start_step;
        cell->end = tenancy->end_step;
        cell->offset_bytes = tenancy->offset_bytes;
        cell->top_bytes = top;
        return;
    }
    if (tenancy->start_step < cell->start)
        cell->start = tenancy->start_step;
    if (tenancy->end_step > cell->end)
        cell->end = tenancy->end_step;
    if (tenancy->offset_bytes < cell->offset_bytes)
        cell->offset_bytes = tenancy->offset_bytes;
    if (top > cell->top_bytes)
        cell->top_bytes = top;
}

/* False when there are more cells than fit. */
static bool join_at(struct xpd_map_view *view, struct xpd_map64 *cells, double scale)
{
    memset(view->cell, 0, XPD_MAP_CELLS * sizeof *view->cell);
    view->cell_count = 0;
    for (uint32_t i = 0; i < view->small_count; i++) {
        const struct xpd_tenancy *tenancy = &view->space->tenancy[view->small[i]];
        uint64_t key = key_of(view, tenancy, scale);
        uint32_t at = xpd_map64_get(cells, key);
        if (at == XPD_NO_INDEX) {
            if (view->cell_count == XPD_MAP_CELLS)
                return false;
            at = view->cell_count++;
            xpd_map64_put(cells, key, at);
        }
        add(&view->cell[at], tenancy);
    }
    return true;
}

int xpd_map_join(const struct xpd_tool_ctx *ctx, struct xpd_map_view *view, struct xpd_err *err)
{
    view->cell = XPD_NEW_ARRAY(ctx->arena, struct xpd_map_cell, XPD_MAP_CELLS);
    if (!view->cell)
        return xpd_tools_no_memory(err);
    for (double scale = 1.0;; scale *= 2.0) {
        struct xpd_map64 cells = {0};
        bool fits = join_at(view, &cells, scale);
        bool failed = cells.failed;
        xpd_map64_fini(&cells);
        if (failed)
            return xpd_tools_no_memory(err);
        if (fits)
            return XPD_OK;
    }
}
