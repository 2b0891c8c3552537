/* /api/v1/trace/gaps: when rows, or whole chips, did nothing, the longest first: what ran before
 * and after, and what other rows of the host did meanwhile. */
#include "overlap_kept.h"
#include "trace_totals.h"
#include "xprofd/trace/gaps.h"

#define LIMIT_DEFAULT 100
#define LIMIT_MAX     10000
#define MEANWHILE     UINT64_C(20000000) /* events looked at for one answer */

#define XPD_GAPS_OF_FIELDS(FIELD)                                                                  \
    FIELD(COUNT, process, "of trace/rows")                                                         \
    FIELD(MAYBE(INDEX), row, "null: the chip")                                                     \
    FIELD(INT, gaps, "number of gaps, listed or not")                                              \
    FIELD(INT, idle_ps,                                                                            \
          "sum of all gaps: for a row the window minus `busy`, for a chip its `idle_ps` in "       \
          "trace/overlap")
XPD_RECORD(xpd_gaps_of_row, XPD_GAPS_OF_FIELDS)

#define XPD_GAPS_ROW_FIELDS(FIELD)                                                                 \
    FIELD(COUNT, process, "of trace/rows")                                                         \
    FIELD(TEXT, process_name, "")                                                                  \
    FIELD(MAYBE(INDEX), row, "null: the chip")                                                     \
    FIELD(TEXT, row_name, "\"\": the chip")                                                        \
    FIELD(SIGNED, start_ps, "in the window")                                                       \
    FIELD(INT, duration_ps, "in the window")                                                       \
    FIELD(MAYBE(INT), whole_ps,                                                                    \
          "from the end of `before` to the start of `after`; null where the trace begins or ends") \
    FIELD(MAYBE(INT), before,                                                                      \
          "event on the row, or of the chip, before the gap, also outside of "                     \
          "the window; null: none")                                                                \
    FIELD(TEXT, before_name, "\"\": none")                                                         \
    FIELD(MAYBE(INT), after, "event after the gap")                                                \
    FIELD(TEXT, after_name, "\"\": none")                                                          \
    FIELD(TEXT, meanwhile_name, "the largest of `meanwhile`; \"\": none")                          \
    FIELD(MAYBE(INT), meanwhile_self_ps, "its self time inside of the gap")
XPD_RECORD(xpd_gaps_row, XPD_GAPS_ROW_FIELDS)

#define XPD_GAPS_MEANWHILE_FIELDS(FIELD)                                                           \
    FIELD(COUNT, gap, "index of the gap")                                                          \
    FIELD(COUNT, row,                                                                              \
          "another row of the host: a thread, or operations of another device; a chip's own "      \
          "waits do not count")                                                                    \
    FIELD(TEXT, process_name, "of that row")                                                       \
    FIELD(TEXT, row_name, "")                                                                      \
    FIELD(INT, event, "the longest")                                                               \
    FIELD(TEXT, name, "of the event")                                                              \
    FIELD(STRING, group, "its group")                                                              \
    FIELD(INT, self_ps, "inside of the gap")
XPD_RECORD(xpd_gaps_meanwhile_row, XPD_GAPS_MEANWHILE_FIELDS)

#define XPD_GAPS_MEANWHILES_FIELDS(FIELD)                                                          \
    FIELD(COUNT, unknown,                                                                          \
          "gaps at the end of the list that were not examined; one answer reads at most "          \
          "20,000,000 events for them")                                                            \
    FIELD(INLINE(xpd_gaps_meanwhile_row), rows, "")
XPD_RECORD(xpd_gaps_meanwhile, XPD_GAPS_MEANWHILES_FIELDS)

