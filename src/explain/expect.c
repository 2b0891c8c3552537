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

/* By the numbers of xla.PrimitiveType. */
static enum xpd_number number_of(int32_t type)
{
    switch (type) {
    case 12:
    case 18: return XPD_NUMBER_F64;
    case 11:
    case 15: return XPD_NUMBER_F32;
    case 16: return XPD_NUMBER_BF16;
    case 10: return XPD_NUMBER_F16;
    case 19:
    case 20:
    case 23:
    case 24:
    case 25:
    case 28:
    case 29: return XPD_NUMBER_8_FLOAT;
    case 2:
    case 6: return XPD_NUMBER_8_INT;
    case 21:
    case 22:
    case 32: return XPD_NUMBER_4_BIT;
    default: return XPD_NUMBER_OTHER;
    }
}

static enum xpd_number number_of_operands(const struct xpd_hlo *hlo, uint32_t instruction)
{
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    uint32_t at = ins->operand_first[instruction];
    if (at == ins->operand_first[instruction + 1] || ins->operand[at] == XPD_NO_INDEX)
        return XPD_NUMBER_OTHER;
    return number_of(ins->shape[ins->operand[at]]->type);
}

void xpd_amounts_of(struct xpd_amounts *out, const struct xpd_costs *costs,
                    const struct xpd_hlo *hlo, uint32_t instruction)
{
    bool matmul = costs->matmul[instruction] != XPD_NO_INDEX;
    *out = (struct xpd_amounts){.flops = costs->flops[instruction],
                                .hbm_bytes = costs->hbm_bytes[instruction],
                                .cycles = costs->cycles[instruction],
                                .partial = costs->partial[instruction],
                                .vector = !matmul};
    if (matmul)
        out->number =
            number_of_operands(hlo, costs->matmuls[costs->matmul[instruction]].instruction);
    if (costs->on_chip[instruction] != XPD_NO_INDEX)
        out->on_chip = costs->on_chips[costs->on_chip[instruction]];
}

int64_t xpd_amount_of(const struct xpd_amounts *amounts, enum xpd_peak peak)
{
    switch (peak) {
    case XPD_PEAK_FLOPS:
    case XPD_PEAK_VECTOR: return amounts->flops;
    case XPD_PEAK_HBM: return amounts->hbm_bytes;
    case XPD_PEAK_VMEM_READ: return amounts->on_chip.vmem_read_bytes;
    case XPD_PEAK_VMEM_WRITE: return amounts->on_chip.vmem_written_bytes;
    case XPD_PEAK_CMEM_READ: return amounts->on_chip.cmem_read_bytes;
    case XPD_PEAK_CMEM_WRITE: return amounts->on_chip.cmem_written_bytes;
    case XPD_PEAK_LINK: return amounts->link_bytes;
    default: return -1; /* the traffic of a kernel in shared memory is not recorded */
    }
}

double xpd_work_peak(const struct xpd_amounts *amounts, const struct xpd_peaks *peaks)
{
    if (amounts->vector && peaks->vector_flops_per_s > 0)
        return peaks->vector_flops_per_s;
    return xpd_peaks_matmul(peaks, amounts->number);
}

static double longer(double a, double b)
{
    return a > b ? a : b;
}

void xpd_expect(struct xpd_expected *out, const struct xpd_amounts *amounts,
                const struct xpd_peaks *peaks)
{
    static const struct xpd_peaks none = XPD_PEAKS_UNKNOWN;
    peaks = peaks ? peaks : &none;
    *out = (struct xpd_expected){
        .compute_s = over(amounts->flops, xpd_work_peak(amounts, peaks)),
        .hbm_s = over(amounts->hbm_bytes, peaks->hbm_bytes_per_s),
        .vmem_s = longer(over(amounts->on_chip.vmem_read_bytes, peaks->vmem_read_bytes_per_s),
                         over(amounts->on_chip.vmem_written_bytes, peaks->vmem_write_bytes_per_s)),
        .cmem_s = longer(over(amounts->on_chip.cmem_read_bytes, peaks->cmem_read_bytes_per_s),
                         over(amounts->on_chip.cmem_written_bytes, peaks->cmem_write_bytes_per_s)),
        .link_s = over(amounts->link_bytes, peaks->link_bytes_per_s),
        .cycles_s = over(amounts->cycles, peaks->clock_hz),
        .roofline_s = -1,
    };
    const double times[] = {out->compute_s, out->hbm_s, out->vmem_s, out->cmem_s, out->link_s};
    static const char *const words[] = {"compute", "HBM", "VMEM", "CMEM", "link"};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
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
    double work = xpd_work_peak(amounts, peaks);
    if (work > 0 && peaks->hbm_bytes_per_s > 0)
        xpd_strbuf_printf(out, ", ridge %.3g", work / peaks->hbm_bytes_per_s);
}

void xpd_expect_words(struct xpd_strbuf *out, const struct xpd_expected *expected,
                      const struct xpd_amounts *amounts, const struct xpd_peaks *peaks)
{
    if (!expected->bound) {
        bool nothing = amounts->flops == 0 && amounts->hbm_bytes == 0 && amounts->link_bytes == 0;
        xpd_strbuf_puts(out, nothing ? "No work and no HBM traffic: it should take almost no time."
                             : peaks ? "Not enough is known about this operation for a roofline."
                                     : "The peaks of this device are unknown: enter them.");
        return;
    }
    bool compute = strcmp(expected->bound, "compute") == 0;
    bool link = strcmp(expected->bound, "link") == 0;
    xpd_strbuf_printf(out, "%s bound", compute ? "Compute" : link ? "Link" : expected->bound);
    if (!link)
        put_intensity(out, amounts, peaks);
    if (expected->cycles_s > 0)
        xpd_strbuf_printf(out, "; the compiler's estimate is %.2f\xc3\x97 the roofline",
                          expected->cycles_s / expected->roofline_s);
    xpd_strbuf_putc(out, '.');
    if (amounts->partial)
        xpd_strbuf_puts(out, " Something inside is unknown: this is a lower bound.");
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
