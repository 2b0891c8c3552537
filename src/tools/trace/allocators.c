/* Runtime memory of a run. In: the allocators' events of its hosts. Out: peaks and pieces. */
#include "allocators.h"
#include "../tables/tools_tables.h"

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx, uint32_t host,
                struct xpd_err *err)
{
    const struct xpd_host *at = &ctx->run->host[host];
    struct xpd_source *source;
    uint64_t room = arena->budget_bytes ? arena->budget_bytes : UINT64_MAX;
    int rc = xpd_input_open(at->input, room, NULL, &source, err);
    if (rc != XPD_OK)
        return rc;
    rc = xpd_allocations_read(table, source, at->space, arena, err);
    xpd_source_close(source);
    return rc;
}

const struct xpd_allocations *xpd_tools_allocations(const struct xpd_tool_ctx *ctx, uint32_t host,
                                                    struct xpd_err *err)
{
    static const struct xpd_allocations none;
    const struct xpd_run *run = ctx->run;
    if (host >= run->host_count || !run->host[host].space ||
        !run->host[host].space->has_memory_events)
        return &none;
    struct xpd_tool_ctx of_run = *ctx;
    of_run.module = XPD_NO_INDEX;
    return xpd_table(&of_run, XPD_TABLE_ALLOCATIONS, host, false, sizeof none, make, err);
}

int xpd_tools_runtime_memory(struct xpd_runtime_memory *out, const struct xpd_tool_ctx *ctx,
                             struct xpd_err *err)
{
    const struct xpd_module *module = &ctx->run->module[ctx->module];
    bool any = strcmp(ctx->run->platform, "cpu") == 0;
    *out = (struct xpd_runtime_memory){.of.fragmentation = -1};
    for (uint32_t i = 0; i < module->host_count; i++) {
        const struct xpd_allocations *all = xpd_tools_allocations(ctx, module->host[i], err);
        if (!all)
            return err ? err->code : XPD_ENOMEM;
        for (uint32_t k = 0; k < all->count; k++)
            if ((any || !xpd_allocator_is_host(all->allocator[k].name)) &&
                xpd_alloc_peak_add(&out->of, &all->allocator[k]))
                out->host = module->host[i];
    }
    return XPD_OK;
}