#define XPD_GAPS_ANSWER_FIELDS(FIELD)                                                              \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(WORD("host"), clock, "of all times")                                                     \
    FIELD(SIGNED, from_ps, "start of the part of the trace in the window")                         \
    FIELD(SIGNED, to_ps, "its end")                                                                \
    FIELD(STRING, host, "host of the trace")                                                       \
    FIELD(WORD("chip row"), by, "whose gaps these are")                                            \
    FIELD(INLINE(xpd_gaps_row), gaps, "the longest first")                                         \
    FIELD(COLUMNS(xpd_gaps_of_row), of, "the requested parameter `of`")                            \
    FIELD(INT, left_out, "gaps beyond the limit")                                                  \
    FIELD(OBJECT(xpd_gaps_meanwhile), meanwhile,                                                   \
          "the largest three names on other rows of the host by self time inside of each gap")
XPD_RECORD(xpd_gaps_answer, XPD_GAPS_ANSWER_FIELDS)

struct asked {
    struct xpd_trace_call *call;
    struct xpd_gaps_ask ask;
    struct xpd_gaps gaps;
    struct xpd_meanwhile *meanwhile; /* by gap */
    uint32_t *of_gap;                /* the gap of each */
    uint32_t meanwhile_count;
    uint32_t unknown; /* gaps, the last ones, whose meanwhile was not looked up */
};

/* Processes whose gaps are those of a chip: they have rows of operations. */
static int choose_chips(struct asked *answer, int64_t process, struct xpd_err *err)
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

static int choose_rows(struct asked *answer, int64_t process, struct xpd_err *err)
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

static int choose(struct asked *answer, struct xpd_err *err)
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

static int find_meanwhile(struct asked *answer, struct xpd_err *err)
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

/* A range beside the trace has nothing in it, and is not a gap: what was not recorded is not known.
 */
static void cut_to_trace(struct xpd_time_range *range, const struct xpd_view *view)
{
    struct xpd_time_range all = xpd_view_all(view);
    range->from_ps = range->from_ps < all.from_ps ? all.from_ps : range->from_ps;
    range->to_ps = range->to_ps > all.to_ps ? all.to_ps : range->to_ps;
    range->to_ps = range->to_ps < range->from_ps ? range->from_ps : range->to_ps;
}

/* ---- the answer ---- */

/* From the end of the event before to the start of that after, -1 = the trace begins or ends. */
static int64_t whole_ps(const struct xpd_view *view, const struct xpd_gap *gap)
{
    struct xpd_event before, after;
    if (!xpd_view_event(view, gap->before, &before) || !xpd_view_event(view, gap->after, &after))
        return -1;
    return after.start_ps - before.start_ps - before.duration_ps;
}

/* "" for none. */
static struct xpd_str caption_of(const struct xpd_view *view, uint64_t number)
{
    struct xpd_event event;
    return xpd_view_event(view, number, &event) ? xpd_view_caption_of(view, &event) : XPD_STR("");
}

static int64_t event_of(uint64_t number)
{
    return number == UINT64_MAX ? -1 : (int64_t)number;
}

static struct xpd_gaps_row row_of(const struct xpd_trace_call *call, const struct xpd_gap *gap)
{
    const struct xpd_view *view = &call->view;
    bool chip = gap->row == XPD_NO_INDEX;
    return (struct xpd_gaps_row){
        .process = gap->process,
        .process_name = xpd_tools_process_name(view, gap->process),
        .row = gap->row,
        .row_name = chip ? XPD_STR("") : xpd_view_row_caption(view, gap->row),
        .start_ps = xpd_tools_at(call, gap->start_ps),
        .duration_ps = gap->end_ps - gap->start_ps,
        .whole_ps = whole_ps(view, gap),
        .before = event_of(gap->before),
        .before_name = caption_of(view, gap->before),
        .after = event_of(gap->after),
        .after_name = caption_of(view, gap->after),
        .meanwhile_name = XPD_STR(""),
        .meanwhile_self_ps = -1,
    };
}

