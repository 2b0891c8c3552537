/* The folded neighbourhood on small modules, counted by hand: what is folded, what stays, what is
 * said of the rest. */
#include "graph_test.h"

static const struct xpd_view_options plain = {
    .radius = 1, .users = 16, .limit = 300, .far_lines = 300};

static void around(struct gt *t, struct xpd_graph_view *view, const char *name,
                   const struct xpd_view_options *options)
{
    assert_int_equal(
        xpd_view_make(view, &t->arena, &t->index, gt_find(t, name), XPD_NO_INDEX, options, NULL),
        0);
}

/* "a b c": the names of the nodes, sorted by name. */
static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *names(const struct gt *t, const struct xpd_graph_view *view)
{
    static char text[1024];
    const char *name[64];
    assert_true(view->node_count < 64);
    for (uint32_t k = 0; k < view->node_count; k++)
        name[k] = gt_name(t, view->node[k].instruction);
    qsort(name, view->node_count, sizeof *name, by_name);
    text[0] = '\0';
    for (uint32_t k = 0; k < view->node_count; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", k ? " " : "", name[k]);
    return text;
}

/* "a>b.0": edges in the order of their users, with the element of a tuple behind ':'. */
static const char *edges(const struct gt *t, const struct xpd_graph_view *view)
{
    static char text[1024];
    text[0] = '\0';
    for (uint32_t k = 0; k < view->edge_count; k++) {
        const struct xpd_view_edge *edge = &view->edge[k];
        char element[32] = "";
        if (edge->element >= 0)
            snprintf(element, sizeof element, ":%lld", (long long)edge->element);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s>%s.%u", k ? " " : "",
                 gt_name(t, view->node[edge->from].instruction), element,
                 gt_name(t, view->node[edge->to].instruction), edge->operand);
    }
    return text;
}

static const struct xpd_view_node *node(const struct gt *t, const struct xpd_graph_view *view,
                                        const char *name)
{
    for (uint32_t k = 0; k < view->node_count; k++)
        if (strcmp(gt_name(t, view->node[k].instruction), name) == 0)
            return &view->node[k];
    fail_msg("no node %s", name);
    return NULL;
}

/* copy-start and copy-done are one node, the bitcast and the constant none. */
static void pairs_bitcasts_and_constants_fold(void **state)
{
    (void)state;
    struct gt t;
    struct xpd_graph_view view;
    gt_begin(&t);
    hb_begin_computation(&t.hb, "main", 1, false);
    gt_add(&t, "p", "parameter", 1, &gt_big, "");
    gt_add(&t, "cs", "copy-start", 2, &gt_big, "1");
    gt_add(&t, "cd", "copy-done", 3, &gt_big, "2");
    gt_add(&t, "b", "bitcast", 4, &gt_big, "3");
    gt_add(&t, "k", "constant", 5, &gt_small, "");
    gt_add(&t, "s", "add", 6, &gt_big, "4 5");
    hb_end_computation(&t.hb, 6);
    gt_load(&t);
    around(&t, &view, "cd", &plain);
    assert_string_equal(names(&t, &view), "cs p s");
    assert_string_equal(edges(&t, &view), "p>cs.0 cs>s.0");
    assert_int_equal(view.node[view.center_node].instruction, gt_find(&t, "cs"));
    assert_int_equal(node(&t, &view, "cs")->pair, gt_find(&t, "cd"));
    assert_int_equal(node(&t, &view, "cs")->state, XPD_NODE_HIGHLIGHT);
    assert_int_equal(node(&t, &view, "s")->operands, 1);
    assert_int_equal(node(&t, &view, "s")->operands_hidden, 0);
    around(&t, &view, "b", &plain); /* what is asked for has a node of its own */
    assert_string_equal(names(&t, &view), "b cs s");
    assert_string_equal(edges(&t, &view), "cs>b.0 b>s.0");
    gt_free(&t);
}

