/* Places of steps on an axis of instructions. In: a frozen analysis, and what each instruction
 * weighs. Out: one place per step, O(steps + instructions); nothing is kept. */
#include "xprofd/memory/axis.h"
#include "memory_internal.h"
#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"
#include "xprofd/memory/query.h"
#include "xprofd/memory/step_tops.h"
#include <string.h>

/* See step_tops.h. In: tenancies. Out: runs of steps.
 *
 * Most tenancies are never the highest: an earlier one is higher and stays longer. The steps are
 * the leaves of a binary tree. Each other tenancy marks the few nodes that cover its steps; at the
 * end the marks are pushed down to the leaves, once. */

/* ---- those that others hide ---- */

#define STAIRS 64 /* more are not remembered: what they hide is marked, which changes nothing */

struct stairs { /* of those that began, none hides another: each ends later and is lower */
    uint32_t end[STAIRS], count;
    int64_t top[STAIRS];
};

/* Whether one that begins now is never the highest. If it is not, it hides others from now on. */
static bool is_hidden(struct stairs *stairs, uint32_t start, uint32_t end, int64_t top)
{
    uint32_t at = 0, keep, gone = 0;
    XPD_BISECT(at, stairs->count, middle, stairs->end[middle] < end);
    if (at < stairs->count && stairs->top[at] >= top)
        return true;
    at += at < stairs->count && stairs->end[at] == end; /* lower: hidden from now on */
    for (keep = at; keep > 0 && stairs->top[keep - 1] <= top; keep--)
        ;
    while (gone < keep && stairs->end[gone] <= start)
        gone++;
    uint32_t later = stairs->count - at, kept = keep - gone;
    if (kept == STAIRS)
        return false;
    later = kept + 1 + later > STAIRS ? STAIRS - kept - 1 : later; /* without the lowest */
    memmove(stairs->end, stairs->end + gone, kept * sizeof *stairs->end);
    memmove(stairs->top, stairs->top + gone, kept * sizeof *stairs->top);
    memmove(stairs->end + kept + 1, stairs->end + at, later * sizeof *stairs->end);
    memmove(stairs->top + kept + 1, stairs->top + at, later * sizeof *stairs->top);
    stairs->end[kept] = end;
    stairs->top[kept] = top;
    stairs->count = kept + 1 + later;
    return false;
}

/* ---- the tree ---- */

/* Nodes n to 2n - 1 are the steps, node i has the children 2i and 2i + 1. */
static void mark(int64_t *node, uint32_t n, uint32_t start, uint32_t end, int64_t top)
{
    uint64_t low = (uint64_t)n + start, high = (uint64_t)n + end;
    for (; low < high; low /= 2, high /= 2) {
        if (low % 2 == 1) {
            node[low] = top > node[low] ? top : node[low];
            low++;
        }
        if (high % 2 == 1) {
            high--;
            node[high] = top > node[high] ? top : node[high];
        }
    }
}

static void mark_all(int64_t *node, const struct xpd_mem_space *space)
{
    const struct xpd_tenancy_columns of = xpd_tenancy_columns_of(space);
    struct stairs stairs = {.count = 0};
    uint32_t n = space->step_count;
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        uint32_t start = of.start_step[i], end = of.end_step[i] < n ? of.end_step[i] : n;
        int64_t top = of.offset_bytes[i];
        xpd_grow_i64(&top, of.size_bytes[i]);
        if (start >= end || (space->tenancy[i].flags & XPD_TENANCY_UNTRACED))
            continue;
        if (!is_hidden(&stairs, start, end, top))
            mark(node, n, start, end, top);
    }
}

static void push_down(int64_t *node, uint32_t n)
{
    for (uint64_t i = 1; i < n; i++)
        for (uint64_t child = 2 * i; child <= 2 * i + 1; child++)
            node[child] = node[i] > node[child] ? node[i] : node[child];
}

static bool make_runs(struct xpd_step_tops *tops, const int64_t *top, uint32_t n,
                      struct xpd_arena *arena)
{
    uint32_t count = n > 0, k = 0;
    for (uint32_t i = 1; i < n; i++)
        count += top[i] != top[i - 1];
    uint32_t *from = XPD_NEW_ROOM(arena, uint32_t, (size_t)count + 1);
    int64_t *of = XPD_NEW_ROOM(arena, int64_t, count);
    if (!from || !of)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0 && top[i] == top[i - 1])
            continue;
        from[k] = i;
        of[k++] = top[i];
    }
    from[count] = n;
    *tops = (struct xpd_step_tops){count, from, of};
    return true;
}

bool xpd_step_tops_make(struct xpd_step_tops *tops, const struct xpd_mem_space *space,
                        struct xpd_arena *keep, struct xpd_arena *scratch)
{
    uint32_t n = space->step_count;
    int64_t *node = XPD_NEW_ARRAY(scratch, int64_t, 2 * (size_t)n + 1);
    if (!node)
        return false;
    mark_all(node, space);
    push_down(node, n);
    return make_runs(tops, node + n, n, keep);
}

void xpd_step_tops_of(const struct xpd_step_tops *tops, const uint32_t *first, uint32_t n,
                      int64_t *out)
{
    uint32_t run = 0; /* the one with the step reached */
    if (n > 0)
        XPD_BISECT(run, tops->count, middle, tops->from[middle + 1] <= first[0]);
    for (uint32_t c = 0; c < n; c++) {
        int64_t top = 0;
        while (run < tops->count) {
            top = tops->top[run] > top ? tops->top[run] : top;
            if (tops->from[run + 1] >= first[c + 1])
                break;
            run++;
        }
        if (run < tops->count && tops->from[run + 1] == first[c + 1])
            run++;
        out[c] = top;
    }
}

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
        uint32_t running = xpd_mem_running(mem, space, lane->first_step + i);
        uint32_t now = running == XPD_NO_INDEX ? XPD_NO_INDEX : mem->uses->order[running];
        if (now != XPD_NO_INDEX) {
            if (at == XPD_NO_INDEX || now > at)
                at = now;
            else if (now < at)
                axis->moved_count++;
        }
        order[lane->first_step + i] = at;
    }
    /* steps before the first known one begin with it */
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

const char *xpd_axis_no_instructions(const struct xpd_mem *mem, const struct xpd_mem_space *space)
{
    if (space->step_count == 0)
        return "this memory space has no heap trace";
    for (uint32_t i = 0; i < space->step_count; i++)
        if (xpd_mem_running(mem, space, i) != XPD_NO_INDEX)
            return NULL;
    return "the heap trace names no instruction of this module";
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
