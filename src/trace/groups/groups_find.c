/* The group of an event: look-up in the result of trace_groups.c. A row has the group of each
 * event, or its process has grouping events that are searched by time. */
#include "groups_forest.h"

#include "xprofd/base/bisect.h"

void xpd_groups_near(const struct xpd_event_groups *groups, bool up, uint32_t group,
                     uint32_t *first, uint32_t *end)
{
    const uint64_t *pair = up ? groups->above : groups->below;
    *first = 0;
    XPD_BISECT(*first, groups->pair_count, middle, pair[middle] >> 32 < group);
    *end = *first;
    XPD_BISECT(*end, groups->pair_count, middle, pair[middle] >> 32 <= group);
}

uint32_t xpd_group_line_place(const struct xpd_group_line *line, uint64_t event, int64_t start_ps)
{
    uint32_t low = 0;
    XPD_BISECT(low, line->count, middle, line->start_ps[middle] < start_ps);
    while (low < line->count && line->start_ps[low] == start_ps && line->event[low] != event)
        low++;
    return low < line->count && line->event[low] == event ? low : XPD_NO_INDEX;
}

uint32_t xpd_group_line_first(const struct xpd_group_line *line, int64_t start_ps)
{
    uint32_t low = 0;
    XPD_BISECT(low, line->count, middle, line->last_end_ps[middle] < start_ps);
    return low;
}

/* The earliest grouping event that touches the span (closed intervals), XPD_NO_INDEX = none. */
static uint32_t line_find(const struct xpd_group_line *line, int64_t start_ps, int64_t end_ps)
{
    uint32_t low = xpd_group_line_first(line, start_ps);
    return low < line->count && line->start_ps[low] <= end_ps ? low : XPD_NO_INDEX;
}

uint32_t xpd_group_line_holder(const struct xpd_group_line *line, int64_t start_ps, int64_t end_ps)
{
    uint32_t low = 0;
    XPD_BISECT(low, line->count, middle, line->last_end_ps[middle] <= start_ps);
    return low < line->count && line->start_ps[low] <= start_ps && line->end_ps[low] >= end_ps
               ? low
               : XPD_NO_INDEX;
}

uint32_t xpd_group_line_of(const struct xpd_group_line *line, int64_t start_ps, int64_t end_ps)
{
    uint32_t at = line_find(line, start_ps, end_ps);
    return at == XPD_NO_INDEX ? XPD_NO_GROUP : line->group[at];
}

uint32_t *xpd_groups_row(struct xpd_event_groups *groups, const struct xpd_trace *trace,
                         uint32_t row, struct xpd_arena *arena)
{
    if (groups->of_row[row])
        return groups->of_row[row];
    uint64_t count = 0;
    for (uint32_t d = 0; d < trace->row[row].depth_count; d++)
        count += trace->depth[trace->row[row].first_depth + d].count;
    uint32_t *of = XPD_NEW_ARRAY(arena, uint32_t, count);
    for (uint64_t i = 0; of && i < count; i++)
        of[i] = XPD_NO_GROUP;
    return groups->of_row[row] = of;
}

uint32_t xpd_groups_at(const struct xpd_event_groups *groups, const struct xpd_trace *trace,
                       const struct xpd_depth *depth, uint32_t index)
{
    const uint32_t *of = groups->of_row[depth->row];
    if (of)
        return of[depth->first_event + index - groups->row_event[depth->row]];
    if (trace->row[depth->row].kind == XPD_ROW_COUNTER) /* samples belong to no step, as in XProf */
        return XPD_NO_GROUP;
    const struct xpd_group_line *line = &groups->line[trace->row[depth->row].process];
    int64_t start_ps = xpd_depth_start(depth, index);
    return xpd_group_line_of(line, start_ps, start_ps + xpd_depth_duration(depth, index));
}

uint32_t xpd_groups_reach(const struct xpd_event_groups *groups, const struct xpd_trace *trace,
                          const struct xpd_depth *depth, uint32_t index, uint32_t end)
{
    const uint32_t *of = groups->of_row[depth->row];
    if (!of)
        return groups->line[trace->row[depth->row].process].count == 0 ? end : index + 1;
    of += depth->first_event - groups->row_event[depth->row];
    uint32_t stop = index + 1;
    while (stop < end && of[stop] == of[index])
        stop++;
    return stop;
}

uint32_t xpd_groups_of(const struct xpd_event_groups *groups, const struct xpd_trace *trace,
                       uint64_t event)
{
    const struct xpd_depth *depth;
    uint32_t index;
    return xpd_trace_find(trace, event, &depth, &index) ? xpd_groups_at(groups, trace, depth, index)
                                                        : XPD_NO_GROUP;
}

uint32_t xpd_groups_of_region(const struct xpd_event_groups *groups, uint32_t row, int64_t start_ps,
                              int64_t end_ps)
{
    uint32_t low = 0;
    XPD_BISECT(low, groups->region_count, middle,
               groups->region[middle].row < row || (groups->region[middle].row == row &&
                                                    groups->region[middle].start_ps < start_ps));
    for (; low < groups->region_count; low++) {
        const struct xpd_group_region *at = &groups->region[low];
        if (at->row != row || at->start_ps != start_ps)
            return XPD_NO_GROUP;
        if (at->end_ps == end_ps)
            return at->group;
    }
    return XPD_NO_GROUP;
}

/* ---- while groups are made ---- */

uint32_t xpd_forest_node(const struct xpd_forest *forest, uint64_t event)
{
    const struct xpd_depth *depth;
    uint32_t index;
    if (!xpd_trace_find(forest->trace, event, &depth, &index))
        return XPD_NO_NODE;
    if (forest->row_node[depth->row] != XPD_NO_NODE)
        return forest->row_node[depth->row] +
               (uint32_t)(event - forest->groups->row_event[depth->row]);
    uint32_t process = forest->trace->row[depth->row].process;
    if (forest->line_node[process] == XPD_NO_NODE)
        return XPD_NO_NODE;
    const struct xpd_group_line *line = &forest->groups->line[process];
    uint32_t at = depth->row == line->row
                      ? xpd_group_line_place(line, event, xpd_depth_start(depth, index))
                      : xpd_group_line_holder(line, xpd_depth_start(depth, index),
                                              xpd_depth_end(depth, index));
    return at == XPD_NO_INDEX ? XPD_NO_NODE : forest->line_node[process] + at;
}
