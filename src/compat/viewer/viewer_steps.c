/* Steps as XProf draws them: consecutive ones of one group are one event (see groups.c), with the
 * name and arguments of the first. */
#include "viewer_private.h"
#include "xprofd/base/bisect.h"
#include "xprofd/compat/gpu_steps.h"
#include "xprofd/trace/groups.h"

bool xpd_xprof_merged_steps(struct xpd_xprof *xprof, struct xpd_xprof_parts *parts, uint32_t row,
                            const struct xpd_xprof_stream *like)
{
    const struct xpd_trace *trace = xprof->input.trace;
    const struct xpd_event_groups *groups = xprof->input.derived->groups;
    const struct xpd_group_line *line = &groups->line[trace->row[row].process];
    if (!line->merged || line->row != row)
        return false;
    int64_t *duration_ps = XPD_NEW_ARRAY(&xprof->arena, int64_t, line->count);
    uint32_t *name = XPD_NEW_ARRAY(&xprof->arena, uint32_t, line->count);
    if (xprof->arena.failed)
        return true; /* the view fails as a whole */
    for (uint32_t i = 0; i < line->count; i++) {
        const struct xpd_depth *at;
        uint32_t index;
        duration_ps[i] = line->end_ps[i] - line->start_ps[i];
        if (xpd_trace_find(trace, line->event[i], &at, &index))
            name[i] = at->name[index];
    }
    struct xpd_depth columns = {
        .count = line->count, .start_ps = line->start_ps, .duration_ps = duration_ps, .name = name};
    xpd_xprof_add_columns(xprof, parts, like, columns, line->event);
    return true;
}

bool xpd_xprof_gpu_steps(struct xpd_xprof *xprof, struct xpd_xprof_parts *parts, uint32_t row,
                         const struct xpd_xprof_stream *like)
{
    const struct xpd_derived *derived = xprof->input.derived;
    const struct xpd_trace_row *at = &derived->row[row];
    int64_t *end_ps;
    if (at->id != XPD_DERIVED_ID || at->kind != XPD_ROW_STEPS)
        return false;
    bool fine = xpd_gpu_step_ends(derived, row, &end_ps);
    for (uint32_t d = 0, number = 0; fine && end_ps && d < at->depth_count; d++) {
        struct xpd_depth columns = derived->depth[at->first_depth + d];
        int64_t *duration_ps = XPD_NEW_ARRAY(&xprof->arena, int64_t, columns.count);
        uint64_t *event = XPD_NEW_ARRAY(&xprof->arena, uint64_t, columns.count);
        for (uint32_t i = 0; duration_ps && event && i < columns.count; i++, number++) {
            duration_ps[i] = end_ps[number] - xpd_depth_start(&columns, i);
            event[i] = columns.first_event + i;
        }
        columns.duration_ps = duration_ps;
        if (duration_ps && event)
            xpd_xprof_add_columns(xprof, parts, like, columns, event);
    }
    bool made = end_ps != NULL;
    free(end_ps);
    parts->stream.failed |= !fine;
    return made;
}

void xpd_xprof_sample_groups(struct xpd_xprof *xprof, struct xpd_xprof_parts *parts,
                             uint32_t process, size_t first)
{
    const struct xpd_derived *derived = xprof->input.derived;
    for (uint32_t r = 0; !xprof->without_derived && r < derived->row_count; r++) {
        const struct xpd_trace_row *row = &derived->row[r];
        if (row->process != process || row->id != XPD_DERIVED_ID || row->event_count == 0)
            continue;
        for (size_t s = first; s < parts->stream.count; s++) {
            struct xpd_xprof_stream *stream = &parts->stream.at[s];
            uint32_t *group = XPD_NEW_ARRAY(&xprof->arena, uint32_t, stream->depth->count);
            stream->group = group;
            parts->stream.failed |=
                !group || !xpd_gpu_sample_groups(derived, r, stream->depth, group);
        }
    }
}

static uint32_t place_of(const struct xpd_group_line *line, const struct xpd_xprof_event *event)
{
    uint32_t low = 0;
    XPD_BISECT(low, line->count, middle, line->start_ps[middle] < event->start_ps);
    while (low < line->count && line->start_ps[low] == event->start_ps &&
           line->event[low] != event->event)
        low++;
    return low < line->count && line->event[low] == event->event ? low : XPD_NO_INDEX;
}

uint32_t xpd_xprof_step_members(const struct xpd_xprof *xprof, const struct xpd_xprof_event *event,
                                uint32_t before, const uint64_t **member)
{
    const struct xpd_trace *trace = xprof->input.trace;
    const struct xpd_depth *depth;
    uint32_t index;
    if (event->offload || !xpd_trace_find(trace, event->event, &depth, &index))
        return 0;
    uint32_t process = trace->row[depth->row].process;
    const struct xpd_group_line *line = &xprof->input.derived->groups->line[process];
    if (!line->steps || line->row != depth->row || trace->process[process].kind != XPD_PROCESS_TPU)
        return 0;
    uint32_t at = place_of(line, event);
    if (at == XPD_NO_INDEX || before > at)
        return 0;
    for (; before > 0; before--, at--) /* a removed one is between them */
        if (line->merged && line->member_end[at - 1] != line->member_first[at])
            return 0;
    *member = line->merged ? line->member + line->member_first[at] : &line->event[at];
    return line->merged ? line->member_end[at] - line->member_first[at] : 1;
}
