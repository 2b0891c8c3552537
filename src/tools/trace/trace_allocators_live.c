/* /api/v1/trace/allocators/live: what is allocated at an instant, and whether it is all of the
 * heap. /api/v1/trace/allocators/diff: what of it is there at one instant, at another, at both. */
#include "alloc_rows.h"

#include "xprofd/base/checked.h"

#define ROWS_USUAL 500
#define ROWS_MAX   20000

#define XPD_ALLOC_LIVE_FIELDS(FIELD)                                                               \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(SIGNED, at_ps, "the instant")                                                            \
    FIELD(BOOL, cut, "a file is truncated, and has fewer events")                                  \
    FIELD(INT, dropped, "allocation events without the required stats")                            \
    FIELD(COUNT, total, "total number of rows")                                                    \
    FIELD(COUNT, offset, "of the first row listed")                                                \
    FIELD(COUNT, left_out, "rows not listed")                                                      \
    FIELD(INT, all_bytes, "of all rows, listed or not")                                            \
    FIELD(INT, all_count, "number of allocations in the listed rows")                              \
    FIELD(INLINE(xpd_alloc_row), rows, "largest first")                                            \
    FIELD(COLUMNS(xpd_alloc_held), held,                                                           \
          "bytes held by each allocator, and how many of them the rows account for")
XPD_RECORD(xpd_alloc_live, XPD_ALLOC_LIVE_FIELDS)

#define XPD_ALLOC_BETWEEN_FIELDS(FIELD)                                                            \
    FIELD(INT, allocated, "allocations after the earlier instant, up to the later one")            \
    FIELD(INT, allocated_bytes, "their bytes")                                                     \
    FIELD(INT, freed, "frees in that time")                                                        \
    FIELD(INT, freed_bytes, "their bytes")                                                         \
    FIELD(INT, freed_of_first, "frees of allocations live at the earlier instant")
XPD_RECORD(xpd_alloc_between, XPD_ALLOC_BETWEEN_FIELDS)

#define XPD_ALLOC_DIFF_FIELDS(FIELD)                                                               \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(SIGNED, a_ps, "one instant")                                                             \
    FIELD(SIGNED, b_ps, "the other; it may be the earlier")                                        \
    FIELD(BOOL, cut, "a file is truncated, and has fewer events")                                  \
    FIELD(INT, only_a_bytes, "live only at a")                                                     \
    FIELD(INT, only_b_bytes, "live only at b; b - a is `only_b_bytes` - `only_a_bytes`")           \
    FIELD(INT, both_bytes, "live at both")                                                         \
    FIELD(COUNT, total, "total number of rows")                                                    \
    FIELD(COUNT, offset, "of the first row listed")                                                \
    FIELD(COUNT, left_out, "rows not listed")                                                      \
    FIELD(INLINE(xpd_alloc_row), rows, "largest first")                                            \
    FIELD(COLUMNS(xpd_alloc_held), at_a, "what each allocator holds at a")                         \
    FIELD(COLUMNS(xpd_alloc_held), at_b, "what each allocator holds at b")                         \
    FIELD(OBJECT(xpd_alloc_between), between, "what happened between them")
XPD_RECORD(xpd_alloc_diff, XPD_ALLOC_DIFF_FIELDS)

struct asking {
    struct xpd_trace_call call;
    struct xpd_alloc_lanes lanes;
    struct xpd_alloc_ask ask;
    struct xpd_alloc_rows rows;
    const struct xpd_tool *tool;
    uint32_t offset, n;
};

static int start(struct asking *a, const struct xpd_tool *tool, const struct xpd_tool_ctx *ctx,
                 struct xpd_err *err)
{
    a->tool = tool;
    int rc = xpd_tools_trace(ctx, 0, &a->call, err);
    if (rc == XPD_OK)
        rc = xpd_tools_alloc_lanes(&a->lanes, &a->call, err);
    a->ask = (struct xpd_alloc_ask){.call = &a->call, .lanes = &a->lanes};
    if (rc == XPD_OK)
        rc = xpd_tools_alloc_choice(&a->lanes, ctx, &a->ask.first, &a->ask.end, err);
    a->ask.fold = xpd_param_int(ctx, tool, "fold") != 0;
    a->ask.sort = xpd_param_text(ctx, "sort");
    a->ask.order = xpd_param_word(ctx, tool, "order");
    return rc;
}

