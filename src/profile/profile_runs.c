/* How often each program ran: events on the lines "XLA Modules" of a device plane.
 *
 * An event names its metadata by id, the metadata is called "module(program id)". Only these lines
 * are decoded; they have one event for each run. */
#include "plane.h"

enum { VARINT = 0, LENGTH = 2 };

struct tally { /* events by metadata id */
    struct xpd_map64 index;
    XPD_VEC(uint64_t) count;
};

static void add(struct tally *tally, uint64_t id)
{
    uint32_t index = xpd_map64_get(&tally->index, id);
    if (index == XPD_NO_INDEX && tally->count.count < XPD_PROGRAMS_MAX) {
        index = (uint32_t)tally->count.count;
        xpd_map64_put(&tally->index, id, index);
        XPD_PUSH(&tally->count, 0);
    }
    if (index < tally->count.count)
        tally->count.at[index]++;
}

/* metadata_id 1 of the XEvent; 0 when it is not there. */
static enum xpd_walk read_event(struct xpd_reader *reader, struct xpd_wire_range range,
                                uint64_t *id, struct xpd_err *err)
{
    struct xpd_walk_field field;
    uint64_t at = range.offset;
    enum xpd_walk step;
    *id = 0;
    while ((step = xpd_walk_next(reader, &at, xpd_range_end(range), &field, err)) == XPD_WALK_FIELD)
        if (field.number == 1 && field.type == VARINT) {
            *id = field.value;
            return XPD_WALK_END;
        }
    return step;
}

static int count_line(struct xpd_reader *reader, const struct xpd_line *line, struct tally *tally,
                      struct xpd_err *err)
{
    struct xpd_walk_field field;
    uint64_t at = line->range.offset, id;
    enum xpd_walk step;
    while ((step = xpd_walk_next(reader, &at, xpd_range_end(line->range), &field, err)) ==
           XPD_WALK_FIELD) {
        if (field.number != 4 || field.type != LENGTH)
            continue;
        step = read_event(reader, field.payload, &id, err);
        if (step == XPD_WALK_FAILED)
            break;
        if (step == XPD_WALK_END)
            add(tally, id);
    }
    return step == XPD_WALK_FAILED ? err->code : XPD_OK;
}

static void add_runs(struct xpd_reader *reader, uint64_t program_id, uint64_t count)
{
    uint32_t index = xpd_map64_get(&reader->runs_of, program_id);
    if (index == XPD_NO_INDEX) {
        index = (uint32_t)reader->runs.count;
        xpd_map64_put(&reader->runs_of, program_id, index);
        XPD_PUSH(&reader->runs, ((struct xpd_program_runs){.program_id = program_id}));
    }
    if (index < reader->runs.count)
        reader->runs.at[index].count += count;
}

/* From metadata ids to programs, by the names of the metadata. */
static int name_programs(struct xpd_reader *reader, struct xpd_plane_read *read,
                         const struct tally *tally, struct xpd_err *err)
{
    struct xpd_metadata entry;
    struct xpd_metadata_region region = read->events;
    enum xpd_walk step;
    while ((step = xpd_metadata_next(reader, &region, XPD_EVENT_METADATA, &entry, err)) ==
           XPD_WALK_FIELD) {
        uint32_t index = xpd_map64_get(&tally->index, entry.id);
        if (index == XPD_NO_INDEX)
            continue;
        uint64_t size = entry.name.size < 24 ? entry.name.size : 24, program_id;
        const uint8_t *bytes;
        if (size != 0 &&
            xpd_window_peek(&reader->window, xpd_range_end(entry.name) - size, (size_t)size, &bytes,
                            NULL) == XPD_OK &&
            xpd_name_program_id((struct xpd_str){(const char *)bytes, (size_t)size}, &program_id))
            add_runs(reader, program_id, tally->count.at[index]);
    }
    return step == XPD_WALK_FAILED ? err->code : XPD_OK;
}

int xpd_runs_count(struct xpd_reader *reader, struct xpd_plane_read *read, struct xpd_err *err)
{
    struct tally tally = {0};
    xpd_name_id wanted = xpd_intern_find(&reader->space->names, XPD_STR("XLA Modules"));
    int rc = XPD_OK;
    if (wanted == XPD_NO_NAME)
        return XPD_OK;
    for (uint32_t i = 0; i < read->plane->line_count && rc == XPD_OK; i++)
        if (read->plane->line[i].name == wanted) {
            reader->has_module_lines = true;
            rc = count_line(reader, &read->plane->line[i], &tally, err);
        }
    if (rc == XPD_OK && tally.count.count != 0)
        rc = name_programs(reader, read, &tally, err);
    if (rc == XPD_OK &&
        (tally.count.failed || tally.index.failed || reader->runs.failed || reader->runs_of.failed))
        rc = xpd_fail(err, XPD_ENOMEM, xpd_source_name(reader->window.source),
                      read->plane->range.offset, "Not enough memory to count program runs.");
    XPD_VEC_FINI(&tally.count);
    xpd_map64_fini(&tally.index);
    return rc;
}
