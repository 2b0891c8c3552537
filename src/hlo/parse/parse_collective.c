/* Which devices work together: replica groups as lists, as iota, as axes of a mesh; pairs of source
 * and target. In: a value. Out: its message. */
#include "parse_internal.h"

enum { GROUPS_LIST = 87, GROUPS_IOTA = 92, GROUPS_MESH = 93, SLICE_SIZES = 20 };

/* Numbers up to `end`, which is taken, as packed numbers; an empty list writes nothing. */
static bool put_numbers(struct xpd_text_scan *scan, char end, struct xpd_strbuf *out,
                        uint32_t field)
{
    int64_t number;
    if (xpd_scan_take(scan, end))
        return true;
    size_t begin = xpd_out_begin(out, field);
    do {
        if (!xpd_scan_int(scan, &number))
            return false;
        xpd_out_varint(out, (uint64_t)number);
    } while (xpd_scan_take(scan, ','));
    xpd_out_end(out, begin);
    return xpd_scan_take(scan, end);
}

bool xpd_parse_iota(struct xpd_text_scan *scan, struct xpd_strbuf *out, uint32_t dims,
                    uint32_t order)
{
    if (!xpd_scan_take(scan, '[') || !put_numbers(scan, ']', out, dims))
        return false;
    if (xpd_scan_more(scan) && *scan->at == 'T') {
        scan->at++;
        return xpd_scan_take(scan, '(') && put_numbers(scan, ')', out, order);
    }
    size_t begin = xpd_out_begin(out, order); /* one dimension stays where it is */
    xpd_out_varint(out, 0);
    xpd_out_end(out, begin);
    return true;
}

/* ---- meshes ---- */

static bool read_quoted(struct xpd_text_scan *scan, struct xpd_str *name)
{
    if (!xpd_scan_take(scan, '\''))
        return false;
    const char *end = memchr(scan->at, '\'', (size_t)(scan->end - scan->at));
    if (!end)
        return false;
    *name = (struct xpd_str){scan->at, (size_t)(end - scan->at)};
    scan->at = end + 1;
    return true;
}

/* "device_ids=([4,2]T(1,0))" or "device_ids=(3,1)" */
static bool read_devices(struct xpd_text_scan *scan, struct xpd_strbuf *out)
{
    enum { DEVICE_IDS = 2, IOTA = 3 };
    if (!xpd_scan_take(scan, '('))
        return false;
    xpd_scan_space(scan);
    if (xpd_scan_peek(scan) != '[')
        return put_numbers(scan, ')', out, DEVICE_IDS);
    size_t begin = xpd_out_begin(out, IOTA);
    bool good = xpd_parse_iota(scan, out, 1, 2);
    xpd_out_end(out, begin);
    return good && xpd_scan_take(scan, ')');
}

static bool read_mesh(struct xpd_text_scan *scan, struct xpd_strbuf *out, struct xpd_axes *axes)
{
    axes->count = 0;
    if (!xpd_scan_word(scan, XPD_STR("mesh[")))
        return false;
    while (!xpd_scan_take(scan, ']')) {
        int64_t size;
        if (axes->count == XPD_SCAN_RANK || !read_quoted(scan, &axes->name[axes->count]) ||
            !xpd_scan_take(scan, '=') || !xpd_scan_int(scan, &size))
            return false;
        size_t axis = xpd_out_begin(out, 1);
        xpd_out_text(out, 1, axes->name[axes->count++]);
        xpd_out_int(out, 2, size);
        xpd_out_end(out, axis);
        (void)xpd_scan_take(scan, ',');
    }
    return !xpd_scan_word(scan, XPD_STR(", device_ids=")) || read_devices(scan, out);
}

bool xpd_parse_mesh(struct xpd_text_scan *scan, struct xpd_strbuf *out, uint32_t field,
                    struct xpd_axes *axes)
{
    size_t begin = xpd_out_begin(out, field);
    bool good = read_mesh(scan, out, axes);
    xpd_out_end(out, begin);
    return good;
}

static bool read_axis(struct xpd_text_scan *scan, const struct xpd_axes *axes,
                      struct xpd_strbuf *out)
{
    struct xpd_str name;
    int64_t before, size;
    uint32_t index = 0;
    if (!read_quoted(scan, &name))
        return false;
    while (index < axes->count && !xpd_str_eq(axes->name[index], name))
        index++;
    xpd_out_int(out, 1, index < axes->count ? (int64_t)index : -1);
    if (!xpd_scan_take(scan, ':'))
        return true;
    if (!xpd_scan_take(scan, '(') || !xpd_scan_int(scan, &before) || !xpd_scan_take(scan, ')') ||
        !xpd_scan_int(scan, &size))
        return false;
    size_t part = xpd_out_begin(out, 2);
    xpd_out_int(out, 1, before);
    xpd_out_int(out, 2, size);
    xpd_out_end(out, part);
    return true;
}

