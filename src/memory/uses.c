/* Readers of a buffer, its first and last use, and the gap over the peak in which it is not read
 * (A5).
 *
 * In: a buffer. Out: instructions that read it, in order of execution. A value is followed from
 * where it is defined (and from every alias the file names) through tuples, get-tuple-element,
 * bitcast and the parameters and roots of called computations; an asynchronous transfer reads it
 * until its done. Nothing is kept: the walk's own memory is freed before the answer. Walks end
 * after MAX_PLACES. */
#include "xprofd/memory/plan.h"
#include "xprofd/memory/query.h"

#include "memory_internal.h"
#include "xprofd/base/radix.h"

#include "xprofd/base/vec.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH  7
#define MAX_PLACES (1u << 17)

struct place { /* the buffer as seen by one instruction; compared as bytes */
    uint32_t instruction, depth;
    int32_t path[MAX_DEPTH + 1];
};

struct walk {
    const struct xpd_hlo *hlo;
    const struct xpd_uses *uses;
    uint32_t definition;
    struct xpd_map64 seen, used;
    XPD_VEC(struct place) todo;
    XPD_VEC(uint32_t) use;
};

static void visit(struct walk *w, const struct place *place, uint32_t instruction)
{
    if (instruction >= w->hlo->instructions.count || w->todo.count >= MAX_PLACES)
        return;
    struct place next = *place;
    next.instruction = instruction;
    for (uint32_t i = next.depth; i <= MAX_DEPTH; i++)
        next.path[i] = 0;
    uint64_t key = xpd_hash(&next, sizeof next);
    if (xpd_map64_get(&w->seen, key) != XPD_NO_INDEX)
        return;
    xpd_map64_put(&w->seen, key, 0);
    XPD_PUSH(&w->todo, next);
}

static void use(struct walk *w, uint32_t instruction)
{
    if (xpd_map64_get(&w->used, instruction) != XPD_NO_INDEX)
        return;
    xpd_map64_put(&w->used, instruction, 0);
    XPD_PUSH(&w->use, instruction);
}

static struct place inside(const struct place *place, uint32_t element)
{
    struct place p = *place;
    if (p.depth >= MAX_DEPTH || element > INT32_MAX) {
        p.instruction = XPD_NO_INDEX; /* too deep to follow */
        return p;
    }
    memmove(p.path + 1, p.path, p.depth * sizeof *p.path);
    p.path[0] = (int32_t)element;
    p.depth++;
    return p;
}

static struct place outside(const struct place *place)
{
    struct place p = *place;
    p.depth--;
    memmove(p.path, p.path + 1, p.depth * sizeof *p.path);
    return p;
}

static void visit_inside(struct walk *w, const struct place *place, uint32_t element,
                         uint32_t instruction)
{
    struct place p = inside(place, element);
    if (p.instruction != XPD_NO_INDEX)
        visit(w, &p, instruction);
}

static void visit_parameter(struct walk *w, const struct place *place, uint32_t computation,
                            uint32_t number)
{
    if (computation >= w->hlo->computations.count)
        return;
    uint32_t first = w->uses->parameter_first[computation];
    if (number < w->uses->parameter_first[computation + 1] - first)
        visit(w, place, w->uses->parameter[first + number]);
}

static void visit_called(struct walk *w, const struct place *place, uint32_t user, uint32_t which,
                         uint32_t number)
{
    uint32_t first = w->hlo->instructions.called_first[user];
    if (which < w->hlo->instructions.called_first[user + 1] - first)
        visit_parameter(w, place, w->hlo->instructions.called[first + which], number);
}

/* Takes the result out of what a *-start returned, or reads its operand to the end. */
static void done(struct walk *w, const struct place *place, uint32_t user, int32_t result)
{
    if (place->depth > 0 && place->path[0] == result) {
        struct place p = outside(place);
        visit(w, &p, user);
    } else {
        use(w, user);
    }
}

