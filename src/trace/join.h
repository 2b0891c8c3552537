/* Shared by the files that join hosts. */
#ifndef XPD_TRACE_JOIN_PARTS_H
#define XPD_TRACE_JOIN_PARTS_H

#include "xprofd/trace/join.h"

/* Each host's own, with its name before them: equal codes of two hosts are two warnings. */
void xpd_join_warnings(struct xpd_warnings *list, const char *host,
                       const struct xpd_warnings *from);

#endif
