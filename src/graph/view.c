/* The folded neighbourhood, put together. In: the index of a module, a centre. Out: nodes, edges,
 * stubs and clusters in the arena of the answer. */
#include "xprofd/graph/view.h"
#include "view_parts.h"

/* Edges of the folded picture, and counts of what each node leaves out. In: its nodes. Out: edges,
 * stubs, counts. */

static uint32_t node_at(const struct xpd_view_work *w, uint32_t i)
{
    return w->node_of[i] - 1; /* XPD_NO_INDEX when it has none */
}

/* Whether the neighbours of a node were asked for, and not only those that happen to be there. */
static bool is_inner(const struct xpd_view_work *w, uint32_t at)
{
    return w->view->center == XPD_NO_INDEX || w->node.at[at].distance < w->options->radius;
}

static bool in_drawn_body(const struct xpd_view_work *w, uint32_t at)
{
    uint32_t cluster = w->node.at[at].cluster;
    return cluster != XPD_NO_INDEX && w->cluster.at[cluster].is_fusion;
}

/* ---- edges ---- */

static void add_edge(struct xpd_view_work *w, struct xpd_view_edge edge)
{
    uint32_t parallel = 0;
    /* Edges between the same two come close together: those of one user. */
    for (size_t k = w->edge.count; k > 0 && w->edge.at[k - 1].to == edge.to; k--)
        parallel += w->edge.at[k - 1].from == edge.from;
    if (parallel < XPD_VIEW_EDGES_A_NODE)
        XPD_PUSH(&w->edge, edge);
    else
        w->view->edges_dropped++;
}

static void add_incoming(struct xpd_view_work *w, uint32_t at)
{
    uint32_t i = w->node.at[at].instruction;
    xpd_view_operands(w, i, true);
    for (size_t k = 0; k < w->near.count; k++) {
        const struct xpd_view_near *near = &w->near.at[k];
        uint32_t from = node_at(w, near->node);
        if (from == XPD_NO_INDEX || xpd_view_is_far(w, near->node, i))
            continue;
        add_edge(w, (struct xpd_view_edge){.from = from,
                                           .to = at,
                                           .value = near->value,
                                           .operand = near->operand,
                                           .element = near->element,
                                           .lines = xpd_view_lines_between(w, near->node, i),
                                           .kind = XPD_EDGE_OPERAND});
    }
}

static void add_control(struct xpd_view_work *w, uint32_t at)
{
    const struct xpd_graph_index *index = w->index;
    uint32_t first = w->node.at[at].instruction;
    for (uint32_t m = first; m != XPD_NO_INDEX; m = xpd_view_next_member(w, first, m))
        for (uint32_t k = index->control_first[m]; k < index->control_first[m + 1]; k++) {
            int64_t element;
            uint32_t before = xpd_view_stands_for(w, index->control[k], true, &element);
            uint32_t from = before != XPD_NO_INDEX ? node_at(w, before) : XPD_NO_INDEX;
            if (from == XPD_NO_INDEX || from == at || xpd_view_is_far(w, before, first))
                continue;
            add_edge(w, (struct xpd_view_edge){.from = from,
                                               .to = at,
                                               .value = index->control[k],
                                               .element = -1,
                                               .lines = xpd_view_lines_between(w, before, first),
                                               .kind = XPD_EDGE_CONTROL});
        }
}

static void add_results_of_bodies(struct xpd_view_work *w)
{
    for (size_t c = 0; c < w->cluster.count; c++) {
        const struct xpd_graph_cluster *cluster = &w->cluster.at[c];
        uint32_t root = w->index->hlo->computations.root[cluster->computation];
        if (cluster->is_fusion || root == XPD_NO_INDEX)
            continue;
        struct xpd_view_edge edge = {.value = root, .kind = XPD_EDGE_BODY};
        uint32_t from = xpd_view_stands_for(w, root, true, &edge.element);
        edge.from = from != XPD_NO_INDEX ? node_at(w, from) : XPD_NO_INDEX;
        edge.to = node_at(w, cluster->caller);
        if (edge.from != XPD_NO_INDEX && edge.to != XPD_NO_INDEX && edge.from != edge.to)
            add_edge(w, edge);
    }
}

