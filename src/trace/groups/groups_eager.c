/* Operations that TensorFlow ran one by one, by XProf's rule: those whose nearest event
 * EagerExecute (around them on their thread, or their maker on another one) says itself that it
 * runs no function. It applies to operations of TensorFlow and to a device's events for a launch.
 * Rule: TSL's group_events.cc, EventNode::IsEager; checked with XProf 2.24.2. */
#include "groups_forest.h"
#include "xprofd/base/order.h"
#include "xprofd/trace/tf_op.h"

struct eager {
    struct xpd_forest *forest;
    const struct xpd_links *links;
    struct xpd_map64 run;    /* node of an EagerExecute -> index in links->root */
    XPD_VEC(uint64_t) where; /* places in the file of events that were run one by one */
};

static bool find_runs(struct eager *eager)
{
    bool any = false;
    for (size_t i = 0; i < eager->links->root.count; i++) {
        const struct xpd_link_root *root = &eager->links->root.at[i];
        uint32_t node =
            root->is_eager_run ? xpd_forest_node(eager->forest, root->event) : XPD_NO_NODE;
        if (node != XPD_NO_NODE)
            xpd_map64_put(&eager->run, node, (uint32_t)i);
        any |= node != XPD_NO_NODE && root->is_func == 0;
    }
    return any;
}

static bool runs_operation(struct eager *eager, uint32_t node)
{
    uint32_t run;
    return xpd_forest_nearest(eager->forest, &eager->run, node, &run) &&
           eager->links->root.at[run].is_func == 0;
}

static void judge(struct eager *eager, uint32_t node, const struct xpd_depth *depth, uint32_t i)
{
    uint64_t where = xpd_depth_where(depth, i);
    if (runs_operation(eager, node))
        XPD_PUSH(&eager->where, where);
}

static void judge_launched(struct eager *eager)
{
    const struct xpd_trace *trace = eager->forest->trace;
    for (size_t i = 0; i < eager->links->link.count; i++) {
        const struct xpd_link *link = &eager->links->link.at[i];
        const struct xpd_depth *depth;
        uint32_t index, node;
        if (link->kind != XPD_LINK_CORRELATION || link->ends != XPD_FLOW_IN ||
            !xpd_trace_find(trace, link->event, &depth, &index))
            continue;
        node = xpd_forest_node(eager->forest, link->event);
        if (node != XPD_NO_NODE)
            judge(eager, node, depth, index);
    }
}

static void judge_row(struct eager *eager, uint32_t row, const bool *is_op)
{
    const struct xpd_forest *forest = eager->forest;
    const struct xpd_trace_row *at = &forest->trace->row[row];
    for (uint32_t d = 0; d < at->depth_count; d++) {
        const struct xpd_depth *depth = &forest->trace->depth[at->first_depth + d];
        uint32_t first =
            forest->row_node[row] + (uint32_t)(depth->first_event - forest->groups->row_event[row]);
        for (uint32_t i = 0; i < depth->count; i++)
            if (is_op[depth->name[i]])
                judge(eager, first + i, depth, i);
    }
}

static bool judge_operations(struct eager *eager)
{
    const struct xpd_trace *trace = eager->forest->trace;
    bool *is_op = XPD_NEW_ARRAY(&eager->forest->scratch, bool, (size_t)trace->name_count + 1);
    if (!is_op)
        return false;
    for (uint32_t i = 0; i < trace->name_count; i++)
        is_op[i] = xpd_is_tf_op(xpd_intern_get(&trace->names, trace->name[i].name));
    for (uint32_t i = 0; i < trace->row_count; i++)
        if (eager->forest->row_node[i] != XPD_NO_NODE)
            judge_row(eager, i, is_op);
    return true;
}

static bool keep(struct eager *eager, struct xpd_arena *arena)
{
    struct xpd_event_groups *groups = eager->forest->groups;
    size_t count = eager->where.count;
    uint64_t *where = XPD_NEW_ARRAY(arena, uint64_t, count);
    if (!where || eager->where.failed || count >= UINT32_MAX)
        return false;
    if (count > 0)
        memcpy(where, eager->where.at, count * sizeof *where);
    if (count > 1)
        qsort(where, count, sizeof *where, xpd_order_u64);
    groups->eager_where = where;
    groups->eager_count = (uint32_t)count;
    return true;
}

bool xpd_forest_eager(struct xpd_forest *forest, const struct xpd_links *links,
                      struct xpd_arena *arena)
{
    struct eager eager = {.forest = forest, .links = links};
    bool fine = true;
    if (find_runs(&eager)) {
        judge_launched(&eager);
        fine = judge_operations(&eager) && !eager.run.failed && keep(&eager, arena);
    }
    xpd_map64_fini(&eager.run);
    XPD_VEC_FINI(&eager.where);
    return fine;
}
