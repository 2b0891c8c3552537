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

/* Device durations of the outermost depth; those that do not fit a delta stand in `far`. */
static void sum_device(struct xpd_filling *filling, struct xpd_row_made *made)
{
    const struct xpd_depth *depth = made->depth;
    struct xpd_row_unit *unit = filling->unit;
    if (!depth->device_delta_ps || filling->device_count == 0)
        return;
    int64_t sum = 0;
    if (unit->far.count > 1)
        qsort(unit->far.at, unit->far.count, sizeof *unit->far.at, by_where);
    for (uint32_t i = 0; i < depth->count; i++)
        if (depth->device_delta_ps[i] != INT32_MIN) {
            xpd_grow_i64(&sum, depth->duration_ps[i] - depth->device_delta_ps[i]);
        } else if (unit->far.count != 0) {
            struct xpd_far key = {.where = xpd_depth_where(depth, i)};
            const struct xpd_far *far =
                bsearch(&key, unit->far.at, unit->far.count, sizeof *unit->far.at, by_where);
            xpd_grow_i64(&sum, far ? far->device_ps : 0);
        }
    made->row.has_device_clock = true;
    made->row.device_busy_ps = sum;
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
    sum_device(filling, made);
    return XPD_OK;
}
