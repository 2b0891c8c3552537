/* Parents and self times by bisection in the depths of a row. In: a view, an event. Out: another
 * event, or picoseconds. */
#include "xprofd/trace/self.h"

#include "xprofd/trace/event_stat.h"
#include "xprofd/trace/window.h"

const char *xpd_clock_word(enum xpd_clock clock)
{
    return clock == XPD_CLOCK_DEVICE ? "device" : "host";
}

/* The last event of a depth that starts at or before a time: its index, XPD_NO_INDEX = none. */
static uint32_t last_at(const struct xpd_depth *depth, int64_t at_ps)
{
    uint32_t after = xpd_depth_first_after(depth, at_ps);
    return after > 0 ? after - 1 : XPD_NO_INDEX;
}

/* Durations are never negative, so the difference of two starts in order cannot overflow here. */
static bool covers(const struct xpd_depth *depth, uint32_t index, const struct xpd_event *event)
{
    uint64_t lead_ps = (uint64_t)event->start_ps - (uint64_t)xpd_depth_start(depth, index);
    return lead_ps + (uint64_t)event->duration_ps <= (uint64_t)xpd_depth_duration(depth, index);
}

bool xpd_event_parent(const struct xpd_view *view, const struct xpd_event *event,
                      struct xpd_event *parent)
{
    for (uint32_t d = event->depth; d-- > 0;) {
        const struct xpd_depth *depth = xpd_view_depth(view, event->row, d);
        uint32_t index = last_at(depth, event->start_ps);
        if (index != XPD_NO_INDEX && covers(depth, index, event)) {
            *parent = xpd_view_event_at(view, event->row, d, index);
            return true;
        }
    }
    return false;
}

int64_t xpd_event_ps(const struct xpd_view *view, const struct xpd_event *event,
                     enum xpd_clock clock)
{
    int64_t device_ps = clock == XPD_CLOCK_DEVICE ? xpd_view_device_ps(view, event) : -1;
    return device_ps >= 0 ? device_ps : event->duration_ps;
}

/* Start and length on the raw clock of the device. */
static bool device_times(const struct xpd_view *view, const struct xpd_depth *depth, uint32_t i,
                         uint64_t *start_ps, uint64_t *duration_ps)
{
    int64_t device_ps = xpd_trace_device_ps(view->trace, depth, i);
    *duration_ps = (uint64_t)device_ps;
    return device_ps >= 0 &&
           xpd_event_stat(view->trace, depth->first_event + i, "device_offset_ps", start_ps);
}

bool xpd_nesting_holds(const struct xpd_view *view, const struct xpd_depth *parent, uint32_t p,
                       const struct xpd_depth *child, uint32_t c, bool drawn,
                       struct xpd_nesting *nesting)
{
    uint64_t outer_ps, outer_length, inner_ps, inner_length;
    if (!xpd_clock_jumps(parent, p) && !xpd_clock_jumps(child, c))
        return drawn;
    if (nesting->reads_left == 0) {
        nesting->unchecked++;
        return drawn;
    }
    nesting->reads_left--;
    if (!device_times(view, parent, p, &outer_ps, &outer_length) ||
        !device_times(view, child, c, &inner_ps, &inner_length))
        return drawn;
    return inner_ps >= outer_ps && inner_length <= outer_length &&
           inner_ps - outer_ps <= outer_length - inner_length;
}

int64_t xpd_event_self_ps(const struct xpd_view *view, const struct xpd_event *event,
                          enum xpd_clock clock)
{
    int64_t self_ps = xpd_event_ps(view, event, clock);
    struct xpd_nesting nesting = {.reads_left = XPD_NESTING_READS_MAX};
    const struct xpd_trace_row *row = xpd_view_row(view, event->row);
    if (event->depth + 1 >= row->depth_count)
        return self_ps;
    const struct xpd_depth *below = xpd_view_depth(view, event->row, event->depth + 1);
    for (uint32_t i = xpd_depth_first_touching(below, event->start_ps); i < below->count; i++) {
        struct xpd_event child = xpd_view_event_at(view, event->row, event->depth + 1, i);
        if (child.start_ps < event->start_ps)
            continue;
        if ((uint64_t)child.start_ps - (uint64_t)event->start_ps > (uint64_t)event->duration_ps)
            break;
        bool inside = covers(event->at, event->index, &child);
        if (clock == XPD_CLOCK_DEVICE)
            inside = xpd_nesting_holds(view, event->at, event->index, below, i, inside, &nesting);
        if (inside)
            self_ps -= xpd_event_ps(view, &child, clock);
    }
    return self_ps > 0 ? self_ps : 0;
}

bool xpd_event_module(const struct xpd_view *view, const struct xpd_event *event,
                      struct xpd_event *found)
{
    uint32_t row = xpd_view_row_of_kind(view, xpd_view_process(view, event->row), XPD_ROW_MODULES);
    if (row == XPD_NO_INDEX || xpd_view_row(view, row)->depth_count == 0)
        return false;
    const struct xpd_depth *depth = xpd_view_depth(view, row, 0);
    uint32_t index = last_at(depth, event->start_ps);
    if (index == XPD_NO_INDEX ||
        (uint64_t)event->start_ps - (uint64_t)xpd_depth_start(depth, index) >
            (uint64_t)xpd_depth_duration(depth, index))
        return false;
    *found = xpd_view_event_at(view, row, 0, index);
    return true;
}
