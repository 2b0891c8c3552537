/* The forest of causes: events nest inside their row, producers are parents of consumers.
 * Linear in events, n log n in links. */
#include "groups_forest.h"
#include "links_sort.h"

#include "xprofd/base/bisect.h"
#include "xprofd/base/order.h"
#include "xprofd/trace/merge.h"

#define CROWD 64 /* XProf ignores a context with as many producers and as many consumers */

static bool is_host_like(const struct xpd_trace_process *process)
{
    return process->kind == XPD_PROCESS_HOST || process->kind == XPD_PROCESS_GPU ||
           process->kind == XPD_PROCESS_CUSTOM;
}

static uint64_t row_events(const struct xpd_trace *trace, const struct xpd_trace_row *row)
{
    uint64_t count = 0;
    for (uint32_t d = 0; d < row->depth_count; d++)
        count += trace->depth[row->first_depth + d].count;
    return count;
}

static bool number_nodes(struct xpd_forest *forest)
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
        forest->row_node[i] = counts ? (uint32_t)count : XPD_NO_NODE;
        count += counts ? row_events(trace, row) : 0;
        if (count >= XPD_NO_NODE)
            return false;
    }
    for (uint32_t p = 0; p < trace->process_count; p++) {
        uint32_t lines = forest->groups->line[p].count;
        forest->line_node[p] = lines ? (uint32_t)count : XPD_NO_NODE;
        count += lines;
        if (count >= XPD_NO_NODE)
            return false;
    }
    forest->count = (uint32_t)count;
    return true;
}

/* Internal events of a thread, which stand in a row behind it. */
static bool is_hidden_part(const struct xpd_trace *trace, uint32_t row)
{
    const struct xpd_trace_row *at = &trace->row[row];
    return at->kind == XPD_ROW_INTERNAL && row > 0 && at[-1].process == at->process &&
           at[-1].kind != XPD_ROW_COUNTER && at[-1].kind != XPD_ROW_INTERNAL && at[-1].id == at->id;
}

struct nesting { /* of one thread */
    struct xpd_forest *forest;
    uint32_t region, region_end; /* those that have not begun yet */
    XPD_VEC(struct open_event {
        int64_t end_ps;
        uint32_t node;
    })
    open;
};

static void open_event(struct nesting *at, uint32_t node, int64_t end_ps)
{
    while (at->open.count > 0 && at->open.at[at->open.count - 1].end_ps < end_ps)
        at->open.count--;
    at->forest->parent[node] =
        at->open.count > 0 ? at->open.at[at->open.count - 1].node : XPD_NO_NODE;
    struct open_event opened = {.end_ps = end_ps, .node = node};
    XPD_PUSH(&at->open, opened);
}

/* Those that begin before an event, or with it and end behind it. */
static void open_regions(struct nesting *at, int64_t start_ps, int64_t end_ps)
{
    for (; at->region < at->region_end; at->region++) {
        const struct xpd_group_region *region = &at->forest->groups->region[at->region];
        if (region->start_ps > start_ps ||
            (region->start_ps == start_ps && region->end_ps <= end_ps))
            return;
        open_event(at, at->forest->region_node + at->region, region->end_ps);
    }
}

static void find_regions(struct nesting *at, uint32_t row)
{
    const struct xpd_event_groups *groups = at->forest->groups;
    XPD_BISECT(at->region, groups->region_count, middle, groups->region[middle].row < row);
    at->region_end = at->region;
    while (at->region_end < groups->region_count && groups->region[at->region_end].row == row)
        at->region_end++;
}

/* Nesting by a stack over the events of a thread in order of (start, -duration). */
static bool nest_row(struct xpd_forest *forest, uint32_t row)
{
    struct nesting at = {.forest = forest};
    struct xpd_merge merge;
    struct xpd_merged event;
    find_regions(&at, row);
    xpd_merge_init(&merge, true);
    xpd_merge_add_row(&merge, forest->trace, row);
    if (row + 1 < forest->trace->row_count && is_hidden_part(forest->trace, row + 1))
        xpd_merge_add_row(&merge, forest->trace, row + 1);
    while (xpd_merge_next(&merge, &event)) {
        uint32_t of = event.depth->row;
        uint32_t node =
            forest->row_node[of] + (uint32_t)(event.event - forest->groups->row_event[of]);
        int64_t end_ps = event.start_ps + event.duration_ps;
        if (forest->async && forest->async[node]) {
            forest->parent[node] = XPD_NO_NODE;
            continue;
        }
        open_regions(&at, event.start_ps, end_ps);
        open_event(&at, node, end_ps);
    }
    bool fine = !merge.failed && !at.open.failed;
    xpd_merge_fini(&merge);
    XPD_VEC_FINI(&at.open);
    return fine;
}

