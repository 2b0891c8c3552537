/* The device's memory size and type. In order: the stat memory_size of
 * a GPU plane; the sum in the runtime's MemoryAllocation events
 * (reserved + allocated + available); a table by the device's name;
 * unknown. */
#include "plane.h"

#include "xprofd/profile/chips.h"

#define LINE_BYTES  ((uint64_t)1 << 20)  /* of each line, looked at for a memory event */
#define TOTAL_BYTES ((uint64_t)16 << 20) /* of all lines */
#define EVENTS_MAX  16                   /* memory events read: several devices report in turn */

enum { VARINT = 0, LENGTH = 2 };
enum { KIND_UINT = 3, KIND_INT = 4 };
enum { RESERVED, ALLOCATED, AVAILABLE, PARTS };

struct memory_search {
    uint64_t event_id, part_id[PARTS];
    bool has_event, has_part[PARTS];
    uint64_t bytes_left;
    uint32_t events;
    int64_t largest;
};

static int find_event_id(struct xpd_reader *reader, struct xpd_plane_read *read,
                         struct memory_search *search, struct xpd_err *err)
{
    struct xpd_metadata entry;
    struct xpd_metadata_region region = read->events;
    enum xpd_walk step;
    while ((step = xpd_metadata_next(reader, &region, XPD_EVENT_METADATA, &entry, err)) ==
           XPD_WALK_FIELD) {
        if (xpd_walk_is(reader, entry.name, "MemoryAllocation")) {
            search->event_id = entry.id;
            search->has_event = true;
            return XPD_OK;
        }
    }
    return step == XPD_WALK_FAILED ? err->code : XPD_OK;
}

static int find_part_ids(struct xpd_reader *reader, struct xpd_plane_read *read,
                         struct memory_search *search, struct xpd_err *err)
{
    static const char *const name[PARTS] = {"bytes_reserved", "bytes_allocated", "bytes_available"};
    struct xpd_metadata entry;
    struct xpd_metadata_region region = read->stats;
    enum xpd_walk step;
    while ((step = xpd_metadata_next(reader, &region, XPD_STAT_METADATA, &entry, err)) ==
           XPD_WALK_FIELD) {
        for (int i = 0; i < PARTS; i++)
            if (!search->has_part[i] && xpd_walk_is(reader, entry.name, name[i])) {
                search->part_id[i] = entry.id;
                search->has_part[i] = true;
            }
    }
    return step == XPD_WALK_FAILED ? err->code : XPD_OK;
}

/* The stats of one event; a sum only when the free memory is said, as CPU allocators do not. */
static enum xpd_walk read_event(struct xpd_reader *reader, struct xpd_wire_range range,
                                struct memory_search *search, struct xpd_err *err)
{
    struct xpd_walk_field field;
    uint64_t at = range.offset, id = 0, part[PARTS] = {0};
    bool has[PARTS] = {false};
    enum xpd_walk step;
    while ((step = xpd_walk_next(reader, &at, xpd_range_end(range), &field, err)) ==
           XPD_WALK_FIELD) {
        struct xpd_raw_stat stat;
        if (field.number == 1 && field.type == VARINT)
            id = field.value;
        if (id != search->event_id)
            return XPD_WALK_END; /* the id comes first */
        if (field.number != 4 || field.type != LENGTH ||
            !xpd_stat_read(reader, field.payload, &stat, &step, err) ||
            (stat.kind != KIND_UINT && stat.kind != KIND_INT))
            continue;
        for (int i = 0; i < PARTS; i++)
            if (search->has_part[i] && search->part_id[i] == stat.metadata_id) {
                part[i] = stat.value;
                has[i] = true;
            }
    }
    if (id != search->event_id)
        return step;
    search->events++;
    if (has[AVAILABLE] && part[RESERVED] < INT64_MAX / 4 && part[ALLOCATED] < INT64_MAX / 4 &&
        part[AVAILABLE] < INT64_MAX / 4) {
        int64_t sum = (int64_t)(part[RESERVED] + part[ALLOCATED] + part[AVAILABLE]);
        search->largest = sum > search->largest ? sum : search->largest;
    }
    return step;
}

