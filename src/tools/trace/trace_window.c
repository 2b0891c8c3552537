/* /api/v1/trace/window: the boxes to draw of some rows in a window, in columns.
 *
 * Boxes of a depth follow each other in time and in event numbers, so a start is the distance to
 * the box before and an event number is the first one plus the counts. Times are whole quanta: the
 * largest power of two that is at most a quarter of a pixel, 1 ps when the window is small. */
#include "trace_picture.h"
#include "xprofd/trace/picture_boxes.h"

#define PX_MAX 16384

/* ---- counters: the samples of a box, not its length, are what is drawn ---- */

static int write_counters(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                          const struct xpd_picture *picture, struct xpd_err *err)
{
    uint32_t n;
    const struct xpd_box_samples *at = xpd_picture_samples(picture, call->ctx->arena, &n);
    if (!at)
        return xpd_tools_no_memory(err);
    xpd_json_key(w, "counters");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "box", n, xpd_json_u64(w, at[row].box));
    XPD_COLUMN(w, "at", n, xpd_json_i64(w, xpd_tools_at(call, at[row].at_ps)));
    XPD_COLUMN(w, "value", n, xpd_json_double(w, at[row].last));
    XPD_COLUMN(w, "least", n, xpd_json_double(w, at[row].least));
    XPD_COLUMN(w, "most", n, xpd_json_double(w, at[row].most));
    xpd_json_obj_end(w);
    return XPD_OK;
}

/* What a counter holds where the window begins: its last sample before it. */
struct held {
    uint32_t row;
    int64_t at_ps;
    double value;
};

static bool held_before(const struct xpd_view *view, uint32_t row, int64_t from_ps,
                        struct held *held)
{
    if (xpd_view_row(view, row)->kind != XPD_ROW_COUNTER || from_ps == INT64_MIN)
        return false;
    const struct xpd_depth *depth = xpd_view_depth(view, row, 0);
    uint32_t i = xpd_depth_first_after(depth, from_ps - 1);
    if (i > 0)
        *held = (struct held){row, xpd_depth_start(depth, i - 1), depth->value[i - 1]};
    return i > 0;
}

static int write_held(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                      const struct xpd_row_list *rows, int64_t from_ps, struct xpd_err *err)
{
    struct held *at = XPD_NEW_ARRAY(call->ctx->arena, struct held, (size_t)rows->count + 1);
    uint32_t n = 0;
    if (!at)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < rows->count; i++)
        n += held_before(&call->view, rows->at[i], from_ps, &at[n]);
    xpd_json_key(w, "held");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "row", n, xpd_json_u64(w, at[row].row));
    XPD_COLUMN(w, "at", n, xpd_json_i64(w, xpd_tools_at(call, at[row].at_ps)));
    XPD_COLUMN(w, "value", n, xpd_json_double(w, at[row].value));
    xpd_json_obj_end(w);
    return XPD_OK;
}

/* ---- asynchronous operations: how long the core waits at their end ---- */

static int write_waits(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                       const struct xpd_picture *picture, struct xpd_err *err)
{
    uint32_t n;
    const struct xpd_box_wait *at = xpd_picture_waits(picture, call->ctx->arena, &n);
    if (!at)
        return xpd_tools_no_memory(err);
    xpd_json_key(w, "waits");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "box", n, xpd_json_u64(w, at[row].box));
    XPD_COLUMN(w, "drawn", n,
               xpd_json_i64(w, at[row].pair.drawn_wait_ps >> picture->quantum_shift));
    XPD_COLUMN(w, "wait_ps", n, xpd_json_i64(w, at[row].pair.wait_ps));
    XPD_COLUMN(w, "hidden", n, xpd_json_text(w, xpd_hidden_word(at[row].pair.hidden)));
    xpd_json_obj_end(w);
    return XPD_OK;
}

/* ---- wide boxes: their times to the picosecond, as they are written on them ---- */

static int write_exact(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                       const struct xpd_picture *picture, struct xpd_err *err)
{
    struct xpd_box_times at;
    if (!xpd_picture_times(&at, picture, call->ctx->arena))
        return xpd_tools_no_memory(err);
    xpd_json_key(w, "exact");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", at.count);
    xpd_json_col_i64(w, "box", at.box, at.count);
    xpd_json_col_i64(w, "beyond_ps", at.beyond_ps, at.count);
    xpd_json_col_i64(w, "duration_ps", at.duration_ps, at.count);
    xpd_json_obj_end(w);
    return XPD_OK;
}

static void write_depths(struct xpd_jsonw *w, const struct xpd_picture *picture)
{
    uint32_t n = (uint32_t)picture->run.count;
    const struct xpd_picture_run *run = picture->run.at;
    xpd_json_key(w, "depths");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "row", n, xpd_json_u64(w, run[row].row));
    XPD_COLUMN(w, "depth", n, xpd_json_u64(w, run[row].depth));
    XPD_COLUMN(w, "first_event", n, xpd_json_u64(w, run[row].first_event));
    XPD_COLUMN(w, "boxes", n, xpd_json_u64(w, run[row].box_count));
    xpd_json_obj_end(w);
}

