/* See holder.h. In: an analysed module. Out: the buffer of an
 * instruction's result. One step back is the inverse of one step of
 * uses.c. A walk ends after MAX_WAY steps: only a damaged program has
 * cycles. */
#include "xprofd/memory/holder.h"

#include "memory_internal.h"

#include <string.h>

#define MAX_DEPTH 7
#define MAX_WAY   4096u
#define MAX_PARTS 65536u /* of one tuple that are looked at */

struct place { /* a value: where it is seen; instruction XPD_NO_INDEX = cannot be followed */
    uint32_t instruction, depth;
    int64_t path[MAX_DEPTH + 1];
};

struct back {
    const struct xpd_mem *mem;
    const struct xpd_hlo *hlo;
    const struct xpd_uses *uses;
    const struct xpd_buffers_of *of;
    const uint32_t *known; /* of instructions below known_count; NULL: of none */
    uint32_t known_count;
};

static void lost(struct place *at)
{
    at->instruction = XPD_NO_INDEX;
}

static void inside(struct place *at, int64_t element)
{
    if (at->depth >= MAX_DEPTH) {
        lost(at);
        return;
    }
    memmove(at->path + 1, at->path, at->depth * sizeof *at->path);
    at->path[0] = element;
    at->depth++;
}

static void outside(struct place *at)
{
    at->depth--;
    memmove(at->path, at->path + 1, at->depth * sizeof *at->path);
}

/* Takes the first number of the path off; false when it is not that one. */
static bool is_part(struct place *at, int64_t element)
{
    if (at->depth == 0 || at->path[0] != element)
        return false;
    outside(at);
    return true;
}

static void to_operand(const struct back *b, struct place *at, int64_t k)
{
    const struct xpd_hlo_instructions *ins = &b->hlo->instructions;
    uint32_t first = ins->operand_first[at->instruction];
    uint32_t count = ins->operand_first[at->instruction + 1] - first;
    at->instruction = k >= 0 && k < count ? ins->operand[first + (uint32_t)k] : XPD_NO_INDEX;
}

static void to_root(const struct back *b, struct place *at)
{
    const struct xpd_hlo_instructions *ins = &b->hlo->instructions;
    uint32_t first = ins->called_first[at->instruction];
    bool calls = ins->called_first[at->instruction + 1] > first;
    uint32_t computation = calls ? ins->called[first] : XPD_NO_INDEX;
    at->instruction = computation < b->hlo->computations.count
                          ? b->hlo->computations.root[computation]
                          : XPD_NO_INDEX;
}

/* What the caller gave: the operand of the parameter's number; of a branch the one of the branch.
 */
static void to_caller(const struct back *b, struct place *at)
{
    const struct xpd_hlo_instructions *ins = &b->hlo->instructions;
    uint32_t computation = ins->computation[at->instruction];
    int64_t number = ins->parameter_number[at->instruction];
    if (computation >= b->hlo->computations.count ||
        b->uses->caller_first[computation] == b->uses->caller_first[computation + 1]) {
        lost(at);
        return;
    }
    at->instruction = b->uses->caller[b->uses->caller_first[computation]];
    switch ((enum xpd_use_kind)b->uses->kind[at->instruction]) {
    case XPD_USE_WHILE: to_operand(b, at, 0); return;
    case XPD_USE_CALL:
    case XPD_USE_ASYNC_START: to_operand(b, at, number); return;
    case XPD_USE_CONDITIONAL: break;
    default: lost(at); return;
    }
    uint32_t first = ins->called_first[at->instruction], branch = 0;
    while (first + branch < ins->called_first[at->instruction + 1] &&
           ins->called[first + branch] != computation)
        branch++;
    to_operand(b, at, 1 + (int64_t)branch);
}

static void into_start(const struct back *b, struct place *at, int64_t operand_part)
{
    if (is_part(at, operand_part))
        to_operand(b, at, 0);
    else
        lost(at);
}

static void into_async(const struct back *b, struct place *at)
{
    if (is_part(at, 1)) {
        to_root(b, at);
    } else if (is_part(at, 0) && at->depth > 0) {
        int64_t operand = at->path[0];
        outside(at);
        to_operand(b, at, operand);
    } else {
        lost(at);
    }
}

static void into_gather(const struct back *b, struct place *at)
{
    const uint32_t *first = b->hlo->instructions.operand_first + at->instruction;
    int64_t operand = 0;
    if (!is_part(at, 0) || (first[1] - first[0] > 1 && at->depth == 0)) {
        lost(at);
        return;
    }
    if (first[1] - first[0] > 1) {
        operand = at->path[0];
        outside(at);
    }
    to_operand(b, at, operand);
}

static void out_of_done(const struct back *b, struct place *at, int64_t result)
{
    inside(at, result);
    if (at->instruction != XPD_NO_INDEX)
        to_operand(b, at, 0);
}

static bool is_parameter(const struct back *b, uint32_t instruction)
{
    const uint32_t *first =
        b->uses->parameter_first + b->hlo->instructions.computation[instruction];
    int64_t number = b->hlo->instructions.parameter_number[instruction];
    return number >= 0 && number < first[1] - first[0] &&
           b->uses->parameter[first[0] + (uint32_t)number] == instruction;
}

