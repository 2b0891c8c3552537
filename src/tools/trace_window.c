/* /api/v1/trace/window: the boxes to draw of some rows in a window, in columns.
 *
 * Boxes of a depth follow each other in time and in event numbers, so a start is the distance to
 * the box before and an event number is the first one plus the counts. Times are whole quanta: the
 * largest power of two that is at most a quarter of a pixel, 1 ps when the window is small. */
#include "trace_common.h"

#include "xprofd/base/vec.h"

#define BOXES_MAX 120000 /* of one answer; beyond it the cell doubles, and the answer says so */
#define PX_MAX    16384
#define BOX_BYTES 24 /* of JSON, about */

struct run { /* consecutive boxes of one depth */
    uint32_t row, depth, first_box, box_count;
    uint64_t first_event;
};
struct picture {
    const struct xpd_view *view;
    XPD_VEC(struct xpd_box) box;
    XPD_VEC(struct run) run;
    uint32_t row, depth;  /* that is being read */
    uint64_t first_event; /* of it */
    uint64_t events;
    uint64_t next_event; /* behind the last box */
    bool too_many;
};

static void take_box(void *user, const struct xpd_box *box)
{
    struct picture *picture = user;
    if (picture->too_many || picture->box.count >= BOXES_MAX) {
        picture->too_many = true;
        return;
    }
    uint64_t event = picture->first_event + box->first;
    struct run *last = picture->run.count ? &picture->run.at[picture->run.count - 1] : NULL;
    bool goes_on = last && last->row == picture->row && last->depth == picture->depth &&
                   event == picture->next_event;
    if (!goes_on) {
        struct run run = {picture->row, picture->depth, (uint32_t)picture->box.count, 0, event};
        XPD_PUSH(&picture->run, run);
        if (picture->run.failed)
            return;
        last = &picture->run.at[picture->run.count - 1];
    }
    last->box_count++;
    picture->next_event = event + box->count;
    picture->events += box->count;
    XPD_PUSH(&picture->box, *box);
}

static void read_boxes(struct picture *picture, const struct xpd_row_list *rows, bool flat,
                       const struct xpd_trace_window *window)
{
    picture->box.count = picture->run.count = 0;
    picture->events = 0;
    picture->too_many = false;
    for (uint32_t i = 0; i < rows->count && !picture->too_many; i++) {
        picture->row = rows->at[i];
        uint32_t depths = xpd_view_row(picture->view, picture->row)->depth_count;
        if (flat && depths > 1)
            depths = 1;
        for (uint32_t d = 0; d < depths && !picture->too_many; d++) {
            const struct xpd_depth *depth = xpd_view_depth(picture->view, picture->row, d);
            picture->depth = d;
            picture->first_event = depth->first_event;
            xpd_depth_boxes(depth, window, take_box, picture);
        }
    }
}

/* ---- names: the answer's own table ---- */

struct table {
    uint32_t *index; /* by name of the view: place in the table + 1 */
    XPD_VEC(uint32_t) name;
};

static uint32_t place_of(struct table *table, uint32_t name)
{
    if (table->index[name] == 0) {
        XPD_PUSH(&table->name, name);
        table->index[name] = (uint32_t)table->name.count;
    }
    return table->index[name] - 1;
}

static void write_names(struct xpd_jsonw *w, const struct xpd_view *view, const struct table *table)
{
    uint32_t n = (uint32_t)table->name.count;
    const uint32_t *at = table->name.at;
    xpd_json_key(w, "names");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "id", n, xpd_json_u64(w, at[row]));
    XPD_COLUMN(w, "caption", n, xpd_json_str(w, xpd_view_caption(view, at[row])));
    XPD_COLUMN(w, "group", n,
               xpd_json_text(w, xpd_op_group_word(xpd_view_name(view, at[row])->group)));
    XPD_COLUMN(w, "wait", n, xpd_json_i64(w, xpd_view_name(view, at[row])->wait));
    xpd_json_obj_end(w);
}

/* ---- columns ---- */

