/* The buffer behind each instruction, kept. In: a module. Out: a column by instruction. */
#include "table_holders.h"
#include "xprofd/memory/holder.h"

#include <string.h>

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    struct xpd_holders *holders = table;
    uint32_t n = ctx->hlo->instructions.count;
    uint32_t *kept = XPD_NEW_ROOM(arena, uint32_t, n);
    const uint32_t *made = kept ? xpd_mem_holders(ctx->mem, ctx->arena) : NULL;
    (void)detail;
    if (!made)
        return xpd_tools_no_memory(err);
    memcpy(kept, made, n * sizeof *kept);
    holders->of_instruction = kept;
    return XPD_OK;
}

const struct xpd_holders *xpd_table_holders(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_HOLDERS, 0, false, sizeof(struct xpd_holders), make, err);
}