bool xpd_parse_axes(struct xpd_text_scan *scan, const struct xpd_axes *axes, struct xpd_strbuf *out,
                    uint32_t field, bool *open)
{
    *open = false;
    while (!xpd_scan_take(scan, '}')) {
        if (xpd_scan_take(scan, '?')) {
            *open = true;
            continue;
        }
        size_t begin = xpd_out_begin(out, field);
        bool good = read_axis(scan, axes, out);
        xpd_out_end(out, begin);
        if (!good)
            return false;
        (void)xpd_scan_take(scan, ',');
    }
    return true;
}

/* ---- attributes ---- */

static bool read_mesh_groups(struct xpd_text_scan *value, struct xpd_strbuf *out)
{
    struct xpd_axes axes;
    bool open;
    size_t begin = xpd_out_begin(out, GROUPS_MESH);
    bool good = xpd_parse_mesh(value, out, 1, &axes) && xpd_scan_take(value, '{') &&
                xpd_parse_axes(value, &axes, out, 2, &open);
    xpd_out_end(out, begin);
    return good;
}

/* [2,4]<=[8]T(0) */
static bool read_iota_groups(struct xpd_text_scan *value, struct xpd_strbuf *out)
{
    int64_t groups, size;
    size_t begin = xpd_out_begin(out, GROUPS_IOTA);
    bool good = xpd_scan_take(value, '[') && xpd_scan_int(value, &groups) &&
                xpd_scan_take(value, ',') && xpd_scan_int(value, &size) &&
                xpd_scan_take(value, ']') && xpd_scan_word(value, XPD_STR("<="));
    if (good) {
        xpd_out_int(out, 1, groups);
        xpd_out_int(out, 2, size);
        good = xpd_parse_iota(value, out, 3, 4);
    }
    xpd_out_end(out, begin);
    return good;
}

/* {{0,1},{2,3}}: `field` is a message with the numbers in field 1. */
static bool read_lists(struct xpd_text_scan *value, struct xpd_strbuf *out, uint32_t field)
{
    if (!xpd_scan_take(value, '{'))
        return false;
    while (xpd_scan_take(value, '{')) {
        size_t group = xpd_out_begin(out, field);
        bool good = put_numbers(value, '}', out, 1);
        xpd_out_end(out, group);
        if (!good)
            return false;
        (void)xpd_scan_take(value, ',');
    }
    return xpd_scan_take(value, '}');
}

bool xpd_read_replica_groups(struct xpd_parse *p, struct xpd_parse_line *line,
                             struct xpd_text_scan value, const struct xpd_parse_row *row)
{
    (void)p;
    (void)row;
    if (xpd_scan_peek(&value) == 'm')
        return read_mesh_groups(&value, line->out);
    if (xpd_scan_peek(&value) == '[')
        return read_iota_groups(&value, line->out);
    size_t begin = xpd_out_begin(line->out, GROUPS_LIST);
    bool good = read_lists(&value, line->out, 1);
    xpd_out_end(line->out, begin);
    return good;
}

/* {{0,1},{1,0}} */
bool xpd_read_pairs(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                    const struct xpd_parse_row *row)
{
    (void)p;
    if (!xpd_scan_take(&value, '{'))
        return false;
    while (xpd_scan_take(&value, '{')) {
        int64_t source, target;
        if (!xpd_scan_int(&value, &source) || !xpd_scan_take(&value, ',') ||
            !xpd_scan_int(&value, &target) || !xpd_scan_take(&value, '}'))
            return false;
        size_t pair = xpd_out_begin(line->out, row->field);
        xpd_out_int(line->out, 1, source);
        xpd_out_int(line->out, 2, target);
        xpd_out_end(line->out, pair);
        (void)xpd_scan_take(&value, ',');
    }
    return xpd_scan_take(&value, '}');
}

/* {1,2} of a gather; {{1,2},{3,4}} of a permute, for each array that is sent. */
bool xpd_read_slice_sizes(struct xpd_parse *p, struct xpd_parse_line *line,
                          struct xpd_text_scan value, const struct xpd_parse_row *row)
{
    struct xpd_text_scan whole = value;
    (void)p;
    if (xpd_parse_list(&whole, line->out, row->field))
        return true;
    if (!xpd_scan_take(&value, '{'))
        return false;
    while (xpd_scan_take(&value, '{')) {
        if (!put_numbers(&value, '}', line->out, SLICE_SIZES))
            return false;
        (void)xpd_scan_take(&value, ',');
    }
    return xpd_scan_take(&value, '}');
}
