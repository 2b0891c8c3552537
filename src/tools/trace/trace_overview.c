/* /api/v1/trace/overview: the minimap: how busy each device and the host were, column by column.
 * A lane is the outermost depth of the rows that measure work on a device, the mean of the threads
 * on a host. */
#include "trace_common.h"

#define PX_MAX 8192

#define XPD_TRACE_LANE_FIELDS(FIELD)                                                               \
    FIELD(INDEX, process, "of trace/rows")                                                         \
    FIELD(COUNT, rows, "number of rows merged")                                                    \
    FIELD(VALUES(COUNT), level, "by column: 0 idle to 255 busy all the time")                      \
    FIELD(VALUES(INDEX), group, "by column: index in `groups` of the group with most time")
XPD_RECORD(xpd_trace_lane, XPD_TRACE_LANE_FIELDS)

#define XPD_TRACE_OVERVIEW_FIELDS(FIELD)                                                           \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(SIGNED, from_ps, "of the window")                                                        \
    FIELD(SIGNED, to_ps, "of the window")                                                          \
    FIELD(COUNT, columns, "")                                                                      \
    FIELD(REAL, column_ps, "width of a column")                                                    \
    FIELD(VALUES(STRING), groups, "kinds of work")                                                 \
    FIELD(LIST(xpd_trace_lane), lanes, "one for each process with events")
XPD_RECORD(xpd_trace_overview, XPD_TRACE_OVERVIEW_FIELDS)

struct lane {
    uint32_t process, rows; /* rows that were added */
    double *busy_ps;        /* by column */
    double *group_ps;       /* by column and group */
};
struct overview {
    const struct xpd_view *view;
    struct xpd_time_range range;
    uint32_t columns;
    double column_ps;
    struct lane *lane; /* by process */
    struct lane *at;   /* that is being added to */
};

static void add(struct overview *overview, double from_ps, double to_ps, double busy_ps,
                uint32_t name)
{
    uint8_t group = xpd_view_name(overview->view, name)->group;
    double origin = (double)overview->range.from_ps, width = overview->column_ps;
    double first = (from_ps - origin) / width, last = (to_ps - origin) / width;
    double share = to_ps > from_ps ? busy_ps / (to_ps - from_ps) : 0;
    first = first < 0 ? 0 : first;
    last = last > overview->columns ? overview->columns : last;
    for (uint32_t i = (uint32_t)first; i < overview->columns && i < last; i++) {
        double left = first > i ? first : i, right = last < i + 1.0 ? last : i + 1.0;
        double ps = (right - left) * width * share;
        overview->at->busy_ps[i] += ps;
        overview->at->group_ps[(size_t)i * XPD_OP_GROUP_COUNT + group] += ps;
    }
}

static void take_box(void *user, const struct xpd_box *box)
{
    struct overview *overview = user;
    add(overview, (double)box->start_ps, (double)box->end_ps, (double)box->busy_ps, box->name);
}

/* Work of a device is measured on its operation rows; without any, on its modules. */
static enum xpd_row_kind lane_kind(const struct xpd_view *view, uint32_t process)
{
    static const enum xpd_row_kind order[] = {XPD_ROW_STREAM, XPD_ROW_OPS, XPD_ROW_MODULES,
                                              XPD_ROW_STEPS};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (xpd_view_row_of_kind(view, process, order[i]) != XPD_NO_INDEX)
            return order[i];
    return XPD_ROW_LINE;
}

static int make(struct overview *overview, const struct xpd_row_list *rows, struct xpd_arena *arena,
                struct xpd_err *err)
{
    const struct xpd_view *view = overview->view;
    struct xpd_trace_window window = {overview->range.from_ps, overview->range.to_ps, 0};
    int64_t column_ps = (int64_t)overview->column_ps;
    window.cell_shift = xpd_cell_shift(column_ps, 2);
    overview->lane = XPD_NEW_ARRAY(arena, struct lane, view->trace->process_count);
    if (!overview->lane)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct xpd_trace_row *row = xpd_view_row(view, rows->at[i]);
        struct lane *lane = &overview->lane[row->process];
        bool host = view->trace->process[row->process].kind == XPD_PROCESS_HOST;
        if (row->depth_count == 0 || row->kind == XPD_ROW_COUNTER ||
            (!host && row->kind != lane_kind(view, row->process)))
            continue;
        if (!lane->busy_ps) {
            lane->busy_ps = XPD_NEW_ARRAY(arena, double, overview->columns);
            lane->group_ps =
                XPD_NEW_ARRAY(arena, double, (size_t)overview->columns *XPD_OP_GROUP_COUNT);
            if (!lane->busy_ps || !lane->group_ps)
                return xpd_tools_no_memory(err);
        }
        lane->process = row->process;
        lane->rows++;
        overview->at = lane;
        xpd_depth_boxes(xpd_view_depth(view, rows->at[i], 0), &window, take_box, overview);
    }
    return XPD_OK;
}

