/* A mesh of devices given by a person. In: its text, groups, a sharding. Out: axes and sentences.
 */
#include "xprofd/hlo/mesh.h"

#include "../text/text_scan.h"
#include "xprofd/base/checked.h"
#include "xprofd/hlo/sharding.h"

#include <inttypes.h>

#define TIMES "\xc3\x97"

/* ---- its text ---- */

static int refuse(struct xpd_err *err, struct xpd_str text)
{
    return xpd_fail(err, XPD_EINVAL, "mesh", XPD_NO_OFFSET,
                    "A mesh is at most %d axes with their sizes, \"data=4,model=2\" or \"4x2\", of "
                    "at most %d devices; \"%.*s\" is not a mesh.",
                    XPD_MESH_AXES_MOST, XPD_GROUP_DEVICES_MOST,
                    (int)(text.size < 60 ? text.size : 60), text.data);
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

static struct xpd_str take_name(struct xpd_text_scan *scan)
{
    while (scan->at < scan->end && *scan->at == ' ')
        scan->at++;
    struct xpd_str name = {scan->at, 0};
    while (scan->at < scan->end && is_name(*scan->at))
        scan->at++;
    name.size = (size_t)(scan->at - name.data);
    return name;
}

static bool is_taken(const struct xpd_mesh *mesh, struct xpd_str name)
{
    for (uint32_t i = 0; i < mesh->count; i++)
        if (xpd_str_eq(mesh->axis[i].name, name))
            return true;
    return false;
}

static bool take_axis(struct xpd_mesh *out, struct xpd_text_scan *scan, bool named)
{
    static const char letters[] = "abcdefgh";
    struct xpd_str name = {&letters[out->count], 1};
    int64_t size;
    if (out->count == XPD_MESH_AXES_MOST)
        return false;
    if (named) {
        name = take_name(scan);
        if (name.size == 0 || name.size > XPD_MESH_NAME_MOST || is_taken(out, name) ||
            !xpd_text_take(scan, '='))
            return false;
    }
    if (!xpd_text_int(scan, &size) || size < 1 || size > XPD_GROUP_DEVICES_MOST / out->devices)
        return false;
    out->axis[out->count++] = (struct xpd_mesh_axis){name, size, 1};
    out->devices *= size;
    return true;
}

int xpd_mesh_parse(struct xpd_mesh *out, struct xpd_str text, struct xpd_err *err)
{
    struct xpd_text_scan scan = {text.data, text.data + text.size};
    bool named = xpd_str_find(text, XPD_STR("="), false) != SIZE_MAX;
    *out = (struct xpd_mesh){.devices = 1};
    do {
        if (!take_axis(out, &scan, named))
            return refuse(err, text);
    } while (xpd_text_take(&scan, ',') || (!named && xpd_text_take(&scan, 'x')));
    while (scan.at < scan.end && *scan.at == ' ')
        scan.at++;
    if (scan.at != scan.end)
        return refuse(err, text);
    int64_t inside = 1;
    for (uint32_t i = out->count; i > 0; i--) {
        out->axis[i - 1].stride = inside;
        inside *= out->axis[i - 1].size;
    }
    return XPD_OK;
}

void xpd_mesh_words(struct xpd_strbuf *out, const struct xpd_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->count; i++)
        xpd_strbuf_printf(out, "%s%.*s=%" PRId64, i ? " " TIMES " " : "",
                          (int)mesh->axis[i].name.size, mesh->axis[i].name.data,
                          mesh->axis[i].size);
    xpd_strbuf_printf(out, ", %" PRId64 " devices", mesh->devices);
}

/* ---- groups along axes ---- */

static int64_t place_on(const struct xpd_mesh_axis *axis, int64_t device)
{
    return device / axis->stride % axis->size;
}

