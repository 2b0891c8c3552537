/* HloProtos of the plane "/host:metadata".
 *
 * In: the plane's metadata. Out: a reference for each program, nothing loaded. The program id is
 * the stat "program_id", else the number at the end of the entry's name (libtpu 0.0.37 wrote other
 * ids), else the entry's id. The first entry of a program wins. */
#include "outline.h"
#include "plane.h"

#include <stdio.h>
#include <string.h>

#define IDS_MAX 8 /* stat_metadata entries of one name; real files have one */

enum { LENGTH = 2 };
enum { KIND_UINT = 3, KIND_INT = 4, KIND_BYTES = 6 };

struct stat_ids { /* the plane's names of the wanted stats */
    uint64_t hlo[IDS_MAX], program[IDS_MAX];
    uint32_t hlo_count, program_count;
    bool guess; /* the names were cut off: bytes that look like an HloProto are one */
};

bool xpd_name_program_id(struct xpd_str text, uint64_t *program_id)
{
    if (text.size < 3 || text.data[text.size - 1] != ')')
        return false;
    size_t open = text.size - 1;
    while (open > 0 && text.data[open - 1] >= '0' && text.data[open - 1] <= '9')
        open--;
    if (open == 0 || text.data[open - 1] != '(')
        return false;
    return xpd_str_to_u64((struct xpd_str){text.data + open, text.size - 1 - open}, program_id);
}

static int find_stat_ids(struct xpd_reader *reader, struct xpd_plane_read *read,
                         struct stat_ids *ids, struct xpd_err *err)
{
    struct xpd_metadata entry;
    struct xpd_metadata_region region = read->stats;
    enum xpd_walk step;
    while ((step = xpd_metadata_next(reader, &region, XPD_STAT_METADATA, &entry, err)) ==
           XPD_WALK_FIELD) {
        bool hlo = xpd_walk_is(reader, entry.name, "Hlo Proto") ||
                   xpd_walk_is(reader, entry.name, "HLO Proto");
        if (hlo && ids->hlo_count < IDS_MAX)
            ids->hlo[ids->hlo_count++] = entry.id;
        else if (xpd_walk_is(reader, entry.name, "program_id") && ids->program_count < IDS_MAX)
            ids->program[ids->program_count++] = entry.id;
    }
    ids->guess = ids->hlo_count == 0 && read->verdict != XPD_WALK_END;
    return step == XPD_WALK_FAILED ? err->code : XPD_OK;
}

static bool among(const uint64_t *ids, uint32_t count, uint64_t id)
{
    for (uint32_t i = 0; i < count; i++)
        if (ids[i] == id)
            return true;
    return false;
}

struct candidate {
    struct xpd_wire_range bytes;
    uint64_t program_id;
    bool has_bytes, has_program_id;
};

/* Stats 5 of the XEventMetadata. */
static enum xpd_walk read_stats(struct xpd_reader *reader, const struct xpd_metadata *entry,
                                const struct stat_ids *ids, struct candidate *found,
                                struct xpd_err *err)
{
    struct xpd_walk_field field;
    uint64_t at = entry->body.offset, end = xpd_range_end(entry->body);
    enum xpd_walk step;
    while ((step = xpd_walk_next(reader, &at, end, &field, err)) == XPD_WALK_FIELD) {
        struct xpd_raw_stat stat;
        enum xpd_walk inner;
        if (field.number != 5 || field.type != LENGTH)
            continue;
        if (!xpd_stat_read(reader, field.payload, &stat, &inner, err)) {
            if (inner == XPD_WALK_FAILED)
                return inner;
            continue;
        }
        if (stat.kind == KIND_BYTES && !found->has_bytes &&
            (ids->guess || among(ids->hlo, ids->hlo_count, stat.metadata_id))) {
            found->bytes = stat.bytes;
            found->has_bytes = true;
        } else if ((stat.kind == KIND_UINT || stat.kind == KIND_INT) &&
                   among(ids->program, ids->program_count, stat.metadata_id)) {
            found->program_id = stat.value;
            found->has_program_id = true;
        }
    }
    return step;
}

