/* Plans tried out. In: changes, one after another. Out: the peak after each; back to a mark. */
#include "xprofd/memory/trial.h"

#include "memory_internal.h"

#include "xprofd/base/checked.h"

#include <string.h>

#define BLOCK XPD_CURVE_BLOCK

/* The extremes of steps that nothing changed, from those of the space's own blocks. */
static void space_extremes(const struct xpd_mem_space *space, uint32_t from, uint32_t to,
                           int64_t *lowest, int64_t *highest)
{
    int64_t low = space->live_bytes[from], high = low;
    while (from < to) {
        if (from % XPD_BLOCK_STEPS == 0 && to - from >= XPD_BLOCK_STEPS) {
            const struct xpd_block *block = &space->index->block[from / XPD_BLOCK_STEPS];
            low = block->min_live < low ? block->min_live : low;
            high = block->max_live > high ? block->max_live : high;
            from += XPD_BLOCK_STEPS;
            continue;
        }
        uint32_t end = from / XPD_BLOCK_STEPS * XPD_BLOCK_STEPS + XPD_BLOCK_STEPS;
        for (end = end < to ? end : to; from < end; from++) {
            low = space->live_bytes[from] < low ? space->live_bytes[from] : low;
            high = space->live_bytes[from] > high ? space->live_bytes[from] : high;
        }
    }
    *lowest = low;
    *highest = high;
}

bool xpd_trial_init(struct xpd_trial *t, const struct xpd_mem *mem,
                    const struct xpd_mem_space *space, struct xpd_arena *arena)
{
    *t = (struct xpd_trial){.own = NULL};
    xpd_plan_init(&t->plan, mem, space, arena);
    if (space->live_is_union)
        return !t->plan.failed;
    if (!xpd_curve_blocks_init(&t->curve, space->live_bytes, space->step_count, arena))
        return false;
    t->own = XPD_NEW_ARRAY(arena, int64_t *, (size_t)t->curve.count + 1);
    for (uint32_t b = 0; b < t->curve.count; b++) {
        uint32_t from = b * BLOCK;
        space_extremes(space, from, from + xpd_curve_block_steps(&t->curve, b), &t->curve.lowest[b],
                       &t->curve.highest[b]);
    }
    return !t->plan.failed && t->own;
}

/* The copy of a block that may be written to; NULL without memory. */
static int64_t *own_block(struct xpd_trial *t, uint32_t block)
{
    if (t->own[block])
        return t->own[block];
    int64_t *copy = XPD_NEW_ROOM(t->plan.arena, int64_t, BLOCK);
    if (!copy) {
        t->plan.failed = true;
        return NULL;
    }
    memcpy(copy, t->curve.bytes[block], xpd_curve_block_steps(&t->curve, block) * sizeof *copy);
    t->curve.bytes[block] = t->own[block] = copy;
    return copy;
}

/* Adds to every step of [from, to). */
static void raise(struct xpd_trial *t, uint32_t from, uint32_t to, int64_t by)
{
    to = to < t->curve.steps ? to : t->curve.steps;
    while (from < to) {
        uint32_t block = from / BLOCK, first = block * BLOCK, end = first + BLOCK;
        end = end < to ? end : to;
        if (end - from == BLOCK) {
            xpd_grow_i64(&t->curve.raised[block], by);
            xpd_grow_i64(&t->curve.lowest[block], by);
            xpd_grow_i64(&t->curve.highest[block], by);
        } else {
            int64_t *bytes = own_block(t, block);
            for (uint32_t i = from; bytes && i < end; i++)
                xpd_grow_i64(&bytes[i - first], by);
            xpd_curve_block_measure(&t->curve, block);
        }
        from = end;
    }
}

static void take_change(struct xpd_trial *t, const struct xpd_plan_change *c, bool in)
{
    raise(t, c->from, c->to, in ? -c->less_bytes : c->less_bytes);
}

/* An input needed by several results is held once, until the last of them. */
static void add_longer(struct xpd_trial *t, uint32_t place)
{
    const struct xpd_plan_longer *l = &t->plan.longer[place];
    const struct xpd_tenancy *held = &t->plan.space->tenancy[l->tenancy];
    uint32_t now = t->stays[l->tenancy] > held->end_step ? t->stays[l->tenancy] : held->end_step;
    t->stayed[place] = t->stays[l->tenancy];
    if (l->until <= now)
        return;
    raise(t, now, l->until, held->size_bytes);
    t->stays[l->tenancy] = l->until;
}

static void take_longer_back(struct xpd_trial *t, uint32_t place)
{
    const struct xpd_plan_longer *l = &t->plan.longer[place];
    const struct xpd_tenancy *held = &t->plan.space->tenancy[l->tenancy];
    uint32_t before = t->stayed[place], now = t->stays[l->tenancy];
    if (before == now)
        return;
    raise(t, before > held->end_step ? before : held->end_step, now, -held->size_bytes);
    t->stays[l->tenancy] = before;
}

