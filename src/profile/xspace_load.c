/* The directory of an XSpace, in one pass.
 *
 * In: a source. Out: a frozen xpd_xspace. Planes are read one after another by plane.c; here are
 * the top of the file, the messages for damage, and the end of construction. */
#include "plane.h"
#include "xprofd/base/threads.h"

#include <string.h>

#define TEXTS_MAX 1000 /* kept of each of errors, warnings and host names */

enum { LENGTH = 2 };

struct build {
    XPD_VEC(struct xpd_plane) plane;
    XPD_VEC(xpd_name_id) text[3]; /* errors, warnings, host names: XSpace fields 2, 3, 4 */
};

static int out_of_memory(const struct xpd_reader *reader, struct xpd_err *err)
{
    return xpd_fail(err, XPD_ELIMIT, xpd_source_name(reader->window.source), XPD_NO_OFFSET,
                    "The directory of this profile does not fit the memory budget of %llu bytes; "
                    "raise --memory-limit.",
                    (unsigned long long)reader->space->arena.budget_bytes);
}

static int read_plane(struct xpd_reader *reader, struct xpd_wire_range range, struct build *build,
                      struct xpd_err *err)
{
    struct xpd_plane plane;
    enum xpd_walk verdict;
    if (build->plane.count >= XPD_PLANES_MAX) {
        xpd_warn(&reader->space->warnings, XPD_WARNING, "too_many_planes", range.offset,
                 "The profile has more than %u planes; the rest is left out.", XPD_PLANES_MAX);
        return XPD_OK;
    }
    int rc = xpd_plane_load(reader, range, &plane, &verdict, err);
    if (rc != XPD_OK)
        return rc;
    XPD_PUSH(&build->plane, plane);
    if (reader->progress) {
        atomic_fetch_add_explicit(&reader->progress->events, plane.event_count,
                                  memory_order_relaxed);
        atomic_store_explicit(&reader->progress->modules, reader->hlo.count, memory_order_relaxed);
    }
    return build->plane.failed ? out_of_memory(reader, err) : XPD_OK;
}

static int read_text(struct xpd_reader *reader, const struct xpd_walk_field *field,
                     struct build *build, struct xpd_err *err)
{
    bool failed = false;
    if (build->text[field->number - 2].count >= TEXTS_MAX)
        return XPD_OK;
    xpd_name_id text = xpd_walk_text(reader, field->payload, &failed, err);
    if (failed)
        return err->code;
    XPD_PUSH(&build->text[field->number - 2], text);
    return build->text[field->number - 2].failed ? out_of_memory(reader, err) : XPD_OK;
}

static int walk_file(struct xpd_reader *reader, struct build *build, struct xpd_err *err)
{
    struct xpd_xspace *space = reader->space;
    struct xpd_walk_field field;
    uint64_t at = 0;
    enum xpd_walk step;
    int rc = XPD_OK;
    space->whole_bytes = reader->size;
    while ((step = xpd_walk_next(reader, &at, XPD_WALK_TOP, &field, err)) == XPD_WALK_FIELD) {
        if (field.number == 1 && field.type == LENGTH)
            rc = read_plane(reader, field.payload, build, err);
        else if (field.number >= 2 && field.number <= 4 && field.type == LENGTH)
            rc = read_text(reader, &field, build, err);
        if (rc == XPD_OK)
            rc = xpd_walk_progress(reader, at, err);
        if (rc != XPD_OK)
            return rc;
    }
    if (step == XPD_WALK_FAILED)
        return err->code;
    if (step == XPD_WALK_CUT && field.number != 0) {
        space->whole_bytes = xpd_range_end(field.payload);
        if (field.number == 1 && field.payload.offset < reader->size)
            rc = read_plane(reader, field.payload, build, err);
    }
    /* A cut plane has told where inside it the file ends, which says more than its start. */
    reader->cut |= step == XPD_WALK_CUT;
    if (step == XPD_WALK_BAD || (step == XPD_WALK_CUT && reader->damage_offset == XPD_NO_OFFSET))
        xpd_walk_damage(reader, step, at, "file", 0);
    return rc;
}

