/* Shardings: {replicated}, {devices=[2,1]<=[2]}, {mesh['a'=2], [{'a'}, {}]}, tuples of them. In: a
 * value. Out: an OpSharding. */
#include "parse_internal.h"

enum {
    TYPE = 1,
    TILE_DIMS = 3,
    TILE_DEVICES = 4,
    TUPLE = 5,
    REPLICATE_LAST = 6,
    METADATA = 7,
    LAST_DIMS = 8,
    IOTA_DIMS = 9,
    IOTA_ORDER = 10,
    IS_GROUP = 11,
    GROUP_ID = 12,
    GROUP_TYPE = 13,
    NAMED = 14
};
enum { REPLICATED, MAXIMAL, IS_TUPLE, OTHER };

static bool read_word(struct xpd_text_scan *scan, int64_t *type)
{
    xpd_scan_space(scan);
    return xpd_proto_value(XPD_WORDS_ShardingType, xpd_scan_name(scan), type);
}

/* [2,1]<=[2]T(0) or [2,1]0,1 */
static bool read_devices(struct xpd_text_scan *scan, struct xpd_strbuf *out)
{
    int64_t number;
    if (!xpd_scan_take(scan, '['))
        return false;
    size_t begin = xpd_out_begin(out, TILE_DIMS);
    bool good;
    do {
        good = xpd_scan_int(scan, &number);
        if (good)
            xpd_out_varint(out, (uint64_t)number);
    } while (good && xpd_scan_take(scan, ','));
    xpd_out_end(out, begin);
    if (!good || !xpd_scan_take(scan, ']'))
        return false;
    if (xpd_scan_word(scan, XPD_STR("<=")))
        return xpd_parse_iota(scan, out, IOTA_DIMS, IOTA_ORDER);
    begin = xpd_out_begin(out, TILE_DEVICES);
    while (xpd_scan_int(scan, &number)) {
        xpd_out_varint(out, (uint64_t)number);
        if (!xpd_scan_take(scan, ','))
            break;
    }
    xpd_out_end(out, begin);
    return true;
}

static bool read_last_dims(struct xpd_text_scan *scan, struct xpd_strbuf *out)
{
    int64_t type;
    size_t begin = xpd_out_begin(out, LAST_DIMS);
    do {
        if (!read_word(scan, &type))
            return false;
        xpd_out_varint(out, (uint64_t)type);
    } while (xpd_scan_take(scan, ','));
    xpd_out_end(out, begin);
    return xpd_scan_take(scan, '}');
}

static bool read_group(struct xpd_text_scan *scan, struct xpd_strbuf *out, int64_t type)
{
    int64_t id;
    if (!xpd_scan_int(scan, &id))
        return false;
    xpd_out_int(out, IS_GROUP, 1);
    xpd_out_int(out, GROUP_ID, id);
    xpd_out_int(out, GROUP_TYPE, type);
    return true;
}

/* metadata={op_name="a"} or metadata={{...}, {...}} */
static bool read_metadata(struct xpd_parse *p, struct xpd_text_scan *scan, struct xpd_strbuf *out,
                          uint32_t field)
{
    struct xpd_text_scan value = *scan;
    xpd_scan_space(&value);
    if (xpd_scan_peek(&value) != '{' || !xpd_scan_more(&value))
        return false;
    scan->at = value.at;
    if (!xpd_scan_braces(scan, false))
        return false;
    value.end = scan->at;
    struct xpd_text_scan inner = {value.at + 1, value.end - 1};
    if (!xpd_scan_take(&inner, '{'))
        inner = value;
    else
        inner.at--;
    bool good = true;
    while (good && xpd_scan_more(&inner) && *inner.at == '{') {
        struct xpd_text_scan one = {inner.at, inner.at};
        (void)xpd_scan_braces(&inner, false);
        one.end = inner.at;
        size_t begin = xpd_out_begin(out, field);
        good = one.end > one.at && xpd_parse_put_metadata(p, one, out);
        xpd_out_end(out, begin);
        (void)xpd_scan_take(&inner, ',');
        xpd_scan_space(&inner);
    }
    return good;
}

/* ---- named ---- */

static bool read_named_dims(struct xpd_text_scan *scan, const struct xpd_axes *axes,
                            struct xpd_strbuf *out)
{
    enum { DIMS = 3, AXES = 1, IS_CLOSED = 2 };
    while (xpd_scan_take(scan, '{')) {
        bool open = false;
        size_t begin = xpd_out_begin(out, DIMS);
        bool good = xpd_parse_axes(scan, axes, out, AXES, &open);
        if (!open)
            xpd_out_int(out, IS_CLOSED, 1);
        xpd_out_end(out, begin);
        if (!good)
            return false;
        (void)xpd_scan_take(scan, ',');
    }
    return xpd_scan_take(scan, ']');
}

static bool read_named_part(struct xpd_parse *p, struct xpd_text_scan *scan,
                            const struct xpd_axes *axes, struct xpd_strbuf *out)
{
    static const struct {
        struct xpd_str key;
        uint32_t field;
    } lists[] = {{{"replicated={", 12}, 4}, {{"unreduced={", 11}, 5}, {{"manual={", 8}, 7}};
    int64_t how;
    bool open;
    if (xpd_scan_take(scan, '['))
        return read_named_dims(scan, axes, out);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (xpd_scan_word(scan, lists[i].key))
            return xpd_parse_axes(scan, axes, out, lists[i].field, &open);
    if (xpd_scan_word(scan, XPD_STR("unreduced="))) {
        if (!xpd_proto_value(XPD_WORDS_Reduction, xpd_scan_name(scan), &how))
            return false;
        xpd_out_int(out, 8, how);
        return xpd_scan_take(scan, '{') && xpd_parse_axes(scan, axes, out, 5, &open);
    }
    if (xpd_scan_word(scan, XPD_STR("metadata=")))
        return read_metadata(p, scan, out, 6);
    return xpd_scan_word(scan, XPD_STR("replicated")); /* no dimensions */
}

