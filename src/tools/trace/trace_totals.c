/* /api/v1/trace/totals: the events of a range added up, grouped, sorted, one page of it. */
#include "trace_totals.h"

/* What groups of totals are called, and what they are sorted by. */

static double per_second(double amount, int64_t duration_ps)
{
    return amount >= 0 && duration_ps > 0 ? amount / ((double)duration_ps * 1e-12) : -1;
}

/* trace_totals.c. What is unknown is negative; XPD_ORDER_FIRST is the number of the first
 * event, negative, so that the first is the largest. */
static double xpd_totals_value(const struct xpd_total *total, enum xpd_totals_sort sort)
{
    switch (sort) {
    case XPD_ORDER_SELF: return (double)total->self_ps;
    case XPD_ORDER_TOTAL: return (double)total->total_ps;
    case XPD_ORDER_COUNT: return (double)total->count;
    case XPD_ORDER_MEAN: return (double)total->total_ps / (double)total->count;
    case XPD_ORDER_MIN: return (double)total->min_ps;
    case XPD_ORDER_P50: return (double)total->p50_ps;
    case XPD_ORDER_P99: return (double)total->p99_ps;
    case XPD_ORDER_MAX: return (double)total->max_ps;
    case XPD_ORDER_HOST: return (double)total->host_ps;
    case XPD_ORDER_DEVICE: return (double)total->device_ps;
    case XPD_ORDER_FLOPS: return per_second(total->flops, total->total_ps);
    case XPD_ORDER_BYTES: return per_second(total->bytes, total->total_ps);
    case XPD_ORDER_FIRST: return -(double)total->first_event;
    }
    return 0;
}

/* What a group is called. */
static struct xpd_str xpd_totals_key_text(const struct xpd_totals_answer *answer,
                                          const struct xpd_total *total)
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

static const struct xpd_event_name *name_of(const struct xpd_totals_answer *answer,
                                            const struct xpd_total *total)
{
    bool is_name = answer->ask.by <= XPD_BY_MODULE && total->key != XPD_NO_INDEX;
    return is_name ? xpd_view_name(&answer->call->view, total->key) : NULL;
}

/* By name: its category, or the program it is of; else empty. */
static struct xpd_str xpd_totals_name_text(const struct xpd_totals_answer *answer,
                                           const struct xpd_total *total, bool category)
{
    const struct xpd_event_name *name = name_of(answer, total);
    if (!name || answer->ask.by != XPD_BY_NAME)
        return XPD_STR("");
    return xpd_view_text(&answer->call->view, total->key,
                         category ? name->category : name->program);
}

/* The word of the op group of its name; NULL = it is of no name. */
static const char *xpd_totals_group_word(const struct xpd_totals_answer *answer,
                                         const struct xpd_total *total)
{
    const struct xpd_event_name *name = name_of(answer, total);
    return name && answer->ask.by != XPD_BY_MODULE ? xpd_op_group_word(name->group) : NULL;
}

/* By name: it waits and does no work. */
static bool xpd_totals_waits(const struct xpd_totals_answer *answer, const struct xpd_total *total)
{
    const struct xpd_event_name *name = name_of(answer, total);
    return name && answer->ask.by == XPD_BY_NAME && name->wait;
}

/* Totals for a terminal. */

void xpd_totals_text_time(struct xpd_strbuf *out, double ps)
{
    static const struct {
        double scale;
        const char *word;
    } unit[] = {{1e12, "s "}, {1e9, "ms"}, {1e6, "µs"}, {1e3, "ns"}};
    for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++)
        if (ps >= unit[i].scale) {
            xpd_strbuf_printf(out, " %8.3f %s", ps / unit[i].scale, unit[i].word);
            return;
        }
    xpd_strbuf_printf(out, " %8.0f ps", ps);
}

static void text_row(struct xpd_strbuf *out, const struct xpd_trace_totals *answer,
                     const struct xpd_trace_total *row)
{
    double all = (double)answer->all->self_ps;
    xpd_strbuf_printf(out, "%5.1f %%", all > 0 ? 100 * (double)row->self_ps / all : 0);
    xpd_totals_text_time(out, (double)row->self_ps);
    xpd_totals_text_time(out, (double)row->total_ps);
    xpd_strbuf_printf(out, " %9" PRId64, row->count);
    xpd_totals_text_time(out, row->mean_ps);
    xpd_totals_text_time(out, (double)row->p99_ps);
    xpd_strbuf_puts(out, "  ");
    if (row->key.size > 0)
        xpd_strbuf_add(out, row->key.data, row->key.size < 160 ? row->key.size : 160);
    else
        xpd_strbuf_puts(out, strcmp(answer->by, "step") == 0 ? "(outside all steps)" : "(none)");
    if (row->program.size > 0) {
        xpd_strbuf_puts(out, "  in ");
        xpd_strbuf_add(out, row->program.data, row->program.size < 160 ? row->program.size : 160);
    }
    xpd_strbuf_putc(out, '\n');
}

