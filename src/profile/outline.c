/* A look at an HloProto: name, id, platform.
 *
 * HloProto{hlo_module 1, buffer_assignment 3}, HloModuleProto{name 1, computations 3,
 * host_program_shape 4, id 5, device_type 21}. Computations are jumped over, so that the cost does
 * not depend on their size. Only XLA:TPU tiles the layouts of a program's parameters, and nothing
 * else in most HloProtos tells the platform. */
#include "outline.h"

#include "xprofd/profile/xspace.h"
#include <string.h>

#define SHAPES_MAX 64 /* looked at for a tile */

enum { VARINT = 0, LENGTH = 2 };

/* Does the ShapeProto{tuple_shapes 4, layout 5{tiles 6}} have a tile? */
static bool shape_is_tiled(struct xpd_reader *reader, struct xpd_wire_range range, int depth,
                           int *left)
{
    struct xpd_walk_field field, inner;
    uint64_t at = range.offset;
    if ((*left)-- <= 0)
        return false;
    while (xpd_walk_next(reader, &at, xpd_range_end(range), &field, NULL) == XPD_WALK_FIELD) {
        if (field.type != LENGTH)
            continue;
        if (field.number == 4 && depth > 0 &&
            shape_is_tiled(reader, field.payload, depth - 1, left))
            return true;
        uint64_t in = field.payload.offset;
        while (field.number == 5 && xpd_walk_next(reader, &in, xpd_range_end(field.payload), &inner,
                                                  NULL) == XPD_WALK_FIELD)
            if (inner.number == 6 && inner.type == LENGTH)
                return true;
    }
    return false;
}

/* ProgramShapeProto{parameters 1, result 2}. */
static bool program_is_tiled(struct xpd_reader *reader, struct xpd_wire_range range)
{
    struct xpd_walk_field field;
    uint64_t at = range.offset;
    int left = SHAPES_MAX;
    while (left > 0 &&
           xpd_walk_next(reader, &at, xpd_range_end(range), &field, NULL) == XPD_WALK_FIELD)
        if ((field.number == 1 || field.number == 2) && field.type == LENGTH &&
            shape_is_tiled(reader, field.payload, 2, &left))
            return true;
    return false;
}

static const char *platform_of_text(struct xpd_reader *reader, struct xpd_wire_range range)
{
    static const char *const word[] = {"tpu", "gpu", "cpu"};
    const uint8_t *bytes;
    size_t size = (size_t)(range.size < 256 ? range.size : 256);
    if (size == 0 || xpd_window_peek(&reader->window, range.offset, size, &bytes, NULL) != XPD_OK)
        return "";
    struct xpd_str text = {(const char *)bytes, size};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (xpd_str_find(text, xpd_str_of(word[i]), true) != SIZE_MAX)
            return word[i];
    return "";
}

static enum xpd_walk read_module(struct xpd_reader *reader, struct xpd_wire_range range,
                                 struct xpd_plane_outline *out, struct xpd_err *err)
{
    struct xpd_walk_field field;
    uint64_t at = range.offset;
    bool tiled = false;
    enum xpd_walk step;
    while ((step = xpd_walk_next(reader, &at, xpd_range_end(range), &field, err)) ==
           XPD_WALK_FIELD) {
        if (field.number == 5 && field.type == VARINT)
            out->module_id = field.value;
        if (field.type != LENGTH)
            continue;
        if (field.number == 1)
            out->name = field.payload;
        else if (field.number == 4)
            tiled = program_is_tiled(reader, field.payload);
        else if (field.number == 21)
            out->platform = platform_of_text(reader, field.payload);
    }
    if (out->platform[0] == '\0' && tiled)
        out->platform = "tpu";
    return step;
}

int xpd_outline_read(struct xpd_reader *reader, struct xpd_wire_range range, bool bare,
                     struct xpd_plane_outline *out, struct xpd_err *err)
{
    struct xpd_walk_field field;
    uint64_t at = range.offset;
    enum xpd_walk step = XPD_WALK_END;
    *out = (struct xpd_plane_outline){.platform = ""};
    if (bare)
        step = read_module(reader, range, out, err);
    while (!bare && (step = xpd_walk_next(reader, &at, xpd_range_end(range), &field, err)) ==
                        XPD_WALK_FIELD) {
        if (field.number == 1 && field.type == LENGTH)
            step = read_module(reader, field.payload, out, err);
        else if (field.number == 3 && field.type == LENGTH)
            out->has_assignment = true;
        if (step == XPD_WALK_FAILED)
            break;
    }
    if (step == XPD_WALK_FAILED)
        return err ? err->code : XPD_EIO;
    if (out->name.size == 0)
        return xpd_fail(err, XPD_EFORMAT, xpd_source_name(reader->window.source), range.offset,
                        "The bytes are not an HloProto: they contain no module name.");
    return XPD_OK;
}

int xpd_hlo_outline(struct xpd_hlo_outline *out, const struct xpd_source *source, bool bare,
                    struct xpd_err *err)
{
    struct xpd_reader reader = {.size = xpd_source_size(source)};
    struct xpd_plane_outline outline;
    struct xpd_err local;
    *out = (struct xpd_hlo_outline){.platform = ""};
    if (!err)
        err = &local;
    int rc = xpd_window_init(&reader.window, source, err);
    if (rc != XPD_OK)
        return rc;
    rc = xpd_outline_read(&reader, (struct xpd_wire_range){0, reader.size}, bare, &outline, err);
    if (rc == XPD_OK) {
        const uint8_t *bytes;
        size_t size = outline.name.size < sizeof out->name - 1 ? (size_t)outline.name.size
                                                               : sizeof out->name - 1;
        rc = xpd_window_peek(&reader.window, outline.name.offset, size, &bytes, err);
        if (rc == XPD_OK)
            memcpy(out->name, bytes, size);
        out->module_id = outline.module_id;
        out->platform = outline.platform;
        out->has_assignment = outline.has_assignment;
    }
    xpd_window_fini(&reader.window);
    return rc;
}
