/* /api/v1/trace/ops/one: one operation: its executions, its chips, and those that are like it. */
#include "ops_kernels.h"
#include "ops_shown.h"
#include "ops_spread.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/vec.h"
#include "xprofd/trace/totals.h"

#include <stdlib.h>

#define RUNS_MAX  12 /* above, the longest ones and a histogram */
#define BINS      32
#define ALIKE_MAX 200

#define XPD_OPS_RUN_FIELDS(FIELD)                                                                  \
    FIELD(INT, start_ps, "from the start of the host's trace, host-aligned")                       \
    FIELD(INT, duration_ps, "")                                                                    \
    FIELD(INDEX, chip, "row of `chips`")                                                           \
    FIELD(MAYBE(INT), event, "its number in the trace of `host`; of several kernels the first")
XPD_RECORD(xpd_ops_run, XPD_OPS_RUN_FIELDS)

#define XPD_OPS_BIN_FIELDS(FIELD)                                                                  \
    FIELD(INT, from_ps, "shortest duration in the bin")                                            \
    FIELD(INT, to_ps, "longest duration in the bin; for the last bin the maximum")                 \
    FIELD(INT, count, "executions")
XPD_RECORD(xpd_ops_bin, XPD_OPS_BIN_FIELDS)

#define XPD_OPS_CHIP_FIELDS(FIELD)                                                                 \
    FIELD(TEXT, name, "name of its process in the trace")                                          \
    FIELD(SIGNED, number, "-1: none")                                                              \
    FIELD(INT, count, "executions")                                                                \
    FIELD(INT, total_ps, "")                                                                       \
    FIELD(REAL, mean_ps, "")                                                                       \
    FIELD(INT, min_ps, "")                                                                         \
    FIELD(INT, max_ps, "")
XPD_RECORD(xpd_ops_chip, XPD_OPS_CHIP_FIELDS)

#define XPD_OPS_ALIKE_FIELDS(FIELD)                                                                \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(TEXT, scope, "")                                                                         \
    FIELD(INT, executions, "")                                                                     \
    FIELD(INT, self_ps, "")                                                                        \
    FIELD(REAL, mean_ps, "")
XPD_RECORD(xpd_ops_alike, XPD_OPS_ALIKE_FIELDS)

#define XPD_OPS_ONE_FIELDS(FIELD)                                                                  \
    FIELD(BOOL, known, "it was measured")                                                          \
    FIELD(MAYBE(STRING), reason, "why not")                                                        \
    FIELD(MAYBE(OBJECT(xpd_ops_row)), op, "as in trace/ops, with percentiles")                     \
    FIELD(MAYBE(STRING), host, "host of the executions")                                           \
    FIELD(INT, all_runs, "executions")                                                             \
    FIELD(COLUMNS(xpd_ops_run), runs,                                                              \
          "up to 12 executions by start; if there are more, the 12 longest, the longest first")    \
    FIELD(MAYBE(OBJECT(xpd_ops_run)), first, "the execution that began first")                     \
    FIELD(MAYBE(COLUMNS(xpd_ops_bin)), histogram,                                                  \
          "for more than 12 executions: 31 bins of equal width up to the 99th percentile, and "    \
          "one for longer ones")                                                                   \
    FIELD(COLUMNS(xpd_ops_chip), chips, "number of devices that ran it")                           \
    FIELD(COLUMNS(xpd_ops_kernel_row), kernels,                                                    \
          "on a GPU: the kernels of its executions, equal ones added up, most time first")         \
    FIELD(                                                                                         \
        INT, kernel_events,                                                                        \
        "number of events of these kernels; of all steps, at most the first 2,000 of each device") \
    FIELD(COUNT, all_alike,                                                                        \
          "operations of its program with the same opcode, shape, work, and scope except for "     \
          "numbers, including itself")                                                             \
    FIELD(COLUMNS(xpd_ops_alike), alike, "at most 200 of these, in program order")
XPD_RECORD(xpd_ops_one, XPD_OPS_ONE_FIELDS)

struct chip {
    struct xpd_ops_chip shown;
    uint32_t device; /* of the times */
};

struct one {
    const struct xpd_tool_ctx *ctx;
    struct xpd_ops_found found;
    const struct xpd_op_row *row;
    const struct xpd_op_runs *runs;
    XPD_VEC(struct xpd_ops_run) run;
    XPD_VEC(struct chip) chip;
    struct xpd_ops_row shown;
    struct xpd_ops_one out;
};

/* ---- which ---- */

/* The one with most time where several programs have that name. */
static void find(struct one *one)
{
    struct xpd_str name = xpd_param_text(one->ctx, "name");
    for (uint32_t i = 0; i < one->found.ops.count; i++) {
        const struct xpd_op_row *row = &one->found.ops.row[i];
        if (xpd_str_eq(row->name, name) && (!one->row || row->self_ps > one->row->self_ps))
            one->row = row;
    }
}

