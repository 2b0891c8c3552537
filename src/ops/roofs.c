/* Roofs. In: rows of operations, peaks. Out: for each unit and memory who has anything for it, how
 * near they come, and what is faster than it can be. */
#include "xprofd/ops/roofs.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

static bool is_work(const struct xpd_op_row *row)
{
    return row->place == XPD_PLACE_POINT || row->place == XPD_PLACE_NO_FLOPS;
}

static void count_in(struct xpd_roof_part *part, const struct xpd_op_row *row)
{
    part->operations++;
    xpd_grow_i64(&part->self_ps, row->self_ps);
}

/* ---- one roof ---- */

/* Which unit does the work of a row, as the judgement takes it. */
static bool is_vector(const struct xpd_op_row *row, const struct xpd_peaks *peaks)
{
    return row->amounts.vector && peaks && peaks->vector_flops_per_s > 0;
}

static void note_share(struct xpd_roof *roof, double per_s, uint32_t at)
{
    double share = roof->per_s > 0 ? per_s / roof->per_s : -1;
    double said = roof->said_per_s > 0 ? per_s / roof->said_per_s : -1;
    if (share > roof->reach) {
        roof->reach = share;
        roof->reach_row = at;
    }
    roof->beyond += share > XPD_BEYOND;
    if (said <= XPD_BEYOND)
        return;
    roof->said_least = roof->said_beyond == 0 || said < roof->said_least ? said : roof->said_least;
    roof->said_most = said > roof->said_most ? said : roof->said_most;
    roof->said_beyond++;
}

static void note(struct xpd_roof *roof, const struct xpd_op_row *row, uint32_t at)
{
    int64_t amount = xpd_amount_of(&row->amounts, roof->peak);
    if (amount <= 0 || !is_work(row) || row->mean_ps <= 0)
        return;
    roof->operations++;
    xpd_grow_i64(&roof->self_ps, row->self_ps);
    note_share(roof, (double)amount / row->mean_ps * 1e12, at);
}

static struct xpd_roof *add(struct xpd_roofs *out, enum xpd_peak peak, const struct xpd_peaks *said,
                            const struct xpd_peaks *peaks)
{
    struct xpd_roof *roof = &out->roof[out->count++];
    *roof = (struct xpd_roof){
        .peak = peak,
        .per_s = peaks ? xpd_peak_of(peaks, peak) : -1,
        .said_per_s = said ? xpd_peak_of(said, peak) : -1,
        .from = peaks ? peaks->from[peak] : XPD_FROM_NOWHERE,
        .said_from = said ? said->from[peak] : XPD_FROM_NOWHERE,
        .reach = -1,
        .reach_row = XPD_NO_INDEX,
        .said_least = -1,
        .said_most = -1,
    };
    return roof;
}

/* ---- matrix units: a roof for each rate ---- */

static struct xpd_roof *matrix_roof(struct xpd_roofs *out, enum xpd_number number,
                                    const struct xpd_peaks *said, const struct xpd_peaks *peaks)
{
    double per_s = peaks ? xpd_peaks_matmul(peaks, number) : -1;
    for (uint32_t i = 0; i < out->count; i++)
        if (out->roof[i].per_s == per_s || (per_s <= 0 && out->roof[i].per_s <= 0))
            return &out->roof[i];
    struct xpd_roof *roof = add(out, XPD_PEAK_FLOPS, said, peaks);
    roof->per_s = per_s;
    roof->said_per_s = said ? xpd_peaks_matmul(said, number) : -1;
    return roof;
}

static int by_time(const void *a, const void *b)
{
    const struct xpd_roof *x = a, *y = b;
    return (x->self_ps < y->self_ps) - (x->self_ps > y->self_ps);
}

