/* Tables as JSON and CSV; see data_table.h. */
#include "data_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double number_at(const void *row, size_t at)
{
    return *(const double *)((const char *)row + at);
}

static struct xpd_str text_at(const void *row, size_t at)
{
    return *(const struct xpd_str *)((const char *)row + at);
}

static bool bool_at(const void *row, size_t at)
{
    return *(const bool *)((const char *)row + at);
}

/* Adds one to the last digit of "d.ddde[+-]dd"; false where it is a 9. */
static bool count_up(char *text)
{
    char *last = strchr(text, 'e') - 1;
    return *last != '9' && ++*last;
}

/* The digits of the shortest text that reads back equal: "d.ddde[+-]dd". Half way between two texts
 * the library takes the even one, and where the numbers below lie denser than those above (at
 * powers of two) only the other reads back. */
static void shortest(char text[40], double value)
{
    for (int digits = 14; digits <= 16; digits++) {
        snprintf(text, 40, "%.*e", digits, value);
        if (strtod(text, NULL) == value || (count_up(text) && strtod(text, NULL) == value))
            break;
    }
}

void xpd_data_table_number(struct xpd_strbuf *out, double value)
{
    char text[40], digits[32];
    if (!isfinite(value)) {
        xpd_strbuf_puts(out, "null");
        return;
    }
    shortest(text, value);
    int exponent = atoi(strchr(text, 'e') + 1), count = 0;
    if (text[0] == '-')
        xpd_strbuf_putc(out, '-');
    for (const char *c = text; *c != 'e'; c++)
        if (*c >= '0' && *c <= '9')
            digits[count++] = *c;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    bool plain = exponent >= -4 && exponent < 16;
    int before = !plain ? 1 : exponent >= 0 ? exponent + 1 : 0; /* digits before the point */
    for (int i = 0; i < before; i++)
        xpd_strbuf_putc(out, i < count ? digits[i] : '0');
    if (!before)
        xpd_strbuf_putc(out, '0');
    if (plain || count > 1)
        xpd_strbuf_putc(out, '.');
    for (int i = exponent + 1; plain && i < 0; i++)
        xpd_strbuf_putc(out, '0');
    for (int i = before; i < count; i++)
        xpd_strbuf_putc(out, digits[i]);
    if (plain && before >= count)
        xpd_strbuf_putc(out, '0');
    if (!plain)
        xpd_strbuf_printf(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
}

static void json_number(struct xpd_jsonw *w, double value)
{
    char room[48];
    struct xpd_strbuf text = {0};
    xpd_data_table_number(&text, value);
    size_t size = text.size < sizeof room ? text.size : 0;
    if (size)
        memcpy(room, text.data, size);
    xpd_strbuf_fini(&text);
    xpd_json_raw(w, (struct xpd_str){room, size});
}

static void json_cell(struct xpd_jsonw *w, const struct xpd_column *column, const void *row)
{
    xpd_json_obj(w);
    if (column->shown_at)
        xpd_json_kstr(w, "f", text_at(row, column->shown_at));
    xpd_json_key(w, "v");
    if (column->kind == XPD_CELL_NUMBER)
        json_number(w, number_at(row, column->at));
    else if (column->kind == XPD_CELL_TEXT)
        xpd_json_str(w, text_at(row, column->at));
    else
        xpd_json_bool(w, bool_at(row, column->at));
    xpd_json_obj_end(w);
}

static void json_column(struct xpd_jsonw *w, const struct xpd_column *column)
{
    static const char *const types[] = {"number", "string", "boolean"};
    xpd_json_obj(w);
    xpd_json_ktext(w, "id", column->id);
    xpd_json_ktext(w, "label", column->label);
    if (column->role) {
        xpd_json_key(w, "p");
        xpd_json_obj(w);
        xpd_json_ktext(w, "role", column->role);
        xpd_json_obj_end(w);
    }
    xpd_json_ktext(w, "type", column->type ? column->type : types[column->kind]);
    xpd_json_obj_end(w);
}

void xpd_data_table_json(struct xpd_jsonw *w, const struct xpd_data_table *table)
{
    xpd_json_obj(w);
    if (table->nothing) {
        xpd_json_obj_end(w);
        return;
    }
    xpd_json_key(w, "cols");
    xpd_json_arr(w);
    for (uint32_t c = 0; c < table->column_count; c++)
        json_column(w, &table->column[c]);
    xpd_json_arr_end(w);
    if (table->property_count) {
        xpd_json_key(w, "p");
        xpd_json_obj(w);
        for (uint32_t i = 0; i < table->property_count; i++)
            xpd_json_kstr(w, table->property[i].name, table->property[i].value);
        xpd_json_obj_end(w);
    }
    xpd_json_key(w, "rows");
    xpd_json_arr(w);
    for (uint32_t r = 0; r < table->row_count; r++) {
        const char *row = (const char *)table->row + r * table->row_bytes;
        xpd_json_obj(w);
        xpd_json_key(w, "c");
        xpd_json_arr(w);
        for (uint32_t c = 0; c < table->column_count; c++)
            json_cell(w, &table->column[c], row);
        xpd_json_arr_end(w);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
    xpd_json_obj_end(w);
}

static void csv_text(struct xpd_strbuf *out, struct xpd_str text)
{
    xpd_strbuf_putc(out, '"');
    if (text.size && text.data[0] && strchr("=+-@\t\r", text.data[0]))
        xpd_strbuf_putc(out, '\'');
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '"')
            xpd_strbuf_putc(out, '"');
        xpd_strbuf_putc(out, text.data[i] ? text.data[i] : ' '); /* a NUL ends a cell for many */
    }
    xpd_strbuf_putc(out, '"');
}

static void csv_cell(struct xpd_strbuf *out, const struct xpd_column *column, const void *row)
{
    if (column->kind == XPD_CELL_TEXT) {
        csv_text(out, text_at(row, column->at));
        return;
    }
    xpd_strbuf_putc(out, '"');
    if (column->kind == XPD_CELL_BOOL)
        xpd_strbuf_puts(out, bool_at(row, column->at) ? "True" : "False");
    else if (isfinite(number_at(row, column->at))) /* else empty, as null is */
        xpd_data_table_number(out, number_at(row, column->at));
    xpd_strbuf_putc(out, '"');
}

void xpd_data_table_csv(struct xpd_strbuf *out, const struct xpd_data_table *table)
{
    for (uint32_t c = 0; c < table->column_count; c++) {
        const struct xpd_column *column = &table->column[c];
        if (c)
            xpd_strbuf_putc(out, ',');
        csv_text(out, xpd_str_of(column->label[0] ? column->label : column->id));
    }
    xpd_strbuf_putc(out, '\n');
    for (uint32_t r = 0; r < table->row_count; r++) {
        const char *row = (const char *)table->row + r * table->row_bytes;
        for (uint32_t c = 0; c < table->column_count; c++) {
            if (c)
                xpd_strbuf_putc(out, ',');
            csv_cell(out, &table->column[c], row);
        }
        xpd_strbuf_putc(out, '\n');
    }
}