/* Up to the closing brace, which is not taken. */
static bool read_named(struct xpd_parse *p, struct xpd_text_scan *scan, struct xpd_strbuf *out)
{
    enum { MESH = 2, DEVICE_IDS = 2 };
    struct xpd_axes axes = {.count = 0};
    int64_t device;
    size_t begin = xpd_out_begin(out, NAMED);
    bool good = true;
    if (xpd_scan_word(scan, XPD_STR("single_device[device_id="))) {
        size_t mesh = xpd_out_begin(out, MESH);
        good = xpd_scan_int(scan, &device) && xpd_scan_take(scan, ']');
        if (good)
            xpd_out_int(out, DEVICE_IDS, device);
        xpd_out_end(out, mesh);
    } else {
        good = xpd_parse_mesh(scan, out, MESH, &axes);
    }
    while (good && xpd_scan_take(scan, ','))
        good = read_named_part(p, scan, &axes, out);
    xpd_out_end(out, begin);
    return good;
}

/* ---- one, or a tuple ---- */

/* Items after the type, in any order, up to the closing brace. */
static bool read_behind(struct xpd_parse *p, struct xpd_text_scan *scan, struct xpd_strbuf *out)
{
    while (!xpd_scan_take(scan, '}')) {
        bool good;
        if (xpd_scan_word(scan, XPD_STR("last_tile_dim_replicate"))) {
            xpd_out_int(out, REPLICATE_LAST, 1);
            good = true;
        } else if (xpd_scan_word(scan, XPD_STR("last_tile_dims={"))) {
            good = read_last_dims(scan, out);
        } else if (xpd_scan_word(scan, XPD_STR("shard_as"))) {
            good = read_group(scan, out, 0);
        } else if (xpd_scan_word(scan, XPD_STR("shard_like"))) {
            good = read_group(scan, out, 1);
        } else if (xpd_scan_word(scan, XPD_STR("metadata="))) {
            good = read_metadata(p, scan, out, METADATA);
        } else {
            good = false;
        }
        if (!good)
            return false;
    }
    return true;
}

static bool read_plain(struct xpd_text_scan *scan, struct xpd_strbuf *out)
{
    int64_t type, device;
    if (xpd_scan_word(scan, XPD_STR("devices="))) {
        xpd_out_int(out, TYPE, OTHER);
        return read_devices(scan, out);
    }
    if (!read_word(scan, &type))
        return false;
    xpd_out_int(out, TYPE, type);
    if (type != MAXIMAL)
        return true;
    if (!xpd_scan_word(scan, XPD_STR("device=")) || !xpd_scan_int(scan, &device))
        return false;
    size_t begin = xpd_out_begin(out, TILE_DEVICES);
    xpd_out_varint(out, (uint64_t)device);
    xpd_out_end(out, begin);
    return true;
}

static bool read_tuple(struct xpd_parse *p, struct xpd_text_scan *scan, struct xpd_strbuf *out,
                       int depth)
{
    xpd_out_int(out, TYPE, IS_TUPLE);
    while (!xpd_scan_take(scan, '}')) {
        if (!xpd_parse_put_sharding(p, scan, out, TUPLE, depth + 1))
            return false;
        (void)xpd_scan_take(scan, ',');
    }
    return true;
}

bool xpd_parse_put_sharding(struct xpd_parse *p, struct xpd_text_scan *scan, struct xpd_strbuf *out,
                            uint32_t field, int depth)
{
    bool good = depth < XPD_HLO_TEXT_DEPTH && xpd_scan_take(scan, '{');
    if (!good)
        return false;
    size_t begin = xpd_out_begin(out, field);
    xpd_scan_space(scan);
    char first = xpd_scan_peek(scan);
    struct xpd_str rest = xpd_scan_rest(scan);
    if (first == '{' || first == '}')
        good = read_tuple(p, scan, out, depth);
    else if (xpd_str_starts(rest, "mesh[") || xpd_str_starts(rest, "single_device["))
        good = read_named(p, scan, out) && xpd_scan_take(scan, '}');
    else
        good = read_plain(scan, out) && read_behind(p, scan, out);
    xpd_out_end(out, begin);
    return good;
}

/* A folded pair has two: first that of the wrapped instruction, then its own. A single one is its
 * own if it is for a tuple. */
bool xpd_read_sharding(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                       const struct xpd_parse_row *row)
{
    bool tuple = xpd_str_starts(xpd_scan_rest(&value), "{{");
    bool own = line->shardings++ > 0 || tuple;
    line->says_own = line->says_own || own;
    return xpd_parse_put_sharding(p, &value, own ? line->own : line->out, row->field, 0);
}

/* {kind="sharding", entry={..}, exit={..}}: the file calls the sides the other way round. */
bool xpd_read_domain(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                     const struct xpd_parse_row *row)
{
    enum { FILE_ENTRY = 54, FILE_EXIT = 55 };
    struct xpd_str key;
    struct xpd_text_scan of;
    bool good = true;
    (void)row;
    while (good && xpd_parse_pair(&value, &key, &of)) {
        if (xpd_str_eq(key, XPD_STR("entry")))
            good = xpd_parse_put_sharding(p, &of, line->out, FILE_EXIT, 0);
        else if (xpd_str_eq(key, XPD_STR("exit")))
            good = xpd_parse_put_sharding(p, &of, line->out, FILE_ENTRY, 0);
    }
    return good;
}
