/* Chips and their peak rates: from the profile's device plane, else from published specifications
 * (profile/chips.c is the only table). */
#ifndef XPROFD_PROFILE_CHIPS_H
#define XPROFD_PROFILE_CHIPS_H

#include "xprofd/profile/gpu_rates.h"
#include "xprofd/profile/xspace.h"

/* Source of a figure. */
enum xpd_peak_from {
    XPD_FROM_NOWHERE,
    XPD_FROM_PROFILE, /* from the device's plane */
    XPD_FROM_DERIVED, /* from the plane and a rate of the table: clock x cores x rate */
    XPD_FROM_TABLE,   /* the makers' published figures */
    XPD_FROM_TYPED
};
#define XPD_FROM_WORDS "profile derived table typed"
const char *xpd_peak_from_word(enum xpd_peak_from from); /* NULL: nowhere */

/* The limits of an operation. */
enum xpd_peak {
    XPD_PEAK_FLOPS, /* of the matrix units */
    XPD_PEAK_VECTOR,
    XPD_PEAK_HBM,
    XPD_PEAK_SHARED,
    XPD_PEAK_VMEM_READ,
    XPD_PEAK_VMEM_WRITE,
    XPD_PEAK_CMEM_READ,
    XPD_PEAK_CMEM_WRITE,
    XPD_PEAK_LINK,
    XPD_PEAKS
};

struct xpd_peaks {      /* of one chip; below 0 = unknown */
    const char *device; /* "TPU v5e", "MI300X"; "" = not known which */
    double flops_per_s; /* the fastest dense matrix rate in 16 bits; without matrix units, fp32 */
    double hbm_bytes_per_s;
    double link_bytes_per_s;   /* one way, over one link to a neighbour */
    double clock_hz;           /* of a TensorCore, for the compiler's cycles */
    const char *source;        /* source of the figures; NULL = unknown */
    double vector_flops_per_s; /* of the vector units, fp32 */
    double shared_bytes_per_s; /* of a GPU's shared memory (LDS), all of it together */
    double vmem_read_bytes_per_s, vmem_write_bytes_per_s; /* of a TPU's vector memory */
    double cmem_read_bytes_per_s, cmem_write_bytes_per_s; /* of its common memory */
    double number_flops_per_s[XPD_NUMBERS]; /* of the fastest unit for each type of number */
    enum xpd_peak_from from[XPD_PEAKS];
};
#define XPD_PEAKS_REST                                                                             \
    -1, -1, -1, -1, -1, -1, {-1, -1, -1, -1, -1, -1, -1, -1},                                      \
    {                                                                                              \
        XPD_FROM_NOWHERE                                                                           \
    }
#define XPD_PEAKS_UNKNOWN                                                                          \
    {                                                                                              \
        "", -1, -1, -1, -1, NULL, XPD_PEAKS_REST                                                   \
    }

/* The figure of one limit. */
double *xpd_peak_at(struct xpd_peaks *peaks, enum xpd_peak peak);
double xpd_peak_of(const struct xpd_peaks *peaks, enum xpd_peak peak);
/* FLOP/s of a matrix multiplication of such numbers; where they have no rate of their own, that of
 * 16 bits. */
double xpd_peaks_matmul(const struct xpd_peaks *peaks, enum xpd_number number);
/* Fills unknown members of `out` from `sheet`, and records the table as their source. True: FLOP/s
 * or main memory bytes were filled. */
bool xpd_peaks_complete(struct xpd_peaks *out, const struct xpd_peaks *sheet);

/* The published specifications by index; static. NULL: past the end. */
const struct xpd_peaks *xpd_peaks_at(uint32_t index);
/* By the device type that profiles write ("TPU v6 Lite", "NVIDIA H100 80GB HBM3", ...). NULL when
 * it is not in the table. */
const struct xpd_peaks *xpd_peaks_find(struct xpd_str device_type);
/* Writes the names of the table to `out` (at most `size` bytes with the NUL), for a message: "TPU
 * v2, TPU v3". Only those of the maker that `like` begins with; all, and "...", where there is
 * none. */
void xpd_peaks_names(char *out, size_t size, struct xpd_str like);
/* Bytes of memory of such a device, -1 = not in the table; *from is static text. */
int64_t xpd_chip_memory_bytes(struct xpd_str device_type, const char **from);
/* The peaks from a device's plane; for a GPU derived from its cores, clock and memory
 * bandwidth as in XProf. Unknown values are -1; false: nothing is known. `device` is the chip
 * of the table that a GPU is by its name or by cores and capability, "" = none; `source` is
 * static. */
bool xpd_peaks_of_plane(struct xpd_peaks *out, const struct xpd_xspace *space,
                        const struct xpd_plane *plane);
/* Those of the first plane that says what its chip can do; false: none does, and `out` is what the
 * first that names its chip says. */
bool xpd_peaks_of_space(struct xpd_peaks *out, const struct xpd_xspace *space);

#endif
