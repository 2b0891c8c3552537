/* /api/v1/compare/steps: which step of the baseline the chosen steps of a program are read against.
 * In: steps of the program. Out: the baseline's step for each: peak for peak, else by the order
 * that both programs' steps share (doctor/align.h). */
#include "../report/report_common.h"
#include "compare_parts.h"
#include "xprofd/doctor/align.h"

/* How a step found its partner; NULL: the baseline has no step there. */
static const char peaks[] = "peak", same[] = "same", last[] = "last_before";

struct partner {
    uint32_t step; /* XPD_NO_STEP = none, or the peak of a program without a heap trace */
    const char *how;
};

/* The slots ascend in both programs: the first whose step is `step` or later is its own. */
static struct partner by_order(const struct xpd_align *align, uint32_t step)
{
    uint32_t before = XPD_NO_STEP;
    for (uint32_t slot = 0; slot < align->count; slot++) {
        if (align->step[0][slot] != XPD_NO_STEP)
            before = align->step[0][slot];
        if (align->step[1][slot] == step)
            return (struct partner){before, before == XPD_NO_STEP                 ? NULL
                                            : align->step[0][slot] != XPD_NO_STEP ? same
                                                                                  : last};
    }
    return (struct partner){XPD_NO_STEP, NULL};
}

static struct partner partner_of(const struct xpd_tool_ctx ctx[2], const struct xpd_align *align,
                                 uint32_t step)
{
    if (step == ctx[1].space->peak_step)
        return (struct partner){ctx[0].space->peak_step, peaks};
    return by_order(align, step);
}

static void write_side(struct xpd_jsonw *w, const char *key, const struct xpd_tool_ctx *ctx)
{
    xpd_json_key(w, key);
    xpd_json_obj(w);
    xpd_json_ktext(w, "run", ctx->run->entry->id);
    xpd_json_ktext(w, "module", ctx->run->module[ctx->module].key);
    xpd_json_ki64(w, "space", ctx->color);
    xpd_json_ku64(w, "steps", ctx->space->step_count);
    xpd_tools_kindex(w, "peak_step", ctx->space->peak_step);
    xpd_json_ki64(w, "peak_bytes", ctx->space->peak_bytes);
    xpd_json_obj_end(w);
}

static void write(struct xpd_jsonw *w, const struct xpd_tool_ctx ctx[2],
                  const struct xpd_align *align, const struct xpd_report_view *view)
{
    xpd_json_obj(w);
    write_side(w, "before", &ctx[0]);
    write_side(w, "after", &ctx[1]);
    xpd_json_kbool(w, "whole", align->whole);
    xpd_json_key(w, "steps");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < view->asked_count; i++) {
        struct partner partner = partner_of(ctx, align, view->asked[i].step);
        xpd_json_obj(w);
        xpd_tools_kindex(w, "after", view->asked[i].step);
        xpd_tools_kindex(w, "before", partner.step);
        xpd_tools_kstr(w, "how", xpd_str_of(partner.how ? partner.how : ""));
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
    xpd_json_obj_end(w);
}

/* Whether any step but the peak is asked for: only then the programs have to be put in one order.
 */
static bool needs_order(const struct xpd_tool_ctx *ctx, const struct xpd_report_view *view)
{
    for (uint32_t i = 0; i < view->asked_count; i++)
        if (view->asked[i].step != ctx->space->peak_step)
            return true;
    return false;
}

static int answer(const struct xpd_tool_ctx ctx[2], struct xpd_tool_result *out,
                  struct xpd_err *err)
{
    struct xpd_compare_side side[2] = {{ctx[0].mem, ctx[0].space}, {ctx[1].mem, ctx[1].space}};
    struct xpd_report_view view = {0};
    struct xpd_align align = {.whole = true};
    struct xpd_jsonw w;
    int rc = xpd_report_asked_read(&view, &ctx[1], err);
    if (rc == XPD_OK && needs_order(&ctx[1], &view))
        rc = xpd_align_steps(&align, side, ctx[1].arena, err);
    if (rc != XPD_OK)
        return rc;
    xpd_jsonw_init(&w, &out->body);
    write(&w, ctx, &align, &view);
    return XPD_OK;
}

static int steps(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    return xpd_compare_with_base(ctx, answer, out, err);
}

static const struct xpd_param_spec params[] = {
    XPD_COMPARE_BASE_PARAMS,
    XPD_REPORT_STEPS_PARAM,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_compare_steps = {
    .route = "/api/v1/compare/steps",
    .title = "The step of the program before that matches each step of a program.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = steps,
};
