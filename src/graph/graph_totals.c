/* Sums by opcode, and the call tree. In: the index, costs. Out: rows. */
#include "xprofd/graph/totals.h"

#include "xprofd/base/vec.h"

static int no_memory(struct xpd_err *err)
{
    return xpd_no_memory(err, "graph", "for this answer");
}

/* ---- opcodes ---- */

static int by_count(const void *a, const void *b)
{
    const struct xpd_opcode_total *x = a, *y = b;
    if (x->sum.ops != y->sum.ops)
        return x->sum.ops > y->sum.ops ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

int xpd_graph_opcodes(struct xpd_opcode_totals *totals, struct xpd_arena *arena,
                      const struct xpd_graph_index *index, const struct xpd_costs *costs,
                      uint32_t computation, struct xpd_err *err)
{
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    uint32_t *row_of = XPD_NEW_ARRAY(arena, uint32_t, index->hlo->names.count); /* row + 1 */
    XPD_VEC(struct xpd_opcode_total) row = {0};
    *totals = (struct xpd_opcode_totals){0};
    for (uint32_t i = 0; row_of && i < ins->count; i++) {
        if (computation != XPD_NO_INDEX && ins->computation[i] != computation)
            continue;
        if (row_of[ins->opcode[i]] == 0) {
            XPD_PUSH(&row, ((struct xpd_opcode_total){ins->opcode[i], i, {0, -1, -1, -1}, 0}));
            row_of[ins->opcode[i]] = (uint32_t)row.count;
        }
        if (row.failed)
            break;
        struct xpd_opcode_total *at = &row.at[row_of[ins->opcode[i]] - 1];
        struct xpd_outline_sum one = {1, costs->cycles[i], costs->bytes[i], costs->flops[i]};
        xpd_outline_add(&at->sum, &one);
        if (__builtin_add_overflow(at->result_bytes, index->bytes[i], &at->result_bytes))
            at->result_bytes = INT64_MAX;
        totals->instructions++;
        totals->fusions += index->op[i] == XPD_GOP_FUSION;
        for (uint32_t k = ins->operand_first[i]; k < ins->operand_first[i + 1]; k++)
            totals->edges += ins->operand[k] != XPD_NO_INDEX;
    }
    if (row.count > 1)
        qsort(row.at, row.count, sizeof *row.at, by_count);
    totals->at = XPD_COPY_VEC(arena, &row);
    bool ok = row_of && totals->at && !row.failed;
    totals->count = (uint32_t)row.count;
    XPD_VEC_FINI(&row);
    return ok ? XPD_OK : no_memory(err);
}

/* ---- calls ---- */

struct place {
    uint32_t computation, call, depth; /* where to go on in it */
};

struct walk {
    const struct xpd_graph_index *index;
    struct xpd_calls *calls;
    struct place *stack;
    uint32_t depth, most, *callers;
    bool *seen;
};

static void enter(struct walk *w, uint32_t computation, uint32_t caller)
{
    const struct xpd_hlo *hlo = w->index->hlo;
    w->seen[computation] = true;
    if (w->calls->count < w->most)
        w->calls->at[w->calls->count++] =
            (struct xpd_call){computation, w->depth, caller, w->callers[computation]};
    else
        w->calls->left_out++;
    w->stack[w->depth++] = (struct place){
        computation, hlo->instructions.called_first[hlo->computations.first[computation]], 0};
}

static uint32_t caller_at(const struct xpd_graph_index *index, uint32_t computation, uint32_t call)
{
    /* The instruction whose calls hold this one: by halves, in the computation. */
    const struct xpd_hlo *hlo = index->hlo;
    uint32_t low = hlo->computations.first[computation];
    uint32_t high = low + hlo->computations.instruction_count[computation];
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (hlo->instructions.called_first[middle] <= call)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void walk_from(struct walk *w, uint32_t root)
{
    const struct xpd_hlo *hlo = w->index->hlo;
    if (w->seen[root])
        return;
    w->depth = 0;
    enter(w, root, XPD_NO_INDEX);
    while (w->depth > 0) {
        struct place *at = &w->stack[w->depth - 1];
        uint32_t end = hlo->computations.first[at->computation] +
                       hlo->computations.instruction_count[at->computation];
        if (at->call >= hlo->instructions.called_first[end]) {
            w->depth--;
            continue;
        }
        uint32_t call = at->call++, callee = hlo->instructions.called[call];
        if (callee != XPD_NO_INDEX && !w->seen[callee])
            enter(w, callee, caller_at(w->index, at->computation, call));
    }
}

int xpd_graph_calls(struct xpd_calls *calls, struct xpd_arena *arena,
                    const struct xpd_graph_index *index, uint32_t most, struct xpd_err *err)
{
    const struct xpd_hlo *hlo = index->hlo;
    uint32_t n = hlo->computations.count;
    struct walk w = {index,
                     calls,
                     XPD_NEW_ARRAY(arena, struct place, (size_t)n + 1),
                     0,
                     most,
                     XPD_NEW_ARRAY(arena, uint32_t, n),
                     XPD_NEW_ARRAY(arena, bool, n)};
    *calls = (struct xpd_calls){.at = XPD_NEW_ARRAY(arena, struct xpd_call, n < most ? n : most)};
    if (!w.stack || !w.callers || !w.seen || !calls->at)
        return no_memory(err);
    for (uint32_t k = 0; k < hlo->instructions.called_first[hlo->instructions.count]; k++)
        if (hlo->instructions.called[k] != XPD_NO_INDEX)
            w.callers[hlo->instructions.called[k]]++;
    if (hlo->entry != XPD_NO_INDEX)
        walk_from(&w, hlo->entry);
    for (uint32_t c = 0; c < n; c++)
        if (w.callers[c] == 0)
            walk_from(&w, c);
    for (uint32_t c = 0; c < n; c++) /* only in circles */
        walk_from(&w, c);
    return XPD_OK;
}
