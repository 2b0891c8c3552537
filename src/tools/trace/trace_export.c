/* /api/v1/trace/export: events as Chrome trace JSON, made while it is sent.
 *
 * Rows become threads; depths follow each other, so that nothing has to be held or sorted (the
 * format needs no order). Events that stick out of the event above them, and rows of asynchronous
 * operations, are async pairs (b, e): as slices of one thread they would overlap. Arguments are
 * decoded from the file event by event. */
#include "trace_common.h"
#include "xprofd/export/chrome.h"

#define PIECE_BYTES 65536

enum stage { HEAD, EVENTS, FLOWS, DONE };

struct export
{
    struct xpd_store *store;
    const struct xpd_run *run; /* held */
    struct xpd_arena arena;    /* of the export */
    struct xpd_arena scratch;  /* of one event */
    struct xpd_param *param;   /* a copy: the query ends before the export */
    struct xpd_tool_ctx ctx;
    struct xpd_trace_call call;
    struct xpd_row_list rows;
    struct xpd_time_range range;
    bool args, *wanted; /* by row */
    struct xpd_chrome chrome;
    enum stage stage;
    uint32_t row, depth, index, end, above; /* where the events are: of rows.at, ... */
    bool in_depth;
    uint64_t point; /* of the flows */
    uint64_t arrow;
    struct xpd_event from; /* where the next end of this flow comes from */
    bool has_from;
};

static struct xpd_chrome_place place_of(const struct export *e, uint32_t row)
{
    return (struct xpd_chrome_place){.pid = xpd_view_process(&e->call.view, row) + 1,
                                     .tid = row + 1};
}

/* ---- head ---- */

/* Of several hosts where each stands: "host1 +1.500 ms by the profile's clock; ...". */
static void say_hosts(const struct export *e, struct xpd_strbuf *said)
{
    const struct xpd_trace *trace = e->call.view.trace;
    for (uint32_t i = 0; i < trace->part_count; i++) {
        xpd_strbuf_printf(said, "%s%s ", i > 0 ? "; " : "",
                          e->run->host[xpd_tools_part_host(e->run, i)].name);
        xpd_tools_put_placed(said, trace, i);
    }
}

static void write_head(struct export *e, struct xpd_strbuf *out)
{
    char base[24];
    struct xpd_strbuf said = {0};
    say_hosts(e, &said);
    const struct xpd_view *view = &e->call.view;
    snprintf(base, sizeof base, "%lld", (long long)view->trace->profile_start_ns);
    const struct xpd_str note[][2] = {
        {XPD_STR("source"), XPD_STR("xprofd")},
        {XPD_STR("run"), xpd_str_of(e->run->entry->id)},
        {XPD_STR("host"), xpd_str_of(xpd_tools_host_name(&e->call))},
        {XPD_STR("profile_start_ns"), xpd_str_of(base)},
        {XPD_STR("clock"), XPD_STR("host-aligned, from the start of the profile")},
        {said.size > 0 ? XPD_STR("hosts") : XPD_STR(""), {said.data, said.size}},
        {XPD_STR(""), XPD_STR("")},
    };
    uint32_t last = XPD_NO_INDEX;
    xpd_chrome_begin(&e->chrome, out, note);
    xpd_strbuf_fini(&said);
    for (uint32_t i = 0; i < e->rows.count; i++) {
        uint32_t row = e->rows.at[i], process = xpd_view_process(view, row);
        if (process != last && row < view->trace->row_count)
            xpd_chrome_process(&e->chrome, process + 1, xpd_tools_process_name(view, process),
                               process);
        last = process;
        xpd_chrome_thread(&e->chrome, place_of(e, row), xpd_view_row_caption(view, row), row);
    }
}

/* ---- events ---- */

