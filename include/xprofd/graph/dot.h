/* The picture of a graph as text for Graphviz, with the labels, colours and clusters of XProf. */
#ifndef XPROFD_GRAPH_DOT_H
#define XPROFD_GRAPH_DOT_H

#include "xprofd/graph/graph.h"

/* Appends; names from the file are escaped for labels of Graphviz. `show_config`: with backend
 * configs. */
void xpd_graph_dot(const struct xpd_graph *graph, struct xpd_hlo_printer *printer, bool show_config,
                   struct xpd_strbuf *out);

#endif
