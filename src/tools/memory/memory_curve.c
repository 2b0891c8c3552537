/* /api/v1/memory/curve: what is live over the steps of a window, as the extremes of each pixel
 * column; over heap events, or over another axis. */
#include "memory_axis.h"

#define PX_DEFAULT   1024
#define PX_MAX       8192
#define CSV_ROWS_MAX 1000000

/* ---- the highest held byte of each column ----
 *
 * A tenancy covers a range of columns; the answer is the largest end of those that cover a column.
 * Ranges go into a table of power-of-two lengths (two entries each), which is then pushed down to
 * length 1: O(tenancies + columns log columns). */

struct tops {
    int64_t *at; /* level k: columns values; value c covers columns [c, c + 2^k) */
    uint32_t columns, levels;
};

static void cover(struct tops *tops, uint32_t first, uint32_t last, int64_t top)
{
    uint32_t level = 31 - (uint32_t)__builtin_clz(last - first + 1);
    int64_t *row = tops->at + (size_t)level * tops->columns;
    uint32_t second = last + 1 - (UINT32_C(1) << level);
    row[first] = top > row[first] ? top : row[first];
    row[second] = top > row[second] ? top : row[second];
}

static void push_down(struct tops *tops)
{
    for (uint32_t level = tops->levels; level-- > 1;) {
        const int64_t *from = tops->at + (size_t)level * tops->columns;
        int64_t *to = tops->at + (size_t)(level - 1) * tops->columns;
        uint32_t half = UINT32_C(1) << (level - 1);
        for (uint32_t c = 0; c < tops->columns; c++) {
            to[c] = from[c] > to[c] ? from[c] : to[c];
            if (c + half < tops->columns)
                to[c + half] = from[c] > to[c + half] ? from[c] : to[c + half];
        }
    }
}

/* Column of a step; `from` holds the first step of each and the end of the last. Over heap events
 * their widths differ by at most one, so the place by proportion is at most one off; over another
 * axis it is searched for. */
static uint32_t column_of(const uint32_t *from, uint32_t n, double per_step, uint32_t step)
{
    uint32_t c = (uint32_t)((double)(step - from[0]) * per_step);
    c = c < n ? c : n - 1;
    if (from[c] > step + 8 || from[c + 1] + 8 <= step) {
        uint32_t low = 0, high = n; /* from[low] <= step < from[high] */
        while (high - low > 1) {
            c = low + (high - low) / 2;
            if (from[c] <= step)
                low = c;
            else
                high = c;
        }
        return low;
    }
    while (from[c] > step)
        c--;
    while (from[c + 1] <= step)
        c++;
    return c;
}

static int64_t *tops_of(const struct xpd_tool_ctx *ctx, struct xpd_step_window window,
                        const struct xpd_curve_column *column, uint32_t n)
{
    struct tops tops = {.columns = n, .levels = 1};
    while ((UINT32_C(1) << tops.levels) <= n)
        tops.levels++;
    tops.at = XPD_NEW_ARRAY(ctx->arena, int64_t, (size_t)tops.levels * (n ? n : 1));
    if (!tops.at || n == 0)
        return tops.at;
    const struct xpd_mem_space *space = ctx->space;
    double per_step = (double)n / (double)(window.to - window.from);
    uint32_t *from = XPD_NEW_ARRAY(ctx->arena, uint32_t, (size_t)n + 1), column_at = 0;
    if (!from)
        return NULL;
    for (uint32_t c = 0; c < n; c++)
        from[c] = column[c].first_step;
    from[n] = window.to;
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        const struct xpd_tenancy *tenancy = &space->tenancy[i];
        if (tenancy->start_step >= window.to)
            break; /* sorted by start */
        if (tenancy->end_step <= window.from || (tenancy->flags & XPD_TENANCY_UNTRACED))
            continue;
        uint32_t first = tenancy->start_step > window.from ? tenancy->start_step : window.from;
        uint32_t end = tenancy->end_step < window.to ? tenancy->end_step : window.to;
        if (first >= end)
            continue;
        while (from[column_at + 1] <= first)
            column_at++; /* sorted by start, so it only goes on */
        uint32_t last =
            end <= from[column_at + 1] ? column_at : column_of(from, n, per_step, end - 1);
        cover(&tops, column_at, last, tenancy->offset_bytes + tenancy->size_bytes);
    }
    push_down(&tops);
    return tops.at;
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

static void write_columns(struct xpd_jsonw *w, const struct xpd_curve_column *column, uint32_t n,
                          const int64_t *top)
{
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "step", n, xpd_json_u64(w, column[row].first_step));
    XPD_COLUMN(w, "count", n, xpd_json_u64(w, column[row].step_count));
    XPD_COLUMN(w, "min", n, xpd_json_i64(w, column[row].min_live));
    XPD_COLUMN(w, "max", n, xpd_json_i64(w, column[row].max_live));
    XPD_COLUMN(w, "min_unpadded", n, xpd_json_i64(w, column[row].min_unpadded));
    XPD_COLUMN(w, "max_unpadded", n, xpd_json_i64(w, column[row].max_unpadded));
    XPD_COLUMN(w, "max_step", n, xpd_json_u64(w, column[row].max_step));
    xpd_json_col_i64(w, "top", top, n);
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
    int64_t *top = tops_of(ctx, window, column, n);
    if (!top)
        return xpd_tools_no_memory(err);
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    xpd_json_ku64(&w, "from", window.from);
    xpd_json_ku64(&w, "to", window.to);
    xpd_json_ku64(&w, "steps", space->step_count);
    xpd_json_kbool(&w, "exact", n == window.to - window.from);
    write_columns(&w, column, n, top);
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
    {.name = "px",
     .type = XPD_PARAM_INT,
     .min = 1,
     .max = PX_MAX,
     .fallback = PX_DEFAULT,
     .help = "columns wanted"},
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
