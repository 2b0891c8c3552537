/* The forest of events while it stands: nodes, their nesting, what they make for each other. */
#ifndef XPROFD_TRACE_GROUPS_FOREST_H
#define XPROFD_TRACE_GROUPS_FOREST_H

#include "trace_groups.h"
#include "xprofd/base/ranks.h"

#define XPD_NO_NODE UINT32_MAX

/* Events looked at for the step numbers of all roots together; a file beyond is hostile. */
#define XPD_FOREST_WORK_MAX (UINT64_C(1) << 24)

/* What nodes have of something, which most have nothing of. */
struct xpd_forest_lists {
    struct xpd_ranks some; /* nodes that have any */
    uint32_t count;
    uint32_t *first; /* of each of those, and behind the last: in `item` */
    uint32_t *item;
};
static inline const uint32_t *xpd_forest_list(const struct xpd_forest_lists *lists, uint32_t node,
                                              uint32_t *count)
{
    *count = 0;
    if (!xpd_ranks_has(&lists->some, node))
        return NULL;
    const uint32_t *first = &lists->first[xpd_ranks_of(&lists->some, node)];
    *count = first[1] - first[0];
    return lists->item + first[0];
}

struct xpd_forest_loop { /* one iteration: the executor that began it */
    uint64_t event;
    uint32_t node;
    int64_t start_ps;
};

struct xpd_forest {
    const struct xpd_trace *trace;
    struct xpd_event_groups *groups;
    uint32_t *row_node, *line_node; /* first node of a row, of a device line; XPD_NO_NODE */
    uint32_t region_node;           /* of the first region, when there are any */
    uint32_t count;                 /* nodes */
    uint8_t *async;                 /* by node; NULL = none is */
    uint32_t *parent;
    struct xpd_forest_lists children;
    /* Those of the file, put in order here, and what groups_tf.c adds. A context is all links of
       one key: context[c] is the first of them and context[c + 1] behind the last, and those of
       consumers come first. */
    struct xpd_links *links;
    uint32_t link_count; /* that have a node: the first ones */
    uint32_t *context;
    uint8_t *crowded; /* by context: too many ends, as XProf has it, to follow any */
    uint32_t context_count;
    XPD_VEC(struct xpd_forest_loop) loop; /* by time; there are no other roots then */
    struct xpd_forest_lists out, in;      /* contexts that a node produces for, and those it uses */
    struct xpd_map64 data_ids;            /* groups_tf.c: ids of steps that tf.data runs */
    uint64_t context_work;                /* events looked at for step numbers so far */
    uint32_t *group;                      /* by node */
    XPD_VEC(uint64_t) met;                /* a group << 32 | another one that its walk met */
    uint32_t *queue;
    uint8_t *seen;
    struct xpd_arena scratch;
};

/* groups_find.c: the node of an event: itself, or on a device the grouping event it lies in;
 * XPD_NO_NODE. */
uint32_t xpd_forest_node(const struct xpd_forest *forest, uint64_t event);
/* groups_roots.c: gives groups to the nodes: those of the roots, then, when no TensorCore has got
 * one, each of them counts its own. False without memory. */
bool xpd_forest_roots(struct xpd_forest *forest, const struct xpd_links *links,
                      struct xpd_groups_made *made);

/* groups_context.c: what a root is numbered; `group` when nothing above it says. */
struct xpd_forest_numbers { /* node -> index in links->root */
    struct xpd_map64 iter, step, kind;
};
/* The entry of the nearest event above the node that has one; false: none has. */
bool xpd_forest_above(struct xpd_forest *forest, const struct xpd_map64 *number_of, uint32_t node,
                      uint32_t *found);
/* The entry of the node or else of the nearest event above it that has one; false: none has. */
bool xpd_forest_nearest(struct xpd_forest *forest, const struct xpd_map64 *of, uint32_t node,
                        uint32_t *found);
int64_t xpd_forest_step(struct xpd_forest *forest, const struct xpd_forest_numbers *numbers,
                        const struct xpd_links *links, uint32_t node, uint32_t group);

/* Its graph_type, or that of the nearest one above it; XPD_NO_NAME. */
xpd_name_id xpd_forest_kind(struct xpd_forest *forest, const struct xpd_forest_numbers *numbers,
                            const struct xpd_links *links, uint32_t node);

/* groups_roots.c: adds the regions of thread pools. False without memory. */
bool xpd_forest_regions(struct xpd_forest *forest, const struct xpd_links *links,
                        struct xpd_arena *arena);

/* groups_eager.c: what TensorFlow ran op by op. False without memory. */
bool xpd_forest_eager(struct xpd_forest *forest, const struct xpd_links *links,
                      struct xpd_arena *arena);

/* groups_tf.c: TensorFlow's steps. What they link is appended to the links; false without memory.
 */
bool xpd_forest_data_ids(struct xpd_forest *forest);
bool xpd_forest_is_data(const struct xpd_forest *forest, const struct xpd_link_root *root);
bool xpd_forest_fetches(struct xpd_forest *forest);
bool xpd_forest_loops(struct xpd_forest *forest);

#endif
