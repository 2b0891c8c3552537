/* Which rule an opcode's cost follows. In: the opcode's text. Out: the rule. */
#include "cost_internal.h"

struct opcode_rule {
    const char *opcode;
    enum xpd_cost_rule rule;
};

/* Sorted by name, for bsearch. Other opcodes have unknown cost, never a guessed
 * one. */
static const struct opcode_rule table[] = {
    {"abs", XPD_RULE_ELEMENT},
    {"acos", XPD_RULE_TRANSCENDENTAL},
    {"acosh", XPD_RULE_TRANSCENDENTAL},
    {"add", XPD_RULE_ELEMENT},
    {"add-dependency", XPD_RULE_NONE},
    {"after-all", XPD_RULE_NONE},
    {"all-gather", XPD_RULE_COLLECTIVE},
    {"all-gather-done", XPD_RULE_DONE},
    {"all-gather-start", XPD_RULE_START},
    {"all-reduce", XPD_RULE_ALL_REDUCE},
    {"all-reduce-done", XPD_RULE_DONE},
    {"all-reduce-start", XPD_RULE_ALL_REDUCE},
    {"all-to-all", XPD_RULE_COLLECTIVE},
    {"and", XPD_RULE_ELEMENT},
    {"asin", XPD_RULE_TRANSCENDENTAL},
    {"asinh", XPD_RULE_TRANSCENDENTAL},
    {"async-done", XPD_RULE_NONE},
    {"async-start", XPD_RULE_CALLED},
    {"async-update", XPD_RULE_NONE},
    {"atan2", XPD_RULE_TRANSCENDENTAL},
    {"atanh", XPD_RULE_TRANSCENDENTAL},
    {"bitcast", XPD_RULE_NONE},
    {"bitcast-convert", XPD_RULE_MOVE},
    {"broadcast", XPD_RULE_MOVE},
    {"call", XPD_RULE_CALLED},
    {"cbrt", XPD_RULE_TRANSCENDENTAL},
    {"ceil", XPD_RULE_ELEMENT},
    {"cholesky", XPD_RULE_CHOLESKY},
    {"clamp", XPD_RULE_ELEMENT},
    {"collective-broadcast", XPD_RULE_COLLECTIVE},
    {"collective-permute", XPD_RULE_COLLECTIVE},
    {"collective-permute-done", XPD_RULE_DONE},
    {"collective-permute-start", XPD_RULE_START},
    {"compare", XPD_RULE_ELEMENT},
    {"complex", XPD_RULE_ELEMENT},
    {"concatenate", XPD_RULE_MOVE},
    {"conditional", XPD_RULE_LARGEST},
    {"constant", XPD_RULE_NONE},
    {"convert", XPD_RULE_ELEMENT},
    {"convolution", XPD_RULE_CONVOLUTION},
    {"copy", XPD_RULE_MOVE},
    {"copy-done", XPD_RULE_DONE},
    {"copy-start", XPD_RULE_START},
    {"cosh", XPD_RULE_TRANSCENDENTAL},
    {"cosine", XPD_RULE_TRANSCENDENTAL},
    {"count-leading-zeros", XPD_RULE_ELEMENT},
    {"divide", XPD_RULE_ELEMENT},
    {"domain", XPD_RULE_NONE},
    {"dot", XPD_RULE_DOT},
    {"dynamic-reshape", XPD_RULE_MOVE},
    {"dynamic-slice", XPD_RULE_SLICE},
    {"dynamic-update-slice", XPD_RULE_UPDATE},
    {"erf", XPD_RULE_TRANSCENDENTAL},
    {"exponential", XPD_RULE_TRANSCENDENTAL},
    {"exponential-minus-one", XPD_RULE_TRANSCENDENTAL},
    {"fft", XPD_RULE_FFT},
    {"floor", XPD_RULE_ELEMENT},
    {"fusion", XPD_RULE_FUSION},
    {"gather", XPD_RULE_GATHER},
    {"get-dimension-size", XPD_RULE_NONE},
    {"get-tuple-element", XPD_RULE_NONE},
    {"imag", XPD_RULE_ELEMENT},
    {"infeed", XPD_RULE_MOVE},
    {"iota", XPD_RULE_MOVE},
    {"is-finite", XPD_RULE_ELEMENT},
    {"log", XPD_RULE_TRANSCENDENTAL},
    {"log-plus-one", XPD_RULE_TRANSCENDENTAL},
    {"logistic", XPD_RULE_TRANSCENDENTAL},
    {"map", XPD_RULE_MAP},
    {"maximum", XPD_RULE_ELEMENT},
    {"minimum", XPD_RULE_ELEMENT},
    {"multiply", XPD_RULE_ELEMENT},
    {"negate", XPD_RULE_ELEMENT},
    {"not", XPD_RULE_ELEMENT},
    {"opt-barrier", XPD_RULE_NONE},
    {"optimization-barrier", XPD_RULE_NONE},
    {"or", XPD_RULE_ELEMENT},
    {"outfeed", XPD_RULE_MOVE},
    {"pad", XPD_RULE_MOVE},
    {"parameter", XPD_RULE_NONE},
    {"partition-id", XPD_RULE_NONE},
    {"popcnt", XPD_RULE_ELEMENT},
    {"power", XPD_RULE_TRANSCENDENTAL},
    {"ragged-all-to-all", XPD_RULE_COLLECTIVE},
    {"real", XPD_RULE_ELEMENT},
    {"recv", XPD_RULE_NONE},
    {"recv-done", XPD_RULE_DONE},
    {"reduce", XPD_RULE_REDUCE},
    {"reduce-precision", XPD_RULE_ELEMENT},
    {"reduce-scatter", XPD_RULE_COLLECTIVE},
    {"reduce-window", XPD_RULE_REDUCE_WINDOW},
    {"remainder", XPD_RULE_ELEMENT},
    {"replica-id", XPD_RULE_NONE},
    {"reshape", XPD_RULE_MOVE},
    {"reverse", XPD_RULE_MOVE},
    {"rng", XPD_RULE_TRANSCENDENTAL},
    {"rng-bit-generator", XPD_RULE_MOVE},
    {"rng-get-and-update-state", XPD_RULE_MOVE},
    {"round-nearest-afz", XPD_RULE_ELEMENT},
    {"round-nearest-even", XPD_RULE_ELEMENT},
    {"rsqrt", XPD_RULE_TRANSCENDENTAL},
    {"scatter", XPD_RULE_SCATTER},
    {"select", XPD_RULE_ELEMENT},
    {"select-and-scatter", XPD_RULE_SELECT_AND_SCATTER},
    {"send", XPD_RULE_START},
    {"send-done", XPD_RULE_NONE},
    {"set-dimension-size", XPD_RULE_NONE},
    {"shift-left", XPD_RULE_ELEMENT},
    {"shift-right-arithmetic", XPD_RULE_ELEMENT},
    {"shift-right-logical", XPD_RULE_ELEMENT},
    {"sign", XPD_RULE_ELEMENT},
    {"sine", XPD_RULE_TRANSCENDENTAL},
    {"sinh", XPD_RULE_TRANSCENDENTAL},
    {"slice", XPD_RULE_SLICE},
    {"sort", XPD_RULE_SORT},
    {"sqrt", XPD_RULE_TRANSCENDENTAL},
    {"stochastic-convert", XPD_RULE_ELEMENT},
    {"subtract", XPD_RULE_ELEMENT},
    {"tan", XPD_RULE_TRANSCENDENTAL},
    {"tanh", XPD_RULE_TRANSCENDENTAL},
    {"transpose", XPD_RULE_MOVE},
    {"triangular-solve", XPD_RULE_SOLVE},
    {"tuple", XPD_RULE_NONE},
    {"while", XPD_RULE_CALLED},
    {"xor", XPD_RULE_ELEMENT},
};

