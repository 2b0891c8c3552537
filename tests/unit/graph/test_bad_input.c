/* What a file may hold that no compiler writes (issue 5, 7): the rest is drawn, with a note;
 * nothing crashes, and no name gets out of its place in the DOT text. */
#include "graph_test.h"
#include "xprofd/graph/dot.h"
#include "xprofd/graph/order.h"
#include "xprofd/graph/path.h"
#include "xprofd/graph/tree.h"

static const struct xpd_view_options plain = {
    .radius = 2, .users = 16, .limit = 300, .far_lines = 300};

static const struct xpd_view_node *node_of(const struct xpd_graph_view *view, uint32_t i)
{
    for (uint32_t k = 0; k < view->node_count; k++)
        if (view->node[k].instruction == i)
            return &view->node[k];
    fail_msg("no node for instruction %u", i);
    return NULL;
}

/* Everything that is asked about an instruction and its computation. Returns the folded picture. */
static struct xpd_graph_view ask_all(struct gt *t, uint32_t i, struct xpd_strbuf *dot)
{
    struct xpd_graph_view view, all;
    struct xpd_graph *graph;
    struct xpd_graph_options options = {2, false};
    struct xpd_order order;
    struct xpd_path path;
    struct xpd_costs costs;
    struct xpd_outline_index tree;
    struct xpd_outline level;
    uint32_t computation = t->hlo->instructions.computation[i];
    assert_int_equal(
        xpd_view_make(&view, &t->arena, &t->index, XPD_NO_INDEX, computation, &plain, NULL), 0);
    assert_int_equal(xpd_graph_make(&graph, &t->index, XPD_NO_INDEX, computation, &options, NULL),
                     0);
    assert_int_equal(xpd_view_of_graph(&all, &t->arena, graph, 300, NULL), 0);
    if (dot)
        xpd_graph_dot(graph, t->printer, true, dot);
    xpd_graph_free(graph);
    assert_int_equal(xpd_costs_make(&costs, &t->arena, t->hlo, t->bytes.data, t->bytes.len, NULL),
                     0);
    assert_int_equal(
        xpd_graph_order(&order, &t->arena, &t->index, costs.cycles, computation, 10, NULL), 0);
    assert_int_equal(xpd_graph_path(&path, &t->arena, &t->index, i, 0, NULL), 0);
    assert_int_equal(xpd_outline_index_make(&tree, &t->arena, &t->index, &costs, NULL), 0);
    assert_int_equal(
        xpd_outline_level(&level, &t->arena, &t->index, &tree, &costs, XPD_STR(""), NULL), 0);
    assert_int_equal(xpd_view_make(&view, &t->arena, &t->index, i, XPD_NO_INDEX, &plain, NULL), 0);
    return view;
}

static void unknown_opcodes_are_drawn(void **state)
{
    (void)state;
    struct gt t;
    gt_begin(&t);
    hb_begin_computation(&t.hb, "main", 1, false);
    gt_add(&t, "p", "parameter", 1, &gt_big, "");
    gt_add(&t, "x", "frobnicate-start", 2, &gt_big, "1");
    gt_add(&t, "y", "frobnicate-done", 3, &gt_big, "2");
    gt_add(&t, "z", "", 4, &gt_big, "3");
    hb_end_computation(&t.hb, 4);
    gt_load(&t);
    struct xpd_graph_view view = ask_all(&t, gt_find(&t, "z"), NULL);
    assert_int_equal(view.node_count, 3); /* an unknown pair is a pair */
    gt_free(&t);
}

static void what_is_named_and_not_there_is_noted(void **state)
{
    (void)state;
    struct gt t;
    gt_begin(&t);
    hb_begin_computation(&t.hb, "main", 1, false);
    gt_add(&t, "p", "parameter", 1, &gt_big, "");
    gt_add_more(&t, "f", "fusion", 2, &gt_big, "1 77", 99, 0);
    gt_add(&t, "g", "fusion", 3, &gt_big, "2");
    hb_end_computation(&t.hb, 55); /* a root that does not exist */
    gt_load(&t);
    struct xpd_graph_view view = ask_all(&t, gt_find(&t, "f"), NULL);
    assert_string_equal(node_of(&view, gt_find(&t, "f"))->note, "its body is not in the profile");
    assert_string_equal(node_of(&view, gt_find(&t, "g"))->note, "a fusion that names no body");
    assert_int_equal(view.node_count, 3);
    gt_free(&t);
}

