/* Groups out of the forest: each root takes the next id and floods its descendants. A group walks
 * a context once, however many ends it has. */
#include "groups_forest.h"
#include "xprofd/base/order.h"
#include "xprofd/trace/merge.h"
#include <stdio.h>

/* XProf draws an event over each task of a thread pool before it groups: what a thread does in a
 * task nests in it. Each stop makes one, from the last start that names its consumer; a start at
 * time 0 is none. */

struct finding {
    const struct xpd_forest *forest;
    xpd_name_id start, stop;
    struct xpd_map64 consumer; /* events that start and name their consumer */
    XPD_VEC(struct xpd_group_region) found;
};

static bool find_consumers(struct finding *finding, const struct xpd_links *links)
{
    const struct xpd_trace *trace = finding->forest->trace;
    for (size_t i = 0; i < links->link.count; i++) {
        const struct xpd_link *link = &links->link.at[i];
        const struct xpd_depth *depth;
        uint32_t index;
        if (link->ends == XPD_FLOW_IN && xpd_trace_find(trace, link->event, &depth, &index) &&
            trace->name[depth->name[index]].name == finding->start)
            xpd_map64_put(&finding->consumer, link->event, 0);
    }
    return !finding->consumer.failed;
}

static bool find_in_row(struct finding *finding, uint32_t row)
{
    const struct xpd_trace *trace = finding->forest->trace;
    struct xpd_group_region open = {.row = row, .group = XPD_NO_GROUP};
    struct xpd_merge merge;
    struct xpd_merged event;
    xpd_merge_init(&merge, true);
    xpd_merge_add_row(&merge, trace, row);
    while (xpd_merge_next(&merge, &event)) {
        xpd_name_id name = trace->name[event.name].name;
        if (name == finding->start &&
            xpd_map64_get(&finding->consumer, event.event) != XPD_NO_INDEX)
            open.start_ps = event.start_ps;
        open.end_ps = event.start_ps;
        if (name == finding->stop && open.start_ps != 0)
            XPD_PUSH(&finding->found, open);
    }
    bool fine = !merge.failed && !finding->found.failed;
    xpd_merge_fini(&merge);
    return fine;
}

static int by_place(const void *a, const void *b)
{
    const struct xpd_group_region *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    return (x->end_ps < y->end_ps) - (x->end_ps > y->end_ps);
}

static bool find_all(struct finding *finding, const struct xpd_links *links)
{
    const struct xpd_trace *trace = finding->forest->trace;
    if (!find_consumers(finding, links))
        return false;
    for (uint32_t i = 0; i < trace->row_count && finding->consumer.count > 0; i++)
        if (finding->forest->row_node[i] != XPD_NO_NODE && trace->row[i].kind == XPD_ROW_LINE &&
            trace->process[trace->row[i].process].kind == XPD_PROCESS_HOST &&
            !find_in_row(finding, i))
            return false;
    return finding->found.count < XPD_NO_NODE - finding->forest->count;
}

bool xpd_forest_regions(struct xpd_forest *forest, const struct xpd_links *links,
                        struct xpd_arena *arena)
{
    const struct xpd_intern *names = &forest->trace->names;
    struct finding finding = {
        .forest = forest,
        .start = xpd_intern_find(names, XPD_STR("ThreadpoolListener::StartRegion")),
        .stop = xpd_intern_find(names, XPD_STR("ThreadpoolListener::StopRegion"))};
    if (finding.start == XPD_NO_NAME || finding.stop == XPD_NO_NAME)
        return true;
    bool fine = find_all(&finding, links);
    size_t count = finding.found.count;
    if (fine && count > 0) {
        qsort(finding.found.at, count, sizeof *finding.found.at, by_place);
        forest->groups->region = XPD_COPY_VEC(arena, &finding.found);
        fine = forest->groups->region != NULL;
        forest->groups->region_count = fine ? (uint32_t)count : 0;
        forest->region_node = forest->count;
        forest->count += (uint32_t)count;
    }
    xpd_map64_fini(&finding.consumer);
    XPD_VEC_FINI(&finding.found);
    return fine;
}

