/* Op metrics of a host's threads. */
#ifndef XPROFD_COMPAT_OPSTATS_HOST_H
#define XPROFD_COMPAT_OPSTATS_HOST_H

#include "opstats_metrics.h"
#include "opstats_walk.h"

/* Adds those of the plane's lines to `db`. XPD_ENOMEM. */
int xpd_ops_host_plane(struct xpd_ops_db *db, struct xpd_ops_walk *walk, uint32_t plane,
                       struct xpd_err *err);

#endif
