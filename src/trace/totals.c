/* Sums by group. One pass over each depth of the rows asked for; the depth below runs along, so
 * that self times cost no search.
 *
 * In: a view, rows, a range. Out: groups in no order. Invariant: a group's self times add up to the
 * time its rows are busy in it, as far as events nest. */
#include "xprofd/trace/totals.h"

#include "totals_key.h"
#include "xprofd/base/checked.h"
#include "xprofd/trace/window.h"

#include <stdlib.h>

struct interval {
    int64_t start_ps, end_ps;
};
/* Work and bytes of one execution, close together: names are large and events name them at random.
 * Unknown counts as nothing here; whether a group knows any is seen at its end. */
struct work {
    double flops, bytes;
};

struct pass {
    const struct xpd_totals_ask *ask;
    struct xpd_totals *out;
    struct xpd_grouping grouping;
    struct xpd_nesting nesting;
    struct work *work;               /* by name */
    XPD_VEC(struct interval) orphan; /* of the row: not inside an event of the depth above */
};

static inline void add(struct xpd_total *total, const struct xpd_depth *depth, uint32_t i,
                       int64_t duration_ps, int64_t self_ps, int64_t device_ps)
{
    if (total->count++ == 0)
        total->first_event = depth->first_event + i;
    xpd_grow_i64(&total->total_ps, duration_ps);
    xpd_grow_i64(&total->self_ps, self_ps);
    xpd_grow_i64(&total->host_ps, depth->duration_ps[i]);
    total->min_ps = duration_ps < total->min_ps ? duration_ps : total->min_ps;
    total->max_ps = duration_ps > total->max_ps ? duration_ps : total->max_ps;
    if (device_ps >= 0) {
        xpd_grow_i64(&total->device_ps, device_ps);
        total->device_count++;
    }
}

static struct work *work_of_names(const struct xpd_view *view)
{
    uint32_t count = xpd_view_names(view);
    struct work *work = malloc(((size_t)count + 1) * sizeof *work);
    for (uint32_t i = 0; work && i < count; i++) {
        const struct xpd_event_name *name = xpd_view_name(view, i);
        work[i].flops = name->flops > 0 ? (double)name->flops : 0;
        work[i].bytes = name->bytes > 0 ? (double)name->bytes : 0;
    }
    return work;
}

/* Nothing at all is unknown, unless the group's own name says that it is nothing. */
static void finish_work(const struct xpd_totals_ask *ask, struct xpd_total *total)
{
    bool named = ask->by <= XPD_BY_MODULE && total->key != XPD_NO_INDEX;
    const struct xpd_event_name *name = named ? xpd_view_name(ask->view, total->key) : NULL;
    if (total->flops == 0 && (!name || name->flops < 0))
        total->flops = -1;
    if (total->bytes == 0 && (!name || name->bytes < 0))
        total->bytes = -1;
}

/* Time of the events one depth below that lie inside; *below moves on with the parents. */
static inline int64_t inside_ps(struct pass *pass, const struct xpd_depth *parent, uint32_t i,
                                const struct xpd_depth *child, uint32_t *below)
{
    int64_t start_ps = parent->start_ps[i], end_ps = start_ps + parent->duration_ps[i];
    int64_t sum_ps = 0, device_ps;
    bool jumps = pass->ask->clock == XPD_CLOCK_DEVICE && xpd_clock_jumps(parent, i);
    while (*below < child->count && child->start_ps[*below] < start_ps)
        (*below)++;
    for (uint32_t c = *below; c < child->count && child->start_ps[c] <= end_ps; c++) {
        bool inside = child->start_ps[c] + child->duration_ps[c] <= end_ps;
        if (jumps || (pass->ask->clock == XPD_CLOCK_DEVICE && xpd_clock_jumps(child, c)))
            inside =
                xpd_nesting_holds(pass->ask->view, parent, i, child, c, inside, &pass->nesting);
        if (!inside)
            continue;
        sum_ps += xpd_totals_duration(pass->ask, child, c, child->first_event + c, &device_ps);
        *below = c + 1;
    }
    return sum_ps;
}

