/* Chips: memory and peaks as published. The one place with figures of makers; each row names its
 * source. */
#include "chip_model.h"

#include <stdio.h>
#include <strings.h>

#define GIB ((int64_t)1 << 30)

#define UNKNOWN XPD_GPU_UNKNOWN
#define NVIDIA  XPD_GPU_NVIDIA
#define AMD     XPD_GPU_AMD

/* How a chip is told by the name that a profile has for it. */
enum told {
    TPU,  /* a word in a name that says TPU */
    CARD, /* a word in a name that does not */
    GAME  /* the end of such a name: a "4070 Ti SUPER", "4090 D" or "4090 Laptop GPU" is another */
};

struct chip {
    struct xpd_peaks peaks;
    int memory_gib; /* of what runtimes show as a device, as sold: a little less can be used; -1 =
                       sold with more than one size */
    const char *memory_from, *called; /* called: words, "|" between */
    enum told told;
    /* How a GPU without a name is told, UNKNOWN = by its name only: multiprocessors or compute
     * units of a capability; of two the one with more memory or a faster clock stands first. */
    enum xpd_gpu_vendor vendor;
    int major, minor, cores;
    double least_bytes, least_khz;
};

/* Peaks are of a chip, -1 = no public source found.
 * TPUs: dense bf16 and HBM of v3 to v6e and TPU7x: the page of each generation in Google's Cloud
 * TPU documentation (v4 says 1200 GB/s, v5e 819). v2: 45 TFLOP/s in print, the rest not found.
 * v4 Lite: "Ten Lessons From Three Generations Shaped Google's TPUv4i", ISCA 2021. Links, one way:
 * the table of "How to Scale Your Model", part 2 (the documentation's 400, 1200 and 800 GB/s a chip
 * in both directions would be 50, 100 and 100 a link). Clocks are what the peak means, FLOP/s over
 * 2 x cells of the matrix units (v3: 4 x 128 x 128, v4 and v5p: 8, v5e: 4); v6e for 4 x 256 x 256,
 * as a recorded trace of one runs 14.18 million cycles in 7.92 ms. v2, v3 and TPU7x show each of a
 * chip's two cores as a device of its own, with half of the chip's memory. "Lite" = e.
 * GPUs: dense 16-bit matrix rate (without matrix units: fp32 or fp16) and memory bandwidth, each
 * from the maker's data sheet of that name. GeForce: with 16-bit accumulation, as XProf counts; it
 * is half with 32-bit. MI250 and MI250X: half of the sheet, as ROCm shows each of two dies. */
#define CLOUD     "Google's Cloud TPU documentation; links: How to Scale Your Model; per chip"
#define SHEET(of) of " data sheet"
#define AMPERE    "NVIDIA Ampere GA102 GPU Architecture white paper and product page"
#define ADA       "NVIDIA Ada GPU Architecture white paper and product page"
#define BLACKWELL "NVIDIA RTX Blackwell GPU Architecture white paper and product page"
#define TPU_ROW(name, part, flops, bytes, link, clock, gib, called, source)                        \
    {                                                                                              \
        {name, flops, bytes, link, clock, source, XPD_PEAKS_REST}, gib, "nominal for " part name,  \
            called, TPU, UNKNOWN, 0, 0, 0, 0, 0                                                    \
    }
#define GPU_ROW(told, name, tflops, gb, gib, called, source, ...)                                  \
    {                                                                                              \
        {name, (tflops)*1e12, (gb)*1e9, -1, -1, source, XPD_PEAKS_REST}, gib, "nominal for " name, \
            called, told, __VA_ARGS__                                                              \
    }
