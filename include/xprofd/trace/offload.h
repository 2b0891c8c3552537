/* Copies between a device and the memory of its host, by instruction names. */
#ifndef XPROFD_TRACE_OFFLOAD_H
#define XPROFD_TRACE_OFFLOAD_H

#include "xprofd/trace/trace.h"

/* Which half of a copy to or from host memory an instruction is. */
enum xpd_offload_half { XPD_OFFLOAD_NONE, XPD_OFFLOAD_START, XPD_OFFLOAD_DONE };
enum xpd_offload_half xpd_offload_half(const struct xpd_trace *trace,
                                       const struct xpd_event_name *name);
/* "offload-copy.3" */
struct xpd_str xpd_offload_key(struct xpd_str caption, char *text, size_t capacity);

#endif
