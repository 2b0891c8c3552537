/* What several operations add up to: groups of a table, boxes of an icicle, layers, kinds. Times in
 * ps; -1: unknown. */
#ifndef XPROFD_OPS_SUM_H
#define XPROFD_OPS_SUM_H

#include "xprofd/ops/ops.h"

struct xpd_ops_sum {
    uint32_t operations;
    int64_t count, executions, total_ps, self_ps;
    int64_t lost_ps;                 /* of those whose loss is known */
    bool lost[XPD_LOST_NOTHING + 1]; /* some of it is against this */
    int64_t group_ps[XPD_OP_GROUP_COUNT], bound_ps[XPD_BOUND_COUNT], phase_ps[XPD_PHASE_COUNT];
    /* Work of all executions, and the time of those whose work is known. */
    double flops, hbm_bytes, vmem_bytes, roofline_ps, flops_ps, hbm_ps, vmem_ps, judged_ps;
};
void xpd_ops_sum_add(struct xpd_ops_sum *sum, const struct xpd_op_row *row);
/* What nearly all of its time is of; XPD_OP_NONE, XPD_BOUND_UNKNOWN, XPD_PHASE_NONE: of several. */
enum xpd_op_group xpd_ops_sum_group(const struct xpd_ops_sum *sum);
enum xpd_ops_bound xpd_ops_sum_bound(const struct xpd_ops_sum *sum);
enum xpd_phase xpd_ops_sum_phase(const struct xpd_ops_sum *sum);
/* Of all operations whose loss is known, waits included, so that sums do not depend on how the
 * operations are grouped. -1: none is known, and *against is XPD_LOST_UNKNOWN. */
int64_t xpd_ops_sum_lost(const struct xpd_ops_sum *sum, enum xpd_ops_against *against);
/* What those with a roofline should take over what they take; -1: none has one. */
double xpd_ops_sum_share(const struct xpd_ops_sum *sum);
const char *xpd_ops_against_word(enum xpd_ops_against against); /* NULL: unknown */

#endif
