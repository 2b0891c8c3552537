/* /api/v1/trace/ops: the operations of the programs that ran, with their time, their roofline and
 * what they lose against it. */
#include "../program/explain.h"
#include "../tables/measured.h"
#include "../tables/table_costs.h"
#include "xprofd/base/checked.h"

#define ROWS_DEFAULT 200
#define ROWS_MAX     10000

struct row {
    uint32_t module, instruction;
    const struct xpd_hlo *hlo;
    const struct xpd_op_sums *sums;
    const struct xpd_op_sums *wait; /* of its asynchronous pair (measured.h); NULL = none */
    int64_t flops, hbm_bytes;
    int64_t roofline_ps; /* of one execution; -1 = unknown */
    int64_t lost_ps;     /* self time beyond the roofline of all executions; -1 = unknown */
    const char *bound;   /* "compute", "HBM", or NULL */
};

struct answer {
    const struct xpd_tool_ctx *ctx;
    XPD_VEC(struct row) rows;
    const char *why_not; /* of the last program without times */
    const char *clock;
    uint32_t host;  /* whose times these are; XPD_NO_INDEX: each program's first host */
    bool *left_out; /* by host: it ran one of the programs, too */
    struct xpd_peaks peaks;
    bool has_peaks;
    int64_t self_ps; /* of all rows */
    uint32_t programs;
};

/* What a wrapper or a collective should take is not in its own work: a loop's body is listed by
 * itself, a link's time depends on who takes part. */
static bool has_roofline(const struct xpd_costs *costs, const struct xpd_hlo *hlo, uint32_t i)
{
    static const char *const wrapper[] = {"while", "conditional", "call"};
    struct xpd_str opcode = xpd_hlo_text(hlo, hlo->instructions.opcode[i]);
    for (size_t k = 0; k < sizeof wrapper / sizeof *wrapper; k++)
        if (xpd_str_eq(opcode, xpd_str_of(wrapper[k])))
            return false;
    return costs->collective[i] == XPD_NO_INDEX && !xpd_str_ends(opcode, "-start") &&
           !xpd_str_ends(opcode, "-done");
}

static void expect(struct row *row, const struct answer *a, const struct xpd_costs *costs)
{
    uint32_t i = row->instruction;
    struct xpd_amounts amounts = {
        .flops = costs->flops[i], .hbm_bytes = costs->hbm_bytes[i], .cycles = costs->cycles[i]};
    struct xpd_expected expected;
    row->flops = amounts.flops;
    row->hbm_bytes = amounts.hbm_bytes;
    if (!a->has_peaks || !has_roofline(costs, row->hlo, i))
        return;
    xpd_expect(&expected, &amounts, &a->peaks);
    double total_ps = expected.roofline_s * 1e12 * (double)row->sums->count;
    if (expected.roofline_s < 0 || total_ps >= 9e18)
        return;
    row->roofline_ps = (int64_t)(expected.roofline_s * 1e12 + 0.5);
    row->bound = expected.bound;
    row->lost_ps = row->sums->self_ps - (int64_t)total_ps;
    if (row->lost_ps < 0)
        row->lost_ps = 0;
}

/* Whose times they are, and who ran the program too. */
static void note_hosts(struct answer *a, const struct xpd_module *module, uint32_t host)
{
    a->host = a->programs == 1 || a->host == host ? host : XPD_NO_INDEX;
    for (uint32_t i = 0; i < module->host_count; i++)
        if (module->host[i] != host && xpd_host_has_events(&a->ctx->run->host[module->host[i]]))
            a->left_out[module->host[i]] = true;
}

