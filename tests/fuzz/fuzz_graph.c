/* A HloProto through everything that is asked about its graph, with what must hold of any file:
 * lines of the index are those of the text, edges join nodes, nothing is left out uncounted, the
 * rows of the tree add up, the pixels of the order hold all of it. */
#include "must.h"

#include "xprofd/explain/parts.h"
#include "xprofd/graph/dot.h"
#include "xprofd/graph/order.h"
#include "xprofd/graph/path.h"
#include "xprofd/graph/search.h"
#include "xprofd/graph/totals.h"
#include "xprofd/graph/tree.h"
#include "xprofd/graph/view.h"

#include <string.h>

enum { ARENA = 256 << 20, TEXT = 8 << 20, SAMPLES = 12 };

struct input {
    struct xpd_hlo *hlo;
    struct xpd_hlo_printer *printer;
    struct xpd_graph_index index;
    struct xpd_costs costs;
    struct xpd_outline_index tree;
    struct xpd_arena kept, arena; /* of the tables; of one question */
};

static uint32_t sample(uint32_t k, uint32_t count)
{
    return count <= SAMPLES ? k : (uint32_t)((uint64_t)k * count / SAMPLES);
}

static uint32_t samples(uint32_t count)
{
    return count < SAMPLES ? count : SAMPLES;
}

/* ---- the index ---- */

static void check_lines(struct input *in)
{
    struct xpd_strbuf text = {.limit_bytes = TEXT};
    const struct xpd_graph_index *index = &in->index;
    xpd_hlo_print_module(in->printer, XPD_PRINT_LONG | XPD_PRINT_METADATA, &text, NULL);
    uint32_t line = 1, next = 0;
    for (size_t at = 0; !text.failed && at < text.size; line++) {
        for (; next < index->order_count &&
               (index->place[index->order[next]] != next || index->line[index->order[next]] < line);
             next++)
            MUST(index->place[index->order[next]] != next);
        if (next < index->order_count && index->line[index->order[next]] == line) {
            uint32_t i = index->order[next++];
            struct xpd_str name = xpd_hlo_text(in->hlo, in->hlo->instructions.name[i]);
            size_t skip = at + 2 < text.size && text.data[at + 2] == 'R' ? 8 : 3;
            MUST(at + skip + name.size <= text.size);
            MUST(name.size == 0 || memcmp(text.data + at + skip, name.data, name.size) == 0);
        }
        const char *end = memchr(text.data + at, '\n', text.size - at);
        at = end ? (size_t)(end - text.data) + 1 : text.size;
    }
    MUST(text.failed || next == index->order_count || index->place[index->order[next]] != next);
    MUST(text.failed || line - 1 == index->line_count);
    xpd_strbuf_fini(&text);
}

/* ---- pictures ---- */

static void put_line(void *to, struct xpd_str line)
{
    *(size_t *)to += line.size;
}

static void check_view(const struct input *in, const struct xpd_graph_view *view, uint32_t limit)
{
    size_t lines = 0;
    MUST(view->node_count <= limit);
    MUST(view->center == XPD_NO_INDEX || view->center_node < view->node_count ||
         view->center_node == XPD_NO_INDEX);
    for (uint32_t k = 0; k < view->node_count; k++) {
        const struct xpd_view_node *node = &view->node[k];
        MUST(node->instruction < in->hlo->instructions.count && node->times > 0);
        MUST(node->cluster == XPD_NO_INDEX || node->cluster < view->cluster_count);
        MUST(node->body == XPD_NO_INDEX || node->body < view->cluster_count);
        MUST(node->operands_hidden <= node->operands && node->users_hidden <= node->users);
        xpd_view_lines(&in->index, node->instruction, k % 2, put_line, &lines);
    }
    for (uint32_t k = 0; k < view->edge_count; k++)
        MUST(view->edge[k].from < view->node_count && view->edge[k].to < view->node_count &&
             view->edge[k].value < in->hlo->instructions.count);
    for (uint32_t k = 0; k < view->stub_count; k++)
        MUST(view->stub[k].node < view->node_count &&
             view->stub[k].other < in->hlo->instructions.count);
    for (uint32_t k = 0; k < view->cluster_count; k++)
        MUST(view->cluster[k].parent == XPD_NO_INDEX || view->cluster[k].parent < k);
}

