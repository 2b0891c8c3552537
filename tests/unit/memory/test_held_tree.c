/* A tree of bytes: sums, order and the threshold of a small one, by hand. */
#include "xprofd/memory/held_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { A = 1, B, C, A_STAR };

static uint32_t add(struct xpd_tree *tree, const uint32_t *part, const uint32_t *alias,
                    uint32_t count, int64_t bytes, int64_t padding)
{
    struct xpd_held row = {.size_bytes = bytes, .unpadded_bytes = bytes - padding};
    uint32_t node = xpd_tree_node_of(tree, part, alias, count);
    xpd_tree_add(tree, node, &row, XPD_OP_MATMUL);
    return node;
}

/* A/B 10 + 5, A itself 1, C 100. */
static void parents_are_sums(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    struct xpd_tree tree;
    assert_true(xpd_tree_init(&tree));
    const uint32_t ab[] = {A, B}, c[] = {C};
    uint32_t deep = add(&tree, ab, NULL, 2, 10, 3);
    assert_int_equal(add(&tree, ab, NULL, 2, 5, 0), deep);
    uint32_t middle = add(&tree, ab, NULL, 1, 1, 1), large = add(&tree, c, NULL, 1, 100, 0);
    xpd_tree_finish(&tree, &arena);
    assert_false(tree.failed);
    const struct xpd_tree_node *node = tree.node.at;
    assert_int_equal(tree.node.count, 4);
    assert_int_equal(node[0].bytes, 116);
    assert_int_equal(node[0].padding, 4);
    assert_int_equal(node[0].count, 4);
    assert_int_equal(node[0].group_bytes[XPD_OP_MATMUL], 116);
    assert_int_equal(node[0].first_child, large); /* the largest first */
    assert_int_equal(node[large].next_sibling, middle);
    assert_int_equal(node[middle].bytes, 16);
    assert_int_equal(node[middle].own_bytes, 1);
    assert_int_equal(node[middle].parent, 0);
    assert_int_equal(node[deep].depth, 2);
    assert_int_equal(node[deep].own_count, 2);
    xpd_tree_fini(&tree);
    xpd_arena_fini(&arena);
}

/* A row that a pattern stands for says what it is called itself; the same name counts once. */
static void a_folded_name_counts_its_names(void **state)
{
    (void)state;
    struct xpd_tree tree;
    assert_true(xpd_tree_init(&tree));
    const uint32_t star[] = {A_STAR}, a[] = {A}, b[] = {B};
    uint32_t node = add(&tree, star, a, 1, 1, 0);
    assert_int_equal(add(&tree, star, a, 1, 1, 0), node);
    assert_int_equal(tree.node.at[node].alias_count, 1);
    assert_int_equal(add(&tree, star, b, 1, 1, 0), node);
    assert_int_equal(tree.node.at[node].alias_count, 2);
    assert_int_equal(tree.node.at[node].alias, A);
    xpd_tree_fini(&tree);
}

/* Nodes of the same bytes at the edge stay out together. */
static void a_threshold_keeps_the_limit(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    struct xpd_tree tree;
    assert_true(xpd_tree_init(&tree));
    const int64_t bytes[] = {50, 20, 20, 5};
    for (uint32_t i = 0; i < 4; i++)
        add(&tree, &i, NULL, 1, bytes[i], 0);
    xpd_tree_finish(&tree, &arena);
    assert_int_equal(xpd_tree_threshold(&tree, 5), INT64_MIN);
    assert_int_equal(xpd_tree_threshold(&tree, 4), 20);
    assert_int_equal(xpd_tree_threshold(&tree, 3), 21);
    assert_int_equal(xpd_tree_threshold(&tree, 2), 50);
    xpd_tree_fini(&tree);
    xpd_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents_are_sums),
        cmocka_unit_test(a_folded_name_counts_its_names),
        cmocka_unit_test(a_threshold_keeps_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
