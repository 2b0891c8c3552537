/* The durations of some groups, collected or binned.
 *
 * In: the pieces of the first pass, slots of the groups asked for. Out: values of a slot in one
 * array, in no order: a thread keeps a few back and puts them there at once. Bins are each thread's
 * own. */
#include "totals_loop.h"
#include "totals_percentiles.h"

#define RUN_FROM  64   /* events; shorter runs of a group are kept back as single values */
#define BLOCK     1024 /* durations at a time, which stay in the cache */
#define LONG_FROM (4 * XPD_DURATION_BINS) /* events worth a second array of bins */

static void put(struct xpd_perc_slot *slot, uint64_t room, const int64_t *value, uint32_t count)
{
    uint64_t at = atomic_fetch_add_explicit(&slot->value_count, count, memory_order_relaxed);
    if (at <= room && count <= room - at)
        memcpy(slot->value + at, value, count * sizeof *value);
}

/* A duration of an exact slot. */
static inline void keep(struct xpd_percentiles *p, struct xpd_perc_hand *hand, uint32_t at,
                        int64_t duration_ps)
{
    struct xpd_perc_slot *slot = &p->slot[at];
    if (slot->kept == XPD_NO_INDEX) {
        put(slot, p->totals->group[slot->group].count, &duration_ps, 1);
        return;
    }
    struct xpd_perc_kept *kept = &hand->kept[slot->kept];
    kept->value[kept->count++] = duration_ps;
    if (kept->count == XPD_PERC_KEEP) {
        put(slot, p->totals->group[slot->group].count, kept->value, XPD_PERC_KEEP);
        kept->count = 0;
    }
}

struct collecting { /* constants of a piece */
    const struct xpd_depth *depth;
    uint64_t numbers;             /* xpd_totals_numbers */
    bool plain;                   /* all durations stand in the columns, none is cut */
    struct xpd_totals_columns at; /* plain: delta_ps of the clock asked for; NULL = the host's */
};

static inline int64_t duration_at(const struct xpd_percentiles *p, const struct collecting *in,
                                  uint32_t i)
{
    int64_t device_ps;
    if (!in->plain)
        return xpd_totals_duration(p->ask, in->depth, i, in->numbers + i, &device_ps);
    return xpd_column_clock_ps(&in->at, i, in->at.delta_ps != NULL);
}

/* Those of `count` events from `first` on, behind each other. */
static void durations_of(const struct xpd_percentiles *p, const struct collecting *in,
                         uint32_t first, uint32_t count, int64_t *out)
{
    const struct xpd_totals_columns at = in->at;
    if (in->plain && !at.delta_ps) {
        memcpy(out, at.duration_ps + first, count * sizeof *out);
        return;
    }
    for (uint32_t k = 0; !in->plain && k < count; k++)
        out[k] = duration_at(p, in, first + k);
    for (uint32_t k = 0; in->plain && k < count; k++) {
        xpd_read_ahead(&at.duration_ps[first + k]);
        xpd_read_ahead(&at.delta_ps[first + k]);
        out[k] = xpd_column_clock_ps(&at, first + k, true);
    }
}

