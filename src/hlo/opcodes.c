/* The opcodes of XLA (reference graph_hlo_opstats_server.md 1.9). In: a word. Out: whether it is
 * one. */
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