static int add_program(struct answer *a, uint32_t module, struct xpd_err *err)
{
    struct xpd_tool_ctx one = *a->ctx;
    struct xpd_measured measured;
    const char *never = xpd_measured_never(one.run, module);
    if (never) {
        a->why_not = never;
        return XPD_OK;
    }
    one.module = module;
    int rc = xpd_store_module(one.store, one.run, module, &one.hlo, NULL, err);
    if (rc == XPD_OK)
        rc = xpd_measured_of(&measured, &one, module, one.hlo, xpd_measured_asked(a->ctx), err);
    if (rc != XPD_OK)
        return rc;
    if (measured.why_not) {
        a->why_not = measured.why_not;
        return XPD_OK;
    }
    const struct xpd_costs *costs = xpd_tools_costs(&one, err);
    if (!costs)
        return err->code;
    a->has_peaks = xpd_explain_peaks_typed(&one, &a->peaks);
    const char *clock = xpd_op_clock(measured.program->count, measured.program->device_count);
    a->clock = !a->clock || strcmp(a->clock, clock) == 0 ? clock : "mixed";
    a->programs++;
    note_hosts(a, &one.run->module[module], measured.host);
    for (uint32_t i = 0; i < one.hlo->instructions.count; i++) {
        if (!measured.op[i])
            continue;
        const struct xpd_op *wait = measured.wait[i];
        struct row row = {
            module, i,  one.hlo, &measured.op[i]->sums, wait ? &wait->sums : NULL, -1, -1,
            -1,     -1, NULL};
        expect(&row, a, costs);
        xpd_grow_i64(&a->self_ps, row.sums->self_ps);
        XPD_PUSH(&a->rows, row);
    }
    return a->rows.failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static int collect(struct answer *a, struct xpd_err *err)
{
    struct xpd_str wanted = xpd_param_text(a->ctx, "module");
    uint32_t module = 0, end = a->ctx->run->module_count;
    int rc = XPD_OK;
    a->left_out = XPD_NEW_ARRAY(a->ctx->arena, bool, a->ctx->run->host_count);
    if (!a->left_out)
        return xpd_tools_no_memory(err);
    if (wanted.size > 0) {
        rc = xpd_run_find_module(a->ctx->run, wanted, &module, err);
        end = module + 1;
    }
    for (; rc == XPD_OK && module < end; module++)
        rc = add_program(a, module, err);
    return rc;
}

/* ---- order: the largest first, unknown last ---- */

static double times_count(int64_t one, const struct row *row)
{
    return one < 0 ? -1 : (double)one * (double)row->sums->count;
}

static int descending(double x, double y, const struct row *a, const struct row *b)
{
    if (x != y)
        return x < y ? 1 : -1;
    if (a->sums->self_ps != b->sums->self_ps)
        return a->sums->self_ps < b->sums->self_ps ? 1 : -1;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return (a->instruction > b->instruction) - (a->instruction < b->instruction);
}

static int by_time(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return descending((double)x->sums->self_ps, (double)y->sums->self_ps, x, y);
}

static int by_lost(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return descending((double)x->lost_ps, (double)y->lost_ps, x, y);
}

static int by_flops(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return descending(times_count(x->flops, x), times_count(y->flops, y), x, y);
}

static int by_bytes(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return descending(times_count(x->hbm_bytes, x), times_count(y->hbm_bytes, y), x, y);
}

static void sort(struct answer *a)
{
    struct xpd_str by = xpd_param_text(a->ctx, "sort");
    int (*order)(const void *, const void *) = xpd_str_eq(by, XPD_STR("lost"))    ? by_lost
                                               : xpd_str_eq(by, XPD_STR("flops")) ? by_flops
                                               : xpd_str_eq(by, XPD_STR("bytes")) ? by_bytes
                                                                                  : by_time;
    if (a->rows.count > 1)
        qsort(a->rows.at, a->rows.count, sizeof *a->rows.at, order);
}

/* ---- forms ---- */

#define NAME(row)   xpd_hlo_text((row)->hlo, (row)->hlo->instructions.name[(row)->instruction])
#define OPCODE(row) xpd_tools_opcode((row)->hlo, (row)->instruction)

/* Of one execution, per second; -1 = unknown. */
static double rate_of(const struct row *row, bool memory)
{
    double mean_ps = xpd_op_mean_ps(row->sums);
    int64_t amount = memory ? row->hbm_bytes : row->flops;
    return amount >= 0 && mean_ps > 0 ? (double)amount / mean_ps * 1e12 : -1;
}

#define BEYOND 1.01 /* published figures are rounded */

/* The row that is furthest beyond a peak; NULL: none is. */
static const struct row *beyond(const struct answer *a, bool memory)
{
    double peak = memory ? a->peaks.hbm_bytes_per_s : a->peaks.flops_per_s, most = BEYOND * peak;
    const struct row *found = NULL;
    for (size_t i = 0; a->has_peaks && peak > 0 && i < a->rows.count; i++) {
        const struct row *row = &a->rows.at[i];
        double rate = rate_of(row, memory);
        if (row->roofline_ps >= 0 && rate > most) {
            most = rate;
            found = row;
        }
    }
    return found;
}

static void say_beyond(struct xpd_strbuf *out, const struct answer *a, bool memory)
{
    const struct row *row = beyond(a, memory);
    const struct xpd_peaks *sheet = xpd_peaks_find(xpd_str_of(a->peaks.device));
    if (!row)
        return;
    double peak = memory ? a->peaks.hbm_bytes_per_s : a->peaks.flops_per_s;
    double says = !sheet ? -1 : memory ? sheet->hbm_bytes_per_s : sheet->flops_per_s;
    const char *unit = memory ? "B/s" : "FLOP/s";
    struct xpd_str name = NAME(row);
    xpd_strbuf_puts(out, out->size > 0 ? " " : "");
    xpd_strbuf_add(out, name.data, name.size);
    xpd_strbuf_printf(out,
                      " reached %.4g T%s, above the peak of %.4g T%s: this cannot be the peak%s.",
                      rate_of(row, memory) / 1e12, unit, peak / 1e12, unit,
                      memory ? ", unless a cache served the bytes" : "");
    if (says > peak)
        xpd_strbuf_printf(out, " For %s the table of chips says %.4g T%s.", sheet->device,
                          says / 1e12, unit);
    xpd_strbuf_printf(out, " What is the peak of this device? Give it with %s.",
                      memory ? "--peak-bandwidth (peak_bandwidth=)" : "--peak-flops (peak_flops=)");
}

/* What is wrong with the peaks, by what was measured; "" = nothing. */
static struct xpd_str problem_of(struct xpd_strbuf *text, const struct answer *a)
{
    xpd_strbuf_clear(text);
    say_beyond(text, a, false);
    say_beyond(text, a, true);
    return (struct xpd_str){text->data ? text->data : "", text->size};
}

static double achieved(const struct row *row)
{
    double mean = xpd_op_mean_ps(row->sums);
    return row->roofline_ps < 0 || mean <= 0 ? -1 : (double)row->roofline_ps / mean;
}

/* What the chips waited in all for the pair that it is half of; -1: it is none. */
static int64_t waited(const struct row *row)
{
    return row->wait ? row->wait->total_ps : -1;
}

static void put_achieved(struct xpd_jsonw *w, const struct row *row)
{
    if (achieved(row) < 0)
        xpd_json_null(w);
    else
        xpd_json_double(w, achieved(row));
}

static const char *key_of(const struct answer *a, const struct row *row)
{
    return a->ctx->run->module[row->module].key;
}

static struct xpd_str source_of(struct xpd_strbuf *text, const struct row *row)
{
    xpd_strbuf_clear(text);
    xpd_tools_source(text, row->hlo, row->instruction);
    return (struct xpd_str){text->data ? text->data : "", text->size};
}

/* Whose times these are, and who else ran the programs. */
static void write_hosts(struct xpd_jsonw *w, const struct answer *a)
{
    const struct xpd_run *run = a->ctx->run;
    xpd_json_ktext(w, "host", a->host == XPD_NO_INDEX ? NULL : run->host[a->host].name);
    xpd_json_key(w, "other_hosts");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < run->host_count; i++)
        if (a->left_out[i])
            xpd_json_text(w, run->host[i].name);
    xpd_json_arr_end(w);
}