static void check_around(struct input *in, uint32_t i, uint32_t computation)
{
    struct xpd_view_options options = {
        .radius = 2, .users = 4, .limit = 60, .far_lines = 30, .expand = &i, .expand_count = 1};
    struct xpd_graph_options all = {2, i % 2};
    struct xpd_graph_view view;
    struct xpd_graph *graph;
    options.expand_count = i != XPD_NO_INDEX;
    options.merge_fusions = i % 3 == 0;
    MUST(xpd_view_make(&view, &in->arena, &in->index, i, computation, &options, NULL) == XPD_OK);
    MUST(i == XPD_NO_INDEX || view.center_node != XPD_NO_INDEX);
    check_view(in, &view, options.limit);
    if (xpd_graph_make(&graph, &in->index, i, computation, &all, NULL) == XPD_OK) {
        struct xpd_strbuf dot = {.limit_bytes = TEXT};
        MUST(xpd_view_of_graph(&view, &in->arena, graph, 200, NULL) == XPD_OK);
        check_view(in, &view, 200);
        xpd_graph_dot(graph, in->printer, true, &dot);
        xpd_strbuf_fini(&dot);
        xpd_graph_free(graph);
    }
    xpd_arena_reset(&in->arena);
}

/* ---- explanations ---- */

/* Any instruction is explained; the segments joined are never longer than text and the words that
 * stand for what is cut. */
static void check_explained(struct input *in, uint32_t i)
{
    struct xpd_hlo_line line;
    struct xpd_explain_from from = {.hlo = in->hlo, .costs = &in->costs, .instruction = i};
    struct xpd_parts *parts = XPD_NEW(&in->arena, struct xpd_parts);
    MUST(parts && xpd_line_of(&line, &in->arena, in->hlo, in->printer, i, NULL) == XPD_OK);
    MUST(xpd_str_eq(line.name, xpd_hlo_text(in->hlo, in->hlo->instructions.name[i])));
    MUST(line.shape && line.text.size >= line.name.size + line.opcode.size);
    MUST(xpd_parts_of(parts, &in->arena, &line, &from, NULL) == XPD_OK);
    MUST(parts->count >= 2 && parts->count <= XPD_PARTS_MOST);
    for (uint32_t k = 0; k < parts->segment_count; k++)
        MUST(parts->segment[k].part <= parts->count);
    xpd_arena_reset(&in->arena);
}

/* ---- sums ---- */

static void check_totals(struct input *in)
{
    struct xpd_opcode_totals totals;
    struct xpd_calls calls;
    struct xpd_layout_changes changes;
    int64_t ops = 0;
    MUST(xpd_graph_opcodes(&totals, &in->arena, &in->index, &in->costs, XPD_NO_INDEX, NULL) ==
         XPD_OK);
    for (uint32_t k = 0; k < totals.count; k++)
        ops += totals.at[k].sum.ops;
    MUST((uint64_t)ops == totals.instructions &&
         totals.instructions == in->hlo->instructions.count);
    MUST(xpd_graph_calls(&calls, &in->arena, &in->index, 50, NULL) == XPD_OK);
    MUST(calls.count <= 50);
    MUST(xpd_graph_layout_changes(&changes, &in->arena, &in->index, &in->costs, 10, NULL) ==
         XPD_OK);
    MUST(changes.count <= 10 && changes.count <= changes.total);
    xpd_arena_reset(&in->arena);
}

/* ---- ways ---- */

static void check_ways(struct input *in, uint32_t a, uint32_t b)
{
    struct xpd_path path;
    struct xpd_reach reach;
    uint32_t n = in->hlo->instructions.count;
    MUST(xpd_graph_path(&path, &in->arena, &in->index, a, b, NULL) == XPD_OK);
    MUST(path.found == (path.count > 0) && path.count <= n);
    if (path.found) {
        MUST(path.instruction[0] == (path.reversed ? b : a));
        MUST(path.instruction[path.count - 1] == (path.reversed ? a : b));
    }
    MUST(xpd_graph_reach(&reach, &in->arena, &in->index, a, 3, 7, 50, NULL) == XPD_OK);
    MUST(reach.count >= 1 && reach.count <= 50 && reach.instruction[0] == a);
    for (uint32_t k = 1; k < reach.count; k++)
        MUST(reach.distance[k] >= reach.distance[k - 1] && reach.distance[k] <= 3);
    xpd_arena_reset(&in->arena);
}

