/* /api/v1/trace/near: the event before or after another one, in its row or of its name. */
#include "../tables/graph_common.h"
#include "trace_common.h"
#include "xprofd/trace/op_times.h"

#define XPD_TRACE_NEAR_FIELDS(FIELD)                                                               \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(MAYBE(OBJECT(xpd_event_at)), found, "null: none on that side")
XPD_RECORD(xpd_trace_near, XPD_TRACE_NEAR_FIELDS)

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
    while (i > 0 && (depth->name[i - 1] != event->name ||
                     (direction == PREVIOUS && depth != event->at &&
                      xpd_depth_start(depth, i - 1) >= event->start_ps)))
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

/* ---- of an instruction ---- */

struct wanted {
    const struct xpd_view *view;
    const struct xpd_event *event;
    bool *name; /* by name of the trace */
};

/* Names of the instruction: of the event's program where names tell theirs, else by what the event
 * is called, as on hosts. */
static bool flag_names(struct wanted *wanted, struct xpd_str instruction, struct xpd_arena *arena)
{
    const struct xpd_trace *trace = wanted->view->trace;
    uint64_t program = xpd_view_name(wanted->view, wanted->event->name)->program_id;
    wanted->name = XPD_NEW_ARRAY(arena, bool, (size_t)trace->name_count + 1);
    for (uint32_t i = 0; wanted->name && i < trace->name_count; i++)
        wanted->name[i] = trace->name[i].program_id == program &&
                          xpd_str_eq(xpd_op_instruction(trace, &trace->name[i]), instruction);
    return wanted->name != NULL;
}

/* The nearest on one depth that ends or begins on that side; *at is its index. */
static bool wanted_on_depth(const struct wanted *wanted, const struct xpd_depth *depth,
                            bool forward, uint32_t *at)
{
    uint32_t i = xpd_depth_first_after(depth, wanted->event->start_ps);
    if (forward) {
        while (i < depth->count && !wanted->name[depth->name[i]])
            i++;
        *at = i;
        return i < depth->count;
    }
    while (i > 0 && (!wanted->name[depth->name[i - 1]] ||
                     depth->first_event + i - 1 == wanted->event->number))
        i--;
    *at = i - 1;
    return i > 0;
}

/* Over the measured rows of its kind in its process: thunks run on any free thread. */
static bool near_wanted(const struct wanted *wanted, bool forward, struct xpd_event *found)
{
    const struct xpd_view *view = wanted->view;
    uint32_t process = xpd_view_process(view, wanted->event->row);
    enum xpd_row_kind kind = xpd_view_row(view, wanted->event->row)->kind;
    bool any = false;
    for (uint32_t r = 0; r < view->trace->row_count; r++) {
        const struct xpd_trace_row *row = xpd_view_row(view, r);
        if (row->process != process || row->kind != kind)
            continue;
        for (uint32_t d = 0; d < row->depth_count; d++) {
            uint32_t at;
            if (!wanted_on_depth(wanted, xpd_view_depth(view, r, d), forward, &at))
                continue;
            struct xpd_event one = xpd_view_event_at(view, r, d, at);
            if (!any || (forward ? one.start_ps < found->start_ps : one.start_ps > found->start_ps))
                *found = one;
            any = true;
        }
    }
    return any;
}

static int find(const struct xpd_trace_call *call, const struct xpd_event *event,
                struct xpd_event *found, bool *any, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = call->ctx;
    enum direction direction = direction_of(ctx);
    struct xpd_str instruction = xpd_tools_bare_name(xpd_param_text(ctx, "instruction"));
    if (instruction.size == 0) {
        bool by_name = xpd_str_eq(xpd_param_text(ctx, "by"), XPD_STR("name"));
        *any = (by_name ? near_of_name : near_in_row)(&call->view, event, direction, found);
        return XPD_OK;
    }
    struct wanted wanted = {.view = &call->view, .event = event};
    if (!flag_names(&wanted, instruction, ctx->arena))
        return xpd_tools_no_memory(err);
    *any = near_wanted(&wanted, direction == NEXT || direction == FIRST, found);
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
     .words = "next previous first last",
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