#define LEVELS_MAX 64 /* levels of roots that are checked for nesting; more are hostile */

struct walk {
    uint32_t head, tail;
    uint32_t group;   /* that it gives to nodes */
    uint32_t *walked; /* by context: group + 1 of the last walk through it, 0 = none */
};

/* A node of another group keeps it; the two groups are connected then. */
static void visit(struct xpd_forest *forest, struct walk *walk, uint32_t node)
{
    if (forest->seen[node]) {
        uint32_t other = forest->group[node];
        if (other != XPD_NO_GROUP && other != walk->group)
            XPD_PUSH(&forest->met, (uint64_t)walk->group << 32 | other);
        return;
    }
    forest->seen[node] = 1;
    forest->queue[walk->tail++] = node;
}

/* Puts all children of a node behind the queue. */
static void visit_children(struct xpd_forest *forest, struct walk *walk, uint32_t node)
{
    const struct xpd_link *link = forest->links->link.at;
    uint32_t count;
    const uint32_t *child = xpd_forest_list(&forest->children, node, &count);
    for (uint32_t i = 0; i < count; i++)
        visit(forest, walk, child[i]);
    const uint32_t *out = xpd_forest_list(&forest->out, node, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t context = out[i], end = forest->context[context + 1];
        if (forest->crowded[context] || walk->walked[context] == walk->group + 1)
            continue;
        walk->walked[context] = walk->group + 1;
        for (uint32_t k = forest->context[context]; k < end && (link[k].ends & XPD_FLOW_IN); k++)
            visit(forest, walk, link[k].node);
    }
}

struct root {
    uint32_t node;
    uint64_t event;
    int64_t level, start_ps;
    uint32_t order; /* in the file */
    bool inner;     /* has a root of its level above it */
};

