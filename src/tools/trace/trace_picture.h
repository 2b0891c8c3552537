/* A picture of the trace as JSON. */
#ifndef XPD_TOOLS_TRACE_PICTURE_H
#define XPD_TOOLS_TRACE_PICTURE_H

#include "trace_common.h"
#include "xprofd/trace/picture.h"

/* "box" and "merged" of an answer; its "names" become a text of their own,
 * for they stand behind all else. XPD_ENOMEM as other tools say it. */
int xpd_picture_write(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                      const struct xpd_picture *picture, struct xpd_strbuf *names,
                      struct xpd_err *err);

#endif
