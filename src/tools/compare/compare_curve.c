/* /api/v1/compare/curve: what is live in two programs over one order of steps. */
#include "compare_parts.h"
#include "xprofd/doctor/align.h"

#define PX_DEFAULT 2000
#define PX_MAX     8192

struct column {
    uint32_t first_slot, step[2]; /* the last step of each program at its first slot */
    uint32_t both, only[2];
    int64_t low[2], high[2], diff_low, diff_high;
};

struct extreme {
    int64_t bytes;
    uint32_t slot;
};

struct curves {
    const struct xpd_tool_ctx *ctx; /* two */
    struct xpd_align align;
    uint32_t from, to, columns;
    struct column *at;
    uint32_t peak_slot[2];
    struct extreme lowest, highest; /* of after - before, over all slots */
};

static int64_t value_at(const struct xpd_tool_ctx *ctx, uint32_t step)
{
    bool overflow = false;
    int64_t live = step == XPD_NO_STEP ? 0 : ctx->space->live_bytes[step];
    return xpd_add_i64(ctx->space->totals.resident, live, &overflow);
}

static void widen(struct column *col, bool first, const int64_t value[2], int64_t diff)
{
    for (int s = 0; s < 2; s++) {
        col->low[s] = first || value[s] < col->low[s] ? value[s] : col->low[s];
        col->high[s] = first || value[s] > col->high[s] ? value[s] : col->high[s];
    }
    col->diff_low = first || diff < col->diff_low ? diff : col->diff_low;
    col->diff_high = first || diff > col->diff_high ? diff : col->diff_high;
}

static uint32_t first_slot_of(const struct curves *c, uint32_t column)
{
    return c->from + (uint32_t)((uint64_t)(c->to - c->from) * column / c->columns);
}

/* One walk over all slots: a program keeps its value where it has no step. */
static void fill(struct curves *c)
{
    uint32_t now[2] = {XPD_NO_STEP, XPD_NO_STEP}, column = 0;
    bool overflow = false;
    for (uint32_t slot = 0; slot < c->align.count; slot++) {
        bool has[2];
        for (int s = 0; s < 2; s++) {
            has[s] = c->align.step[s][slot] != XPD_NO_STEP;
            now[s] = has[s] ? c->align.step[s][slot] : now[s];
            if (has[s] && now[s] == c->ctx[s].space->peak_step)
                c->peak_slot[s] = slot;
        }
        int64_t value[2] = {value_at(&c->ctx[0], now[0]), value_at(&c->ctx[1], now[1])};
        int64_t diff = xpd_add_i64(value[1], -value[0], &overflow);
        if (slot == 0 || diff < c->lowest.bytes)
            c->lowest = (struct extreme){diff, slot};
        if (slot == 0 || diff > c->highest.bytes)
            c->highest = (struct extreme){diff, slot};
        if (slot < c->from || slot >= c->to)
            continue;
        while (column + 1 < c->columns && first_slot_of(c, column + 1) <= slot)
            column++;
        struct column *col = &c->at[column];
        bool first = first_slot_of(c, column) == slot;
        if (first) {
            col->first_slot = slot;
            col->step[0] = now[0];
            col->step[1] = now[1];
        }
        col->both += has[0] && has[1];
        col->only[0] += has[0] && !has[1];
        col->only[1] += has[1] && !has[0];
        widen(col, first, value, diff);
    }
}

static void write_extreme(struct xpd_jsonw *w, const char *key, const struct extreme *at,
                          uint32_t slots)
{
    xpd_json_key(w, key);
    if (slots == 0) {
        xpd_json_null(w);
        return;
    }
    xpd_json_obj(w);
    xpd_json_ku64(w, "slot", at->slot);
    xpd_json_ki64(w, "bytes", at->bytes);
    xpd_json_obj_end(w);
}

