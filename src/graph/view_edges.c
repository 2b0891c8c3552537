/* What leads where in the folded picture, and what of each node is left out. In: its nodes. Out:
 * edges, stubs, counts. */
#include "view_parts.h"

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

/* ---- what is left out ---- */

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

bool xpd_view_link(struct xpd_view_work *w)
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
