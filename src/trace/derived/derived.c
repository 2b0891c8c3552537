/* Queries of derived rows. Frozen; derive.c makes them. */
#include "../groups/trace_groups.h"
#include "xprofd/base/bisect.h"

void xpd_derived_free(struct xpd_derived *derived)
{
    if (!derived)
        return;
    xpd_intern_fini(&derived->names);
    xpd_arena_fini(&derived->arena);
    free(derived);
}

bool xpd_groups_said(const struct xpd_derived *derived)
{
    return derived->groups->from_file;
}

bool xpd_step_is_left_out(const struct xpd_derived *derived, const struct xpd_depth *depth,
                          uint32_t index)
{
    const struct xpd_event_groups *groups = derived->groups;
    const struct xpd_group_line *line = &groups->line[derived->trace->row[depth->row].process];
    return line->merged && line->row == depth->row &&
           xpd_groups_at(groups, derived->trace, depth, index) == XPD_NO_GROUP;
}

bool xpd_eager_is_told(const struct xpd_derived *derived)
{
    return !derived->groups->from_file && !derived->groups->none;
}

bool xpd_event_is_eager(const struct xpd_derived *derived, uint64_t where)
{
    const struct xpd_event_groups *groups = derived->groups;
    uint32_t at = 0;
    XPD_BISECT(at, groups->eager_count, middle, groups->eager_where[middle] < where);
    return at < groups->eager_count && groups->eager_where[at] == where;
}

bool xpd_group_is_named(const struct xpd_derived *derived, uint32_t group)
{
    return group < derived->groups->known;
}

bool xpd_derived_region(const struct xpd_derived *derived, uint32_t number,
                        struct xpd_group_span *out)
{
    const struct xpd_event_groups *groups = derived->groups;
    if (number >= groups->region_count)
        return false;
    const struct xpd_group_region *region = &groups->region[number];
    *out = (struct xpd_group_span){region->row, region->group, region->start_ps, region->end_ps};
    return true;
}

uint32_t xpd_group_at(const struct xpd_derived *derived, const struct xpd_depth *depth,
                      uint32_t index)
{
    return xpd_groups_at(derived->groups, derived->trace, depth, index);
}

uint32_t xpd_group_of(const struct xpd_derived *derived, uint64_t event)
{
    if (event < derived->trace->event_count)
        return xpd_groups_of(derived->groups, derived->trace, event);
    return xpd_derived_fact_of(derived, event).group;
}

/* The depth a derived event lies in. */
static uint32_t depth_of(const struct xpd_derived *derived, uint64_t event)
{
    uint32_t low = 0, high = derived->depth_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (derived->depth[middle].first_event <= event)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The first pair whose event is not before `event`; NULL = none. */
static const struct xpd_derived_pair *first_pair(const struct xpd_derived *derived, uint64_t event)
{
    uint64_t low = 0;
    XPD_BISECT(low, derived->pair_count, middle, derived->pair[middle].event < event);
    return low < derived->pair_count ? &derived->pair[low] : NULL;
}

const struct xpd_derived_pair *xpd_derived_pair_of(const struct xpd_derived *derived,
                                                   uint64_t event)
{
    const struct xpd_derived_pair *pair = first_pair(derived, event);
    return pair && pair->event == event ? pair : NULL;
}

struct xpd_derived_fact xpd_derived_fact_of(const struct xpd_derived *derived, uint64_t event)
{
    uint64_t measured = derived->trace->event_count;
    if (event < measured || event - measured >= derived->event_count)
        return (struct xpd_derived_fact){XPD_NO_GROUP, UINT64_MAX, UINT64_MAX, -1};
    const struct xpd_depth *depth = &derived->depth[depth_of(derived, event)];
    uint32_t i = (uint32_t)(event - depth->first_event);
    uint64_t from = xpd_depth_behind(depth, i)->first_event + depth->from->index[i];
    struct xpd_derived_fact fact = {
        .group = XPD_NO_GROUP, .event = from, .event2 = from, .device_ps = -1};
    if (derived->row[depth->row].kind != XPD_ROW_LINE) /* regions of threads have none */
        fact.group = xpd_group_of(derived, from);
    const struct xpd_derived_pair *pair = xpd_derived_pair_of(derived, event);
    if (pair) {
        fact.event2 = pair->event2;
        fact.device_ps = pair->device_ps;
    }
    return fact;
}

bool xpd_derived_any_device(const struct xpd_derived *derived, uint64_t first, uint64_t end)
{
    const struct xpd_derived_pair *pair = first_pair(derived, first);
    const struct xpd_derived_pair *last = derived->pair + derived->pair_count;
    for (; pair && pair < last && pair->event < end; pair++)
        if (pair->device_ps >= 0)
            return true;
    return false;
}

int64_t xpd_derived_device_ps(const struct xpd_derived *derived, uint64_t event)
{
    const struct xpd_derived_pair *pair = xpd_derived_pair_of(derived, event);
    return pair ? pair->device_ps : -1;
}

const struct xpd_launch_stats *xpd_launch_stats_of(const struct xpd_derived *derived,
                                                   uint64_t event)
{
    uint64_t first = xpd_derived_fact_of(derived, event).event;
    uint32_t low = 0;
    XPD_BISECT(low, derived->launch_count, middle, derived->launch[middle].event < first);
    return low < derived->launch_count && derived->launch[low].event == first
               ? &derived->launch[low]
               : NULL;
}

static const struct xpd_step_name *find_name(const struct xpd_derived *derived, uint64_t event)
{
    uint32_t low = 0;
    XPD_BISECT(low, derived->step_name_count, middle, derived->step_name[middle].event < event);
    return low < derived->step_name_count && derived->step_name[low].event == event
               ? &derived->step_name[low]
               : NULL;
}

struct xpd_str xpd_step_name_of(const struct xpd_derived *derived, uint64_t event)
{
    const struct xpd_step_name *found = find_name(derived, event);
    return found && !found->xprof_only ? xpd_intern_get(&derived->names, found->name) : XPD_STR("");
}

struct xpd_str xpd_xprof_step_name_of(const struct xpd_derived *derived, uint64_t event)
{
    const struct xpd_step_name *found = find_name(derived, event);
    return found ? xpd_intern_get(&derived->names, found->name) : XPD_STR("");
}
