/* A picture as an answer. In: nodes, edges, stubs, clusters. Out: the answer of graph/around. */
#include "graph_view.h"

#include <inttypes.h>

#define LINES_SHOWN 32 /* of a node; one more row stands for the rest */

static const char *const states[] = {"hidden",        "normal",      "highlight",
                                     "some_operands", "no_operands", "some_users"};
static const char *const kinds[] = {"operand", "control", "body"};

XPD_RECORD_TABLE(xpd_around_node, XPD_AROUND_NODE_FIELDS)
XPD_RECORD_TABLE(xpd_around_cluster, XPD_AROUND_CLUSTER_FIELDS)
XPD_RECORD_TABLE(xpd_around_edge, XPD_AROUND_EDGE_FIELDS)
XPD_RECORD_TABLE(xpd_around_stub, XPD_AROUND_STUB_FIELDS)
XPD_RECORD_TABLE(xpd_around_counts, XPD_AROUND_COUNTS_FIELDS)
XPD_RECORD_TABLE(xpd_around_center, XPD_AROUND_CENTER_FIELDS)
XPD_RECORD_TABLE(xpd_around, XPD_AROUND_FIELDS)

#define XPD_AROUND_RESULT_FIELDS(FIELD)                                                            \
    XPD_OP_SHAPE(FIELD)                                                                            \
    XPD_OP_BYTES(FIELD)                                                                            \
    XPD_OP_ELEMENTS(FIELD)                                                                         \
    XPD_OP_SPACE(FIELD)
XPD_RECORD(xpd_around_result, XPD_AROUND_RESULT_FIELDS)

static int64_t index_of(uint32_t index)
{
    return index == XPD_NO_INDEX ? -1 : (int64_t)index;
}

static int64_t line_of(const struct xpd_graph_ask *ask, uint32_t i)
{
    return ask->index->line[i] ? (int64_t)ask->index->line[i] : -1;
}

/* ---- nodes ---- */

struct lines { /* of one node, as they come */
    struct xpd_arena *arena;
    struct xpd_str *at; /* room for LINES_SHOWN + 1 */
    uint32_t count;
};

static void put_line(void *to, struct xpd_str line)
{
    struct lines *lines = to;
    if (lines->at && lines->count < LINES_SHOWN)
        lines->at[lines->count++] = xpd_arena_str(lines->arena, line);
}

static struct lines lines_of(const struct xpd_graph_ask *ask, uint32_t i, bool all)
{
    struct xpd_arena *arena = ask->ctx->arena;
    struct lines lines = {arena, XPD_NEW_ARRAY(arena, struct xpd_str, LINES_SHOWN + 1), 0};
    uint32_t count = xpd_view_lines(ask->index, i, all, put_line, &lines);
    if (lines.at && count > LINES_SHOWN)
        lines.at[lines.count++] = XPD_STR("...");
    return lines;
}

static int64_t known_sum(int64_t a, int64_t b)
{
    return a < 0 ? b : b < 0 ? a : a + b;
}

/* A pair is shown with what it yields: shape, bytes and space are those of its done. */
static void fill_result(struct xpd_around_node *out, struct xpd_graph_ask *ask, uint32_t result)
{
    struct xpd_around_result of;
    xpd_graph_fill(ask, xpd_around_result_record(), &of, &result, 1);
    out->shape = of.shape;
    out->size_bytes = of.size_bytes;
    out->elements = of.elements;
    out->space = of.space;
}

static void fill_node(struct xpd_around_node *out, struct xpd_graph_ask *ask,
                      const struct xpd_view_node *node, bool all)
{
    struct lines lines = lines_of(ask, node->instruction, all);
    if (node->pair != XPD_NO_INDEX) {
        fill_result(out, ask, node->pair);
        out->cycles = known_sum(out->cycles, ask->costs->cycles[node->pair]);
        out->pair = xpd_graph_name(ask, node->pair);
    }
    out->cluster = index_of(node->cluster);
    out->body = index_of(node->body);
    out->distance = node->distance;
    out->state = states[node->state];
    out->operands = node->operands;
    out->operands_hidden = node->operands_hidden;
    out->users = node->users;
    out->users_hidden = node->users_hidden;
    out->pair_ix = index_of(node->pair);
    out->pair_line = node->pair != XPD_NO_INDEX ? line_of(ask, node->pair) : -1;
    out->times = node->times;
    out->can_expand = node->can_expand;
    out->note = node->note;
    out->lines.at = lines.at;
    out->lines.n = lines.count;
}

