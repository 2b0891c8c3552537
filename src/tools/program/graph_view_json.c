/* A picture as JSON columns. In: nodes, edges, stubs, clusters. Out: the answer of graph/around. */
#include "graph_rows.h"

#include <inttypes.h>

static const char *const states[] = {"hidden",        "normal",      "highlight",
                                     "some_operands", "no_operands", "some_users"};
static const char *const kinds[] = {"operand", "control", "body"};

static void put_index(struct xpd_graph_ask *ask, uint32_t index)
{
    xpd_json_i64(&ask->w, index == XPD_NO_INDEX ? -1 : (int64_t)index);
}

static void put_line(void *to, struct xpd_str line)
{
    xpd_json_str(to, line);
}

static void put_lines(struct xpd_graph_ask *ask, uint32_t i, bool all)
{
    xpd_json_arr(&ask->w);
    uint32_t count = xpd_view_lines(ask->index, i, all, put_line, &ask->w);
    if (count > 32)
        xpd_json_text(&ask->w, "...");
    xpd_json_arr_end(&ask->w);
}

/* A pair is shown with what it yields: shape, bytes and space are those of its done. */
static uint32_t result_of(const struct xpd_view_node *node)
{
    return node->pair != XPD_NO_INDEX ? node->pair : node->instruction;
}

static void put_pair(struct xpd_graph_ask *ask, const struct xpd_view_node *node)
{
    if (node->pair != XPD_NO_INDEX)
        xpd_graph_put_name(ask, node->pair);
    else
        xpd_json_text(&ask->w, "");
}

static void put_pair_line(struct xpd_graph_ask *ask, const struct xpd_view_node *node)
{
    if (node->pair != XPD_NO_INDEX)
        xpd_graph_put_line(ask, node->pair);
    else
        xpd_json_null(&ask->w);
}

static int64_t known_sum(int64_t a, int64_t b)
{
    return a < 0 ? b : b < 0 ? a : a + b;
}

static int64_t cycles_of(const struct xpd_graph_ask *ask, const struct xpd_view_node *node)
{
    int64_t own = ask->costs->cycles[node->instruction];
    return node->pair == XPD_NO_INDEX ? own : known_sum(own, ask->costs->cycles[node->pair]);
}

static void put_nodes(struct xpd_graph_ask *ask, const struct xpd_graph_view *view, bool all)
{
    struct xpd_jsonw *w = &ask->w;
    const struct xpd_view_node *node = view->node;
    uint32_t n = view->node_count, *first = XPD_NEW_ARRAY(ask->ctx->arena, uint32_t, n);
    uint32_t *result = XPD_NEW_ARRAY(ask->ctx->arena, uint32_t, n);
    for (uint32_t k = 0; first && result && k < n; k++) {
        first[k] = node[k].instruction;
        result[k] = result_of(&node[k]);
    }
    xpd_json_key(w, "nodes");
    xpd_json_obj(w);
    xpd_graph_columns(ask,
                      "name label opcode kind op_name group scheme line is_root collective flops "
                      "moved_bytes matmul",
                      first, n);
    XPD_COLUMN(w, "shape", n, xpd_graph_put_shape(ask, ask->hlo->instructions.shape[result[row]]));
    XPD_COLUMN(w, "bytes", n, xpd_json_i64(w, ask->index->bytes[result[row]]));
    XPD_COLUMN(w, "elements", n,
               xpd_json_i64(w, xpd_shape_elements(ask->hlo->instructions.shape[result[row]])));
    XPD_COLUMN(w, "space", n, xpd_graph_put_space(ask, result[row]));
    XPD_COLUMN(w, "cycles", n, xpd_graph_put_known(ask, cycles_of(ask, &node[row])));
    XPD_COLUMN(w, "cluster", n, put_index(ask, node[row].cluster));
    XPD_COLUMN(w, "body", n, put_index(ask, node[row].body));
    XPD_COLUMN(w, "distance", n, xpd_json_u64(w, node[row].distance));
    XPD_COLUMN(w, "state", n, xpd_json_text(w, states[node[row].state]));
    XPD_COLUMN(w, "operands", n, xpd_json_u64(w, node[row].operands));
    XPD_COLUMN(w, "operands_hidden", n, xpd_json_u64(w, node[row].operands_hidden));
    XPD_COLUMN(w, "users", n, xpd_json_u64(w, node[row].users));
    XPD_COLUMN(w, "users_hidden", n, xpd_json_u64(w, node[row].users_hidden));
    XPD_COLUMN(w, "pair", n, put_pair(ask, &node[row]));
    XPD_COLUMN(w, "pair_ix", n, put_index(ask, node[row].pair));
    XPD_COLUMN(w, "pair_line", n, put_pair_line(ask, &node[row]));
    XPD_COLUMN(w, "times", n, xpd_json_u64(w, node[row].times));
    XPD_COLUMN(w, "can_expand", n, xpd_json_bool(w, node[row].can_expand));
    XPD_COLUMN(w, "note", n, xpd_json_text(w, node[row].note));
    XPD_COLUMN(w, "lines", n, put_lines(ask, node[row].instruction, all));
    xpd_json_obj_end(w);
}

