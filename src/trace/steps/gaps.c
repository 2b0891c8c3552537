/* Gaps of rows and of chips. In: a view, rows or processes, a range. Out: the longest gaps, and how
 * many there are of each. Busy time is collected as intervals; the gaps are between them. */
#include "xprofd/trace/gaps.h"
#include "overlap_work.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/map64.h"
#include "xprofd/base/vec.h"
#include "xprofd/trace/join.h"
#include "xprofd/trace/self.h"
#include "xprofd/trace/window.h"
#include <stdlib.h>

/* What ran elsewhere during a gap. In: a view, a gap. Out: row, name and self time of the largest.
 *
 * Of each depth the parts of its events inside of the gap are added to their names, and taken from
 * the names of the events around them. */

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
    return failed ? xpd_no_memory(err, NULL, "for the gaps") : XPD_OK;
}

struct making {
    const struct xpd_gaps_ask *ask;
    struct xpd_overlapping chip; /* of chips */
    struct xpd_intervals busy;
    XPD_VEC(struct xpd_gap) kept; /* a heap, the shortest on top, once it is full */
};

static bool shorter(const struct xpd_gap *a, const struct xpd_gap *b)
{
    int64_t x = a->end_ps - a->start_ps, y = b->end_ps - b->start_ps;
    if (x != y)
        return x < y;
    if (a->start_ps != b->start_ps)
        return a->start_ps > b->start_ps;
    return a->process != b->process ? a->process > b->process : a->row > b->row;
}

static int longest_first(const void *a, const void *b)
{
    return shorter(a, b) ? 1 : shorter(b, a) ? -1 : 0;
}

/* Places [at] where it belongs below it. */
static void sink(struct xpd_gap *heap, size_t count, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && shorter(&heap[child + 1], &heap[child]);
        if (!shorter(&heap[child], &heap[at]))
            return;
        struct xpd_gap swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
    }
}

static void keep(struct making *making, const struct xpd_gap *gap)
{
    size_t most = making->ask->most;
    if (making->kept.count < most) {
        XPD_PUSH(&making->kept, *gap);
        for (size_t i = making->kept.count == most ? most / 2 : 0; i-- > 0;)
            sink(making->kept.at, most, i);
    } else if (most > 0 && shorter(&making->kept.at[0], gap)) {
        making->kept.at[0] = *gap;
        sink(making->kept.at, most, 0);
    }
}

/* The gaps between busy intervals, which are joined and inside the range. */
static void find(struct making *making, struct xpd_gaps_of *of)
{
    struct xpd_time_range range = making->ask->range;
    struct xpd_gap gap = {of->process, of->row, range.from_ps, 0, UINT64_MAX, UINT64_MAX};
    for (size_t i = 0; i <= making->busy.count; i++) {
        const struct xpd_interval *next = i < making->busy.count ? &making->busy.at[i] : NULL;
        gap.end_ps = next ? next->start_ps : range.to_ps;
        if (gap.end_ps > gap.start_ps) {
            of->count++;
            xpd_grow_i64(&of->idle_ps, gap.end_ps - gap.start_ps);
            keep(making, &gap);
        }
        if (next)
            gap.start_ps = next->end_ps;
    }
}

static void collect_row(struct making *making, uint32_t row)
{
    const struct xpd_view *view = making->ask->view;
    making->busy.count = 0;
    for (uint32_t d = 0; d < xpd_view_row(view, row)->depth_count; d++) {
        const struct xpd_depth *depth = xpd_view_depth(view, row, d);
        uint32_t first, end;
        xpd_view_range(view, depth, making->ask->range, &first, &end);
        for (uint32_t i = first; i < end; i++)
            xpd_intervals_put(&making->busy, making->ask->range.from_ps, making->ask->range.to_ps,
                              xpd_depth_start(depth, i), xpd_depth_end(depth, i));
    }
    xpd_intervals_join(&making->busy);
}

static void collect_chip(struct making *making, uint32_t process)
{
    struct xpd_overlapping *chip = &making->chip;
    xpd_overlap_collect(chip, process, making->ask->range);
    making->busy.count = 0;
    xpd_intervals_add(&making->busy, &chip->compute);
    xpd_intervals_add(&making->busy, &chip->comm);
    xpd_intervals_add(&making->busy, &chip->copy);
    xpd_intervals_join(&making->busy);
}

