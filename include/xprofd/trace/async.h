/* An asynchronous operation as one bar: from its start to its done, with the time the core
 * waits at the done. The transfer is hidden while the core does not wait, whatever the core
 * does.
 *
 * By the share of the bar that is waiting: fully hidden below 1 %, exposed from 99 % on, partly
 * between. All times of a bar are by one clock: the device's if start and done have it. */
#ifndef XPROFD_TRACE_ASYNC_H
#define XPROFD_TRACE_ASYNC_H

#include "xprofd/trace/self.h"

enum xpd_hidden { XPD_HIDDEN_FULLY, XPD_HIDDEN_PARTLY, XPD_HIDDEN_NOT };
const char *xpd_hidden_word(enum xpd_hidden hidden); /* "fully", "partly", "exposed" */
enum xpd_hidden xpd_hidden_of(int64_t wait_ps, int64_t whole_ps);

struct xpd_async_pair {
    struct xpd_event start, done;
    int64_t wait_ps, whole_ps; /* by `clock` */
    enum xpd_clock clock;
    int64_t drawn_wait_ps; /* end of the bar that the done covers, host-aligned; <= its duration */
    enum xpd_hidden hidden;
};
/* False for an event that is not a pair. */
bool xpd_async_pair_of(const struct xpd_view *view, const struct xpd_event *event,
                       struct xpd_async_pair *pair);

/* The start that a done names as its operand, without "%": "copy-start.2"; "" if its HLO text names
 * none (the numbers of the names then decide). */
struct xpd_str xpd_async_start_name(struct xpd_str hlo_text);

#endif
