/* /api/v1/trace/flows: what led to an event and what it led to; or all arrows of a window. */
#include "trace_common.h"

#define ENDS_MAX    500   /* of each side of a flow that are listed */
#define ENDS_OF_ALL 20000 /* of all flows of an event, beside its own */
#define ARROWS_MAX  20000

/* The points of one flow: flows->point is sorted by flow. */
static void points_of(const struct xpd_flows *flows, uint64_t at, uint64_t *first, uint64_t *end)
{
    uint64_t flow = flows->point[at].flow, low = 0, high = at;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (flows->point[middle].flow < flow)
            low = middle + 1;
        else
            high = middle;
    }
    *first = low;
    low = at;
    high = flows->point_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (flows->point[middle].flow <= flow)
            low = middle + 1;
        else
            high = middle;
    }
    *end = low;
}

/* ---- of one event ---- */

static void write_end(struct xpd_jsonw *w, const struct xpd_trace_call *call, uint64_t number)
{
    struct xpd_event event;
    if (!xpd_view_event(&call->view, number, &event))
        return;
    xpd_json_obj(w);
    xpd_json_ku64(w, "event", event.number);
    xpd_json_ku64(w, "row", event.row);
    xpd_json_ku64(w, "depth", event.depth);
    xpd_json_ki64(w, "start", xpd_tools_at(call, event.start_ps));
    xpd_json_ki64(w, "duration", event.duration_ps);
    xpd_json_kstr(w, "caption", xpd_view_caption(&call->view, event.name));
    xpd_json_obj_end(w);
}

/* One side of a flow: the event that was asked about (`own`, a point) first, if it is on it; then
 * others, while there is room. How many are left out. */
static uint64_t write_side(struct xpd_jsonw *w, const struct xpd_trace_call *call, const char *key,
                           enum xpd_flow_end side, uint64_t own, uint32_t *room)
{
    const struct xpd_flow_point *point = call->flows->point;
    uint64_t first, end, all = 0, written = 0;
    points_of(call->flows, own, &first, &end);
    xpd_json_key(w, key);
    xpd_json_arr(w);
    if (point[own].ends & side) {
        write_end(w, call, point[own].event);
        all = written = 1;
    }
    for (uint64_t i = first; i < end; i++) {
        if (i == own || !(point[i].ends & side))
            continue;
        all++;
        if (written == ENDS_MAX || *room == 0)
            continue;
        write_end(w, call, point[i].event);
        written++;
        (*room)--;
    }
    xpd_json_arr_end(w);
    return all - written;
}

static void write_flow(struct xpd_jsonw *w, const struct xpd_trace_call *call, uint64_t own,
                       uint32_t *room)
{
    xpd_json_obj(w);
    xpd_json_key(w, "flow");
    xpd_json_u64_string(w, call->flows->point[own].flow);
    xpd_json_ktext(w, "category", xpd_flow_category_word(call->flows->point[own].category));
    uint64_t left_out = write_side(w, call, "out", XPD_FLOW_OUT, own, room);
    left_out += write_side(w, call, "in", XPD_FLOW_IN, own, room);
    xpd_json_ku64(w, "left_out", left_out);
    xpd_json_obj_end(w);
}

static void write_event(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                        const struct xpd_event *event)
{
    const struct xpd_flows *flows = call->flows;
    uint64_t all = 0;
    uint32_t room = ENDS_OF_ALL;
    xpd_json_key(w, "flows");
    xpd_json_arr(w);
    for (uint64_t i = xpd_flows_first(flows, event->number);
         i < flows->point_count && flows->point[flows->by_event[i]].event == event->number; i++)
        if (all++ < ENDS_MAX)
            write_flow(w, call, flows->by_event[i], &room);
    xpd_json_arr_end(w);
    xpd_json_ku64(w, "left_out", all > ENDS_MAX ? all - ENDS_MAX : 0);
}

/* ---- of a window: arrows ---- */

