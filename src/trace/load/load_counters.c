/* Counters: each event of a line "_counters_" is a sample, each name a series.
 *
 * In: decoded events. Out: one row for each series, with the value of each sample beside it. The
 * value is the first number among the stats of the event. */
#include "load_lines.h"

#include "xprofd/wire/cursor.h"
#include <math.h>
#include <stdlib.h>

#define SERIES_MAX 65536 /* of one line */

/* The first number among the stats of an event (field 4); NaN: it has none. */
static double sample_of(const uint8_t *bytes, size_t size)
{
    struct xpd_cursor cursor, inner;
    struct xpd_field field, part;
    xpd_cursor_init(&cursor, bytes, size, 0);
    while (xpd_cursor_next(&cursor, &field)) {
        if (field.number != 4 || field.wire_type != 2)
            continue;
        inner = xpd_cursor_sub(&field);
        while (xpd_cursor_next(&inner, &part)) {
            double real;
            memcpy(&real, &part.value, sizeof real);
            if (part.number == 2 && part.wire_type == 1)
                return real;
            if (part.number == 3 && part.wire_type == 0)
                return (double)part.value;
            if (part.number == 4 && part.wire_type == 0)
                return (double)(int64_t)part.value;
        }
    }
    return NAN;
}

static int read_samples(struct xpd_filling *filling, const struct xpd_depth *depth, double *value)
{
    struct xpd_worker *worker = filling->worker;
    const struct xpd_trace *trace = worker->build->trace;
    uint64_t end = trace->space->file_bytes;
    for (uint32_t i = 0; i < depth->count; i++) {
        struct xpd_wire_range range;
        const uint8_t *bytes;
        int rc =
            xpd_event_range(trace->source, xpd_depth_where(depth, i), end, &range, &worker->err);
        if (rc == XPD_EFORMAT || (rc == XPD_OK && range.size > XPD_WINDOW_BYTES)) {
            value[i] = NAN;
            continue;
        }
        if (rc == XPD_OK)
            rc = xpd_window_peek(&worker->window, range.offset, (size_t)range.size, &bytes,
                                 &worker->err);
        if (rc != XPD_OK)
            return rc;
        value[i] = sample_of(bytes, (size_t)range.size);
    }
    return XPD_OK;
}

static xpd_name_id caption_of(struct xpd_trace_build *build, uint32_t name)
{
    if (name < build->trace->name_count)
        return build->trace->name[name].caption;
    pthread_mutex_lock(&build->lock); /* a sample with a step_name: strange, but possible */
    xpd_name_id caption = build->single.at[name - build->trace->name_count].caption;
    pthread_mutex_unlock(&build->lock);
    return caption;
}

/* Zero would be a statement: they are shown as unknown. */
static void tell_unknown(struct xpd_trace_build *build, const double *value, uint32_t count)
{
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < count; i++)
        unknown += isnan(value[i]) != 0;
    if (unknown == 0)
        return;
    pthread_mutex_lock(&build->lock);
    build->unknown_samples += unknown;
    pthread_mutex_unlock(&build->lock);
}

/* One series: samples are instants, so that they lie in one depth. */
static int place_series(struct xpd_filling *filling, struct xpd_columns series)
{
    struct xpd_worker *worker = filling->worker;
    struct xpd_trace *trace = worker->build->trace;
    int rc =
        xpd_fill_row(filling, series, XPD_ROW_COUNTER, caption_of(worker->build, series.name[0]));
    if (rc != XPD_OK)
        return rc;
    struct xpd_depth *depth = filling->unit->made[filling->unit->made_count - 1].depth;
    double *value = xpd_blocks_take(trace->blocks, &worker->pen, depth->count * sizeof *value);
    if (!value)
        return xpd_worker_no_room(worker);
    depth->value = value;
    rc = read_samples(filling, depth, value);
    if (rc == XPD_OK)
        tell_unknown(worker->build, value, depth->count);
    return rc;
}

static void too_many_series(const struct xpd_filling *filling, uint32_t left)
{
    struct xpd_trace_build *build = filling->worker->build;
    pthread_mutex_lock(&build->lock);
    xpd_warn(&build->trace->warnings, XPD_WARNING, "too_many_counters", XPD_NO_OFFSET,
             "The profile has more than %d counters; %u samples of the others are left out.",
             SERIES_MAX, left);
    pthread_mutex_unlock(&build->lock);
}

int xpd_fill_counters(struct xpd_filling *filling)
{
    struct xpd_columns *all = &filling->all;
    bool moved;
    for (uint32_t i = 0; i < all->count; i++)
        all->duration_ps[i] = 0;
    all->device_delta_ps = NULL; /* instants on the host's clock, regardless of event durations */
    uint32_t *key = malloc((size_t)all->count * sizeof *key + 1);
    if (key)
        memcpy(key, all->name, (size_t)all->count * sizeof *key);
    bool fine = key && xpd_columns_sort(filling->worker->build->trace->blocks, all, key, &moved);
    free(key);
    int rc = fine ? XPD_OK : xpd_worker_no_room(filling->worker);
    for (uint32_t first = 0; rc == XPD_OK && first < all->count;) {
        uint32_t end = first + 1;
        if (filling->unit->made_count >= SERIES_MAX) {
            too_many_series(filling, all->count - first);
            break;
        }
        while (end < all->count && all->name[end] == all->name[first])
            end++;
        rc = place_series(filling, xpd_columns_part(all, first, end - first));
        first = end;
    }
    return rc;
}
