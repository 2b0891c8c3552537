/* See table_steps.h. In: a space. Out: tables of memory/. */
#include "table_steps.h"

static int make_tops(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                     uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    return xpd_step_tops_make(table, ctx->space, arena, ctx->arena) ? XPD_OK
                                                                    : xpd_tools_no_memory(err);
}

static int make_flow(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                     uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    return xpd_flow_make(table, ctx->space, arena, ctx->arena) ? XPD_OK : xpd_tools_no_memory(err);
}

const struct xpd_step_tops *xpd_table_tops(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_TOPS, 0, true, sizeof(struct xpd_step_tops), make_tops, err);
}

const struct xpd_flow *xpd_table_flow(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_FLOW, 0, true, sizeof(struct xpd_flow), make_flow, err);
}
