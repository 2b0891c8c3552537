/* Duty cycle of the chips of a TPU host: how long some core of a chip worked, and how long none
 * did. Rules: XProf's duty_cycle_tracker.cc and xplane_to_op_stats.cc, and for its release 2.24,
 * which counts twice and takes the innermost operation (busy.h), what it answers of made profiles.
 */
#ifndef XPROFD_COMPAT_OPSTATS_DUTY_H
#define XPROFD_COMPAT_OPSTATS_DUTY_H

#include "file_events.h"
#include "host_table.h"

struct xpd_duty {                        /* of a host */
    uint64_t busy_ps, idle_ps;           /* sums over chips; together from first to last event */
    uint64_t sure_busy_ps, sure_idle_ps; /* custom calls without known work count as idle */
};

/* Made once and kept beside the run. Waits for the events. XPD_ENOMEM, or the error from reading
 * the file. */
int xpd_duty_of_host(const struct xpd_tool_ctx *ctx, uint32_t host, const struct xpd_duty **out,
                     struct xpd_err *err);
extern const struct xpd_host_table xpd_duty_table;

#endif
