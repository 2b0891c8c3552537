/* Where operations stand in a hierarchy: what the icicle is made of, and what a box of it narrows a
 * table to. */
#ifndef XPROFD_SRC_TOOLS_TRACE_OPS_PATH_H
#define XPROFD_SRC_TOOLS_TRACE_OPS_PATH_H

#include "ops_order.h"

#define XPD_OPS_BY_WORDS "program scope source layer group kernel"
enum xpd_ops_by {
    XPD_OPS_BY_PROGRAM, /* program, category */
    XPD_OPS_BY_SCOPE,   /* pass, named scopes */
    XPD_OPS_BY_SOURCE,  /* file, line */
    XPD_OPS_BY_LAYER,   /* "block_*", "block_3", pass, scopes below it */
    XPD_OPS_BY_GROUP,   /* op group, opcode */
    XPD_OPS_BY_KERNEL   /* name of the GPU's kernel: see ops_kernels.h */
};
#define XPD_OPS_BY_PARAM(name_)                                                                    \
    {                                                                                              \
        .name = (name_), .type = XPD_PARAM_ENUM, .words = XPD_OPS_BY_WORDS,                        \
        .help = "hierarchy: program > category; pass > name scope (the default where there are "   \
                "scopes); source file > line; layer > pass > scope; op group > opcode; kernel of " \
                "a GPU; below all of these the operation"                                          \
    }

#define XPD_OPS_NO_KERNEL "not on a GPU" /* by kernel: the box of all that ran elsewhere */
#define XPD_OPS_PARTS_MAX 64             /* of a path; deeper scopes are left out */

struct xpd_ops_paths { /* of some lines, in one hierarchy */
    const struct xpd_ops_found *found;
    enum xpd_ops_by by;
    bool programs; /* there are several: each is a part */
    bool passes;   /* some operations are of a pass: it is a part of all */
    struct xpd_strbuf text;
    uint32_t end[XPD_OPS_PARTS_MAX];
    struct xpd_str part[XPD_OPS_PARTS_MAX]; /* of the row asked for last, in `text` */
    uint32_t count;
};
/* `by` < 0: scope where some line has one, else program. */
void xpd_ops_paths_init(struct xpd_ops_paths *paths, const struct xpd_ops_found *found,
                        const struct xpd_ops_lines *lines, int by);
void xpd_ops_paths_fini(struct xpd_ops_paths *paths);
/* Fills `part` from the top down to what the operation is in; not by kernel. */
void xpd_ops_path_of(struct xpd_ops_paths *paths, const struct xpd_op_row *row);

/* Leaves the lines in a box of the icicle: the parameters `in` and `in_by`. */
int xpd_ops_narrow(struct xpd_ops_lines *lines, const struct xpd_ops_found *found,
                   const struct xpd_tool_ctx *ctx, const struct xpd_tool *tool,
                   struct xpd_err *err);
#define XPD_OPS_IN_PARAMS                                                                          \
    {.name = "in",                                                                                 \
     .type = XPD_PARAM_TEXT,                                                                       \
     .max = 4096,                                                                                  \
     .help = "only operations in this box of trace/ops/tree: its path of labels, separated by /; " \
             "for a kernel, all operations that launched it, entirely"},                           \
        XPD_OPS_BY_PARAM("in_by")

#endif
