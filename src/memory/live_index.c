/* Index for fast queries of a space: columns, checkpoints, extremes.
 *
 * In: finished tenancies and curves. Out: space->index. A checkpoint is taken after as many steps
 * as tenancies were held at the last one, at least sqrt(n). All checkpoints together hold O(n)
 * members, and a query reads O(sqrt n + answer). Extremes are kept per block of 32 steps, with a
 * table of the highest block of every power-of-two run. */
#include "xprofd/memory/query.h"

#include "memory_internal.h"
#include "xprofd/base/bisect.h"

#include <stdlib.h>
#include <string.h>

static bool make_columns(struct xpd_arena *arena, struct xpd_mem_space *space)
{
    struct xpd_live_index *index = space->index;
    uint32_t n = space->tenancy_count;
    index->start = XPD_NEW_ARRAY(arena, uint32_t, n);
    index->end = XPD_NEW_ARRAY(arena, uint32_t, n);
    index->offset = XPD_NEW_ARRAY(arena, int64_t, n);
    index->size = XPD_NEW_ARRAY(arena, int64_t, n);
    if (!index->start || !index->end || !index->offset || !index->size)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        index->start[i] = space->tenancy[i].start_step;
        index->end[i] = space->tenancy[i].end_step;
        index->offset[i] = space->tenancy[i].offset_bytes;
        index->size[i] = space->tenancy[i].size_bytes;
    }
    return true;
}

static uint32_t root_floor(uint32_t n)
{
    uint32_t r = 0;
    while ((uint64_t)(r + 1) * (r + 1) <= n)
        r++;
    return r;
}

/* Drops from set[] what has ended by `step`, adds what has started; returns the new count. */
static uint32_t advance(const struct xpd_live_index *index, uint32_t tenancies, uint32_t *set,
                        uint32_t count, uint32_t *next, uint32_t step)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (index->end[set[i]] > step)
            set[kept++] = set[i];
    for (; *next < tenancies && index->start[*next] <= step; (*next)++)
        if (index->end[*next] > step)
            set[kept++] = *next;
    return kept;
}

/* Two rounds of the same walk: the first only counts. */
static bool make_checkpoints(struct xpd_mem_build *b, struct xpd_mem_space *space)
{
    struct xpd_live_index *index = space->index;
    uint32_t least = root_floor(space->step_count);
    uint32_t *set = XPD_NEW_ARRAY(&b->scratch, uint32_t, space->tenancy_count);
    if (!set)
        return false;
    least = least < 16 ? 16 : least;
    for (int round = 0; round < 2; round++) {
        uint32_t count = 0, next = 0, checkpoints = 0, members = 0;
        for (uint32_t step = 0; step < space->step_count;) {
            count = advance(index, space->tenancy_count, set, count, &next, step);
            if (round == 1) {
                index->checkpoint[checkpoints] = (struct xpd_checkpoint){
                    .step = step, .first = members, .count = count, .next_tenancy = next};
                memcpy(index->member + members, set, count * sizeof *set);
            }
            checkpoints++;
            members += count;
            uint32_t gap = count > least ? count : least;
            step = gap < space->step_count - step ? step + gap : space->step_count;
        }
        if (round == 1)
            break;
        index->checkpoint_count = checkpoints;
        index->checkpoint = XPD_NEW_ARRAY(&b->mem->arena, struct xpd_checkpoint, checkpoints);
        index->member = XPD_NEW_ARRAY(&b->mem->arena, uint32_t, members);
        if (!index->checkpoint || !index->member)
            return false;
    }
    return true;
}

static void block_extremes(const struct xpd_mem_space *space, uint32_t from, uint32_t to,
                           struct xpd_block *block, uint32_t *argmax)
{
    *block = (struct xpd_block){space->live_bytes[from], space->live_bytes[from],
                                space->unpadded_bytes[from], space->unpadded_bytes[from]};
    *argmax = from;
    for (uint32_t i = from + 1; i < to; i++) {
        int64_t live = space->live_bytes[i], unpadded = space->unpadded_bytes[i];
        if (live > block->max_live) {
            block->max_live = live;
            *argmax = i;
        }
        block->min_live = live < block->min_live ? live : block->min_live;
        block->min_unpadded = unpadded < block->min_unpadded ? unpadded : block->min_unpadded;
        block->max_unpadded = unpadded > block->max_unpadded ? unpadded : block->max_unpadded;
    }
}