/* ---- counts of what is left out ---- */

static void add_stub(struct xpd_view_work *w, uint32_t at, const struct xpd_view_near *near,
                     bool is_user)
{
    XPD_PUSH(&w->stub, ((struct xpd_view_stub){at, near->node, near->value, is_user}));
    /* An edge between two nodes has a stub at each end and was cut once. */
    w->view->cut_edges += !is_user || node_at(w, near->node) == XPD_NO_INDEX;
}

static void count_operands(struct xpd_view_work *w, uint32_t at)
{
    uint32_t i = w->node.at[at].instruction, hidden = 0, stubs = 0;
    uint32_t most = xpd_view_cap(w, i, XPD_VIEW_OPERANDS);
    bool inner = is_inner(w, at), body = in_drawn_body(w, at);
    uint32_t count = xpd_view_operands(w, i, false);
    for (uint32_t k = 0; k < count; k++) {
        const struct xpd_view_near *near = &w->near.at[k];
        bool shown = node_at(w, near->node) != XPD_NO_INDEX ||
                     (body && w->index->op[near->node] == XPD_GOP_PARAMETER);
        bool far = xpd_view_is_far(w, near->node, i);
        if (far && (shown || inner) && stubs < most) {
            add_stub(w, at, near, false);
            stubs++;
        } else {
            hidden += !shown || far;
        }
    }
    w->node.at[at].operands = count;
    w->node.at[at].operands_hidden = hidden;
}

static void count_users(struct xpd_view_work *w, uint32_t at)
{
    uint32_t i = w->node.at[at].instruction, hidden = 0, stubs = 0;
    uint32_t most = xpd_view_cap(w, i, w->options->users);
    bool inner = is_inner(w, at);
    uint32_t count = xpd_view_users(w, i);
    for (uint32_t k = 0; k < count; k++) {
        const struct xpd_view_near *near = &w->near.at[k];
        bool shown = node_at(w, near->node) != XPD_NO_INDEX;
        bool far = xpd_view_is_far(w, i, near->node);
        if (far && (shown || inner) && stubs < most) {
            add_stub(w, at, near, true);
            stubs++;
        } else {
            hidden += !shown || far;
        }
    }
    w->node.at[at].users = count;
    w->node.at[at].users_hidden = hidden;
}

/* ---- words about a node ---- */

static void say_state(struct xpd_view_work *w, uint32_t at)
{
    struct xpd_view_node *node = &w->node.at[at];
    if (node->instruction == w->self)
        node->state = XPD_NODE_HIGHLIGHT;
    else if (node->operands_hidden != 0)
        node->state =
            node->operands_hidden < node->operands ? XPD_NODE_SOME_OPERANDS : XPD_NODE_NO_OPERANDS;
    else if (node->users_hidden != 0 && is_inner(w, at))
        node->state = XPD_NODE_SOME_USERS;
    else
        node->state = XPD_NODE_NORMAL;
}

static void say_bodies(struct xpd_view_work *w, uint32_t at)
{
    const struct xpd_graph_index *index = w->index;
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    struct xpd_view_node *node = &w->node.at[at];
    uint32_t i = node->instruction, first = ins->called_first[i], end = ins->called_first[i + 1];
    bool fusion = index->op[i] == XPD_GOP_FUSION, drawn = node->body != XPD_NO_INDEX;
    for (size_t c = 0; c < w->cluster.count; c++)
        drawn = drawn || w->cluster.at[c].caller == i;
    if (fusion && first == end && !*node->note)
        node->note = "a fusion that names no body";
    for (uint32_t k = first; k < end; k++) {
        if (ins->called[k] == XPD_NO_INDEX)
            node->note = "its body is not in the profile";
        else if (!drawn && !index->trivial[ins->called[k]] && index->order_size[ins->called[k]])
            node->can_expand = true;
    }
}

