/* XProf draws an event over each task of a thread pool before it groups: what a thread does in a
 * task nests in it. Each stop makes one, from the last start that names its consumer; a start at
 * time 0 is none. */
#include "groups_forest.h"

#include "xprofd/trace/merge.h"

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
