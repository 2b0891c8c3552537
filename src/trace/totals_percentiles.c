/* Percentiles of some groups: a second pass collects their durations, or bins them when there are
 * too many.
 *
 * Threads take the same pieces as in the first pass. Values of a group stand in one array, in no
 * order: a thread keeps a few back and puts them there at once. Bins are each thread's own and
 * added up; counts are exact either way, so the answer does not depend on the threads. */
#include "totals_work.h"
#include "xprofd/base/threads.h"

#include <stdlib.h>

#define KEEP        64   /* values of a slot that a thread keeps back */
#define KEEP_FROM   1024 /* values; smaller slots are seldom met twice in a row */
#define RUN_FROM    64   /* events; shorter runs of a group are kept back as single values */
#define BINNED_MANY 512  /* slots; more of them are binned by one thread, for their memory */

struct slot { /* of one group asked for */
    uint32_t group, kept;
    int64_t *value;               /* exact: room for all of them */
    _Atomic uint64_t value_count; /* places given out */
    uint64_t *bin;                /* else: of thread 0 */
};
struct kept {
    int64_t value[KEEP];
    uint32_t count;
};
struct hand { /* of one thread */
    struct kept *kept;
    uint64_t *bins;
    struct xpd_grouping grouping;          /* with XPD_TOTALS_TIMES */
    XPD_VEC(uint32_t) slot_of_local_group; /* + 1; 0 = not known yet */
    bool failed;
};
struct percentiles {
    struct xpd_totals *totals;
    const struct xpd_totals_ask *ask;
    struct xpd_totals_plan plan;
    enum xpd_totals_mode mode;
    struct slot *slot;
    uint32_t *slot_of_group, *slot_of_name;
    int64_t *values;
    uint32_t count, exact, kept_count, threads;
    _Atomic uint32_t next_slot;
    struct hand hand[XPD_THREADS_MAX];
};

static int by_group_size(const void *a, const void *b, void *ctx)
{
    const struct xpd_totals *totals = ctx;
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    uint64_t x = totals->group[left].count, y = totals->group[right].count;
    return x != y ? (x > y) - (x < y) : (left > right) - (left < right);
}

/* ---- room ---- */

/* Smallest groups first, as long as there is room. */
static bool plan_slots(struct percentiles *p, const uint32_t *group, uint32_t count)
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
        struct slot *slot = &p->slot[i];
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

static bool plan_names(struct percentiles *p)
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

static bool init_hand(struct percentiles *p, struct hand *hand)
{
    uint32_t binned = p->count - p->exact;
    bool fine = true;
    if (p->mode == XPD_TOTALS_TIMES)
        fine = xpd_grouping_init(&hand->grouping, p->ask->view, p->ask->by);
    hand->kept = calloc((size_t)p->kept_count + 1, sizeof *hand->kept);
    hand->bins = calloc((size_t)binned * XPD_DURATION_BINS + 1, sizeof *hand->bins);
    return fine && hand->kept && hand->bins;
}

/* ---- collecting ---- */

static void put(struct slot *slot, uint64_t room, const int64_t *value, uint32_t count)
{
    uint64_t at = atomic_fetch_add_explicit(&slot->value_count, count, memory_order_relaxed);
    if (at <= room && count <= room - at)
        memcpy(slot->value + at, value, count * sizeof *value);
}

static inline void take(struct percentiles *p, struct hand *hand, uint32_t at, int64_t duration_ps)
{
    struct slot *slot = &p->slot[at];
    if (at >= p->exact) {
        hand->bins[(size_t)(at - p->exact) * XPD_DURATION_BINS + xpd_duration_bin(duration_ps)]++;
    } else if (slot->kept == XPD_NO_INDEX) {
        put(slot, p->totals->group[slot->group].count, &duration_ps, 1);
    } else {
        struct kept *kept = &hand->kept[slot->kept];
        kept->value[kept->count++] = duration_ps;
        if (kept->count == KEEP) {
            put(slot, p->totals->group[slot->group].count, kept->value, KEEP);
            kept->count = 0;
        }
    }
}

struct collecting { /* what stays the same for a piece */
    const struct xpd_depth *depth;
    uint64_t numbers;        /* xpd_totals_numbers */
    bool plain;              /* all durations stand in the columns, none is cut */
    const int32_t *delta_ps; /* plain: of the clock asked for; NULL = the host's */
};

static inline int64_t duration_at(const struct percentiles *p, const struct collecting *in,
                                  uint32_t i)
{
    int64_t device_ps;
    if (!in->plain)
        return xpd_totals_duration(p->ask, in->depth, i, in->numbers + i, &device_ps);
    int64_t host_ps = in->depth->duration_ps[i];
    if (!in->delta_ps || in->delta_ps[i] == INT32_MIN)
        return host_ps;
    device_ps = host_ps - in->delta_ps[i];
    return device_ps >= 0 ? device_ps : host_ps;
}

