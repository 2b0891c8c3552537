/* The graph index of a module in the store. In: a module and its bytes. Out: the frozen index. */
#include "../tables/tools_tables.h"
#include "xprofd/tools/graph_table.h"

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    struct xpd_proto_bytes proto;
    struct xpd_hlo_printer *printer = NULL;
    (void)detail;
    int rc = xpd_store_module_bytes(ctx->store, ctx->run, ctx->module, &proto, err);
    if (rc == XPD_OK)
        rc = xpd_hlo_printer_new(&printer, ctx->hlo, proto.at, proto.size, err);
    if (rc == XPD_OK)
        rc = xpd_graph_index_make(table, arena, ctx->hlo, printer, err);
    xpd_hlo_printer_free(printer);
    xpd_proto_bytes_free(&proto);
    return rc;
}

const struct xpd_graph_index *xpd_table_graph(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_GRAPH, 0, false, sizeof(struct xpd_graph_index), make, err);
}