static bool mark_async(struct xpd_forest *forest, const struct xpd_links *links)
{
    for (size_t i = 0; i < links->root.count; i++) {
        const struct xpd_link_root *root = &links->root.at[i];
        uint32_t node = root->async ? xpd_forest_node(forest, root->event) : XPD_NO_NODE;
        if (node == XPD_NO_NODE)
            continue;
        if (!forest->async)
            forest->async = XPD_NEW_ARRAY(&forest->scratch, uint8_t, forest->count);
        if (!forest->async)
            return false;
        forest->async[node] = 1;
    }
    return true;
}

/* Lists are made in passes: xpd_ranks_set for each node that has an item, begin, count for each
 * item, place, put for each item. */
static bool lists_init(struct xpd_forest_lists *lists, struct xpd_forest *forest)
{
    return xpd_ranks_init(&lists->some, &forest->scratch, xpd_ranks_words(forest->count));
}

static bool lists_begin(struct xpd_forest_lists *lists, struct xpd_forest *forest, size_t items)
{
    lists->count = xpd_ranks_count(&lists->some, xpd_ranks_words(forest->count));
    lists->first = XPD_NEW_ARRAY(&forest->scratch, uint32_t, (size_t)lists->count + 2);
    lists->item = XPD_NEW_ROOM(&forest->scratch, uint32_t, items);
    return lists->first && lists->item;
}

/* first[k + 2] counts, first[k + 1] becomes the place to write, first[k] the start of k */
static void lists_count(struct xpd_forest_lists *lists, uint32_t node)
{
    lists->first[xpd_ranks_of(&lists->some, node) + 2]++;
}

static void lists_place(struct xpd_forest_lists *lists)
{
    for (uint32_t i = 0; i < lists->count; i++)
        lists->first[i + 2] += lists->first[i + 1];
}

static void lists_put(struct xpd_forest_lists *lists, uint32_t node, uint32_t item)
{
    lists->item[lists->first[xpd_ranks_of(&lists->some, node) + 1]++] = item;
}

static bool nest(struct xpd_forest *forest)
{
    forest->parent = XPD_NEW_ROOM(&forest->scratch, uint32_t, forest->count);
    if (!forest->parent)
        return false;
    for (uint32_t i = 0; i < forest->count; i++)
        forest->parent[i] = XPD_NO_NODE;
    for (uint32_t i = 0; i < forest->trace->row_count; i++)
        if (forest->row_node[i] != XPD_NO_NODE && !is_hidden_part(forest->trace, i) &&
            !nest_row(forest, i))
            return false;
    uint32_t children = 0;
    if (!lists_init(&forest->children, forest))
        return false;
    for (uint32_t i = 0; i < forest->count; i++)
        if (forest->parent[i] != XPD_NO_NODE) {
            xpd_ranks_set(&forest->children.some, forest->parent[i]);
            children++;
        }
    if (!lists_begin(&forest->children, forest, children))
        return false;
    for (uint32_t i = 0; i < forest->count; i++)
        if (forest->parent[i] != XPD_NO_NODE)
            lists_count(&forest->children, forest->parent[i]);
    lists_place(&forest->children);
    for (uint32_t i = 0; i < forest->count; i++)
        if (forest->parent[i] != XPD_NO_NODE)
            lists_put(&forest->children, forest->parent[i], i);
    return true;
}

static bool is_crowded(const struct xpd_link *link, uint32_t count)
{
    uint32_t out = 0, in = 0;
    for (uint32_t i = 0; i < count; i++) {
        out += (link[i].ends & XPD_FLOW_OUT) != 0;
        in += (link[i].ends & XPD_FLOW_IN) != 0;
    }
    return out >= CROWD && in >= CROWD;
}

struct maker { /* an event that others follow, and where XProf meets it */
    uint32_t process, line;
    int64_t start_ps, end_ps;
    struct xpd_link link;
};

static int by_place_in_file(const void *a, const void *b)
{
    const struct maker *x = a, *y = b;
    int order = XPD_ORDER(x->process, y->process);
    order = order ? order : XPD_ORDER(x->line, y->line);
    order = order ? order : XPD_ORDER(x->start_ps, y->start_ps);
    order = order ? order : XPD_ORDER(y->end_ps, x->end_ps);
    return order ? order : XPD_ORDER(x->link.node, y->link.node);
}

