/* Places of steps on an axis of instructions. In: a frozen analysis, and what each instruction
 * weighs. Out: one place per step, O(steps + instructions); nothing is kept. */
#include "xprofd/memory/axis.h"

#include "internal.h"

/* start[k] = sum of the weights of the first k instructions in schedule order. */
static double *starts_of(struct xpd_axis *axis, const struct xpd_mem *mem, const double *weight,
                         struct xpd_arena *arena)
{
    const uint32_t *order = mem->uses->order;
    uint32_t instructions = mem->hlo->instructions.count, count = 0;
    for (uint32_t i = 0; i < instructions; i++)
        count += order[i] != XPD_NO_INDEX;
    axis->order_count = count;
    double *start = XPD_NEW_ARRAY(arena, double, (size_t)count + 1);
    if (!start)
        return NULL;
    for (uint32_t i = 0; i < instructions; i++)
        if (order[i] < count)
            start[order[i] + 1] = weight ? weight[i] : 1;
    for (uint32_t k = 0; k < count; k++)
        start[k + 1] += start[k];
    return start;
}

/* Place in the schedule of what runs at each step of a lane; where that is not known or would go
 * back, the place of the step before. */
static void order_lane(struct xpd_axis *axis, const struct xpd_mem *mem,
                       const struct xpd_mem_space *space, const struct xpd_lane *lane,
                       uint32_t *order)
{
    uint32_t at = XPD_NO_INDEX;
    for (uint32_t i = 0; i < lane->step_count; i++) {
        uint32_t running = xpd_mem_running(mem, space, lane->first_step + i, NULL);
        uint32_t now = running == XPD_NO_INDEX ? XPD_NO_INDEX : mem->uses->order[running];
        if (now != XPD_NO_INDEX) {
            axis->named_count++;
            if (at == XPD_NO_INDEX || now > at)
                at = now;
            else if (now < at)
                axis->moved_count++;
        }
        order[lane->first_step + i] = at;
    }
    /* what comes before the first known one begins with it */
    uint32_t known = 0;
    while (known < lane->step_count && order[lane->first_step + known] == XPD_NO_INDEX)
        known++;
    uint32_t first = known < lane->step_count ? order[lane->first_step + known] : 0;
    for (uint32_t i = 0; i < known; i++)
        order[lane->first_step + i] = first;
}

/* The steps of one instruction share its width. Returns where the lane ends. */
static double place_lane(struct xpd_axis *axis, const struct xpd_lane *lane, const uint32_t *order,
                         const double *start, double base)
{
    uint32_t end = lane->first_step + lane->step_count;
    for (uint32_t i = lane->first_step; i < end;) {
        uint32_t next = i + 1, k = order[i];
        while (next < end && order[next] == k)
            next++;
        double width = k < axis->order_count ? start[k + 1] - start[k] : 0;
        for (uint32_t j = i; j < next; j++)
            axis->begin[j] = base + start[k] + width * (double)(j - i) / (double)(next - i);
        i = next;
    }
    return base + start[axis->order_count];
}

bool xpd_axis_make(struct xpd_axis *axis, const struct xpd_mem *mem,
                   const struct xpd_mem_space *space, const double *weight, struct xpd_arena *arena)
{
    *axis = (struct xpd_axis){0};
    axis->begin = XPD_NEW_ARRAY(arena, double, (size_t)space->step_count + 1);
    uint32_t *order = XPD_NEW_ARRAY(arena, uint32_t, (size_t)space->step_count + 1);
    double *start = starts_of(axis, mem, weight, arena), end = 0;
    if (!axis->begin || !order || !start)
        return false;
    for (uint32_t l = 0; l < space->lane_count; l++) {
        const struct xpd_lane *lane = &space->lane[l];
        if (lane->step_count == 0)
            continue;
        order_lane(axis, mem, space, lane, order);
        /* the first lane keeps the numbers of the schedule, the others follow without a gap */
        double base = l == 0 ? 0 : end - start[order[lane->first_step]];
        end = place_lane(axis, lane, order, start, base);
    }
    axis->begin[space->step_count] = end;
    return true;
}

uint32_t xpd_axis_curve(const struct xpd_mem_space *space, const struct xpd_axis *axis,
                        struct xpd_step_window window, uint32_t columns,
                        struct xpd_curve_column *out)
{
    if (window.to > space->step_count)
        window.to = space->step_count;
    if (window.from >= window.to || columns == 0)
        return 0;
    const double *begin = axis->begin;
    double width = (begin[window.to] - begin[window.from]) / (double)columns;
    uint32_t n = 0;
    for (uint32_t i = window.from; i < window.to && n < 2 * columns + 1;) {
        uint32_t next = i + 1;
        while (next < window.to && (begin[next + 1] - begin[i] <= width || n == 2 * columns))
            next++;
        n += xpd_curve(space, (struct xpd_step_window){i, next}, 1, &out[n]);
        i = next;
    }
    return n;
}
