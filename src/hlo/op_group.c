/* The group of an operation, which has its own colour on every page. In: the opcode; for
 * a fusion, or another wrapper of one computation, its contents. Out: one of nine
 * groups. Wrappers are followed to a fixed depth, because the nesting comes from the
 * file. */
#include "xprofd/hlo/source_info.h"

#include <stdlib.h>

struct opcode_group {
    const char *opcode;
    enum xpd_op_group group;
};

/* Sorted by name, for bsearch. Elementwise operations are the rest: there are many, and new ones
 * are mostly of that kind. */
static const struct opcode_group table[] = {
    {"add-dependency", XPD_OP_CONTROL},
    {"after-all", XPD_OP_CONTROL},
    {"all-gather", XPD_OP_COLLECTIVE},
    {"all-gather-done", XPD_OP_COLLECTIVE},
    {"all-gather-start", XPD_OP_COLLECTIVE},
    {"all-reduce", XPD_OP_COLLECTIVE},
    {"all-reduce-done", XPD_OP_COLLECTIVE},
    {"all-reduce-start", XPD_OP_COLLECTIVE},
    {"all-to-all", XPD_OP_COLLECTIVE},
    {"async-done", XPD_OP_CONTROL},
    {"async-start", XPD_OP_CONTROL},
    {"async-update", XPD_OP_CONTROL},
    {"bitcast", XPD_OP_MOVE},
    {"broadcast", XPD_OP_MOVE},
    {"call", XPD_OP_CONTROL},
    {"cholesky", XPD_OP_MATMUL},
    {"collective-broadcast", XPD_OP_COLLECTIVE},
    {"collective-permute", XPD_OP_COLLECTIVE},
    {"collective-permute-done", XPD_OP_COLLECTIVE},
    {"collective-permute-start", XPD_OP_COLLECTIVE},
    {"concatenate", XPD_OP_MOVE},
    {"conditional", XPD_OP_CONTROL},
    {"constant", XPD_OP_NONE},
    {"convolution", XPD_OP_MATMUL},
    {"copy", XPD_OP_MOVE},
    {"copy-done", XPD_OP_MOVE},
    {"copy-start", XPD_OP_MOVE},
    {"custom-call", XPD_OP_CUSTOM},
    {"domain", XPD_OP_CONTROL},
    {"dot", XPD_OP_MATMUL},
    {"dynamic-reshape", XPD_OP_MOVE},
    {"dynamic-slice", XPD_OP_MOVE},
    {"dynamic-update-slice", XPD_OP_MOVE},
    {"fft", XPD_OP_MATMUL},
    {"gather", XPD_OP_MOVE},
    {"get-dimension-size", XPD_OP_CONTROL},
    {"get-tuple-element", XPD_OP_NONE},
    {"infeed", XPD_OP_HOST},
    {"opt-barrier", XPD_OP_CONTROL},
    {"optimization-barrier", XPD_OP_CONTROL},
    {"outfeed", XPD_OP_HOST},
    {"pad", XPD_OP_MOVE},
    {"parameter", XPD_OP_NONE},
    {"partition-id", XPD_OP_CONTROL},
    {"ragged-all-to-all", XPD_OP_COLLECTIVE},
    {"ragged-dot", XPD_OP_MATMUL},
    {"recv", XPD_OP_COLLECTIVE},
    {"recv-done", XPD_OP_COLLECTIVE},
    {"reduce", XPD_OP_REDUCE},
    {"reduce-scatter", XPD_OP_COLLECTIVE},
    {"reduce-window", XPD_OP_REDUCE},
    {"replica-id", XPD_OP_CONTROL},
    {"reshape", XPD_OP_MOVE},
    {"reverse", XPD_OP_MOVE},
    {"scaled-dot", XPD_OP_MATMUL},
    {"scan", XPD_OP_CONTROL},
    {"scatter", XPD_OP_MOVE},
    {"select-and-scatter", XPD_OP_REDUCE},
    {"send", XPD_OP_COLLECTIVE},
    {"send-done", XPD_OP_COLLECTIVE},
    {"set-dimension-size", XPD_OP_CONTROL},
    {"slice", XPD_OP_MOVE},
    {"sort", XPD_OP_REDUCE},
    {"topk", XPD_OP_REDUCE},
    {"transpose", XPD_OP_MOVE},
    {"triangular-solve", XPD_OP_MATMUL},
    {"tuple", XPD_OP_NONE},
    {"while", XPD_OP_CONTROL},
};