struct walking {
    struct xpd_reader *reader;
    struct build *build;
    struct xpd_err *err;
    int rc;
};

static void walk_or_scout(void *context, uint32_t thread)
{
    struct walking *walking = context;
    struct xpd_reader *reader = walking->reader;
    if (thread != 0) {
        xpd_scout_work(reader->scout);
        return;
    }
    walking->rc = walk_file(reader, walking->build, walking->err);
    atomic_store(&reader->scout->done, true);
}

/* With a second thread ahead where the file is large. */
static int walk(struct xpd_reader *reader, uint32_t threads, struct build *build,
                struct xpd_err *err)
{
    struct xpd_scout scout;
    if (xpd_threads_count(threads) < 2 || reader->size < XPD_SCOUT_FILE_BYTES ||
        !xpd_scout_init(&scout, reader->window.source))
        return walk_file(reader, build, err);
    struct walking walking = {reader, build, err, XPD_OK};
    reader->scout = &scout;
    xpd_threads_run(2, walk_or_scout, &walking);
    reader->scout = NULL;
    xpd_scout_fini(&scout);
    return walking.rc;
}

static void note_damage(struct xpd_reader *reader)
{
    struct xpd_xspace *space = reader->space;
    const char *plane = xpd_intern_get(&space->names, reader->damage_name).data;
    unsigned long long at = reader->damage_offset;
    space->read_until = reader->damage_offset;
    space->complete = false;
    if (reader->cut && space->whole_bytes > reader->size)
        xpd_warn(
            &space->warnings, XPD_ERROR, "file_cut", reader->damage_offset,
            "The file is cut short: it has %llu bytes of at least %llu. Everything before byte "
            "%llu is shown%s%s%s; what came after is missing. Copy the file again, or profile "
            "again if the profiler was stopped.",
            (unsigned long long)reader->size, (unsigned long long)space->whole_bytes, at,
            plane[0] ? " (it ends inside the plane \"" : "", plane, plane[0] ? "\")" : "");
    else if (reader->cut)
        xpd_warn(
            &space->warnings, XPD_ERROR, "file_cut", reader->damage_offset,
            "The file is cut short at its end, in the %llu bytes from byte %llu on. Everything "
            "before is shown.",
            (unsigned long long)reader->size - at, at);
    else
        xpd_warn(&space->warnings, XPD_ERROR, "file_damaged", reader->damage_offset,
                 "The file is damaged: the bytes at byte %llu (a %s%s%s%s) are invalid. What could "
                 "be read is shown; parts are missing.",
                 at, reader->damage, plane[0] ? " of the plane \"" : "", plane,
                 plane[0] ? "\"" : "");
}

static bool keep(struct xpd_arena *arena, const void *from, size_t count, size_t size, void **to,
                 uint32_t *kept)
{
    *to = xpd_arena_calloc(arena, count, size);
    if (!*to || count > UINT32_MAX)
        return false;
    if (count != 0)
        memcpy(*to, from, count * size);
    *kept = (uint32_t)count;
    return true;
}

/* Without any events nothing ran. Of a file that is cut or damaged only the least is known. */
static int count_runs(struct xpd_reader *reader, struct build *build, struct xpd_err *err)
{
    bool events = false;
    for (size_t i = 0; i < build->plane.count; i++)
        events |= build->plane.at[i].event_count != 0;
    int rc = XPD_OK;
    if (events && !reader->has_module_lines)
        rc = xpd_run_ids_count(reader, build->plane.at, build->plane.count, err);
    bool whole =
        reader->damage_offset == XPD_NO_OFFSET && !xpd_source_truncated_gzip(reader->window.source);
    for (size_t i = 0; i < reader->hlo.count && rc == XPD_OK; i++) {
        struct xpd_hlo_ref *hlo = &reader->hlo.at[i];
        uint32_t runs = xpd_map64_get(&reader->runs_of, hlo->program_id);
        if (reader->has_module_lines && runs != XPD_NO_INDEX)
            hlo->run_count = reader->runs.at[runs].count;
        hlo->run_count_known |= reader->has_module_lines || !events;
        hlo->run_count_known &= whole;
    }
    return rc;
}