struct quanta {
    int64_t from_ps;
    uint8_t shift;
};

static int64_t floor_shift(int64_t ps, uint8_t shift)
{
    return ps >> shift; /* arithmetic on every compiler we build with: rounds down */
}

/* An edge in quanta from the window's start. */
static int64_t edge(const struct quanta *q, int64_t ps)
{
    bool far = (ps < 0) != (q->from_ps < 0);
    int64_t distance;
    if (__builtin_sub_overflow(ps, q->from_ps, &distance) && far)
        distance = ps < 0 ? INT64_MIN : INT64_MAX;
    return floor_shift(distance, q->shift);
}

/* Fills *value with the starts, each from the one before in its run. */
static void put_starts(int64_t *value, const struct picture *picture, const struct quanta *q)
{
    for (size_t r = 0; r < picture->run.count; r++) {
        const struct run *run = &picture->run.at[r];
        int64_t before = 0;
        for (uint32_t i = run->first_box; i < run->first_box + run->box_count; i++) {
            int64_t at = edge(q, picture->box.at[i].start_ps);
            value[i] = at - before;
            before = at;
        }
    }
}

static int write_boxes(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                       const struct picture *picture, const struct quanta *q, struct table *table,
                       struct xpd_err *err)
{
    size_t n = picture->box.count;
    const struct xpd_box *box = picture->box.at;
    int64_t *value = XPD_NEW_ARRAY(call->ctx->arena, int64_t, n);
    if (!value)
        return xpd_tools_no_memory(err);
    xpd_json_key(w, "box");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    put_starts(value, picture, q);
    xpd_json_col_i64(w, "start", value, n);
    for (size_t i = 0; i < n; i++)
        value[i] = edge(q, box[i].end_ps) - edge(q, box[i].start_ps);
    xpd_json_col_i64(w, "length", value, n);
    for (size_t i = 0; i < n; i++)
        value[i] = place_of(table, box[i].name);
    xpd_json_col_i64(w, "name", value, n);
    xpd_json_obj_end(w);
    return XPD_OK;
}

/* ---- boxes of more than one event ---- */

static int64_t count_of(const struct xpd_box *box, const struct quanta *q)
{
    (void)q;
    return box->count;
}

static int64_t busy_of(const struct xpd_box *box, const struct quanta *q)
{
    return floor_shift(box->busy_ps, q->shift);
}

static int64_t longest_of(const struct xpd_box *box, const struct quanta *q)
{
    (void)q;
    return box->longest - box->first;
}

struct merged {
    const uint32_t *at; /* boxes, in order */
    uint32_t count;
    int64_t *value; /* room for a column */
};

static void merged_column(struct xpd_jsonw *w, const char *key, const struct picture *picture,
                          const struct merged *merged, const struct quanta *q,
                          int64_t (*of)(const struct xpd_box *box, const struct quanta *q))
{
    for (uint32_t i = 0; i < merged->count; i++)
        merged->value[i] = of(&picture->box.at[merged->at[i]], q);
    xpd_json_col_i64(w, key, merged->value, merged->count);
}

static int write_merged(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                        const struct picture *picture, const struct quanta *q, struct xpd_err *err)
{
    size_t boxes = picture->box.count;
    uint32_t *at = XPD_NEW_ARRAY(call->ctx->arena, uint32_t, boxes);
    struct merged merged = {.at = at, .value = XPD_NEW_ARRAY(call->ctx->arena, int64_t, boxes)};
    if (!at || !merged.value)
        return xpd_tools_no_memory(err);
    for (size_t i = 0; i < boxes; i++)
        if (picture->box.at[i].count > 1)
            at[merged.count++] = (uint32_t)i;
    for (uint32_t i = 0; i < merged.count; i++)
        merged.value[i] = at[i] - (i ? at[i - 1] : 0);
    xpd_json_key(w, "merged");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", merged.count);
    xpd_json_col_i64(w, "at", merged.value, merged.count);
    merged_column(w, "count", picture, &merged, q, count_of);
    merged_column(w, "busy", picture, &merged, q, busy_of);
    merged_column(w, "longest", picture, &merged, q, longest_of);
    xpd_json_obj_end(w);
    return XPD_OK;
}

