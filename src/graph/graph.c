/* The picture: nodes, clusters and edges of what neighbourhood.c shows, in XProf's order
 * (2.2, 2.3). */
#include "graph_internal.h"

#include "xprofd/base/vec.h"
#include <stdlib.h>

enum { DEPTH_MAX = 256, PARALLEL_EDGES_MAX = 64 };

struct build {
    struct xpd_graph *g;
    XPD_VEC(struct xpd_graph_node) node;
    XPD_VEC(struct xpd_graph_cluster) cluster;
    XPD_VEC(struct xpd_graph_edge) edge;
    bool *drawn; /* by computation */
    int depth;
};

/* ---- the rules ---- */

bool xpd_graph_draws_body(const struct xpd_graph *g, uint32_t computation)
{
    const struct xpd_hlo_computations *c = &g->hlo->computations;
    uint32_t fusion = g->index->fusion_of[computation];
    if (fusion != XPD_NO_INDEX) {
        uint8_t state = g->state[fusion];
        if (g->options.merge_fusions || state == XPD_NODE_HIDDEN ||
            state == XPD_NODE_SOME_OPERANDS || state == XPD_NODE_NO_OPERANDS)
            return false;
    } else if (g->index->trivial[computation]) {
        return false;
    }
    for (uint32_t i = 0; i < c->instruction_count[computation]; i++)
        if (xpd_graph_shows(g, c->first[computation] + i))
            return true;
    return false;
}

static bool draws_fusion_body(const struct build *b, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &b->g->hlo->instructions;
    uint32_t first = ins->called_first[i];
    return xpd_graph_op_is(b->g, i, XPD_GOP_FUSION) && first < ins->called_first[i + 1] &&
           ins->called[first] != XPD_NO_INDEX && xpd_graph_draws_body(b->g, ins->called[first]);
}

/* ---- edges ---- */

/* Where an edge from `i` really starts: behind a tuple element, inside a drawn fusion. */
static uint32_t edge_source(const struct build *b, uint32_t i)
{
    const struct xpd_hlo *hlo = b->g->hlo;
    if (xpd_graph_op_is(b->g, i, XPD_GOP_ELEMENT) && xpd_graph_operand(b->g, i, 0) != XPD_NO_INDEX)
        i = xpd_graph_operand(b->g, i, 0);
    for (int depth = 0; depth < DEPTH_MAX && draws_fusion_body(b, i); depth++) {
        uint32_t root =
            hlo->computations.root[hlo->instructions.called[hlo->instructions.called_first[i]]];
        if (root == XPD_NO_INDEX)
            break;
        i = root;
    }
    return i;
}

static bool has_no_node(const struct build *b, uint32_t i)
{
    return !xpd_graph_shows(b->g, i) || xpd_graph_op_is(b->g, i, XPD_GOP_CONSTANT) ||
           xpd_graph_broadcast_of(b->g, i) != XPD_NO_INDEX || xpd_graph_merges(b->g, i);
}

static void add_edge(struct build *b, uint32_t from, uint32_t to, uint32_t operand, uint8_t kind)
{
    uint32_t parallel = 0;
    if (from == XPD_NO_INDEX)
        return;
    from = edge_source(b, from);
    if (has_no_node(b, from))
        return;
    /* Parallel edges come one after another: those of one user. */
    for (size_t i = b->edge.count; i > 0 && b->edge.at[i - 1].to == to; i--)
        parallel += b->edge.at[i - 1].from == from;
    if (parallel > PARALLEL_EDGES_MAX)
        return;
    XPD_PUSH(&b->edge, ((struct xpd_graph_edge){.from = from,
                                                .to = to,
                                                .operand = operand,
                                                .kind = kind,
                                                .is_small = xpd_graph_is_small(b->g, from)}));
}

static void add_incoming(struct build *b, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &b->g->hlo->instructions;
    uint32_t computation = ins->computation[i];
    if (xpd_graph_op_is(b->g, i, XPD_GOP_PARAMETER) && xpd_graph_is_fused(b->g, i)) {
        if (computation != b->g->computation)
            add_edge(b,
                     xpd_graph_operand(b->g, b->g->index->fusion_of[computation],
                                       ins->parameter_number[i]),
                     i, 0, XPD_EDGE_OPERAND);
        return;
    }
    uint32_t first = ins->operand_first[i], end = ins->operand_first[i + 1];
    for (uint32_t k = first; k < end; k++)
        add_edge(b, ins->operand[k], i, k - first, XPD_EDGE_OPERAND);
    const struct xpd_graph_index *index = b->g->index;
    for (uint32_t k = index->control_first[i]; k < index->control_first[i + 1]; k++)
        add_edge(b, index->control[k], i, 0, XPD_EDGE_CONTROL);
}

/* ---- nodes and clusters ---- */

static void draw_computation(struct build *b, uint32_t computation, uint32_t cluster);

