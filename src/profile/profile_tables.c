/* The metadata tables of one plane: names of its events and stats. In: the
 * extent of both maps in the file. Out: ids, names, and the range of each
 * XEventMetadata, so that its stats can be read on demand. Only heads and
 * names are read: a metadata entry may carry a program of hundreds of
 * megabytes. */
#include "metadata.h"
#include "profile_walk.h"
#include "xprofd/profile/events.h"

/* Metadata entries.
 *
 * In: a region of a plane. Out: id, name and body of each entry of one map. Both maps have the same
 * shape: entry {key 1, value 2}, value {id 1, name 2, ...}. A plane may have 100,000 of them, and
 * most questions need a few: they are walked again for each question rather than kept. */

enum { VARINT = 0, LENGTH = 2 };

static enum xpd_walk read_body(struct xpd_reader *reader, struct xpd_metadata *entry,
                               struct xpd_err *err)
{
    struct xpd_walk_field field;
    uint64_t at = entry->body.offset, end = xpd_range_end(entry->body), id = 0;
    enum xpd_walk step;
    while ((step = xpd_walk_next(reader, &at, end, &field, err)) == XPD_WALK_FIELD) {
        if (field.number == 1 && field.type == VARINT)
            id = field.value;
        else if (field.number == 2 && field.type == LENGTH)
            entry->name = field.payload;
        else if (field.number > 2 && entry->name.size != 0)
            break; /* writers keep the order of fields; later ones may be large */
    }
    if (entry->id == 0)
        entry->id = id;
    return step == XPD_WALK_FIELD ? XPD_WALK_END : step;
}

static enum xpd_walk read_entry(struct xpd_reader *reader, struct xpd_wire_range range,
                                struct xpd_metadata *entry, struct xpd_err *err)
{
    struct xpd_walk_field field;
    uint64_t at = range.offset;
    enum xpd_walk step;
    *entry = (struct xpd_metadata){0};
    while ((step = xpd_walk_next(reader, &at, xpd_range_end(range), &field, err)) ==
           XPD_WALK_FIELD) {
        if (field.number == 1 && field.type == VARINT)
            entry->id = field.value;
        else if (field.number == 2 && field.type == LENGTH)
            entry->body = field.payload;
    }
    return step == XPD_WALK_END ? read_body(reader, entry, err) : step;
}

enum xpd_walk xpd_metadata_next(struct xpd_reader *reader, struct xpd_metadata_region *region,
                                uint32_t number, struct xpd_metadata *entry, struct xpd_err *err)
{
    struct xpd_walk_field field;
    enum xpd_walk step;
    while ((step = xpd_walk_next(reader, &region->at, region->end, &field, err)) ==
           XPD_WALK_FIELD) {
        if (field.number != number || field.type != LENGTH)
            continue;
        step = read_entry(reader, field.payload, entry, err);
        if (step == XPD_WALK_END)
            return XPD_WALK_FIELD;
        if (step == XPD_WALK_FAILED)
            return step;
    }
    return step == XPD_WALK_FAILED ? step : XPD_WALK_END;
}

#define NAME_BYTES  ((uint64_t)64 << 10)
#define DENSE_SLACK 4096 /* ids up to four times the count and this go into the dense table */

enum { EVENT_METADATA = 4, STAT_METADATA = 5 }; /* field numbers in XPlane */

struct reading {
    struct xpd_reader walk; /* positions only: its space is not used */
    struct xpd_plane_tables *tables;
    struct xpd_intern *names;
    struct xpd_warnings *warnings;
    XPD_VEC(struct xpd_event_metadata) event;
    XPD_VEC(xpd_name_id) stat;
};

static int no_room(const struct reading *reading, struct xpd_err *err)
{
    return xpd_fail(err, XPD_ELIMIT, xpd_source_name(reading->walk.window.source), XPD_NO_OFFSET,
                    "The names of the events do not fit the memory budget; raise --memory-limit.");
}