static void text_hosts(struct xpd_strbuf *out, const struct xpd_trace_totals *answer)
{
    for (uint32_t i = 0; i < answer->hosts.n; i++) {
        const struct xpd_trace_of_host *host = &answer->hosts.at[i];
        if (!host->placed)
            continue;
        xpd_strbuf_printf(out, "%s: ", host->name);
        xpd_strbuf_add(out, host->said.data, host->said.size);
        xpd_strbuf_putc(out, '\n');
    }
    xpd_strbuf_puts(out, answer->host);
}

/* of a struct xpd_trace_totals. */
static void xpd_totals_text(struct xpd_strbuf *out, const void *of)
{
    const struct xpd_trace_totals *answer = of;
    text_hosts(out, answer);
    xpd_strbuf_printf(out, ": %" PRId64 " events in %" PRIu32 " row%s, %.3f ms from %.3f ms; ",
                      answer->all->count, answer->of_rows.n, answer->of_rows.n == 1 ? "" : "s",
                      ((double)answer->to_ps - (double)answer->from_ps) / 1e9,
                      (double)answer->from_ps / 1e9);
    xpd_strbuf_printf(out, "clock: %s\n\n", answer->clock);
    xpd_strbuf_puts(out, " share        self       total     count        mean         p99  ");
    xpd_strbuf_puts(out, answer->by);
    xpd_strbuf_putc(out, '\n');
    for (uint32_t i = 0; i < answer->rows.n; i++)
        text_row(out, answer, &answer->rows.at[i]);
    if (answer->left_out > 0)
        xpd_strbuf_printf(out, "%" PRIu32 " more\n", answer->left_out);
}

#define LIMIT_DEFAULT 200
#define LIMIT_MAX     100000
/* by enum xpd_totals_sort */
#define SORTS "self total count mean min p50 p99 max host device flops bytes first"

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

/* ---- the answer ---- */

XPD_RECORD_TABLE(xpd_trace_total, XPD_TRACE_TOTAL_FIELDS)
XPD_RECORD_TABLE(xpd_trace_totals_all, XPD_TRACE_TOTALS_ALL_FIELDS)
XPD_RECORD_TABLE(xpd_trace_totals, XPD_TRACE_TOTALS_FIELDS)

static struct xpd_trace_total row_of(const struct xpd_totals_answer *answer,
                                     const struct xpd_total *total)
{
    return (struct xpd_trace_total){
        .key = xpd_totals_key_text(answer, total),
        .id = total->key,
        .program = xpd_totals_name_text(answer, total, false),
        .category = xpd_totals_name_text(answer, total, true),
        .group = xpd_totals_group_word(answer, total),
        .wait = xpd_totals_waits(answer, total),
        .count = (int64_t)total->count,
        .clock = xpd_clock_word(answer->ask.clock),
        .total_ps = total->total_ps,
        .self_ps = total->self_ps,
        .mean_ps = xpd_totals_value(total, XPD_ORDER_MEAN),
        .min_ps = total->min_ps,
        .p50_ps = total->p50_ps,
        .p99_ps = total->p99_ps,
        .max_ps = total->max_ps,
        .exact = total->exact,
        .host_total_ps = total->host_ps,
        .device_total_ps = total->device_count ? total->device_ps : -1,
        .device_count = (int64_t)total->device_count,
        .flops_per_s = xpd_totals_value(total, XPD_ORDER_FLOPS),
        .bytes_per_s = xpd_totals_value(total, XPD_ORDER_BYTES),
        .first_event = (int64_t)total->first_event,
    };
}

static struct xpd_trace_totals_all all_of(const struct xpd_totals *totals)
{
    const struct xpd_total *all = &totals->all;
    return (struct xpd_trace_totals_all){
        .count = (int64_t)all->count,
        .total_ps = all->total_ps,
        .self_ps = all->self_ps,
        .host_total_ps = all->host_ps,
        .device_total_ps = all->device_count ? all->device_ps : -1,
        .device_count = (int64_t)all->device_count,
        .busy_ps = totals->busy_ps,
    };
}

