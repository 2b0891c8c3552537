/* Peaks of a device: what its plane says, what follows from that, what else the table knows. */
#include "chip_model.h"

static const struct xpd_stat *stat_of(const struct xpd_xspace *space, const struct xpd_plane *plane,
                                      const char *name)
{
    for (uint32_t i = 0; i < plane->stat_count; i++)
        if (xpd_str_eq(xpd_intern_get(&space->names, plane->stat[i].name), xpd_str_of(name)))
            return &plane->stat[i];
    return NULL;
}

/* Up to `most`; what is not a number in this range is not said. */
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

static void derive(struct xpd_peaks *out, const struct xpd_gpu *gpu)
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
    set(out, XPD_PEAK_HBM, gpu->memory_bytes_per_s, XPD_FROM_PROFILE);
    if (out->flops_per_s > 0 || out->hbm_bytes_per_s > 0)
        out->source = "derived from the profile's device plane as XProf does: cores, clock and "
                      "capability; memory bandwidth";
}

/* What the plane says itself wins over what follows. */
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
    derive(out, &gpu);
    read_said(out, space, plane);
    return out->flops_per_s > 0 || out->hbm_bytes_per_s > 0;
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
