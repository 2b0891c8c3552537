/* A tree of bytes: rows are filed under a path of names, and each node knows what lies below it. */
#ifndef XPROFD_MEMORY_HELD_TREE_H
#define XPROFD_MEMORY_HELD_TREE_H

#include "xprofd/base/map64.h"
#include "xprofd/base/vec.h"
#include "xprofd/hlo/source_info.h"
#include "xprofd/memory/held.h"

#define XPD_TREE_PARTS 64 /* names of one path */

struct xpd_tree_node {
    uint32_t name; /* a number of the caller's; the root's is 0 */
    uint32_t alias,
        alias_count; /* rows came by so many names, the first of them; 0 = not counted */
    uint32_t parent; /* XPD_NO_INDEX = the root */
    uint32_t depth;
    uint32_t count;                          /* rows below; set by xpd_tree_finish */
    int64_t bytes, padding;                  /* of all rows below; set by xpd_tree_finish */
    int64_t own_bytes, own_padding;          /* of the rows that end here */
    int64_t group_bytes[XPD_OP_GROUP_COUNT]; /* as own_bytes, from xpd_tree_finish on as bytes */
    uint32_t own_count;
    uint32_t first_child, next_sibling; /* siblings by bytes, descending; set by xpd_tree_finish */
    uint32_t child_count;
};

struct xpd_tree {
    XPD_VEC(struct xpd_tree_node) node; /* node 0 is the root; parents come before children */
    struct xpd_map64 child;             /* parent << 32 | name */
    struct xpd_map64 alias;             /* node << 32 | name it came by */
    struct xpd_tree_rank *order;        /* nodes by bytes, ascending; set by xpd_tree_finish */
    bool failed;                        /* no memory: sums are not whole */
};
/* False: no memory. Free with xpd_tree_fini in either case. */
bool xpd_tree_init(struct xpd_tree *tree);
void xpd_tree_fini(struct xpd_tree *tree);
/* The node of a path of names, made when it is new; the root's after a failure. `alias` (may be
 * NULL): what the row itself calls each part. */
uint32_t xpd_tree_node_of(struct xpd_tree *tree, const uint32_t *part, const uint32_t *alias,
                          uint32_t count);
/* Files one row at that node; its parents learn of it in xpd_tree_finish. */
void xpd_tree_add(struct xpd_tree *tree, uint32_t node, const struct xpd_held *row,
                  enum xpd_op_group group);
/* Once, after the last row: sums upwards and links children largest first. The order of nodes is
 * kept in `arena`. */
void xpd_tree_finish(struct xpd_tree *tree, struct xpd_arena *arena);
/* Least bytes a node must have so that at most `limit` nodes have them; of a finished tree. */
int64_t xpd_tree_threshold(const struct xpd_tree *tree, uint32_t limit);

#endif
