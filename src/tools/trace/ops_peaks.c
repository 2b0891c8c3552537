/* Peaks that cannot be: an operation is faster. In: rows of operations. Out: one or two sentences.
 */
#include "ops_rows.h"

#define BEYOND 1.01 /* published figures are rounded */

static double rate_of(const struct xpd_op_row *row, bool memory)
{
    return memory ? row->hbm_bytes_per_s : row->flops_per_s;
}

/* What a row is held against. */
static double peak_for(const struct xpd_op_row *row, const struct xpd_peaks *peaks, bool memory)
{
    return memory ? peaks->hbm_bytes_per_s : xpd_work_peak(&row->amounts, peaks);
}

/* The row that is furthest beyond its peak; NULL: none is. */
static const struct xpd_op_row *beyond(const struct xpd_ops_found *found, bool memory)
{
    double most = BEYOND;
    const struct xpd_op_row *furthest = NULL;
    for (uint32_t i = 0; found->has_peaks && i < found->ops.count; i++) {
        const struct xpd_op_row *row = &found->ops.row[i];
        double peak = peak_for(row, &found->peaks, memory);
        if (row->roofline_ps >= 0 && peak > 0 && rate_of(row, memory) / peak > most) {
            most = rate_of(row, memory) / peak;
            furthest = row;
        }
    }
    return furthest;
}

static void say_beyond(struct xpd_strbuf *out, const struct xpd_ops_found *found, bool memory)
{
    const struct xpd_op_row *row = beyond(found, memory);
    const struct xpd_peaks *sheet = xpd_peaks_find(xpd_str_of(found->peaks.device));
    if (!row)
        return;
    double peak = peak_for(row, &found->peaks, memory);
    double says = sheet ? peak_for(row, sheet, memory) : -1;
    bool vector = row->amounts.vector && found->peaks.vector_flops_per_s > 0;
    const char *unit = memory ? "B/s" : "FLOP/s";
    xpd_strbuf_puts(out, out->size > 0 ? " " : "");
    xpd_strbuf_add(out, row->name.data, row->name.size);
    xpd_strbuf_printf(out,
                      " reached %.4g T%s, above the peak of %.4g T%s, so that peak is wrong%s.",
                      rate_of(row, memory) / 1e12, unit, peak / 1e12, unit,
                      memory ? ", unless a cache served the bytes" : "");
    if (says > peak)
        xpd_strbuf_printf(out, " For %s the table of chips says %.4g T%s.", sheet->device,
                          says / 1e12, unit);
    xpd_strbuf_printf(out, " Set the peak of this device with %s.",
                      memory   ? "--peak-bandwidth (peak_bandwidth=)"
                      : vector ? "--peak-vector (peak_vector=)"
                               : "--peak-flops (peak_flops=)");
}

bool xpd_tools_ops_is_beyond(const struct xpd_ops_found *found, bool memory)
{
    return beyond(found, memory) != NULL;
}

struct xpd_str xpd_tools_ops_peaks_problem(const struct xpd_ops_found *found,
                                           struct xpd_arena *arena)
{
    struct xpd_strbuf text = {0};
    struct xpd_str kept = {NULL, 0};
    say_beyond(&text, found, false);
    say_beyond(&text, found, true);
    if (text.size > 0)
        kept = xpd_strbuf_keep(&text, arena);
    xpd_strbuf_fini(&text);
    return kept;
}

void xpd_tools_ops_peaks_words(struct xpd_strbuf *out, const struct xpd_peaks *peaks)
{
    const char *device = !peaks                              ? "of this device not known"
                         : peaks->device && peaks->device[0] ? peaks->device
                                                             : "of this device";
    const char *source = peaks && peaks->source ? peaks->source : "";
    xpd_strbuf_printf(out, "%s%s%s\n", device, source[0] ? ", " : "", source);
}
