/* Shared by the files that join hosts. */
#ifndef XPD_TRACE_JOIN_PARTS_H
#define XPD_TRACE_JOIN_PARTS_H

#include "xprofd/trace/join.h"

/* join_runs.c: part->first_run of each, and a note when they differ. False: no memory. */
bool xpd_join_runs(struct xpd_trace *trace, struct xpd_trace_host *part);

/* Each host's own, with its name before them: equal codes of two hosts are two warnings. */
void xpd_join_warnings(struct xpd_warnings *list, const char *host,
                       const struct xpd_warnings *from);

#endif
