/* What ran elsewhere during a gap. In: a view, a gap. Out: row, name and self time of the largest.
 *
 * Of each depth the parts of its events inside of the gap are added to their names, and taken from
 * the names of the events around them. */
#include "xprofd/base/checked.h"
#include "xprofd/base/map64.h"
#include "xprofd/base/vec.h"
#include "xprofd/trace/gaps.h"
#include "xprofd/trace/join.h"
#include "xprofd/trace/self.h"
#include "xprofd/trace/window.h"

#include <stdlib.h>

struct one {
    struct xpd_meanwhile of;
    int64_t longest_ps;
};
struct adding {
    const struct xpd_view *view;
    const struct xpd_gap *gap;
    struct xpd_map64 index; /* row and name -> one */
    XPD_VEC(struct one) one;
};

static bool same_host(const struct xpd_trace *trace, uint32_t a, uint32_t b)
{
    return !trace->part || xpd_part_of_process(trace, a) == xpd_part_of_process(trace, b);
}

/* A thread, or the operations of a device; rows that sum up others, and counters, do nothing. */
static bool runs(const struct xpd_view *view, const struct xpd_gap *gap, uint32_t number)
{
    const struct xpd_trace_row *row = xpd_view_row(view, number);
    bool kind =
        row->kind == XPD_ROW_LINE || row->kind == XPD_ROW_OPS || row->kind == XPD_ROW_STREAM;
    bool own = gap->row == XPD_NO_INDEX ? row->process == gap->process && row->kind != XPD_ROW_LINE
                                        : number == gap->row;
    return kind && !own && view->trace->process[row->process].kind != XPD_PROCESS_OTHER &&
           same_host(view->trace, row->process, gap->process) &&
           xpd_row_touches(row, gap->start_ps, gap->end_ps);
}

static struct one *one_of(struct adding *adding, uint32_t row, uint32_t name)
{
    uint64_t key = (uint64_t)row << 32 | name;
    uint32_t at = xpd_map64_get(&adding->index, key);
    if (at == XPD_NO_INDEX) {
        struct one one = {.of = {.row = row, .name = name}, .longest_ps = -1};
        at = (uint32_t)adding->one.count;
        XPD_PUSH(&adding->one, one);
        xpd_map64_put(&adding->index, key, at);
    }
    return adding->one.failed || adding->index.failed ? NULL : &adding->one.at[at];
}

static bool add(struct adding *adding, const struct xpd_event *event)
{
    const struct xpd_gap *gap = adding->gap;
    int64_t from_ps = event->start_ps, to_ps = event->start_ps + event->duration_ps;
    from_ps = from_ps > gap->start_ps ? from_ps : gap->start_ps;
    to_ps = to_ps < gap->end_ps ? to_ps : gap->end_ps;
    if (to_ps <= from_ps)
        return true;
    struct one *one = one_of(adding, event->row, event->name);
    if (!one)
        return false;
    xpd_grow_i64(&one->of.self_ps, to_ps - from_ps);
    if (to_ps - from_ps > one->longest_ps) {
        one->longest_ps = to_ps - from_ps;
        one->of.event = event->number;
    }
    struct xpd_event parent;
    if (!xpd_event_parent(adding->view, event, &parent))
        return true;
    one = one_of(adding, parent.row, parent.name);
    if (one)
        xpd_grow_i64(&one->of.self_ps, from_ps - to_ps);
    return one != NULL;
}

/* False: no memory, or no budget. */
static bool add_row(struct adding *adding, uint32_t row, struct xpd_meanwhile_budget *budget)
{
    const struct xpd_view *view = adding->view;
    for (uint32_t d = 0; d < xpd_view_row(view, row)->depth_count; d++) {
        const struct xpd_depth *depth = xpd_view_depth(view, row, d);
        struct xpd_time_range range = {adding->gap->start_ps, adding->gap->end_ps};
        uint32_t first, end;
        xpd_view_range(view, depth, range, &first, &end);
        if (end - first > budget->events_left) {
            budget->events_left = 0;
            return false;
        }
        budget->events_left -= end - first;
        for (uint32_t i = first; i < end; i++) {
            struct xpd_event event = xpd_view_event_at(view, row, d, i);
            if (!add(adding, &event))
                return false;
        }
    }
    return true;
}

static bool before(const struct xpd_meanwhile *a, const struct xpd_meanwhile *b)
{
    return a->self_ps != b->self_ps ? a->self_ps > b->self_ps : a->event < b->event;
}

static uint32_t largest(const struct adding *adding, struct xpd_meanwhile *out)
{
    uint32_t count = 0;
    for (size_t i = 0; i < adding->one.count; i++) {
        const struct xpd_meanwhile *of = &adding->one.at[i].of;
        if (of->self_ps <= 0 ||
            (count == XPD_MEANWHILE_MOST && !before(of, &out[XPD_MEANWHILE_MOST - 1])))
            continue;
        uint32_t at = count < XPD_MEANWHILE_MOST ? count++ : XPD_MEANWHILE_MOST - 1;
        for (; at > 0 && before(of, &out[at - 1]); at--)
            out[at] = out[at - 1];
        out[at] = *of;
    }
    return count;
}

int xpd_gap_meanwhile(const struct xpd_view *view, const struct xpd_gap *gap,
                      struct xpd_meanwhile *out, uint32_t *count,
                      struct xpd_meanwhile_budget *budget, struct xpd_err *err)
{
    struct adding adding = {.view = view, .gap = gap};
    bool fine = budget->events_left > 0;
    for (uint32_t r = 0; fine && r < view->trace->row_count; r++)
        if (runs(view, gap, r))
            fine = add_row(&adding, r, budget);
    *count = fine ? largest(&adding, out) : UINT32_MAX;
    bool failed = adding.one.failed || adding.index.failed;
    XPD_VEC_FINI(&adding.one);
    xpd_map64_fini(&adding.index);
    return failed ? xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for the gaps")
                  : XPD_OK;
}
