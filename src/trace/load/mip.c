/* The pyramid over one depth: sums of its events in cells of 4^k ps.
 *
 * In: sorted, disjoint columns. Out: levels with at most count/8 entries, each with at most a third
 * of the entries of the one below, so that all of them together take at most 3.75 bytes an event.
 * An event as long as its cell is the last one that starts there: all others end before it begins.
 * `dominating` is found by majority vote, which one can do for a cell from the votes of its parts:
 * a name with more than half of the time always wins. */
#include "core.h"
#include "xprofd/base/ahead.h"

#include <stdlib.h>

enum { EVENTS_PER_ENTRY = 8, SHRINK = 3, LEAST_EVENTS = 64, LEVELS_MAX = 32, BITS = 63 };

struct vote {
    uint32_t name;
    int64_t weight;
};

/* Without branches, because the winner changes at nearly every event. */
static inline void count_vote(struct vote *vote, uint32_t name, int64_t weight)
{
    int64_t left = vote->weight + (vote->name == name ? weight : -weight);
    vote->name = left < 0 ? name : vote->name;
    vote->weight = left < 0 ? -left : left;
}

/* Cells in use at each shift: two neighbours lie in different cells exactly when their starts
 * differ in a bit at or above the shift. Counted in two tables in turn: neighbours often differ in
 * the same bit, and a counter is not ready for the next event at once. */
static void count_cells(const struct xpd_depth *depth, uint32_t cells[BITS + 1])
{
    uint32_t differ[2][BITS + 2] = {{0}}; /* equal ones in the last */
    const int64_t *start_ps = depth->start_ps;
    for (uint32_t i = 1; i < depth->count; i++) {
        xpd_read_ahead(&start_ps[i]);
        uint64_t bits = (uint64_t)start_ps[i - 1] ^ (uint64_t)start_ps[i];
        differ[i & 1][bits ? 63 - __builtin_clzll(bits) : BITS + 1]++;
    }
    uint32_t sum = depth->count ? 1 : 0;
    for (int shift = BITS; shift >= 0; shift--)
        cells[shift] = sum += differ[0][shift] + differ[1][shift];
}

/* The shifts worth a level, finest first. */
static uint32_t choose_levels(const struct xpd_depth *depth, uint8_t shift[LEVELS_MAX],
                              uint32_t count[LEVELS_MAX])
{
    uint32_t cells[BITS + 1], levels = 0, limit = depth->count / EVENTS_PER_ENTRY;
    if (depth->overlapping || depth->count < LEAST_EVENTS)
        return 0;
    count_cells(depth, cells);
    for (uint8_t at = 0; at < BITS && levels < LEVELS_MAX; at = (uint8_t)(at + 2)) {
        if (cells[at] > limit)
            continue;
        shift[levels] = at;
        count[levels++] = cells[at];
        limit = cells[at] / SHRINK;
        if (limit == 0) /* one or two entries: nothing to gain above */
            break;
    }
    return levels;
}

static bool new_level(struct xpd_trace_blocks *blocks, struct xpd_pen *pen,
                      struct xpd_mip_level *level, uint8_t shift, uint32_t count)
{
    size_t bytes = (size_t)count * (sizeof(uint64_t) + 3 * sizeof(uint32_t));
    uint64_t *busy = xpd_blocks_take(blocks, pen, bytes);
    if (!busy)
        return false;
    uint32_t *rest = (uint32_t *)(busy + count);
    *level = (struct xpd_mip_level){.shift = shift,
                                    .count = count,
                                    .small_busy_ps = busy,
                                    .first = rest,
                                    .longest = rest + count,
                                    .dominating = rest + 2 * (size_t)count};
    return true;
}

struct entry { /* of a level, in the making */
    int64_t cell;
    uint64_t busy_ps;
    uint32_t first, longest;
    int64_t longest_ps;
    struct vote vote;
};

static void open_entry(struct entry *entry, int64_t cell, uint32_t first)
{
    *entry = (struct entry){.cell = cell,
                            .first = first,
                            .longest = UINT32_MAX,
                            .longest_ps = -1,
                            .vote = {.name = UINT32_MAX}};
}

static void close_entry(struct xpd_mip_level *level, struct vote *votes, uint32_t at,
                        const struct entry *entry)
{
    level->first[at] = entry->first;
    level->longest[at] = entry->longest;
    level->dominating[at] = entry->vote.name;
    level->small_busy_ps[at] = entry->busy_ps;
    votes[at] = entry->vote;
}

static inline void add_event(struct entry *entry, const struct xpd_depth *depth, uint32_t i,
                             int64_t cell_ps)
{
    int64_t duration = depth->duration_ps[i];
    if (duration >= cell_ps)
        return;
    entry->busy_ps += (uint64_t)duration;
    if (duration > entry->longest_ps) {
        entry->longest = i;
        entry->longest_ps = duration;
    }
    if (entry->vote.name == UINT32_MAX) /* also instants have a name */
        entry->vote = (struct vote){depth->name[i], duration};
    else
        count_vote(&entry->vote, depth->name[i], duration);
}

