/* Shared by the parts of graph_viewer. Private to src/compat. */
#ifndef XPROFD_SRC_COMPAT_GRAPH_VIEWER_H
#define XPROFD_SRC_COMPAT_GRAPH_VIEWER_H

#include "compat.h"

/* node_name: without a leading '%', case ignored; the first of that name. XPD_NO_INDEX for the one
 * of the two that there is not. */
int xpd_compat_find_node(const struct xpd_tool_ctx *ctx, const struct xpd_hlo *hlo,
                         uint32_t *instruction, uint32_t *computation, struct xpd_err *err);

/* adj_nodes */
int xpd_compat_adjacent(const struct xpd_tool_ctx *ctx, uint32_t module,
                        struct xpd_tool_result *out, struct xpd_err *err);

#endif
