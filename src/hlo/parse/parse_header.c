/* The line "HloModule NAME, key=value, ..." and the tables of stack frames behind it. */
#include "parse_internal.h"

enum {
    MODULE_NAME = 1,
    MODULE_PROGRAM_SHAPE = 4,
    MODULE_ALIASES = 8,
    MODULE_DONORS = 18,
    MODULE_FRONTEND = 19,
    MODULE_CONFIG = 25
};

/* { {0}: (0, {}, may-alias), ... } */
static bool read_aliases(struct xpd_parse *p, struct xpd_text_scan value)
{
    bool good = xpd_scan_take(&value, '{');
    size_t begin = xpd_out_begin(&p->header, MODULE_ALIASES);
    while (good && !xpd_scan_take(&value, '}')) {
        int64_t number;
        size_t entry = xpd_out_begin(&p->header, 1);
        good = xpd_parse_list(&value, &p->header, 1) && xpd_scan_take(&value, ':') &&
               xpd_scan_take(&value, '(') && xpd_scan_int(&value, &number);
        if (good)
            xpd_out_int(&p->header, 2, number);
        good = good && xpd_scan_take(&value, ',') && xpd_parse_list(&value, &p->header, 3);
        int64_t kind = 1; /* texts of 2020 do not mark a may-alias */
        if (good && xpd_scan_take(&value, ',')) {
            xpd_scan_space(&value);
            kind = xpd_str_eq(xpd_scan_name(&value), XPD_STR("must-alias")) ? 2 : 1;
        }
        xpd_out_int(&p->header, 4, kind);
        good = good && xpd_scan_take(&value, ')');
        xpd_out_end(&p->header, entry);
        (void)xpd_scan_take(&value, ',');
    }
    xpd_out_end(&p->header, begin);
    return good;
}

/* { (0, {}), (1, {0}) } */
static bool read_donors(struct xpd_parse *p, struct xpd_text_scan value)
{
    bool good = xpd_scan_take(&value, '{');
    size_t begin = xpd_out_begin(&p->header, MODULE_DONORS);
    while (good && !xpd_scan_take(&value, '}')) {
        int64_t number;
        size_t entry = xpd_out_begin(&p->header, 1);
        good = xpd_scan_take(&value, '(') && xpd_scan_int(&value, &number);
        if (good)
            xpd_out_int(&p->header, 1, number);
        good = good && xpd_scan_take(&value, ',') && xpd_parse_list(&value, &p->header, 2) &&
               xpd_scan_take(&value, ')');
        xpd_out_end(&p->header, entry);
        (void)xpd_scan_take(&value, ',');
    }
    xpd_out_end(&p->header, begin);
    return good;
}

/* {(P0, P1)->R} */
static bool read_layout(struct xpd_parse *p, struct xpd_text_scan value)
{
    bool good = xpd_scan_take(&value, '{') && xpd_scan_take(&value, '(');
    size_t begin = xpd_out_begin(&p->header, MODULE_PROGRAM_SHAPE);
    while (good && !xpd_scan_take(&value, ')')) {
        good = xpd_parse_shape(&value, &p->header, 1, NULL);
        (void)xpd_scan_take(&value, ',');
    }
    if (good && xpd_scan_word(&value, XPD_STR("->")) && xpd_scan_peek(&value) != '}')
        good = xpd_parse_shape(&value, &p->header, 2, NULL);
    xpd_out_end(&p->header, begin);
    p->has_layout = true;
    return good;
}

/* Compiler options, which have no field in an HloModuleProto. */
static bool is_configuration(struct xpd_str key)
{
    return xpd_str_eq(key, XPD_STR("replica_count")) ||
           xpd_str_eq(key, XPD_STR("num_partitions")) ||
           xpd_str_eq(key, XPD_STR("alias_passthrough_params")) ||
           xpd_str_starts(key, "allow_spmd_sharding_propagation_");
}

static bool read_attribute(struct xpd_parse *p, struct xpd_str key, struct xpd_text_scan value)
{
    if (xpd_str_eq(key, XPD_STR("is_scheduled"))) {
        p->is_scheduled = xpd_scan_word(&value, XPD_STR("true"));
        return true;
    }
    if (xpd_str_eq(key, XPD_STR("input_output_alias")))
        return read_aliases(p, value);
    if (xpd_str_eq(key, XPD_STR("buffer_donor")))
        return read_donors(p, value);
    if (xpd_str_eq(key, XPD_STR("entry_computation_layout")))
        return read_layout(p, value);
    if (xpd_str_eq(key, XPD_STR("frontend_attributes")))
        return xpd_parse_put_frontend(p, value, &p->header, MODULE_FRONTEND);
    if (xpd_str_eq(key, XPD_STR("backend_config"))) {
        xpd_out_text(&p->header, MODULE_CONFIG, xpd_parse_text(p, value));
        return true;
    }
    if (!is_configuration(key))
        xpd_parse_warn(p, key.data, XPD_NOTE, "hlo_text_header",
                       "the module's attribute \"%.*s\" is not known and left out",
                       (int)(key.size < 80 ? key.size : 80), key.data);
    return true;
}