/* The instant of the largest use among the lanes asked about. */
static int64_t peak_of(const struct asking *a)
{
    const struct xpd_alloc_lane *most = NULL;
    for (uint32_t k = a->ask.first; k < a->ask.end; k++)
        if (!most || a->lanes.at[k].of->most_bytes > most->of->most_bytes)
            most = &a->lanes.at[k];
    return most ? xpd_tools_alloc_at(&a->call, most, most->of->event[most->of->most].at_ps) : 0;
}

static int rows(struct asking *a, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = a->call.ctx;
    int rc = xpd_tools_alloc_rows(&a->rows, &a->ask, err);
    uint32_t offset = (uint32_t)xpd_param_int(ctx, a->tool, "offset");
    uint32_t limit = (uint32_t)xpd_param_int(ctx, a->tool, "limit");
    a->offset = offset < a->rows.count ? offset : a->rows.count;
    a->n = a->rows.count - a->offset < limit ? a->rows.count - a->offset : limit;
    return rc;
}

static int64_t sum_of(const struct asking *a, const char *state)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < a->rows.count; i++)
        if (a->rows.row[i].size_bytes > 0 && (!state || strcmp(a->rows.row[i].state, state) == 0))
            xpd_grow_i64(&sum, a->rows.row[i].size_bytes);
    return sum;
}

static int live(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct asking a = {0};
    struct xpd_alloc_live *out = XPD_NEW(ctx->arena, struct xpd_alloc_live);
    *answer = out;
    if (out && xpd_run_traced_hosts(ctx->run) == 0)
        return XPD_OK; /* nothing: trace/allocators/steps says why */
    int rc = out ? start(&a, &xpd_tool_trace_allocators_live, ctx, err) : xpd_tools_no_memory(err);
    if (rc != XPD_OK)
        return rc;
    a.ask.a_ps = xpd_param_has(ctx, "at")
                     ? xpd_param_int(ctx, &xpd_tool_trace_allocators_live, "at")
                     : peak_of(&a);
    rc = rows(&a, err);
    const struct xpd_alloc_held *held =
        rc == XPD_OK ? xpd_tools_alloc_held(&a.ask, a.ask.a_ps, err) : NULL;
    if (!held)
        return rc == XPD_OK ? xpd_table_status(NULL, err) : rc;
    int64_t count = 0;
    for (uint32_t i = 0; i < a.rows.count; i++)
        count += a.rows.row[i].count;
    *out = (struct xpd_alloc_live){.base_ps = a.call.base_ps,
                                   .at_ps = a.ask.a_ps,
                                   .cut = a.lanes.cut,
                                   .dropped = a.lanes.dropped,
                                   .total = a.rows.count,
                                   .offset = a.offset,
                                   .left_out = a.rows.count - a.n,
                                   .all_bytes = sum_of(&a, NULL),
                                   .all_count = count,
                                   .rows = {a.rows.row + a.offset, a.n},
                                   .held = {held, a.ask.end - a.ask.first}};
    return XPD_OK;
}

/* ---- two instants ---- */

static void add_between(struct xpd_alloc_between *out, const struct asking *a, uint32_t lane_index)
{
    const struct xpd_alloc_lane *lane = &a->lanes.at[lane_index];
    int64_t x = xpd_tools_alloc_own(&a->call, lane, a->ask.a_ps);
    int64_t y = xpd_tools_alloc_own(&a->call, lane, a->ask.b_ps);
    int64_t from_ps = x < y ? x : y, to_ps = x < y ? y : x;
    for (uint32_t i = 0; i < lane->of->count; i++) {
        const struct xpd_allocation *e = &lane->of->event[i];
        int64_t bytes = lane->lives->bytes[i] > 0 ? lane->lives->bytes[i] : 0;
        if (e->at_ps <= from_ps || e->at_ps > to_ps)
            continue;
        *(e->frees ? &out->freed : &out->allocated) += 1;
        xpd_grow_i64(e->frees ? &out->freed_bytes : &out->allocated_bytes, bytes);
        uint32_t made = e->frees ? lane->lives->partner[i] : XPD_NO_INDEX;
        out->freed_of_first += made != XPD_NO_INDEX && lane->of->event[made].at_ps <= from_ps;
    }
}

