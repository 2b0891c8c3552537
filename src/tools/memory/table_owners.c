/* The instructions that made a space's buffers, side by side. In: its rows, the texts of the
 * module. Out: columns. */
#include "table_owners.h"

#include "../tables/table_paths.h"
#include "table_buffers.h"

#include <stdlib.h>

struct maker {
    const struct xpd_hlo *hlo;
    const struct xpd_path_table *paths;
    uint32_t *instruction, *op_name, *rest_of, *odd;
    struct xpd_owner_rest *rest;
    uint32_t count, rest_count, odd_count;
    struct xpd_map64 rests; /* index by opcode and source */
};

static uint32_t rest_index(struct maker *m, xpd_name_id opcode, uint32_t source)
{
    uint64_t key = (uint64_t)opcode << 32 | source;
    uint32_t index = xpd_map64_get(&m->rests, key);
    if (index != XPD_NO_INDEX)
        return index;
    m->rest[m->rest_count] = (struct xpd_owner_rest){opcode, source};
    xpd_map64_put(&m->rests, key, m->rest_count);
    return m->rest_count++;
}

static uint32_t add(struct maker *m, uint32_t instruction)
{
    uint32_t op_name = m->paths->of_op_name[instruction];
    uint32_t source = m->paths->of_source[instruction];
    if (op_name == XPD_NO_INDEX || source == XPD_NO_INDEX)
        m->odd[m->odd_count++] = m->count;
    m->instruction[m->count] = instruction;
    m->op_name[m->count] = op_name == XPD_NO_INDEX ? 0 : op_name;
    m->rest_of[m->count] = rest_index(m, m->hlo->instructions.opcode[instruction],
                                      source == XPD_NO_INDEX ? 0 : source);
    return m->count++;
}

/* Rows whose buffer has no instruction have their count (xpd_all_rows); so has their owner. */
static bool number_owners(struct maker *m, const struct xpd_all_rows *all, uint32_t *owner_of)
{
    uint32_t n = m->hlo->instructions.count;
    uint32_t *known = calloc((size_t)n + 1, sizeof *known); /* + 1 */
    for (uint32_t i = 0; known && i < all->count; i++) {
        uint32_t instruction = all->instruction[i];
        if (instruction < n && known[instruction] == 0)
            known[instruction] = add(m, instruction) + 1;
        owner_of[i] = known[instruction] - 1;
    }
    for (uint32_t i = 0; known && i < all->count; i++)
        if (owner_of[i] == UINT32_MAX)
            owner_of[i] = m->count;
    free(known);
    return known != NULL;
}

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    struct xpd_row_owners *owners = table;
    const struct xpd_all_rows *all = xpd_table_rows(ctx, err);
    struct maker m = {.hlo = ctx->hlo, .paths = all ? xpd_table_paths(ctx, err) : NULL};
    if (!m.paths)
        return XPD_ENOMEM;
    uint32_t most =
        all->count < ctx->hlo->instructions.count ? all->count : ctx->hlo->instructions.count;
    uint32_t *owner_of = XPD_NEW_ROOM(arena, uint32_t, all->count);
    m.instruction = XPD_NEW_ROOM(arena, uint32_t, most);
    m.op_name = XPD_NEW_ROOM(arena, uint32_t, most);
    m.rest_of = XPD_NEW_ROOM(arena, uint32_t, most);
    m.rest = XPD_NEW_ROOM(arena, struct xpd_owner_rest, most);
    m.odd = XPD_NEW_ROOM(arena, uint32_t, most);
    bool ok = owner_of && m.instruction && m.op_name && m.rest_of && m.rest && m.odd &&
              number_owners(&m, all, owner_of) && !m.rests.failed;
    xpd_map64_fini(&m.rests);
    *owners = (struct xpd_row_owners){owner_of, m.count,      m.instruction, m.op_name,  m.rest_of,
                                      m.rest,   m.rest_count, m.odd,         m.odd_count};
    return ok ? XPD_OK : xpd_tools_no_memory(err);
}

const struct xpd_row_owners *xpd_table_owners(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_OWNERS, 0, true, sizeof(struct xpd_row_owners), make, err);
}
