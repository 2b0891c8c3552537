/* Intervals of work. In: a view with derived rows and its table. Out: compute, collectives and
 * copies of a range; nothing outside of the range is looked at. */
#include "overlap_work.h"
#include "../derived/derive.h"

#include "xprofd/base/bisect.h"
#include "xprofd/trace/window.h"

/* Where times are cut: at the range, or at what it is by the device's clock. */
static struct xpd_time_range edges(const struct xpd_overlapping *o, struct xpd_time_range range)
{
    return o->device ? o->window : range;
}

static void put(const struct xpd_overlapping *o, struct xpd_intervals *list,
                struct xpd_time_range range, struct xpd_interval at)
{
    range = edges(o, range);
    xpd_intervals_put(list, range.from_ps, range.to_ps, at.start_ps, at.end_ps);
}

static void put_collective(struct xpd_overlapping *o, struct xpd_time_range range,
                           struct xpd_overlap_named one)
{
    range = edges(o, range);
    one.at.start_ps = one.at.start_ps > range.from_ps ? one.at.start_ps : range.from_ps;
    one.at.end_ps = one.at.end_ps < range.to_ps ? one.at.end_ps : range.to_ps;
    if (one.at.end_ps <= one.at.start_ps)
        return;
    XPD_PUSH(&o->comm, one.at);
    XPD_PUSH(&o->each, one);
}

static struct xpd_interval interval_of(const struct xpd_overlapping *o,
                                       const struct xpd_depth *depth, uint32_t i)
{
    if (o->device)
        return xpd_overlap_device_at(o->view->trace, depth, i);
    return (struct xpd_interval){xpd_depth_start(depth, i), xpd_depth_end(depth, i)};
}

static void put_copy(struct xpd_overlapping *o, struct xpd_time_range range, uint8_t role,
                     struct xpd_interval at)
{
    put(o, &o->copy, range, at);
    if (role != XPD_ROLE_COPY)
        put(o, role == XPD_ROLE_COPY_IN ? &o->copy_in : &o->copy_out, range, at);
}

static void put_work(struct xpd_overlapping *o, const struct xpd_depth *depth,
                     struct xpd_time_range range)
{
    struct xpd_time_range cut = edges(o, range);
    uint32_t first, end;
    xpd_view_range(o->view, depth, range, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        uint8_t role = o->table->role[depth->name[i]];
        if (role == XPD_ROLE_COMPUTE) { /* most of them */
            struct xpd_interval at = interval_of(o, depth, i);
            xpd_intervals_put(&o->compute, cut.from_ps, cut.to_ps, at.start_ps, at.end_ps);
        } else if (role == XPD_ROLE_CONTROL)
            put(o, &o->control, range, interval_of(o, depth, i));
        else if (role >= XPD_ROLE_COPY && role <= XPD_ROLE_COPY_OUT)
            put_copy(o, range, role, interval_of(o, depth, i));
        else if (role == XPD_ROLE_COMM)
            put_collective(o, range,
                           (struct xpd_overlap_named){interval_of(o, depth, i), depth->name[i]});
    }
}

/* A bar from a start to its done: by the device's clock from the one event to the end of the other.
 */
static struct xpd_interval copy_of(const struct xpd_overlapping *o, const struct xpd_depth *depth,
                                   uint32_t i)
{
    if (!o->device)
        return interval_of(o, depth, i);
    struct xpd_derived_fact fact = xpd_derived_fact_of(o->view->derived, depth->first_event + i);
    return xpd_overlap_device_span(o->view->trace, fact.event, fact.event2);
}

static void put_copies(struct xpd_overlapping *o, const struct xpd_depth *depth,
                       struct xpd_time_range range)
{
    uint32_t first, end;
    xpd_view_range(o->view, depth, range, &first, &end);
    for (uint32_t i = first; i < end; i++)
        put(o, &o->copy, range, copy_of(o, depth, i));
}

static void put_pairs(struct xpd_overlapping *o, uint32_t process, struct xpd_time_range range)
{
    const struct xpd_overlap_pair *pair = o->table->pair;
    uint32_t i = o->table->pair_first[process], end = o->table->pair_first[process + 1];
    XPD_BISECT(i, end, at, pair[at].last_end_ps <= range.from_ps);
    for (; i < end && pair[i].of.at.start_ps < range.to_ps; i++) {
        struct xpd_overlap_named one = pair[i].of;
        if (o->device)
            one.at = xpd_overlap_device_span(o->view->trace, pair[i].start, pair[i].done);
        put_collective(o, range, one);
    }
}

static bool is_of_copies(const struct xpd_view *view, uint32_t row)
{
    return xpd_view_row(view, row)->kind == XPD_ROW_OFFLOAD;
}

/* A process is asked about for a thousand ranges, and of many hosts there are thousands of rows. */
void xpd_overlap_find_rows(struct xpd_overlapping *o, uint32_t process)
{
    if (o->knows_rows && o->process == process)
        return;
    o->row.count = 0;
    o->process = process;
    o->knows_rows = true;
    for (uint32_t r = 0; r < xpd_view_rows(o->view); r++)
        if (xpd_view_process(o->view, r) == process &&
            (is_of_copies(o->view, r) || xpd_view_executes(o->view, r)))
            XPD_PUSH(&o->row, r);
}

bool xpd_overlap_counts(const struct xpd_overlapping *o, uint32_t row, uint32_t name)
{
    return is_of_copies(o->view, row) || o->table->role[name] >= XPD_ROLE_COMPUTE;
}

