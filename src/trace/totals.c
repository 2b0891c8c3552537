/* Sums by group.
 *
 * In: a view, rows, a range. Out: groups in the order in which the rows asked for meet them.
 * Threads take pieces of depths in that order and add up tallies of their own; tallies become
 * groups at the end, on one thread, by where their first event stands: the answer does not depend
 * on how many threads there were. Invariant: a group's self times add up to the time its rows are
 * busy in it, as far as events nest. */
#include "xprofd/trace/totals.h"

#include "totals_work.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/threads.h"

#include <stdlib.h>

enum { AHEAD = 12 }; /* tallies */

struct making {
    struct xpd_totals *out;
    const struct xpd_totals_ask *ask;
    struct xpd_totals_plan plan;
    struct xpd_totals_worker worker[XPD_THREADS_MAX];
    uint32_t threads;
    struct xpd_name_work *work_of_name; /* NULL: none has any, or not needed */
    XPD_VEC(struct xpd_work) work;      /* by group */
};

/* Work and bytes of one execution, close together: names are large and events name them at random.
 * Unknown counts as nothing here; whether a group knows any is seen at its end. */
static struct xpd_name_work work_of(const struct xpd_event_name *name)
{
    return (struct xpd_name_work){name->flops > 0 ? (uint64_t)name->flops : 0,
                                  name->bytes > 0 ? (uint64_t)name->bytes : 0};
}

static bool find_work(struct making *making)
{
    const struct xpd_view *view = making->ask->view;
    uint32_t count = xpd_view_names(view);
    bool any = false;
    if (xpd_totals_mode(making->ask->by) == XPD_TOTALS_NAMES)
        return true;
    for (uint32_t i = 0; i < count && !any; i++)
        any = xpd_view_name(view, i)->flops > 0 || xpd_view_name(view, i)->bytes > 0;
    if (!any)
        return true;
    making->work_of_name = malloc((size_t)count * sizeof *making->work_of_name);
    for (uint32_t i = 0; making->work_of_name && i < count; i++)
        making->work_of_name[i] = work_of(xpd_view_name(view, i));
    return making->work_of_name != NULL;
}

/* ---- from tallies to groups ---- */

static void add_to_group(struct making *making, uint32_t group, const struct xpd_tally *tally,
                         uint64_t first)
{
    struct xpd_total *total = &making->out->grouping->group.at[group];
    if (total->count == 0) {
        const struct xpd_totals_piece *piece = &making->plan.piece.at[first >> 32];
        total->first_event =
            xpd_view_depth(making->ask->view, piece->row, piece->depth)->first_event +
            (uint32_t)first;
    }
    total->count += tally->count;
    total->device_count += tally->device_count;
    xpd_grow_i64(&total->total_ps, tally->total_ps);
    xpd_grow_i64(&total->self_ps, tally->self_ps);
    xpd_grow_i64(&total->host_ps, tally->host_ps);
    xpd_grow_i64(&total->device_ps, tally->device_ps);
    total->min_ps = tally->min_ps < total->min_ps ? tally->min_ps : total->min_ps;
    total->max_ps = tally->max_ps > total->max_ps ? tally->max_ps : total->max_ps;
}

static bool add_work(struct making *making, uint32_t group, const struct xpd_totals_worker *worker,
                     uint32_t slot)
{
    struct xpd_work none = {0, 0};
    while (making->work.count <= group && !making->work.failed)
        XPD_PUSH(&making->work, none);
    if (making->work.failed)
        return false;
    struct xpd_work *sum = &making->work.at[group];
    if (worker->mode == XPD_TOTALS_NAMES) {
        struct xpd_name_work work = work_of(xpd_view_name(making->ask->view, slot));
        sum->flops += (xpd_work_sum)work.flops * worker->tally[slot].count;
        sum->bytes += (xpd_work_sum)work.bytes * worker->tally[slot].count;
    } else {
        sum->flops += worker->work[slot].flops;
        sum->bytes += worker->work[slot].bytes;
    }
    return true;
}

struct met { /* a tally with events */
    uint64_t first;
    uint32_t slot;
    struct xpd_totals_worker *worker;
};

