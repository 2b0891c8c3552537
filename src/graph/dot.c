/* The picture as Graphviz text with XProf's labels (2.3). */
#include "xprofd/graph/dot.h"

#include "xprofd/hlo/source_info.h"

enum { SHAPE_MAX = 64, GROUPS_MAX = 128, OPERANDS_MAX = 32, VALUE_ELEMENTS = 8, VALUE_MAX = 64 };

struct dot {
    const struct xpd_graph *g;
    const struct xpd_hlo *hlo;
    struct xpd_hlo_printer *printer;
    struct xpd_strbuf *out;
    bool show_config;
};

static void put_escaped(struct xpd_strbuf *out, struct xpd_str text)
{
    for (size_t i = 0; i < text.size; i++)
        switch (text.data[i]) {
        case '&': xpd_strbuf_puts(out, "&amp;"); break;
        case '<': xpd_strbuf_puts(out, "&lt;"); break;
        case '>': xpd_strbuf_puts(out, "&gt;"); break;
        case '"': xpd_strbuf_puts(out, "&quot;"); break;
        default: xpd_strbuf_putc(out, text.data[i]);
        }
}

/* Between quotes: there a backslash would undo the quote behind it. */
static void put_quoted(struct xpd_strbuf *out, struct xpd_str text)
{
    while (text.size > 0) {
        const char *slash = memchr(text.data, '\\', text.size);
        size_t size = slash ? (size_t)(slash - text.data) : text.size;
        put_escaped(out, (struct xpd_str){text.data, size});
        if (slash)
            xpd_strbuf_puts(out, "&#92;");
        size += slash != NULL;
        text.data += size;
        text.size -= size;
    }
}

static struct xpd_str name_of(const struct dot *d, uint32_t i)
{
    return xpd_hlo_text(d->hlo, d->hlo->instructions.name[i]);
}

static struct xpd_str opcode_of(const struct dot *d, uint32_t i)
{
    return xpd_hlo_text(d->hlo, d->hlo->instructions.opcode[i]);
}

static bool is(const struct dot *d, uint32_t i, const char *opcode)
{
    return xpd_str_eq(opcode_of(d, i), xpd_str_of(opcode));
}

static uint32_t operand_of(const struct dot *d, uint32_t i, uint32_t k)
{
    const struct xpd_hlo_instructions *ins = &d->hlo->instructions;
    uint32_t count = ins->operand_first[i + 1] - ins->operand_first[i];
    return k < count ? ins->operand[ins->operand_first[i] + k] : XPD_NO_INDEX;
}

static struct xpd_str whole(const struct xpd_strbuf *text)
{
    return (struct xpd_str){text->data ? text->data : "", text->size};
}

/* ---- parts of a label ---- */

static void put_line(struct dot *d)
{
    xpd_strbuf_puts(d->out, "<br/>");
}

static void put_title(struct dot *d, uint32_t i)
{
    struct xpd_str name = name_of(d, i), opcode = opcode_of(d, i);
    if (is(d, i, "parameter")) {
        xpd_strbuf_printf(d->out, "<b>Parameter %lld</b>",
                          (long long)d->hlo->instructions.parameter_number[i]);
        return;
    }
    xpd_strbuf_puts(d->out, "<b>");
    put_escaped(d->out, name);
    xpd_strbuf_puts(d->out, "</b>");
    if (name.size >= opcode.size && memcmp(name.data, opcode.data, opcode.size) == 0)
        return;
    put_line(d);
    put_escaped(d->out, opcode);
    if (is(d, i, "fusion")) {
        xpd_strbuf_putc(d->out, ':');
        put_escaped(d->out, xpd_hlo_text(d->hlo, d->hlo->instructions.fusion_kind[i]));
    }
}

static void put_trivial(struct dot *d, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &d->hlo->instructions;
    uint32_t first = ins->called_first[i], count = ins->called_first[i + 1] - first;
    if (is(d, i, "fusion"))
        return;
    for (uint32_t k = 0; k < count; k++) {
        const char *does = ins->called[first + k] == XPD_NO_INDEX
                               ? NULL
                               : d->g->index->trivial[ins->called[first + k]];
        if (!does)
            continue;
        put_line(d);
        if (count == 1)
            xpd_strbuf_printf(d->out, "Subcomputation: <b>%s</b>", does);
        else
            xpd_strbuf_printf(d->out, "Subcomputation %u: <b>%s</b>", k, does);
    }
}

