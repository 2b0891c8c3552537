/* Stats of measured events. In: an event of the trace. Out: all its stats, or those that are
 * wanted. */
#include "xprofd/trace/event_stat.h"

#include "../load/core.h"
#include "xprofd/trace/join.h"
#include <stdlib.h>

/* From an event's number to its place, its stats and its duration by the device's clock. */

bool xpd_trace_find(const struct xpd_trace *trace, uint64_t event, const struct xpd_depth **depth,
                    uint32_t *index)
{
    if (event >= trace->event_count)
        return false;
    uint32_t low = 0, high = trace->depth_count; /* the last that begins at or before it */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (trace->depth[middle].first_event <= event)
            low = middle;
        else
            high = middle;
    }
    *depth = &trace->depth[low];
    *index = (uint32_t)(event - trace->depth[low].first_event);
    return *index < trace->depth[low].count;
}

int64_t xpd_trace_far_ps(const struct xpd_trace *trace, const struct xpd_depth *depth, uint32_t i)
{
    uint64_t event = depth->first_event + i, low = 0, high = trace->far_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (trace->far[middle].event < event)
            low = middle + 1;
        else
            high = middle;
    }
    return low < trace->far_count && trace->far[low].event == event ? trace->far[low].device_ps
                                                                    : -1;
}

int xpd_metadata_stats(const struct xpd_trace *trace, uint32_t plane, uint32_t metadata,
                       struct xpd_arena *scratch, struct xpd_stat_value **out, uint32_t *count,
                       struct xpd_err *err)
{
    const struct xpd_plane_tables *tables = &trace->tables[plane];
    return xpd_stats_decode(trace->source, tables->event[metadata].range, 5, tables, &trace->names,
                            scratch, out, count, err);
}

int xpd_trace_stats(const struct xpd_trace *trace, uint64_t event, struct xpd_arena *scratch,
                    struct xpd_stat_value **out, uint32_t *count, uint32_t *from_metadata,
                    struct xpd_err *err)
{
    const struct xpd_depth *depth;
    uint32_t i, own_count = 0;
    struct xpd_stat_value *shared = NULL, *own = NULL;
    struct xpd_wire_range range;
    *out = NULL;
    *count = *from_metadata = 0;
    if (!xpd_trace_find(trace, event, &depth, &i))
        return xpd_fail(err, XPD_ENOTFOUND, "event", XPD_NO_OFFSET,
                        "There is no event %llu; the host has %llu.", (unsigned long long)event,
                        (unsigned long long)trace->event_count);
    if (trace->part) {
        const struct xpd_trace_host *part = xpd_part_of_event(trace, event);
        return xpd_trace_stats(part->trace, event - part->first_event, scratch, out, count,
                               from_metadata, err);
    }
    const struct xpd_event_name *name = &trace->name[depth->name[i]];
    const struct xpd_plane_tables *tables = &trace->tables[name->plane];
    int rc = xpd_source_check(trace->source, err);
    if (rc == XPD_OK && name->metadata != XPD_NO_METADATA)
        rc = xpd_metadata_stats(trace, name->plane, name->metadata, scratch, &shared, from_metadata,
                                err);
    const struct xpd_plane *plane = &trace->space->plane[name->plane];
    if (rc == XPD_OK)
        rc = xpd_event_range(trace->source, xpd_depth_where(depth, i),
                             plane->range.offset + plane->range.size, &range, err);
    if (rc == XPD_OK)
        rc = xpd_stats_decode(trace->source, range, 4, tables, &trace->names, scratch, &own,
                              &own_count, err);
    if (rc != XPD_OK)
        return rc;
    *count = *from_metadata + own_count;
    *out = XPD_NEW_ARRAY(scratch, struct xpd_stat_value, *count);
    if (!*out)
        return xpd_fail(err, XPD_ELIMIT, "event", XPD_NO_OFFSET,
                        "The stats of this event do not fit the memory of a request.");
    if (*from_metadata != 0)
        memcpy(*out, shared, *from_metadata * sizeof *shared);
    if (own_count != 0)
        memcpy(*out + *from_metadata, own, own_count * sizeof *own);
    return XPD_OK;
}

