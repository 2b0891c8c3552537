/* What a comparison says beside the groups: work, traffic, capacity, and what is computed again.
 * In: prepared calls. Out: numbers. */
#include "../tables/table_costs.h"
#include "compare_parts.h"

#include <string.h>

static void sum_entry(struct xpd_compare_facts *out, const struct xpd_hlo *hlo,
                      const struct xpd_costs *costs)
{
    uint32_t first = hlo->computations.first[hlo->entry];
    uint32_t end = first + hlo->computations.instruction_count[hlo->entry];
    out->flops = out->bytes_accessed = 0;
    for (uint32_t i = first; i < end && i < costs->count; i++) {
        if (costs->flops[i] > 0)
            xpd_grow_i64(&out->flops, costs->flops[i]);
        if (costs->bytes[i] > 0)
            xpd_grow_i64(&out->bytes_accessed, costs->bytes[i]);
    }
}

void xpd_compare_facts_of(struct xpd_compare_facts *out, const struct xpd_tool_ctx *ctx)
{
    struct xpd_err ignored;
    const struct xpd_costs *costs = xpd_tools_costs(ctx, &ignored);
    *out = (struct xpd_compare_facts){.flops = -1, .bytes_accessed = -1};
    xpd_tools_capacity(ctx, ctx->color, &out->capacity);
    if (costs && ctx->hlo->entry < ctx->hlo->computations.count)
        sum_entry(out, ctx->hlo, costs);
}

/* JAX's mark for what is computed a second time in the backward pass. */
static bool is_again(struct xpd_str op_name)
{
    return xpd_str_find(op_name, XPD_STR("rematted_computation"), false) < op_name.size;
}

static int by_more(const void *a, const void *b)
{
    const struct xpd_again *x = a, *y = b;
    int64_t dx = (int64_t)x->fusions[1] - x->fusions[0];
    int64_t dy = (int64_t)y->fusions[1] - y->fusions[0];
    dx = dx < 0 ? -dx : dx;
    dy = dy < 0 ? -dy : dy;
    if (dx != dy)
        return dx < dy ? 1 : -1;
    return xpd_str_order(x->scope, y->scope);
}

static xpd_name_id scope_id(struct xpd_intern *scopes, struct xpd_strbuf *text,
                            const struct xpd_hlo *hlo, uint32_t instruction)
{
    uint32_t c = hlo->instructions.computation[instruction];
    struct xpd_str op_name = xpd_tools_op_name(hlo, instruction);
    if ((c < hlo->computations.count && hlo->computations.is_fusion[c]) || !is_again(op_name))
        return 0;
    xpd_strbuf_clear(text);
    xpd_doctor_scope(text, op_name);
    return xpd_intern_put(scopes, text->data ? text->data : "", text->size);
}

int xpd_compare_again(struct xpd_again **out, uint32_t *count, const struct xpd_hlo *before,
                      const struct xpd_hlo *after, struct xpd_arena *arena, struct xpd_err *err)
{
    const struct xpd_hlo *hlo[2] = {before, after};
    struct xpd_strbuf text = {0};
    struct xpd_intern scopes;
    xpd_name_id *id[2] = {NULL, NULL};
    bool ok = true;
    *count = 0;
    xpd_intern_init(&scopes, arena);
    for (int s = 0; s < 2 && ok; s++) {
        id[s] = XPD_NEW_ARRAY(arena, xpd_name_id, (size_t)hlo[s]->instructions.count + 1);
        ok = id[s] != NULL;
        for (uint32_t i = 0; ok && i < hlo[s]->instructions.count; i++)
            id[s][i] = scope_id(&scopes, &text, hlo[s], i);
    }
    struct xpd_again *list = ok ? XPD_NEW_ARRAY(arena, struct xpd_again, scopes.count) : NULL;
    ok = ok && list && !scopes.failed && !text.failed;
    for (int s = 0; s < 2 && ok; s++)
        for (uint32_t i = 0; i < hlo[s]->instructions.count; i++) {
            struct xpd_str opcode = xpd_hlo_text(hlo[s], hlo[s]->instructions.opcode[i]);
            if (id[s][i] == 0)
                continue;
            list[id[s][i]].scope = xpd_intern_get(&scopes, id[s][i]);
            list[id[s][i]].instructions[s]++;
            list[id[s][i]].fusions[s] += xpd_str_eq(opcode, XPD_STR("fusion"));
        }
    for (uint32_t i = 1; ok && i < scopes.count; i++)
        if (list[i].fusions[0] != list[i].fusions[1])
            list[(*count)++] = list[i];
    if (*count > 1)
        qsort(list, *count, sizeof *list, by_more);
    *out = list;
    xpd_strbuf_fini(&text);
    xpd_intern_fini(&scopes);
    return ok ? XPD_OK : xpd_tools_no_memory(err);
}
