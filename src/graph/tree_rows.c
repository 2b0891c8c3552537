/* Rows of a level of the tree: made, named, filled with sums. */
#include "tree_level.h"

#include <stdio.h>

struct xpd_str xpd_level_keep(struct xpd_level *l, struct xpd_str text)
{
    const char *kept = xpd_arena_strndup(l->arena, text.data, text.size);
    return (struct xpd_str){kept ? kept : "", kept ? text.size : 0};
}

struct xpd_str xpd_level_join(struct xpd_level *l, struct xpd_str a, const char *between,
                              struct xpd_str b)
{
    xpd_strbuf_clear(&l->text);
    xpd_strbuf_add(&l->text, a.data, a.size);
    xpd_strbuf_puts(&l->text, between);
    xpd_strbuf_add(&l->text, b.data, b.size);
    return xpd_level_keep(l, (struct xpd_str){l->text.data ? l->text.data : "", l->text.size});
}

uint32_t xpd_level_add_row(struct xpd_level *l, uint8_t kind, struct xpd_str key,
                           struct xpd_str label)
{
    XPD_PUSH(&l->row, ((struct xpd_outline_row){.key = key,
                                                .label = label,
                                                .kind = kind,
                                                .repeat = 1,
                                                .instruction = XPD_NO_INDEX,
                                                .computation = XPD_NO_INDEX,
                                                .sum = {0, -1, -1, -1}}));
    for (int k = 0; k < XPD_OP_GROUP_COUNT; k++)
        XPD_PUSH(&l->weight, 0);
    return (uint32_t)l->row.count - 1;
}

bool xpd_level_failed(const struct xpd_level *l)
{
    return !l->where_of || !l->row_of_like || !l->count_of_like || l->row.failed ||
           l->weight.failed || l->by_text.failed || l->seen.failed || l->like_counts.failed ||
           l->arena->failed || l->text.failed || l->scratch.failed;
}

void xpd_level_put_into(struct xpd_level *l, uint32_t at, uint32_t i)
{
    size_t first = (size_t)at * XPD_OP_GROUP_COUNT;
    if (at >= l->row.count || first + XPD_OP_GROUP_COUNT > l->weight.count)
        return; /* a row that there was no memory for; this is asked of every operation */
    struct xpd_outline_sum sum = xpd_outline_sum_of(l->index, l->tree, l->costs, i);
    int64_t *weight = &l->weight.at[first + l->index->group[i]];
    int64_t more = sum.cycles > 0 ? sum.cycles : 1;
    if (__builtin_add_overflow(*weight, more, weight))
        *weight = INT64_MAX;
    xpd_outline_add(&l->row.at[at].sum, &sum);
    if (l->row.at[at].instruction == XPD_NO_INDEX)
        l->row.at[at].instruction = i;
}

bool xpd_level_runs_computations(const struct xpd_level *l, uint32_t i)
{
    return xpd_outline_sum_of(l->index, l->tree, l->costs, i).ops > 1;
}

struct xpd_str xpd_level_name_of(const struct xpd_level *l, uint32_t i)
{
    return xpd_hlo_text(l->index->hlo, l->index->hlo->instructions.name[i]);
}

void xpd_level_add_op(struct xpd_level *l, uint32_t i)
{
    char key[16];
    snprintf(key, sizeof key, "o%u", i);
    uint32_t at = xpd_level_add_row(l, XPD_OUTLINE_ROW_OP, xpd_level_keep(l, xpd_str_of(key)),
                                    xpd_level_name_of(l, i));
    xpd_level_put_into(l, at, i);
    if (!xpd_level_failed(l))
        l->row.at[at].has_children = xpd_level_runs_computations(l, i);
}

void xpd_level_add_computation(struct xpd_level *l, uint32_t c)
{
    char key[16];
    const struct xpd_hlo *hlo = l->index->hlo;
    snprintf(key, sizeof key, "c%u", c);
    struct xpd_str label = xpd_hlo_text(hlo, hlo->computations.name[c]);
    if (c == hlo->entry)
        label = xpd_level_join(l, XPD_STR("ENTRY"), " ", label);
    uint32_t at = xpd_level_add_row(l, XPD_OUTLINE_ROW_COMPUTATION,
                                    xpd_level_keep(l, xpd_str_of(key)), label);
    if (xpd_level_failed(l))
        return;
    l->row.at[at].computation = c;
    l->row.at[at].sum = l->tree->inside[c];
    l->row.at[at].has_children = hlo->computations.instruction_count[c] != 0;
    if (l->tree->class_of[c] > XPD_OUTLINE_NESTED && l->tree->class_of[c] != XPD_OUTLINE_OTHER)
        l->row.at[at].sum.cycles = l->row.at[at].sum.bytes = l->row.at[at].sum.flops = -1;
}
