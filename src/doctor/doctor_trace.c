/* Where a value comes from. In: an instruction. Out: the first one behind it that does more than
 * move or convert. Walks end after HOPS_MAX steps. */
#include "doctor_internal.h"

#define HOPS_MAX  64
#define DEPTH_MAX 8

enum step { STOP, THROUGH, ELEMENT, FUSION, PARAMETER };

static enum step step_of(const struct xpd_dx *dx, uint32_t i, bool far, struct xpd_dx_origin *o)
{
    static const char *const move[] = {"copy",
                                       "bitcast",
                                       "reshape",
                                       "transpose",
                                       "copy-start",
                                       "copy-done",
                                       "optimization-barrier"};
    static const char *const gather[] = {"all-gather",  "all-gather-start", "all-gather-done",
                                         "async-start", "async-done",       "async-update",
                                         "slice-start", "slice-done"}; /* prefetched in pieces */
    struct xpd_str opcode = xpd_dx_opcode(dx, i);
    if (xpd_str_eq(opcode, XPD_STR("convert"))) {
        o->converted = true;
        return THROUGH;
    }
    if (xpd_str_eq(opcode, XPD_STR("get-tuple-element")))
        return ELEMENT;
    if (xpd_str_eq(opcode, XPD_STR("fusion")))
        return FUSION;
    if (xpd_str_eq(opcode, XPD_STR("parameter")))
        return PARAMETER;
    for (size_t k = 0; k < sizeof move / sizeof *move; k++)
        if (xpd_str_eq(opcode, xpd_str_of(move[k]))) {
            o->moved |= k != 1;
            return THROUGH;
        }
    struct xpd_str target = xpd_hlo_text(dx->hlo, dx->hlo->instructions.call_target[i]);
    if (far && (xpd_str_starts(target, "AsyncCollective") ||     /* libtpu's start and done */
                xpd_str_eq(target, XPD_STR("ConcatBitcast")))) { /* pieces put together again */
        o->element = -1;
        return THROUGH;
    }
    for (size_t k = 0; far && k < sizeof gather / sizeof *gather; k++)
        if (xpd_str_eq(opcode, xpd_str_of(gather[k]))) {
            o->gathered |= k < 3;
            return THROUGH;
        }
    return STOP;
}

/* The root of a fusion's computation, XPD_NO_INDEX = none. */
static uint32_t inside(const struct xpd_dx *dx, uint32_t fusion)
{
    const struct xpd_hlo_instructions *ins = &dx->hlo->instructions;
    uint32_t first = ins->called_first[fusion];
    if (first == ins->called_first[fusion + 1] || ins->called[first] >= dx->hlo->computations.count)
        return XPD_NO_INDEX;
    return dx->hlo->computations.root[ins->called[first]];
}

uint32_t xpd_dx_root(const struct xpd_dx *dx, uint32_t instruction)
{
    for (int hop = 0; hop < DEPTH_MAX && xpd_dx_is(dx, instruction, "fusion"); hop++) {
        uint32_t root = inside(dx, instruction);
        if (root == XPD_NO_INDEX)
            break;
        instruction = root;
    }
    return instruction;
}

static uint32_t operand(const struct xpd_dx *dx, uint32_t i, int64_t number)
{
    const struct xpd_hlo_instructions *ins = &dx->hlo->instructions;
    uint32_t first = ins->operand_first[i], count = ins->operand_first[i + 1] - first;
    return number >= 0 && number < count ? ins->operand[first + number] : XPD_NO_INDEX;
}

void xpd_dx_trace(const struct xpd_dx *dx, uint32_t instruction, bool far, struct xpd_dx_origin *o)
{
    const struct xpd_hlo_instructions *ins = &dx->hlo->instructions;
    uint32_t fusion[DEPTH_MAX], depth = 0;
    *o = (struct xpd_dx_origin){.instruction = instruction, .element = -1};
    while (o->instruction != XPD_NO_INDEX && o->hops < HOPS_MAX) {
        uint32_t i = o->instruction, next = XPD_NO_INDEX;
        switch (step_of(dx, i, far, o)) {
        case STOP:
            if (o->element >= 0 && xpd_dx_is(dx, i, "tuple")) {
                next = operand(dx, i, o->element);
                o->element = -1;
            }
            break;
        case THROUGH: next = operand(dx, i, 0); break;
        case ELEMENT:
            next = o->element < 0 ? operand(dx, i, 0) : XPD_NO_INDEX;
            if (next != XPD_NO_INDEX)
                o->element = ins->tuple_index[i];
            break;
        case FUSION:
            next = depth < DEPTH_MAX ? inside(dx, i) : XPD_NO_INDEX;
            if (next != XPD_NO_INDEX)
                fusion[depth++] = i;
            break;
        case PARAMETER:
            if (depth > 0)
                next = operand(dx, fusion[--depth], ins->parameter_number[i]);
            break;
        }
        if (next == XPD_NO_INDEX)
            break;
        o->instruction = next;
        o->hops++;
    }
    if (depth > 0) /* ended inside a fusion: the fusion computes it */
        o->instruction = fusion[0];
}