static void put_title_of(struct xpd_graph_ask *ask, const struct xpd_graph_cluster *cluster)
{
    const struct xpd_hlo *hlo = ask->hlo;
    struct xpd_str caller = xpd_hlo_text(hlo, hlo->instructions.name[cluster->caller]);
    struct xpd_str body = xpd_hlo_text(hlo, hlo->computations.name[cluster->computation]);
    xpd_strbuf_clear(&ask->scratch);
    xpd_strbuf_add(&ask->scratch, caller.data, caller.size);
    xpd_strbuf_puts(&ask->scratch, ": ");
    xpd_strbuf_add(&ask->scratch, body.data, body.size);
    xpd_json_str(&ask->w, (struct xpd_str){ask->scratch.data, ask->scratch.size});
}

static void put_clusters(struct xpd_graph_ask *ask, const struct xpd_graph_view *view)
{
    struct xpd_jsonw *w = &ask->w;
    const struct xpd_graph_cluster *cluster = view->cluster;
    uint32_t n = view->cluster_count;
    const xpd_name_id *name = ask->hlo->computations.name;
    xpd_json_key(w, "clusters");
    xpd_json_obj(w);
    XPD_COLUMN(w, "computation", n,
               xpd_json_str(w, xpd_hlo_text(ask->hlo, name[cluster[row].computation])));
    XPD_COLUMN(w, "caller_ix", n, xpd_json_u64(w, cluster[row].caller));
    XPD_COLUMN(w, "parent", n, put_index(ask, cluster[row].parent));
    XPD_COLUMN(w, "is_fusion", n, xpd_json_bool(w, cluster[row].is_fusion));
    XPD_COLUMN(w, "title", n, put_title_of(ask, &cluster[row]));
    xpd_json_obj_end(w);
}

static bool is_small(const struct xpd_graph_ask *ask, uint32_t value)
{
    enum { SMALL_ELEMENTS = 4096 };
    return xpd_shape_elements(ask->hlo->instructions.shape[value]) < SMALL_ELEMENTS;
}

static void put_edges(struct xpd_graph_ask *ask, const struct xpd_graph_view *view)
{
    struct xpd_jsonw *w = &ask->w;
    const struct xpd_view_edge *edge = view->edge;
    uint32_t n = view->edge_count;
    xpd_json_key(w, "edges");
    xpd_json_obj(w);
    XPD_COLUMN(w, "from", n, xpd_json_u64(w, edge[row].from));
    XPD_COLUMN(w, "to", n, xpd_json_u64(w, edge[row].to));
    XPD_COLUMN(w, "operand", n, xpd_json_u64(w, edge[row].operand));
    XPD_COLUMN(w, "kind", n, xpd_json_text(w, kinds[edge[row].kind]));
    XPD_COLUMN(w, "bytes", n,
               xpd_graph_put_known(ask, edge[row].kind == XPD_EDGE_CONTROL
                                            ? -1
                                            : ask->index->bytes[edge[row].value]));
    XPD_COLUMN(w, "is_small", n, xpd_json_bool(w, is_small(ask, edge[row].value)));
    XPD_COLUMN(w, "tuple", n, xpd_json_i64(w, edge[row].element));
    XPD_COLUMN(w, "distance", n, xpd_json_u64(w, edge[row].lines));
    xpd_json_obj_end(w);
}

static void put_stubs(struct xpd_graph_ask *ask, const struct xpd_graph_view *view)
{
    struct xpd_jsonw *w = &ask->w;
    const struct xpd_view_stub *stub = view->stub;
    uint32_t n = view->stub_count;
    xpd_json_key(w, "stubs");
    xpd_json_obj(w);
    XPD_COLUMN(w, "node", n, xpd_json_u64(w, stub[row].node));
    XPD_COLUMN(w, "is_user", n, xpd_json_bool(w, stub[row].is_user));
    XPD_COLUMN(w, "ix", n, xpd_json_u64(w, stub[row].other));
    XPD_COLUMN(w, "id", n, xpd_graph_put_id(ask, stub[row].other));
    XPD_COLUMN(w, "name", n, xpd_graph_put_name(ask, stub[row].other));
    XPD_COLUMN(w, "line", n, xpd_graph_put_line(ask, stub[row].other));
    XPD_COLUMN(w, "bytes", n, xpd_json_i64(w, ask->index->bytes[stub[row].value]));
    xpd_json_obj_end(w);
}

