/* The directory of an XSpace: from memory and through the window, then every HloProto it refers to.
 *
 * Whatever the bytes are: ranges lie inside of what they are in, both ways of reading say the same,
 * and a file that is not complete says so. */
#define _GNU_SOURCE 1
#include "must.h"

#include "xprofd/hlo/module.h"
#include "xprofd/profile/xspace.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ARENA = 64 << 20, WINDOW_INPUT = 64 << 10 };

static bool inside(struct xpd_wire_range inner, uint64_t offset, uint64_t size)
{
    return inner.offset >= offset && inner.offset - offset <= size &&
           inner.size <= size - (inner.offset - offset);
}

static void check_name(const struct xpd_xspace *space, xpd_name_id name)
{
    MUST(name < space->names.count);
    MUST(xpd_intern_get(&space->names, name).data != NULL);
}

static void check_plane(const struct xpd_xspace *space, const struct xpd_plane *plane)
{
    uint64_t events = 0;
    check_name(space, plane->name);
    MUST(inside(plane->range, 0, space->file_bytes) || !space->complete);
    for (uint32_t i = 0; i < plane->line_count; i++) {
        const struct xpd_line *line = &plane->line[i];
        check_name(space, line->name);
        check_name(space, line->display_name);
        MUST(inside(line->range, 0, space->file_bytes));
        if (space->complete)
            MUST(inside(line->range, plane->range.offset, plane->range.size));
        MUST(line->event_count <= line->range.size);
        events += line->event_count;
    }
    MUST(events == plane->event_count);
    for (uint32_t i = 0; i < plane->stat_count; i++) {
        check_name(space, plane->stat[i].name);
        check_name(space, plane->stat[i].text);
        if (plane->stat[i].type == XPD_STAT_BYTES)
            MUST(inside(plane->stat[i].bytes, plane->range.offset, plane->range.size));
    }
}

static void read_hlo(const struct xpd_xspace *space, const struct xpd_source *source,
                     const struct xpd_hlo_ref *ref)
{
    struct xpd_err err = {0};
    check_name(space, ref->key);
    check_name(space, ref->name);
    MUST(inside(ref->bytes, 0, space->file_bytes));
    uint8_t *bytes = malloc(ref->bytes.size + 1);
    MUST(bytes);
    size_t size = (size_t)ref->bytes.size;
    MUST(xpd_source_read(source, ref->bytes.offset, bytes, size, &err) == XPD_OK);
    struct xpd_hlo *hlo = NULL;
    struct xpd_hlo_limits limits = {.arena_bytes = ARENA};
    int rc = xpd_hlo_load(&hlo, bytes, size, ref->bytes.offset, "input", &limits, &err);
    MUST((rc == XPD_OK) == (hlo != NULL));
    MUST(rc == XPD_OK || (err.code == rc && err.text[0]));
    xpd_hlo_free(hlo);
    free(bytes);
}

static void check(const struct xpd_xspace *space, const struct xpd_source *source)
{
    MUST(space->file_bytes == xpd_source_size(source));
    MUST(space->read_until <= space->file_bytes);
    MUST(!space->complete || space->read_until == space->file_bytes);
    MUST(space->complete || space->warnings.count > 0);
    MUST(space->platform && space->capacity_bytes >= -1);
    for (uint32_t i = 0; i < space->plane_count; i++)
        check_plane(space, &space->plane[i]);
    for (uint32_t i = 0; i < space->hlo_count; i++) {
        read_hlo(space, source, &space->hlo[i]);
        for (uint32_t k = 0; k < i && k < 50; k++)
            MUST(space->hlo[k].program_id != space->hlo[i].program_id);
    }
    for (uint32_t i = 0; i < space->hostname_count; i++)
        check_name(space, space->hostname[i]);
    for (uint32_t i = 0; i < space->error_count; i++)
        check_name(space, space->error[i]);
    for (uint32_t i = 0; i < space->warning_count; i++)
        check_name(space, space->warning[i]);
    for (uint32_t i = 0; i < space->warnings.count; i++)
        MUST(space->warnings.item[i].code && space->warnings.item[i].text);
    MUST(xpd_xspace_memory_bytes(space) >= sizeof *space);
}

static struct xpd_xspace *load(const struct xpd_source *source, struct xpd_err *err, int *rc)
{
    struct xpd_xspace *space = NULL;
    struct xpd_progress progress = {0};
    *rc = xpd_xspace_load(&space, source, &progress, ARENA, err);
    MUST((*rc == XPD_OK) == (space != NULL));
    MUST(*rc == XPD_OK || (err->code == *rc && err->text[0]));
    MUST(progress.done_bytes <= progress.total_bytes);
    return space;
}

static void same(const struct xpd_xspace *a, const struct xpd_xspace *b)
{
    MUST(a->plane_count == b->plane_count && a->hlo_count == b->hlo_count);
    MUST(a->complete == b->complete && a->read_until == b->read_until);
    MUST(a->whole_bytes == b->whole_bytes && a->device_count == b->device_count);
    MUST(a->names.count == b->names.count && a->warnings.count == b->warnings.count);
    MUST(a->capacity_bytes == b->capacity_bytes && strcmp(a->platform, b->platform) == 0);
    for (uint32_t i = 0; i < a->plane_count; i++)
        MUST(a->plane[i].event_count == b->plane[i].event_count &&
             a->plane[i].line_count == b->plane[i].line_count &&
             a->plane[i].stat_count == b->plane[i].stat_count);
    for (uint32_t i = 0; i < a->hlo_count; i++)
        MUST(a->hlo[i].bytes.offset == b->hlo[i].bytes.offset &&
             a->hlo[i].run_count == b->hlo[i].run_count && a->hlo[i].key == b->hlo[i].key);
}

/* The same bytes in a file, so that the window has to move. */
static void load_from_file(const uint8_t *data, size_t size, const struct xpd_xspace *expected)
{
    struct xpd_source *source = NULL;
    struct xpd_err err = {0};
    char path[64];
    int rc;
    int fd = memfd_create("input", MFD_CLOEXEC);
    MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    MUST(xpd_source_open(&source, path, 1 << 20, &err) == XPD_OK);
    struct xpd_xspace *space = load(source, &err, &rc);
    MUST((space != NULL) == (expected != NULL));
    if (space)
        same(space, expected);
    xpd_xspace_free(space);
    xpd_source_close(source);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xpd_source *source = NULL;
    struct xpd_err err = {0};
    int rc;
    MUST(xpd_source_open_memory(&source, data, size, "input", &err) == XPD_OK);
    enum xpd_file_kind kind = xpd_file_kind_of(source);
    const char *advice = xpd_file_kind_advice(kind);
    MUST(!advice || advice[0]);
    for (int bare = 0; bare < 2; bare++) {
        struct xpd_hlo_outline outline;
        rc = xpd_hlo_outline(&outline, source, bare, &err);
        MUST(rc != XPD_OK || memchr(outline.name, 0, sizeof outline.name));
    }
    struct xpd_xspace *space = load(source, &err, &rc);
    if (space)
        check(space, source);
    bool gzip = size > 1 && data[0] == 0x1f && data[1] == 0x8b;
    if (size > 0 && size <= WINDOW_INPUT && !gzip)
        load_from_file(data, size, space);
    xpd_xspace_free(space);
    xpd_source_close(source);
    return 0;
}
