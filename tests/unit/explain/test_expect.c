/* Roofline by hand: the vectors of the reference (T11, S4.26, S4.28) and the picture's numbers. */
#include "xprofd/explain/expect.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void the_books_matmul_and_reduce_scatter(void **state)
{
    (void)state;
    struct xpd_expected got;
    const struct xpd_peaks book = {"by hand", 23e12 * 8, -1, 1.2e11, -1, "typed", XPD_PEAKS_REST};
    const struct xpd_amounts matmul = {
        .flops = INT64_C(2) * 32 * 1024 * 8192 * 32768, .hbm_bytes = -1, .cycles = -1};
    xpd_expect(&got, &matmul, &book);
    assert_true(fabs(got.compute_s * 1e3 - 95.61) < 0.005);
    assert_string_equal(got.bound, "compute");
    assert_true(got.hbm_s < 0);
    const struct xpd_amounts scatter = {.hbm_bytes = -1, .cycles = -1, .link_bytes = 134217728};
    xpd_expect(&got, &scatter, &book);
    assert_true(fabs(got.link_s * 1e3 - 1.118) < 0.0005);
    assert_string_equal(got.bound, "link");
}

/* graph.png: 68.72 GFLOP over 197 TFLOP/s, 80 MiB over 819 GB/s, 589,424 cycles over 1.5 GHz. */
static void the_pictures_fusion(void **state)
{
    (void)state;
    struct xpd_expected got;
    struct xpd_strbuf out = {0};
    const struct xpd_amounts amounts = {
        .flops = 68719476736, .hbm_bytes = 80 << 20, .cycles = 589424};
    const struct xpd_peaks *peaks = xpd_peaks_find(XPD_STR("TPU v5 lite"));
    assert_non_null(peaks);
    assert_string_equal(peaks->device, "TPU v5e");
    xpd_expect(&got, &amounts, peaks);
    assert_true(fabs(got.compute_s * 1e6 - 348.8) < 0.05);
    assert_true(fabs(got.hbm_s * 1e6 - 102.4) < 0.05);
    assert_true(fabs(got.cycles_s * 1e6 - 393.0) < 0.06);
    xpd_expect_words(&out, &got, &amounts, peaks);
    xpd_strbuf_putc(&out, '\0');
    assert_string_equal(out.data, "Compute bound: 819 FLOP/B, ridge 241; the compiler's estimate "
                                  "is 1.13\xc3\x97 the roofline.");
    xpd_strbuf_fini(&out);
}

/* As the pages say (Cloud TPU documentation, v3 to v6e: TFLOP/s in bf16, GB/s of HBM) and the book
 * "How to Scale Your Model", part 2 (bytes/s of a link, one way). What has no page is unknown. */
static void peaks_as_published(void **state)
{
    static const struct {
        const char *device;
        double tflops, hbm_gb, link;
    } pages[] = {{"TPU v3", 123, 900, 1e11},
                 {"TPU v4", 275, 1200, 4.5e10},
                 {"TPU v5e", 197, 819, 4.5e10},
                 {"TPU v5p", 459, 2765, 9e10},
                 {"TPU v6e", 918, 1638, 9e10}};
    (void)state;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        const struct xpd_peaks *peaks = xpd_peaks_find(xpd_str_of(pages[i].device));
        assert_non_null(peaks);
        assert_true(fabs(peaks->flops_per_s - pages[i].tflops * 1e12) < 1);
        assert_true(fabs(peaks->hbm_bytes_per_s - pages[i].hbm_gb * 1e9) < 1);
        assert_true(fabs(peaks->link_bytes_per_s - pages[i].link) < 1);
    }
    const struct xpd_peaks *v2 = xpd_peaks_find(XPD_STR("TPU v2"));
    assert_non_null(v2);
    assert_true(v2->hbm_bytes_per_s < 0 && v2->link_bytes_per_s < 0 && v2->clock_hz < 0);
}

