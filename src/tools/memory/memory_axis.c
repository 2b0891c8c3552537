/* The axis= of /api/v1/memory/curve. In: the query. Out: places of the steps, and why this module
 * does not have an axis. */
#include "memory_axis.h"

static const char *no_time(const struct xpd_tool_ctx *ctx)
{
    const char *why_not = xpd_axis_no_instructions(ctx->mem, ctx->space);
    return why_not ? why_not : xpd_measured_never(ctx->run, ctx->module);
}

/* Mean time of one execution in ns, without that of the instructions inside: what a loop calls
 * stands in the schedule by itself. */
static double *weights_of(const struct xpd_tool_ctx *ctx, const struct xpd_measured *measured)
{
    uint32_t count = ctx->hlo->instructions.count;
    double *weight = XPD_NEW_ARRAY(ctx->arena, double, count);
    for (uint32_t i = 0; weight && i < count; i++)
        if (measured->op[i])
            weight[i] =
                (double)measured->op[i]->sums.self_ps / (double)measured->op[i]->sums.count / 1000;
    return weight;
}

static int make_time(struct xpd_tools_axis *out, const struct xpd_tool_ctx *ctx,
                     struct xpd_err *err)
{
    struct xpd_measured measured;
    int rc = xpd_measured_make(&measured, ctx, err);
    out->no_time = rc == XPD_OK ? measured.why_not : NULL;
    if (rc != XPD_OK || measured.why_not)
        return rc;
    double *weight = weights_of(ctx, &measured);
    if (!weight || !xpd_axis_make(&out->axis, ctx->mem, ctx->space, weight, ctx->arena))
        return xpd_tools_no_memory(err);
    if (out->axis.begin[ctx->space->step_count] <= 0) {
        out->no_time = "all scheduled instructions were measured as zero time";
        return XPD_OK;
    }
    out->word = "time";
    out->unit = "ns";
    out->clock = xpd_op_clock(measured.program->count, measured.program->device_count);
    out->measured_count = measured.joined_count;
    return XPD_OK;
}

int xpd_tools_axis(struct xpd_tools_axis *out, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    struct xpd_str wanted = xpd_param_text(ctx, "axis");
    *out = (struct xpd_tools_axis){.no_time = no_time(ctx)};
    /* the answer says which axis it has, and why not the other */
    if (xpd_str_eq(wanted, XPD_STR("time")))
        return out->no_time ? XPD_OK : make_time(out, ctx, err);
    if (!xpd_str_eq(wanted, XPD_STR("instruction")) ||
        xpd_axis_no_instructions(ctx->mem, ctx->space))
        return XPD_OK;
    out->word = "instruction";
    out->unit = "instruction";
    return xpd_axis_make(&out->axis, ctx->mem, ctx->space, NULL, ctx->arena)
               ? XPD_OK
               : xpd_tools_no_memory(err);
}
