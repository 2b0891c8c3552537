/* The axis= of /api/v1/memory/curve. In: the query. Out: places of the steps, and for each axis
 * null or the reason why this module does not have it. */
#include "memory_axis.h"

#include <math.h>

static const char *no_instructions(const struct xpd_tool_ctx *ctx)
{
    if (ctx->space->step_count == 0)
        return "this memory space has no heap trace";
    for (uint32_t i = 0; i < ctx->space->step_count; i++)
        if (xpd_mem_running(ctx->mem, ctx->space, i, NULL) != XPD_NO_INDEX)
            return NULL;
    return "the heap trace names no instruction of this module";
}

static const char *no_time(const struct xpd_tool_ctx *ctx)
{
    const struct xpd_module *module = &ctx->run->module[ctx->module];
    if (!ctx->run->has_events)
        return "nothing was measured: what was opened holds no events";
    if (module->run_count_known && module->run_count == 0)
        return "this program never ran in this profile";
    return "this version does not join measured times to this chart";
}

int xpd_tools_axis(struct xpd_tools_axis *out, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    struct xpd_str wanted = xpd_param_text(ctx, "axis");
    *out = (struct xpd_tools_axis){0};
    if (wanted.size == 0 || xpd_str_eq(wanted, XPD_STR("event")))
        return XPD_OK;
    bool time = xpd_str_eq(wanted, XPD_STR("time"));
    if (time ? no_time(ctx) : no_instructions(ctx))
        return XPD_OK; /* the answer says which axis it has, and why not the other */
    out->word = "instruction";
    out->unit = "instruction";
    return xpd_axis_make(&out->axis, ctx->mem, ctx->space, NULL, ctx->arena)
               ? XPD_OK
               : xpd_tools_no_memory(err);
}

/* Three decimals are far below a pixel. */
static double rounded(double place)
{
    return floor(place * 1000 + 0.5) / 1000;
}

void xpd_tools_axis_write(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                          const struct xpd_tools_axis *axis, struct xpd_step_window window,
                          const struct xpd_curve_column *column, uint32_t n)
{
    xpd_json_key(w, "axes");
    xpd_json_obj(w);
    xpd_json_ktext(w, "instruction", no_instructions(ctx));
    xpd_json_ktext(w, "time", no_time(ctx));
    xpd_json_obj_end(w);
    xpd_json_ktext(w, "axis", axis->word ? axis->word : "event");
    if (!axis->word)
        return;
    const double *begin = axis->axis.begin;
    xpd_json_ktext(w, "unit", axis->unit);
    XPD_COLUMN(w, "x", n, xpd_json_double(w, rounded(begin[column[row].first_step])));
    xpd_json_kdouble(w, "x_end", rounded(begin[window.to]));
    xpd_json_ku64(w, "moved", axis->axis.moved_count);
}
