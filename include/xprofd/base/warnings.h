/* Things worth saying beside a result: collected by readers and analyses, shown by every front.
 * Bounded: equal texts are counted once, and past the limit only the count of the rest is kept. */
#ifndef XPROFD_BASE_WARNINGS_H
#define XPROFD_BASE_WARNINGS_H

#include "xprofd/base/arena.h"

#define XPD_WARNINGS_MAX 64

enum xpd_severity {
    XPD_NOTE,
    XPD_WARNING,
    XPD_ERROR
}; /* good to know / doubtful / data is missing */

struct xpd_warning {
    enum xpd_severity severity;
    const char *code; /* fixed word, e.g. "double_free"; static storage */
    const char *text; /* one sentence; in the arena */
    uint64_t offset;  /* byte offset in the file, or XPD_NO_OFFSET */
    uint64_t count;   /* number of warnings with this code; `text` is from the first */
};

struct xpd_warnings {
    struct xpd_arena *arena;
    uint32_t count;
    uint64_t dropped; /* codes beyond the limit */
    struct xpd_warning item[XPD_WARNINGS_MAX];
};

/* `code` identifies the kind: a second one with the same code only raises its count. */
void xpd_warn(struct xpd_warnings *list, enum xpd_severity severity, const char *code,
              uint64_t offset, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
const char *xpd_severity_word(enum xpd_severity severity); /* "note", "warning", "error" */

#endif