enum xpd_cost_rule xpd_cost_rule_of(struct xpd_str opcode)
{
    const struct opcode_rule *found = bsearch(&opcode, table, sizeof table / sizeof table[0],
                                              sizeof table[0], xpd_str_compare_row);
    return found ? found->rule : XPD_RULE_UNKNOWN;
}

bool xpd_cost_is_collective(struct xpd_str opcode)
{
    static const char *const prefix[] = {
        "all-gather",     "all-reduce",           "all-to-all",       "collective-permute",
        "reduce-scatter", "collective-broadcast", "ragged-all-to-all"};
    for (size_t i = 0; i < sizeof prefix / sizeof prefix[0]; i++)
        if (xpd_str_starts(opcode, prefix[i]))
            return true;
    return false;
}

int64_t xpd_cost_flops_of_shape(struct xpd_str opcode, const struct xpd_shape *shape)
{
    switch (xpd_cost_rule_of(opcode)) {
    case XPD_RULE_ELEMENT: return xpd_shape_elements(shape);
    case XPD_RULE_NONE:
    case XPD_RULE_MOVE:
    case XPD_RULE_START:
    case XPD_RULE_DONE:
    case XPD_RULE_COLLECTIVE:
    case XPD_RULE_SLICE:
    case XPD_RULE_UPDATE:
    case XPD_RULE_GATHER:
    case XPD_RULE_TRANSCENDENTAL: return 0;
    default: return XPD_COST_UNKNOWN;
    }
}