/* Axes along which the members of a group differ, as bits. */
static uint32_t axes_of(const struct xpd_mesh *mesh, const int64_t *member, uint32_t count)
{
    uint32_t axes = 0;
    for (uint32_t i = 0; i < mesh->count; i++)
        for (uint32_t k = 1; k < count; k++)
            if (place_on(&mesh->axis[i], member[k]) != place_on(&mesh->axis[i], member[0]))
                axes |= 1u << i;
    return axes;
}

static int64_t size_of(const struct xpd_mesh *mesh, uint32_t axes)
{
    int64_t size = 1;
    for (uint32_t i = 0; i < mesh->count; i++)
        if (axes & (1u << i))
            size *= mesh->axis[i].size;
    return size;
}

/* Whether every group covers the same axes completely; `axes` are these. Members are distinct in
 * every group that XLA writes, so their number decides. */
static bool along(const struct xpd_mesh *mesh, const struct xpd_groups *groups, uint32_t *axes)
{
    *axes = 0;
    for (uint32_t g = 0; g < groups->count; g++) {
        const int64_t *member = &groups->member[groups->first[g]];
        uint32_t count = groups->first[g + 1] - groups->first[g];
        uint32_t these = axes_of(mesh, member, count);
        if (g == 0)
            *axes = these;
        if (these != *axes || size_of(mesh, these) != count)
            return false;
    }
    return groups->count > 0;
}

static void put_axes(struct xpd_strbuf *out, const struct xpd_mesh *mesh, uint32_t axes)
{
    const char *between = "";
    for (uint32_t i = 0; i < mesh->count; i++) {
        if (!(axes & (1u << i)))
            continue;
        xpd_strbuf_printf(out, "%s%.*s", between, (int)mesh->axis[i].name.size,
                          mesh->axis[i].name.data);
        between = " and ";
    }
}

static int64_t highest_member(const struct xpd_groups *groups)
{
    int64_t most = -1;
    uint32_t count = groups->count ? groups->first[groups->count] : 0;
    for (uint32_t k = 0; k < count; k++)
        most = groups->member[k] > most ? groups->member[k] : most;
    return most;
}

void xpd_mesh_groups_words(struct xpd_strbuf *out, const struct xpd_mesh *mesh,
                           const struct xpd_groups *groups)
{
    uint32_t axes, all = (1u << mesh->count) - 1, whole = 0;
    for (uint32_t i = 0; i < mesh->count; i++)
        whole |= mesh->axis[i].size > 1 ? 1u << i : 0;
    xpd_strbuf_puts(out, "In the mesh ");
    xpd_mesh_words(out, mesh);
    int64_t highest = highest_member(groups);
    if (groups->count == 0) {
        xpd_strbuf_puts(out, ": one group, along ");
        put_axes(out, mesh, whole ? whole : all);
        xpd_strbuf_puts(out, ".");
    } else if (highest >= mesh->devices) {
        xpd_strbuf_printf(out, ": it is too small, the groups name device %" PRId64 ".", highest);
    } else if (!along(mesh, groups, &axes)) {
        xpd_strbuf_puts(out, ": the groups do not follow whole axes of it.");
    } else if (axes == 0) {
        xpd_strbuf_puts(out, ": each device by itself.");
    } else {
        xpd_strbuf_puts(out, ": each group runs along ");
        put_axes(out, mesh, axes);
        if (whole & ~axes) {
            xpd_strbuf_puts(out, ", one group for each place on ");
            put_axes(out, mesh, whole & ~axes);
        }
        xpd_strbuf_puts(out, ".");
    }
}

/* ---- shardings along axes ---- */

