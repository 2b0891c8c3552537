/* Users, callers, and the order of execution.
 *
 * In: a loaded module. Out: struct xpd_uses, frozen. The order is XLA's flattening: the
 * computations a call, conditional or async-start names come right before it; of a while the
 * condition, then the body, then the while itself; each computation once. Computations inside
 * fusions and reducers have no position. */
#include "memory_internal.h"
#include "xprofd/base/radix.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *opcode;
    uint8_t kind;
} kinds[] = {
    {"tuple", XPD_USE_TUPLE},
    {"get-tuple-element", XPD_USE_ELEMENT},
    {"bitcast", XPD_USE_SAME},
    {"optimization-barrier", XPD_USE_SAME},
    {"opt-barrier", XPD_USE_SAME},
    {"domain", XPD_USE_SAME},
    {"add-dependency", XPD_USE_SAME},
    {"async-update", XPD_USE_SAME},
    {"all-reduce-done", XPD_USE_SAME},
    {"while", XPD_USE_WHILE},
    {"call", XPD_USE_CALL},
    {"conditional", XPD_USE_CONDITIONAL},
    {"async-start", XPD_USE_ASYNC_START},
    {"copy-start", XPD_USE_START_AT_1},
    {"all-gather-start", XPD_USE_GATHER_START},
    {"collective-permute-start", XPD_USE_START_AT_0},
    {"send", XPD_USE_START_AT_0},
    {"copy-done", XPD_USE_DONE_FROM_0},
    {"all-gather-done", XPD_USE_DONE_FROM_1},
    {"collective-permute-done", XPD_USE_DONE_FROM_1},
    {"async-done", XPD_USE_DONE_FROM_1},
    {"recv-done", XPD_USE_RECV_DONE},
};

static bool classify(struct xpd_mem_build *b, struct xpd_uses *uses)
{
    const struct xpd_hlo *hlo = b->mem->hlo;
    uint8_t *of_name = XPD_NEW_ARRAY(&b->scratch, uint8_t, (size_t)hlo->names.count + 1);
    uses->kind = XPD_NEW_ARRAY(&b->mem->arena, uint8_t, hlo->instructions.count);
    if (!of_name || !uses->kind)
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        xpd_name_id id = xpd_intern_find(&hlo->names, xpd_str_of(kinds[i].opcode));
        if (id < hlo->names.count)
            of_name[id] = kinds[i].kind;
    }
    for (uint32_t i = 0; i < hlo->instructions.count; i++)
        uses->kind[i] = of_name[hlo->instructions.opcode[i]];
    return true;
}

/* Turns (owner -> item) lists around: for each item its owners, in file order, each once. */
static bool invert(struct xpd_arena *arena, uint32_t owners, const uint32_t *owner_first,
                   const uint32_t *item, uint32_t items, uint32_t **first_out, uint32_t **out)
{
    uint32_t *first = XPD_NEW_ARRAY(arena, uint32_t, (size_t)items + 2);
    uint32_t *owner = XPD_NEW_ARRAY(arena, uint32_t, owner_first[owners]);
    if (!first || !owner)
        return false;
    for (uint32_t k = 0; k < owner_first[owners]; k++)
        if (item[k] < items)
            first[item[k] + 2]++;
    for (uint32_t i = 2; i < items + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t o = 0; o < owners; o++)
        for (uint32_t k = owner_first[o]; k < owner_first[o + 1]; k++)
            if (item[k] < items)
                owner[first[item[k] + 1]++] = o;
    *first_out = first;
    *out = owner;
    return true;
}

static bool list_parameters(struct xpd_mem_build *b, struct xpd_uses *uses)
{
    const struct xpd_hlo *hlo = b->mem->hlo;
    const struct xpd_hlo_computations *c = &hlo->computations;
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    xpd_name_id word = xpd_intern_find(&hlo->names, XPD_STR("parameter"));
    uint32_t total = 0;
    uint32_t *first = XPD_NEW_ARRAY(&b->mem->arena, uint32_t, (size_t)c->count + 1);
    if (!first)
        return false;
    for (uint32_t k = 0; k < c->count; k++) {
        first[k] = total;
        for (uint32_t i = c->first[k]; i < c->first[k] + c->instruction_count[k]; i++)
            total += ins->opcode[i] == word;
    }
    first[c->count] = total;
    uint32_t *parameter = XPD_NEW_ARRAY(&b->mem->arena, uint32_t, total);
    if (!parameter)
        return false;
    memset(parameter, 0xff, total * sizeof *parameter);
    for (uint32_t k = 0; k < c->count; k++)
        for (uint32_t i = c->first[k]; i < c->first[k] + c->instruction_count[k]; i++)
            if (ins->opcode[i] == word && ins->parameter_number[i] >= 0 &&
                ins->parameter_number[i] < first[k + 1] - first[k])
                parameter[first[k] + (uint32_t)ins->parameter_number[i]] = i;
    uses->parameter_first = first;
    uses->parameter = parameter;
    return true;
}

struct frame { /* a computation half done: `at` is the next of its instructions */
    uint32_t computation, at, callee;
};

