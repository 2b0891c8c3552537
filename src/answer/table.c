/* A table of an answer as CSV, and for a terminal. */
#include "value.h"
#include "xprofd/answer/write.h"
#include "xprofd/base/bytes_text.h"
#include "xprofd/export/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const struct xpd_record_field *xpd_answer_table_of(const struct xpd_record *record,
                                                   const void *answer)
{
    for (uint32_t i = 0; i < record->count; i++) {
        const struct xpd_record_field *field = &record->field[i];
        bool is_table = field->kind == XPD_COLUMNS || field->kind == XPD_INLINE;
        const char *at = (const char *)answer + field->offset;
        if (is_table && (!field->maybe || xpd_value_rows(at).at))
            return field;
    }
    return NULL;
}

uint32_t xpd_answer_rows(const struct xpd_record_field *table, const void *answer)
{
    return xpd_value_rows((const char *)answer + table->offset).n;
}

/* ---- CSV ---- */

static void csv_cell(struct xpd_csv *csv, const struct xpd_record_field *field, const char *at)
{
    struct xpd_value value = xpd_value_read(field, field->kind, at);
    switch (value.is) {
    case XPD_IS_NULL: xpd_csv_empty(csv); break;
    case XPD_IS_BOOL: xpd_csv_text(csv, value.truth ? "true" : "false"); break;
    case XPD_IS_WHOLE: xpd_csv_i64(csv, value.whole); break;
    case XPD_IS_ID: xpd_csv_u64(csv, value.id); break;
    case XPD_IS_REAL: xpd_csv_double(csv, value.real); break;
    case XPD_IS_TEXT: xpd_csv_str(csv, value.text); break;
    }
}

void xpd_answer_csv(struct xpd_strbuf *out, const struct xpd_record_field *table,
                    const void *answer)
{
    const struct xpd_record *record = table->of();
    struct xpd_rows rows = xpd_value_rows((const char *)answer + table->offset);
    const char *row = rows.at;
    struct xpd_csv csv;
    xpd_csv_init(&csv, out);
    for (uint32_t i = 0; i < record->count; i++)
        if (record->field[i].kind < XPD_OBJECT)
            xpd_csv_text(&csv, record->field[i].key);
    xpd_csv_end_row(&csv);
    for (uint32_t left = rows.n; left > 0; left--, row += record->size) {
        for (uint32_t i = 0; i < record->count; i++)
            if (record->field[i].kind < XPD_OBJECT)
                csv_cell(&csv, &record->field[i], row + record->field[i].offset);
        xpd_csv_end_row(&csv);
    }
}

/* ---- for a terminal ---- */

#define TEXT_BYTES    256 /* that a text may be cut to */
#define COLUMNS_MAX   64  /* more than any answer has */
#define HEADING_BYTES 80

struct unit { /* unit of a column */
    double size;
    const char *name;
    int digits;
};

struct column {
    const struct xpd_record_field *field;
    struct unit unit;
    int width;
    bool is_text; /* to the left; the rest to the right */
};

static const struct unit times[] = {
    {1e12, "s", 3}, {1e9, "ms", 3}, {1e6, "µs", 3}, {1e3, "ns", 3}, {1, "ps", 0}};
static const struct unit sizes[] = {
    {0x1p30, "GiB", 2}, {0x1p20, "MiB", 1}, {0x1p10, "KiB", 1}, {1, "B", 0}};
static const struct unit prefixes[] = {{1e12, "T", 3}, {1e9, "G", 3}, {1e6, "M", 3}, {1, "", 0}};
static const struct unit shares[] = {{0.01, "%", 1}};

/* The largest unit that the value fills once. */
static struct unit unit_for(const struct unit *from, size_t count, double largest)
{
    for (size_t i = 0; i + 1 < count; i++)
        if (largest >= from[i].size)
            return from[i];
    return from[count - 1];
}
#define UNIT_FOR(list, largest) unit_for(list, sizeof(list) / sizeof *(list), largest)

/* The unit that has a prefix, "G" before "B/s"; "": it has none. */
static const char *prefixed(const char *key)
{
    const char *unit = xpd_key_unit(key);
    return strncmp(unit, "FLOP", 4) == 0 ? unit : strcmp(unit, "bytes/s") == 0 ? "B/s" : "";
}

static struct unit unit_of(const struct xpd_record_field *field, double largest)
{
    const char *unit = xpd_key_unit(field->key);
    bool is_time = strcmp(unit, "ps") == 0;
    if (is_time && largest == 0) /* zeros, or nothing known: of no unit */
        return (struct unit){1, "", 0};
    if (is_time)
        return UNIT_FOR(times, largest);
    if (strcmp(unit, "bytes") == 0)
        return UNIT_FOR(sizes, largest);
    if (strcmp(unit, "of 1") == 0)
        return UNIT_FOR(shares, largest);
    if (*prefixed(field->key))
        return UNIT_FOR(prefixes, largest);
    return (struct unit){1, unit, 0};
}

