/* A sum of operations as a row of an answer. */
#ifndef XPROFD_SRC_TOOLS_TRACE_OPS_SUM_H
#define XPROFD_SRC_TOOLS_TRACE_OPS_SUM_H

#include "ops_order.h"
#include "xprofd/ops/sum.h"

void xpd_ops_sum_show(struct xpd_ops_row *to, const struct xpd_ops_sum *sum,
                      const struct xpd_ops_found *found);

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
