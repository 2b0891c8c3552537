/* Roofline by hand. In: amounts and peaks. Out: times, what binds, one line of words. */
#include "xprofd/explain/expect.h"

#include "xprofd/explain/parts.h"

#include <stdlib.h>

/* Per chip; -1 = no public source found. Dense bf16 and HBM of v3 to v6e: the page of each
 * generation in Google's Cloud TPU documentation (v4 says 1200 GB/s, v5e 819). v2: 45 TFLOP/s in
 * print, the rest not found. Links, one way: the table of "How to Scale Your Model", part 2 (the
 * documentation's 400, 1200 and 800 GB/s a chip in both directions would be 50, 100 and 100 a
 * link). Clocks are what the peak means, FLOP/s over 2 x cells of the matrix units (v3: 4 x 128 x
 * 128, v4 and v5p: 8, v5e: 4); v6e for 4 x 256 x 256, as a recorded trace of one runs 14.18 million
 * cycles in 7.92 ms. */
#define CLOUD "Google's Cloud TPU documentation; links: How to Scale Your Model; per chip"
static const struct xpd_peaks table[] = {
    {"TPU v2", 45e12, -1, -1, -1, "45 TFLOP/s in print; no public source for the rest"},
    {"TPU v3", 123e12, 900e9, 100e9, 0.94e9, CLOUD},
    {"TPU v4", 275e12, 1200e9, 45e9, 1.05e9, CLOUD},
    {"TPU v5e", 197e12, 819e9, 45e9, 1.5e9, CLOUD},
    {"TPU v5p", 459e12, 2765e9, 90e9, 1.75e9, CLOUD},
    {"TPU v6e", 918e12, 1638e9, 90e9, 1.75e9, CLOUD},
};

const struct xpd_peaks *xpd_peaks_table(uint32_t *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}

const struct xpd_peaks *xpd_peaks_find(struct xpd_str device_type)
{
    static const struct {
        const char *in_type;
        uint32_t row;
    } names[] = {{"v6e", 5}, {"v6 lite", 5}, {"v5p", 4}, {"v5 lite", 3}, {"v5litepod", 3},
                 {"v5e", 3}, {"v5", 4},      {"v4", 2},  {"v3", 1},      {"v2", 0}};
    if (xpd_str_find(device_type, XPD_STR("tpu"), true) == SIZE_MAX)
        return NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (xpd_str_find(device_type, xpd_str_of(names[i].in_type), true) != SIZE_MAX)
            return &table[names[i].row];
    return NULL;
}

static double over(int64_t amount, double peak)
{
    if (amount < 0 || (amount > 0 && peak <= 0))
        return -1;
    return amount == 0 ? 0 : (double)amount / peak;
}

void xpd_expect(struct xpd_expected *out, const struct xpd_amounts *amounts,
                const struct xpd_peaks *peaks)
{
    static const struct xpd_peaks none = {NULL, -1, -1, -1, -1, NULL};
    peaks = peaks ? peaks : &none;
    *out = (struct xpd_expected){
        .compute_s = over(amounts->flops, peaks->flops_per_s),
        .hbm_s = over(amounts->hbm_bytes, peaks->hbm_bytes_per_s),
        .link_s = over(amounts->link_bytes, peaks->link_bytes_per_s),
        .cycles_s = over(amounts->cycles, peaks->clock_hz),
        .roofline_s = -1,
    };
    const double times[] = {out->compute_s, out->hbm_s, out->link_s};
    static const char *const words[] = {"compute", "HBM", "link"};
    for (size_t i = 0; i < 3; i++)
        if (times[i] > 0 && times[i] > out->roofline_s) {
            out->roofline_s = times[i];
            out->bound = words[i];
        }
}

static void put_intensity(struct xpd_strbuf *out, const struct xpd_amounts *amounts,
                          const struct xpd_peaks *peaks)
{
    if (amounts->flops <= 0 || amounts->hbm_bytes <= 0)
        return;
    xpd_strbuf_printf(out, ": %.3g FLOP/B", (double)amounts->flops / (double)amounts->hbm_bytes);
    if (peaks->flops_per_s > 0 && peaks->hbm_bytes_per_s > 0)
        xpd_strbuf_printf(out, ", ridge %.3g", peaks->flops_per_s / peaks->hbm_bytes_per_s);
}

void xpd_expect_words(struct xpd_strbuf *out, const struct xpd_expected *expected,
                      const struct xpd_amounts *amounts, const struct xpd_peaks *peaks)
{
    if (!expected->bound) {
        bool nothing = amounts->flops == 0 && amounts->hbm_bytes == 0 && amounts->link_bytes == 0;
        xpd_strbuf_puts(out, nothing ? "No work and no HBM traffic: it should take next to no time."
                             : peaks ? "Not enough is known about this operation for a roofline."
                                     : "The peaks of this device are not known: type them.");
        return;
    }
    bool compute = strcmp(expected->bound, "compute") == 0;
    xpd_strbuf_printf(out, "%s bound",
                      compute                                ? "Compute"
                      : strcmp(expected->bound, "link") == 0 ? "Link"
                                                             : "HBM");
    if (strcmp(expected->bound, "link") != 0)
        put_intensity(out, amounts, peaks);
    if (expected->cycles_s > 0)
        xpd_strbuf_printf(out, "; the compiler's estimate is %.2f\xc3\x97 the roofline",
                          expected->cycles_s / expected->roofline_s);
    xpd_strbuf_putc(out, '.');
    if (amounts->partial)
        xpd_strbuf_puts(out, " Something inside is unknown: this is the least.");
}

int64_t xpd_ring_bytes(const char *kind, int64_t operand_bytes, int64_t result_bytes,
                       int64_t group_size)
{
    int64_t large = operand_bytes > result_bytes ? operand_bytes : result_bytes;
    int64_t small = operand_bytes > result_bytes ? result_bytes : operand_bytes;
    if (operand_bytes < 0 || result_bytes < 0)
        return -1;
    if (strcmp(kind, "collective-permute") == 0 || strcmp(kind, "collective-broadcast") == 0)
        return result_bytes;
    if (group_size <= 0 && small > 0 && large > small && large % small == 0)
        group_size = large / small;
    if (group_size <= 0)
        return -1;
    int64_t part = large / group_size * (group_size - 1);
    return strcmp(kind, "all-reduce") == 0 && part <= INT64_MAX / 2 ? 2 * part : part;
}
