/* /api/v1/trace/gaps: when rows, or whole chips, did nothing, the longest first: what ran before
 * and after, and what other rows of the host did meanwhile. */
#include "trace_gaps.h"
#include "overlap_kept.h"

#define LIMIT_DEFAULT 100
#define LIMIT_MAX     10000
#define MEANWHILE     UINT64_C(20000000) /* events looked at for one answer */

/* Processes whose gaps are those of a chip: they have rows of operations. */
static int choose_chips(struct xpd_gaps_answer *answer, int64_t process, struct xpd_err *err)
{
    const struct xpd_view *view = &answer->call->view;
    const struct xpd_trace *trace = view->trace;
    uint32_t *at = XPD_NEW_ARRAY(answer->call->ctx->arena, uint32_t, trace->process_count);
    if (!at)
        return xpd_tools_no_memory(err);
    answer->ask.at = at;
    for (uint32_t p = 0; p < trace->process_count; p++)
        if (trace->process[p].kind != XPD_PROCESS_HOST && xpd_trace_computes(trace, p) &&
            (process < 0 || process == p) &&
            (xpd_view_row_of_kind(view, p, XPD_ROW_OPS) != XPD_NO_INDEX ||
             xpd_view_row_of_kind(view, p, XPD_ROW_STREAM) != XPD_NO_INDEX))
            at[answer->ask.at_count++] = p;
    return XPD_OK;
}

static int choose_rows(struct xpd_gaps_answer *answer, int64_t process, struct xpd_err *err)
{
    struct xpd_row_list rows;
    int rc = xpd_tools_trace_rows(answer->call, XPD_ROWS_WORK, &rows, err);
    if (rc != XPD_OK)
        return rc;
    for (uint32_t i = 0; i < rows.count; i++)
        if (process < 0 || xpd_view_process(&answer->call->view, rows.at[i]) == process)
            rows.at[answer->ask.at_count++] = rows.at[i];
    answer->ask.at = rows.at;
    return XPD_OK;
}

static int choose(struct xpd_gaps_answer *answer, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = answer->call->ctx;
    int64_t process = xpd_param_int(ctx, &xpd_tool_trace_gaps, "process");
    struct xpd_str by = xpd_param_text(ctx, "by");
    bool rows = xpd_str_eq(by, XPD_STR("row")) || (by.size == 0 && xpd_param_has(ctx, "rows"));
    if (process >= answer->call->view.trace->process_count)
        return xpd_fail(err, XPD_ENOTFOUND, "process", XPD_NO_OFFSET,
                        "there is no process %" PRId64 "; this trace has %" PRIu32, process,
                        answer->call->view.trace->process_count);
    int rc = rows ? XPD_OK : choose_chips(answer, process, err);
    if (rc == XPD_OK && by.size == 0 && answer->ask.at_count == 0)
        rows = true; /* no chips */
    if (rc == XPD_OK && rows)
        return choose_rows(answer, process, err);
    return rc == XPD_OK ? xpd_tools_trace_overlap(&answer->ask.table, answer->call, err) : rc;
}

static int find_meanwhile(struct xpd_gaps_answer *answer, struct xpd_err *err)
{
    struct xpd_meanwhile_budget budget = {MEANWHILE};
    struct xpd_arena *arena = answer->call->ctx->arena;
    uint32_t n = answer->gaps.count;
    int rc = XPD_OK;
    answer->meanwhile = XPD_NEW_ARRAY(arena, struct xpd_meanwhile, (size_t)n * XPD_MEANWHILE_MOST);
    answer->of_gap = XPD_NEW_ARRAY(arena, uint32_t, (size_t)n * XPD_MEANWHILE_MOST);
    if (!answer->meanwhile || !answer->of_gap)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0, count; i < n && rc == XPD_OK; i++) {
        struct xpd_meanwhile *at = &answer->meanwhile[answer->meanwhile_count];
        rc = xpd_gap_meanwhile(&answer->call->view, &answer->gaps.gap[i], at, &count, &budget, err);
        if (count == UINT32_MAX) {
            answer->unknown = n - i;
            break;
        }
        for (uint32_t k = 0; k < count; k++)
            answer->of_gap[answer->meanwhile_count++] = i;
    }
    return rc;
}

/* A range beside the trace has nothing in it, and is no gap: what was not recorded is not known. */
static void cut_to_trace(struct xpd_time_range *range, const struct xpd_view *view)
{
    struct xpd_time_range all = xpd_view_all(view);
    range->from_ps = range->from_ps < all.from_ps ? all.from_ps : range->from_ps;
    range->to_ps = range->to_ps > all.to_ps ? all.to_ps : range->to_ps;
    range->to_ps = range->to_ps < range->from_ps ? range->from_ps : range->to_ps;
}

/* ---- the answer ---- */

static void put_event(struct xpd_jsonw *w, uint64_t event)
{
    if (event == UINT64_MAX)
        xpd_json_null(w);
    else
        xpd_json_u64(w, event);
}

