/* Measured and derived rows side by side. In: a frozen trace, perhaps what was derived from it.
 * Out: rows, depths, names and events by one number each; no state of its own. */
#include "xprofd/trace/view.h"

#include "xprofd/trace/tf_op.h"
#include "xprofd/trace/window.h"

const struct xpd_trace_row *xpd_view_row(const struct xpd_view *view, uint32_t row)
{
    uint32_t measured = view->trace->row_count;
    return row < measured ? &view->trace->row[row] : &view->derived->row[row - measured];
}

const struct xpd_depth *xpd_view_depth(const struct xpd_view *view, uint32_t row, uint32_t depth)
{
    const struct xpd_trace_row *at = xpd_view_row(view, row);
    const struct xpd_depth *all =
        row < view->trace->row_count ? view->trace->depth : view->derived->depth;
    return &all[at->first_depth + depth];
}

uint32_t xpd_view_row_of_kind(const struct xpd_view *view, uint32_t process, enum xpd_row_kind kind)
{
    for (uint32_t i = 0; i < xpd_view_rows(view); i++) {
        const struct xpd_trace_row *row = xpd_view_row(view, i);
        if (row->process == process && row->kind == kind)
            return i;
    }
    return XPD_NO_INDEX;
}

bool xpd_view_executes(const struct xpd_view *view, uint32_t row)
{
    const struct xpd_trace_row *at = xpd_view_row(view, row);
    if (at->derived)
        return false;
    switch (view->trace->process[at->process].kind) {
    case XPD_PROCESS_GPU: return at->kind == XPD_ROW_STREAM;
    case XPD_PROCESS_HOST:
        return at->kind == XPD_ROW_LINE && xpd_trace_computes(view->trace, at->process) &&
               !xpd_tf_is_data_thread(xpd_view_row_caption(view, row));
    default: return at->kind == XPD_ROW_OPS;
    }
}

uint32_t xpd_view_process(const struct xpd_view *view, uint32_t row)
{
    return xpd_view_row(view, row)->process;
}

struct xpd_event xpd_view_event_at(const struct xpd_view *view, uint32_t row, uint32_t depth,
                                   uint32_t index)
{
    const struct xpd_depth *at = xpd_view_depth(view, row, depth);
    return (struct xpd_event){.number = at->first_event + index,
                              .row = row,
                              .depth = depth,
                              .index = index,
                              .name = at->name[index],
                              .at = at,
                              .start_ps = xpd_depth_start(at, index),
                              .duration_ps = xpd_depth_duration(at, index)};
}

/* The depth of derived->depth an event lies in: they follow each other, empty ones too. */
static const struct xpd_depth *find_derived(const struct xpd_derived *derived, uint64_t number)
{
    uint32_t low = 0, high = derived->depth_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct xpd_depth *depth = &derived->depth[middle];
        if (depth->first_event + depth->count <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < derived->depth_count && derived->depth[low].first_event <= number
               ? &derived->depth[low]
               : NULL;
}

bool xpd_view_event(const struct xpd_view *view, uint64_t number, struct xpd_event *event)
{
    const struct xpd_depth *depth = NULL;
    uint32_t index = 0, row = 0;
    if (number < view->trace->event_count) {
        if (!xpd_trace_find(view->trace, number, &depth, &index))
            return false;
        row = depth->row;
    } else if (view->derived) {
        depth = find_derived(view->derived, number);
        if (!depth)
            return false;
        index = (uint32_t)(number - depth->first_event);
        row = view->trace->row_count + depth->row;
    } else {
        return false;
    }
    *event = xpd_view_event_at(view, row, depth->depth, index);
    return true;
}

const struct xpd_event_name *xpd_view_name(const struct xpd_view *view, uint32_t name)
{
    uint32_t measured = view->trace->name_count;
    return name < measured ? &view->trace->name[name] : &view->derived->name[name - measured];
}

struct xpd_str xpd_view_text(const struct xpd_view *view, uint32_t name, xpd_name_id text)
{
    bool measured = name < view->trace->name_count;
    return xpd_intern_get(measured ? &view->trace->names : &view->derived->names, text);
}

struct xpd_str xpd_view_caption(const struct xpd_view *view, uint32_t name)
{
    return xpd_view_text(view, name, xpd_view_name(view, name)->caption);
}

struct xpd_str xpd_view_scope(const struct xpd_view *view, uint32_t name)
{
    const struct xpd_event_name *at = xpd_view_name(view, name);
    bool measured = name < view->trace->name_count;
    /* Of derived names only those of framework operations have another text than their caption. */
    if (!measured && at->name == at->caption)
        return XPD_STR("");
    struct xpd_str full = xpd_view_text(view, name, measured ? at->tf_op : at->name);
    struct xpd_str scopes = xpd_tf_op_parse(full).scopes;
    return scopes.size > 0 ? scopes : XPD_STR("");
}

struct xpd_str xpd_view_caption_of(const struct xpd_view *view, const struct xpd_event *event)
{
    struct xpd_str step = XPD_STR("");
    if (view->derived && event->number < view->trace->event_count)
        step = xpd_step_name_of(view->derived, event->number);
    return step.size > 0 ? step : xpd_view_caption(view, event->name);
}

struct xpd_str xpd_view_row_caption(const struct xpd_view *view, uint32_t row)
{
    bool measured = row < view->trace->row_count;
    return xpd_intern_get(measured ? &view->trace->names : &view->derived->names,
                          xpd_view_row(view, row)->caption);
}

int64_t xpd_view_device_ps(const struct xpd_view *view, const struct xpd_event *event)
{
    if (event->number >= view->trace->event_count)
        return xpd_derived_device_ps(view->derived, event->number);
    return xpd_trace_device_ps(view->trace, event->at, event->index);
}

struct xpd_time_range xpd_view_all(const struct xpd_view *view)
{
    return (struct xpd_time_range){view->trace->first_ps, view->trace->end_ps};
}

void xpd_view_range(const struct xpd_view *view, const struct xpd_depth *depth,
                    struct xpd_time_range range, uint32_t *first, uint32_t *end)
{
    uint32_t low = xpd_depth_first_touching(depth, range.from_ps);
    bool at_end = range.to_ps >= view->trace->end_ps || range.to_ps == INT64_MIN;
    uint32_t high = xpd_depth_first_after(depth, at_end ? range.to_ps : range.to_ps - 1);
    if (low < depth->count && xpd_depth_start(depth, low) < range.from_ps &&
        xpd_depth_duration(depth, low) <= range.from_ps - xpd_depth_start(depth, low))
        low++; /* it ends where the range begins */
    *first = low;
    *end = high > low ? high : low;
}
