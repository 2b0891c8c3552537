/* Plans tried out. In: changes, one after another. Out: the peak after each; back to a mark. */
#include "xprofd/memory/trial.h"

#include "internal.h"

#include "xprofd/base/checked.h"

#include <string.h>

#define BLOCK 256

static void measure(struct xpd_trial *t, uint32_t block)
{
    uint32_t from = block * BLOCK, steps = t->plan.space->step_count;
    uint32_t to = steps - from < BLOCK ? steps : from + BLOCK;
    t->highest[block] = xpd_mem_highest(t->bytes + from, to - from);
    xpd_grow_i64(&t->highest[block], t->raised[block]);
}

bool xpd_trial_init(struct xpd_trial *t, const struct xpd_mem *mem,
                    const struct xpd_mem_space *space, struct xpd_arena *arena)
{
    uint32_t steps = space->step_count;
    *t = (struct xpd_trial){.blocks = steps / BLOCK + (steps % BLOCK != 0)};
    xpd_plan_init(&t->plan, mem, space, arena);
    if (space->live_is_union)
        return !t->plan.failed;
    t->bytes = XPD_NEW_ROOM(arena, int64_t, steps);
    t->raised = XPD_NEW_ARRAY(arena, int64_t, (size_t)t->blocks + 1);
    t->highest = XPD_NEW_ARRAY(arena, int64_t, (size_t)t->blocks + 1);
    t->stays = XPD_NEW_ARRAY(arena, uint32_t, (size_t)space->tenancy_count + 1);
    if (t->plan.failed || !t->bytes || !t->raised || !t->highest || !t->stays)
        return false;
    if (steps > 0)
        memcpy(t->bytes, space->live_bytes, steps * sizeof *t->bytes);
    for (uint32_t b = 0; b < t->blocks; b++)
        measure(t, b);
    return true;
}

/* Adds to every step of [from, to). */
static void raise(struct xpd_trial *t, uint32_t from, uint32_t to, int64_t by)
{
    uint32_t steps = t->plan.space->step_count;
    to = to < steps ? to : steps;
    while (from < to) {
        uint32_t block = from / BLOCK, end = (block + 1) * BLOCK;
        end = end < to ? end : to;
        if (end - from == BLOCK) {
            xpd_grow_i64(&t->raised[block], by);
            xpd_grow_i64(&t->highest[block], by);
        } else {
            for (uint32_t i = from; i < end; i++)
                xpd_grow_i64(&t->bytes[i], by);
            measure(t, block);
        }
        from = end;
    }
}

static void take_change(struct xpd_trial *t, const struct xpd_plan_change *c, bool in)
{
    raise(t, c->from, c->to, in ? -c->less_bytes : c->less_bytes);
}

/* An input that several results need stays once, until the last of them. */
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
    struct xpd_arena scratch;
    int64_t peak = t->plan.space->peak_bytes;
    xpd_arena_init(&scratch, t->plan.arena->budget_bytes);
    xpd_saving(t->plan.mem, t->plan.space, t->plan.dropped, t->plan.dropped_count, &peak, step,
               &scratch);
    xpd_arena_fini(&scratch);
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
    for (uint32_t b = 0; b < t->blocks; b++)
        if (b == 0 || t->highest[b] > best) {
            best = t->highest[b];
            at = b;
        }
    if (step) {
        *step = t->blocks > 0 ? at * BLOCK : XPD_NO_STEP;
        while (t->blocks > 0 && xpd_trial_at(t, *step) != best)
            ++*step;
    }
    peak = xpd_add_i64(peak, -t->plan.resident_less_bytes, &overflow);
    return xpd_add_i64(peak, best, &overflow);
}

int64_t xpd_trial_at(const struct xpd_trial *t, uint32_t step)
{
    bool overflow = false;
    return xpd_add_i64(t->bytes[step], t->raised[step / BLOCK], &overflow);
}

const int64_t *xpd_trial_curve(struct xpd_trial *t)
{
    uint32_t steps = t->plan.space->step_count;
    for (uint32_t block = 0; t->bytes && block < t->blocks; block++) {
        uint32_t from = block * BLOCK, to = steps - from < BLOCK ? steps : from + BLOCK;
        for (uint32_t i = from; t->raised[block] != 0 && i < to; i++)
            xpd_grow_i64(&t->bytes[i], t->raised[block]);
        t->raised[block] = 0;
    }
    return t->bytes;
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
