/* The side tables of a module, made before they are asked for: most likely ones first. In: a module
 * somebody looks at. Out: tables in the store. */
#include "memory/buffer_key.h"
#include "memory/table_facts.h"
#include "memory/table_steps.h"
#include "tables/table_costs.h"
#include "tables/table_equal.h"
#include "tables/table_holders.h"
#include "tables/table_words.h"
#include "xprofd/tools/graph_table.h"

enum { BY_FIRST = 1, BY_LAST = 7 }; /* words of `by` */

/* Twice what all tables of a module took in the modules measured (1.6x and 2.0x its HloProto). */
#define ROOM_FACTOR 4

static bool has_room(struct xpd_store *store, const struct xpd_module *module)
{
    struct xpd_store_stats stats;
    xpd_store_stats(store, &stats);
    return stats.memory_bytes < stats.memory_limit_bytes &&
           (stats.memory_limit_bytes - stats.memory_bytes) / ROOM_FACTOR > module->proto_bytes;
}

static bool goes_on(const struct xpd_tool_ctx *ctx)
{
    xpd_arena_reset(ctx->arena);
    return !xpd_store_closing(ctx->store) && has_room(ctx->store, &ctx->run->module[ctx->module]);
}

/* Orders as the first click asks for them; a second one turns them round, which takes a
 * millisecond. */
static void make_orders(struct xpd_tool_ctx *ctx)
{
    for (uint32_t i = XPD_SORT_SAVING; i <= XPD_SORT_ID && goes_on(ctx); i++) {
        enum xpd_buffer_key key = (enum xpd_buffer_key)i;
        xpd_table_order(ctx, key, xpd_buffer_key_sorts_down(key), NULL);
    }
}

/* What the chart of a space, its strip and ranges of it ask for. */
static void make_for_chart(struct xpd_tool_ctx *ctx)
{
    if (goes_on(ctx))
        xpd_table_tops(ctx, NULL);
    if (goes_on(ctx))
        xpd_table_strip(ctx, NULL);
    if (goes_on(ctx))
        xpd_table_flow(ctx, NULL);
}

static void make_for_space(struct xpd_tool_ctx *ctx)
{
    make_for_chart(ctx);
    if (goes_on(ctx))
        xpd_table_facts(ctx, NULL);
    if (goes_on(ctx))
        xpd_table_savings(ctx, NULL);
    make_orders(ctx);
    for (uint32_t by = BY_FIRST; by <= BY_LAST && goes_on(ctx); by++)
        xpd_table_groups(ctx, by, NULL);
}

static void make_all(struct xpd_store *store, const struct xpd_run *run, uint32_t module)
{
    struct xpd_arena arena = {0};
    struct xpd_tool_ctx ctx = {.arena = &arena, .store = store, .run = run, .module = module};
    if (xpd_store_module(store, run, module, &ctx.hlo, &ctx.mem, NULL) != XPD_OK)
        return;
    ctx.space = xpd_mem_main_space(ctx.mem);
    if (ctx.space)
        make_for_chart(&ctx); /* the page shows it first */
    if (goes_on(&ctx))
        xpd_table_words(&ctx, NULL);
    if (goes_on(&ctx))
        xpd_table_holders(&ctx, NULL);
    if (goes_on(&ctx))
        xpd_table_equals(&ctx, NULL);
    if (goes_on(&ctx)) { /* for the Graph page, and what Trace and Memory show of an operation */
        struct xpd_err why = {0};
        xpd_table_graph(&ctx, &why);
    }
    if (goes_on(&ctx)) {
        struct xpd_err why = {0};
        xpd_tools_costs(&ctx, &why);
    }
    for (uint32_t i = 0; ctx.space && i <= ctx.mem->space_count; i++) {
        ctx.color = ctx.space->color;
        make_for_space(&ctx);
        if (i < ctx.mem->space_count)
            ctx.space = &ctx.mem->space[i];
    }
    xpd_arena_fini(&arena);
}

void xpd_tables_ahead(const struct xpd_tool_ctx *ctx)
{
    xpd_store_side_ahead(ctx->store, ctx->run, ctx->module, make_all);
}
