/* The trace of one host, or of all, and the parameters all trace tools know. In: a query. Out: a
 * view, rows, a range of time, an event; or what is wrong with the query. */
#include "trace_common.h"

#include "xprofd/base/checked.h"

/* ---- the trace ---- */

static int want_derived(struct xpd_trace_call *call, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = call->ctx;
    return xpd_store_derived(ctx->store, ctx->run, call->host, ctx->wait_ms, &call->view.derived,
                             ctx->state, err);
}

int xpd_tools_trace(const struct xpd_tool_ctx *ctx, unsigned want, struct xpd_trace_call *call,
                    struct xpd_err *err)
{
    *call = (struct xpd_trace_call){.ctx = ctx};
    int rc = xpd_tools_trace_host(ctx, &call->host, err);
    if (rc == XPD_OK)
        rc = xpd_store_trace(ctx->store, ctx->run, call->host, ctx->wait_ms, &call->view.trace,
                             ctx->state, err);
    if (rc == XPD_OK && (want & XPD_WANT_DERIVED))
        rc = want_derived(call, err);
    if (rc == XPD_OK && (want & XPD_WANT_FLOWS))
        rc = xpd_store_flows(ctx->store, ctx->run, call->host, ctx->wait_ms, &call->flows,
                             ctx->state, err);
    if (rc == XPD_OK)
        call->base_ps = call->view.trace->first_ps;
    return rc;
}

/* ---- rows ---- */

bool xpd_tools_row_hidden(const struct xpd_view *view, uint32_t row)
{
    const struct xpd_trace_row *at = xpd_view_row(view, row);
    return at->kind == XPD_ROW_INTERNAL ||
           view->trace->process[at->process].kind == XPD_PROCESS_OTHER;
}

static bool is_ops(const struct xpd_view *view, uint32_t row)
{
    uint32_t process = xpd_view_process(view, row);
    return view->trace->process[process].kind != XPD_PROCESS_HOST && xpd_view_executes(view, row);
}

static int default_rows(const struct xpd_trace_call *call, enum xpd_rows_default fallback,
                        struct xpd_row_list *rows, struct xpd_err *err)
{
    const struct xpd_view *view = &call->view;
    uint32_t count = view->trace->row_count;
    bool only_ops = false;
    for (uint32_t i = 0; fallback == XPD_ROWS_WORK && i < count; i++)
        only_ops = only_ops || is_ops(view, i);
    rows->at = XPD_NEW_ARRAY(call->ctx->arena, uint32_t, count);
    if (!rows->at)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < count; i++)
        if (only_ops
                ? is_ops(view, i)
                : !xpd_tools_row_hidden(view, i) &&
                      (fallback == XPD_ROWS_SHOWN || view->trace->row[i].kind != XPD_ROW_COUNTER))
            rows->at[rows->count++] = i;
    if (rows->count > 0)
        return XPD_OK;
    while (rows->count < count) { /* hidden rows are better than none */
        rows->at[rows->count] = rows->count;
        rows->count++;
    }
    return XPD_OK;
}

/* One "5" or "5-9" off the list. */
static bool take_range(struct xpd_str *text, uint32_t *from, uint32_t *to)
{
    if (!xpd_str_take_u32(text, from))
        return false;
    *to = *from;
    if (xpd_str_take_char(text, '-') && !xpd_str_take_u32(text, to))
        return false;
    return *from <= *to && *to < XPD_NO_INDEX;
}

static int wrong_rows(struct xpd_err *err)
{
    return xpd_fail(err, XPD_EINVAL, "rows", XPD_NO_OFFSET,
                    "rows is a list of row numbers and ranges, such as 1,2,5-9");
}

/* The highest number of the list, so that derived rows are made only for who asks for them. */
static int highest_row(struct xpd_str list, uint32_t *highest, struct xpd_err *err)
{
    uint32_t from, to;
    for (bool first = true; first || list.size > 0; first = false) {
        if ((!first && !xpd_str_take_char(&list, ',')) || !take_range(&list, &from, &to))
            return wrong_rows(err);
        *highest = to > *highest ? to : *highest;
    }
    return XPD_OK;
}

int xpd_tools_trace_rows(struct xpd_trace_call *call, enum xpd_rows_default fallback,
                         struct xpd_row_list *rows, struct xpd_err *err)
{
    struct xpd_str list = xpd_param_text(call->ctx, "rows");
    *rows = (struct xpd_row_list){0};
    if (list.size == 0)
        return default_rows(call, fallback, rows, err);
    uint32_t highest = 0, from, to;
    int rc = highest_row(list, &highest, err);
    if (rc == XPD_OK && highest >= call->view.trace->row_count && !call->view.derived)
        rc = want_derived(call, err);
    if (rc != XPD_OK)
        return rc;
    uint32_t count = xpd_view_rows(&call->view);
    if (highest >= count)
        return xpd_fail(err, XPD_ENOTFOUND, "rows", XPD_NO_OFFSET,
                        "there is no row %" PRIu32 "; this host has %" PRIu32 " rows", highest,
                        count);
    bool *wanted = XPD_NEW_ARRAY(call->ctx->arena, bool, count);
    rows->at = XPD_NEW_ARRAY(call->ctx->arena, uint32_t, count);
    if (!wanted || !rows->at)
        return xpd_tools_no_memory(err);
    while (take_range(&list, &from, &to)) {
        memset(wanted + from, true, (size_t)to - from + 1);
        xpd_str_take_char(&list, ',');
    }
    for (uint32_t i = 0; i < count; i++)
        if (wanted[i])
            rows->at[rows->count++] = i;
    return XPD_OK;
}