static int search_line(struct xpd_reader *reader, const struct xpd_line *line,
                       struct memory_search *search, struct xpd_err *err)
{
    uint64_t size = line->range.size < LINE_BYTES ? line->range.size : LINE_BYTES;
    size = size < search->bytes_left ? size : search->bytes_left;
    search->bytes_left -= size;
    struct xpd_walk_field field;
    uint64_t at = line->range.offset, enough = at + size;
    enum xpd_walk step = XPD_WALK_END;
    while (at < enough && search->events < EVENTS_MAX &&
           (step = xpd_walk_next(reader, &at, xpd_range_end(line->range), &field, err)) ==
               XPD_WALK_FIELD)
        if (field.number == 4 && field.type == LENGTH &&
            read_event(reader, field.payload, search, err) == XPD_WALK_FAILED)
            return err->code;
    return step == XPD_WALK_FAILED ? err->code : XPD_OK;
}

int xpd_memory_events(struct xpd_reader *reader, struct xpd_plane_read *read, struct xpd_err *err)
{
    struct memory_search search = {.bytes_left = TOTAL_BYTES, .largest = -1};
    struct xpd_plane *plane = read->plane;
    if (plane->event_count == 0)
        return XPD_OK;
    int rc = find_event_id(reader, read, &search, err);
    if (rc != XPD_OK || !search.has_event)
        return rc;
    reader->space->has_memory_events = true;
    rc = find_part_ids(reader, read, &search, err);
    for (uint32_t i = 0; i < plane->line_count && rc == XPD_OK && search.bytes_left != 0 &&
                         search.events < EVENTS_MAX;
         i++)
        rc = search_line(reader, &plane->line[i], &search, err);
    if (search.largest > reader->event_capacity_bytes)
        reader->event_capacity_bytes = search.largest;
    return rc;
}

/* "/device:TPU:0" is a device, "/device:TPU:0 SparseCore 1" a part of one. */
static bool is_device(struct xpd_str name, const char *prefix)
{
    struct xpd_str start = xpd_str_of(prefix);
    int64_t ordinal;
    if (!xpd_str_starts(name, prefix))
        return false;
    struct xpd_str rest = {name.data + start.size, name.size - start.size};
    return xpd_str_to_i64(rest, &ordinal) && ordinal >= 0;
}

static void read_stats(struct xpd_reader *reader, const struct xpd_plane *plane, bool gpu)
{
    struct xpd_xspace *space = reader->space;
    for (uint32_t i = 0; i < plane->stat_count; i++) {
        const struct xpd_stat *stat = &plane->stat[i];
        struct xpd_str name = xpd_intern_get(&space->names, stat->name);
        if (stat->type == XPD_STAT_TEXT && space->device_type == 0 &&
            xpd_str_eq(name, XPD_STR("device_type_string")))
            space->device_type = stat->text;
        else if (gpu && (stat->type == XPD_STAT_UINT || stat->type == XPD_STAT_INT) &&
                 stat->integer > reader->gpu_memory_bytes &&
                 xpd_str_eq(name, XPD_STR("memory_size")))
            reader->gpu_memory_bytes = stat->integer;
    }
}

static void find_capacity(struct xpd_reader *reader)
{
    struct xpd_xspace *space = reader->space;
    space->capacity_bytes = -1;
    space->capacity_from = "";
    if (reader->gpu_memory_bytes > 0) {
        space->capacity_bytes = reader->gpu_memory_bytes;
        space->capacity_from = "memory_size of the GPU";
    } else if (reader->event_capacity_bytes > 0) {
        space->capacity_bytes = reader->event_capacity_bytes;
        space->capacity_from = "memory allocation events";
    } else if (space->device_type != 0) {
        space->capacity_nominal = true;
        space->capacity_bytes = xpd_chip_memory_bytes(
            xpd_intern_get(&space->names, space->device_type), &space->capacity_from);
    }
}

void xpd_device_facts(struct xpd_reader *reader)
{
    struct xpd_xspace *space = reader->space;
    bool tpu = false, gpu = false, host = false;
    for (uint32_t i = 0; i < space->plane_count; i++) {
        const struct xpd_plane *plane = &space->plane[i];
        struct xpd_str name = xpd_intern_get(&space->names, plane->name);
        bool is_gpu = xpd_str_starts(name, "/device:GPU:");
        gpu |= is_gpu;
        tpu |= xpd_str_starts(name, "/device:TPU:");
        host |= xpd_str_eq(name, XPD_STR("/host:CPU"));
        space->device_count += is_device(name, "/device:TPU:") || is_device(name, "/device:GPU:");
        if (xpd_str_starts(name, "/device:"))
            read_stats(reader, plane, is_gpu);
    }
    if (gpu || tpu)
        space->platform = gpu ? "gpu" : "tpu";
    else if (reader->hlo.count != 0 && reader->hlo_platform[0] != '\0')
        space->platform = reader->hlo_platform;
    else
        space->platform = host && reader->hlo.count != 0 ? "cpu" : "";
    find_capacity(reader);
}
