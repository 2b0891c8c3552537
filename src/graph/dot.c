/* The picture as Graphviz text with XProf's labels (2.3): nodes, clusters, edges, title. */
#include "dot_parts.h"
#include "xprofd/hlo/source_info.h"
#include <string.h>

/* Operands that are drawn as lines of a label: constants, parameters, tuple elements. */

enum { OPERANDS_MAX = 32, VALUE_ELEMENTS = 8, VALUE_MAX = 64 };

static bool is_empty_array(const struct xpd_shape *shape)
{
    for (uint32_t i = 0; i < shape->rank; i++)
        if (shape->dims[i] == 0)
            return true;
    return false;
}

static void put_constant(struct xpd_dot *d, uint32_t constant, const struct xpd_shape *shape)
{
    const struct xpd_shape *own = d->hlo->instructions.shape[constant];
    struct xpd_strbuf value = {0}, text = {0};
    struct xpd_str name = xpd_dot_name_of(d, constant);
    if (is_empty_array(shape)) {
        xpd_strbuf_puts(&text, "{} (");
        xpd_shape_text(&text, own, false);
        xpd_strbuf_putc(&text, ')');
    } else if (xpd_hlo_print_value(d->printer, constant, VALUE_ELEMENTS, true, &value) &&
               value.size <= VALUE_MAX) {
        xpd_shape_text(&text, shape, false);
        xpd_strbuf_putc(&text, ' ');
        xpd_strbuf_add(&text, value.data, value.size);
    } else {
        if (!xpd_str_starts(name, "constant"))
            xpd_strbuf_puts(&text, "constant ");
        xpd_strbuf_add(&text, name.data, name.size);
        xpd_strbuf_putc(&text, ' ');
        xpd_shape_text(&text, shape, false);
    }
    xpd_markup_put(d->out, xpd_dot_whole(&text));
    xpd_strbuf_fini(&value);
    xpd_strbuf_fini(&text);
}

static void put_element(struct xpd_dot *d, uint32_t i)
{
    struct xpd_strbuf text = {0};
    uint32_t from = xpd_dot_operand_of(d, i, 0);
    xpd_strbuf_printf(d->out, "tuple-element %lld of ",
                      (long long)d->hlo->instructions.tuple_index[i]);
    if (from != XPD_NO_INDEX)
        xpd_markup_put(d->out, xpd_dot_name_of(d, from));
    xpd_strbuf_putc(d->out, ' ');
    xpd_shape_text(&text, d->hlo->instructions.shape[i], true);
    xpd_markup_put(d->out, xpd_dot_whole(&text));
    xpd_strbuf_fini(&text);
}

static void put_operand_label(struct xpd_dot *d, uint32_t number, bool only)
{
    xpd_dot_line(d);
    if (only)
        xpd_strbuf_puts(d->out, "<b>operand</b> = ");
    else
        xpd_strbuf_printf(d->out, "<b>operand %u</b> = ", number);
}

/* False if the operand has its own node. */
static bool put_operand(struct xpd_dot *d, uint32_t operand, uint32_t number, bool only)
{
    const struct xpd_shape *shape = d->hlo->instructions.shape[operand];
    uint32_t broadcast = xpd_graph_broadcast_of(d->g, operand);
    uint32_t constant = xpd_dot_is(d, operand, "constant") ? operand : broadcast;
    bool merged = constant == XPD_NO_INDEX && xpd_graph_merges(d->g, operand);
    if (constant == XPD_NO_INDEX && !merged)
        return false;
    put_operand_label(d, number, only);
    if (constant != XPD_NO_INDEX) {
        put_constant(d, constant, shape);
    } else if (xpd_dot_is(d, operand, "parameter")) {
        constant = xpd_graph_constant_of(d->g, operand);
        if (constant != XPD_NO_INDEX)
            put_constant(d, constant, d->hlo->instructions.shape[constant]);
        else
            xpd_strbuf_printf(d->out, "Parameter %lld",
                              (long long)d->hlo->instructions.parameter_number[operand]);
    } else {
        put_element(d, operand);
    }
    return true;
}

/* those that have no node of their own. */
static void xpd_dot_operands(struct xpd_dot *d, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &d->hlo->instructions;
    uint32_t first = ins->operand_first[i], count = ins->operand_first[i + 1] - first, lines = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (ins->operand[first + k] != XPD_NO_INDEX)
            lines += put_operand(d, ins->operand[first + k], k, count == 1);
        if (lines == OPERANDS_MAX && k + 1 < count) {
            xpd_dot_line(d);
            xpd_strbuf_puts(d->out, "...");
            break;
        }
    }
    uint32_t fusion = d->g->index->fusion_of[ins->computation[i]];
    if (!xpd_dot_is(d, i, "parameter") || fusion == XPD_NO_INDEX)
        return;
    int64_t number = ins->parameter_number[i];
    uint32_t input = number >= 0 && number < UINT32_MAX
                         ? xpd_dot_operand_of(d, fusion, (uint32_t)number)
                         : XPD_NO_INDEX;
    if (input != XPD_NO_INDEX && xpd_dot_is(d, input, "get-tuple-element")) {
        xpd_dot_line(d);
        put_element(d, input);
    }
}

/* Texts of a program inside HTML-like labels of Graphviz: nothing in them is markup. */

static void xpd_dot_quoted(struct xpd_strbuf *out, struct xpd_str text)
{
    while (text.size > 0) {
        const char *slash = memchr(text.data, '\\', text.size);
        size_t size = slash ? (size_t)(slash - text.data) : text.size;
        xpd_markup_put(out, (struct xpd_str){text.data, size});
        if (slash)
            xpd_strbuf_puts(out, "&#92;");
        size += slash != NULL;
        text.data += size;
        text.size -= size;
    }
}

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
