/* Plans: actions on buffers become changes of the curve.
 *
 * In: a buffer and an action. Out: changes, or the reason why it is impossible. A buffer represents
 * its storage: all its tenancies and all values that share it. */
#include "xprofd/memory/plan.h"
#include "memory_internal.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/order.h"
#include <stdlib.h>
#include <string.h>

#define OPERAND_HOPS 8

const char *xpd_action_word(enum xpd_action action)
{
    static const char *const word[] = {"drop",    "halve", "unpad",    "donate",
                                       "offload", "shard", "recompute"};
    return (unsigned)action < XPD_ACTION_COUNT ? word[action] : "";
}

void xpd_plan_init(struct xpd_plan *plan, const struct xpd_mem *mem,
                   const struct xpd_mem_space *space, struct xpd_arena *arena)
{
    *plan = (struct xpd_plan){.mem = mem, .space = space, .arena = arena};
    size_t numbers = (size_t)mem->hlo->buffers.count + mem->hlo->allocation_count;
    plan->done = XPD_NEW_ARRAY(arena, uint32_t, numbers);
    plan->done_key = XPD_NEW_ROOM(arena, uint32_t, numbers);
    plan->failed = !plan->done || !plan->done_key;
}

static void *grown(struct xpd_plan *plan, void *at, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return at;
    uint32_t more = *capacity ? *capacity * 2 : 64;
    void *bigger = more > *capacity ? xpd_arena_calloc(plan->arena, more, size) : NULL;
    if (!bigger) {
        plan->failed = true;
        return at;
    }
    if (count > 0)
        memcpy(bigger, at, count * size);
    *capacity = more;
    return bigger;
}

static void change(struct xpd_plan *plan, uint32_t from, uint32_t to, int64_t less)
{
    if (from >= to || less == 0)
        return;
    plan->change =
        grown(plan, plan->change, plan->change_count, &plan->change_capacity, sizeof *plan->change);
    if (!plan->failed)
        plan->change[plan->change_count++] = (struct xpd_plan_change){from, to, less};
}

/* How much smaller a piece becomes for its whole life. */
static int64_t less_of(enum xpd_action action, int64_t size, int64_t unpadded, int64_t parts)
{
    switch (action) {
    case XPD_ACTION_HALVE: return size / 2;
    case XPD_ACTION_UNPAD: return size > unpadded ? size - unpadded : 0;
    case XPD_ACTION_SHARD: return size - (size / parts + (size % parts != 0));
    default: return size;
    }
}

/* Calls change() for the part of each piece of the tenancy that lies in [from, to). */
static void change_tenancy(struct xpd_plan *plan, uint32_t index, enum xpd_action action,
                           int64_t parts, uint32_t from, uint32_t to)
{
    const struct xpd_tenancy *t = &plan->space->tenancy[index];
    uint32_t growths, first = xpd_growths_of(plan->space->index, index, &growths);
    int64_t size = growths ? plan->space->index->growth[first].before_bytes : t->size_bytes;
    uint32_t at = t->start_step;
    for (uint32_t k = 0; k <= growths; k++) {
        const struct xpd_growth *g = k < growths ? &plan->space->index->growth[first + k] : NULL;
        uint32_t end = g ? g->step : t->end_step;
        uint32_t low = at > from ? at : from, high = end < to ? end : to;
        change(plan, low, high, less_of(action, size, t->unpadded_bytes, parts));
        at = end;
        size = g ? g->after_bytes : size;
    }
}

static bool index_buffers(struct xpd_plan *plan)
{
    if (!plan->buffers_of.first &&
        !xpd_hlo_buffers_of(&plan->buffers_of, plan->mem->hlo, plan->arena))
        plan->failed = true;
    return !plan->failed;
}

static bool is_opcode(const struct xpd_hlo *hlo, uint32_t instruction, const char *opcode)
{
    return xpd_str_eq(xpd_hlo_text(hlo, hlo->instructions.opcode[instruction]), xpd_str_of(opcode));
}

/* The buffer that an operand reads, through get-tuple-element and bitcast. */
static uint32_t operand_buffer(struct xpd_plan *plan, uint32_t instruction)
{
    const struct xpd_hlo *hlo = plan->mem->hlo;
    int64_t element = -1;
    for (int hop = 0; hop < OPERAND_HOPS && instruction != XPD_NO_INDEX; hop++) {
        for (uint32_t k = plan->buffers_of.first[instruction];
             k < plan->buffers_of.first[instruction + 1]; k++) {
            uint32_t b = plan->buffers_of.at[k];
            uint32_t depth = hlo->buffers.index_first[b + 1] - hlo->buffers.index_first[b];
            if ((element < 0 && depth == 0) ||
                (element >= 0 && depth == 1 &&
                 hlo->buffers.shape_index[hlo->buffers.index_first[b]] == element))
                return b;
        }
        bool get = is_opcode(hlo, instruction, "get-tuple-element");
        uint32_t first = hlo->instructions.operand_first[instruction];
        if ((!get && !is_opcode(hlo, instruction, "bitcast")) || (get && element >= 0) ||
            first == hlo->instructions.operand_first[instruction + 1])
            return XPD_NO_INDEX;
        if (get)
            element = hlo->instructions.tuple_index[instruction];
        instruction = hlo->instructions.operand[first];
    }
    return XPD_NO_INDEX;
}

