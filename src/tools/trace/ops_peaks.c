/* Peaks that cannot be: an operation is faster. In: rows of operations. Out: one or two sentences.
 */
#include "ops_rows.h"
#include "xprofd/ops/roofs.h"

/* What an operation can exceed. Vector units stand for the matrix units where they do the work. */
static const struct limit {
    enum xpd_peak peak;
    const char *where, *option;
} limits[] = {
    {XPD_PEAK_FLOPS, "", "--peak-flops (peak_flops=)"},
    {XPD_PEAK_HBM, "", "--peak-bandwidth (peak_bandwidth=)"},
    {XPD_PEAK_VMEM_READ, " read from VMEM", "--peak=vmem_read:N (peak_vmem_read=)"},
    {XPD_PEAK_VMEM_WRITE, " written to VMEM", "--peak=vmem_write:N (peak_vmem_write=)"},
    {XPD_PEAK_CMEM_READ, " read from CMEM", "--peak=cmem_read:N (peak_cmem_read=)"},
    {XPD_PEAK_CMEM_WRITE, " written to CMEM", "--peak=cmem_write:N (peak_cmem_write=)"},
    {XPD_PEAK_LINK, " over the link", "--peak=link:N (peak_link=)"},
};
enum { LIMITS = sizeof limits / sizeof *limits };

static const struct xpd_op_row *beyond(const struct xpd_ops_found *found, enum xpd_peak limit)
{
    return xpd_ops_beyond(&found->ops, found->has_peaks ? &found->peaks : NULL, limit);
}

static void say_beyond(struct xpd_strbuf *out, const struct xpd_ops_found *found,
                       const struct limit *limit)
{
    const struct xpd_op_row *row = beyond(found, limit->peak);
    const struct xpd_peaks *sheet = xpd_peaks_find(xpd_str_of(found->peaks.device));
    if (!row)
        return;
    double peak = xpd_op_peak(row, &found->peaks, limit->peak);
    bool vector =
        limit->peak == XPD_PEAK_FLOPS && row->amounts.vector && found->peaks.vector_flops_per_s > 0;
    double says = !sheet   ? -1
                  : vector ? sheet->vector_flops_per_s
                           : xpd_op_peak(row, sheet, limit->peak);
    const char *unit = limit->peak == XPD_PEAK_FLOPS ? "FLOP/s" : "B/s";
    xpd_strbuf_puts(out, out->size > 0 ? " " : "");
    xpd_strbuf_add(out, row->name.data, row->name.size);
    xpd_strbuf_printf(out,
                      " reached %.4g T%s%s, above the peak of %.4g T%s, so that peak is wrong%s.",
                      xpd_op_rate(row, limit->peak) / 1e12, unit, limit->where, peak / 1e12, unit,
                      limit->peak == XPD_PEAK_HBM ? ", unless a cache served the bytes" : "");
    if (says > peak)
        xpd_strbuf_printf(out, " For %s the table of chips says %.4g T%s.", sheet->device,
                          says / 1e12, unit);
    xpd_strbuf_printf(out, " Set the peak of this device with %s.",
                      vector ? "--peak=vector:N (peak_vector=)" : limit->option);
}

bool xpd_tools_ops_is_beyond(const struct xpd_ops_found *found, bool memory)
{
    bool any = false;
    for (int i = 0; i < LIMITS && !any; i++)
        if (limits[i].peak != XPD_PEAK_LINK && (limits[i].peak != XPD_PEAK_FLOPS) == memory)
            any = beyond(found, limits[i].peak) != NULL;
    return any;
}

struct xpd_str xpd_tools_ops_peaks_problem(const struct xpd_ops_found *found,
                                           struct xpd_arena *arena)
{
    struct xpd_strbuf text = {0};
    struct xpd_str kept = {NULL, 0};
    for (int i = 0; i < LIMITS; i++)
        say_beyond(&text, found, &limits[i]);
    if (text.size > 0)
        kept = xpd_strbuf_keep(&text, arena);
    xpd_strbuf_fini(&text);
    return kept;
}

void xpd_tools_ops_peaks_words(struct xpd_strbuf *out, const struct xpd_peaks *peaks)
{
    const char *device = !peaks                              ? "of this device unknown"
                         : peaks->device && peaks->device[0] ? peaks->device
                                                             : "of this device";
    const char *source = peaks && peaks->source ? peaks->source : "";
    xpd_strbuf_printf(out, "%s%s%s\n", device, source[0] ? ", " : "", source);
}
