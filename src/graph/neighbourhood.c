/* Which instructions are shown around one (2.2): breadth first over operands, users and bodies.
 *
 * Bitcasts cost nothing, so an instruction may be met again at a smaller distance and is then
 * looked at again; the order of the queue is XProf's, which decides what counts as left out. */
#include "graph_internal.h"

#include "xprofd/base/vec.h"

enum { USERS_MAX = 16, UNSEEN = 255 }; /* more users than that are not followed */

struct visit {
    uint32_t instruction, depth;
};

struct walk {
    struct xpd_graph *g;
    XPD_VEC(struct visit) queue;
};

static void push(struct walk *walk, uint32_t instruction, uint32_t depth)
{
    XPD_PUSH(&walk->queue, ((struct visit){instruction, depth}));
}

static void push_operands(struct walk *walk, struct visit at)
{
    const struct xpd_graph *g = walk->g;
    const struct xpd_hlo_instructions *ins = &g->hlo->instructions;
    bool bitcast = xpd_graph_op_is(g, at.instruction, XPD_GOP_BITCAST);
    if (at.instruction != g->center && xpd_graph_op_is(g, at.instruction, XPD_GOP_TUPLE))
        return;
    for (uint32_t k = ins->operand_first[at.instruction];
         k < ins->operand_first[at.instruction + 1]; k++) {
        uint32_t operand = ins->operand[k];
        if (operand == XPD_NO_INDEX || g->state[operand] != UNSEEN)
            continue;
        bool free = bitcast || xpd_graph_op_is(g, operand, XPD_GOP_BITCAST);
        push(walk, operand, free ? at.depth : at.depth + 1);
    }
}

static void push_bodies(struct walk *walk, struct visit at)
{
    const struct xpd_hlo *hlo = walk->g->hlo;
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    for (uint32_t k = ins->called_first[at.instruction]; k < ins->called_first[at.instruction + 1];
         k++)
        if (ins->called[k] != XPD_NO_INDEX &&
            hlo->computations.root[ins->called[k]] != XPD_NO_INDEX)
            push(walk, hlo->computations.root[ins->called[k]], at.depth + 1);
}

static void push_users(struct walk *walk, struct visit at)
{
    struct xpd_graph *g = walk->g;
    uint32_t first = g->index->user_first[at.instruction],
             end = g->index->user_first[at.instruction + 1];
    if (xpd_graph_op_is(g, at.instruction, XPD_GOP_CONSTANT))
        return;
    if (end - first > USERS_MAX) {
        g->state[at.instruction] = XPD_NODE_SOME_USERS;
        return;
    }
    for (uint32_t k = first; k < end; k++)
        if (g->state[g->index->user[k]] == UNSEEN)
            push(walk, g->index->user[k], at.depth + 1);
}

static bool is_displayed(const struct xpd_graph *g, uint32_t i)
{
    return i != XPD_NO_INDEX && (g->state[i] != UNSEEN || xpd_graph_op_is(g, i, XPD_GOP_CONSTANT) ||
                                 g->hlo->instructions.computation[i] != g->computation);
}

static bool all_users_displayed(const struct xpd_graph *g, uint32_t i)
{
    for (uint32_t k = g->index->user_first[i]; k < g->index->user_first[i + 1]; k++)
        if (!is_displayed(g, g->index->user[k]))
            return false;
    return true;
}

/* Finds what is left out at each visited instruction. */
static void settle(struct xpd_graph *g, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &g->hlo->instructions;
    uint32_t first = ins->operand_first[i], end = ins->operand_first[i + 1], shown = 0;
    for (uint32_t k = first; k < end; k++)
        shown += is_displayed(g, ins->operand[k]);
    if (shown != 0 && shown < end - first)
        g->state[i] = XPD_NODE_SOME_OPERANDS;
    else if (shown == 0 && end > first)
        g->state[i] = XPD_NODE_NO_OPERANDS;
    if (g->state[i] == XPD_NODE_SOME_USERS && all_users_displayed(g, i))
        g->state[i] = XPD_NODE_NORMAL;
}

static void settle_all(struct xpd_graph *g)
{
    const struct xpd_hlo_instructions *ins = &g->hlo->instructions;
    for (uint32_t i = 0; i < ins->count; i++)
        if (g->state[i] != UNSEEN)
            settle(g, i);
    g->state[g->center] = XPD_NODE_HIGHLIGHT;
    /* Unvisited instructions are hidden around the centre, but shown in bodies, which are drawn as
     * a whole or not at all. */
    for (uint32_t i = 0; i < ins->count; i++)
        if (g->state[i] == UNSEEN)
            g->state[i] = ins->computation[i] == g->computation || xpd_graph_keeps_books(g, i)
                              ? XPD_NODE_HIDDEN
                              : XPD_NODE_NORMAL;
}

