/* Fills one row: decodes its lines, names and sorts the events, puts aside what is shown elsewhere
 * (internal events, series of counters), and has the rest placed into depths.
 *
 * In: a planned unit. Out: the rows it makes. Runs on several threads, each with a worker of its
 * own; scratch memory is that of the lines in work. */
#include "load_lines.h"

#include "xprofd/base/checked.h"
#include <stdlib.h>

/* ---- decoding ---- */

struct marking { /* of a line in work */
    struct xpd_filling *filling;
    struct xpd_columns *part;
    const struct xpd_event_columns *columns;
    uint32_t plane;
    bool all; /* no stat that single events say is left out here */
};

/* The stats of one event: [mark, mark + count). */
static int take_event(const struct marking *of, const struct xpd_marked_stat *mark, size_t count)
{
    struct xpd_worker *worker = of->filling->worker;
    uint32_t event = mark->event, *name = &of->part->name[event];
    uint64_t where = xpd_columns_where(of->part, event);
    if (mark[count - 1].mark == XPD_MARK_DEVICE_DURATION) { /* reported at the end, once */
        struct xpd_far far = {.device_ps = (int64_t)mark[--count].value, .where = where};
        XPD_PUSH(&of->filling->unit->far, far);
        if (of->filling->unit->far.failed)
            return xpd_worker_no_room(worker);
    }
    if (*name == XPD_NO_METADATA)
        *name = worker->build->plane[of->plane].unknown;
    bool hidden = worker->build->trace->name[*name].internal; /* regardless of its stats */
    return count > 0 && !hidden
               ? xpd_trace_single(worker, of->plane, where, mark, count, of->all, name)
               : XPD_OK;
}

static int take_marks(void *context)
{
    const struct marking *of = context;
    const struct xpd_marks *marks = &of->filling->worker->marks;
    int rc = XPD_OK;
    for (size_t i = 0, end; rc == XPD_OK && i < marks->count; i = end) {
        for (end = i + 1; end < marks->count && marks->at[end].event == marks->at[i].event;)
            end++;
        if (marks->at[i].event < of->columns->count) /* else its bytes end before it does */
            rc = take_event(of, &marks->at[i], end - i);
    }
    return rc;
}

/* Names are numbered while decoding; only events of names that the plane lacks are left. */
static void name_unknown(uint32_t unknown, struct xpd_columns *part)
{
    for (uint32_t i = 0; i < part->count; i++)
        if (part->name[i] == XPD_NO_METADATA)
            part->name[i] = unknown;
}

static int decode_line(struct xpd_filling *filling, struct xpd_line_ref ref)
{
    struct xpd_worker *worker = filling->worker;
    struct xpd_trace_build *build = worker->build;
    const struct xpd_plane_names *plane = &build->plane[ref.plane];
    const struct xpd_line *source = &build->trace->space->plane[ref.plane].line[ref.line];
    struct xpd_line line = *source;
    line.timestamp_ns = xpd_trace_line_ns(build->trace, source);
    uint32_t first = filling->all.count;
    struct xpd_columns part = xpd_columns_part(&filling->all, first, filling->capacity - first);
    struct xpd_event_columns columns = {.start_ps = part.start_ps,
                                        .duration_ps = part.duration_ps,
                                        .metadata = part.name,
                                        .where_low = part.where_low,
                                        .where_high = part.where_high,
                                        .device_delta_ps = part.device_delta_ps,
                                        .device_start_ps = part.device_start_ps};
    struct xpd_events_wanted wanted = plane->wanted;
    struct marking marking = {filling, &part, &columns, ref.plane, true};
    if (plane->wants_async && filling->unit->kind == XPD_ROW_ASYNC_OPS) {
        wanted.mark_count--; /* all of them are */
        marking.all = false;
    }
    wanted.has_device_start &= part.device_start_ps != NULL;
    worker->marks.count = 0;
    worker->marks.take = take_marks;
    worker->marks.context = &marking;
    int rc =
        xpd_events_decode(&columns, part.count, &worker->window, &line,
                          &build->trace->tables[ref.plane], &wanted, &worker->marks, &worker->err);
    if (rc != XPD_OK)
        return rc;
    part.count = (uint32_t)columns.count;
    filling->all.count += part.count;
    filling->sorted &= columns.sorted;
    filling->cut |= columns.cut;
    filling->odd += columns.odd_count;
    filling->aggregated += columns.aggregated_count;
    filling->device_count += columns.device_count;
    filling->unknown += columns.unknown_count;
    if (columns.unknown_count != 0)
        name_unknown(plane->unknown, &part);
    return XPD_OK;
}