static void check_computation(struct input *in, uint32_t c)
{
    struct xpd_order order;
    struct xpd_critical critical;
    int64_t width = 0;
    MUST(xpd_graph_order(&order, &in->arena, &in->index, in->costs.cycles, c, 37, NULL) == XPD_OK);
    for (uint32_t p = 0; p < order.pixels; p++)
        width += order.pixel[p].width;
    MUST(width == order.total);
    MUST(xpd_graph_critical(&critical, &in->arena, &in->index, in->costs.cycles, c, NULL) ==
         XPD_OK);
    int64_t length = 0;
    for (uint32_t k = 0; k < critical.count; k++)
        if (__builtin_add_overflow(length, critical.own[k], &length))
            length = INT64_MAX;
    MUST(length <= critical.length || critical.length == INT64_MAX);
    xpd_arena_reset(&in->arena);
    check_around(in, XPD_NO_INDEX, c);
}

/* ---- the tree ---- */

static int64_t check_level(struct input *in, struct xpd_str key, int depth)
{
    struct xpd_outline level;
    int64_t ops = 0;
    MUST(xpd_outline_level(&level, &in->arena, &in->index, &in->tree, &in->costs, key, NULL) ==
         XPD_OK);
    MUST(level.count <= XPD_OUTLINE_ROWS_MAX);
    for (uint32_t k = 0; k < level.count; k++) {
        const struct xpd_outline_row *row = &level.row[k];
        ops += row->sum.ops;
        if (row->has_children && depth < 4 && k < SAMPLES)
            MUST(check_level(in, row->key, depth + 1) == row->sum.ops);
    }
    return ops;
}

static bool holds_dot(void *self, struct xpd_str text)
{
    (void)self;
    return text.size && memchr(text.data, '.', text.size);
}

static void check_all(struct input *in)
{
    const struct xpd_hlo *hlo = in->hlo;
    struct xpd_heaviest heaviest;
    struct xpd_found found;
    check_lines(in);
    for (uint32_t k = 0; k < samples(hlo->instructions.count); k++) {
        uint32_t i = sample(k, hlo->instructions.count);
        check_around(in, i, XPD_NO_INDEX);
        check_explained(in, i);
        check_ways(in, i,
                   sample(samples(hlo->instructions.count) - 1 - k, hlo->instructions.count));
    }
    for (uint32_t k = 0; k < samples(hlo->computations.count); k++)
        check_computation(in, sample(k, hlo->computations.count));
    check_totals(in);
    check_level(in, XPD_STR(""), 0);
    MUST(xpd_graph_heaviest(&heaviest, &in->arena, &in->index, &in->tree, &in->costs, NULL, 30,
                            NULL) == XPD_OK);
    for (uint32_t k = 1; k < heaviest.count; k++)
        MUST(heaviest.at[k - 1].weight >= heaviest.at[k].weight);
    MUST(xpd_graph_search(&found, &in->arena, &in->index, XPD_FIND_ALL, 1, 10, holds_dot, NULL,
                          NULL) == XPD_OK);
    MUST(found.count <= 10 && found.total <= hlo->instructions.count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {0};
    struct xpd_hlo_limits limits = {.arena_bytes = ARENA};
    if (xpd_hlo_load(&in.hlo, data, size, 0, "input", &limits, NULL) != XPD_OK)
        return 0;
    if (xpd_hlo_printer_new(&in.printer, in.hlo, data, size, NULL) == XPD_OK &&
        xpd_graph_index_make(&in.index, &in.kept, in.hlo, in.printer, NULL) == XPD_OK &&
        xpd_costs_make(&in.costs, &in.kept, in.hlo, data, size, NULL) == XPD_OK &&
        xpd_outline_index_make(&in.tree, &in.kept, &in.index, &in.costs, NULL) == XPD_OK)
        check_all(&in);
    xpd_arena_fini(&in.arena);
    xpd_arena_fini(&in.kept);
    xpd_hlo_printer_free(in.printer);
    xpd_hlo_free(in.hlo);
    return 0;
}
