/* One step of a value through a program. In: an instruction. Out: where its result goes. */
#include "xprofd/graph/path.h"

struct step {
    const struct xpd_graph_index *index;
    void (*put)(void *self, struct xpd_graph_flow step);
    void *self;
};

static bool is_opcode(const struct xpd_graph_index *index, uint32_t i, const char *opcode)
{
    return xpd_str_eq(xpd_hlo_text(index->hlo, index->hlo->instructions.opcode[i]),
                      xpd_str_of(opcode));
}

/* The parameter of a computation that has this number. */
static void enter(const struct step *s, uint32_t computation, int64_t number, uint32_t operand)
{
    const struct xpd_hlo *hlo = s->index->hlo;
    if (computation == XPD_NO_INDEX || s->index->trivial[computation])
        return;
    uint32_t first = hlo->computations.first[computation];
    uint32_t end = first + hlo->computations.instruction_count[computation];
    for (uint32_t i = first; i < end; i++)
        if (s->index->op[i] == XPD_GOP_PARAMETER &&
            hlo->instructions.parameter_number[i] == number) {
            s->put(s->self, (struct xpd_graph_flow){i, operand});
            return;
        }
}

static void enter_bodies(const struct step *s, uint32_t user, uint32_t operand)
{
    const struct xpd_hlo_instructions *ins = &s->index->hlo->instructions;
    uint32_t first = ins->called_first[user], end = ins->called_first[user + 1];
    if (first == end)
        return;
    if (is_opcode(s->index, user, "while")) {
        for (uint32_t k = first; k < end; k++)
            enter(s, ins->called[k], 0, operand);
    } else if (is_opcode(s->index, user, "conditional")) {
        if (operand > 0 && first + operand - 1 < end)
            enter(s, ins->called[first + operand - 1], 0, operand);
    } else {
        enter(s, ins->called[first], operand, operand);
    }
}

/* A way through a body is not shorter than one over its caller; both are offered, because the way
 * may end inside. */
static void use(const struct step *s, uint32_t value, uint32_t user, bool bodies)
{
    const struct xpd_hlo_instructions *ins = &s->index->hlo->instructions;
    bool first = true;
    for (uint32_t k = ins->operand_first[user]; k < ins->operand_first[user + 1]; k++) {
        if (ins->operand[k] != value)
            continue;
        uint32_t operand = k - ins->operand_first[user];
        if (first)
            s->put(s->self, (struct xpd_graph_flow){user, operand});
        first = false;
        if (bodies)
            enter_bodies(s, user, operand);
        else
            break;
    }
}

void xpd_graph_flow(const struct xpd_graph_index *index, uint32_t i, bool bodies,
                    void (*put)(void *self, struct xpd_graph_flow step), void *self)
{
    const struct xpd_hlo *hlo = index->hlo;
    struct step s = {index, put, self};
    uint32_t computation = hlo->instructions.computation[i];
    for (uint32_t k = index->user_first[i]; k < index->user_first[i + 1]; k++)
        use(&s, i, index->user[k], bodies);
    if (bodies && hlo->computations.root[computation] == i &&
        index->caller_of[computation] != XPD_NO_INDEX && !index->trivial[computation])
        put(self, (struct xpd_graph_flow){index->caller_of[computation], XPD_NO_INDEX});
}
