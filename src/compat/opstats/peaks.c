/* XProf's peaks of a device, from the stats of its plane. For GPUs they depend on the capability,
 * not on the model (the table of src/profile/chips.c is by model, and has GPUs that XProf does not
 * have). Rules: XProf's cuda_type_utils.cc, rocm_type_utils.cc. */
#include "opstats.h"

#include "xprofd/profile/gpu_rates.h"
#include "xprofd/profile/xspace.h"

#include <ctype.h>

static const struct xpd_stat *stat_of(const struct xpd_xspace *space, const struct xpd_plane *plane,
                                      const char *name)
{
    for (uint32_t i = 0; i < plane->stat_count; i++)
        if (xpd_str_eq(xpd_intern_get(&space->names, plane->stat[i].name), xpd_str_of(name)))
            return &plane->stat[i];
    return NULL;
}

static double real_of(const struct xpd_xspace *space, const struct xpd_plane *plane,
                      const char *name)
{
    const struct xpd_stat *stat = stat_of(space, plane, name);
    return stat && stat->type == XPD_STAT_DOUBLE ? stat->real : 0;
}

static uint64_t whole_of(const struct xpd_xspace *space, const struct xpd_plane *plane,
                         const char *name)
{
    const struct xpd_stat *stat = stat_of(space, plane, name);
    return stat && xpd_stat_is_integer(stat->type) ? (uint64_t)stat->integer : 0;
}

/* XProf looks at a signed integer only. */
static bool is_set(const struct xpd_xspace *space, const struct xpd_plane *plane, const char *name)
{
    const struct xpd_stat *stat = stat_of(space, plane, name);
    return stat && stat->type == XPD_STAT_INT && stat->integer != 0;
}

static struct xpd_str text_of(const struct xpd_xspace *space, const struct xpd_plane *plane,
                              const char *name)
{
    const struct xpd_stat *stat = stat_of(space, plane, name);
    return stat && stat->type == XPD_STAT_TEXT ? xpd_intern_get(&space->names, stat->text)
                                               : XPD_STR("");
}

struct xpd_str xpd_ops_gpu_vendor(const struct xpd_xspace *space, const struct xpd_plane *plane)
{
    return text_of(space, plane, "device_vendor");
}

struct gpu {
    enum xpd_gpu_vendor vendor;
    double clock_ghz, bytes_per_s;
    uint32_t cores;
    int32_t major, minor;
    struct xpd_str name;
};

static void gpu_of(struct gpu *out, const struct xpd_xspace *space, const struct xpd_plane *plane)
{
    struct xpd_str vendor = xpd_ops_gpu_vendor(space, plane);
    *out =
        (struct gpu){.vendor = xpd_str_eq(vendor, XPD_STR("Nvidia")) ? XPD_GPU_NVIDIA
                               : xpd_str_eq(vendor, XPD_STR("AMD"))  ? XPD_GPU_AMD
                                                                     : XPD_GPU_UNKNOWN,
                     .clock_ghz = (double)(int64_t)whole_of(space, plane, "clock_rate") / 1000000.0,
                     .bytes_per_s = (double)whole_of(space, plane, "memory_bandwidth"),
                     .cores = (uint32_t)whole_of(space, plane, "core_count"),
                     .major = (int32_t)whole_of(space, plane, "compute_cap_major"),
                     .minor = (int32_t)whole_of(space, plane, "compute_cap_minor"),
                     .name = text_of(space, plane, "gpu_device_name")};
}

/* "gfx942" of its name, else of its capability where only one GPU has it; "" = not known. */
static struct xpd_str gfx_of(const struct gpu *gpu)
{
    bool well = xpd_str_starts(gpu->name, "gfx") && gpu->name.size >= 6;
    for (size_t i = 3; well && i < gpu->name.size; i++)
        well = isxdigit((unsigned char)gpu->name.data[i]);
    if (well)
        return gpu->name;
    if (gpu->major == 9 && gpu->minor == 4)
        return XPD_STR("gfx942");
    return gpu->major == 9 && gpu->minor == 5 ? XPD_STR("gfx950") : XPD_STR("");
}

/* XProf knows NVIDIA's capabilities 2.0 to 10.x, takes the nearest for others, and AMD's by the
 * name of their architecture only. */
static const struct xpd_gpu_rate *rate_of(const struct gpu *gpu)
{
    enum { LOWEST = 2000, HIGHEST = 10999 };
    int64_t capability = (int64_t)gpu->major * 1000 + (int64_t)gpu->minor * 10;
    if (gpu->vendor == XPD_GPU_AMD)
        return xpd_gpu_rate_find(XPD_GPU_AMD, -1, -1, gfx_of(gpu));
    capability = capability < LOWEST ? LOWEST : capability > HIGHEST ? HIGHEST : capability;
    int64_t major = capability / 1000, minor = capability % 1000 / 10;
    return xpd_gpu_rate_find(gpu->vendor, (double)major, (double)minor, XPD_STR(""));
}

