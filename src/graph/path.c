/* The shortest path between two instructions, and the instructions near one: breadth first. In: the
 * index. Out: instructions. */
#include "xprofd/graph/path.h"

struct search {
    const struct xpd_graph_index *index;
    uint32_t *from, *operand; /* by instruction: where it was reached from + 1, and how */
    uint32_t *queue, count, at;
};

static void reach(void *self, struct xpd_graph_flow step)
{
    struct search *s = self;
    if (s->from[step.to])
        return;
    s->from[step.to] = s->queue[s->at] + 1;
    s->operand[step.to] = step.operand;
    s->queue[s->count++] = step.to;
}

static bool find(struct search *s, uint32_t from, uint32_t to)
{
    uint32_t n = s->index->hlo->instructions.count;
    memset(s->from, 0, n * sizeof *s->from);
    s->queue[0] = from;
    s->count = 1;
    s->from[from] = from + 1;
    s->operand[from] = XPD_NO_INDEX;
    for (s->at = 0; s->at < s->count && s->from[to] == 0; s->at++)
        xpd_graph_flow(s->index, s->queue[s->at], true, reach, s);
    return s->from[to] != 0;
}

static bool keep(struct xpd_path *path, struct xpd_arena *arena, const struct search *s,
                 uint32_t from, uint32_t to)
{
    uint32_t count = 1;
    for (uint32_t i = to; i != from; i = s->from[i] - 1)
        count++;
    path->instruction = XPD_NEW_ARRAY(arena, uint32_t, count);
    path->operand = XPD_NEW_ARRAY(arena, uint32_t, count);
    if (!path->instruction || !path->operand)
        return false;
    path->count = count;
    for (uint32_t i = to, k = count; k > 0; i = s->from[i] - 1) {
        k--;
        path->instruction[k] = i;
        path->operand[k] = s->operand[i];
    }
    return true;
}

static int no_memory(struct xpd_err *err)
{
    return xpd_no_memory(err, "graph", "for this search");
}

int xpd_graph_path(struct xpd_path *path, struct xpd_arena *arena,
                   const struct xpd_graph_index *index, uint32_t from, uint32_t to,
                   struct xpd_err *err)
{
    uint32_t n = index->hlo->instructions.count;
    struct search s = {.index = index,
                       .from = XPD_NEW_ARRAY(arena, uint32_t, n),
                       .operand = XPD_NEW_ARRAY(arena, uint32_t, n),
                       .queue = XPD_NEW_ARRAY(arena, uint32_t, n)};
    *path = (struct xpd_path){0};
    if (!s.from || !s.operand || !s.queue)
        return no_memory(err);
    path->found = find(&s, from, to);
    if (!path->found && find(&s, to, from)) {
        uint32_t swapped = from;
        path->found = path->reversed = true;
        from = to;
        to = swapped;
    }
    return !path->found || keep(path, arena, &s, from, to) ? XPD_OK : no_memory(err);
}

/* ---- near ---- */

struct around {
    const struct xpd_graph_index *index;
    struct xpd_reach *reach;
    uint8_t *seen;
    uint32_t most, at;
};

static void note_near(void *self, struct xpd_graph_flow step)
{
    struct around *a = self;
    struct xpd_reach *r = a->reach;
    if (a->seen[step.to])
        return;
    a->seen[step.to] = 1;
    if (r->count == a->most) {
        r->left_out++;
        return;
    }
    r->instruction[r->count] = step.to;
    r->distance[r->count++] = r->distance[a->at] + 1;
}

static void near_operands(struct around *a, uint32_t i, bool bodies)
{
    const struct xpd_hlo *hlo = a->index->hlo;
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    for (uint32_t k = ins->operand_first[i]; k < ins->operand_first[i + 1]; k++)
        if (ins->operand[k] != XPD_NO_INDEX)
            note_near(a, (struct xpd_graph_flow){ins->operand[k], 0});
    for (uint32_t k = ins->called_first[i]; bodies && k < ins->called_first[i + 1]; k++)
        if (ins->called[k] != XPD_NO_INDEX && !a->index->trivial[ins->called[k]] &&
            hlo->computations.root[ins->called[k]] != XPD_NO_INDEX)
            note_near(a, (struct xpd_graph_flow){hlo->computations.root[ins->called[k]], 0});
    uint32_t caller = a->index->caller_of[ins->computation[i]];
    if (bodies && a->index->op[i] == XPD_GOP_PARAMETER && caller != XPD_NO_INDEX) {
        uint32_t operand = xpd_index_operand(a->index, caller, ins->parameter_number[i]);
        if (operand != XPD_NO_INDEX && a->index->op[caller] == XPD_GOP_FUSION)
            note_near(a, (struct xpd_graph_flow){operand, 0});
    }
}

int xpd_graph_reach(struct xpd_reach *reach, struct xpd_arena *arena,
                    const struct xpd_graph_index *index, uint32_t instruction, uint32_t radius,
                    uint32_t ways, uint32_t most, struct xpd_err *err)
{
    struct around a = {.index = index, .reach = reach, .most = most};
    *reach = (struct xpd_reach){.count = 1};
    a.seen = XPD_NEW_ARRAY(arena, uint8_t, index->hlo->instructions.count);
    reach->instruction = XPD_NEW_ARRAY(arena, uint32_t, (size_t)most + 1);
    reach->distance = XPD_NEW_ARRAY(arena, uint32_t, (size_t)most + 1);
    if (!a.seen || !reach->instruction || !reach->distance)
        return no_memory(err);
    reach->instruction[0] = instruction;
    a.seen[instruction] = 1;
    for (a.at = 0; a.at < reach->count && reach->distance[a.at] < radius; a.at++) {
        uint32_t i = reach->instruction[a.at];
        if (ways & XPD_REACH_OPERANDS)
            near_operands(&a, i, (ways & XPD_REACH_BODIES) != 0);
        if (ways & XPD_REACH_USERS)
            xpd_graph_flow(index, i, (ways & XPD_REACH_BODIES) != 0, note_near, &a);
    }
    return XPD_OK;
}