/* Of each roof the type of number that is multiplied in most of its time. */
static void add_matrix(struct xpd_roofs *out, const struct xpd_op_rows *rows,
                       const struct xpd_peaks *said, const struct xpd_peaks *peaks)
{
    int64_t self_ps[XPD_NUMBERS] = {0};
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct xpd_op_row *row = &rows->row[i];
        if (row->amounts.flops <= 0 || !is_work(row) || is_vector(row, peaks))
            continue;
        if (!row->amounts.vector)
            xpd_grow_i64(&self_ps[row->amounts.number], row->self_ps);
        note(matrix_roof(out, row->amounts.number, said, peaks), row, i);
    }
    for (int n = 0; n < XPD_NUMBERS; n++) {
        if (self_ps[n] == 0)
            continue;
        struct xpd_roof *roof = matrix_roof(out, (enum xpd_number)n, said, peaks);
        roof->number = self_ps[n] > self_ps[roof->number] || roof->number == XPD_NUMBER_OTHER
                           ? (enum xpd_number)n
                           : roof->number;
    }
    if (out->count == 0)
        (void)matrix_roof(out, XPD_NUMBER_OTHER, said, peaks);
    qsort(out->roof, out->count, sizeof *out->roof, by_time);
}

static void add_others(struct xpd_roofs *out, const struct xpd_op_rows *rows,
                       const struct xpd_peaks *said, const struct xpd_peaks *peaks)
{
    for (int p = XPD_PEAK_VECTOR; p < XPD_PEAKS; p++) {
        enum xpd_peak peak = (enum xpd_peak)p;
        if (peak != XPD_PEAK_HBM && (!peaks || xpd_peak_of(peaks, peak) <= 0))
            continue;
        struct xpd_roof *roof = add(out, peak, said, peaks);
        for (uint32_t i = 0; i < rows->count; i++)
            if (peak != XPD_PEAK_VECTOR || is_vector(&rows->row[i], peaks))
                note(roof, &rows->row[i], i);
    }
}

/* ---- all ---- */

static void note_best(struct xpd_roofs *out, const struct xpd_op_rows *rows)
{
    out->best_flops_row = out->best_bytes_row = XPD_NO_INDEX;
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct xpd_op_row *row = &rows->row[i];
        bool is_long = row->mean_ps >= (double)XPD_BEST_PS;
        if (!is_work(row))
            continue;
        if (is_long && row->flops_per_s > 0 && row->flops_per_s == rows->best_flops_per_s)
            out->best_flops_row = i;
        if (is_long && row->hbm_bytes_per_s > 0 && row->hbm_bytes_per_s == rows->best_bytes_per_s)
            out->best_bytes_row = i;
        if (row->flops_per_s > rows->best_flops_per_s ||
            row->hbm_bytes_per_s > rows->best_bytes_per_s)
            count_in(&out->above_best, row);
    }
}

void xpd_roofs_make(struct xpd_roofs *out, const struct xpd_op_rows *rows,
                    const struct xpd_peaks *said, const struct xpd_peaks *peaks)
{
    *out = (struct xpd_roofs){0};
    add_matrix(out, rows, said, peaks);
    add_others(out, rows, said, peaks);
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct xpd_op_row *row = &rows->row[i];
        count_in(&out->place[row->place], row);
        if (row->lost_against != XPD_LOST_ROOFLINE && row->lost_against != XPD_LOST_BEST)
            continue;
        count_in(&out->judged, row);
        xpd_grow_i64(&out->lost_ps, row->lost_ps);
    }
    note_best(out, rows);
}

void xpd_roofs_program(struct xpd_roof_sums *out, const struct xpd_op_rows *rows, uint32_t program)
{
    *out = (struct xpd_roof_sums){0};
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct xpd_op_row *row = &rows->row[i];
        if (program != XPD_NO_INDEX && row->program != program)
            continue;
        if (row->place != XPD_PLACE_NONE)
            xpd_grow_i64(&out->self_ps, row->self_ps);
        if (!is_work(row))
            continue;
        xpd_grow_i64(&out->work_ps, row->self_ps);
        out->flops += (double)row->amounts.flops * (double)row->executions;
        out->hbm_bytes += row->hbm_bytes > 0 ? (double)row->hbm_bytes * (double)row->executions : 0;
    }
}

/* ---- operations that are faster than a peak ---- */

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
