/* A plan's curve and its peak. In: changes. Out: the new curve, in one pass over the steps. */
#include "xprofd/memory/plan.h"

#include "internal.h"

#include "xprofd/base/checked.h"

#include <math.h>
#include <stdlib.h>

static int by_tenancy(const void *a, const void *b)
{
    const struct xpd_plan_longer *x = a, *y = b;
    if (x->tenancy != y->tenancy)
        return x->tenancy < y->tenancy ? -1 : 1;
    return (x->until < y->until) - (x->until > y->until); /* the latest first */
}

/* An input that several results need stays once, until the last of them. */
static void add_longer(struct xpd_plan *plan, int64_t *delta)
{
    if (plan->longer_count > 1)
        qsort(plan->longer, plan->longer_count, sizeof *plan->longer, by_tenancy);
    for (uint32_t i = 0; i < plan->longer_count; i++) {
        const struct xpd_plan_longer *l = &plan->longer[i];
        const struct xpd_tenancy *t = &plan->space->tenancy[l->tenancy];
        uint32_t end = t->end_step, until = l->until;
        if ((i > 0 && plan->longer[i - 1].tenancy == l->tenancy) || end >= until)
            continue;
        xpd_grow_i64(&delta[end], -t->size_bytes);
        xpd_grow_i64(&delta[until], t->size_bytes);
    }
}

static bool run_union(struct xpd_plan *plan, struct xpd_plan_result *out)
{
    out->saving_bytes = xpd_saving(plan->mem, plan->space, plan->dropped, plan->dropped_count,
                                   &out->peak_bytes, &out->peak_step, plan->arena);
    return !plan->arena->failed;
}

bool xpd_plan_run(struct xpd_plan *plan, struct xpd_plan_result *out)
{
    const struct xpd_mem_space *space = plan->space;
    uint32_t steps = space->step_count;
    bool overflow = false;
    *out = (struct xpd_plan_result){.peak_bytes = space->peak_bytes,
                                    .peak_step = space->peak_step,
                                    .resident_bytes = space->totals.resident};
    if (plan->failed)
        return false;
    if (space->live_is_union)
        return run_union(plan, out);
    out->resident_bytes = xpd_add_i64(out->resident_bytes, -plan->resident_less_bytes, &overflow);
    int64_t *delta = XPD_NEW_ARRAY(plan->arena, int64_t, (size_t)steps + 1);
    out->live_bytes = delta;
    if (!delta)
        return false;
    for (uint32_t i = 0; i < plan->change_count; i++) {
        const struct xpd_plan_change *c = &plan->change[i];
        uint32_t to = c->to < steps ? c->to : steps, from = c->from < to ? c->from : to;
        xpd_grow_i64(&delta[from], c->less_bytes);
        xpd_grow_i64(&delta[to], -c->less_bytes);
    }
    add_longer(plan, delta);
    int64_t gone = 0, best = 0;
    for (uint32_t i = 0; i < steps; i++) {
        gone = xpd_add_i64(gone, delta[i], &overflow);
        delta[i] = xpd_add_i64(space->live_bytes[i], -gone, &overflow); /* becomes the curve */
        if (i == 0 || delta[i] > best) {
            best = delta[i];
            out->peak_step = i;
        }
    }
    out->peak_bytes = xpd_add_i64(out->resident_bytes, best, &overflow);
    out->saving_bytes = xpd_add_i64(space->peak_bytes, -out->peak_bytes, &overflow);
    return !overflow;
}

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

/* From the top at *step up, until the curve is a valley below it: the step of the top; *step is
 * where the valley begins, `count` when it never does. */
static uint32_t climb(const int64_t *bytes, uint32_t count, int64_t valley, uint32_t *step)
{
    bool overflow = false;
    uint32_t top = *step, i = top + 1;
    int64_t most = bytes[top], edge = xpd_add_i64(most, -valley, &overflow);
    for (; i < count && bytes[i] > edge; i++)
        if (bytes[i] > most) {
            most = bytes[i];
            edge = xpd_add_i64(most, -valley, &overflow);
            top = i;
        }
    *step = i;
    return top;
}

/* The step from `step` on that is a valley above the lowest one since; `count`: none is. */
static uint32_t cross(const int64_t *bytes, uint32_t count, int64_t valley, uint32_t step)
{
    int64_t low = step < count ? bytes[step] : 0;
    for (; step < count && bytes[step] < low + valley; step++)
        low = bytes[step] < low ? bytes[step] : low;
    return step;
}

uint32_t xpd_curve_peaks(const int64_t *bytes, uint32_t count, double share,
                         struct xpd_near_peak *out, uint32_t capacity)
{
    int64_t most = count > 0 ? xpd_mem_highest(bytes, count) : 0;
    int64_t valley = (int64_t)ceil((double)(most > 0 ? most : 0) * share);
    uint32_t found = 0;
    valley = valley > 0 ? valley : 1;
    for (uint32_t step = 0; step < count;) {
        uint32_t top = climb(bytes, count, valley, &step);
        step = cross(bytes, count, valley, step);
        if (bytes[top] > 0)
            put_peak(out, capacity, found++,
                     (struct xpd_near_peak){.step = top, .bytes = bytes[top]});
    }
    return found;
}