static void add_depth(struct pass *pass, uint32_t row, uint32_t d)
{
    const struct xpd_totals_ask *ask = pass->ask;
    const struct xpd_view *view = ask->view;
    const struct xpd_depth *depth = xpd_view_depth(view, row, d), *child = NULL;
    uint32_t first, end, below = 0;
    xpd_view_range(view, depth, ask->range, &first, &end);
    if (d + 1 < xpd_view_row(view, row)->depth_count && first < end) {
        child = xpd_view_depth(view, row, d + 1);
        below = xpd_depth_first_touching(child, depth->start_ps[first]);
    }
    xpd_grouping_depth(&pass->grouping);
    for (uint32_t i = first; i < end; i++) {
        int64_t device_ps;
        uint32_t group = xpd_grouping_of(&pass->grouping, depth, i);
        if (group >= pass->grouping.group.count)
            return; /* out of memory: the grouping says so */
        int64_t duration_ps =
            xpd_totals_duration(ask, depth, i, depth->first_event + i, &device_ps);
        int64_t self_ps = duration_ps;
        if (child)
            self_ps -= inside_ps(pass, depth, i, child, &below);
        struct xpd_total *total = &pass->grouping.group.at[group];
        add(total, depth, i, duration_ps, self_ps > 0 ? self_ps : 0, device_ps);
        total->flops += pass->work[depth->name[i]].flops;
        total->bytes += pass->work[depth->name[i]].bytes;
    }
}

/* ---- busy time: the outermost depth, and what sticks out of it ---- */

static struct interval cut(const struct xpd_totals_ask *ask, const struct xpd_depth *depth,
                           uint32_t i)
{
    struct interval at = {depth->start_ps[i], depth->start_ps[i] + depth->duration_ps[i]};
    at.start_ps = at.start_ps < ask->range.from_ps ? ask->range.from_ps : at.start_ps;
    at.end_ps = at.end_ps > ask->range.to_ps ? ask->range.to_ps : at.end_ps;
    return at;
}

/* Events of a depth that no single event of the depth above covers. */
static void find_orphans(struct pass *pass, uint32_t row, uint32_t d)
{
    const struct xpd_view *view = pass->ask->view;
    const struct xpd_depth *depth = xpd_view_depth(view, row, d);
    const struct xpd_depth *above = xpd_view_depth(view, row, d - 1);
    uint32_t first, end;
    xpd_view_range(view, depth, pass->ask->range, &first, &end);
    uint32_t parent = first < end ? xpd_depth_first_touching(above, depth->start_ps[first]) : 0;
    for (uint32_t i = first; i < end; i++) {
        int64_t start_ps = depth->start_ps[i], end_ps = start_ps + depth->duration_ps[i];
        while (parent + 1 < above->count && above->start_ps[parent + 1] <= start_ps)
            parent++;
        if (parent < above->count && above->start_ps[parent] <= start_ps &&
            above->start_ps[parent] + above->duration_ps[parent] >= end_ps)
            continue;
        struct interval at = cut(pass->ask, depth, i);
        XPD_PUSH(&pass->orphan, at);
    }
}

static int by_start(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return (x->start_ps > y->start_ps) - (x->start_ps < y->start_ps);
}

/* How much of an interval the events of a depth cover. */
static int64_t covered_ps(const struct xpd_depth *depth, struct interval at)
{
    int64_t sum_ps = 0;
    for (uint32_t i = xpd_depth_first_touching(depth, at.start_ps);
         i < depth->count && depth->start_ps[i] < at.end_ps; i++) {
        int64_t start_ps = depth->start_ps[i], end_ps = start_ps + depth->duration_ps[i];
        start_ps = start_ps > at.start_ps ? start_ps : at.start_ps;
        end_ps = end_ps < at.end_ps ? end_ps : at.end_ps;
        sum_ps += end_ps > start_ps ? end_ps - start_ps : 0;
    }
    return sum_ps;
}

static int64_t orphans_ps(struct pass *pass, const struct xpd_depth *outer)
{
    int64_t sum_ps = 0;
    if (pass->orphan.count > 0)
        qsort(pass->orphan.at, pass->orphan.count, sizeof *pass->orphan.at, by_start);
    for (size_t i = 0; i < pass->orphan.count;) {
        struct interval whole = pass->orphan.at[i++];
        for (; i < pass->orphan.count && pass->orphan.at[i].start_ps <= whole.end_ps; i++)
            if (pass->orphan.at[i].end_ps > whole.end_ps)
                whole.end_ps = pass->orphan.at[i].end_ps;
        if (whole.end_ps > whole.start_ps)
            sum_ps += whole.end_ps - whole.start_ps - covered_ps(outer, whole);
    }
    return sum_ps;
}

