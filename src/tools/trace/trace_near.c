/* /api/v1/trace/near: the event before or after another one, in its row or of its name. */
#include "../tables/graph_common.h"
#include "trace_common.h"
#include "xprofd/trace/near.h"

#define XPD_TRACE_NEAR_FIELDS(FIELD)                                                               \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(MAYBE(OBJECT(xpd_event_at)), found, "null: none on that side")
XPD_RECORD(xpd_trace_near, XPD_TRACE_NEAR_FIELDS)

static int find(const struct xpd_trace_call *call, const struct xpd_event *event,
                struct xpd_event *found, bool *any, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = call->ctx;
    int way = xpd_param_word(ctx, &xpd_tool_trace_near, "dir");
    enum xpd_near near = way < 0 ? XPD_NEAR_NEXT : (enum xpd_near)way;
    struct xpd_str instruction = xpd_tools_bare_name(xpd_param_text(ctx, "instruction"));
    if (instruction.size > 0)
        return xpd_near_of_instruction(&call->view, event, instruction,
                                       near == XPD_NEAR_NEXT || near == XPD_NEAR_FIRST, ctx->arena,
                                       found, any, err);
    bool by_name = xpd_str_eq(xpd_param_text(ctx, "by"), XPD_STR("name"));
    *any = (by_name ? xpd_near_of_name : xpd_near_in_row)(&call->view, event, near, found);
    return XPD_OK;
}

static int near(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct xpd_trace_near *out = XPD_NEW(ctx->arena, struct xpd_trace_near);
    struct xpd_event_at *at = XPD_NEW(ctx->arena, struct xpd_event_at);
    struct xpd_trace_call call;
    struct xpd_event event, found;
    bool any = false;
    int rc = out && at ? xpd_tools_trace(ctx, 0, &call, err) : xpd_tools_no_memory(err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_event(&call, &event, err);
    if (rc == XPD_OK)
        rc = find(&call, &event, &found, &any, err);
    if (rc != XPD_OK)
        return rc;
    if (any)
        *at = xpd_tools_event_at(&call, &found);
    *out = (struct xpd_trace_near){call.base_ps, any ? at : NULL};
    *answer = out;
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    XPD_TRACE_PARAM_EVENT,
    {.name = "dir",
     .type = XPD_PARAM_ENUM,
     .words = "next previous first last", /* as enum xpd_near */
     .help = "default next"},
    {.name = "by",
     .type = XPD_PARAM_ENUM,
     .words = "row name",
     .help = "row (default): on the same depth; name: the same operation anywhere in the row"},
    {.name = "instruction",
     .type = XPD_PARAM_TEXT,
     .help =
         "of this instruction of the event's program, in the rows of its kind: next or previous"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_near = {
    .route = "/api/v1/trace/near",
    .title = "The event before or after another one, in its row or of its name.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_trace_near_record,
    .make = near,
};