#define BY_NAME UNKNOWN, 0, 0, 0, 0, 0
static const struct chip chips[] = {
    TPU_ROW("TPU v2", "a core of ", 45e12, -1, -1, -1, 8, "v2",
            "45 TFLOP/s in print; no public source for the rest"),
    TPU_ROW("TPU v3", "a core of ", 123e12, 900e9, 100e9, 0.94e9, 16, "v3", CLOUD),
    TPU_ROW("TPU v4 Lite", "", 138e12, 614e9, -1, 1.05e9, 8, "v4 lite|v4i",
            "Ten Lessons From Three Generations Shaped Google's TPUv4i, ISCA 2021; per chip"),
    TPU_ROW("TPU v4", "", 275e12, 1200e9, 45e9, 1.05e9, 32, "v4", CLOUD),
    TPU_ROW("TPU v5e", "", 197e12, 819e9, 45e9, 1.5e9, 16, "v5e|v5 lite|v5litepod|v5lite", CLOUD),
    TPU_ROW("TPU v5p", "", 459e12, 2765e9, 90e9, 1.75e9, 95, "v5p|v5", CLOUD),
    TPU_ROW("TPU v6e", "", 918e12, 1638e9, 90e9, 1.75e9, 32, "v6e|v6 lite|v6lite", CLOUD),
    TPU_ROW("TPU v7", "a core of ", 2307e12, 7380e9, -1, -1, 96, "v7|7x|v7x|tpu7x",
            "Google's Cloud TPU documentation, TPU7x; per chip"),
    GPU_ROW(CARD, "MI100", 184.6, 1228.8, 32, "mi100", SHEET("AMD Instinct MI100 accelerator"), AMD,
            9, 0, 120, 0, 0),
    GPU_ROW(CARD, "MI250X", 191.5, 1638.4, 64, "mi250x",
            SHEET("AMD Instinct MI250X accelerator") ", half: one die", AMD, 9, 0, 110, 0, 0),
    GPU_ROW(CARD, "MI250", 181.05, 1638.4, 64, "mi250",
            SHEET("AMD Instinct MI250 accelerator") ", half: one die", BY_NAME),
    GPU_ROW(CARD, "MI210", 181.0, 1638.4, 64, "mi210", SHEET("AMD Instinct MI210 accelerator"), AMD,
            9, 0, 104, 0, 0),
    GPU_ROW(CARD, "MI300X", 1307.4, 5300, 192, "mi300x", SHEET("AMD Instinct MI300X accelerator"),
            AMD, 9, 4, 304, 0, 0),
    GPU_ROW(CARD, "MI325X", 1307.4, 6000, 256, "mi325x", SHEET("AMD Instinct MI325X accelerator"),
            AMD, 9, 4, 304, 230e9, 0),
    GPU_ROW(CARD, "MI350X", 2309.6, 8000, 288, "mi350x", SHEET("AMD Instinct MI350X GPU"), AMD, 9,
            5, 256, 0, 0),
    GPU_ROW(CARD, "MI355X", 2516.6, 8000, 288, "mi355x", SHEET("AMD Instinct MI355X GPU"), AMD, 9,
            5, 256, 0, 2.3e6),
    /* RDNA: HIP counts work-group processors, two compute units each. */
    GPU_ROW(GAME, "RX 6900 XT", 46.08, 512, 16, "rx 6900 xt",
            "AMD Radeon RX 6900 XT product page (fp16)", AMD, 10, 3, 40, 0, 0),
    GPU_ROW(GAME, "RX 7900 XT", 103.0, 800, 20, "rx 7900 xt", "AMD Radeon RX 7900 XT product page",
            AMD, 11, 0, 42, 0, 0),
    GPU_ROW(GAME, "RX 7900 XTX", 123.0, 960, 24, "rx 7900 xtx",
            "AMD Radeon RX 7900 XTX product page", AMD, 11, 0, 48, 0, 0),
    GPU_ROW(GAME, "PRO W7900", 122.6, 864, 48, "pro w7900", SHEET("AMD Radeon PRO W7900"), AMD, 11,
            0, 48, 40e9, 0),
    GPU_ROW(GAME, "RX 9070 XT", 195.0, 640, 16, "rx 9070 xt", "AMD Radeon RX 9070 XT product page",
            BY_NAME),
    GPU_ROW(CARD, "P100", 21.2, 732, 16, "p100", SHEET("NVIDIA Tesla P100") " (SXM2, fp16)", NVIDIA,
            6, 0, 56, 0, 0),
    GPU_ROW(CARD, "V100", 125, 900, -1, "v100", SHEET("NVIDIA V100 Tensor Core GPU") " (SXM2)",
            NVIDIA, 7, 0, 80, 0, 0),
    GPU_ROW(CARD, "T4", 65, 300, 16, "t4", SHEET("NVIDIA T4 Tensor Core GPU"), NVIDIA, 7, 5, 40, 0,
            0),
    GPU_ROW(CARD, "A100 40GB", 312, 1555, 40, "a100-sxm4-40gb|a100-pcie-40gb|a100 40gb|a100",
            SHEET("NVIDIA A100 Tensor Core GPU") " (40GB)", NVIDIA, 8, 0, 108, 0, 0),
    GPU_ROW(CARD, "A100 80GB", 312, 2039, 80, "a100-sxm4-80gb|a100-sxm-80gb|a100 80gb",
            SHEET("NVIDIA A100 Tensor Core GPU") " (80GB SXM)", NVIDIA, 8, 0, 108, 60e9, 0),
    GPU_ROW(CARD, "A30", 165, 933, 24, "a30", SHEET("NVIDIA A30 Tensor Core GPU"), NVIDIA, 8, 0, 56,
            0, 0),
    GPU_ROW(CARD, "A10", 125, 600, 24, "a10", SHEET("NVIDIA A10 Tensor Core GPU"), NVIDIA, 8, 6, 72,
            0, 0),
    GPU_ROW(CARD, "A40", 149.7, 696, 48, "a40", SHEET("NVIDIA A40"), BY_NAME),
    GPU_ROW(CARD, "RTX A6000", 154.8, 768, 48, "rtx a6000", SHEET("NVIDIA RTX A6000"), BY_NAME),
    GPU_ROW(CARD, "L4", 121, 300, 24, "l4", SHEET("NVIDIA L4 Tensor Core GPU") " (half of sparse)",
            NVIDIA, 8, 9, 58, 0, 0),
    GPU_ROW(CARD, "L40", 181.05, 864, 48, "l40", SHEET("NVIDIA L40"), BY_NAME),
    GPU_ROW(CARD, "L40S", 362.05, 864, 48, "l40s", SHEET("NVIDIA L40S"), BY_NAME),
    GPU_ROW(CARD, "RTX 6000 Ada", 364.25, 960, 48, "rtx 6000 ada",
            SHEET("NVIDIA RTX 6000 Ada Generation") " (a quarter of sparse fp8)", BY_NAME),
    GPU_ROW(CARD, "H100", 989.4, 3350, 80, "h100",
            SHEET("NVIDIA H100 Tensor Core GPU") " (SXM, dense)", NVIDIA, 9, 0, 132, 0, 0),
    GPU_ROW(CARD, "H100 PCIe", 756, 2000, 80, "h100 pcie",
            SHEET("NVIDIA H100 Tensor Core GPU") " (PCIe, dense)", NVIDIA, 9, 0, 114, 0, 0),
    GPU_ROW(CARD, "H100 NVL", 835.5, 3900, 94, "h100 nvl",
            SHEET("NVIDIA H100 Tensor Core GPU") " (NVL, dense)", BY_NAME),
    GPU_ROW(CARD, "GH200 480GB", 989.4, 4000, 96, "gh200 480gb",
            SHEET("NVIDIA GH200 Grace Hopper Superchip") " (HBM3, dense)", BY_NAME),
    GPU_ROW(CARD, "H200", 989.4, 4800, 141, "h200",
            SHEET("NVIDIA H200 Tensor Core GPU") " (SXM, dense)", NVIDIA, 9, 0, 132, 120e9, 0),
    GPU_ROW(CARD, "B200", 2250, 8000, 180, "b200", SHEET("NVIDIA DGX B200") " (an eighth, dense)",
            NVIDIA, 10, 0, 148, 0, 0),
    GPU_ROW(CARD, "GB200", 2500, 8000, 186, "gb200",
            SHEET("NVIDIA GB200 NVL72") " (of one GPU, dense)", BY_NAME),
    GPU_ROW(CARD, "B300", 2250, 8000, 270, "b300",
            "NVIDIA HGX platform page, HGX B300 (an eighth, dense)", NVIDIA, 10, 3, 148, 0, 0),
    GPU_ROW(CARD, "GB300", 2500, 8000, 279, "gb300", "NVIDIA GB300 NVL72 page (of one GPU, dense)",
            BY_NAME),
    GPU_ROW(GAME, "GTX 1080 Ti", 11.34, 484, 11, "gtx 1080 ti",
            "NVIDIA GeForce GTX 1080 Ti specifications (fp32)", NVIDIA, 6, 1, 28, 0, 0),
    GPU_ROW(GAME, "RTX 3060", 51, 360, 12, "rtx 3060", AMPERE, BY_NAME),
    GPU_ROW(GAME, "RTX 3070", 81.3, 448, 8, "rtx 3070", AMPERE, BY_NAME),
    GPU_ROW(GAME, "RTX 3080", 119, 760, 10, "rtx 3080", AMPERE, NVIDIA, 8, 6, 68, 0, 0),
    GPU_ROW(GAME, "RTX 3080 Ti", 136, 912, 12, "rtx 3080 ti", AMPERE, BY_NAME),
    GPU_ROW(GAME, "RTX 3090", 142, 936, 24, "rtx 3090", AMPERE, NVIDIA, 8, 6, 82, 0, 0),
    GPU_ROW(GAME, "RTX 3090 Ti", 160, 1008, 24, "rtx 3090 ti", AMPERE, BY_NAME),
    GPU_ROW(GAME, "RTX 4060", 60.4, 272, 8, "rtx 4060", ADA, BY_NAME),
    GPU_ROW(GAME, "RTX 4060 Ti", 88.2, 288, -1, "rtx 4060 ti", ADA, BY_NAME),
    GPU_ROW(GAME, "RTX 4070", 116.6, 504, 12, "rtx 4070", ADA, BY_NAME),
    GPU_ROW(GAME, "RTX 4070 Ti", 160.4, 504, 12, "rtx 4070 ti", ADA, BY_NAME),
    GPU_ROW(GAME, "RTX 4080", 194.9, 716.8, 16, "rtx 4080", ADA, NVIDIA, 8, 9, 76, 0, 0),
    GPU_ROW(GAME, "RTX 4090", 330.3, 1008, 24, "rtx 4090", ADA, NVIDIA, 8, 9, 128, 0, 0),
    GPU_ROW(GAME, "RTX 5070", 123.5, 672, 12, "rtx 5070", BLACKWELL, BY_NAME),
    GPU_ROW(GAME, "RTX 5070 Ti", 175.8, 896, 16, "rtx 5070 ti", BLACKWELL, BY_NAME),
    GPU_ROW(GAME, "RTX 5080", 225.1, 960, 16, "rtx 5080", BLACKWELL, NVIDIA, 12, 0, 84, 0, 0),
    GPU_ROW(GAME, "RTX 5090", 419, 1792, 32, "rtx 5090", BLACKWELL, NVIDIA, 12, 0, 170, 0, 0),
};
enum { CHIPS = sizeof chips / sizeof *chips };