static int too_far(struct xpd_err *err)
{
    return xpd_fail(err, XPD_ELIMIT, "graph", XPD_NO_OFFSET,
                    "The neighbourhood was not found within %d steps; take a smaller radius.",
                    XPD_GRAPH_VISITS_MAX);
}

static int walk_around(struct xpd_graph *g, struct xpd_err *err)
{
    struct walk walk = {.g = g};
    memset(g->state, UNSEEN, g->hlo->instructions.count);
    push(&walk, g->center, 0);
    for (size_t next = 0; next < walk.queue.count; next++) {
        struct visit at = walk.queue.at[next];
        if (next == XPD_GRAPH_VISITS_MAX || walk.queue.failed) {
            XPD_VEC_FINI(&walk.queue);
            return too_far(err);
        }
        g->state[at.instruction] =
            xpd_graph_keeps_books(g, at.instruction) ? XPD_NODE_HIDDEN : XPD_NODE_NORMAL;
        if (at.depth == g->options.radius)
            continue;
        push_operands(&walk, at);
        push_bodies(&walk, at);
        push_users(&walk, at);
    }
    XPD_VEC_FINI(&walk.queue);
    settle_all(g);
    return XPD_OK;
}

int xpd_graph_walk(struct xpd_graph *g, struct xpd_err *err)
{
    g->state = XPD_NEW_ARRAY(&g->arena, uint8_t, g->hlo->instructions.count);
    if (!g->state)
        return xpd_no_memory(err, "graph", "for this graph");
    if (g->center != XPD_NO_INDEX)
        return walk_around(g, err);
    for (uint32_t i = 0; i < g->hlo->instructions.count; i++)
        g->state[i] = XPD_NODE_NORMAL; /* a whole computation shows its books too */
    return XPD_OK;
}

/* ---- asynchronous collective fusions (2.4) ---- */

static bool calls_target(const struct xpd_graph *g, uint32_t i, const char *target)
{
    return xpd_graph_op_is(g, i, XPD_GOP_CUSTOM_CALL) &&
           xpd_str_eq(xpd_hlo_text(g->hlo, g->hlo->instructions.call_target[i]),
                      xpd_str_of(target));
}

static uint32_t body_of(const struct xpd_graph *g, uint32_t fusion)
{
    const struct xpd_hlo_instructions *ins = &g->hlo->instructions;
    uint32_t first = ins->called_first[fusion];
    return first < ins->called_first[fusion + 1] ? ins->called[first] : XPD_NO_INDEX;
}

static bool is_async_body(const struct xpd_graph *g, uint32_t computation)
{
    return computation != XPD_NO_INDEX &&
           xpd_str_starts(xpd_hlo_text(g->hlo, g->hlo->computations.name[computation]),
                          "async_collective_fusion");
}

bool xpd_graph_keeps_books(const struct xpd_graph *g, uint32_t i)
{
    const struct xpd_hlo *hlo = g->hlo;
    if (!xpd_graph_op_is(g, i, XPD_GOP_PARAMETER) || !xpd_graph_is_fused(g, i) ||
        g->index->user_first[i + 1] - g->index->user_first[i] != 1)
        return false;
    uint32_t computation = hlo->instructions.computation[i];
    uint32_t operand = xpd_graph_operand(g, g->index->fusion_of[computation],
                                         hlo->instructions.parameter_number[i]);
    if (operand == XPD_NO_INDEX || !xpd_graph_op_is(g, operand, XPD_GOP_ELEMENT))
        return false;
    uint32_t from = xpd_graph_operand(g, operand, 0),
             user = g->index->user[g->index->user_first[i]];
    if (from == XPD_NO_INDEX || !xpd_graph_op_is(g, from, XPD_GOP_FUSION))
        return false;
    uint32_t body = body_of(g, from);
    uint32_t root = body != XPD_NO_INDEX ? hlo->computations.root[body] : XPD_NO_INDEX;
    if (is_async_body(g, computation) && root != XPD_NO_INDEX &&
        calls_target(g, root, "AsyncCollectiveStart") &&
        user == hlo->computations.root[computation])
        return true;
    return calls_target(g, user, "AsyncCollectiveDone") && is_async_body(g, body);
}
