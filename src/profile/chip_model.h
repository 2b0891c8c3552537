/* A GPU's data from its plane, and its chip in the table. */
#ifndef XPD_PROFILE_CHIP_MODEL_H
#define XPD_PROFILE_CHIP_MODEL_H

#include "xprofd/profile/chips.h"

struct xpd_gpu { /* -1 = not in the plane */
    enum xpd_gpu_vendor vendor;
    double clock_khz, cores, memory_bytes, memory_bytes_per_s, major, minor;
    struct xpd_str name; /* as the plane has it; "" */
};
/* By its name, else by cores and capability; NULL: none in the table. */
const struct xpd_peaks *xpd_chip_like(const struct xpd_gpu *gpu);

#endif