/* ---- executions ---- */

static void add_run(struct one *one, uint32_t *have, struct xpd_ops_run run)
{
    size_t n = one->run.count;
    if (*have == 0)
        XPD_PUSH(&one->run, run);
    else if (n > 0)
        xpd_grow_i64(&one->run.at[n - 1].duration_ps, run.duration_ps);
    *have = (*have + 1) % one->row->kernels;
}

static void add_range(struct one *one, const struct xpd_op_range *range, uint32_t chip)
{
    const struct xpd_ops_source *source = &one->found.source[one->row->program];
    const struct xpd_op_device_runs *device = &one->runs->device[range->device];
    uint32_t op = (uint32_t)(one->row->op - one->runs->times->op), have = 0;
    for (uint32_t at = range->first; at < range->end; at++)
        if (xpd_op_run_op(device, at) == op)
            add_run(one, &have,
                    (struct xpd_ops_run){xpd_op_run_start_ps(device, at) - source->trace->first_ps,
                                         xpd_op_run_duration_ps(device, at), chip, -1});
}

static void add_chip(struct one *one, uint32_t d, size_t first)
{
    const struct xpd_trace *trace = one->found.source[one->row->program].trace;
    const struct xpd_op_device *device = &one->runs->times->device[d];
    struct xpd_ops_chip chip = {
        .name = xpd_intern_get(&trace->names, trace->process[device->process].name),
        .number = device->number,
        .min_ps = INT64_MAX};
    for (size_t i = first; i < one->run.count; i++) {
        int64_t ps = one->run.at[i].duration_ps;
        chip.count++;
        xpd_grow_i64(&chip.total_ps, ps);
        chip.min_ps = ps < chip.min_ps ? ps : chip.min_ps;
        chip.max_ps = ps > chip.max_ps ? ps : chip.max_ps;
    }
    if (chip.count == 0)
        return;
    chip.mean_ps = (double)chip.total_ps / (double)chip.count;
    XPD_PUSH(&one->chip, ((struct chip){chip, d}));
}

