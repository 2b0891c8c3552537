/* The sums of a program's tree as a side table. */
#ifndef XPROFD_SRC_TOOLS_PROGRAM_GRAPH_TREE_H
#define XPROFD_SRC_TOOLS_PROGRAM_GRAPH_TREE_H

#include "graph_rows.h"
#include "xprofd/graph/tree.h"

/* Of the module of ask->ctx, whose tables are there; NULL with *err filled. */
const struct xpd_outline_index *xpd_table_outline(const struct xpd_graph_ask *ask,
                                                  struct xpd_err *err);

#define XPD_HEAVIEST 30 /* rows of an answer */
/* "heaviest": {by, n, limit, columns}; by time with what each row took by itself. */
void xpd_graph_put_heaviest(struct xpd_graph_ask *ask, const struct xpd_heaviest *heaviest);

#endif
