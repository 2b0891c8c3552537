/* The answer of graph/around: a picture of instructions, to be drawn. */
#ifndef XPROFD_SRC_TOOLS_PROGRAM_GRAPH_VIEW_H
#define XPROFD_SRC_TOOLS_PROGRAM_GRAPH_VIEW_H

#include "graph_rows.h"

#define XPD_AROUND_NODE_FIELDS(FIELD)                                                              \
    XPD_OP_IX(FIELD)                                                                               \
    XPD_OP_ID(FIELD)                                                                               \
    XPD_OP_NAME(FIELD)                                                                             \
    XPD_OP_LABEL(FIELD)                                                                            \
    XPD_OP_OPCODE(FIELD)                                                                           \
    XPD_OP_KIND(FIELD)                                                                             \
    XPD_OP_OP_NAME(FIELD)                                                                          \
    XPD_OP_GROUP(FIELD)                                                                            \
    XPD_OP_SCHEME(FIELD)                                                                           \
    XPD_OP_LINE(FIELD)                                                                             \
    XPD_OP_IS_ROOT(FIELD)                                                                          \
    XPD_OP_COLLECTIVE(FIELD)                                                                       \
    XPD_OP_FLOPS(FIELD)                                                                            \
    XPD_OP_MOVED(FIELD)                                                                            \
    XPD_OP_MATMUL(FIELD)                                                                           \
    XPD_OP_SHAPE(FIELD)                                                                            \
    XPD_OP_BYTES(FIELD)                                                                            \
    XPD_OP_ELEMENTS(FIELD)                                                                         \
    XPD_OP_SPACE(FIELD)                                                                            \
    XPD_OP_CYCLES(FIELD)                                                                           \
    FIELD(SIGNED, cluster, "row of the cluster that contains it; -1: none")                        \
    FIELD(SIGNED, body, "row of `clusters` that shows its body; -1: none")                         \
    FIELD(COUNT, distance, "steps from the center")                                                \
    FIELD(WORD("hidden normal highlight some_operands no_operands some_users"), state, "")         \
    FIELD(COUNT, operands, "how many")                                                             \
    FIELD(COUNT, operands_hidden, "number not drawn")                                              \
    FIELD(COUNT, users, "how many")                                                                \
    FIELD(COUNT, users_hidden, "number not drawn")                                                 \
    FIELD(TEXT, pair,                                                                              \
          "for a start: name of its done; shape, bytes and space are those of the done")           \
    FIELD(SIGNED, pair_ix, "its index; -1: none")                                                  \
    FIELD(MAYBE(INT), pair_line, "its line")                                                       \
    FIELD(COUNT, times, "number of equal instructions in this node")                               \
    FIELD(BOOL, can_expand, "it has a body that can be shown")                                     \
    FIELD(STRING, note, "what there is to know of it, or \"\"")                                    \
    FIELD(VALUES(TEXT), lines, "text lines of the box, at most 32 and `...`")
XPD_RECORD_TYPE(xpd_around_node, XPD_AROUND_NODE_FIELDS)

#define XPD_AROUND_CLUSTER_FIELDS(FIELD)                                                           \
    FIELD(TEXT, computation, "its name")                                                           \
    FIELD(INDEX, caller_ix, "index of the instruction that calls it")                              \
    FIELD(SIGNED, parent, "row of the cluster that contains it; -1: none")                         \
    FIELD(BOOL, is_fusion, "")                                                                     \
    FIELD(TEXT, title, "`caller: computation`")
XPD_RECORD_TYPE(xpd_around_cluster, XPD_AROUND_CLUSTER_FIELDS)

#define XPD_AROUND_EDGE_FIELDS(FIELD)                                                              \
    FIELD(INDEX, from, "row of `nodes`")                                                           \
    FIELD(INDEX, to, "row of `nodes`")                                                             \
    FIELD(COUNT, operand, "its number, from 0")                                                    \
    FIELD(WORD("operand control body"), kind, "")                                                  \
    FIELD(MAYBE(INT), size_bytes, "of the value; null for control")                                \
    FIELD(BOOL, is_small, "fewer than 4,096 elements")                                             \
    FIELD(SIGNED, tuple, "element of a tuple; -1: the whole value")                                \
    FIELD(COUNT, distance, "lines of the text between the two")
XPD_RECORD_TYPE(xpd_around_edge, XPD_AROUND_EDGE_FIELDS)

#define XPD_AROUND_STUB_FIELDS(FIELD)                                                              \
    FIELD(INDEX, node, "row of `nodes`")                                                           \
    FIELD(BOOL, is_user, "the other end uses the node; else the node uses it")                     \
    FIELD(INDEX, ix, "of the other end")                                                           \
    FIELD(BIG, id, "of the other end")                                                             \
    FIELD(TEXT, name, "of the other end")                                                          \
    FIELD(MAYBE(INT), line, "of the other end")                                                    \
    FIELD(INT, size_bytes, "of the value")
XPD_RECORD_TYPE(xpd_around_stub, XPD_AROUND_STUB_FIELDS)

#define XPD_AROUND_COUNTS_FIELDS(FIELD)                                                            \
    FIELD(COUNT, shown, "nodes")                                                                   \
    FIELD(COUNT, shown_in_bodies, "nodes of bodies, which are not in `of`")                        \
    FIELD(COUNT, of, "nodes in reach")                                                             \
    FIELD(BOOL, of_is_least, "`of` is a lower bound")                                              \
    FIELD(COUNT, left_out, "nodes in reach beyond `limit`")                                        \
    FIELD(COUNT, cut_edges, "edges that became stubs")                                             \
    FIELD(COUNT, parallel_edges_left_out, "")                                                      \
    FIELD(COUNT, bodies_left_out, "")                                                              \
    FIELD(COUNT, limit, "the parameter")                                                           \
    FIELD(COUNT, users_limit, "the parameter `users`")                                             \
    FIELD(COUNT, operands_limit, "maximum of operands followed at one instruction")                \
    FIELD(COUNT, far_lines, "the parameter `far`")
XPD_RECORD_TYPE(xpd_around_counts, XPD_AROUND_COUNTS_FIELDS)

#define XPD_AROUND_CENTER_FIELDS(FIELD)                                                            \
    FIELD(INDEX, ix, "")                                                                           \
    FIELD(BIG, id, "")                                                                             \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(MAYBE(INDEX), node, "row of `nodes`")
XPD_RECORD_TYPE(xpd_around_center, XPD_AROUND_CENTER_FIELDS)

#define XPD_AROUND_FIELDS(FIELD)                                                                   \
    FIELD(TEXT, title, "what is shown, in words")                                                  \
    FIELD(TEXT, computation, "name")                                                               \
    FIELD(MAYBE(OBJECT(xpd_around_center)), center, "null for a whole computation")                \
    FIELD(COLUMNS(xpd_around_node), nodes, "")                                                     \
    FIELD(COLUMNS(xpd_around_cluster), clusters, "bodies shown")                                   \
    FIELD(COLUMNS(xpd_around_edge), edges, "")                                                     \
    FIELD(COLUMNS(xpd_around_stub), stubs, "edges to nodes not drawn")                             \
    FIELD(OBJECT(xpd_around_counts), counts, "")                                                   \
    FIELD(VALUES(TEXT), notes, "")
XPD_RECORD_TYPE(xpd_around, XPD_AROUND_FIELDS)

void xpd_around_fill(struct xpd_around *out, struct xpd_graph_ask *ask,
                     const struct xpd_graph_view *view, const struct xpd_view_options *options,
                     bool all);

#endif
