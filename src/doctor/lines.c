/* Lines of a small text file. In: its text. Out: one trimmed line after the other. */
#include "lines.h"

#include <inttypes.h>
#include <stdio.h>

bool xpd_text_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

struct xpd_str xpd_text_trim(struct xpd_str text)
{
    while (text.size > 0 && xpd_text_is_space(text.data[0])) {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && xpd_text_is_space(text.data[text.size - 1]))
        text.size--;
    return text;
}

void xpd_text_line_next(struct xpd_text_line *line, struct xpd_str *rest)
{
    const char *end = memchr(rest->data, '\n', rest->size);
    size_t size = end ? (size_t)(end - rest->data) : rest->size;
    const char *comment = memchr(rest->data, '#', size);
    line->start = rest->data;
    line->number++;
    line->text = xpd_text_trim(
        (struct xpd_str){line->start, comment ? (size_t)(comment - line->start) : size});
    size_t taken = size + (end != NULL);
    *rest = (struct xpd_str){rest->data + taken, rest->size - taken};
}

int xpd_text_line_fail(const struct xpd_text_line *line, const char *at, struct xpd_err *err,
                       const char *what)
{
    char where[160];
    snprintf(where, sizeof where, "%.100s:%" PRIu32 ":%zu", line->file, line->number,
             (size_t)(at - line->start) + 1);
    return xpd_fail(err, XPD_EINVAL, where, XPD_NO_OFFSET, "%s", what);
}
