/* Direction of a GPU's copy, by the profiler's data. */
#ifndef XPROFD_TRACE_COPY_WAY_H
#define XPROFD_TRACE_COPY_WAY_H

#include "xprofd/base/str.h"

enum xpd_copy_way {
    XPD_COPY_UNKNOWN,
    XPD_COPY_IN,  /* from the host's memory to the device's */
    XPD_COPY_OUT, /* and back */
    XPD_COPY_ON   /* between devices, or within one */
};
/* By the event's name: "MemcpyH2D" (CUPTI through XLA), "[CUDA memcpy HtoD]", "CopyHostToDevice"
 * and "MEMORY_COPY_HOST_TO_DEVICE" (ROCm). Only for copies: a kernel may have any name.
 */
enum xpd_copy_way xpd_copy_way_of_name(struct xpd_str name);
/* By its stat memcpy_details: "kind_src:pinned kind_dst:device size:4 ...", or "kind:HtoD ...";
 * managed memory has no direction. */
enum xpd_copy_way xpd_copy_way_of_details(struct xpd_str details);

#endif
