/* /api/v1/trace/totals: the events of a range added up, grouped, sorted, one page of it. */
#include "trace_common.h"
#include "xprofd/trace/totals.h"

#define LIMIT_DEFAULT 200
#define LIMIT_MAX     100000
#define SORTS         "self total count mean min p50 p99 max host device flops bytes first"

struct answer {
    const struct xpd_trace_call *call;
    struct xpd_totals_ask ask;
    struct xpd_totals totals;
    uint32_t *order; /* groups that have events, sorted */
    uint32_t count, offset, shown;
};

static const char *const by_word[] = {"name", "category", "module", "step", "chip", "row"};
static const char *const sort_word[] = {"self", "total", "count",  "mean",  "min",   "p50",  "p99",
                                        "max",  "host",  "device", "flops", "bytes", "first"};
enum sort { SELF, TOTAL, COUNT, MEAN, MIN, P50, P99, MAX, HOST, DEVICE, FLOPS, BYTES, FIRST };

static uint32_t word_of(struct xpd_str word, const char *const *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (xpd_str_eq(word, xpd_str_of(words[i])))
            return i;
    return 0;
}

static double per_second(double amount, int64_t duration_ps)
{
    return amount >= 0 && duration_ps > 0 ? amount / ((double)duration_ps * 1e-12) : -1;
}

static double value_of(const struct xpd_total *total, enum sort sort)
{
    switch (sort) {
    case SELF: return (double)total->self_ps;
    case TOTAL: return (double)total->total_ps;
    case COUNT: return (double)total->count;
    case MEAN: return (double)total->total_ps / (double)total->count;
    case MIN: return (double)total->min_ps;
    case P50: return (double)total->p50_ps;
    case P99: return (double)total->p99_ps;
    case MAX: return (double)total->max_ps;
    case HOST: return (double)total->host_ps;
    case DEVICE: return (double)total->device_ps;
    case FLOPS: return per_second(total->flops, total->total_ps);
    case BYTES: return per_second(total->bytes, total->total_ps);
    case FIRST: return -(double)total->first_event;
    }
    return 0;
}

struct sorting {
    const struct xpd_total *group;
    enum sort sort;
};

static int by_value(const void *a, const void *b, void *ctx)
{
    const struct sorting *sorting = ctx;
    const struct xpd_total *x = &sorting->group[*(const uint32_t *)a];
    const struct xpd_total *y = &sorting->group[*(const uint32_t *)b];
    double left = value_of(x, sorting->sort), right = value_of(y, sorting->sort);
    if (left != right)
        return left > right ? -1 : 1;
    return (x->first_event > y->first_event) - (x->first_event < y->first_event);
}

static enum sort sort_of(const struct xpd_tool_ctx *ctx, enum xpd_totals_by by)
{
    if (!xpd_param_has(ctx, "sort"))
        return by == XPD_BY_STEP ? FIRST : SELF;
    return (enum sort)word_of(xpd_param_text(ctx, "sort"), sort_word,
                              sizeof sort_word / sizeof sort_word[0]);
}

/* Percentiles cost a pass of their own: of the page only, unless they decide the order. */
static int put_in_order(struct answer *answer, bool everything, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = answer->call->ctx;
    struct sorting sorting = {answer->totals.group, sort_of(ctx, answer->ask.by)};
    bool early = sorting.sort == P50 || sorting.sort == P99;
    answer->order = XPD_NEW_ARRAY(ctx->arena, uint32_t, answer->totals.group_count);
    if (!answer->order)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < answer->totals.group_count; i++)
        if (answer->totals.group[i].count > 0)
            answer->order[answer->count++] = i;
    int rc = early ? xpd_totals_percentiles(&answer->totals, &answer->ask, answer->order,
                                            answer->count, err)
                   : XPD_OK;
    if (rc != XPD_OK)
        return rc;
    qsort_r(answer->order, answer->count, sizeof *answer->order, by_value, &sorting);
    uint32_t offset = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_totals, "offset");
    uint32_t limit = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_totals, "limit");
    if (everything && !xpd_param_has(ctx, "limit"))
        limit = LIMIT_MAX;
    answer->offset = offset < answer->count ? offset : answer->count;
    uint32_t rest = answer->count - answer->offset;
    answer->shown = rest < limit ? rest : limit;
    return early ? XPD_OK
                 : xpd_totals_percentiles(&answer->totals, &answer->ask,
                                          answer->order + answer->offset, answer->shown, err);
}