/* Those of [first, end) that begin in the cell of the first: all but the last are shorter. */
static uint32_t add_cell(struct entry *entry, const struct xpd_depth *depth, uint32_t first,
                         uint8_t shift)
{
    const int64_t *start_ps = depth->start_ps, *duration_ps = depth->duration_ps;
    const uint32_t *name = depth->name;
    int64_t from_ps = start_ps[first], most = -1;
    uint64_t busy = 0;
    uint32_t i = first, longest = UINT32_MAX;
    open_entry(entry, from_ps >> shift, first);
    struct vote vote = {name[first], 0};
    for (; i + 1 < depth->count && ((start_ps[i + 1] ^ from_ps) >> shift) == 0; i++) {
        xpd_read_ahead(&start_ps[i]);
        xpd_read_ahead(&duration_ps[i]);
        xpd_read_ahead(&name[i]);
        int64_t duration = duration_ps[i];
        busy += (uint64_t)duration;
        longest = duration > most ? i : longest;
        most = duration > most ? duration : most;
        count_vote(&vote, name[i], duration);
    }
    if (i != first) {
        entry->busy_ps = busy;
        entry->longest = longest;
        entry->longest_ps = most;
        entry->vote = vote;
    }
    add_event(entry, depth, i, INT64_C(1) << shift);
    return i + 1;
}

static void build_finest(const struct xpd_depth *depth, struct xpd_mip_level *level,
                         struct vote *votes)
{
    struct entry entry;
    for (uint32_t i = 0, at = 0; i < depth->count; at++) {
        i = add_cell(&entry, depth, i, level->shift);
        close_entry(level, votes, at, &entry);
    }
}

static inline uint32_t entry_end(const struct xpd_depth *depth, const struct xpd_mip_level *level,
                                 uint32_t at)
{
    return at + 1 < level->count ? level->first[at + 1] : depth->count;
}

static void add_entry(struct entry *entry, const struct xpd_depth *depth,
                      const struct xpd_mip_level *below, const struct vote *votes, uint32_t at,
                      int64_t cell_ps)
{
    entry->busy_ps += below->small_busy_ps[at];
    uint32_t longest = below->longest[at];
    if (longest != UINT32_MAX && depth->duration_ps[longest] > entry->longest_ps) {
        entry->longest = longest;
        entry->longest_ps = depth->duration_ps[longest];
    }
    if (entry->vote.name == UINT32_MAX)
        entry->vote = votes[at];
    else if (votes[at].name != UINT32_MAX)
        count_vote(&entry->vote, votes[at].name, votes[at].weight);
    uint32_t last = entry_end(depth, below, at) - 1;
    if (depth->duration_ps[last] >= INT64_C(1) << below->shift)
        add_event(entry, depth, last, cell_ps);
}

/* `votes` holds those of the level below and gets those of this one: entries only move forward. */
static void build_above(const struct xpd_depth *depth, const struct xpd_mip_level *below,
                        struct xpd_mip_level *level, struct vote *votes)
{
    int64_t cell_ps = INT64_C(1) << level->shift;
    struct entry entry;
    uint32_t at = 0;
    open_entry(&entry, depth->start_ps[0] >> level->shift, 0);
    for (uint32_t i = 0; i < below->count; i++) {
        int64_t cell = depth->start_ps[below->first[i]] >> level->shift;
        if (cell != entry.cell) {
            close_entry(level, votes, at++, &entry);
            open_entry(&entry, cell, below->first[i]);
        }
        add_entry(&entry, depth, below, votes, i, cell_ps);
    }
    close_entry(level, votes, at, &entry);
}

bool xpd_mip_build(struct xpd_trace_blocks *blocks, struct xpd_pen *pen, struct xpd_depth *depth)
{
    uint8_t shift[LEVELS_MAX];
    uint32_t count[LEVELS_MAX], levels = choose_levels(depth, shift, count);
    if (levels == 0)
        return true;
    struct xpd_mip_level *level = xpd_blocks_take(blocks, pen, levels * sizeof *level);
    struct vote *votes = xpd_pen_scratch(pen, count[0] * sizeof *votes);
    bool fine = level && votes;
    for (uint32_t i = 0; fine && i < levels; i++)
        fine = new_level(blocks, pen, &level[i], shift[i], count[i]);
    if (fine) {
        build_finest(depth, &level[0], votes);
        for (uint32_t i = 1; i < levels; i++)
            build_above(depth, &level[i - 1], &level[i], votes);
        depth->mip = level;
        depth->mip_count = levels;
    }
    return fine;
}