static uint64_t program_id_of(struct xpd_reader *reader, const struct xpd_metadata *entry,
                              const struct candidate *found)
{
    uint64_t id = entry->id;
    if (found->has_program_id)
        return found->program_id;
    /* The digits are at the end, at most 22 bytes with their brackets. */
    uint64_t size = entry->name.size < 24 ? entry->name.size : 24;
    const uint8_t *bytes;
    if (size != 0 && xpd_window_peek(&reader->window, xpd_range_end(entry->name) - size,
                                     (size_t)size, &bytes, NULL) == XPD_OK)
        xpd_name_program_id((struct xpd_str){(const char *)bytes, (size_t)size}, &id);
    return id;
}

static int add_ref(struct xpd_reader *reader, const struct candidate *found, uint64_t program_id,
                   struct xpd_err *err)
{
    struct xpd_plane_outline outline;
    struct xpd_err why = {0};
    int rc = xpd_outline_read(reader, found->bytes, false, &outline, &why);
    if (rc == XPD_EFORMAT) {
        xpd_warn(
            &reader->space->warnings, XPD_WARNING, "unreadable_hlo", found->bytes.offset,
            "A program (id %llu) is left out: its %llu bytes at byte %llu are not an HloProto.",
            (unsigned long long)program_id, (unsigned long long)found->bytes.size,
            (unsigned long long)found->bytes.offset);
        return XPD_OK;
    }
    if (rc != XPD_OK) {
        *err = why;
        return rc;
    }
    bool failed = false;
    struct xpd_hlo_ref ref = {.program_id = program_id, .bytes = found->bytes};
    ref.name = xpd_walk_text(reader, outline.name, &failed, err);
    if (failed)
        return err->code;
    struct xpd_str name = xpd_intern_get(&reader->space->names, ref.name);
    char *key = xpd_arena_printf(&reader->space->arena, "%s(%llu)", name.data,
                                 (unsigned long long)program_id);
    ref.key = key ? xpd_intern_put(&reader->space->names, key, strlen(key)) : 0;
    if (reader->hlo_platform[0] == '\0')
        reader->hlo_platform = outline.platform;
    xpd_map64_put(&reader->hlo_seen, program_id, (uint32_t)reader->hlo.count);
    XPD_PUSH(&reader->hlo, ref);
    if (!key || reader->hlo.failed || reader->hlo_seen.failed || reader->space->names.failed)
        return xpd_fail(err, XPD_ELIMIT, xpd_source_name(reader->window.source),
                        found->bytes.offset,
                        "The list of programs does not fit the memory budget.");
    return XPD_OK;
}

int xpd_hlo_refs_read(struct xpd_reader *reader, struct xpd_plane_read *read, struct xpd_err *err)
{
    struct stat_ids ids = {0};
    int rc = find_stat_ids(reader, read, &ids, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_metadata entry;
    struct xpd_metadata_region region = read->events;
    enum xpd_walk step;
    while ((step = xpd_metadata_next(reader, &region, XPD_EVENT_METADATA, &entry, err)) ==
           XPD_WALK_FIELD) {
        struct candidate found = {0};
        if (read_stats(reader, &entry, &ids, &found, err) == XPD_WALK_FAILED)
            return err->code;
        if (!found.has_bytes)
            continue;
        uint64_t program_id = program_id_of(reader, &entry, &found);
        if (xpd_map64_get(&reader->hlo_seen, program_id) != XPD_NO_INDEX)
            continue;
        if (reader->hlo.count >= XPD_PROGRAMS_MAX) {
            xpd_warn(&reader->space->warnings, XPD_WARNING, "too_many_programs", found.bytes.offset,
                     "The profile has more than %u programs; the rest is left out.",
                     XPD_PROGRAMS_MAX);
            return XPD_OK;
        }
        rc = add_ref(reader, &found, program_id, err);
        if (rc == XPD_OK)
            rc = xpd_walk_progress(reader, region.at, err);
        if (rc != XPD_OK)
            return rc;
    }
    return step == XPD_WALK_FAILED ? err->code : XPD_OK;
}
