/* A plan's curve and its peak. In: changes. Out: the new curve, in one pass over the steps. */
#include "xprofd/memory/plan.h"

#include "internal.h"

#include "xprofd/base/checked.h"

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