static int fill(struct xpd_trace_totals *out, const struct xpd_totals_answer *answer,
                struct xpd_err *err)
{
    static const char *const words[] = {"name", "category", "module", "step", "chip", "row"};
    const struct xpd_trace_call *call = answer->call;
    struct xpd_arena *arena = call->ctx->arena;
    struct xpd_trace_total *row = XPD_NEW_ARRAY(arena, struct xpd_trace_total, answer->shown);
    struct xpd_trace_totals_all *all = XPD_NEW(arena, struct xpd_trace_totals_all);
    const struct xpd_trace_of_host *hosts = xpd_tools_hosts(call);
    if (!row || !all || !hosts)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < answer->shown; i++)
        row[i] = row_of(answer, &answer->totals.group[answer->order[answer->offset + i]]);
    *all = all_of(&answer->totals);
    *out = (struct xpd_trace_totals){
        .by = words[answer->ask.by],
        .clock = xpd_clock_word(answer->ask.clock),
        .host = xpd_tools_host_name(call),
        .hosts = {hosts, call->ctx->run->host_count},
        .base_ps = call->base_ps,
        .from_ps = xpd_tools_at(call, answer->ask.range.from_ps),
        .to_ps = xpd_tools_at(call, answer->ask.range.to_ps),
        .clip = answer->ask.clip,
        .of_rows = {answer->ask.row, answer->ask.row_count},
        .all_n = answer->count,
        .left_out = answer->count - answer->shown,
        .percentile_error = XPD_TOTALS_ERROR,
        .nesting_unchecked = (int64_t)answer->totals.unchecked,
        .rows = {row, answer->shown},
        .all = all,
    };
    return XPD_OK;
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

static int totals(const struct xpd_tool_ctx *ctx, const void **to, struct xpd_err *err)
{
    struct xpd_trace_totals *out = XPD_NEW(ctx->arena, struct xpd_trace_totals);
    struct xpd_trace_call call = {0};
    struct xpd_totals_answer answer = {.call = &call};
    int by = xpd_param_word(ctx, &xpd_tool_trace_totals, "by");
    if (by >= 0)
        answer.ask.by = (enum xpd_totals_by)by;
    int rc =
        out ? xpd_tools_trace(ctx, answer.ask.by == XPD_BY_STEP ? XPD_WANT_DERIVED : 0, &call, err)
            : xpd_tools_no_memory(err);
    if (rc == XPD_OK)
        rc = prepare(&call, &answer, err);
    if (rc == XPD_OK)
        rc = add_up(&answer, err);
    if (rc == XPD_OK)
        rc = put_in_order(&answer, err);
    if (rc == XPD_OK)
        rc = fill(out, &answer, err);
    xpd_totals_fini(&answer.totals);
    *to = out;
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "by",
     .type = XPD_PARAM_ENUM,
     .words = XPD_TOTALS_GROUPS,
     .help = "grouping; default name (within a program, all chips together)"},
    XPD_TRACE_PARAM_ROWS,
    XPD_TRACE_PARAM_FROM,
    XPD_TRACE_PARAM_TO,
    {.name = "clip",
     .type = XPD_PARAM_INT,
     .max = 1,
     .fallback = 1,
     .help = "1 (default): cuts events at the edges of the range; 0: events that touch the range "
             "count whole"},
    XPD_TRACE_PARAM_CLOCK,
    {.name = "waits",
     .type = XPD_PARAM_ENUM,
     .words = "with without only",
     .help = "by name: include (with, the default), exclude (without) or list only names that "
             "wait, such as the done of a copy"},
    {.name = "sort",
     .type = XPD_PARAM_ENUM,
     .words = SORTS,
     .help = "largest first; default self, for steps and chips first"},
    {.name = "offset", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "first row"},
    XPD_PARAM_LIMIT(LIMIT_DEFAULT, LIMIT_MAX, "rows, default 200; a CSV has all when absent"),
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_totals = {
    .route = "/api/v1/trace/totals",
    .title = "Totals of the events of a range by name, category, module, step, chip or row.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_trace_totals_record,
    .make = totals,
    .text = xpd_totals_text,
    .file_name = "trace_totals.csv",
    XPD_IN_REPORT("", {250, XPD_EACH_HOST, "", "the totals of the trace"},
                  {285, XPD_EACH_HOST, "by=name&clock=device&limit=6&waits=without", NULL},
                  {285, XPD_EACH_HOST, "by=name&clock=device&limit=3&waits=only", NULL}),
};
