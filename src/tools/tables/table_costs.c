/* The table of costs. In: the module's bytes. Out: frozen columns beside the module. */
#include "table_costs.h"
#include "tables.h"

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    struct xpd_proto_bytes proto = {0};
    (void)detail;
    int rc = xpd_store_module_bytes(ctx->store, ctx->run, ctx->module, &proto, err);
    if (rc == XPD_OK)
        rc = xpd_costs_make(table, arena, ctx->hlo, proto.at, proto.size, err);
    xpd_proto_bytes_free(&proto);
    return rc;
}

const struct xpd_costs *xpd_tools_costs(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_COSTS, 0, false, sizeof(struct xpd_costs), make, err);
}
