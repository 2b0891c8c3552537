/* Which nodes the folded picture has: breadth first from the centre, or a computation in program
 * order; bodies in place of their fusions while the limit has room. In: options. Out: nodes and
 * clusters. */
#include "view_parts.h"

enum { BODY_DEPTH = 16 };

struct reached {
    uint32_t instruction, distance;
};

struct walk {
    struct xpd_view_work *w;
    uint8_t *seen; /* by instruction */
    XPD_VEC(struct reached) queue;
};

/* ---- far and near ---- */

/* Position of an instruction in a drawn body: that of its fusion. */
static uint32_t outward(const struct xpd_view_work *w, uint32_t i, uint32_t computation)
{
    const struct xpd_hlo_instructions *ins = &w->index->hlo->instructions;
    for (int depth = 0; depth < BODY_DEPTH && ins->computation[i] != computation; depth++) {
        uint32_t own = ins->computation[i];
        if (!w->draws[own] || w->index->fusion_of[own] == XPD_NO_INDEX)
            break;
        i = w->index->fusion_of[own];
    }
    return i;
}

uint32_t xpd_view_lines_between(const struct xpd_view_work *w, uint32_t from, uint32_t to)
{
    const struct xpd_graph_index *index = w->index;
    const uint32_t *computation = index->hlo->instructions.computation;
    if (index->op[from] == XPD_GOP_PARAMETER)
        return 0;
    to = outward(w, to, computation[from]);
    from = outward(w, from, computation[to]);
    if (computation[from] != computation[to])
        return 0;
    if (index->pair[from] != XPD_NO_INDEX)
        from = index->pair[from];
    uint32_t a = index->line[from], b = index->line[to];
    return a == 0 || b == 0 ? 0 : a > b ? a - b : b - a;
}

static bool is_kept(const struct xpd_view_work *w, uint32_t from, uint32_t to)
{
    for (uint32_t k = 0; k < w->options->keep_count; k++)
        if (w->options->keep[k].from == from && w->options->keep[k].to == to)
            return true;
    return false;
}

bool xpd_view_is_far(const struct xpd_view_work *w, uint32_t from, uint32_t to)
{
    return w->options->far_lines != 0 &&
           xpd_view_lines_between(w, from, to) > w->options->far_lines && !is_kept(w, from, to);
}

uint32_t xpd_view_cap(const struct xpd_view_work *w, uint32_t i, uint32_t fallback)
{
    for (uint32_t k = 0; k < w->options->more_count; k++)
        if (w->options->more[k].instruction == i && w->options->more[k].cap > fallback)
            return w->options->more[k].cap;
    return fallback;
}

/* ---- nodes ---- */

static bool add_node(struct xpd_view_work *w, uint32_t i, uint32_t distance, uint32_t cluster)
{
    struct xpd_view_node node = {.instruction = i,
                                 .cluster = cluster,
                                 .body = XPD_NO_INDEX,
                                 .distance = distance,
                                 .pair = w->index->pair[i],
                                 .note = ""};
    for (uint32_t m = i; m != XPD_NO_INDEX; m = xpd_view_next_member(w, i, m))
        node.times += w->index->op[m] != XPD_GOP_DONE || m == i;
    XPD_PUSH(&w->node, node);
    w->node_of[i] = (uint32_t)w->node.count;
    return !w->node.failed;
}

static bool has_node_of_its_own(const struct xpd_view_work *w, uint32_t i)
{
    int64_t element;
    return xpd_view_stands_for(w, i, false, &element) == i && !xpd_view_is_line(w, i);
}

static bool is_asked_for(const struct xpd_view_work *w, uint32_t i)
{
    for (uint32_t k = 0; k < w->options->expand_count; k++)
        if (w->options->expand[k] == i)
            return true;
    return false;
}

static void add_bodies(struct xpd_view_work *w, uint32_t at, int depth);

/* The instructions of a computation, as far as the limit goes; parameters of a fusion's body are
 * where its operands come in. */