static void write_json(struct xpd_jsonw *w, const struct answer *a, const struct row *at,
                       uint32_t n, uint32_t first)
{
    struct xpd_strbuf text = {0};
    xpd_json_obj(w);
    xpd_json_kbool(w, "known", a->programs > 0);
    xpd_json_ktext(w, "reason", a->programs > 0 ? NULL : a->why_not);
    xpd_json_ktext(w, "clock", a->clock);
    write_hosts(w, a);
    xpd_json_key(w, "peaks");
    if (a->has_peaks)
        xpd_explain_put_peaks(w, &a->peaks);
    else
        xpd_json_null(w);
    struct xpd_str problem = problem_of(&text, a);
    xpd_json_key(w, "peaks_problem");
    if (problem.size > 0)
        xpd_json_str(w, problem);
    else
        xpd_json_null(w);
    xpd_json_ku64(w, "programs", a->programs);
    xpd_json_ki64(w, "self_ps", a->self_ps);
    xpd_json_ku64(w, "total", a->rows.count);
    xpd_json_ku64(w, "offset", first);
    xpd_json_key(w, "ops");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "module", n, xpd_json_text(w, key_of(a, &at[row])));
    XPD_COLUMN(w, "name", n, xpd_json_str(w, NAME(&at[row])));
    XPD_COLUMN(w, "opcode", n, xpd_json_str(w, OPCODE(&at[row])));
    XPD_COLUMN(w, "count", n, xpd_json_u64(w, at[row].sums->count));
    XPD_COLUMN(w, "total_ps", n, xpd_json_i64(w, at[row].sums->total_ps));
    XPD_COLUMN(w, "self_ps", n, xpd_json_i64(w, at[row].sums->self_ps));
    XPD_COLUMN(w, "mean_ps", n, xpd_json_double(w, xpd_op_mean_ps(at[row].sums)));
    XPD_COLUMN(w, "wait_total_ps", n, xpd_tools_known(w, waited(&at[row])));
    XPD_COLUMN(w, "flops", n, xpd_tools_known(w, at[row].flops));
    XPD_COLUMN(w, "hbm_bytes", n, xpd_tools_known(w, at[row].hbm_bytes));
    XPD_COLUMN(w, "roofline_ps", n, xpd_tools_known(w, at[row].roofline_ps));
    XPD_COLUMN(w, "achieved", n, put_achieved(w, &at[row]));
    XPD_COLUMN(w, "lost_ps", n, xpd_tools_known(w, at[row].lost_ps));
    XPD_COLUMN(w, "bound", n, xpd_json_text(w, at[row].bound));
    XPD_COLUMN(w, "source", n, xpd_json_str(w, source_of(&text, &at[row])));
    xpd_json_obj_end(w);
    xpd_json_obj_end(w);
    xpd_strbuf_fini(&text);
}