/* ---- what a group is called ---- */

static struct xpd_str key_text(const struct answer *answer, const struct xpd_total *total)
{
    const struct xpd_view *view = &answer->call->view;
    const struct xpd_derived *derived = view->derived;
    if (total->key == XPD_NO_INDEX)
        return XPD_STR("");
    switch (answer->ask.by) {
    case XPD_BY_NAME: return xpd_view_caption(view, total->key);
    case XPD_BY_CATEGORY:
        return xpd_view_text(view, total->key, xpd_view_name(view, total->key)->category);
    case XPD_BY_MODULE:
        return xpd_view_name(view, total->key)->program != 0
                   ? xpd_view_text(view, total->key, xpd_view_name(view, total->key)->program)
                   : xpd_view_caption(view, total->key);
    case XPD_BY_STEP: return xpd_intern_get(&derived->names, derived->step[total->key].name);
    case XPD_BY_CHIP: return xpd_tools_process_name(view, total->key);
    case XPD_BY_ROW: return xpd_view_row_caption(view, total->key);
    case XPD_BY_ENTRY: break;
    }
    return XPD_STR("");
}

static const struct xpd_event_name *name_of(const struct answer *answer,
                                            const struct xpd_total *total)
{
    bool is_name = answer->ask.by <= XPD_BY_MODULE && total->key != XPD_NO_INDEX;
    return is_name ? xpd_view_name(&answer->call->view, total->key) : NULL;
}

static struct xpd_str name_text(const struct answer *answer, const struct xpd_total *total,
                                bool category)
{
    const struct xpd_event_name *name = name_of(answer, total);
    if (!name || answer->ask.by != XPD_BY_NAME)
        return XPD_STR("");
    return xpd_view_text(&answer->call->view, total->key,
                         category ? name->category : name->program);
}

static const char *group_word(const struct answer *answer, const struct xpd_total *total)
{
    const struct xpd_event_name *name = name_of(answer, total);
    return name && answer->ask.by != XPD_BY_MODULE ? xpd_op_group_word(name->group) : NULL;
}

/* ---- JSON ---- */

static void known(struct xpd_jsonw *w, double value)
{
    if (value >= 0)
        xpd_json_double(w, value);
    else
        xpd_json_null(w);
}

static void write_rows(struct xpd_jsonw *w, const struct answer *answer)
{
    uint32_t n = answer->shown;
    const struct xpd_total *group = answer->totals.group;
    const uint32_t *order = answer->order + answer->offset;
#define G (&group[order[row]])
    xpd_json_key(w, "rows");
    xpd_json_obj(w);
    XPD_COLUMN(w, "key", n, xpd_json_str(w, key_text(answer, G)));
    XPD_COLUMN(w, "id", n, xpd_tools_index(w, G->key));
    XPD_COLUMN(w, "program", n, xpd_json_str(w, name_text(answer, G, false)));
    XPD_COLUMN(w, "category", n, xpd_json_str(w, name_text(answer, G, true)));
    XPD_COLUMN(w, "group", n, xpd_json_text(w, group_word(answer, G)));
    XPD_COLUMN(w, "count", n, xpd_json_u64(w, G->count));
    XPD_COLUMN(w, "total", n, xpd_json_i64(w, G->total_ps));
    XPD_COLUMN(w, "self", n, xpd_json_i64(w, G->self_ps));
    XPD_COLUMN(w, "mean", n, xpd_json_double(w, value_of(G, MEAN)));
    XPD_COLUMN(w, "min", n, xpd_json_i64(w, G->min_ps));
    XPD_COLUMN(w, "p50", n, xpd_json_i64(w, G->p50_ps));
    XPD_COLUMN(w, "p99", n, xpd_json_i64(w, G->p99_ps));
    XPD_COLUMN(w, "max", n, xpd_json_i64(w, G->max_ps));
    XPD_COLUMN(w, "exact", n, xpd_json_i64(w, G->exact));
    XPD_COLUMN(w, "host_total", n, xpd_json_i64(w, G->host_ps));
    XPD_COLUMN(w, "device_total", n, xpd_json_i64(w, G->device_count ? G->device_ps : -1));
    XPD_COLUMN(w, "device_count", n, xpd_json_u64(w, G->device_count));
    XPD_COLUMN(w, "flops_per_s", n, known(w, value_of(G, FLOPS)));
    XPD_COLUMN(w, "bytes_per_s", n, known(w, value_of(G, BYTES)));
    XPD_COLUMN(w, "first_event", n, xpd_json_u64(w, G->first_event));
    xpd_json_obj_end(w);
#undef G
}

