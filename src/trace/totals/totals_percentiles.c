/* Percentiles of some groups: a second pass collects their durations, or bins them when there are
 * too many.
 *
 * Threads take the same pieces as in the first pass (totals_collect.c). Bins are each thread's own
 * and added up; counts are exact either way, so the answer does not depend on the threads. */
#include "totals_percentiles.h"

#include <stdlib.h>

#define KEEP_FROM   1024 /* values; smaller slots are seldom met twice in a row */
#define BINNED_MANY 512  /* slots; more of them are binned by one thread, for their memory */

static int by_group_size(const void *a, const void *b, void *ctx)
{
    const struct xpd_totals *totals = ctx;
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    uint64_t x = totals->group[left].count, y = totals->group[right].count;
    return x != y ? (x > y) - (x < y) : (left > right) - (left < right);
}

/* ---- room ---- */

/* Smallest groups first, as long as there is room. */
static bool plan_slots(struct xpd_percentiles *p, const uint32_t *group, uint32_t count)
{
    struct xpd_totals *totals = p->totals;
    uint32_t *order = malloc(((size_t)count + 1) * sizeof *order);
    p->slot = calloc((size_t)count + 1, sizeof *p->slot);
    p->slot_of_group = malloc(((size_t)totals->group_count + 1) * sizeof *p->slot_of_group);
    if (!order || !p->slot || !p->slot_of_group) {
        free(order);
        return false;
    }
    memset(p->slot_of_group, 0xff, (size_t)totals->group_count * sizeof *p->slot_of_group);
    memcpy(order, group, count * sizeof *order);
    qsort_r(order, count, sizeof *order, by_group_size, totals);
    uint64_t room = 0;
    p->count = count;
    while (p->exact < count && room + totals->group[order[p->exact]].count <= XPD_TOTALS_EXACT)
        room += totals->group[order[p->exact++]].count;
    p->values = malloc((room + 1) * sizeof *p->values);
    int64_t *next = p->values;
    for (uint32_t i = 0; i < count && p->values; i++) {
        struct xpd_perc_slot *slot = &p->slot[i];
        slot->group = order[i];
        slot->kept = XPD_NO_INDEX;
        p->slot_of_group[order[i]] = i;
        if (i >= p->exact)
            continue;
        slot->value = next;
        next += totals->group[order[i]].count;
        if (totals->group[order[i]].count >= KEEP_FROM)
            slot->kept = p->kept_count++;
    }
    free(order);
    return p->values != NULL;
}

static bool plan_names(struct xpd_percentiles *p)
{
    const struct xpd_grouping *grouping = p->totals->grouping;
    uint32_t count = xpd_view_names(p->ask->view);
    if (p->mode != XPD_TOTALS_NAMES)
        return true;
    p->slot_of_name = malloc(((size_t)count + 1) * sizeof *p->slot_of_name);
    for (uint32_t i = 0; p->slot_of_name && i < count; i++) {
        uint32_t group = grouping->group_of_name[i];
        p->slot_of_name[i] =
            group < p->totals->group_count ? p->slot_of_group[group] : XPD_NO_INDEX;
    }
    return p->slot_of_name != NULL;
}

static bool init_hand(struct xpd_percentiles *p, struct xpd_perc_hand *hand)
{
    uint32_t binned = p->count - p->exact;
    bool fine = true;
    if (p->mode == XPD_TOTALS_TIMES)
        fine = xpd_grouping_init(&hand->grouping, p->ask->view, p->ask->by);
    hand->kept = calloc((size_t)p->kept_count + 1, sizeof *hand->kept);
    hand->bins = calloc((size_t)binned * XPD_DURATION_BINS + 1, sizeof *hand->bins);
    return fine && hand->kept && hand->bins;
}

/* ---- ranks ---- */

static int64_t from_bins(const uint64_t *bin, uint64_t rank)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < XPD_DURATION_BINS; i++) {
        sum += bin[i];
        if (sum > rank)
            return xpd_duration_of_bin(i);
    }
    return -1;
}

static int64_t clamp(const struct xpd_total *total, int64_t ps)
{
    ps = ps < total->min_ps ? total->min_ps : ps;
    return ps > total->max_ps ? total->max_ps : ps;
}

static void finish(struct xpd_percentiles *p, uint32_t at)
{
    const struct xpd_perc_slot *slot = &p->slot[at];
    struct xpd_total *total = &p->totals->group[slot->group];
    size_t n = (size_t)total->count, rank[2] = {xpd_rank_of(0.50, n), xpd_rank_of(0.99, n)};
    int64_t found[2];
    total->exact = at < p->exact;
    if (n == 0)
        return;
    if (total->exact) {
        xpd_select_durations(slot->value, n, rank, found, 2);
        total->p50_ps = found[0];
        total->p99_ps = found[1];
        return;
    }
    uint64_t *bin = p->hand[0].bins + (size_t)(at - p->exact) * XPD_DURATION_BINS;
    for (uint32_t t = 1; t < p->threads; t++) {
        const uint64_t *more = p->hand[t].bins + (bin - p->hand[0].bins);
        for (uint32_t i = 0; i < XPD_DURATION_BINS; i++)
            bin[i] += more[i];
    }
    total->p50_ps = clamp(total, from_bins(bin, rank[0]));
    total->p99_ps = clamp(total, from_bins(bin, rank[1]));
}

static void finish_slots(void *context, uint32_t thread)
{
    struct xpd_percentiles *p = context;
    uint32_t at;
    (void)thread;
    /* from the largest: what is left at the end is quick */
    while ((at = atomic_fetch_add_explicit(&p->next_slot, 1, memory_order_relaxed)) < p->count)
        finish(p, p->count - 1 - at);
}

static bool find(struct xpd_percentiles *p, const uint32_t *group, uint32_t count)
{
    struct xpd_totals_plan *plan = &p->plan; /* as it was for the sums */
    plan->ask = p->ask;
    plan->piece.at = p->totals->piece;
    plan->piece.count = p->totals->piece_count;
    plan->events = p->totals->event_count;
    bool fine = plan_slots(p, group, count) && plan_names(p);
    if (!fine)
        return false;
    p->threads = p->count - p->exact > BINNED_MANY ? 1 : xpd_totals_threads(&p->plan);
    for (uint32_t i = 0; i < p->threads; i++)
        fine &= init_hand(p, &p->hand[i]);
    if (!fine)
        return false;
    xpd_threads_run(p->threads, xpd_totals_collect, p);
    for (uint32_t i = 0; i < p->threads; i++)
        fine &= !p->hand[i].failed;
    if (fine)
        xpd_threads_run(p->threads, finish_slots, p);
    return fine;
}

int xpd_totals_percentiles(struct xpd_totals *totals, const struct xpd_totals_ask *ask,
                           const uint32_t *group, uint32_t count, struct xpd_err *err)
{
    struct xpd_percentiles p = {.totals = totals, .ask = ask, .mode = xpd_totals_mode(ask->by)};
    bool fine = find(&p, group, count);
    for (uint32_t i = 0; i < XPD_THREADS_MAX; i++) {
        if (p.mode == XPD_TOTALS_TIMES)
            xpd_grouping_fini(&p.hand[i].grouping);
        XPD_VEC_FINI(&p.hand[i].slot_of_local_group);
        free(p.hand[i].kept);
        free(p.hand[i].bins);
    }
    free(p.slot);
    free(p.slot_of_group);
    free(p.slot_of_name);
    free(p.values);
    return fine ? XPD_OK
                : xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for percentiles");
}