static void read_by(struct walk *w, const struct place *place, uint32_t user, uint32_t operand)
{
    uint32_t operands =
        w->hlo->instructions.operand_first[user + 1] - w->hlo->instructions.operand_first[user];
    struct place p;
    switch ((enum xpd_use_kind)w->uses->kind[user]) {
    case XPD_USE_TUPLE: visit_inside(w, place, operand, user); break;
    case XPD_USE_ELEMENT:
        if (place->depth == 0) {
            use(w, user); /* reads the table itself */
        } else if (place->path[0] == w->hlo->instructions.tuple_index[user]) {
            p = outside(place);
            visit(w, &p, user);
        }
        break;
    case XPD_USE_SAME:
        if (operand == 0)
            visit(w, place, user);
        else if (operands > 1)
            visit_inside(w, place, operand, user);
        break;
    case XPD_USE_WHILE:
        visit_called(w, place, user, 0, 0);
        visit_called(w, place, user, 1, 0);
        break;
    case XPD_USE_CALL: visit_called(w, place, user, 0, operand); break;
    case XPD_USE_CONDITIONAL:
        if (operand == 0)
            use(w, user);
        else
            visit_called(w, place, user, operand - 1, 0);
        break;
    case XPD_USE_ASYNC_START:
        use(w, user);
        visit_called(w, place, user, 0, operand);
        p = inside(place, operand);
        if (p.instruction != XPD_NO_INDEX)
            visit_inside(w, &p, 0, user);
        break;
    case XPD_USE_START_AT_1:
        use(w, user);
        visit_inside(w, place, 1, user);
        break;
    case XPD_USE_START_AT_0:
        use(w, user);
        if (operand == 0)
            visit_inside(w, place, 0, user);
        break;
    case XPD_USE_GATHER_START: /* several operands come back as a tuple of their own */
        use(w, user);
        p = operands > 1 ? inside(place, operand) : *place;
        if (p.instruction != XPD_NO_INDEX)
            visit_inside(w, &p, 0, user);
        break;
    case XPD_USE_DONE_FROM_0: done(w, place, user, 0); break;
    case XPD_USE_DONE_FROM_1: done(w, place, user, 1); break;
    case XPD_USE_RECV_DONE:
        if (place->depth > 0 && place->path[0] == 0)
            visit(w, place, user);
        break;
    case XPD_USE_READS: use(w, user); break;
    }
}

/* The place is the root of a computation: go on where it was called. */
static void returned_to(struct walk *w, const struct place *place, uint32_t caller,
                        uint32_t computation)
{
    const struct xpd_hlo_instructions *ins = &w->hlo->instructions;
    uint32_t first = ins->called_first[caller], count = ins->called_first[caller + 1] - first;
    switch ((enum xpd_use_kind)w->uses->kind[caller]) {
    case XPD_USE_WHILE:
        if (count > 0 && ins->called[first] != computation) {
            use(w, caller); /* the condition's answer */
            break;
        }
        visit(w, place, caller);
        visit_called(w, place, caller, 0, 0);
        visit_called(w, place, caller, 1, 0);
        break;
    case XPD_USE_CALL:
    case XPD_USE_CONDITIONAL: visit(w, place, caller); break;
    case XPD_USE_ASYNC_START: visit_inside(w, place, 1, caller); break;
    default: break;
    }
}

static void follow(struct walk *w, const struct place *place)
{
    const struct xpd_hlo_instructions *ins = &w->hlo->instructions;
    uint32_t i = place->instruction, last = XPD_NO_INDEX;
    for (uint32_t k = w->uses->user_first[i]; k < w->uses->user_first[i + 1]; k++) {
        uint32_t user = w->uses->user[k];
        if (user == last)
            continue; /* reads it more than once: all its operands are looked at */
        last = user;
        if (w->uses->kind[user] == XPD_USE_READS) {
            use(w, user);
            continue;
        }
        for (uint32_t o = ins->operand_first[user]; o < ins->operand_first[user + 1]; o++)
            if (ins->operand[o] == i)
                read_by(w, place, user, o - ins->operand_first[user]);
    }
    uint32_t c = ins->computation[i];
    if (c >= w->hlo->computations.count || w->hlo->computations.root[c] != i)
        return;
    if (c == w->hlo->entry && i != w->definition)
        use(w, i);
    for (uint32_t k = w->uses->caller_first[c]; k < w->uses->caller_first[c + 1]; k++)
        returned_to(w, place, w->uses->caller[k], c);
}

static void start_at(struct walk *w, uint32_t instruction, const int64_t *index, uint32_t count)
{
    struct place place = {.depth = count};
    if (instruction == XPD_NO_INDEX || count > MAX_DEPTH)
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (index[i] < 0 || index[i] > INT32_MAX)
            return;
        place.path[i] = (int32_t)index[i];
    }
    visit(w, &place, instruction);
}

static void sort_uses(const struct xpd_uses *uses, uint32_t *use_list, size_t count)
{
    uint32_t *key = malloc((count + 1) * sizeof *key);
    for (size_t i = 0; key && i < count; i++)
        key[i] = uses->order[use_list[i]];
    if (key)
        xpd_radix_sort_u32(key, use_list, (uint32_t)count);
    free(key);
}