static int freeze(struct xpd_reader *reader, struct build *build, struct xpd_err *err)
{
    struct xpd_xspace *space = reader->space;
    struct xpd_arena *arena = &space->arena;
    bool ok = keep(arena, build->plane.at, build->plane.count, sizeof *space->plane,
                   (void **)&space->plane, &space->plane_count) &&
              keep(arena, reader->hlo.at, reader->hlo.count, sizeof *space->hlo,
                   (void **)&space->hlo, &space->hlo_count) &&
              keep(arena, build->text[0].at, build->text[0].count, sizeof *space->error,
                   (void **)&space->error, &space->error_count) &&
              keep(arena, build->text[1].at, build->text[1].count, sizeof *space->warning,
                   (void **)&space->warning, &space->warning_count) &&
              keep(arena, build->text[2].at, build->text[2].count, sizeof *space->hostname,
                   (void **)&space->hostname, &space->hostname_count);
    if (!ok)
        return out_of_memory(reader, err);
    xpd_device_facts(reader);
    xpd_read_versions(reader->space);
    return XPD_OK;
}

static void note_texts(struct xpd_xspace *space)
{
    if (space->error_count != 0)
        xpd_warn(&space->warnings, XPD_ERROR, "profiler_error", XPD_NO_OFFSET,
                 "The profiler reported %u errors, the first: %s", space->error_count,
                 xpd_intern_get(&space->names, space->error[0]).data);
    if (space->warning_count != 0)
        xpd_warn(&space->warnings, XPD_WARNING, "profiler_warning", XPD_NO_OFFSET,
                 "The profiler reported %u warnings, the first: %s", space->warning_count,
                 xpd_intern_get(&space->names, space->warning[0]).data);
}

/* Some reason to believe that this is an XSpace; else the kind of file says more than a byte
 * offset. */
static int check_found(struct xpd_reader *reader, struct xpd_err *err)
{
    const struct xpd_source *source = reader->window.source;
    struct xpd_xspace *space = reader->space;
    uint32_t found = space->error_count + space->warning_count + space->hostname_count;
    for (uint32_t i = 0; i < space->plane_count; i++)
        found |= space->plane[i].name;
    if (found != 0)
        return XPD_OK;
    return xpd_fail(err, XPD_EFORMAT, xpd_source_name(source), reader->damage_offset,
                    reader->cut
                        ? "Nothing of this profile can be read: the file is cut short "
                          "after %llu bytes."
                        : "Nothing of this profile can be read: its %llu bytes are not an XSpace.",
                    (unsigned long long)reader->size);
}