static int take_name(struct reading *reading, struct xpd_wire_range range, xpd_name_id *name,
                     struct xpd_err *err)
{
    const uint8_t *bytes;
    size_t size = (size_t)(range.size < NAME_BYTES ? range.size : NAME_BYTES);
    *name = 0;
    if (size == 0)
        return XPD_OK;
    if (size < range.size)
        xpd_warn(reading->warnings, XPD_NOTE, "long_event_name", range.offset,
                 "The name of an event has %llu bytes; the first %llu are kept.",
                 (unsigned long long)range.size, (unsigned long long)NAME_BYTES);
    int rc = xpd_window_peek(&reading->walk.window, range.offset, size, &bytes, err);
    if (rc != XPD_OK)
        return rc;
    *name = xpd_intern_put(reading->names, (const char *)bytes, size);
    return reading->names->failed ? no_room(reading, err) : XPD_OK;
}

struct entry { /* of one of the maps */
    uint64_t id;
    bool has_key;
    struct xpd_wire_range name, display_name, body;
};

/* XEventMetadata{id 1, name 2, display_name 4}, XStatMetadata{id 1, name 2}. */
static enum xpd_walk read_table_body(struct reading *reading, struct entry *entry,
                                     struct xpd_err *err)
{
    struct xpd_walk_field field;
    uint64_t at = entry->body.offset, end = xpd_range_end(entry->body), id = 0;
    enum xpd_walk step;
    while ((step = xpd_walk_next(&reading->walk, &at, end, &field, err)) == XPD_WALK_FIELD) {
        if (field.number == 1 && field.type == VARINT)
            id = field.value;
        else if (field.number == 2 && field.type == LENGTH)
            entry->name = field.payload;
        else if (field.number == 4 && field.type == LENGTH)
            entry->display_name = field.payload;
    }
    if (!entry->has_key)
        entry->id = id;
    return step;
}

static enum xpd_walk read_table_entry(struct reading *reading, struct xpd_wire_range range,
                                      struct entry *entry, struct xpd_err *err)
{
    struct xpd_walk_field field;
    uint64_t at = range.offset;
    enum xpd_walk step;
    *entry = (struct entry){0};
    while ((step = xpd_walk_next(&reading->walk, &at, xpd_range_end(range), &field, err)) ==
           XPD_WALK_FIELD) {
        if (field.number == 1 && field.type == VARINT) {
            entry->id = field.value;
            entry->has_key = true;
        } else if (field.number == 2 && field.type == LENGTH) {
            entry->body = field.payload;
        }
    }
    return step == XPD_WALK_END ? read_table_body(reading, entry, err) : step;
}

static int add_event(struct reading *reading, const struct entry *entry, struct xpd_err *err)
{
    struct xpd_event_metadata metadata = {.id = entry->id, .range = entry->body};
    int rc = take_name(reading, entry->name, &metadata.name, err);
    if (rc == XPD_OK)
        rc = take_name(reading, entry->display_name, &metadata.display_name, err);
    if (rc != XPD_OK)
        return rc;
    xpd_map64_put(&reading->tables->event_of, entry->id, (uint32_t)reading->event.count);
    XPD_PUSH(&reading->event, metadata);
    return reading->event.failed || reading->tables->event_of.failed ? no_room(reading, err)
                                                                     : XPD_OK;
}

static int add_stat(struct reading *reading, const struct entry *entry, struct xpd_err *err)
{
    xpd_name_id name;
    int rc = take_name(reading, entry->name, &name, err);
    if (rc != XPD_OK)
        return rc;
    xpd_map64_put(&reading->tables->stat_of, entry->id, (uint32_t)reading->stat.count);
    XPD_PUSH(&reading->stat, name);
    return reading->stat.failed || reading->tables->stat_of.failed ? no_room(reading, err) : XPD_OK;
}

static int read_map(struct reading *reading, struct xpd_wire_range range, uint32_t number,
                    struct xpd_err *err)
{
    struct xpd_walk_field field;
    struct entry entry;
    uint64_t at = range.offset;
    enum xpd_walk step;
    while ((step = xpd_walk_next(&reading->walk, &at, xpd_range_end(range), &field, err)) ==
           XPD_WALK_FIELD) {
        if (field.number != number || field.type != LENGTH)
            continue;
        step = read_table_entry(reading, field.payload, &entry, err);
        if (step == XPD_WALK_FAILED)
            return err->code;
        if (step != XPD_WALK_END) {
            xpd_warn(reading->warnings, XPD_WARNING, "damaged_metadata", field.payload.offset,
                     "An entry of a plane's names is damaged; events that use it have no name.");
            continue;
        }
        int rc = number == EVENT_METADATA ? add_event(reading, &entry, err)
                                          : add_stat(reading, &entry, err);
        if (rc != XPD_OK)
            return rc;
    }
    return step == XPD_WALK_FAILED ? err->code : XPD_OK;
}

