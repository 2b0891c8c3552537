/* /api/v1/compare/curve: what is live in two programs over one order of steps. */
#include "compare_parts.h"
#include "xprofd/doctor/align.h"

#define PX_DEFAULT 2000
#define PX_MAX     8192

#define XPD_COMPARED_COLUMN_FIELDS(FIELD)                                                          \
    FIELD(INDEX, first_slot, "")                                                                   \
    FIELD(MAYBE(INDEX), before_step, "step at the first slot")                                     \
    FIELD(MAYBE(INDEX), after_step, "likewise")                                                    \
    FIELD(COUNT, both, "slots in which both programs have a step")                                 \
    FIELD(COUNT, only_before, "")                                                                  \
    FIELD(COUNT, only_after, "")                                                                   \
    FIELD(INT, before_min_bytes, "")                                                               \
    FIELD(INT, before_max_bytes, "")                                                               \
    FIELD(INT, after_min_bytes, "")                                                                \
    FIELD(INT, after_max_bytes, "")                                                                \
    FIELD(SIGNED, difference_min_bytes, "after minus before")                                      \
    FIELD(SIGNED, difference_max_bytes, "likewise")
XPD_RECORD(xpd_compared_column, XPD_COMPARED_COLUMN_FIELDS)

#define XPD_COMPARED_EXTREME_FIELDS(FIELD)                                                         \
    FIELD(INDEX, slot, "")                                                                         \
    FIELD(SIGNED, difference_bytes, "after minus before")
XPD_RECORD(xpd_compared_extreme, XPD_COMPARED_EXTREME_FIELDS)

#define XPD_COMPARED_CURVE_FIELDS(FIELD)                                                           \
    FIELD(COUNT, slots, "places in the common order")                                              \
    FIELD(COUNT, from, "first slot of the window")                                                 \
    FIELD(COUNT, to, "slot after the last one")                                                    \
    FIELD(BOOL, exact, "a column is one slot")                                                     \
    FIELD(COUNT, matched, "slots in which both programs have a step")                              \
    FIELD(COUNT, only_before, "")                                                                  \
    FIELD(COUNT, only_after, "")                                                                   \
    FIELD(BOOL, whole, "false: the programs were too long to align step by step")                  \
    FIELD(MAYBE(INDEX), before_peak_slot, "")                                                      \
    FIELD(MAYBE(INDEX), after_peak_slot, "")                                                       \
    FIELD(MAYBE(OBJECT(xpd_compared_extreme)), lowest, "of the difference, over all slots")        \
    FIELD(MAYBE(OBJECT(xpd_compared_extreme)), highest, "likewise")                                \
    FIELD(COLUMNS(xpd_compared_column), columns, "")
XPD_RECORD(xpd_compared_curve, XPD_COMPARED_CURVE_FIELDS)

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

static const struct xpd_compared_extreme *extreme_of(const struct curves *c,
                                                     const struct extreme *at)
{
    struct xpd_compared_extreme *out =
        c->align.count ? XPD_NEW(c->ctx[1].arena, struct xpd_compared_extreme) : NULL;
    if (out)
        *out = (struct xpd_compared_extreme){at->slot, at->bytes};
    return out;
}

static int put(struct xpd_compared_curve *out, const struct curves *c, struct xpd_err *err)
{
    struct xpd_arena *arena = c->ctx[1].arena;
    struct xpd_compared_column *to = XPD_NEW_ARRAY(arena, struct xpd_compared_column, c->columns);
    for (uint32_t i = 0; to && i < c->columns; i++) {
        const struct column *at = &c->at[i];
        to[i] = (struct xpd_compared_column){
            at->first_slot, at->step[0], at->step[1], at->both,    at->only[0],  at->only[1],
            at->low[0],     at->high[0], at->low[1],  at->high[1], at->diff_low, at->diff_high};
    }
    *out = (struct xpd_compared_curve){
        .slots = c->align.count,
        .from = c->from,
        .to = c->to,
        .exact = c->columns == c->to - c->from,
        .matched = c->align.matched,
        .only_before = c->align.only_before,
        .only_after = c->align.only_after,
        .whole = c->align.whole,
        .before_peak_slot = c->peak_slot[0],
        .after_peak_slot = c->peak_slot[1],
        .lowest = extreme_of(c, &c->lowest),
        .highest = extreme_of(c, &c->highest),
        .columns = {to, c->columns},
    };
    return arena->failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static int answer(const struct xpd_tool_ctx ctx[2], void *to, struct xpd_err *err)
{
    struct xpd_compare_side side[2] = {{ctx[0].mem, ctx[0].space}, {ctx[1].mem, ctx[1].space}};
    struct curves c = {.ctx = ctx, .peak_slot = {XPD_NO_STEP, XPD_NO_STEP}};
    int rc = xpd_align_steps(&c.align, side, ctx[1].arena, err);
    if (rc != XPD_OK)
        return rc;
    int64_t from = xpd_param_int(&ctx[1], &xpd_tool_compare_curve, "from");
    int64_t end = xpd_param_int(&ctx[1], &xpd_tool_compare_curve, "to");
    int64_t px = xpd_param_int(&ctx[1], &xpd_tool_compare_curve, "px");
    c.to = end > 0 && end < c.align.count ? (uint32_t)end : c.align.count;
    c.from = from < c.align.count ? (uint32_t)from : c.align.count;
    if (c.from > c.to || (c.from == c.to && c.align.count > 0))
        return xpd_fail(err, XPD_EINVAL, "from", XPD_NO_OFFSET,
                        "from= is before to= and below the %" PRIu32 " slots", c.align.count);
    c.columns = c.to - c.from < (uint32_t)px ? c.to - c.from : (uint32_t)px;
    c.at = XPD_NEW_ARRAY(ctx[1].arena, struct column, (size_t)c.columns + 1);
    if (!c.at)
        return xpd_tools_no_memory(err);
    fill(&c);
    return put(to, &c, err);
}

static int curve(const struct xpd_tool_ctx *ctx, const void **to, struct xpd_err *err)
{
    return xpd_compare_with_base(ctx, answer, sizeof(struct xpd_compared_curve), to, err);
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
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_compare_curve = {
    .route = "/api/v1/compare/curve",
    .title = "Live bytes of two programs over aligned steps.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .answer = xpd_compared_curve_record,
    .make = curve,
    .file_name = "compare_curve.csv",
    XPD_IN_REPORT("px window",
                  {120, XPD_EACH_PAIR, "px=4096", "both curves of each pair in 4,096 columns"}),
};
