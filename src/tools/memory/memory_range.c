/* /api/v1/memory/range: the totals of a selected range of steps. */
#include "../common/common.h"
#include "table_steps.h"
#include "xprofd/base/checked.h"
#include "xprofd/memory/held.h"

#define LARGEST_MAX 12

#define XPD_MEMORY_RANGE_ROW_FIELDS(FIELD)                                                         \
    FIELD(INDEX, buffer, "the value that began the lifetime")                                      \
    FIELD(NAME, name, "of the buffer")                                                             \
    FIELD(INT, size_bytes, "")
XPD_RECORD(xpd_memory_range_row, XPD_MEMORY_RANGE_ROW_FIELDS)

#define XPD_MEMORY_RANGE_FIELDS(FIELD)                                                             \
    FIELD(COUNT, from, "first step")                                                               \
    FIELD(COUNT, to, "step after the last one")                                                    \
    FIELD(INT, max_bytes, "maximum held after a step, residents included")                         \
    FIELD(COUNT, max_step, "first step with that value")                                           \
    FIELD(INT, min_bytes, "minimum, residents included")                                           \
    FIELD(COUNT, min_step, "first step with that value")                                           \
    FIELD(OBJECT(xpd_bytes_sum), allocated,                                                        \
          "lifetimes that begin in the range, at their full size")                                 \
    FIELD(OBJECT(xpd_bytes_sum), freed, "lifetimes that end in the range")                         \
    FIELD(COLUMNS(xpd_memory_range_row), largest, "the largest that begin in the range, at most 12")
XPD_RECORD(xpd_memory_range, XPD_MEMORY_RANGE_FIELDS)

struct range {
    struct xpd_memory_range out;
    struct xpd_bytes_sum allocated, freed;
    struct xpd_memory_range_row row[LARGEST_MAX];
};

static void fill_largest(struct range *range, const struct xpd_tool_ctx *ctx,
                         const struct xpd_flow *flow, struct xpd_step_window window)
{
    struct xpd_texts texts = {.arena = ctx->arena};
    uint32_t largest[LARGEST_MAX];
    uint32_t n = xpd_flow_largest(flow, window, largest, LARGEST_MAX);
    for (uint32_t i = 0; i < n; i++) {
        const struct xpd_tenancy *tenancy = &ctx->space->tenancy[largest[i]];
        range->row[i].buffer = tenancy->buffer;
        range->row[i].name = xpd_texts_buffer(&texts, ctx->mem, tenancy->buffer);
        range->row[i].size_bytes = tenancy->size_bytes;
    }
    range->out.largest.at = range->row;
    range->out.largest.n = n;
    xpd_texts_fini(&texts);
}

static struct xpd_bytes_sum sum_of(struct xpd_flow_sum sum)
{
    return (struct xpd_bytes_sum){.count = sum.count, .size_bytes = sum.bytes};
}

static int measure(struct range *range, const struct xpd_tool_ctx *ctx,
                   struct xpd_step_window window, struct xpd_err *err)
{
    const struct xpd_mem_space *space = ctx->space;
    const struct xpd_flow *flow = xpd_table_flow(ctx, err);
    struct xpd_memory_range *out = &range->out;
    if (!flow)
        return xpd_table_status(flow, err);
    xpd_live_extremes(space, window, &out->min_step, &out->max_step);
    out->from = window.from;
    out->to = window.to;
    out->max_bytes = space->totals.resident + space->live_bytes[out->max_step];
    out->min_bytes = space->totals.resident + space->live_bytes[out->min_step];
    range->allocated = sum_of(xpd_flow_started(flow, window));
    range->freed = sum_of(xpd_flow_ended(flow, window));
    out->allocated = &range->allocated;
    out->freed = &range->freed;
    fill_largest(range, ctx, flow, window);
    return XPD_OK;
}

