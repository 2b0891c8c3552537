/* XProf takes samples of a GPU's counters for events of the step that runs: where its row Steps
 * ends otherwise than ours. */
#ifndef XPROFD_COMPAT_GPU_STEPS_H
#define XPROFD_COMPAT_GPU_STEPS_H

#include "xprofd/trace/derived.h"

/* The ends of the events of derived->row[row], the row Steps of a GPU, by number from the row's
 * first event on; to be freed. *end_ps is NULL where they are those of the row. False without
 * memory. */
bool xpd_gpu_step_ends(const struct xpd_derived *derived, uint32_t row, int64_t **end_ps);
/* The group of each sample of counters in a depth of the same GPU, XPD_NO_GROUP before the first
 * step: room for samples->count. False without memory. */
bool xpd_gpu_sample_groups(const struct xpd_derived *derived, uint32_t row,
                           const struct xpd_depth *samples, uint32_t *group);

#endif
