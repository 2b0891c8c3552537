/* /api/v1/trace/flows: what led to an event and what it led to; or all arrows of a window. */
#include "trace_common.h"

#define ENDS_MAX    500   /* of each side of a flow that are listed */
#define ENDS_OF_ALL 20000 /* of all flows of an event, beside its own */
#define ARROWS_MAX  20000

#define XPD_FLOW_OF_EVENT_FIELDS(FIELD)                                                            \
    FIELD(ID, flow, "its id")                                                                      \
    FIELD(STRING, category, "what kind of call it is, \"\" unknown")                               \
    FIELD(LIST(xpd_event_at), out, "events that it comes from; the requested event first")         \
    FIELD(LIST(xpd_event_at), in, "events it reaches; likewise")                                   \
    FIELD(INT, left_out, "events of both sides not listed")
XPD_RECORD(xpd_flow_of_event, XPD_FLOW_OF_EVENT_FIELDS)

#define XPD_FLOW_ARROW_FIELDS(FIELD)                                                               \
    FIELD(ID, flow, "its id")                                                                      \
    FIELD(STRING, category, "what kind of call it is, \"\" unknown")                               \
    FIELD(INT, from_event, "")                                                                     \
    FIELD(INDEX, from_row, "of trace/rows")                                                        \
    FIELD(INDEX, from_depth, "depth in its row")                                                   \
    FIELD(SIGNED, from_start_ps, "host-aligned")                                                   \
    FIELD(INT, from_duration_ps, "host-aligned")                                                   \
    FIELD(INT, to_event, "")                                                                       \
    FIELD(INDEX, to_row, "of trace/rows")                                                          \
    FIELD(INDEX, to_depth, "depth in its row")                                                     \
    FIELD(SIGNED, to_start_ps, "host-aligned")                                                     \
    FIELD(INT, to_duration_ps, "host-aligned")
XPD_RECORD(xpd_flow_arrow, XPD_FLOW_ARROW_FIELDS)

#define XPD_FLOW_ARROWS_FIELDS(FIELD)                                                              \
    FIELD(INT, left_out, "arrows beyond the limit")                                                \
    FIELD(INLINE(xpd_flow_arrow), rows, "")
XPD_RECORD(xpd_flow_arrows, XPD_FLOW_ARROWS_FIELDS)

#define XPD_TRACE_FLOWS_FIELDS(FIELD)                                                              \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(INT, matched, "flows of the trace with events on both sides")                            \
    FIELD(INT, open, "flows with events on one side only")                                         \
    FIELD(MAYBE(LIST(xpd_flow_of_event)), flows, "with `event`: its flows")                        \
    FIELD(MAYBE(INT), left_out, "with `event`: its flows that are not listed")                     \
    FIELD(MAYBE(OBJECT(xpd_flow_arrows)), arrows, "without `event`: those of the window")
XPD_RECORD(xpd_trace_flows, XPD_TRACE_FLOWS_FIELDS)

/* ---- of one event ---- */

struct side { /* one of a flow */
    struct xpd_event_at *at;
    uint32_t n;
    uint64_t left_out;
};

static void add_end(struct side *side, const struct xpd_trace_call *call, uint64_t number)
{
    struct xpd_event event;
    if (xpd_view_event(&call->view, number, &event))
        side->at[side->n++] = xpd_tools_event_at(call, &event);
}

/* The event that was asked about (`own`, a point) first, if it is on this side; then others, while
 * there is room. */
static int find_side(struct side *out, const struct xpd_trace_call *call, enum xpd_flow_end side,
                     uint64_t own, uint32_t *room, struct xpd_err *err)
{
    const struct xpd_flow_point *point = call->flows->point;
    uint32_t flow = point[own].flow;
    uint64_t first = call->flows->first[flow], end = call->flows->first[flow + 1];
    uint64_t all = 0, listed = 0;
    uint64_t most = end - first < ENDS_MAX ? end - first : ENDS_MAX;
    out->at = XPD_NEW_ARRAY(call->ctx->arena, struct xpd_event_at, most + 1);
    if (!out->at)
        return xpd_tools_no_memory(err);
    if (point[own].ends & side) {
        add_end(out, call, point[own].event);
        all = listed = 1;
    }
    for (uint64_t i = first; i < end; i++) {
        if (i == own || !(point[i].ends & side))
            continue;
        all++;
        if (listed == ENDS_MAX || *room == 0)
            continue;
        add_end(out, call, point[i].event);
        listed++;
        (*room)--;
    }
    out->left_out = all - listed;
    return XPD_OK;
}

