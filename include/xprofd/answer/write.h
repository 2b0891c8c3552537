/* Writers of the answers that record.h describes. Input: a record and its struct; output: text. A
 * failure is sticky in the buffer. */
#ifndef XPROFD_ANSWER_WRITE_H
#define XPROFD_ANSWER_WRITE_H

#include "xprofd/answer/record.h"
#include "xprofd/base/arena.h"
#include "xprofd/base/strbuf.h"
#include "xprofd/json/writer.h"

/* The whole answer as one object, with `names` at its end if a field is a NAME. The table
 * of names takes memory from `arena`. */
void xpd_answer_json(struct xpd_strbuf *out, const struct xpd_record *record, const void *answer,
                     struct xpd_arena *arena);
/* A record inside a hand-written answer; it must have no NAME. NULL is written as null. */
void xpd_answer_put(struct xpd_jsonw *w, const struct xpd_record *record, const void *at);
/* The table for a CSV or a terminal: the first of its COLUMNS and INLINE fields that is not NULL;
 * NULL = none. */
const struct xpd_record_field *xpd_answer_table_of(const struct xpd_record *record,
                                                   const void *answer);
uint32_t xpd_answer_rows(const struct xpd_record_field *table, const void *answer);
/* One of its tables (xpd_record_table) with a header row: a column for each field that is a single
 * value. */
void xpd_answer_csv(struct xpd_strbuf *out, const struct xpd_record_field *table,
                    const void *answer);
/* The same for a terminal: headings with units, numbers to the right, each column in a unit that
 * suits its largest value; unknown is "-". `columns`: the keys to show, in this order, separated by
 * blanks, "source?" only where a row says something; NULL = all. */
void xpd_answer_table(struct xpd_strbuf *out, const struct xpd_record_field *table,
                      const void *answer, const char *columns);
/* The same of the first `rows_most` rows, with at most `text_most` bytes of a text. */
void xpd_answer_table_part(struct xpd_strbuf *out, const struct xpd_record_field *table,
                           const void *answer, const char *columns, uint32_t rows_most,
                           uint32_t text_most);
/* Appends the single value of a key, as it is; false: it is null or "", or there is no such. */
bool xpd_answer_value(struct xpd_strbuf *out, const struct xpd_record *record, const void *answer,
                      struct xpd_str key);

#endif