static void put_cell(struct xpd_csv *csv, int64_t value)
{
    if (value < 0)
        xpd_csv_empty(csv);
    else
        xpd_csv_i64(csv, value);
}

static void write_csv(struct xpd_tool_result *out, const struct answer *a, const struct row *at,
                      uint32_t n)
{
    struct xpd_csv csv;
    struct xpd_strbuf text = {0};
    xpd_tools_start_csv(out, &csv, "operations.csv");
    xpd_csv_header(
        &csv, "module,name,opcode,count,total_ps,self_ps,wait_total_ps,flops,hbm_bytes,roofline_ps,"
              "lost_ps,bound,source");
    for (uint32_t i = 0; i < n; i++) {
        xpd_csv_text(&csv, key_of(a, &at[i]));
        xpd_csv_str(&csv, NAME(&at[i]));
        xpd_csv_str(&csv, OPCODE(&at[i]));
        xpd_csv_u64(&csv, at[i].sums->count);
        xpd_csv_i64(&csv, at[i].sums->total_ps);
        xpd_csv_i64(&csv, at[i].sums->self_ps);
        put_cell(&csv, waited(&at[i]));
        put_cell(&csv, at[i].flops);
        put_cell(&csv, at[i].hbm_bytes);
        put_cell(&csv, at[i].roofline_ps);
        put_cell(&csv, at[i].lost_ps);
        xpd_csv_text(&csv, at[i].bound);
        xpd_csv_str(&csv, source_of(&text, &at[i]));
        xpd_csv_end_row(&csv);
    }
    xpd_strbuf_fini(&text);
}

/* What is not zero never reads as 0.0. */
static void put_number(struct xpd_strbuf *out, int width, int digits, double value)
{
    double least = digits == 1 ? 0.1 : 0.001;
    char text[32];
    snprintf(text, sizeof text, value > 0 && value < least / 2 ? "< %.*f" : "%.*f", digits,
             value > 0 && value < least / 2 ? least : value);
    xpd_strbuf_printf(out, "%*s", width, text);
}