static int diff(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct asking a = {0};
    struct xpd_alloc_diff *out = XPD_NEW(ctx->arena, struct xpd_alloc_diff);
    struct xpd_alloc_between *between = XPD_NEW(ctx->arena, struct xpd_alloc_between);
    const struct xpd_tool *tool = &xpd_tool_trace_allocators_diff;
    *answer = out;
    if (out && between && xpd_run_traced_hosts(ctx->run) == 0) {
        out->between = between;
        return XPD_OK;
    }
    int rc = out && between ? start(&a, tool, ctx, err) : xpd_tools_no_memory(err);
    if (rc != XPD_OK)
        return rc;
    a.ask.two = true;
    a.ask.a_ps = xpd_param_int(ctx, tool, "a");
    a.ask.b_ps = xpd_param_int(ctx, tool, "b");
    rc = rows(&a, err);
    const struct xpd_alloc_held *at_a =
        rc == XPD_OK ? xpd_tools_alloc_held(&a.ask, a.ask.a_ps, err) : NULL;
    const struct xpd_alloc_held *at_b = at_a ? xpd_tools_alloc_held(&a.ask, a.ask.b_ps, err) : NULL;
    if (!at_b)
        return rc == XPD_OK ? xpd_table_status(NULL, err) : rc;
    for (uint32_t k = a.ask.first; k < a.ask.end; k++)
        add_between(between, &a, k);
    uint32_t lanes = a.ask.end - a.ask.first;
    *out = (struct xpd_alloc_diff){.base_ps = a.call.base_ps,
                                   .a_ps = a.ask.a_ps,
                                   .b_ps = a.ask.b_ps,
                                   .cut = a.lanes.cut,
                                   .only_a_bytes = sum_of(&a, "only_a"),
                                   .only_b_bytes = sum_of(&a, "only_b"),
                                   .both_bytes = sum_of(&a, "both"),
                                   .total = a.rows.count,
                                   .offset = a.offset,
                                   .left_out = a.rows.count - a.n,
                                   .rows = {a.rows.row + a.offset, a.n},
                                   .at_a = {at_a, lanes},
                                   .at_b = {at_b, lanes},
                                   .between = between};
    return XPD_OK;
}

/* ---- on a terminal ---- */

static void put_held(struct xpd_strbuf *out, const struct xpd_alloc_held *held, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct xpd_alloc_held *h = &held[i];
        char heap[48], listed[48], by[48];
        xpd_bytes_text_own(heap, h->heap_bytes);
        xpd_bytes_text_own(listed, h->listed_bytes);
        xpd_strbuf_printf(out, "%.*s: ", (int)h->title.size, h->title.data);
        if (h->in_use_bytes < 0) {
            xpd_strbuf_puts(out, "nothing is known before its first event\n");
            continue;
        }
        xpd_strbuf_printf(out, "listed %s", listed);
        if (h->before_bytes != XPD_UNKNOWN) {
            xpd_bytes_text_own(by, h->before_bytes);
            xpd_strbuf_printf(out, " + from before the capture %s", by);
        }
        if (h->without_address_bytes != 0) {
            xpd_bytes_text_own(by, h->without_address_bytes);
            xpd_strbuf_printf(out, " + without an address %s", by);
        }
        if (h->closes_by_bytes == XPD_UNKNOWN)
            xpd_strbuf_puts(out, "; the runtime reports no heap to compare with\n");
        else if (h->closes_by_bytes == 0)
            xpd_strbuf_printf(out, " = heap %s\n", heap);
        else
            xpd_strbuf_printf(out, "; heap %s: the rows differ by %" PRId64 " B\n", heap,
                              h->closes_by_bytes);
    }
}

static void put_more(struct xpd_strbuf *out, uint32_t left_out)
{
    if (left_out > 0)
        xpd_strbuf_printf(out, "%" PRIu32 " more rows\n", left_out);
}

static void live_text(struct xpd_strbuf *out, const void *answer)
{
    const struct xpd_alloc_live *a = answer;
    char time[XPD_TIME_TEXT_BYTES];
    if (a->held.n == 0)
        return; /* trace/allocators/steps says why */
    xpd_strbuf_printf(out, "Live at %s:\n", xpd_tools_alloc_time(time, a->at_ps));
    put_held(out, a->held.at, a->held.n);
    xpd_answer_table(out, xpd_record_table(xpd_alloc_live_record(), "rows"), a,
                     "size_bytes count what op shape program source? from_ps to_ps");
    put_more(out, a->left_out);
}

