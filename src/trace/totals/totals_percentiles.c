/* Percentiles of some groups: a second pass collects their durations, or bins them when there are
 * too many.
 *
 * Threads take the same pieces as in the first pass (totals_collect.c). Bins are each thread's own
 * and added up; counts are exact either way, so the answer does not depend on the threads. */
#include "totals_percentiles.h"
#include "xprofd/trace/totals.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Order statistics of durations: exact by selection, or from bins of constant relative width. */

struct bin_range { /* the values a bin holds: [low_ps, low_ps + width_ps) */
    int64_t low_ps;
    uint64_t width_ps;
};

static struct bin_range range_of(uint32_t bin)
{
    const uint32_t parts = 1u << XPD_DURATION_BITS;
    uint32_t shift = bin < parts ? 0 : (bin >> XPD_DURATION_BITS) - 1;
    uint64_t low = bin < parts ? bin : (uint64_t)(parts + bin % parts) << shift;
    return (struct bin_range){(int64_t)low, UINT64_C(1) << shift};
}

int64_t xpd_duration_of_bin(uint32_t bin)
{
    struct bin_range range = range_of(bin);
    return range.low_ps + (int64_t)((range.width_ps - 1) >> 1);
}

size_t xpd_rank_of(double p, size_t n)
{
    assert(p >= 0 && p <= 1); /* 50 for 0.5 would be the longest */
    double rank = ceil(p * (double)n);
    if (n == 0 || rank < 1)
        return 0;
    return rank >= (double)n ? n - 1 : (size_t)rank - 1;
}

static void swap(int64_t *a, int64_t *b)
{
    int64_t kept = *a;
    *a = *b;
    *b = kept;
}

static void sort_few(int64_t *value, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && value[j - 1] > value[j]; j--)
            swap(&value[j - 1], &value[j]);
}

/* Median of medians of five: a split that no input makes bad. */
static int64_t good_pivot(int64_t *value, size_t n)
{
    size_t medians = 0;
    for (size_t i = 0; i < n; i += 5) {
        size_t part = n - i < 5 ? n - i : 5;
        sort_few(value + i, part);
        swap(&value[medians++], &value[i + part / 2]);
    }
    return xpd_select_i64(value, medians, medians / 2);
}

/* Median of three; cheap, and good unless the input was made against it. */
static int64_t quick_pivot(const int64_t *value, size_t n)
{
    int64_t a = value[0], b = value[n / 2], c = value[n - 1];
    int64_t low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

int64_t xpd_select_i64(int64_t *value, size_t n, size_t k)
{
    bool careful = false;
    while (n > 16) {
        int64_t pivot = careful ? good_pivot(value, n) : quick_pivot(value, n);
        size_t low = 0, at = 0, high = n; /* [0, low) < pivot, [high, n) > pivot */
        while (at < high) {
            if (value[at] < pivot)
                swap(&value[low++], &value[at++]);
            else if (value[at] > pivot)
                swap(&value[at], &value[--high]);
            else
                at++;
        }
        if (k >= low && k < high)
            return pivot;
        size_t before = n;
        if (k < low) {
            n = low;
        } else {
            value += high;
            k -= high;
            n -= high;
        }
        careful = n > before - before / 8; /* the split was poor */
    }
    sort_few(value, n);
    return value[k];
}

/* The values of one bin, behind each other at the front of `to`. */
static size_t copy_bin(int64_t *to, const int64_t *value, size_t n, uint32_t bin)
{
    struct bin_range range = range_of(bin);
    size_t count = 0;
    if (bin == 0) /* those below 0, too */
        range = (struct bin_range){INT64_MIN, (UINT64_C(1) << 63) + 1};
    for (size_t i = 0; i < n; i++) {
        xpd_read_ahead(&value[i]);
        int64_t ps = value[i];
        to[count] = ps;
        count += (uint64_t)ps - (uint64_t)range.low_ps < range.width_ps;
    }
    return count;
}

/* Into bin, which is empty. */
static void count_all(const int64_t *value, size_t n, uint64_t *bin)
{
    uint64_t other[XPD_DURATION_BINS] = {0};
    xpd_count_durations(value, n, bin, other);
    for (uint32_t b = 0; b < XPD_DURATION_BINS; b++)
        bin[b] += other[b];
}

void xpd_select_durations(int64_t *value, size_t n, const size_t *rank, int64_t *found,
                          uint32_t count)
{
    enum { FEW = 4096 };
    uint64_t in_bin[XPD_DURATION_BINS] = {0};
    size_t most = 0, copied = 0;
    uint32_t copied_bin = XPD_DURATION_BINS;
    if (n > FEW)
        count_all(value, n, in_bin);
    for (uint32_t b = 0; n > FEW && b < XPD_DURATION_BINS; b++)
        most = in_bin[b] > most ? in_bin[b] : most;
    int64_t *part = n > FEW ? malloc((most + 1) * sizeof *part) : NULL;
    for (uint32_t k = 0; k < count; k++) {
        size_t below = 0;
        uint32_t bin = 0;
        while (part && below + in_bin[bin] <= rank[k])
            below += in_bin[bin++];
        if (part && bin != copied_bin) {
            copied = copy_bin(part, value, n, bin);
            copied_bin = bin;
        }
        if (part)
            found[k] = xpd_select_i64(part, copied, rank[k] - below);
        else
            found[k] = xpd_select_i64(value, n, rank[k]);
    }
    free(part);
}

#define KEEP_FROM   1024 /* values; smaller slots are seldom met twice in a row */
#define BINNED_MANY 512  /* slots; above this one thread bins them, to save memory */

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

/* From the largest slot: what is left at the end is quick. */
static void finish(void *context, uint32_t number, uint32_t thread)
{
    struct xpd_percentiles *p = context;
    uint32_t at = p->count - 1 - number;
    const struct xpd_perc_slot *slot = &p->slot[at];
    struct xpd_total *total = &p->totals->group[slot->group];
    size_t n = (size_t)total->count, rank[2] = {xpd_rank_of(0.50, n), xpd_rank_of(0.99, n)};
    int64_t found[2];
    (void)thread;
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
    xpd_threads_each(p->threads, (uint32_t)p->plan.piece.count, xpd_totals_collect, p);
    for (uint32_t i = 0; i < p->threads; i++) {
        xpd_totals_put_kept(p, &p->hand[i]);
        fine &= !p->hand[i].failed;
    }
    if (fine)
        xpd_threads_each(p->threads, p->count, finish, p);
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
    return fine ? XPD_OK : xpd_no_memory(err, NULL, "for percentiles");
}
