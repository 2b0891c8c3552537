/* Operations of the devices by framework operation, and facts from their names. */
#ifndef XPROFD_COMPAT_OPSTATS_FRAMEWORK_H
#define XPROFD_COMPAT_OPSTATS_FRAMEWORK_H

#include "opstats.h"

/* Fills an initialised, empty database, including the operation IDLE. */
void xpd_ops_by_framework(struct xpd_ops_db *db, const struct xpd_op_stats *stats);

/* The kernels of a framework operation: whether it may use tensor cores, by its longest kernel; the
 * time of all of them, and of those that do. */
struct xpd_ops_tensor_cores {
    bool found, eligible;
    uint64_t all_ns, busy_ns;
};
struct xpd_ops_tensor_cores xpd_ops_tensor_cores_of(const struct xpd_op_stats *stats,
                                                    struct xpd_str op_name);

/* An operation of that name and type computes gradients: the program trains. */
bool xpd_ops_is_gradient(struct xpd_str name, struct xpd_str type);

#endif