static void write_all(struct xpd_jsonw *w, const struct answer *answer)
{
    const struct xpd_total *all = &answer->totals.all;
    xpd_json_key(w, "all");
    xpd_json_obj(w);
    xpd_json_ku64(w, "count", all->count);
    xpd_json_ki64(w, "total", all->total_ps);
    xpd_json_ki64(w, "self", all->self_ps);
    xpd_json_ki64(w, "host_total", all->host_ps);
    xpd_tools_kknown(w, "device_total", all->device_count ? all->device_ps : -1);
    xpd_json_ku64(w, "device_count", all->device_count);
    xpd_json_ki64(w, "busy", answer->totals.busy_ps);
    xpd_json_obj_end(w);
}

static void write(struct xpd_jsonw *w, const struct answer *answer)
{
    xpd_json_obj(w);
    xpd_json_ktext(w, "by", by_word[answer->ask.by]);
    xpd_json_ktext(
        w, "clock",
        xpd_clock_word(answer->totals.all.device_count ? answer->ask.clock : XPD_CLOCK_HOST));
    xpd_tools_base(w, answer->call);
    xpd_json_ki64(w, "from", xpd_tools_at(answer->call, answer->ask.range.from_ps));
    xpd_json_ki64(w, "to", xpd_tools_at(answer->call, answer->ask.range.to_ps));
    xpd_json_kbool(w, "clip", answer->ask.clip);
    xpd_json_key(w, "of_rows");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < answer->ask.row_count; i++)
        xpd_json_u64(w, answer->ask.row[i]);
    xpd_json_arr_end(w);
    xpd_json_ku64(w, "n", answer->shown);
    xpd_json_ku64(w, "all_n", answer->count);
    xpd_json_ku64(w, "left_out", answer->count - answer->shown);
    xpd_json_kdouble(w, "percentile_error", XPD_TOTALS_ERROR);
    xpd_json_ku64(w, "nesting_unchecked", answer->totals.unchecked);
    write_rows(w, answer);
    write_all(w, answer);
    xpd_json_obj_end(w);
}

/* ---- CSV ---- */

static void csv_known(struct xpd_csv *csv, double value)
{
    char text[32];
    if (value < 0) {
        xpd_csv_empty(csv);
        return;
    }
    snprintf(text, sizeof text, "%.15g", value);
    xpd_csv_text(csv, text);
}

