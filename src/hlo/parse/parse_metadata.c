/* Origin and further attributes of an instruction: metadata, origin, attributes of
 * the frontend, the backend's config, aliasing, statistics, accuracy. In: a value. Out: its
 * message. */
#include "parse_internal.h"

#include <stdlib.h>

/* ---- metadata ---- */

enum { KEY_TEXT, KEY_INT, KEY_LIST, KEY_PAYLOAD };

static const struct metadata_key {
    const char *key; /* sorted */
    uint32_t field, kind;
} metadata_keys[] = {{"deduplicated_name", 12, KEY_TEXT},
                     {"metadata_payload", 20, KEY_PAYLOAD},
                     {"op_name", 2, KEY_TEXT},
                     {"op_type", 1, KEY_TEXT},
                     {"profile_type", 5, KEY_LIST},
                     {"scheduling_name", 16, KEY_TEXT},
                     {"size_of_generated_code_in_bytes", 8, KEY_INT},
                     {"size_of_memory_working_set_in_bytes", 9, KEY_INT},
                     {"source_column", 18, KEY_INT},
                     {"source_end_column", 19, KEY_INT},
                     {"source_end_line", 17, KEY_INT},
                     {"source_file", 3, KEY_TEXT},
                     {"source_line", 4, KEY_INT},
                     {"stack_frame_id", 15, KEY_INT}};

static bool put_key(struct xpd_parse *p, const struct metadata_key *key, struct xpd_text_scan value,
                    struct xpd_strbuf *out)
{
    int64_t number;
    switch (key->kind) {
    case KEY_TEXT: xpd_out_text(out, key->field, xpd_parse_text(p, value)); return true;
    case KEY_LIST: return xpd_parse_list(&value, out, key->field);
    case KEY_PAYLOAD: {
        size_t begin = xpd_out_begin(out, key->field);
        xpd_out_text(out, 1, xpd_parse_text(p, value));
        xpd_out_end(out, begin);
        return true;
    }
    default:
        if (!xpd_scan_int(&value, &number))
            return false;
        xpd_out_int(out, key->field, number);
        return true;
    }
}

bool xpd_parse_put_metadata(struct xpd_parse *p, struct xpd_text_scan value, struct xpd_strbuf *out)
{
    struct xpd_str key;
    struct xpd_text_scan of;
    bool good = true;
    while (xpd_parse_pair(&value, &key, &of)) {
        const struct metadata_key *known =
            bsearch(&key, metadata_keys, sizeof metadata_keys / sizeof metadata_keys[0],
                    sizeof metadata_keys[0], xpd_str_compare_row);
        if (known)
            good = put_key(p, known, of, out) && good;
        else
            xpd_parse_warn(p, key.data, XPD_NOTE, "hlo_text_metadata",
                           "the metadata \"%.*s\" is not known and left out",
                           (int)(key.size < 80 ? key.size : 80), key.data);
    }
    return good;
}

/* A folded pair has one metadata for both; XLA gives it to both, too. */
bool xpd_read_metadata(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                       const struct xpd_parse_row *row)
{
    size_t begin = xpd_out_begin(line->own, row->field);
    bool good = xpd_parse_put_metadata(p, value, line->own);
    xpd_out_end(line->own, begin);
    if (line->out != line->own && !line->own->failed)
        xpd_out_text(line->out, row->field,
                     (struct xpd_str){line->own->data + begin, line->own->size - begin});
    return good;
}

/* ---- frontend attributes, config ---- */

/* A value is quoted, or an unquoted dictionary. */
bool xpd_parse_put_frontend(struct xpd_parse *p, struct xpd_text_scan value, struct xpd_strbuf *out,
                            uint32_t field)
{
    struct xpd_str key;
    struct xpd_text_scan of;
    size_t begin = xpd_out_begin(out, field);
    while (xpd_parse_pair(&value, &key, &of)) {
        size_t entry = xpd_out_begin(out, 1);
        xpd_out_text(out, 1, key);
        xpd_out_text(out, 2, xpd_parse_text(p, of));
        xpd_out_end(out, entry);
    }
    xpd_out_end(out, begin);
    return true;
}

bool xpd_read_frontend(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                       const struct xpd_parse_row *row)
{
    /* Of a folded pair: what it wraps says its own before the start says anything. */
    return xpd_parse_put_frontend(p, value, line->says_own ? line->own : line->out, row->field);
}

bool xpd_read_config(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                     const struct xpd_parse_row *row)
{
    xpd_out_text(line->own, row->field, xpd_parse_text(p, value));
    return true;
}

/* ---- shapes and aliases of operands ---- */