static bool room_for_longer(struct xpd_trial *t)
{
    if (!t->stays && t->plan.longer_count > 0)
        t->stays = XPD_NEW_ARRAY(t->plan.arena, uint32_t, (size_t)t->plan.space->tenancy_count + 1);
    if (!t->stays && t->plan.longer_count > 0) {
        t->plan.failed = true;
        return false;
    }
    if (t->plan.longer_count <= t->stayed_capacity)
        return true;
    uint32_t more = t->plan.longer_capacity;
    uint32_t *bigger = XPD_NEW_ARRAY(t->plan.arena, uint32_t, more);
    if (!bigger) {
        t->plan.failed = true;
        return false;
    }
    if (t->longer_in > 0)
        memcpy(bigger, t->stayed, t->longer_in * sizeof *bigger);
    t->stayed = bigger;
    t->stayed_capacity = more;
    return true;
}

const char *xpd_trial_add(struct xpd_trial *t, uint32_t buffer, enum xpd_action action,
                          int64_t parts)
{
    const char *no = xpd_plan_add(&t->plan, buffer, action, parts);
    if (t->plan.failed || t->plan.space->live_is_union || !room_for_longer(t))
        return no;
    for (; t->changes_in < t->plan.change_count; t->changes_in++)
        take_change(t, &t->plan.change[t->changes_in], true);
    for (; t->longer_in < t->plan.longer_count; t->longer_in++)
        add_longer(t, t->longer_in);
    return no;
}

static int64_t peak_of_union(struct xpd_trial *t, uint32_t *step)
{
    int64_t peak = t->plan.space->peak_bytes;
    xpd_saving(t->plan.mem, t->plan.space, t->plan.dropped, t->plan.dropped_count, &peak, step,
               t->plan.arena);
    return peak;
}

int64_t xpd_trial_peak(struct xpd_trial *t, uint32_t *step)
{
    const struct xpd_mem_space *space = t->plan.space;
    int64_t best = 0, peak = space->totals.resident;
    uint32_t at = 0;
    bool overflow = false;
    if (space->live_is_union)
        return peak_of_union(t, step);
    for (uint32_t b = 0; b < t->curve.count; b++)
        if (b == 0 || t->curve.highest[b] > best) {
            best = t->curve.highest[b];
            at = b;
        }
    if (step)
        *step = t->curve.count > 0 ? xpd_curve_block_find(&t->curve, at, best) : XPD_NO_STEP;
    peak = xpd_add_i64(peak, -t->plan.resident_less_bytes, &overflow);
    return xpd_add_i64(peak, best, &overflow);
}

/* The present extremes of a part of one block: its steps are in its copy, or those of the
 * space. */
static void part_extremes(const struct xpd_trial *t, uint32_t from, uint32_t to, int64_t *lowest,
                          int64_t *highest)
{
    uint32_t block = from / BLOCK, first = block * BLOCK;
    const int64_t *own = t->own[block];
    if (!own) {
        space_extremes(t->plan.space, from, to, lowest, highest);
    } else {
        int64_t low = own[from - first], high = low;
        for (uint32_t i = from - first; i < to - first; i++) {
            low = own[i] < low ? own[i] : low;
            high = own[i] > high ? own[i] : high;
        }
        *lowest = low;
        *highest = high;
    }
    xpd_grow_i64(lowest, t->curve.raised[block]);
    xpd_grow_i64(highest, t->curve.raised[block]);
}

void xpd_trial_extremes(const struct xpd_trial *t, uint32_t from, uint32_t to, int64_t *lowest,
                        int64_t *highest)
{
    *lowest = *highest = xpd_curve_at(&t->curve, from);
    while (from < to) {
        uint32_t block = from / BLOCK, first = block * BLOCK;
        uint32_t end = first + xpd_curve_block_steps(&t->curve, block);
        int64_t low = t->curve.lowest[block], high = t->curve.highest[block];
        if (from > first || end > to) {
            end = end < to ? end : to;
            part_extremes(t, from, end, &low, &high);
        }
        *lowest = low < *lowest ? low : *lowest;
        *highest = high > *highest ? high : *highest;
        from = end;
    }
}

struct xpd_trial_mark xpd_trial_mark(const struct xpd_trial *t)
{
    return (struct xpd_trial_mark){
        .changes = t->plan.change_count,
        .longer = t->plan.longer_count,
        .done = t->plan.done_count,
        .dropped = t->plan.dropped_count,
        .resident_less_bytes = t->plan.resident_less_bytes,
        .moved_bytes = t->plan.moved_bytes,
        .recomputed_bytes = t->plan.recomputed_bytes,
    };
}

void xpd_trial_back(struct xpd_trial *t, struct xpd_trial_mark mark)
{
    struct xpd_plan *plan = &t->plan;
    while (t->longer_in > mark.longer)
        take_longer_back(t, --t->longer_in);
    while (t->changes_in > mark.changes)
        take_change(t, &plan->change[--t->changes_in], false);
    while (plan->done_count > mark.done)
        plan->done[plan->done_key[--plan->done_count]] = 0;
    plan->change_count = mark.changes;
    plan->longer_count = mark.longer;
    plan->dropped_count = mark.dropped;
    plan->resident_less_bytes = mark.resident_less_bytes;
    plan->moved_bytes = mark.moved_bytes;
    plan->recomputed_bytes = mark.recomputed_bytes;
}