static int decode_lines(struct xpd_filling *filling)
{
    const struct xpd_trace_build *build = filling->worker->build;
    struct xpd_progress *progress = build->progress;
    filling->sorted = true;
    for (uint32_t i = 0; i < filling->unit->ref_count; i++) {
        struct xpd_line_ref ref = build->ref[filling->unit->first_ref + i];
        uint64_t size = build->trace->space->plane[ref.plane].line[ref.line].range.size;
        int rc = decode_line(filling, ref);
        if (rc != XPD_OK)
            return rc;
        if (progress && atomic_load_explicit(&progress->stop, memory_order_relaxed))
            return xpd_fail(&filling->worker->err, XPD_EBUSY, xpd_source_name(build->trace->source),
                            XPD_NO_OFFSET, "Reading was stopped on request.");
        if (progress)
            atomic_fetch_add_explicit(&progress->done_bytes, size, memory_order_relaxed);
    }
    return XPD_OK;
}

/* ---- rows ---- */

static void copy_event(struct xpd_columns *to, uint32_t at, const struct xpd_columns *from,
                       uint32_t i)
{
    to->start_ps[at] = from->start_ps[i];
    to->duration_ps[at] = from->duration_ps[i];
    to->name[at] = from->name[i];
    to->where_low[at] = from->where_low[i];
    if (to->where_high)
        to->where_high[at] = from->where_high[i];
    if (to->device_delta_ps)
        to->device_delta_ps[at] = from->device_delta_ps[i];
    if (to->device_start_ps)
        to->device_start_ps[at] = from->device_start_ps[i];
}

/* Takes the events XProf hides out of `all`, in order, into columns of their own. */
static int split_internal(struct xpd_filling *filling, struct xpd_columns *hidden, void **memory)
{
    const struct xpd_event_name *name = filling->worker->build->trace->name;
    uint32_t shown_names = filling->worker->build->trace->name_count;
    struct xpd_columns *all = &filling->all;
    uint32_t count = 0, kept = 0;
    *memory = NULL;
    *hidden = (struct xpd_columns){0};
    for (uint32_t i = 0; i < all->count; i++)
        count += all->name[i] < shown_names && name[all->name[i]].internal;
    if (count == 0)
        return XPD_OK;
    *memory = malloc(xpd_columns_bytes(count, filling->with));
    if (!*memory)
        return xpd_worker_no_room(filling->worker);
    *hidden = xpd_columns_lay(*memory, count, filling->with);
    hidden->count = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->name[i] < shown_names && name[all->name[i]].internal)
            copy_event(hidden, hidden->count++, all, i);
        else
            copy_event(all, kept++, all, i);
    }
    all->count = kept;
    return XPD_OK;
}

static int place_thread(struct xpd_filling *filling, bool has_internal)
{
    struct xpd_columns hidden = {0};
    void *memory = NULL;
    int rc = has_internal ? split_internal(filling, &hidden, &memory) : XPD_OK;
    const struct xpd_row_unit *unit = filling->unit;
    if (rc == XPD_OK && filling->all.count != 0)
        rc = xpd_fill_row(filling, filling->all, unit->kind, unit->caption);
    if (rc == XPD_OK && hidden.count != 0)
        rc = xpd_fill_row(filling, hidden, XPD_ROW_INTERNAL, unit->caption);
    free(memory);
    return rc;
}

/* ---- main ---- */

static void tell(struct xpd_filling *filling)
{
    struct xpd_trace_build *build = filling->worker->build;
    uint64_t overflow = 0;
    for (uint32_t i = 0; i < filling->unit->made_count; i++)
        overflow += filling->unit->made[i].row.overflow_count;
    if (overflow + filling->odd + filling->aggregated + filling->unknown == 0)
        return;
    pthread_mutex_lock(&build->lock);
    build->odd_count += filling->odd;
    build->aggregated_count += filling->aggregated;
    build->unknown_count += filling->unknown;
    build->overflow_count += overflow;
    pthread_mutex_unlock(&build->lock);
}

int xpd_unit_fill(struct xpd_worker *worker, struct xpd_row_unit *unit)
{
    struct xpd_filling filling = {.worker = worker, .unit = unit};
    const struct xpd_trace_build *build = worker->build;
    bool has_internal = false, moved;
    int rc = xpd_fill_reserve(&filling);
    if (rc == XPD_OK)
        rc = decode_lines(&filling);
    for (uint32_t i = 0; i < unit->ref_count; i++)
        has_internal |= build->plane[build->ref[unit->first_ref + i].plane].has_internal;
    if (rc == XPD_OK && unit->kind == XPD_ROW_COUNTER) {
        rc = xpd_fill_counters(&filling);
    } else if (rc == XPD_OK) {
        bool sorted = filling.sorted && (unit->ref_count == 1 || xpd_columns_sorted(&filling.all));
        if (!sorted && !xpd_columns_sort(build->trace->blocks, &filling.all, NULL, &moved))
            rc = xpd_worker_no_room(worker);
        if (rc == XPD_OK)
            rc = place_thread(&filling, has_internal);
    }
    tell(&filling);
    return rc;
}
