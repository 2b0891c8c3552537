/* The stacks of one pprof file as a tree, compared with another file: the data of an icicle.
 *
 * A run of library frames is one node (`fold`) that can be opened. A node's key is a hash of its
 * path, so it identifies the same node in every file of the program. Values are sums over what lies
 * below; a node's own (`self`) and those of its children add up to it. `grown` is the sum of the
 * growth of the paths below that grew. It adds up over nodes; a difference of sums would hide
 * growth where another path shrank. */
#ifndef XPROFD_HEAP_TREE_H
#define XPROFD_HEAP_TREE_H

#include "xprofd/base/map64.h"
#include "xprofd/heap/groups.h"

struct xpd_heap_tree_want {
    struct xpd_heap_member of;
    const struct xpd_heap_member *base; /* NULL = none */
    struct xpd_heap_filter filter;
    bool fold;
    bool innermost_first; /* callees first: the line that allocates is at the top */
    const uint64_t *open; /* keys of folded runs to show frame by frame */
    uint32_t open_count;
    uint64_t zoom;      /* key of the node whose subtree is wanted; 0 = all */
    bool by_grown;      /* nodes are ranked by growth */
    uint32_t max_nodes; /* the rest is counted */
};

struct xpd_heap_node {
    uint64_t key;
    uint32_t parent;              /* earlier in the list; XPD_NO_INDEX = the root */
    const struct xpd_pprof *heap; /* of its frames */
    uint32_t frame,
        last_frame; /* of a folded run the outermost and the innermost; XPD_NO_INDEX: the root */
    uint32_t library_frames;        /* 0 = own code; of a run how many, at most */
    bool folded;                    /* a run of several */
    int64_t value, count, self;     /* here */
    int64_t executables;            /* of value: compiled programs */
    int64_t base_value, base_count; /* there */
    int64_t grown;
    uint32_t left_out; /* children that are not in the list */
};

struct xpd_heap_tree {
    struct xpd_heap_node *node; /* parents before children; [0] is the root */
    uint32_t count;
    uint32_t all;      /* nodes there are */
    uint32_t deepest;  /* levels below the root */
    bool zoom_missing; /* no node has the key `zoom`: all is shown */
};

/* Everything in the arena. XPD_ENOMEM, also where there would be more than 2^32 nodes. */
int xpd_heap_tree_make(struct xpd_heap_tree *out, const struct xpd_heap_tree_want *want,
                       struct xpd_arena *arena, struct xpd_err *err);

#endif