/* ---- counters: the samples of a box, not its length, are what is drawn ---- */

struct counted {
    uint32_t box;
    double last, least, most;
};

static struct counted count_box(const struct xpd_depth *depth, const struct xpd_box *box,
                                uint32_t number)
{
    const double *value = depth->value + box->first;
    struct counted counted = {number, value[box->count - 1], value[0], value[0]};
    for (uint32_t i = 1; i < box->count; i++) {
        counted.least = value[i] < counted.least ? value[i] : counted.least;
        counted.most = value[i] > counted.most ? value[i] : counted.most;
    }
    return counted;
}

static int write_counters(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                          const struct picture *picture, struct xpd_err *err)
{
    uint32_t n = 0;
    struct counted *at = XPD_NEW_ARRAY(call->ctx->arena, struct counted, picture->box.count);
    if (!at)
        return xpd_tools_no_memory(err);
    for (size_t r = 0; r < picture->run.count; r++) {
        const struct run *run = &picture->run.at[r];
        const struct xpd_depth *depth = xpd_view_depth(picture->view, run->row, run->depth);
        for (uint32_t i = 0; depth->value && i < run->box_count; i++)
            at[n++] = count_box(depth, &picture->box.at[run->first_box + i], run->first_box + i);
    }
    xpd_json_key(w, "counters");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "box", n, xpd_json_u64(w, at[row].box));
    XPD_COLUMN(w, "value", n, xpd_json_double(w, at[row].last));
    XPD_COLUMN(w, "least", n, xpd_json_double(w, at[row].least));
    XPD_COLUMN(w, "most", n, xpd_json_double(w, at[row].most));
    xpd_json_obj_end(w);
    return XPD_OK;
}

static void write_depths(struct xpd_jsonw *w, const struct picture *picture)
{
    uint32_t n = (uint32_t)picture->run.count;
    const struct run *run = picture->run.at;
    xpd_json_key(w, "depths");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "row", n, xpd_json_u64(w, run[row].row));
    XPD_COLUMN(w, "depth", n, xpd_json_u64(w, run[row].depth));
    XPD_COLUMN(w, "first_event", n, xpd_json_u64(w, run[row].first_event));
    XPD_COLUMN(w, "boxes", n, xpd_json_u64(w, run[row].box_count));
    xpd_json_obj_end(w);
}

/* ---- the answer ---- */

struct answer {
    struct picture picture;
    struct table table;
    struct xpd_time_range range;
    uint8_t cell_shift, asked_shift;
};

static int write(struct xpd_jsonw *w, const struct xpd_trace_call *call, struct answer *answer,
                 struct xpd_err *err)
{
    struct picture *picture = &answer->picture;
    struct quanta q = {.from_ps = answer->range.from_ps,
                       .shift = answer->cell_shift > 2 ? (uint8_t)(answer->cell_shift - 2) : 0};
    answer->table.index = XPD_NEW_ARRAY(call->ctx->arena, uint32_t, xpd_view_names(&call->view));
    if (!answer->table.index)
        return xpd_tools_no_memory(err);
    (void)xpd_strbuf_reserve(w->out,
                             512 + picture->box.count * BOX_BYTES); /* a guess, to grow once */
    xpd_json_obj(w);
    xpd_tools_base(w, call);
    xpd_json_ki64(w, "from", xpd_tools_at(call, answer->range.from_ps));
    xpd_json_ki64(w, "to", xpd_tools_at(call, answer->range.to_ps));
    xpd_json_ki64(w, "cell_ps", INT64_C(1) << answer->cell_shift);
    xpd_json_ki64(w, "q", INT64_C(1) << q.shift);
    xpd_json_ku64(w, "events_in_view", picture->events);
    xpd_json_kbool(w, "coarser", answer->cell_shift != answer->asked_shift);
    write_depths(w, picture);
    int rc = write_boxes(w, call, picture, &q, &answer->table, err);
    if (rc == XPD_OK)
        rc = write_merged(w, call, picture, &q, err);
    if (rc == XPD_OK)
        rc = write_counters(w, call, picture, err);
    write_names(w, &call->view, &answer->table);
    xpd_json_obj_end(w);
    return picture->box.failed || picture->run.failed || answer->table.name.failed
               ? xpd_tools_no_memory(err)
               : rc;
}

