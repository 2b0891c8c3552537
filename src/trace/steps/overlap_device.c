/* When the work of a chip ran by the chip's own clock. In: a view. Out: a start for each event of
 * the rows of work, read from the file in one pass, and for each process whether all of them have
 * one. */
#include "../derived/derive.h"
#include "overlap_work.h"

/* NULL: an event has no time on the device's clock; *failed: no memory. */
static const int64_t *read_starts(const struct xpd_trace *trace, const struct xpd_depth *depth,
                                  struct xpd_arena *arena, bool *failed)
{
    for (uint32_t i = 0; i < depth->count; i++)
        if (xpd_trace_device_ps(trace, depth, i) < 0)
            return NULL;
    int64_t *start_ps = XPD_NEW_ARRAY(arena, int64_t, depth->count);
    *failed |= !start_ps;
    return start_ps && xpd_event_stats(trace, depth, XPD_STR("device_offset_ps"), start_ps)
               ? start_ps
               : NULL;
}

int xpd_overlap_device_make(struct xpd_overlap_device *out, const struct xpd_view *view,
                            struct xpd_arena *arena, struct xpd_err *err)
{
    const struct xpd_trace *trace = view->trace;
    const int64_t **start = XPD_NEW_ARRAY(arena, const int64_t *, trace->depth_count);
    bool *lacks = XPD_NEW_ARRAY(arena, bool, trace->process_count);
    bool *known = XPD_NEW_ARRAY(arena, bool, trace->process_count);
    bool failed = !start || !lacks || !known;
    for (uint32_t r = 0; !failed && r < trace->row_count; r++) {
        const struct xpd_trace_row *row = &trace->row[r];
        for (uint32_t d = 0; xpd_view_executes(view, r) && d < row->depth_count; d++) {
            uint32_t at = row->first_depth + d;
            if (!lacks[row->process])
                start[at] = read_starts(trace, &trace->depth[at], arena, &failed);
            lacks[row->process] |= !start[at];
            known[row->process] = !lacks[row->process];
        }
    }
    *out = (struct xpd_overlap_device){start, known};
    return failed ? xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET,
                             "not enough memory for the times of the chips' own clocks")
                  : XPD_OK;
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
