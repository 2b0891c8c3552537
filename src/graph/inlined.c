/* Instructions drawn inside another node, without their own node. */
#include "graph_internal.h"

enum { TUPLE_USERS_MIN = 3 };

uint32_t xpd_graph_constant_of(const struct xpd_graph *g, uint32_t i)
{
    if (!xpd_graph_op_is(g, i, XPD_GOP_PARAMETER) || !xpd_graph_is_fused(g, i))
        return XPD_NO_INDEX;
    uint32_t fusion = g->index->fusion_of[g->hlo->instructions.computation[i]];
    uint32_t operand = xpd_graph_operand(g, fusion, g->hlo->instructions.parameter_number[i]);
    return operand != XPD_NO_INDEX && xpd_graph_op_is(g, operand, XPD_GOP_CONSTANT) ? operand
                                                                                    : XPD_NO_INDEX;
}

uint32_t xpd_graph_broadcast_of(const struct xpd_graph *g, uint32_t i)
{
    return xpd_index_broadcast_of(g->index, i);
}

bool xpd_graph_merges(const struct xpd_graph *g, uint32_t i)
{
    if (xpd_graph_op_is(g, i, XPD_GOP_ELEMENT) && !xpd_graph_is_root(g, i))
        return true;
    if (xpd_graph_constant_of(g, i) != XPD_NO_INDEX)
        return true;
    if (!xpd_graph_op_is(g, i, XPD_GOP_PARAMETER) ||
        g->hlo->instructions.shape[i]->type != XPD_TYPE_TUPLE || xpd_graph_is_fused(g, i))
        return false;
    uint32_t shown = 0;
    for (uint32_t k = g->index->user_first[i]; k < g->index->user_first[i + 1]; k++) {
        if (!xpd_graph_shows(g, g->index->user[k]))
            continue;
        if (!xpd_graph_op_is(g, g->index->user[k], XPD_GOP_ELEMENT))
            return false;
        shown++;
    }
    return shown > TUPLE_USERS_MIN;
}

bool xpd_graph_shows(const struct xpd_graph *g, uint32_t i)
{
    return i != XPD_NO_INDEX && g->state[i] != XPD_NODE_HIDDEN;
}
