/* Sums of operations. In: rows. Out: one row of what they add up to; what is not the same in all of
 * them is left unknown. */
#include "ops_sum.h"
#include "xprofd/base/checked.h"

/* Work of all executions, and their time; unknown work counts in neither. */
static void add_work(double *work, double *time_ps, int64_t one, const struct xpd_op_row *row)
{
    if (one < 0)
        return;
    *work += (double)one * (double)row->executions;
    *time_ps += (double)row->total_ps;
}

void xpd_ops_sum_add(struct xpd_ops_sum *sum, const struct xpd_op_row *row)
{
    sum->operations++;
    xpd_grow_i64(&sum->count, row->count);
    xpd_grow_i64(&sum->executions, row->executions);
    xpd_grow_i64(&sum->total_ps, row->total_ps);
    xpd_grow_i64(&sum->self_ps, row->self_ps);
    xpd_grow_i64(&sum->group_ps[row->group], row->self_ps);
    xpd_grow_i64(&sum->bound_ps[row->bound], row->self_ps);
    xpd_grow_i64(&sum->phase_ps[row->phase], row->self_ps);
    if (row->lost_against != XPD_LOST_UNKNOWN) {
        xpd_grow_i64(&sum->lost_ps[row->lost_against], row->lost_ps);
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
        if (all_ps > 0 && (double)part_ps[i] >= XPD_MOSTLY * (double)all_ps)
            return i;
    return none;
}

/* Group that XPD_MOSTLY of its time is of; NONE: of several. */
static enum xpd_op_group group_of(const struct xpd_ops_sum *sum)
{
    return (enum xpd_op_group)mostly(sum->group_ps, XPD_OP_GROUP_COUNT, sum->self_ps, XPD_OP_NONE);
}

const char *xpd_ops_against_word(enum xpd_ops_against against)
{
    static const char *const words[] = {NULL, "roofline", "best", "nothing"};
    return (unsigned)against <= XPD_LOST_NOTHING ? words[against] : NULL;
}

/* Losses of one kind add up: those against rooflines, else against the best, else waits. */
static void show_lost(struct xpd_ops_row *to, const struct xpd_ops_sum *sum)
{
    for (int i = XPD_LOST_ROOFLINE; i <= XPD_LOST_NOTHING && !to->lost_against; i++)
        if (sum->lost[i]) {
            to->lost_ps = sum->lost_ps[i];
            to->lost_against = xpd_ops_against_word((enum xpd_ops_against)i);
        }
}

double xpd_ops_sum_share(const struct xpd_ops_sum *sum)
{
    return sum->judged_ps > 0 ? sum->roofline_ps / sum->judged_ps : -1;
}

static double rate(double work, double time_ps)
{
    return time_ps > 0 ? work / time_ps * 1e12 : -1;
}

void xpd_ops_sum_show(struct xpd_ops_row *to, const struct xpd_ops_sum *sum,
                      const struct xpd_ops_found *found)
{
    int64_t all_ps = found->ops.self_ps;
    int bound = mostly(sum->bound_ps, XPD_BOUND_COUNT, sum->self_ps, XPD_BOUND_UNKNOWN);
    int phase = mostly(sum->phase_ps, XPD_PHASE_COUNT, sum->self_ps, XPD_PHASE_NONE);
    *to = (struct xpd_ops_row){
        .module = "",
        .group = xpd_op_group_word(group_of(sum)),
        .phase = xpd_phase_word((enum xpd_phase)phase),
        .operations = sum->operations,
        .count = sum->count,
        .executions = sum->executions,
        .total_ps = sum->total_ps,
        .self_ps = sum->self_ps,
        .self_share = all_ps > 0 ? (double)sum->self_ps / (double)all_ps : 0,
        .mean_ps = -1,
        .p50_ps = -1,
        .p99_ps = -1,
        .min_ps = -1,
        .max_ps = -1,
        .other_total_ps = -1,
        .wait_total_ps = -1,
        .chip_spread = -1,
        .hosts_self_ps = found->hosts ? sum->hosts_self_ps : -1,
        .host_spread = -1,
        .flops = -1,
        .moved_bytes = -1,
        .hbm_bytes = -1,
        .vmem_bytes = -1,
        .cmem_bytes = -1,
        .other_bytes = -1,
        .flops_per_s = rate(sum->flops, sum->flops_ps),
        .flops_peak_per_s = -1,
        .hbm_bytes_per_s = rate(sum->hbm_bytes, sum->hbm_ps),
        .vmem_bytes_per_s = rate(sum->vmem_bytes, sum->vmem_ps),
        .intensity = sum->hbm_bytes > 0 && sum->flops_ps > 0 ? sum->flops / sum->hbm_bytes : -1,
        .bound = xpd_ops_bound_word((enum xpd_ops_bound)bound),
        .bound_reason = bound == XPD_BOUND_UNKNOWN ? "it is not the same in all of them" : NULL,
        .roofline_ps = -1,
        .roofline_share = xpd_ops_sum_share(sum),
        .lost_ps = -1,
        .cycles = -1,
    };
    show_lost(to, sum);
}