static int by_first(const void *a, const void *b)
{
    const struct met *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* As one thread leaves them. */
static bool in_order(const struct met *met, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (met[i - 1].first > met[i].first)
            return false;
    return true;
}

/* Tallies and names lie apart in no order: asked for a little before they are looked at. */
static void come_near(const struct making *making, const struct met *met)
{
    __builtin_prefetch(&met->worker->tally[met->slot]);
    if (met->worker->mode == XPD_TOTALS_NAMES) {
        const struct xpd_event_name *name = xpd_view_name(making->ask->view, met->slot);
        __builtin_prefetch(name);
        __builtin_prefetch(&name->bytes);
    }
}

static uint32_t group_of_met(struct making *making, const struct met *met)
{
    struct xpd_grouping *grouping = making->out->grouping;
    const struct xpd_totals_piece *piece = &making->plan.piece.at[met->first >> 32];
    if (met->worker->mode == XPD_TOTALS_ROWS)
        return met->slot;
    if (met->worker->mode == XPD_TOTALS_TIMES)
        return xpd_grouping_same(grouping, &met->worker->grouping, met->slot, true);
    return xpd_grouping_of(grouping, xpd_view_depth(making->ask->view, piece->row, piece->depth),
                           (uint32_t)met->first);
}

/* Tallies of all threads in the order of their first events, so that groups are made, and called,
 * as one thread would. */
static bool join(struct making *making)
{
    size_t count = 0, at = 0;
    for (uint32_t i = 0; i < making->threads; i++)
        count += making->worker[i].met.count;
    struct met *met = malloc((count + 1) * sizeof *met);
    if (!met)
        return false;
    for (uint32_t i = 0; i < making->threads; i++) {
        struct xpd_totals_worker *worker = &making->worker[i];
        for (size_t k = 0; k < worker->met.count; k++, at++)
            met[at] = (struct met){worker->first[worker->met.at[k]], worker->met.at[k], worker};
    }
    if (!in_order(met, count))
        qsort(met, count, sizeof *met, by_first);
    struct xpd_grouping *grouping = making->out->grouping;
    for (size_t i = 0; i < count && !grouping->failed; i++) {
        const struct xpd_totals_worker *worker = met[i].worker;
        if (i + AHEAD < count)
            come_near(making, &met[i + AHEAD]);
        const struct xpd_tally *tally = &worker->tally[met[i].slot];
        uint32_t group = group_of_met(making, &met[i]);
        if (group >= grouping->group.count)
            break; /* out of memory: the grouping says so */
        add_to_group(making, group, tally, met[i].first);
        if (!add_work(making, group, worker, met[i].slot))
            grouping->failed = true;
    }
    free(met);
    return !grouping->failed;
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

/* The groups stay where the grouping put them: percentiles find the same indexes. */
static void take_groups(struct making *making)
{
    struct xpd_totals *out = making->out;
    struct xpd_grouping *grouping = out->grouping;
    out->group = grouping->group.at;
    out->group_count = (uint32_t)grouping->group.count;
    out->all =
        (struct xpd_total){.key = XPD_NO_INDEX, .min_ps = INT64_MAX, .flops = -1, .bytes = -1};
    for (uint32_t i = 0; i < out->group_count; i++)
        if (out->group[i].count > 0) {
            out->group[i].flops = (double)making->work.at[i].flops;
            out->group[i].bytes = (double)making->work.at[i].bytes;
            finish_work(making->ask, &out->group[i]);
            add_up(&out->all, &out->group[i]);
        }
}

/* ---- the threads ---- */

static void work(void *context, uint32_t thread)
{
    struct making *making = context;
    struct xpd_totals_worker *worker = &making->worker[thread];
    const struct xpd_totals_piece *piece;
    while (!worker->failed && (piece = xpd_totals_take(&making->plan)))
        xpd_totals_add_piece(worker, piece);
}

static bool add_all(struct making *making)
{
    bool fine = true;
    uint32_t room = 0;
    if (xpd_totals_mode(making->ask->by) == XPD_TOTALS_NAMES)
        room = xpd_view_names(making->ask->view);
    else if (xpd_totals_mode(making->ask->by) == XPD_TOTALS_ROWS)
        room = (uint32_t)making->out->grouping->group.count;
    atomic_store(&making->plan.next, 0);
    for (uint32_t i = 0; i < making->threads; i++)
        fine &=
            xpd_totals_worker_init(&making->worker[i], &making->plan, room, making->work_of_name);
    if (fine)
        xpd_threads_run(making->threads, work, making);
    for (uint32_t i = 0; i < making->threads; i++)
        fine &= !making->worker[i].failed;
    return fine;
}

static void free_workers(struct making *making)
{
    for (uint32_t i = 0; i < making->threads; i++)
        xpd_totals_worker_fini(&making->worker[i]);
}

/* How many pairs an answer looks up in the file is limited. Which ones those are must not depend on
 * the threads: beyond the limit one thread does all of it again. */
static bool looked_up_too_much(const struct making *making)
{
    uint64_t reads = 0;
    for (uint32_t i = 0; i < making->threads; i++)
        reads += XPD_NESTING_READS_MAX - making->worker[i].nesting.reads_left +
                 making->worker[i].nesting.unchecked;
    return making->threads > 1 && reads > XPD_NESTING_READS_MAX;
}

static bool make(struct making *making)
{
    struct xpd_totals *out = making->out;
    int64_t known_ps = 0;
    out->grouping = calloc(1, sizeof *out->grouping);
    if (!out->grouping || !xpd_grouping_init(out->grouping, making->ask->view, making->ask->by) ||
        !xpd_totals_plan(&making->plan, making->ask, out->grouping, &known_ps) ||
        !find_work(making))
        return false;
    making->threads = xpd_totals_threads(&making->plan);
    bool fine = add_all(making);
    if (fine && looked_up_too_much(making)) {
        free_workers(making);
        making->threads = 1;
        fine = add_all(making);
    }
    fine = fine && join(making);
    out->busy_ps = known_ps;
    for (uint32_t i = 0; i < making->threads; i++) {
        xpd_grow_i64(&out->busy_ps, making->worker[i].busy_ps);
        out->unchecked += making->worker[i].nesting.unchecked;
    }
    free_workers(making);
    if (fine)
        take_groups(making);
    return fine;
}

int xpd_totals_make(struct xpd_totals *out, const struct xpd_totals_ask *ask, struct xpd_err *err)
{
    struct making making = {.out = out, .ask = ask};
    *out = (struct xpd_totals){0};
    bool fine = make(&making);
    out->piece = making.plan.piece.at;
    out->piece_count = making.plan.piece.count;
    out->event_count = making.plan.events;
    XPD_VEC_FINI(&making.work);
    free(making.work_of_name);
    if (fine)
        return XPD_OK;
    xpd_totals_fini(out);
    return xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for these totals");
}

void xpd_totals_fini(struct xpd_totals *totals)
{
    if (totals->grouping)
        xpd_grouping_fini(totals->grouping); /* the groups, too */
    free(totals->grouping);
    free(totals->piece);
    *totals = (struct xpd_totals){0};
}