static uint32_t level(const struct overview *overview, const struct lane *lane, uint32_t column)
{
    double share = lane->busy_ps[column] / (overview->column_ps * lane->rows);
    if (share <= 0)
        return 0;
    double scaled = share * 255 + 0.5;
    return scaled < 1 ? 1 : scaled > 255 ? 255 : (uint32_t)scaled; /* busy at all is never 0 */
}

static uint32_t most(const struct lane *lane, uint32_t column)
{
    const double *ps = lane->group_ps + (size_t)column * XPD_OP_GROUP_COUNT;
    uint32_t best = 0;
    for (uint32_t i = 1; i < XPD_OP_GROUP_COUNT; i++)
        if (ps[i] > ps[best])
            best = i;
    return best;
}

static int fill_lanes(struct xpd_trace_overview *out, const struct xpd_trace_call *call,
                      const struct overview *overview, struct xpd_err *err)
{
    struct xpd_arena *arena = call->ctx->arena;
    uint32_t n = overview->columns, count = call->view.trace->process_count;
    struct xpd_trace_lane *to = XPD_NEW_ARRAY(arena, struct xpd_trace_lane, count);
    if (!to)
        return xpd_tools_no_memory(err);
    out->lanes.at = to;
    for (uint32_t p = 0; p < count; p++) {
        const struct lane *lane = &overview->lane[p];
        if (lane->rows == 0)
            continue;
        uint32_t *busy = XPD_NEW_ARRAY(arena, uint32_t, n),
                 *group = XPD_NEW_ARRAY(arena, uint32_t, n);
        if (!busy || !group)
            return xpd_tools_no_memory(err);
        for (uint32_t i = 0; i < n; i++) {
            busy[i] = level(overview, lane, i);
            group[i] = most(lane, i);
        }
        to[out->lanes.n++] = (struct xpd_trace_lane){p, lane->rows, {busy, n}, {group, n}};
    }
    return XPD_OK;
}

static int fill(struct xpd_trace_overview *out, const struct xpd_trace_call *call,
                const struct overview *overview, struct xpd_err *err)
{
    const char **groups = XPD_NEW_ARRAY(call->ctx->arena, const char *, XPD_OP_GROUP_COUNT);
    if (!groups)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < XPD_OP_GROUP_COUNT; i++)
        groups[i] = xpd_op_group_word((enum xpd_op_group)i);
    *out = (struct xpd_trace_overview){
        .base_ps = call->base_ps,
        .from_ps = xpd_tools_at(call, overview->range.from_ps),
        .to_ps = xpd_tools_at(call, overview->range.to_ps),
        .columns = overview->columns,
        .column_ps = overview->column_ps,
        .groups = {groups, XPD_OP_GROUP_COUNT},
    };
    return fill_lanes(out, call, overview, err);
}

static int overview_tool(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct xpd_trace_overview *out = XPD_NEW(ctx->arena, struct xpd_trace_overview);
    struct xpd_trace_call call;
    struct xpd_row_list rows;
    struct overview overview = {.columns =
                                    (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_overview, "px")};
    int rc = out ? xpd_tools_trace(ctx, 0, &call, err) : xpd_tools_no_memory(err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_rows(&call, XPD_ROWS_SHOWN, &rows, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_range(&call, &overview.range, err);
    if (rc != XPD_OK)
        return rc;
    double width_ps = (double)overview.range.to_ps - (double)overview.range.from_ps;
    overview.view = &call.view;
    overview.column_ps = width_ps > 0 ? width_ps / overview.columns : 1;
    rc = make(&overview, &rows, ctx->arena, err);
    *answer = out;
    return rc == XPD_OK ? fill(out, &call, &overview, err) : rc;
}

static const struct xpd_param_spec params[] = {
    XPD_TRACE_PARAM_ROWS, XPD_TRACE_PARAM_FROM,
    XPD_TRACE_PARAM_TO,   XPD_TRACE_PARAM_PX(PX_MAX, "columns, default 1200"),
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_overview = {
    .route = "/api/v1/trace/overview",
    .title = "Busy time of each device and the host by column, for the minimap.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_trace_overview_record,
    .make = overview_tool,
    XPD_IN_REPORT("px", {135, XPD_EACH_HOST, "px=1200", "the overview of the trace"}),
};