static void put_times(struct xpd_strbuf *out, const struct answer *a, const struct row *row)
{
    double self_ps = (double)row->sums->self_ps;
    put_number(out, 13, 3, self_ps / 1e9);
    put_number(out, 7, 1, a->self_ps > 0 ? self_ps * 100 / (double)a->self_ps : 0);
    xpd_strbuf_printf(out, " %% %8" PRIu64 " ", row->sums->count);
    put_number(out, 12, 3, xpd_op_mean_ps(row->sums) / 1e6);
    xpd_strbuf_putc(out, ' ');
    if (achieved(row) < 0) {
        xpd_strbuf_printf(out, "%12s %9s %12s  %-7s  ", "unknown", "", "", "");
        return;
    }
    put_number(out, 12, 3, (double)row->roofline_ps / 1e6);
    put_number(out, 8, 1, achieved(row) * 100);
    xpd_strbuf_puts(out, " % ");
    put_number(out, 12, 3, (double)row->lost_ps / 1e9);
    xpd_strbuf_printf(out, "  %-7s  ", row->bound ? row->bound : "");
}

static void write_text(struct xpd_strbuf *out, const struct answer *a, const struct row *at,
                       uint32_t n)
{
    struct xpd_strbuf text = {0};
    if (a->programs == 0) {
        xpd_strbuf_printf(out, "No times: %s.\n", a->why_not ? a->why_not : "there is no program");
        return;
    }
    xpd_strbuf_printf(out, "%zu operations of %" PRIu32 " program%s; clock: %s; peaks: %s%s%s\n\n",
                      a->rows.count, a->programs, a->programs == 1 ? "" : "s", a->clock,
                      a->has_peaks ? a->peaks.device : "of this device not known",
                      a->has_peaks && a->peaks.source ? ", " : "",
                      a->has_peaks && a->peaks.source ? a->peaks.source : "");
    struct xpd_str problem = problem_of(&text, a);
    if (problem.size > 0)
        xpd_strbuf_printf(out, "warning: %.*s\n\n", (int)problem.size, problem.data);
    xpd_strbuf_puts(out, "      self ms   share    count      mean us  roofline us  achieved"
                         "      lost ms  bound    operation\n");
    for (uint32_t i = 0; i < n; i++) {
        const struct row *row = &at[i];
        put_times(out, a, row);
        struct xpd_str name = NAME(row);
        xpd_strbuf_add(out, name.data, name.size);
        if (row->wait)
            xpd_strbuf_printf(out, "  waits %.3f us a time", xpd_op_mean_ps(row->wait) / 1e6);
        if (a->programs > 1)
            xpd_strbuf_printf(out, "  in %s", key_of(a, row));
        struct xpd_str source = source_of(&text, row);
        xpd_strbuf_puts(out, source.size > 0 ? "  " : "");
        xpd_strbuf_add(out, source.data, source.size);
        xpd_strbuf_putc(out, '\n');
    }
    if (a->rows.count > n)
        xpd_strbuf_printf(out, "%zu more\n", a->rows.count - n);
    xpd_strbuf_fini(&text);
}

static int ops(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct answer a = {.ctx = ctx, .host = XPD_NO_INDEX};
    struct xpd_str format = xpd_param_text(ctx, "format");
    int rc = collect(&a, err);
    if (rc == XPD_OK) {
        sort(&a);
        uint32_t first = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_ops, "offset");
        uint32_t limit = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_ops, "limit");
        first = first < a.rows.count ? first : (uint32_t)a.rows.count;
        uint32_t n = a.rows.count - first < limit ? (uint32_t)a.rows.count - first : limit;
        const struct row *at = a.rows.at ? a.rows.at + first : NULL;
        if (xpd_tools_csv(ctx)) {
            write_csv(out, &a, at, n);
        } else if (xpd_str_eq(format, XPD_STR("text"))) {
            out->type = XPD_BODY_TEXT;
            write_text(&out->body, &a, at, n);
        } else {
            struct xpd_jsonw w;
            xpd_jsonw_init(&w, &out->body);
            write_json(&w, &a, at, n, first);
        }
    }
    XPD_VEC_FINI(&a.rows);
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "sort",
     .type = XPD_PARAM_ENUM,
     .words = "time lost flops bytes",
     .help = "`time` (default: self time), `lost` (against the roofline), `flops`, `bytes`"},
    {.name = "format",
     .type = XPD_PARAM_ENUM,
     .words = "json csv text",
     .help = "form of the answer"},
    XPD_PEAKS_PARAMS,
    {.name = "offset", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "first row"},
    XPD_PARAM_LIMIT(ROWS_DEFAULT, ROWS_MAX, "rows, default 200, at most 10,000"),
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_ops = {
    .route = "/api/v1/trace/ops",
    .title = "The operations of the programs that ran: time, roofline, what is lost against it.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .run = ops,
};