/* Fills w->use; the caller frees it. */
static void walk_buffer(struct walk *w, const struct xpd_mem *mem, uint32_t buffer)
{
    const struct xpd_hlo *hlo = mem->hlo;
    const struct xpd_hlo_buffers *b = &hlo->buffers;
    *w = (struct walk){.hlo = hlo, .uses = mem->uses, .definition = b->instruction[buffer]};
    start_at(w, b->instruction[buffer], b->shape_index + b->index_first[buffer],
             b->index_first[buffer + 1] - b->index_first[buffer]);
    for (uint32_t i = 0; i < hlo->value_count; i++)
        if (hlo->value[i].source_buffer_id == b->id[buffer])
            start_at(w, hlo->value[i].instruction, hlo->value[i].shape_index,
                     hlo->value[i].shape_index_count);
    for (size_t i = 0; i < w->todo.count; i++) {
        struct place place = w->todo.at[i]; /* the list moves while it grows */
        follow(w, &place);
    }
    sort_uses(mem->uses, w->use.at, w->use.count);
    xpd_map64_fini(&w->seen);
    xpd_map64_fini(&w->used);
    XPD_VEC_FINI(&w->todo);
}

uint32_t xpd_mem_step_of(const struct xpd_mem *mem, const struct xpd_mem_space *space,
                         uint32_t instruction)
{
    const struct xpd_uses_space *place = &mem->uses->space[space - mem->space];
    uint32_t order = mem->uses->order[instruction], low = 0, high = place->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (place->order[middle] < order)
            low = middle + 1;
        else
            high = middle;
    }
    return order == XPD_NO_INDEX || low == place->count ? XPD_NO_STEP : place->step[low];
}

uint32_t xpd_mem_definition_step(const struct xpd_mem *mem, const struct xpd_mem_space *space,
                                 uint32_t buffer)
{
    const struct xpd_mem_buffer *b = &mem->buffer[buffer];
    bool here =
        b->allocation != XPD_NO_INDEX && mem->hlo->allocation[b->allocation].color == space->color;
    if (here && b->first_step != XPD_NO_STEP)
        return b->first_step;
    if (b->mem_class == XPD_CLASS_PARAMETER || b->mem_class == XPD_CLASS_CONSTANT)
        return space->step_count ? 0 : XPD_NO_STEP;
    return b->instruction == XPD_NO_INDEX ? XPD_NO_STEP
                                          : xpd_mem_step_of(mem, space, b->instruction);
}

static void note_gap(struct xpd_use_span *out, uint32_t peak, uint32_t step, bool *busy)
{
    if (step == XPD_NO_STEP)
        return;
    if (step == peak)
        *busy = true;
    else if (step < peak && (out->idle_from == XPD_NO_STEP || step > out->idle_from))
        out->idle_from = step;
    else if (step > peak && (out->idle_to == XPD_NO_STEP || step < out->idle_to))
        out->idle_to = step;
}

void xpd_uses_of(const struct xpd_mem *mem, const struct xpd_mem_space *space, uint32_t buffer,
                 struct xpd_use_span *out)
{
    struct walk w;
    bool busy = false;
    *out = (struct xpd_use_span){XPD_NO_INDEX, XPD_NO_INDEX, XPD_NO_STEP, XPD_NO_STEP, 0,
                                 XPD_NO_STEP,  XPD_NO_STEP};
    if (buffer >= mem->hlo->buffers.count)
        return;
    walk_buffer(&w, mem, buffer);
    out->use_count = (uint32_t)w.use.count;
    note_gap(out, space->peak_step, xpd_mem_definition_step(mem, space, buffer), &busy);
    for (size_t i = 0; i < w.use.count; i++) {
        uint32_t step = xpd_mem_step_of(mem, space, w.use.at[i]);
        note_gap(out, space->peak_step, step, &busy);
        if (out->first_instruction == XPD_NO_INDEX)
            out->first_instruction = w.use.at[i];
        out->last_instruction = w.use.at[i];
        if (step == XPD_NO_STEP)
            continue;
        if (out->first_step == XPD_NO_STEP || step < out->first_step)
            out->first_step = step;
        if (out->last_step == XPD_NO_STEP || step > out->last_step)
            out->last_step = step;
    }
    if (busy || space->peak_step == XPD_NO_STEP || out->idle_from == XPD_NO_STEP ||
        out->idle_to == XPD_NO_STEP)
        out->idle_from = out->idle_to = XPD_NO_STEP;
    XPD_VEC_FINI(&w.use);
}

uint32_t xpd_users_of(const struct xpd_mem *mem, uint32_t buffer, uint32_t *out, uint32_t capacity)
{
    struct walk w;
    if (buffer >= mem->hlo->buffers.count)
        return 0;
    walk_buffer(&w, mem, buffer);
    uint32_t count = (uint32_t)w.use.count;
    for (uint32_t i = 0; i < count && i < capacity; i++)
        out[i] = w.use.at[i];
    XPD_VEC_FINI(&w.use);
    return count;
}