/* How much of the wrapped computations is looked at: enough for any fusion seen, and little enough
 * for a file made to be slow. */
enum { LOOK_DEPTH = 3, LOOK_INSTRUCTIONS = 2048 };

/* Strongest first: the group that dominates the time of a fusion. */
static int strength(enum xpd_op_group group)
{
    switch (group) {
    case XPD_OP_COLLECTIVE: return 8;
    case XPD_OP_MATMUL: return 7;
    case XPD_OP_REDUCE: return 6;
    case XPD_OP_HOST: return 5;
    case XPD_OP_CUSTOM: return 4;
    case XPD_OP_ELEMENTWISE: return 3; /* it moves its data too */
    case XPD_OP_MOVE: return 2;
    case XPD_OP_CONTROL: return 1;
    default: return 0;
    }
}

static enum xpd_op_group group_of_opcode(struct xpd_str opcode)
{
    if (opcode.size == 0)
        return XPD_OP_NONE;
    const struct opcode_group *found = bsearch(&opcode, table, sizeof table / sizeof table[0],
                                               sizeof table[0], xpd_str_compare_row);
    return found ? found->group : XPD_OP_ELEMENTWISE;
}

/* A call into a library is what the library computes: its target is XLA's name for that. Other
 * calls (kernels of Pallas and Triton, attention) are a group of their own. */
static enum xpd_op_group group_of_call(struct xpd_str target)
{
    static const struct opcode_group calls[] = {{"__cublas$triangularSolve", XPD_OP_MATMUL},
                                                {"__cublas$gemm", XPD_OP_MATMUL},
                                                {"__cublas$lt$", XPD_OP_MATMUL},
                                                {"__cudnn$conv", XPD_OP_MATMUL},
                                                {"__cudnn$norm", XPD_OP_REDUCE},
                                                {"__cub$", XPD_OP_REDUCE},
                                                {"__gpu$TopK", XPD_OP_REDUCE},
                                                {"TopK", XPD_OP_REDUCE},
                                                {"__onednn$matmul", XPD_OP_MATMUL},
                                                {"__onednn$convolution", XPD_OP_MATMUL},
                                                {"__onednn$softmax", XPD_OP_REDUCE},
                                                {"__onednn$layernorm", XPD_OP_REDUCE}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (xpd_str_starts(target, calls[i].opcode))
            return calls[i].group;
    return XPD_OP_CUSTOM;
}

static bool is_wrapper(struct xpd_str opcode)
{
    return xpd_str_eq(opcode, XPD_STR("fusion")) || xpd_str_starts(opcode, "async-");
}

/* An async-done names no computation: its start does, at operand 0. */
static uint32_t wrapped(const struct xpd_hlo *hlo, uint32_t instruction)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    for (int hops = 0; hops < LOOK_DEPTH; hops++) {
        if (all->called_first[instruction] < all->called_first[instruction + 1])
            return all->called[all->called_first[instruction]];
        uint32_t at = all->operand_first[instruction];
        if (at == all->operand_first[instruction + 1] || all->operand[at] == XPD_NO_INDEX ||
            !xpd_str_starts(xpd_hlo_text(hlo, all->opcode[instruction]), "async-"))
            break;
        instruction = all->operand[at];
    }
    return XPD_NO_INDEX;
}

