/* /api/v1/trace/ops: the operations of the programs that ran, with their time, their roofline and
 * what they lose against it. */
#include "ops_chosen.h"
#include "ops_hosts.h"
#include "ops_spread.h"
#include "ops_sum.h"
#include "xprofd/base/checked.h"

#define ROWS_DEFAULT 200
#define ROWS_MAX     10000

#define XPD_OPS_FIELDS(FIELD)                                                                      \
    FIELD(BOOL, known, "times of at least one program are known")                                  \
    FIELD(MAYBE(STRING), reason, "why not")                                                        \
    FIELD(MAYBE(WORD("device host mixed")), clock,                                                 \
          "of all times; mixed: only of several hosts, where those of one lack the chips' clocks") \
    XPD_OPS_WHOSE_FIELDS(FIELD)                                                                    \
    FIELD(MAYBE(OBJECT(xpd_peaks)), peaks, "of the device")                                        \
    FIELD(MAYBE(TEXT), peaks_problem,                                                              \
          "operations faster than a peak: by how much, the value in the table of chips, and how "  \
          "to set the right one")                                                                  \
    FIELD(COUNT, programs,                                                                         \
          "programs with times; kernels and copies that belong to no program are not included")    \
    FIELD(INT, self_ps, "of all operations")                                                       \
    FIELD(REAL, judged_share, "part of self_ps: operations with a known bound")                    \
    FIELD(MAYBE(INT), busy_ps,                                                                     \
          "time in which any operation ran, equal to self_ps - side_by_side_ps; with "             \
          "`percentiles`, of all programs and steps, by the host's clock; null by another clock")  \
    FIELD(MAYBE(INT), side_by_side_ps,                                                             \
          "part of self_ps: in parallel with other operations of the same chip")                   \
    FIELD(MAYBE(INT), lost_ps, "sum over all operations whose loss is known, waits included")      \
    FIELD(INT, wait_ps, "self time of waits")                                                      \
    FIELD(MAYBE(REAL), best_flops_per_s, "highest rate of an operation of 50 us or more")          \
    FIELD(MAYBE(REAL), best_hbm_bytes_per_s, "likewise")                                           \
    FIELD(COUNT, all_operations, "operations, including those that the filter leaves out")         \
    FIELD(INT, matched_self_ps, "self time of operations that pass `filter` and `in`")             \
    FIELD(MAYBE(STRING), filter_note,                                                              \
          "what was not checked because of the limits of an expression")                           \
    FIELD(MAYBE(INT), steps, "chosen steps that ran; null: no choice")                             \
    FIELD(INT, total, "rows, listed or not: operations, or groups of them")                        \
    FIELD(INT, offset, "of the first row listed")                                                  \
    FIELD(COLUMNS(xpd_ops_row), ops, "the operations")
XPD_RECORD(xpd_ops, XPD_OPS_FIELDS)

struct list {
    const struct xpd_tool_ctx *ctx;
    struct xpd_ops_found found;
    struct xpd_ops_lines lines;
    struct xpd_ops_whose whose;
    struct xpd_ops out;
};

/* ---- the answer ---- */

static void fill_sums(struct list *a)
{
    const struct xpd_op_rows *ops = &a->found.ops;
    struct xpd_ops_sum sum = {0};
    enum xpd_ops_against against;
    a->out.self_ps = ops->self_ps;
    a->out.judged_share = ops->self_ps > 0 ? (double)ops->judged_ps / (double)ops->self_ps : 0;
    a->out.best_flops_per_s = ops->best_flops_per_s;
    a->out.best_hbm_bytes_per_s = ops->best_bytes_per_s;
    for (uint32_t i = 0; i < ops->count; i++)
        xpd_ops_sum_add(&sum, &ops->row[i]);
    a->out.lost_ps = xpd_ops_sum_lost(&sum, &against);
    a->out.wait_ps = sum.bound_ps[XPD_BOUND_WAIT];
}