static int load(struct xpd_reader *reader, uint32_t threads, struct build *build,
                struct xpd_err *err)
{
    const struct xpd_source *source = reader->window.source;
    struct xpd_xspace *space = reader->space;
    enum xpd_file_kind kind = xpd_file_kind_of(source);
    if (kind == XPD_FILE_HLO_PROTO || kind == XPD_FILE_HLO_MODULE)
        return xpd_fail(err, XPD_EFORMAT, xpd_source_name(source), XPD_NO_OFFSET,
                        "This is an HloProto, not an XSpace: name it *.hlo_proto.pb to open it.");
    if (kind == XPD_FILE_HLO_TEXT)
        return xpd_fail(err, XPD_EFORMAT, xpd_source_name(source), XPD_NO_OFFSET,
                        "This is an HLO module in text, not an XSpace: name it *.hlo to open it.");
    if (kind != XPD_FILE_XSPACE && kind != XPD_FILE_UNKNOWN)
        return xpd_fail(err, XPD_EFORMAT, xpd_source_name(source), XPD_NO_OFFSET, "%s",
                        xpd_file_kind_advice(kind));
    int rc = walk(reader, threads, build, err);
    if (rc == XPD_OK)
        rc = count_runs(reader, build, err);
    if (rc == XPD_OK)
        rc = freeze(reader, build, err);
    if (rc == XPD_OK)
        rc = check_found(reader, err);
    if (rc == XPD_OK)
        rc = xpd_source_check(source, err);
    if (rc != XPD_OK)
        return rc;
    space->read_until = reader->size;
    space->complete = true;
    if (reader->damage_offset != XPD_NO_OFFSET)
        note_damage(reader);
    if (xpd_source_truncated_gzip(source)) {
        space->complete = false;
        xpd_warn(&space->warnings, XPD_ERROR, "gzip_cut", XPD_NO_OFFSET,
                 "The compressed file is damaged or cut: %llu bytes could be unpacked, the rest is "
                 "missing.",
                 (unsigned long long)reader->size);
    }
    note_texts(space);
    return XPD_OK;
}

int xpd_xspace_load(struct xpd_xspace **out, const struct xpd_source *source,
                    struct xpd_progress *progress, uint64_t arena_budget_bytes, struct xpd_err *err)
{
    return xpd_xspace_load_by(out, source, 0, progress, arena_budget_bytes, err);
}

int xpd_xspace_load_by(struct xpd_xspace **out, const struct xpd_source *source, uint32_t threads,
                       struct xpd_progress *progress, uint64_t arena_budget_bytes,
                       struct xpd_err *err)
{
    struct xpd_err local = {0};
    struct build build = {0};
    struct xpd_xspace *space = calloc(1, sizeof *space);
    *out = NULL;
    if (!err)
        err = &local;
    if (!space)
        return xpd_no_memory(err, xpd_source_name(source), "to read this profile");
    xpd_arena_init(&space->arena, arena_budget_bytes);
    xpd_intern_init(&space->names, &space->arena);
    space->warnings.arena = &space->arena;
    space->capacity_bytes = -1;
    space->capacity_from = space->platform = "";
    space->file_bytes = xpd_source_size(source);
    struct xpd_reader reader = {
        .space = space,
        .progress = progress,
        .size = space->file_bytes,
        .damage_offset = XPD_NO_OFFSET,
        .gpu_memory_bytes = -1,
        .event_capacity_bytes = -1,
        .hlo_platform = "",
    };
    if (progress) {
        atomic_store_explicit(&progress->total_bytes, reader.size, memory_order_relaxed);
        atomic_store_explicit(&progress->events, 0, memory_order_relaxed);
        atomic_store_explicit(&progress->modules, 0, memory_order_relaxed);
    }
    int rc = xpd_window_init(&reader.window, source, err);
    if (rc == XPD_OK)
        rc = load(&reader, threads, &build, err);
    xpd_window_fini(&reader.window);
    XPD_VEC_FINI(&reader.hlo);
    XPD_VEC_FINI(&reader.runs);
    xpd_map64_fini(&reader.hlo_seen);
    xpd_map64_fini(&reader.runs_of);
    XPD_VEC_FINI(&build.plane);
    for (int i = 0; i < 3; i++)
        XPD_VEC_FINI(&build.text[i]);
    if (rc == XPD_OK)
        *out = space;
    else
        xpd_xspace_free(space);
    return rc;
}

void xpd_xspace_free(struct xpd_xspace *space)
{
    if (!space)
        return;
    xpd_intern_fini(&space->names);
    xpd_arena_fini(&space->arena);
    free(space);
}

uint64_t xpd_xspace_memory_bytes(const struct xpd_xspace *space)
{
    return sizeof *space + space->arena.used_bytes + xpd_intern_memory_bytes(&space->names);
}
