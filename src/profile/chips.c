/* Chips: memory, peaks, and how peaks follow from what a plane says. The one place with figures of
 * makers; each names its source.
 *
 * HBM of TPU chips: Google Cloud's public documentation (cloud.google.com/tpu/docs/v2 ... v6e, "HBM
 * capacity per chip"). What a program can use is a little less: the runtime keeps some. By
 * device_type_string, which is the marketing name or the one libtpu prints ("lite" = e). v2 and v3
 * show each of a chip's two cores as a device of its own, with half of the chip's memory. */
#include "xprofd/profile/chips.h"

#include "plane.h"

#define GIB ((int64_t)1 << 30)

static const struct {
    const char *name;
    int64_t hbm_bytes;
    const char *from;
} chips[] = {
    {"TPU v2", 8 * GIB, "nominal for a core of TPU v2"},
    {"TPU v3", 16 * GIB, "nominal for a core of TPU v3"},
    {"TPU v4 Lite", 8 * GIB, "nominal for TPU v4 Lite"},
    {"TPU v4", 32 * GIB, "nominal for TPU v4"},
    {"TPU v5 Lite", 16 * GIB, "nominal for TPU v5 Lite"},
    {"TPU v5e", 16 * GIB, "nominal for TPU v5e"},
    {"TPU v5p", 95 * GIB, "nominal for TPU v5p"},
    {"TPU v5", 95 * GIB, "nominal for TPU v5p"},
    {"TPU v6 Lite", 32 * GIB, "nominal for TPU v6 Lite"},
    {"TPU v6e", 32 * GIB, "nominal for TPU v6e"},
};

int64_t xpd_chip_hbm_bytes(struct xpd_str device_type, const char **from)
{
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
        struct xpd_str name = xpd_str_of(chips[i].name);
        if (name.size == device_type.size && xpd_str_find(device_type, name, true) == 0) {
            *from = chips[i].from;
            return chips[i].hbm_bytes;
        }
    }
    *from = "";
    return -1;
}

/* ---- peaks as published ---- */

/* Per chip; -1 = no public source found.
 * TPUs: dense bf16 and HBM of v3 to v6e and TPU7x: the page of each generation in Google's Cloud
 * TPU documentation (v4 says 1200 GB/s, v5e 819). v2: 45 TFLOP/s in print, the rest not found.
 * Links, one way: the table of "How to Scale Your Model", part 2 (the documentation's 400, 1200 and
 * 800 GB/s a chip in both directions would be 50, 100 and 100 a link). Clocks are what the peak
 * means, FLOP/s over 2 x cells of the matrix units (v3: 4 x 128 x 128, v4 and v5p: 8, v5e: 4); v6e
 * for 4 x 256 x 256, as a recorded trace of one runs 14.18 million cycles in 7.92 ms.
 * GPUs: dense 16-bit matrix rate (the 1080 Ti has no matrix units: fp32) and memory bandwidth, each
 * from the maker's data sheet of that name. */
#define CLOUD "Google's Cloud TPU documentation; links: How to Scale Your Model; per chip"
#define GPU(name, tflops, gb, sheet)                                                               \
    {                                                                                              \
        name, (tflops)*1e12, (gb)*1e9, -1, -1, sheet                                               \
    }
static const struct xpd_peaks table[] = {
    {"TPU v2", 45e12, -1, -1, -1, "45 TFLOP/s in print; no public source for the rest"},
    {"TPU v3", 123e12, 900e9, 100e9, 0.94e9, CLOUD},
    {"TPU v4", 275e12, 1200e9, 45e9, 1.05e9, CLOUD},
    {"TPU v5e", 197e12, 819e9, 45e9, 1.5e9, CLOUD},
    {"TPU v5p", 459e12, 2765e9, 90e9, 1.75e9, CLOUD},
    {"TPU v6e", 918e12, 1638e9, 90e9, 1.75e9, CLOUD},
    {"TPU v7", 2307e12, 7380e9, -1, -1, "Google's Cloud TPU documentation, TPU7x; per chip"},
    GPU("MI300X", 1307.4, 5300, "AMD Instinct MI300X accelerator data sheet"),
    GPU("MI325X", 1307.4, 6000, "AMD Instinct MI325X accelerator data sheet"),
    GPU("MI350X", 2309.6, 8000, "AMD Instinct MI350X GPU data sheet"),
    GPU("MI355X", 2516.6, 8000, "AMD Instinct MI355X GPU data sheet"),
    GPU("V100", 125, 900, "NVIDIA V100 Tensor Core GPU data sheet (SXM2)"),
    GPU("A100 40GB", 312, 1555, "NVIDIA A100 Tensor Core GPU data sheet (40GB)"),
    GPU("A100 80GB", 312, 2039, "NVIDIA A100 Tensor Core GPU data sheet (80GB SXM)"),
    GPU("H100", 989.4, 3350, "NVIDIA H100 Tensor Core GPU data sheet (SXM, dense)"),
    GPU("H100 PCIe", 756, 2000, "NVIDIA H100 Tensor Core GPU data sheet (PCIe, dense)"),
    GPU("H200", 989.4, 4800, "NVIDIA H200 Tensor Core GPU data sheet (SXM, dense)"),
    GPU("B200", 2250, 8000, "NVIDIA DGX B200 data sheet (an eighth, dense)"),
    GPU("GTX 1080 Ti", 11.34, 484, "NVIDIA GeForce GTX 1080 Ti specifications (fp32)"),
};

