/* The folded neighbourhood, put together. In: the index of a module, a centre. Out: nodes, edges,
 * stubs and clusters in the arena of the answer. */
#include "view_parts.h"

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

/* The centre has its own node, whatever it is; only the end of a pair lies in that of its start. */
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
    return ok ? XPD_OK
              : xpd_fail(err, XPD_ENOMEM, "graph", XPD_NO_OFFSET,
                         "There is no memory for this graph.");
}
