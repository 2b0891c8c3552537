/* The shape of an HLO text. In: text like bf16[8,<=128]{1,0:T(8,128)(2,1)S(1)} or (f32[], s32[2]).
 * Out: a shape as the loader makes them. Nesting is bounded; what is not a shape gives NULL. */
#include "explain_scan.h"

#include <stdlib.h>

enum { DEPTH_MOST = 16, TUPLE_MOST = 4096, TYPES = 64 };

static int32_t type_of(struct xpd_str word)
{
    char scratch[16];
    for (int32_t type = 1; type < TYPES; type++)
        if (type != XPD_TYPE_TUPLE && xpd_str_eq(word, xpd_str_of(xpd_type_name(type, scratch))))
            return type;
    return 0;
}

/* Numbers between commas up to `end`, which is taken; `dynamic` (may be NULL) marks "<=8". */
static bool read_ints(struct xpd_scan *scan, char end, int64_t *out, bool *dynamic, uint32_t *count)
{
    *count = 0;
    xpd_scan_blanks(scan);
    if (xpd_scan_take(scan, end))
        return true;
    while (*count < XPD_SHAPE_PARSED_RANK) {
        xpd_scan_blanks(scan);
        bool bound = xpd_scan_take(scan, '<') && xpd_scan_take(scan, '=');
        bool open = xpd_scan_take(scan, '?') || xpd_scan_take(scan, '*');
        if (open)
            out[*count] = XPD_DIM_UNBOUNDED;
        else if (!xpd_scan_int(scan, &out[*count]))
            return false;
        if (dynamic)
            dynamic[*count] = bound || open;
        ++*count;
        xpd_scan_blanks(scan);
        if (xpd_scan_take(scan, end))
            return true;
        if (!xpd_scan_take(scan, ','))
            return false;
    }
    return false;
}

static bool read_tiles(struct xpd_scan *scan, struct xpd_layout *layout)
{
    struct xpd_tile tile[XPD_SHAPE_PARSED_TILES];
    int64_t dims[XPD_SHAPE_PARSED_RANK];
    uint32_t count = 0;
    while (xpd_scan_take(scan, '(')) {
        if (count == XPD_SHAPE_PARSED_TILES ||
            !read_ints(scan, ')', dims, NULL, &tile[count].count))
            return false;
        tile[count].dims = XPD_COPY_ARRAY(scan->arena, dims, tile[count].count);
        count++;
    }
    layout->tile = XPD_COPY_ARRAY(scan->arena, tile, count);
    layout->tile_count = layout->tile ? count : 0;
    return count > 0;
}

static bool read_number(struct xpd_scan *scan, int64_t *value)
{
    return xpd_scan_take(scan, '(') && xpd_scan_int(scan, value) && xpd_scan_take(scan, ')');
}

/* What follows the ':' of a layout, in any order: T, S, E, L; other letters are passed over. */
static bool read_properties(struct xpd_scan *scan, struct xpd_layout *layout,
                            struct xpd_hlo_line *line)
{
    while (scan->at < scan->end && xpd_scan_peek(scan) != '}') {
        const char *from = scan->at;
        char letter = *scan->at++;
        bool good = true;
        if (letter == 'T')
            good = read_tiles(scan, layout);
        else if (letter == 'S' && xpd_scan_peek(scan) == '(')
            good = read_number(scan, &layout->memory_space);
        else if (letter == 'E')
            good = read_number(scan, &layout->element_size_bits);
        else if (letter == 'L')
            good = read_number(scan, &layout->tail_padding_elements);
        if (!good)
            return false;
        if (line && letter == 'T')
            line->tiles_text = xpd_scan_since(scan, from);
        if (line && letter == 'S' && layout->memory_space != 0)
            line->space_text = xpd_scan_since(scan, from);
    }
    return true;
}