/* An element of a tuple that is put together in sight is what went in. */
static void elements_lead_to_what_went_into_the_tuple(void **state)
{
    (void)state;
    struct gt t;
    struct xpd_graph_view view;
    const struct hb_shape both[2] = {gt_big, gt_small};
    const struct hb_shape pair = {.type = HB_TUPLE, .elements = both, .n_elements = 2};
    gt_begin(&t);
    hb_begin_computation(&t.hb, "main", 1, false);
    gt_add_more(&t, "p", "parameter", 1, &gt_big, "", 0, 0);
    gt_add_more(&t, "q", "parameter", 2, &gt_small, "", 0, 1);
    gt_add(&t, "tup", "tuple", 3, &pair, "1 2");
    gt_add_more(&t, "e", "get-tuple-element", 4, &gt_small, "3", 0, 1);
    gt_add(&t, "n", "negate", 5, &gt_small, "4");
    gt_add(&t, "cc", "custom-call", 6, &pair, "5");
    gt_add_more(&t, "f", "get-tuple-element", 7, &gt_big, "6", 0, 0);
    gt_add(&t, "m", "abs", 8, &gt_big, "7");
    hb_end_computation(&t.hb, 8);
    gt_load(&t);
    around(&t, &view, "n", &plain);
    assert_string_equal(names(&t, &view), "cc n q");
    assert_string_equal(edges(&t, &view), "q>n.0 n>cc.0");
    around(&t, &view, "m", &plain);
    assert_string_equal(edges(&t, &view), "cc:0>m.0");
    around(&t, &view, "q", &plain); /* its users: the tuple, and n through the tuple */
    assert_string_equal(names(&t, &view), "n q tup");
    assert_int_equal(node(&t, &view, "q")->users, 2);
    assert_int_equal(node(&t, &view, "tup")->operands_hidden, 1);
    assert_int_equal(node(&t, &view, "tup")->state, XPD_NODE_SOME_OPERANDS);
    gt_free(&t);
}

static void equal_slices_are_one_node(void **state)
{
    (void)state;
    struct gt t;
    struct xpd_graph_view view;
    gt_begin(&t);
    hb_begin_computation(&t.hb, "main", 1, false);
    gt_add(&t, "p", "parameter", 1, &gt_big, "");
    gt_add(&t, "s0", "slice", 2, &gt_half, "1");
    gt_add(&t, "s1", "slice", 3, &gt_half, "1");
    gt_add(&t, "other", "slice", 4, &gt_small, "1");
    gt_add(&t, "a", "abs", 5, &gt_half, "2");
    gt_add(&t, "b", "abs", 6, &gt_half, "3");
    hb_end_computation(&t.hb, 6);
    gt_load(&t);
    struct xpd_view_options two = plain;
    two.radius = 2;
    around(&t, &view, "p", &two);
    assert_string_equal(names(&t, &view), "a b other p s0");
    assert_int_equal(node(&t, &view, "s0")->times, 2);
    assert_int_equal(node(&t, &view, "s0")->users, 2);
    assert_string_equal(edges(&t, &view), "p>s0.0 p>other.0 s0>a.0 s0>b.0");
    around(&t, &view, "s0", &two); /* the one asked for is no longer among them */
    assert_string_equal(names(&t, &view), "a other p s0 s1");
    assert_int_equal(node(&t, &view, "s0")->times, 1);
    assert_int_equal(node(&t, &view, "s1")->times, 1);
    gt_free(&t);
}

