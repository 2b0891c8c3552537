/* Peaks: as published, and as they follow from what a device plane says; the recorded figures are
 * XProf's (roofline_model of the shared sets). */
#include "xprofd/profile/chips.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct said { /* a stat; ends with name NULL */
    const char *name;
    double number;
    const char *text;
};

/* The peaks of a plane with these stats; false: it says none. */
static bool ask(struct xpd_peaks *out, const struct said *said)
{
    struct xpd_arena arena = {0};
    struct xpd_xspace space = {0};
    struct xpd_stat stat[16] = {0};
    struct xpd_plane plane = {.stat = stat};
    xpd_intern_init(&space.names, &arena);
    for (; said->name; said++) {
        struct xpd_stat *at = &stat[plane.stat_count++];
        bool whole = said->number == floor(said->number) && fabs(said->number) < 9e15;
        at->name = xpd_intern_put(&space.names, said->name, strlen(said->name));
        at->type = said->text ? XPD_STAT_TEXT : whole ? XPD_STAT_UINT : XPD_STAT_DOUBLE;
        at->real = said->number;
        at->integer = whole ? (int64_t)said->number : 0;
        if (said->text)
            at->text = xpd_intern_put(&space.names, said->text, strlen(said->text));
    }
    bool known = xpd_peaks_of_plane(out, &space, &plane);
    xpd_intern_fini(&space.names);
    xpd_arena_fini(&arena);
    return known;
}

#define GPU(vendor, khz, cores, bandwidth, memory, major, minor)                                   \
    ((const struct said[]){{"device_vendor", 0, vendor},                                           \
                           {"clock_rate", khz, NULL},                                              \
                           {"core_count", cores, NULL},                                            \
                           {"memory_bandwidth", bandwidth, NULL},                                  \
                           {"memory_size", memory, NULL},                                          \
                           {"compute_cap_major", major, NULL},                                     \
                           {"compute_cap_minor", minor, NULL},                                     \
                           {0}})

static void check(const struct said *said, const char *device, double tflops, double gb)
{
    struct xpd_peaks peaks;
    assert_true(ask(&peaks, said));
    assert_string_equal(peaks.device, device);
    assert_true(fabs(peaks.flops_per_s / 1e12 / tflops - 1) < 1e-5);
    assert_true(fabs(peaks.hbm_bytes_per_s / 1e9 / gb - 1) < 1e-5);
    assert_non_null(peaks.source);
}

/* gfx942: XProf says 1.30744e+06 GFLOP/s and 2479.55 GiB/s; gfx950 2.51658e+06 and 3814.7; the V100
 * of an old profiler, which names no vendor, 836.372 GiB/s (and 0 FLOP/s: we know 125). */
static void planes_as_recorded(void **state)
{
    (void)state;
    /* Their kernels move 4.2 and 7.1 TB/s: the planes count half of the transfers. */
    check(GPU("AMD", 2100000, 304, 2662400000000.0, 206141652992.0, 9, 4), "MI300X", 1307.44, 5300);
    check(GPU("AMD", 2400000, 256, 4096000000000.0, 309220868096.0, 9, 5), "MI355X", 2516.58, 8000);
    check(GPU("AMD", 2100000, 304, 5300000000000.0, 206141652992.0, 9, 4), "MI300X", 1307.44, 5300);
    check(GPU("AMD", 2100000, 38, 665600000000.0, 51535413248.0, 9, 4), "", 163.43, 665.6);
    check(&GPU("", 1530000, 80, 898048000000.0, 16945512448.0, 7, 0)[1], "V100", 125.3376, 898.048);
    check(GPU("Nvidia", 1980000, 132, 3352320000000.0, 85045739520.0, 9, 0), "H100", 1070.53,
          3352.32);
    check(GPU("Nvidia", 1582000, 28, 484440000000.0, 11711938560.0, 6, 1), "GTX 1080 Ti", 11.33978,
          484.44);
    check(GPU("Nvidia", 1000000, 10, 1e12, 1e10, 8, 7), "", 10.24, 1000); /* as 8.6 */
    /* The makers' figures follow from clock and cores. */
    check(GPU("AMD", 1700000, 110, 1638400000000.0, 68702699520.0, 9, 0), "MI250X", 191.488,
          1638.4);
    check(GPU("AMD", 1700000, 104, 1638400000000.0, 68702699520.0, 9, 0), "MI210", 181.0432,
          1638.4);
    check(GPU("Nvidia", 2520000, 128, 1008096000000.0, 25393692672.0, 8, 9), "RTX 4090", 330.30144,
          1008.096);
    check(GPU("Nvidia", 2407000, 170, 1792128000000.0, 34190917632.0, 12, 0), "RTX 5090", 419.01056,
          1792.128);
}

/* What a plane says itself wins over what follows; no vendor and a capability that two vendors have
 * says no rate; a new AMD family is none of the old. Nothing said is nothing known. */
