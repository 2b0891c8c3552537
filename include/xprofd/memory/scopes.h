/* Scopes of a program's memory: the scope of a buffer by its op name, and the labels of the strip.
 */
#ifndef XPROFD_MEMORY_SCOPES_H
#define XPROFD_MEMORY_SCOPES_H

#include "xprofd/base/intern.h"
#include "xprofd/base/map64.h"
#include "xprofd/base/vec.h"
#include "xprofd/memory/query.h"

/* "forward", "backward" or "" by the marks JAX leaves (jvp, transpose, rematted_computation). */
const char *xpd_mem_phase(struct xpd_str op_name);
/* The scope of a buffer in the tree and for the filter `scope`: class or phase, then the
 * path. */
#define XPD_SCOPE_PARTS 64
uint32_t xpd_mem_scope_parts(const struct xpd_mem *mem, uint32_t buffer,
                             enum xpd_mem_class mem_class, struct xpd_str part[XPD_SCOPE_PARTS]);

#define XPD_STRIP_DEPTH_MAX 6

struct xpd_strip_label { /* by depth: its text; 0 = "" */
    uint32_t text[XPD_STRIP_DEPTH_MAX + 1];
};

/* Labels of op names, each parsed once. */
struct xpd_strip_labels {
    struct xpd_intern text;
    XPD_VEC(struct xpd_strip_label) label; /* number 0 is that of no op name */
    struct xpd_map64 of_op_name;           /* number by address: texts of one module */
    struct xpd_map64 of_text;              /* the last number with that text at the deepest */
    struct xpd_strbuf scratch;
};
void xpd_strip_labels_init(struct xpd_strip_labels *labels, struct xpd_arena *arena);
void xpd_strip_labels_fini(struct xpd_strip_labels *labels);
/* The number of an op name's label; 0 for "". The op name must outlive the labels. */
uint32_t xpd_strip_label_of(struct xpd_strip_labels *labels, struct xpd_str op_name);
bool xpd_strip_labels_failed(const struct xpd_strip_labels *labels);
/* The label of the instruction at each step of the space. False: out of memory. */
bool xpd_strip_steps(struct xpd_strip_labels *labels, const struct xpd_mem *mem,
                     const struct xpd_mem_space *space, uint32_t *of_step);

#endif
