/* The opcodes of XLA. In: a word. Out: whether it is
 * one, and elementwise; of the second half of an asynchronous pair, the instruction that is the
 * first. */
#include "load/load_internal.h"

#include <stdlib.h>

struct opcode {
    const char *word;
    bool elementwise; /* as XLA calls it: each element of the result from those in its place */
};

static const struct opcode known[] = {
    /* sorted */
    {"abs", true},
    {"acos", false},
    {"acosh", false},
    {"add", true},
    {"add-dependency", false},
    {"after-all", false},
    {"all-gather", false},
    {"all-gather-done", false},
    {"all-gather-start", false},
    {"all-reduce", false},
    {"all-reduce-done", false},
    {"all-reduce-start", false},
    {"all-to-all", false},
    {"and", true},
    {"asin", false},
    {"asinh", false},
    {"async-done", false},
    {"async-start", false},
    {"async-update", false},
    {"atan2", true},
    {"atanh", false},
    {"batch-norm-grad", false},
    {"batch-norm-inference", false},
    {"batch-norm-training", false},
    {"bitcast", false},
    {"bitcast-convert", true},
    {"broadcast", false},
    {"call", false},
    {"cbrt", true},
    {"ceil", true},
    {"cholesky", false},
    {"clamp", true},
    {"collective-broadcast", false},
    {"collective-permute", false},
    {"collective-permute-done", false},
    {"collective-permute-start", false},
    {"compare", true},
    {"complex", true},
    {"concatenate", false},
    {"conditional", false},
    {"constant", false},
    {"convert", true},
    {"convolution", false},
    {"copy", false},
    {"copy-done", false},
    {"copy-start", false},
    {"cosh", false},
    {"cosine", true},
    {"count-leading-zeros", true},
    {"custom-call", false},
    {"divide", true},
    {"domain", false},
    {"dot", false},
    {"dynamic-reshape", false},
    {"dynamic-slice", false},
    {"dynamic-update-slice", false},
    {"erf", true},
    {"exponential", true},
    {"exponential-minus-one", true},
    {"fft", false},
    {"floor", true},
    {"fusion", false},
    {"gather", false},
    {"get-dimension-size", false},
    {"get-tuple-element", false},
    {"imag", true},
    {"infeed", false},
    {"iota", false},
    {"is-finite", true},
    {"log", true},
    {"log-plus-one", true},
    {"logistic", true},
    {"map", true},
    {"maximum", true},
    {"minimum", true},
    {"multiply", true},
    {"negate", true},
    {"not", true},
    {"opt-barrier", false},
    {"or", true},
    {"outfeed", false},
    {"pad", false},
    {"parameter", false},
    {"partition-id", false},
    {"popcnt", true},
    {"power", true},
    {"ragged-all-to-all", false},
    {"ragged-dot", false},
    {"real", true},
    {"recv", false},
    {"recv-done", false},
    {"reduce", false},
    {"reduce-precision", true},
    {"reduce-scatter", false},
    {"reduce-window", false},
    {"remainder", true},
    {"replica-id", false},
    {"reshape", false},
    {"reverse", false},
    {"rng", true},
    {"rng-bit-generator", false},
    {"rng-get-and-update-state", false},
    {"round-nearest-afz", true},
    {"round-nearest-even", true},
    {"rsqrt", true},
    {"scaled-dot", false},
    {"scan", false},
    {"scatter", false},
    {"select", true},
    {"select-and-scatter", false},
    {"send", false},
    {"send-done", false},
    {"set-dimension-size", false},
    {"shift-left", true},
    {"shift-right-arithmetic", true},
    {"shift-right-logical", true},
    {"sign", true},
    {"sine", true},
    {"sinh", false},
    {"slice", false},
    {"sort", false},
    {"sqrt", true},
    {"stochastic-convert", true},
    {"subtract", true},
    {"tan", true},
    {"tanh", true},
    {"topk", false},
    {"transpose", false},
    {"triangular-solve", false},
    {"tuple", false},
    {"while", false},
    {"xor", true},
};

static const struct opcode *find(struct xpd_str opcode)
{
    return bsearch(&opcode, known, sizeof known / sizeof *known, sizeof *known,
                   xpd_str_compare_row);
}

bool xpd_hlo_is_opcode(struct xpd_str opcode)
{
    return find(opcode) != NULL;
}

bool xpd_hlo_is_elementwise(struct xpd_str opcode)
{
    const struct opcode *found = find(opcode);
    return found && found->elementwise;
}

struct xpd_str xpd_hlo_category(const struct xpd_hlo *hlo, uint32_t i)
{
    static const char *const formatting[] = {"transpose", "copy", "reshape", "dynamic-reshape"};
    static const struct {
        const char *kind, *category;
    } fusion[] = {{"kLoop", "loop fusion"},
                  {"kInput", "input fusion"},
                  {"kOutput", "output fusion"},
                  {"kCustom", "custom fusion"}};
    struct xpd_str opcode = xpd_hlo_text(hlo, hlo->instructions.opcode[i]);
    struct xpd_str kind = xpd_hlo_text(hlo, hlo->instructions.fusion_kind[i]);
    for (size_t k = 0; k < 4; k++) {
        if (xpd_str_eq(opcode, xpd_str_of(formatting[k])))
            return XPD_STR("data formatting");
        if (xpd_str_eq(opcode, XPD_STR("fusion")) && xpd_str_eq(kind, xpd_str_of(fusion[k].kind)))
            return xpd_str_of(fusion[k].category);
    }
    bool constant = xpd_str_eq(opcode, XPD_STR("constant")); /* to ToCategory, not as an opcode */
    return constant || xpd_hlo_is_elementwise(opcode) ? XPD_STR("non-fusion elementwise") : opcode;
}

static void note_opcode(struct xpd_hlo_load *load, struct xpd_str opcode, struct xpd_str name)
{
    enum { SHOWN = 80 };
    XPD_HLO_WARN(load, XPD_NOTE, "opcode_unknown", XPD_NO_OFFSET,
                 "the instruction \"%.*s\" has the opcode \"%.*s\", which XLA's list does not "
                 "have; it is shown without attributes of its own",
                 (int)(name.size < SHOWN ? name.size : SHOWN), name.data,
                 (int)(opcode.size < SHOWN ? opcode.size : SHOWN), opcode.data);
}

void xpd_hlo_note_opcodes(struct xpd_hlo_load *load)
{
    enum { SEEN = 64 }; /* opcodes looked at last */
    const struct xpd_hlo *hlo = load->hlo;
    xpd_name_id seen[SEEN];
    memset(seen, 0xFF, sizeof seen); /* XPD_NO_NAME */
    for (uint32_t i = 0; i < hlo->instructions.count; i++) {
        xpd_name_id opcode = hlo->instructions.opcode[i];
        if (seen[opcode % SEEN] == opcode)
            continue;
        struct xpd_str text = xpd_hlo_text(hlo, opcode);
        if (find(text))
            seen[opcode % SEEN] = opcode;
        else
            note_opcode(load, text, xpd_hlo_text(hlo, hlo->instructions.name[i]));
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
