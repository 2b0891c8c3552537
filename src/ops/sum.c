/* Sums of operations. In: rows. Out: what they add up to. */
#include "xprofd/ops/sum.h"
#include "xprofd/base/checked.h"
#include <assert.h>

#define MOSTLY 0.95 /* a sum is of the group, bound or pass that this share of its time is of */

/* Work of all executions, and their time; work that is unknown, or that takes its time in other
 * operations, counts in neither. */
static void add_work(double *work, double *time_ps, int64_t one, const struct xpd_op_row *row)
{
    if (one < 0 || row->works_elsewhere)
        return;
    *work += (double)one * (double)row->executions;
    *time_ps += (double)row->total_ps;
}

void xpd_ops_sum_add(struct xpd_ops_sum *sum, const struct xpd_op_row *row)
{
    assert(row->group < XPD_OP_GROUP_COUNT && row->bound < XPD_BOUND_COUNT);
    assert(row->phase < XPD_PHASE_COUNT &&
           row->lost_against <= XPD_LOST_NOTHING); /* never of several */
    sum->operations++;
    xpd_grow_i64(&sum->count, row->count);
    xpd_grow_i64(&sum->executions, row->executions);
    xpd_grow_i64(&sum->total_ps, row->total_ps);
    xpd_grow_i64(&sum->self_ps, row->self_ps);
    xpd_grow_i64(&sum->group_ps[row->group], row->self_ps);
    xpd_grow_i64(&sum->bound_ps[row->bound], row->self_ps);
    xpd_grow_i64(&sum->phase_ps[row->phase], row->self_ps);
    if (row->lost_against != XPD_LOST_UNKNOWN) {
        xpd_grow_i64(&sum->lost_ps, row->lost_ps);
        sum->lost[row->lost_against] = true;
    }
    add_work(&sum->flops, &sum->flops_ps, row->amounts.flops, row);
    add_work(&sum->hbm_bytes, &sum->hbm_ps, row->hbm_bytes, row);
    add_work(&sum->vmem_bytes, &sum->vmem_ps, row->vmem_bytes, row);
    add_work(&sum->roofline_ps, &sum->judged_ps, row->roofline_ps, row);
}

/* The one that has most of the time; `none` where no one has. */
static int mostly(const int64_t *part_ps, int count, int64_t all_ps, int none)
{
    for (int i = 0; i < count; i++)
        if (all_ps > 0 && (double)part_ps[i] >= MOSTLY * (double)all_ps)
            return i;
    return none;
}

enum xpd_op_group xpd_ops_sum_group(const struct xpd_ops_sum *sum)
{
    return (enum xpd_op_group)mostly(sum->group_ps, XPD_OP_GROUP_COUNT, sum->self_ps, XPD_OP_NONE);
}

enum xpd_ops_bound xpd_ops_sum_bound(const struct xpd_ops_sum *sum)
{
    return (enum xpd_ops_bound)mostly(sum->bound_ps, XPD_BOUND_COUNT, sum->self_ps,
                                      XPD_BOUND_UNKNOWN);
}

enum xpd_phase xpd_ops_sum_phase(const struct xpd_ops_sum *sum)
{
    return (enum xpd_phase)mostly(sum->phase_ps, XPD_PHASE_COUNT, sum->self_ps, XPD_PHASE_NONE);
}

const char *xpd_ops_against_word(enum xpd_ops_against against)
{
    static const char *const words[] = {NULL, "roofline", "best", "nothing", "several"};
    return (unsigned)against <= XPD_LOST_SEVERAL ? words[against] : NULL;
}

int64_t xpd_ops_sum_lost(const struct xpd_ops_sum *sum, enum xpd_ops_against *against)
{
    *against = XPD_LOST_UNKNOWN;
    for (int i = XPD_LOST_ROOFLINE; i <= XPD_LOST_NOTHING; i++)
        if (sum->lost[i])
            *against = *against == XPD_LOST_UNKNOWN ? (enum xpd_ops_against)i : XPD_LOST_SEVERAL;
    return *against == XPD_LOST_UNKNOWN ? -1 : sum->lost_ps;
}

double xpd_ops_sum_share(const struct xpd_ops_sum *sum)
{
    return sum->judged_ps > 0 ? sum->roofline_ps / sum->judged_ps : -1;
}