static bool read_layout(struct xpd_scan *scan, struct xpd_shape *shape, struct xpd_hlo_line *line)
{
    int64_t order[XPD_SHAPE_PARSED_RANK];
    struct xpd_layout *layout = XPD_NEW(scan->arena, struct xpd_layout);
    const char *from = scan->at;
    if (!layout)
        return false;
    while (xpd_scan_is_word(xpd_scan_peek(scan)) || xpd_scan_peek(scan) == ',')
        scan->at++;
    struct xpd_scan inner = {from, scan->at, scan->arena};
    while (inner.at < inner.end && layout->minor_to_major_count < XPD_SHAPE_PARSED_RANK) {
        if (!xpd_scan_int(&inner, &order[layout->minor_to_major_count++]))
            return false;
        if (inner.at < inner.end && !xpd_scan_take(&inner, ','))
            return false;
    }
    layout->minor_to_major = XPD_COPY_ARRAY(scan->arena, order, layout->minor_to_major_count);
    if (line)
        line->order_text = xpd_scan_since(scan, from);
    if (xpd_scan_take(scan, ':') && !read_properties(scan, layout, line))
        return false;
    shape->layout = layout;
    return xpd_scan_take(scan, '}');
}

static bool read_array(struct xpd_scan *scan, struct xpd_shape *shape, struct xpd_hlo_line *line)
{
    int64_t dims[XPD_SHAPE_PARSED_RANK];
    bool dynamic[XPD_SHAPE_PARSED_RANK], any = false;
    struct xpd_str word = xpd_scan_word(scan);
    shape->type = type_of(word);
    if (shape->type == 0)
        return false;
    const char *open = scan->at;
    if (!xpd_scan_take(scan, '['))
        return false;
    if (!read_ints(scan, ']', dims, dynamic, &shape->rank))
        return false;
    if (line) {
        line->type_text = word;
        line->dims_text = xpd_scan_since(scan, open);
    }
    shape->dims = XPD_COPY_ARRAY(scan->arena, dims, shape->rank);
    for (uint32_t i = 0; i < shape->rank; i++)
        any = any || dynamic[i];
    shape->dynamic = any ? XPD_COPY_ARRAY(scan->arena, dynamic, shape->rank) : NULL;
    return shape->dims && (!xpd_scan_take(scan, '{') || read_layout(scan, shape, line));
}

static bool read_shape(struct xpd_scan *scan, struct xpd_shape *shape, struct xpd_hlo_line *line,
                       int depth);

static bool read_tuple(struct xpd_scan *scan, struct xpd_shape *shape, int depth)
{
    uint32_t count = 0, at = 0;
    struct xpd_scan ahead = *scan; /* members, counted by the commas of this level */
    for (int level = 0; ahead.at < ahead.end && level >= 0; ahead.at++) {
        char c = *ahead.at;
        level += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
        count += level == 0 && c == ',';
    }
    shape->type = XPD_TYPE_TUPLE;
    xpd_scan_blanks(scan);
    if (xpd_scan_take(scan, ')'))
        return true;
    if (++count > TUPLE_MOST || depth >= DEPTH_MOST)
        return false;
    struct xpd_shape *element = XPD_NEW_ARRAY(scan->arena, struct xpd_shape, count);
    while (element && at < count && read_shape(scan, &element[at], NULL, depth + 1)) {
        at++;
        xpd_scan_blanks(scan);
        if (xpd_scan_take(scan, ')')) {
            shape->element = element;
            shape->element_count = at;
            return true;
        }
        if (!xpd_scan_take(scan, ','))
            return false;
    }
    return false;
}

static bool read_shape(struct xpd_scan *scan, struct xpd_shape *shape, struct xpd_hlo_line *line,
                       int depth)
{
    xpd_scan_blanks(scan);
    if (xpd_scan_take(scan, '('))
        return read_tuple(scan, shape, depth);
    return read_array(scan, shape, line);
}

const struct xpd_shape *xpd_scan_shape(struct xpd_scan *scan, struct xpd_hlo_line *line)
{
    struct xpd_scan before = *scan;
    struct xpd_shape *shape = XPD_NEW(scan->arena, struct xpd_shape);
    if (shape && read_shape(scan, shape, line, 0))
        return shape;
    *scan = before;
    return NULL;
}