static int range_tool(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    struct xpd_step_window window;
    struct range *range = XPD_NEW(ctx->arena, struct range);
    if (!range)
        return xpd_tools_no_memory(err);
    int rc = xpd_tools_window(ctx, &xpd_tool_memory_range, &window, err);
    if (rc == XPD_OK && ctx->space->step_count == 0)
        rc = xpd_fail(err, XPD_ENOTFOUND, "space", XPD_NO_OFFSET,
                      "this memory space has no heap trace, so it has no steps");
    if (rc == XPD_OK)
        rc = measure(range, ctx, window, err);
    *out = &range->out;
    return rc;
}

static const struct xpd_param_spec params[] = {
    XPD_STEP_WINDOW_PARAMS,
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_memory_range = {
    .route = "/api/v1/memory/range",
    .title = "Totals of a range of steps: extremes, what is allocated and freed in it.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .answer = xpd_memory_range_record,
    .make = range_tool,
    .file_name = "range.csv",
};

/* /api/v1/memory/diff: what is held after step a and not after step b, and the other way round. */

#define ROWS_MAX 1000 /* of each side, the largest */

#define XPD_MEMORY_DIFF_ROW_FIELDS(FIELD)                                                          \
    FIELD(MAYBE(INDEX), buffer, "")                                                                \
    FIELD(NAME, name, "of the buffer")                                                             \
    FIELD(NAME, shape, "without layout")                                                           \
    FIELD(INT, size_bytes, "held at that step")
XPD_RECORD(xpd_memory_diff_row, XPD_MEMORY_DIFF_ROW_FIELDS)

#define XPD_MEMORY_DIFF_SIDE_FIELDS(FIELD)                                                         \
    FIELD(INLINE(xpd_memory_diff_row), rows, "the largest, at most `limit`")                       \
    FIELD(OBJECT(xpd_bytes_sum), rest, "rows not listed")
XPD_RECORD(xpd_memory_diff_side, XPD_MEMORY_DIFF_SIDE_FIELDS)

#define XPD_MEMORY_DIFF_FIELDS(FIELD)                                                              \
    FIELD(COUNT, a, "a step")                                                                      \
    FIELD(COUNT, b, "the other step")                                                              \
    FIELD(INT, a_bytes, "held after a")                                                            \
    FIELD(INT, b_bytes, "held after b")                                                            \
    FIELD(OBJECT(xpd_memory_diff_side), only_a, "held at a and not at b")                          \
    FIELD(OBJECT(xpd_memory_diff_side), only_b, "held at b and not at a")                          \
    FIELD(INT, only_a_bytes, "of all, listed or not")                                              \
    FIELD(INT, only_b_bytes, "likewise")                                                           \
    FIELD(INT, both_bytes, "held at both, as large as at a, residents included")                   \
    FIELD(SIGNED, both_grown_bytes,                                                                \
          "growth of storages held at both, by larger values that joined them")                    \
    FIELD(INT, overlap_a_bytes, "held by several rows at once, as in memory/live")                 \
    FIELD(INT, overlap_b_bytes, "likewise")                                                        \
    FIELD(COUNT, limit, "rows of a side, 1,000")
XPD_RECORD(xpd_memory_diff, XPD_MEMORY_DIFF_FIELDS)

struct side {
    uint32_t step;
    struct xpd_held_list held;
    struct xpd_held *only; /* the largest, descending */
    uint32_t count;
    struct xpd_bytes_sum rest;
    int64_t only_bytes;
    struct xpd_memory_diff_side out;
};

static int by_size(const void *a, const void *b)
{
    const struct xpd_held *x = a, *y = b;
    if (x->size_bytes != y->size_bytes)
        return x->size_bytes < y->size_bytes ? 1 : -1;
    return x->tenancy < y->tenancy ? -1 : x->tenancy > y->tenancy;
}

/* Rows of `side` whose tenancy is not held at the other step. */
static int keep_only(struct side *side, const struct side *other, struct xpd_arena *arena,
                     struct xpd_err *err)
{
    side->only = XPD_NEW_ARRAY(arena, struct xpd_held, side->held.count);
    if (!side->only)
        return xpd_tools_no_memory(err);
    for (uint32_t i = side->held.resident_count; i < side->held.count; i++) {
        const struct xpd_held *row = &side->held.at[i];
        if (row->start <= other->step && other->step < row->end)
            continue;
        side->only[side->count++] = *row;
        xpd_grow_i64(&side->only_bytes, row->size_bytes);
    }
    qsort(side->only, side->count, sizeof *side->only, by_size);
    for (uint32_t i = ROWS_MAX; i < side->count; i++) {
        side->rest.count++;
        xpd_grow_i64(&side->rest.size_bytes, side->only[i].size_bytes);
    }
    if (side->count > ROWS_MAX)
        side->count = ROWS_MAX;
    return XPD_OK;
}

static int fill_side(struct side *side, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    struct xpd_texts texts = {.arena = ctx->arena};
    struct xpd_memory_diff_row *row =
        XPD_NEW_ARRAY(ctx->arena, struct xpd_memory_diff_row, side->count);
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < side->count; i++) {
        uint32_t buffer = side->only[i].buffer;
        row[i].buffer = buffer;
        row[i].name = xpd_texts_buffer(&texts, ctx->mem, buffer);
        row[i].shape = xpd_texts_buffer_shape(&texts, ctx->mem, buffer);
        row[i].size_bytes = side->only[i].size_bytes;
    }
    xpd_texts_fini(&texts);
    side->out.rows.at = row;
    side->out.rows.n = side->count;
    side->out.rest = &side->rest;
    return XPD_OK;
}