static double number_of(struct xpd_value value)
{
    return value.is == XPD_IS_WHOLE ? (double)value.whole : value.real;
}

/* Without a unit: whole thousands are written out, as 10,001 rather than 1e+04. */
static int put_real(char *out, size_t size, double number)
{
    char text[32];
    if (!(fabs(number) >= 1000 && fabs(number) < 1e15))
        return snprintf(out, size, "%.4g", number);
    xpd_number_text(text, (uint64_t)llround(fabs(number)));
    return snprintf(out, size, "%s%s", number < 0 ? "-" : "", text);
}

/* A value that is not zero never reads as zero. */
static int put_number(char *out, size_t size, const struct column *column, struct xpd_value value)
{
    double number = number_of(value) / column->unit.size, least = pow(10, -column->unit.digits);
    if (column->unit.size == 1 && value.is == XPD_IS_WHOLE) {
        char text[32];
        xpd_number_text(text, (uint64_t)llabs(value.whole));
        return snprintf(out, size, "%s%s", value.whole < 0 ? "-" : "", text);
    }
    if (column->unit.size == 1 && column->unit.digits == 0)
        return put_real(out, size, number);
    if (number != 0 && fabs(number) < least / 2)
        return snprintf(out, size, "%s< %.*f", number < 0 ? "-" : "", column->unit.digits, least);
    return snprintf(out, size, "%.*f", column->unit.digits, number);
}

/* Its width; `out` has the text, or is cut where the text is the value's own. */
static int put_cell(char *out, size_t size, const struct column *column, struct xpd_value value)
{
    switch (value.is) {
    case XPD_IS_NULL: return snprintf(out, size, "-");
    case XPD_IS_BOOL: return snprintf(out, size, "%s", value.truth ? "yes" : "no");
    case XPD_IS_ID: return snprintf(out, size, "%llu", (unsigned long long)value.id);
    case XPD_IS_TEXT: return (int)(value.text.size < INT32_MAX ? value.text.size : INT32_MAX);
    default: return put_number(out, size, column, value);
    }
}

/* Number of characters: a byte 10xxxxxx continues a character. */
static int width_of(struct xpd_str text)
{
    int width = 0;
    for (size_t i = 0; i < text.size; i++)
        width += ((unsigned char)text.data[i] & 0xc0) != 0x80;
    return width;
}

static struct xpd_value value_at(const struct column *column, const struct xpd_record *record,
                                 struct xpd_rows rows, uint32_t row)
{
    const char *at = (const char *)rows.at + row * record->size + column->field->offset;
    return xpd_value_read(column->field, column->field->kind, at);
}

/* "self_ps" in ms: "self ms"; "hbm_bytes_per_s" in units of 10^9: "hbm GB/s". */
static int heading(char out[HEADING_BYTES], const struct column *column)
{
    const char *key = column->field->key, *name = column->unit.name, *of = prefixed(key);
    size_t stem = xpd_key_stem(key);
    int length = snprintf(out, HEADING_BYTES, "%.*s%s%s%s", (int)stem, key,
                          stem > 0 && (*name || *of) ? " " : "", name, of);
    for (char *at = out; *at; at++)
        if (*at == '_')
            *at = ' ';
    return length < HEADING_BYTES ? length : HEADING_BYTES - 1;
}

static void measure(struct column *column, const struct xpd_record *record, struct xpd_rows rows)
{
    char text[HEADING_BYTES];
    double largest = 0;
    for (uint32_t row = 0; row < rows.n; row++) {
        struct xpd_value value = value_at(column, record, rows, row);
        if (value.is == XPD_IS_WHOLE || value.is == XPD_IS_REAL)
            largest = fmax(largest, fabs(number_of(value)));
    }
    column->unit = unit_of(column->field, largest);
    column->is_text = column->field->kind >= XPD_TEXT;
    int size = heading(text, column);
    column->width = width_of((struct xpd_str){text, (size_t)size});
    for (uint32_t row = 0; row < rows.n; row++) {
        int width = put_cell(text, sizeof text, column, value_at(column, record, rows, row));
        column->width = width > column->width ? width : column->width;
    }
}

static void put_padded(struct xpd_strbuf *out, const struct column *column, struct xpd_str text,
                       bool last)
{
    int pad = column->width - width_of(text);
    pad = pad > 0 ? pad : 0;
    if (!column->is_text)
        xpd_strbuf_printf(out, "%*s", pad, "");
    xpd_strbuf_add(out, text.data, text.size);
    if (column->is_text && !last)
        xpd_strbuf_printf(out, "%*s", pad, "");
    xpd_strbuf_puts(out, last ? "" : "  ");
}

/* No trailing blanks at the end of a line. */
static void end_row(struct xpd_strbuf *out)
{
    while (out->size > 0 && out->data[out->size - 1] == ' ')
        out->size--;
    xpd_strbuf_putc(out, '\n');
}

