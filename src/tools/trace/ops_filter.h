/* Which rows of operations an answer shows: the parameters `filter` and `group`. */
#ifndef XPROFD_SRC_TOOLS_TRACE_OPS_FILTER_H
#define XPROFD_SRC_TOOLS_TRACE_OPS_FILTER_H

#include "ops_order.h"

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
/* Lines of groups in their place: what equal words of the parameter `group` add up to; with the
 * parameter `of` the lines of that group. */
int xpd_ops_group(struct xpd_ops_lines *lines, const struct xpd_ops_found *found,
                  const struct xpd_tool_ctx *ctx, struct xpd_err *err);
#define XPD_OPS_GROUP_WORDS "name opcode category group scope phase shape dtype source bound module"
#define XPD_OPS_GROUP_PARAM                                                                        \
    {.name = "group",                                                                              \
     .type = XPD_PARAM_ENUM,                                                                       \
     .words = XPD_OPS_GROUP_WORDS,                                                                 \
     .help = "one row for all operations with the same value; columns are sums"},                  \
    {                                                                                              \
        .name = "of", .type = XPD_PARAM_TEXT, .max = 65536,                                        \
        .help =                                                                                    \
            "with group: the operations of the group of this name, not the groups; -: of that "    \
            "without a name"                                                                       \
    }

#endif
