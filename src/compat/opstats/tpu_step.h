/* A step of a TPU over all its cores, as XProf's page divides it
 * (op_stats_to_input_pipeline_analysis.cc). */
#ifndef XPROFD_COMPAT_OPSTATS_TPU_STEP_H
#define XPROFD_COMPAT_OPSTATS_TPU_STEP_H

#include "opstats_steps.h"

struct xpd_tpu_step {
    int64_t number; /* -1 = no core ran it */
    double compute_ms, infeed_ms, outfeed_ms, idle_ms, active_ms, host_transfer_ms;
    double scv0_compute_ms, scv0_infeed_ms; /* waits for the older SparseCore */
    double reduce_ms, reduce_sync_ms;       /* collectives: the least of a core, and what is more */
    double sparse_ms, sparse_compute_ms, sparse_infeed_ms, sparse_outfeed_ms, sparse_idle_ms,
        sparse_active_ms;
    int64_t infeed_core; /* that waited longest for input, -1 = none did */
    double infeed_percent_average, infeed_percent_minimum, infeed_percent_maximum;
};

void xpd_tpu_step_of(const struct xpd_xprof_step *step, struct xpd_tpu_step *out);

static inline double xpd_tpu_infeed_ms(const struct xpd_tpu_step *step)
{
    return step->infeed_ms + step->scv0_infeed_ms;
}
static inline double xpd_tpu_step_ms(const struct xpd_tpu_step *step)
{
    double busy_ms = step->compute_ms + step->scv0_compute_ms + xpd_tpu_infeed_ms(step) +
                     (step->reduce_ms + step->reduce_sync_ms) + step->outfeed_ms;
    return busy_ms + step->idle_ms;
}

#endif
