/* Which operations of a trace compute and which collectives belong together: a table beside the
 * run, made once for a host; a range of any size is added up without looking beyond it. */
#ifndef XPROFD_SRC_TOOLS_TRACE_OVERLAP_KEPT_H
#define XPROFD_SRC_TOOLS_TRACE_OVERLAP_KEPT_H

#include "trace_common.h"
#include "xprofd/trace/step_table.h"

/* Of the trace of `call`, which has its derived rows. XPD_ENOMEM. */
int xpd_tools_trace_overlap(const struct xpd_overlap_table **out, const struct xpd_trace_call *call,
                            struct xpd_err *err);
/* The same without the sums over the time: quicker at first, for ranges that are asked for once. */
int xpd_tools_trace_roles(const struct xpd_overlap_table **out, const struct xpd_trace_call *call,
                          struct xpd_err *err);

/* All steps of the trace; frozen. By the device's clock unless `clock` is the host's, or some work
 * of a chip has no time on it. */
int xpd_tools_trace_steps(const struct xpd_steps_kept **out, const struct xpd_trace_call *call,
                          enum xpd_clock clock, struct xpd_err *err);

#endif
