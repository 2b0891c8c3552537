/* Percentiles of some groups: a second pass collects their durations, or bins them when there are
 * too many. */
#include "totals_key.h"

#include <stdlib.h>

struct slot { /* of one group asked for */
    uint32_t group;
    int64_t *value; /* exact: room for all of them */
    uint64_t value_count;
    uint64_t *bin; /* else */
};
struct percentiles {
    struct xpd_totals *totals;
    const struct xpd_totals_ask *ask;
    struct slot *slot;
    uint32_t *slot_of_group;
    int64_t *values;
    uint64_t *bins;
    struct xpd_grouping grouping;
};

static int by_group_size(const void *a, const void *b, void *ctx)
{
    const struct xpd_totals *totals = ctx;
    uint64_t x = totals->group[*(const uint32_t *)a].count;
    uint64_t y = totals->group[*(const uint32_t *)b].count;
    return (x > y) - (x < y);
}

/* Smallest groups first, as long as there is room. */
static bool plan(struct percentiles *p, const uint32_t *group, uint32_t count)
{
    struct xpd_totals *totals = p->totals;
    uint32_t *order = malloc((count + 1) * sizeof *order);
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
    uint32_t exact = 0;
    while (exact < count && room + totals->group[order[exact]].count <= XPD_TOTALS_EXACT)
        room += totals->group[order[exact++]].count;
    p->values = malloc((room + 1) * sizeof *p->values);
    p->bins = calloc((size_t)(count - exact) * XPD_DURATION_BINS + 1, sizeof *p->bins);
    int64_t *next = p->values;
    for (uint32_t i = 0; i < count && p->values && p->bins; i++) {
        struct slot *slot = &p->slot[i];
        slot->group = order[i];
        p->slot_of_group[order[i]] = i;
        if (i < exact) {
            slot->value = next;
            next += totals->group[order[i]].count;
        } else {
            slot->bin = p->bins + (size_t)(i - exact) * XPD_DURATION_BINS;
        }
    }
    free(order);
    return p->values && p->bins;
}

static void collect(struct percentiles *p, uint32_t row, uint32_t d)
{
    const struct xpd_depth *depth = xpd_view_depth(p->ask->view, row, d);
    uint32_t first, end;
    xpd_view_range(p->ask->view, depth, p->ask->range, &first, &end);
    xpd_grouping_depth(&p->grouping);
    for (uint32_t i = first; i < end; i++) {
        int64_t device_ps;
        uint32_t group = xpd_grouping_of(&p->grouping, depth, i);
        if (group >= p->totals->group_count)
            return;
        uint32_t at = p->slot_of_group[group];
        if (at == XPD_NO_INDEX)
            continue;
        struct slot *slot = &p->slot[at];
        int64_t duration_ps =
            xpd_totals_duration(p->ask, depth, i, depth->first_event + i, &device_ps);
        if (slot->bin)
            slot->bin[xpd_duration_bin(duration_ps)]++;
        else if (slot->value_count < p->totals->group[group].count)
            slot->value[slot->value_count++] = duration_ps;
    }
}

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

static void finish(struct percentiles *p, const struct slot *slot)
{
    struct xpd_total *total = &p->totals->group[slot->group];
    size_t n = (size_t)total->count;
    total->exact = slot->bin == NULL;
    if (n == 0)
        return;
    if (slot->bin) {
        total->p50_ps = clamp(total, from_bins(slot->bin, xpd_rank_of(0.50, n)));
        total->p99_ps = clamp(total, from_bins(slot->bin, xpd_rank_of(0.99, n)));
    } else {
        total->p50_ps = xpd_select_i64(slot->value, n, xpd_rank_of(0.50, n));
        total->p99_ps = xpd_select_i64(slot->value, n, xpd_rank_of(0.99, n));
    }
}

int xpd_totals_percentiles(struct xpd_totals *totals, const struct xpd_totals_ask *ask,
                           const uint32_t *group, uint32_t count, struct xpd_err *err)
{
    struct percentiles p = {.totals = totals, .ask = ask};
    bool fine = xpd_grouping_init(&p.grouping, ask->view, ask->by) && plan(&p, group, count);
    for (uint32_t r = 0; fine && r < ask->row_count; r++) {
        uint32_t depths = xpd_view_row(ask->view, ask->row[r])->depth_count;
        xpd_grouping_row(&p.grouping, ask->row[r]);
        for (uint32_t d = 0; d < depths; d++)
            collect(&p, ask->row[r], d);
        fine = !p.grouping.failed;
    }
    for (uint32_t i = 0; fine && i < count; i++)
        finish(&p, &p.slot[i]);
    xpd_grouping_fini(&p.grouping);
    free(p.slot);
    free(p.slot_of_group);
    free(p.values);
    free(p.bins);
    return fine ? XPD_OK
                : xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for percentiles");
}
