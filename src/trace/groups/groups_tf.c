/* TensorFlow's steps, as XProf puts them together: the executor runs an iteration of a step, on
 * several threads in turn. It makes what an iterator gives for that iteration, and where a step has
 * more iterations than the first one, each of them is a group of its own; other roots count no more
 * then. */
#include "groups_forest.h"

/* Steps of tf.data are none of the program's: an id that one of its functions was run with, in the
 * forest's data_ids. */
bool xpd_forest_data_ids(struct xpd_forest *forest)
{
    const struct xpd_links *links = forest->links;
    for (size_t i = 0; i < links->root.count; i++)
        if (links->root.at[i].part == XPD_PART_DATA)
            xpd_map64_put(&forest->data_ids, (uint64_t)links->root.at[i].loop_id, 1);
    return !forest->data_ids.failed;
}

bool xpd_forest_is_data(const struct xpd_forest *forest, const struct xpd_link_root *root)
{
    return root->says_id && forest->data_ids.count > 0 &&
           xpd_map64_get(&forest->data_ids, (uint64_t)root->loop_id) != XPD_NO_INDEX;
}

static void push_ends(struct xpd_forest *forest, uint32_t maker, uint32_t user)
{
    struct xpd_link link = {
        .key = maker, .node = maker, .kind = XPD_LINK_FETCH, .ends = XPD_FLOW_OUT};
    XPD_PUSH(&forest->links->link, link);
    link.node = user;
    link.ends = XPD_FLOW_IN;
    XPD_PUSH(&forest->links->link, link);
}

static uint64_t key_of(const struct xpd_link_root *part)
{
    uint64_t pair[2] = {part->link_id, part->link_iter};
    return xpd_hash(pair, sizeof pair);
}

static uint32_t node_of(const struct xpd_forest *forest, const struct xpd_link_root *part)
{
    return part->part == XPD_PART_NONE ? XPD_NO_NODE : xpd_forest_node(forest, part->event);
}

bool xpd_forest_fetches(struct xpd_forest *forest)
{
    const struct xpd_links *links = forest->links;
    struct xpd_map64 executor = {0}; /* by iteration: the last one of the file */
    for (size_t i = 0; i < links->root.count; i++) {
        const struct xpd_link_root *part = &links->root.at[i];
        uint32_t node = node_of(forest, part);
        if (node != XPD_NO_NODE && part->part == XPD_PART_EXECUTOR)
            xpd_map64_put(&executor, key_of(part), node);
    }
    for (size_t i = 0; i < links->root.count && executor.count > 0; i++) {
        const struct xpd_link_root *part = &links->root.at[i];
        uint32_t node = node_of(forest, part), maker;
        if (node == XPD_NO_NODE || part->part == XPD_PART_EXECUTOR || part->part == XPD_PART_DATA)
            continue;
        maker = xpd_map64_get(&executor, key_of(part));
        if (maker != XPD_NO_INDEX)
            push_ends(forest, maker, node);
    }
    bool fine = !executor.failed && !links->link.failed;
    xpd_map64_fini(&executor);
    return fine;
}

struct turn { /* of the executor */
    int64_t id, iter, start_ps;
    uint64_t event;
    size_t order;
    uint32_t node;
};

static int by_iteration(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    if (x->iter != y->iter)
        return x->iter < y->iter ? -1 : 1;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int by_start(const void *a, const void *b)
{
    const struct xpd_forest_loop *x = a, *y = b;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

static size_t collect_turns(const struct xpd_forest *forest, struct turn *turn)
{
    const struct xpd_links *links = forest->links;
    size_t count = 0;
    for (size_t i = 0; i < links->root.count; i++) {
        const struct xpd_link_root *part = &links->root.at[i];
        const struct xpd_depth *depth;
        uint32_t index, node = node_of(forest, part);
        if (node != XPD_NO_NODE && part->part == XPD_PART_EXECUTOR &&
            !xpd_forest_is_data(forest, part) &&
            xpd_trace_find(forest->trace, part->event, &depth, &index))
            turn[count++] = (struct turn){.id = part->loop_id,
                                          .iter = part->loop_iter,
                                          .start_ps = xpd_depth_start(depth, index),
                                          .event = part->event,
                                          .order = i,
                                          .node = node};
    }
    return count;
}

/* The turns of one step. */
static void push_step(struct xpd_forest *forest, const struct turn *turn, size_t count)
{
    if (turn[0].iter == 0 && turn[count - 1].iter == 0)
        return;
    for (size_t i = 0; i < count;) {
        size_t first = i++;
        struct xpd_forest_loop loop = {
            .event = turn[first].event, .node = turn[first].node, .start_ps = turn[first].start_ps};
        XPD_PUSH(&forest->loop, loop);
        for (; i < count && turn[i].iter == turn[first].iter; i++)
            push_ends(forest, turn[first].node, turn[i].node);
    }
}

bool xpd_forest_loops(struct xpd_forest *forest)
{
    const struct xpd_links *links = forest->links;
    struct turn *turn = malloc((links->root.count + 1) * sizeof *turn);
    if (!turn)
        return false;
    size_t count = collect_turns(forest, turn);
    if (count > 1)
        qsort(turn, count, sizeof *turn, by_iteration);
    for (size_t i = 0; i < count;) {
        size_t first = i;
        while (i < count && turn[i].id == turn[first].id)
            i++;
        push_step(forest, turn + first, i - first);
    }
    if (forest->loop.count > 1)
        qsort(forest->loop.at, forest->loop.count, sizeof *forest->loop.at, by_start);
    free(turn);
    return !forest->loop.failed && !links->link.failed;
}
