/* Trees of bytes. In: rows and their paths. Out: nodes in which a parent is the sum of its children
 * and its own rows. */
#include "tree.h"
#include "xprofd/base/checked.h"

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

static void count_row(struct xpd_tree_node *node, const struct xpd_held *row,
                      enum xpd_op_group group)
{
    node->count++;
    xpd_grow_i64(&node->bytes, row->size_bytes);
    node->padding += xpd_held_padding(row);
    xpd_grow_i64(&node->group_bytes[group], row->size_bytes);
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
    tree->node.at[node].own_count++;
    xpd_grow_i64(&tree->node.at[node].own_bytes, row->size_bytes);
    tree->node.at[node].own_padding += xpd_held_padding(row);
    for (; node != XPD_NO_INDEX; node = tree->node.at[node].parent)
        count_row(&tree->node.at[node], row, group);
}

struct sortable {
    int64_t bytes;
    uint32_t node;
};

static int ascending(const void *a, const void *b)
{
    const struct sortable *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return x->node < y->node ? 1 : -1;
}

static struct sortable *sorted(const struct xpd_tree *tree, struct xpd_arena *scratch)
{
    size_t n = tree->node.count;
    struct sortable *order = XPD_NEW_ARRAY(scratch, struct sortable, n);
    for (size_t i = 0; order && i < n; i++)
        order[i] = (struct sortable){tree->node.at[i].bytes, (uint32_t)i};
    if (order)
        qsort(order, n, sizeof *order, ascending);
    return order;
}

void xpd_tree_order(struct xpd_tree *tree, struct xpd_arena *scratch)
{
    struct sortable *order = sorted(tree, scratch);
    if (!order) {
        tree->failed = true;
        return;
    }
    /* smallest first, each put before those already there */
    for (size_t i = 0; i < tree->node.count; i++) {
        struct xpd_tree_node *node = &tree->node.at[order[i].node];
        if (node->parent == XPD_NO_INDEX)
            continue;
        struct xpd_tree_node *parent = &tree->node.at[node->parent];
        node->next_sibling = parent->first_child;
        parent->first_child = order[i].node;
    }
}

int64_t xpd_tree_threshold(const struct xpd_tree *tree, uint32_t limit, struct xpd_arena *scratch)
{
    size_t n = tree->node.count;
    if (n <= limit)
        return INT64_MIN;
    struct sortable *order = sorted(tree, scratch);
    if (!order)
        return INT64_MAX;
    int64_t least = order[n - limit].bytes;
    /* several nodes of the same bytes at the edge go together, or the limit would not hold */
    return order[n - limit - 1].bytes == least ? least + 1 : least;
}
