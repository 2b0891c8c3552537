/* CSV writer: cells in, RFC 4180 text out. In: bytes of any file. Out: nothing a spreadsheet would
 * run. */
#include "xprofd/export/csv.h"

void xpd_csv_init(struct xpd_csv *csv, struct xpd_strbuf *out)
{
    csv->out = out;
    csv->in_row = false;
}

static void separate(struct xpd_csv *csv)
{
    if (csv->in_row)
        xpd_strbuf_putc(csv->out, ',');
    csv->in_row = true;
}

static bool looks_like_a_formula(struct xpd_str text)
{
    return text.size > 0 && text.data[0] != '\0' && strchr("=+-@\t\r", text.data[0]) != NULL;
}

static bool needs_quotes(struct xpd_str text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] == ',' || text.data[i] == '"' || text.data[i] == '\n' ||
            text.data[i] == '\r')
            return true;
    return text.size > 0 && (text.data[0] == ' ' || text.data[text.size - 1] == ' ');
}

void xpd_csv_str(struct xpd_csv *csv, struct xpd_str text)
{
    separate(csv);
    bool quoted = needs_quotes(text);
    if (quoted)
        xpd_strbuf_putc(csv->out, '"');
    if (looks_like_a_formula(text))
        xpd_strbuf_putc(csv->out, '\'');
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '"')
            xpd_strbuf_putc(csv->out, '"');
        /* a NUL ends the cell in most readers; names of broken files have them */
        xpd_strbuf_putc(csv->out, text.data[i] ? text.data[i] : ' ');
    }
    if (quoted)
        xpd_strbuf_putc(csv->out, '"');
}

void xpd_csv_text(struct xpd_csv *csv, const char *text)
{
    xpd_csv_str(csv, xpd_str_of(text));
}

void xpd_csv_i64(struct xpd_csv *csv, int64_t value)
{
    separate(csv);
    xpd_strbuf_i64(csv->out, value);
}

void xpd_csv_u64(struct xpd_csv *csv, uint64_t value)
{
    separate(csv);
    xpd_strbuf_u64(csv->out, value);
}

void xpd_csv_double(struct xpd_csv *csv, double value)
{
    separate(csv);
    xpd_strbuf_double(csv->out, value);
}

void xpd_csv_empty(struct xpd_csv *csv)
{
    separate(csv);
}

void xpd_csv_end_row(struct xpd_csv *csv)
{
    xpd_strbuf_add(csv->out, "\r\n", 2);
    csv->in_row = false;
}

void xpd_csv_header(struct xpd_csv *csv, const char *columns)
{
    xpd_strbuf_puts(csv->out, columns);
    csv->in_row = true;
    xpd_csv_end_row(csv);
}