static void add_busy(struct pass *pass, uint32_t row)
{
    const struct xpd_view *view = pass->ask->view;
    const struct xpd_trace_row *all = xpd_view_row(view, row);
    uint32_t depths = all->depth_count, first, end;
    if (depths == 0)
        return;
    if (pass->ask->range.from_ps <= all->first_ps && pass->ask->range.to_ps >= all->end_ps) {
        xpd_grow_i64(&pass->out->busy_ps, all->busy_ps); /* known since it was loaded */
        return;
    }
    const struct xpd_depth *outer = xpd_view_depth(view, row, 0);
    xpd_view_range(view, outer, pass->ask->range, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        struct interval at = cut(pass->ask, outer, i);
        xpd_grow_i64(&pass->out->busy_ps, at.end_ps > at.start_ps ? at.end_ps - at.start_ps : 0);
    }
    pass->orphan.count = 0;
    for (uint32_t d = 1; d < depths; d++)
        find_orphans(pass, row, d);
    xpd_grow_i64(&pass->out->busy_ps, orphans_ps(pass, outer));
}

/* ---- the whole ---- */

static void add_up(struct xpd_total *all, const struct xpd_total *group)
{
    if (all->count == 0 || group->first_event < all->first_event)
        all->first_event = group->first_event;
    all->count += group->count;
    all->device_count += group->device_count;
    xpd_grow_i64(&all->total_ps, group->total_ps);
    xpd_grow_i64(&all->self_ps, group->self_ps);
    xpd_grow_i64(&all->host_ps, group->host_ps);
    xpd_grow_i64(&all->device_ps, group->device_ps);
    all->min_ps = group->min_ps < all->min_ps ? group->min_ps : all->min_ps;
    all->max_ps = group->max_ps > all->max_ps ? group->max_ps : all->max_ps;
    if (group->flops >= 0)
        all->flops = (all->flops < 0 ? 0 : all->flops) + group->flops;
    if (group->bytes >= 0)
        all->bytes = (all->bytes < 0 ? 0 : all->bytes) + group->bytes;
}

static int no_memory(struct xpd_err *err)
{
    return xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for these totals");
}

/* The groups stay where the grouping put them: a second pass finds the same indexes. */
static void take_groups(struct pass *pass)
{
    struct xpd_totals *out = pass->out;
    out->unchecked = pass->nesting.unchecked;
    out->group = pass->grouping.group.at;
    out->group_count = (uint32_t)pass->grouping.group.count;
    out->all =
        (struct xpd_total){.key = XPD_NO_INDEX, .min_ps = INT64_MAX, .flops = -1, .bytes = -1};
    for (uint32_t i = 0; i < out->group_count; i++)
        if (out->group[i].count > 0) {
            finish_work(pass->ask, &out->group[i]);
            add_up(&out->all, &out->group[i]);
        }
    pass->grouping.group.at = NULL;
    pass->grouping.group.count = 0;
}

int xpd_totals_make(struct xpd_totals *out, const struct xpd_totals_ask *ask, struct xpd_err *err)
{
    struct pass pass = {.ask = ask, .out = out, .nesting = {.reads_left = XPD_NESTING_READS_MAX}};
    *out = (struct xpd_totals){0};
    bool fine = xpd_grouping_init(&pass.grouping, ask->view, ask->by);
    pass.work = work_of_names(ask->view);
    fine = fine && pass.work;
    for (uint32_t r = 0; fine && r < ask->row_count; r++) {
        uint32_t depths = xpd_view_row(ask->view, ask->row[r])->depth_count;
        xpd_grouping_row(&pass.grouping, ask->row[r]);
        for (uint32_t d = 0; d < depths; d++)
            add_depth(&pass, ask->row[r], d);
        add_busy(&pass, ask->row[r]);
        fine = !pass.grouping.failed && !pass.orphan.failed;
    }
    if (fine)
        take_groups(&pass);
    XPD_VEC_FINI(&pass.orphan);
    free(pass.work);
    xpd_grouping_fini(&pass.grouping);
    return fine ? XPD_OK : no_memory(err);
}

void xpd_totals_fini(struct xpd_totals *totals)
{
    free(totals->group);
    *totals = (struct xpd_totals){0};
}
