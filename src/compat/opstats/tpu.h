/* Op metrics of the TensorCores of a TPU host. */
#ifndef XPROFD_COMPAT_OPSTATS_TPU_H
#define XPROFD_COMPAT_OPSTATS_TPU_H

#include "metrics.h"
#include "walk.h"

/* Of one plane; `db` is empty and comes back finished. XPD_ENOMEM, and what reading the file says.
 */
int xpd_ops_tpu_plane(struct xpd_ops_db *db, struct xpd_ops_walk *walk, uint32_t plane,
                      struct xpd_err *err);

#endif
