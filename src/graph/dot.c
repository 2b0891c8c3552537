/* The picture as Graphviz text with XProf's labels (2.3): nodes, clusters, edges, title. */
#include "dot_parts.h"

#include "xprofd/hlo/source_info.h"

static void put_tooltip(struct xpd_dot *d, uint32_t i)
{
    struct xpd_source_info source;
    xpd_source_of(d->hlo, i, &source);
    xpd_dot_quoted(d->out, source.op_name);
    if (source.file.size) {
        xpd_strbuf_puts(d->out, source.op_name.size ? "\nsource: " : "source: ");
        xpd_dot_quoted(d->out, source.file);
        xpd_strbuf_printf(d->out, ":%d", source.line);
    }
}

static const char *shape_word(const struct xpd_dot *d, const struct xpd_graph_node *node)
{
    if (node->state == XPD_NODE_HIGHLIGHT)
        return "diamond";
    return xpd_dot_is(d, node->instruction, "while") ? "ellipse" : "rect";
}

static void put_colours(struct xpd_dot *d, const struct xpd_graph_node *node)
{
    static const char *const scheme[][3] = {
        /* fill, border, font: the order of xpd_graph_scheme */
        {"white", "#9e9e9e", "black"},   {"#fff9c4", "#cbc693", "black"},
        {"#c8e6c9", "#97b498", "black"}, {"#1565c0", "#003c8f", "white"},
        {"#e1bee7", "#af8eb5", "black"}, {"#cfd8dc", "#9ea7aa", "black"},
        {"#bcaaa4", "#8c7b75", "black"}, {"#2e7d32", "#005005", "white"},
        {"#ffe0b2", "#cbae82", "black"}, {"#ffb74d", "#c88719", "black"}};
    static const char *const highlight[] = {"#b71c1c", "#7f0000", "white"};
    static const char *const omitted[] = {"white", "#757575", "#757575"};
    bool dashed = node->state >= XPD_NODE_SOME_OPERANDS;
    const char *const *colour = node->state == XPD_NODE_HIGHLIGHT ? highlight
                                : dashed                          ? omitted
                                                                  : scheme[node->scheme];
    xpd_strbuf_printf(d->out, "style=\"%s\", fontcolor=\"%s\", color=\"%s\", fillcolor=\"%s\"",
                      dashed ? "filled,dashed" : "filled", colour[2], colour[1], colour[0]);
}

static void put_node(struct xpd_dot *d, const struct xpd_graph_node *node)
{
    uint32_t i = node->instruction;
    xpd_strbuf_printf(d->out, "%u [label=<", i);
    xpd_dot_title(d, i);
    xpd_dot_trivial(d, i);
    xpd_dot_extra(d, i);
    xpd_dot_operands(d, i);
    xpd_dot_config(d, i);
    xpd_strbuf_printf(d->out, ">, shape=%s, tooltip=\"", shape_word(d, node));
    put_tooltip(d, i);
    xpd_strbuf_puts(d->out, "\", ");
    put_colours(d, node);
    xpd_strbuf_puts(d->out, "];\n");
}

static void put_cluster_label(struct xpd_dot *d, const struct xpd_graph_cluster *cluster)
{
    xpd_strbuf_puts(d->out, cluster->is_fusion ? "label=<Fused expression for <b>"
                                               : "label=<Subcomputation for <b>");
    xpd_markup_put(d->out, xpd_dot_name_of(d, cluster->caller));
    xpd_strbuf_puts(d->out, "</b>");
    if (cluster->is_fusion) {
        xpd_dot_extra(d, cluster->caller);
        xpd_dot_config(d, cluster->caller);
    } else {
        xpd_dot_line(d);
        xpd_markup_put(d->out,
                       xpd_hlo_text(d->hlo, d->hlo->computations.name[cluster->computation]));
    }
    xpd_strbuf_puts(d->out, ">;\nlabelloc=t;\ntooltip=\" \";\n");
    if (cluster->is_fusion)
        xpd_strbuf_puts(d->out, "style=\"rounded,filled,bold\"; fillcolor=\"#f5f5f5\"; "
                                "color=\"#c2c2c2\";\n");
    else
        xpd_strbuf_puts(d->out, "style=\"rounded\"; color=\"black\";\n");
}

