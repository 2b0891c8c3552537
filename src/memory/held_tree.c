/* Trees of bytes. In: rows and their paths. Out: nodes in which a parent is the sum of its children
 * and its own rows. */
#include "xprofd/memory/held_tree.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

bool xpd_tree_init(struct xpd_tree *tree)
{
    memset(tree, 0, sizeof *tree);
    struct xpd_tree_node root = {
        .parent = XPD_NO_INDEX, .first_child = XPD_NO_INDEX, .next_sibling = XPD_NO_INDEX};
    XPD_PUSH(&tree->node, root);
    return !tree->node.failed;
}

void xpd_tree_fini(struct xpd_tree *tree)
{
    XPD_VEC_FINI(&tree->node);
    xpd_map64_fini(&tree->child);
    xpd_map64_fini(&tree->alias);
}

static uint32_t child_of(struct xpd_tree *tree, uint32_t parent, uint32_t name)
{
    uint64_t key = (uint64_t)parent << 32 | name;
    uint32_t at = xpd_map64_get(&tree->child, key);
    if (at != XPD_NO_INDEX)
        return at;
    struct xpd_tree_node node = {.name = name,
                                 .parent = parent,
                                 .depth = tree->node.at[parent].depth + 1,
                                 .first_child = XPD_NO_INDEX,
                                 .next_sibling = XPD_NO_INDEX};
    at = (uint32_t)tree->node.count;
    XPD_PUSH(&tree->node, node);
    xpd_map64_put(&tree->child, key, at);
    if (tree->node.failed || tree->child.failed) {
        tree->failed = true;
        return parent;
    }
    tree->node.at[parent].child_count++;
    return at;
}

static void came_by(struct xpd_tree *tree, uint32_t node, uint32_t name)
{
    uint64_t key = (uint64_t)node << 32 | name;
    if (xpd_map64_get(&tree->alias, key) != XPD_NO_INDEX)
        return;
    xpd_map64_put(&tree->alias, key, 0);
    tree->failed |= tree->alias.failed;
    if (tree->node.at[node].alias_count++ == 0)
        tree->node.at[node].alias = name;
}

uint32_t xpd_tree_node_of(struct xpd_tree *tree, const uint32_t *part, const uint32_t *alias,
                          uint32_t count)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < count && !tree->failed; i++) {
        at = child_of(tree, at, part[i]);
        if (alias && !tree->failed)
            came_by(tree, at, alias[i]);
    }
    return at;
}

void xpd_tree_add(struct xpd_tree *tree, uint32_t node, const struct xpd_held *row,
                  enum xpd_op_group group)
{
    struct xpd_tree_node *at = &tree->node.at[node];
    at->own_count++;
    xpd_grow_i64(&at->own_bytes, row->size_bytes);
    at->own_padding += xpd_held_padding(row);
    xpd_grow_i64(&at->group_bytes[group], row->size_bytes);
}

/* A node stands before its children, so from the last to the first each is whole when its parent
 * takes it. Sizes are not negative: where a sum stays at its limit, any order of adding does. */
static void sum_upwards(struct xpd_tree *tree)
{
    for (size_t i = tree->node.count; i-- > 0;) {
        struct xpd_tree_node *node = &tree->node.at[i];
        node->count += node->own_count;
        xpd_grow_i64(&node->bytes, node->own_bytes);
        node->padding += node->own_padding;
        if (node->parent == XPD_NO_INDEX)
            continue;
        struct xpd_tree_node *parent = &tree->node.at[node->parent];
        parent->count += node->count;
        xpd_grow_i64(&parent->bytes, node->bytes);
        parent->padding += node->padding;
        for (int group = 0; group < XPD_OP_GROUP_COUNT; group++)
            xpd_grow_i64(&parent->group_bytes[group], node->group_bytes[group]);
    }
}

struct xpd_tree_rank {
    int64_t bytes;
    uint32_t node;
};

static int ascending(const void *a, const void *b)
{
    const struct xpd_tree_rank *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return x->node < y->node ? 1 : -1;
}

void xpd_tree_finish(struct xpd_tree *tree, struct xpd_arena *arena)
{
    size_t n = tree->node.count;
    struct xpd_tree_rank *order = XPD_NEW_ARRAY(arena, struct xpd_tree_rank, n);
    if (!order) {
        tree->failed = true;
        return;
    }
    sum_upwards(tree);
    for (size_t i = 0; i < n; i++)
        order[i] = (struct xpd_tree_rank){tree->node.at[i].bytes, (uint32_t)i};
    qsort(order, n, sizeof *order, ascending);
    tree->order = order;
    /* smallest first, each put before those already there */
    for (size_t i = 0; i < n; i++) {
        struct xpd_tree_node *node = &tree->node.at[order[i].node];
        if (node->parent == XPD_NO_INDEX)
            continue;
        struct xpd_tree_node *parent = &tree->node.at[node->parent];
        node->next_sibling = parent->first_child;
        parent->first_child = order[i].node;
    }
}

int64_t xpd_tree_threshold(const struct xpd_tree *tree, uint32_t limit)
{
    size_t n = tree->node.count;
    if (n <= limit)
        return INT64_MIN;
    const struct xpd_tree_rank *order = tree->order;
    int64_t least = order[n - limit].bytes;
    /* several nodes of the same bytes at the edge go together, or the limit would not hold */
    return order[n - limit - 1].bytes == least ? least + 1 : least;
}