static void gpu_peaks(struct xpd_ops_peaks *out, const struct xpd_xspace *space,
                      const struct xpd_plane *plane)
{
    struct gpu gpu;
    gpu_of(&gpu, space, plane);
    const struct xpd_gpu_rate *rate = rate_of(&gpu);
    double shared = gpu.cores * ((rate ? rate->shared_bytes : 0) * gpu.clock_ghz * 1e9 / 1e9);
    double read = real_of(space, plane, "peak_sram_rd_bw_gigabytes_per_second");
    double write = real_of(space, plane, "peak_sram_wr_bw_gigabytes_per_second");
    out->tflops = real_of(space, plane, "peak_teraflops_per_second");
    if (out->tflops <= 0)
        out->tflops = gpu.cores * ((rate ? xpd_gpu_rate_peak(rate) : 0) * gpu.clock_ghz / 1000.0);
    out->gb_per_s[XPD_BW_HBM] = gpu.bytes_per_s / 1e9;
    out->gb_per_s[XPD_BW_SRAM_RD] = read > 0 ? read : shared;
    out->gb_per_s[XPD_BW_SRAM_WR] = write > 0 ? write : shared;
    out->count = 3;
}

void xpd_ops_peaks_of(struct xpd_ops_peaks *out, const struct xpd_xspace *space,
                      const struct xpd_plane *plane)
{
    static const char *const names[XPD_BW_COUNT] = {
        "peak_hbm_bw_gigabytes_per_second",     "peak_sram_rd_bw_gigabytes_per_second",
        "peak_sram_wr_bw_gigabytes_per_second", "peak_cmem_rd_bw_gigabytes_per_second",
        "peak_cmem_wr_bw_gigabytes_per_second", "peak_vmem_rd_bw_gigabytes_per_second",
        "peak_vmem_wr_bw_gigabytes_per_second"};
    *out = (struct xpd_ops_peaks){0};
    if (!xpd_str_starts(xpd_intern_get(&space->names, plane->name), "/device:TPU:")) {
        gpu_peaks(out, space, plane);
        return;
    }
    out->tflops = real_of(space, plane, "peak_teraflops_per_second");
    for (int i = 0; i < XPD_BW_COUNT; i++)
        out->gb_per_s[i] = real_of(space, plane, names[i]);
    out->count = XPD_BW_COUNT;
    out->has_cmem = out->gb_per_s[XPD_BW_CMEM_RD] > 0 || out->gb_per_s[XPD_BW_CMEM_WR] > 0;
    out->has_megacore = is_set(space, plane, "has_megacore");
    out->has_merged_vmem = is_set(space, plane, "has_merged_vmem");
}

static const char *nvidia_name(const struct gpu *gpu)
{
    switch (gpu->major) {
    case 2: return "Nvidia GPU (Fermi)";
    case 3: return "Nvidia GPU (Kepler)";
    case 5: return "Nvidia GPU (Maxwell)";
    case 6: return "Nvidia GPU (Pascal)";
    case 7: return gpu->minor < 5 ? "Nvidia GPU (Volta)" : "Nvidia GPU (Turing)";
    case 8: return gpu->minor < 9 ? "Nvidia GPU (Ampere)" : "Nvidia GPU (Ada Lovelace)";
    case 9: return "Nvidia GPU (Hopper)";
    case 10: return gpu->minor < 7 ? "Nvidia GPU (Blackwell)" : "Nvidia GPU (Rubin)";
    default: return "Nvidia GPU";
    }
}

static const char *amd_family(const struct gpu *gpu)
{
    switch (gpu->major) {
    case 9: return "AMD GPU - gfx-9XX series";
    case 10: return "AMD GPU - gfx-10XX series";
    case 11: return "AMD GPU - gfx-11XX series";
    default: return "AMD GPU";
    }
}

struct xpd_str xpd_ops_gpu_name(const struct xpd_xspace *space, const struct xpd_plane *plane,
                                struct xpd_arena *arena)
{
    struct gpu gpu;
    gpu_of(&gpu, space, plane);
    if (gpu.vendor == XPD_GPU_UNKNOWN)
        return XPD_STR("GPU");
    if (gpu.vendor == XPD_GPU_NVIDIA)
        return xpd_str_of(nvidia_name(&gpu));
    struct xpd_str gfx = gfx_of(&gpu);
    if (gfx.size == 0)
        return xpd_str_of(amd_family(&gpu));
    return xpd_str_of(xpd_arena_printf(arena, "AMD GPU - %.*s", (int)gfx.size, gfx.data));
}
