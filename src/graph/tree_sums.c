/* What each computation holds, and how equal operations are known. In: the index, costs. Out: sums
 * by computation. */
#include "xprofd/graph/tree.h"
#include "xprofd/hlo/scope.h"

#include <stdlib.h>

static bool is_opcode(const struct xpd_graph_index *index, uint32_t i, const char *opcode)
{
    return xpd_str_eq(xpd_hlo_text(index->hlo, index->hlo->instructions.opcode[i]),
                      xpd_str_of(opcode));
}

static bool nests(const struct xpd_graph_index *index, uint32_t i)
{
    return is_opcode(index, i, "while") || is_opcode(index, i, "conditional") ||
           is_opcode(index, i, "call");
}

static uint8_t class_of(const struct xpd_graph_index *index, uint32_t computation)
{
    uint32_t caller = index->caller_of[computation];
    if (computation == index->hlo->entry)
        return XPD_OUTLINE_ENTRY;
    if (caller == XPD_NO_INDEX)
        return XPD_OUTLINE_OTHER;
    if (index->op[caller] == XPD_GOP_FUSION)
        return XPD_OUTLINE_FUSION;
    if (xpd_str_starts(xpd_hlo_text(index->hlo, index->hlo->instructions.opcode[caller]), "async-"))
        return XPD_OUTLINE_ASYNC;
    return nests(index, caller) ? XPD_OUTLINE_NESTED : XPD_OUTLINE_REGION;
}

struct xpd_outline_sum xpd_outline_sum_of_caller(const struct xpd_graph_index *index,
                                                 const struct xpd_outline_index *tree,
                                                 const struct xpd_costs *costs, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    struct xpd_outline_sum own = {1, costs->cycles[i], costs->bytes[i], costs->flops[i]};
    struct xpd_outline_sum inside = {0, -1, -1, -1};
    for (uint32_t k = ins->called_first[i]; k < ins->called_first[i + 1]; k++) {
        uint32_t c = ins->called[k];
        if (c != XPD_NO_INDEX && tree->class_of[c] == XPD_OUTLINE_NESTED &&
            index->caller_of[c] == i)
            xpd_outline_add(&inside, &tree->inside[c]);
    }
    if (inside.ops == 0)
        return own;
    /* The cost of a while is that of its body, and is counted there. */
    inside.ops++;
    return inside;
}

static struct xpd_outline_sum sum_inside(const struct xpd_graph_index *index,
                                         const struct xpd_outline_index *tree,
                                         const struct xpd_costs *costs, uint32_t computation)
{
    const struct xpd_hlo_computations *c = &index->hlo->computations;
    struct xpd_outline_sum sum = {0, -1, -1, -1};
    uint32_t first = c->first[computation];
    for (uint32_t i = first; i < first + c->instruction_count[computation]; i++) {
        struct xpd_outline_sum one = xpd_outline_sum_of(index, tree, costs, i);
        xpd_outline_add(&sum, &one);
    }
    return sum;
}

/* Names with their numbers as stars: layers are like each other. */
static uint64_t name_likeness(struct xpd_str op_name, struct xpd_strbuf *scratch)
{
    struct xpd_str rest = op_name, part;
    xpd_strbuf_clear(scratch);
    while (xpd_scope_next_part(&rest, &part)) {
        if (!xpd_scope_fold(scratch, part))
            xpd_strbuf_add(scratch, part.data, part.size);
        xpd_strbuf_putc(scratch, '/');
    }
    return xpd_hash(scratch->data ? scratch->data : "", scratch->size);
}

static uint64_t likeness_of(const struct xpd_hlo *hlo, uint32_t instruction, uint64_t of_name)
{
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    uint64_t mixed = xpd_outline_mix(of_name, ins->opcode[instruction]);
    mixed = xpd_outline_mix(mixed, (uint64_t)(uintptr_t)ins->shape[instruction]);
    return xpd_outline_mix(mixed, ins->fusion_kind[instruction]);
}

/* The number of a likeness, in order of first appearance. */
static uint32_t number_of(struct xpd_map64 *seen, uint64_t likeness)
{
    uint32_t number = xpd_map64_get(seen, likeness);
    if (number == XPD_NO_INDEX) {
        number = seen->count + 1;
        xpd_map64_put(seen, likeness, number);
    }
    return number;
}

/* By instruction; each op_name is parsed once. */
static bool make_likeness(struct xpd_outline_index *tree, const struct xpd_hlo *hlo,
                          struct xpd_arena *arena)
{
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    uint32_t *likeness = XPD_NEW_ARRAY(arena, uint32_t, ins->count);
    uint64_t *of_name = calloc(hlo->names.count + (size_t)1, sizeof *of_name);
    struct xpd_strbuf scratch = {0};
    struct xpd_map64 seen = {0};
    for (uint32_t i = 0; likeness && of_name && i < ins->count; i++) {
        uint64_t *name = &of_name[ins->op_name[i]];
        if (*name == 0)
            *name = name_likeness(xpd_hlo_text(hlo, ins->op_name[i]), &scratch);
        likeness[i] = number_of(&seen, likeness_of(hlo, i, *name));
    }
    bool ok = likeness && of_name && !scratch.failed && !seen.failed;
    tree->likeness = likeness;
    tree->likes = seen.count;
    free(of_name);
    xpd_strbuf_fini(&scratch);
    xpd_map64_fini(&seen);
    return ok;
}

int xpd_outline_index_make(struct xpd_outline_index *tree, struct xpd_arena *arena,
                           const struct xpd_graph_index *index, const struct xpd_costs *costs,
                           struct xpd_err *err)
{
    const struct xpd_hlo_computations *c = &index->hlo->computations;
    uint8_t *classes = XPD_NEW_ARRAY(arena, uint8_t, c->count);
    struct xpd_outline_sum *inside = XPD_NEW_ARRAY(arena, struct xpd_outline_sum, c->count);
    *tree = (struct xpd_outline_index){.class_of = classes, .inside = inside};
    if (!classes || !inside || !make_likeness(tree, index->hlo, arena))
        return xpd_no_memory(err, "graph", "for the tables of this module's graph");
    for (uint32_t k = 0; k < c->count; k++) {
        classes[k] = class_of(index, k);
        inside[k] = (struct xpd_outline_sum){c->instruction_count[k], -1, -1, -1};
    }
    /* Callees come first in the text; in a circle of calls what is not done yet counts its own. */
    for (uint32_t k = 0; k < index->computation_count; k++)
        inside[index->computation[k]] = sum_inside(index, tree, costs, index->computation[k]);
    for (uint32_t k = 0; k < c->count;
         k++) /* wrappers that the text folds away: no one's callees */
        if (index->head_line[k] == 0)
            inside[k] = sum_inside(index, tree, costs, k);
    return XPD_OK;
}