static int fill_meanwhile(struct xpd_gaps_answer *out, const struct asked *asked,
                          struct xpd_gaps_row *row, struct xpd_err *err)
{
    const struct xpd_view *view = &asked->call->view;
    struct xpd_arena *arena = asked->call->ctx->arena;
    uint32_t n = asked->meanwhile_count;
    struct xpd_gaps_meanwhile *all = XPD_NEW(arena, struct xpd_gaps_meanwhile);
    struct xpd_gaps_meanwhile_row *at = XPD_NEW_ARRAY(arena, struct xpd_gaps_meanwhile_row, n);
    if (!all || !at)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        const struct xpd_meanwhile *of = &asked->meanwhile[i];
        uint32_t gap = asked->of_gap[i];
        at[i] = (struct xpd_gaps_meanwhile_row){
            .gap = gap,
            .row = of->row,
            .process_name = xpd_tools_process_name(view, xpd_view_process(view, of->row)),
            .row_name = xpd_view_row_caption(view, of->row),
            .event = (int64_t)of->event,
            .name = xpd_view_caption(view, of->name),
            .group = xpd_op_group_word(xpd_view_name(view, of->name)->group),
            .self_ps = of->self_ps};
        if (row[gap].meanwhile_self_ps < 0) { /* the largest comes first */
            row[gap].meanwhile_name = at[i].name;
            row[gap].meanwhile_self_ps = of->self_ps;
        }
    }
    *all = (struct xpd_gaps_meanwhile){.unknown = asked->unknown, .rows = {at, n}};
    out->meanwhile = all;
    return XPD_OK;
}

static int fill(struct xpd_gaps_answer *out, const struct asked *asked, struct xpd_err *err)
{
    const struct xpd_trace_call *call = asked->call;
    const struct xpd_gaps *gaps = &asked->gaps;
    struct xpd_gaps_of_row *of =
        XPD_NEW_ARRAY(call->ctx->arena, struct xpd_gaps_of_row, gaps->of_count);
    struct xpd_gaps_row *row = XPD_NEW_ARRAY(call->ctx->arena, struct xpd_gaps_row, gaps->count);
    if (!of || !row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < gaps->of_count; i++)
        of[i] = (struct xpd_gaps_of_row){gaps->of[i].process, gaps->of[i].row,
                                         (int64_t)gaps->of[i].count, gaps->of[i].idle_ps};
    for (uint32_t i = 0; i < gaps->count; i++)
        row[i] = row_of(call, &gaps->gap[i]);
    out->base_ps = call->base_ps;
    out->clock = "host";
    out->from_ps = xpd_tools_at(call, asked->ask.range.from_ps);
    out->to_ps = xpd_tools_at(call, asked->ask.range.to_ps);
    out->host = xpd_tools_host_name(call);
    out->by = asked->ask.table ? "chip" : "row";
    out->of.at = of;
    out->of.n = gaps->of_count;
    out->left_out = (int64_t)(xpd_gaps_all(gaps) - gaps->count);
    out->gaps.at = row;
    out->gaps.n = gaps->count;
    return fill_meanwhile(out, asked, row, err);
}

static int gaps(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct xpd_gaps_answer *out = XPD_NEW(ctx->arena, struct xpd_gaps_answer);
    struct xpd_trace_call call;
    struct asked asked = {.call = &call, .ask = {.view = &call.view}};
    int rc = out ? xpd_tools_trace(ctx, XPD_WANT_DERIVED, &call, err) : xpd_tools_no_memory(err);
    asked.ask.most = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_gaps, "limit");
    if (rc == XPD_OK)
        rc = xpd_tools_trace_range(&call, &asked.ask.range, err);
    if (rc == XPD_OK)
        rc = choose(&asked, err);
    if (rc == XPD_OK) {
        cut_to_trace(&asked.ask.range, &call.view);
        rc = xpd_gaps_make(&asked.gaps, &asked.ask, err);
    }
    if (rc == XPD_OK)
        rc = find_meanwhile(&asked, err);
    if (rc == XPD_OK)
        rc = fill(out, &asked, err);
    xpd_gaps_fini(&asked.gaps);
    *answer = out;
    return rc;
}

/* ---- text ---- */

static void put_short(struct xpd_strbuf *out, struct xpd_str text, const char *none)
{
    if (text.size == 0)
        xpd_strbuf_puts(out, none);
    else
        xpd_strbuf_add(out, text.data, text.size < 80 ? text.size : 80);
}

