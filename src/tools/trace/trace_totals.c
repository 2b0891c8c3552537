/* /api/v1/trace/totals: the events of a range added up, grouped, sorted, one page of it. */
#include "trace_totals.h"

#define LIMIT_DEFAULT 200
#define LIMIT_MAX     100000
/* by enum xpd_totals_sort */
#define SORTS "self total count mean min p50 p99 max host device flops bytes first"
/* by enum xpd_totals_by, those that can be asked for */
#define GROUPS "name category module step chip row"

struct sorting {
    const struct xpd_total *group;
    enum xpd_totals_sort sort;
};

static int by_value(const void *a, const void *b, void *ctx)
{
    const struct sorting *sorting = ctx;
    const struct xpd_total *x = &sorting->group[*(const uint32_t *)a];
    const struct xpd_total *y = &sorting->group[*(const uint32_t *)b];
    double left = xpd_totals_value(x, sorting->sort), right = xpd_totals_value(y, sorting->sort);
    if (left != right)
        return left > right ? -1 : 1;
    return (x->first_event > y->first_event) - (x->first_event < y->first_event);
}

static enum xpd_totals_sort sort_of(const struct xpd_tool_ctx *ctx, enum xpd_totals_by by)
{
    int word = xpd_param_word(ctx, &xpd_tool_trace_totals, "sort");
    if (word < 0) /* sums rank neither steps nor chips: trace/steps says who holds others up */
        return by == XPD_BY_STEP || by == XPD_BY_CHIP ? XPD_ORDER_FIRST : XPD_ORDER_SELF;
    return (enum xpd_totals_sort)word;
}

/* Waits are told from work by their names. */
static bool is_wanted(const struct xpd_totals_answer *answer, const struct xpd_total *total)
{
    int word = xpd_param_word(answer->call->ctx, &xpd_tool_trace_totals, "waits");
    return word <= 0 || xpd_totals_waits(answer, total) == (word == 2);
}

/* Percentiles cost a pass of their own: of the page only, unless they decide the order. */
static int put_in_order(struct xpd_totals_answer *answer, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = answer->call->ctx;
    struct sorting sorting = {answer->totals.group, sort_of(ctx, answer->ask.by)};
    bool early = sorting.sort == XPD_ORDER_P50 || sorting.sort == XPD_ORDER_P99;
    answer->order = XPD_NEW_ARRAY(ctx->arena, uint32_t, answer->totals.group_count);
    if (!answer->order)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < answer->totals.group_count; i++)
        if (answer->totals.group[i].count > 0 && is_wanted(answer, &answer->totals.group[i]))
            answer->order[answer->count++] = i;
    int rc = early ? xpd_totals_percentiles(&answer->totals, &answer->ask, answer->order,
                                            answer->count, err)
                   : XPD_OK;
    if (rc != XPD_OK)
        return rc;
    qsort_r(answer->order, answer->count, sizeof *answer->order, by_value, &sorting);
    uint32_t offset = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_totals, "offset");
    /* a CSV is the whole table unless a part is asked for */
    uint32_t limit = xpd_tools_csv(ctx) && !xpd_param_has(ctx, "limit")
                         ? UINT32_MAX
                         : (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_totals, "limit");
    answer->offset = offset < answer->count ? offset : answer->count;
    uint32_t rest = answer->count - answer->offset;
    answer->shown = rest < limit ? rest : limit;
    return early ? XPD_OK
                 : xpd_totals_percentiles(&answer->totals, &answer->ask,
                                          answer->order + answer->offset, answer->shown, err);
}

/* ---- JSON ---- */

static void known(struct xpd_jsonw *w, double value)
{
    if (value >= 0)
        xpd_json_double(w, value);
    else
        xpd_json_null(w);
}

