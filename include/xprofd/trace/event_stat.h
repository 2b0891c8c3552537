/* Stats of measured events by the event's place in the trace, read from the file. */
#ifndef XPROFD_TRACE_EVENT_STAT_H
#define XPROFD_TRACE_EVENT_STAT_H

#include "xprofd/profile/event_read.h"
#include "xprofd/trace/trace.h"

/* The stats of an entry of a plane's event metadata, which all its events share. Values and errors
 * as in xpd_stats_decode; the file's date is not looked at. */
int xpd_metadata_stats(const struct xpd_trace *trace, uint32_t plane, uint32_t metadata,
                       struct xpd_arena *scratch, struct xpd_stat_value **out, uint32_t *count,
                       struct xpd_err *err);
/* An integer stat of one event; false when it has none. */
bool xpd_event_stat(const struct xpd_trace *trace, uint64_t event, const char *stat,
                    uint64_t *value);

/* Wanted stats of many events of one host. The file is read in pieces: cheap for events that stand
 * there one after another. */
struct xpd_event_reader {
    const struct xpd_trace *trace;
    const char *const *name; /* of the wanted stats */
    uint32_t name_count;
    uint32_t plane; /* whose ids follow: planes merged into one process have each their own */
    struct xpd_stat_ids ids;
    struct xpd_event_said said; /* its stats alone are filled */
    uint8_t *bytes;             /* malloc'ed */
    uint64_t room, from, end;   /* of `bytes`; what they hold of the file */
};
/* False: no memory. `name` stays the caller's. */
bool xpd_event_reader_init(struct xpd_event_reader *reader, const struct xpd_trace *trace,
                           const char *const *name, uint32_t name_count);
void xpd_event_reader_fini(struct xpd_event_reader *reader);
/* The stats of an event, until the next call; NULL: it is not in the file, larger than
 * XPD_WINDOW_BYTES, or the file cannot be read. */
const struct xpd_event_said *xpd_event_reader_at(struct xpd_event_reader *reader,
                                                 const struct xpd_depth *depth, uint32_t i);

#endif
