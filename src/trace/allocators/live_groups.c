/* Allocations that are live, and those of them that are equal. In: lives and purposes of
 * allocators, one or two instants. Out: a list, and groups of it with their sums. */
#include "xprofd/trace/allocators.h"

#include "xprofd/base/checked.h"
#include "xprofd/base/order.h"

#include <stdlib.h>

uint32_t xpd_alloc_live_add(struct xpd_alloc_one *out, const struct xpd_alloc_lives *lives,
                            const struct xpd_alloc_purpose *purpose, uint32_t lane, int64_t a_ps,
                            const int64_t *b_ps)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < lives->of->count; i++) {
        bool at_a = xpd_alloc_is_live(lives, i, a_ps);
        bool at_b = b_ps && xpd_alloc_is_live(lives, i, *b_ps);
        if (at_a || at_b)
            out[count++] = (struct xpd_alloc_one){lives, &purpose[i], lane, i,
                                                  !b_ps || (at_a && at_b) ? XPD_ALLOC_AT_BOTH
                                                  : at_a                  ? XPD_ALLOC_ONLY_A
                                                                          : XPD_ALLOC_ONLY_B};
    }
    return count;
}

/* ---- equal ones ---- */

static const struct xpd_allocation *event_of(const struct xpd_alloc_one *l)
{
    return &l->lives->of->event[l->event];
}

/* What was asked for tells apart what has no name; else what was given does. */
static int64_t size_key(const struct xpd_alloc_one *l)
{
    int64_t asked = event_of(l)->requested_bytes;
    return asked >= 0 ? asked : l->lives->bytes[l->event];
}

/* 0: one row holds both. */
static int compare_kind(const struct xpd_alloc_one *x, const struct xpd_alloc_one *y)
{
    const struct xpd_allocation *a = event_of(x), *b = event_of(y);
    const int64_t key[][2] = {{x->lane, y->lane},
                              {x->state, y->state},
                              {a->op, b->op},
                              {a->shape, b->shape},
                              {a->data_type, b->data_type},
                              {a->region, b->region},
                              {x->purpose->what, y->purpose->what},
                              {size_key(x), size_key(y)}};
    for (size_t i = 0; i < sizeof key / sizeof *key; i++)
        if (key[i][0] != key[i][1])
            return XPD_ORDER(key[i][0], key[i][1]);
    int order = xpd_str_order(x->purpose->program, y->purpose->program);
    return order != 0 ? order : xpd_str_order(x->purpose->source, y->purpose->source);
}

static int by_kind(const void *a, const void *b)
{
    const struct xpd_alloc_one *x = a, *y = b;
    int order = compare_kind(x, y);
    return order != 0 ? order : XPD_ORDER(x->event, y->event);
}

static void add(int64_t *sum, int64_t bytes)
{
    if (bytes < 0 || *sum < 0)
        *sum = -1;
    else
        xpd_grow_i64(sum, bytes);
}

static void take(struct xpd_alloc_group *group, const struct xpd_alloc_one *l)
{
    int64_t end_ps = xpd_alloc_end_ps(l->lives, l->event);
    add(&group->size_bytes, l->lives->bytes[l->event]);
    add(&group->requested_bytes, event_of(l)->requested_bytes);
    group->last_from_ps = event_of(l)->at_ps;
    group->to_ps = group->count == 0 || end_ps > group->to_ps ? end_ps : group->to_ps;
    group->count++;
}

uint32_t xpd_alloc_groups(struct xpd_alloc_group *out, struct xpd_alloc_one *live, uint32_t count,
                          bool fold)
{
    uint32_t groups = 0;
    if (count > 1)
        qsort(live, count, sizeof *live, by_kind);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || !fold || compare_kind(&live[i - 1], &live[i]) != 0)
            out[groups++] = (struct xpd_alloc_group){.first = &live[i]};
        take(&out[groups - 1], &live[i]);
    }
    return groups;
}
