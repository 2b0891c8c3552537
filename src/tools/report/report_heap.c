/* /api/v1/report/heap: the heap at one step: who lies where, what is free between them, and what is
 * always there. In: a step. Out: boxes by address, holes, residents. */
#include "report_keys.h"
#include "xprofd/base/checked.h"

#define BOXES_MAX     8192
#define HOLES_MAX     4096
#define RESIDENTS_MAX 512

#define XPD_REPORT_RESIDENT_FIELDS(FIELD)                                                          \
    FIELD(NAME, name, "")                                                                          \
    FIELD(NAME, shape, "without layout")                                                           \
    FIELD(MAYBE(INDEX), tenancy, "null: always there")                                             \
    FIELD(MAYBE(INDEX), buffer, "null: an allocation without a logical buffer")                    \
    FIELD(INT, offset_bytes, "address")                                                            \
    FIELD(INT, size_bytes, "with padding")                                                         \
    FIELD(INT, unpadded_bytes, "")                                                                 \
    FIELD(INDEX, start_step, "held from here on")                                                  \
    FIELD(INDEX, end_step, "up to, not including, this one")                                       \
    FIELD(NAME, row, "of `report/details`")
XPD_RECORD(xpd_report_resident_row, XPD_REPORT_RESIDENT_FIELDS)

#define XPD_REPORT_BOX_FIELDS(FIELD)                                                               \
    XPD_REPORT_RESIDENT_FIELDS(FIELD)                                                              \
    FIELD(COUNT, tenants,                                                                          \
          "number of buffers that use any of its bytes at any time, including itself")
XPD_RECORD(xpd_report_box, XPD_REPORT_BOX_FIELDS)

#define XPD_REPORT_RESIDENTS_FIELDS(FIELD)                                                         \
    FIELD(INLINE(xpd_report_resident_row), rows, "the largest first, at most 512")                 \
    FIELD(COUNT, left_out, "")                                                                     \
    FIELD(INT, left_out_bytes, "")
XPD_RECORD(xpd_report_residents, XPD_REPORT_RESIDENTS_FIELDS)

#define XPD_REPORT_HOLE_FIELDS(FIELD)                                                              \
    FIELD(INT, offset_bytes, "address")                                                            \
    FIELD(INT, size_bytes, "")
XPD_RECORD(xpd_report_hole_row, XPD_REPORT_HOLE_FIELDS)

#define XPD_REPORT_HOLES_FIELDS(FIELD)                                                             \
    FIELD(INLINE(xpd_report_hole_row), rows, "free below a live buffer, at most 4,096")            \
    FIELD(COUNT, left_out, "")                                                                     \
    FIELD(INT, left_out_bytes, "")                                                                 \
    FIELD(MAYBE(OBJECT(xpd_report_hole_row)), largest, "null: there is none")
XPD_RECORD(xpd_report_holes, XPD_REPORT_HOLES_FIELDS)

#define XPD_REPORT_HEAP_FIELDS(FIELD)                                                              \
    FIELD(MAYBE(INDEX), step, "null without a heap trace")                                         \
    FIELD(INT, heap_bytes, "live + holes + above + idle")                                          \
    FIELD(INT, live_bytes, "in the heap, at the step")                                             \
    FIELD(INT, resident_bytes, "held from the first to the last step")                             \
    FIELD(INT, top_bytes, "highest held byte")                                                     \
    FIELD(INT, holes_bytes, "free below a live buffer")                                            \
    FIELD(INT, above_bytes, "free above the highest held byte")                                    \
    FIELD(INT, idle_bytes, "bytes set aside, not live")                                            \
    FIELD(COUNT, tenancies, "lifetimes of the program that have heap events")                      \
    FIELD(INLINE(xpd_report_box), boxes, "by address; of the largest 8,192")                       \
    FIELD(COUNT, left_out, "boxes")                                                                \
    FIELD(INT, left_out_bytes, "")                                                                 \
    FIELD(OBJECT(xpd_report_holes), holes, "")                                                     \
    FIELD(OBJECT(xpd_report_residents), residents, "buffers that are always there")
XPD_RECORD(xpd_report_heap, XPD_REPORT_HEAP_FIELDS)

struct heap {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_report *report;
    uint32_t step;
    struct xpd_held_list held;
    struct xpd_report_gaps gaps;
    const struct xpd_held **box, **resident; /* by address; largest first */
    uint32_t box_count, resident_count, boxes_out, residents_out;
    int64_t boxes_out_bytes, residents_out_bytes;
    const struct xpd_report_reuse *reuse;
    struct xpd_report_heap out;
    struct xpd_report_holes holes;
    struct xpd_report_residents residents;
};

