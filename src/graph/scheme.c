/* Colours by kind of instruction, and the limit for small values. */
#include "graph_internal.h"

#include <stdlib.h>

enum { SMALL_ELEMENTS = 4096 };

static const struct opcode_scheme {
    const char *opcode;
    uint8_t scheme;
} table[] = {/* sorted by opcode; other opcodes are white */
             {"all-gather", XPD_SCHEME_BROWN},
             {"all-gather-done", XPD_SCHEME_BROWN},
             {"all-gather-start", XPD_SCHEME_BROWN},
             {"all-reduce", XPD_SCHEME_BROWN},
             {"all-reduce-done", XPD_SCHEME_BROWN},
             {"all-reduce-start", XPD_SCHEME_BROWN},
             {"all-to-all", XPD_SCHEME_BROWN},
             {"batch-norm-grad", XPD_SCHEME_PURPLE},
             {"batch-norm-inference", XPD_SCHEME_PURPLE},
             {"batch-norm-training", XPD_SCHEME_PURPLE},
             {"broadcast", XPD_SCHEME_YELLOW},
             {"call", XPD_SCHEME_DARK_GREEN},
             {"cholesky", XPD_SCHEME_DARK_BLUE},
             {"collective-broadcast", XPD_SCHEME_BROWN},
             {"collective-permute", XPD_SCHEME_BROWN},
             {"collective-permute-done", XPD_SCHEME_BROWN},
             {"collective-permute-start", XPD_SCHEME_BROWN},
             {"concatenate", XPD_SCHEME_GREEN},
             {"conditional", XPD_SCHEME_DARK_GREEN},
             {"convolution", XPD_SCHEME_DARK_BLUE},
             {"copy", XPD_SCHEME_GREEN},
             {"copy-done", XPD_SCHEME_GREEN},
             {"copy-start", XPD_SCHEME_GREEN},
             {"custom-call", XPD_SCHEME_DARK_GREEN},
             {"domain", XPD_SCHEME_GRAY},
             {"dot", XPD_SCHEME_DARK_BLUE},
             {"dynamic-reshape", XPD_SCHEME_GREEN},
             {"dynamic-slice", XPD_SCHEME_GREEN},
             {"dynamic-update-slice", XPD_SCHEME_YELLOW},
             {"fft", XPD_SCHEME_DARK_BLUE},
             {"fusion", XPD_SCHEME_GRAY},
             {"gather", XPD_SCHEME_PURPLE},
             {"get-dimension-size", XPD_SCHEME_GRAY},
             {"infeed", XPD_SCHEME_BROWN},
             {"map", XPD_SCHEME_GRAY},
             {"outfeed", XPD_SCHEME_BROWN},
             {"partition-id", XPD_SCHEME_BROWN},
             {"ragged-all-to-all", XPD_SCHEME_BROWN},
             {"ragged-dot", XPD_SCHEME_DARK_BLUE},
             {"recv", XPD_SCHEME_BROWN},
             {"recv-done", XPD_SCHEME_BROWN},
             {"reduce", XPD_SCHEME_PURPLE},
             {"reduce-scatter", XPD_SCHEME_BROWN},
             {"reduce-window", XPD_SCHEME_PURPLE},
             {"replica-id", XPD_SCHEME_BROWN},
             {"reshape", XPD_SCHEME_GREEN},
             {"reverse", XPD_SCHEME_GREEN},
             {"scaled-dot", XPD_SCHEME_DARK_BLUE},
             {"scan", XPD_SCHEME_PURPLE},
             {"scatter", XPD_SCHEME_PURPLE},
             {"select-and-scatter", XPD_SCHEME_PURPLE},
             {"send", XPD_SCHEME_BROWN},
             {"send-done", XPD_SCHEME_BROWN},
             {"set-dimension-size", XPD_SCHEME_GRAY},
             {"transpose", XPD_SCHEME_GREEN},
             {"triangular-solve", XPD_SCHEME_DARK_BLUE},
             {"while", XPD_SCHEME_DARK_GREEN}};

static bool shape_is_small(const struct xpd_shape *shape, int depth)
{
    int64_t elements = 1;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (__builtin_mul_overflow(elements, shape->dims[i], &elements))
            return false;
    if (elements >= SMALL_ELEMENTS)
        return false;
    for (uint32_t i = 0; i < shape->element_count && depth < 64; i++)
        if (!shape_is_small(&shape->element[i], depth + 1))
            return false;
    return true;
}

bool xpd_graph_is_small(const struct xpd_graph *g, uint32_t i)
{
    return shape_is_small(g->hlo->instructions.shape[i], 0);
}

/* A parameter that is drawn inside it: not one that stands for a constant. */
static bool has_merged_parameter(const struct xpd_graph *g, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &g->hlo->instructions;
    for (uint32_t k = ins->operand_first[i]; k < ins->operand_first[i + 1]; k++) {
        uint32_t operand = ins->operand[k];
        if (operand != XPD_NO_INDEX && xpd_graph_op_is(g, operand, XPD_GOP_PARAMETER) &&
            xpd_graph_merges(g, operand) && xpd_graph_constant_of(g, operand) == XPD_NO_INDEX)
            return true;
    }
    return false;
}

enum xpd_graph_scheme xpd_graph_scheme_plain(const struct xpd_graph_index *index, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    struct xpd_str opcode = xpd_hlo_text(index->hlo, ins->opcode[i]);
    if (index->op[i] == XPD_GOP_PARAMETER)
        return shape_is_small(ins->shape[i], 0) ? XPD_SCHEME_ORANGE : XPD_SCHEME_DARK_ORANGE;
    if (index->op[i] == XPD_GOP_BITCAST)
        return index->fusion_of[ins->computation[i]] != XPD_NO_INDEX ? XPD_SCHEME_GREEN
                                                                     : XPD_SCHEME_WHITE;
    const void *found = bsearch(&opcode, table, sizeof table / sizeof table[0], sizeof table[0],
                                xpd_str_compare_row);
    if (!found)
        return XPD_SCHEME_WHITE;
    size_t at = (size_t)((const char *)found - (const char *)table) / sizeof table[0];
    return (enum xpd_graph_scheme)table[at].scheme;
}

enum xpd_graph_scheme xpd_graph_scheme_of(const struct xpd_graph *g, uint32_t i)
{
    if (has_merged_parameter(g, i))
        return xpd_graph_is_small(g, i) ? XPD_SCHEME_ORANGE : XPD_SCHEME_DARK_ORANGE;
    return xpd_graph_scheme_plain(g->index, i);
}

const char *xpd_graph_scheme_word(enum xpd_graph_scheme scheme)
{
    static const char *const words[] = {"white",  "yellow",     "green", "dark_blue",
                                        "purple", "gray",       "brown", "dark_green",
                                        "orange", "dark_orange"};
    return words[scheme];
}
