/* /api/v1/trace/allocators/events: what the allocators reported, one row an event. */
#include "alloc_lanes.h"

#include "xprofd/base/checked.h"
#include "xprofd/match/match.h"

#define ROWS_USUAL 500
#define ROWS_MAX   20000

#define XPD_ALLOC_EVENT_FIELDS(FIELD)                                                              \
    FIELD(SIGNED, at_ps, "when")                                                                   \
    FIELD(INDEX, allocator, "index in the tracks of trace/allocators")                             \
    FIELD(WORD("alloc free"), kind, "")                                                            \
    FIELD(MAYBE(INT), size_bytes, "allocated or freed; null: unknown")                             \
    FIELD(MAYBE(INT), requested_bytes, "requested size; for a free, that of its allocation")       \
    FIELD(NAME, what, "purpose, as in trace/allocators/live; a free has that of its allocation")   \
    FIELD(NAME, op, "as the runtime reports; \"\" not recorded")                                   \
    FIELD(NAME, shape, "likewise")                                                                 \
    FIELD(NAME, data_type, "likewise")                                                             \
    FIELD(NAME, region, "likewise")                                                                \
    FIELD(NAME, program, "program that requested it; \"\" not recorded")                           \
    FIELD(NAME, source, "as in trace/allocators/live; a free has that of its allocation")          \
    FIELD(TEXT, address, "hexadecimal; \"\" not said")                                             \
    FIELD(MAYBE(SIGNED), life_ps, "from its allocation to its free; null: one is not recorded")    \
    FIELD(INT, in_use_bytes, "reserved + allocated after it")                                      \
    FIELD(MAYBE(INT), row, "its thread, of trace/rows")                                            \
    FIELD(MAYBE(INT), event, "its number in the trace")
XPD_RECORD(xpd_alloc_event, XPD_ALLOC_EVENT_FIELDS)

#define XPD_ALLOC_EVENTS_FIELDS(FIELD)                                                             \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(INT, all, "events of these allocators, in the window or not")                            \
    FIELD(COUNT, total, "events in the window that match")                                         \
    FIELD(INT, allocated, "of these")                                                              \
    FIELD(INT, allocated_bytes, "their bytes")                                                     \
    FIELD(INT, freed, "of these")                                                                  \
    FIELD(INT, freed_bytes, "their bytes")                                                         \
    FIELD(MAYBE(INT), most_bytes, "in use after one of them")                                      \
    FIELD(COUNT, offset, "of the first row listed")                                                \
    FIELD(COUNT, left_out, "events that are not listed")                                           \
    FIELD(MAYBE(STRING), filter_note, "what is wrong with the filter, or what was not checked")    \
    FIELD(INLINE(xpd_alloc_event), rows, "by time")
XPD_RECORD(xpd_alloc_events, XPD_ALLOC_EVENTS_FIELDS)

struct found { /* one event; its key to sort by */
    int64_t key_number;
    struct xpd_str key_text;
    uint32_t lane, event;
};
struct asking {
    const struct xpd_tool_ctx *ctx;
    struct xpd_trace_call call;
    struct xpd_alloc_lanes lanes;
    const struct xpd_alloc_purpose **purpose; /* by lane */
    struct xpd_match match;
    bool filters;
    struct found *found;
    uint32_t first, end, count;
    struct xpd_alloc_events out;
};

/* ---- one event ---- */

/* What is told of it: a free has it from its allocation. */
static uint32_t allocation_of(const struct xpd_alloc_lane *lane, uint32_t event)
{
    bool frees = lane->of->event[event].frees;
    uint32_t made = frees ? lane->lives->partner[event] : XPD_NO_INDEX;
    return made == XPD_NO_INDEX ? event : made;
}

static int64_t life_of(const struct xpd_alloc_lane *lane, uint32_t event)
{
    uint32_t other = lane->lives->partner[event];
    if (other == XPD_NO_INDEX)
        return XPD_UNKNOWN;
    uint32_t first = other < event ? other : event, last = other < event ? event : other;
    uint64_t ps = (uint64_t)lane->of->event[last].at_ps - (uint64_t)lane->of->event[first].at_ps;
    return ps > INT64_MAX ? INT64_MAX : (int64_t)ps;
}