static struct maker maker_of(const struct xpd_forest *forest, const struct xpd_link *link)
{
    struct maker of = {.link = *link};
    const struct xpd_depth *depth;
    uint32_t index;
    if (!xpd_trace_find(forest->trace, link->event, &depth, &index))
        return of;
    of.process = forest->trace->row[depth->row].process;
    of.line = forest->trace->row[depth->row].line;
    of.start_ps = xpd_depth_start(depth, index);
    of.end_ps = xpd_depth_end(depth, index);
    return of;
}

/* Of several makers with one key the first in the file is asked first, not the one whose row comes
 * first. They stand behind what they made. */
static bool order_makers(struct xpd_forest *forest)
{
    XPD_VEC(struct maker) makers = {0};
    for (uint32_t c = 0; c < forest->context_count && !makers.failed; c++) {
        uint32_t first = forest->context[c], end = forest->context[c + 1];
        struct xpd_link *link = forest->links->link.at;
        while (first < end && (link[first].ends & XPD_FLOW_IN))
            first++;
        if (end - first < 2 || forest->crowded[c] || link[first].kind == XPD_LINK_FETCH)
            continue;
        makers.count = 0;
        for (uint32_t i = first; i < end; i++)
            XPD_PUSH(&makers, maker_of(forest, &link[i]));
        if (makers.failed)
            break;
        qsort(makers.at, makers.count, sizeof *makers.at, by_place_in_file);
        for (uint32_t i = first; i < end; i++)
            link[i] = makers.at[i - first].link;
    }
    bool fine = !makers.failed;
    XPD_VEC_FINI(&makers);
    return fine;
}

/* Puts the links in order, those of a context together. */
static bool find_contexts(struct xpd_forest *forest)
{
    struct xpd_link *link = forest->links->link.at;
    size_t all = forest->links->link.count;
    uint32_t count = 0, contexts = 0;
    if (all >= XPD_NO_NODE)
        return false;
    for (size_t i = 0; i < all; i++) {
        if (link[i].kind != XPD_LINK_FETCH)
            link[i].node = link[i].kind == XPD_LINK_FLOW ? XPD_NO_NODE
                                                         : xpd_forest_node(forest, link[i].event);
        count += link[i].node != XPD_NO_NODE;
    }
    xpd_links_sort(link, all);
    for (uint32_t i = 0; i < count; i++)
        contexts += i == 0 || xpd_links_order(&link[i - 1], &link[i]) != 0;
    forest->context = XPD_NEW_ROOM(&forest->scratch, uint32_t, (size_t)contexts + 1);
    forest->crowded = XPD_NEW_ARRAY(&forest->scratch, uint8_t, contexts);
    if (forest->scratch.failed)
        return false;
    forest->link_count = count;
    forest->context_count = contexts;
    for (uint32_t i = 0, c = 0; i < count; i++)
        if (i == 0 || xpd_links_order(&link[i - 1], &link[i]) != 0)
            forest->context[c++] = i;
    forest->context[contexts] = count;
    for (uint32_t c = 0; c < contexts; c++)
        forest->crowded[c] =
            is_crowded(link + forest->context[c], forest->context[c + 1] - forest->context[c]);
    return order_makers(forest);
}

/* Which contexts a node has that end of. */
static bool index_ends(struct xpd_forest *forest, unsigned end, struct xpd_forest_lists *lists)
{
    const struct xpd_link *link = forest->links->link.at;
    uint32_t ends = 0;
    if (!lists_init(lists, forest))
        return false;
    for (uint32_t i = 0; i < forest->link_count; i++)
        if (link[i].ends & end) {
            xpd_ranks_set(&lists->some, link[i].node);
            ends++;
        }
    if (!lists_begin(lists, forest, ends))
        return false;
    for (uint32_t i = 0; i < forest->link_count; i++)
        if (link[i].ends & end)
            lists_count(lists, link[i].node);
    lists_place(lists);
    for (uint32_t c = 0; c < forest->context_count; c++)
        for (uint32_t i = forest->context[c]; i < forest->context[c + 1]; i++)
            if (link[i].ends & end)
                lists_put(lists, link[i].node, c);
    return true;
}

