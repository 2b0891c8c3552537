/* /api/v1/memory/curve: what is live over the steps of a window, as the extremes of each pixel
 * column; over heap events, or over another axis. */
#include "curve_text.h"
#include "memory_axis.h"
#include "table_steps.h"
#include "xprofd/memory/query.h"
#include <math.h>

/* See curve_text.h. In: spaces. Out: lines of text. */

#define ROWS 2
#define ROOM 9 /* columns for the name on the left */

struct alphabet {
    const char *const *level; /* from empty to full */
    int levels;               /* of one row, without empty */
    const char *edge, *mark;
};
static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const signs[] = {" ", ".", ":", "#"};

/* Highest level of each column, in steps of a row's levels; returns the columns. */
static uint32_t heights(const struct xpd_mem_space *space, int64_t top, int levels, int *height,
                        uint32_t *peak_column)
{
    struct xpd_curve_column column[XPD_CURVE_COLUMNS];
    uint32_t n =
        xpd_curve(space, (struct xpd_step_window){0, space->step_count}, XPD_CURVE_COLUMNS, column);
    int64_t resident = space->peak_bytes - space->peak_live_bytes;
    *peak_column = 0;
    for (uint32_t c = 0; c < XPD_CURVE_COLUMNS; c++) {
        const struct xpd_curve_column *at = &column[(uint64_t)c * n / XPD_CURVE_COLUMNS];
        double share = (double)(at->max_live + resident) / (double)top;
        int level = (int)(share * (ROWS * levels) + 0.5);
        height[c] = level > ROWS * levels ? ROWS * levels : level < 0 ? 0 : level;
        if (height[c] == 0 && share > 0)
            height[c] = 1; /* what is there is seen */
        if (space->peak_step >= at->first_step &&
            space->peak_step < at->first_step + at->step_count && *peak_column == 0)
            *peak_column = c;
    }
    return n;
}

static void put_row(struct xpd_strbuf *out, const struct alphabet *a, const int *height, int row,
                    const char *name)
{
    xpd_strbuf_printf(out, "%-*s%s", ROOM, name, a->edge);
    for (int c = 0; c < XPD_CURVE_COLUMNS; c++) {
        int level = height[c] - (ROWS - 1 - row) * a->levels;
        xpd_strbuf_puts(out, a->level[level < 0 ? 0 : level > a->levels ? a->levels : level]);
    }
    xpd_strbuf_puts(out, a->edge);
}

static void put_curve(struct xpd_strbuf *out, const struct alphabet *a,
                      const struct xpd_mem_space *space, const char *name, int64_t top,
                      const char *scale, int64_t page_bytes)
{
    int height[XPD_CURVE_COLUMNS];
    uint32_t peak;
    char text[48];
    if (heights(space, top, a->levels, height, &peak) == 0)
        return;
    put_row(out, a, height, 0, "");
    xpd_strbuf_printf(out, " %s\n", scale);
    put_row(out, a, height, 1, name);
    xpd_bytes_text(text, space->peak_bytes, page_bytes);
    xpd_strbuf_printf(out, " peak %s\n%*s%s step %" PRIu32 "\n", text, ROOM + 1 + (int)peak, "",
                      a->mark, space->peak_step);
}

void xpd_curves_text(struct xpd_strbuf *out, const struct xpd_mem_space *const space[2],
                     const char *const name[2], int64_t page_bytes, bool ascii)
{
    static const struct alphabet pretty = {blocks, 8, "│", "▲"}, plain = {signs, 3, "|", "^"};
    const struct alphabet *a = ascii ? &plain : &pretty;
    int64_t top =
        space[0]->peak_bytes > space[1]->peak_bytes ? space[0]->peak_bytes : space[1]->peak_bytes;
    char scale[48];
    if (top <= 0 || space[0]->peak_step == XPD_NO_STEP || space[1]->peak_step == XPD_NO_STEP)
        return;
    xpd_bytes_text(scale, top, page_bytes);
    for (int s = 0; s < 2; s++)
        put_curve(out, a, space[s], name[s], top, s == 0 ? scale : "", page_bytes);
}

#define PX_DEFAULT   1024
#define PX_MAX       8192
#define CSV_ROWS_MAX 1000000

#define XPD_CURVE_COLUMN_FIELDS(FIELD)                                                             \
    FIELD(COUNT, step, "its first")                                                                \
    FIELD(COUNT, count, "steps in it")                                                             \
    FIELD(INT, min_bytes, "live temporaries: the minimum over its steps")                          \
    FIELD(INT, max_bytes, "the maximum")                                                           \
    FIELD(INT, min_unpadded_bytes, "the same without padding")                                     \
    FIELD(INT, max_unpadded_bytes, "")                                                             \
    FIELD(COUNT, max_step, "the step with `max_bytes`")                                            \
    FIELD(INT, top_bytes, "the highest byte held in the heap")
