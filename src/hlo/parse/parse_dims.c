/* Attributes that say how dimensions map to each other: windows, labels of convolutions, slices,
 * padding, sparse and scaled operands. In: a value. Out: its message. */
#include "parse_internal.h"

enum { DIMS_MOST = XPD_SCAN_RANK };

/* "3x3", "1_1x0_1_2": numbers with 'x' between dimensions and '_' within one; `width` numbers of a
 * dimension are kept, missing ones are 0. False when it is something else. */
static bool read_by_dims(struct xpd_text_scan *scan, int64_t (*of)[3], uint32_t width,
                         uint32_t *count)
{
    *count = 0;
    if (!xpd_scan_more(scan))
        return true;
    do {
        uint32_t k = 0;
        if (*count == DIMS_MOST)
            return false;
        of[*count][0] = of[*count][1] = of[*count][2] = 0;
        do {
            if (k == width || !xpd_scan_int(scan, &of[*count][k]))
                return false;
            k++;
        } while (xpd_scan_peek(scan) == '_' && xpd_scan_more(scan) && (scan->at++, true));
        ++*count;
    } while (xpd_scan_peek(scan) == 'x' && (scan->at++, true));
    return true;
}

struct window {
    int64_t dim[DIMS_MOST][8]; /* by field number; 0 not used */
    uint32_t count;
};

static bool read_part(struct window *window, struct xpd_str key, struct xpd_text_scan value)
{
    static const struct {
        const char *key;
        uint32_t field;
    } parts[] = {{"size", 1},       {"stride", 2},     {"pad", 3},
                 {"rhs_dilate", 5}, {"lhs_dilate", 6}, {"rhs_reversal", 7}};
    int64_t number[DIMS_MOST][3];
    uint32_t count;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!xpd_str_eq(key, xpd_str_of(parts[i].key)))
            continue;
        if (!read_by_dims(&value, number, 2, &count))
            return false;
        if (window->count == 0)
            window->count = count;
        for (uint32_t d = 0; d < count && d < window->count; d++) {
            window->dim[d][parts[i].field] = number[d][0];
            if (parts[i].field == 3)
                window->dim[d][4] = number[d][1];
        }
        return count == window->count;
    }
    return false;
}

/* {size=3x3 stride=2x2 pad=1_1x1_1} */
bool xpd_read_window(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                     const struct xpd_parse_row *row)
{
    struct window window = {.count = 0};
    struct xpd_str key;
    struct xpd_text_scan of;
    (void)p;
    for (uint32_t d = 0; d < DIMS_MOST; d++)
        window.dim[d][2] = window.dim[d][5] = window.dim[d][6] = 1;
    while (xpd_parse_pair(&value, &key, &of))
        if (!read_part(&window, key, of))
            return false;
    size_t begin = xpd_out_begin(line->out, row->field);
    for (uint32_t d = 0; d < window.count; d++) {
        size_t dim = xpd_out_begin(line->out, 1);
        for (uint32_t field = 1; field < 8; field++)
            if (window.dim[d][field] != 0)
                xpd_out_int(line->out, field, window.dim[d][field]);
        xpd_out_end(line->out, dim);
    }
    xpd_out_end(line->out, begin);
    return true;
}

/* "b01f" and similar: positions of the two letters and the digits. A '?' is a dimension without a
 * role. */
static bool put_labels(struct xpd_strbuf *out, struct xpd_str labels, const char *letter,
                       const uint32_t *field)
{
    uint32_t place[10], spatial = 0;
    for (size_t i = 0; i < labels.size; i++) {
        char c = labels.data[i];
        if (c == letter[0] || c == letter[1]) {
            xpd_out_int(out, field[c == letter[1]], (int64_t)i);
        } else if (c >= '0' && c <= '9') {
            uint32_t digit = (uint32_t)(c - '0');
            for (; spatial <= digit; spatial++)
                place[spatial] = 0;
            place[digit] = (uint32_t)i;
        } else if (c != '?') {
            return false;
        }
    }
    if (spatial == 0)
        return true;
    size_t begin = xpd_out_begin(out, field[2]);
    for (uint32_t i = 0; i < spatial; i++)
        xpd_out_varint(out, place[i]);
    xpd_out_end(out, begin);
    return true;
}

