/* How long a step took on the device's own clock.
 *
 * In: a step. Out: the duration its own event says, else (runs of a program say none) the time from
 * the first to the last of its operations by their raw offsets. Host-aligned times only tell which
 * operations are the first and the last: in each depth the outermost two that start inside. */
#include "../derived/derive.h"
#include "xprofd/base/bisect.h"
#include "xprofd/trace/view.h"

struct span {
    uint64_t from_ps, to_ps;
    bool any;
};

static void take(struct span *span, const struct xpd_trace *trace, uint64_t event)
{
    uint64_t offset, duration;
    if (!xpd_event_stat(trace, event, XPD_STR("device_offset_ps"), &offset) ||
        !xpd_event_stat(trace, event, XPD_STR("device_duration_ps"), &duration) ||
        offset > INT64_MAX / 2 || duration > INT64_MAX / 2)
        return;
    if (!span->any || offset < span->from_ps)
        span->from_ps = offset;
    if (!span->any || offset + duration > span->to_ps)
        span->to_ps = offset + duration;
    span->any = true;
}

/* First event that starts at or after a time. */
static uint32_t first_from(const struct xpd_depth *depth, int64_t at_ps)
{
    uint32_t low = 0;
    XPD_BISECT(low, depth->count, middle, depth->start_ps[middle] < at_ps);
    return low;
}

bool xpd_step_device_range(const struct xpd_view *view, const struct xpd_step *step,
                           struct xpd_time_range *range)
{
    struct span span = {0};
    if (step->device_ps >= 0) { /* its event says how long, and when */
        take(&span, view->trace, step->event);
        *range = (struct xpd_time_range){(int64_t)span.from_ps, (int64_t)span.to_ps};
        return span.any;
    }
    uint32_t number = xpd_view_row_of_kind(view, step->process, XPD_ROW_OPS);
    const struct xpd_trace_row *row = number == XPD_NO_INDEX ? NULL : xpd_view_row(view, number);
    if (!row || !row->has_device_clock || row->derived)
        return false;
    for (uint32_t d = 0; d < row->depth_count; d++) {
        const struct xpd_depth *depth = xpd_view_depth(view, number, d);
        uint32_t first = first_from(depth, step->start_ps), end = first_from(depth, step->end_ps);
        if (first == end)
            continue;
        take(&span, view->trace, depth->first_event + first);
        take(&span, view->trace, depth->first_event + end - 1);
    }
    *range = (struct xpd_time_range){(int64_t)span.from_ps, (int64_t)span.to_ps};
    return span.any;
}

int64_t xpd_step_device_ps(const struct xpd_view *view, const struct xpd_step *step)
{
    struct xpd_time_range range;
    if (step->device_ps >= 0)
        return step->device_ps;
    return xpd_step_device_range(view, step, &range) ? range.to_ps - range.from_ps : -1;
}
