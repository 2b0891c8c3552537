/* Uses of each buffer, walked once. In: a space. Out: columns by buffer. */
#include "table_uses.h"

#include "table_buffers.h"

struct xpd_use_steps xpd_use_steps_of(const struct xpd_tool_ctx *ctx,
                                      const struct xpd_uses_table *made, uint32_t buffer)
{
    struct xpd_use_span span = {.first_step = XPD_NO_STEP, .last_step = XPD_NO_STEP};
    if (made && buffer != XPD_NO_INDEX)
        return made->by_buffer[buffer];
    if (buffer != XPD_NO_INDEX)
        xpd_uses_of(ctx->mem, ctx->space, buffer, &span);
    return (struct xpd_use_steps){span.first_step, span.last_step};
}

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    struct xpd_uses_table *uses = table;
    const struct xpd_all_rows *all = xpd_table_rows(ctx, err);
    uint32_t count = ctx->hlo->buffers.count;
    struct xpd_use_steps *use = all ? XPD_NEW_ROOM(arena, struct xpd_use_steps, count) : NULL;
    if (!use)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < count; i++)
        use[i] = (struct xpd_use_steps){XPD_NO_STEP, XPD_NO_STEP};
    for (uint32_t i = 0; i < all->count; i++)
        use[all->row[i].buffer] = xpd_use_steps_of(ctx, NULL, all->row[i].buffer);
    uses->by_buffer = use;
    return XPD_OK;
}

const struct xpd_uses_table *xpd_table_uses(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_USES, 0, true, sizeof(struct xpd_uses_table), make, err);
}

const struct xpd_uses_table *xpd_table_uses_made(const struct xpd_tool_ctx *ctx)
{
    return xpd_table_made(ctx, XPD_TABLE_USES, 0, true);
}