static int by_size(const void *a, const void *b)
{
    const struct xpd_held *x = *(const struct xpd_held *const *)a;
    const struct xpd_held *y = *(const struct xpd_held *const *)b;
    if (x->size_bytes != y->size_bytes)
        return x->size_bytes < y->size_bytes ? 1 : -1;
    return (x > y) - (x < y);
}

static int by_address(const void *a, const void *b)
{
    const struct xpd_held *x = *(const struct xpd_held *const *)a;
    const struct xpd_held *y = *(const struct xpd_held *const *)b;
    if (x->offset_bytes != y->offset_bytes)
        return x->offset_bytes < y->offset_bytes ? -1 : 1;
    return (x > y) - (x < y);
}

/* The largest ones up to a number; what is left out is counted. */
static uint32_t largest(const struct xpd_held **row, uint32_t count, uint32_t most, uint32_t *out,
                        int64_t *out_bytes)
{
    if (count > 1)
        qsort(row, count, sizeof *row, by_size);
    for (uint32_t i = most; i < count; i++) {
        ++*out;
        xpd_grow_i64(out_bytes, row[i]->size_bytes);
    }
    return count < most ? count : most;
}

static bool choose(struct heap *h)
{
    uint32_t residents = h->held.resident_count, boxes = h->held.count - residents;
    h->resident = XPD_NEW_ARRAY(h->ctx->arena, const struct xpd_held *, residents);
    h->box = XPD_NEW_ARRAY(h->ctx->arena, const struct xpd_held *, boxes);
    if (!h->resident || !h->box)
        return false;
    for (uint32_t i = 0; i < h->held.count; i++) {
        if (i < residents)
            h->resident[i] = &h->held.at[i];
        else
            h->box[i - residents] = &h->held.at[i];
    }
    h->resident_count =
        largest(h->resident, residents, RESIDENTS_MAX, &h->residents_out, &h->residents_out_bytes);
    h->box_count = largest(h->box, boxes, BOXES_MAX, &h->boxes_out, &h->boxes_out_bytes);
    if (h->box_count > 1)
        qsort(h->box, h->box_count, sizeof *h->box, by_address);
    return true;
}

/* The row of the report that a held row is: residents stand in the same order in both. */
static struct xpd_str leaf_of(const struct heap *h, const struct xpd_held *held)
{
    uint32_t row = held->tenancy == XPD_NO_INDEX ? (uint32_t)(held - h->held.at)
                                                 : h->report->resident_count + held->tenancy;
    char leaf[48];
    xpd_report_leaf(leaf, &h->report->row[row]);
    return xpd_arena_str(h->ctx->arena, xpd_str_of(leaf));
}

/* What boxes and residents share, for a struct's initializer. */
#define ROW_OF(h, held, texts)                                                                     \
    .name = xpd_texts_buffer((texts), (h)->ctx->mem, (held)->buffer),                              \
    .shape = xpd_texts_buffer_shape((texts), (h)->ctx->mem, (held)->buffer),                       \
    .tenancy = (held)->tenancy, .buffer = (held)->buffer, .offset_bytes = (held)->offset_bytes,    \
    .size_bytes = (held)->size_bytes, .unpadded_bytes = (held)->unpadded_bytes,                    \
    .start_step = (held)->start, .end_step = (held)->end, .row = leaf_of((h), (held))

/* How many tenancies ever lie on some byte of a box, itself included. */
static uint32_t tenants_of(const struct heap *h, const struct xpd_held *held)
{
    int64_t end = held->offset_bytes;
    xpd_grow_i64(&end, held->size_bytes);
    return xpd_report_reuse_of(h->reuse, held->offset_bytes, end);
}

static void fill_rows(struct heap *h)
{
    struct xpd_arena *arena = h->ctx->arena;
    struct xpd_texts texts = {.arena = arena};
    struct xpd_report_box *box = XPD_NEW_ARRAY(arena, struct xpd_report_box, h->box_count);
    struct xpd_report_resident_row *resident =
        XPD_NEW_ARRAY(arena, struct xpd_report_resident_row, h->resident_count);
    for (uint32_t i = 0; box && i < h->box_count; i++)
        box[i] = (struct xpd_report_box){ROW_OF(h, h->box[i], &texts),
                                         .tenants = tenants_of(h, h->box[i])};
    for (uint32_t i = 0; resident && i < h->resident_count; i++)
        resident[i] = (struct xpd_report_resident_row){ROW_OF(h, h->resident[i], &texts)};
    xpd_texts_fini(&texts);
    h->out.boxes.at = box;
    h->out.boxes.n = h->box_count;
    h->residents = (struct xpd_report_residents){
        {resident, h->resident_count}, h->residents_out, h->residents_out_bytes};
    h->out.residents = &h->residents;
}