static void write_columns(struct xpd_jsonw *w, const struct curves *c)
{
    uint32_t n = c->columns;
    const struct column *at = c->at;
    xpd_json_key(w, "columns");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "first_slot", n, xpd_json_u64(w, at[row].first_slot));
    XPD_COLUMN(w, "before_step", n, xpd_tools_index(w, at[row].step[0]));
    XPD_COLUMN(w, "after_step", n, xpd_tools_index(w, at[row].step[1]));
    XPD_COLUMN(w, "both", n, xpd_json_u64(w, at[row].both));
    XPD_COLUMN(w, "only_before", n, xpd_json_u64(w, at[row].only[0]));
    XPD_COLUMN(w, "only_after", n, xpd_json_u64(w, at[row].only[1]));
    XPD_COLUMN(w, "before_min", n, xpd_json_i64(w, at[row].low[0]));
    XPD_COLUMN(w, "before_max", n, xpd_json_i64(w, at[row].high[0]));
    XPD_COLUMN(w, "after_min", n, xpd_json_i64(w, at[row].low[1]));
    XPD_COLUMN(w, "after_max", n, xpd_json_i64(w, at[row].high[1]));
    XPD_COLUMN(w, "difference_min", n, xpd_json_i64(w, at[row].diff_low));
    XPD_COLUMN(w, "difference_max", n, xpd_json_i64(w, at[row].diff_high));
    xpd_json_obj_end(w);
}

static void write(struct xpd_jsonw *w, const struct curves *c)
{
    xpd_json_obj(w);
    xpd_json_ku64(w, "slots", c->align.count);
    xpd_json_ku64(w, "from", c->from);
    xpd_json_ku64(w, "to", c->to);
    xpd_json_kbool(w, "exact", c->columns == c->to - c->from);
    xpd_json_ku64(w, "matched", c->align.matched);
    xpd_json_ku64(w, "only_before", c->align.only_before);
    xpd_json_ku64(w, "only_after", c->align.only_after);
    xpd_json_kbool(w, "whole", c->align.whole);
    xpd_tools_kindex(w, "before_peak_slot", c->peak_slot[0]);
    xpd_tools_kindex(w, "after_peak_slot", c->peak_slot[1]);
    write_extreme(w, "lowest", &c->lowest, c->align.count);
    write_extreme(w, "highest", &c->highest, c->align.count);
    write_columns(w, c);
    xpd_json_obj_end(w);
}

static int answer(const struct xpd_tool_ctx ctx[2], struct xpd_tool_result *out,
                  struct xpd_err *err)
{
    struct xpd_compare_side side[2] = {{ctx[0].mem, ctx[0].space}, {ctx[1].mem, ctx[1].space}};
    struct curves c = {.ctx = ctx, .peak_slot = {XPD_NO_STEP, XPD_NO_STEP}};
    struct xpd_jsonw w;
    int rc = xpd_align_steps(&c.align, side, ctx[1].arena, err);
    if (rc != XPD_OK)
        return rc;
    int64_t from = xpd_param_int(&ctx[1], &xpd_tool_compare_curve, "from");
    int64_t to = xpd_param_int(&ctx[1], &xpd_tool_compare_curve, "to");
    int64_t px = xpd_param_int(&ctx[1], &xpd_tool_compare_curve, "px");
    c.to = to > 0 && to < c.align.count ? (uint32_t)to : c.align.count;
    c.from = from < c.align.count ? (uint32_t)from : c.align.count;
    if (c.from > c.to || (c.from == c.to && c.align.count > 0))
        return xpd_fail(err, XPD_EINVAL, "from", XPD_NO_OFFSET,
                        "from= is before to= and below the %" PRIu32 " slots", c.align.count);
    c.columns = c.to - c.from < (uint32_t)px ? c.to - c.from : (uint32_t)px;
    c.at = XPD_NEW_ARRAY(ctx[1].arena, struct column, (size_t)c.columns + 1);
    if (!c.at)
        return xpd_tools_no_memory(err);
    fill(&c);
    xpd_jsonw_init(&w, &out->body);
    write(&w, &c);
    return XPD_OK;
}

static int curve(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    return xpd_compare_with_base(ctx, answer, out, err);
}

static const struct xpd_param_spec params[] = {
    XPD_COMPARE_BASE_PARAMS,
    {.name = "from",
     .type = XPD_PARAM_INT,
     .max = UINT32_MAX,
     .help = "first slot of the window; default 0"},
    {.name = "to",
     .type = XPD_PARAM_INT,
     .max = UINT32_MAX,
     .help = "slot after the window; default all"},
    XPD_PARAM_PX(PX_DEFAULT, PX_MAX, "most columns"),
    {.name = NULL},
};

const struct xpd_tool xpd_tool_compare_curve = {
    .route = "/api/v1/compare/curve",
    .title = "Live bytes of two programs over aligned steps.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = curve,
};