XPD_RECORD(xpd_curve_row, XPD_CURVE_COLUMN_FIELDS)

#define XPD_CURVE_AXES_FIELDS(FIELD)                                                               \
    FIELD(MAYBE(STRING), instruction, "null: this axis is available; else the reason")             \
    FIELD(MAYBE(STRING), time, "")
XPD_RECORD(xpd_curve_axes, XPD_CURVE_AXES_FIELDS)

#define XPD_CURVE_FIELDS(FIELD)                                                                    \
    FIELD(COUNT, from, "first step of the window")                                                 \
    FIELD(COUNT, to, "step after the last")                                                        \
    FIELD(COUNT, steps, "of the memory space")                                                     \
    FIELD(BOOL, exact, "each column is one step")                                                  \
    FIELD(INLINE(xpd_curve_row), columns, "")                                                      \
    FIELD(INT, resident_bytes,                                                                     \
          "arguments, outputs, constants: held at every step, below the curve")                    \
    FIELD(INT, resident_unpadded_bytes, "")                                                        \
    FIELD(INT, reserved_bytes, "of the memory space")                                              \
    FIELD(MAYBE(INDEX), peak_step, "")                                                             \
    FIELD(OBJECT(xpd_curve_axes), axes, "other axes that are available")                           \
    FIELD(WORD("event instruction time"), axis, "what x counts here")                              \
    FIELD(MAYBE(STRING), unit, "of `x`: `instruction`, `ns`; null for heap events")                \
    FIELD(MAYBE(VALUES(REAL)), x, "position of the first step of each column on the axis")         \
    FIELD(MAYBE(REAL), x_end, "end of the window")                                                 \
    FIELD(MAYBE(INT), moved, "steps whose instruction runs before that of the step before")        \
    FIELD(MAYBE(STRING), clock, "axis `time`: clock of the durations, `device` or `host`")         \
    FIELD(MAYBE(INT), measured, "axis `time`: instructions with a time")                           \
    FIELD(MAYBE(INT), scheduled, "axis `time`: instructions in the schedule")
XPD_RECORD(xpd_curve_answer, XPD_CURVE_FIELDS)

struct curve {
    struct xpd_curve_answer answer; /* first: what make() gives */
    const struct xpd_mem_space *space;
    struct xpd_step_window window;
    uint32_t px;
};

/* The highest held byte of each column; NULL without memory. */
static int64_t *tops_of(const struct xpd_tool_ctx *ctx, struct xpd_step_window window,
                        const struct xpd_curve_column *column, uint32_t n, struct xpd_err *err)
{
    int64_t *top = XPD_NEW_ROOM(ctx->arena, int64_t, (size_t)n + 1);
    uint32_t *first = XPD_NEW_ROOM(ctx->arena, uint32_t, (size_t)n + 1);
    const struct xpd_step_tops *tops = n ? xpd_table_tops(ctx, err) : NULL;
    if (!top || !first || (n && !tops))
        return NULL;
    for (uint32_t c = 0; c < n; c++)
        first[c] = column[c].first_step;
    first[n] = window.to;
    if (n)
        xpd_step_tops_of(tops, first, n, top);
    return top;
}

/* One row a step, not a column. */
static void put_csv(struct xpd_csv *csv, const void *answer)
{
    const struct curve *curve = answer;
    const struct xpd_mem_space *space = curve->space;
    xpd_csv_header(csv, "step,bytes,temp_bytes,resident_bytes,unpadded_bytes");
    for (uint32_t i = curve->window.from; i < curve->window.to; i++) {
        xpd_csv_u64(csv, i);
        xpd_csv_i64(csv, space->totals.resident + space->live_bytes[i]);
        xpd_csv_i64(csv, space->live_bytes[i]);
        xpd_csv_i64(csv, space->totals.resident);
        xpd_csv_i64(csv, space->totals.resident_unpadded + space->unpadded_bytes[i]);
        xpd_csv_end_row(csv);
    }
}

static int check_csv(const struct curve *curve, struct xpd_err *err)
{
    uint32_t steps = curve->window.to - curve->window.from;
    if (steps <= CSV_ROWS_MAX)
        return XPD_OK;
    return xpd_fail(err, XPD_ELIMIT, "from", XPD_NO_OFFSET,
                    "a CSV of the curve has at most %d steps, and this window has %" PRIu32
                    "; ask for parts with from= and to=",
                    CSV_ROWS_MAX, steps);
}

/* Three decimals are far below a pixel. */
static double rounded(double place)
{
    return floor(place * 1000 + 0.5) / 1000;
}