static void write_stat(struct xpd_jsonw *w, const struct xpd_stat_value *stat)
{
    switch (stat->type) {
    case XPD_STAT_DOUBLE: xpd_json_double(w, stat->real); break;
    case XPD_STAT_UINT: xpd_json_u64(w, (uint64_t)stat->integer); break;
    case XPD_STAT_INT: xpd_json_i64(w, stat->integer); break;
    case XPD_STAT_TEXT: xpd_json_str(w, stat->text); break;
    case XPD_STAT_BYTES:
    case XPD_STAT_NONE: xpd_json_null(w); break;
    }
}

#define REPEATS_SEEN 64 /* stats of one event that are looked through for one of the same name */

/* What an event says overrides what its metadata says: a key stands only once. */
static bool said_again(const struct xpd_stat_value *stat, uint32_t count, uint32_t i)
{
    for (uint32_t k = i + 1; k < count && k <= i + REPEATS_SEEN; k++)
        if (xpd_str_eq(stat[k].name, stat[i].name))
            return true;
    return false;
}

static int write_args(struct export *e, struct xpd_jsonw *w, const struct xpd_event *event,
                      struct xpd_err *err)
{
    struct xpd_stat_value *stat;
    uint32_t count, of_metadata;
    struct xpd_str full =
        xpd_view_text(&e->call.view, event->name, xpd_view_name(&e->call.view, event->name)->name);
    if (!xpd_str_eq(full, xpd_view_caption(&e->call.view, event->name)))
        xpd_json_kstr(w, "long_name", full);
    if (!e->args || event->number >= e->call.view.trace->event_count)
        return XPD_OK;
    xpd_arena_reset(&e->scratch);
    struct xpd_err why = {0};
    int rc = xpd_trace_stats(e->call.view.trace, event->number, &e->scratch, &stat, &count,
                             &of_metadata, &why);
    if (rc == XPD_EFORMAT) { /* of this event only: the others go on */
        xpd_json_ktext(w, "damaged", why.text);
        return XPD_OK;
    }
    if (rc != XPD_OK && err)
        *err = why;
    for (uint32_t i = 0; rc == XPD_OK && i < count; i++) {
        if (stat[i].type == XPD_STAT_BYTES || stat[i].type == XPD_STAT_NONE ||
            said_again(stat, count, i))
            continue;
        char *name = xpd_arena_strndup(&e->scratch, stat[i].name.data, stat[i].name.size);
        if (!name)
            return xpd_tools_no_memory(err);
        xpd_json_key(w, name);
        write_stat(w, &stat[i]);
    }
    return rc;
}

/* Whether it lies inside the event of the depth above, so that one thread can show both. */
static bool nests(struct export *e, const struct xpd_event *event)
{
    if (event->depth == 0)
        return true;
    const struct xpd_depth *at = xpd_view_depth(&e->call.view, event->row, event->depth - 1);
    while (e->above + 1 < at->count && xpd_depth_start(at, e->above + 1) <= event->start_ps)
        e->above++;
    return e->above < at->count && xpd_depth_start(at, e->above) <= event->start_ps &&
           xpd_depth_end(at, e->above) >= event->start_ps + event->duration_ps;
}

static int write_event(struct export *e, const struct xpd_event *event, struct xpd_err *err)
{
    const struct xpd_view *view = &e->call.view;
    const struct xpd_trace_row *row = xpd_view_row(view, event->row);
    struct xpd_chrome_event out = {.phase = 'X',
                                   .place = place_of(e, event->row),
                                   .name = xpd_view_caption(view, event->name),
                                   .category = xpd_str_of(xpd_row_kind_word(row->kind)),
                                   .start_ps = event->start_ps,
                                   .duration_ps = event->duration_ps,
                                   .id = event->number};
    struct xpd_jsonw w;
    if (event->at->value) {
        out.phase = 'C';
        out.name = xpd_view_row_caption(view, event->row);
        xpd_chrome_event_begin(&e->chrome, &out, &w);
        xpd_json_kdouble(&w, "value", event->at->value[event->index]);
        xpd_chrome_event_end(&w);
        return XPD_OK;
    }
    if (row->kind == XPD_ROW_ASYNC_OPS || !nests(e, event))
        out.phase = 'b';
    xpd_chrome_event_begin(&e->chrome, &out, &w);
    int rc = write_args(e, &w, event, err);
    xpd_chrome_event_end(&w);
    if (out.phase == 'b') {
        out.phase = 'e';
        out.start_ps += event->duration_ps;
        xpd_chrome_event(&e->chrome, &out);
    }
    return rc;
}

