/* The operations that cost most, equal ones of repeated layers together. In: costs. Out: a list. */
#include "xprofd/base/vec.h"
#include "xprofd/graph/tree.h"

struct heap {
    XPD_VEC(struct xpd_heavy) heavy;
    struct xpd_map64 by_likeness;
};

static bool counts(const struct xpd_graph_index *index, const struct xpd_outline_index *tree,
                   uint32_t i)
{
    uint8_t class = tree->class_of[index->hlo->instructions.computation[i]];
    return class == XPD_OUTLINE_ENTRY || class == XPD_OUTLINE_NESTED || class == XPD_OUTLINE_OTHER;
}

static void take(struct heap *heap, uint64_t key, uint32_t i, int64_t weight,
                 const struct xpd_outline_sum *sum)
{
    uint32_t at = xpd_map64_get(&heap->by_likeness, key);
    if (at == XPD_NO_INDEX) {
        xpd_map64_put(&heap->by_likeness, key, (uint32_t)heap->heavy.count);
        XPD_PUSH(&heap->heavy, ((struct xpd_heavy){i, i, 1, weight, *sum}));
        return;
    }
    struct xpd_heavy *heavy = &heap->heavy.at[at];
    heavy->last = i;
    heavy->repeat++;
    if (__builtin_add_overflow(heavy->weight, weight, &heavy->weight))
        heavy->weight = INT64_MAX;
    xpd_outline_add(&heavy->sum, sum);
}

static bool comes_before(const struct xpd_heavy *a, const struct xpd_heavy *b)
{
    return a->weight != b->weight ? a->weight > b->weight : a->first < b->first;
}

/* The heaviest ones in order; few are asked for, so that most fail one comparison. */
static uint32_t keep_most(struct xpd_heavy *kept, uint32_t most, const struct xpd_heavy *all,
                          size_t count)
{
    uint32_t n = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t at = n < most ? n++ : most;
        for (; at > 0 && comes_before(&all[i], &kept[at - 1]); at--)
            if (at < most)
                kept[at] = kept[at - 1];
        if (at < most)
            kept[at] = all[i];
    }
    return n;
}

static bool any_cycles(const struct xpd_costs *costs)
{
    for (uint32_t i = 0; i < costs->count; i++)
        if (costs->cycles[i] > 0)
            return true;
    return false;
}

/* Callers are not in the list beside their callees, unless the time is their own. */
static bool calls(const struct xpd_graph_index *index, const struct xpd_outline_index *tree,
                  const struct xpd_costs *costs, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    return ins->called_first[i] < ins->called_first[i + 1] &&
           xpd_outline_sum_of(index, tree, costs, i).ops > 1;
}

int xpd_graph_heaviest(struct xpd_heaviest *heaviest, struct xpd_arena *arena,
                       const struct xpd_graph_index *index, const struct xpd_outline_index *tree,
                       const struct xpd_costs *costs, const int64_t *time_ps, uint32_t most,
                       struct xpd_err *err)
{
    struct heap heap = {0};
    *heaviest = (struct xpd_heaviest){.by_time = time_ps, .by_cycles = any_cycles(costs)};
    for (uint32_t i = 0; i < costs->count; i++) {
        int64_t weight = time_ps               ? time_ps[i]
                         : heaviest->by_cycles ? costs->cycles[i]
                                               : costs->bytes[i];
        struct xpd_outline_sum sum = {1, costs->cycles[i], costs->bytes[i], costs->flops[i]};
        if (weight > 0 && (time_ps || (counts(index, tree, i) && !calls(index, tree, costs, i))))
            take(&heap, tree->likeness[i], i, weight, &sum);
    }
    uint32_t count = heap.heavy.count < most ? (uint32_t)heap.heavy.count : most;
    heaviest->at = XPD_NEW_ARRAY(arena, struct xpd_heavy, count);
    bool ok = heaviest->at && !heap.heavy.failed && !heap.by_likeness.failed;
    if (ok)
        heaviest->count = keep_most(heaviest->at, count, heap.heavy.at, heap.heavy.count);
    XPD_VEC_FINI(&heap.heavy);
    xpd_map64_fini(&heap.by_likeness);
    return ok ? XPD_OK : xpd_no_memory(err, "graph", "for this answer");
}