static void put_cut(struct dot *d, struct xpd_str text, size_t most)
{
    bool cut = text.size > most;
    put_escaped(d->out, (struct xpd_str){text.data, cut ? most - 3 : text.size});
    if (cut)
        xpd_strbuf_puts(d->out, "...");
}

static void put_attribute(struct dot *d, struct xpd_str line)
{
    bool bold = xpd_str_starts(line, "feature_group_count=");
    bool long_list = xpd_str_starts(line, "replica_groups=") ||
                     xpd_str_starts(line, "source_target_pairs=") ||
                     xpd_str_starts(line, "control-predecessors=");
    put_line(d);
    if (bold)
        xpd_strbuf_puts(d->out, "<b>");
    put_cut(d, line, long_list ? GROUPS_MAX : SIZE_MAX);
    if (bold)
        xpd_strbuf_puts(d->out, "</b>");
}

static bool has_several_dims(const struct xpd_shape *shape, int depth)
{
    if (shape->rank > 1)
        return true;
    for (uint32_t i = 0; i < shape->element_count && depth < SHAPE_MAX; i++)
        if (has_several_dims(&shape->element[i], depth + 1))
            return true;
    return false;
}

static void put_shape(struct dot *d, uint32_t i)
{
    const struct xpd_shape *shape = d->hlo->instructions.shape[i];
    struct xpd_strbuf text = {0};
    put_line(d);
    xpd_shape_text(&text, shape, !is(d, i, "tuple") && has_several_dims(shape, 0));
    put_cut(d, whole(&text), SHAPE_MAX);
    xpd_strbuf_fini(&text);
}

/* What a parameter of a called computation is in its caller: bitcasts, copies and pairs of tuple
 * and element do not change a value. */
static uint32_t producer_of(const struct dot *d, uint32_t i)
{
    for (uint32_t hops = 0; hops < d->hlo->instructions.count; hops++) {
        uint32_t from = operand_of(d, i, 0);
        if (from == XPD_NO_INDEX)
            return i;
        if (is(d, i, "bitcast") || is(d, i, "copy")) {
            i = from;
        } else if (is(d, i, "get-tuple-element") && is(d, from, "tuple")) {
            int64_t element = d->hlo->instructions.tuple_index[i];
            uint32_t member = element >= 0 && element < UINT32_MAX
                                  ? operand_of(d, from, (uint32_t)element)
                                  : XPD_NO_INDEX;
            if (member == XPD_NO_INDEX)
                return i;
            i = member;
        } else {
            return i;
        }
    }
    return i;
}

static void put_call_source(struct dot *d, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &d->hlo->instructions;
    uint32_t caller = d->g->index->caller_of[ins->computation[i]];
    if (!is(d, i, "parameter") || caller == XPD_NO_INDEX || !is(d, caller, "call"))
        return;
    int64_t number = ins->parameter_number[i];
    uint32_t operand =
        number >= 0 && number < UINT32_MAX ? operand_of(d, caller, (uint32_t)number) : XPD_NO_INDEX;
    if (operand == XPD_NO_INDEX)
        return;
    uint32_t from = producer_of(d, operand);
    put_line(d);
    xpd_strbuf_puts(d->out, "<i>from ");
    put_escaped(d->out, name_of(d, from));
    xpd_strbuf_puts(d->out, " in ");
    if (ins->computation[from] == d->hlo->entry)
        xpd_strbuf_puts(d->out, "the ENTRY computation");
    else
        put_escaped(d->out,
                    xpd_hlo_text(d->hlo, d->hlo->computations.name[ins->computation[from]]));
    xpd_strbuf_puts(d->out, "</i>");
}

static bool draws_body(const struct dot *d, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &d->hlo->instructions;
    uint32_t first = ins->called_first[i];
    return is(d, i, "fusion") && first < ins->called_first[i + 1] &&
           ins->called[first] != XPD_NO_INDEX && xpd_graph_draws_body(d->g, ins->called[first]);
}

static void put_extra(struct dot *d, uint32_t i)
{
    struct xpd_strbuf text = {0};
    put_call_source(d, i);
    xpd_hlo_print_attributes(d->printer, i,
                             XPD_PRINT_PERCENT | XPD_PRINT_CONTROL | XPD_PRINT_NO_CALLED |
                                 XPD_PRINT_XPROF,
                             '\x1f', &text);
    for (size_t at = 0; at < text.size;) {
        const char *end = memchr(text.data + at, '\x1f', text.size - at);
        size_t size = end ? (size_t)(end - (text.data + at)) : text.size - at;
        put_attribute(d, (struct xpd_str){text.data + at, size});
        at += size + 1;
    }
    xpd_strbuf_fini(&text);
    if (!draws_body(d, i))
        put_shape(d, i);
}

