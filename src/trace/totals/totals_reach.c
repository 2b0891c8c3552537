/* How far the group of an event reaches: events of a depth stand in order of time, and so do the
 * steps and programs they are grouped by, so that a group changes at the borders of those alone.
 *
 * In: a grouping, an event of a depth. Out: its group, and the first event behind it that may be of
 * another one. Equal to asking for each event (xpd_grouping_of). */
#include "../groups/trace_groups.h"
#include "totals_key.h"
#include "xprofd/base/ahead.h"
#include "xprofd/base/bisect.h"

/* The first index in [at, end) whose start is beyond a time: looked for in steps that double, for
 * it is mostly near. */
static uint32_t first_beyond(const struct xpd_depth *depth, uint32_t at, uint32_t end,
                             int64_t until_ps)
{
    uint32_t low = at, step = 64;
    while (end - low > step && xpd_depth_start(depth, low + step) <= until_ps) {
        low += step;
        step = step < UINT32_MAX / 2 ? step * 2 : step;
    }
    uint32_t high = end - low > step ? low + step : end;
    XPD_BISECT(low, high, middle, xpd_depth_start(depth, middle) <= until_ps);
    return low;
}

/* Events whose names say the same program as event i, or that ran while the same one did. */
static uint32_t same_program(const struct xpd_grouping *grouping, const struct xpd_depth *depth,
                             uint32_t i, uint32_t end, uint32_t group)
{
    const uint32_t *of_name = grouping->group_of_name;
    bool by_time = of_name[depth->name[i]] == XPD_GROUP_ASK;
    uint32_t stop = by_time ? first_beyond(depth, i + 1, end, grouping->until_ps) : end;
    for (uint32_t k = i + 1; k < stop; k++) {
        xpd_read_ahead(&depth->name[k]);
        uint32_t other = of_name[depth->name[k]];
        if (other != group && !(other == XPD_GROUP_ASK && by_time))
            return k;
    }
    return stop;
}

static bool is_host(const struct xpd_grouping *grouping)
{
    const struct xpd_view *view = grouping->view;
    return view->derived && view->trace->process[grouping->process].kind == XPD_PROCESS_HOST;
}

uint32_t xpd_grouping_reach(struct xpd_grouping *grouping, const struct xpd_depth *depth,
                            uint32_t i, uint32_t end, uint32_t *stop)
{
    uint32_t group = xpd_grouping_of(grouping, depth, i);
    const struct xpd_view *view = grouping->view;
    *stop = i + 1;
    if (group == XPD_NO_INDEX)
        return group; /* out of memory: the grouping says so */
    if (grouping->fixed != XPD_NO_INDEX)
        *stop = end;
    else if (grouping->by == XPD_BY_STEP && !is_host(grouping))
        *stop = first_beyond(depth, i + 1, end, grouping->until_ps);
    else if (grouping->by == XPD_BY_STEP && depth->first_event < view->trace->event_count &&
             !view->trace->process[grouping->process].ran_ops) /* operations go by time besides */
        *stop = xpd_groups_reach(view->derived->groups, view->trace, depth, i, end);
    else if (grouping->by == XPD_BY_MODULE && !grouping->own)
        *stop = same_program(grouping, depth, i, end, group);
    return group;
}
