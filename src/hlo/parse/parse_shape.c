/* Shapes: bf16[8,128]{1,0:T(8,128)(2,1)S(1)}, tuples with index comments, b(...), token[].
 *
 * In: the text behind "=" of an instruction, or of a program's layout. Out: a ShapeProto. Tuples
 * and physical shapes may nest XPD_HLO_TEXT_DEPTH deep. */
#include "parse_internal.h"

enum { SHAPE_TYPE = 2, SHAPE_DIMS = 3, SHAPE_TUPLE = 4, SHAPE_LAYOUT = 5, SHAPE_DYNAMIC = 6 };
enum {
    LAYOUT_MINOR = 1,
    LAYOUT_TILES = 6,
    LAYOUT_BITS = 7,
    LAYOUT_SPACE = 8,
    LAYOUT_PHYSICAL = 10,
    LAYOUT_INDEX = 11,
    LAYOUT_POINTER = 12,
    LAYOUT_PREFIX = 15,
    LAYOUT_TAIL = 16,
    LAYOUT_SPLIT = 17
};

struct reader {
    struct xpd_text_scan *scan;
    struct xpd_strbuf *out;
    bool bare; /* layouts are stepped over */
    int depth;
    struct xpd_array *array; /* the last one */
};

/* "f32" -> 11, "t77" -> 77; 0: no type. */
static int32_t type_of(struct xpd_str name)
{
    int64_t number;
    if (name.size == 0)
        return 0;
    int32_t known = xpd_type_of(name);
    if (known != 0)
        return known == XPD_TYPE_TUPLE || known == XPD_TYPE_BUFFER ? 0 : known;
    struct xpd_str digits = {name.data + 1, name.size - 1};
    if (name.data[0] == 't' && xpd_str_to_i64(digits, &number) && number >= XPD_TYPES &&
        number <= INT32_MAX)
        return (int32_t)number;
    return 0;
}