static void fill_nodes(struct xpd_around *out, struct xpd_graph_ask *ask,
                       const struct xpd_graph_view *view, bool all)
{
    uint32_t n = view->node_count;
    uint32_t *at = XPD_NEW_ARRAY(ask->ctx->arena, uint32_t, n);
    struct xpd_around_node *row = XPD_NEW_ARRAY(ask->ctx->arena, struct xpd_around_node, n);
    if (!at || !row)
        return;
    for (uint32_t k = 0; k < n; k++)
        at[k] = view->node[k].instruction;
    xpd_graph_fill(ask, xpd_around_node_record(), row, at, n);
    for (uint32_t k = 0; k < n; k++)
        fill_node(&row[k], ask, &view->node[k], all);
    out->nodes.at = row;
    out->nodes.n = n;
}

/* ---- what lies between them ---- */

static struct xpd_str cluster_title(struct xpd_graph_ask *ask,
                                    const struct xpd_graph_cluster *cluster)
{
    const struct xpd_hlo *hlo = ask->hlo;
    struct xpd_str caller = xpd_hlo_text(hlo, hlo->instructions.name[cluster->caller]);
    struct xpd_str body = xpd_hlo_text(hlo, hlo->computations.name[cluster->computation]);
    xpd_strbuf_add(&ask->scratch, caller.data, caller.size);
    xpd_strbuf_puts(&ask->scratch, ": ");
    xpd_strbuf_add(&ask->scratch, body.data, body.size);
    return xpd_strbuf_keep(&ask->scratch, ask->ctx->arena);
}

static void fill_clusters(struct xpd_around *out, struct xpd_graph_ask *ask,
                          const struct xpd_graph_view *view)
{
    uint32_t n = view->cluster_count;
    struct xpd_around_cluster *row = XPD_NEW_ARRAY(ask->ctx->arena, struct xpd_around_cluster, n);
    for (uint32_t k = 0; row && k < n; k++) {
        const struct xpd_graph_cluster *cluster = &view->cluster[k];
        row[k] = (struct xpd_around_cluster){
            xpd_hlo_text(ask->hlo, ask->hlo->computations.name[cluster->computation]),
            cluster->caller, index_of(cluster->parent), cluster->is_fusion,
            cluster_title(ask, cluster)};
    }
    out->clusters.at = row;
    out->clusters.n = row ? n : 0;
}

static bool is_small(const struct xpd_graph_ask *ask, uint32_t value)
{
    enum { SMALL_ELEMENTS = 4096 };
    return xpd_shape_elements(ask->hlo->instructions.shape[value]) < SMALL_ELEMENTS;
}

static void fill_edges(struct xpd_around *out, struct xpd_graph_ask *ask,
                       const struct xpd_graph_view *view)
{
    uint32_t n = view->edge_count;
    struct xpd_around_edge *row = XPD_NEW_ARRAY(ask->ctx->arena, struct xpd_around_edge, n);
    for (uint32_t k = 0; row && k < n; k++) {
        const struct xpd_view_edge *edge = &view->edge[k];
        row[k] = (struct xpd_around_edge){
            .from = edge->from,
            .to = edge->to,
            .operand = edge->operand,
            .kind = kinds[edge->kind],
            .size_bytes =
                edge->kind == XPD_EDGE_CONTROL ? -1 : (int64_t)ask->index->bytes[edge->value],
            .is_small = is_small(ask, edge->value),
            .tuple = edge->element,
            .distance = edge->lines,
        };
    }
    out->edges.at = row;
    out->edges.n = row ? n : 0;
}

static void fill_stubs(struct xpd_around *out, struct xpd_graph_ask *ask,
                       const struct xpd_graph_view *view)
{
    uint32_t n = view->stub_count;
    struct xpd_around_stub *row = XPD_NEW_ARRAY(ask->ctx->arena, struct xpd_around_stub, n);
    for (uint32_t k = 0; row && k < n; k++) {
        const struct xpd_view_stub *stub = &view->stub[k];
        row[k] = (struct xpd_around_stub){
            .node = stub->node,
            .is_user = stub->is_user,
            .ix = stub->other,
            .id = ask->hlo->instructions.id[stub->other],
            .name = xpd_graph_name(ask, stub->other),
            .line = line_of(ask, stub->other),
            .size_bytes = ask->index->bytes[stub->value],
        };
    }
    out->stubs.at = row;
    out->stubs.n = row ? n : 0;
}

/* ---- around the picture ---- */

