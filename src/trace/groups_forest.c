/* The forest of trace.md 3.4: events nest inside their row, producers are parents of consumers,
 * each root takes the next group id and floods its descendants. Linear in events and links: a
 * context is walked once, however many ends it has. */
#include "derive_merge.h"
#include "groups.h"
#include <stdio.h>

#define CROWD        64 /* XProf ignores a context with as many producers and as many consumers */
#define LEVELS_MAX   64 /* levels of roots that are checked for nesting; more are hostile */
#define NO_NODE      UINT32_MAX

struct context { /* links of one key: link[first .. first + count) */
    uint32_t first, count;
    bool done;
};

struct node_link { /* sorted by context */
    uint64_t key;
    uint32_t node;
    uint8_t kind, category, ends;
};

struct forest {
    const struct xpd_trace *trace;
    struct xpd_groups *groups;
    uint32_t *row_node, *line_node; /* first node of a row, of a device line; NO_NODE */
    uint32_t count;                 /* nodes */
    uint32_t *parent;
    uint32_t *child_first, *child; /* by node, count + 1 */
    struct node_link *link;
    uint32_t link_count;
    struct context *context;
    uint32_t context_count;
    uint32_t *out_first, *out; /* contexts a node produces for, by node */
    uint32_t *group;           /* by node */
    uint32_t *queue;
    uint8_t *seen;
    struct xpd_arena scratch;
};

static bool is_host_like(const struct xpd_trace_process *process)
{
    return process->kind == XPD_PROCESS_HOST || process->kind == XPD_PROCESS_GPU;
}

static uint64_t row_events(const struct xpd_trace *trace, const struct xpd_trace_row *row)
{
    uint64_t count = 0;
    for (uint32_t d = 0; d < row->depth_count; d++)
        count += trace->depth[row->first_depth + d].count;
    return count;
}

static bool number_nodes(struct forest *forest)
{
    const struct xpd_trace *trace = forest->trace;
    uint64_t count = 0;
    forest->row_node = XPD_NEW_ARRAY(&forest->scratch, uint32_t, trace->row_count);
    forest->line_node = XPD_NEW_ARRAY(&forest->scratch, uint32_t, trace->process_count);
    if (forest->scratch.failed)
        return false;
    for (uint32_t i = 0; i < trace->row_count; i++) {
        const struct xpd_trace_row *row = &trace->row[i];
        bool counts = is_host_like(&trace->process[row->process]) && row->kind != XPD_ROW_COUNTER;
        forest->row_node[i] = counts ? (uint32_t)count : NO_NODE;
        count += counts ? row_events(trace, row) : 0;
        if (count >= NO_NODE)
            return false;
    }
    for (uint32_t p = 0; p < trace->process_count; p++) {
        uint32_t lines = forest->groups->line[p].count;
        forest->line_node[p] = lines ? (uint32_t)count : NO_NODE;
        count += lines;
        if (count >= NO_NODE)
            return false;
    }
    forest->count = (uint32_t)count;
    return true;
}

/* Nesting by a stack over the events in order of (start, -duration). */
static bool nest_row(struct forest *forest, uint32_t row)
{
    struct xpd_merge merge;
    struct xpd_merged event;
    XPD_VEC(struct open_event { int64_t end_ps; uint32_t node; }) open = {0};
    uint64_t first = forest->groups->row_event[row];
    xpd_merge_init(&merge, true);
    xpd_merge_add_row(&merge, forest->trace, row);
    while (xpd_merge_next(&merge, &event)) {
        uint32_t node = forest->row_node[row] + (uint32_t)(event.event - first);
        int64_t end_ps = event.start_ps + event.duration_ps;
        while (open.count > 0 && open.at[open.count - 1].end_ps < end_ps)
            open.count--;
        forest->parent[node] = open.count > 0 ? open.at[open.count - 1].node : NO_NODE;
        struct open_event opened = {.end_ps = end_ps, .node = node};
        XPD_PUSH(&open, opened);
    }
    bool fine = !merge.failed && !open.failed;
    xpd_merge_fini(&merge);
    XPD_VEC_FINI(&open);
    return fine;
}

