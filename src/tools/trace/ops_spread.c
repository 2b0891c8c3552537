/* Percentiles of operations. In: rows and the executions of their hosts. Out: the rows with
 * percentiles. Those of a host where each event is an execution are a part that is made once. */
#include "ops_spread.h"
#include "xprofd/base/checked.h"
#include "xprofd/session/part.h"
#include <stdlib.h>

/* ---- of a host, made once ---- */

struct kept {
    uint32_t count;
    struct xpd_op_spread at[]; /* by op */
};

static int make(void **out, const struct xpd_part_from *from, struct xpd_err *err)
{
    const struct xpd_op_runs *runs = from->need[0];
    uint32_t n = runs->times->op_count;
    struct kept *kept = malloc(sizeof *kept + (size_t)n * sizeof *kept->at);
    int rc =
        kept ? xpd_op_spread_make(kept->at, runs, NULL, 0, NULL, err) : xpd_tools_no_memory(err);
    if (rc == XPD_OK)
        kept->count = n;
    else
        free(kept);
    *out = rc == XPD_OK ? kept : NULL;
    return rc;
}

static uint64_t bytes_of(const void *made)
{
    const struct kept *kept = made;
    return sizeof *kept + (uint64_t)kept->count * sizeof *kept->at;
}

static const struct xpd_part_kind part = {.doing = "ordering the executions by time",
                                          .needs = {&xpd_part_op_runs},
                                          .from_needs = true,
                                          .event_bytes = 8, /* meanwhile */
                                          .make = make,
                                          .bytes = bytes_of,
                                          .free = free};

/* ---- of an answer ---- */

static int spread_program(const struct xpd_op_spread **out, const struct xpd_ops_found *found,
                          uint32_t program, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    const struct xpd_ops_source *source = &found->source[program];
    const struct xpd_op_runs *runs = NULL;
    const void *made = NULL;
    bool fails = false;
    const uint32_t *kernels =
        xpd_ops_kernels(&found->ops, found->program, program, ctx->arena, &fails);
    if (fails)
        return xpd_tools_no_memory(err);
    if (!kernels && !source->range) {
        int rc = xpd_store_part(ctx->store, ctx->run, source->host, &part, ctx->wait_ms, &made,
                                ctx->state, err);
        *out = rc == XPD_OK ? ((const struct kept *)made)->at : NULL;
        return rc;
    }
    int rc =
        xpd_store_op_runs(ctx->store, ctx->run, source->host, ctx->wait_ms, &runs, ctx->state, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_op_spread *spread =
        XPD_NEW_ARRAY(ctx->arena, struct xpd_op_spread, runs->times->op_count);
    *out = spread;
    return spread
               ? xpd_op_spread_make(spread, runs, source->range, source->range_count, kernels, err)
               : xpd_tools_no_memory(err);
}

int xpd_tools_ops_spread(struct xpd_ops_found *found, const struct xpd_tool_ctx *ctx,
                         struct xpd_err *err)
{
    uint32_t n = found->program_count;
    const struct xpd_op_spread **spread =
        XPD_NEW_ARRAY(ctx->arena, const struct xpd_op_spread *, n);
    int rc = spread ? XPD_OK : xpd_tools_no_memory(err);
    for (uint32_t i = 0; rc == XPD_OK && i < n; i++) {
        uint32_t same = 0; /* a program of the same host */
        while (found->source[same].host != found->source[i].host)
            same++;
        if (same < i)
            spread[i] = spread[same];
        else
            rc = spread_program(&spread[i], found, i, ctx, err);
    }
    if (rc == XPD_OK)
        xpd_ops_spread(&found->ops, found->program, spread);
    return rc;
}

int xpd_tools_ops_side_by_side(int64_t *out, const struct xpd_ops_found *found,
                               const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    int rc = XPD_OK;
    *out = 0;
    for (uint32_t i = 0; rc == XPD_OK && i < found->program_count; i++) {
        const struct xpd_op_runs *runs = NULL;
        uint32_t same = 0;
        while (found->source[same].host != found->source[i].host)
            same++;
        if (same < i)
            continue;
        rc = xpd_store_op_runs(ctx->store, ctx->run, found->source[i].host, ctx->wait_ms, &runs,
                               ctx->state, err);
        for (uint32_t d = 0; rc == XPD_OK && d < runs->device_count; d++)
            xpd_grow_i64(out, runs->device[d].side_by_side_ps);
    }
    return rc;
}