/* What the buffer is computed from stays until it is computed again, before step `until`. */
static void keep_inputs(struct xpd_plan *plan, uint32_t buffer, uint32_t until)
{
    const struct xpd_hlo *hlo = plan->mem->hlo;
    uint32_t producer = plan->mem->buffer[buffer].instruction;
    if (producer == XPD_NO_INDEX || !index_buffers(plan))
        return;
    uint32_t definition = xpd_mem_definition_step(plan->mem, plan->space, buffer);
    for (uint32_t o = hlo->instructions.operand_first[producer];
         o < hlo->instructions.operand_first[producer + 1]; o++) {
        uint32_t b = operand_buffer(plan, hlo->instructions.operand[o]);
        if (b == XPD_NO_INDEX)
            continue;
        uint32_t t = plan->mem->buffer[plan->mem->buffer[b].root].storage_tenancy;
        uint32_t a = plan->mem->buffer[b].allocation;
        if (a == XPD_NO_INDEX || hlo->allocation[a].color != plan->space->color)
            continue;
        while (t != XPD_NO_INDEX && plan->space->tenancy[t].end_step <= definition)
            t = plan->space->tenancy[t].next_of_buffer;
        if (t == XPD_NO_INDEX || plan->space->tenancy[t].end_step >= until)
            continue;
        plan->longer = grown(plan, plan->longer, plan->longer_count, &plan->longer_capacity,
                             sizeof *plan->longer);
        if (!plan->failed)
            plan->longer[plan->longer_count++] = (struct xpd_plan_longer){t, until};
    }
}

/* ---- the longest stretch between two uses; a use without events of its own stands at the next
 * event, so that no step before it counts as after it ---- */

/* Steps at which it is defined or read: malloc'ed, ascending, each once; NULL without memory. */
static uint32_t *steps_of(const struct xpd_mem *mem, const struct xpd_mem_space *space,
                          uint32_t buffer, uint32_t *count)
{
    uint32_t users = xpd_users_of(mem, buffer, NULL, 0), n = 0, kept = 0;
    uint32_t *at = malloc(((size_t)users + 1) * sizeof *at);
    *count = 0;
    if (!at || buffer >= mem->hlo->buffers.count) {
        free(at);
        return NULL;
    }
    users = xpd_users_of(mem, buffer, at, users);
    for (uint32_t i = 0; i < users; i++) {
        uint32_t step = xpd_mem_step_of(mem, space, at[i]);
        if (step != XPD_NO_STEP)
            at[n++] = step;
    }
    uint32_t definition = xpd_mem_definition_step(mem, space, buffer);
    if (definition != XPD_NO_STEP)
        at[n++] = definition;
    if (n > 1)
        qsort(at, n, sizeof *at, xpd_order_u32);
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || at[i] != at[i - 1])
            at[kept++] = at[i];
    *count = kept;
    return at;
}

bool xpd_longest_gap(const struct xpd_mem *mem, const struct xpd_mem_space *space, uint32_t buffer,
                     uint32_t *from, uint32_t *to)
{
    uint32_t count, *at = steps_of(mem, space, buffer, &count);
    bool found = false;
    for (uint32_t i = 1; at && i < count; i++)
        if (at[i] - at[i - 1] > 1 && (!found || at[i] - at[i - 1] > *to - *from)) {
            *from = at[i - 1];
            *to = at[i];
            found = true;
        }
    free(at);
    return found;
}

