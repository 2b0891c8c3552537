/* An operation in XProf's tables: times, rates, and bound. One definition for all
 * of them. Rules: XProf's op_metrics_to_record.h, in its order of operations, so that doubles are
 * equal. */
#ifndef XPROFD_COMPAT_OPSTATS_RECORD_H
#define XPROFD_COMPAT_OPSTATS_RECORD_H

#include "opstats.h"

struct xpd_ops_times {
    double occurrences, total_us, avg_us, self_us, avg_self_us;
};
struct xpd_ops_times xpd_ops_times_of(const struct xpd_ops_metrics *op);

enum {
    XPD_OPS_CMEM_READ,
    XPD_OPS_CMEM_WRITE,
    XPD_OPS_VMEM_READ,
    XPD_OPS_VMEM_WRITE,
    XPD_OPS_ON_CHIP
};
struct xpd_ops_rates { /* GFLOP/s, GiB/s, FLOP/byte */
    double flop_rate, model_flop_rate, memory_bw, hbm_bw, bw[XPD_OPS_ON_CHIP];
    double intensity, hbm_intensity, on_chip_intensity[XPD_OPS_ON_CHIP], bottleneck_intensity;
    struct xpd_str bound_by;
};
struct xpd_ops_rates xpd_ops_rates_of(const struct xpd_ops_metrics *op,
                                      const struct xpd_op_stats *stats);

/* <div class='source-info-cell' title='STACK'>FILE:LINE</div>, or "". */
struct xpd_str xpd_ops_source_cell(struct xpd_arena *arena, const struct xpd_ops_metrics *op);
struct xpd_str xpd_ops_u64_text(struct xpd_arena *arena, uint64_t value);

#endif