static void planes_that_say_more_or_less(void **state)
{
    struct xpd_peaks peaks;
    (void)state;
    const struct said tpu[] = {{"peak_teraflops_per_second", 918, NULL},
                               {"peak_hbm_bw_gigabytes_per_second", 1637.993152512, NULL},
                               {0}};
    check(tpu, "", 918, 1637.993152512);
    const struct said both[] = {{"peak_teraflops_per_second", 100, NULL},
                                {"device_vendor", 0, "AMD"},
                                {"memory_bandwidth", 2e12, NULL},
                                {0}};
    check(both, "", 100, 2000);
    assert_true(ask(&peaks, &GPU("", 1e6, 132, 3e12, 8e10, 9, 0)[1]));
    assert_true(peaks.flops_per_s < 0 && peaks.hbm_bytes_per_s > 0);
    assert_true(ask(&peaks, GPU("AMD", 1e6, 96, 9e11, 2e10, 11, 0)));
    assert_true(peaks.flops_per_s < 0);
    const struct said name[] = {{"gpu_device_name", 0, "NVIDIA A100-SXM4-80GB"}, {0}};
    assert_false(ask(&peaks, name));
    assert_string_equal(peaks.device, "A100 80GB");
    assert_false(ask(&peaks, (const struct said[]){{"device_vendor", 0, "AMD"}, {0}}));
    assert_true(peaks.flops_per_s < 0 && peaks.hbm_bytes_per_s < 0);
    const struct said hostile[] = {{"clock_rate", -5, NULL},
                                   {"core_count", 1e300, NULL},
                                   {"memory_bandwidth", -1, NULL},
                                   {"compute_cap_major", 1e300, NULL},
                                   {0}};
    assert_false(ask(&peaks, hostile));
}

/* Every limit of a plane and where it is from: a TPU says its memories, a GPU's follow from clock,
 * cores and the rates of its capability. The GPU is that of gpu_te_fused_attn, the TPU that of
 * tpu-v6e-offload; XProf's roofline_model has 21,696.1 and 15,020.4 GiB/s for its VMEM. */
static void memories_and_units(void **state)
{
    struct xpd_peaks peaks;
    (void)state;
    const struct said tpu[] = {{"peak_teraflops_per_second", 918, NULL},
                               {"peak_hbm_bw_gigabytes_per_second", 1637.993152512, NULL},
                               {"peak_vmem_rd_bw_gigabytes_per_second", 23296.0000000001, NULL},
                               {"peak_vmem_wr_bw_gigabytes_per_second", 16128.0000000001, NULL},
                               {"peak_cmem_rd_bw_gigabytes_per_second", 0, NULL},
                               {0}};
    assert_true(ask(&peaks, tpu));
    assert_true(fabs(peaks.vmem_read_bytes_per_s / 1073741824 - 21696.1) < 0.05);
    assert_true(fabs(peaks.vmem_write_bytes_per_s / 1073741824 - 15020.4) < 0.05);
    assert_true(peaks.cmem_read_bytes_per_s < 0 && peaks.vector_flops_per_s < 0);
    assert_int_equal(peaks.from[XPD_PEAK_VMEM_READ], XPD_FROM_PROFILE);
    assert_int_equal(peaks.from[XPD_PEAK_CMEM_READ], XPD_FROM_NOWHERE);
    assert_true(xpd_peaks_matmul(&peaks, XPD_NUMBER_8_INT) == peaks.flops_per_s);
    assert_true(xpd_peaks_complete(&peaks, xpd_peaks_find(XPD_STR("TPU v6e"))) == false);
    assert_int_equal(peaks.from[XPD_PEAK_LINK], XPD_FROM_TABLE);
    assert_true(peaks.link_bytes_per_s == 90e9 && peaks.clock_hz == 1.75e9);

    assert_true(ask(&peaks, GPU("AMD", 2400000, 256, 4096000000000.0, 309220868096.0, 9, 5)));
    assert_true(fabs(peaks.vector_flops_per_s / 1e12 - 157.2864) < 1e-9);
    assert_true(fabs(peaks.shared_bytes_per_s / 1e9 - 157286.4) < 1e-6);
    assert_true(fabs(xpd_peaks_matmul(&peaks, XPD_NUMBER_8_FLOAT) / 1e12 - 5033.1648) < 1e-9);
    assert_true(xpd_peaks_matmul(&peaks, XPD_NUMBER_OTHER) == peaks.flops_per_s);
    assert_int_equal(peaks.from[XPD_PEAK_FLOPS], XPD_FROM_DERIVED);
    assert_int_equal(peaks.from[XPD_PEAK_HBM], XPD_FROM_TABLE);
    assert_non_null(strstr(peaks.source, "memory bandwidth of the table of chips"));
}

