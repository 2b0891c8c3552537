/* What the budget file and the file of thresholds share: lines of words, mistakes by line and
 * column. */
#ifndef XPROFD_SRC_DOCTOR_LINES_H
#define XPROFD_SRC_DOCTOR_LINES_H

#include "xprofd/base/error.h"
#include "xprofd/base/str.h"

struct xpd_text_line {
    struct xpd_str text; /* without comment and outer blanks */
    const char *start;   /* of the line in the file */
    uint32_t number;     /* from 1 */
    const char *file;
};

/* Takes the next line out of `rest`; the caller sets `file` once and `number` to 0. */
void xpd_text_line_next(struct xpd_text_line *line, struct xpd_str *rest);
/* Fails with "file:line:column"; `at` lies in the line. */
int xpd_text_line_fail(const struct xpd_text_line *line, const char *at, struct xpd_err *err,
                       const char *what);

bool xpd_text_is_space(char c); /* blank, tab or carriage return */
struct xpd_str xpd_text_trim(struct xpd_str text);

#endif