/* Ids are mostly 1, 2, 3 ...; those of "/host:metadata" are hashes. */
static bool make_dense(struct xpd_plane_tables *tables, struct xpd_arena *arena)
{
    uint64_t limit = (uint64_t)tables->event_count * 4 + DENSE_SLACK, largest = 0;
    for (uint32_t i = 0; i < tables->event_count; i++) {
        uint64_t id = tables->event[i].id;
        if (id < limit && id > largest)
            largest = id;
    }
    tables->dense_count = tables->event_count == 0 ? 0 : (uint32_t)largest + 1;
    tables->dense = XPD_NEW_ARRAY(arena, uint32_t, tables->dense_count);
    if (!tables->dense)
        return false;
    for (uint32_t i = 0; i < tables->dense_count; i++)
        tables->dense[i] = XPD_NO_METADATA;
    for (uint32_t i = 0; i < tables->event_count; i++)
        if (tables->event[i].id < tables->dense_count)
            tables->dense[tables->event[i].id] = i;
    return true;
}

static int keep(struct reading *reading, struct xpd_arena *arena, struct xpd_err *err)
{
    struct xpd_plane_tables *tables = reading->tables;
    tables->event = XPD_NEW_ARRAY(arena, struct xpd_event_metadata, reading->event.count);
    tables->stat_name = XPD_NEW_ARRAY(arena, xpd_name_id, reading->stat.count);
    if (!tables->event || !tables->stat_name)
        return no_room(reading, err);
    if (reading->event.count != 0)
        memcpy(tables->event, reading->event.at, reading->event.count * sizeof *tables->event);
    if (reading->stat.count != 0)
        memcpy(tables->stat_name, reading->stat.at,
               reading->stat.count * sizeof *tables->stat_name);
    tables->event_count = (uint32_t)reading->event.count;
    tables->stat_count = (uint32_t)reading->stat.count;
    return make_dense(tables, arena) ? XPD_OK : no_room(reading, err);
}

int xpd_plane_tables_load(struct xpd_plane_tables *tables, const struct xpd_source *source,
                          const struct xpd_plane *plane, struct xpd_intern *names,
                          struct xpd_arena *arena, struct xpd_warnings *warnings,
                          struct xpd_err *err)
{
    struct xpd_err local = {0};
    struct reading reading = {.walk = {.size = xpd_source_size(source)},
                              .tables = tables,
                              .names = names,
                              .warnings = warnings};
    *tables = (struct xpd_plane_tables){0};
    if (!err)
        err = &local;
    int rc = xpd_window_init(&reading.walk.window, source, err);
    if (rc == XPD_OK)
        rc = read_map(&reading, plane->stat_metadata, STAT_METADATA, err);
    if (rc == XPD_OK)
        rc = read_map(&reading, plane->event_metadata, EVENT_METADATA, err);
    if (rc == XPD_OK)
        rc = keep(&reading, arena, err);
    xpd_window_fini(&reading.walk.window);
    XPD_VEC_FINI(&reading.event);
    XPD_VEC_FINI(&reading.stat);
    if (rc != XPD_OK)
        xpd_plane_tables_fini(tables);
    return rc;
}

void xpd_plane_tables_fini(struct xpd_plane_tables *tables)
{
    xpd_map64_fini(&tables->event_of);
    xpd_map64_fini(&tables->stat_of);
    *tables = (struct xpd_plane_tables){0};
}

bool xpd_plane_stat_id(const struct xpd_plane_tables *tables, const struct xpd_intern *names,
                       struct xpd_str name, uint64_t *id)
{
    xpd_name_id wanted = xpd_intern_find(names, name);
    if (wanted == XPD_NO_NAME)
        return false;
    for (uint32_t slot = 0; slot < tables->stat_of.slot_count; slot++) {
        uint32_t index = tables->stat_of.value[slot];
        if (index != 0 && tables->stat_name[index - 1] == wanted) {
            *id = tables->stat_of.key[slot];
            return true;
        }
    }
    return false;
}
