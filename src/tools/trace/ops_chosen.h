/* Which rows of operations an answer shows: the parameters `filter`, `in` and `in_by`. */
#ifndef XPROFD_SRC_TOOLS_TRACE_OPS_CHOSEN_H
#define XPROFD_SRC_TOOLS_TRACE_OPS_CHOSEN_H

#include "ops_order.h"
#include "xprofd/ops/paths.h"

/* Leaves the lines that the filter lets through. `note`: what its limits left open, in the arena,
 * NULL = nothing. XPD_EINVAL says in which column the filter cannot be read. */
int xpd_ops_filter(struct xpd_ops_lines *lines, const struct xpd_ops_found *found,
                   const struct xpd_tool_ctx *ctx, const char **note, struct xpd_err *err);
#define XPD_OPS_FILTER_PARAM                                                                       \
    {                                                                                              \
        .name = "filter", .type = XPD_PARAM_TEXT,                                                  \
        .help = "text or /expression/ in name, opcode, scope, shape or source; `bound:hbm`, "      \
                "`group:matmul`, `scope:block_*`, `src:capture.py:232`, `name:`, `op:`, `cat:`, "  \
                "`phase:`, `shape:`, `dtype:`, `module:`; `roofline<50`, `self>1%`, `avg>10us`, "  \
                "`total`, `p50`, `p99`, `min`, `max`, `count`, `runs`, `lost`, `flops`, `hbm`, "   \
                "`intensity`, `spread`; a blank is and, `|` is or, `-` is not"                     \
    }

#define XPD_OPS_BY_PARAM(name_)                                                                    \
    {                                                                                              \
        .name = (name_), .type = XPD_PARAM_ENUM, .words = XPD_OPS_BY_WORDS,                        \
        .help = "hierarchy: program > category; pass > name scope (the default where there are "   \
                "scopes); source file > line; layer > pass > scope; op group > opcode; kernel of " \
                "a GPU; below all of these the operation"                                          \
    }

#define XPD_OPS_NO_KERNEL "not on a GPU" /* by kernel: the box of all that ran elsewhere */
/* Where the lines stand; to be freed. */
void xpd_ops_lines_paths(struct xpd_ops_paths *paths, const struct xpd_ops_lines *lines,
                         const struct xpd_ops_found *found, int by);
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