bool xpd_event_stat(const struct xpd_trace *trace, uint64_t event, const char *stat,
                    uint64_t *value)
{
    const struct xpd_depth *depth;
    uint32_t index;
    uint8_t bytes[4096];
    struct xpd_wire_range range;
    struct xpd_stat_ids ids;
    struct xpd_event_said said;
    if (!xpd_trace_find(trace, event, &depth, &index) || !depth->where_low)
        return false;
    if (trace->part) {
        const struct xpd_trace_host *part = xpd_part_of_event(trace, event);
        return xpd_event_stat(part->trace, event - part->first_event, stat, value);
    }
    uint32_t plane = trace->name[depth->name[index]].plane;
    if (plane >= trace->space->plane_count)
        return false;
    xpd_stat_ids_init(&ids, &trace->tables[plane], &trace->names, &stat, 1);
    if (ids.known == 0 ||
        xpd_event_range(trace->source, xpd_depth_where(depth, index),
                        trace->space->plane[plane].range.offset +
                            trace->space->plane[plane].range.size,
                        &range, NULL) != XPD_OK ||
        range.size > sizeof bytes ||
        xpd_source_read(trace->source, range.offset, bytes, (size_t)range.size, NULL) != XPD_OK)
        return false;
    xpd_event_read(&ids, bytes, (size_t)range.size, &said);
    return xpd_said_integer(&said, 0, value);
}

/* ---- of many ---- */

#define BEFORE 11u        /* bytes that hold the size of an event */
#define PIECE  (1u << 18) /* read at once */

bool xpd_event_reader_init(struct xpd_event_reader *reader, const struct xpd_trace *trace,
                           const char *const *name, uint32_t name_count)
{
    *reader = (struct xpd_event_reader){.trace = trace,
                                        .name = name,
                                        .name_count = name_count,
                                        .plane = XPD_NO_INDEX,
                                        .bytes = malloc(PIECE),
                                        .room = PIECE};
    return reader->bytes != NULL;
}

void xpd_event_reader_fini(struct xpd_event_reader *reader)
{
    free(reader->bytes);
    reader->bytes = NULL;
}

static bool make_room(struct xpd_event_reader *reader, uint64_t size)
{
    uint8_t *bytes = size <= XPD_WINDOW_BYTES ? realloc(reader->bytes, (size_t)size) : NULL;
    if (!bytes)
        return false;
    reader->bytes = bytes;
    reader->room = size;
    return true;
}

/* Has the file's [from, end) in `bytes`, and what follows it as far as there is room. */
static bool hold(struct xpd_event_reader *reader, uint64_t from, uint64_t end)
{
    uint64_t whole = xpd_source_size(reader->trace->source);
    if (from >= reader->from && end <= reader->end)
        return true;
    if (end > whole || (end - from > reader->room && !make_room(reader, end - from)))
        return false;
    reader->from = from;
    reader->end = whole - from > reader->room ? from + reader->room : whole;
    if (xpd_source_read(reader->trace->source, from, reader->bytes, (size_t)(reader->end - from),
                        NULL) == XPD_OK)
        return true;
    reader->end = from; /* nothing is held */
    return false;
}

/* The payload of an event. */
static const uint8_t *payload_of(struct xpd_event_reader *reader, const struct xpd_depth *depth,
                                 uint32_t i, uint64_t *size)
{
    uint64_t where = depth->where_low ? xpd_depth_where(depth, i) : 0;
    uint64_t head = where < BEFORE ? where : BEFORE;
    if (head == 0 || !hold(reader, where - head, where) ||
        !xpd_event_size(reader->bytes + (where - head - reader->from), (size_t)head, size) ||
        *size > XPD_WINDOW_BYTES || !hold(reader, where, where + *size))
        return NULL;
    return reader->bytes + (where - reader->from);
}

const struct xpd_event_said *xpd_event_reader_at(struct xpd_event_reader *reader,
                                                 const struct xpd_depth *depth, uint32_t i)
{
    const struct xpd_trace *trace = reader->trace;
    uint32_t plane = trace->name[depth->name[i]].plane;
    uint64_t size;
    if (plane >= trace->space->plane_count)
        return NULL;
    if (plane != reader->plane)
        xpd_stat_ids_init(&reader->ids, &trace->tables[plane], &trace->names, reader->name,
                          reader->name_count);
    reader->plane = plane;
    const uint8_t *bytes = payload_of(reader, depth, i, &size);
    if (!bytes)
        return NULL;
    xpd_event_read(&reader->ids, bytes, (size_t)size, &reader->said);
    return &reader->said;
}
