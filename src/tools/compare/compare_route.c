/* /api/v1/compare: two programs at their peaks, as groups that add up to the difference. */
#include "compare_parts.h"

static int answer(const struct xpd_tool_ctx ctx[2], void *to, struct xpd_err *err)
{
    struct xpd_tool_result *out = to;
    struct xpd_str format = xpd_param_text(&ctx[1], "format");
    bool md = xpd_str_eq(format, XPD_STR("md")), text = xpd_str_eq(format, XPD_STR("text"));
    out->type = md || text ? XPD_BODY_TEXT : XPD_BODY_JSON;
    return xpd_compare_answer(ctx,
                              md     ? XPD_COMPARE_MD
                              : text ? XPD_COMPARE_TEXT
                                     : XPD_COMPARE_JSON,
                              &out->body, err);
}

static int compare(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    return xpd_compare_with_base(ctx, answer, out, err);
}

static const struct xpd_param_spec params[] = {
    XPD_COMPARE_BASE_PARAMS,
    {.name = "format",
     .type = XPD_PARAM_ENUM,
     .words = "json text md",
     .help = "form of the answer"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_compare = {
    .route = "/api/v1/compare",
    .title = "Two programs at their peaks: groups of buffers whose differences add up to that of "
             "the peaks.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = compare,
};
