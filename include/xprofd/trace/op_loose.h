/* Operations without a program: kernels and memory copies of a GPU without the stat hlo_op
 * (TensorFlow without XLA, libraries, the runtime), and TensorFlow's operations on the threads of a
 * host without chips, which have the names of their events.
 *
 * A kernel's op is the TensorFlow operation that launched it (stat tf_op, "level 0" before 2021),
 * whole: "model/dense/MatMul:MatMul"; without one it is the kernel's name. A copy's op is its
 * event's name, with its direction if only its details have it, and the operation it is for:
 * "MemcpyH2D of IteratorGetNext". Only this module makes these texts. */
#ifndef XPROFD_TRACE_OP_LOOSE_H
#define XPROFD_TRACE_OP_LOOSE_H

#include "xprofd/base/strbuf.h"
#include "xprofd/hlo/source_info.h"
#include "xprofd/trace/copy_way.h"
#include "xprofd/trace/op_times.h"

/* The name used for their program: "kernels without a program", "memory copies". */
struct xpd_str xpd_op_loose_word(enum xpd_op_loose loose);

struct xpd_loose_event {
    struct xpd_str name;           /* of the event */
    struct xpd_str tf_op;          /* "" = none */
    struct xpd_str memcpy_details; /* likewise */
    bool kernel, copy;             /* its stats are those of a kernel, of a copy or memset */
};
/* The kind of a stream's event. KERNELS if none of the others applies, kernel or not: a plane that
 * marks kernels also has events without work. */
enum xpd_op_loose xpd_op_loose_of(const struct xpd_loose_event *event);
/* Appends the name of its op. */
void xpd_op_loose_name(struct xpd_strbuf *out, const struct xpd_loose_event *event,
                       enum xpd_op_loose loose);

struct xpd_loose_op {        /* what the name of an op tells; pieces of it, or static */
    struct xpd_str path;     /* of the TensorFlow or JAX operation, without its type; "" = none */
    struct xpd_str type;     /* "MatMul"; of a copy the event's name; "" = not known */
    struct xpd_str category; /* "host transfer", "collective"; of a kernel its type */
    enum xpd_op_group group;
    enum xpd_copy_way way; /* of copies */
};
struct xpd_loose_op xpd_op_loose_read(enum xpd_op_loose loose, struct xpd_str name);

#endif
