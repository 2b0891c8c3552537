/* The roofs over a run's operations: the peak of each unit and memory of the chip, the share that
 * operations reach, and peaks that they prove wrong. Pure functions of rows (ops.h). */
#ifndef XPROFD_OPS_ROOFS_H
#define XPROFD_OPS_ROOFS_H

#include "xprofd/ops/ops.h"

/* Faster than a peak: published figures are rounded. */
#define XPD_BEYOND 1.01

struct xpd_roof {
    enum xpd_peak peak;
    enum xpd_number number;   /* of matrix units: what they multiply in most of the time */
    double per_s, said_per_s; /* used; before a person typed one; -1 = unknown */
    enum xpd_peak_from from, said_from;
    uint32_t operations;  /* that have work or bytes for it */
    int64_t self_ps;      /* of them */
    double reach;         /* the highest share of per_s; -1 = no row uses it */
    uint32_t reach_row;   /* whose; XPD_NO_INDEX */
    uint32_t beyond;      /* rows faster than per_s */
    uint32_t said_beyond; /* rows faster than said_per_s, and their shares of it */
    double said_least, said_most;
};
enum { XPD_ROOFS_MOST = XPD_PEAKS + XPD_NUMBERS };

struct xpd_roof_part { /* sums of operations by their place */
    uint32_t operations;
    int64_t self_ps;
};

struct xpd_roofs {
    /* Matrix units first, one for each rate, that with most time first; then vector units and
     * memories. Only the units that the chip is known to have, and always FLOP/s and HBM. */
    struct xpd_roof roof[XPD_ROOFS_MOST];
    uint32_t count;
    struct xpd_roof_part place[XPD_PLACE_COUNT];
    struct xpd_roof_part judged;             /* with a roofline, or a loss against the best */
    int64_t lost_ps;                         /* of them */
    uint32_t best_flops_row, best_bytes_row; /* rows with the best rates of the run; or none */
    struct xpd_roof_part above_best;         /* shorter ones that were faster */
};
/* `said`: the peaks before a person typed any; both NULL where none are known. */
void xpd_roofs_make(struct xpd_roofs *out, const struct xpd_op_rows *rows,
                    const struct xpd_peaks *said, const struct xpd_peaks *peaks);

struct xpd_roof_sums { /* of a program, or with XPD_NO_INDEX of all rows; all executions */
    double flops, hbm_bytes;
    int64_t work_ps; /* self time of operations whose work is known, without waits */
    int64_t self_ps; /* of all but loops, calls and starts; waits included */
};
void xpd_roofs_program(struct xpd_roof_sums *out, const struct xpd_op_rows *rows, uint32_t program);

/* What a row does in a second of what the peak limits, FLOP or bytes; -1: nothing, or unknown. */
double xpd_op_rate(const struct xpd_op_row *row, enum xpd_peak peak);
/* What that is held against: vector units stand for the matrix units where they do the work. -1:
 * unknown. */
double xpd_op_peak(const struct xpd_op_row *row, const struct xpd_peaks *peaks, enum xpd_peak peak);
/* The row that is furthest beyond a peak, by more than XPD_BEYOND; NULL: none is. `peaks`: NULL
 * where none are known. */
const struct xpd_op_row *xpd_ops_beyond(const struct xpd_op_rows *rows,
                                        const struct xpd_peaks *peaks, enum xpd_peak limit);

#endif