/* A thread's own group as a slot: looked up by its text once. It holds up to *stop. */
static uint32_t slot_by_time(struct percentiles *p, struct hand *hand,
                             const struct xpd_depth *depth, uint32_t i, uint32_t end,
                             uint32_t *stop)
{
    uint32_t local = xpd_grouping_reach(&hand->grouping, depth, i, end, stop);
    if (local >= hand->grouping.group.count) {
        hand->failed = true;
        return XPD_NO_INDEX;
    }
    while (hand->slot_of_local_group.count <= local && !hand->slot_of_local_group.failed)
        XPD_PUSH(&hand->slot_of_local_group, 0);
    if (hand->slot_of_local_group.failed) {
        hand->failed = true;
        return XPD_NO_INDEX;
    }
    uint32_t *known = &hand->slot_of_local_group.at[local];
    if (*known == 0) {
        uint32_t group = xpd_grouping_same(p->totals->grouping, &hand->grouping, local, false);
        *known = (group < p->totals->group_count ? p->slot_of_group[group] : XPD_NO_INDEX) + 1;
        if (*known == 0)
            return XPD_NO_INDEX;
    }
    return *known - 1;
}

/* Events [first, end) of one group: their durations go to its place in one piece. */
static void take_run(struct percentiles *p, struct hand *hand, uint32_t at,
                     const struct collecting *in, uint32_t first, uint32_t end)
{
    struct slot *slot = &p->slot[at];
    uint64_t room = p->totals->group[slot->group].count, next = 0;
    bool binned = at >= p->exact;
    if (!binned && end - first < RUN_FROM) {
        for (uint32_t i = first; i < end; i++)
            take(p, hand, at, duration_at(p, in, i));
        return;
    }
    if (!binned)
        next = atomic_fetch_add_explicit(&slot->value_count, end - first, memory_order_relaxed);
    if (!binned && (next > room || end - first > room - next))
        return; /* cannot be: as many as were counted before */
    uint64_t *bin = binned ? hand->bins + (size_t)(at - p->exact) * XPD_DURATION_BINS : NULL;
    int64_t *value = binned ? NULL : slot->value + next;
    for (uint32_t i = first; binned && i < end; i++)
        bin[xpd_duration_bin(duration_at(p, in, i))]++;
    for (uint32_t i = first; !binned && i < end; i++)
        value[i - first] = duration_at(p, in, i);
}

static void collect_runs(struct percentiles *p, struct hand *hand,
                         const struct xpd_totals_piece *piece, const struct collecting *in)
{
    bool rows = p->mode == XPD_TOTALS_ROWS;
    uint32_t stop = piece->end;
    if (!rows)
        xpd_grouping_row(&hand->grouping, piece->row);
    for (uint32_t i = piece->first; i < piece->end && !hand->failed; i = stop) {
        uint32_t at = rows ? p->slot_of_group[piece->group]
                           : slot_by_time(p, hand, in->depth, i, piece->end, &stop);
        if (at != XPD_NO_INDEX)
            take_run(p, hand, at, in, i, stop);
    }
}

static void collect_names(struct percentiles *p, struct hand *hand,
                          const struct xpd_totals_piece *piece, const struct collecting *in)
{
    const uint32_t *name = in->depth->name, *slot_of_name = p->slot_of_name;
    for (uint32_t i = piece->first; i < piece->end; i++) {
        uint32_t at = slot_of_name[name[i]];
        if (at != XPD_NO_INDEX)
            take(p, hand, at, duration_at(p, in, i));
    }
}

static void collect(struct percentiles *p, struct hand *hand, const struct xpd_totals_piece *piece)
{
    const struct xpd_view *view = p->ask->view;
    const struct xpd_depth *depth = xpd_view_depth(view, piece->row, piece->depth);
    struct collecting in = {.depth = depth,
                            .numbers = xpd_totals_numbers(view, depth),
                            .plain = !p->ask->clip && xpd_totals_in_columns(view, depth)};
    if (p->ask->clock == XPD_CLOCK_DEVICE)
        in.delta_ps = depth->device_delta_ps;
    if (p->mode == XPD_TOTALS_NAMES)
        collect_names(p, hand, piece, &in);
    else
        collect_runs(p, hand, piece, &in);
}

static void put_what_is_kept(struct percentiles *p, struct hand *hand)
{
    for (uint32_t i = 0; i < p->exact; i++) {
        struct slot *slot = &p->slot[i];
        if (slot->kept != XPD_NO_INDEX)
            put(slot, p->totals->group[slot->group].count, hand->kept[slot->kept].value,
                hand->kept[slot->kept].count);
    }
}

static void collect_pieces(void *context, uint32_t thread)
{
    struct percentiles *p = context;
    struct hand *hand = &p->hand[thread];
    const struct xpd_totals_piece *piece;
    while (!hand->failed && (piece = xpd_totals_take(&p->plan)))
        if (piece->depth != XPD_NO_INDEX)
            collect(p, hand, piece);
    put_what_is_kept(p, hand);
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

static void finish(struct percentiles *p, uint32_t at)
{
    const struct slot *slot = &p->slot[at];
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
    struct percentiles *p = context;
    uint32_t at;
    (void)thread;
    /* from the largest: what is left at the end is quick */
    while ((at = atomic_fetch_add_explicit(&p->next_slot, 1, memory_order_relaxed)) < p->count)
        finish(p, p->count - 1 - at);
}

static bool find(struct percentiles *p, const uint32_t *group, uint32_t count)
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
    xpd_threads_run(p->threads, collect_pieces, p);
    for (uint32_t i = 0; i < p->threads; i++)
        fine &= !p->hand[i].failed;
    if (fine)
        xpd_threads_run(p->threads, finish_slots, p);
    return fine;
}

int xpd_totals_percentiles(struct xpd_totals *totals, const struct xpd_totals_ask *ask,
                           const uint32_t *group, uint32_t count, struct xpd_err *err)
{
    struct percentiles p = {.totals = totals, .ask = ask, .mode = xpd_totals_mode(ask->by)};
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