/* By the name of the architecture, else the nearest capability below. */
static void rates_of_capabilities(void **state)
{
    const struct xpd_gpu_rate *rate = xpd_gpu_rate_find(XPD_GPU_AMD, -1, -1, XPD_STR("gfx908"));
    (void)state;
    assert_true(rate && rate->matrix[XPD_NUMBER_BF16] == 512);
    assert_null(xpd_gpu_rate_find(XPD_GPU_AMD, 11, 0, XPD_STR("gfx1100")));
    assert_null(xpd_gpu_rate_find(XPD_GPU_UNKNOWN, 9, 0, XPD_STR("")));
    assert_null(xpd_gpu_rate_find(XPD_GPU_NVIDIA, 1, 3, XPD_STR("")));
    rate = xpd_gpu_rate_find(XPD_GPU_NVIDIA, 8, 7, XPD_STR(""));
    assert_true(rate && rate->major == 8 && rate->minor == 6);
    rate = xpd_gpu_rate_find(XPD_GPU_NVIDIA, 7, 0, XPD_STR(""));
    assert_true(xpd_gpu_rate_of(rate, XPD_NUMBER_F32) == 128);
    assert_true(xpd_gpu_rate_peak(rate) == 1024);
}

/* Every chip is found by its own name and by what profilers call it; each has a source. */
static void chips_by_name(void **state)
{
    static const char *const known[][2] = {{"NVIDIA H100 80GB HBM3", "H100"},
                                           {"NVIDIA H100 PCIe", "H100 PCIe"},
                                           {"Tesla V100-SXM2-16GB", "V100"},
                                           {"NVIDIA A100-SXM4-40GB", "A100 40GB"},
                                           {"NVIDIA H200", "H200"},
                                           {"NVIDIA B200", "B200"},
                                           {"AMD Instinct MI325X", "MI325X"},
                                           {"AMD Instinct MI300X", "MI300X"},
                                           {"GeForce GTX 1080 Ti", "GTX 1080 Ti"},
                                           {"TPU7x", "TPU v7"},
                                           {"TPU v6 Lite", "TPU v6e"},
                                           {"TPU v4 lite", "TPU v4 Lite"},
                                           {"TPU v4", "TPU v4"},
                                           {"AMD Instinct MI250X / MI250", "MI250X"},
                                           {"AMD Instinct MI210", "MI210"},
                                           {"AMD Radeon RX 7900 XTX", "RX 7900 XTX"},
                                           {"AMD Radeon RX 7900 XT", "RX 7900 XT"},
                                           {"NVIDIA L4", "L4"},
                                           {"NVIDIA L40S", "L40S"},
                                           {"NVIDIA GeForce RTX 3090", "RTX 3090"},
                                           {"NVIDIA GeForce RTX 4070 Ti", "RTX 4070 Ti"},
                                           {"NVIDIA GeForce RTX 4090", "RTX 4090"},
                                           {"NVIDIA GeForce RTX 5090", "RTX 5090"},
                                           {"NVIDIA GB200", "GB200"},
                                           {"NVIDIA B300 SXM6 AC", "B300"},
                                           {"NVIDIA A100 80GB PCIe", "A100 80GB"},
                                           {"NVIDIA A100-PCIE-40GB", "A100 40GB"},
                                           {"TPU v2", "TPU v2"}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct xpd_peaks *found = xpd_peaks_find(xpd_str_of(known[i][0]));
        assert_non_null(found);
        assert_string_equal(found->device, known[i][1]);
    }
    for (uint32_t i = 0; xpd_peaks_at(i); i++) {
        const struct xpd_peaks *one = xpd_peaks_at(i);
        assert_ptr_equal(xpd_peaks_find(xpd_str_of(one->device)), one);
        assert_true(one->source && strlen(one->source) > 10);
    }
    static const char *const others[] = {"NVIDIA GeForce RTX 4090 Laptop GPU",
                                         "NVIDIA GeForce RTX 4070 Ti SUPER",
                                         "NVIDIA GeForce RTX 4090 D",
                                         "NVIDIA L400",
                                         "NVIDIA A10G",
                                         "NVIDIA T400",
                                         "AMD Radeon RX 7900 GRE",
                                         "TPU v44"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_null(xpd_peaks_find(xpd_str_of(others[i])));
    assert_null(xpd_peaks_find(XPD_STR("")));
    assert_null(xpd_peaks_find(XPD_STR("TPU v99")));
}

/* Of a device as runtimes show it; what is sold with more than one size is not known. */
static void memory_by_name(void **state)
{
    static const struct {
        const char *type, *from;
        int64_t gib;
    } known[] = {{"TPU v3", "nominal for a core of TPU v3", 16},
                 {"TPU v4 Lite", "nominal for TPU v4 Lite", 8},
                 {"TPU v5 lite", "nominal for TPU v5e", 16},
                 {"TPU7x", "nominal for a core of TPU v7", 96},
                 {"NVIDIA H100 80GB HBM3", "nominal for H100", 80},
                 {"AMD Instinct MI250X", "nominal for MI250X", 64},
                 {"Tesla V100-SXM2-16GB", "", -1},
                 {"TPU v17", "", -1}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *from;
        int64_t bytes = xpd_chip_memory_bytes(xpd_str_of(known[i].type), &from);
        assert_int_equal(bytes, known[i].gib < 0 ? -1 : known[i].gib << 30);
        assert_string_equal(from, known[i].from);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_as_recorded), cmocka_unit_test(planes_that_say_more_or_less),
        cmocka_unit_test(memories_and_units), cmocka_unit_test(rates_of_capabilities),
        cmocka_unit_test(chips_by_name),      cmocka_unit_test(memory_by_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