struct diff {
    struct xpd_memory_diff out;
    struct side a, b;
};

static void fill(struct diff *d)
{
    const struct side *a = &d->a, *b = &d->b;
    int64_t both_a = a->held.listed_bytes - a->only_bytes;
    int64_t both_b = b->held.listed_bytes - b->only_bytes;
    d->out = (struct xpd_memory_diff){
        .a = a->step,
        .b = b->step,
        .a_bytes = a->held.bytes,
        .b_bytes = b->held.bytes,
        .only_a = &a->out,
        .only_b = &b->out,
        .only_a_bytes = a->only_bytes,
        .only_b_bytes = b->only_bytes,
        .both_bytes = both_a,
        .both_grown_bytes = both_b - both_a,
        .overlap_a_bytes = a->held.listed_bytes - a->held.bytes,
        .overlap_b_bytes = b->held.listed_bytes - b->held.bytes,
        .limit = ROWS_MAX,
    };
}

static int diff(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    struct diff *d = XPD_NEW(ctx->arena, struct diff);
    if (!d)
        return xpd_tools_no_memory(err);
    struct side *a = &d->a, *b = &d->b;
    int rc = xpd_tools_step(ctx, "a", &a->step, err);
    if (rc == XPD_OK)
        rc = xpd_tools_step(ctx, "b", &b->step, err);
    if (rc == XPD_OK)
        rc = xpd_held_at(&a->held, ctx->mem, ctx->space, a->step, ctx->arena, err);
    if (rc == XPD_OK)
        rc = xpd_held_at(&b->held, ctx->mem, ctx->space, b->step, ctx->arena, err);
    if (rc == XPD_OK)
        rc = keep_only(a, b, ctx->arena, err);
    if (rc == XPD_OK)
        rc = keep_only(b, a, ctx->arena, err);
    if (rc == XPD_OK)
        rc = fill_side(a, ctx, err);
    if (rc == XPD_OK)
        rc = fill_side(b, ctx, err);
    fill(d);
    *out = &d->out;
    return rc;
}

static const struct xpd_param_spec diff_params[] = {
    {.name = "a", .type = XPD_PARAM_INT, .required = true, .max = UINT32_MAX, .help = "a step"},
    {.name = "b", .type = XPD_PARAM_INT, .required = true, .max = UINT32_MAX, .help = "a step"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_memory_diff = {
    .route = "/api/v1/memory/diff",
    .title = "The buffers held after one step and not after another, in both directions.",
    .needs = XPD_NEEDS_SPACE,
    .params = diff_params,
    .about = "`both_bytes` + `only_a_bytes` - `overlap_a_bytes` = `a_bytes`; `both_bytes` + "
             "`both_grown_bytes` + `only_b_bytes` - `overlap_b_bytes` = `b_bytes`.",
    .answer = xpd_memory_diff_record,
    .make = diff,
};