/* {f32[2]{0}, s32[]} */
bool xpd_read_layout_constraints(struct xpd_parse *p, struct xpd_parse_line *line,
                                 struct xpd_text_scan value, const struct xpd_parse_row *row)
{
    enum { CONSTRAIN_LAYOUT = 56 };
    (void)p;
    if (!xpd_scan_take(&value, '{'))
        return false;
    xpd_out_int(line->out, CONSTRAIN_LAYOUT, 1);
    while (!xpd_scan_take(&value, '}')) {
        if (!xpd_parse_shape(&value, line->out, row->field, NULL))
            return false;
        (void)xpd_scan_take(&value, ',');
    }
    return true;
}

bool xpd_read_outfeed_shape(struct xpd_parse *p, struct xpd_parse_line *line,
                            struct xpd_text_scan value, const struct xpd_parse_row *row)
{
    (void)p;
    return xpd_parse_shape(&value, line->out, row->field, NULL);
}

/* {{0}: (1, {}), ...}. A folded pair may have two: the first belongs to the wrapped instruction if
 * that can have it. */
bool xpd_read_aliasing(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                       const struct xpd_parse_row *row)
{
    bool inner = xpd_str_eq(line->opcode, XPD_STR("fusion")) ||
                 xpd_str_eq(line->opcode, XPD_STR("custom-call"));
    struct xpd_strbuf *out = inner && line->aliasings++ == 0 ? line->out : line->own;
    (void)p;
    if (!xpd_scan_take(&value, '{'))
        return false;
    while (!xpd_scan_take(&value, '}')) {
        int64_t operand;
        size_t begin = xpd_out_begin(out, row->field);
        bool good = xpd_parse_list(&value, out, 1) && xpd_scan_take(&value, ':') &&
                    xpd_scan_take(&value, '(') && xpd_scan_int(&value, &operand);
        if (good)
            xpd_out_int(out, 2, operand);
        if (good && xpd_scan_take(&value, ','))
            good = xpd_parse_list(&value, out, 3);
        if (!good)
            return false;
        (void)xpd_scan_take(&value, ',');
        (void)xpd_scan_name(&value); /* may-alias, must-alias: not distinguished in the file */
        if (!xpd_scan_take(&value, ')'))
            return false;
        xpd_out_end(out, begin);
        (void)xpd_scan_take(&value, ',');
    }
    return true;
}

/* {true,false} */
bool xpd_read_replication(struct xpd_parse *p, struct xpd_parse_line *line,
                          struct xpd_text_scan value, const struct xpd_parse_row *row)
{
    (void)p;
    bool good = xpd_scan_take(&value, '{');
    size_t begin = xpd_out_begin(line->out, row->field), list = xpd_out_begin(line->out, 1);
    while (good && !xpd_scan_take(&value, '}')) {
        bool yes = xpd_scan_word(&value, XPD_STR("true"));
        good = yes || xpd_scan_word(&value, XPD_STR("false"));
        xpd_out_varint(line->out, yes);
        (void)xpd_scan_take(&value, ',');
    }
    xpd_out_end(line->out, list);
    xpd_out_end(line->out, begin);
    return good;
}

/* ---- statistics, accuracy ---- */

/* {visualizing_index=0,name=1.5} */
bool xpd_read_statistics(struct xpd_parse *p, struct xpd_parse_line *line,
                         struct xpd_text_scan value, const struct xpd_parse_row *row)
{
    struct xpd_str key;
    struct xpd_text_scan of;
    bool good = true;
    (void)p;
    size_t begin = xpd_out_begin(line->out, row->field);
    while (good && xpd_parse_pair(&value, &key, &of)) {
        double number;
        good = xpd_parse_real(&of, &number);
        if (good && xpd_str_eq(key, XPD_STR("visualizing_index"))) {
            xpd_out_int(line->out, 1, (int64_t)(number > -1e15 && number < 1e15 ? number : 0));
            continue;
        }
        size_t one = xpd_out_begin(line->out, 2);
        xpd_out_text(line->out, 1, key);
        xpd_out_double(line->out, 2, number);
        xpd_out_end(line->out, one);
    }
    xpd_out_end(line->out, begin);
    return good;
}

static bool put_tolerance(struct xpd_text_scan value, struct xpd_strbuf *out)
{
    static const char *const keys[] = {NULL, "atol", "rtol", "ulps"};
    struct xpd_str key;
    struct xpd_text_scan of;
    bool good = true;
    while (good && xpd_parse_pair(&value, &key, &of)) {
        double number;
        uint32_t field = 1;
        good = xpd_parse_real(&of, &number);
        while (field < 4 && !xpd_str_eq(key, xpd_str_of(keys[field])))
            field++;
        if (good && field < 3)
            xpd_out_double(out, field, number);
        else if (good && field == 3)
            xpd_out_int(out, field, (int64_t)(number > -1e15 && number < 1e15 ? number : 0));
    }
    return good;
}

