/* In: rows and a range. Out: nodes by path. For each row the nodes of its events are kept while its
 * deeper depths are read: the parent of an event is found in the depth above by a cursor, or by
 * bisection further up. */
#include "xprofd/trace/flame.h"

#include "../totals/totals_key.h"
#include "xprofd/base/checked.h"
#include "xprofd/trace/self.h"

#include <stdlib.h>

struct depth_nodes { /* of the events [first, end) of one depth */
    uint32_t first, end;
    uint32_t *node;
};
struct making {
    const struct xpd_view *view;
    struct xpd_time_range range;
    struct xpd_grouping grouping;
    struct xpd_map64 child; /* parent and group -> node */
    XPD_VEC(struct xpd_flame_node) node;
    struct depth_nodes *depth;
    uint64_t lost;
};

static uint32_t node_of(struct making *making, uint32_t parent, uint32_t group, uint32_t name,
                        uint64_t event)
{
    uint64_t key = ((uint64_t)(parent + 1) << 32) | group;
    uint32_t found = xpd_map64_get(&making->child, key);
    if (found != XPD_NO_INDEX || making->node.count >= XPD_FLAME_NODES_MAX)
        return found;
    struct xpd_flame_node node = {.name = name, .parent = parent, .first_event = event};
    XPD_PUSH(&making->node, node);
    if (making->node.failed)
        return XPD_NO_INDEX;
    found = (uint32_t)making->node.count - 1;
    xpd_map64_put(&making->child, key, found);
    return found;
}

/* The node of the innermost event around this one; *above is a cursor in the depth above. */
static uint32_t parent_of(struct making *making, const struct xpd_event *event, uint32_t *above)
{
    const struct depth_nodes *nodes;
    if (event->depth == 0)
        return XPD_NO_INDEX;
    const struct xpd_depth *at = xpd_view_depth(making->view, event->row, event->depth - 1);
    nodes = &making->depth[event->depth - 1];
    while (*above + 1 < nodes->end && xpd_depth_start(at, *above + 1) <= event->start_ps)
        (*above)++;
    int64_t end_ps = event->start_ps + event->duration_ps;
    if (*above < nodes->end && xpd_depth_start(at, *above) <= event->start_ps &&
        xpd_depth_end(at, *above) >= end_ps)
        return nodes->node[*above - nodes->first];
    struct xpd_event parent;
    if (!xpd_event_parent(making->view, event, &parent))
        return XPD_NO_INDEX;
    nodes = &making->depth[parent.depth];
    return parent.index >= nodes->first && parent.index < nodes->end
               ? nodes->node[parent.index - nodes->first]
               : XPD_NO_INDEX;
}

static int64_t cut_ps(const struct making *making, const struct xpd_event *event)
{
    int64_t from_ps = event->start_ps, to_ps = event->start_ps + event->duration_ps;
    from_ps = from_ps > making->range.from_ps ? from_ps : making->range.from_ps;
    to_ps = to_ps < making->range.to_ps ? to_ps : making->range.to_ps;
    return to_ps > from_ps ? to_ps - from_ps : 0;
}

static bool add_depth(struct making *making, uint32_t row, uint32_t d)
{
    const struct xpd_depth *depth = xpd_view_depth(making->view, row, d);
    struct depth_nodes *nodes = &making->depth[d];
    uint32_t above = d > 0 ? making->depth[d - 1].first : 0;
    xpd_view_range(making->view, depth, making->range, &nodes->first, &nodes->end);
    nodes->node = malloc(((size_t)(nodes->end - nodes->first) + 1) * sizeof *nodes->node);
    if (!nodes->node)
        return false;
    xpd_grouping_depth(&making->grouping);
    for (uint32_t i = nodes->first; i < nodes->end; i++) {
        struct xpd_event event = xpd_view_event_at(making->view, row, d, i);
        uint32_t group = xpd_grouping_of(&making->grouping, depth, i);
        uint32_t parent = parent_of(making, &event, &above);
        uint32_t at = node_of(making, parent, group, event.name, event.number);
        nodes->node[i - nodes->first] = at;
        if (at == XPD_NO_INDEX) {
            making->lost++;
            continue;
        }
        int64_t ps = cut_ps(making, &event);
        making->node.at[at].count++;
        xpd_grow_i64(&making->node.at[at].total_ps, ps);
        xpd_grow_i64(&making->node.at[at].self_ps, ps);
        if (parent != XPD_NO_INDEX)
            xpd_grow_i64(&making->node.at[parent].self_ps, -ps);
    }
    return !making->node.failed && !making->child.failed && !making->grouping.failed;
}

static bool add_row(struct making *making, uint32_t row)
{
    uint32_t depths = xpd_view_row(making->view, row)->depth_count;
    bool fine = true;
    making->depth = calloc((size_t)depths + 1, sizeof *making->depth);
    if (!making->depth)
        return false;
    xpd_grouping_row(&making->grouping, row);
    for (uint32_t d = 0; fine && d < depths; d++)
        fine = add_depth(making, row, d);
    for (uint32_t d = 0; d < depths; d++)
        free(making->depth[d].node);
    free(making->depth);
    return fine;
}

int xpd_flame_make(struct xpd_flame *out, const struct xpd_view *view, const uint32_t *row,
                   uint32_t row_count, struct xpd_time_range range, struct xpd_err *err)
{
    struct making making = {.view = view, .range = range};
    *out = (struct xpd_flame){0};
    bool fine = xpd_grouping_init(&making.grouping, view, XPD_BY_NAME);
    for (uint32_t i = 0; fine && i < row_count; i++)
        fine = add_row(&making, row[i]);
    if (fine) {
        out->node = making.node.at;
        out->node_count = (uint32_t)making.node.count;
        out->lost = making.lost;
        making.node.at = NULL;
        for (uint32_t i = 0; i < out->node_count; i++) /* children may overlap each other */
            if (out->node[i].self_ps < 0)
                out->node[i].self_ps = 0;
    }
    XPD_VEC_FINI(&making.node);
    xpd_map64_fini(&making.child);
    xpd_grouping_fini(&making.grouping);
    return fine ? XPD_OK : xpd_no_memory(err, NULL, "for the flame graph");
}

void xpd_flame_fini(struct xpd_flame *flame)
{
    free(flame->node);
    *flame = (struct xpd_flame){0};
}
