/* A table of an answer as CSV. */
#include "xprofd/export/csv.h"
#include "value.h"
#include "xprofd/answer/write.h"

static void put_cell(struct xpd_csv *csv, const struct xpd_record_field *field, const char *at)
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
                put_cell(&csv, &record->field[i], row + record->field[i].offset);
        xpd_csv_end_row(&csv);
    }
}
