/* Columns of sorted events as the next row of a unit: its head, its depths, its time by the device.
 */
#include "load_lines.h"

#include "xprofd/base/checked.h"
#include <stdlib.h>

static void new_row(const struct xpd_filling *filling, enum xpd_row_kind kind, xpd_name_id caption,
                    struct xpd_row_made *made)
{
    const struct xpd_row_unit *unit = filling->unit;
    const struct xpd_line_ref *ref = &filling->worker->build->ref[unit->first_ref];
    *made = (struct xpd_row_made){.row = {.process = unit->process,
                                          .id = unit->id,
                                          .caption = caption,
                                          .kind = kind,
                                          .line = ref->line,
                                          .line_count = unit->ref_count,
                                          .device_busy_ps = -1,
                                          .cut = filling->cut}};
}

static struct xpd_row_made *new_made(struct xpd_filling *filling)
{
    struct xpd_row_unit *unit = filling->unit;
    uint32_t count = unit->made_count;
    if ((count & (count - 1)) == 0) { /* full: room for twice as many */
        struct xpd_row_made *made =
            realloc(unit->made, (count ? 2 * (size_t)count : 1) * sizeof *unit->made);
        if (!made)
            return NULL;
        unit->made = made;
    }
    return &unit->made[count];
}

static int by_where(const void *x, const void *y)
{
    const struct xpd_far *a = x, *b = y;
    return (a->where > b->where) - (a->where < b->where);
}

/* By the device's clock; those that do not fit a delta stand in `far`. -1 = it does not say. */
static int64_t device_ps_of(const struct xpd_row_unit *unit, const struct xpd_columns *columns,
                            uint32_t i)
{
    if (columns->device_delta_ps[i] != INT32_MIN)
        return columns->duration_ps[i] - columns->device_delta_ps[i];
    if (unit->far.count == 0)
        return -1;
    struct xpd_far key = {.where = xpd_columns_where(columns, i)};
    const struct xpd_far *far =
        bsearch(&key, unit->far.at, unit->far.count, sizeof *unit->far.at, by_where);
    return far ? far->device_ps : -1;
}

struct outer { /* of the events so far, the outermost that reaches furthest */
    int64_t end_ps;
    int64_t device_from_ps, device_to_ps; /* -1: it does not say when by the device's clock */
};

/* Where the host-aligned times jump, an operation is drawn inside of one that it only followed: the
 * device's clock knows. */
static bool is_inside(const struct outer *outer, const struct xpd_columns *columns, uint32_t i,
                      int64_t device_ps)
{
    int64_t start_ps = columns->start_ps[i];
    int64_t from_ps = columns->device_start_ps ? columns->device_start_ps[i] : -1, to_ps = from_ps;
    if (start_ps >= outer->end_ps || start_ps + columns->duration_ps[i] > outer->end_ps)
        return false;
    if (from_ps < 0 || device_ps < 0 || outer->device_from_ps < 0)
        return true;
    xpd_grow_i64(&to_ps, device_ps);
    return from_ps < outer->device_to_ps && to_ps > outer->device_from_ps;
}

static void reach(struct outer *outer, const struct xpd_columns *columns, uint32_t i,
                  int64_t device_ps)
{
    int64_t end_ps = columns->start_ps[i] + columns->duration_ps[i];
    if (end_ps <= outer->end_ps)
        return;
    *outer = (struct outer){end_ps, -1, -1};
    if (!columns->device_start_ps || columns->device_start_ps[i] < 0 || device_ps < 0)
        return;
    outer->device_from_ps = outer->device_to_ps = columns->device_start_ps[i];
    xpd_grow_i64(&outer->device_to_ps, device_ps);
}

/* Of the outermost events. One that only begins before its neighbour has ended is one of them,
 * however deep it is drawn. */
static void sum_device(struct xpd_filling *filling, const struct xpd_columns *columns,
                       struct xpd_row_made *made)
{
    struct xpd_row_unit *unit = filling->unit;
    struct outer outer = {INT64_MIN, -1, -1};
    int64_t sum_ps = 0;
    bool known = true;
    if (!columns->device_delta_ps)
        return;
    if (unit->far.count > 1)
        qsort(unit->far.at, unit->far.count, sizeof *unit->far.at, by_where);
    for (uint32_t i = 0; known && i < columns->count; i++) {
        int64_t device_ps = device_ps_of(unit, columns, i);
        if (is_inside(&outer, columns, i, device_ps))
            continue;
        reach(&outer, columns, i, device_ps);
        known = device_ps >= 0;
        xpd_grow_i64(&sum_ps, known ? device_ps : 0);
    }
    made->row.has_device_clock = true;
    made->row.device_busy_ps = known ? sum_ps : -1;
}

int xpd_fill_row(struct xpd_filling *filling, struct xpd_columns columns, enum xpd_row_kind kind,
                 xpd_name_id caption)
{
    struct xpd_row_made *made = new_made(filling);
    if (!made)
        return xpd_worker_no_room(filling->worker);
    new_row(filling, kind, caption, made);
    if (filling->device_count == 0)
        columns.device_delta_ps = NULL;
    /* A row that takes all of its memory may keep it. */
    struct xpd_worker *worker = filling->worker;
    bool whole = filling->memory && columns.start_ps == filling->all.start_ps &&
                 xpd_columns_bytes(columns.count, filling->with) > worker->large_bytes / 8 * 7;
    int rc = xpd_row_place(worker, &columns, whole ? &worker->large : NULL, made);
    worker->large_bytes = worker->large ? worker->large_bytes : 0;
    if (rc != XPD_OK)
        return rc;
    filling->unit->made_count++;
    sum_device(filling, &columns, made);
    return XPD_OK;
}