/* what leads where, and what is left out. */
static bool xpd_view_link(struct xpd_view_work *w)
{
    for (uint32_t at = 0; at < w->node.count; at++) {
        if (w->node.at[at].body == XPD_NO_INDEX) {
            add_incoming(w, at);
            add_control(w, at);
        }
        count_operands(w, at);
        count_users(w, at);
        say_state(w, at);
        say_bodies(w, at);
    }
    add_results_of_bodies(w);
    return !w->edge.failed && !w->stub.failed && !w->near.failed && !w->stack.failed;
}

/* The unfolded picture in the form of the folded one. In: XProf's node set. Out: a view. */

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
        return xpd_no_memory(err, "graph", "for this graph");
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

/* False: no memory, or more than can be numbered. */
static bool keep_all(struct xpd_graph_view *view, struct xpd_view_work *w)
{
    view->node = XPD_COPY_VEC(w->arena, &w->node);
    view->cluster = XPD_COPY_VEC(w->arena, &w->cluster);
    view->edge = XPD_COPY_VEC(w->arena, &w->edge);
    view->stub = XPD_COPY_VEC(w->arena, &w->stub);
    view->node_count = (uint32_t)w->node.count;
    view->cluster_count = (uint32_t)w->cluster.count;
    view->edge_count = (uint32_t)w->edge.count;
    view->stub_count = (uint32_t)w->stub.count;
    return view->node && view->cluster && view->edge && view->stub && w->edge.count <= UINT32_MAX &&
           w->stub.count <= UINT32_MAX;
}

/* The centre always has its own node; only the end of a pair is drawn in the node of its start. */
static uint32_t self_of(const struct xpd_graph_index *index, uint32_t center)
{
    bool ends = center != XPD_NO_INDEX && index->fold[center] != XPD_NO_INDEX &&
                (index->op[center] == XPD_GOP_DONE || index->op[center] == XPD_GOP_UPDATE);
    return ends ? index->fold[center] : center;
}

static bool make_room(struct xpd_view_work *w)
{
    const struct xpd_hlo *hlo = w->index->hlo;
    w->node_of = XPD_NEW_ARRAY(w->arena, uint32_t, hlo->instructions.count);
    w->stamp = XPD_NEW_ARRAY(w->arena, uint32_t, hlo->instructions.count);
    w->draws = XPD_NEW_ARRAY(w->arena, bool, hlo->computations.count);
    return w->node_of && w->stamp && w->draws;
}

int xpd_view_make(struct xpd_graph_view *view, struct xpd_arena *arena,
                  const struct xpd_graph_index *index, uint32_t instruction, uint32_t computation,
                  const struct xpd_view_options *options, struct xpd_err *err)
{
    struct xpd_view_work w = {.view = view, .options = options, .index = index, .arena = arena};
    *view =
        (struct xpd_graph_view){.index = index, .center = instruction, .center_node = XPD_NO_INDEX};
    view->computation = instruction != XPD_NO_INDEX
                            ? index->hlo->instructions.computation[instruction]
                            : computation;
    w.self = self_of(index, instruction);
    bool ok =
        make_room(&w) && xpd_view_walk(&w) == XPD_OK && xpd_view_link(&w) && keep_all(view, &w);
    if (ok && w.self != XPD_NO_INDEX)
        view->center_node = w.node_of[w.self] - 1;
    XPD_VEC_FINI(&w.node);
    XPD_VEC_FINI(&w.cluster);
    XPD_VEC_FINI(&w.edge);
    XPD_VEC_FINI(&w.stub);
    XPD_VEC_FINI(&w.near);
    XPD_VEC_FINI(&w.stack);
    return ok ? XPD_OK : xpd_no_memory(err, "graph", "for this graph");
}
