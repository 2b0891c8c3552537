/* The opcodes of XLA (reference graph_hlo_opstats_server.md 1.9). In: a word. Out: whether it is
 * one; of the second half of an asynchronous pair, the instruction that is the first. */
#include "load_internal.h"

#include <stdlib.h>

static const char *const known[] = {/* sorted */
                                    "abs",
                                    "acos",
                                    "acosh",
                                    "add",
                                    "add-dependency",
                                    "after-all",
                                    "all-gather",
                                    "all-gather-done",
                                    "all-gather-start",
                                    "all-reduce",
                                    "all-reduce-done",
                                    "all-reduce-start",
                                    "all-to-all",
                                    "and",
                                    "asin",
                                    "asinh",
                                    "async-done",
                                    "async-start",
                                    "async-update",
                                    "atan2",
                                    "atanh",
                                    "batch-norm-grad",
                                    "batch-norm-inference",
                                    "batch-norm-training",
                                    "bitcast",
                                    "bitcast-convert",
                                    "broadcast",
                                    "call",
                                    "cbrt",
                                    "ceil",
                                    "cholesky",
                                    "clamp",
                                    "collective-broadcast",
                                    "collective-permute",
                                    "collective-permute-done",
                                    "collective-permute-start",
                                    "compare",
                                    "complex",
                                    "concatenate",
                                    "conditional",
                                    "constant",
                                    "convert",
                                    "convolution",
                                    "copy",
                                    "copy-done",
                                    "copy-start",
                                    "cosh",
                                    "cosine",
                                    "count-leading-zeros",
                                    "custom-call",
                                    "divide",
                                    "domain",
                                    "dot",
                                    "dynamic-reshape",
                                    "dynamic-slice",
                                    "dynamic-update-slice",
                                    "erf",
                                    "exponential",
                                    "exponential-minus-one",
                                    "fft",
                                    "floor",
                                    "fusion",
                                    "gather",
                                    "get-dimension-size",
                                    "get-tuple-element",
                                    "imag",
                                    "infeed",
                                    "iota",
                                    "is-finite",
                                    "log",
                                    "log-plus-one",
                                    "logistic",
                                    "map",
                                    "maximum",
                                    "minimum",
                                    "multiply",
                                    "negate",
                                    "not",
                                    "opt-barrier",
                                    "or",
                                    "outfeed",
                                    "pad",
                                    "parameter",
                                    "partition-id",
                                    "popcnt",
                                    "power",
                                    "ragged-all-to-all",
                                    "ragged-dot",
                                    "real",
                                    "recv",
                                    "recv-done",
                                    "reduce",
                                    "reduce-precision",
                                    "reduce-scatter",
                                    "reduce-window",
                                    "remainder",
                                    "replica-id",
                                    "reshape",
                                    "reverse",
                                    "rng",
                                    "rng-bit-generator",
                                    "rng-get-and-update-state",
                                    "round-nearest-afz",
                                    "round-nearest-even",
                                    "rsqrt",
                                    "scaled-dot",
                                    "scan",
                                    "scatter",
                                    "select",
                                    "select-and-scatter",
                                    "send",
                                    "send-done",
                                    "set-dimension-size",
                                    "shift-left",
                                    "shift-right-arithmetic",
                                    "shift-right-logical",
                                    "sign",
                                    "sine",
                                    "sinh",
                                    "slice",
                                    "sort",
                                    "sqrt",
                                    "stochastic-convert",
                                    "subtract",
                                    "tan",
                                    "tanh",
                                    "topk",
                                    "transpose",
                                    "triangular-solve",
                                    "tuple",
                                    "while",
                                    "xor"};

static bool is_known(struct xpd_str opcode)
{
    return bsearch(&opcode, known, sizeof known / sizeof *known, sizeof *known,
                   xpd_str_compare_row) != NULL;
}

void xpd_hlo_note_opcodes(struct xpd_hlo_load *load)
{
    enum { SEEN = 64, SHOWN = 80 }; /* opcodes looked at last; bytes of one */
    const struct xpd_hlo *hlo = load->hlo;
    xpd_name_id seen[SEEN];
    memset(seen, 0xFF, sizeof seen); /* XPD_NO_NAME */
    for (uint32_t i = 0; i < hlo->instructions.count; i++) {
        xpd_name_id opcode = hlo->instructions.opcode[i];
        if (seen[opcode % SEEN] == opcode)
            continue;
        struct xpd_str text = xpd_hlo_text(hlo, opcode);
        if (is_known(text))
            seen[opcode % SEEN] = opcode;
        else
            XPD_HLO_WARN(
                load, XPD_NOTE, "opcode_unknown", XPD_NO_OFFSET,
                "an instruction has the opcode \"%.*s\", which XLA's list does not have; it "
                "is shown without attributes of its own",
                (int)(text.size < SHOWN ? text.size : SHOWN), text.data);
    }
}

/* ---- asynchronous pairs ---- */

/* "copy" of copy-start and copy-done, "send" of send and send-done. */
static struct xpd_str stem(struct xpd_str opcode)
{
    static const char *const ends[] = {"-start", "-update", "-done"};
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++)
        if (xpd_str_ends(opcode, ends[k]))
            return (struct xpd_str){opcode.data, opcode.size - strlen(ends[k])};
    return opcode;
}

static bool begins(struct xpd_str opcode)
{
    return xpd_str_ends(opcode, "-start") || xpd_str_eq(opcode, XPD_STR("send")) ||
           xpd_str_eq(opcode, XPD_STR("recv"));
}

static uint32_t operand_of(const struct xpd_hlo_instructions *ins, uint32_t i)
{
    return ins->operand_first[i] < ins->operand_first[i + 1] ? ins->operand[ins->operand_first[i]]
                                                             : XPD_NO_INDEX;
}

uint32_t xpd_hlo_start_of(const struct xpd_hlo *hlo, uint32_t done)
{
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    struct xpd_str opcode = xpd_hlo_text(hlo, ins->opcode[done]);
    if (!xpd_str_ends(opcode, "-done"))
        return XPD_NO_INDEX;
    uint32_t at = operand_of(ins, done);
    /* Updates stand between, each with the one before it as operand; a file may chain them in a
     * circle. */
    for (uint32_t hops = 0; at != XPD_NO_INDEX && hops < ins->count; hops++) {
        struct xpd_str before = xpd_hlo_text(hlo, ins->opcode[at]);
        if (begins(before))
            return xpd_str_eq(stem(before), stem(opcode)) ? at : XPD_NO_INDEX;
        if (!xpd_str_ends(before, "-update"))
            return XPD_NO_INDEX;
        at = operand_of(ins, at);
    }
    return XPD_NO_INDEX;
}
