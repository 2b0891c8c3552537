/* See step_tops.h. In: tenancies. Out: runs of steps.
 *
 * Most tenancies are never the highest: what began before them is higher and stays longer. The
 * steps are the leaves of a binary tree; each other tenancy marks the few nodes that together are
 * its steps, and in the end each node's mark goes down to its leaves, once. */
#include "xprofd/memory/step_tops.h"

#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"
#include "xprofd/memory/query.h"

#include <string.h>

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