const struct xpd_peaks *xpd_peaks_table(uint32_t *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}

static const struct xpd_peaks *named(const char *device)
{
    for (size_t i = 0; device && i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].device, device) == 0)
            return &table[i];
    return NULL;
}

static bool is_word_part(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* The words stand in the text, not behind a letter or digit: "B200" is not in "GB200". */
static bool has_word(struct xpd_str text, const char *word)
{
    size_t at = xpd_str_find(text, xpd_str_of(word), true);
    return at != SIZE_MAX && (at == 0 || !is_word_part(text.data[at - 1]));
}

const struct xpd_peaks *xpd_peaks_find(struct xpd_str device_type)
{
    static const struct {
        const char *in_type, *device;
        bool tpu;
    } names[] = {{"v7", "TPU v7", true},
                 {"7x", "TPU v7", true},
                 {"tpu7x", "TPU v7", true},
                 {"v6e", "TPU v6e", true},
                 {"v6 lite", "TPU v6e", true},
                 {"v5p", "TPU v5p", true},
                 {"v5 lite", "TPU v5e", true},
                 {"v5litepod", "TPU v5e", true},
                 {"v5e", "TPU v5e", true},
                 {"v5", "TPU v5p", true},
                 {"v4", "TPU v4", true},
                 {"v3", "TPU v3", true},
                 {"v2", "TPU v2", true},
                 {"mi300x", "MI300X", false},
                 {"mi325x", "MI325X", false},
                 {"mi350x", "MI350X", false},
                 {"mi355x", "MI355X", false},
                 {"v100", "V100", false},
                 {"h100 pcie", "H100 PCIe", false},
                 {"h100", "H100", false},
                 {"h200", "H200", false},
                 {"b200", "B200", false},
                 {"gtx 1080 ti", "GTX 1080 Ti", false}};
    bool tpu = xpd_str_find(device_type, XPD_STR("tpu"), true) != SIZE_MAX;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].tpu == tpu && has_word(device_type, names[i].in_type))
            return named(names[i].device);
    if (!tpu && has_word(device_type, "a100"))
        return named(xpd_str_find(device_type, XPD_STR("80"), false) != SIZE_MAX ? "A100 80GB"
                                                                                 : "A100 40GB");
    return NULL;
}

/* ---- peaks that follow from a GPU's plane ---- */

enum vendor { UNKNOWN, NVIDIA, AMD };

/* The fastest of fp32 and fp16, on cores or matrix units, in operations a cycle of a multiprocessor
 * or compute unit; what XProf takes (reference graph_hlo_opstats_server.md 3.4). Of an unknown
 * capability that of the next lower one. Highest first. */
static const struct {
    enum vendor vendor;
    int64_t major, minor;
    double flops_a_cycle;
} rates[] = {
    {NVIDIA, 10, 0, 8192}, {NVIDIA, 9, 0, 4096}, {NVIDIA, 8, 9, 1024}, {NVIDIA, 8, 6, 1024},
    {NVIDIA, 8, 0, 2048},  {NVIDIA, 7, 5, 1024}, {NVIDIA, 7, 0, 1024}, {NVIDIA, 6, 1, 256},
    {NVIDIA, 6, 0, 256},   {NVIDIA, 5, 0, 256},  {NVIDIA, 3, 0, 384},  {NVIDIA, 2, 0, 64},
    {AMD, 9, 5, 4096},     {AMD, 9, 4, 2048},    {AMD, 9, 0, 1024},
};

/* Which chip of the table has so many cores of a capability; of two the one with more memory or a
 * faster clock stands first. */