static void put_counts(struct xpd_graph_ask *ask, const struct xpd_graph_view *view,
                       const struct xpd_view_options *options, bool all)
{
    struct xpd_jsonw *w = &ask->w;
    uint32_t bodies = 0; /* nodes of bodies, which `of` does not count */
    for (uint32_t k = 0; k < view->node_count && !all; k++)
        bodies += view->node[k].cluster != XPD_NO_INDEX;
    uint32_t outer = view->node_count - bodies;
    xpd_json_key(w, "counts");
    xpd_json_obj(w);
    xpd_json_ku64(w, "shown", view->node_count);
    xpd_json_ku64(w, "shown_in_bodies", bodies);
    xpd_json_ku64(w, "of", view->reached > outer ? view->reached : outer);
    xpd_json_kbool(w, "of_is_least", view->reached_is_least);
    xpd_json_ku64(w, "left_out", view->reached > outer ? view->reached - outer : 0);
    xpd_json_ku64(w, "cut_edges", view->cut_edges);
    xpd_json_ku64(w, "parallel_edges_left_out", view->edges_dropped);
    xpd_json_ku64(w, "bodies_left_out", view->bodies_left_out);
    xpd_json_ku64(w, "limit", options->limit);
    xpd_json_ku64(w, "users_limit", options->users);
    xpd_json_ku64(w, "operands_limit", XPD_VIEW_OPERANDS);
    xpd_json_ku64(w, "far_lines", options->far_lines);
    xpd_json_obj_end(w);
}

static void put_center(struct xpd_graph_ask *ask, const struct xpd_graph_view *view)
{
    struct xpd_jsonw *w = &ask->w;
    xpd_json_key(w, "center");
    if (view->center == XPD_NO_INDEX) {
        xpd_json_null(w);
        return;
    }
    xpd_json_obj(w);
    xpd_json_ku64(w, "ix", view->center);
    xpd_json_key(w, "id");
    xpd_graph_put_id(ask, view->center);
    xpd_json_key(w, "name");
    xpd_graph_put_name(ask, view->center);
    xpd_tools_kindex(w, "node", view->center_node);
    xpd_json_obj_end(w);
}

static void put_title(struct xpd_graph_ask *ask, const struct xpd_graph_view *view,
                      struct xpd_str computation)
{
    struct xpd_strbuf *text = &ask->scratch;
    xpd_strbuf_clear(text);
    if (view->center != XPD_NO_INDEX) {
        struct xpd_str name = xpd_hlo_text(ask->hlo, ask->hlo->instructions.name[view->center]);
        xpd_strbuf_puts(text, "Around ");
        xpd_strbuf_add(text, name.data, name.size);
        xpd_strbuf_puts(text, " in ");
    }
    if (view->computation == ask->hlo->entry)
        xpd_strbuf_puts(text, "ENTRY ");
    xpd_strbuf_add(text, computation.data, computation.size);
    xpd_json_key(&ask->w, "title");
    xpd_json_str(&ask->w, (struct xpd_str){text->data ? text->data : "", text->size});
}

static void put_notes(struct xpd_graph_ask *ask, const struct xpd_graph_view *view)
{
    struct xpd_jsonw *w = &ask->w;
    xpd_json_key(w, "notes");
    xpd_json_arr(w);
    for (uint32_t k = 0; k < ask->index->warnings->count; k++) { /* what reading the module met */
        const struct xpd_warning *warning = &ask->index->warnings->item[k];
        xpd_strbuf_clear(&ask->scratch);
        xpd_strbuf_puts(&ask->scratch, "The module: ");
        xpd_strbuf_puts(&ask->scratch, warning->text);
        if (warning->count > 1)
            xpd_strbuf_printf(&ask->scratch, " (%" PRIu64 " times)", warning->count);
        xpd_json_str(w, (struct xpd_str){ask->scratch.data, ask->scratch.size});
    }
    for (uint32_t k = 0; k < view->node_count; k++)
        if (*view->node[k].note) {
            struct xpd_str name =
                xpd_hlo_text(ask->hlo, ask->hlo->instructions.name[view->node[k].instruction]);
            xpd_strbuf_clear(&ask->scratch);
            xpd_strbuf_add(&ask->scratch, name.data, name.size);
            xpd_strbuf_puts(&ask->scratch, ": ");
            xpd_strbuf_puts(&ask->scratch, view->node[k].note);
            xpd_json_str(w, (struct xpd_str){ask->scratch.data, ask->scratch.size});
        }
    xpd_json_arr_end(w);
}

void xpd_graph_put_view(struct xpd_graph_ask *ask, const struct xpd_graph_view *view,
                        const struct xpd_view_options *options, bool all)
{
    struct xpd_jsonw *w = &ask->w;
    struct xpd_str computation =
        xpd_hlo_text(ask->hlo, ask->hlo->computations.name[view->computation]);
    xpd_json_obj(w);
    put_title(ask, view, computation);
    xpd_json_kstr(w, "computation", computation);
    put_center(ask, view);
    put_nodes(ask, view, all);
    put_clusters(ask, view);
    put_edges(ask, view);
    put_stubs(ask, view);
    put_counts(ask, view, options, all);
    put_notes(ask, view);
    xpd_json_obj_end(w);
}