/* To the source of the value, which is not defined here. */
static void step_back(const struct back *b, struct place *at)
{
    int64_t element = at->depth > 0 ? at->path[0] : -1;
    switch ((enum xpd_use_kind)b->uses->kind[at->instruction]) {
    case XPD_USE_TUPLE:
        if (element < 0) {
            lost(at);
            return;
        }
        outside(at);
        to_operand(b, at, element);
        return;
    case XPD_USE_ELEMENT:
        out_of_done(b, at, b->hlo->instructions.tuple_index[at->instruction]);
        return;
    case XPD_USE_SAME:
    case XPD_USE_RECV_DONE: to_operand(b, at, 0); return;
    case XPD_USE_WHILE:
    case XPD_USE_CALL:
    case XPD_USE_CONDITIONAL: to_root(b, at); return;
    case XPD_USE_ASYNC_START: into_async(b, at); return;
    case XPD_USE_START_AT_1: into_start(b, at, 1); return;
    case XPD_USE_START_AT_0: into_start(b, at, 0); return;
    case XPD_USE_GATHER_START: into_gather(b, at); return;
    case XPD_USE_DONE_FROM_0: out_of_done(b, at, 0); return;
    case XPD_USE_DONE_FROM_1: out_of_done(b, at, 1); return;
    case XPD_USE_READS: break;
    }
    if (is_parameter(b, at->instruction))
        to_caller(b, at);
    else
        lost(at);
}

/* The buffer defined at exactly this place. */
static uint32_t defined_at(const struct back *b, const struct place *at)
{
    const struct xpd_hlo_buffers *all = &b->hlo->buffers;
    for (uint32_t k = b->of->first[at->instruction]; k < b->of->first[at->instruction + 1]; k++) {
        uint32_t buffer = b->of->at[k], first = all->index_first[buffer];
        if (all->index_first[buffer + 1] - first == at->depth &&
            memcmp(all->shape_index + first, at->path, at->depth * sizeof *at->path) == 0)
            return buffer;
    }
    return XPD_NO_INDEX;
}

/* Whether another walk has ended for the whole result of this instruction, which defines nothing
 * itself. */
static bool is_known(const struct back *b, const struct place *at)
{
    uint32_t i = at->instruction;
    return i < b->known_count && at->depth == 0 && b->mem->uses->order[i] != XPD_NO_INDEX &&
           b->of->first[i] == b->of->first[i + 1] &&
           b->hlo->instructions.shape[i]->type != XPD_TYPE_TUPLE;
}

static uint32_t holder_of(const struct back *b, struct place at)
{
    for (uint32_t way = 0; way < MAX_WAY && at.instruction < b->hlo->instructions.count; way++) {
        uint32_t buffer = defined_at(b, &at);
        if (buffer != XPD_NO_INDEX)
            return buffer;
        if (is_known(b, &at))
            return b->known[at.instruction];
        step_back(b, &at);
    }
    return XPD_NO_INDEX;
}

uint32_t xpd_mem_holder_at(const struct xpd_mem *mem, const struct xpd_buffers_of *of,
                           uint32_t instruction, const int64_t *index, uint32_t index_count)
{
    struct back b = {.mem = mem, .hlo = mem->hlo, .uses = mem->uses, .of = of};
    struct place at = {.instruction = instruction, .depth = index_count};
    if (index_count > MAX_DEPTH)
        return XPD_NO_INDEX;
    memcpy(at.path, index, index_count * sizeof *index);
    return holder_of(&b, at);
}

/* ---- of whole results ---- */

/* The largest buffer that the instruction defines. */
static uint32_t own_of(const struct back *b, uint32_t instruction)
{
    uint32_t best = XPD_NO_INDEX;
    for (uint32_t k = b->of->first[instruction]; k < b->of->first[instruction + 1]; k++)
        if (best == XPD_NO_INDEX ||
            b->mem->buffer[b->of->at[k]].size_bytes > b->mem->buffer[best].size_bytes)
            best = b->of->at[k];
    return best;
}

static void larger(const struct back *b, uint32_t buffer, uint32_t *best)
{
    if (buffer != XPD_NO_INDEX && (*best == XPD_NO_INDEX || b->mem->buffer[buffer].size_bytes >
                                                                b->mem->buffer[*best].size_bytes))
        *best = buffer;
}

/* The largest part of a tuple that the instruction only passes on; its parts may be tuples. */
static uint32_t part_of(const struct back *b, uint32_t instruction)
{
    const struct xpd_shape *open[MAX_DEPTH + 1] = {b->hlo->instructions.shape[instruction]};
    struct place at = {.instruction = instruction};
    uint32_t best = XPD_NO_INDEX, parts = 0;
    at.path[0] = -1;
    for (uint32_t depth = 0; parts < MAX_PARTS;) {
        if (++at.path[depth] >= open[depth]->element_count) {
            if (depth-- == 0)
                break;
            continue;
        }
        const struct xpd_shape *part = &open[depth]->element[at.path[depth]];
        at.depth = depth + 1;
        parts++;
        if (part->type != XPD_TYPE_TUPLE) {
            larger(b, holder_of(b, at), &best);
        } else if (depth + 1 < MAX_DEPTH) {
            open[++depth] = part;
            at.path[depth] = -1;
        }
    }
    return best;
}

const uint32_t *xpd_mem_holders(const struct xpd_mem *mem, struct xpd_arena *arena)
{
    const struct xpd_hlo_instructions *ins = &mem->hlo->instructions;
    uint32_t *holder = XPD_NEW_ARRAY(arena, uint32_t, ins->count);
    struct xpd_buffers_of of;
    if (!holder || !xpd_hlo_buffers_of(&of, mem->hlo, arena))
        return NULL;
    struct back b = {.mem = mem, .hlo = mem->hlo, .uses = mem->uses, .of = &of, .known = holder};
    for (uint32_t i = 0; i < ins->count; i++) {
        b.known_count = i;
        holder[i] = own_of(&b, i);
        if (holder[i] != XPD_NO_INDEX || mem->uses->order[i] == XPD_NO_INDEX)
            continue;
        holder[i] = ins->shape[i]->type == XPD_TYPE_TUPLE
                        ? part_of(&b, i)
                        : holder_of(&b, (struct place){.instruction = i});
    }
    return holder;
}
