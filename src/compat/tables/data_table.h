/* A table as Google's charts take it (gviz DataTable), and the same table as CSV: one description
 * of the columns for both. A row is a struct of doubles, texts and bools; a column names a member
 * of it:
 *
 *     static const struct xpd_column columns[] = {
 *         XPD_COLUMN(struct row, rank, "Rank"),
 *         XPD_COLUMN_AS(struct row, "#", name, "Kernel name"),
 *     };
 *
 * Keys, and the form of numbers, are as XProf 2.24 writes them. */
#ifndef XPROFD_COMPAT_TABLES_DATA_TABLE_H
#define XPROFD_COMPAT_TABLES_DATA_TABLE_H

#include "xprofd/json/writer.h"

enum xpd_cell_kind { XPD_CELL_NUMBER, XPD_CELL_TEXT, XPD_CELL_BOOL };

struct xpd_column {
    const char *id, *label;
    enum xpd_cell_kind kind; /* of the member: double, struct xpd_str, bool */
    size_t at;               /* of the member in the row */
    size_t shown_at;         /* of a text to show instead, which JSON has in addition; 0 = none */
    const char *type;        /* NULL = the default of the kind */
    const char *role;        /* "tooltip", "interval" or NULL */
};

/* clang-format off */
#define XPD_COLUMN_AS(row, name, member, title)                                                    \
    {.id = (name), .label = (title),                                                               \
     .kind = _Generic(((row *)NULL)->member, double: XPD_CELL_NUMBER,                              \
                      struct xpd_str: XPD_CELL_TEXT, bool: XPD_CELL_BOOL),                         \
     .at = offsetof(row, member)}
/* clang-format on */
#define XPD_COLUMN(row, member, title) XPD_COLUMN_AS(row, #member, member, title)
#define XPD_COLUMNS(list)              .column = (list), .column_count = sizeof(list) / sizeof *(list)

struct xpd_property {
    const char *name;
    struct xpd_str value;
};

struct xpd_data_table {
    bool nothing; /* JSON is {} */
    const struct xpd_column *column;
    uint32_t column_count;
    const void *row; /* row_count structs of row_bytes each */
    size_t row_bytes;
    uint32_t row_count;
    const struct xpd_property *property; /* sorted by name, as XProf's are */
    uint32_t property_count;
};

void xpd_data_table_json(struct xpd_jsonw *w, const struct xpd_data_table *table);
/* As Python's csv module writes it with all cells quoted: labels (ids where there is none), then
 * the rows. Texts that a spreadsheet would run as a formula get an apostrophe in front. */
void xpd_data_table_csv(struct xpd_strbuf *out, const struct xpd_data_table *table);

/* A number as XProf prints it: the fewest digits that read back equal, always with a point or an
 * exponent (1.0, 1e-05). NaN and infinity are "null". */
void xpd_data_table_number(struct xpd_strbuf *out, double value);

#endif