static const struct xpd_around_counts *counts_of(const struct xpd_graph_ask *ask,
                                                 const struct xpd_graph_view *view,
                                                 const struct xpd_view_options *options, bool all)
{
    struct xpd_around_counts *out = XPD_NEW(ask->ctx->arena, struct xpd_around_counts);
    uint32_t bodies = 0; /* nodes of bodies, which `of` does not count */
    for (uint32_t k = 0; k < view->node_count && !all; k++)
        bodies += view->node[k].cluster != XPD_NO_INDEX;
    uint32_t outer = view->node_count - bodies;
    if (out)
        *out = (struct xpd_around_counts){
            .shown = view->node_count,
            .shown_in_bodies = bodies,
            .of = view->reached > outer ? view->reached : outer,
            .of_is_least = view->reached_is_least,
            .left_out = view->reached > outer ? view->reached - outer : 0,
            .cut_edges = view->cut_edges,
            .parallel_edges_left_out = view->edges_dropped,
            .bodies_left_out = view->bodies_left_out,
            .limit = options->limit,
            .users_limit = options->users,
            .operands_limit = XPD_VIEW_OPERANDS,
            .far_lines = options->far_lines,
        };
    return out;
}

static const struct xpd_around_center *center_of(const struct xpd_graph_ask *ask,
                                                 const struct xpd_graph_view *view)
{
    struct xpd_around_center *out =
        view->center == XPD_NO_INDEX ? NULL : XPD_NEW(ask->ctx->arena, struct xpd_around_center);
    if (out)
        *out = (struct xpd_around_center){view->center, ask->hlo->instructions.id[view->center],
                                          xpd_graph_name(ask, view->center), view->center_node};
    return out;
}

static struct xpd_str title_of(struct xpd_graph_ask *ask, const struct xpd_graph_view *view,
                               struct xpd_str computation)
{
    struct xpd_strbuf *text = &ask->scratch;
    if (view->center != XPD_NO_INDEX) {
        struct xpd_str name = xpd_graph_name(ask, view->center);
        xpd_strbuf_puts(text, "Around ");
        xpd_strbuf_add(text, name.data, name.size);
        xpd_strbuf_puts(text, " in ");
    }
    if (view->computation == ask->hlo->entry)
        xpd_strbuf_puts(text, "ENTRY ");
    xpd_strbuf_add(text, computation.data, computation.size);
    return xpd_strbuf_keep(text, ask->ctx->arena);
}

/* What reading the module met, then what there is to say of nodes. */
static void fill_notes(struct xpd_around *out, struct xpd_graph_ask *ask,
                       const struct xpd_graph_view *view)
{
    struct xpd_strbuf *text = &ask->scratch;
    const struct xpd_warnings *warnings = ask->index->warnings;
    struct xpd_arena *arena = ask->ctx->arena;
    struct xpd_str *note =
        XPD_NEW_ARRAY(arena, struct xpd_str, (size_t)warnings->count + view->node_count);
    uint32_t n = 0;
    for (uint32_t k = 0; note && k < warnings->count; k++) {
        const struct xpd_warning *warning = &warnings->item[k];
        xpd_strbuf_puts(text, "The module: ");
        xpd_strbuf_puts(text, warning->text);
        if (warning->count > 1)
            xpd_strbuf_printf(text, " (%" PRIu64 " times)", warning->count);
        note[n++] = xpd_strbuf_keep(text, arena);
    }
    for (uint32_t k = 0; note && k < view->node_count; k++) {
        if (!*view->node[k].note)
            continue;
        struct xpd_str name = xpd_graph_name(ask, view->node[k].instruction);
        xpd_strbuf_add(text, name.data, name.size);
        xpd_strbuf_puts(text, ": ");
        xpd_strbuf_puts(text, view->node[k].note);
        note[n++] = xpd_strbuf_keep(text, arena);
    }
    out->notes.at = note;
    out->notes.n = n;
}

void xpd_around_fill(struct xpd_around *out, struct xpd_graph_ask *ask,
                     const struct xpd_graph_view *view, const struct xpd_view_options *options,
                     bool all)
{
    out->computation = xpd_hlo_text(ask->hlo, ask->hlo->computations.name[view->computation]);
    out->title = title_of(ask, view, out->computation);
    out->center = center_of(ask, view);
    fill_nodes(out, ask, view, all);
    fill_clusters(out, ask, view);
    fill_edges(out, ask, view);
    fill_stubs(out, ask, view);
    out->counts = counts_of(ask, view, options, all);
    fill_notes(out, ask, view);
}
