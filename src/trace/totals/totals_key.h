/* Which group an event belongs to. */
#ifndef XPROFD_TRACE_TOTALS_KEY_H
#define XPROFD_TRACE_TOTALS_KEY_H

#include "xprofd/base/vec.h"
#include "xprofd/trace/totals.h"

struct xpd_grouping {
    const struct xpd_view *view;
    enum xpd_totals_by by;
    struct xpd_arena arena;
    struct xpd_intern key;          /* texts of the groups */
    XPD_VEC(uint32_t) group_of_key; /* by id in `key` */
    uint32_t *group_of_name;        /* by name of the view; NO_INDEX = not met yet,
                                       ASK = depends on the event */
    XPD_VEC(struct xpd_total) group;
    XPD_VEC(xpd_name_id) text_of_group; /* in `key` */
    bool failed;

    /* Of the row that is being read. */
    uint32_t process, fixed;             /* fixed: all its events are of this group, or NO_INDEX */
    bool own;                            /* runs of programs: each is its own program's */
    const struct xpd_depth *runs;        /* of programs on this process, NULL = none */
    uint32_t looked_up;                  /* process that `runs` or the steps are of, NO_INDEX */
    int64_t until_ps;                    /* what was found last by time holds for starts up to here,
                                            from the start that was asked for */
    uint32_t run, run_group;             /* last one found */
    uint32_t first_step, end_step, step; /* of this process; step: cursor */
    uint32_t step_found, step_group;     /* the last one */
};
bool xpd_grouping_init(struct xpd_grouping *grouping, const struct xpd_view *view,
                       enum xpd_totals_by by);
void xpd_grouping_fini(struct xpd_grouping *grouping); /* the groups themselves, too */
void xpd_grouping_row(struct xpd_grouping *grouping, uint32_t row);
void xpd_grouping_depth(struct xpd_grouping *grouping); /* events start from the left again */
/* The group of `to` with the same text as a group of `from`; made when new and `make` says so, else
 * XPD_NO_INDEX. */
uint32_t xpd_grouping_same(struct xpd_grouping *to, const struct xpd_grouping *from, uint32_t group,
                           bool make);
/* Slow path of xpd_grouping_of. */
uint32_t xpd_grouping_ask(struct xpd_grouping *grouping, const struct xpd_depth *depth, uint32_t i);

#define XPD_GROUP_ASK (UINT32_MAX - 1)
/* Index in grouping->group. Events of a depth must come in order. */
static inline uint32_t xpd_grouping_of(struct xpd_grouping *grouping, const struct xpd_depth *depth,
                                       uint32_t i)
{
    if (grouping->fixed != XPD_NO_INDEX)
        return grouping->fixed;
    if (grouping->group_of_name && !grouping->own) {
        uint32_t group = grouping->group_of_name[depth->name[i]];
        if (group < XPD_GROUP_ASK)
            return group;
    }
    return xpd_grouping_ask(grouping, depth, i);
}

/* totals_runs.c: the same for event i of [i, end); events up to *stop (> i) are of this group
 * too. */
uint32_t xpd_grouping_reach(struct xpd_grouping *grouping, const struct xpd_depth *depth,
                            uint32_t i, uint32_t end, uint32_t *stop);

/* What xpd_totals_duration wants to know of a depth: the number of its first event; 0 where its
 * columns say all there is to know of durations, so that nothing is looked up event by event. */
static inline uint64_t xpd_totals_numbers(const struct xpd_view *view,
                                          const struct xpd_depth *depth)
{
    uint64_t first = depth->first_event;
    bool derived = first >= view->trace->event_count;
    return derived && xpd_derived_any_device(view->derived, first, first + depth->count) ? first
                                                                                         : 0;
}

/* What of an event lies in the range, where events are cut; else all of it. Host-aligned. */
static inline int64_t xpd_totals_part(const struct xpd_totals_ask *ask,
                                      const struct xpd_depth *depth, uint32_t i)
{
    int64_t start_ps = xpd_depth_start(depth, i), end_ps = start_ps + xpd_depth_duration(depth, i);
    if (!ask->clip || (start_ps >= ask->range.from_ps && end_ps <= ask->range.to_ps))
        return xpd_depth_duration(depth, i);
    start_ps = start_ps > ask->range.from_ps ? start_ps : ask->range.from_ps;
    end_ps = end_ps < ask->range.to_ps ? end_ps : ask->range.to_ps;
    return end_ps > start_ps ? end_ps - start_ps : 0;
}

/* `part` of `all`, as much of another amount of the same event; all > 0. */
__extension__ static inline int64_t xpd_totals_share(int64_t amount, int64_t part, int64_t all)
{
    return (int64_t)((__int128)amount * part / all);
}

/* Duration of an event on the clock asked for, cut at the range if that is asked for: what the
 * device measured is cut in the proportion in which the host-aligned bar is. `event`: its number,
 * or its index where xpd_totals_numbers is 0. */
static inline int64_t xpd_totals_duration(const struct xpd_totals_ask *ask,
                                          const struct xpd_depth *depth, uint32_t i, uint64_t event,
                                          int64_t *device_ps)
{
    int64_t duration_ps = xpd_depth_duration(depth, i), part_ps = xpd_totals_part(ask, depth, i);
    const struct xpd_view *view = ask->view;
    *device_ps = -1;
    if (depth->device_delta_ps && depth->device_delta_ps[i] != INT32_MIN)
        *device_ps = duration_ps - depth->device_delta_ps[i];
    else if (depth->device_delta_ps)
        *device_ps = xpd_trace_device_ps(view->trace, depth, i);
    else if (event >= view->trace->event_count)
        *device_ps = xpd_derived_device_ps(view->derived, event);
    if (part_ps<duration_ps && * device_ps> 0)
        *device_ps = xpd_totals_share(*device_ps, part_ps, duration_ps);
    return ask->clock == XPD_CLOCK_DEVICE && *device_ps >= 0 ? *device_ps : part_ps;
}

#endif
