/* Status codes and the caller-owned error record.
 *
 * A function that can fail returns enum xpd_code (XPD_OK is 0) and fills the record it was given,
 * once, where the fact is known; a caller that knows a name the callee did not adds context in
 * front. `err` may be NULL. Reporting never allocates. Only main ends the process. */
#ifndef XPROFD_BASE_ERROR_H
#define XPROFD_BASE_ERROR_H

#include <stdint.h>

enum xpd_code {
    XPD_OK = 0,
    XPD_EINVAL,    /* bad parameter */
    XPD_ENOTFOUND, /* no such run, host, module, buffer, file */
    XPD_EFORMAT,   /* malformed bytes */
    XPD_ELIMIT,    /* a stated limit was reached; the text says the number */
    XPD_ENOMEM,
    XPD_EIO,       /* the operating system refused or failed */
    XPD_ECHANGED,  /* the file changed since it was first read */
    XPD_EBUSY,     /* not ready yet: still loading */
    XPD_EWRITE,    /* an answer cannot be written: disk full, or the reader closed the connection */
    XPD_EINTERNAL, /* a bug of ours */
    XPD_CODE_COUNT
};

#define XPD_NO_OFFSET UINT64_MAX

struct xpd_err {
    int code;        /* enum xpd_code */
    uint64_t offset; /* byte offset in `where`, or XPD_NO_OFFSET */
    char where[160]; /* file, plane, parameter: the thing that is wrong; may be "" */
    char text[480];  /* one sentence: what is wrong and what to do, in present tense */
};

/* Fills `err` (if not NULL) and returns `code`, for `return xpd_fail(...)`.
 * `where` may be NULL. Text that does not fit is cut at a character boundary. */
int xpd_fail(struct xpd_err *err, int code, const char *where, uint64_t offset, const char *fmt,
             ...) __attribute__((format(printf, 5, 6)));
/* The same with XPD_ENOMEM, for `return xpd_no_memory(err, NULL, "for the steps")`: the text is
 * "not enough memory " and the rest that is given. */
int xpd_no_memory(struct xpd_err *err, const char *where, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The fixed word of a code, the same in JSON, messages and documents: "ok", "invalid_argument",
 * "not_found", "bad_format", "limit", "no_memory", "io", "changed", "busy", "not_written",
 * "internal". */
const char *xpd_code_word(int code);

#endif
