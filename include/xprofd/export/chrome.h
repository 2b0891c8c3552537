/* Chrome's trace event format (JSON), which Perfetto and chrome://tracing open, piece by piece.
 *
 * Times are picoseconds and are written as microseconds with six decimals, from the integers: exact
 * in the text. The caller empties `out` between events as it likes. */
#ifndef XPROFD_EXPORT_CHROME_H
#define XPROFD_EXPORT_CHROME_H

#include "xprofd/json/writer.h"

struct xpd_chrome {
    struct xpd_strbuf *out; /* its sticky failure is the writer's */
    bool in_list;           /* an event was written */
    uint64_t event_count;
};
struct xpd_chrome_place {
    uint64_t pid, tid;
};

/* {"displayTimeUnit":"ns","otherData":{...},"traceEvents":[ ; `note` pairs of key and text end with
 * an empty key. */
void xpd_chrome_begin(struct xpd_chrome *chrome, struct xpd_strbuf *out,
                      const struct xpd_str (*note)[2]);
void xpd_chrome_end(struct xpd_chrome *chrome);

/* Names and order of processes and threads. */
void xpd_chrome_process(struct xpd_chrome *chrome, uint64_t pid, struct xpd_str name,
                        uint64_t order);
void xpd_chrome_thread(struct xpd_chrome *chrome, struct xpd_chrome_place place,
                       struct xpd_str name, uint64_t order);

/* An event being written: begin, write args, end. */
struct xpd_chrome_event {
    char phase; /* X, b, e, C, s, f */
    struct xpd_chrome_place place;
    struct xpd_str name, category;
    int64_t start_ps, duration_ps; /* duration: X only */
    uint64_t id;                   /* b, e, s, f */
};
/* *w is inside of "args" afterwards, one key and value after another; then _event_end. */
void xpd_chrome_event_begin(struct xpd_chrome *chrome, const struct xpd_chrome_event *event,
                            struct xpd_jsonw *w);
void xpd_chrome_event_end(struct xpd_jsonw *w);
/* Without args. */
void xpd_chrome_event(struct xpd_chrome *chrome, const struct xpd_chrome_event *event);

#endif
