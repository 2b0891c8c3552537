/* When the work of a chip ran by the chip's own clock. In: a view. Out: a start for each event of
 * the rows of work, read from the file in one pass by a few threads, and for each process whether
 * all of them have one. */
#include "../derived/derive.h"
#include "overlap_work.h"
#include "xprofd/base/threads.h"

#include <stdatomic.h>

struct start_reading {
    const struct xpd_trace *trace;
    int64_t **start; /* by depth; NULL: not asked for */
    atomic_uint next_depth;
    atomic_bool *lacks; /* by process: an event has no start by its clock */
};

/* Room for the starts of a depth; NULL: an event has no duration by the chip's clock, or *failed.
 */
static int64_t *room_of(const struct xpd_trace *trace, const struct xpd_depth *depth,
                        struct xpd_arena *arena, bool *failed)
{
    for (uint32_t i = 0; i < depth->count; i++)
        if (xpd_trace_device_ps(trace, depth, i) < 0)
            return NULL;
    int64_t *start_ps = XPD_NEW_ROOM(arena, int64_t, depth->count);
    *failed |= !start_ps;
    return start_ps;
}

static void read_depths(void *context, uint32_t thread)
{
    struct start_reading *reading = context;
    const struct xpd_trace *trace = reading->trace;
    (void)thread;
    for (uint32_t d; (d = atomic_fetch_add(&reading->next_depth, 1)) < trace->depth_count;) {
        uint32_t process = trace->row[trace->depth[d].row].process;
        if (reading->start[d] && !atomic_load(&reading->lacks[process]) &&
            !xpd_event_stats(trace, &trace->depth[d], XPD_STR("device_offset_ps"),
                             reading->start[d]))
            atomic_store(&reading->lacks[process], true);
    }
}

/* Asks for the depths of all rows of work; those without durations by that clock lack theirs. */
static bool ask_rows(struct start_reading *reading, const struct xpd_view *view, bool *known,
                     struct xpd_arena *arena)
{
    const struct xpd_trace *trace = view->trace;
    bool failed = false;
    for (uint32_t r = 0; !failed && r < trace->row_count; r++) {
        const struct xpd_trace_row *row = &trace->row[r];
        for (uint32_t d = 0; xpd_view_executes(view, r) && d < row->depth_count; d++) {
            uint32_t at = row->first_depth + d;
            known[row->process] = true;
            if (!reading->lacks[row->process])
                reading->start[at] = room_of(trace, &trace->depth[at], arena, &failed);
            if (!reading->start[at])
                reading->lacks[row->process] = true;
        }
    }
    return !failed;
}

int xpd_overlap_device_make(struct xpd_overlap_device *out, const struct xpd_view *view,
                            struct xpd_arena *arena, struct xpd_err *err)
{
    const struct xpd_trace *trace = view->trace;
    struct start_reading reading = {.trace = trace,
                                    .start = XPD_NEW_ARRAY(arena, int64_t *, trace->depth_count),
                                    .lacks =
                                        XPD_NEW_ARRAY(arena, atomic_bool, trace->process_count)};
    bool *known = XPD_NEW_ARRAY(arena, bool, trace->process_count);
    if (!reading.start || !reading.lacks || !known || !ask_rows(&reading, view, known, arena))
        return xpd_no_memory(err, NULL, "for the times of the chips' own clocks");
    xpd_threads_run(xpd_threads_count(0), read_depths, &reading);
    for (uint32_t p = 0; p < trace->process_count; p++)
        known[p] = known[p] && !reading.lacks[p];
    *out = (struct xpd_overlap_device){(const int64_t *const *)reading.start, known};
    return XPD_OK;
}

struct xpd_interval xpd_overlap_device_at(const struct xpd_overlap_device *device,
                                          const struct xpd_trace *trace,
                                          const struct xpd_depth *depth, uint32_t i)
{
    bool measured = depth->first_event < trace->event_count;
    const int64_t *start_ps = measured ? device->start_ps[depth - trace->depth] : NULL;
    if (!start_ps)
        return (struct xpd_interval){0, 0};
    return (struct xpd_interval){start_ps[i], start_ps[i] + xpd_trace_device_ps(trace, depth, i)};
}

struct xpd_interval xpd_overlap_device_span(const struct xpd_overlap_device *device,
                                            const struct xpd_trace *trace, uint64_t start,
                                            uint64_t done)
{
    const struct xpd_depth *from, *to;
    uint32_t s, d;
    if (!xpd_trace_find(trace, start, &from, &s) || !xpd_trace_find(trace, done, &to, &d))
        return (struct xpd_interval){0, 0};
    return (struct xpd_interval){xpd_overlap_device_at(device, trace, from, s).start_ps,
                                 xpd_overlap_device_at(device, trace, to, d).end_ps};
}