static struct xpd_alloc_event row_of(const struct asking *a, const struct found *f)
{
    const struct xpd_alloc_lane *lane = &a->lanes.at[f->lane];
    const struct xpd_allocation *e = &lane->of->event[f->event];
    const struct xpd_allocation *from = &lane->of->event[allocation_of(lane, f->event)];
    const struct xpd_alloc_purpose *purpose = &a->purpose[f->lane][f->event];
    const struct xpd_alloc_purpose *made = &a->purpose[f->lane][allocation_of(lane, f->event)];
    struct xpd_arena *arena = a->ctx->arena;
    return (struct xpd_alloc_event){
        .at_ps = xpd_tools_alloc_at(&a->call, lane, e->at_ps),
        .allocator = f->lane,
        .kind = e->frees ? "free" : "alloc",
        .size_bytes = lane->lives->bytes[f->event],
        .requested_bytes = from->requested_bytes,
        .what = xpd_tools_alloc_what(lane, made, from),
        .op = xpd_tools_alloc_text(lane, from->op),
        .shape = xpd_tools_alloc_text(lane, from->shape),
        .data_type =
            from->data_type > 0 ? xpd_allocation_type(from->data_type, arena) : XPD_STR(""),
        .region = xpd_tools_alloc_text(lane, from->region),
        .program = made->program,
        .source = made->source,
        .address = xpd_tools_alloc_address(e, arena),
        .life_ps = life_of(lane, f->event),
        .in_use_bytes = xpd_allocation_in_use(e),
        .row = purpose->row == XPD_NO_INDEX ? -1 : (int64_t)purpose->row + lane->first_row,
        .event = purpose->event == UINT64_MAX ? -1 : (int64_t)(purpose->event + lane->first_event),
    };
}

/* ---- which ---- */

static bool matches(struct asking *a, const struct found *f)
{
    if (!a->filters)
        return true;
    const struct xpd_alloc_lane *lane = &a->lanes.at[f->lane];
    uint32_t from = allocation_of(lane, f->event);
    const struct xpd_allocation *e = &lane->of->event[from];
    const struct xpd_alloc_purpose *purpose = &a->purpose[f->lane][from];
    const struct xpd_str text[] = {xpd_tools_alloc_what(lane, purpose, e),
                                   xpd_tools_alloc_text(lane, e->op),
                                   xpd_tools_alloc_text(lane, e->shape),
                                   xpd_tools_alloc_text(lane, e->region),
                                   purpose->program,
                                   purpose->source,
                                   lane->title,
                                   xpd_tools_alloc_address(e, a->ctx->arena)};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (text[i].size > 0 && xpd_match_test(&a->match, text[i]) != XPD_MATCH_NONE)
            return true;
    return false;
}

static void count_in(struct asking *a, const struct found *f)
{
    const struct xpd_alloc_lane *lane = &a->lanes.at[f->lane];
    const struct xpd_allocation *e = &lane->of->event[f->event];
    int64_t bytes = lane->lives->bytes[f->event] > 0 ? lane->lives->bytes[f->event] : 0;
    int64_t in_use = xpd_allocation_in_use(e);
    *(e->frees ? &a->out.freed : &a->out.allocated) += 1;
    xpd_grow_i64(e->frees ? &a->out.freed_bytes : &a->out.allocated_bytes, bytes);
    a->out.most_bytes = in_use > a->out.most_bytes ? in_use : a->out.most_bytes;
}