static void diff_text(struct xpd_strbuf *out, const void *answer)
{
    const struct xpd_alloc_diff *a = answer;
    if (a->at_a.n == 0)
        return;
    char x[XPD_TIME_TEXT_BYTES], y[XPD_TIME_TEXT_BYTES], only_a[48], only_b[48], both[48];
    xpd_bytes_text_own(only_a, a->only_a_bytes);
    xpd_bytes_text_own(only_b, a->only_b_bytes);
    xpd_bytes_text_own(both, a->both_bytes);
    xpd_strbuf_printf(out,
                      "A %s, B %s: live only at A %s, only at B %s, at both %s\n"
                      "between A and B %" PRId64 " allocated, %" PRId64 " freed, %" PRId64
                      " of those were live at the earlier instant\n",
                      xpd_tools_alloc_time(x, a->a_ps), xpd_tools_alloc_time(y, a->b_ps), only_a,
                      only_b, both, a->between->allocated, a->between->freed,
                      a->between->freed_of_first);
    xpd_answer_table(out, xpd_record_table(xpd_alloc_diff_record(), "rows"), a,
                     "state size_bytes count what op shape program source? from_ps to_ps");
    put_more(out, a->left_out);
}

#define ROW_PARAMS                                                                                 \
    XPD_PARAM_ALLOCATOR,                                                                           \
        {.name = "fold",                                                                           \
         .type = XPD_PARAM_INT,                                                                    \
         .max = 1,                                                                                 \
         .fallback = 1,                                                                            \
         .help = "1 (default): equal allocations (purpose, op, shape, requested size, program, "   \
                 "source) are one row; 0: one row each"},                                          \
        {.name = "sort",                                                                           \
         .type = XPD_PARAM_TEXT,                                                                   \
         .help = "a key of the rows; default: size_bytes"},                                        \
        {.name = "order",                                                                          \
         .type = XPD_PARAM_ENUM,                                                                   \
         .words = "desc asc",                                                                      \
         .help = "default: numbers from the largest, texts and times from the first"},             \
        {.name = "offset", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "first row"},         \
        XPD_PARAM_LIMIT(ROWS_USUAL, ROWS_MAX, "rows, 500 by default, 20,000 at most"),             \
        XPD_PARAM_FORMAT

static const struct xpd_param_spec live_params[] = {
    {.name = "at",
     .type = XPD_PARAM_INT,
     .min = INT64_MIN,
     .max = INT64_MAX,
     .help = "instant in ps from the base; default: that of the largest use"},
    ROW_PARAMS,
    {.name = NULL},
};
static const struct xpd_param_spec diff_params[] = {
    {.name = "a",
     .type = XPD_PARAM_INT,
     .required = true,
     .min = INT64_MIN,
     .max = INT64_MAX,
     .help = "instant in ps from the base"},
    {.name = "b",
     .type = XPD_PARAM_INT,
     .required = true,
     .min = INT64_MIN,
     .max = INT64_MAX,
     .help = "the other instant"},
    ROW_PARAMS,
    {.name = NULL},
};

static const char about[] =
    "An allocation ends at the next free of its address on its allocator. The listed allocations, "
    "those from before the capture and those without an address add up to the heap that the "
    "runtime reports at that instant; `closes_by_bytes` is the difference.";

const struct xpd_tool xpd_tool_trace_allocators_live = {
    .route = "/api/v1/trace/allocators/live",
    .title = "Memory of the runtime's allocators at an instant, and its purpose.",
    .needs = XPD_NEEDS_RUN,
    .params = live_params,
    .about = about,
    .answer = xpd_alloc_live_record,
    .make = live,
    .text = live_text,
    .file_name = "live_allocations.csv",
    XPD_IN_REPORT("", {150, XPD_EACH_ALLOCATOR, "allocator={#}&at={most_at_ps}&limit=2000",
                       "what each allocator held at its peak"}),
};
const struct xpd_tool xpd_tool_trace_allocators_diff = {
    .route = "/api/v1/trace/allocators/diff",
    .title = "Memory of the runtime's allocators at one instant, at another, or at both.",
    .needs = XPD_NEEDS_RUN,
    .params = diff_params,
    .about = about,
    .answer = xpd_alloc_diff_record,
    .make = diff,
    .text = diff_text,
    .file_name = "allocations_diff.csv",
};
