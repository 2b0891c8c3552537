/* Side tables in the store, or of one answer when the store has no room. In: a kind and how to make
 * it. Out: the table. */
#include "tables.h"

struct maker {
    const struct xpd_tool_ctx *ctx;
    xpd_table_make *make;
    uint32_t detail;
};

static int make_side(void *table, struct xpd_arena *arena, const void *of, struct xpd_err *err)
{
    const struct maker *maker = of;
    return maker->make(table, arena, maker->ctx, maker->detail, err);
}

static uint64_t key_of(const struct xpd_tool_ctx *ctx, enum xpd_table_kind kind, uint32_t detail,
                       bool by_space)
{
    uint64_t space = by_space ? (uint64_t)(ctx->space - ctx->mem->space) : 0;
    return (uint64_t)kind << 56 | (uint64_t)detail << 32 | space;
}

const void *xpd_table_made(const struct xpd_tool_ctx *ctx, enum xpd_table_kind kind,
                           uint32_t detail, bool by_space)
{
    struct xpd_side_want want = {.key = key_of(ctx, kind, detail, by_space)};
    const void *table;
    return ctx->store && ctx->run &&
                   xpd_store_side(ctx->store, ctx->run, ctx->module, &want, &table, NULL) == XPD_OK
               ? table
               : NULL;
}

const void *xpd_table(const struct xpd_tool_ctx *ctx, enum xpd_table_kind kind, uint32_t detail,
                      bool by_space, size_t size, xpd_table_make *make, struct xpd_err *err)
{
    struct maker maker = {ctx, make, detail};
    struct xpd_side_want want = {
        .key = key_of(ctx, kind, detail, by_space), .size = size, .make = make_side, .of = &maker};
    const void *table;
    if (ctx->store && ctx->run &&
        xpd_store_side(ctx->store, ctx->run, ctx->module, &want, &table, NULL) == XPD_OK)
        return table;
    void *own = xpd_arena_calloc(ctx->arena, 1, size);
    if (!own) {
        xpd_tools_no_memory(err);
        return NULL;
    }
    return make(own, ctx->arena, ctx, detail, err) == XPD_OK ? own : NULL;
}
