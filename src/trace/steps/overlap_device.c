/* When the work of a chip ran by the chip's own clock. In: a view. Out: for each process whether
 * all its rows of work say it, and the times of an event by that clock. */
#include "../derived/derive.h"
#include "overlap_work.h"

/* Whether all of its events have a start and a duration by the chip's clock. */
static bool says_all(const struct xpd_trace *trace, const struct xpd_depth *depth)
{
    bool all = xpd_depth_has_device_starts(depth);
    for (uint32_t i = 0; all && i < depth->count; i++)
        all = xpd_trace_device_ps(trace, depth, i) >= 0;
    return all;
}

int xpd_overlap_device_make(struct xpd_overlap_device *out, const struct xpd_view *view,
                            struct xpd_arena *arena, struct xpd_err *err)
{
    const struct xpd_trace *trace = view->trace;
    struct xpd_arena scratch = {0};
    bool *known = XPD_NEW_ARRAY(arena, bool, trace->process_count);
    bool *lacks = XPD_NEW_ARRAY(&scratch, bool, trace->process_count);
    for (uint32_t r = 0; known && lacks && r < trace->row_count; r++) {
        const struct xpd_trace_row *row = &trace->row[r];
        for (uint32_t d = 0; xpd_view_executes(view, r) && d < row->depth_count; d++) {
            lacks[row->process] =
                lacks[row->process] || !says_all(trace, &trace->depth[row->first_depth + d]);
            known[row->process] = !lacks[row->process];
        }
    }
    bool fine = known && lacks;
    xpd_arena_fini(&scratch);
    *out = (struct xpd_overlap_device){known};
    return fine ? XPD_OK : xpd_no_memory(err, NULL, "for the times of the chips' own clocks");
}

struct xpd_interval xpd_overlap_device_span(const struct xpd_trace *trace, uint64_t start,
                                            uint64_t done)
{
    const struct xpd_depth *from, *to;
    uint32_t s, d;
    if (!xpd_trace_find(trace, start, &from, &s) || !xpd_trace_find(trace, done, &to, &d))
        return (struct xpd_interval){0, 0};
    return (struct xpd_interval){xpd_overlap_device_at(trace, from, s).start_ps,
                                 xpd_overlap_device_at(trace, to, d).end_ps};
}