void xpd_parse_header(struct xpd_parse *p)
{
    xpd_parse_open_line(p);
    xpd_scan_blank(&p->scan);
    struct xpd_str name = xpd_scan_name(&p->scan);
    if (xpd_str_ends(name, ":")) /* texts of 2017 */
        name.size--;
    xpd_out_text(&p->header, MODULE_NAME, name);
    for (struct xpd_str key; xpd_parse_next_key(p, &key);) {
        bool may_break = xpd_str_eq(key, XPD_STR("frontend_attributes")) ||
                         xpd_str_eq(key, XPD_STR("backend_config"));
        size_t kept = p->header.size;
        if (!read_attribute(p, key, xpd_parse_value(p, may_break))) {
            if (!p->header.failed)
                p->header.size = kept;
            xpd_parse_warn(p, key.data, XPD_WARNING, "hlo_text_header_value",
                           "the value of the module's attribute \"%.*s\" is not understood and "
                           "left out",
                           (int)(key.size < 80 ? key.size : 80), key.data);
        }
    }
    if (xpd_scan_more(&p->scan))
        xpd_parse_warn(p, p->scan.at, XPD_WARNING, "hlo_text_header_rest",
                       "the rest of the module's first line is not understood and left out");
    xpd_parse_next_line(p);
}

/* ---- stack frames ---- */

static void read_file_location(struct xpd_parse *p, struct xpd_text_scan value)
{
    static const char *const key[] = {NULL,     "file_name_id", "function_name_id", "line",
                                      "column", "end_line",     "end_column"};
    struct xpd_str name;
    struct xpd_text_scan of;
    int64_t number;
    while (xpd_parse_pair(&value, &name, &of))
        for (uint32_t field = 1; field < sizeof key / sizeof key[0]; field++)
            if (xpd_str_eq(name, xpd_str_of(key[field])) && xpd_scan_int(&of, &number))
                xpd_out_int(&p->frames, field, number);
}

/* The text has the parent's number plus one. */
static void read_frame(struct xpd_parse *p, struct xpd_text_scan value)
{
    struct xpd_str name;
    struct xpd_text_scan of;
    int64_t number;
    while (xpd_parse_pair(&value, &name, &of)) {
        if (!xpd_scan_int(&of, &number))
            continue;
        if (xpd_str_eq(name, XPD_STR("file_location_id")))
            xpd_out_int(&p->frames, 1, number);
        else if (xpd_str_eq(name, XPD_STR("parent_frame_id")) && number > 1)
            xpd_out_int(&p->frames, 2, number - 1);
    }
}

/* Rows "1 ..." are numbered from 1; one out of order is a warning. */
static void read_rows(struct xpd_parse *p, uint32_t table)
{
    for (int64_t row = 1, number;; row++) {
        const char *begin = p->scan.at;
        xpd_parse_open_line(p);
        xpd_scan_blank(&p->scan);
        char first = xpd_scan_peek(&p->scan);
        if (first < '0' || first > '9' || !xpd_scan_int(&p->scan, &number)) {
            p->scan = (struct xpd_text_scan){begin, p->text_end};
            return;
        }
        if (number != row)
            xpd_parse_warn(p, begin, XPD_WARNING, "hlo_text_frames",
                           "row %lld stands where row %lld should: stack frames may name the wrong "
                           "lines",
                           (long long)number, (long long)row);
        xpd_scan_blank(&p->scan);
        struct xpd_text_scan value = xpd_parse_value(p, false);
        if (table <= 2) {
            xpd_out_text(&p->frames, table, xpd_parse_text(p, value));
        } else {
            size_t begin_of = xpd_out_begin(&p->frames, table);
            if (table == 3)
                read_file_location(p, value);
            else
                read_frame(p, value);
            xpd_out_end(&p->frames, begin_of);
        }
        xpd_parse_next_line(p);
    }
}

bool xpd_parse_frames(struct xpd_parse *p)
{
    static const char *const title[] = {NULL, "FileNames", "FunctionNames", "FileLocations",
                                        "StackFrames"};
    for (uint32_t table = 1; table < sizeof title / sizeof title[0]; table++) {
        struct xpd_text_scan scan = p->scan;
        if (!xpd_str_eq(xpd_scan_name(&scan), xpd_str_of(title[table])))
            continue;
        xpd_scan_blank(&scan);
        if (xpd_scan_more(&scan) && *scan.at != '\n')
            continue;
        xpd_parse_open_line(p);
        xpd_parse_next_line(p);
        read_rows(p, table);
        return true;
    }
    return false;
}