static int find_flow(struct xpd_flow_of_event *out, const struct xpd_trace_call *call, uint64_t own,
                     uint32_t *room, struct xpd_err *err)
{
    struct side from = {0}, to = {0};
    int rc = find_side(&from, call, XPD_FLOW_OUT, own, room, err);
    if (rc == XPD_OK)
        rc = find_side(&to, call, XPD_FLOW_IN, own, room, err);
    *out = (struct xpd_flow_of_event){
        .flow = call->flows->id[call->flows->point[own].flow],
        .category = xpd_flow_category_word(call->flows->point[own].category),
        .out = {from.at, from.n},
        .in = {to.at, to.n},
        .left_out = (int64_t)(from.left_out + to.left_out),
    };
    return rc;
}

/* The point of an event that has this flow. */
static uint64_t own_point(const struct xpd_flows *flows, const struct xpd_flow_of *of,
                          uint64_t event)
{
    uint64_t at = flows->first[of->flow];
    while (flows->point[at].event != event || flows->point[at].ends != of->ends)
        at++;
    return at;
}

static int of_event(struct xpd_trace_flows *out, const struct xpd_trace_call *call,
                    const struct xpd_event *event, struct xpd_err *err)
{
    const struct xpd_flows *flows = call->flows;
    uint64_t first, end;
    uint32_t room = ENDS_OF_ALL;
    xpd_flows_of(flows, event->number, &first, &end);
    uint64_t all = end - first;
    uint32_t n = all < ENDS_MAX ? (uint32_t)all : ENDS_MAX;
    struct xpd_flow_of_event *to =
        XPD_NEW_ARRAY(call->ctx->arena, struct xpd_flow_of_event, (size_t)n + 1);
    int rc = to ? XPD_OK : xpd_tools_no_memory(err);
    for (uint32_t i = 0; rc == XPD_OK && i < n; i++)
        rc = find_flow(&to[i], call, own_point(flows, &flows->of_event[first + i], event->number),
                       &room, err);
    out->flows.at = to;
    out->flows.n = n;
    out->left_out = (int64_t)(all - n);
    return rc;
}

/* ---- of a window: arrows ---- */

struct arrows {
    const struct xpd_trace_call *call;
    const bool *wanted; /* by row */
    struct xpd_time_range range;
    struct xpd_flow_arrow *at;
    uint64_t count, limit, left_out;
};

static bool in_view(const struct arrows *arrows, const struct xpd_event *event)
{
    return arrows->wanted[event->row] && event->start_ps <= arrows->range.to_ps &&
           event->start_ps + event->duration_ps >= arrows->range.from_ps;
}

static struct xpd_flow_arrow arrow_of(const struct xpd_trace_call *call,
                                      const struct xpd_flow_point *point,
                                      const struct xpd_event *from, const struct xpd_event *to)
{
    return (struct xpd_flow_arrow){
        .flow = call->flows->id[point->flow],
        .category = xpd_flow_category_word(point->category),
        .from_event = (int64_t)from->number,
        .from_row = from->row,
        .from_depth = from->depth,
        .from_start_ps = xpd_tools_at(call, from->start_ps),
        .from_duration_ps = from->duration_ps,
        .to_event = (int64_t)to->number,
        .to_row = to->row,
        .to_depth = to->depth,
        .to_start_ps = xpd_tools_at(call, to->start_ps),
        .to_duration_ps = to->duration_ps,
    };
}

/* Each end is reached from the last out that began before it, else from the first one. */
static void add_flow(struct arrows *arrows, uint64_t first, uint64_t end)
{
    const struct xpd_flow_point *point = arrows->call->flows->point;
    struct xpd_event from, to;
    bool any = false;
    for (uint64_t i = first; i < end && !any; i++)
        any = (point[i].ends & XPD_FLOW_OUT) &&
              xpd_view_event(&arrows->call->view, point[i].event, &from);
    for (uint64_t i = first; any && i < end; i++) {
        if (!xpd_view_event(&arrows->call->view, point[i].event, &to))
            continue;
        if ((point[i].ends & XPD_FLOW_IN) && to.number != from.number &&
            (in_view(arrows, &from) || in_view(arrows, &to))) {
            if (arrows->count < arrows->limit)
                arrows->at[arrows->count++] = arrow_of(arrows->call, &point[i], &from, &to);
            else
                arrows->left_out++;
        }
        if (point[i].ends & XPD_FLOW_OUT)
            from = to;
    }
}