/* ---- operands drawn as lines ---- */

static bool is_empty_array(const struct xpd_shape *shape)
{
    for (uint32_t i = 0; i < shape->rank; i++)
        if (shape->dims[i] == 0)
            return true;
    return false;
}

static void put_constant(struct dot *d, uint32_t constant, const struct xpd_shape *shape)
{
    const struct xpd_shape *own = d->hlo->instructions.shape[constant];
    struct xpd_strbuf value = {0}, text = {0};
    struct xpd_str name = name_of(d, constant);
    if (is_empty_array(shape)) {
        xpd_strbuf_puts(&text, "{} (");
        xpd_shape_text(&text, own, false);
        xpd_strbuf_putc(&text, ')');
    } else if (xpd_hlo_print_value(d->printer, constant, VALUE_ELEMENTS, &value) &&
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
    put_escaped(d->out, whole(&text));
    xpd_strbuf_fini(&value);
    xpd_strbuf_fini(&text);
}

static void put_element(struct dot *d, uint32_t i)
{
    struct xpd_strbuf text = {0};
    uint32_t from = operand_of(d, i, 0);
    xpd_strbuf_printf(d->out, "tuple-element %lld of ",
                      (long long)d->hlo->instructions.tuple_index[i]);
    if (from != XPD_NO_INDEX)
        put_escaped(d->out, name_of(d, from));
    xpd_strbuf_putc(d->out, ' ');
    xpd_shape_text(&text, d->hlo->instructions.shape[i], true);
    put_escaped(d->out, whole(&text));
    xpd_strbuf_fini(&text);
}

static void put_operand_label(struct dot *d, uint32_t number, bool only)
{
    put_line(d);
    if (only)
        xpd_strbuf_puts(d->out, "<b>operand</b> = ");
    else
        xpd_strbuf_printf(d->out, "<b>operand %u</b> = ", number);
}

/* False when the operand has a node of its own. */
static bool put_operand(struct dot *d, uint32_t operand, uint32_t number, bool only)
{
    const struct xpd_shape *shape = d->hlo->instructions.shape[operand];
    uint32_t broadcast = xpd_graph_broadcast_of(d->g, operand);
    uint32_t constant = is(d, operand, "constant") ? operand : broadcast;
    bool merged = constant == XPD_NO_INDEX && xpd_graph_merges(d->g, operand);
    if (constant == XPD_NO_INDEX && !merged)
        return false;
    put_operand_label(d, number, only);
    if (constant != XPD_NO_INDEX) {
        put_constant(d, constant, shape);
    } else if (is(d, operand, "parameter")) {
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

static void put_operands(struct dot *d, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &d->hlo->instructions;
    uint32_t first = ins->operand_first[i], count = ins->operand_first[i + 1] - first, lines = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (ins->operand[first + k] != XPD_NO_INDEX)
            lines += put_operand(d, ins->operand[first + k], k, count == 1);
        if (lines == OPERANDS_MAX && k + 1 < count) {
            put_line(d);
            xpd_strbuf_puts(d->out, "...");
            break;
        }
    }
    uint32_t fusion = d->g->index->fusion_of[ins->computation[i]];
    if (!is(d, i, "parameter") || fusion == XPD_NO_INDEX)
        return;
    int64_t number = ins->parameter_number[i];
    uint32_t input =
        number >= 0 && number < UINT32_MAX ? operand_of(d, fusion, (uint32_t)number) : XPD_NO_INDEX;
    if (input != XPD_NO_INDEX && is(d, input, "get-tuple-element")) {
        put_line(d);
        put_element(d, input);
    }
}

static void put_config(struct dot *d, uint32_t i)
{
    struct xpd_str config = d->show_config ? xpd_hlo_config(d->printer, i) : XPD_STR("");
    if (config.size == 0)
        return;
    put_line(d);
    xpd_strbuf_puts(d->out, "backend_config=\"");
    put_escaped(d->out, config);
    xpd_strbuf_putc(d->out, '"');
}

/* ---- statements ---- */

static void put_tooltip(struct dot *d, uint32_t i)
{
    struct xpd_source_info source;
    xpd_source_of(d->hlo, i, &source);
    put_quoted(d->out, source.op_name);
    if (source.file.size) {
        xpd_strbuf_puts(d->out, source.op_name.size ? "\nsource: " : "source: ");
        put_quoted(d->out, source.file);
        xpd_strbuf_printf(d->out, ":%d", source.line);
    }
}

static const char *shape_word(const struct dot *d, const struct xpd_graph_node *node)
{
    if (node->state == XPD_NODE_HIGHLIGHT)
        return "diamond";
    return is(d, node->instruction, "while") ? "ellipse" : "rect";
}

static void put_colours(struct dot *d, const struct xpd_graph_node *node)
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

static void put_node(struct dot *d, const struct xpd_graph_node *node)
{
    uint32_t i = node->instruction;
    xpd_strbuf_printf(d->out, "%u [label=<", i);
    put_title(d, i);
    put_trivial(d, i);
    put_extra(d, i);
    put_operands(d, i);
    put_config(d, i);
    xpd_strbuf_printf(d->out, ">, shape=%s, tooltip=\"", shape_word(d, node));
    put_tooltip(d, i);
    xpd_strbuf_puts(d->out, "\", ");
    put_colours(d, node);
    xpd_strbuf_puts(d->out, "];\n");
}

static void put_cluster_label(struct dot *d, const struct xpd_graph_cluster *cluster)
{
    xpd_strbuf_puts(d->out, cluster->is_fusion ? "label=<Fused expression for <b>"
                                               : "label=<Subcomputation for <b>");
    put_escaped(d->out, name_of(d, cluster->caller));
    xpd_strbuf_puts(d->out, "</b>");
    if (cluster->is_fusion) {
        put_extra(d, cluster->caller);
        put_config(d, cluster->caller);
    } else {
        put_line(d);
        put_escaped(d->out, xpd_hlo_text(d->hlo, d->hlo->computations.name[cluster->computation]));
    }
    xpd_strbuf_puts(d->out, ">;\nlabelloc=t;\ntooltip=\" \";\n");
    if (cluster->is_fusion)
        xpd_strbuf_puts(d->out, "style=\"rounded,filled,bold\"; fillcolor=\"#f5f5f5\"; "
                                "color=\"#c2c2c2\";\n");
    else
        xpd_strbuf_puts(d->out, "style=\"rounded\"; color=\"black\";\n");
}

/* Nodes of a cluster, and the clusters within it. */
static void put_inside(struct dot *d, uint32_t cluster)
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

static void put_edges(struct dot *d)
{
    for (uint32_t i = 0; i < d->g->edge_count; i++) {
        const struct xpd_graph_edge *edge = &d->g->edge[i];
        const struct xpd_hlo_instructions *ins = &d->hlo->instructions;
        bool numbered = edge->kind == XPD_EDGE_OPERAND &&
                        ins->operand_first[edge->to + 1] - ins->operand_first[edge->to] > 1;
        xpd_strbuf_printf(d->out, "%u -> %u [arrowhead=%s tooltip=\"", edge->from, edge->to,
                          edge->is_small ? "empty" : "normal");
        put_quoted(d->out, name_of(d, edge->from));
        xpd_strbuf_puts(d->out, " -> ");
        put_quoted(d->out, name_of(d, edge->to));
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

static void put_graph_title(struct dot *d)
{
    const struct xpd_graph *g = d->g;
    uint32_t fusion = g->index->fusion_of[g->computation];
    xpd_strbuf_puts(d->out, "label = <<b>");
    if (g->center != XPD_NO_INDEX) {
        xpd_strbuf_printf(d->out, "Neighborhood of %u nodes around ", g->options.radius);
        put_escaped(d->out, name_of(d, g->center));
        put_line(d);
    }
    xpd_strbuf_puts(d->out, "Computation ");
    put_escaped(d->out, xpd_hlo_text(d->hlo, d->hlo->computations.name[g->computation]));
    if (g->computation == d->hlo->entry) {
        xpd_strbuf_puts(d->out, "<br/>ENTRY computation");
    } else if (fusion != XPD_NO_INDEX) {
        xpd_strbuf_puts(d->out, "<br/>(in fusion instruction ");
        put_escaped(d->out, name_of(d, fusion));
        xpd_strbuf_putc(d->out, ')');
    }
    xpd_strbuf_puts(d->out, "</b>>;\n");
}

void xpd_graph_dot(const struct xpd_graph *graph, struct xpd_hlo_printer *printer, bool show_config,
                   struct xpd_strbuf *out)
{
    struct dot d = {graph, graph->hlo, printer, out, show_config};
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
