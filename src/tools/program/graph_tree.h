/* The sums of a program's tree as a side table. */
#ifndef XPROFD_SRC_TOOLS_PROGRAM_GRAPH_TREE_H
#define XPROFD_SRC_TOOLS_PROGRAM_GRAPH_TREE_H

#include "graph_rows.h"
#include "xprofd/graph/tree.h"

/* Of the module of ask->ctx, whose tables are there; NULL with *err filled. */
const struct xpd_outline_index *xpd_table_outline(const struct xpd_graph_ask *ask,
                                                  struct xpd_err *err);

#define XPD_HEAVIEST 30 /* rows of an answer */

#define XPD_GRAPH_HEAVY_FIELDS(FIELD)                                                              \
    XPD_OP_IX(FIELD)                                                                               \
    XPD_OP_ID(FIELD)                                                                               \
    FIELD(TEXT, name, "name of the first of equal operations in repeated layers")                  \
    XPD_OP_OPCODE(FIELD)                                                                           \
    XPD_OP_GROUP(FIELD)                                                                            \
    XPD_OP_MATMUL(FIELD)                                                                           \
    XPD_OP_LINE(FIELD)                                                                             \
    FIELD(TEXT, last, "name of the last of equal operations; \"\": only one")                      \
    FIELD(COUNT, repeat, "number of equal operations")                                             \
    FIELD(MAYBE(INT), self_ps, "by time: self time of the operations of the row")                  \
    FIELD(MAYBE(INT), cycles, "the compiler's estimates, sum over all")                            \
    FIELD(MAYBE(INT), flops, "of all of them")                                                     \
    FIELD(MAYBE(INT), moved_bytes, "read and written by all of them")                              \
    FIELD(TEXT, label, "the last two parts of op_name")
XPD_RECORD_TYPE(xpd_graph_heavy, XPD_GRAPH_HEAVY_FIELDS)

#define XPD_GRAPH_HEAVIEST_FIELDS(FIELD)                                                           \
    FIELD(WORD("time cycles bytes"), by, "what they are heaviest by; bytes: moved")                \
    FIELD(COUNT, limit, "rows at most")                                                            \
    FIELD(INLINE(xpd_graph_heavy), rows, "")
XPD_RECORD_TYPE(xpd_graph_heaviest_list, XPD_GRAPH_HEAVIEST_FIELDS)

/* NULL = no memory. */
const struct xpd_graph_heaviest_list *xpd_graph_heaviest_rows(struct xpd_graph_ask *ask,
                                                              const struct xpd_heaviest *heaviest);

#endif
