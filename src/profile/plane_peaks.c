/* Peaks of a device: from its plane, derived from it, or from the table. */
#include "chip_model.h"
#include "xprofd/profile/gpu_rates.h"

/* Rates of GPUs by capability: XProf's tables, where
 * the makers' white papers say the same; fp32 of 10.0 and fp64 of 7.5, 8.6 and 8.9 are theirs. */

#define NV  XPD_GPU_NVIDIA
#define AMD XPD_GPU_AMD
/* clang-format off */
/* Highest first; the columns are others (none), f64, f32, bf16, f16, f8, i8, 4 bits. 12.0, RTX
 * Blackwell, has the matrix units of the GeForce before, not those of 10.0. */
static const struct xpd_gpu_rate rate_table[] = {
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
    for (size_t i = 0; i < sizeof rate_table / sizeof *rate_table; i++) {
        const struct xpd_gpu_rate *rate = &rate_table[i];
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

static const struct xpd_stat *stat_of(const struct xpd_xspace *space, const struct xpd_plane *plane,
                                      const char *name)
{
    for (uint32_t i = 0; i < plane->stat_count; i++)
        if (xpd_str_eq(xpd_intern_get(&space->names, plane->stat[i].name), xpd_str_of(name)))
            return &plane->stat[i];
    return NULL;
}

/* Up to `most`; values outside of this range are unknown. */
static double number_of(const struct xpd_xspace *space, const struct xpd_plane *plane,
                        const char *name, double most)
{
    const struct xpd_stat *stat = stat_of(space, plane, name);
    double value = !stat                           ? -1
                   : stat->type == XPD_STAT_DOUBLE ? stat->real
                   : stat->type == XPD_STAT_UINT || stat->type == XPD_STAT_INT
                       ? (double)stat->integer
                       : -1;
    return value >= 0 && value <= most ? value : -1;
}

static struct xpd_str text_of(const struct xpd_xspace *space, const struct xpd_plane *plane,
                              const char *name)
{
    const struct xpd_stat *stat = stat_of(space, plane, name);
    return stat && stat->type == XPD_STAT_TEXT ? xpd_intern_get(&space->names, stat->text)
                                               : XPD_STR("");
}

/* Profilers that named no vendor knew NVIDIA only, up to capability 8. */
static enum xpd_gpu_vendor vendor_of(struct xpd_str text, double major)
{
    if (xpd_str_find(text, XPD_STR("nvidia"), true) != SIZE_MAX)
        return XPD_GPU_NVIDIA;
    if (xpd_str_find(text, XPD_STR("amd"), true) != SIZE_MAX)
        return XPD_GPU_AMD;
    return text.size == 0 && major >= 2 && major <= 8 ? XPD_GPU_NVIDIA : XPD_GPU_UNKNOWN;
}

static void set(struct xpd_peaks *out, enum xpd_peak peak, double value, enum xpd_peak_from from)
{
    if (value <= 0)
        return;
    *xpd_peak_at(out, peak) = value;
    out->from[peak] = from;
}

/* ROCm's profiler takes two transfers a pin for each cycle of the memory clock that the driver
 * reports. HBM3 makes four: an MI300X records 2.66 TB/s, and its own kernels move 4.2. */
#define FALLS_SHORT 0.75

static void set_memory(struct xpd_peaks *out, const struct xpd_gpu *gpu,
                       const struct xpd_peaks *model)
{
    bool falls_short = gpu->vendor == XPD_GPU_AMD && model && gpu->memory_bytes_per_s > 0 &&
                       gpu->memory_bytes_per_s < FALLS_SHORT * model->hbm_bytes_per_s;
    set(out, XPD_PEAK_HBM, falls_short ? model->hbm_bytes_per_s : gpu->memory_bytes_per_s,
        falls_short ? XPD_FROM_TABLE : XPD_FROM_PROFILE);
    if (falls_short)
        out->source = "derived from the profile's device plane as XProf does: cores, clock and "
                      "capability; memory bandwidth of the table of chips, as the plane counts "
                      "half of the transfers";
}

static void derive(struct xpd_peaks *out, const struct xpd_gpu *gpu, const struct xpd_peaks *model)
{
    const struct xpd_gpu_rate *rate =
        xpd_gpu_rate_find(gpu->vendor, gpu->major, gpu->minor, gpu->name);
    double cycles_per_s =
        gpu->cores > 0 && gpu->clock_khz > 0 ? gpu->cores * gpu->clock_khz * 1e3 : 0;
    for (int i = 0; rate && cycles_per_s > 0 && i < XPD_NUMBERS; i++) {
        double a_cycle = xpd_gpu_rate_of(rate, (enum xpd_number)i);
        out->number_flops_per_s[i] = a_cycle > 0 ? cycles_per_s * a_cycle : -1;
    }
    if (rate) {
        set(out, XPD_PEAK_FLOPS, cycles_per_s * xpd_gpu_rate_peak(rate), XPD_FROM_DERIVED);
        set(out, XPD_PEAK_VECTOR, cycles_per_s * rate->vector[XPD_NUMBER_F32], XPD_FROM_DERIVED);
        set(out, XPD_PEAK_SHARED, cycles_per_s * rate->shared_bytes, XPD_FROM_DERIVED);
    }
    set_memory(out, gpu, model);
    if (!out->source && (out->flops_per_s > 0 || out->hbm_bytes_per_s > 0))
        out->source = "derived from the profile's device plane as XProf does: cores, clock and "
                      "capability; memory bandwidth";
}

/* Values of the plane have priority over derived ones. */
static void read_said(struct xpd_peaks *out, const struct xpd_xspace *space,
                      const struct xpd_plane *plane)
{
    static const struct {
        enum xpd_peak peak;
        const char *stat;
        double unit;
    } said[] = {{XPD_PEAK_FLOPS, "peak_teraflops_per_second", 1e12},
                {XPD_PEAK_HBM, "peak_hbm_bw_gigabytes_per_second", 1e9},
                {XPD_PEAK_VMEM_READ, "peak_vmem_rd_bw_gigabytes_per_second", 1e9},
                {XPD_PEAK_VMEM_WRITE, "peak_vmem_wr_bw_gigabytes_per_second", 1e9},
                {XPD_PEAK_CMEM_READ, "peak_cmem_rd_bw_gigabytes_per_second", 1e9},
                {XPD_PEAK_CMEM_WRITE, "peak_cmem_wr_bw_gigabytes_per_second", 1e9}};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        set(out, said[i].peak, number_of(space, plane, said[i].stat, 1e9) * said[i].unit,
            XPD_FROM_PROFILE);
    if (out->from[XPD_PEAK_FLOPS] == XPD_FROM_PROFILE ||
        number_of(space, plane, said[1].stat, 1e9) > 0)
        out->source = "the profile's device planes";
}

bool xpd_peaks_of_plane(struct xpd_peaks *out, const struct xpd_xspace *space,
                        const struct xpd_plane *plane)
{
    struct xpd_gpu gpu = {.clock_khz = number_of(space, plane, "clock_rate", 1e9),
                          .cores = number_of(space, plane, "core_count", 1e6),
                          .memory_bytes = number_of(space, plane, "memory_size", 1e18),
                          .memory_bytes_per_s = number_of(space, plane, "memory_bandwidth", 1e18),
                          .major = number_of(space, plane, "compute_cap_major", 1e6),
                          .minor = number_of(space, plane, "compute_cap_minor", 1e6),
                          .name = text_of(space, plane, "gpu_device_name")};
    *out = (struct xpd_peaks)XPD_PEAKS_UNKNOWN;
    gpu.vendor = vendor_of(text_of(space, plane, "device_vendor"), gpu.major);
    const struct xpd_peaks *model = xpd_chip_like(&gpu);
    if (model)
        out->device = model->device;
    derive(out, &gpu, model);
    read_said(out, space, plane);
    return out->flops_per_s > 0 || out->hbm_bytes_per_s > 0;
}

bool xpd_peaks_of_space(struct xpd_peaks *out, const struct xpd_xspace *space)
{
    struct xpd_peaks named = XPD_PEAKS_UNKNOWN;
    for (uint32_t p = 0; p < space->plane_count; p++) {
        if (xpd_peaks_of_plane(out, space, &space->plane[p]))
            return true;
        if (named.device[0] == '\0')
            named = *out;
    }
    *out = named;
    return false;
}

const char *xpd_peak_from_word(enum xpd_peak_from from)
{
    static const char *const word[] = {NULL, "profile", "derived", "table", "typed"};
    return word[from];
}

double *xpd_peak_at(struct xpd_peaks *peaks, enum xpd_peak peak)
{
    switch (peak) {
    case XPD_PEAK_FLOPS: return &peaks->flops_per_s;
    case XPD_PEAK_VECTOR: return &peaks->vector_flops_per_s;
    case XPD_PEAK_HBM: return &peaks->hbm_bytes_per_s;
    case XPD_PEAK_SHARED: return &peaks->shared_bytes_per_s;
    case XPD_PEAK_VMEM_READ: return &peaks->vmem_read_bytes_per_s;
    case XPD_PEAK_VMEM_WRITE: return &peaks->vmem_write_bytes_per_s;
    case XPD_PEAK_CMEM_READ: return &peaks->cmem_read_bytes_per_s;
    case XPD_PEAK_CMEM_WRITE: return &peaks->cmem_write_bytes_per_s;
    default: return &peaks->link_bytes_per_s;
    }
}

double xpd_peak_of(const struct xpd_peaks *peaks, enum xpd_peak peak)
{
    struct xpd_peaks copy = *peaks;
    return *xpd_peak_at(&copy, peak);
}

double xpd_peaks_matmul(const struct xpd_peaks *peaks, enum xpd_number number)
{
    double own = peaks->number_flops_per_s[number];
    return own > 0 ? own : peaks->flops_per_s;
}

bool xpd_peaks_complete(struct xpd_peaks *out, const struct xpd_peaks *sheet)
{
    bool rates = false;
    for (int i = 0; i < XPD_PEAKS; i++) {
        double value = xpd_peak_of(sheet, (enum xpd_peak)i);
        if (xpd_peak_of(out, (enum xpd_peak)i) > 0 || value <= 0)
            continue;
        set(out, (enum xpd_peak)i, value, XPD_FROM_TABLE);
        rates = rates || i == XPD_PEAK_FLOPS || i == XPD_PEAK_HBM;
    }
    if (out->clock_hz <= 0)
        out->clock_hz = sheet->clock_hz;
    out->device = sheet->device;
    return rates;
}
