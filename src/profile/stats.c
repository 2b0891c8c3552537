/* Stats of a plane: values as written, names and texts from the plane's stat_metadata.
 *
 * XStat{metadata_id 1, double 2, uint64 3, int64 4, str 5, bytes 6, ref 7}: a ref is the id of
 * stat_metadata whose name is the text. Bytes stay in the file. */
#include "plane.h"

#include <string.h>

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2 };
enum { KIND_DOUBLE = 2, KIND_UINT, KIND_INT, KIND_TEXT, KIND_BYTES, KIND_REF };

bool xpd_stat_read(struct xpd_reader *reader, struct xpd_wire_range range,
                   struct xpd_raw_stat *stat, enum xpd_walk *step, struct xpd_err *err)
{
    struct xpd_walk_field field;
    uint64_t at = range.offset;
    *stat = (struct xpd_raw_stat){0};
    while ((*step = xpd_walk_next(reader, &at, xpd_range_end(range), &field, err)) ==
           XPD_WALK_FIELD) {
        if (field.number == 1 && field.type == VARINT)
            stat->metadata_id = field.value;
        else if ((field.number == KIND_DOUBLE && field.type == FIXED64) ||
                 ((field.number == KIND_UINT || field.number == KIND_INT ||
                   field.number == KIND_REF) &&
                  field.type == VARINT) ||
                 ((field.number == KIND_TEXT || field.number == KIND_BYTES) &&
                  field.type == LENGTH)) {
            stat->kind = field.number;
            stat->value = field.value;
            stat->bytes = field.payload;
        }
    }
    return *step == XPD_WALK_END;
}

struct wanted { /* stat_metadata ids whose names are asked for */
    struct xpd_map64 index;
    xpd_name_id *name;
    uint32_t count;
};

static void want(struct wanted *wanted, uint64_t id)
{
    if (xpd_map64_get(&wanted->index, id) == XPD_NO_INDEX)
        xpd_map64_put(&wanted->index, id, wanted->count++);
}

static int find_names(struct xpd_reader *reader, struct xpd_plane_read *read, struct wanted *wanted,
                      struct xpd_err *err)
{
    struct xpd_metadata entry;
    struct xpd_metadata_region region = read->stats;
    enum xpd_walk step;
    bool failed = false;
    while ((step = xpd_metadata_next(reader, &region, XPD_STAT_METADATA, &entry, err)) ==
           XPD_WALK_FIELD) {
        uint32_t index = xpd_map64_get(&wanted->index, entry.id);
        if (index != XPD_NO_INDEX)
            wanted->name[index] = xpd_walk_text(reader, entry.name, &failed, err);
        if (failed)
            return err->code;
    }
    return step == XPD_WALK_FAILED ? err->code : XPD_OK;
}

static xpd_name_id name_of(const struct wanted *wanted, uint64_t id)
{
    uint32_t index = xpd_map64_get(&wanted->index, id);
    return index != XPD_NO_INDEX ? wanted->name[index] : 0;
}

static bool resolve(struct xpd_reader *reader, const struct xpd_raw_stat *raw,
                    const struct wanted *wanted, struct xpd_stat *stat, struct xpd_err *err)
{
    bool failed = false;
    stat->name = name_of(wanted, raw->metadata_id);
    stat->integer = (int64_t)raw->value;
    switch (raw->kind) {
    case KIND_DOUBLE:
        stat->type = XPD_STAT_DOUBLE;
        memcpy(&stat->real, &raw->value, sizeof stat->real);
        break;
    case KIND_UINT: stat->type = XPD_STAT_UINT; break;
    case KIND_INT: stat->type = XPD_STAT_INT; break;
    case KIND_TEXT:
        stat->type = XPD_STAT_TEXT;
        stat->text = xpd_walk_text(reader, raw->bytes, &failed, err);
        break;
    case KIND_BYTES:
        stat->type = XPD_STAT_BYTES;
        stat->bytes = raw->bytes;
        break;
    case KIND_REF:
        stat->type = XPD_STAT_TEXT;
        stat->text = name_of(wanted, raw->value);
        break;
    default: stat->type = XPD_STAT_NONE; break;
    }
    return !failed;
}

int xpd_stats_resolve(struct xpd_reader *reader, struct xpd_plane_read *read, struct xpd_err *err)
{
    struct xpd_arena *arena = &reader->space->arena;
    struct xpd_plane *plane = read->plane;
    size_t count = read->stat.count;
    struct wanted wanted = {0};
    if (count == 0)
        return XPD_OK;
    for (size_t i = 0; i < count; i++) {
        want(&wanted, read->stat.at[i].metadata_id);
        if (read->stat.at[i].kind == KIND_REF)
            want(&wanted, read->stat.at[i].value);
    }
    wanted.name = XPD_NEW_ARRAY(arena, xpd_name_id, wanted.count);
    plane->stat = XPD_NEW_ARRAY(arena, struct xpd_stat, count);
    int rc = XPD_OK;
    if (!wanted.name || !plane->stat || wanted.index.failed)
        rc = xpd_fail(err, XPD_ELIMIT, xpd_source_name(reader->window.source), plane->range.offset,
                      "The stats of a plane do not fit the memory budget.");
    if (rc == XPD_OK)
        rc = find_names(reader, read, &wanted, err);
    for (size_t i = 0; i < count && rc == XPD_OK; i++) {
        if (!resolve(reader, &read->stat.at[i], &wanted, &plane->stat[i], err))
            rc = err->code;
        plane->stat_count = (uint32_t)(i + 1);
    }
    xpd_map64_fini(&wanted.index);
    return rc;
}
