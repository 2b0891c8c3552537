/* The unfolded picture in the form of the folded one. In: XProf's node set. Out: a view. */
#include "xprofd/graph/view.h"

struct all {
    struct xpd_graph_view *view;
    const struct xpd_graph *graph;
    uint32_t *node_of; /* by instruction: its node + 1 */
    uint32_t limit;
};

static bool has_room(struct all *a)
{
    a->view->reached++;
    return a->view->node_count < a->limit;
}

static void add(struct all *a, uint32_t i, uint32_t cluster, uint8_t state)
{
    if (!has_room(a))
        return;
    struct xpd_view_node *node = &a->view->node[a->view->node_count++];
    *node = (struct xpd_view_node){.instruction = i,
                                   .cluster = cluster,
                                   .body = XPD_NO_INDEX,
                                   .pair = XPD_NO_INDEX,
                                   .times = 1,
                                   .state = state,
                                   .note = ""};
    a->node_of[i] = a->view->node_count;
}

static bool draws(const struct all *a, uint32_t i)
{
    return i != XPD_NO_INDEX && (a->node_of[i] != 0 || a->graph->index->op[i] == XPD_GOP_CONSTANT ||
                                 xpd_graph_merges(a->graph, i));
}

static void count(const struct all *a, struct xpd_view_node *node)
{
    const struct xpd_graph_index *index = a->graph->index;
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    uint32_t i = node->instruction;
    for (uint32_t k = ins->operand_first[i]; k < ins->operand_first[i + 1]; k++) {
        node->operands++;
        node->operands_hidden += !draws(a, ins->operand[k]);
    }
    for (uint32_t k = index->user_first[i]; k < index->user_first[i + 1]; k++) {
        node->users++;
        node->users_hidden += !draws(a, index->user[k]);
    }
    for (uint32_t k = ins->called_first[i]; k < ins->called_first[i + 1]; k++) {
        if (ins->called[k] == XPD_NO_INDEX)
            node->note = "its body is not in the profile";
        else if (node->body == XPD_NO_INDEX && !index->trivial[ins->called[k]])
            node->can_expand = index->order_size[ins->called[k]] != 0;
    }
}

static void add_edges(struct all *a)
{
    for (uint32_t k = 0; k < a->graph->edge_count; k++) {
        const struct xpd_graph_edge *edge = &a->graph->edge[k];
        uint32_t from = a->node_of[edge->from], to = a->node_of[edge->to];
        uint32_t first = a->graph->index->line[edge->from], last = a->graph->index->line[edge->to];
        if (from == 0 || to == 0)
            continue;
        a->view->edge[a->view->edge_count++] = (struct xpd_view_edge){
            .from = from - 1,
            .to = to - 1,
            .value = edge->from,
            .operand = edge->operand,
            .element = -1,
            .lines = first && last ? (last > first ? last - first : first - last) : 0,
            .kind = edge->kind};
    }
}

int xpd_view_of_graph(struct xpd_graph_view *view, struct xpd_arena *arena,
                      const struct xpd_graph *graph, uint32_t limit, struct xpd_err *err)
{
    struct all a = {view, graph, XPD_NEW_ARRAY(arena, uint32_t, graph->hlo->instructions.count),
                    limit};
    uint64_t nodes = (uint64_t)graph->node_count + graph->cluster_count;
    *view = (struct xpd_graph_view){.index = graph->index,
                                    .computation = graph->computation,
                                    .center = graph->center,
                                    .center_node = XPD_NO_INDEX,
                                    .cluster_count = graph->cluster_count};
    view->node = XPD_NEW_ARRAY(arena, struct xpd_view_node, nodes < limit ? nodes : limit);
    view->edge = XPD_NEW_ARRAY(arena, struct xpd_view_edge, graph->edge_count);
    view->cluster = XPD_NEW_ARRAY(arena, struct xpd_graph_cluster, graph->cluster_count);
    if (!a.node_of || !view->node || !view->edge || !view->cluster)
        return xpd_fail(err, XPD_ENOMEM, "graph", XPD_NO_OFFSET,
                        "There is no memory for this graph.");
    if (graph->cluster_count)
        memcpy(view->cluster, graph->cluster, graph->cluster_count * sizeof *view->cluster);
    for (uint32_t k = 0; k < graph->cluster_count; k++)
        if (graph->cluster[k].is_fusion) {
            add(&a, graph->cluster[k].caller, graph->cluster[k].parent,
                graph->state[graph->cluster[k].caller]);
            if (a.node_of[graph->cluster[k].caller])
                view->node[a.node_of[graph->cluster[k].caller] - 1].body = k;
        }
    for (uint32_t k = 0; k < graph->node_count; k++)
        add(&a, graph->node[k].instruction, graph->node[k].cluster, graph->node[k].state);
    for (uint32_t k = 0; k < view->node_count; k++)
        count(&a, &view->node[k]);
    add_edges(&a);
    if (graph->center != XPD_NO_INDEX && a.node_of[graph->center])
        view->center_node = a.node_of[graph->center] - 1;
    return XPD_OK;
}
