/* A tree of bytes: rows are filed under a path of names, and each node knows what lies below it. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_TREE_H
#define XPROFD_SRC_TOOLS_MEMORY_TREE_H

#include "../common/common.h"
#include "xprofd/tools/held.h"

#include "xprofd/base/vec.h"

#define XPD_TREE_PARTS 64 /* names of one path */

struct xpd_tree_node {
    uint32_t name; /* in the answer's names */
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
    bool failed;
};

#endif
