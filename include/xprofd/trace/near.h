/* The event before or after another one: in its row, of its name, of an instruction. */
#ifndef XPROFD_TRACE_NEAR_H
#define XPROFD_TRACE_NEAR_H

#include "xprofd/trace/view.h"

enum xpd_near { XPD_NEAR_NEXT, XPD_NEAR_PREVIOUS, XPD_NEAR_FIRST, XPD_NEAR_LAST };

/* On the same depth: what a person sees beside it. False: none on that side. */
bool xpd_near_in_row(const struct xpd_view *view, const struct xpd_event *event, enum xpd_near near,
                     struct xpd_event *found);
/* Of its name, on any depth of its row. False: none on that side. */
bool xpd_near_of_name(const struct xpd_view *view, const struct xpd_event *event,
                      enum xpd_near near, struct xpd_event *found);
/* Of an instruction of the event's program, in the measured rows of its kind in its process; *any
 * is false if there is none on that side. The arena is for work meanwhile. XPD_ENOMEM. */
int xpd_near_of_instruction(const struct xpd_view *view, const struct xpd_event *event,
                            struct xpd_str instruction, bool forward, struct xpd_arena *arena,
                            struct xpd_event *found, bool *any, struct xpd_err *err);

#endif