/* The devices of a sharding in the order of its tiles: "[..]<=[8]" or "[..]0,1,2". */
static bool devices_of(struct xpd_groups *out, struct xpd_arena *arena, struct xpd_str text,
                       int64_t count)
{
    struct xpd_strbuf form = {0};
    struct xpd_err err = {0};
    size_t close = xpd_str_find(text, XPD_STR("]"), false);
    struct xpd_str rest = {text.data + close + 1, text.size - close - 1};
    size_t end = 0;
    while (end < rest.size && rest.data[end] != '}' && rest.data[end] != 'l')
        end++; /* up to last_tile_dim... */
    while (end > 0 && rest.data[end - 1] == ' ')
        end--;
    if (end >= 2 && rest.data[0] == '<')
        xpd_strbuf_printf(&form, "[1,%" PRId64 "]%.*s", count, (int)end, rest.data);
    else
        xpd_strbuf_printf(&form, "{{%.*s}}", (int)end, rest.data);
    int rc = form.failed
                 ? XPD_ENOMEM
                 : xpd_groups_parse(out, arena, (struct xpd_str){form.data, form.size}, &err);
    xpd_strbuf_fini(&form);
    return rc == XPD_OK && out->count == 1 && out->first[1] == count;
}

/* Groups of the devices that differ only in one tile dimension: `parts` of them, `inside` devices
 * of the tile dims inside of it. */
static bool lines_of(struct xpd_groups *out, struct xpd_arena *arena,
                     const struct xpd_groups *order, int64_t parts, int64_t inside)
{
    uint32_t all = order->first[1], n = 0;
    *out = (struct xpd_groups){.count = all / (uint32_t)parts};
    out->first = XPD_NEW_ARRAY(arena, uint32_t, (size_t)out->count + 1);
    out->member = XPD_NEW_ARRAY(arena, int64_t, all);
    if (!out->first || !out->member)
        return false;
    for (uint32_t from = 0; from < all; from++) {
        if (from / inside % parts != 0)
            continue;
        out->first[n / (uint32_t)parts] = n;
        for (int64_t k = 0; k < parts; k++)
            out->member[n++] = order->member[from + k * inside];
    }
    out->first[out->count] = n;
    return n == all;
}

static void put_along(struct xpd_strbuf *out, const struct xpd_mesh *mesh,
                      const struct xpd_groups *lines)
{
    uint32_t axes;
    if (along(mesh, lines, &axes)) {
        xpd_strbuf_puts(out, " along ");
        put_axes(out, mesh, axes);
    } else {
        xpd_strbuf_puts(out, " along no whole axes");
    }
}

void xpd_mesh_sharding_words(struct xpd_strbuf *out, struct xpd_arena *arena,
                             const struct xpd_mesh *mesh, struct xpd_str sharding)
{
    struct xpd_sharding s;
    struct xpd_groups order = {0}, lines;
    bool overflow = false;
    xpd_sharding_parse(&s, sharding);
    if (s.kind != XPD_SHARDING_TILED)
        return;
    int64_t inside = s.copies;
    for (uint32_t i = 0; i < s.rank; i++)
        inside = s.tiles[i] < 1 ? 0 : xpd_mul_i64(inside, s.tiles[i], &overflow);
    if (overflow || s.copies < 1 || inside < 1 || inside > XPD_GROUP_DEVICES_MOST ||
        !devices_of(&order, arena, sharding, inside))
        return;
    xpd_strbuf_puts(out, "In the mesh ");
    xpd_mesh_words(out, mesh);
    if (highest_member(&order) >= mesh->devices) {
        xpd_strbuf_printf(out, ": it is too small, the sharding names device %" PRId64 ".",
                          highest_member(&order));
        return;
    }
    const char *between = ": ";
    for (uint32_t i = 0; i < s.rank; i++) {
        inside /= s.tiles[i];
        if (s.tiles[i] == 1 || !lines_of(&lines, arena, &order, s.tiles[i], inside))
            continue;
        xpd_strbuf_printf(out, "%sdimension %" PRIu32 " is cut", between, i);
        put_along(out, mesh, &lines);
        between = ", ";
    }
    if (s.copies > 1 && lines_of(&lines, arena, &order, s.copies, 1)) {
        xpd_strbuf_printf(out, "%s%" PRId64 " copies", between, s.copies);
        put_along(out, mesh, &lines);
        between = ", ";
    }
    xpd_strbuf_puts(out, *between == ':' ? ": all of it on one device." : ".");
}