static uint32_t higher(const struct xpd_mem_space *space, uint32_t a, uint32_t b)
{
    int64_t x = space->live_bytes[a], y = space->live_bytes[b];
    if (x != y)
        return x > y ? a : b;
    return a < b ? a : b;
}

static bool make_extremes(struct xpd_arena *arena, struct xpd_mem_space *space)
{
    struct xpd_live_index *index = space->index;
    uint32_t n = (space->step_count + XPD_BLOCK_STEPS - 1) / XPD_BLOCK_STEPS;
    if (n == 0)
        return true;
    index->block_count = n;
    for (index->level_count = 1; (UINT64_C(1) << index->level_count) <= n; index->level_count++)
        ;
    index->block = XPD_NEW_ARRAY(arena, struct xpd_block, n);
    index->level = XPD_NEW_ARRAY(arena, uint32_t *, index->level_count);
    if (!index->block || !index->level)
        return false;
    for (uint32_t k = 0; k < index->level_count; k++) {
        uint32_t half = k ? 1u << (k - 1) : 0, count = n - (1u << k) + 1;
        uint32_t *level = index->level[k] = XPD_NEW_ARRAY(arena, uint32_t, count);
        if (!level)
            return false;
        for (uint32_t i = 0; i < count; i++) {
            if (k > 0) {
                level[i] = higher(space, index->level[k - 1][i], index->level[k - 1][i + half]);
                continue;
            }
            uint32_t from = i * XPD_BLOCK_STEPS, rest = space->step_count - from;
            block_extremes(space, from, from + (rest < XPD_BLOCK_STEPS ? rest : XPD_BLOCK_STEPS),
                           &index->block[i], &level[i]);
        }
    }
    return true;
}

bool xpd_mem_build_index(struct xpd_mem_build *b, struct xpd_mem_space *space)
{
    return make_columns(&b->mem->arena, space) && make_checkpoints(b, space) &&
           make_extremes(&b->mem->arena, space);
}

static uint32_t scan_max(const struct xpd_mem_space *space, uint32_t from, uint32_t to)
{
    uint32_t best = from;
    for (uint32_t i = from + 1; i < to; i++)
        if (space->live_bytes[i] > space->live_bytes[best])
            best = i;
    return best;
}

uint32_t xpd_live_argmax(const struct xpd_mem_space *space, uint32_t from, uint32_t to)
{
    const struct xpd_live_index *index = space->index;
    uint32_t first = (from + XPD_BLOCK_STEPS - 1) / XPD_BLOCK_STEPS, end = to / XPD_BLOCK_STEPS;
    if (from / XPD_BLOCK_STEPS == (to - 1) / XPD_BLOCK_STEPS || first >= end) {
        return scan_max(space, from, to);
    }
    uint32_t k = 0;
    while ((UINT64_C(2) << k) <= end - first)
        k++;
    uint32_t best = higher(space, index->level[k][first], index->level[k][end - (1u << k)]);
    if (from < first * XPD_BLOCK_STEPS)
        best = higher(space, scan_max(space, from, first * XPD_BLOCK_STEPS), best);
    if (end * XPD_BLOCK_STEPS < to)
        best = higher(space, best, scan_max(space, end * XPD_BLOCK_STEPS, to));
    return best;
}

uint32_t xpd_growths_of(const struct xpd_live_index *index, uint32_t tenancy, uint32_t *count)
{
    uint32_t low = 0;
    XPD_BISECT(low, index->growth_count, middle, index->growth[middle].tenancy < tenancy);
    uint32_t end = low;
    while (end < index->growth_count && index->growth[end].tenancy == tenancy)
        end++;
    *count = end - low;
    return low;
}

uint32_t xpd_tenancies_until(const struct xpd_mem_space *space, uint32_t step)
{
    uint32_t low = 0;
    XPD_BISECT(low, space->tenancy_count, middle, space->index->start[middle] <= step);
    return low;
}
