/* See host_table.h. In: a run. Out: tables beside it (xpd_store_side). */
#include "host_table.h"

#include "file_events.h"
#include "xprofd/base/threads.h"

struct host_table {
    const struct xpd_tool_ctx *ctx;
    uint32_t host;
    xpd_host_table_fn *make;
};

static int make_table(void *table, struct xpd_arena *arena, const void *of, struct xpd_err *err)
{
    const struct host_table *want = of;
    return want->make(table, arena, want->ctx, want->host, err);
}

int xpd_host_table(const struct xpd_tool_ctx *ctx, uint32_t host, enum xpd_host_table_kind kind,
                   size_t size, xpd_host_table_fn *make, const void **table, struct xpd_err *err)
{
    struct host_table of = {ctx, host, make};
    struct xpd_side_want side = {
        .key = (uint64_t)kind << 56 | host, .size = size, .make = make_table, .of = &of};
    *table = NULL;
    return xpd_store_side(ctx->store, ctx->run, XPD_NO_INDEX, &side, table, err);
}

struct ahead {
    const struct xpd_tool_ctx *ctx;
    xpd_host_ahead *const *make;
    uint32_t makers, first; /* hosts from `first` */
};

static void make_one(void *context, uint32_t item, uint32_t thread)
{
    const struct ahead *ahead = context;
    struct xpd_tool_ctx ctx = *ahead->ctx;
    struct xpd_load_state state = {0};
    struct xpd_arena arena;
    uint32_t host = ahead->first + item / ahead->makers;
    (void)thread;
    if (!xpd_host_has_events(&ctx.run->host[host]))
        return;
    xpd_arena_init(&arena, 0); /* those of the request are not shared between threads */
    ctx.arena = &arena;
    ctx.state = &state;
    ahead->make[item % ahead->makers](&ctx, host);
    xpd_arena_fini(&arena);
}

void xpd_host_tables_ahead(const struct xpd_tool_ctx *ctx, xpd_host_ahead *const *make,
                           uint32_t count)
{
    struct ahead ahead = {.ctx = ctx, .make = make, .makers = count};
    struct xpd_err err = {0};
    uint32_t end;
    if (xpd_file_hosts_meant(ctx, &ahead.first, &end, &err) == XPD_OK)
        xpd_threads_each(0, (end - ahead.first) * count, make_one, &ahead);
}