/* {mode=highest} or {tolerance={atol=1,rtol=2,ulps=3}} */
bool xpd_read_accuracy(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                       const struct xpd_parse_row *row)
{
    struct xpd_str key;
    struct xpd_text_scan of;
    int64_t mode;
    bool good = true;
    (void)p;
    size_t begin = xpd_out_begin(line->out, row->field);
    while (good && xpd_parse_pair(&value, &key, &of)) {
        if (xpd_str_eq(key, XPD_STR("mode"))) {
            good = xpd_proto_value(XPD_WORDS_AccuracyMode, xpd_scan_rest(&of), &mode);
            if (good)
                xpd_out_int(line->out, 1, mode);
        } else if (xpd_str_eq(key, XPD_STR("tolerance"))) {
            size_t tolerance = xpd_out_begin(line->out, 2);
            good = put_tolerance(of, line->out);
            xpd_out_end(line->out, tolerance);
        }
    }
    xpd_out_end(line->out, begin);
    return good;
}

/* ---- origin ---- */

struct origin {
    struct xpd_text_scan *scan;
    struct xpd_strbuf *out;
    int64_t index[XPD_HLO_TEXT_DEPTH];
    int depth;
};

static bool read_quoted(struct xpd_text_scan *scan, struct xpd_str *text)
{
    if (!xpd_scan_take(scan, '"'))
        return false;
    const char *end = memchr(scan->at, '"', (size_t)(scan->end - scan->at));
    if (!end)
        return false;
    *text = (struct xpd_str){scan->at, (size_t)(end - scan->at)};
    scan->at = end + 1;
    return true;
}

/* {"name" {0}}, or {} without an origin. */
static bool read_leaf(struct origin *origin)
{
    enum { ELEMENT = 1, INDEX = 1, ARRAY = 2, ARRAY_NAME = 1, ARRAY_INDEX = 2 };
    struct xpd_str name;
    size_t element = xpd_out_begin(origin->out, ELEMENT);
    if (origin->depth > 0) {
        size_t list = xpd_out_begin(origin->out, INDEX);
        for (int i = 0; i < origin->depth; i++)
            xpd_out_varint(origin->out, (uint64_t)origin->index[i]);
        xpd_out_end(origin->out, list);
    }
    bool good = true;
    if (!xpd_scan_take(origin->scan, '}')) {
        size_t array = xpd_out_begin(origin->out, ARRAY);
        good = read_quoted(origin->scan, &name);
        if (good)
            xpd_out_text(origin->out, ARRAY_NAME, name);
        xpd_scan_space(origin->scan);
        if (good && xpd_scan_peek(origin->scan) == '{')
            good = xpd_parse_list(origin->scan, origin->out, ARRAY_INDEX);
        xpd_out_end(origin->out, array);
        good = good && xpd_scan_take(origin->scan, '}');
    }
    xpd_out_end(origin->out, element);
    return good;
}

static bool read_node(struct origin *origin)
{
    if (xpd_scan_take(origin->scan, '{'))
        return read_leaf(origin);
    if (origin->depth == XPD_HLO_TEXT_DEPTH || !xpd_scan_take(origin->scan, '('))
        return false;
    int level = origin->depth++;
    for (origin->index[level] = 0; !xpd_scan_take(origin->scan, ')'); origin->index[level]++) {
        if (!read_node(origin))
            return false;
        (void)xpd_scan_take(origin->scan, ',');
    }
    origin->depth--;
    return true;
}

/* {({"a"}, {"b" {0}}),["calls"]} */
bool xpd_read_origin(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                     const struct xpd_parse_row *row)
{
    enum { CALLS = 3 };
    struct origin origin = {.scan = &value, .out = line->own};
    struct xpd_str calls;
    (void)p;
    bool good = xpd_scan_take(&value, '{');
    size_t begin = xpd_out_begin(line->own, row->field);
    xpd_scan_space(&value);
    if (good && xpd_scan_peek(&value) != '}')
        good = read_node(&origin);
    if (good && xpd_scan_take(&value, ',')) {
        good =
            xpd_scan_take(&value, '[') && read_quoted(&value, &calls) && xpd_scan_take(&value, ']');
        if (good)
            xpd_out_text(line->own, CALLS, calls);
    }
    xpd_out_end(line->own, begin);
    return good && xpd_scan_take(&value, '}');
}
