/* Duty cycle of the chips of a TPU host: how long some core of a chip worked, and how long none
 * did. Rules: XProf's duty_cycle_tracker.cc and xplane_to_op_stats.cc, and for its release 2.24,
 * which counts twice and takes the innermost operation (busy.h), what it answers of made profiles.
 */
#ifndef XPROFD_COMPAT_OPSTATS_DUTY_H
#define XPROFD_COMPAT_OPSTATS_DUTY_H

#include "file_events.h"

struct xpd_duty {
    uint64_t busy_ps, idle_ps;           /* sums over chips; together from first to last event */
    uint64_t sure_busy_ps, sure_idle_ps; /* custom calls without known work count as idle */
};

/* Adds the chips of a host. XPD_ENOMEM, or the error from reading the file. */
int xpd_duty_add(struct xpd_duty *duty, const struct xpd_file_host *host, struct xpd_err *err);

#endif
