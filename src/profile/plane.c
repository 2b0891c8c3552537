/* One plane: its lines, the extent of its metadata, its stats; then the questions that need its
 * names.
 *
 * In: the range of an XPlane. Out: a filled xpd_plane. The name of a plane or line decides what is
 * read, and metadata comes after the lines that use it. So the first pass only records positions,
 * and steps that need names read the metadata again. */
#include "plane.h"

#include <string.h>

#define STATS_MAX 4096 /* of a plane; real ones have about 20 */

enum { VARINT = 0, LENGTH = 2 };

static int out_of_memory(const struct xpd_reader *reader, struct xpd_err *err)
{
    return xpd_fail(err, XPD_ELIMIT, xpd_source_name(reader->window.source), XPD_NO_OFFSET,
                    "The directory of this profile does not fit the memory budget of %llu bytes; "
                    "raise --memory-limit.",
                    (unsigned long long)reader->space->arena.budget_bytes);
}

static void widen(struct xpd_metadata_region *region, uint64_t from, uint64_t to)
{
    if (region->end == 0)
        region->at = from;
    region->end = to;
}

static int read_line(struct xpd_reader *reader, struct xpd_wire_range range,
                     struct xpd_plane_read *read, struct xpd_err *err)
{
    struct xpd_line line;
    enum xpd_walk verdict;
    uint64_t stop;
    int rc = xpd_line_load(reader, range, &line, &verdict, &stop, err);
    if (rc != XPD_OK)
        return rc;
    line.cut = verdict != XPD_WALK_END;
    if (line.cut)
        xpd_walk_damage(reader, verdict, stop, "line", read->plane->name);
    read->plane->event_count += line.event_count;
    if (line.event_count == 0) {
        if (++reader->empty_line_count > XPD_EMPTY_LINES_MAX)
            return XPD_OK; /* nothing is lost with it */
    } else if (++reader->line_count > XPD_LINES_MAX) {
        xpd_warn(&reader->space->warnings, XPD_ERROR, "too_many_lines", range.offset,
                 "The profile has more than %u lines with events; the events of further lines are "
                 "counted, but not shown.",
                 XPD_LINES_MAX);
        return XPD_OK;
    }
    XPD_PUSH(&read->line, line);
    return read->line.failed ? out_of_memory(reader, err) : XPD_OK;
}

static int read_stat(struct xpd_reader *reader, struct xpd_wire_range range,
                     struct xpd_plane_read *read, struct xpd_err *err)
{
    struct xpd_raw_stat stat;
    enum xpd_walk step;
    if (read->stat.count >= STATS_MAX) {
        xpd_warn(&reader->space->warnings, XPD_NOTE, "many_plane_stats", range.offset,
                 "A plane has more than %d stats; the rest is left out.", STATS_MAX);
        return XPD_OK;
    }
    if (!xpd_stat_read(reader, range, &stat, &step, err))
        return step == XPD_WALK_FAILED ? err->code : XPD_OK;
    XPD_PUSH(&read->stat, stat);
    return read->stat.failed ? out_of_memory(reader, err) : XPD_OK;
}

static int read_field(struct xpd_reader *reader, const struct xpd_walk_field *field, uint64_t start,
                      struct xpd_plane_read *read, struct xpd_err *err)
{
    struct xpd_plane *plane = read->plane;
    bool failed = false;
    if (field->number == 1 && field->type == VARINT)
        plane->id = (int64_t)field->value;
    if (field->type != LENGTH)
        return XPD_OK;
    switch (field->number) {
    case 2: plane->name = xpd_walk_text(reader, field->payload, &failed, err); break;
    case 3: return read_line(reader, field->payload, read, err);
    case XPD_EVENT_METADATA: widen(&read->events, start, xpd_range_end(field->payload)); break;
    case XPD_STAT_METADATA: widen(&read->stats, start, xpd_range_end(field->payload)); break;
    case 6: return read_stat(reader, field->payload, read, err);
    default: break;
    }
    return failed ? err->code : XPD_OK;
}

