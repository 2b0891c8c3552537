/* The request line, decoded: path and query with limits. Nothing here trusts its input. */
#ifndef XPROFD_SRC_SERVER_QUERY_H
#define XPROFD_SRC_SERVER_QUERY_H

#include "xprofd/base/arena.h"
#include "xprofd/base/error.h"
#include "xprofd/tools/tool.h"

#define XPD_TARGET_MAX_BYTES 32768 /* path and query as sent */
#define XPD_QUERY_MAX_PARAMS 64

struct xpd_query {
    struct xpd_param param[XPD_QUERY_MAX_PARAMS]; /* in the order sent; texts in the arena */
    uint32_t count;
};

/* %XX undone; with `plus_is_space` also '+'. XPD_EINVAL for a broken escape or a NUL byte. The
 * result is NUL-terminated. */
int xpd_percent_decode(struct xpd_arena *arena, struct xpd_str text, bool plus_is_space,
                       struct xpd_str *out, struct xpd_err *err);
/* "a=1&b=2" (without '?'). Empty parts are skipped; a part without '=' has an empty value.
 * XPD_EINVAL, or XPD_ELIMIT for more than XPD_QUERY_MAX_PARAMS. */
int xpd_query_decode(struct xpd_arena *arena, struct xpd_str text, struct xpd_query *out,
                     struct xpd_err *err);
/* The value of the first parameter of that name, or "". */
struct xpd_str xpd_query_get(const struct xpd_query *query, const char *name);
/* One spelling for equal questions: the first parameter of each name, by name, lengths in front. */
void xpd_query_canonical(const struct xpd_query *query, struct xpd_strbuf *out);

#endif
