/* The longest chain of a program. In: cycles by instruction. Out: the chain.
 *
 * Computations are processed callees first, as in the text, so that the cost of one iteration of a
 * while is known. Within one, instructions in program order, each after its operands; an operand
 * that a damaged file puts later has length 0. */
#include "xprofd/graph/path.h"

struct chain {
    const struct xpd_graph_index *index;
    const int64_t *cycles;
    bool by_cycles;
    int64_t *own, *until; /* by instruction: its own length, and the longest chain up to its end */
    uint32_t *before;     /* the operand it waits for */
    int64_t *inside;      /* by computation */
};

static bool takes_no_time(const struct xpd_graph_index *index, uint32_t i)
{
    switch (index->op[i]) {
    case XPD_GOP_PARAMETER:
    case XPD_GOP_CONSTANT:
    case XPD_GOP_TUPLE:
    case XPD_GOP_ELEMENT:
    case XPD_GOP_BITCAST: return true;
    default: return false;
    }
}

static int64_t sum(int64_t a, int64_t b)
{
    int64_t out;
    return __builtin_add_overflow(a, b, &out) ? INT64_MAX : out;
}

/* Of a while: its condition and its body, once. */
static int64_t inside_of(const struct chain *c, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &c->index->hlo->instructions;
    int64_t all = 0;
    if (c->index->op[i] == XPD_GOP_FUSION)
        return 0;
    for (uint32_t k = ins->called_first[i]; k < ins->called_first[i + 1]; k++)
        if (ins->called[k] != XPD_NO_INDEX && !c->index->trivial[ins->called[k]])
            all = sum(all, c->inside[ins->called[k]]);
    return all;
}

static int64_t own_of(const struct chain *c, uint32_t i)
{
    if (takes_no_time(c->index, i))
        return 0;
    if (c->by_cycles && c->cycles[i] >= 0)
        return c->cycles[i];
    int64_t inside = inside_of(c, i);
    return c->by_cycles || inside > 0 ? inside : 1;
}

static void do_instruction(struct chain *c, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &c->index->hlo->instructions;
    int64_t longest = 0;
    c->before[i] = XPD_NO_INDEX;
    for (uint32_t k = ins->operand_first[i]; k < ins->operand_first[i + 1]; k++) {
        uint32_t operand = ins->operand[k];
        if (operand == XPD_NO_INDEX || c->until[operand] < 0)
            continue;
        if (c->before[i] == XPD_NO_INDEX || c->until[operand] > longest) {
            longest = c->until[operand];
            c->before[i] = operand;
        }
    }
    c->own[i] = own_of(c, i);
    c->until[i] = sum(longest, c->own[i]);
}

static uint32_t last_of(struct chain *c, uint32_t computation)
{
    const uint32_t *order = c->index->order + c->index->order_first[computation];
    uint32_t last = XPD_NO_INDEX;
    for (uint32_t k = 0; k < c->index->order_size[computation]; k++) {
        do_instruction(c, order[k]);
        if (last == XPD_NO_INDEX || c->until[order[k]] > c->until[last])
            last = order[k];
    }
    c->inside[computation] = last != XPD_NO_INDEX ? c->until[last] : 0;
    return last;
}

static bool any_cycles(const struct chain *c, uint32_t computation)
{
    const uint32_t *order = c->index->order + c->index->order_first[computation];
    for (uint32_t k = 0; k < c->index->order_size[computation]; k++)
        if (c->cycles[order[k]] > 0)
            return true;
    return false;
}

int xpd_graph_critical(struct xpd_critical *critical, struct xpd_arena *arena,
                       const struct xpd_graph_index *index, const int64_t *cycles,
                       uint32_t computation, struct xpd_err *err)
{
    uint32_t n = index->hlo->instructions.count, last = XPD_NO_INDEX, count = 0;
    struct chain c = {index,
                      cycles,
                      false,
                      XPD_NEW_ARRAY(arena, int64_t, n),
                      XPD_NEW_ARRAY(arena, int64_t, n),
                      XPD_NEW_ARRAY(arena, uint32_t, n),
                      XPD_NEW_ARRAY(arena, int64_t, index->hlo->computations.count)};
    *critical = (struct xpd_critical){0};
    critical->by_cycles = c.by_cycles = any_cycles(&c, computation);
    if (!c.own || !c.until || !c.before || !c.inside)
        return xpd_no_memory(err, "graph", "for this search");
    memset(c.until, 0xFF, n * sizeof *c.until); /* -1: not there yet */
    for (uint32_t k = 0; k < index->computation_count; k++) {
        uint32_t end = last_of(&c, index->computation[k]);
        if (index->computation[k] == computation)
            last = end;
    }
    /* A schedule that names an instruction twice may lead back to it: no chain is longer than n. */
    for (uint32_t i = last; i != XPD_NO_INDEX && count < n; i = c.before[i])
        count++;
    critical->instruction = XPD_NEW_ARRAY(arena, uint32_t, count);
    critical->own = XPD_NEW_ARRAY(arena, int64_t, count);
    if (!critical->instruction || !critical->own)
        return xpd_no_memory(err, "graph", "for this search");
    critical->length = last != XPD_NO_INDEX ? c.until[last] : 0;
    critical->count = count;
    for (uint32_t i = last; count > 0; i = c.before[i]) {
        critical->instruction[--count] = i;
        critical->own[count] = c.own[i];
    }
    return XPD_OK;
}