/* A plane cut inside a line keeps the whole events of that line. */
static int read_cut_field(struct xpd_reader *reader, const struct xpd_walk_field *field,
                          struct xpd_plane_read *read, struct xpd_err *err)
{
    if (field->number == 3 && field->type == LENGTH)
        return read_line(reader, field->payload, read, err);
    const char *what = field->number == XPD_EVENT_METADATA  ? "event metadata"
                       : field->number == XPD_STAT_METADATA ? "stat metadata"
                                                            : "plane";
    xpd_walk_damage(reader, XPD_WALK_CUT, read->stop, what, read->plane->name);
    return XPD_OK;
}

static int walk_plane(struct xpd_reader *reader, struct xpd_wire_range range,
                      struct xpd_plane_read *read, struct xpd_err *err)
{
    struct xpd_walk_field field;
    uint64_t at = range.offset, start = at, metadata = 0;
    enum xpd_walk step;
    while ((step = xpd_walk_next(reader, &at, xpd_range_end(range), &field, err)) ==
           XPD_WALK_FIELD) {
        int rc = read_field(reader, &field, start, read, err);
        start = at;
        if (rc == XPD_OK && (++metadata & 0x3FF) == 0)
            rc = xpd_walk_progress(reader, at, err);
        if (rc != XPD_OK)
            return rc;
    }
    read->verdict = step;
    read->stop = at;
    if (step == XPD_WALK_FAILED)
        return err->code;
    read->plane->range = (struct xpd_wire_range){range.offset, at - range.offset};
    if (step == XPD_WALK_BAD)
        xpd_walk_damage(reader, step, at, "plane", read->plane->name);
    return step == XPD_WALK_CUT ? read_cut_field(reader, &field, read, err) : XPD_OK;
}

static struct xpd_wire_range range_of(const struct xpd_metadata_region *region)
{
    return (struct xpd_wire_range){region->at, region->end - region->at};
}

static int keep_lines(struct xpd_reader *reader, struct xpd_plane_read *read, struct xpd_err *err)
{
    struct xpd_plane *plane = read->plane;
    plane->event_metadata = range_of(&read->events);
    plane->stat_metadata = range_of(&read->stats);
    plane->line = XPD_NEW_ARRAY(&reader->space->arena, struct xpd_line, read->line.count);
    if (!plane->line || read->line.count > UINT32_MAX)
        return out_of_memory(reader, err);
    if (read->line.count != 0)
        memcpy(plane->line, read->line.at, read->line.count * sizeof *plane->line);
    plane->line_count = (uint32_t)read->line.count;
    return XPD_OK;
}

static int answer_questions(struct xpd_reader *reader, struct xpd_plane_read *read,
                            struct xpd_err *err)
{
    struct xpd_str name = xpd_intern_get(&reader->space->names, read->plane->name);
    int rc = xpd_stats_resolve(reader, read, err);
    if (rc == XPD_OK && xpd_str_eq(name, XPD_STR("/host:metadata")))
        rc = xpd_hlo_refs_read(reader, read, err);
    if (rc == XPD_OK && xpd_str_starts(name, "/device:"))
        rc = xpd_runs_count(reader, read, err);
    if (rc == XPD_OK && xpd_str_eq(name, XPD_STR("/host:CPU")))
        rc = xpd_memory_events(reader, read, err);
    return rc;
}

int xpd_plane_load(struct xpd_reader *reader, struct xpd_wire_range range, struct xpd_plane *plane,
                   enum xpd_walk *verdict, struct xpd_err *err)
{
    *plane = (struct xpd_plane){.range = range};
    struct xpd_plane_read read = {.plane = plane};
    int rc = walk_plane(reader, range, &read, err);
    if (rc == XPD_OK)
        rc = keep_lines(reader, &read, err);
    if (rc == XPD_OK)
        rc = answer_questions(reader, &read, err);
    *verdict = read.verdict;
    XPD_VEC_FINI(&read.line);
    XPD_VEC_FINI(&read.stat);
    return rc;
}
