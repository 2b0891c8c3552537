/* Levels of instructions. In: a frozen analysis, which instructions are shown. Out: one level for
 * each of them; O(steps + instructions). */
#include "xprofd/memory/levels.h"

#include "memory_internal.h"

struct place { /* of the schedule */
    uint32_t instruction;
    uint32_t highest, last; /* steps, XPD_NO_STEP = none */
};

static int64_t live(const struct xpd_mem_space *space, uint32_t step)
{
    return step == XPD_NO_STEP ? 0 : space->live_bytes[step];
}

static void place_steps(struct place *place, const struct xpd_mem *mem,
                        const struct xpd_mem_space *space)
{
    for (uint32_t step = 0; step < space->step_count; step++) {
        uint32_t running = xpd_mem_running(mem, space, step);
        uint32_t order = running == XPD_NO_INDEX ? XPD_NO_INDEX : mem->uses->order[running];
        if (order == XPD_NO_INDEX)
            continue;
        struct place *at = &place[order];
        if (at->highest == XPD_NO_STEP || live(space, step) > live(space, at->highest))
            at->highest = step;
        at->last = step;
    }
}

static uint32_t higher(const struct xpd_mem_space *space, uint32_t a, uint32_t b)
{
    if (a == XPD_NO_STEP || b == XPD_NO_STEP)
        return a == XPD_NO_STEP ? b : a;
    return live(space, b) > live(space, a) ? b : a;
}

static void set_level(struct xpd_mem_level *level, const struct xpd_mem_space *space, uint32_t step)
{
    *level = (struct xpd_mem_level){space->totals.resident + live(space, step), step};
}

struct xpd_mem_level *xpd_mem_levels(const struct xpd_mem *mem, const struct xpd_mem_space *space,
                                     const bool *shown, struct xpd_arena *arena)
{
    uint32_t count = mem->hlo->instructions.count;
    struct xpd_mem_level *level = XPD_NEW_ARRAY(arena, struct xpd_mem_level, count);
    struct place *place = XPD_NEW_ARRAY(arena, struct place, count);
    if (!level || !place)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        level[i] = (struct xpd_mem_level){-1, XPD_NO_STEP};
        place[i] = (struct place){XPD_NO_INDEX, XPD_NO_STEP, XPD_NO_STEP};
    }
    for (uint32_t i = 0; i < count; i++)
        if (mem->uses->order[i] < count)
            place[mem->uses->order[i]].instruction = i;
        else if (shown[i]) /* in no schedule */
            set_level(&level[i], space, XPD_NO_STEP);
    place_steps(place, mem, space);
    uint32_t since = XPD_NO_STEP, last = XPD_NO_STEP, before = XPD_NO_INDEX;
    for (uint32_t k = 0; k < count; k++) {
        since = higher(space, since, place[k].highest);
        last = place[k].last == XPD_NO_STEP ? last : place[k].last;
        uint32_t instruction = place[k].instruction;
        if (instruction == XPD_NO_INDEX || !shown[instruction])
            continue;
        set_level(&level[instruction], space, since == XPD_NO_STEP ? last : since);
        since = XPD_NO_STEP;
        before = instruction;
    }
    if (before != XPD_NO_INDEX && since != XPD_NO_STEP)
        set_level(&level[before], space, higher(space, level[before].step, since));
    return level;
}
