/* /api/v1/trace/near: the event before or after another one, in its row or of its name. */
#include "trace_common.h"

enum direction { NEXT, PREVIOUS, FIRST, LAST };

static enum direction direction_of(const struct xpd_tool_ctx *ctx)
{
    struct xpd_str word = xpd_param_text(ctx, "dir");
    if (xpd_str_eq(word, XPD_STR("previous")))
        return PREVIOUS;
    if (xpd_str_eq(word, XPD_STR("first")))
        return FIRST;
    return xpd_str_eq(word, XPD_STR("last")) ? LAST : NEXT;
}

/* On the same depth: what a person sees beside it. */
static bool near_in_row(const struct xpd_view *view, const struct xpd_event *event,
                        enum direction direction, struct xpd_event *found)
{
    uint32_t count = event->at->count, at = event->index;
    if ((direction == NEXT && at + 1 >= count) || (direction == PREVIOUS && at == 0))
        return false;
    if (direction == NEXT)
        at++;
    else if (direction == PREVIOUS)
        at--;
    else
        at = direction == FIRST ? 0 : count - 1;
    *found = xpd_view_event_at(view, event->row, event->depth, at);
    return true;
}

/* The nearest of this name on one depth, in the direction asked for. */
static bool near_on_depth(const struct xpd_depth *depth, const struct xpd_event *event,
                          enum direction direction, uint32_t *at)
{
    bool forward = direction == NEXT || direction == FIRST;
    uint32_t i = 0;
    if (direction == NEXT || direction == PREVIOUS)
        i = xpd_depth_first_after(depth, event->start_ps);
    else if (direction == LAST)
        i = depth->count;
    if (depth == event->at && direction == NEXT)
        i = event->index + 1;
    if (depth == event->at && direction == PREVIOUS)
        i = event->index;
    if (forward) {
        while (i < depth->count && depth->name[i] != event->name)
            i++;
        *at = i;
        return i < depth->count;
    }
    while (i > 0 &&
           (depth->name[i - 1] != event->name || (direction == PREVIOUS && depth != event->at &&
                                                  depth->start_ps[i - 1] >= event->start_ps)))
        i--;
    *at = i - 1;
    return i > 0;
}

/* Over all depths of the row: the earliest one behind it, or the latest one before. */
static bool near_of_name(const struct xpd_view *view, const struct xpd_event *event,
                         enum direction direction, struct xpd_event *found)
{
    bool forward = direction == NEXT || direction == FIRST, any = false;
    for (uint32_t d = 0; d < xpd_view_row(view, event->row)->depth_count; d++) {
        uint32_t at;
        if (!near_on_depth(xpd_view_depth(view, event->row, d), event, direction, &at))
            continue;
        struct xpd_event one = xpd_view_event_at(view, event->row, d, at);
        if (!any || (forward ? one.start_ps < found->start_ps : one.start_ps > found->start_ps))
            *found = one;
        any = true;
    }
    return any;
}

static int near(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_trace_call call;
    struct xpd_event event, found;
    int rc = xpd_tools_trace(ctx, 0, &call, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_event(&call, &event, err);
    if (rc != XPD_OK)
        return rc;
    bool by_name = xpd_str_eq(xpd_param_text(ctx, "by"), XPD_STR("name"));
    bool any =
        (by_name ? near_of_name : near_in_row)(&call.view, &event, direction_of(ctx), &found);
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    xpd_tools_base(&w, &call);
    xpd_tools_kevent(&w, "event", any, &found);
    if (any) {
        xpd_json_ku64(&w, "row", found.row);
        xpd_json_ku64(&w, "depth", found.depth);
        xpd_json_ki64(&w, "start", xpd_tools_at(&call, found.start_ps));
        xpd_json_ki64(&w, "duration", found.duration_ps);
    }
    xpd_json_obj_end(&w);
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    XPD_TRACE_PARAM_EVENT,
    {.name = "dir",
     .type = XPD_PARAM_ENUM,
     .words = "next previous first last",
     .help = "default next"},
    {.name = "by",
     .type = XPD_PARAM_ENUM,
     .words = "row name",
     .help = "row (default): on the same depth; name: the same operation anywhere in the row"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_near = {
    .route = "/api/v1/trace/near",
    .title = "The event before or after another one, in its row or of its name.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .run = near,
};
