/* What several operations add up to: groups of the table, boxes of the icicle. */
#ifndef XPROFD_SRC_TOOLS_TRACE_OPS_SUM_H
#define XPROFD_SRC_TOOLS_TRACE_OPS_SUM_H

#include "ops_shown.h"

#define XPD_MOSTLY 0.95 /* a sum has the colour, or the bound, that this share of its time has */

struct xpd_ops_sum {
    uint32_t operations;
    int64_t count, executions, total_ps, self_ps;
    int64_t lost_ps[XPD_LOST_NOTHING + 1]; /* by what it is against */
    bool lost[XPD_LOST_NOTHING + 1];
    int64_t group_ps[XPD_OP_GROUP_COUNT], bound_ps[XPD_BOUND_COUNT], phase_ps[XPD_PHASE_COUNT];
    /* Work of all executions, and the time of those whose work is known. */
    double flops, hbm_bytes, vmem_bytes, roofline_ps, flops_ps, hbm_ps, vmem_ps, judged_ps;
};
void xpd_ops_sum_add(struct xpd_ops_sum *sum, const struct xpd_op_row *row);
/* What those with a roofline should take over what they take; -1: none has one. */
double xpd_ops_sum_share(const struct xpd_ops_sum *sum);
void xpd_ops_sum_show(struct xpd_ops_row *to, const struct xpd_ops_sum *sum,
                      const struct xpd_ops_found *found);
const char *xpd_ops_against_word(enum xpd_ops_against against); /* NULL: unknown */

#endif