/* Streams of a GPU and threads of a CPU run beside each other, so that operations add up to more
 * than the time that passed. */
static int add_executions(struct list *a, struct xpd_err *err)
{
    bool all = xpd_param_text(a->ctx, "module").size == 0 && !a->found.has_steps;
    a->out.busy_ps = a->out.side_by_side_ps = -1;
    if (xpd_param_int(a->ctx, &xpd_tool_trace_ops, "percentiles") == 0)
        return XPD_OK;
    int rc = xpd_tools_ops_spread(&a->found, a->ctx, err);
    if (rc == XPD_OK && all)
        rc = xpd_tools_ops_side_by_side(&a->out.side_by_side_ps, &a->found, a->ctx, err);
    bool same_clock =
        a->out.side_by_side_ps == 0 || (a->found.clock && strcmp(a->found.clock, "host") == 0);
    if (rc == XPD_OK && all && same_clock)
        a->out.busy_ps = a->found.ops.self_ps - a->out.side_by_side_ps;
    return rc;
}

static int fill_rows(struct list *a, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = a->ctx;
    uint32_t total = a->lines.count;
    uint32_t first = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_ops, "offset");
    uint32_t limit = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_ops, "limit");
    first = first < total ? first : total;
    uint32_t n = total - first < limit ? total - first : limit;
    struct xpd_ops_row *row = XPD_NEW_ARRAY(ctx->arena, struct xpd_ops_row, n);
    if (!row)
        return xpd_tools_no_memory(err);
    xpd_ops_lines_texts(&a->lines, &a->found, first, n, ctx->arena);
    for (uint32_t i = 0; i < n; i++)
        row[i] = a->lines.at[first + i].shown;
    a->out.total = total;
    a->out.offset = first;
    a->out.ops.at = row;
    a->out.ops.n = n;
    return XPD_OK;
}

static int choose_lines(struct list *a, struct xpd_err *err)
{
    int rc = xpd_ops_filter(&a->lines, &a->found, a->ctx, &a->out.filter_note, err);
    if (rc == XPD_OK)
        rc = xpd_ops_narrow(&a->lines, &a->found, a->ctx, &xpd_tool_trace_ops, err);
    for (uint32_t i = 0; rc == XPD_OK && i < a->lines.count; i++)
        xpd_grow_i64(&a->out.matched_self_ps, a->lines.at[i].shown.self_ps);
    return rc == XPD_OK ? xpd_ops_group(&a->lines, &a->found, a->ctx, err) : rc;
}

static int ops(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    struct list *a = XPD_NEW(ctx->arena, struct list);
    if (!a)
        return xpd_tools_no_memory(err);
    *out = &a->out;
    a->ctx = ctx;
    int rc = xpd_tools_ops(&a->found, ctx, err);
    if (rc == XPD_OK)
        rc = add_executions(a, err);
    if (rc == XPD_OK)
        rc = xpd_tools_ops_whose(&a->whose, &a->found, ctx, err);
    if (rc == XPD_OK)
        rc = xpd_ops_lines_make(&a->lines, &a->found, ctx->arena, err);
    if (rc == XPD_OK)
        rc = choose_lines(a, err);
    if (rc == XPD_OK)
        rc = xpd_ops_sort(&a->lines, &a->found, ctx, err);
    if (rc == XPD_OK)
        rc = fill_rows(a, err);
    if (rc != XPD_OK)
        return rc;
    XPD_OPS_WHOSE_PUT(&a->out, &a->whose);
    fill_sums(a);
    a->out.known = a->found.reason == NULL;
    a->out.reason = a->found.reason;
    a->out.clock = a->found.clock;
    a->out.all_operations = a->found.ops.count;
    a->out.steps = a->found.has_steps ? (int64_t)a->found.step_count : -1;
    for (uint32_t i = 0; i < a->found.program_count; i++)
        a->out.programs += !a->found.source[i].loose;
    a->out.peaks = a->found.has_peaks ? &a->found.peaks : NULL;
    a->out.peaks_problem = xpd_tools_ops_peaks_problem(&a->found, ctx->arena);
    return XPD_OK;
}

