/* Sizes and words in error texts; internal to oom_*.c. */
#ifndef XPROFD_SRC_MEMORY_OOM_SCAN_H
#define XPROFD_SRC_MEMORY_OOM_SCAN_H

#include "xprofd/base/vec.h"
#include "xprofd/memory/oom_text.h"

struct xpd_oom_scan {
    struct xpd_str text;
    struct xpd_oom_text *out;
    XPD_VEC(struct xpd_oom_part) part;
    XPD_VEC(struct xpd_oom_item) item;
};
struct xpd_oom_size {
    int64_t bytes, slack_bytes;
    size_t at, end; /* in the text */
};

/* A size at (blanks and an opening bracket before it are skipped): digits, K/M/G/T, "iB", "B". */
bool xpd_oom_size_at(struct xpd_str text, size_t at, struct xpd_oom_size *out);
/* Position after the first `words` at or after `from`; SIZE_MAX when they do not occur. */
size_t xpd_oom_after(struct xpd_str text, size_t from, const char *words);
/* The size that follows `words`; marks it as `what`. */
bool xpd_oom_size_after(struct xpd_oom_scan *s, size_t from, const char *words, const char *what,
                        struct xpd_oom_size *out);
void xpd_oom_mark(struct xpd_oom_scan *s, size_t at, size_t size, const char *what);
/* Letters, digits, '_', '.' and '-' from `at` on, without a dot or dash at the end. */
struct xpd_str xpd_oom_word_at(struct xpd_str text, size_t at);
/* From `at` up to (not with) the first `stop`, at most to the end of the line. */
struct xpd_str xpd_oom_until(struct xpd_str text, size_t at, char stop);
/* The numbered list "1. Size: ..." of the long form. */
void xpd_oom_read_list(struct xpd_oom_scan *s);

#endif