/* The body stands in the fusion's place: operands go to those who read them. */
static void bodies_are_entered_by_their_readers(void **state)
{
    (void)state;
    struct gt t;
    struct xpd_graph_view view;
    gt_begin(&t);
    hb_begin_computation(&t.hb, "fused", 2, true);
    gt_add_more(&t, "fp0", "parameter", 11, &gt_big, "", 0, 0);
    gt_add_more(&t, "fp1", "parameter", 12, &gt_big, "", 0, 1);
    gt_add(&t, "mul", "multiply", 13, &gt_big, "11 12");
    gt_add(&t, "neg", "negate", 14, &gt_big, "13");
    hb_end_computation(&t.hb, 14);
    hb_begin_computation(&t.hb, "main", 1, false);
    gt_add_more(&t, "p", "parameter", 1, &gt_big, "", 0, 0);
    gt_add_more(&t, "q", "parameter", 2, &gt_big, "", 0, 1);
    gt_add_more(&t, "fus", "fusion", 3, &gt_big, "2 1", 2, 0);
    gt_add(&t, "a", "abs", 4, &gt_big, "3");
    hb_end_computation(&t.hb, 4);
    gt_load(&t);
    around(&t, &view, "fus", &plain);
    assert_string_equal(names(&t, &view), "a fus mul neg p q");
    assert_string_equal(edges(&t, &view), "q>mul.0 p>mul.1 mul>neg.0 neg>a.0");
    assert_int_equal(node(&t, &view, "fus")->body, 0);
    assert_int_equal(node(&t, &view, "mul")->cluster, 0);
    assert_int_equal(view.cluster[0].caller, gt_find(&t, "fus"));
    assert_int_equal(view.reached, 4);
    struct xpd_view_options merged = plain;
    merged.merge_fusions = true;
    around(&t, &view, "fus", &merged);
    assert_string_equal(names(&t, &view), "a fus p q");
    assert_true(node(&t, &view, "fus")->can_expand);
    uint32_t fusion = gt_find(&t, "fus");
    merged.expand = &fusion;
    merged.expand_count = 1;
    around(&t, &view, "fus", &merged);
    assert_string_equal(names(&t, &view), "a fus mul neg p q");
    merged.limit = 5; /* fus and two of its body, then two of the three neighbours */
    around(&t, &view, "fus", &merged);
    assert_int_equal(view.node_count, 5);
    assert_int_equal(view.reached, 4);
    gt_free(&t);
}

/* 40 users: the nearest 16 are followed and the rest counted; those over 300 lines away are stubs.
 */
static void users_beyond_the_cap_are_counted(void **state)
{
    (void)state;
    struct gt t;
    struct xpd_graph_view view;
    static char name[420][16];
    gt_begin(&t);
    hb_begin_computation(&t.hb, "main", 1, false);
    gt_add(&t, "p", "parameter", 1, &gt_big, "");
    gt_add(&t, "x", "abs", 2, &gt_big, "1");
    for (int k = 0; k < 420; k++) {
        snprintf(name[k], sizeof name[k], "u%d", k);
        gt_add(&t, name[k], "negate", 10 + k, &gt_big, k < 40 || k > 417 ? "2" : "1");
    }
    hb_end_computation(&t.hb, 429);
    gt_load(&t);
    around(&t, &view, "x", &plain);
    assert_int_equal(view.node_count, 18);
    assert_int_equal(node(&t, &view, "x")->users, 42);
    assert_int_equal(node(&t, &view, "x")->users_hidden, 24);
    assert_int_equal(view.stub_count, 2);
    assert_int_equal(view.cut_edges, 2);
    assert_string_equal(gt_name(&t, view.stub[0].other), "u418");
    assert_true(view.stub[0].is_user);
    node(&t, &view, "u15");
    struct xpd_view_more more = {gt_find(&t, "x"), 32};
    struct xpd_view_keep keep = {gt_find(&t, "x"), gt_find(&t, "u419")};
    struct xpd_view_options asked = plain;
    asked.more = &more;
    asked.more_count = 1;
    asked.keep = &keep;
    asked.keep_count = 1;
    around(&t, &view, "x", &asked);
    assert_int_equal(node(&t, &view, "x")->users_hidden, 9);
    assert_int_equal(view.stub_count, 1);
    asked.far_lines = 0;
    asked.users = 100;
    around(&t, &view, "x", &asked);
    assert_int_equal(view.stub_count, 0);
    assert_int_equal(view.node_count, 44);
    gt_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_bitcasts_and_constants_fold),
        cmocka_unit_test(elements_lead_to_what_went_into_the_tuple),
        cmocka_unit_test(equal_slices_are_one_node),
        cmocka_unit_test(bodies_are_entered_by_their_readers),
        cmocka_unit_test(users_beyond_the_cap_are_counted),
    };
    return cmocka_run_group_tests_name("graph_view", tests, NULL, NULL);
}
