/* All rows of a space in the order of a key. In: rows. Out: their places, sorted once.
 *
 * Texts repeat: distinct ones are sorted, and rows by the rank of theirs; ties go by row. The other
 * direction is the first one with its groups of equal rows the other way round. */
#include "../tables/table_words.h"
#include "buffer_key.h"
#include "table_uses.h"
#include "xprofd/base/natural.h"
#include "xprofd/base/radix.h"

static uint32_t put_text(struct xpd_names *names, const struct xpd_buffer_table *table,
                         const struct xpd_words *words, enum xpd_buffer_key key,
                         const struct xpd_buffer_row *row)
{
    const struct xpd_tool_ctx *ctx = table->ctx;
    uint32_t instruction = xpd_mem_instruction(ctx->mem, row->buffer);
    switch (key) {
    case XPD_SORT_NAME: return xpd_names_buffer(names, ctx->mem, row->buffer);
    case XPD_SORT_SHAPE: return xpd_names_buffer_shape(names, ctx->mem, row->buffer);
    case XPD_SORT_SOURCE: return xpd_names_kept(names, xpd_words_source(words, instruction));
    case XPD_SORT_SCOPE:
        return xpd_names_kept(names,
                              xpd_scope_path(xpd_words_op_name(words, ctx->hlo, instruction)));
    case XPD_SORT_OPCODE: return xpd_names_kept(names, xpd_hlo_opcode(ctx->hlo, instruction));
    default: return xpd_names_put(names, xpd_buffer_text(table, key, row, &names->scratch));
    }
}

/* Numbers that sort as the texts do. */
static bool fill_ranks(const struct xpd_buffer_table *table, enum xpd_buffer_key key,
                       uint64_t *number)
{
    struct xpd_arena *arena = table->ctx->arena;
    const struct xpd_words *words = xpd_table_words(table->ctx, NULL);
    struct xpd_names names;
    uint32_t *text = XPD_NEW_ROOM(arena, uint32_t, table->count);
    xpd_names_init(&names, arena);
    for (uint32_t i = 0; words && text && i < table->count; i++)
        text[i] = put_text(&names, table, words, key, &table->row[i]);
    bool ok = words && text && !names.table.failed && !names.scratch.failed;
    const uint32_t *rank = ok ? xpd_natural_ranks(&names.table, arena) : NULL;
    for (uint32_t i = 0; rank && i < table->count; i++)
        number[i] = rank[text[i]];
    xpd_names_fini(&names);
    return rank != NULL;
}

static bool fill(const struct xpd_buffer_table *table, enum xpd_buffer_key key, bool descending,
                 uint64_t *number)
{
    if (xpd_buffer_key_is_text(key))
        return fill_ranks(table, key, number);
    for (uint32_t i = 0; i < table->count; i++) {
        int64_t own = xpd_buffer_number(table, key, descending, &table->row[i]);
        number[i] = xpd_radix_key(descending ? ~own : own);
    }
    return true;
}

static int sort_all(struct xpd_row_order *out, struct xpd_arena *arena,
                    const struct xpd_tool_ctx *ctx, enum xpd_buffer_key key, struct xpd_err *err)
{
    const struct xpd_all_rows *all = xpd_table_rows(ctx, err);
    const struct xpd_savings *savings = all ? xpd_table_savings(ctx, err) : NULL;
    if (!savings)
        return XPD_ENOMEM;
    struct xpd_buffer_table table = {
        .ctx = ctx, .row = all->row, .count = all->count, .saving = savings};
    if (key == XPD_SORT_FIRST_USE || key == XPD_SORT_LAST_USE)
        table.uses = xpd_table_uses(ctx, NULL);
    bool down = xpd_buffer_key_sorts_down(key);
    uint32_t n = all->count, *row = XPD_NEW_ROOM(arena, uint32_t, n);
    uint64_t *begins = XPD_NEW_ARRAY(arena, uint64_t, (size_t)n / 64 + 1);
    uint64_t *number = XPD_NEW_ROOM(ctx->arena, uint64_t, n);
    if (!row || !begins || !number || !fill(&table, key, down, number))
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++)
        row[i] = i;
    if (!xpd_radix_sort_u64(number, row, n))
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++)
        begins[i / 64] |= (uint64_t)(i == 0 || number[i] != number[i - 1]) << (i % 64);
    bool steps = key >= XPD_SORT_START && key <= XPD_SORT_LAST_USE;
    for (out->known_count = n; steps && out->known_count > 0; out->known_count--)
        if (number[out->known_count - 1] != xpd_radix_key(INT64_MAX))
            break;
    out->row = row;
    out->begins = begins;
    return XPD_OK;
}

/* Groups of equal rows the other way round, each in the order of rows; what is not known stays
 * last. */
static int turn(struct xpd_row_order *out, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                enum xpd_buffer_key key, struct xpd_err *err)
{
    const struct xpd_all_rows *all = xpd_table_rows(ctx, err);
    const struct xpd_row_order *from =
        all ? xpd_table_order(ctx, key, xpd_buffer_key_sorts_down(key), err) : NULL;
    uint32_t *row = from ? XPD_NEW_ROOM(arena, uint32_t, all->count) : NULL, n = 0;
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t end = from->known_count, at = end; at > 0; at--) {
        if (!(from->begins[(at - 1) / 64] >> ((at - 1) % 64) & 1))
            continue;
        memcpy(row + n, from->row + at - 1, (end - at + 1) * sizeof *row);
        n += end - at + 1;
        end = at - 1;
    }
    memcpy(row + n, from->row + n, (all->count - n) * sizeof *row);
    out->row = row;
    return XPD_OK;
}

/* Its texts and numbers are gone when the order is made. */
static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    enum xpd_buffer_key key = (enum xpd_buffer_key)(detail / 2);
    struct xpd_arena scratch;
    struct xpd_tool_ctx own = *ctx;
    xpd_arena_init(&scratch, ctx->arena->budget_bytes);
    own.arena = &scratch;
    int rc = (detail % 2 != 0) == xpd_buffer_key_sorts_down(key)
                 ? sort_all(table, arena, &own, key, err)
                 : turn(table, arena, &own, key, err);
    xpd_arena_fini(&scratch);
    return rc;
}

const struct xpd_row_order *xpd_table_order(const struct xpd_tool_ctx *ctx, enum xpd_buffer_key key,
                                            bool descending, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_ORDER, (uint32_t)key * 2 + descending, true,
                     sizeof(struct xpd_row_order), make, err);
}