/* The k-th computation to run before the instruction; XPD_NO_INDEX when there are no more. */
static uint32_t callee(const struct xpd_hlo *hlo, const struct xpd_uses *uses, uint32_t instruction,
                       uint32_t k)
{
    uint32_t first = hlo->instructions.called_first[instruction];
    uint32_t count = hlo->instructions.called_first[instruction + 1] - first;
    switch (uses->kind[instruction]) {
    case XPD_USE_WHILE: /* on the wire the body comes first */
        return k < count ? hlo->instructions.called[first + count - 1 - k] : XPD_NO_INDEX;
    case XPD_USE_CALL:
    case XPD_USE_CONDITIONAL:
    case XPD_USE_ASYNC_START: return k < count ? hlo->instructions.called[first + k] : XPD_NO_INDEX;
    default: return XPD_NO_INDEX;
    }
}

static uint32_t instruction_at(const struct xpd_hlo *hlo, uint32_t computation, uint32_t at)
{
    const struct xpd_hlo_computations *c = &hlo->computations;
    uint32_t scheduled = c->schedule_first[computation + 1] - c->schedule_first[computation];
    if (scheduled > 0)
        return at < scheduled ? c->schedule[c->schedule_first[computation] + at] : UINT32_MAX - 1;
    return at < c->instruction_count[computation] ? c->first[computation] + at : UINT32_MAX - 1;
}

/* Every computation enters the stack at most once, so the depth is bounded by their number. */
static bool flatten(struct xpd_mem_build *b, struct xpd_uses *uses)
{
    const struct xpd_hlo *hlo = b->mem->hlo;
    uint32_t computations = hlo->computations.count, depth = 0, order = 0;
    struct frame *stack = XPD_NEW_ARRAY(&b->scratch, struct frame, computations);
    bool *seen = XPD_NEW_ARRAY(&b->scratch, bool, computations);
    uses->order = XPD_NEW_ARRAY(&b->mem->arena, uint32_t, hlo->instructions.count);
    if (!stack || !seen || !uses->order)
        return false;
    memset(uses->order, 0xff, hlo->instructions.count * sizeof *uses->order);
    if (hlo->entry < computations) {
        seen[hlo->entry] = true;
        stack[depth++] = (struct frame){.computation = hlo->entry};
    }
    while (depth > 0) {
        struct frame *top = &stack[depth - 1];
        uint32_t i = instruction_at(hlo, top->computation, top->at);
        if (i == UINT32_MAX - 1) {
            depth--;
            continue;
        }
        if (i >= hlo->instructions.count) { /* the schedule names a missing instruction */
            top->at++;
            continue;
        }
        uint32_t next = callee(hlo, uses, i, top->callee);
        uint32_t count = hlo->instructions.called_first[i + 1] - hlo->instructions.called_first[i];
        if (uses->kind[i] != XPD_USE_READS && top->callee < count) {
            top->callee++;
            if (next < computations && !seen[next]) {
                seen[next] = true;
                stack[depth++] = (struct frame){.computation = next};
            }
            continue;
        }
        if (uses->order[i] == XPD_NO_INDEX)
            uses->order[i] = order++;
        top->at++;
        top->callee = 0;
    }
    return true;
}

static bool place_steps(struct xpd_mem_build *b, struct xpd_uses *uses)
{
    const struct xpd_mem *mem = b->mem;
    const struct xpd_hlo *hlo = mem->hlo;
    uses->space = XPD_NEW_ARRAY(&b->mem->arena, struct xpd_uses_space, mem->space_count);
    if (!uses->space)
        return false;
    for (uint32_t s = 0; s < mem->space_count; s++) {
        const struct xpd_mem_space *space = &mem->space[s];
        struct xpd_uses_space *place = &uses->space[s];
        uint32_t count = 0;
        for (uint32_t i = 0; i < space->step_count; i++)
            count += space->index->running[i] == i;
        place->order = XPD_NEW_ARRAY(&b->mem->arena, uint32_t, count);
        place->step = XPD_NEW_ARRAY(&b->mem->arena, uint32_t, count);
        if (!place->order || !place->step)
            return false;
        for (uint32_t i = 0; i < space->step_count; i++) {
            if (space->index->running[i] != i)
                continue;
            uint32_t event = space->event[i], buffer = hlo->events.buffer[event];
            uint32_t at = hlo->instruction_by_name[hlo->events.instruction_name[event]];
            if (at == XPD_NO_INDEX && buffer != XPD_NO_INDEX)
                at = mem->buffer[buffer].instruction;
            if (at == XPD_NO_INDEX || uses->order[at] == XPD_NO_INDEX)
                continue;
            place->order[place->count] = uses->order[at];
            place->step[place->count++] = i;
        }
        if (!xpd_radix_sort_u32(place->order, place->step, place->count))
            return false;
    }
    return true;
}

bool xpd_mem_build_uses(struct xpd_mem_build *b)
{
    struct xpd_mem *mem = b->mem;
    const struct xpd_hlo_instructions *ins = &mem->hlo->instructions;
    struct xpd_uses *uses = mem->uses = XPD_NEW(&mem->arena, struct xpd_uses);
    return uses && classify(b, uses) &&
           invert(&mem->arena, ins->count, ins->operand_first, ins->operand, ins->count,
                  &uses->user_first, &uses->user) &&
           invert(&mem->arena, ins->count, ins->called_first, ins->called,
                  mem->hlo->computations.count, &uses->caller_first, &uses->caller) &&
           list_parameters(b, uses) && flatten(b, uses) && place_steps(b, uses);
}
