/* Where an operation comes from in the user's program, out of a stat `tf_op` or the name of an
 * event:
 * "<name>:<type>". Rule: TSL's tf_op_utils.cc. */
#ifndef XPROFD_TRACE_TF_OP_H
#define XPROFD_TRACE_TF_OP_H

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
    struct xpd_str name, type; /* of the operation; the whole text and "" where none is known */
    struct xpd_str scopes;     /* "jit(f)/jit(main)": what stands before the last "/" of the name */
    struct xpd_str caption;    /* what the row Framework Ops shows */
    const char *prefix;        /* stands before the caption: "Iterator::", or "" */
};

/* The texts are pieces of `full` or static. */
struct xpd_tf_op xpd_tf_op_parse(struct xpd_str full);
/* What TensorFlow calls operations and their types, and a type of JAX that its name holds. */
bool xpd_tf_is_name(struct xpd_str name);
bool xpd_tf_is_type(struct xpd_str type);
bool xpd_tf_is_jax(struct xpd_str name, struct xpd_str type);
/* The next scope of `scopes`, which shrinks; false when none is left. */
bool xpd_tf_op_next_scope(struct xpd_str *scopes, struct xpd_str *scope);

/* Whether it is the name of a TensorFlow operation, as XProf tells them: "dense/MatMul:MatMul". */
bool xpd_is_tf_op(struct xpd_str name);

/* ---- TensorFlow on the threads of a host ---- */

/* Events around the operations that TensorFlow runs itself: a profile without them is not one of
 * TensorFlow, regardless of the names of its events. */
bool xpd_tf_is_executor(struct xpd_str event_name);
/* "tf_data_private_threadpool/12": tf.data's threads run operations that make batches, not those of
 * the model. */
bool xpd_tf_is_data_thread(struct xpd_str thread);
/* An event of such a thread is an operation: one that does not only wait for another thread or
 * host, as IteratorGetNext and Recv do. */
bool xpd_tf_computes(struct xpd_str event_name);
/* Its work is that of the functions it calls: While, PartitionedCall. */
bool xpd_tf_calls(struct xpd_str type);

#endif