/* At least so many boxes, told without drawing them. */
static bool surely_too_many(const struct xpd_view *view, const struct xpd_row_list *rows, bool flat,
                            const struct xpd_trace_window *window)
{
    uint64_t least = 0;
    for (uint32_t i = 0; i < rows->count && least <= BOXES_MAX; i++) {
        uint32_t depths = xpd_view_row(view, rows->at[i])->depth_count;
        for (uint32_t d = 0; d < (flat && depths > 1 ? 1 : depths); d++)
            least += xpd_depth_boxes_at_least(xpd_view_depth(view, rows->at[i], d), window);
    }
    return least > BOXES_MAX;
}

/* Cells double until the picture fits. At the coarsest cell a depth is one box. The room for all of
 * it is taken at once: what is not used is never touched. */
static void draw(struct answer *answer, const struct xpd_row_list *rows, bool flat)
{
    struct xpd_trace_window window = {answer->range.from_ps, answer->range.to_ps,
                                      answer->asked_shift};
    struct picture *picture = &answer->picture;
    if (!xpd_vec_grow((void **)&picture->box.at, &picture->box.capacity, BOXES_MAX,
                      sizeof *picture->box.at))
        picture->box.failed = true;
    while (window.cell_shift < 62 && surely_too_many(picture->view, rows, flat, &window))
        window.cell_shift++;
    read_boxes(&answer->picture, rows, flat, &window);
    while (answer->picture.too_many && window.cell_shift < 62) {
        window.cell_shift++;
        read_boxes(&answer->picture, rows, flat, &window);
    }
    answer->cell_shift = window.cell_shift;
}

static int window(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_trace_call call;
    struct xpd_row_list rows;
    struct answer answer = {0};
    int rc = xpd_tools_trace(ctx, 0, &call, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_rows(&call, XPD_ROWS_SHOWN, &rows, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_range(&call, &answer.range, err);
    if (rc != XPD_OK)
        return rc;
    uint32_t px = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_window, "px");
    uint64_t width_ps = (uint64_t)answer.range.to_ps - (uint64_t)answer.range.from_ps;
    answer.asked_shift = xpd_cell_shift(width_ps > INT64_MAX ? INT64_MAX : (int64_t)width_ps, px);
    answer.picture.view = &call.view;
    draw(&answer, &rows, xpd_param_int(ctx, &xpd_tool_trace_window, "flat") != 0);
    if (answer.picture.too_many) {
        rc = xpd_fail(err, XPD_ELIMIT, "rows", XPD_NO_OFFSET,
                      "more than %d boxes however coarse: ask for fewer rows", BOXES_MAX);
    } else {
        struct xpd_jsonw w;
        xpd_jsonw_init(&w, &out->body);
        rc = write(&w, &call, &answer, err);
    }
    XPD_VEC_FINI(&answer.picture.box);
    XPD_VEC_FINI(&answer.picture.run);
    XPD_VEC_FINI(&answer.table.name);
    return rc;
}

static const struct xpd_param_spec params[] = {
    XPD_TRACE_PARAM_ROWS,
    XPD_TRACE_PARAM_FROM,
    XPD_TRACE_PARAM_TO,
    {.name = "px",
     .type = XPD_PARAM_INT,
     .min = 1,
     .max = PX_MAX,
     .fallback = 1200,
     .help = "pixels across, 1 to 16384"},
    {.name = "flat", .type = XPD_PARAM_INT, .max = 1, .help = "1: only the outermost depth"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_window = {
    .route = "/api/v1/trace/window",
    .title = "What to draw of some rows in a window: every event of a pixel or more, the others "
             "added up.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .run = window,
};