static int collect(struct asking *a, const struct xpd_time_range *range, struct xpd_err *err)
{
    for (uint32_t k = a->first; k < a->end; k++)
        a->out.all += a->lanes.at[k].of->count;
    a->found = XPD_NEW_ROOM(a->ctx->arena, struct found, (size_t)a->out.all);
    a->purpose = XPD_NEW_ARRAY(a->ctx->arena, const struct xpd_alloc_purpose *, a->lanes.count);
    if (!a->found || !a->purpose)
        return xpd_tools_no_memory(err);
    for (uint32_t k = a->first; k < a->end; k++) {
        const struct xpd_alloc_lane *lane = &a->lanes.at[k];
        a->purpose[k] = xpd_tools_alloc_purposes(&a->call, lane, err);
        if (!a->purpose[k])
            return xpd_table_status(NULL, err);
        for (uint32_t i = 0; i < lane->of->count; i++) {
            int64_t at_ps = xpd_tools_alloc_at(&a->call, lane, lane->of->event[i].at_ps);
            struct found f = {.lane = k, .event = i, .key_number = at_ps};
            if (at_ps < range->from_ps || at_ps > range->to_ps || !matches(a, &f))
                continue;
            count_in(a, &f);
            a->found[a->count++] = f;
        }
    }
    return XPD_OK;
}

/* ---- order ---- */

enum key {
    AT,
    SIZE,
    LIFE,
    IN_USE,
    REQUESTED,
    ALLOCATOR,
    KIND,
    WHAT,
    OP,
    SHAPE,
    PROGRAM,
    SOURCE,
    ADDRESS
};
#define SORT_WORDS                                                                                 \
    "at_ps size_bytes life_ps in_use_bytes requested_bytes allocator kind what op shape program "  \
    "source address"

static void set_key(const struct asking *a, struct found *f, int key)
{
    const struct xpd_alloc_lane *lane = &a->lanes.at[f->lane];
    const struct xpd_allocation *e = &lane->of->event[f->event];
    uint32_t from = allocation_of(lane, f->event);
    const struct xpd_alloc_purpose *made = &a->purpose[f->lane][from];
    switch (key) {
    case SIZE: f->key_number = lane->lives->bytes[f->event]; break;
    case LIFE: f->key_number = life_of(lane, f->event); break;
    case IN_USE: f->key_number = xpd_allocation_in_use(e); break;
    case REQUESTED: f->key_number = lane->of->event[from].requested_bytes; break;
    case ALLOCATOR: f->key_number = f->lane; break;
    case KIND: f->key_number = e->frees; break;
    case WHAT: f->key_text = xpd_tools_alloc_what(lane, made, &lane->of->event[from]); break;
    case OP: f->key_text = xpd_tools_alloc_text(lane, lane->of->event[from].op); break;
    case SHAPE: f->key_text = xpd_tools_alloc_text(lane, lane->of->event[from].shape); break;
    case PROGRAM: f->key_text = made->program; break;
    case SOURCE: f->key_text = made->source; break;
    case ADDRESS: f->key_number = (int64_t)e->address; break;
    default: break;
    }
}

struct ordering {
    const struct asking *asking;
    int sign;
    bool text;
};

static int by_order(const void *x, const void *y, void *context)
{
    const struct ordering *o = context;
    const struct found *a = x, *b = y;
    int order = o->text ? xpd_str_order(a->key_text, b->key_text)
                        : (a->key_number > b->key_number) - (a->key_number < b->key_number);
    if (order != 0)
        return order * o->sign;
    const struct xpd_alloc_lane *x_lane = &o->asking->lanes.at[a->lane];
    const struct xpd_alloc_lane *y_lane = &o->asking->lanes.at[b->lane];
    int64_t p = xpd_tools_alloc_at(&o->asking->call, x_lane, x_lane->of->event[a->event].at_ps);
    int64_t q = xpd_tools_alloc_at(&o->asking->call, y_lane, y_lane->of->event[b->event].at_ps);
    if (p != q)
        return p < q ? -1 : 1;
    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    return (a->event > b->event) - (a->event < b->event);
}

static void sort(struct asking *a)
{
    int key = xpd_param_word(a->ctx, &xpd_tool_trace_allocators_events, "sort");
    int order = xpd_param_word(a->ctx, &xpd_tool_trace_allocators_events, "order");
    key = key < 0 ? AT : key;
    bool text = key >= WHAT && key != ADDRESS;
    bool ascends = order >= 0 ? order == 1 : text || key == AT || key >= ALLOCATOR;
    struct ordering by = {a, ascends ? 1 : -1, text};
    for (uint32_t i = 0; i < a->count; i++)
        set_key(a, &a->found[i], key);
    if (a->count > 1)
        qsort_r(a->found, a->count, sizeof *a->found, by_order, &by);
}

