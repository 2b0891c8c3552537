/* Roofline by hand. In: amounts and peaks. Out: times, what binds, one line of words. */
#include "xprofd/explain/expect.h"

#include "xprofd/explain/parts.h"

#include <stdlib.h>

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
        xpd_strbuf_puts(out, nothing ? "No work and no HBM traffic: it should take almost no time."
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
