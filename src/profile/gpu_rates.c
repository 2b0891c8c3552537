/* Rates of GPUs by capability: XProf's tables, where
 * the makers' white papers say the same; fp32 of 10.0 and fp64 of 7.5, 8.6 and 8.9 are theirs. */
#include "xprofd/profile/gpu_rates.h"

#define NV  XPD_GPU_NVIDIA
#define AMD XPD_GPU_AMD
/* clang-format off */
/* Highest first; the columns are others (none), f64, f32, bf16, f16, f8, i8, 4 bits. 12.0, RTX
 * Blackwell, has the matrix units of the GeForce before, not those of 10.0. */
static const struct xpd_gpu_rate rates[] = {
    {NV, 12, 0, NULL, {0, 4, 256, 256, 256, 0,  512}, {0, 0,  512, 1024, 1024,  2048,  2048,  4096}, 256},
    {NV, 10, 0, NULL, {0, 128, 256, 512, 512, 0, 1184}, {0, 148, 4096, 8192, 8192, 16384, 16384,     0}, 256},
    {NV, 9, 0, NULL, {0, 128, 256, 512, 512, 0, 1024}, {0, 256, 2048, 4096, 4096,  8192,  8192,     0}, 256},
    {NV, 8, 9, NULL, {0, 4, 256, 256, 256, 0,  512}, {0, 0,  512, 1024, 1024,  2048,  2048,  4096}, 256},
    {NV, 8, 6, NULL, {0, 4, 256, 256, 256, 0,  512}, {0, 0,  256,  512, 1024,     0,  2048,  4096}, 256},
    {NV, 8, 0, NULL, {0, 64, 128, 256, 512, 0,  512}, {0, 128, 1024, 2048, 2048,     0,  4096,     0}, 256},
    {NV, 7, 5, NULL, {0, 4, 128,   0, 256, 0,  512}, {0, 0,    0,    0, 1024,     0,  2048,  4096}, 256},
    {NV, 7, 0, NULL, {0, 64, 128,   0, 256, 0,  512}, {0, 0,    0,    0, 1024,     0,     0,     0}, 256},
    {NV, 6, 1, NULL, {0, 8, 256,   0,   4, 0, 1024}, {0}, 256},
    {NV, 6, 0, NULL, {0, 64, 128,   0, 256, 0,  512}, {0}, 256},
    {NV, 5, 0, NULL, {0, 4, 256}, {0}, 256},
    {NV, 3, 0, NULL, {0, 128, 384}, {0}, 256},
    {NV, 2, 0, NULL, {0, 8,  64}, {0},  64},
    {AMD, 9, 5, "gfx950", {0, 128, 256, 0, 256}, {0, 128, 256, 4096, 4096, 8192, 8192, 16384}, 256},
    {AMD, 9, 4, "gfx942", {0, 128, 256, 0, 256}, {0, 256, 256, 2048, 2048, 4096, 4096,     0}, 128},
    {AMD, 9, 0, "gfx90a", {0, 128, 128, 0,   0}, {0, 256, 256, 1024, 1024,    0, 1024,     0}, 128},
    {AMD, 9, 0, "gfx908", {0, 64, 128, 0,   0}, {0, 0, 256,  512, 1024,    0, 1024,     0}, 128},
};
/* clang-format on */
#undef NV
#undef AMD

const char *xpd_number_name(enum xpd_number number)
{
    static const char *const name[XPD_NUMBERS] = {"",    "f64", "f32", "bf16",
                                                  "f16", "f8",  "i8",  "4 bits"};
    return name[number];
}

const struct xpd_gpu_rate *xpd_gpu_rate_find(enum xpd_gpu_vendor vendor, double major, double minor,
                                             struct xpd_str gfx)
{
    const struct xpd_gpu_rate *found = NULL;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        const struct xpd_gpu_rate *rate = &rates[i];
        bool reached = major > rate->major || (major >= rate->major && minor >= rate->minor);
        bool kin = rate->vendor == XPD_GPU_NVIDIA || major < rate->major + 1;
        if (rate->vendor != vendor)
            continue;
        if (rate->gfx && xpd_str_eq(gfx, xpd_str_of(rate->gfx)))
            return rate;
        if (!found && reached && kin)
            found = rate;
    }
    return found;
}

double xpd_gpu_rate_of(const struct xpd_gpu_rate *rate, enum xpd_number number)
{
    double vector = rate->vector[number], matrix = rate->matrix[number];
    return vector > matrix ? vector : matrix;
}

double xpd_gpu_rate_peak(const struct xpd_gpu_rate *rate)
{
    double f32 = xpd_gpu_rate_of(rate, XPD_NUMBER_F32), f16 = xpd_gpu_rate_of(rate, XPD_NUMBER_F16);
    return f32 > f16 ? f32 : f16;
}
