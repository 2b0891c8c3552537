/* Where an operation comes from in the user's program, out of a stat `tf_op`: "<name>:<type>". */
#ifndef XPROFD_TRACE_DERIVE_TF_OP_H
#define XPROFD_TRACE_DERIVE_TF_OP_H

#include "xprofd/base/str.h"

enum xpd_tf_op_kind {
    XPD_TF_UNKNOWN,
    XPD_TF_TENSORFLOW,
    XPD_TF_JAX,
    XPD_TF_DATASET,
    XPD_TF_MEMCPY
};

struct xpd_tf_op {
    enum xpd_tf_op_kind kind;
    struct xpd_str scopes;  /* "jit(f)/jit(main)": what stands before the last "/" of the name */
    struct xpd_str caption; /* what the row Framework Ops shows */
    const char *prefix;     /* stands before the caption: "Iterator::", or "" */
};

/* XProf's rules (trace.md 3.5); the texts are pieces of `full` or static. */
struct xpd_tf_op xpd_tf_op_parse(struct xpd_str full);
/* The next scope of `scopes`, which shrinks; false when none is left. */
bool xpd_tf_op_next_scope(struct xpd_str *scopes, struct xpd_str *scope);

#endif
