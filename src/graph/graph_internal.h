/* Shared by the parts of the picture. */
#ifndef XPROFD_SRC_GRAPH_INTERNAL_H
#define XPROFD_SRC_GRAPH_INTERNAL_H

#include "xprofd/graph/graph.h"

static inline struct xpd_str xpd_graph_opcode(const struct xpd_graph *g, uint32_t i)
{
    return xpd_hlo_text(g->hlo, g->hlo->instructions.opcode[i]);
}

/* For opcodes of the index, which need a byte only. */
static inline bool xpd_graph_op_is(const struct xpd_graph *g, uint32_t i, enum xpd_graph_op op)
{
    return g->index->op[i] == op;
}

static inline uint32_t xpd_graph_operand(const struct xpd_graph *g, uint32_t i, int64_t k)
{
    return xpd_index_operand(g->index, i, k);
}

static inline bool xpd_graph_is_fused(const struct xpd_graph *g, uint32_t i)
{
    return g->index->fusion_of[g->hlo->instructions.computation[i]] != XPD_NO_INDEX;
}

static inline bool xpd_graph_is_root(const struct xpd_graph *g, uint32_t i)
{
    return g->hlo->computations.root[g->hlo->instructions.computation[i]] == i;
}

/* neighbourhood.c: fills g->state. */
int xpd_graph_walk(struct xpd_graph *g, struct xpd_err *err);
/* A parameter that only keeps the books of an asynchronous collective (2.4). */
bool xpd_graph_keeps_books(const struct xpd_graph *g, uint32_t i);
/* scheme.c */
enum xpd_graph_scheme xpd_graph_scheme_of(const struct xpd_graph *g, uint32_t i);
/* Number of elements of an array, and of the largest array of a tuple. */
bool xpd_graph_is_small(const struct xpd_graph *g, uint32_t i);

#endif
