/* See host_table.h. In: a run. Out: tables beside it (xpd_store_side). */
#include "host_table.h"

#include "file_events.h"
#include "xprofd/base/threads.h"

struct making {
    const struct xpd_tool_ctx *ctx;
    uint32_t host;
    const struct xpd_host_table *kind;
};

static int make_table(void *table, struct xpd_arena *arena, const void *of, struct xpd_err *err)
{
    const struct making *making = of;
    return making->kind->make(table, arena, making->ctx, making->host, err);
}

int xpd_host_table(const struct xpd_tool_ctx *ctx, uint32_t host, const struct xpd_host_table *kind,
                   const void **table, struct xpd_err *err)
{
    struct making of = {ctx, host, kind};
    struct xpd_side_want side = {.key = (uint64_t)kind->kind << 56 | host,
                                 .size = kind->size,
                                 .make = make_table,
                                 .of = &of};
    *table = NULL;
    return xpd_store_side(ctx->store, ctx->run, XPD_NO_INDEX, &side, table, err);
}

struct ahead {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_host_table *const *kind;
    uint32_t kinds, first; /* hosts from `first` */
};

static void make_one(void *context, uint32_t item, uint32_t thread)
{
    const struct ahead *ahead = context;
    struct xpd_tool_ctx ctx = *ahead->ctx;
    struct xpd_load_state state = {0};
    struct xpd_err err = {0};
    struct xpd_arena arena;
    const void *table;
    uint32_t host = ahead->first + item / ahead->kinds;
    (void)thread;
    if (!xpd_host_has_events(&ctx.run->host[host]))
        return;
    xpd_arena_init(&arena, 0); /* those of the request are not shared between threads */
    ctx.arena = &arena;
    ctx.state = &state;
    (void)xpd_host_table(&ctx, host, ahead->kind[item % ahead->kinds], &table, &err);
    xpd_arena_fini(&arena);
}

void xpd_host_tables_ahead(const struct xpd_tool_ctx *ctx, const struct xpd_host_table *const *kind,
                           uint32_t count)
{
    struct ahead ahead = {.ctx = ctx, .kind = kind, .kinds = count};
    struct xpd_err err = {0};
    uint32_t end;
    if (xpd_file_hosts_meant(ctx, &ahead.first, &end, &err) == XPD_OK)
        xpd_threads_each(0, (end - ahead.first) * count, make_one, &ahead);
}
