/* Runtime memory of a run. In: the allocators' events of its hosts. Out: peaks and pieces. */
#include "allocators.h"
#include "../tables/tables.h"

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

/* Held against the moment of the largest use: a request with room in all, but not in one piece. */
static bool has_no_piece(const struct xpd_allocator *a)
{
    const struct xpd_allocation *at = &a->event[a->most];
    int64_t piece = xpd_allocation_largest_free(at);
    return piece >= 0 && a->request_bytes > piece && a->request_bytes <= at->available_bytes;
}

static void look_at(struct xpd_runtime_memory *out, const struct xpd_allocator *a, uint32_t host)
{
    double share = a->event[a->most].fragmentation;
    if (!out->most || a->most_bytes > out->most->most_bytes) {
        out->most = a;
        out->host = host;
    }
    if (share > out->fragmentation) {
        out->fragmentation = share;
        out->pieces = a;
    }
    if (!out->refused && has_no_piece(a))
        out->refused = a;
}

int xpd_tools_runtime_memory(struct xpd_runtime_memory *out, const struct xpd_tool_ctx *ctx,
                             struct xpd_err *err)
{
    const struct xpd_module *module = &ctx->run->module[ctx->module];
    bool any = strcmp(ctx->run->platform, "cpu") == 0;
    *out = (struct xpd_runtime_memory){.fragmentation = -1};
    for (uint32_t i = 0; i < module->host_count; i++) {
        const struct xpd_allocations *all = xpd_tools_allocations(ctx, module->host[i], err);
        if (!all)
            return err ? err->code : XPD_ENOMEM;
        for (uint32_t k = 0; k < all->count; k++)
            if (any || !xpd_allocator_is_host(all->allocator[k].name))
                look_at(out, &all->allocator[k], module->host[i]);
    }
    return XPD_OK;
}