const struct xpd_peaks *xpd_peaks_at(uint32_t index)
{
    return index < CHIPS ? &chips[index].peaks : NULL;
}

static bool is_word_part(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* The text contains the words, not as parts of others: "B200" is not in "GB200", "L4" not in "L40";
 * to_end: and nothing after them. */
static bool has_words(struct xpd_str text, struct xpd_str words, bool to_end)
{
    size_t at = xpd_str_find(text, words, true);
    if (at == SIZE_MAX || (at > 0 && is_word_part(text.data[at - 1])))
        return false;
    size_t end = at + words.size;
    return end == text.size || (!to_end && !is_word_part(text.data[end]));
}

/* The longest of its names that the text has, 0 = none. */
static size_t called(const struct chip *chip, struct xpd_str text, bool tpu)
{
    size_t longest = 0;
    for (const char *at = chip->called; (chip->told == TPU) == tpu && at;) {
        const char *bar = strchr(at, '|');
        struct xpd_str words = {at, bar ? (size_t)(bar - at) : strlen(at)};
        if (words.size > longest && has_words(text, words, chip->told == GAME))
            longest = words.size;
        at = bar ? bar + 1 : NULL;
    }
    return longest;
}

static const struct chip *chip_called(struct xpd_str text)
{
    bool tpu = xpd_str_find(text, XPD_STR("tpu"), true) != SIZE_MAX;
    const struct chip *found = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < CHIPS; i++) {
        size_t size = called(&chips[i], text, tpu);
        if (size > longest) {
            longest = size;
            found = &chips[i];
        }
    }
    return found;
}