static bool nest(struct forest *forest)
{
    forest->parent = XPD_NEW_ARRAY(&forest->scratch, uint32_t, forest->count);
    forest->child_first = XPD_NEW_ARRAY(&forest->scratch, uint32_t, (size_t)forest->count + 2);
    forest->child = XPD_NEW_ARRAY(&forest->scratch, uint32_t, forest->count);
    if (forest->scratch.failed)
        return false;
    for (uint32_t i = 0; i < forest->count; i++)
        forest->parent[i] = NO_NODE;
    for (uint32_t i = 0; i < forest->trace->row_count; i++)
        if (forest->row_node[i] != NO_NODE && !nest_row(forest, i))
            return false;
    /* first[k + 2] counts, first[k + 1] becomes the place to write, first[k] the start of k */
    uint32_t *first = forest->child_first;
    for (uint32_t i = 0; i < forest->count; i++)
        if (forest->parent[i] != NO_NODE)
            first[forest->parent[i] + 2]++;
    for (uint32_t i = 0; i < forest->count; i++)
        first[i + 2] += first[i + 1];
    for (uint32_t i = 0; i < forest->count; i++)
        if (forest->parent[i] != NO_NODE)
            forest->child[first[forest->parent[i] + 1]++] = i;
    return true;
}

/* The node of an event: itself, or on a device the grouping event it lies in. */
static uint32_t node_of(const struct forest *forest, uint64_t event)
{
    const struct xpd_depth *depth;
    uint32_t index;
    if (!xpd_trace_find(forest->trace, event, &depth, &index))
        return NO_NODE;
    if (forest->row_node[depth->row] != NO_NODE)
        return forest->row_node[depth->row] +
               (uint32_t)(event - forest->groups->row_event[depth->row]);
    uint32_t process = forest->trace->row[depth->row].process;
    if (forest->line_node[process] == NO_NODE)
        return NO_NODE;
    uint32_t at =
        xpd_group_line_find(&forest->groups->line[process], depth->start_ps[index],
                            depth->start_ps[index] + depth->duration_ps[index]);
    return at == XPD_NO_INDEX ? NO_NODE : forest->line_node[process] + at;
}