/* ---- the events around a gap ---- */

struct around {
    struct xpd_gap *gap;
    int64_t before_ps, after_ps; /* end of the one, start of the other */
};

/* Of one depth: the last event that counts and ends by the start of the gap, the first that starts
 * from its end on. */
static void look(struct around *around, const struct making *making, uint32_t row,
                 const struct xpd_depth *depth)
{
    const struct xpd_overlapping *chip = making->ask->table ? &making->chip : NULL;
    struct xpd_gap *gap = around->gap;
    uint32_t i = xpd_depth_first_after(depth, gap->start_ps);
    while (i > 0 && (xpd_depth_end(depth, i - 1) > gap->start_ps ||
                     (chip && !xpd_overlap_counts(chip, row, depth->name[i - 1]))))
        i--;
    int64_t end_ps = i > 0 ? xpd_depth_end(depth, i - 1) : 0;
    if (i > 0 && (gap->before == UINT64_MAX || end_ps > around->before_ps)) {
        gap->before = depth->first_event + i - 1;
        around->before_ps = end_ps;
    }
    i = xpd_depth_first_after(depth, gap->end_ps - 1);
    while (i < depth->count && chip && !xpd_overlap_counts(chip, row, depth->name[i]))
        i++;
    if (i < depth->count &&
        (gap->after == UINT64_MAX || xpd_depth_start(depth, i) < around->after_ps)) {
        gap->after = depth->first_event + i;
        around->after_ps = xpd_depth_start(depth, i);
    }
}

static void look_around(struct making *making, struct xpd_gap *gap)
{
    const struct xpd_view *view = making->ask->view;
    struct around around = {.gap = gap};
    uint32_t rows = 1;
    if (gap->row == XPD_NO_INDEX) {
        xpd_overlap_find_rows(&making->chip, gap->process);
        rows = (uint32_t)making->chip.row.count;
    }
    for (uint32_t r = 0; r < rows; r++) {
        uint32_t row = gap->row == XPD_NO_INDEX ? making->chip.row.at[r] : gap->row;
        for (uint32_t d = 0; d < xpd_view_row(view, row)->depth_count; d++)
            look(&around, making, row, xpd_view_depth(view, row, d));
    }
}

/* ---- all ---- */

int xpd_gaps_make(struct xpd_gaps *out, const struct xpd_gaps_ask *ask, struct xpd_err *err)
{
    struct making making = {.ask = ask, .chip = {.view = ask->view, .table = ask->table}};
    *out = (struct xpd_gaps){.of = calloc((size_t)ask->at_count + 1, sizeof *out->of)};
    for (uint32_t i = 0; out->of && i < ask->at_count; i++) {
        struct xpd_gaps_of *of = &out->of[out->of_count++];
        *of = ask->table
                  ? (struct xpd_gaps_of){ask->at[i], XPD_NO_INDEX, 0, 0}
                  : (struct xpd_gaps_of){xpd_view_process(ask->view, ask->at[i]), ask->at[i], 0, 0};
        if (ask->table)
            collect_chip(&making, ask->at[i]);
        else
            collect_row(&making, ask->at[i]);
        find(&making, of);
    }
    for (size_t i = 0; i < making.kept.count; i++)
        look_around(&making, &making.kept.at[i]);
    if (making.kept.count > 1)
        qsort(making.kept.at, making.kept.count, sizeof *making.kept.at, longest_first);
    bool fine =
        out->of && !making.kept.failed && !making.busy.failed && !xpd_overlap_failed(&making.chip);
    xpd_overlap_close(&making.chip);
    XPD_VEC_FINI(&making.busy);
    out->gap = making.kept.at;
    out->count = (uint32_t)making.kept.count;
    if (fine)
        return XPD_OK;
    xpd_gaps_fini(out);
    return xpd_no_memory(err, NULL, "for the gaps");
}

uint64_t xpd_gaps_all(const struct xpd_gaps *gaps)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < gaps->of_count; i++)
        all += gaps->of[i].count;
    return all;
}

void xpd_gaps_fini(struct xpd_gaps *gaps)
{
    free(gaps->gap);
    free(gaps->of);
    *gaps = (struct xpd_gaps){0};
}
