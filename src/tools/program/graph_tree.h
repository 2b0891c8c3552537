/* The sums of a program's tree as a side table. */
#ifndef XPROFD_SRC_TOOLS_PROGRAM_GRAPH_TREE_H
#define XPROFD_SRC_TOOLS_PROGRAM_GRAPH_TREE_H

#include "graph_rows.h"
#include "xprofd/graph/tree.h"

/* Of the module of ask->ctx, whose tables are there; NULL with *err filled. */
const struct xpd_outline_index *xpd_table_outline(const struct xpd_graph_ask *ask,
                                                  struct xpd_err *err);

#endif
