/* Shared by the files that join hosts. */
#ifndef XPD_TRACE_JOIN_PARTS_H
#define XPD_TRACE_JOIN_PARTS_H

#include "xprofd/trace/join.h"

/* join_runs.c: part->first_run of each, and a note when they differ. False: no memory. */
bool xpd_join_runs(struct xpd_trace *trace, struct xpd_trace_host *part);

/* ---- join_trace.c ---- */

/* Texts of one host among those of all; each is looked up there once. */
struct xpd_join_texts {
    struct xpd_intern *to;
    const struct xpd_intern *from; /* of the host */
    xpd_name_id *id;               /* by id in `from`: that in `to`, + 1; 0 = not looked up yet */
};
/* False: out of memory. */
bool xpd_join_texts_init(struct xpd_join_texts *texts, struct xpd_intern *to,
                         const struct xpd_intern *from);
void xpd_join_texts_fini(struct xpd_join_texts *texts);
/* 0, the empty text, for an id that the host does not have. */
xpd_name_id xpd_join_text(struct xpd_join_texts *texts, xpd_name_id id);
/* A name of the host with the texts of all; its plane is still that of the host. */
struct xpd_event_name xpd_join_name(struct xpd_join_texts *texts,
                                    const struct xpd_event_name *from);

/* Each host's own, with its name before them: equal codes of two hosts are two warnings. */
void xpd_join_warnings(struct xpd_warnings *list, const char *host,
                       const struct xpd_warnings *from);

#endif