/* ---- the answer ---- */

static int list(struct asking *a, struct xpd_err *err)
{
    const struct xpd_tool *tool = &xpd_tool_trace_allocators_events;
    uint32_t offset = (uint32_t)xpd_param_int(a->ctx, tool, "offset");
    uint32_t limit = (uint32_t)xpd_param_int(a->ctx, tool, "limit");
    offset = offset < a->count ? offset : a->count;
    uint32_t n = a->count - offset < limit ? a->count - offset : limit;
    struct xpd_alloc_event *row = XPD_NEW_ARRAY(a->ctx->arena, struct xpd_alloc_event, n);
    if (!row)
        return xpd_tools_no_memory(err);
    sort(a);
    for (uint32_t i = 0; i < n; i++)
        row[i] = row_of(a, &a->found[offset + i]);
    a->out.total = a->count;
    a->out.offset = offset;
    a->out.left_out = a->count - n;
    a->out.rows.at = row;
    a->out.rows.n = n;
    return XPD_OK;
}

static int make(struct asking *a, struct xpd_err *err)
{
    const struct xpd_tool *tool = &xpd_tool_trace_allocators_events;
    struct xpd_time_range range = {
        xpd_param_has(a->ctx, "from") ? xpd_param_int(a->ctx, tool, "from") : INT64_MIN,
        xpd_param_has(a->ctx, "to") ? xpd_param_int(a->ctx, tool, "to") : INT64_MAX};
    char note[XPD_MATCH_NOTE_MAX];
    a->filters = xpd_param_text(a->ctx, "filter").size > 0;
    xpd_match_init(&a->match, xpd_param_text(a->ctx, "filter"));
    int rc = collect(a, &range, err);
    if (rc == XPD_OK)
        rc = list(a, err);
    const char *said = xpd_match_note(&a->match, note);
    if (said[0])
        a->out.filter_note = xpd_arena_strndup(a->ctx->arena, said, strlen(said));
    xpd_match_fini(&a->match);
    return rc;
}

static int events(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct asking *a = XPD_NEW(ctx->arena, struct asking);
    if (!a)
        return xpd_tools_no_memory(err);
    a->ctx = ctx;
    a->out.most_bytes = -1;
    *answer = &a->out;
    int rc = xpd_tools_trace(ctx, 0, &a->call, err);
    a->out.base_ps = a->call.base_ps;
    if (rc == XPD_OK)
        rc = xpd_tools_alloc_lanes(&a->lanes, &a->call, err);
    if (rc == XPD_OK)
        rc = xpd_tools_alloc_choice(&a->lanes, ctx, &a->first, &a->end, err);
    return rc == XPD_OK ? make(a, err) : rc;
}

static const struct xpd_param_spec params[] = {
    XPD_PARAM_ALLOCATOR,
    XPD_TRACE_PARAM_FROM,
    XPD_TRACE_PARAM_TO,
    {.name = "filter",
     .type = XPD_PARAM_TEXT,
     .max = XPD_MATCH_PATTERN_MAX,
     .help = "text or /expression/ in purpose, op, shape, region, program, allocator or address"},
    {.name = "sort",
     .type = XPD_PARAM_ENUM,
     .words = SORT_WORDS,
     .help = "a key of the rows; default: at_ps"},
    {.name = "order",
     .type = XPD_PARAM_ENUM,
     .words = "desc asc",
     .help = "default: sizes and lifetimes from the largest, others from the smallest"},
    {.name = "offset", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "first event"},
    XPD_PARAM_LIMIT(ROWS_USUAL, ROWS_MAX, "events, 500 by default, 20,000 at most"),
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_allocators_events = {
    .route = "/api/v1/trace/allocators/events",
    .title = "Allocations and frees as the runtime's allocators reported them, one row each.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_alloc_events_record,
    .make = events,
    .file_name = "allocations.csv",
    XPD_IN_REPORT("", {285, XPD_EACH_HOST, "limit=2000", "the allocators of the trace"}),
};
