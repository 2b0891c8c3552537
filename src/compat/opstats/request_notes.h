/* What the events of a host say of a model server: events of known names, and those marked as roots
 * of their own kind, with the stats that count; and when each group of events began and ended.
 * Rules: as in requests.h. Private to this folder. */
#ifndef XPROFD_COMPAT_OPSTATS_REQUEST_NOTES_H
#define XPROFD_COMPAT_OPSTATS_REQUEST_NOTES_H

#include "step_events.h"

enum xpd_note_role {
    XPD_NOTE_SESSION_RUN, /* these three begin a request, and may have its model */
    XPD_NOTE_TFRT_RUN,
    XPD_NOTE_SERVING_RUN,
    XPD_NOTE_GRAPH,    /* the same, without a model */
    XPD_NOTE_BATCHING, /* begins a request that is run by others */
    XPD_NOTE_PROCESS,  /* runs a batch */
    XPD_NOTE_SCHEDULE,
    XPD_NOTE_CONCAT,
    XPD_NOTE_TRANSFER,
    XPD_NOTE_TRANSFER_BEGIN,
    XPD_NOTE_TRANSFER_END,
    XPD_NOTE_EXECUTE,
    XPD_NOTE_LAUNCH,
    XPD_NOTE_COMPLETE,
    XPD_NOTE_TENSOR,
    XPD_NOTE_MARKED, /* a root of its own kind */
    XPD_NOTE_ROLES
};

struct xpd_request_note { /* an event */
    uint8_t type;         /* its rank in XProf's order of types */
    uint8_t role, kind;   /* enum xpd_note_role; enum xpd_step_kind of a transfer */
    bool has_size, has_padding, has_consumer, has_model;
    uint32_t order; /* in the file */
    uint32_t group;
    struct xpd_xprof_step_span span;
    int64_t size, padding, consumer;
    struct xpd_str model, tensor; /* tensor: "" = its shape or layout is not known */
};
struct xpd_group_time {
    uint32_t group;
    struct xpd_xprof_step_span span;
};
struct xpd_request_notes {
    XPD_VEC(struct xpd_request_note)
    note;                      /* by type, then order: the last that sets a value counts */
    bool seen[XPD_NOTE_ROLES]; /* in any event, with or without a group */
    XPD_VEC(struct xpd_group_time) time;
    struct xpd_map64 time_at; /* group -> place in `time` */
    bool failed;              /* no memory */
};

/* Of the plane "/host:CPU". Texts live in `arena`. False in *any: the host has no event that may
 * begin a request or run a batch, and `out` is empty. */
int xpd_request_notes_take(struct xpd_request_notes *out, const struct xpd_file_host *host,
                           struct xpd_arena *arena, bool *any, struct xpd_err *err);
void xpd_request_notes_fini(struct xpd_request_notes *notes);

/* From the first to the last event of a group; NULL = it has none. */
const struct xpd_xprof_step_span *xpd_request_group_span(const struct xpd_request_notes *notes,
                                                         uint32_t group);

/* When an event ran, by the clock of XProf's steps. */
struct xpd_xprof_step_span xpd_request_event_span(const struct xpd_trace *trace,
                                                  const struct xpd_file_event *event);

#endif
