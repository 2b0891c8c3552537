/* Op metrics of the TensorCores of a TPU host, and of what its SparseCores ran for them. */
#ifndef XPROFD_COMPAT_OPSTATS_TPU_H
#define XPROFD_COMPAT_OPSTATS_TPU_H

#include "opstats_metrics.h"
#include "opstats_walk.h"
#include "xprofd/base/vec.h"

/* Operations on SparseCores, by what a TensorCore started them with. Begin with an arena. */
struct xpd_ops_offloads {
    struct xpd_arena *arena;
    struct xpd_map64 index; /* of a core and a start */
    XPD_VEC(struct xpd_ops_list) offload;
};
/* Adds those of one SparseCore's plane. XPD_ENOMEM, or the error from reading the file. */
int xpd_ops_sparse_plane(struct xpd_ops_offloads *out, struct xpd_ops_walk *walk, uint32_t plane,
                         struct xpd_err *err);
void xpd_ops_offloads_fini(struct xpd_ops_offloads *offloads);

/* Of one TensorCore's plane; `db` is empty and comes back finished. XPD_ENOMEM, or the error from
 * reading the file. */
int xpd_ops_tpu_plane(struct xpd_ops_db *db, const struct xpd_ops_offloads *offloads,
                      struct xpd_ops_walk *walk, uint32_t plane, struct xpd_err *err);

enum { XPD_OPS_REST, XPD_OPS_FED, XPD_OPS_PARTS }; /* FED: infeed and outfeed */
struct xpd_ops_part { /* of xpd_ops_metrics what is summed: there may be very many groups */
    uint64_t occurrences, time_ps, bytes;
    double flops_v2, model_flops_v2;
    struct xpd_ops_access *access;
    uint32_t access_count;
};
struct xpd_ops_group { /* operations with one group number; those with nested operations only in
                        * `self_ps` */
    int64_t group;
    uint64_t self_ps;
    struct xpd_ops_part part[XPD_OPS_PARTS];
};
struct xpd_ops_groups {
    struct xpd_arena *arena;
    struct xpd_map64 index; /* of group numbers */
    XPD_VEC(struct xpd_ops_group) group;
};
void xpd_ops_groups_fini(struct xpd_ops_groups *groups);
/* Group of the event at this place of the plane's line, -1 = none; asked in the order of the file.
 */
typedef int64_t xpd_ops_group_fn(void *user, uint32_t line, uint64_t where);
/* The same by group: `out` has an arena and is empty. */
int xpd_ops_tpu_groups(struct xpd_ops_groups *out, struct xpd_ops_walk *walk, uint32_t plane,
                       xpd_ops_group_fn *group_of, void *user, struct xpd_err *err);

#endif