/* A loop takes time between its operations too. A wait inside of it stays a wait. */
static void fill_control(struct xpd_overlapping *o)
{
    xpd_intervals_join(&o->control);
    xpd_intervals_add(&o->all, &o->comm);
    xpd_intervals_add(&o->all, &o->copy);
    xpd_intervals_join(&o->all);
    for (size_t i = 0, b = 0; i < o->control.count; i++) {
        struct xpd_interval left = o->control.at[i];
        for (; b < o->all.count && o->all.at[b].start_ps < left.end_ps; b++) {
            xpd_intervals_put(&o->compute, left.start_ps, o->all.at[b].start_ps, left.start_ps,
                              left.end_ps);
            if (o->all.at[b].end_ps > left.start_ps)
                left.start_ps = o->all.at[b].end_ps;
            if (o->all.at[b].end_ps > left.end_ps) /* it may reach into the next one too */
                break;
        }
        xpd_intervals_put(&o->compute, left.start_ps, left.end_ps, left.start_ps, left.end_ps);
    }
    o->all.count = 0;
}

void xpd_overlap_collect(struct xpd_overlapping *o, uint32_t process, struct xpd_time_range range)
{
    o->compute.count = o->comm.count = o->copy.count = o->all.count = o->each.count = 0;
    o->copy_in.count = o->copy_out.count = o->control.count = 0;
    xpd_overlap_find_rows(o, process);
    for (size_t i = 0; i < o->row.count; i++) {
        uint32_t row = o->row.at[i], depths = xpd_view_row(o->view, row)->depth_count;
        bool copies = is_of_copies(o->view, row);
        for (uint32_t d = 0; d < depths; d++) {
            if (copies)
                put_copies(o, xpd_view_depth(o->view, row, d), range);
            else
                put_work(o, xpd_view_depth(o->view, row, d), range);
        }
    }
    put_pairs(o, process, range);
    if (o->control.count > 0)
        fill_control(o);
}

/* Time of a joined list beyond what `before` points to, which then is the union of both where
 * another list comes after it. */
static int64_t beyond(struct xpd_overlapping *o, const struct xpd_intervals **before,
                      const struct xpd_intervals *list, bool last)
{
    int64_t more_ps = xpd_intervals_sum(list) - xpd_intervals_common(list, *before);
    if (last || list->count == 0)
        return more_ps;
    if (*before != &o->all)
        xpd_intervals_add(&o->all, *before);
    xpd_intervals_add(&o->all, list);
    xpd_intervals_join(&o->all);
    *before = &o->all;
    return more_ps;
}

void xpd_overlap_measure(struct xpd_overlapping *o, uint32_t process, struct xpd_time_range range,
                         struct xpd_overlap *out)
{
    const struct xpd_intervals *before = &o->compute;
    xpd_overlap_collect(o, process, range);
    xpd_intervals_join(&o->compute);
    xpd_intervals_join(&o->comm);
    xpd_intervals_join(&o->copy);
    xpd_intervals_join(&o->copy_in);
    xpd_intervals_join(&o->copy_out);
    out->compute_ps = xpd_intervals_sum(&o->compute);
    out->comm_exposed_ps = beyond(o, &before, &o->comm, o->copy.count == 0);
    out->comm_overlapped_ps = xpd_intervals_sum(&o->comm) - out->comm_exposed_ps;
    out->copy_in_ps = beyond(o, &before, &o->copy_in, false);
    out->copy_out_ps = beyond(o, &before, &o->copy_out, false);
    out->copy_exposed_ps = out->copy_in_ps + out->copy_out_ps + beyond(o, &before, &o->copy, true);
    out->copy_overlapped_ps = xpd_intervals_common(&o->copy, &o->compute);
    range = edges(o, range);
    out->length_ps = range.to_ps - range.from_ps;
    out->idle_ps = out->length_ps - out->compute_ps - out->comm_exposed_ps - out->copy_exposed_ps;
    out->clock = o->device ? XPD_CLOCK_DEVICE : XPD_CLOCK_HOST;
}

void xpd_overlap_add(struct xpd_overlap *sum, const struct xpd_overlap *more, int sign)
{
    sum->compute_ps += sign * more->compute_ps;
    sum->comm_overlapped_ps += sign * more->comm_overlapped_ps;
    sum->comm_exposed_ps += sign * more->comm_exposed_ps;
    sum->copy_overlapped_ps += sign * more->copy_overlapped_ps;
    sum->copy_exposed_ps += sign * more->copy_exposed_ps;
    sum->copy_in_ps += sign * more->copy_in_ps;
    sum->copy_out_ps += sign * more->copy_out_ps;
    sum->idle_ps += sign * more->idle_ps;
    sum->length_ps += sign * more->length_ps;
}

bool xpd_overlap_failed(const struct xpd_overlapping *o)
{
    return o->row.failed || o->compute.failed || o->control.failed || o->comm.failed ||
           o->copy.failed || o->all.failed || o->each.failed || o->copy_in.failed ||
           o->copy_out.failed;
}

void xpd_overlap_close(struct xpd_overlapping *o)
{
    XPD_VEC_FINI(&o->row);
    XPD_VEC_FINI(&o->each);
    XPD_VEC_FINI(&o->compute);
    XPD_VEC_FINI(&o->control);
    XPD_VEC_FINI(&o->comm);
    XPD_VEC_FINI(&o->copy);
    XPD_VEC_FINI(&o->all);
    XPD_VEC_FINI(&o->copy_in);
    XPD_VEC_FINI(&o->copy_out);
}

/* ---- by the clock of the chips ---- */

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