static void fill_axis(struct xpd_curve_answer *out, const struct xpd_tool_ctx *ctx,
                      const struct xpd_tools_axis *axis, uint32_t to)
{
    struct xpd_curve_axes *axes = XPD_NEW(ctx->arena, struct xpd_curve_axes);
    if (axes)
        *axes =
            (struct xpd_curve_axes){xpd_axis_no_instructions(ctx->mem, ctx->space), axis->no_time};
    out->axes = axes;
    out->axis = axis->word ? axis->word : "event";
    out->unit = axis->unit;
    out->x_end = -1;
    out->moved = out->measured = out->scheduled = -1;
    if (!axis->word)
        return;
    const double *begin = axis->axis.begin;
    double *x = XPD_NEW_ARRAY(ctx->arena, double, (size_t)out->columns.n + 1);
    for (uint32_t i = 0; x && i < out->columns.n; i++)
        x[i] = rounded(begin[out->columns.at[i].step]);
    out->x.at = x;
    out->x.n = out->columns.n;
    out->x_end = rounded(begin[to]);
    out->moved = axis->axis.moved_count;
    if (!axis->clock)
        return;
    out->clock = axis->clock;
    out->measured = axis->measured_count;
    out->scheduled = axis->axis.order_count;
}

static int fill_columns(struct curve *curve, const struct xpd_tool_ctx *ctx,
                        const struct xpd_tools_axis *axis, struct xpd_err *err)
{
    struct xpd_step_window window = curve->window;
    size_t room = 2 * (size_t)curve->px + 1;
    struct xpd_curve_column *column = XPD_NEW_ARRAY(ctx->arena, struct xpd_curve_column, room);
    struct xpd_curve_row *row = XPD_NEW_ARRAY(ctx->arena, struct xpd_curve_row, room);
    if (!column || !row)
        return xpd_tools_no_memory(err);
    uint32_t n = window.to <= window.from ? 0
                 : axis->word ? xpd_axis_curve(curve->space, &axis->axis, window, curve->px, column)
                              : xpd_curve(curve->space, window, curve->px, column);
    int64_t *top = tops_of(ctx, window, column, n, err);
    if (!top)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++)
        row[i] = (struct xpd_curve_row){
            column[i].first_step,   column[i].step_count,   column[i].min_live, column[i].max_live,
            column[i].min_unpadded, column[i].max_unpadded, column[i].max_step, top[i]};
    curve->answer.columns.at = row;
    curve->answer.columns.n = n;
    return XPD_OK;
}

static int curve(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    const struct xpd_tool *tool = &xpd_tool_memory_curve;
    const struct xpd_mem_space *space = ctx->space;
    struct curve *out = XPD_NEW(ctx->arena, struct curve);
    struct xpd_tools_axis axis;
    if (!out)
        return xpd_tools_no_memory(err);
    *answer = out;
    out->space = space;
    out->px = (uint32_t)xpd_param_int(ctx, tool, "px");
    int rc = xpd_tools_window(ctx, tool, &out->window, err);
    if (rc == XPD_OK && xpd_tools_csv(ctx))
        return check_csv(out, err);
    if (rc == XPD_OK)
        rc = xpd_tools_axis(&axis, ctx, err);
    if (rc == XPD_OK)
        rc = fill_columns(out, ctx, &axis, err);
    if (rc != XPD_OK)
        return rc;
    out->answer.from = out->window.from;
    out->answer.to = out->window.to;
    out->answer.steps = space->step_count;
    out->answer.exact = out->answer.columns.n == out->window.to - out->window.from;
    out->answer.resident_bytes = space->totals.resident;
    out->answer.resident_unpadded_bytes = space->totals.resident_unpadded;
    out->answer.reserved_bytes = space->totals.reserved;
    out->answer.peak_step = space->peak_step;
    fill_axis(&out->answer, ctx, &axis, out->window.to);
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    XPD_STEP_WINDOW_PARAMS,
    XPD_PARAM_PX(PX_DEFAULT, PX_MAX, "columns wanted"),
    {.name = "axis",
     .type = XPD_PARAM_ENUM,
     .words = "event instruction time",
     .help = "unit of the x axis, default event"},
    {.name = "format",
     .type = XPD_PARAM_ENUM,
     .words = "json csv",
     .help = "json, or csv with one row a step"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_memory_curve = {
    .route = "/api/v1/memory/curve",
    .title = "Live bytes over the steps of a window: minimum and maximum of each pixel column.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .file_name = "curve.csv",
    .answer = xpd_curve_answer_record,
    .make = curve,
    .csv = put_csv,
    XPD_IN_REPORT("px window",
                  {125, XPD_EACH_SPACE, "px=4096", "the curve of each program in 4,096 columns"},
                  {235, XPD_EACH_SPACE, "px=4096&axis=instruction|time", NULL}),
};
