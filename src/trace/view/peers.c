/* In: an event of a device's rows. Out: its partners on the other devices. The names of two planes
 * are compared as texts: each plane has a metadata table of its own. */
#include "xprofd/trace/peers.h"

#include "xprofd/trace/event_stat.h"
#include "xprofd/trace/join.h"
#include "xprofd/trace/window.h"

struct search {
    const struct xpd_view *view;
    struct xpd_str module; /* caption of the program's runs; "" = the row holds runs itself */
    struct xpd_str caption;
    enum xpd_row_kind kind;
    uint32_t depth;
    uint64_t module_nth, nth; /* both from 0 */
    int64_t first_run;        /* of the main program on the event's host, when the module is that */
    bool is_main;
};

static bool named(const struct xpd_view *view, const struct xpd_depth *depth, uint32_t i,
                  struct xpd_str caption)
{
    return xpd_str_eq(xpd_view_caption(view, depth->name[i]), caption);
}

/* How many events of this name lie before `end` in the depth, from `first` on. */
static uint64_t count_before(const struct xpd_view *view, const struct xpd_depth *depth,
                             struct xpd_str caption, uint32_t first, uint32_t end)
{
    uint64_t count = 0;
    uint32_t same = XPD_NO_INDEX; /* names of one plane: the number decides, once known */
    for (uint32_t i = first; i < end; i++)
        if (depth->name[i] == same || named(view, depth, i, caption)) {
            same = depth->name[i];
            count++;
        }
    return count;
}

static uint32_t find_nth(const struct xpd_view *view, const struct xpd_depth *depth,
                         struct xpd_str caption, uint32_t first, uint32_t end, uint64_t nth)
{
    uint32_t same = XPD_NO_INDEX;
    for (uint32_t i = first; i < end; i++)
        if (depth->name[i] == same || named(view, depth, i, caption)) {
            same = depth->name[i];
            if (nth-- == 0)
                return i;
        }
    return XPD_NO_INDEX;
}

/* The events of a depth that begin inside another event. */
static void inside(const struct xpd_depth *depth, const struct xpd_event *outer, uint32_t *first,
                   uint32_t *end)
{
    int64_t end_ps;
    if (__builtin_add_overflow(outer->start_ps, outer->duration_ps, &end_ps))
        end_ps = INT64_MAX;
    *first = outer->start_ps == INT64_MIN ? 0 : xpd_depth_first_after(depth, outer->start_ps - 1);
    *end = xpd_depth_first_after(depth, end_ps);
}

/* The captures of two hosts need not begin with the same run (join.h). */
static bool nth_on(const struct search *search, uint64_t nth, uint32_t process, uint64_t *other)
{
    int64_t first = search->is_main ? xpd_first_run(search->view->trace, process) : 0;
    int64_t at = (int64_t)nth + (search->is_main ? search->first_run : 0) - first;
    *other = (uint64_t)at;
    return at >= 0;
}

static bool find_on(const struct search *search, uint32_t process, struct xpd_event *found)
{
    const struct xpd_view *view = search->view;
    uint32_t row = xpd_view_row_of_kind(view, process, search->kind);
    if (row == XPD_NO_INDEX || search->depth >= xpd_view_row(view, row)->depth_count)
        return false;
    const struct xpd_depth *depth = xpd_view_depth(view, row, search->depth);
    uint32_t first = 0, end = depth->count;
    if (search->module.size > 0) {
        uint32_t modules = xpd_view_row_of_kind(view, process, XPD_ROW_MODULES);
        if (modules == XPD_NO_INDEX || xpd_view_row(view, modules)->depth_count == 0)
            return false;
        const struct xpd_depth *runs = xpd_view_depth(view, modules, 0);
        uint64_t nth;
        if (!nth_on(search, search->module_nth, process, &nth))
            return false;
        uint32_t run = find_nth(view, runs, search->module, 0, runs->count, nth);
        if (run == XPD_NO_INDEX)
            return false;
        struct xpd_event outer = xpd_view_event_at(view, modules, 0, run);
        inside(depth, &outer, &first, &end);
    }
    uint64_t own = search->nth; /* a run itself is counted as such */
    if (search->module.size == 0 && !nth_on(search, search->nth, process, &own))
        return false;
    uint32_t index = find_nth(view, depth, search->caption, first, end, own);
    if (index == XPD_NO_INDEX)
        return false;
    *found = xpd_view_event_at(view, row, search->depth, index);
    return true;
}

static void describe(struct search *search, const struct xpd_event *event)
{
    const struct xpd_view *view = search->view;
    const struct xpd_depth *depth = event->at;
    struct xpd_event module;
    uint32_t first = 0, end;
    search->caption = xpd_view_caption(view, event->name);
    search->kind = xpd_view_row(view, event->row)->kind;
    search->depth = event->depth;
    if (search->kind != XPD_ROW_MODULES && xpd_event_module(view, event, &module)) {
        search->module = xpd_view_caption(view, module.name);
        search->module_nth = count_before(view, module.at, search->module, 0, module.index);
        inside(depth, &module, &first, &end);
    }
    search->nth = count_before(view, depth, search->caption, first, event->index);
    const struct xpd_trace *trace = view->trace;
    bool run = search->module.size > 0 || search->kind == XPD_ROW_MODULES;
    search->first_run = xpd_first_run(trace, xpd_view_process(view, event->row));
    search->is_main = trace->part && run &&
                      xpd_str_eq(search->module.size > 0 ? search->module : search->caption,
                                 xpd_intern_get(&trace->names, trace->main_program));
}

int xpd_peers_of(const struct xpd_view *view, const struct xpd_event *event,
                 struct xpd_arena *arena, struct xpd_peer **out, uint32_t *count,
                 struct xpd_err *err)
{
    uint32_t own = xpd_view_process(view, event->row);
    const struct xpd_trace_process *process = view->trace->process;
    *count = 0;
    *out = NULL;
    if (process[own].kind == XPD_PROCESS_HOST || process[own].kind == XPD_PROCESS_OTHER)
        return xpd_fail(err, XPD_ENOTFOUND, "event", XPD_NO_OFFSET,
                        "this event is not one of a device: threads of a host have no partners");
    *out = XPD_NEW_ARRAY(arena, struct xpd_peer, view->trace->process_count);
    if (!*out)
        return xpd_no_memory(err, NULL, "for this answer");
    struct search search = {.view = view};
    describe(&search, event);
    (*out)[(*count)++] = (struct xpd_peer){own, *event};
    for (uint32_t p = 0; p < view->trace->process_count; p++) {
        struct xpd_event found;
        if (p != own && process[p].kind == process[own].kind && find_on(&search, p, &found))
            (*out)[(*count)++] = (struct xpd_peer){p, found};
    }
    return XPD_OK;
}

int64_t xpd_device_start_of(const struct xpd_view *view, const struct xpd_event *event)
{
    uint64_t start_ps;
    if (event->number >= view->trace->event_count ||
        !xpd_event_stat(view->trace, event->number, "device_offset_ps", &start_ps) ||
        start_ps > INT64_MAX)
        return -1;
    return (int64_t)start_ps;
}
