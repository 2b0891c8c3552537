/* Chips and what they can do at most: what a profile's device plane says, else what the makers
 * publish (profile/chips.c is the one table). */
#ifndef XPROFD_PROFILE_CHIPS_H
#define XPROFD_PROFILE_CHIPS_H

#include "xprofd/profile/xspace.h"

struct xpd_peaks {      /* of one chip; -1 = unknown */
    const char *device; /* "TPU v5e", "MI300X"; "" = not known which */
    double flops_per_s; /* the fastest dense matrix rate in 16 bits; without matrix units, fp32 */
    double hbm_bytes_per_s;
    double link_bytes_per_s; /* one way, over one link to a neighbour */
    double clock_hz;         /* of a TensorCore, for the compiler's cycles */
    const char *source;      /* where the figures are from; NULL = nowhere */
};

/* The published specifications, one chip after another; static. NULL: there are no more. */
const struct xpd_peaks *xpd_peaks_at(uint32_t index);
/* By the device type that profiles write ("TPU v6 Lite", "NVIDIA H100 80GB HBM3", ...). NULL when
 * it is not in the table. */
const struct xpd_peaks *xpd_peaks_find(struct xpd_str device_type);
/* Bytes of memory of such a device, -1 = not in the table; *from is static text. */
int64_t xpd_chip_memory_bytes(struct xpd_str device_type, const char **from);
/* What the plane of a device says of itself: its peaks; of a GPU cores, clock and memory bandwidth,
 * from which they follow as XProf derives them. What it does not say is -1; false: nothing.
 * `device` is the chip of the table that a GPU is by its name or by cores and capability, "" =
 * none; `source` is static. */
bool xpd_peaks_of_plane(struct xpd_peaks *out, const struct xpd_xspace *space,
                        const struct xpd_plane *plane);

#endif