/* The next depth that has events in the range; false when there is none. */
static bool next_depth(struct export *e)
{
    const struct xpd_view *view = &e->call.view;
    if (e->in_depth)
        e->depth++;
    for (; e->row < e->rows.count; e->row++, e->depth = 0)
        for (; e->depth < xpd_view_row(view, e->rows.at[e->row])->depth_count; e->depth++) {
            const struct xpd_depth *at = xpd_view_depth(view, e->rows.at[e->row], e->depth);
            xpd_view_range(view, at, e->range, &e->index, &e->end);
            e->above = 0;
            e->in_depth = true;
            if (e->index < e->end)
                return true;
        }
    return false;
}

static int write_events(struct export *e, struct xpd_strbuf *out, struct xpd_err *err)
{
    int rc = XPD_OK;
    while (rc == XPD_OK && out->size < PIECE_BYTES && !out->failed) {
        if (e->index >= e->end && !next_depth(e)) {
            e->stage = FLOWS;
            return XPD_OK;
        }
        struct xpd_event event =
            xpd_view_event_at(&e->call.view, e->rows.at[e->row], e->depth, e->index++);
        rc = write_event(e, &event, err);
    }
    return rc;
}

/* ---- flows: an arrow of its own for each end ---- */

static bool is_exported(const struct export *e, const struct xpd_event *event)
{
    return e->wanted[event->row] && event->start_ps <= e->range.to_ps &&
           event->start_ps + event->duration_ps >= e->range.from_ps;
}

static void write_arrow(struct export *e, const struct xpd_event *to, uint8_t category)
{
    const char *word = xpd_flow_category_word(category);
    struct xpd_chrome_event out = {.phase = 's',
                                   .place = place_of(e, e->from.row),
                                   .name = XPD_STR("flow"),
                                   .category = xpd_str_of(word[0] ? word : "flow"),
                                   .start_ps = e->from.start_ps,
                                   .id = ++e->arrow};
    xpd_chrome_event(&e->chrome, &out);
    out.phase = 'f';
    out.place = place_of(e, to->row);
    out.start_ps = to->start_ps > e->from.start_ps ? to->start_ps : e->from.start_ps;
    xpd_chrome_event(&e->chrome, &out);
}

static void write_flows(struct export *e, struct xpd_strbuf *out)
{
    const struct xpd_flows *flows = e->call.flows;
    for (; out->size < PIECE_BYTES && e->point < flows->point_count; e->point++) {
        const struct xpd_flow_point *point = &flows->point[e->point];
        struct xpd_event event;
        if (e->point == 0 || flows->point[e->point - 1].flow != point->flow)
            e->has_from = false;
        if (!xpd_view_event(&e->call.view, point->event, &event))
            continue;
        if ((point->ends & XPD_FLOW_IN) && e->has_from && event.number != e->from.number &&
            is_exported(e, &event) && is_exported(e, &e->from))
            write_arrow(e, &event, point->category);
        if (point->ends & XPD_FLOW_OUT) {
            e->from = event;
            e->has_from = true;
        }
    }
    if (e->point >= flows->point_count) {
        xpd_chrome_end(&e->chrome);
        e->stage = DONE;
    }
}

/* ---- the stream ---- */

static int next_piece(void *self, struct xpd_strbuf *out, struct xpd_err *err)
{
    struct export *e = self;
    int rc = XPD_OK;
    e->chrome.out = out;
    if (e->stage == HEAD) {
        write_head(e, out);
        e->stage = EVENTS;
    }
    if (e->stage == EVENTS)
        rc = write_events(e, out, err);
    if (rc == XPD_OK && e->stage == FLOWS)
        write_flows(e, out);
    return rc;
}