/* ---- the answer: it is written as columns of digits, in two threads ---- */

#define XPD_WINDOW_DEPTH_FIELDS(FIELD)                                                             \
    FIELD(COUNT, row, "of trace/rows")                                                             \
    FIELD(COUNT, depth, "of the row")                                                              \
    FIELD(INT, first_event, "number of its first event in this answer")                            \
    FIELD(COUNT, boxes, "number of boxes in `box`")
XPD_RECORD(xpd_window_depth, XPD_WINDOW_DEPTH_FIELDS)

#define XPD_WINDOW_BOX_FIELDS(FIELD)                                                               \
    FIELD(INT, start, "in `quantum_ps`, after the box before it of this depth")                    \
    FIELD(INT, length, "in `quantum_ps`")                                                          \
    FIELD(COUNT, name, "row of `names`")
XPD_RECORD(xpd_window_box, XPD_WINDOW_BOX_FIELDS)

#define XPD_WINDOW_MERGED_FIELDS(FIELD)                                                            \
    FIELD(COUNT, at, "boxes after the merged one before it")                                       \
    FIELD(INT, count, "events in it")                                                              \
    FIELD(INT, busy, "in `busy_q`: the union of its events")                                       \
    FIELD(INT, longest, "offset of its longest event")
XPD_RECORD(xpd_window_merged, XPD_WINDOW_MERGED_FIELDS)

#define XPD_WINDOW_MERGEDS_FIELDS(FIELD)                                                           \
    FIELD(INT, busy_q, "picoseconds of one unit of `busy`")                                        \
    FIELD(INLINE(xpd_window_merged), rows, "boxes of more than one event")
XPD_RECORD(xpd_window_mergeds, XPD_WINDOW_MERGEDS_FIELDS)

#define XPD_WINDOW_COUNTER_FIELDS(FIELD)                                                           \
    FIELD(COUNT, box, "")                                                                          \
    FIELD(SIGNED, at, "picoseconds after `base_ps`: the first sample")                             \
    FIELD(MAYBE(REAL), value, "the last sample; null: it has no number")                           \
    FIELD(MAYBE(REAL), least, "of those with a number; null: none has")                            \
    FIELD(MAYBE(REAL), most, "likewise")
XPD_RECORD(xpd_window_counter, XPD_WINDOW_COUNTER_FIELDS)

#define XPD_WINDOW_HELD_FIELDS(FIELD)                                                              \
    FIELD(COUNT, row, "of a counter")                                                              \
    FIELD(SIGNED, at, "picoseconds after `base_ps`: the last sample before the window")            \
    FIELD(MAYBE(REAL), value, "null: that sample has no number")
XPD_RECORD(xpd_window_held, XPD_WINDOW_HELD_FIELDS)

#define XPD_WINDOW_WAIT_FIELDS(FIELD)                                                              \
    FIELD(COUNT, box, "an asynchronous operation")                                                 \
    FIELD(INT, drawn, "in `quantum_ps`: length of its end drawn as waiting")                       \
    FIELD(INT, wait_ps, "wait of the core for it")                                                 \
    FIELD(WORD("fully partly exposed"), hidden, "by other work")
XPD_RECORD(xpd_window_wait, XPD_WINDOW_WAIT_FIELDS)

#define XPD_WINDOW_EXACT_FIELDS(FIELD)                                                             \
    FIELD(COUNT, box, "wide enough to show its time")                                              \
    FIELD(INT, beyond_ps, "its start, from the drawn one")                                         \
    FIELD(INT, duration_ps, "")
XPD_RECORD(xpd_window_exact, XPD_WINDOW_EXACT_FIELDS)

#define XPD_WINDOW_NAMES_FIELDS(FIELD)                                                             \
    FIELD(COUNT, n, "rows")                                                                        \
    FIELD(VALUES(COUNT), id, "of the name in the trace")                                           \
    FIELD(VALUES(TEXT), caption, "")                                                               \
    FIELD(VALUES(TEXT), group, "kind of work")                                                     \
    FIELD(VALUES(COUNT), wait, "1: events of this name wait")                                      \
    FIELD(MAYBE(VALUES(COUNT)), scope, "with `scope=1`: index into `names` of this object")        \
    FIELD(MAYBE(VALUES(TEXT)), names, "with `scope=1`: the scopes")
XPD_RECORD(xpd_window_names, XPD_WINDOW_NAMES_FIELDS)

