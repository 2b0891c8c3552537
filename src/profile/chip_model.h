/* What the plane of a GPU says of it, and which chip of the table that is. */
#ifndef XPD_PROFILE_CHIP_MODEL_H
#define XPD_PROFILE_CHIP_MODEL_H

#include "xprofd/profile/chips.h"

struct xpd_gpu { /* -1 = the plane does not say */
    enum xpd_gpu_vendor vendor;
    double clock_khz, cores, memory_bytes, memory_bytes_per_s, major, minor;
    struct xpd_str name; /* as the plane has it; "" */
};
/* By its name, else by cores and capability; NULL: none in the table. */
const struct xpd_peaks *xpd_chip_like(const struct xpd_gpu *gpu);

#endif