static void close_export(void *self)
{
    struct export *e = self;
    if (e->run)
        xpd_store_release(e->store, e->run);
    xpd_arena_fini(&e->arena);
    xpd_arena_fini(&e->scratch);
    free(e);
}

static int prepare(struct export *e, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    bool derived = xpd_param_int(ctx, &xpd_tool_trace_export, "derived") != 0;
    int rc = xpd_tool_ctx_keep(&e->ctx, ctx, &e->arena, err);
    e->run = ctx->run;
    xpd_store_hold(ctx->store, e->run);
    e->ctx.run = e->run;
    e->ctx.state = ctx->state; /* until the export begins */
    if (rc == XPD_OK)
        rc = xpd_tools_trace(&e->ctx, XPD_WANT_FLOWS | (derived ? XPD_WANT_DERIVED : 0), &e->call,
                             err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_rows(&e->call, XPD_ROWS_SHOWN, &e->rows, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_range(&e->call, &e->range, err);
    if (rc != XPD_OK)
        return rc;
    e->args = xpd_param_int(ctx, &xpd_tool_trace_export, "args") != 0;
    e->wanted = XPD_NEW_ARRAY(&e->arena, bool, xpd_view_rows(&e->call.view));
    if (!e->wanted)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < e->rows.count; i++)
        e->wanted[e->rows.at[i]] = true;
    return XPD_OK;
}

/* With derived=1 and no list of rows: the derived ones behind the measured ones. */
static int add_derived(struct export *e, struct xpd_err *err)
{
    uint32_t measured = e->call.view.trace->row_count, all = xpd_view_rows(&e->call.view);
    if (xpd_param_has(&e->ctx, "rows") || all == measured)
        return XPD_OK;
    uint32_t *at = XPD_NEW_ARRAY(&e->arena, uint32_t, all);
    if (!at)
        return xpd_tools_no_memory(err);
    memcpy(at, e->rows.at, e->rows.count * sizeof *at);
    e->rows.at = at;
    for (uint32_t row = measured; row < all; row++) {
        e->wanted[row] = true;
        at[e->rows.count++] = row;
    }
    return XPD_OK;
}

static int export_tool(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                       struct xpd_err *err)
{
    struct export *e = calloc(1, sizeof *e);
    if (!e)
        return xpd_tools_no_memory(err);
    e->store = ctx->store;
    int rc = prepare(e, ctx, err);
    if (rc == XPD_OK)
        rc = add_derived(e, err);
    if (rc != XPD_OK) {
        close_export(e);
        return rc;
    }
    e->ctx.state = NULL; /* the caller's */
    out->source = (struct xpd_body_source){.next = next_piece, .close = close_export, .self = e};
    out->file_name = "trace.json";
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    XPD_TRACE_PARAM_ROWS,
    XPD_TRACE_PARAM_FROM,
    XPD_TRACE_PARAM_TO,
    {.name = "derived", .type = XPD_PARAM_INT, .max = 1, .help = "1: includes the derived rows"},
    {.name = "args",
     .type = XPD_PARAM_INT,
     .max = 1,
     .fallback = 1,
     .help = "0: without the arguments of the events; default 1"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_export = {
    .route = "/api/v1/trace/export",
    .title = "Events as Chrome trace JSON, for Perfetto and chrome://tracing.",
    .needs = XPD_NEEDS_RUN,
    .streams = true,
    .content = "application/json",
    .about = "A download, made while it is sent (chunked; no ETag): `{\"displayTimeUnit\": \"ns\", "
             "\"otherData\", \"traceEvents\": [...]}`, one event a line. Rows are threads (`pid` "
             "process + 1, `tid` row + 1, both named and ordered), events `X` with `ts` and `dur` "
             "in microseconds with six decimals, which keeps every picosecond; from the start of "
             "the profile, not relative to `base_ps`. Events that overlap others of their row and "
             "asynchronous operations are pairs `b`, `e`; counters `C`; flows `s`, `f` with an id "
             "for each arrow. The connection breaks off when the file changes meanwhile.",
    .params = params,
    .run = export_tool,
};