static void draw_body(struct build *b, uint32_t computation, uint32_t caller, uint32_t parent)
{
    struct xpd_graph *g = b->g;
    bool fusion = xpd_graph_op_is(g, caller, XPD_GOP_FUSION);
    if (!b->drawn[computation] && b->depth < DEPTH_MAX) {
        b->drawn[computation] = true;
        XPD_PUSH(&b->cluster, ((struct xpd_graph_cluster){computation, caller, parent, fusion}));
        b->depth++;
        draw_computation(b, computation, (uint32_t)b->cluster.count - 1);
        b->depth--;
    }
    uint32_t root = g->hlo->computations.root[computation];
    if (fusion || root == XPD_NO_INDEX)
        return;
    root = edge_source(b, root);
    XPD_PUSH(&b->edge, ((struct xpd_graph_edge){.from = root,
                                                .to = caller,
                                                .kind = XPD_EDGE_BODY,
                                                .is_small = xpd_graph_is_small(g, root)}));
}

static void draw_instruction(struct build *b, uint32_t i, uint32_t cluster)
{
    struct xpd_graph *g = b->g;
    bool inlined =
        xpd_graph_op_is(g, i, XPD_GOP_CONSTANT) || xpd_graph_broadcast_of(g, i) != XPD_NO_INDEX;
    if ((inlined && !xpd_graph_is_root(g, i)) || xpd_graph_merges(g, i) || draws_fusion_body(b, i))
        return;
    add_incoming(b, i);
    XPD_PUSH(&b->node, ((struct xpd_graph_node){i, cluster, g->state[i],
                                                (uint8_t)xpd_graph_scheme_of(g, i)}));
}

static void draw_computation(struct build *b, uint32_t computation, uint32_t cluster)
{
    const struct xpd_hlo *hlo = b->g->hlo;
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    uint32_t first = hlo->computations.first[computation];
    for (uint32_t i = first; i < first + hlo->computations.instruction_count[computation]; i++) {
        if (!xpd_graph_shows(b->g, i))
            continue;
        for (uint32_t k = ins->called_first[i]; k < ins->called_first[i + 1]; k++)
            if (ins->called[k] != XPD_NO_INDEX && xpd_graph_draws_body(b->g, ins->called[k]))
                draw_body(b, ins->called[k], i, cluster);
        draw_instruction(b, i, cluster);
    }
}

static uint32_t root_mark(const struct build *b)
{
    uint32_t root = b->g->hlo->computations.root[b->g->computation];
    if (root == XPD_NO_INDEX)
        return XPD_NO_INDEX;
    uint32_t from = edge_source(b, root);
    bool none = !xpd_graph_shows(b->g, from) || xpd_graph_op_is(b->g, from, XPD_GOP_CONSTANT) ||
                xpd_graph_broadcast_of(b->g, from) != XPD_NO_INDEX;
    return none ? XPD_NO_INDEX : from;
}

static bool draw(struct xpd_graph *g)
{
    struct build b = {.g = g};
    b.drawn = XPD_NEW_ARRAY(&g->arena, bool, g->hlo->computations.count);
    if (!b.drawn)
        return false;
    b.drawn[g->computation] = true;
    draw_computation(&b, g->computation, XPD_NO_INDEX);
    g->root_from = root_mark(&b);
    g->node = XPD_COPY_VEC(&g->arena, &b.node);
    g->cluster = XPD_COPY_VEC(&g->arena, &b.cluster);
    g->edge = XPD_COPY_VEC(&g->arena, &b.edge);
    g->node_count = (uint32_t)b.node.count;
    g->cluster_count = (uint32_t)b.cluster.count;
    g->edge_count = (uint32_t)b.edge.count;
    bool ok = !b.node.failed && !b.cluster.failed && !b.edge.failed && !g->arena.failed &&
              b.edge.count <= UINT32_MAX; /* nodes and clusters are instructions and computations */
    XPD_VEC_FINI(&b.node);
    XPD_VEC_FINI(&b.cluster);
    XPD_VEC_FINI(&b.edge);
    return ok;
}

int xpd_graph_make(struct xpd_graph **out, const struct xpd_graph_index *index,
                   uint32_t instruction, uint32_t computation,
                   const struct xpd_graph_options *options, struct xpd_err *err)
{
    const struct xpd_hlo *hlo = index->hlo;
    struct xpd_graph *g = calloc(1, sizeof *g);
    int rc = XPD_ENOMEM;
    *out = NULL;
    if (g) {
        g->hlo = hlo;
        g->index = index;
        g->center = instruction;
        g->computation =
            instruction != XPD_NO_INDEX ? hlo->instructions.computation[instruction] : computation;
        g->options = *options;
        rc = xpd_graph_walk(g, err);
        if (rc == XPD_OK && !draw(g))
            rc = XPD_ENOMEM;
    }
    if (rc == XPD_ENOMEM)
        xpd_no_memory(err, "graph", "for this graph");
    if (rc == XPD_OK)
        *out = g;
    else
        xpd_graph_free(g);
    return rc;
}

void xpd_graph_free(struct xpd_graph *graph)
{
    if (!graph)
        return;
    xpd_arena_fini(&graph->arena);
    free(graph);
}