static int read_runs(struct one *one, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = one->ctx;
    const struct xpd_ops_source *source = &one->found.source[one->row->program];
    int rc = xpd_store_op_runs(ctx->store, ctx->run, source->host, ctx->wait_ms, &one->runs,
                               ctx->state, err);
    if (rc != XPD_OK)
        return rc;
    for (uint32_t d = 0; d < one->runs->device_count; d++) {
        const struct xpd_op_range all = {d, 0, one->runs->device[d].count};
        size_t first = one->run.count;
        uint32_t chip = (uint32_t)one->chip.count;
        if (!source->range)
            add_range(one, &all, chip);
        for (uint32_t i = 0; i < source->range_count; i++)
            if (source->range[i].device == d)
                add_range(one, &source->range[i], chip);
        add_chip(one, d, first);
    }
    return one->run.failed || one->chip.failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static int read_kernels(struct one *one, struct xpd_err *err)
{
    struct xpd_ops_kernels_of of = {0};
    int rc = xpd_tools_ops_kernels(&of, one->ctx, &one->found.source[one->row->program], one->runs,
                                   one->row->op, err);
    one->out.kernels.at = of.at;
    one->out.kernels.n = of.count;
    one->out.kernel_events = of.events;
    return rc;
}

static int by_start(const void *a, const void *b)
{
    const struct xpd_ops_run *x = a, *y = b;
    return (x->start_ps > y->start_ps) - (x->start_ps < y->start_ps);
}

static int by_length(const void *a, const void *b)
{
    const struct xpd_ops_run *x = a, *y = b;
    if (x->duration_ps != y->duration_ps)
        return x->duration_ps > y->duration_ps ? -1 : 1;
    return by_start(a, b);
}

/* Where bin number `bin` begins; ends at the end of the range. */
static int64_t edge(int64_t low, int64_t width, int64_t bin)
{
    bool overflow = false;
    return xpd_add_i64(low, xpd_mul_i64(bin, width, &overflow), &overflow);
}

/* The duration that a hundredth of the runs are not below; -1: no memory. */
static int64_t nearly_longest(const struct one *one)
{
    size_t n = one->run.count;
    int64_t *duration_ps = malloc(n * sizeof *duration_ps), found = -1;
    for (size_t i = 0; duration_ps && i < n; i++)
        duration_ps[i] = one->run.at[i].duration_ps;
    if (duration_ps)
        found = xpd_select_i64(duration_ps, n, n - 1 - n / 100);
    free(duration_ps);
    return found;
}

static int put_histogram(struct one *one, struct xpd_err *err)
{
    struct xpd_ops_bin *bin = XPD_NEW_ARRAY(one->ctx->arena, struct xpd_ops_bin, BINS);
    const struct xpd_ops_run *run = one->run.at;
    size_t n = one->run.count;
    int64_t low = run[0].duration_ps, top = low, high = nearly_longest(one);
    if (!bin || high < 0)
        return xpd_tools_no_memory(err);
    for (size_t i = 0; i < n; i++) {
        low = run[i].duration_ps < low ? run[i].duration_ps : low;
        top = run[i].duration_ps > top ? run[i].duration_ps : top;
    }
    int64_t width = high > low ? (high - low) / (BINS - 1) + 1 : 1;
    for (int b = 0; b < BINS; b++)
        bin[b] = (struct xpd_ops_bin){edge(low, width, b), edge(low, width, b + 1) - 1, 0};
    bin[BINS - 1].to_ps = top > bin[BINS - 1].to_ps ? top : bin[BINS - 1].to_ps;
    for (size_t i = 0; i < n; i++) {
        int64_t at = (run[i].duration_ps - low) / width;
        bin[at < BINS ? at : BINS - 1].count++;
    }
    one->out.histogram.at = bin;
    one->out.histogram.n = BINS;
    return XPD_OK;
}

/* Those that come first in an order, of which there are few of very many. */
static void pick_first(const struct one *one, struct xpd_ops_run *to, uint32_t most,
                       int (*order)(const void *, const void *))
{
    uint32_t n = 0;
    for (size_t i = 0; i < one->run.count; i++) {
        const struct xpd_ops_run *run = &one->run.at[i];
        if (n == most && order(run, &to[n - 1]) >= 0)
            continue;
        uint32_t at = n < most ? n++ : n - 1;
        for (; at > 0 && order(run, &to[at - 1]) < 0; at--)
            to[at] = to[at - 1];
        to[at] = *run;
    }
}

/* Runs that are shown know their events: looked up by their start, as there may be millions. */
static int64_t event_of(const struct one *one, const struct xpd_ops_run *run)
{
    const struct xpd_ops_source *source = &one->found.source[one->row->program];
    uint32_t process = one->runs->times->device[one->chip.at[run->chip].device].process;
    return xpd_op_event(source->trace, process, one->row->name, source->loose,
                        run->start_ps + source->trace->first_ps);
}

static int put_first(struct one *one, struct xpd_err *err)
{
    struct xpd_ops_run *first = XPD_NEW(one->ctx->arena, struct xpd_ops_run);
    if (!first)
        return xpd_tools_no_memory(err);
    if (one->run.count == 0)
        return XPD_OK;
    pick_first(one, first, 1, by_start);
    first->event = event_of(one, first);
    one->out.first = first;
    return XPD_OK;
}

static int put_runs(struct one *one, struct xpd_err *err)
{
    size_t n = one->run.count;
    bool many = n > RUNS_MAX;
    uint32_t shown = many ? RUNS_MAX : (uint32_t)n;
    struct xpd_ops_run *run = XPD_NEW_ARRAY(one->ctx->arena, struct xpd_ops_run, shown);
    uint32_t chips = (uint32_t)one->chip.count;
    struct xpd_ops_chip *chip = XPD_NEW_ARRAY(one->ctx->arena, struct xpd_ops_chip, chips);
    if (!run || !chip)
        return xpd_tools_no_memory(err);
    pick_first(one, run, shown, many ? by_length : by_start);
    for (uint32_t i = 0; i < shown; i++)
        run[i].event = event_of(one, &run[i]);
    for (uint32_t i = 0; i < chips; i++)
        chip[i] = one->chip.at[i].shown;
    one->out.all_runs = (int64_t)n;
    one->out.runs.at = run;
    one->out.runs.n = shown;
    one->out.chips.at = chip;
    one->out.chips.n = chips;
    int rc = put_first(one, err);
    return rc == XPD_OK && many ? put_histogram(one, err) : rc;
}

/* ---- those that are like it ---- */

/* The scope with the numbers of its parts as *. */
static void put_folded(struct xpd_strbuf *out, const struct one *one, const struct xpd_op_row *row)
{
    struct xpd_strbuf scope = {0};
    struct xpd_str rest, part;
    xpd_op_row_text(&scope, XPD_OPS_SCOPE, row, &one->found.program[row->program]);
    rest = (struct xpd_str){scope.data, scope.size};
    while (xpd_scope_next_part(&rest, &part)) {
        if (!xpd_scope_fold(out, part))
            xpd_strbuf_add(out, part.data, part.size);
        xpd_strbuf_putc(out, '/');
    }
    out->failed |= scope.failed;
    xpd_strbuf_fini(&scope);
}

static void put_likeness(struct xpd_strbuf *out, const struct one *one,
                         const struct xpd_op_row *row)
{
    const struct xpd_ops_program *of = &one->found.program[row->program];
    xpd_op_row_text(out, XPD_OPS_OPCODE, row, of);
    xpd_strbuf_putc(out, ' ');
    xpd_op_row_text(out, XPD_OPS_SHAPE, row, of);
    xpd_strbuf_printf(out, " %d %" PRId64 " %" PRId64 " ", (int)row->phase, row->amounts.flops,
                      row->bytes);
    put_folded(out, one, row);
}

static bool is_alike(const struct one *one, const struct xpd_op_row *row, struct xpd_str likeness,
                     struct xpd_strbuf *text)
{
    if (row == one->row)
        return true;
    if (row->program != one->row->program || row->instruction == XPD_NO_INDEX ||
        row->amounts.flops != one->row->amounts.flops || row->bytes != one->row->bytes)
        return false;
    xpd_strbuf_clear(text);
    put_likeness(text, one, row);
    return xpd_str_eq(likeness, (struct xpd_str){text->data, text->size});
}

static int put_alike(struct one *one, struct xpd_err *err)
{
    struct xpd_arena *arena = one->ctx->arena;
    struct xpd_strbuf text = {0};
    struct xpd_ops_alike *alike = XPD_NEW_ARRAY(arena, struct xpd_ops_alike, ALIKE_MAX);
    put_likeness(&text, one, one->row);
    struct xpd_str likeness = xpd_strbuf_keep(&text, arena);
    uint32_t n = 0;
    for (uint32_t i = 0; alike && i < one->found.ops.count; i++) {
        const struct xpd_op_row *row = &one->found.ops.row[i];
        if (!is_alike(one, row, likeness, &text) || one->out.all_alike++ >= ALIKE_MAX)
            continue;
        xpd_strbuf_clear(&text);
        xpd_op_row_text(&text, XPD_OPS_SCOPE, row, &one->found.program[row->program]);
        alike[n++] = (struct xpd_ops_alike){row->name, xpd_strbuf_keep(&text, arena),
                                            row->executions, row->self_ps, row->mean_ps};
    }
    bool ok = alike && !text.failed && !arena->failed;
    xpd_strbuf_fini(&text);
    one->out.alike.at = alike;
    one->out.alike.n = n;
    return ok ? XPD_OK : xpd_tools_no_memory(err);
}

/* ---- the answer ---- */

static int fill(struct one *one, struct xpd_err *err)
{
    struct xpd_strbuf scratch = {0};
    int rc = xpd_tools_ops_spread(&one->found, one->ctx, err);
    if (rc == XPD_OK)
        rc = read_runs(one, err);
    if (rc == XPD_OK)
        rc = read_kernels(one, err);
    if (rc == XPD_OK)
        rc = put_runs(one, err);
    if (rc == XPD_OK)
        rc = put_alike(one, err);
    xpd_ops_show(&one->shown, &one->found, one->row);
    xpd_ops_show_texts(&one->shown, &one->found, one->row, &scratch, one->ctx->arena);
    xpd_strbuf_fini(&scratch);
    one->out.op = &one->shown;
    one->out.host = xpd_tools_whose(one->ctx->run, one->found.host);
    one->out.known = true;
    XPD_VEC_FINI(&one->run);
    XPD_VEC_FINI(&one->chip);
    return rc;
}

static int make(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    struct one *one = XPD_NEW(ctx->arena, struct one);
    if (!one)
        return xpd_tools_no_memory(err);
    one->ctx = ctx;
    *out = &one->out;
    int rc = xpd_tools_ops(&one->found, ctx, err);
    if (rc != XPD_OK)
        return rc;
    find(one);
    if (one->row)
        return fill(one, err);
    one->out.reason =
        one->found.reason ? one->found.reason : "no operation of this name was measured";
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    {.name = "name", .type = XPD_PARAM_TEXT, .required = true, .help = "of the instruction"},
    {.name = "module",
     .type = XPD_PARAM_TEXT,
     .help = "its program; default: the one in which it takes most time"},
    {.name = "host",
     .type = XPD_PARAM_TEXT,
     .help = "host of the events; default, and ALL: all hosts together"},
    XPD_OPS_STEPS_PARAM,
    XPD_PARAM_FORMAT,
    XPD_PEAKS_PARAMS,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_ops_one = {
    .route = "/api/v1/trace/ops/one",
    .title = "One operation: its executions, its chips, and equal operations.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_ops_one_record,
    .make = make,
    .file_name = "operation.csv",
    XPD_IN_REPORT("", {270, XPD_EACH_OP, "name={name}&module={module}",
                       "the cards of the 200 operations of most time"}),
};
