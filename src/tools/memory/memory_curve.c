/* /api/v1/memory/curve: what is live over the steps of a window, as the extremes of each pixel
 * column; over heap events, or over another axis. */
#include "memory_axis.h"
#include "table_steps.h"

#define PX_DEFAULT   1024
#define PX_MAX       8192
#define CSV_ROWS_MAX 1000000

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

static int write_csv(const struct xpd_tool_ctx *ctx, struct xpd_step_window window,
                     struct xpd_tool_result *out, struct xpd_err *err)
{
    const struct xpd_mem_space *space = ctx->space;
    struct xpd_csv csv;
    if (window.to - window.from > CSV_ROWS_MAX)
        return xpd_fail(err, XPD_ELIMIT, "from", XPD_NO_OFFSET,
                        "a CSV of the curve has at most %d steps, and this window has %" PRIu32
                        "; ask for parts with from= and to=",
                        CSV_ROWS_MAX, window.to - window.from);
    xpd_tools_start_csv(out, &csv, "curve.csv");
    xpd_csv_header(&csv, "step,bytes,temp_bytes,resident_bytes,unpadded_bytes");
    for (uint32_t i = window.from; i < window.to; i++) {
        xpd_csv_u64(&csv, i);
        xpd_csv_i64(&csv, space->totals.resident + space->live_bytes[i]);
        xpd_csv_i64(&csv, space->live_bytes[i]);
        xpd_csv_i64(&csv, space->totals.resident);
        xpd_csv_i64(&csv, space->totals.resident_unpadded + space->unpadded_bytes[i]);
        xpd_csv_end_row(&csv);
    }
    return XPD_OK;
}

/* "key":[a member of each column]; all numbers of a list go out at once. */
#define NUMBERS(w, key, member)                                                                    \
    do {                                                                                           \
        for (uint32_t c = 0; c < n; c++)                                                           \
            number[c] = column[c].member;                                                          \
        xpd_json_col_i64((w), (key), number, n);                                                   \
    } while (0)

static bool write_columns(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                          const struct xpd_curve_column *column, uint32_t n, const int64_t *top)
{
    int64_t *number = XPD_NEW_ROOM(ctx->arena, int64_t, (size_t)n + 1);
    if (!number)
        return false;
    xpd_json_ku64(w, "n", n);
    NUMBERS(w, "step", first_step);
    NUMBERS(w, "count", step_count);
    NUMBERS(w, "min", min_live);
    NUMBERS(w, "max", max_live);
    NUMBERS(w, "min_unpadded", min_unpadded);
    NUMBERS(w, "max_unpadded", max_unpadded);
    NUMBERS(w, "max_step", max_step);
    xpd_json_col_i64(w, "top", top, n);
    return true;
}

static int curve(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    const struct xpd_tool *tool = &xpd_tool_memory_curve;
    const struct xpd_mem_space *space = ctx->space;
    struct xpd_step_window window;
    int rc = xpd_tools_window(ctx, tool, &window, err);
    if (rc != XPD_OK)
        return rc;
    if (xpd_tools_csv(ctx))
        return write_csv(ctx, window, out, err);
    uint32_t px = (uint32_t)xpd_param_int(ctx, tool, "px");
    struct xpd_tools_axis axis;
    rc = xpd_tools_axis(&axis, ctx, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_curve_column *column =
        XPD_NEW_ARRAY(ctx->arena, struct xpd_curve_column, 2 * (size_t)px + 1);
    if (!column)
        return xpd_tools_no_memory(err);
    uint32_t n = window.to <= window.from ? 0
                 : axis.word              ? xpd_axis_curve(space, &axis.axis, window, px, column)
                                          : xpd_curve(space, window, px, column);
    int64_t *top = tops_of(ctx, window, column, n, err);
    if (!top)
        return xpd_tools_no_memory(err);
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    xpd_json_ku64(&w, "from", window.from);
    xpd_json_ku64(&w, "to", window.to);
    xpd_json_ku64(&w, "steps", space->step_count);
    xpd_json_kbool(&w, "exact", n == window.to - window.from);
    if (!write_columns(&w, ctx, column, n, top))
        return xpd_tools_no_memory(err);
    xpd_json_ki64(&w, "resident_bytes", space->totals.resident);
    xpd_json_ki64(&w, "resident_unpadded_bytes", space->totals.resident_unpadded);
    xpd_json_ki64(&w, "reserved_bytes", space->totals.reserved);
    xpd_tools_kindex(&w, "peak_step", space->peak_step);
    xpd_tools_axis_write(&w, ctx, &axis, window, column, n);
    xpd_json_obj_end(&w);
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    XPD_STEP_WINDOW_PARAMS,
    XPD_PARAM_PX(PX_DEFAULT, PX_MAX, "columns wanted"),
    {.name = "axis",
     .type = XPD_PARAM_ENUM,
     .words = "event instruction time",
     .help = "what x counts, default event"},
    {.name = "format",
     .type = XPD_PARAM_ENUM,
     .words = "json csv",
     .help = "json, or csv with one row a step"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_memory_curve = {
    .route = "/api/v1/memory/curve",
    .title = "Live bytes over the steps of a window, extremes of each pixel column.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = curve,
};