static const struct {
    enum vendor vendor;
    int64_t major, minor, cores, least_bytes, least_khz;
    const char *device;
} models[] = {
    {AMD, 9, 4, 304, 230000000000, 0, "MI325X"},
    {AMD, 9, 4, 304, 0, 0, "MI300X"},
    {AMD, 9, 5, 256, 0, 2300000, "MI355X"},
    {AMD, 9, 5, 256, 0, 0, "MI350X"},
    {NVIDIA, 7, 0, 80, 0, 0, "V100"},
    {NVIDIA, 8, 0, 108, 60000000000, 0, "A100 80GB"},
    {NVIDIA, 8, 0, 108, 0, 0, "A100 40GB"},
    {NVIDIA, 9, 0, 132, 120000000000, 0, "H200"},
    {NVIDIA, 9, 0, 132, 0, 0, "H100"},
    {NVIDIA, 9, 0, 114, 0, 0, "H100 PCIe"},
    {NVIDIA, 10, 0, 148, 0, 0, "B200"},
    {NVIDIA, 6, 1, 28, 0, 0, "GTX 1080 Ti"},
};

struct gpu { /* as its plane says; -1 = it does not */
    enum vendor vendor;
    double clock_khz, cores, memory_bytes, memory_bytes_per_s, major, minor;
    struct xpd_str name;
};

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
static enum vendor vendor_of(struct xpd_str text, double major)
{
    if (xpd_str_find(text, XPD_STR("nvidia"), true) != SIZE_MAX)
        return NVIDIA;
    if (xpd_str_find(text, XPD_STR("amd"), true) != SIZE_MAX)
        return AMD;
    return text.size == 0 && major >= 2 && major <= 8 ? NVIDIA : UNKNOWN;
}

static double flops_a_cycle(const struct gpu *gpu)
{
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        int64_t major = rates[i].major, minor = rates[i].minor;
        bool reached = gpu->major > (double)major ||
                       (gpu->major >= (double)major && gpu->minor >= (double)minor);
        bool kin = rates[i].vendor == NVIDIA || gpu->major < (double)major + 1;
        if (rates[i].vendor == gpu->vendor && reached && kin)
            return rates[i].flops_a_cycle;
    }
    return -1;
}

static const struct xpd_peaks *model_of(const struct gpu *gpu)
{
    const struct xpd_peaks *by_name = xpd_peaks_find(gpu->name);
    for (size_t i = 0; !by_name && i < sizeof models / sizeof *models; i++)
        if (models[i].vendor == gpu->vendor && (int64_t)gpu->major == models[i].major &&
            (int64_t)gpu->minor == models[i].minor && (int64_t)gpu->cores == models[i].cores &&
            gpu->memory_bytes >= (double)models[i].least_bytes &&
            gpu->clock_khz >= (double)models[i].least_khz)
            return named(models[i].device);
    return by_name;
}

static void derive(struct xpd_peaks *out, const struct gpu *gpu)
{
    double a_cycle = flops_a_cycle(gpu);
    if (gpu->cores > 0 && gpu->clock_khz > 0 && a_cycle > 0)
        out->flops_per_s = gpu->cores * gpu->clock_khz * 1e3 * a_cycle;
    if (gpu->memory_bytes_per_s > 0)
        out->hbm_bytes_per_s = gpu->memory_bytes_per_s;
    if (out->flops_per_s > 0 || out->hbm_bytes_per_s > 0)
        out->source = "derived from the profile's device plane as XProf does: cores, clock and "
                      "capability; memory bandwidth";
}

bool xpd_peaks_of_plane(struct xpd_peaks *out, const struct xpd_xspace *space,
                        const struct xpd_plane *plane)
{
    struct gpu gpu = {.clock_khz = number_of(space, plane, "clock_rate", 1e9),
                      .cores = number_of(space, plane, "core_count", 1e6),
                      .memory_bytes = number_of(space, plane, "memory_size", 1e18),
                      .memory_bytes_per_s = number_of(space, plane, "memory_bandwidth", 1e18),
                      .major = number_of(space, plane, "compute_cap_major", 1e6),
                      .minor = number_of(space, plane, "compute_cap_minor", 1e6),
                      .name = text_of(space, plane, "gpu_device_name")};
    double tflops = number_of(space, plane, "peak_teraflops_per_second", 1e9);
    double gb = number_of(space, plane, "peak_hbm_bw_gigabytes_per_second", 1e9);
    *out = (struct xpd_peaks){"", -1, -1, -1, -1, NULL};
    gpu.vendor = vendor_of(text_of(space, plane, "device_vendor"), gpu.major);
    const struct xpd_peaks *model = model_of(&gpu);
    if (model)
        out->device = model->device;
    derive(out, &gpu);
    if (tflops > 0)
        out->flops_per_s = tflops * 1e12;
    if (gb > 0)
        out->hbm_bytes_per_s = gb * 1e9;
    if (tflops > 0 || gb > 0)
        out->source = "the profile's device planes";
    return out->flops_per_s > 0 || out->hbm_bytes_per_s > 0;
}
