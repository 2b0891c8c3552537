/* In: an event and a side of it. Out: the nearest event there. */
#include "xprofd/trace/near.h"

#include "xprofd/trace/op_times.h"
#include "xprofd/trace/window.h"

bool xpd_near_in_row(const struct xpd_view *view, const struct xpd_event *event, enum xpd_near near,
                     struct xpd_event *found)
{
    uint32_t count = event->at->count, at = event->index;
    if ((near == XPD_NEAR_NEXT && at + 1 >= count) || (near == XPD_NEAR_PREVIOUS && at == 0))
        return false;
    if (near == XPD_NEAR_NEXT)
        at++;
    else if (near == XPD_NEAR_PREVIOUS)
        at--;
    else
        at = near == XPD_NEAR_FIRST ? 0 : count - 1;
    *found = xpd_view_event_at(view, event->row, event->depth, at);
    return true;
}

/* The nearest of this name on one depth, in the direction asked for. */
static bool near_on_depth(const struct xpd_depth *depth, const struct xpd_event *event,
                          enum xpd_near near, uint32_t *at)
{
    bool forward = near == XPD_NEAR_NEXT || near == XPD_NEAR_FIRST;
    uint32_t i = 0;
    if (near == XPD_NEAR_NEXT || near == XPD_NEAR_PREVIOUS)
        i = xpd_depth_first_after(depth, event->start_ps);
    else if (near == XPD_NEAR_LAST)
        i = depth->count;
    if (depth == event->at && near == XPD_NEAR_NEXT)
        i = event->index + 1;
    if (depth == event->at && near == XPD_NEAR_PREVIOUS)
        i = event->index;
    if (forward) {
        while (i < depth->count && depth->name[i] != event->name)
            i++;
        *at = i;
        return i < depth->count;
    }
    while (i > 0 && (depth->name[i - 1] != event->name ||
                     (near == XPD_NEAR_PREVIOUS && depth != event->at &&
                      xpd_depth_start(depth, i - 1) >= event->start_ps)))
        i--;
    *at = i - 1;
    return i > 0;
}

/* Of all depths: the earliest one behind it, or the latest one before. */
bool xpd_near_of_name(const struct xpd_view *view, const struct xpd_event *event,
                      enum xpd_near near, struct xpd_event *found)
{
    bool forward = near == XPD_NEAR_NEXT || near == XPD_NEAR_FIRST, any = false;
    for (uint32_t d = 0; d < xpd_view_row(view, event->row)->depth_count; d++) {
        uint32_t at;
        if (!near_on_depth(xpd_view_depth(view, event->row, d), event, near, &at))
            continue;
        struct xpd_event one = xpd_view_event_at(view, event->row, d, at);
        if (!any || (forward ? one.start_ps < found->start_ps : one.start_ps > found->start_ps))
            *found = one;
        any = true;
    }
    return any;
}

/* ---- of an instruction ---- */

struct wanted {
    const struct xpd_view *view;
    const struct xpd_event *event;
    bool *name; /* by name of the trace */
};

/* Names of the instruction: of the event's program where names tell theirs, else by what the event
 * is called, as on hosts. */
static bool flag_names(struct wanted *wanted, struct xpd_str instruction, struct xpd_arena *arena)
{
    const struct xpd_trace *trace = wanted->view->trace;
    uint64_t program = xpd_view_name(wanted->view, wanted->event->name)->program_id;
    wanted->name = XPD_NEW_ARRAY(arena, bool, (size_t)trace->name_count + 1);
    for (uint32_t i = 0; wanted->name && i < trace->name_count; i++)
        wanted->name[i] = trace->name[i].program_id == program &&
                          xpd_str_eq(xpd_op_instruction(trace, &trace->name[i]), instruction);
    return wanted->name != NULL;
}

/* The nearest on one depth that ends or begins on that side; *at is its index. */
static bool wanted_on_depth(const struct wanted *wanted, const struct xpd_depth *depth,
                            bool forward, uint32_t *at)
{
    uint32_t i = xpd_depth_first_after(depth, wanted->event->start_ps);
    if (forward) {
        while (i < depth->count && !wanted->name[depth->name[i]])
            i++;
        *at = i;
        return i < depth->count;
    }
    while (i > 0 && (!wanted->name[depth->name[i - 1]] ||
                     depth->first_event + i - 1 == wanted->event->number))
        i--;
    *at = i - 1;
    return i > 0;
}

/* Over the measured rows of its kind in its process: thunks run on any free thread. */
static bool near_wanted(const struct wanted *wanted, bool forward, struct xpd_event *found)
{
    const struct xpd_view *view = wanted->view;
    uint32_t process = xpd_view_process(view, wanted->event->row);
    enum xpd_row_kind kind = xpd_view_row(view, wanted->event->row)->kind;
    bool any = false;
    for (uint32_t r = 0; r < view->trace->row_count; r++) {
        const struct xpd_trace_row *row = xpd_view_row(view, r);
        if (row->process != process || row->kind != kind)
            continue;
        for (uint32_t d = 0; d < row->depth_count; d++) {
            uint32_t at;
            if (!wanted_on_depth(wanted, xpd_view_depth(view, r, d), forward, &at))
                continue;
            struct xpd_event one = xpd_view_event_at(view, r, d, at);
            if (!any || (forward ? one.start_ps < found->start_ps : one.start_ps > found->start_ps))
                *found = one;
            any = true;
        }
    }
    return any;
}

int xpd_near_of_instruction(const struct xpd_view *view, const struct xpd_event *event,
                            struct xpd_str instruction, bool forward, struct xpd_arena *arena,
                            struct xpd_event *found, bool *any, struct xpd_err *err)
{
    struct wanted wanted = {.view = view, .event = event};
    if (!flag_names(&wanted, instruction, arena))
        return xpd_no_memory(err, NULL, "for this answer");
    *any = near_wanted(&wanted, forward, found);
    return XPD_OK;
}