static void write_gaps(struct xpd_jsonw *w, const struct xpd_gaps_answer *answer)
{
    const struct xpd_gap *gap = answer->gaps.gap;
    uint32_t n = answer->gaps.count;
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "process", n, xpd_json_u64(w, gap[row].process));
    XPD_COLUMN(w, "row", n, xpd_tools_index(w, gap[row].row));
    XPD_COLUMN(w, "start", n, xpd_json_i64(w, xpd_tools_at(answer->call, gap[row].start_ps)));
    XPD_COLUMN(w, "duration", n, xpd_json_i64(w, gap[row].end_ps - gap[row].start_ps));
    XPD_COLUMN(w, "whole", n, xpd_tools_known(w, xpd_gaps_whole(answer, &gap[row])));
    XPD_COLUMN(w, "before", n, put_event(w, gap[row].before));
    XPD_COLUMN(w, "before_name", n, xpd_json_str(w, xpd_gaps_caption(answer, gap[row].before)));
    XPD_COLUMN(w, "after", n, put_event(w, gap[row].after));
    XPD_COLUMN(w, "after_name", n, xpd_json_str(w, xpd_gaps_caption(answer, gap[row].after)));
}

static void write_meanwhile(struct xpd_jsonw *w, const struct xpd_gaps_answer *answer)
{
    const struct xpd_view *view = &answer->call->view;
    const struct xpd_meanwhile *at = answer->meanwhile;
    uint32_t n = answer->meanwhile_count;
    xpd_json_key(w, "meanwhile");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    xpd_json_ku64(w, "unknown", answer->unknown);
    XPD_COLUMN(w, "gap", n, xpd_json_u64(w, answer->of_gap[row]));
    XPD_COLUMN(w, "row", n, xpd_json_u64(w, at[row].row));
    XPD_COLUMN(w, "event", n, xpd_json_u64(w, at[row].event));
    XPD_COLUMN(w, "name", n, xpd_json_str(w, xpd_view_caption(view, at[row].name)));
    XPD_COLUMN(w, "group", n,
               xpd_json_text(w, xpd_op_group_word(xpd_view_name(view, at[row].name)->group)));
    XPD_COLUMN(w, "self", n, xpd_json_i64(w, at[row].self_ps));
    xpd_json_obj_end(w);
}

static void write(struct xpd_jsonw *w, const struct xpd_gaps_answer *answer)
{
    const struct xpd_trace_call *call = answer->call;
    const struct xpd_gaps *gaps = &answer->gaps;
    xpd_json_obj(w);
    xpd_tools_base(w, call);
    xpd_json_ktext(w, "clock", "host");
    xpd_json_ki64(w, "from", xpd_tools_at(call, answer->ask.range.from_ps));
    xpd_json_ki64(w, "to", xpd_tools_at(call, answer->ask.range.to_ps));
    xpd_json_ktext(w, "host", xpd_tools_host_name(call));
    xpd_json_ktext(w, "by", answer->ask.table ? "chip" : "row");
    xpd_json_key(w, "of");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", gaps->of_count);
    XPD_COLUMN(w, "process", gaps->of_count, xpd_json_u64(w, gaps->of[row].process));
    XPD_COLUMN(w, "row", gaps->of_count, xpd_tools_index(w, gaps->of[row].row));
    XPD_COLUMN(w, "gaps", gaps->of_count, xpd_json_u64(w, gaps->of[row].count));
    XPD_COLUMN(w, "idle", gaps->of_count, xpd_json_i64(w, gaps->of[row].idle_ps));
    xpd_json_obj_end(w);
    xpd_json_ku64(w, "left_out", xpd_gaps_all(gaps) - gaps->count);
    write_gaps(w, answer);
    write_meanwhile(w, answer);
    xpd_json_obj_end(w);
}

/* ---- the tool ---- */

static int gaps(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_trace_call call;
    struct xpd_gaps_answer answer = {.call = &call, .ask = {.view = &call.view}};
    int rc = xpd_tools_trace(ctx, XPD_WANT_DERIVED, &call, err);
    answer.ask.most = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_gaps, "limit");
    if (rc == XPD_OK)
        rc = xpd_tools_trace_range(&call, &answer.ask.range, err);
    if (rc == XPD_OK)
        rc = choose(&answer, err);
    if (rc == XPD_OK) {
        cut_to_trace(&answer.ask.range, &call.view);
        rc = xpd_gaps_make(&answer.gaps, &answer.ask, err);
    }
    if (rc == XPD_OK)
        rc = find_meanwhile(&answer, err);
    if (rc == XPD_OK && xpd_tools_csv(ctx)) {
        xpd_gaps_write_csv(out, &answer);
    } else if (rc == XPD_OK && xpd_str_eq(xpd_param_text(ctx, "format"), XPD_STR("text"))) {
        xpd_gaps_write_text(out, &answer);
    } else if (rc == XPD_OK) {
        struct xpd_jsonw w;
        xpd_jsonw_init(&w, &out->body);
        write(&w, &answer);
    }
    xpd_gaps_fini(&answer.gaps);
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "by",
     .type = XPD_PARAM_ENUM,
     .words = "chip row",
     .help = "whose gaps; default chip, row with rows= and where there are no chips"},
    {.name = "process",
     .type = XPD_PARAM_INT,
     .min = -1,
     .max = UINT32_MAX,
     .fallback = -1,
     .help = "only this chip, or rows of this process"},
    XPD_TRACE_PARAM_ROWS,
    XPD_TRACE_PARAM_FROM,
    XPD_TRACE_PARAM_TO,
    XPD_PARAM_LIMIT(LIMIT_DEFAULT, LIMIT_MAX, "gaps, default 100"),
    {.name = "format",
     .type = XPD_PARAM_ENUM,
     .words = "json csv text",
     .help = "json, csv or text"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_gaps = {
    .route = "/api/v1/trace/gaps",
    .title = "When rows, or whole chips, did nothing, the longest gaps first.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .run = gaps,
};