#define XPD_WINDOW_FIELDS(FIELD)                                                                   \
    FIELD(BIG, base_ps, "origin of times")                                                         \
    FIELD(SIGNED, from_ps, "after `base_ps`")                                                      \
    FIELD(SIGNED, to_ps, "after `base_ps`")                                                        \
    FIELD(INT, cell_ps, "width of a cell; shorter events of a cell are one box")                   \
    FIELD(INT, quantum_ps, "the unit of starts and lengths, a power of two")                       \
    FIELD(INT, events_in_view, "")                                                                 \
    FIELD(BOOL, coarser, "the cells are wider than requested")                                     \
    FIELD(COLUMNS(xpd_window_depth), depths, "")                                                   \
    FIELD(COLUMNS(xpd_window_box), box, "boxes, depth by depth")                                   \
    FIELD(OBJECT(xpd_window_mergeds), merged, "")                                                  \
    FIELD(COLUMNS(xpd_window_counter), counters, "boxes of counters")                              \
    FIELD(COLUMNS(xpd_window_held), held, "values of the counters at the start of the window")     \
    FIELD(COLUMNS(xpd_window_wait), waits, "")                                                     \
    FIELD(COLUMNS(xpd_window_exact), exact, "")                                                    \
    FIELD(OBJECT(xpd_window_names), names, "")
XPD_RECORD(xpd_picture_window, XPD_WINDOW_FIELDS)

static int write(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                 const struct xpd_row_list *rows, const struct xpd_picture *picture,
                 const struct xpd_trace_window *asked, struct xpd_err *err)
{
    xpd_json_obj(w);
    xpd_tools_base(w, call);
    xpd_json_ki64(w, "from_ps", xpd_tools_at(call, asked->from_ps));
    xpd_json_ki64(w, "to_ps", xpd_tools_at(call, asked->to_ps));
    xpd_json_ki64(w, "cell_ps", INT64_C(1) << picture->cell_shift);
    xpd_json_ki64(w, "quantum_ps", INT64_C(1) << picture->quantum_shift);
    xpd_json_ku64(w, "events_in_view", picture->events);
    xpd_json_kbool(w, "coarser", picture->cell_shift != asked->cell_shift);
    write_depths(w, picture);
    struct xpd_strbuf names = {0};
    int rc = xpd_picture_write(w, call, picture, &names, err);
    if (rc == XPD_OK)
        rc = write_counters(w, call, picture, err);
    if (rc == XPD_OK)
        rc = write_held(w, call, rows, asked->from_ps, err);
    if (rc == XPD_OK)
        rc = write_waits(w, call, picture, err);
    if (rc == XPD_OK)
        rc = write_exact(w, call, picture, err);
    xpd_json_key(w, "names");
    xpd_json_raw(w, (struct xpd_str){names.data, names.size});
    xpd_strbuf_fini(&names);
    xpd_json_obj_end(w);
    return rc;
}

static int window(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_trace_call call;
    struct xpd_row_list rows;
    struct xpd_time_range range;
    struct xpd_picture picture;
    int rc = xpd_tools_trace(ctx, 0, &call, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_rows(&call, XPD_ROWS_SHOWN, &rows, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_range(&call, &range, err);
    if (rc != XPD_OK)
        return rc;
    uint32_t px = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_window, "px");
    uint64_t width_ps = (uint64_t)range.to_ps - (uint64_t)range.from_ps;
    struct xpd_trace_window asked = {
        range.from_ps, range.to_ps,
        xpd_cell_shift(width_ps > INT64_MAX ? INT64_MAX : (int64_t)width_ps, px)};
    bool flat = xpd_param_int(ctx, &xpd_tool_trace_window, "flat") != 0;
    rc = xpd_picture_read(&picture, &call.view, &rows, flat, &asked, ctx->arena, err);
    picture.with_scopes = xpd_param_int(ctx, &xpd_tool_trace_window, "scope") != 0;
    if (rc == XPD_OK && picture.too_many) {
        rc = xpd_fail(err, XPD_ELIMIT, "rows", XPD_NO_OFFSET,
                      "more than %d boxes however coarse: ask for fewer rows", XPD_BOXES_MAX);
    } else if (rc == XPD_OK) {
        struct xpd_jsonw w;
        xpd_jsonw_init(&w, &out->body);
        rc = write(&w, &call, &rows, &picture, &asked, err);
    }
    xpd_picture_fini(&picture);
    return rc;
}

static const struct xpd_param_spec params[] = {
    XPD_TRACE_PARAM_ROWS,
    XPD_TRACE_PARAM_FROM,
    XPD_TRACE_PARAM_TO,
    XPD_TRACE_PARAM_PX(PX_MAX, "pixels across, 1 to 16384"),
    {.name = "flat", .type = XPD_PARAM_INT, .max = 1, .help = "1: only the outermost depth"},
    {.name = "scope",
     .type = XPD_PARAM_INT,
     .max = 1,
     .help = "1: adds the name scopes of each name"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_window = {
    .route = "/api/v1/trace/window",
    .title =
        "Boxes to draw for rows in a window: each event of a pixel or more, shorter events merged.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_picture_window_record,
    .run = window,
    XPD_IN_REPORT("px rows window",
                  {155, XPD_EACH_HOST, "rows={rows}&px=4096", "the trace in 4,096 columns"}),
};