const struct xpd_peaks *xpd_peaks_find(struct xpd_str device_type)
{
    const struct chip *chip = chip_called(device_type);
    return chip ? &chip->peaks : NULL;
}

/* Of one maker: TPU, MI, GB. */
static bool is_near(const char *chip, struct xpd_str device)
{
    return device.size >= 2 && strncasecmp(chip, device.data, 2) == 0;
}

void xpd_peaks_names(char *out, size_t size, struct xpd_str like)
{
    size_t used = 0;
    bool near = false;
    for (size_t i = 0; i < CHIPS; i++)
        near |= is_near(chips[i].peaks.device, like);
    out[0] = '\0';
    for (size_t i = 0; i < CHIPS && used + 32 < size; i++)
        if (!near || is_near(chips[i].peaks.device, like))
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "",
                                     chips[i].peaks.device);
    if (!near)
        (void)snprintf(out + used, size - used, ", ...");
}

int64_t xpd_chip_memory_bytes(struct xpd_str device_type, const char **from)
{
    const struct chip *chip = chip_called(device_type);
    bool known = chip && chip->memory_gib > 0;
    *from = known ? chip->memory_from : "";
    return known ? chip->memory_gib * GIB : -1;
}

const struct xpd_peaks *xpd_chip_like(const struct xpd_gpu *gpu)
{
    const struct chip *found = chip_called(gpu->name);
    if (found)
        return &found->peaks;
    for (size_t i = 0; i < CHIPS; i++) {
        const struct chip *chip = &chips[i];
        bool same = chip->vendor != UNKNOWN && chip->vendor == gpu->vendor &&
                    (int)gpu->major == chip->major && (int)gpu->minor == chip->minor &&
                    (int)gpu->cores == chip->cores;
        if (same && gpu->memory_bytes >= chip->least_bytes && gpu->clock_khz >= chip->least_khz &&
            (!found || chip->least_bytes > found->least_bytes ||
             chip->least_khz > found->least_khz))
            found = chip;
    }
    return found ? &found->peaks : NULL;
}
