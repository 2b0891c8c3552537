/* The step number of a root: XProf takes iter_num, then step_num, of the event itself or of the
 * nearest one above it, be it around it on its thread or its maker on another one. */
#include "groups_forest.h"

#define ABOVE_MAX 4096 /* events above one root that are looked at */

struct above {
    uint32_t node[ABOVE_MAX];
    uint32_t count;
    struct xpd_map64 seen;
};

static void put(struct above *above, uint32_t node)
{
    if (above->count >= ABOVE_MAX || xpd_map64_get(&above->seen, node) != XPD_NO_INDEX)
        return;
    xpd_map64_put(&above->seen, node, 0);
    above->node[above->count++] = node;
}

/* Enclosing events first, then its producer. */
static void put_parents(const struct xpd_forest *forest, struct above *above, uint32_t node)
{
    const struct xpd_link *link = forest->links->link.at;
    if (forest->parent[node] != XPD_NO_NODE)
        put(above, forest->parent[node]);
    uint32_t count;
    const uint32_t *in = xpd_forest_list(&forest->in, node, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t end = forest->crowded[in[i]] ? 0 : forest->context[in[i] + 1];
        for (uint32_t k = forest->context[in[i]]; k < end && above->count < ABOVE_MAX; k++)
            if (link[k].ends & XPD_FLOW_OUT)
                put(above, link[k].node);
    }
}

bool xpd_forest_above(struct xpd_forest *forest, const struct xpd_map64 *number_of, uint32_t node,
                      uint32_t *found)
{
    bool any = false;
    struct above *above = malloc(sizeof *above);
    if (!above)
        return false;
    above->count = 0;
    above->seen = (struct xpd_map64){0};
    put_parents(forest, above, node); /* itself, too, where it is its own maker */
    xpd_map64_put(&above->seen, node, 0);
    for (uint32_t i = 0; i < above->count && forest->context_work < XPD_FOREST_WORK_MAX; i++) {
        forest->context_work++;
        *found = xpd_map64_get(number_of, above->node[i]);
        any = *found != XPD_NO_INDEX;
        if (any)
            break;
        put_parents(forest, above, above->node[i]);
    }
    xpd_map64_fini(&above->seen);
    free(above);
    return any;
}

bool xpd_forest_nearest(struct xpd_forest *forest, const struct xpd_map64 *of, uint32_t node,
                        uint32_t *found)
{
    *found = xpd_map64_get(of, node);
    return *found != XPD_NO_INDEX || xpd_forest_above(forest, of, node, found);
}

int64_t xpd_forest_step(struct xpd_forest *forest, const struct xpd_forest_numbers *numbers,
                        const struct xpd_links *links, uint32_t node, uint32_t group)
{
    uint32_t at;
    if (numbers->iter.count > 0 && xpd_forest_nearest(forest, &numbers->iter, node, &at))
        return links->root.at[at].iter;
    if (numbers->step.count > 0 && xpd_forest_nearest(forest, &numbers->step, node, &at))
        return links->root.at[at].step;
    return group;
}

xpd_name_id xpd_forest_kind(struct xpd_forest *forest, const struct xpd_forest_numbers *numbers,
                            const struct xpd_links *links, uint32_t node)
{
    uint32_t at;
    return numbers->kind.count > 0 && xpd_forest_nearest(forest, &numbers->kind, node, &at)
               ? links->root.at[at].kind
               : XPD_NO_NAME;
}