static void circles_end(void **state)
{
    (void)state;
    struct gt t;
    gt_begin(&t);
    hb_begin_computation(&t.hb, "main", 1, false);
    gt_add(&t, "a", "bitcast", 1, &gt_big, "2"); /* of each other, and folded */
    gt_add(&t, "b", "bitcast", 2, &gt_big, "1");
    gt_add(&t, "c", "get-tuple-element", 3, &gt_big, "3"); /* of itself */
    gt_add(&t, "u", "async-update", 4, &gt_big, "5");
    gt_add(&t, "v", "async-update", 5, &gt_big, "4");
    gt_add(&t, "d", "async-done", 6, &gt_big, "5");
    gt_add(&t, "x", "add", 7, &gt_big, "1 3 8");
    gt_add_more(&t, "y", "call", 8, &gt_big, "7", 1, 0); /* calls its own computation */
    hb_end_computation(&t.hb, 8);
    gt_load(&t);
    for (uint32_t i = 0; i < t.hlo->instructions.count; i++)
        ask_all(&t, i, NULL);
    gt_free(&t);
}

static void a_hundred_thousand_operands(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    struct gt t;
    int64_t *ids = calloc(MANY, sizeof *ids);
    assert_non_null(ids);
    for (int k = 0; k < MANY; k++)
        ids[k] = 1 + k % 3;
    gt_begin(&t);
    hb_begin_computation(&t.hb, "main", 1, false);
    gt_add_more(&t, "p", "parameter", 1, &gt_big, "", 0, 0);
    gt_add_more(&t, "q", "parameter", 2, &gt_big, "", 0, 1);
    gt_add_more(&t, "r", "parameter", 3, &gt_big, "", 0, 2);
    hb_instruction(&t.hb, &(struct hb_instr){.name = "all",
                                             .opcode = "concatenate",
                                             .id = 4,
                                             .shape = &gt_big,
                                             .operands = ids,
                                             .n_operands = MANY});
    hb_end_computation(&t.hb, 4);
    gt_load(&t);
    struct xpd_graph_view view = ask_all(&t, gt_find(&t, "all"), NULL);
    assert_int_equal(view.node_count, 4);
    assert_int_equal(node_of(&view, gt_find(&t, "all"))->operands, MANY);
    assert_true(view.edge_count <= 3 * XPD_VIEW_EDGES_A_NODE);
    assert_int_equal(view.edge_count + view.edges_dropped, MANY); /* counted, not lost */
    free(ids);
    gt_free(&t);
}

static void no_entry_and_lying_layouts(void **state)
{
    (void)state;
    struct gt t;
    struct hb_shape lies = {.type = HB_F32, .rank = 2, .dims = {4, 4}, .layout = HB_MINOR};
    lies.minor[0] = 7; /* a dimension that is not there, twice */
    lies.minor[1] = 7;
    lies.tiles[0][0] = -5;
    struct hb_shape huge = {
        .type = HB_F32, .rank = 3, .dims = {INT64_MAX, INT64_MAX, 3}, .layout = HB_DESCENDING};
    gt_begin(&t);
    t.hb.entry_name = "elsewhere";
    t.hb.entry_id = 1234;
    hb_begin_computation(&t.hb, "main", 1, false);
    gt_add(&t, "p", "parameter", 1, &lies, "");
    gt_add(&t, "k", "constant", 2, &huge, ""); /* no literal at all */
    gt_add(&t, "x", "add", 3, &huge, "1 2");
    hb_end_computation(&t.hb, 3);
    gt_load(&t);
    assert_int_equal(t.hlo->entry, XPD_NO_INDEX);
    struct xpd_graph_view view = ask_all(&t, gt_find(&t, "x"), NULL);
    assert_int_equal(view.node_count, 2);
    gt_free(&t);
}

