/* Peaks that cannot be: an operation is faster. In: rows of operations, peaks. Out: the row that is
 * furthest beyond one. */
#include "xprofd/ops/roofs.h"

double xpd_op_rate(const struct xpd_op_row *row, enum xpd_peak peak)
{
    int64_t amount = xpd_amount_of(&row->amounts, peak);
    return peak == XPD_PEAK_FLOPS           ? row->flops_per_s
           : peak == XPD_PEAK_HBM           ? row->hbm_bytes_per_s
           : amount > 0 && row->mean_ps > 0 ? (double)amount / row->mean_ps * 1e12
                                            : -1;
}

double xpd_op_peak(const struct xpd_op_row *row, const struct xpd_peaks *peaks, enum xpd_peak peak)
{
    return peak == XPD_PEAK_FLOPS ? xpd_work_peak(&row->amounts, peaks) : xpd_peak_of(peaks, peak);
}

const struct xpd_op_row *xpd_ops_beyond(const struct xpd_op_rows *rows,
                                        const struct xpd_peaks *peaks, enum xpd_peak limit)
{
    double most = XPD_BEYOND;
    const struct xpd_op_row *furthest = NULL;
    for (uint32_t i = 0; peaks && i < rows->count; i++) {
        const struct xpd_op_row *row = &rows->row[i];
        double peak = xpd_op_peak(row, peaks, limit);
        if (row->roofline_ps >= 0 && peak > 0 && xpd_op_rate(row, limit) / peak > most) {
            most = xpd_op_rate(row, limit) / peak;
            furthest = row;
        }
    }
    return furthest;
}
