/* The order in which XLA writes instructions and computations into a file: definitions before uses.
 * A scheduled text has its instructions in the order of the schedule instead, so the order of the
 * file is found here, by the rule that XLA's printer and ours follow (print_module.c,
 * print_open.c). Both walks keep their own stack: a text may nest as deep as it likes. */
#include "parse_internal.h"

struct walk {
    struct xpd_parse *p;
    uint32_t first, count;
    uint8_t *state; /* 0 new, 1 entered, 2 done */
    uint32_t *out, written;
    XPD_VEC(uint32_t) stack;
};

/* The index in the computation of the instruction of that id; XPD_NO_INDEX when it is not there. */
static uint32_t index_of(const struct walk *walk, uint32_t id)
{
    uint32_t found = id == XPD_PARSE_NO_ID ? XPD_NO_INDEX : walk->p->instruction_of.at[id - 1];
    return found >= walk->first && found - walk->first < walk->count ? found - walk->first
                                                                     : XPD_NO_INDEX;
}

static void push(struct walk *walk, uint32_t id)
{
    uint32_t index = index_of(walk, id);
    if (index != XPD_NO_INDEX && walk->state[index] == 0)
        XPD_PUSH(&walk->stack, index);
}

static void visit_from(struct walk *walk, uint32_t start)
{
    if (walk->state[start] == 0)
        XPD_PUSH(&walk->stack, start);
    while (walk->stack.count != 0) {
        uint32_t at = walk->stack.at[walk->stack.count - 1];
        const struct xpd_parsed_instruction *of = &walk->p->instruction.at[walk->first + at];
        if (walk->state[at] != 0) {
            walk->stack.count--;
            if (walk->state[at] == 1) {
                walk->state[at] = 2;
                walk->out[walk->written++] = walk->first + at;
            }
            continue;
        }
        walk->state[at] = 1;
        for (uint32_t k = of->operand_count; k > 0; k--)
            push(walk, walk->p->operand.at[of->operand_first + k - 1]);
        for (uint32_t k = 0; k < of->control_count; k++)
            push(walk, walk->p->operand.at[of->operand_first + of->operand_count + k]);
    }
}

const uint32_t *xpd_parse_order(struct xpd_parse *p,
                                const struct xpd_parsed_computation *computation,
                                struct xpd_arena *arena)
{
    struct walk walk = {.p = p, .first = computation->first, .count = computation->count};
    walk.state = XPD_NEW_ARRAY(arena, uint8_t, walk.count);
    walk.out = XPD_NEW_ARRAY(arena, uint32_t, walk.count);
    bool *used = XPD_NEW_ARRAY(arena, bool, walk.count);
    if (!walk.state || !walk.out || !used)
        return NULL;
    for (uint32_t i = 0; i < walk.count; i++) {
        const struct xpd_parsed_instruction *of = &p->instruction.at[walk.first + i];
        for (uint32_t k = 0; k < of->operand_count; k++) {
            uint32_t operand = index_of(&walk, p->operand.at[of->operand_first + k]);
            if (operand != XPD_NO_INDEX)
                used[operand] = true;
        }
    }
    for (uint32_t i = 0; i < walk.count; i++)
        if (!used[i])
            visit_from(&walk, i);
    for (uint32_t i = 0; i < walk.count; i++) /* circles, which XLA refuses */
        visit_from(&walk, i);
    bool whole = walk.written == walk.count && !walk.stack.failed;
    XPD_VEC_FINI(&walk.stack);
    return whole ? walk.out : NULL;
}

/* ---- computations ---- */

struct visit {
    uint32_t computation, instruction, call; /* where to go on in it */
};

struct calls {
    struct xpd_parse *p;
    const uint32_t *const *order; /* by computation: its instructions as the file has them */
    bool *seen;
    struct visit *stack;
    uint32_t *out, written;
};

/* The next computation that this one calls, or XPD_NO_INDEX at its end. */
static uint32_t next_call(const struct calls *calls, struct visit *at)
{
    const struct xpd_parsed_computation *of = &calls->p->computation.at[at->computation];
    for (; at->instruction < of->count; at->instruction++, at->call = 0) {
        const struct xpd_parsed_instruction *caller =
            &calls->p->instruction.at[calls->order[at->computation][at->instruction]];
        while (at->call < caller->called_count) {
            uint32_t id = calls->p->called.at[caller->called_first + at->call++];
            uint32_t callee = calls->p->computation_of.at[id - 1];
            if (callee != XPD_NO_INDEX && !calls->seen[callee])
                return callee;
        }
    }
    return XPD_NO_INDEX;
}

static void emit_from(struct calls *calls, uint32_t root)
{
    uint32_t depth = 0;
    if (calls->seen[root])
        return;
    calls->seen[root] = true;
    calls->stack[depth++] = (struct visit){root, 0, 0};
    while (depth > 0) {
        struct visit *at = &calls->stack[depth - 1];
        uint32_t callee = next_call(calls, at);
        if (callee == XPD_NO_INDEX) {
            calls->out[calls->written++] = at->computation;
            depth--;
            continue;
        }
        calls->seen[callee] = true;
        calls->stack[depth++] = (struct visit){callee, 0, 0};
    }
}

const uint32_t *xpd_parse_computation_order(struct xpd_parse *p, const uint32_t *const *order,
                                            struct xpd_arena *arena)
{
    size_t n = p->computation.count;
    struct calls calls = {.p = p, .order = order};
    calls.seen = XPD_NEW_ARRAY(arena, bool, n);
    calls.stack = XPD_NEW_ARRAY(arena, struct visit, n);
    calls.out = XPD_NEW_ARRAY(arena, uint32_t, n);
    bool *called = XPD_NEW_ARRAY(arena, bool, n);
    if (!calls.seen || !calls.stack || !calls.out || !called)
        return NULL;
    for (size_t k = 0; k < p->called.count; k++) {
        uint32_t callee = p->computation_of.at[p->called.at[k] - 1];
        if (callee != XPD_NO_INDEX)
            called[callee] = true;
    }
    for (uint32_t c = 0; c < n; c++)
        if (!called[c])
            emit_from(&calls, c);
    for (uint32_t c = 0; c < n; c++) /* only in circles, which XLA refuses */
        emit_from(&calls, c);
    return calls.out;
}
