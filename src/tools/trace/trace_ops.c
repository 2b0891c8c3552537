/* /api/v1/trace/ops: the operations of the programs that ran, with their time, their roofline and
 * what they lose against it. */
#include "../program/explain.h"
#include "../tables/measured.h"
#include "../tables/table_costs.h"
#include "xprofd/answer/write.h"
#include "xprofd/base/checked.h"

#define ROWS_DEFAULT 200
#define ROWS_MAX     10000

#define XPD_OPS_ROW_FIELDS(FIELD)                                                                  \
    FIELD(TEXT, name, "of the instruction")                                                        \
    FIELD(STRING, module, "key of its program")                                                    \
    FIELD(TEXT, opcode, "")                                                                        \
    FIELD(INT, count, "executions")                                                                \
    FIELD(INT, total_ps, "of all executions")                                                      \
    FIELD(INT, self_ps, "total less what ran nested in it")                                        \
    FIELD(REAL, self_share, "of the self time of all operations")                                  \
    FIELD(REAL, mean_ps, "self time of one execution")                                             \
    FIELD(MAYBE(INT), wait_total_ps,                                                               \
          "what the chips waited for the asynchronous pair that it is half of")                    \
    FIELD(MAYBE(INT), flops, "of one execution, as graph/explain computes it")                     \
    FIELD(MAYBE(INT), hbm_bytes, "of one execution, likewise")                                     \
    FIELD(MAYBE(INT), roofline_ps,                                                                 \
          "what one execution should take at the peaks; null for loops, calls, collectives and "   \
          "asynchronous halves")                                                                   \
    FIELD(MAYBE(REAL), roofline_share, "roofline over mean")                                       \
    FIELD(MAYBE(INT), lost_ps, "self time beyond the roofline of all executions")                  \
    FIELD(MAYBE(WORD(XPD_BOUNDS)), bound, "what sets its roofline")                                \
    FIELD(TEXT, source, "file and line of the model's code, \"\" unknown")
XPD_RECORD(xpd_ops_row, XPD_OPS_ROW_FIELDS)

#define XPD_OPS_FIELDS(FIELD)                                                                      \
    FIELD(BOOL, known, "times are known of one program at least")                                  \
    FIELD(MAYBE(STRING), reason, "why not")                                                        \
    FIELD(MAYBE(WORD("device host mixed")), clock, "of all times")                                 \
    FIELD(MAYBE(STRING), host,                                                                     \
          "whose times these are; null: those of several programs, each of its first host")        \
    FIELD(VALUES(STRING), other_hosts,                                                             \
          "that ran one of the programs too: their times are not in this answer")                  \
    FIELD(MAYBE(OBJECT(xpd_peaks)), peaks, "of the device")                                        \
    FIELD(MAYBE(TEXT), peaks_problem,                                                              \
          "operations are faster than a peak: by how much, what the table of chips says, and how " \
          "to give the right one")                                                                 \
    FIELD(COUNT, programs, "with times")                                                           \
    FIELD(INT, self_ps, "of all operations")                                                       \
    FIELD(INT, total, "operations, listed or not")                                                 \
    FIELD(INT, offset, "of the first that is listed")                                              \
    FIELD(COLUMNS(xpd_ops_row), ops, "the operations")
XPD_RECORD(xpd_ops, XPD_OPS_FIELDS)

struct row { /* of the answer, and where it comes from */
    struct xpd_ops_row shown;
    uint32_t module, instruction;
    const struct xpd_hlo *hlo;
};