static void write_csv(struct xpd_tool_result *out, const struct answer *answer)
{
    struct xpd_csv csv;
    xpd_tools_start_csv(out, &csv, "trace_totals.csv");
    xpd_csv_header(&csv, "key,program,category,count,clock,total_ps,self_ps,mean_ps,min_ps,p50_ps,"
                         "p99_ps,percentiles_exact,max_ps,host_total_ps,device_total_ps,"
                         "flops_per_s,bytes_per_s");
    for (uint32_t i = 0; i < answer->shown; i++) {
        const struct xpd_total *total = &answer->totals.group[answer->order[answer->offset + i]];
        xpd_csv_str(&csv, key_text(answer, total));
        xpd_csv_str(&csv, name_text(answer, total, false));
        xpd_csv_str(&csv, name_text(answer, total, true));
        xpd_csv_u64(&csv, total->count);
        xpd_csv_text(&csv,
                     xpd_clock_word(total->device_count ? answer->ask.clock : XPD_CLOCK_HOST));
        xpd_csv_i64(&csv, total->total_ps);
        xpd_csv_i64(&csv, total->self_ps);
        csv_known(&csv, value_of(total, MEAN));
        xpd_csv_i64(&csv, total->min_ps);
        xpd_csv_i64(&csv, total->p50_ps);
        xpd_csv_i64(&csv, total->p99_ps);
        xpd_csv_i64(&csv, total->exact);
        xpd_csv_i64(&csv, total->max_ps);
        xpd_csv_i64(&csv, total->host_ps);
        if (total->device_count)
            xpd_csv_i64(&csv, total->device_ps);
        else
            xpd_csv_empty(&csv);
        csv_known(&csv, value_of(total, FLOPS));
        csv_known(&csv, value_of(total, BYTES));
        xpd_csv_end_row(&csv);
    }
}

/* ---- text ---- */

/* "1.234 ms": three decimals in the unit that fits. */
static void text_time(struct xpd_strbuf *out, double ps)
{
    static const struct {
        double scale;
        const char *word;
    } unit[] = {{1e12, "s "}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}};
    for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++)
        if (ps >= unit[i].scale) {
            xpd_strbuf_printf(out, " %8.3f %s", ps / unit[i].scale, unit[i].word);
            return;
        }
    xpd_strbuf_printf(out, " %8.0f ps", ps);
}

static void text_row(struct xpd_strbuf *out, const struct answer *answer,
                     const struct xpd_total *total)
{
    struct xpd_str key = key_text(answer, total), program = name_text(answer, total, false);
    double all = (double)answer->totals.all.self_ps;
    xpd_strbuf_printf(out, "%5.1f %%", all > 0 ? 100 * (double)total->self_ps / all : 0);
    text_time(out, (double)total->self_ps);
    text_time(out, (double)total->total_ps);
    xpd_strbuf_printf(out, " %9" PRIu64, total->count);
    text_time(out, value_of(total, MEAN));
    text_time(out, (double)total->p99_ps);
    xpd_strbuf_puts(out, "  ");
    if (key.size > 0)
        xpd_strbuf_add(out, key.data, key.size < 160 ? key.size : 160);
    else
        xpd_strbuf_puts(out, answer->ask.by == XPD_BY_STEP ? "(outside all steps)" : "(none)");
    if (program.size > 0) {
        xpd_strbuf_puts(out, "  in ");
        xpd_strbuf_add(out, program.data, program.size < 160 ? program.size : 160);
    }
    xpd_strbuf_putc(out, '\n');
}

/* "host0", or one line for each of several and where it stands, then "ALL". */
static void text_hosts(struct xpd_strbuf *out, const struct xpd_trace_call *call)
{
    const struct xpd_trace *trace = call->view.trace;
    for (uint32_t i = 0; i < trace->part_count; i++) {
        uint32_t host = xpd_tools_part_host(call->ctx->run, i);
        xpd_strbuf_printf(out, "%s: ", call->ctx->run->host[host].name);
        xpd_tools_put_placed(out, trace, i);
        xpd_strbuf_putc(out, '\n');
    }
    xpd_strbuf_puts(out, xpd_tools_host_name(call));
}

