/* A sharding that a person types. In: HLO's text or a PartitionSpec and a mesh. Out: HLO's text. */
#include "../text/text_scan.h"
#include "xprofd/base/checked.h"
#include "xprofd/hlo/mesh.h"
#include "xprofd/hlo/sharding.h"

#include <inttypes.h>

/* A PartitionSpec in the reading: for each dimension of the array the axes that cut it, then those
 * that cut none. */
struct spec {
    const struct xpd_mesh *mesh;
    uint32_t dims;
    int64_t tiles[XPD_SHARDING_RANK];
    uint32_t order[XPD_MESH_AXES_MOST]; /* axes in the order of the tiles */
    uint32_t used;
};

static int refuse(struct xpd_err *err, struct xpd_str typed, const char *why)
{
    return xpd_fail(
        err, XPD_EINVAL, "sharding", XPD_NO_OFFSET,
        "\"%.*s\" %s. A sharding is HLO's text, {devices=[4,1]<=[4]}, or with a mesh the axes "
        "of each dimension, P(data, None, (x, y)).",
        (int)(typed.size < 80 ? typed.size : 80), typed.data, why);
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

static struct xpd_str take_word(struct xpd_text_scan *scan)
{
    while (scan->at < scan->end && (*scan->at == ' ' || is_quote(*scan->at)))
        scan->at++;
    struct xpd_str word = {scan->at, 0};
    while (scan->at < scan->end && !strchr(" ,()'\"", *scan->at))
        scan->at++;
    word.size = (size_t)(scan->at - word.data);
    while (scan->at < scan->end && (*scan->at == ' ' || is_quote(*scan->at)))
        scan->at++;
    return word;
}

static const char *take_axis(struct spec *spec, struct xpd_text_scan *scan)
{
    struct xpd_str word = take_word(scan);
    if (xpd_str_eq(word, XPD_STR("None")))
        return NULL;
    for (uint32_t i = 0; i < spec->mesh->count; i++) {
        if (!xpd_str_eq(word, spec->mesh->axis[i].name))
            continue;
        for (uint32_t k = 0; k < spec->used; k++)
            if (spec->order[k] == i)
                return "names an axis twice";
        spec->order[spec->used++] = i;
        spec->tiles[spec->dims] *= spec->mesh->axis[i].size; /* at most the devices of the mesh */
        return NULL;
    }
    return word.size ? "names an axis that the mesh does not have" : "has an empty dimension";
}

/* NULL, or why not. */
static const char *read_spec(struct spec *spec, struct xpd_text_scan *scan)
{
    bool whole = xpd_text_take_word(scan, XPD_STR("PartitionSpec")) ||
                 xpd_text_take_word(scan, XPD_STR("P"));
    const char *why = NULL;
    whole = whole && xpd_text_take(scan, '(');
    while (!why && spec->dims < XPD_SHARDING_RANK) {
        if (whole && xpd_text_take(scan, ')'))
            return scan->at == scan->end ? NULL : "has text after its end";
        spec->tiles[spec->dims] = 1;
        if (xpd_text_take(scan, '(')) {
            do
                why = take_axis(spec, scan);
            while (!why && xpd_text_take(scan, ','));
            if (!why && !xpd_text_take(scan, ')'))
                why = "opens a parenthesis and does not close it";
        } else {
            why = take_axis(spec, scan);
        }
        spec->dims++;
        if (!why && !xpd_text_take(scan, ',')) {
            if (whole && !xpd_text_take(scan, ')'))
                return "opens a parenthesis and does not close it";
            return scan->at == scan->end ? NULL : "has text after its end";
        }
    }
    return why ? why : "has too many dimensions";
}

/* {devices=[tiles, copies]<=[mesh]T(order) last_tile_dim_replicate} */
static void put_spec(struct xpd_strbuf *out, struct spec *spec)
{
    int64_t copies = spec->mesh->devices;
    for (uint32_t d = 0; d < spec->dims; d++)
        copies /= spec->tiles[d];
    if (spec->used == 0) {
        xpd_strbuf_puts(out, "{replicated}");
        return;
    }
    for (uint32_t i = 0; i < spec->mesh->count; i++) { /* axes that split nothing come last */
        bool used = false;
        for (uint32_t k = 0; k < spec->used; k++)
            used = used || spec->order[k] == i;
        if (!used)
            spec->order[spec->used++] = i;
    }
    xpd_strbuf_puts(out, "{devices=[");
    for (uint32_t d = 0; d < spec->dims; d++)
        xpd_strbuf_printf(out, "%s%" PRId64, d ? "," : "", spec->tiles[d]);
    if (copies > 1)
        xpd_strbuf_printf(out, ",%" PRId64, copies);
    xpd_strbuf_puts(out, "]<=[");
    for (uint32_t i = 0; i < spec->mesh->count; i++)
        xpd_strbuf_printf(out, "%s%" PRId64, i ? "," : "", spec->mesh->axis[i].size);
    xpd_strbuf_puts(out, "]");
    for (uint32_t k = 0; k < spec->used && spec->mesh->count > 1; k++)
        xpd_strbuf_printf(out, "%s%" PRIu32, k ? "," : "T(", spec->order[k]);
    if (spec->mesh->count > 1)
        xpd_strbuf_putc(out, ')');
    xpd_strbuf_puts(out, copies > 1 ? " last_tile_dim_replicate}" : "}");
}

static struct xpd_str trimmed(struct xpd_str text)
{
    while (text.size && text.data[0] == ' ')
        text = (struct xpd_str){text.data + 1, text.size - 1};
    while (text.size && text.data[text.size - 1] == ' ')
        text.size--;
    return text;
}

/* Dimensions behind the last one that is named are not cut. NULL, or why not. */
static const char *fit(struct spec *spec, const struct xpd_shape *array)
{
    if (!array || array->element_count > 0)
        return NULL;
    if (spec->dims > array->rank)
        return "has more dimensions than the array";
    while (spec->dims < array->rank && spec->dims < XPD_SHARDING_RANK)
        spec->tiles[spec->dims++] = 1;
    return NULL;
}

int xpd_mesh_sharding(struct xpd_str *text, struct xpd_arena *arena, const struct xpd_mesh *mesh,
                      struct xpd_str typed, const struct xpd_shape *array, struct xpd_err *err)
{
    struct xpd_str bare = trimmed(typed);
    struct xpd_strbuf out = {0};
    struct xpd_sharding read;
    const char *why = NULL;
    xpd_strbuf_printf(&out, "%s%.*s%s", xpd_str_starts(bare, "{") ? "" : "{", (int)bare.size,
                      bare.data, xpd_str_starts(bare, "{") ? "" : "}");
    xpd_sharding_parse(&read, (struct xpd_str){out.data, out.failed ? 0 : out.size});
    if (bare.size > 1000) {
        why = "is too long";
    } else if (read.kind == XPD_SHARDING_NONE) {
        struct spec spec = {.mesh = mesh};
        struct xpd_text_scan scan = {bare.data, bare.data + bare.size};
        xpd_strbuf_clear(&out);
        why = xpd_str_starts(bare, "{") ? "is not an HLO sharding"
              : mesh->count == 0        ? "needs a mesh, whose axes it would name"
                                        : read_spec(&spec, &scan);
        if (!why)
            why = fit(&spec, array);
        if (!why)
            put_spec(&out, &spec);
    }
    const char *kept = why || out.failed ? NULL : xpd_arena_strndup(arena, out.data, out.size);
    *text = (struct xpd_str){kept ? kept : "", kept ? out.size : 0};
    xpd_strbuf_fini(&out);
    if (why)
        return refuse(err, bare, why);
    return kept ? XPD_OK : xpd_no_memory(err, "sharding", "for a sharding");
}
