/* Who uses what, and whose body a computation is: one pass over operands and calls. */
#include "internal.h"

static void count_users(struct xpd_graph *g, uint32_t *last)
{
    const struct xpd_hlo_instructions *ins = &g->hlo->instructions;
    for (uint32_t i = 0; i < ins->count; i++)
        for (uint32_t k = ins->operand_first[i]; k < ins->operand_first[i + 1]; k++) {
            uint32_t operand = ins->operand[k];
            if (operand == XPD_NO_INDEX || last[operand] == i + 1)
                continue;
            last[operand] = i + 1; /* once, however often it is used */
            g->user_first[operand + 1]++;
        }
}

static void fill_users(struct xpd_graph *g, uint32_t *last, uint32_t *next)
{
    const struct xpd_hlo_instructions *ins = &g->hlo->instructions;
    memset(last, 0, ins->count * sizeof *last);
    memcpy(next, g->user_first, ins->count * sizeof *next);
    for (uint32_t i = 0; i < ins->count; i++)
        for (uint32_t k = ins->operand_first[i]; k < ins->operand_first[i + 1]; k++) {
            uint32_t operand = ins->operand[k];
            if (operand == XPD_NO_INDEX || last[operand] == i + 1)
                continue;
            last[operand] = i + 1;
            g->user[next[operand]++] = i;
        }
}

static void link_calls(struct xpd_graph *g)
{
    const struct xpd_hlo_instructions *ins = &g->hlo->instructions;
    for (uint32_t c = 0; c < g->hlo->computations.count; c++)
        g->fusion_of[c] = g->caller_of[c] = XPD_NO_INDEX;
    for (uint32_t i = 0; i < ins->count; i++) {
        bool fusion = xpd_graph_is(g, i, "fusion");
        for (uint32_t k = ins->called_first[i]; k < ins->called_first[i + 1]; k++) {
            uint32_t c = ins->called[k];
            if (c == XPD_NO_INDEX)
                continue;
            if (g->caller_of[c] == XPD_NO_INDEX)
                g->caller_of[c] = i;
            if (fusion && k == ins->called_first[i])
                g->fusion_of[c] = i;
        }
    }
}

bool xpd_graph_link(struct xpd_graph *g)
{
    const struct xpd_hlo_instructions *ins = &g->hlo->instructions;
    uint32_t n = ins->count, computations = g->hlo->computations.count;
    uint32_t *last = XPD_NEW_ARRAY(&g->arena, uint32_t, n);
    uint32_t *next = XPD_NEW_ARRAY(&g->arena, uint32_t, n);
    g->user_first = XPD_NEW_ARRAY(&g->arena, uint32_t, (size_t)n + 1);
    g->fusion_of = XPD_NEW_ARRAY(&g->arena, uint32_t, computations);
    g->caller_of = XPD_NEW_ARRAY(&g->arena, uint32_t, computations);
    if (g->arena.failed)
        return false;
    count_users(g, last);
    for (uint32_t i = 0; i < n; i++)
        g->user_first[i + 1] += g->user_first[i];
    g->user = XPD_NEW_ARRAY(&g->arena, uint32_t, g->user_first[n]);
    if (!g->user)
        return false;
    fill_users(g, last, next);
    link_calls(g);
    return true;
}
