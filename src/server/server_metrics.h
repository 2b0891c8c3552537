/* What the server counts of itself, as text for Prometheus (version 0.0.4 of its format). */
#ifndef XPROFD_SRC_SERVER_METRICS_H
#define XPROFD_SRC_SERVER_METRICS_H

#include "router.h"
#include "work.h"

#define XPD_METRICS_STATUSES 600 /* indexed by the status itself */
#define XPD_METRICS_BUCKETS  14

struct xpd_metrics { /* counted by any thread; zeroed at the start */
    struct xpd_work *work;
    _Atomic uint64_t requests[XPD_METRICS_STATUSES];
    _Atomic uint64_t seconds_at_most[XPD_METRICS_BUCKETS]; /* each request in one of them */
    _Atomic uint64_t ns, sent_bytes;
    _Atomic int64_t pastes;                 /* bodies that are coming */
    _Atomic int64_t connections, in_flight; /* in flight: from the headers to the last byte */
};

/* A request that ended: its status, the bytes of the body that were sent, how long it took from its
 * first line to its last byte. */
void xpd_metrics_count(struct xpd_metrics *metrics, int status, uint64_t sent_bytes, uint64_t ns);
void xpd_metrics_respond(const struct xpd_site *site, struct xpd_response *out);

#endif
