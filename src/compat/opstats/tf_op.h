/* Full names of framework operations, "model/dense/MatMul:MatMul", as XProf takes them apart for
 * its tables. src/trace/derive_tf_op.c has the rule for the rows of a trace, which show captions
 * and scopes; here it is names and types. Rule: XLA's tf_op_utils.cc. */
#ifndef XPROFD_COMPAT_OPSTATS_TF_OP_H
#define XPROFD_COMPAT_OPSTATS_TF_OP_H

#include "xprofd/base/str.h"

struct xpd_ops_full_name {
    struct xpd_str name, type; /* type "" = it is none that is known */
    bool known;                /* of any category */
};
struct xpd_ops_full_name xpd_ops_parse_full_name(struct xpd_str full);

bool xpd_ops_is_tf_name(struct xpd_str name);
bool xpd_ops_is_tf_type(struct xpd_str type);
bool xpd_ops_is_jax(struct xpd_str name, struct xpd_str type);

#endif
