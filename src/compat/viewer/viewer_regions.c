/* Regions of thread pools as XProf draws them: each StopRegion of a thread makes one, from the last
 * StartRegion that names its consumer; a start at time 0 counts for none. So nested regions all
 * begin at the inner start. The derived row (derive_tpu.c) pairs each start with one stop. */
#include "viewer_private.h"
#include "xprofd/base/bisect.h"

#define LISTENER "ThreadpoolListener::"

struct region {
    int64_t start_ps, end_ps;
    uint64_t event;
    uint32_t name, group;
};
struct regions {
    const struct xpd_xprof *xprof;
    XPD_VEC(struct region) paired; /* the derived row, in order of start */
    XPD_VEC(struct region) drawn;
};

static bool is_consumer(const struct xpd_flows *flows, uint64_t event)
{
    uint64_t i = 0, end = 0;
    if (flows)
        xpd_flows_of(flows, event, &i, &end);
    for (; i < end; i++)
        if (flows->of_event[i].ends == XPD_FLOW_IN)
            return true;
    return false;
}

/* The derived region of a start has its group and name. A start without a region, because another
 * came before the stop, takes those of the next: all have the same name. */
static bool open_at(const struct regions *regions, int64_t start_ps, struct region *open)
{
    size_t low = 0, count = regions->paired.count;
    XPD_BISECT(low, count, middle, regions->paired.at[middle].start_ps < start_ps);
    if (count == 0)
        return false;
    *open = regions->paired.at[low < count ? low : count - 1];
    open->start_ps = start_ps;
    return true;
}

static bool gather_paired(struct regions *regions, const struct xpd_trace_row *row)
{
    const struct xpd_derived *derived = regions->xprof->input.derived;
    struct xpd_merge merge;
    struct xpd_merged event;
    xpd_merge_init(&merge, true);
    for (uint32_t i = 0; i < row->depth_count; i++)
        xpd_merge_add(&merge, &derived->depth[row->first_depth + i]);
    while (xpd_merge_next(&merge, &event)) {
        struct region region = {
            .start_ps = event.start_ps, .event = event.event, .name = event.name};
        XPD_PUSH(&regions->paired, region);
    }
    bool fine = !merge.failed && !regions->paired.failed;
    xpd_merge_fini(&merge);
    return fine;
}

static bool draw(struct regions *regions, uint32_t row)
{
    const struct xpd_trace *trace = regions->xprof->input.trace;
    xpd_name_id start = xpd_intern_find(&trace->names, XPD_STR(LISTENER "StartRegion"));
    xpd_name_id stop = xpd_intern_find(&trace->names, XPD_STR(LISTENER "StopRegion"));
    struct region open = {0};
    bool is_open = false;
    struct xpd_merge merge;
    struct xpd_merged event;
    xpd_merge_init(&merge, true);
    xpd_merge_add_row(&merge, trace, row);
    while (xpd_merge_next(&merge, &event)) {
        xpd_name_id name = trace->name[event.name].name;
        if (name == start && is_consumer(regions->xprof->input.flows, event.event))
            is_open = open_at(regions, event.start_ps, &open);
        if (name != stop || !is_open || open.start_ps == 0)
            continue;
        open.end_ps = event.start_ps;
        open.group = xpd_groups_of_region(regions->xprof->input.derived->groups, row, open.start_ps,
                                          open.end_ps);
        XPD_PUSH(&regions->drawn, open);
    }
    bool fine = !merge.failed && !regions->drawn.failed;
    xpd_merge_fini(&merge);
    return fine;
}

static int by_start(const void *a, const void *b)
{
    const struct region *x = a, *y = b;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    return (x->end_ps < y->end_ps) - (x->end_ps > y->end_ps);
}

static void keep(struct xpd_xprof *xprof, struct xpd_xprof_parts *parts,
                 const struct regions *regions, const struct xpd_xprof_stream *like)
{
    size_t count = regions->drawn.count;
    int64_t *start_ps = XPD_NEW_ARRAY(&xprof->arena, int64_t, count);
    int64_t *duration_ps = XPD_NEW_ARRAY(&xprof->arena, int64_t, count);
    uint32_t *name = XPD_NEW_ARRAY(&xprof->arena, uint32_t, count);
    uint64_t *event = XPD_NEW_ARRAY(&xprof->arena, uint64_t, count);
    uint32_t *group = XPD_NEW_ARRAY(&xprof->arena, uint32_t, count);
    struct xpd_xprof_stream grouped = *like;
    if (xprof->arena.failed)
        return; /* the view fails as a whole */
    qsort(regions->drawn.at, count, sizeof *regions->drawn.at, by_start);
    for (size_t i = 0; i < count; i++) {
        const struct region *region = &regions->drawn.at[i];
        start_ps[i] = region->start_ps;
        duration_ps[i] = region->end_ps - region->start_ps;
        name[i] = region->name;
        event[i] = region->event;
        group[i] = region->group;
    }
    grouped.group = group;
    struct xpd_depth columns = {
        .count = (uint32_t)count, .start_ps = start_ps, .duration_ps = duration_ps, .name = name};
    xpd_xprof_add_columns(xprof, parts, &grouped, columns, event);
}

bool xpd_xprof_regions(struct xpd_xprof *xprof, struct xpd_xprof_parts *parts,
                       const struct xpd_trace_row *row, const struct xpd_xprof_stream *like)
{
    const struct xpd_trace *trace = xprof->input.trace;
    const struct xpd_trace_process *process = &trace->process[row->process];
    struct regions regions = {.xprof = xprof};
    bool fine = gather_paired(&regions, row);
    for (uint32_t i = 0; fine && i < process->row_count; i++) {
        const struct xpd_trace_row *at = &trace->row[process->first_row + i];
        if (at->kind == XPD_ROW_LINE && at->id == row->id)
            fine = draw(&regions, process->first_row + i);
    }
    if (fine && regions.drawn.count > 0)
        keep(xprof, parts, &regions, like);
    XPD_VEC_FINI(&regions.paired);
    XPD_VEC_FINI(&regions.drawn);
    return fine;
}