static void fill_cluster(struct xpd_view_work *w, uint32_t computation, uint32_t cluster,
                         uint32_t distance, int depth)
{
    const struct xpd_graph_index *index = w->index;
    const uint32_t *order = index->order + index->order_first[computation];
    bool fusion = w->cluster.at[cluster].is_fusion;
    for (uint32_t k = 0; k < index->order_size[computation]; k++) {
        uint32_t i = order[k];
        if (w->node_of[i] || !has_node_of_its_own(w, i) ||
            (fusion && index->op[i] == XPD_GOP_PARAMETER && i != w->self))
            continue;
        if (w->node.count >= w->options->limit)
            break;
        add_node(w, i, distance, cluster);
        if (is_asked_for(w, i))
            add_bodies(w, (uint32_t)w->node.count - 1, depth + 1);
    }
}

static uint32_t count_own(const struct xpd_view_work *w, uint32_t computation, bool fusion)
{
    const struct xpd_graph_index *index = w->index;
    const uint32_t *order = index->order + index->order_first[computation];
    uint32_t n = 0;
    for (uint32_t k = 0; k < index->order_size[computation]; k++)
        n += has_node_of_its_own(w, order[k]) &&
             !(fusion && index->op[order[k]] == XPD_GOP_PARAMETER);
    return n;
}

static void add_body(struct xpd_view_work *w, uint32_t at, uint32_t computation, int depth)
{
    uint32_t i = w->node.at[at].instruction, room = w->options->limit - (uint32_t)w->node.count;
    bool fusion = w->index->op[i] == XPD_GOP_FUSION;
    uint32_t own = count_own(w, computation, fusion);
    if (fusion && w->index->fusion_of[computation] != i) {
        w->node.at[at].note = "has the same body as another fusion";
        return;
    }
    if (own == 0 || room == 0 || (fusion && own > room)) {
        w->view->bodies_left_out += own != 0;
        if (own != 0)
            w->node.at[at].note = "its body is over the limit of nodes";
        return;
    }
    XPD_PUSH(&w->cluster,
             ((struct xpd_graph_cluster){computation, i, w->node.at[at].cluster, fusion}));
    if (w->cluster.failed)
        return;
    uint32_t cluster = (uint32_t)w->cluster.count - 1;
    w->draws[computation] = fusion;
    if (fusion)
        w->node.at[at].body = cluster;
    if (own > room)
        w->node.at[at].note =
            "only the first instructions of its body are within the limit of nodes";
    fill_cluster(w, computation, cluster, w->node.at[at].distance, depth);
}

static bool is_drawn(const struct xpd_view_work *w, uint32_t computation)
{
    for (size_t k = 0; k < w->cluster.count; k++)
        if (w->cluster.at[k].computation == computation)
            return true;
    return computation == w->view->computation;
}

static void add_bodies(struct xpd_view_work *w, uint32_t at, int depth)
{
    const struct xpd_hlo_instructions *ins = &w->index->hlo->instructions;
    uint32_t i = w->node.at[at].instruction;
    bool fusion = w->index->op[i] == XPD_GOP_FUSION;
    uint32_t end = fusion && ins->called_first[i] < ins->called_first[i + 1]
                       ? ins->called_first[i] + 1
                       : ins->called_first[i + 1];
    for (uint32_t k = ins->called_first[i]; k < end && depth < BODY_DEPTH; k++)
        if (ins->called[k] != XPD_NO_INDEX && !is_drawn(w, ins->called[k]) &&
            !w->index->trivial[ins->called[k]])
            add_body(w, at, ins->called[k], depth);
}

/* ---- the walk ---- */

