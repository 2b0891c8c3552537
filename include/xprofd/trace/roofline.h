/* Speed of an operation compared with the peaks of its chip. Work and bytes are the compiler's
 * estimates for one execution; time is by the device clock if the event has it. */
#ifndef XPROFD_TRACE_ROOFLINE_H
#define XPROFD_TRACE_ROOFLINE_H

#include "xprofd/profile/chips.h"
#include "xprofd/trace/self.h"

struct xpd_roofline {
    int64_t flops, bytes;                      /* -1 = not given */
    double flops_per_s, bytes_per_s;           /* achieved; -1 = unknown */
    double peak_flops_per_s, peak_bytes_per_s; /* of the chip; -1 = unknown */
    int64_t at_roofline_ps;                    /* minimum time at these peaks; -1 = unknown */
    const char *bound;                         /* "compute", "memory", or NULL = unknown */
    double share;                              /* at_roofline_ps / duration; -1 = unknown */
    int64_t duration_ps;                       /* that was used */
    bool measured;                             /* amounts and time are known: only peaks may lack */
    const char *why_not;                       /* no roofline: one sentence; NULL = there is one */
};
/* The peaks are those of the chip's own plane, else the run's (NULL = none). */
void xpd_roofline_of(const struct xpd_view *view, const struct xpd_event *event,
                     const struct xpd_peaks *of_run, struct xpd_roofline *out);

#endif
