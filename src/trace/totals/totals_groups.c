/* From tallies to groups.
 *
 * In: what the threads added up. Out: groups in the order in which their first events stand, as one
 * thread would make them, whatever the number of threads; and their sum. */
#include "totals_work.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

enum { AHEAD = 12 }; /* tallies */

struct joining {
    struct xpd_totals *out;
    const struct xpd_totals_plan *plan;
    const struct xpd_view *view;
    XPD_VEC(struct xpd_totals_work) work; /* by group */
};

struct met {        /* a tally with events */
    uint64_t first; /* as in the worker: piece << 32 | index in the depth */
    uint32_t slot;
    struct xpd_totals_worker *worker;
};

static const struct xpd_depth *depth_of(const struct joining *joining, const struct met *met)
{
    const struct xpd_totals_piece *piece = &joining->plan->piece.at[met->first >> 32];
    return xpd_view_depth(joining->view, piece->row, piece->depth);
}

static void add_to_group(struct joining *joining, uint32_t group, const struct met *met)
{
    struct xpd_total *total = &joining->out->grouping->group.at[group];
    const struct xpd_tally *tally = &met->worker->tally[met->slot];
    if (total->count == 0)
        total->first_event = depth_of(joining, met)->first_event + (uint32_t)met->first;
    total->count += tally->count;
    total->device_count += tally->device_count;
    xpd_grow_i64(&total->total_ps, tally->total_ps);
    xpd_grow_i64(&total->self_ps, tally->self_ps);
    xpd_grow_i64(&total->host_ps, tally->host_ps);
    xpd_grow_i64(&total->device_ps, tally->device_ps);
    total->min_ps = tally->min_ps < total->min_ps ? tally->min_ps : total->min_ps;
    total->max_ps = tally->max_ps > total->max_ps ? tally->max_ps : total->max_ps;
}

/* False: out of memory. */
static bool add_work(struct joining *joining, uint32_t group, const struct met *met)
{
    struct xpd_totals_work none = {0, 0};
    while (joining->work.count <= group && !joining->work.failed)
        XPD_PUSH(&joining->work, none);
    if (joining->work.failed)
        return false;
    struct xpd_totals_work *sum = &joining->work.at[group];
    const struct xpd_totals_worker *worker = met->worker;
    if (worker->mode == XPD_TOTALS_NAMES) {
        struct xpd_name_work work = xpd_name_work_of(xpd_view_name(joining->view, met->slot));
        uint64_t count = worker->tally[met->slot].count;
        sum->flops += (xpd_work_sum)work.flops * count;
        sum->bytes += (xpd_work_sum)work.bytes * count;
        if (worker->work) { /* not done inside of the range */
            sum->flops -= worker->work[met->slot].flops;
            sum->bytes -= worker->work[met->slot].bytes;
        }
    } else {
        sum->flops += worker->work[met->slot].flops;
        sum->bytes += worker->work[met->slot].bytes;
    }
    return true;
}

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
static void come_near(const struct joining *joining, const struct met *met)
{
    __builtin_prefetch(&met->worker->tally[met->slot]);
    if (met->worker->mode == XPD_TOTALS_NAMES) {
        const struct xpd_event_name *name = xpd_view_name(joining->view, met->slot);
        __builtin_prefetch(name);
        __builtin_prefetch(&name->bytes);
    }
}

static uint32_t group_of_met(struct joining *joining, const struct met *met)
{
    struct xpd_grouping *grouping = joining->out->grouping;
    if (met->worker->mode == XPD_TOTALS_ROWS)
        return met->slot;
    if (met->worker->mode == XPD_TOTALS_TIMES)
        return xpd_grouping_same(grouping, &met->worker->grouping, met->slot, true);
    return xpd_grouping_of(grouping, depth_of(joining, met), (uint32_t)met->first);
}

/* The tallies of all threads in the order of their first events; malloc'ed. */
static struct met *tallies_in_order(struct xpd_totals_worker *worker, uint32_t threads,
                                    size_t *count)
{
    size_t total = 0, at = 0;
    for (uint32_t i = 0; i < threads; i++)
        total += worker[i].met.count;
    struct met *met = malloc((total + 1) * sizeof *met);
    for (uint32_t i = 0; met && i < threads; i++)
        for (size_t k = 0; k < worker[i].met.count; k++, at++) {
            uint32_t slot = worker[i].met.at[k];
            met[at] = (struct met){worker[i].first[slot], slot, &worker[i]};
        }
    if (met && !in_order(met, total))
        qsort(met, total, sizeof *met, by_first);
    *count = total;
    return met;
}

static bool join(struct joining *joining, struct xpd_totals_worker *worker, uint32_t threads)
{
    size_t count;
    struct met *met = tallies_in_order(worker, threads, &count);
    struct xpd_grouping *grouping = joining->out->grouping;
    if (!met)
        return false;
    for (size_t i = 0; i < count && !grouping->failed; i++) {
        if (i + AHEAD < count)
            come_near(joining, &met[i + AHEAD]);
        uint32_t group = group_of_met(joining, &met[i]);
        if (group >= grouping->group.count)
            break; /* out of memory: the grouping says so */
        add_to_group(joining, group, &met[i]);
        if (!add_work(joining, group, &met[i]))
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
static void take_groups(struct joining *joining)
{
    struct xpd_totals *out = joining->out;
    struct xpd_grouping *grouping = out->grouping;
    out->group = grouping->group.at;
    out->group_count = (uint32_t)grouping->group.count;
    out->all =
        (struct xpd_total){.key = XPD_NO_INDEX, .min_ps = INT64_MAX, .flops = -1, .bytes = -1};
    for (uint32_t i = 0; i < out->group_count; i++)
        if (out->group[i].count > 0) {
            out->group[i].flops = (double)joining->work.at[i].flops;
            out->group[i].bytes = (double)joining->work.at[i].bytes;
            finish_work(joining->plan->ask, &out->group[i]);
            add_up(&out->all, &out->group[i]);
        }
}

bool xpd_totals_groups(struct xpd_totals *out, struct xpd_totals_worker *worker, uint32_t threads)
{
    const struct xpd_totals_plan *plan = worker->plan;
    struct joining joining = {.out = out, .plan = plan, .view = plan->ask->view};
    bool fine = join(&joining, worker, threads);
    if (fine)
        take_groups(&joining);
    XPD_VEC_FINI(&joining.work);
    return fine;
}