/* ---- times and events ---- */

int64_t xpd_tools_at(const struct xpd_trace_call *call, int64_t ps)
{
    bool overflow = false;
    if (call->base_ps == INT64_MIN)
        return ps;
    return xpd_add_i64(ps, -call->base_ps, &overflow);
}

/* A parameter relative to the base, as an absolute time. */
static bool absolute(const struct xpd_trace_call *call, const char *name, int64_t *ps)
{
    int64_t value;
    bool overflow = false;
    if (!xpd_str_to_i64(xpd_param_text(call->ctx, name), &value))
        return false;
    *ps = xpd_add_i64(value, call->base_ps, &overflow);
    return true;
}

int xpd_tools_trace_range(const struct xpd_trace_call *call, struct xpd_time_range *range,
                          struct xpd_err *err)
{
    *range = xpd_view_all(&call->view);
    absolute(call, "from", &range->from_ps);
    absolute(call, "to", &range->to_ps);
    if (range->from_ps <= range->to_ps)
        return XPD_OK;
    struct xpd_time_range all = xpd_view_all(&call->view);
    if (range->to_ps == all.to_ps)
        return xpd_fail(err, XPD_EINVAL, "from", XPD_NO_OFFSET,
                        "the trace ends before that: from is %" PRId64 ", the end %" PRId64
                        " ps from the base",
                        xpd_tools_at(call, range->from_ps), xpd_tools_at(call, range->to_ps));
    if (range->from_ps == all.from_ps)
        return xpd_fail(err, XPD_EINVAL, "to", XPD_NO_OFFSET,
                        "the trace begins after that: to is %" PRId64 ", the start %" PRId64
                        " ps from the base",
                        xpd_tools_at(call, range->to_ps), xpd_tools_at(call, range->from_ps));
    return xpd_fail(err, XPD_EINVAL, "from", XPD_NO_OFFSET,
                    "the range ends before it begins: from is %" PRId64 ", to %" PRId64
                    " ps from the base",
                    xpd_tools_at(call, range->from_ps), xpd_tools_at(call, range->to_ps));
}

int64_t xpd_tools_trace_columns(const struct xpd_trace_call *call, struct xpd_time_range *range,
                                uint32_t px)
{
    struct xpd_time_range all = xpd_view_all(&call->view);
    range->from_ps = range->from_ps < all.from_ps ? all.from_ps : range->from_ps;
    range->to_ps = range->to_ps > all.to_ps ? all.to_ps : range->to_ps;
    if (range->to_ps <= range->from_ps) /* beside the trace: nothing is there */
        range->to_ps = range->from_ps + 1;
    return (range->to_ps - range->from_ps) / px + 1;
}

int xpd_tools_trace_event(struct xpd_trace_call *call, struct xpd_event *event, struct xpd_err *err)
{
    uint64_t number;
    int rc = XPD_OK;
    if (!xpd_str_to_u64(xpd_param_text(call->ctx, "event"), &number))
        return xpd_fail(err, XPD_EINVAL, "event", XPD_NO_OFFSET, "event= is missing");
    if (number >= call->view.trace->event_count && !call->view.derived)
        rc = want_derived(call, err);
    if (rc != XPD_OK || xpd_view_event(&call->view, number, event))
        return rc;
    return xpd_fail(err, XPD_ENOTFOUND, "event", XPD_NO_OFFSET,
                    "there is no event %" PRIu64 "; this host has %" PRIu64 " events", number,
                    xpd_view_events(&call->view));
}

enum xpd_clock xpd_tools_clock(const struct xpd_tool_ctx *ctx)
{
    return xpd_str_eq(xpd_param_text(ctx, "clock"), XPD_STR("host")) ? XPD_CLOCK_HOST
                                                                     : XPD_CLOCK_DEVICE;
}

/* ---- writing ---- */

XPD_RECORD_TABLE(xpd_event_at, XPD_EVENT_AT_FIELDS)

struct xpd_event_at xpd_tools_event_at(const struct xpd_trace_call *call,
                                       const struct xpd_event *event)
{
    return (struct xpd_event_at){(int64_t)event->number, event->row,
                                 event->depth,           xpd_tools_at(call, event->start_ps),
                                 event->duration_ps,     xpd_view_caption_of(&call->view, event)};
}

void xpd_tools_base(struct xpd_jsonw *w, const struct xpd_trace_call *call)
{
    xpd_json_key(w, "base_ps");
    xpd_json_i64_string(w, call->base_ps);
}

const char *xpd_tools_process_word(enum xpd_process_kind kind)
{
    switch (kind) {
    case XPD_PROCESS_TPU: return "tpu";
    case XPD_PROCESS_SPARSE_CORE: return "sparse_core";
    case XPD_PROCESS_GPU: return "gpu";
    case XPD_PROCESS_CUSTOM: return "custom";
    case XPD_PROCESS_HOST: return "host";
    case XPD_PROCESS_OTHER: break;
    }
    return "other";
}