static void write_rows(struct xpd_jsonw *w, const struct xpd_totals_answer *answer)
{
    uint32_t n = answer->shown;
    const struct xpd_total *group = answer->totals.group;
    const uint32_t *order = answer->order + answer->offset;
#define G (&group[order[row]])
    xpd_json_key(w, "rows");
    xpd_json_obj(w);
    XPD_COLUMN(w, "key", n, xpd_json_str(w, xpd_totals_key_text(answer, G)));
    XPD_COLUMN(w, "id", n, xpd_tools_index(w, G->key));
    XPD_COLUMN(w, "program", n, xpd_json_str(w, xpd_totals_name_text(answer, G, false)));
    XPD_COLUMN(w, "category", n, xpd_json_str(w, xpd_totals_name_text(answer, G, true)));
    XPD_COLUMN(w, "group", n, xpd_json_text(w, xpd_totals_group_word(answer, G)));
    XPD_COLUMN(w, "wait", n, xpd_json_u64(w, xpd_totals_waits(answer, G)));
    XPD_COLUMN(w, "count", n, xpd_json_u64(w, G->count));
    XPD_COLUMN(w, "total", n, xpd_json_i64(w, G->total_ps));
    XPD_COLUMN(w, "self", n, xpd_json_i64(w, G->self_ps));
    XPD_COLUMN(w, "mean", n, xpd_json_double(w, xpd_totals_value(G, XPD_ORDER_MEAN)));
    XPD_COLUMN(w, "min", n, xpd_json_i64(w, G->min_ps));
    XPD_COLUMN(w, "p50", n, xpd_json_i64(w, G->p50_ps));
    XPD_COLUMN(w, "p99", n, xpd_json_i64(w, G->p99_ps));
    XPD_COLUMN(w, "max", n, xpd_json_i64(w, G->max_ps));
    XPD_COLUMN(w, "exact", n, xpd_json_i64(w, G->exact));
    XPD_COLUMN(w, "host_total", n, xpd_json_i64(w, G->host_ps));
    XPD_COLUMN(w, "device_total", n, xpd_json_i64(w, G->device_count ? G->device_ps : -1));
    XPD_COLUMN(w, "device_count", n, xpd_json_u64(w, G->device_count));
    XPD_COLUMN(w, "flops_per_s", n, known(w, xpd_totals_value(G, XPD_ORDER_FLOPS)));
    XPD_COLUMN(w, "bytes_per_s", n, known(w, xpd_totals_value(G, XPD_ORDER_BYTES)));
    XPD_COLUMN(w, "first_event", n, xpd_json_u64(w, G->first_event));
    xpd_json_obj_end(w);
#undef G
}

static void write_all(struct xpd_jsonw *w, const struct xpd_totals_answer *answer)
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

static void write(struct xpd_jsonw *w, const struct xpd_totals_answer *answer)
{
    xpd_json_obj(w);
    xpd_json_kstr(w, "by", answer->by_word);
    xpd_json_ktext(w, "clock", xpd_clock_word(answer->ask.clock));
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

/* ---- the tool ---- */

static int prepare(struct xpd_trace_call *call, struct xpd_totals_answer *answer,
                   struct xpd_err *err)
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

/* A table has one clock: the device's only where it measured every event. Rows that have no such
 * clock tell it beforehand; single events without a duration on it only when all are added up. */
static int add_up(struct xpd_totals_answer *answer, struct xpd_err *err)
{
    if (answer->ask.clock == XPD_CLOCK_DEVICE && xpd_totals_lacks_device(&answer->ask))
        answer->ask.clock = XPD_CLOCK_HOST;
    int rc = xpd_totals_make(&answer->totals, &answer->ask, err);
    const struct xpd_total *all = &answer->totals.all;
    if (rc != XPD_OK || answer->ask.clock == XPD_CLOCK_HOST ||
        (all->count > 0 && all->device_count == all->count))
        return rc;
    bool mixed = all->device_count > 0;
    answer->ask.clock = XPD_CLOCK_HOST;
    if (!mixed) /* all are by the host's already */
        return XPD_OK;
    xpd_totals_fini(&answer->totals);
    return xpd_totals_make(&answer->totals, &answer->ask, err);
}

static int totals(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_trace_call call;
    struct xpd_totals_answer answer = {.call = &call, .by_word = XPD_STR("name")};
    int by = xpd_param_word(ctx, &xpd_tool_trace_totals, "by");
    if (by >= 0) {
        answer.ask.by = (enum xpd_totals_by)by;
        answer.by_word = xpd_param_text(ctx, "by");
    }
    int rc = xpd_tools_trace(ctx, answer.ask.by == XPD_BY_STEP ? XPD_WANT_DERIVED : 0, &call, err);
    if (rc == XPD_OK)
        rc = prepare(&call, &answer, err);
    if (rc == XPD_OK)
        rc = add_up(&answer, err);
    if (rc == XPD_OK)
        rc = put_in_order(&answer, err);
    if (rc == XPD_OK && xpd_tools_csv(ctx)) {
        xpd_totals_write_csv(out, &answer);
    } else if (rc == XPD_OK && xpd_str_eq(xpd_param_text(ctx, "format"), XPD_STR("text"))) {
        xpd_totals_write_text(out, &answer);
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
     .words = GROUPS,
     .help = "groups; default name (within a program; chips together)"},
    XPD_TRACE_PARAM_ROWS,
    XPD_TRACE_PARAM_FROM,
    XPD_TRACE_PARAM_TO,
    {.name = "clip",
     .type = XPD_PARAM_INT,
     .max = 1,
     .fallback = 1,
     .help = "1 (default): cut events at the edges of the range; 0: those that touch it count "
             "whole"},
    XPD_TRACE_PARAM_CLOCK,
    {.name = "waits",
     .type = XPD_PARAM_ENUM,
     .words = "with without only",
     .help = "by name: names that wait, as the done of a copy: with (default), without or only"},
    {.name = "sort",
     .type = XPD_PARAM_ENUM,
     .words = SORTS,
     .help = "largest first; default self, for steps and chips first"},
    {.name = "offset", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "first row"},
    XPD_PARAM_LIMIT(LIMIT_DEFAULT, LIMIT_MAX, "rows, default 200; a CSV has all when absent"),
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
