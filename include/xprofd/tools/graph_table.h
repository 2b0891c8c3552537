/* The graph index of a module (graph/index.h) as a side table: made once, by the first caller. */
#ifndef XPROFD_TOOLS_GRAPH_TABLE_H
#define XPROFD_TOOLS_GRAPH_TABLE_H

#include "xprofd/graph/index.h"
#include "xprofd/tools/tool.h"

/* Of ctx->module; valid as long as the run is held. NULL with *err filled: XPD_ENOMEM, or
 * XPD_ECHANGED if the file was replaced. */
const struct xpd_graph_index *xpd_table_graph(const struct xpd_tool_ctx *ctx, struct xpd_err *err);

#endif