/* ---- names that want out ---- */

/* The text outside of "..." and <...> must not hold the word. */
static void stays_inside(struct xpd_str dot, const char *word)
{
    size_t size = strlen(word);
    int depth = 0;
    bool quoted = false;
    for (size_t at = 0; at < dot.size; at++) {
        char c = dot.data[at];
        if (!quoted && depth == 0 && at + size <= dot.size &&
            memcmp(dot.data + at, word, size) == 0)
            fail_msg("%s got out at byte %zu", word, at);
        if (quoted && c == '\\')
            at++;
        else if (depth == 0 && c == '"')
            quoted = !quoted;
        else if (!quoted && depth == 0 && c == '-')
            at++; /* an arrow */
        else if (!quoted && (c == '<' || c == '>'))
            depth += c == '<' ? 1 : -1;
        assert_true(depth >= 0);
    }
    assert_false(quoted);
    assert_int_equal(depth, 0);
}

static void names_do_not_break_out_of_dot(void **state)
{
    (void)state;
    static const char *const names[] = {"a\"]; evil [",   "b\\",           "c\\\"]; evil [",
                                        "d>]; evil <",    "e`${evil}`",    "f<script>evil</script>",
                                        "g\n]; evil [\n", "h&lt;evil&#60;"};
    struct gt t;
    struct xpd_strbuf dot = {0};
    enum { COUNT = sizeof names / sizeof names[0] };
    gt_begin(&t);
    hb_begin_computation(&t.hb, "main\\", 1, false);
    gt_add(&t, "p", "parameter", 1, &gt_big, "");
    for (int k = 0; k < COUNT; k++) {
        const int64_t operand = 1 + k;
        hb_instruction(&t.hb, &(struct hb_instr){.name = names[k],
                                                 .opcode = names[COUNT - 1 - k],
                                                 .id = 2 + k,
                                                 .shape = &gt_big,
                                                 .op_name = names[k],
                                                 .source_file = names[k],
                                                 .operands = &operand,
                                                 .n_operands = 1,
                                                 .backend_config = names[k]});
    }
    hb_end_computation(&t.hb, 1 + COUNT);
    gt_load(&t);
    ask_all(&t, 3, &dot);
    assert_non_null(dot.data);
    stays_inside((struct xpd_str){dot.data, dot.size}, "evil");
    assert_null(strstr(dot.data, "<script"));
    xpd_strbuf_fini(&dot);
    gt_free(&t);
}

static void names_of_a_megabyte(void **state)
{
    (void)state;
    enum { MEGABYTE = 1 << 20 };
    struct gt t;
    char *name = malloc(MEGABYTE + 1);
    assert_non_null(name);
    memset(name, 'n', MEGABYTE);
    name[MEGABYTE] = '\0';
    gt_begin(&t);
    hb_begin_computation(&t.hb, "main", 1, false);
    gt_add(&t, "p", "parameter", 1, &gt_big, "");
    gt_add(&t, name, "abs", 2, &gt_big, "1");
    hb_end_computation(&t.hb, 2);
    gt_load(&t);
    struct xpd_graph_view view = ask_all(&t, gt_find(&t, "p"), NULL);
    assert_int_equal(view.node_count, 2);
    free(name);
    gt_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_opcodes_are_drawn),
        cmocka_unit_test(what_is_named_and_not_there_is_noted),
        cmocka_unit_test(circles_end),
        cmocka_unit_test(a_hundred_thousand_operands),
        cmocka_unit_test(no_entry_and_lying_layouts),
        cmocka_unit_test(names_do_not_break_out_of_dot),
        cmocka_unit_test(names_of_a_megabyte),
    };
    return cmocka_run_group_tests_name("graph_bad_input", tests, NULL, NULL);
}