struct list {
    const struct xpd_tool_ctx *ctx;
    XPD_VEC(struct row) rows;
    struct xpd_ops out;
    struct xpd_peaks peaks;
    bool has_peaks;
    uint32_t host;  /* whose times these are; XPD_NO_INDEX: each program's first host */
    bool *left_out; /* by host: it ran one of the programs, too */
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

static void expect(struct row *row, const struct list *a, const struct xpd_costs *costs)
{
    uint32_t i = row->instruction;
    struct xpd_ops_row *out = &row->shown;
    struct xpd_amounts amounts;
    struct xpd_expected expected;
    xpd_amounts_of(&amounts, costs, row->hlo, i);
    out->flops = amounts.flops;
    out->hbm_bytes = amounts.hbm_bytes;
    if (!a->has_peaks || !has_roofline(costs, row->hlo, i))
        return;
    xpd_expect(&expected, &amounts, &a->peaks);
    double total_ps = expected.roofline_s * 1e12 * (double)out->count;
    if (expected.roofline_s < 0 || total_ps >= 9e18)
        return;
    out->roofline_ps = (int64_t)(expected.roofline_s * 1e12 + 0.5);
    out->bound = expected.bound;
    out->lost_ps = out->self_ps > (int64_t)total_ps ? out->self_ps - (int64_t)total_ps : 0;
    if (out->mean_ps > 0)
        out->roofline_share = (double)out->roofline_ps / out->mean_ps;
}

static struct row row_of(const struct list *a, const struct xpd_measured *measured,
                         const struct xpd_hlo *hlo, uint32_t module, uint32_t instruction)
{
    const struct xpd_op_sums *sums = &measured->op[instruction]->sums;
    const struct xpd_op *wait = measured->wait[instruction];
    struct xpd_ops_row shown = {
        .name = xpd_hlo_text(hlo, hlo->instructions.name[instruction]),
        .module = a->ctx->run->module[module].key,
        .opcode = xpd_tools_opcode(hlo, instruction),
        .count = (int64_t)sums->count,
        .total_ps = sums->total_ps,
        .self_ps = sums->self_ps,
        .mean_ps = xpd_op_mean_ps(sums),
        .wait_total_ps = wait ? wait->sums.total_ps : -1,
        .roofline_ps = -1,
        .roofline_share = -1,
        .lost_ps = -1,
    };
    return (struct row){shown, module, instruction, hlo};
}

/* Whose times they are, and who ran the program too. */
static void note_hosts(struct list *a, const struct xpd_module *module, uint32_t host)
{
    a->host = a->out.programs == 1 || a->host == host ? host : XPD_NO_INDEX;
    for (uint32_t i = 0; i < module->host_count; i++)
        if (module->host[i] != host && xpd_host_has_events(&a->ctx->run->host[module->host[i]]))
            a->left_out[module->host[i]] = true;
}

static int add_program(struct list *a, uint32_t module, struct xpd_err *err)
{
    struct xpd_tool_ctx one = *a->ctx;
    struct xpd_measured measured;
    const char *never = xpd_measured_never(one.run, module);
    if (never) {
        a->out.reason = never;
        return XPD_OK;
    }
    one.module = module;
    int rc = xpd_store_module(one.store, one.run, module, &one.hlo, NULL, err);
    if (rc == XPD_OK)
        rc = xpd_measured_of(&measured, &one, module, one.hlo, xpd_measured_asked(a->ctx), err);
    if (rc != XPD_OK)
        return rc;
    if (measured.why_not) {
        a->out.reason = measured.why_not;
        return XPD_OK;
    }
    const struct xpd_costs *costs = xpd_tools_costs(&one, err);
    if (!costs)
        return err->code;
    a->has_peaks = xpd_explain_peaks_typed(&one, &a->peaks);
    const char *clock = xpd_op_clock(measured.program->count, measured.program->device_count);
    a->out.clock = !a->out.clock || strcmp(a->out.clock, clock) == 0 ? clock : "mixed";
    a->out.programs++;
    note_hosts(a, &one.run->module[module], measured.host);
    for (uint32_t i = 0; i < one.hlo->instructions.count; i++) {
        if (!measured.op[i])
            continue;
        struct row row = row_of(a, &measured, one.hlo, module, i);
        expect(&row, a, costs);
        xpd_grow_i64(&a->out.self_ps, row.shown.self_ps);
        XPD_PUSH(&a->rows, row);
    }
    return a->rows.failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static int collect(struct list *a, struct xpd_err *err)
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
    return one < 0 ? -1 : (double)one * (double)row->shown.count;
}

static int descending(double x, double y, const struct row *a, const struct row *b)
{
    if (x != y)
        return x < y ? 1 : -1;
    if (a->shown.self_ps != b->shown.self_ps)
        return a->shown.self_ps < b->shown.self_ps ? 1 : -1;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return (a->instruction > b->instruction) - (a->instruction < b->instruction);
}

static int by_time(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return descending((double)x->shown.self_ps, (double)y->shown.self_ps, x, y);
}

static int by_lost(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return descending((double)x->shown.lost_ps, (double)y->shown.lost_ps, x, y);
}

static int by_flops(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return descending(times_count(x->shown.flops, x), times_count(y->shown.flops, y), x, y);
}

static int by_bytes(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return descending(times_count(x->shown.hbm_bytes, x), times_count(y->shown.hbm_bytes, y), x, y);
}

static void sort(struct list *a)
{
    static int (*const order[])(const void *, const void *) = {by_time, by_lost, by_flops,
                                                               by_bytes};
    int by = xpd_param_word(a->ctx, &xpd_tool_trace_ops, "sort");
    if (a->rows.count > 1)
        qsort(a->rows.at, a->rows.count, sizeof *a->rows.at, order[by < 0 ? 0 : by]);
}

/* ---- peaks that cannot be ---- */

/* Of one execution, per second; -1 = unknown. */
static double rate_of(const struct row *row, bool memory)
{
    int64_t amount = memory ? row->shown.hbm_bytes : row->shown.flops;
    double mean_ps = row->shown.mean_ps;
    return amount >= 0 && mean_ps > 0 ? (double)amount / mean_ps * 1e12 : -1;
}

#define BEYOND 1.01 /* published figures are rounded */

/* The row that is furthest beyond a peak; NULL: none is. */
static const struct row *beyond(const struct list *a, bool memory)
{
    double peak = memory ? a->peaks.hbm_bytes_per_s : a->peaks.flops_per_s, most = BEYOND * peak;
    const struct row *found = NULL;
    for (size_t i = 0; a->has_peaks && peak > 0 && i < a->rows.count; i++) {
        const struct row *row = &a->rows.at[i];
        double rate = rate_of(row, memory);
        if (row->shown.roofline_ps >= 0 && rate > most) {
            most = rate;
            found = row;
        }
    }
    return found;
}

static void say_beyond(struct xpd_strbuf *out, const struct list *a, bool memory)
{
    const struct row *row = beyond(a, memory);
    const struct xpd_peaks *sheet = xpd_peaks_find(xpd_str_of(a->peaks.device));
    if (!row)
        return;
    double peak = memory ? a->peaks.hbm_bytes_per_s : a->peaks.flops_per_s;
    double says = !sheet ? -1 : memory ? sheet->hbm_bytes_per_s : sheet->flops_per_s;
    const char *unit = memory ? "B/s" : "FLOP/s";
    xpd_strbuf_puts(out, out->size > 0 ? " " : "");
    xpd_strbuf_add(out, row->shown.name.data, row->shown.name.size);
    xpd_strbuf_printf(out,
                      " reached %.4g T%s, above the peak of %.4g T%s, so that peak is wrong%s.",
                      rate_of(row, memory) / 1e12, unit, peak / 1e12, unit,
                      memory ? ", unless a cache served the bytes" : "");
    if (says > peak)
        xpd_strbuf_printf(out, " For %s the table of chips says %.4g T%s.", sheet->device,
                          says / 1e12, unit);
    xpd_strbuf_printf(out, " Set the peak of this device with %s.",
                      memory ? "--peak-bandwidth (peak_bandwidth=)" : "--peak-flops (peak_flops=)");
}

/* ---- the answer ---- */

static void fill_rows(struct list *a, uint32_t first, uint32_t count, struct xpd_ops_row *to)
{
    struct xpd_strbuf text = {0};
    for (uint32_t i = 0; i < count; i++) {
        const struct row *row = &a->rows.at[first + i];
        to[i] = row->shown;
        to[i].self_share =
            a->out.self_ps > 0 ? (double)row->shown.self_ps / (double)a->out.self_ps : 0;
        xpd_tools_source(&text, row->hlo, row->instruction);
        to[i].source = xpd_strbuf_keep(&text, a->ctx->arena);
    }
    xpd_strbuf_fini(&text);
}

static void fill_hosts(struct list *a)
{
    const struct xpd_run *run = a->ctx->run;
    const char **other = XPD_NEW_ARRAY(a->ctx->arena, const char *, run->host_count);
    uint32_t n = 0;
    for (uint32_t i = 0; other && i < run->host_count; i++)
        if (a->left_out[i])
            other[n++] = run->host[i].name;
    a->out.host = a->host == XPD_NO_INDEX ? NULL : run->host[a->host].name;
    a->out.other_hosts.at = other;
    a->out.other_hosts.n = n;
}

static int fill(struct list *a, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = a->ctx;
    uint32_t total = (uint32_t)a->rows.count;
    uint32_t first = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_ops, "offset");
    uint32_t limit = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_ops, "limit");
    first = first < total ? first : total;
    uint32_t n = total - first < limit ? total - first : limit;
    struct xpd_ops_row *row = XPD_NEW_ARRAY(ctx->arena, struct xpd_ops_row, n);
    if (!row)
        return xpd_tools_no_memory(err);
    struct xpd_strbuf text = {0};
    fill_rows(a, first, n, row);
    fill_hosts(a);
    say_beyond(&text, a, false);
    say_beyond(&text, a, true);
    if (text.size > 0)
        a->out.peaks_problem = xpd_strbuf_keep(&text, ctx->arena);
    xpd_strbuf_fini(&text);
    a->out.known = a->out.programs > 0;
    if (a->out.known)
        a->out.reason = NULL;
    else if (!a->out.reason)
        a->out.reason = "there is no program";
    a->out.peaks = a->has_peaks ? &a->peaks : NULL;
    a->out.total = total;
    a->out.offset = first;
    a->out.ops.at = row;
    a->out.ops.n = n;
    return XPD_OK;
}