struct arrow {
    uint64_t flow;
    uint8_t category;
    struct xpd_event from, to;
};
struct arrows {
    const struct xpd_trace_call *call;
    const bool *wanted; /* by row */
    struct xpd_time_range range;
    struct arrow *at;
    uint64_t count, limit, left_out;
};

static bool in_view(const struct arrows *arrows, const struct xpd_event *event)
{
    return arrows->wanted[event->row] && event->start_ps <= arrows->range.to_ps &&
           event->start_ps + event->duration_ps >= arrows->range.from_ps;
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
                arrows->at[arrows->count++] =
                    (struct arrow){point[i].flow, point[i].category, from, to};
            else
                arrows->left_out++;
        }
        if (point[i].ends & XPD_FLOW_OUT)
            from = to;
    }
}

static void write_arrows(struct xpd_jsonw *w, const struct arrows *arrows)
{
    uint32_t n = (uint32_t)arrows->count;
    const struct arrow *at = arrows->at;
    xpd_json_key(w, "arrows");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    xpd_json_ku64(w, "left_out", arrows->left_out);
    XPD_COLUMN(w, "flow", n, xpd_json_u64_string(w, at[row].flow));
    XPD_COLUMN(w, "category", n, xpd_json_text(w, xpd_flow_category_word(at[row].category)));
    XPD_COLUMN(w, "from_event", n, xpd_json_u64(w, at[row].from.number));
    XPD_COLUMN(w, "from_row", n, xpd_json_u64(w, at[row].from.row));
    XPD_COLUMN(w, "from_depth", n, xpd_json_u64(w, at[row].from.depth));
    XPD_COLUMN(w, "from_start", n,
               xpd_json_i64(w, xpd_tools_at(arrows->call, at[row].from.start_ps)));
    XPD_COLUMN(w, "from_duration", n, xpd_json_i64(w, at[row].from.duration_ps));
    XPD_COLUMN(w, "to_event", n, xpd_json_u64(w, at[row].to.number));
    XPD_COLUMN(w, "to_row", n, xpd_json_u64(w, at[row].to.row));
    XPD_COLUMN(w, "to_depth", n, xpd_json_u64(w, at[row].to.depth));
    XPD_COLUMN(w, "to_start", n, xpd_json_i64(w, xpd_tools_at(arrows->call, at[row].to.start_ps)));
    XPD_COLUMN(w, "to_duration", n, xpd_json_i64(w, at[row].to.duration_ps));
    xpd_json_obj_end(w);
}

static int window(struct xpd_trace_call *call, struct xpd_jsonw *w, struct xpd_err *err)
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
    arrows.at = XPD_NEW_ARRAY(call->ctx->arena, struct arrow, arrows.limit);
    if (!wanted || !arrows.at)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < rows.count; i++)
        wanted[rows.at[i]] = true;
    arrows.wanted = wanted;
    for (uint64_t i = 0; i < flows->point_count;) {
        uint64_t first = i;
        while (i < flows->point_count && flows->point[i].flow == flows->point[first].flow)
            i++;
        add_flow(&arrows, first, i);
    }
    write_arrows(w, &arrows);
    return XPD_OK;
}

static int flows_tool(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                      struct xpd_err *err)
{
    struct xpd_trace_call call;
    struct xpd_event event;
    struct xpd_jsonw w;
    bool one = xpd_param_has(ctx, "event");
    int rc = xpd_tools_trace(ctx, XPD_WANT_FLOWS, &call, err);
    if (rc == XPD_OK && one)
        rc = xpd_tools_trace_event(&call, &event, err);
    if (rc != XPD_OK)
        return rc;
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    xpd_tools_base(&w, &call);
    xpd_json_ku64(&w, "matched", call.flows->matched_count);
    xpd_json_ku64(&w, "open", call.flows->open_count);
    if (one)
        write_event(&w, &call, &event);
    else
        rc = window(&call, &w, err);
    xpd_json_obj_end(&w);
    return rc;
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
    .title = "What led to an event and what it led to; or the arrows of a window.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .run = flows_tool,
};