static void write_text(struct xpd_tool_result *result, const struct answer *answer)
{
    struct xpd_strbuf *out = &result->body;
    const struct xpd_total *all = &answer->totals.all;
    struct xpd_time_range range = answer->ask.range;
    result->type = XPD_BODY_TEXT;
    text_hosts(out, answer->call);
    xpd_strbuf_printf(out, ": %" PRIu64 " events in %" PRIu32 " rows, %.3f ms from %.3f ms; ",
                      all->count, answer->ask.row_count,
                      ((double)range.to_ps - (double)range.from_ps) / 1e9,
                      (double)xpd_tools_at(answer->call, range.from_ps) / 1e9);
    xpd_strbuf_printf(out, "clock: %s\n\n",
                      xpd_clock_word(all->device_count ? answer->ask.clock : XPD_CLOCK_HOST));
    xpd_strbuf_puts(out, " share        self       total     count        mean         p99  ");
    xpd_strbuf_puts(out, by_word[answer->ask.by]);
    xpd_strbuf_putc(out, '\n');
    for (uint32_t i = 0; i < answer->shown; i++)
        text_row(out, answer, &answer->totals.group[answer->order[answer->offset + i]]);
    if (answer->count > answer->shown)
        xpd_strbuf_printf(out, "%" PRIu32 " more\n", answer->count - answer->shown);
}

/* ---- the tool ---- */

static int prepare(struct xpd_trace_call *call, struct answer *answer, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = call->ctx;
    struct xpd_row_list rows;
    int rc = xpd_tools_trace_rows(call, XPD_ROWS_WORK, &rows, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_range(call, &answer->ask.range, err);
    if (rc != XPD_OK)
        return rc;
    answer->ask.view = &call->view;
    answer->ask.row = rows.at;
    answer->ask.row_count = rows.count;
    answer->ask.clock = xpd_tools_clock(ctx);
    answer->ask.clip = xpd_param_int(ctx, &xpd_tool_trace_totals, "clip") != 0;
    return XPD_OK;
}

static int totals(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_trace_call call;
    struct answer answer = {.call = &call};
    answer.ask.by = (enum xpd_totals_by)word_of(xpd_param_text(ctx, "by"), by_word,
                                                sizeof by_word / sizeof by_word[0]);
    int rc = xpd_tools_trace(ctx, answer.ask.by == XPD_BY_STEP ? XPD_WANT_DERIVED : 0, &call, err);
    if (rc == XPD_OK)
        rc = prepare(&call, &answer, err);
    if (rc == XPD_OK)
        rc = xpd_totals_make(&answer.totals, &answer.ask, err);
    if (rc == XPD_OK)
        rc = put_in_order(&answer, xpd_tools_csv(ctx), err);
    if (rc == XPD_OK && xpd_tools_csv(ctx)) {
        write_csv(out, &answer);
    } else if (rc == XPD_OK && xpd_str_eq(xpd_param_text(ctx, "format"), XPD_STR("text"))) {
        write_text(out, &answer);
    } else if (rc == XPD_OK) {
        struct xpd_jsonw w;
        xpd_jsonw_init(&w, &out->body);
        write(&w, &answer);
    }
    xpd_totals_fini(&answer.totals);
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "by",
     .type = XPD_PARAM_ENUM,
     .words = "name category module step chip row",
     .help = "groups; default name (within a program; chips together)"},
    XPD_TRACE_PARAM_ROWS,
    XPD_TRACE_PARAM_FROM,
    XPD_TRACE_PARAM_TO,
    {.name = "clip",
     .type = XPD_PARAM_INT,
     .max = 1,
     .help = "1: cut events at the edges of the range; 0 (default): they count whole"},
    XPD_TRACE_PARAM_CLOCK,
    {.name = "sort",
     .type = XPD_PARAM_ENUM,
     .words = SORTS,
     .help = "largest first; default self, for steps first"},
    {.name = "offset", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "first row"},
    {.name = "limit",
     .type = XPD_PARAM_INT,
     .min = 1,
     .max = LIMIT_MAX,
     .fallback = LIMIT_DEFAULT,
     .help = "rows, default 200; a CSV has all when absent"},
    {.name = "format",
     .type = XPD_PARAM_ENUM,
     .words = "json csv text",
     .help = "json, csv or text"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_totals = {
    .route = "/api/v1/trace/totals",
    .title = "The events of a range of time added up by name, category, module, step, chip or row.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .run = totals,
};