/* A longer text ends in "..." and not inside of a character. */
static void put_text(struct xpd_strbuf *out, const struct column *column, struct xpd_str text,
                     uint32_t most, bool last)
{
    static const struct xpd_str dots = {"...", 3};
    char cut[TEXT_BYTES + 4];
    if (text.size > most && most <= TEXT_BYTES && most > dots.size) {
        size_t size = most - dots.size;
        while (size > 0 && ((unsigned char)text.data[size] & 0xc0) == 0x80)
            size--;
        memcpy(cut, text.data, size);
        memcpy(cut + size, dots.data, dots.size);
        text = (struct xpd_str){cut, size + dots.size};
    }
    put_padded(out, column, text, last);
}

static void put_row(struct xpd_strbuf *out, const struct column *column, uint32_t count,
                    const struct xpd_record *record, struct xpd_rows rows, uint32_t row,
                    uint32_t text_most)
{
    for (uint32_t i = 0; i < count; i++) {
        char text[HEADING_BYTES];
        struct xpd_value value = value_at(&column[i], record, rows, row);
        int size = put_cell(text, sizeof text, &column[i], value);
        struct xpd_str cell =
            value.is == XPD_IS_TEXT ? value.text : (struct xpd_str){text, (size_t)size};
        put_text(out, &column[i], cell, text_most, i + 1 == count);
    }
    end_row(out);
}

static bool says_anything(const struct column *column, const struct xpd_record *record,
                          struct xpd_rows rows)
{
    bool any = false;
    for (uint32_t row = 0; row < rows.n && !any; row++) {
        struct xpd_value value = value_at(column, record, rows, row);
        any = value.is == XPD_IS_TEXT ? value.text.size > 0 : value.is != XPD_IS_NULL;
    }
    return any;
}

/* The columns named, or all that are single values. */
static uint32_t choose(struct column column[COLUMNS_MAX], const struct xpd_record *record,
                       struct xpd_rows rows, const char *names)
{
    uint32_t count = 0;
    for (const char *name = names; name && *name && count < COLUMNS_MAX;) {
        size_t size = strcspn(name, " "), key = strcspn(name, " ?");
        for (uint32_t i = 0; i < record->count; i++) {
            struct column one = {.field = &record->field[i]};
            if (strlen(one.field->key) == key && memcmp(one.field->key, name, key) == 0 &&
                (key == size || says_anything(&one, record, rows)))
                column[count++] = one;
        }
        name += size + strspn(name + size, " ");
    }
    for (uint32_t i = 0; !names && i < record->count && count < COLUMNS_MAX; i++)
        if (record->field[i].kind < XPD_OBJECT)
            column[count++] = (struct column){.field = &record->field[i]};
    return count;
}

void xpd_answer_table(struct xpd_strbuf *out, const struct xpd_record_field *table,
                      const void *answer, const char *columns)
{
    xpd_answer_table_part(out, table, answer, columns, UINT32_MAX, UINT32_MAX);
}

bool xpd_answer_value(struct xpd_strbuf *out, const struct xpd_record *record, const void *answer,
                      struct xpd_str key)
{
    const struct xpd_record_field *field = record->field;
    for (uint32_t i = 0; i < record->count; i++, field++) {
        if (field->kind >= XPD_OBJECT || !xpd_str_eq(xpd_str_of(field->key), key))
            continue;
        struct xpd_value value =
            xpd_value_read(field, field->kind, (const char *)answer + field->offset);
        size_t before = out->size;
        switch (value.is) {
        case XPD_IS_NULL: break;
        case XPD_IS_BOOL: xpd_strbuf_puts(out, value.truth ? "yes" : "no"); break;
        case XPD_IS_WHOLE: xpd_strbuf_printf(out, "%" PRId64, value.whole); break;
        case XPD_IS_ID: xpd_strbuf_printf(out, "%" PRIu64, value.id); break;
        case XPD_IS_REAL: xpd_strbuf_printf(out, "%g", value.real); break;
        case XPD_IS_TEXT: xpd_strbuf_add(out, value.text.data, value.text.size); break;
        }
        return out->size > before;
    }
    return false;
}

void xpd_answer_table_part(struct xpd_strbuf *out, const struct xpd_record_field *table,
                           const void *answer, const char *columns, uint32_t rows_most,
                           uint32_t text_most)
{
    const struct xpd_record *record = table->of();
    struct xpd_rows rows = xpd_value_rows((const char *)answer + table->offset);
    struct column column[COLUMNS_MAX];
    rows.n = rows.n < rows_most ? rows.n : rows_most;
    uint32_t count = choose(column, record, rows, columns);
    for (uint32_t i = 0; i < count; i++) {
        char text[HEADING_BYTES];
        measure(&column[i], record, rows);
        if (column[i].is_text && (uint32_t)column[i].width > text_most)
            column[i].width = (int)text_most;
        int size = heading(text, &column[i]);
        put_padded(out, &column[i], (struct xpd_str){text, (size_t)size}, i + 1 == count);
    }
    end_row(out);
    for (uint32_t row = 0; row < rows.n; row++)
        put_row(out, column, count, record, rows, row, text_most);
}