/* Marks the flows that events in view have: an arrow has at least one of its ends there. */
static void mark_flows(const struct arrows *arrows, const struct xpd_row_list *rows, uint8_t *mark)
{
    const struct xpd_view *view = &arrows->call->view;
    const struct xpd_flows *flows = arrows->call->flows;
    for (uint32_t r = 0; r < rows->count; r++)
        for (uint32_t d = 0; d < xpd_view_row(view, rows->at[r])->depth_count; d++) {
            const struct xpd_depth *depth = xpd_view_depth(view, rows->at[r], d);
            uint32_t i = xpd_depth_first_touching(depth, arrows->range.from_ps);
            for (; i < depth->count && xpd_depth_start(depth, i) <= arrows->range.to_ps; i++) {
                uint64_t first, end;
                xpd_flows_of(flows, depth->first_event + i, &first, &end);
                for (; first < end; first++)
                    mark[flows->of_event[first].flow] = 1;
            }
        }
}

static int of_window(struct xpd_trace_flows *out, struct xpd_trace_call *call, struct xpd_err *err)
{
    const struct xpd_flows *flows = call->flows;
    struct xpd_row_list rows;
    struct arrows arrows = {
        .call = call, .limit = (uint64_t)xpd_param_int(call->ctx, &xpd_tool_trace_flows, "limit")};
    int rc = xpd_tools_trace_rows(call, XPD_ROWS_SHOWN, &rows, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_range(call, &arrows.range, err);
    if (rc != XPD_OK)
        return rc;
    bool *wanted = XPD_NEW_ARRAY(call->ctx->arena, bool, xpd_view_rows(&call->view));
    struct xpd_flow_arrows *to = XPD_NEW(call->ctx->arena, struct xpd_flow_arrows);
    arrows.at = XPD_NEW_ARRAY(call->ctx->arena, struct xpd_flow_arrow, arrows.limit);
    uint8_t *mark = XPD_NEW_ARRAY(call->ctx->arena, uint8_t, flows->point_flows);
    if (!wanted || !arrows.at || !to || !mark)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < rows.count; i++)
        wanted[rows.at[i]] = true;
    arrows.wanted = wanted;
    struct xpd_time_range all = xpd_view_all(&call->view);
    bool whole = arrows.range.from_ps <= all.from_ps && arrows.range.to_ps >= all.to_ps;
    if (!whole)
        mark_flows(&arrows, &rows, mark);
    for (uint32_t flow = 0; flow < flows->point_flows; flow++)
        if (whole || mark[flow])
            add_flow(&arrows, flows->first[flow], flows->first[flow + 1]);
    *to = (struct xpd_flow_arrows){(int64_t)arrows.left_out, {arrows.at, (uint32_t)arrows.count}};
    out->arrows = to;
    return XPD_OK;
}

static int flows_tool(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct xpd_trace_flows *out = XPD_NEW(ctx->arena, struct xpd_trace_flows);
    struct xpd_trace_call call;
    struct xpd_event event;
    bool one = xpd_param_has(ctx, "event");
    int rc = out ? xpd_tools_trace(ctx, XPD_WANT_FLOWS, &call, err) : xpd_tools_no_memory(err);
    if (rc == XPD_OK && one)
        rc = xpd_tools_trace_event(&call, &event, err);
    if (rc != XPD_OK)
        return rc;
    *out = (struct xpd_trace_flows){.base_ps = call.base_ps,
                                    .matched = (int64_t)call.flows->matched_count,
                                    .open = (int64_t)call.flows->open_count,
                                    .left_out = -1};
    *answer = out;
    return one ? of_event(out, &call, &event, err) : of_window(out, &call, err);
}

static const struct xpd_param_spec params[] = {
    {.name = "event",
     .type = XPD_PARAM_INT,
     .max = INT64_MAX,
     .help = "flows of this event; without it the arrows of a window"},
    XPD_TRACE_PARAM_ROWS,
    XPD_TRACE_PARAM_FROM,
    XPD_TRACE_PARAM_TO,
    XPD_PARAM_LIMIT(2000, ARROWS_MAX, "arrows of a window, default 2000"),
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_flows = {
    .route = "/api/v1/trace/flows",
    .title = "The causes and effects of an event, or the arrows of a window.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_trace_flows_record,
    .make = flows_tool,
};