static void reach(struct walk *walk, uint32_t i, uint32_t distance)
{
    struct xpd_view_work *w = walk->w;
    if (walk->seen[i])
        return;
    walk->seen[i] = 1;
    w->view->reached++;
    XPD_PUSH(&walk->queue, ((struct reached){i, distance}));
    if (w->node.count >= w->options->limit || w->node_of[i] ||
        !add_node(w, i, distance, XPD_NO_INDEX))
        return;
    bool draws = w->index->op[i] == XPD_GOP_FUSION && !w->options->merge_fusions &&
                 distance < w->options->radius && w->view->center != XPD_NO_INDEX;
    if (draws || is_asked_for(w, i))
        add_bodies(w, (uint32_t)w->node.count - 1, 0);
}

static int by_lines(const void *a, const void *b)
{
    const struct xpd_view_near *x = a, *y = b; /* element holds the lines meanwhile */
    if (x->element != y->element)
        return x->element < y->element ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* The nearest ones when there are more than are followed. */
static uint32_t nearest(struct xpd_view_work *w, uint32_t i, bool users, uint32_t cap)
{
    size_t near = 0;
    w->stamp_now++;
    for (size_t k = 0; k < w->near.count; k++) {
        uint32_t other = w->near.at[k].node;
        if (w->stamp[other] == w->stamp_now)
            continue; /* one operand in several places */
        w->stamp[other] = w->stamp_now;
        uint32_t from = users ? i : other, to = users ? other : i;
        if (xpd_view_is_far(w, from, to))
            continue;
        w->near.at[near] = w->near.at[k];
        w->near.at[near++].element = xpd_view_lines_between(w, from, to);
    }
    w->near.count = near;
    if (near > cap)
        qsort(w->near.at, near, sizeof *w->near.at, by_lines);
    return near > cap ? cap : (uint32_t)near;
}

static void reach_near(struct walk *walk, uint32_t count, uint32_t distance)
{
    for (uint32_t k = 0; k < count; k++)
        reach(walk, walk->w->near.at[k].node, distance);
}

static void walk_on(struct walk *walk, struct reached at)
{
    struct xpd_view_work *w = walk->w;
    uint32_t i = at.instruction;
    if (i == w->self || w->index->op[i] != XPD_GOP_TUPLE) {
        xpd_view_operands(w, i, false);
        reach_near(walk, nearest(w, i, false, xpd_view_cap(w, i, XPD_VIEW_OPERANDS)),
                   at.distance + 1);
    }
    if (w->index->op[i] == XPD_GOP_CONSTANT)
        return;
    xpd_view_users(w, i);
    reach_near(walk, nearest(w, i, true, xpd_view_cap(w, i, w->options->users)), at.distance + 1);
}

static void walk_around(struct walk *walk)
{
    struct xpd_view_work *w = walk->w;
    reach(walk, w->self, 0);
    for (size_t next = 0; next < walk->queue.count; next++) {
        struct reached at = walk->queue.at[next];
        if (w->view->reached >= XPD_VIEW_REACH_MAX) {
            w->view->reached_is_least = true;
            break;
        }
        if (at.distance < w->options->radius)
            walk_on(walk, at);
    }
}

static void walk_computation(struct walk *walk)
{
    struct xpd_view_work *w = walk->w;
    const uint32_t *order = w->index->order + w->index->order_first[w->view->computation];
    for (uint32_t k = 0; k < w->index->order_size[w->view->computation]; k++)
        if (has_node_of_its_own(w, order[k]))
            reach(walk, order[k], 0);
}

int xpd_view_walk(struct xpd_view_work *w)
{
    struct walk walk = {.w = w};
    walk.seen = XPD_NEW_ARRAY(w->arena, uint8_t, w->index->hlo->instructions.count);
    if (walk.seen && w->view->center != XPD_NO_INDEX)
        walk_around(&walk);
    else if (walk.seen)
        walk_computation(&walk);
    bool ok = walk.seen && !walk.queue.failed && !w->node.failed && !w->cluster.failed &&
              !w->near.failed && !w->stack.failed;
    XPD_VEC_FINI(&walk.queue);
    return ok ? XPD_OK : XPD_ENOMEM;
}