static int by_context(const void *a, const void *b)
{
    const struct node_link *x = a, *y = b;
    if (x->kind != y->kind)
        return (int)x->kind - (int)y->kind;
    if (x->category != y->category)
        return (int)x->category - (int)y->category;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static bool same_context(const struct node_link *a, const struct node_link *b)
{
    return a->kind == b->kind && a->category == b->category && a->key == b->key;
}

static bool collect_links(struct forest *forest, const struct xpd_links *links)
{
    if (links->link.count >= NO_NODE)
        return false;
    forest->link = XPD_NEW_ARRAY(&forest->scratch, struct node_link, links->link.count);
    forest->context = XPD_NEW_ARRAY(&forest->scratch, struct context, links->link.count);
    if (forest->scratch.failed)
        return false;
    for (size_t i = 0; i < links->link.count; i++) {
        const struct xpd_link *link = &links->link.at[i];
        uint32_t node = link->kind == XPD_LINK_FLOW ? NO_NODE : node_of(forest, link->event);
        if (node != NO_NODE)
            forest->link[forest->link_count++] = (struct node_link){.key = link->key,
                                                                    .node = node,
                                                                    .kind = link->kind,
                                                                    .category = link->category,
                                                                    .ends = link->ends};
    }
    qsort(forest->link, forest->link_count, sizeof *forest->link, by_context);
    for (uint32_t i = 0; i < forest->link_count;) {
        uint32_t first = i, out = 0, in = 0;
        for (; i < forest->link_count && same_context(&forest->link[first], &forest->link[i]);
             i++) {
            out += (forest->link[i].ends & XPD_FLOW_OUT) != 0;
            in += (forest->link[i].ends & XPD_FLOW_IN) != 0;
        }
        struct context context = {.first = first,
                                  .count = i - first,
                                  .done = out >= CROWD && in >= CROWD};
        forest->context[forest->context_count++] = context;
    }
    return true;
}

/* Which contexts a node produces for. */
static bool index_producers(struct forest *forest)
{
    forest->out_first = XPD_NEW_ARRAY(&forest->scratch, uint32_t, (size_t)forest->count + 2);
    forest->out = XPD_NEW_ARRAY(&forest->scratch, uint32_t, forest->link_count);
    if (forest->scratch.failed)
        return false;
    uint32_t *first = forest->out_first;
    for (uint32_t i = 0; i < forest->link_count; i++)
        if (forest->link[i].ends & XPD_FLOW_OUT)
            first[forest->link[i].node + 2]++;
    for (uint32_t i = 0; i < forest->count; i++)
        first[i + 2] += first[i + 1];
    for (uint32_t c = 0; c < forest->context_count; c++)
        for (uint32_t k = 0; k < forest->context[c].count; k++) {
            const struct node_link *link = &forest->link[forest->context[c].first + k];
            if (link->ends & XPD_FLOW_OUT)
                forest->out[first[link->node + 1]++] = c;
        }
    return true;
}

struct walk {
    uint32_t head, tail;
};

static void visit(struct forest *forest, struct walk *walk, uint32_t node)
{
    if (forest->seen[node])
        return;
    forest->seen[node] = 1;
    forest->queue[walk->tail++] = node;
}

/* Puts all children of a node behind the queue. */
static void visit_children(struct forest *forest, struct walk *walk, uint32_t node, bool *context_done)
{
    for (uint32_t i = forest->child_first[node]; i < forest->child_first[node + 1]; i++)
        visit(forest, walk, forest->child[i]);
    for (uint32_t i = forest->out_first[node]; i < forest->out_first[node + 1]; i++) {
        const struct context *context = &forest->context[forest->out[i]];
        if (context->done || context_done[forest->out[i]])
            continue;
        context_done[forest->out[i]] = true;
        for (uint32_t k = 0; k < context->count; k++)
            if (forest->link[context->first + k].ends & XPD_FLOW_IN)
                visit(forest, walk, forest->link[context->first + k].node);
    }
}

struct root {
    uint32_t node;
    uint64_t event;
    int64_t level, start_ps;
    bool inner; /* has a root of its level above it */
};

static int by_level(const void *a, const void *b)
{
    const struct root *x = a, *y = b;
    if (x->level != y->level)
        return x->level > y->level ? -1 : 1;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

/* Marks the roots of one level that lie below another one of it. */
static bool mark_inner(struct forest *forest, struct root *root, uint32_t count)
{
    struct walk walk = {0, 0};
    bool *context_done = calloc(forest->context_count + 1, sizeof *context_done);
    if (!context_done)
        return false;
    memset(forest->seen, 0, forest->count);
    for (uint32_t i = 0; i < count; i++) {
        visit_children(forest, &walk, root[i].node, context_done);
    }
    while (walk.head < walk.tail)
        visit_children(forest, &walk, forest->queue[walk.head++], context_done);
    for (uint32_t i = 0; i < count; i++)
        root[i].inner = forest->seen[root[i].node];
    free(context_done);
    return true;
}

static bool mark_levels(struct forest *forest, struct root *root, uint32_t count,
                        struct xpd_warnings *warnings)
{
    uint32_t levels = 0;
    for (uint32_t i = 0; i < count;) {
        uint32_t first = i;
        while (i < count && root[i].level == root[first].level)
            i++;
        if (i - first < 2)
            continue;
        if (++levels > LEVELS_MAX) {
            xpd_warn(warnings, XPD_WARNING, "root_levels", XPD_NO_OFFSET,
                     "steps have more than %d levels of roots; deeper ones are not checked for "
                     "nesting",
                     LEVELS_MAX);
            return true;
        }
        if (!mark_inner(forest, root + first, i - first))
            return false;
    }
    return true;
}

/* Gives the group to all below that have none. */
static void flood(struct forest *forest, uint32_t node, uint32_t group, bool *context_done)
{
    struct walk walk = {0, 0};
    forest->seen[node] = 1;
    forest->queue[walk.tail++] = node;
    while (walk.head < walk.tail) {
        uint32_t at = forest->queue[walk.head++];
        forest->group[at] = group;
        visit_children(forest, &walk, at, context_done);
    }
}

static bool is_implicit(struct xpd_str name)
{
    static const char *const names[] = {"FunctionRun", "SessionRun", "RunGraph",
                                        "ExecutorState::Process"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (xpd_str_eq(name, xpd_str_of(names[i])))
            return true;
    return false;
}

/* Step number of the event or of the nearest one around it. */
static int64_t step_of(const struct forest *forest, const struct xpd_map64 *step,
                       const struct xpd_links *links, uint32_t node, uint32_t group)
{
    for (uint32_t hops = 0; node != NO_NODE && hops < XPD_DEPTHS_MAX; hops++) {
        uint32_t at = xpd_map64_get(step, node);
        if (at != XPD_NO_INDEX)
            return links->root.at[at].step;
        node = forest->parent[node];
    }
    return group;
}

static void name_root(const struct forest *forest, const struct xpd_map64 *step,
                      const struct xpd_links *links, const struct root *root, uint32_t group,
                      struct xpd_groups_made *made)
{
    const struct xpd_depth *depth;
    uint32_t index;
    if (!xpd_trace_find(forest->trace, root->event, &depth, &index))
        return;
    struct xpd_str name = xpd_intern_get(
        &forest->trace->names, forest->trace->name[depth->name[index]].name);
    if (is_implicit(name))
        return;
    struct xpd_group_root made_root = {.event = root->event,
                                       .number = step_of(forest, step, links, root->node, group),
                                       .group = group};
    XPD_PUSH(&made->root, made_root);
    char number[24];
    int size = snprintf(number, sizeof number, " %lld", (long long)made_root.number);
    char *text = malloc(name.size + (size_t)size + 1);
    if (!text) {
        made->named.failed = true;
        return;
    }
    memcpy(text, name.data, name.size);
    memcpy(text + name.size, number, (size_t)size);
    struct xpd_step_name named = {
        .event = root->event,
        .name = xpd_intern_put(made->names, text, name.size + (size_t)size)};
    free(text);
    XPD_PUSH(&made->named, named);
}

static uint32_t collect_roots(const struct forest *forest, const struct xpd_links *links,
                              struct root *root, struct xpd_map64 *step)
{
    uint32_t count = 0;
    for (size_t i = 0; i < links->root.count; i++) {
        const struct xpd_link_root *from = &links->root.at[i];
        const struct xpd_depth *depth;
        uint32_t index, node = node_of(forest, from->event);
        if (node == NO_NODE || !xpd_trace_find(forest->trace, from->event, &depth, &index))
            continue;
        if (from->step != INT64_MIN)
            xpd_map64_put(step, node, (uint32_t)i);
        if (from->level != 0)
            root[count++] = (struct root){.node = node,
                                          .event = from->event,
                                          .level = from->level,
                                          .start_ps = depth->start_ps[index]};
    }
    qsort(root, count, sizeof *root, by_level);
    return count;
}

static bool group_roots(struct forest *forest, const struct xpd_links *links,
                        struct xpd_groups_made *made)
{
    struct xpd_map64 step = {0};
    struct root *root = XPD_NEW_ARRAY(&forest->scratch, struct root, links->root.count);
    bool *context_done = XPD_NEW_ARRAY(&forest->scratch, bool, (size_t)forest->context_count + 1);
    forest->group = XPD_NEW_ARRAY(&forest->scratch, uint32_t, forest->count);
    forest->queue = XPD_NEW_ARRAY(&forest->scratch, uint32_t, (size_t)forest->count + 1);
    forest->seen = XPD_NEW_ARRAY(&forest->scratch, uint8_t, forest->count);
    if (forest->scratch.failed)
        return false;
    for (uint32_t i = 0; i < forest->count; i++)
        forest->group[i] = XPD_NO_GROUP;
    uint32_t count = collect_roots(forest, links, root, &step), next = 0;
    bool fine = !step.failed && mark_levels(forest, root, count, made->warnings);
    if (fine)
        memset(forest->seen, 0, forest->count);
    for (uint32_t i = 0; fine && i < count; i++) {
        if (root[i].inner || forest->seen[root[i].node])
            continue;
        flood(forest, root[i].node, next, context_done);
        name_root(forest, &step, links, &root[i], next, made);
        next++;
    }
    xpd_map64_fini(&step);
    return fine;
}

static bool copy_out(struct forest *forest, struct xpd_arena *arena, bool *any_device)
{
    struct xpd_groups *groups = forest->groups;
    for (uint32_t i = 0; i < forest->trace->row_count; i++) {
        uint64_t count = row_events(forest->trace, &forest->trace->row[i]);
        if (forest->row_node[i] == NO_NODE || count == 0)
            continue;
        const uint32_t *from = forest->group + forest->row_node[i];
        bool any = false;
        for (uint64_t k = 0; k < count && !any; k++)
            any = from[k] != XPD_NO_GROUP;
        uint32_t *of = any ? xpd_groups_row(groups, forest->trace, i, arena) : NULL;
        if (any && !of)
            return false;
        if (any)
            memcpy(of, from, count * sizeof *of);
    }
    for (uint32_t p = 0; p < forest->trace->process_count; p++)
        for (uint32_t k = 0; k < groups->line[p].count; k++) {
            groups->line[p].group[k] = forest->group[forest->line_node[p] + k];
            *any_device |= groups->line[p].group[k] != XPD_NO_GROUP &&
                           forest->trace->process[p].kind == XPD_PROCESS_TPU;
        }
    return true;
}

int xpd_forest_group(struct xpd_groups *groups, const struct xpd_trace *trace,
                     const struct xpd_links *links, struct xpd_groups_made *made, bool *any_device,
                     struct xpd_err *err)
{
    struct forest forest = {.trace = trace, .groups = groups};
    bool roots = false;
    for (size_t i = 0; i < links->root.count; i++)
        roots |= links->root.at[i].level != 0;
    if (!roots)
        return XPD_OK;
    xpd_arena_init(&forest.scratch, made->arena->budget_bytes);
    bool fine = number_nodes(&forest) && nest(&forest) && collect_links(&forest, links) &&
                index_producers(&forest) && group_roots(&forest, links, made) &&
                copy_out(&forest, made->arena, any_device);
    xpd_arena_fini(&forest.scratch);
    return fine ? XPD_OK
                : xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET,
                           "no memory to group %llu events by steps",
                           (unsigned long long)trace->event_count);
}
