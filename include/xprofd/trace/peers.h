/* The same execution on other chips: the j-th run of an operation inside the k-th run of its
 * program, on each device of the same kind. Run numbers of the runtime differ from chip to chip;
 * counting executions of one program does not, unless the capture began while it ran. */
#ifndef XPROFD_TRACE_PEERS_H
#define XPROFD_TRACE_PEERS_H

#include "xprofd/trace/self.h"

struct xpd_peer {
    uint32_t process;
    struct xpd_event event;
};
/* The event itself first, then by process. *count <= number of processes. XPD_ENOTFOUND with the
 * reason if the event is not a device's operation or module. */
int xpd_peers_of(const struct xpd_view *view, const struct xpd_event *event,
                 struct xpd_arena *arena, struct xpd_peer **out, uint32_t *count,
                 struct xpd_err *err);
/* Start on the raw clock of the event's own device: of another origin than host-aligned times, and
 * not promised to be the same on two chips. Read from the file; -1 unknown. */
int64_t xpd_device_start_of(const struct xpd_view *view, const struct xpd_event *event);

#endif