static void fill_holes(struct heap *h)
{
    const struct xpd_report_gaps *gaps = &h->gaps;
    uint32_t n = gaps->hole_count < HOLES_MAX ? gaps->hole_count : HOLES_MAX;
    int64_t rest = gaps->holes_bytes;
    struct xpd_report_hole_row *hole =
        XPD_NEW_ARRAY(h->ctx->arena, struct xpd_report_hole_row, (size_t)n + 1);
    for (uint32_t i = 0; hole && i < n; i++) {
        hole[i] =
            (struct xpd_report_hole_row){gaps->hole[i].offset_bytes, gaps->hole[i].size_bytes};
        rest -= gaps->hole[i].size_bytes;
    }
    h->holes = (struct xpd_report_holes){{hole, n}, gaps->hole_count - n, rest, NULL};
    if (hole && gaps->largest != XPD_NO_INDEX) {
        hole[n] = (struct xpd_report_hole_row){gaps->hole[gaps->largest].offset_bytes,
                                               gaps->hole[gaps->largest].size_bytes};
        h->holes.largest = &hole[n];
    }
    h->out.holes = &h->holes;
}

static int put(struct heap *h, struct xpd_err *err)
{
    const struct xpd_mem_space *space = h->ctx->space;
    uint32_t traced = 0;
    for (uint32_t i = 0; i < space->tenancy_count; i++)
        traced += !(space->tenancy[i].flags & XPD_TENANCY_UNTRACED);
    h->out = (struct xpd_report_heap){
        .step = h->step,
        .heap_bytes = space->heap_bytes,
        .live_bytes = h->held.bytes - space->totals.resident,
        .resident_bytes = space->totals.resident,
        .top_bytes = h->gaps.top_bytes,
        .holes_bytes = h->gaps.holes_bytes,
        .above_bytes = h->gaps.above_bytes,
        .idle_bytes = h->gaps.idle_bytes,
        .tenancies = traced,
        .left_out = h->boxes_out,
        .left_out_bytes = h->boxes_out_bytes,
    };
    fill_rows(h);
    fill_holes(h);
    return h->ctx->arena->failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static int make_reuse(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                      uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    return xpd_report_reuse_make(table, ctx->space, arena, err);
}

static int heap(const struct xpd_tool_ctx *ctx, const void **to, struct xpd_err *err)
{
    struct heap *h = XPD_NEW(ctx->arena, struct heap);
    if (!h)
        return xpd_tools_no_memory(err);
    *h = (struct heap){.ctx = ctx, .report = xpd_table_report(ctx, err)};
    if (!h->report)
        return err->code;
    int rc = xpd_tools_step(ctx, "at", &h->step, err);
    if (rc == XPD_OK)
        rc = xpd_held_at(&h->held, ctx->mem, ctx->space, h->step, ctx->arena, err);
    if (rc == XPD_OK)
        rc = xpd_report_gaps_at(&h->gaps, h->report, h->step, ctx->arena, err);
    if (rc == XPD_OK && !choose(h))
        rc = xpd_tools_no_memory(err);
    if (rc != XPD_OK)
        return rc;
    h->reuse =
        xpd_table(ctx, XPD_TABLE_REUSE, 0, true, sizeof(struct xpd_report_reuse), make_reuse, err);
    *to = &h->out;
    return h->reuse ? put(h, err) : err->code;
}

static const struct xpd_param_spec params[] = {
    {.name = "at", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "a step, default the peak"},
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_report_heap = {
    .route = "/api/v1/report/heap",
    .title = "The heap at one step: buffers by address, holes, and resident buffers.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .about = "`holes_bytes` + `above_bytes` + `idle_bytes` = `heap_bytes` - `live_bytes`. "
             "Addresses of residents are set at run time.",
    .answer = xpd_report_heap_record,
    .make = heap,
    .file_name = "report_heap.csv",
    XPD_IN_REPORT("", {240, XPD_EACH_PEAK, "at={step}", "the heap at the peaks"},
                  {310, XPD_EACH_NEAR, "at={step}", NULL}),
};