/* A thread's own group as a slot: looked up by its text once. It holds up to *stop. */
static uint32_t slot_by_time(struct xpd_percentiles *p, struct xpd_perc_hand *hand,
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

/* Events [first, end) of an exact slot: their durations go to its place in one piece. */
static void keep_run(struct xpd_percentiles *p, struct xpd_perc_hand *hand, uint32_t at,
                     const struct collecting *in, uint32_t first, uint32_t end)
{
    struct xpd_perc_slot *slot = &p->slot[at];
    uint64_t room = p->totals->group[slot->group].count;
    if (end - first < RUN_FROM) {
        for (uint32_t i = first; i < end; i++)
            keep(p, hand, at, duration_at(p, in, i));
        return;
    }
    uint64_t next =
        atomic_fetch_add_explicit(&slot->value_count, end - first, memory_order_relaxed);
    if (next > room || end - first > room - next)
        return; /* cannot be: as many as were counted before */
    durations_of(p, in, first, end - first, slot->value + next);
}

/* Events [first, end) of a slot with bins. */
static void bin_run(struct xpd_percentiles *p, struct xpd_perc_hand *hand, uint32_t at,
                    const struct collecting *in, uint32_t first, uint32_t end)
{
    uint64_t *bin = hand->bins + (size_t)(at - p->exact) * XPD_DURATION_BINS;
    uint64_t second[XPD_DURATION_BINS], *other = end - first < LONG_FROM ? bin : second;
    int64_t value[BLOCK];
    if (other != bin)
        memset(second, 0, sizeof second);
    while (first < end) {
        uint32_t count = end - first < BLOCK ? end - first : BLOCK;
        durations_of(p, in, first, count, value);
        xpd_count_durations(value, count, bin, other);
        first += count;
    }
    for (uint32_t i = 0; other != bin && i < XPD_DURATION_BINS; i++)
        bin[i] += second[i];
}

static void collect_runs(struct xpd_percentiles *p, struct xpd_perc_hand *hand,
                         const struct xpd_totals_piece *piece, const struct collecting *in)
{
    bool rows = p->mode == XPD_TOTALS_ROWS;
    uint32_t stop = piece->end;
    if (!rows)
        xpd_grouping_row(&hand->grouping, piece->row);
    for (uint32_t i = piece->first; i < piece->end && !hand->failed; i = stop) {
        uint32_t at = rows ? p->slot_of_group[piece->group]
                           : slot_by_time(p, hand, in->depth, i, piece->end, &stop);
        if (at != XPD_NO_INDEX && at < p->exact)
            keep_run(p, hand, at, in, i, stop);
        else if (at != XPD_NO_INDEX)
            bin_run(p, hand, at, in, i, stop);
    }
}

/* `plain`: as it is said of `in`; `device`: it has durations of another clock. */
static XPD_ALWAYS void collect_names_of(struct xpd_percentiles *p, struct xpd_perc_hand *hand,
                                        const struct xpd_totals_piece *piece,
                                        const struct collecting *in, const bool plain,
                                        const bool device)
{
    const uint32_t *const name = in->depth->name, *const slot_of_name = p->slot_of_name;
    const struct xpd_totals_columns at = in->at;
    const uint32_t exact = p->exact;
    uint64_t *const bins = hand->bins;
    for (uint32_t i = piece->first; i < piece->end; i++) {
        xpd_read_ahead(&name[i]);
        if (plain)
            xpd_read_ahead(&at.duration_ps[i]);
        if (device)
            xpd_read_ahead(&at.delta_ps[i]);
        uint32_t slot = slot_of_name[name[i]];
        if (slot == XPD_NO_INDEX)
            continue;
        int64_t ps = plain ? xpd_column_clock_ps(&at, i, device) : duration_at(p, in, i);
        if (slot >= exact)
            bins[(size_t)(slot - exact) * XPD_DURATION_BINS + xpd_duration_bin(ps)]++;
        else
            keep(p, hand, slot, ps);
    }
}

static void collect_names(struct xpd_percentiles *p, struct xpd_perc_hand *hand,
                          const struct xpd_totals_piece *piece, const struct collecting *in)
{
    if (in->plain && in->at.delta_ps)
        collect_names_of(p, hand, piece, in, true, true);
    else if (in->plain)
        collect_names_of(p, hand, piece, in, true, false);
    else
        collect_names_of(p, hand, piece, in, false, false);
}

static void collect(struct xpd_percentiles *p, struct xpd_perc_hand *hand,
                    const struct xpd_totals_piece *piece)
{
    const struct xpd_view *view = p->ask->view;
    const struct xpd_depth *depth = xpd_view_depth(view, piece->row, piece->depth);
    struct collecting in = {.depth = depth,
                            .at = xpd_totals_columns_of(depth),
                            .numbers = xpd_totals_numbers(view, depth),
                            .plain = !xpd_totals_is_cut(p->ask, depth, piece) &&
                                     xpd_totals_in_columns(view, depth)};
    if (p->ask->clock != XPD_CLOCK_DEVICE)
        in.at.delta_ps = NULL;
    if (p->mode == XPD_TOTALS_NAMES)
        collect_names(p, hand, piece, &in);
    else
        collect_runs(p, hand, piece, &in);
}

void xpd_totals_put_kept(struct xpd_percentiles *p, const struct xpd_perc_hand *hand)
{
    for (uint32_t i = 0; i < p->exact; i++) {
        struct xpd_perc_slot *slot = &p->slot[i];
        if (slot->kept != XPD_NO_INDEX)
            put(slot, p->totals->group[slot->group].count, hand->kept[slot->kept].value,
                hand->kept[slot->kept].count);
    }
}

void xpd_totals_collect(void *context, uint32_t piece, uint32_t thread)
{
    struct xpd_percentiles *p = context;
    const struct xpd_totals_piece *at = &p->plan.piece.at[piece];
    if (!p->hand[thread].failed && at->depth != XPD_NO_INDEX)
        collect(p, &p->hand[thread], at);
}