static void devices_by_their_names(void **state)
{
    (void)state;
    assert_string_equal(xpd_peaks_find(XPD_STR("TPU v6 Lite"))->device, "TPU v6e");
    assert_string_equal(xpd_peaks_find(XPD_STR("TPU v5p"))->device, "TPU v5p");
    assert_string_equal(xpd_peaks_find(XPD_STR("TPU v4"))->device, "TPU v4");
    assert_null(xpd_peaks_find(XPD_STR("")));
    assert_string_equal(xpd_peaks_find(XPD_STR("NVIDIA H100"))->device, "H100");
    assert_null(xpd_peaks_find(XPD_STR("TPU v99")));
}

/* Without peaks nothing is computed, and never as 0. */
static void without_peaks_nothing_is_known(void **state)
{
    (void)state;
    struct xpd_expected got;
    const struct xpd_amounts amounts = {.flops = 1000, .hbm_bytes = 1000, .cycles = 1000};
    xpd_expect(&got, &amounts, NULL);
    assert_true(got.compute_s < 0 && got.hbm_s < 0 && got.cycles_s < 0 && got.roofline_s < 0);
    assert_null(got.bound);
}

/* A ring of n: each device passes (n-1)/n of the array on. */
static void what_a_ring_sends(void **state)
{
    (void)state;
    assert_int_equal(xpd_ring_bytes("reduce-scatter", 16777216, 8388608, 0), 8388608);
    assert_int_equal(xpd_ring_bytes("all-gather", 1000, 4000, 4), 3000);
    assert_int_equal(xpd_ring_bytes("all-reduce", 4000, 4000, 4), 6000);
    assert_int_equal(xpd_ring_bytes("all-to-all", 4000, 4000, 4), 3000);
    assert_int_equal(xpd_ring_bytes("collective-permute", 4000, 4000, 0), 4000);
    assert_int_equal(xpd_ring_bytes("all-reduce", 4000, 4000, 0), -1);
}

/* A limit for each: vector units do what holds no matrix multiplication, matrix units have a rate
 * for each type of number, and the slowest memory binds. */
static void the_unit_and_the_memory_that_bind(void **state)
{
    (void)state;
    struct xpd_expected got;
    struct xpd_peaks peaks = XPD_PEAKS_UNKNOWN;
    peaks.flops_per_s = 1000;
    peaks.hbm_bytes_per_s = 100;
    struct xpd_amounts work = {.flops = 1000, .hbm_bytes = 10, .cycles = -1, .vector = true};
    xpd_expect(&got, &work, &peaks);
    assert_true(got.compute_s == 1); /* the vector units' peak is unknown */
    peaks.vector_flops_per_s = 50;
    xpd_expect(&got, &work, &peaks);
    assert_true(got.compute_s == 20 && got.roofline_s == 20);
    work.vector = false;
    work.number = XPD_NUMBER_8_INT;
    peaks.number_flops_per_s[XPD_NUMBER_8_INT] = 2000;
    xpd_expect(&got, &work, &peaks);
    assert_true(got.compute_s == 0.5);
    work.on_chip.vmem_read_bytes = 30;
    work.on_chip.vmem_written_bytes = 30;
    xpd_expect(&got, &work, &peaks);
    assert_true(got.vmem_s < 0); /* bytes, but no peak */
    assert_string_equal(got.bound, "compute");
    peaks.vmem_read_bytes_per_s = 30;
    peaks.vmem_write_bytes_per_s = 15;
    xpd_expect(&got, &work, &peaks);
    assert_true(got.vmem_s == 2);
    assert_string_equal(got.bound, "VMEM");
    assert_int_equal(xpd_amount_of(&work, XPD_PEAK_VMEM_WRITE), 30);
    assert_int_equal(xpd_amount_of(&work, XPD_PEAK_SHARED), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_books_matmul_and_reduce_scatter),
        cmocka_unit_test(the_pictures_fusion),
        cmocka_unit_test(peaks_as_published),
        cmocka_unit_test(devices_by_their_names),
        cmocka_unit_test(without_peaks_nothing_is_known),
        cmocka_unit_test(what_a_ring_sends),
        cmocka_unit_test(the_unit_and_the_memory_that_bind),
    };
    return cmocka_run_group_tests_name("explain expect", tests, NULL, NULL);
}
