/* /api/v1/compare/steps: which step of the baseline the chosen steps of a program are read against.
 * In: steps of the program. Out: the baseline's step for each: peak for peak, else by the order
 * that both programs' steps share (doctor/align.h). */
#include "../report/report_common.h"
#include "compare_parts.h"
#include "xprofd/doctor/align.h"

#define XPD_COMPARED_STEPS_SIDE_FIELDS(FIELD)                                                      \
    FIELD(STRING, run, "its id")                                                                   \
    FIELD(STRING, module, "key of the program")                                                    \
    FIELD(INT, space, "memory space")                                                              \
    FIELD(COUNT, steps, "of that space")                                                           \
    FIELD(MAYBE(INDEX), peak_step, "null: no heap trace")                                          \
    FIELD(INT, peak_bytes, "")
XPD_RECORD(xpd_compared_steps_side, XPD_COMPARED_STEPS_SIDE_FIELDS)

#define XPD_COMPARED_STEP_FIELDS(FIELD)                                                            \
    FIELD(MAYBE(INDEX), after, "the requested step; null: the peak without a heap trace")          \
    FIELD(MAYBE(INDEX), before, "the matching step; null: none")                                   \
    FIELD(MAYBE(WORD("peak same last_before")), how,                                               \
          "both are the peak; the same place in the order; the last step before that place")
XPD_RECORD(xpd_compared_step, XPD_COMPARED_STEP_FIELDS)

#define XPD_COMPARED_STEPS_FIELDS(FIELD)                                                           \
    FIELD(OBJECT(xpd_compared_steps_side), before, "")                                             \
    FIELD(OBJECT(xpd_compared_steps_side), after, "")                                              \
    FIELD(BOOL, whole, "false: the programs were too long to align step by step")                  \
    FIELD(LIST(xpd_compared_step), steps, "the requested steps")
XPD_RECORD(xpd_compared_steps, XPD_COMPARED_STEPS_FIELDS)

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

/* NULL: no memory. */
static const struct xpd_compared_steps_side *side_of(const struct xpd_tool_ctx *ctx)
{
    struct xpd_compared_steps_side *out = XPD_NEW(ctx->arena, struct xpd_compared_steps_side);
    if (out)
        *out = (struct xpd_compared_steps_side){
            .run = ctx->run->entry->id,
            .module = ctx->run->module[ctx->module].key,
            .space = ctx->color,
            .steps = ctx->space->step_count,
            .peak_step = ctx->space->peak_step,
            .peak_bytes = ctx->space->peak_bytes,
        };
    return out;
}

static int fill(struct xpd_compared_steps *out, const struct xpd_tool_ctx ctx[2],
                const struct xpd_align *align, const struct xpd_report_view *view,
                struct xpd_err *err)
{
    struct xpd_compared_step *step =
        XPD_NEW_ARRAY(ctx[1].arena, struct xpd_compared_step, view->asked_count);
    *out = (struct xpd_compared_steps){
        side_of(&ctx[0]), side_of(&ctx[1]), align->whole, {step, view->asked_count}};
    for (uint32_t i = 0; step && i < view->asked_count; i++) {
        struct partner partner = partner_of(ctx, align, view->asked[i].step);
        step[i] = (struct xpd_compared_step){view->asked[i].step, partner.step, partner.how};
    }
    return ctx[1].arena->failed ? xpd_tools_no_memory(err) : XPD_OK;
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

static int answer(const struct xpd_tool_ctx ctx[2], void *to, struct xpd_err *err)
{
    struct xpd_compare_side side[2] = {{ctx[0].mem, ctx[0].space}, {ctx[1].mem, ctx[1].space}};
    struct xpd_report_view view = {0};
    struct xpd_align align = {.whole = true};
    int rc = xpd_report_asked_read(&view, &ctx[1], err);
    if (rc == XPD_OK && needs_order(&ctx[1], &view))
        rc = xpd_align_steps(&align, side, ctx[1].arena, err);
    return rc == XPD_OK ? fill(to, ctx, &align, &view, err) : rc;
}

static int steps(const struct xpd_tool_ctx *ctx, const void **to, struct xpd_err *err)
{
    return xpd_compare_with_base(ctx, answer, sizeof(struct xpd_compared_steps), to, err);
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
    .answer = xpd_compared_steps_record,
    .make = steps,
    XPD_IN_REPORT("", {210, XPD_EACH_PAIR, "", "the step before that each peak is compared with"}),
};
