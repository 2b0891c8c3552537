/* See host_tables.h. In: a run. Out: tables beside it (xpd_store_side), each made once. */
#include "host_tables.h"

#include "xprofd/base/threads.h"

static void make_stats(const struct xpd_tool_ctx *ctx, uint32_t host)
{
    const struct xpd_op_stats *stats;
    struct xpd_err err = {0};
    (void)xpd_op_stats_of_host(ctx, host, &stats, &err);
}

static void make_steps(const struct xpd_tool_ctx *ctx, uint32_t host)
{
    struct xpd_err err = {0};
    (void)xpd_xprof_steps_ahead(ctx, host, &err);
}

static void make_duty(const struct xpd_tool_ctx *ctx, uint32_t host)
{
    const struct xpd_duty *duty;
    struct xpd_err err = {0};
    (void)xpd_duty_of_host(ctx, host, &duty, &err);
}

/* Steps need op stats at their end, and take longest of the three. */
static void (*const makers[])(const struct xpd_tool_ctx *, uint32_t) = {make_stats, make_steps,
                                                                        make_duty};

struct ahead {
    const struct xpd_tool_ctx *ctx;
    uint32_t first, kinds; /* hosts from `first`; how many of the makers */
};

static void make_one(void *context, uint32_t item, uint32_t thread)
{
    const struct ahead *ahead = context;
    struct xpd_tool_ctx ctx = *ahead->ctx;
    struct xpd_load_state state = {0};
    struct xpd_arena arena;
    uint32_t host = ahead->first + item / ahead->kinds;
    (void)thread;
    if (!xpd_host_has_events(&ctx.run->host[host]))
        return;
    xpd_arena_init(&arena, 0); /* those of the request are not shared between threads */
    ctx.arena = &arena;
    ctx.state = &state;
    makers[item % ahead->kinds](&ctx, host);
    xpd_arena_fini(&arena);
}

void xpd_host_tables_ahead(const struct xpd_tool_ctx *ctx, bool duty)
{
    struct ahead ahead = {.ctx = ctx, .kinds = duty ? 3 : 2};
    struct xpd_err err = {0};
    uint32_t end;
    if (xpd_file_hosts_meant(ctx, &ahead.first, &end, &err) == XPD_OK)
        xpd_threads_each(0, (end - ahead.first) * ahead.kinds, make_one, &ahead);
}
