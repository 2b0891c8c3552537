/* Operations that ran, found in their programs. In: times of a host, the programs of the run. Out:
 * instruction and part of a step, by op (trace/step_table.h). */
#include "op_places.h"
#include "../tables/measured.h"

/* NULL: it did not run there, or is damaged: its operations are told by their names. */
static const struct xpd_hlo *program_of(const struct xpd_tool_ctx *ctx, uint32_t module,
                                        uint32_t host)
{
    const struct xpd_hlo *hlo = NULL;
    struct xpd_err damaged = {0};
    if (xpd_module_is_on_host(&ctx->run->module[module], host) &&
        !xpd_measured_never(ctx->run, module) &&
        xpd_store_module(ctx->store, ctx->run, module, &hlo, NULL, &damaged) != XPD_OK)
        hlo = NULL;
    return hlo;
}

void xpd_op_places_load(const struct xpd_tool_ctx *ctx, uint32_t host)
{
    for (uint32_t m = 0; m < ctx->run->module_count; m++)
        (void)program_of(ctx, m, host);
}

static int find_in_module(struct xpd_op_places *out, const struct xpd_tool_ctx *ctx,
                          uint32_t module, uint32_t host, struct xpd_err *err)
{
    struct xpd_measured measured;
    const struct xpd_hlo *hlo = program_of(ctx, module, host);
    if (!hlo)
        return XPD_OK;
    int rc = xpd_measured_of(&measured, ctx, module, hlo, host, err);
    for (uint32_t i = 0; rc == XPD_OK && !measured.why_not && i < hlo->instructions.count; i++)
        if (measured.op[i])
            xpd_op_places_put(out, (size_t)(measured.op[i] - measured.times->op), hlo, module, i);
    return rc;
}

int xpd_op_places_make(struct xpd_op_places *out, const struct xpd_tool_ctx *ctx, uint32_t host,
                       const struct xpd_op_times *times, struct xpd_arena *arena,
                       struct xpd_err *err)
{
    int rc = XPD_OK;
    if (!xpd_op_places_init(out, times, arena))
        return xpd_tools_no_memory(err);
    for (uint32_t m = 0; rc == XPD_OK && m < ctx->run->module_count; m++)
        rc = find_in_module(out, ctx, m, host, err);
    return rc;
}