static void put_packed(struct xpd_strbuf *out, uint32_t field, const int64_t *value, uint32_t count)
{
    char bytes[XPD_SCAN_RANK * XPD_VARINT_MOST];
    size_t size = 0;
    if (count == 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        size += xpd_out_encode(bytes + size, (uint64_t)value[i]);
    xpd_out_text(out, field, (struct xpd_str){bytes, size});
}

/* Digits are the rule, so they come first. */
static bool read_dim(struct xpd_text_scan *scan, int64_t *value, bool *dynamic)
{
    *dynamic = false;
    if (xpd_scan_int(scan, value))
        return true;
    if (xpd_scan_word(scan, XPD_STR("<="))) {
        *dynamic = true;
        if (xpd_scan_int(scan, value))
            return true;
    }
    *value = XPD_DIM_UNBOUNDED;
    *dynamic = true;
    return xpd_scan_take(scan, '?');
}

/* After "[". */
static bool read_dims(struct reader *r)
{
    bool any = false;
    int64_t dynamic[XPD_SCAN_RANK];
    struct xpd_array *array = r->array;
    array->rank = 0;
    if (xpd_scan_peek(r->scan) != ']') {
        do {
            bool is_dynamic;
            if (array->rank == XPD_SCAN_RANK ||
                !read_dim(r->scan, &array->dims[array->rank], &is_dynamic))
                return false;
            any = any || is_dynamic;
            dynamic[array->rank++] = is_dynamic;
        } while (xpd_scan_take(r->scan, ','));
    }
    put_packed(r->out, SHAPE_DIMS, array->dims, array->rank);
    if (any)
        put_packed(r->out, SHAPE_DYNAMIC, dynamic, array->rank);
    return xpd_scan_take(r->scan, ']');
}

/* ---- layouts ---- */

static bool read_number(struct reader *r, uint32_t field)
{
    int64_t value;
    if (!xpd_scan_take(r->scan, '(') || !xpd_scan_int(r->scan, &value))
        return false;
    xpd_out_int(r->out, field, value);
    return xpd_scan_take(r->scan, ')');
}

static bool read_tiles(struct reader *r)
{
    while (xpd_scan_peek(r->scan) == '(') {
        int64_t dims[XPD_SCAN_RANK];
        uint32_t count = 0;
        r->scan->at++;
        do {
            if (count == XPD_SCAN_RANK)
                return false;
            dims[count] = XPD_DIM_UNBOUNDED;
            if (xpd_scan_peek(r->scan) == ')' ||
                (!xpd_scan_int(r->scan, &dims[count]) && !xpd_scan_take(r->scan, '*')))
                break;
            count++;
        } while (xpd_scan_take(r->scan, ','));
        if (!xpd_scan_take(r->scan, ')'))
            return false;
        size_t begin = xpd_out_begin(r->out, LAYOUT_TILES);
        put_packed(r->out, 1, dims, count);
        xpd_out_end(r->out, begin);
    }
    return true;
}

static bool read_primitive(struct reader *r, uint32_t field)
{
    if (!xpd_scan_take(r->scan, '('))
        return false;
    int32_t type = type_of(xpd_scan_name(r->scan));
    if (type == 0)
        return false;
    xpd_out_int(r->out, field, type);
    return xpd_scan_take(r->scan, ')');
}

static bool read_splits(struct reader *r)
{
    while (xpd_scan_peek(r->scan) == '(') {
        int64_t index[XPD_SCAN_RANK], dimension;
        uint32_t count = 0;
        r->scan->at++;
        if (!xpd_scan_int(r->scan, &dimension) || !xpd_scan_take(r->scan, ':'))
            return false;
        while (count < XPD_SCAN_RANK && xpd_scan_int(r->scan, &index[count])) {
            count++;
            if (!xpd_scan_take(r->scan, ','))
                break;
        }
        if (!xpd_scan_take(r->scan, ')'))
            return false;
        size_t begin = xpd_out_begin(r->out, LAYOUT_SPLIT);
        xpd_out_int(r->out, 1, dimension);
        put_packed(r->out, 2, index, count);
        xpd_out_end(r->out, begin);
    }
    return true;
}

static bool read_shape(struct reader *r, uint32_t field);

static bool read_physical(struct reader *r)
{
    struct xpd_array array;
    struct reader inner = *r;
    inner.array = &array;
    return xpd_scan_take(r->scan, '(') && read_shape(&inner, LAYOUT_PHYSICAL) &&
           xpd_scan_take(r->scan, ')');
}

/* Dimension levels of sparse arrays, D(D,C) and the like, which nothing here reads. */
static bool skip_levels(struct reader *r)
{
    return xpd_scan_peek(r->scan) == '(' && xpd_scan_braces(r->scan, true);
}

static bool read_part(struct reader *r)
{
    struct xpd_text_scan *scan = r->scan;
    if (xpd_scan_word(scan, XPD_STR("SC")))
        return read_splits(r);
    char what = xpd_scan_peek(scan);
    scan->at += scan->at < scan->end;
    switch (what) {
    case 'T': return read_tiles(r);
    case 'L': return read_number(r, LAYOUT_TAIL);
    case '#': return read_primitive(r, LAYOUT_INDEX);
    case '*': return read_primitive(r, LAYOUT_POINTER);
    case 'E': return read_number(r, LAYOUT_BITS);
    case 'S': return read_number(r, LAYOUT_SPACE);
    case 'P': return read_physical(r);
    case 'M': return read_number(r, LAYOUT_PREFIX);
    case 'D': return skip_levels(r);
    default: return false;
    }
}

/* After "{". */
static bool read_layout(struct reader *r)
{
    struct xpd_array *array = r->array;
    uint32_t count = 0;
    size_t begin = xpd_out_begin(r->out, SHAPE_LAYOUT);
    while (count < XPD_SCAN_RANK && xpd_scan_int(r->scan, &array->minor[count])) {
        count++;
        if (!xpd_scan_take(r->scan, ','))
            break;
    }
    put_packed(r->out, LAYOUT_MINOR, array->minor, count);
    if (xpd_scan_take(r->scan, ':')) {
        while (xpd_scan_more(r->scan) && xpd_scan_peek(r->scan) != '}')
            if (!read_part(r))
                return false;
    }
    xpd_out_end(r->out, begin);
    return xpd_scan_take(r->scan, '}');
}

static bool read_array(struct reader *r)
{
    struct xpd_str name = xpd_scan_name(r->scan);
    int32_t type = type_of(name);
    r->array->type = type;
    if (type == 0 || !xpd_scan_take(r->scan, '['))
        return false;
    xpd_out_int(r->out, SHAPE_TYPE, type);
    if (!read_dims(r))
        return false;
    if (xpd_scan_peek(r->scan) == '{') {
        if (r->bare)
            return xpd_scan_braces(r->scan, true);
        r->scan->at++;
        return read_layout(r);
    }
    /* A scalar has a layout that is not written. */
    if (!r->bare && r->array->rank == 0 && type != XPD_TYPE_TOKEN && type != XPD_TYPE_OPAQUE)
        xpd_out_end(r->out, xpd_out_begin(r->out, SHAPE_LAYOUT));
    return true;
}

static bool read_tuple(struct reader *r)
{
    xpd_out_int(r->out, SHAPE_TYPE, XPD_TYPE_TUPLE);
    if (xpd_scan_take(r->scan, ')'))
        return true;
    do {
        if (!read_shape(r, SHAPE_TUPLE))
            return false;
    } while (xpd_scan_take(r->scan, ','));
    r->array->type = XPD_TYPE_TUPLE;
    r->array->rank = 0;
    return xpd_scan_take(r->scan, ')');
}

static bool read_buffer(struct reader *r)
{
    xpd_out_int(r->out, SHAPE_TYPE, XPD_TYPE_BUFFER);
    bool good = read_shape(r, SHAPE_TUPLE) && xpd_scan_take(r->scan, ')');
    r->array->type = XPD_TYPE_BUFFER;
    return good;
}

static bool read_shape(struct reader *r, uint32_t field)
{
    bool good;
    if (r->depth >= XPD_HLO_TEXT_DEPTH)
        return false;
    r->depth++;
    xpd_scan_space(r->scan);
    size_t begin = xpd_out_begin(r->out, field);
    if (xpd_scan_take(r->scan, '('))
        good = read_tuple(r);
    else if (xpd_scan_word(r->scan, XPD_STR("b(")))
        good = read_buffer(r);
    else
        good = read_array(r);
    xpd_out_end(r->out, begin);
    r->depth--;
    return good;
}

bool xpd_parse_shape(struct xpd_text_scan *scan, struct xpd_strbuf *out, uint32_t field,
                     struct xpd_array *array)
{
    struct xpd_array unwanted;
    struct reader r = {.scan = scan, .out = out, .array = array ? array : &unwanted};
    return read_shape(&r, field);
}

/* A program has few shapes and writes them again and again: the first of each place in the table is
 * copied from there on. One with a blank in it, as a tuple's, is always read. */
bool xpd_parse_instruction_shape(struct xpd_parse *p)
{
    enum { SHAPE = 3 };
    const char *at = p->scan.at, *blank = memchr(at, ' ', (size_t)(p->scan.end - at));
    struct xpd_str text = {at, blank ? (size_t)(blank - at) : 0};
    struct xpd_known_shape *known =
        &p->known_shape[xpd_hash(text.data, text.size) % XPD_KNOWN_SHAPES];
    if (text.size != 0 && xpd_str_eq(known->text, text)) {
        xpd_strbuf_add(&p->body, known->field.data, known->field.size);
        p->scan.at = blank;
        return true;
    }
    size_t begin = p->body.size;
    if (!xpd_parse_shape(&p->scan, &p->body, SHAPE, NULL))
        return false;
    if (known->text.size == 0 && p->scan.at == blank && !p->body.failed) {
        known->field = xpd_arena_str(&p->scratch,
                                     (struct xpd_str){p->body.data + begin, p->body.size - begin});
        known->text = text;
    }
    return true;
}

bool xpd_parse_bare_shape(struct xpd_text_scan *scan, struct xpd_strbuf *out, uint32_t field)
{
    struct xpd_array unwanted;
    struct reader r = {.scan = scan, .out = out, .bare = true, .array = &unwanted};
    return read_shape(&r, field);
}

bool xpd_parse_skip_shape(struct xpd_text_scan *scan)
{
    xpd_scan_space(scan);
    if (xpd_scan_peek(scan) == '(')
        return xpd_scan_braces(scan, true);
    (void)xpd_scan_name(scan);
    if (xpd_scan_peek(scan) == '(') /* b(f32[2]) */
        return xpd_scan_braces(scan, true);
    if (xpd_scan_peek(scan) != '[' || !xpd_scan_braces(scan, true))
        return false;
    return xpd_scan_peek(scan) != '{' || xpd_scan_braces(scan, true);
}
