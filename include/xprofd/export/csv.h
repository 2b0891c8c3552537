/* RFC 4180 CSV: CRLF rows, quotes where needed. A text cell that a spreadsheet would execute as a
 * formula (beginning with = + - @, a tab or a carriage return) gets a leading apostrophe; numbers
 * are unchanged. */
#ifndef XPROFD_EXPORT_CSV_H
#define XPROFD_EXPORT_CSV_H

#include "xprofd/base/str.h"
#include "xprofd/base/strbuf.h"

struct xpd_csv {
    struct xpd_strbuf *out; /* its sticky failure is the writer's */
    bool in_row;            /* a cell was written since the last row end */
};

void xpd_csv_init(struct xpd_csv *csv, struct xpd_strbuf *out);
void xpd_csv_str(struct xpd_csv *csv, struct xpd_str text);
void xpd_csv_text(struct xpd_csv *csv, const char *text); /* NULL is an empty cell */
void xpd_csv_i64(struct xpd_csv *csv, int64_t value);
void xpd_csv_u64(struct xpd_csv *csv, uint64_t value);
void xpd_csv_double(struct xpd_csv *csv, double value); /* finite */
void xpd_csv_empty(struct xpd_csv *csv);                /* unknown */
void xpd_csv_end_row(struct xpd_csv *csv);
/* A whole row of fixed words separated by commas: "step,bytes". */
void xpd_csv_header(struct xpd_csv *csv, const char *columns);

#endif