/* Nodes of a cluster, and the clusters within it. */
static void put_inside(struct xpd_dot *d, uint32_t cluster)
{
    for (uint32_t i = 0; i < d->g->node_count; i++)
        if (d->g->node[i].cluster == cluster)
            put_node(d, &d->g->node[i]);
    for (uint32_t c = cluster == XPD_NO_INDEX ? 0 : cluster + 1; c < d->g->cluster_count; c++) {
        if (d->g->cluster[c].parent != cluster)
            continue;
        xpd_strbuf_printf(d->out, "subgraph cluster_%u {\n", c);
        put_cluster_label(d, &d->g->cluster[c]);
        put_inside(d, c);
        xpd_strbuf_puts(d->out, "}\n");
    }
}

static void put_edges(struct xpd_dot *d)
{
    for (uint32_t i = 0; i < d->g->edge_count; i++) {
        const struct xpd_graph_edge *edge = &d->g->edge[i];
        const struct xpd_hlo_instructions *ins = &d->hlo->instructions;
        bool numbered = edge->kind == XPD_EDGE_OPERAND &&
                        ins->operand_first[edge->to + 1] - ins->operand_first[edge->to] > 1;
        xpd_strbuf_printf(d->out, "%u -> %u [arrowhead=%s tooltip=\"", edge->from, edge->to,
                          edge->is_small ? "empty" : "normal");
        xpd_dot_quoted(d->out, xpd_dot_name_of(d, edge->from));
        xpd_strbuf_puts(d->out, " -> ");
        xpd_dot_quoted(d->out, xpd_dot_name_of(d, edge->to));
        xpd_strbuf_putc(d->out, '"');
        if (edge->kind == XPD_EDGE_CONTROL)
            xpd_strbuf_puts(d->out, " style=\"dotted\" color=\"gray\" label=\"ctrl\"");
        else if (edge->kind == XPD_EDGE_BODY)
            xpd_strbuf_puts(d->out, " style=\"dashed\"");
        else if (numbered)
            xpd_strbuf_printf(d->out, " headlabel=\"%u\", labeldistance=2", edge->operand);
        xpd_strbuf_puts(d->out, "];\n");
    }
}

static void put_graph_title(struct xpd_dot *d)
{
    const struct xpd_graph *g = d->g;
    uint32_t fusion = g->index->fusion_of[g->computation];
    xpd_strbuf_puts(d->out, "label = <<b>");
    if (g->center != XPD_NO_INDEX) {
        xpd_strbuf_printf(d->out, "Neighborhood of %u nodes around ", g->options.radius);
        xpd_markup_put(d->out, xpd_dot_name_of(d, g->center));
        xpd_dot_line(d);
    }
    xpd_strbuf_puts(d->out, "Computation ");
    xpd_markup_put(d->out, xpd_hlo_text(d->hlo, d->hlo->computations.name[g->computation]));
    if (g->computation == d->hlo->entry) {
        xpd_strbuf_puts(d->out, "<br/>ENTRY computation");
    } else if (fusion != XPD_NO_INDEX) {
        xpd_strbuf_puts(d->out, "<br/>(in fusion instruction ");
        xpd_markup_put(d->out, xpd_dot_name_of(d, fusion));
        xpd_strbuf_putc(d->out, ')');
    }
    xpd_strbuf_puts(d->out, "</b>>;\n");
}

void xpd_graph_dot(const struct xpd_graph *graph, struct xpd_hlo_printer *printer, bool show_config,
                   struct xpd_strbuf *out)
{
    struct xpd_dot d = {graph, graph->hlo, printer, out, show_config};
    xpd_strbuf_puts(out, "digraph G {\nrankdir = TB;\ncompound = true;\n");
    put_graph_title(&d);
    xpd_strbuf_puts(out, "labelloc = t;\ntooltip = \" \";\n\n");
    put_inside(&d, XPD_NO_INDEX);
    if (graph->root_from != XPD_NO_INDEX)
        xpd_strbuf_puts(out, "cluster_root [label=<ROOT>, shape=circle, tooltip=\" \", "
                             "style=\"filled\", fontcolor=\"black\", color=\"#8c7b75\", "
                             "fillcolor=\"#bcaaa4\"];\n");
    put_edges(&d);
    if (graph->root_from != XPD_NO_INDEX)
        xpd_strbuf_printf(out, "%u -> cluster_root [tooltip=\" \"];\n", graph->root_from);
    xpd_strbuf_puts(out, "}\n");
}