/* What TensorFlow's steps add to the links first. */
static bool connect(struct xpd_forest *forest)
{
    return xpd_forest_data_ids(forest) && xpd_forest_fetches(forest) && xpd_forest_loops(forest) &&
           find_contexts(forest) && index_ends(forest, XPD_FLOW_OUT, &forest->out) &&
           index_ends(forest, XPD_FLOW_IN, &forest->in);
}

/* Which groups' walks met which others: each pair once, both ways round. */
static bool copy_met(struct xpd_forest *forest, struct xpd_arena *arena)
{
    struct xpd_event_groups *groups = forest->groups;
    uint64_t *met = forest->met.at;
    uint32_t kept = 0;
    if (forest->met.failed || forest->met.count > UINT32_MAX)
        return false;
    if (forest->met.count > 1)
        qsort(met, forest->met.count, sizeof *met, xpd_order_u64);
    for (size_t i = 0; i < forest->met.count; i++)
        if (i == 0 || met[i] != met[i - 1])
            met[kept++] = met[i];
    groups->below = XPD_COPY_ARRAY(arena, met, kept);
    for (uint32_t i = 0; i < kept; i++)
        met[i] = met[i] << 32 | met[i] >> 32;
    if (kept > 1)
        qsort(met, kept, sizeof *met, xpd_order_u64);
    groups->above = XPD_COPY_ARRAY(arena, met, kept);
    groups->pair_count = kept;
    return !arena->failed;
}

static bool copy_out(struct xpd_forest *forest, struct xpd_arena *arena, bool *any_device)
{
    struct xpd_event_groups *groups = forest->groups;
    for (uint32_t i = 0; i < forest->trace->row_count; i++) {
        uint64_t count = row_events(forest->trace, &forest->trace->row[i]);
        if (forest->row_node[i] == XPD_NO_NODE || count == 0)
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
    for (uint32_t i = 0; i < groups->region_count; i++)
        groups->region[i].group = forest->group[forest->region_node + i];
    for (uint32_t p = 0; p < forest->trace->process_count; p++)
        for (uint32_t k = 0; k < groups->line[p].count; k++) {
            groups->line[p].group[k] = forest->group[forest->line_node[p] + k];
            *any_device |= groups->line[p].group[k] != XPD_NO_GROUP &&
                           forest->trace->process[p].kind == XPD_PROCESS_TPU;
        }
    return true;
}

/* Whether there are roots, or steps of devices that others reach or name. */
static bool is_wanted(const struct xpd_event_groups *groups, const struct xpd_trace *trace,
                      const struct xpd_links *links)
{
    bool cores = false, named = false;
    for (uint32_t p = 0; p < trace->process_count; p++) {
        cores |= trace->process[p].kind == XPD_PROCESS_TPU && groups->line[p].count > 0;
        if (trace->process[p].kind == XPD_PROCESS_SPARSE_CORE && groups->line[p].count > 0)
            return true;
    }
    for (size_t i = 0; i < links->root.count; i++) {
        const struct xpd_link_root *root = &links->root.at[i];
        if (root->is_root || root->part == XPD_PART_EXECUTOR || root->is_func == 0)
            return true;
        named |= root->iter != INT64_MIN || root->step != INT64_MIN || root->kind != XPD_NO_NAME;
    }
    return cores && named;
}

int xpd_forest_group(struct xpd_event_groups *groups, const struct xpd_trace *trace,
                     struct xpd_links *links, struct xpd_groups_made *made, bool *any_device,
                     struct xpd_err *err)
{
    struct xpd_forest forest = {.trace = trace, .groups = groups, .links = links};
    if (!is_wanted(groups, trace, links))
        return XPD_OK;
    xpd_arena_init(&forest.scratch, made->arena->budget_bytes);
    bool fine = number_nodes(&forest) && xpd_forest_regions(&forest, links, made->arena) &&
                mark_async(&forest, links) && nest(&forest) && connect(&forest) &&
                xpd_forest_roots(&forest, links, made) &&
                xpd_forest_eager(&forest, links, made->arena) && copy_met(&forest, made->arena) &&
                copy_out(&forest, made->arena, any_device);
    XPD_VEC_FINI(&forest.met);
    XPD_VEC_FINI(&forest.loop);
    xpd_map64_fini(&forest.data_ids);
    xpd_arena_fini(&forest.scratch);
    return fine ? XPD_OK
                : xpd_no_memory(err, NULL, "to group %llu events by steps",
                                (unsigned long long)trace->event_count);
}
