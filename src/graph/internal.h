/* What the parts of the picture share. */
#ifndef XPROFD_SRC_GRAPH_INTERNAL_H
#define XPROFD_SRC_GRAPH_INTERNAL_H

#include "xprofd/graph/graph.h"

static inline struct xpd_str xpd_graph_opcode(const struct xpd_graph *g, uint32_t i)
{
    return xpd_hlo_text(g->hlo, g->hlo->instructions.opcode[i]);
}

static inline bool xpd_graph_is(const struct xpd_graph *g, uint32_t i, const char *opcode)
{
    return xpd_str_eq(xpd_graph_opcode(g, i), xpd_str_of(opcode));
}

/* Operand k, XPD_NO_INDEX when it does not exist. */
static inline uint32_t xpd_graph_operand(const struct xpd_graph *g, uint32_t i, int64_t k)
{
    const struct xpd_hlo_instructions *ins = &g->hlo->instructions;
    uint32_t count = ins->operand_first[i + 1] - ins->operand_first[i];
    return k >= 0 && k < count ? ins->operand[ins->operand_first[i] + (uint32_t)k] : XPD_NO_INDEX;
}

static inline bool xpd_graph_is_fused(const struct xpd_graph *g, uint32_t i)
{
    return g->fusion_of[g->hlo->instructions.computation[i]] != XPD_NO_INDEX;
}

static inline bool xpd_graph_is_root(const struct xpd_graph *g, uint32_t i)
{
    return g->hlo->computations.root[g->hlo->instructions.computation[i]] == i;
}

/* users.c: who uses what, whose body is what. */
bool xpd_graph_link(struct xpd_graph *g);
/* neighbourhood.c: fills g->state. */
int xpd_graph_walk(struct xpd_graph *g, struct xpd_err *err);
/* A parameter that only keeps the books of an asynchronous collective (2.4). */
bool xpd_graph_keeps_books(const struct xpd_graph *g, uint32_t i);
/* scheme.c */
enum xpd_graph_scheme xpd_graph_scheme_of(const struct xpd_graph *g, uint32_t i);
/* Number of elements of an array, and of the largest array of a tuple. */
bool xpd_graph_is_small(const struct xpd_graph *g, uint32_t i);

#endif