static bool of_several(const struct xpd_ops *a)
{
    for (size_t i = 1; i < a->ops.n; i++)
        if (strcmp(a->ops.at[i].module, a->ops.at[0].module) != 0)
            return true;
    return a->programs > 1;
}

static void text(struct xpd_strbuf *out, const void *answer)
{
    const struct xpd_ops *a = answer;
    if (!a->known) {
        xpd_strbuf_printf(out, "No times: %s.\n", a->reason);
        return;
    }
    xpd_strbuf_printf(out, "%" PRIu32 " operation%s", a->all_operations,
                      a->all_operations == 1 ? "" : "s");
    if (a->programs > 0)
        xpd_strbuf_printf(out, " of %" PRIu32 " program%s", a->programs,
                          a->programs == 1 ? "" : "s");
    XPD_OPS_WHOSE_WORDS(out, a);
    xpd_strbuf_printf(out, "; clock: %s; peaks: ", a->clock);
    xpd_tools_ops_peaks_words(out, a->peaks);
    if (a->matched_self_ps < a->self_ps)
        xpd_strbuf_printf(out, "%.1f %% of their self time matches the filter\n",
                          100 * (double)a->matched_self_ps / (double)a->self_ps);
    xpd_strbuf_putc(out, '\n');
    if (a->peaks_problem.data)
        xpd_strbuf_printf(out, "warning: %.*s\n\n", (int)a->peaks_problem.size,
                          a->peaks_problem.data);
    const struct xpd_ops_row *first = a->ops.n > 0 ? a->ops.at : NULL;
    bool grouped = first && first->mean_ps < 0;
    const char *columns =
        grouped ? "self_ps self_share operations count flops_per_s hbm_bytes_per_s roofline_share "
                  "lost_ps bound name"
        : of_several(a)
            ? "self_ps self_share count mean_ps p50_ps p99_ps wait_total_ps roofline_ps "
              "roofline_share lost_ps bound name module source"
            : "self_ps self_share count mean_ps p50_ps p99_ps wait_total_ps roofline_ps "
              "roofline_share lost_ps bound name source";
    xpd_answer_table(out, xpd_record_table(xpd_ops_record(), "ops"), a, columns);
    if (a->total > a->offset + a->ops.n)
        xpd_strbuf_printf(out, "%lld more\n", (long long)(a->total - a->offset - a->ops.n));
}

static const struct xpd_param_spec params[] = {
    {.name = "module", .type = XPD_PARAM_TEXT, .help = "only this program; default: all that ran"},
    {.name = "host",
     .type = XPD_PARAM_TEXT,
     .help = "host of the events; default, and ALL: all hosts together"},
    XPD_OPS_FILTER_PARAM,
    XPD_OPS_IN_PARAMS,
    XPD_OPS_GROUP_PARAM,
    XPD_OPS_STEPS_PARAM,
    XPD_OPS_SORT_PARAMS,
    {.name = "percentiles",
     .type = XPD_PARAM_INT,
     .max = 1,
     .help = "1: adds percentiles and parallel time, which reads every execution"},
    XPD_PARAM_FORMAT,
    XPD_PEAKS_PARAMS,
    {.name = "offset", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "first row"},
    XPD_PARAM_LIMIT(ROWS_DEFAULT, ROWS_MAX, "rows"),
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_ops = {
    .route = "/api/v1/trace/ops",
    .title = "The operations of the programs that ran: time, roofline, loss.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_ops_record,
    .make = ops,
    .text = text,
    .file_name = "operations.csv",
    XPD_IN_REPORT("", {150, XPD_EACH_HOST, "limit=10000", "the operations"},
                  {150, XPD_EACH_HOST, "limit=10000&percentiles=1", NULL},
                  {280, XPD_EACH_HOST,
                   "limit=10000&group=module|category|opcode|group|scope|source|shape|bound",
                   "the operations in groups"}),
};