static int ops(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    struct list *a = XPD_NEW(ctx->arena, struct list);
    if (!a)
        return xpd_tools_no_memory(err);
    a->ctx = ctx;
    a->host = XPD_NO_INDEX;
    int rc = collect(a, err);
    if (rc == XPD_OK) {
        sort(a);
        rc = fill(a, err);
    }
    XPD_VEC_FINI(&a->rows);
    *out = &a->out;
    return rc;
}

static void text(struct xpd_strbuf *out, const void *answer)
{
    const struct xpd_ops *a = answer;
    if (!a->known) {
        xpd_strbuf_printf(out, "No times: %s.\n", a->reason);
        return;
    }
    xpd_strbuf_printf(out, "%lld operations of %" PRIu32 " program%s; clock: %s; peaks: %s%s%s\n\n",
                      (long long)a->total, a->programs, a->programs == 1 ? "" : "s", a->clock,
                      a->peaks ? a->peaks->device : "of this device not known",
                      a->peaks && a->peaks->source ? ", " : "",
                      a->peaks && a->peaks->source ? a->peaks->source : "");
    if (a->peaks_problem.data)
        xpd_strbuf_printf(out, "warning: %.*s\n\n", (int)a->peaks_problem.size,
                          a->peaks_problem.data);
    xpd_answer_table(out, xpd_record_table(xpd_ops_record(), "ops"), a,
                     a->programs > 1 ? "self_ps self_share count mean_ps wait_total_ps roofline_ps "
                                       "roofline_share lost_ps bound name module source"
                                     : "self_ps self_share count mean_ps wait_total_ps roofline_ps "
                                       "roofline_share lost_ps bound name source");
    if (a->total > a->offset + a->ops.n)
        xpd_strbuf_printf(out, "%lld more\n", (long long)(a->total - a->offset - a->ops.n));
}

static const struct xpd_param_spec params[] = {
    {.name = "module", .type = XPD_PARAM_TEXT, .help = "only this program; default: all that ran"},
    {.name = "host",
     .type = XPD_PARAM_TEXT,
     .help = "whose events; default: the first host of each program that has events"},
    {.name = "sort",
     .type = XPD_PARAM_ENUM,
     .words = "time lost flops bytes",
     .help = "self time, time lost against the roofline, or amounts of all executions"},
    XPD_PARAM_FORMAT,
    XPD_PEAKS_PARAMS,
    {.name = "offset", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "first row"},
    XPD_PARAM_LIMIT(ROWS_DEFAULT, ROWS_MAX, "rows"),
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_ops = {
    .route = "/api/v1/trace/ops",
    .title = "The operations of the programs that ran: time, roofline, what is lost against it.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_ops_record,
    .make = ops,
    .text = text,
    .file_name = "operations.csv",
};