/* b01f_01io->b01f */
bool xpd_read_dim_labels(struct xpd_parse *p, struct xpd_parse_line *line,
                         struct xpd_text_scan value, const struct xpd_parse_row *row)
{
    static const uint32_t input[] = {7, 8, 11}, kernel[] = {3, 4, 6}, output[] = {9, 10, 12};
    struct xpd_str text = xpd_scan_rest(&value);
    size_t first = xpd_str_find(text, XPD_STR("_"), false);
    size_t arrow = xpd_str_find(text, XPD_STR("->"), false);
    (void)p;
    if (first == SIZE_MAX || arrow == SIZE_MAX || arrow < first)
        return false;
    size_t begin = xpd_out_begin(line->out, row->field);
    bool good =
        put_labels(line->out, (struct xpd_str){text.data, first}, "bf", input) &&
        put_labels(line->out, (struct xpd_str){text.data + first + 1, arrow - first - 1}, "io",
                   kernel) &&
        put_labels(line->out, (struct xpd_str){text.data + arrow + 2, text.size - arrow - 2}, "bf",
                   output);
    xpd_out_end(line->out, begin);
    return good;
}

/* {[0:5], [2:8:2]} */
bool xpd_read_slice(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                    const struct xpd_parse_row *row)
{
    (void)p;
    if (!xpd_scan_take(&value, '{'))
        return false;
    while (xpd_scan_take(&value, '[')) {
        int64_t start, limit, stride = 1;
        if (!xpd_scan_int(&value, &start) || !xpd_scan_take(&value, ':') ||
            !xpd_scan_int(&value, &limit) ||
            (xpd_scan_take(&value, ':') && !xpd_scan_int(&value, &stride)) ||
            !xpd_scan_take(&value, ']'))
            return false;
        size_t begin = xpd_out_begin(line->out, row->field);
        xpd_out_int(line->out, 1, start);
        xpd_out_int(line->out, 2, limit);
        xpd_out_int(line->out, 3, stride);
        xpd_out_end(line->out, begin);
        (void)xpd_scan_take(&value, ',');
    }
    return xpd_scan_take(&value, '}');
}

/* 0_1x2_3, with _interior of all or none */
bool xpd_read_padding(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                      const struct xpd_parse_row *row)
{
    int64_t dim[DIMS_MOST][3];
    uint32_t count;
    (void)p;
    if (!read_by_dims(&value, dim, 3, &count) || xpd_scan_more(&value))
        return false;
    size_t begin = xpd_out_begin(line->out, row->field);
    for (uint32_t d = 0; d < count; d++) {
        size_t one = xpd_out_begin(line->out, 1);
        for (uint32_t k = 0; k < 3; k++)
            if (dim[d][k] != 0)
                xpd_out_int(line->out, k + 1, dim[d][k]);
        xpd_out_end(line->out, one);
    }
    xpd_out_end(line->out, begin);
    return true;
}

/* ---- sparse and scaled operands: {lhs={...} rhs={...}} ---- */

struct side_key {
    const char *key;
    uint32_t field;
    bool list; /* 2x3 is two values of `field`, else one of it and one of the next field */
};

static bool put_side(struct xpd_strbuf *out, struct xpd_text_scan value,
                     const struct side_key *keys)
{
    struct xpd_str key;
    struct xpd_text_scan of;
    int64_t number[DIMS_MOST][3];
    uint32_t count;
    while (xpd_parse_pair(&value, &key, &of)) {
        const struct side_key *known = keys;
        while (known->key && !xpd_str_eq(key, xpd_str_of(known->key)))
            known++;
        if (!known->key || !read_by_dims(&of, number, 1, &count))
            return false;
        for (uint32_t i = 0; i < count; i++)
            xpd_out_int(out, known->field + (known->list ? 0 : i), number[i][0]);
    }
    return true;
}

static bool put_sides(struct xpd_strbuf *out, struct xpd_text_scan value, uint32_t field,
                      const struct side_key *keys)
{
    struct xpd_str key;
    struct xpd_text_scan of;
    bool good = true;
    size_t begin = xpd_out_begin(out, field);
    while (good && xpd_parse_pair(&value, &key, &of)) {
        size_t side = xpd_out_begin(out, xpd_str_eq(key, XPD_STR("lhs")) ? 1 : 2);
        good = put_side(out, of, keys);
        xpd_out_end(out, side);
    }
    xpd_out_end(out, begin);
    return good;
}

/* {lhs={sparsity=2x4 dimension=1 stride=1 idx=0}} */
bool xpd_read_sparsity(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                       const struct xpd_parse_row *row)
{
    static const struct side_key keys[] = {{"sparsity", 1, false},
                                           {"dimension", 3, false},
                                           {"stride", 4, false},
                                           {"idx", 5, false},
                                           {NULL, 0, false}};
    (void)p;
    return put_sides(line->out, value, row->field, keys);
}

/* {lhs={scale_idx=2 zero_idx=3 strides=1x2 steps=1x1}} */
bool xpd_read_scaling(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                      const struct xpd_parse_row *row)
{
    static const struct side_key keys[] = {{"scale_idx", 1, false},
                                           {"zero_idx", 2, false},
                                           {"strides", 3, true},
                                           {"steps", 4, true},
                                           {NULL, 0, false}};
    (void)p;
    return put_sides(line->out, value, row->field, keys);
}