static const char *add_gap(struct xpd_plan *plan, uint32_t buffer, uint32_t allocation,
                           enum xpd_action action, bool resident)
{
    uint32_t from, to;
    if (!xpd_longest_gap(plan->mem, plan->space, buffer, &from, &to))
        return "it has no gap between two uses";
    int64_t size = plan->mem->buffer[buffer].size_bytes;
    if (resident)
        change(plan, from + 1, to, plan->mem->hlo->allocation[allocation].size_bytes);
    else
        for (uint32_t t = plan->mem->buffer[plan->mem->buffer[buffer].root].storage_tenancy;
             t != XPD_NO_INDEX; t = plan->space->tenancy[t].next_of_buffer)
            if (!(plan->space->tenancy[t].flags & XPD_TENANCY_UNTRACED))
                change_tenancy(plan, t, XPD_ACTION_DROP, 0, from + 1, to);
    if (action == XPD_ACTION_RECOMPUTE) {
        keep_inputs(plan, buffer, to);
        xpd_grow_i64(&plan->recomputed_bytes, size);
    } else {
        xpd_grow_i64(&plan->moved_bytes, size);
        xpd_grow_i64(&plan->moved_bytes, size);
    }
    return NULL;
}

static const char *add_resident(struct xpd_plan *plan, uint32_t buffer, uint32_t allocation,
                                enum xpd_action action, int64_t parts)
{
    const struct xpd_hlo_allocation *a = &plan->mem->hlo->allocation[allocation];
    if (action == XPD_ACTION_RECOMPUTE)
        return "an argument or a constant is not computed";
    if (action == XPD_ACTION_OFFLOAD)
        return add_gap(plan, buffer, allocation, action, true);
    if (action == XPD_ACTION_DONATE &&
        (!(a->flags & XPD_ALLOC_LIVE_OUT) || (a->flags & XPD_ALLOC_PARAMETER)))
        return "only an output can take the place of an argument";
    if (a->size_bytes > 0)
        xpd_grow_i64(
            &plan->resident_less_bytes,
            less_of(action, a->size_bytes, plan->mem->buffer[buffer].unpadded_bytes, parts));
    return NULL;
}

static const char *add_storage(struct xpd_plan *plan, uint32_t buffer, uint32_t root,
                               enum xpd_action action, int64_t parts)
{
    if (action == XPD_ACTION_DONATE)
        return "only an output can take the place of an argument";
    if (action == XPD_ACTION_OFFLOAD || action == XPD_ACTION_RECOMPUTE)
        return add_gap(plan, buffer, XPD_NO_INDEX, action, false);
    for (uint32_t t = plan->mem->buffer[root].storage_tenancy; t != XPD_NO_INDEX;
         t = plan->space->tenancy[t].next_of_buffer)
        if (!(plan->space->tenancy[t].flags & XPD_TENANCY_UNTRACED))
            change_tenancy(plan, t, action, parts, 0, UINT32_MAX);
    return NULL;
}

static const char *add_dropped(struct xpd_plan *plan, uint32_t buffer, enum xpd_action action)
{
    if (action != XPD_ACTION_DROP)
        return "addresses overlap in this memory space, so only leaving it out can be computed";
    if (!plan->dropped)
        plan->dropped = XPD_NEW_ARRAY(plan->arena, uint32_t, plan->mem->hlo->buffers.count);
    plan->failed |= !plan->dropped;
    if (!plan->failed)
        plan->dropped[plan->dropped_count++] = buffer;
    return NULL;
}

const char *xpd_plan_add(struct xpd_plan *plan, uint32_t buffer, enum xpd_action action,
                         int64_t parts)
{
    const struct xpd_hlo *hlo = plan->mem->hlo;
    if (plan->failed)
        return "not enough memory for this plan";
    if (buffer >= hlo->buffers.count || (action == XPD_ACTION_SHARD && parts < 2))
        return "there is no such buffer or number of parts";
    uint32_t a = plan->mem->buffer[buffer].allocation, root = plan->mem->buffer[buffer].root;
    if (a == XPD_NO_INDEX || hlo->allocation[a].color != plan->space->color)
        return "it lies in another memory space";
    bool indefinite = xpd_mem_indefinite(hlo->allocation[a].flags);
    if (indefinite && !xpd_mem_resident(hlo->allocation[a].flags))
        return "memory of a thread is not part of the peak";
    uint32_t key = indefinite ? hlo->buffers.count + a : root;
    if (plan->done[key])
        return NULL;
    const char *no = plan->space->live_is_union ? add_dropped(plan, buffer, action)
                     : indefinite               ? add_resident(plan, buffer, a, action, parts)
                                                : add_storage(plan, buffer, root, action, parts);
    if (!no && !plan->failed) {
        plan->done[key] = 1;
        plan->done_key[plan->done_count++] = key;
    }
    return no;
}

/* A plan's curve and its peak. In: changes. Out: the new curve, in one pass over the steps. */

static int by_tenancy(const void *a, const void *b)
{
    const struct xpd_plan_longer *x = a, *y = b;
    if (x->tenancy != y->tenancy)
        return x->tenancy < y->tenancy ? -1 : 1;
    return (x->until < y->until) - (x->until > y->until); /* the latest first */
}

/* An input needed by several results is held once, until the last of them. */
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
