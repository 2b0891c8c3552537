/* Rows of a space's buffers and what each saves, made once. In: a space. Out: columns. */
#include "table_buffers.h"
#include "xprofd/base/checked.h"

static int make_rows(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                     uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    struct xpd_all_rows *all = table;
    const struct xpd_mem *mem = ctx->mem;
    uint32_t count = ctx->hlo->buffers.count, n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += xpd_tools_color_of(mem, i) == ctx->color;
    struct xpd_buffer_row *row = XPD_NEW_ARRAY(arena, struct xpd_buffer_row, n);
    if (!row)
        return xpd_tools_no_memory(err);
    all->row = row;
    for (uint32_t i = 0; i < count; i++) {
        const struct xpd_mem_buffer *buffer = &mem->buffer[i];
        if (xpd_tools_color_of(mem, i) != ctx->color)
            continue;
        row[all->count++] =
            (struct xpd_buffer_row){.buffer = i,
                                    .held = XPD_NO_INDEX,
                                    .mem_class = (enum xpd_mem_class)buffer->mem_class,
                                    .size_bytes = buffer->size_bytes,
                                    .unpadded_bytes = buffer->unpadded_bytes};
        xpd_grow_i64(&all->bytes, buffer->size_bytes);
        xpd_grow_i64(&all->unpadded_bytes, buffer->unpadded_bytes);
    }
    return XPD_OK;
}

const struct xpd_all_rows *xpd_table_rows(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_ROWS, 0, true, sizeof(struct xpd_all_rows), make_rows, err);
}

/* ---- savings ---- */

static int make_savings(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                        uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    struct xpd_savings *savings = table;
    uint32_t count = ctx->hlo->buffers.count;
    int64_t *saving = XPD_NEW_ARRAY(arena, int64_t, count);
    if (!saving)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < count; i++)
        saving[i] = xpd_tools_saving_of(ctx->mem, ctx->space, i, arena);
    savings->by_buffer = saving;
    return XPD_OK;
}

const struct xpd_savings *xpd_table_savings(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_SAVING, 0, true, sizeof(struct xpd_savings), make_savings, err);
}

const struct xpd_savings *xpd_table_savings_made(const struct xpd_tool_ctx *ctx)
{
    return xpd_table_made(ctx, XPD_TABLE_SAVING, 0, true);
}
