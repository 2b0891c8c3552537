/* Operations of one multiprocessor (NVIDIA) or compute unit (AMD) of a GPU in a cycle: the only
 * table, for our peaks (chips.h) and for XProf's tables. */
#ifndef XPROFD_PROFILE_GPU_RATES_H
#define XPROFD_PROFILE_GPU_RATES_H

#include "xprofd/base/str.h"

enum xpd_gpu_vendor { XPD_GPU_UNKNOWN, XPD_GPU_NVIDIA, XPD_GPU_AMD };

/* Number types with their own rates. */
enum xpd_number {
    XPD_NUMBER_OTHER, /* not known, or without a rate of its own */
    XPD_NUMBER_F64,
    XPD_NUMBER_F32, /* on matrix units TF32 where they have it */
    XPD_NUMBER_BF16,
    XPD_NUMBER_F16,
    XPD_NUMBER_8_FLOAT,
    XPD_NUMBER_8_INT,
    XPD_NUMBER_4_BIT,
    XPD_NUMBERS
};
/* "f64", "f32", "bf16", "f16", "f8", "i8", "4 bits"; "" of others */
const char *xpd_number_name(enum xpd_number number);

struct xpd_gpu_rate {
    enum xpd_gpu_vendor vendor;
    int major, minor;
    const char *gfx; /* AMD's name of the architecture; NULL: NVIDIA */
    /* FLOP a cycle, a multiply-add is two; 0 = the unit does not work in such numbers. */
    double vector[XPD_NUMBERS], matrix[XPD_NUMBERS];
    double shared_bytes; /* of shared memory (LDS) a cycle */
};
/* By the name of the architecture ("gfx942"), else by capability: if it is not in the table, the
 * next lower one (for AMD with the same major number). NULL: unknown. */
const struct xpd_gpu_rate *xpd_gpu_rate_find(enum xpd_gpu_vendor vendor, double major, double minor,
                                             struct xpd_str gfx);
/* The faster of both units. */
double xpd_gpu_rate_of(const struct xpd_gpu_rate *rate, enum xpd_number number);
/* The fastest of fp32 and fp16, which is what XProf calls the peak of a GPU. */
double xpd_gpu_rate_peak(const struct xpd_gpu_rate *rate);

#endif