static enum xpd_op_group group_at(const struct xpd_hlo *hlo, uint32_t instruction, int depth,
                                  uint32_t *budget)
{
    struct xpd_str opcode = xpd_hlo_text(hlo, hlo->instructions.opcode[instruction]);
    if (!is_wrapper(opcode)) {
        enum xpd_op_group group = group_of_opcode(opcode);
        if (group == XPD_OP_CUSTOM)
            return group_of_call(xpd_hlo_text(hlo, hlo->instructions.call_target[instruction]));
        /* A send or recv goes to another device or to the host. */
        bool to_host =
            group == XPD_OP_COLLECTIVE && hlo->instructions.is_host_transfer[instruction];
        return to_host ? XPD_OP_HOST : group;
    }
    uint32_t computation = depth < LOOK_DEPTH ? wrapped(hlo, instruction) : XPD_NO_INDEX;
    enum xpd_op_group best = XPD_OP_NONE;
    if (computation != XPD_NO_INDEX) {
        uint32_t first = hlo->computations.first[computation];
        uint32_t end = first + hlo->computations.instruction_count[computation];
        for (uint32_t i = first; i < end && best != XPD_OP_COLLECTIVE && *budget > 0; i++) {
            --*budget;
            enum xpd_op_group group = group_at(hlo, i, depth + 1, budget);
            /* A slice that computes where it begins still only moves. */
            if (group == XPD_OP_ELEMENTWISE && hlo->instructions.shape[i]->rank == 0)
                group = XPD_OP_NONE;
            best = strength(group) > strength(best) ? group : best;
        }
    }
    if (best != XPD_OP_NONE)
        return best;
    return xpd_str_eq(opcode, XPD_STR("fusion")) ? XPD_OP_ELEMENTWISE : XPD_OP_CONTROL;
}

/* Operations of group MOVE that go between memory spaces: "copy", "copy-start",
 * "dynamic-slice-done", "async-start". */
static bool may_copy(struct xpd_str opcode)
{
    return xpd_str_eq(opcode, XPD_STR("copy")) || xpd_str_starts(opcode, "async-") ||
           xpd_str_ends(opcode, "-start") || xpd_str_ends(opcode, "-done");
}

/* A copy, or what moves data asynchronously, with one side in the host's memory. */
static bool is_host_copy(const struct xpd_hlo *hlo, uint32_t instruction)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    if (!may_copy(xpd_hlo_text(hlo, all->opcode[instruction])))
        return false;
    bool found = xpd_shape_on_host(all->shape[instruction]);
    for (uint32_t i = all->operand_first[instruction];
         !found && i < all->operand_first[instruction + 1]; i++)
        found = all->operand[i] != XPD_NO_INDEX && xpd_shape_on_host(all->shape[all->operand[i]]);
    return found;
}

enum xpd_op_group xpd_op_group_of(const struct xpd_hlo *hlo, uint32_t instruction)
{
    uint32_t budget = LOOK_INSTRUCTIONS;
    if (instruction >= hlo->instructions.count)
        return XPD_OP_NONE;
    enum xpd_op_group group = group_at(hlo, instruction, 0, &budget);
    return group == XPD_OP_MOVE && is_host_copy(hlo, instruction) ? XPD_OP_HOST : group;
}

const char *xpd_op_group_word(enum xpd_op_group group)
{
    static const char *const words[XPD_OP_GROUP_COUNT] = {
        "none", "matmul", "elem", "reduce", "move", "coll", "control", "host", "custom"};
    return (unsigned)group < XPD_OP_GROUP_COUNT ? words[group] : "none";
}

const char *xpd_hlo_group_word(const struct xpd_hlo *hlo, uint32_t instruction)
{
    return xpd_op_group_word(instruction == XPD_NO_INDEX ? XPD_OP_NONE
                                                         : xpd_op_group_of(hlo, instruction));
}