static void put_row(struct xpd_strbuf *out, struct xpd_str process, struct xpd_str row)
{
    put_short(out, process, "");
    xpd_strbuf_puts(out, row.size > 0 ? ", " : "");
    put_short(out, row, "");
}

static void text_gap(struct xpd_strbuf *out, const struct xpd_gaps_row *row)
{
    xpd_totals_text_time(out, (double)row->duration_ps);
    xpd_strbuf_printf(out, " %14.6f ms  ", (double)row->start_ps / 1e9);
    put_row(out, row->process_name, row->row_name);
    xpd_strbuf_puts(out, ": after ");
    put_short(out, row->before_name, "the start of the trace");
    xpd_strbuf_puts(out, ", before ");
    put_short(out, row->after_name, "the end of the trace");
    xpd_strbuf_putc(out, '\n');
}

/* Of gap i; `first` of the list, which has them by gap. The first of the next. */
static uint32_t text_meanwhile(struct xpd_strbuf *out, const struct xpd_gaps_meanwhile *all,
                               uint32_t i, uint32_t first)
{
    for (; first < all->rows.n && all->rows.at[first].gap == i; first++) {
        xpd_strbuf_puts(out, "      meanwhile");
        xpd_totals_text_time(out, (double)all->rows.at[first].self_ps);
        xpd_strbuf_puts(out, "  ");
        put_short(out, all->rows.at[first].name, "(no name)");
        xpd_strbuf_puts(out, "  on ");
        put_row(out, all->rows.at[first].process_name, all->rows.at[first].row_name);
        xpd_strbuf_putc(out, '\n');
    }
    return first;
}

static void text(struct xpd_strbuf *out, const void *answer)
{
    const struct xpd_gaps_answer *a = answer;
    int64_t idle_ps = 0, all = a->left_out + a->gaps.n;
    for (uint32_t i = 0; i < a->of.n; i++)
        idle_ps += a->of.at[i].idle_ps;
    xpd_strbuf_printf(out, "%s: %" PRId64 " gap%s of %" PRIu32 " %s%s, ", a->host, all,
                      all == 1 ? "" : "s", a->of.n, a->by, a->of.n == 1 ? "" : "s");
    xpd_totals_text_time(out, (double)idle_ps);
    xpd_strbuf_printf(out, "%s, in %.3f ms from %.3f ms; clock: host\n\n",
                      a->of.n > 1 ? " summed over them" : "",
                      ((double)a->to_ps - (double)a->from_ps) / 1e9, (double)a->from_ps / 1e9);
    xpd_strbuf_puts(out, "    duration             start\n");
    for (uint32_t i = 0, k = 0; i < a->gaps.n; i++) {
        text_gap(out, &a->gaps.at[i]);
        k = text_meanwhile(out, a->meanwhile, i, k);
    }
    if (a->left_out > 0)
        xpd_strbuf_printf(out, "%" PRId64 " more\n", a->left_out);
    if (a->meanwhile->unknown > 0)
        xpd_strbuf_printf(out,
                          "What ran meanwhile is missing for the last %" PRIu32
                          ": too many events for one answer.\n",
                          a->meanwhile->unknown);
}

static const struct xpd_param_spec params[] = {
    {.name = "by",
     .type = XPD_PARAM_ENUM,
     .words = "chip row",
     .help = "gaps of a chip (times without compute, communication and copies) or of a row (times "
             "without an event). Default: row with `rows` or without chips, else chip"},
    {.name = "process",
     .type = XPD_PARAM_INT,
     .min = -1,
     .max = UINT32_MAX,
     .fallback = -1,
     .help = "only this chip, or rows of this process"},
    XPD_TRACE_PARAM_ROWS,
    XPD_TRACE_PARAM_FROM,
    XPD_TRACE_PARAM_TO,
    XPD_PARAM_LIMIT(LIMIT_DEFAULT, LIMIT_MAX, "gaps"),
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_gaps = {
    .route = "/api/v1/trace/gaps",
    .title = "Idle gaps of rows or chips, the longest first.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_gaps_answer_record,
    .make = gaps,
    .text = text,
    .file_name = "trace_gaps.csv",
};
