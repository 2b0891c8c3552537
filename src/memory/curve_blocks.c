/* See curve_blocks.h. In: steps, and blocks of them. Out: extremes and peaks. */
#include "xprofd/memory/curve_blocks.h"

#include "internal.h"
#include "xprofd/base/checked.h"

#include <math.h>

#define BLOCK XPD_CURVE_BLOCK

bool xpd_curve_blocks_init(struct xpd_curve_blocks *curve, const int64_t *bytes, uint32_t steps,
                           struct xpd_arena *arena)
{
    uint32_t count = steps / BLOCK + (steps % BLOCK != 0);
    *curve = (struct xpd_curve_blocks){steps,
                                       count,
                                       XPD_NEW_ROOM(arena, const int64_t *, (size_t)count + 1),
                                       XPD_NEW_ARRAY(arena, int64_t, (size_t)count + 1),
                                       XPD_NEW_ARRAY(arena, int64_t, (size_t)count + 1),
                                       XPD_NEW_ARRAY(arena, int64_t, (size_t)count + 1)};
    if (!curve->bytes || !curve->raised || !curve->lowest || !curve->highest)
        return false;
    for (uint32_t b = 0; b < count; b++)
        curve->bytes[b] = bytes + (size_t)b * BLOCK;
    return true;
}

void xpd_curve_block_measure(struct xpd_curve_blocks *curve, uint32_t block)
{
    const int64_t *bytes = curve->bytes[block];
    uint32_t count = xpd_curve_block_steps(curve, block);
    int64_t lowest = bytes[0];
    for (uint32_t i = 1; i < count; i++)
        lowest = bytes[i] < lowest ? bytes[i] : lowest;
    curve->lowest[block] = lowest;
    curve->highest[block] = xpd_mem_highest(bytes, count);
    xpd_grow_i64(&curve->lowest[block], curve->raised[block]);
    xpd_grow_i64(&curve->highest[block], curve->raised[block]);
}

int64_t xpd_curve_at(const struct xpd_curve_blocks *curve, uint32_t step)
{
    bool overflow = false;
    return xpd_add_i64(curve->bytes[step / BLOCK][step % BLOCK], curve->raised[step / BLOCK],
                       &overflow);
}

uint32_t xpd_curve_block_find(const struct xpd_curve_blocks *curve, uint32_t block, int64_t bytes)
{
    uint32_t step = block * BLOCK, last = step + xpd_curve_block_steps(curve, block) - 1;
    while (step < last && xpd_curve_at(curve, step) != bytes)
        step++;
    return step;
}

/* ---- peaks ---- */

/* Highest first; of equal ones the earlier. */
static void put_peak(struct xpd_near_peak *out, uint32_t capacity, uint32_t found,
                     struct xpd_near_peak peak)
{
    uint32_t at = found < capacity ? found : capacity;
    for (; at > 0 && out[at - 1].bytes < peak.bytes; at--)
        if (at < capacity)
            out[at] = out[at - 1];
    if (at < capacity)
        out[at] = peak;
}

static int64_t less(int64_t a, int64_t b)
{
    bool overflow = false;
    return xpd_add_i64(a, -b, &overflow);
}

struct top {
    int64_t bytes;
    uint32_t step;
    uint32_t block; /* where its step is still to be looked for, XPD_NO_INDEX = known */
};

static uint32_t step_of(const struct xpd_curve_blocks *curve, const struct top *top)
{
    return top->block == XPD_NO_INDEX ? top->step
                                      : xpd_curve_block_find(curve, top->block, top->bytes);
}

/* From the step *step up, until the curve is a valley below the top; *step is where the valley
 * begins, the end when it never does. A block whose lowest is above that is passed at once. */
static struct top climb(const struct xpd_curve_blocks *curve, int64_t valley, uint32_t *step)
{
    struct top top = {xpd_curve_at(curve, *step), *step, XPD_NO_INDEX};
    uint32_t i = *step + 1;
    while (i < curve->steps) {
        uint32_t block = i / BLOCK;
        int64_t highest = curve->highest[block];
        bool rises = highest > top.bytes;
        if (i % BLOCK == 0 && curve->lowest[block] > less(rises ? highest : top.bytes, valley)) {
            top.block = rises ? block : top.block;
            top.bytes = rises ? highest : top.bytes;
            i += xpd_curve_block_steps(curve, block);
            continue;
        }
        int64_t bytes = xpd_curve_at(curve, i);
        if (bytes <= less(top.bytes, valley))
            break;
        if (bytes > top.bytes)
            top = (struct top){bytes, i, XPD_NO_INDEX};
        i++;
    }
    *step = i;
    return top;
}

/* The step from `step` on that is a valley above the lowest one since; the end: none is. */
static uint32_t cross(const struct xpd_curve_blocks *curve, int64_t valley, uint32_t step)
{
    int64_t low = step < curve->steps ? xpd_curve_at(curve, step) : 0;
    while (step < curve->steps) {
        uint32_t block = step / BLOCK;
        int64_t lowest = curve->lowest[block] < low ? curve->lowest[block] : low;
        if (step % BLOCK == 0 && curve->highest[block] < lowest + valley) {
            low = lowest;
            step += xpd_curve_block_steps(curve, block);
            continue;
        }
        int64_t bytes = xpd_curve_at(curve, step);
        if (bytes >= low + valley)
            break;
        low = bytes < low ? bytes : low;
        step++;
    }
    return step;
}

uint32_t xpd_curve_peaks(const struct xpd_curve_blocks *curve, double share,
                         struct xpd_near_peak *out, uint32_t capacity)
{
    int64_t most = curve->count > 0 ? xpd_mem_highest(curve->highest, curve->count) : 0;
    int64_t valley = (int64_t)ceil((double)(most > 0 ? most : 0) * share);
    uint32_t found = 0;
    valley = valley > 0 ? valley : 1;
    for (uint32_t step = 0; step < curve->steps;) {
        struct top top = climb(curve, valley, &step);
        step = cross(curve, valley, step);
        if (top.bytes > 0)
            put_peak(out, capacity, found++,
                     (struct xpd_near_peak){.step = step_of(curve, &top), .bytes = top.bytes});
    }
    return found;
}