static int by_level(const void *a, const void *b)
{
    const struct root *x = a, *y = b;
    if (x->level != y->level)
        return x->level > y->level ? -1 : 1;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* What was met may only be below itself, where links go round. */
static bool judge_inner(struct xpd_forest *forest, struct root *root, uint32_t count)
{
    struct xpd_map64 root_of = {0};
    uint32_t above;
    for (uint32_t i = 0; i < count; i++)
        xpd_map64_put(&root_of, root[i].node, i);
    for (uint32_t i = 0; i < count; i++)
        root[i].inner =
            forest->seen[root[i].node] && xpd_forest_above(forest, &root_of, root[i].node, &above);
    bool fine = !root_of.failed;
    xpd_map64_fini(&root_of);
    return fine;
}

/* Marks the roots of one level that are below another root of it. */
static bool mark_inner(struct xpd_forest *forest, struct root *root, uint32_t count)
{
    struct walk walk = {.walked = calloc(forest->context_count + 1, sizeof *walk.walked)};
    if (!walk.walked)
        return false;
    memset(forest->seen, 0, forest->count);
    for (uint32_t i = 0; i < count; i++) {
        visit_children(forest, &walk, root[i].node);
    }
    while (walk.head < walk.tail)
        visit_children(forest, &walk, forest->queue[walk.head++]);
    free(walk.walked);
    return judge_inner(forest, root, count);
}

static bool mark_levels(struct xpd_forest *forest, struct root *root, uint32_t count,
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
static void flood(struct xpd_forest *forest, uint32_t node, uint32_t group, uint32_t *walked)
{
    struct walk walk = {.group = group, .walked = walked};
    forest->seen[node] = 1;
    forest->queue[walk.tail++] = node;
    while (walk.head < walk.tail) {
        uint32_t at = forest->queue[walk.head++];
        forest->group[at] = group;
        visit_children(forest, &walk, at);
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

/* "train 3": what kind of graph it runs, else its name (NULL: it has none to show), then its
 * number. */
static xpd_name_id group_name(struct xpd_forest *forest, const struct xpd_forest_numbers *numbers,
                              const struct xpd_links *links, uint32_t node,
                              const struct xpd_str *named, int64_t number,
                              struct xpd_groups_made *made)
{
    xpd_name_id kind = xpd_forest_kind(forest, numbers, links, node);
    char digits[24];
    int size = snprintf(digits, sizeof digits, "%lld", (long long)number);
    struct xpd_str name = named ? *named : XPD_STR("");
    if (kind != XPD_NO_NAME)
        name = xpd_intern_get(&links->names, kind);
    size_t before = kind != XPD_NO_NAME || named ? name.size + 1 : 0;
    char *text = malloc(before + (size_t)size + 1);
    if (!text) {
        made->named.failed = true;
        return XPD_NO_NAME;
    }
    if (before > 0) {
        if (name.size > 0)
            memcpy(text, name.data, name.size);
        text[name.size] = ' ';
    }
    memcpy(text + before, digits, (size_t)size);
    xpd_name_id id = xpd_intern_put(made->names, text, before + (size_t)size);
    free(text);
    return id;
}

/* Every root names its group; an explicit one begins a step too, and is called so itself. */
static void name_root(struct xpd_forest *forest, const struct xpd_forest_numbers *numbers,
                      const struct xpd_links *links, const struct root *root, uint32_t group,
                      struct xpd_groups_made *made)
{
    const struct xpd_depth *depth;
    uint32_t index;
    if (!xpd_trace_find(forest->trace, root->event, &depth, &index))
        return;
    struct xpd_str name =
        xpd_intern_get(&forest->trace->names, forest->trace->name[depth->name[index]].name);
    struct xpd_group_root made_root = {
        .event = root->event,
        .number = xpd_forest_step(forest, numbers, links, root->node, group),
        .group = group};
    bool implicit = is_implicit(name);
    xpd_name_id id = group_name(forest, numbers, links, root->node, implicit ? NULL : &name,
                                made_root.number, made);
    XPD_PUSH(&made->group_name, id);
    if (implicit)
        return;
    XPD_PUSH(&made->root, made_root);
    struct xpd_step_name named = {.event = root->event, .name = id};
    XPD_PUSH(&made->named, named);
}

/* Of a device's rows, only grouping events say their own numbers: not what lies in them. */
static bool is_node(const struct xpd_forest *forest, uint32_t row)
{
    return forest->row_node[row] != XPD_NO_NODE ||
           forest->groups->line[forest->trace->row[row].process].row == row;
}

static uint32_t collect_roots(const struct xpd_forest *forest, const struct xpd_links *links,
                              struct root *root, struct xpd_forest_numbers *numbers)
{
    uint32_t count = 0;
    for (size_t i = 0; i < links->root.count; i++) {
        const struct xpd_link_root *from = &links->root.at[i];
        const struct xpd_depth *depth;
        uint32_t index, node = xpd_forest_node(forest, from->event);
        if (node == XPD_NO_NODE || !xpd_trace_find(forest->trace, from->event, &depth, &index) ||
            !is_node(forest, depth->row))
            continue;
        if (from->iter != INT64_MIN)
            xpd_map64_put(&numbers->iter, node, (uint32_t)i);
        if (from->step != INT64_MIN)
            xpd_map64_put(&numbers->step, node, (uint32_t)i);
        if (from->kind != XPD_NO_NAME)
            xpd_map64_put(&numbers->kind, node, (uint32_t)i);
        if (from->is_root && !xpd_forest_is_data(forest, from) &&
            forest->row_node[depth->row] != XPD_NO_NODE)
            root[count++] = (struct root){.node = node,
                                          .event = from->event,
                                          .level = from->level,
                                          .order = (uint32_t)i,
                                          .start_ps = xpd_depth_start(depth, index)};
    }
    qsort(root, count, sizeof *root, by_level);
    return count;
}

static bool any_core_grouped(const struct xpd_forest *forest)
{
    for (uint32_t p = 0; p < forest->trace->process_count; p++)
        for (uint32_t i = 0;
             forest->trace->process[p].kind == XPD_PROCESS_TPU && i < forest->groups->line[p].count;
             i++)
            if (forest->group[forest->line_node[p] + i] != XPD_NO_GROUP)
                return true;
    return false;
}

static void count_core(struct xpd_forest *forest, const struct xpd_forest_numbers *numbers,
                       const struct xpd_links *links, uint32_t *walked, uint32_t process,
                       uint32_t first, struct xpd_groups_made *made)
{
    uint32_t next = first;
    for (uint32_t i = 0; i < forest->groups->line[process].count; i++) {
        uint32_t node = forest->line_node[process] + i;
        if (forest->seen[node])
            continue;
        flood(forest, node, next, walked);
        xpd_name_id name = group_name(forest, numbers, links, node, NULL,
                                      xpd_forest_step(forest, numbers, links, node, next), made);
        if (next == made->group_name.count)
            XPD_PUSH(&made->group_name, name);
        else
            made->group_name.at[next] = name;
        next++;
    }
}

/* What a step of a TensorCore makes (on a SparseCore) has its number. Of several cores the last one
 * of the file names the step. */
static bool count_lock_step(struct xpd_forest *forest, const struct xpd_forest_numbers *numbers,
                            const struct xpd_links *links, uint32_t *walked,
                            struct xpd_groups_made *made)
{
    const struct xpd_trace *trace = forest->trace;
    uint32_t first = (uint32_t)made->group_name.count, cores = 0;
    uint64_t *core = XPD_NEW_ARRAY(&forest->scratch, uint64_t, trace->process_count);
    if (!core)
        return false;
    for (uint32_t p = 0; p < trace->process_count; p++)
        if (trace->process[p].kind == XPD_PROCESS_TPU)
            core[cores++] = (uint64_t)trace->process[p].plane << 32 | p;
    if (cores > 1)
        qsort(core, cores, sizeof *core, xpd_order_u64);
    for (uint32_t i = 0; i < cores; i++)
        count_core(forest, numbers, links, walked, (uint32_t)core[i], first, made);
    return true;
}

bool xpd_forest_roots(struct xpd_forest *forest, const struct xpd_links *links,
                      struct xpd_groups_made *made)
{
    struct xpd_forest_numbers numbers = {0};
    struct root *root = XPD_NEW_ARRAY(&forest->scratch, struct root, links->root.count + 1);
    uint32_t *walked = XPD_NEW_ARRAY(&forest->scratch, uint32_t, (size_t)forest->context_count + 1);
    forest->group = XPD_NEW_ARRAY(&forest->scratch, uint32_t, forest->count);
    forest->queue = XPD_NEW_ARRAY(&forest->scratch, uint32_t, (size_t)forest->count + 1);
    forest->seen = XPD_NEW_ARRAY(&forest->scratch, uint8_t, forest->count);
    if (forest->scratch.failed)
        return false;
    for (uint32_t i = 0; i < forest->count; i++)
        forest->group[i] = XPD_NO_GROUP;
    uint32_t count = collect_roots(forest, links, root, &numbers), next = 0;
    bool fine = !numbers.iter.failed && !numbers.step.failed && !numbers.kind.failed &&
                mark_levels(forest, root, count, made->warnings);
    if (fine)
        memset(forest->seen, 0, forest->count);
    for (size_t i = 0; fine && i < forest->loop.count; i++) {
        const struct xpd_forest_loop *loop = &forest->loop.at[i];
        struct root begun = {.node = loop->node, .event = loop->event};
        if (!forest->seen[loop->node])
            flood(forest, loop->node, next, walked);
        name_root(forest, &numbers, links, &begun, next++, made);
    }
    for (uint32_t i = 0; fine && forest->loop.count == 0 && i < count; i++) {
        if (root[i].inner || forest->seen[root[i].node])
            continue;
        flood(forest, root[i].node, next, walked);
        name_root(forest, &numbers, links, &root[i], next, made);
        next++;
    }
    if (forest->context_work >= XPD_FOREST_WORK_MAX)
        xpd_warn(made->warnings, XPD_WARNING, "root_numbers", XPD_NO_OFFSET,
                 "the step numbers of roots were searched in %llu events; roots after that are "
                 "called by their group",
                 (unsigned long long)XPD_FOREST_WORK_MAX);
    if (fine && !any_core_grouped(forest))
        fine = count_lock_step(forest, &numbers, links, walked, made);
    xpd_map64_fini(&numbers.iter);
    xpd_map64_fini(&numbers.step);
    xpd_map64_fini(&numbers.kind);
    return fine;
}
