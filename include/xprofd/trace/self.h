/* Who lies inside whom, and what is left of an event without those inside it.
 *
 * The parent of an event is the innermost event of a shallower depth of its row that covers it.
 * Self time is the duration less that of the events one depth below that lie wholly inside; two
 * asynchronous operations that only overlap take nothing from each other.
 *
 * By the device clock an event lies inside another one when it does so on that clock: where the
 * host-aligned times jump, an operation can be drawn inside one it only followed. Then the raw
 * offsets of both are read from the file. */
#ifndef XPROFD_TRACE_SELF_H
#define XPROFD_TRACE_SELF_H

#include "xprofd/trace/view.h"

enum xpd_clock { /* what a duration is measured with */
                 XPD_CLOCK_HOST,
                 XPD_CLOCK_DEVICE /* where the event has it, else the host-aligned one */
};
const char *xpd_clock_word(enum xpd_clock clock);

#define XPD_NESTING_READS_MAX                                                                      \
    5000 /* pairs looked up for one answer; beyond, the picture counts                             \
          */

/* Whether event c of `child` is inside event p of `parent` on the device clock. `drawn`: it is on
 * the host-aligned one, which is the answer when the clocks agree, the events have no device times,
 * or reads_left is 0 (counted in unchecked). */
struct xpd_nesting {
    uint32_t reads_left;
    uint64_t unchecked;
};
bool xpd_nesting_holds(const struct xpd_view *view, const struct xpd_depth *parent, uint32_t p,
                       const struct xpd_depth *child, uint32_t c, bool drawn,
                       struct xpd_nesting *nesting);
/* Clocks that differ by less than 1 us, or by less than they drift apart, agree on who is inside.
 */
static inline bool xpd_clock_jumps(const struct xpd_depth *depth, uint32_t i)
{
    if (!depth->device_delta_ps)
        return false;
    int64_t delta_ps = depth->device_delta_ps[i]; /* INT32_MIN: too large for the column */
    delta_ps = delta_ps < 0 ? -delta_ps : delta_ps;
    return delta_ps > 1000000 && delta_ps > depth->duration_ps[i] >> 8;
}

/* The parent of an event as said above; false: it has none. */
bool xpd_event_parent(const struct xpd_view *view, const struct xpd_event *event,
                      struct xpd_event *parent);
/* Its duration, and what is left of it without the events inside. */
int64_t xpd_event_ps(const struct xpd_view *view, const struct xpd_event *event,
                     enum xpd_clock clock);
int64_t xpd_event_self_ps(const struct xpd_view *view, const struct xpd_event *event,
                          enum xpd_clock clock);
/* The execution of a program that the event is part of: the event at depth 0 of the first row of
 * modules of its process that covers its start; false without one. */
bool xpd_event_module(const struct xpd_view *view, const struct xpd_event *event,
                      struct xpd_event *found);

#endif
