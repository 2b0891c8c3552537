/* Collecting the rows of a run's operations. In: the parameters of a call. Out: for each program
 * that ran its times, HLO and costs, and the rows that follow from them. */
#include "ops_rows.h"
#include "../common/sidebar.h"
#include "../tables/measured.h"
#include "../tables/table_costs.h"
#include "../tables/tools_tables.h"
#include "ops_hosts.h"

struct steps { /* of a host: executions in the steps that are asked for */
    bool made;
    struct xpd_op_range *range;
    uint32_t range_count;
    const struct xpd_op_chosen *chosen;
};

struct list {
    struct xpd_ops_found *out;
    const struct xpd_tool_ctx *ctx;
    uint32_t host;       /* that is asked for; xpd_run_all_hosts; XPD_NO_INDEX: none has events */
    struct steps *steps; /* by host; NULL: none are asked for */
    struct xpd_step_numbers *number;
    uint32_t number_count;
    XPD_VEC(struct xpd_ops_program) program;
    XPD_VEC(struct xpd_ops_source) source;
};

/* Who ran the program too. */
static void note_hosts(struct list *a, const struct xpd_module *module)
{
    bool all = a->host == xpd_run_all_hosts(a->ctx->run);
    for (uint32_t i = 0; !all && i < module->host_count; i++)
        if (module->host[i] != a->host && xpd_host_has_events(&a->ctx->run->host[module->host[i]]))
            a->out->left_out[module->host[i]] = true;
}

static bool runs_kernels(const struct xpd_trace *trace, const struct xpd_op_times *times)
{
    for (uint32_t i = 0; i < times->device_count; i++)
        if (trace->process[times->device[i].process].kind == XPD_PROCESS_GPU)
            return true;
    return false;
}

/* ---- steps ---- */

static int read_spans(struct xpd_step_spans *spans, const struct xpd_op_runs **runs,
                      const struct list *a, uint32_t host, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = a->ctx;
    struct xpd_view view = {0};
    int rc = xpd_store_op_runs(ctx->store, ctx->run, host, ctx->wait_ms, runs, ctx->state, err);
    if (rc == XPD_OK)
        rc =
            xpd_store_trace(ctx->store, ctx->run, host, ctx->wait_ms, &view.trace, ctx->state, err);
    if (rc == XPD_OK)
        rc = xpd_store_derived(ctx->store, ctx->run, host, ctx->wait_ms, &view.derived, ctx->state,
                               err);
    if (rc == XPD_OK &&
        !xpd_step_spans_make(spans, ctx->arena, &view, *runs, NULL, a->number, a->number_count))
        rc = xpd_tools_no_memory(err);
    return rc;
}

static int make_steps(struct list *a, uint32_t host, struct xpd_err *err)
{
    struct steps *steps = &a->steps[host];
    struct xpd_step_spans spans;
    const struct xpd_op_runs *runs;
    int rc = read_spans(&spans, &runs, a, host, err);
    if (rc != XPD_OK)
        return rc;
    uint32_t all = spans.first[runs->device_count];
    steps->range = XPD_NEW_ARRAY(a->ctx->arena, struct xpd_op_range, all);
    for (uint32_t d = 0; steps->range && d < runs->device_count; d++)
        for (uint32_t i = spans.first[d]; i < spans.first[d + 1]; i++) {
            struct xpd_op_range *range = &steps->range[steps->range_count++];
            range->device = d;
            xpd_op_runs_range(&runs->device[d], spans.span[i].from_ps, spans.span[i].to_ps,
                              &range->first, &range->end);
        }
    if (steps->range)
        steps->chosen = xpd_op_choose(runs, steps->range, steps->range_count, a->ctx->arena);
    steps->made = true;
    if (spans.step_count > a->out->step_count)
        a->out->step_count = spans.step_count;
    return steps->chosen ? XPD_OK : xpd_tools_no_memory(err);
}

static int open_steps(struct list *a, struct xpd_err *err)
{
    struct xpd_str typed = xpd_param_text(a->ctx, "steps");
    if (typed.size == 0)
        return XPD_OK;
    a->out->has_steps = true;
    a->steps = XPD_NEW_ARRAY(a->ctx->arena, struct steps, (size_t)a->ctx->run->host_count + 1);
    return a->steps
               ? xpd_tools_step_numbers(typed, a->ctx->arena, &a->number, &a->number_count, err)
               : xpd_tools_no_memory(err);
}

static int push(struct list *a, struct xpd_ops_program program, struct xpd_ops_source source,
                struct xpd_err *err)
{
    int rc = a->steps && !a->steps[source.host].made ? make_steps(a, source.host, err) : XPD_OK;
    if (rc != XPD_OK)
        return rc;
    if (a->steps) {
        program.chosen = a->steps[source.host].chosen;
        source.range = a->steps[source.host].range;
        source.range_count = a->steps[source.host].range_count;
    }
    const char *clock = xpd_op_clock(program.program->count, program.program->device_count);
    struct xpd_ops_found *out = a->out;
    program.kernels = runs_kernels(source.trace, program.times);
    source.loose = program.program->loose;
    out->clock = !out->clock || strcmp(out->clock, clock) == 0 ? clock : "mixed";
    out->host = source.host;
    XPD_PUSH(&a->program, program);
    XPD_PUSH(&a->source, source);
    return XPD_OK;
}

static bool is_taken(const struct list *a, const struct xpd_op_program *program)
{
    for (size_t i = 0; i < a->program.count; i++)
        if (a->program.at[i].program == program)
            return true;
    return false;
}

static int add_module(struct list *a, uint32_t module, struct xpd_err *err)
{
    struct xpd_tool_ctx one = *a->ctx;
    struct xpd_measured measured;
    const char *never = xpd_measured_never(one.run, module);
    if (never) {
        a->out->reason = never;
        return XPD_OK;
    }
    one.module = module;
    int rc = xpd_store_module(one.store, one.run, module, &one.hlo, NULL, err);
    if (rc == XPD_OK)
        rc = xpd_measured_of(&measured, &one, module, one.hlo, a->host, err);
    if (rc != XPD_OK || (measured.program && is_taken(a, measured.program)))
        return rc; /* the same program has another number on another host */
    if (!measured.program) {
        a->out->reason = measured.why_not;
        return XPD_OK;
    }
    const struct xpd_costs *costs = xpd_tools_costs(&one, err);
    if (!costs)
        return xpd_table_status(costs, err);
    a->out->has_peaks = xpd_explain_peaks_typed(&one, &a->out->peaks);
    note_hosts(a, &one.run->module[module]);
    return push(
        a,
        (struct xpd_ops_program){.name = one.run->module[module].key,
                                 .times = measured.times,
                                 .program = measured.program,
                                 .wait = measured.wait,
                                 .hlo = one.hlo,
                                 .costs = costs},
        (struct xpd_ops_source){.module = module, .host = measured.host, .trace = measured.trace},
        err);
}

/* ---- programs without HLO ---- */

#define OTHER_HLO                                                                                  \
    "the program of this name and number differs between hosts, and its HLO is read from the "     \
    "first of them"

/* What the events of a host name beside the programs whose HLO there is. */
static int add_others(struct list *a, uint32_t host, struct xpd_err *err)
{
    struct xpd_str wanted = xpd_param_text(a->ctx, "module");
    const struct xpd_tool_ctx *ctx = a->ctx;
    const struct xpd_op_times *times = NULL;
    const struct xpd_trace *trace = NULL;
    int rc = xpd_store_op_times(ctx->store, ctx->run, host, ctx->wait_ms, &times, ctx->state, err);
    if (rc == XPD_OK)
        rc = xpd_store_trace(ctx->store, ctx->run, host, ctx->wait_ms, &trace, ctx->state, err);
    for (uint32_t i = 0; rc == XPD_OK && i < times->program_count; i++) {
        const struct xpd_op_program *program = &times->program[i];
        bool other;
        const char *name = xpd_tools_program_name(ctx, times, program, &other);
        bool asked = wanted.size == 0 || xpd_str_eq(wanted, xpd_str_of(name));
        if (asked && !is_taken(a, program) && program->op_count > 0)
            rc = push(a,
                      (struct xpd_ops_program){.name = name,
                                               .times = times,
                                               .program = program,
                                               .why_no_hlo = other ? OTHER_HLO : NULL},
                      (struct xpd_ops_source){.module = XPD_NO_INDEX, .host = host, .trace = trace},
                      err);
    }
    return rc;
}

/* Other hosts that have events: of programs without HLO only those say whether they ran them, and
 * they are not read for that. */
static void note_others(struct list *a)
{
    const struct xpd_run *run = a->ctx->run;
    for (size_t i = 0; i < a->source.count; i++)
        for (uint32_t h = 0; a->source.at[i].module == XPD_NO_INDEX && h < run->host_count; h++)
            a->out->left_out[h] |= h != a->source.at[i].host && xpd_host_has_events(&run->host[h]);
}

static int add_hosts(struct list *a, struct xpd_err *err)
{
    const struct xpd_run *run = a->ctx->run;
    bool all = a->host == xpd_run_all_hosts(run), known = a->source.count > 0;
    if (a->host == XPD_NO_INDEX || (!all && !xpd_host_has_events(&run->host[a->host])))
        return XPD_OK;
    int rc = add_others(a, a->host, err);
    if (!all && !known)
        note_others(a);
    return rc;
}

/* ---- all ---- */

static int collect(struct list *a, struct xpd_err *err)
{
    const struct xpd_run *run = a->ctx->run;
    struct xpd_str wanted = xpd_param_text(a->ctx, "module");
    struct xpd_err unknown = {0};
    uint32_t module = 0, end = run->module_count;
    int rc = xpd_tools_host_called(run, xpd_param_text(a->ctx, "host"), &a->host, err);
    int found = XPD_OK;
    if (rc == XPD_OK)
        rc = open_steps(a, err);
    if (wanted.size > 0) { /* one whose HLO there is, else one that only events name */
        found = xpd_run_find_module(run, wanted, &module, &unknown);
        end = found == XPD_OK ? module + 1 : 0;
    }
    for (; rc == XPD_OK && module < end; module++)
        rc = add_module(a, module, err);
    if (rc == XPD_OK && (wanted.size == 0 || found != XPD_OK))
        rc = add_hosts(a, err);
    if (rc != XPD_OK || found == XPD_OK || a->program.count > 0)
        return rc;
    if (err)
        *err = unknown;
    return found;
}

static int keep(struct list *a, struct xpd_err *err)
{
    struct xpd_ops_found *out = a->out;
    struct xpd_arena *arena = a->ctx->arena;
    uint32_t n = (uint32_t)a->program.count;
    out->program = XPD_NEW_ARRAY(arena, struct xpd_ops_program, n);
    out->source = XPD_NEW_ARRAY(arena, struct xpd_ops_source, n);
    if (!out->program || !out->source || a->program.failed || a->source.failed)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        out->program[i] = a->program.at[i];
        out->source[i] = a->source.at[i];
    }
    out->program_count = n;
    if (!out->has_peaks)
        out->has_peaks = xpd_explain_peaks_typed(a->ctx, &out->peaks);
    if (n > 0)
        out->reason = out->has_steps && out->step_count == 0
                          ? "no marked step of the trace has one of these numbers"
                          : NULL;
    else if (!out->reason)
        out->reason = a->ctx->run->has_events ? "no event of the trace is an operation"
                                              : xpd_sidebar_trace_reason(a->ctx->run);
    return xpd_ops_make(&out->ops, arena, out->program, n, out->has_peaks ? &out->peaks : NULL,
                        err);
}

int xpd_tools_ops(struct xpd_ops_found *out, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    struct list a = {.out = out, .ctx = ctx};
    *out = (struct xpd_ops_found){.host = XPD_NO_INDEX, .run = ctx->run};
    out->left_out = XPD_NEW_ARRAY(ctx->arena, bool, ctx->run->host_count);
    if (!out->left_out)
        return xpd_tools_no_memory(err);
    int rc = collect(&a, err);
    if (rc == XPD_OK)
        rc = keep(&a, err);
    if (rc == XPD_OK)
        rc = xpd_tools_ops_hosts(out, ctx, err);
    XPD_VEC_FINI(&a.program);
    XPD_VEC_FINI(&a.source);
    return rc;
}

bool xpd_tools_ops_ask(struct xpd_tool_ctx *ask, const struct xpd_tool_ctx *ctx, const char *module,
                       const char *host)
{
    struct xpd_param *param =
        XPD_NEW_ARRAY(ctx->arena, struct xpd_param, (size_t)ctx->param_count + 2);
    uint32_t n = 0;
    if (!param)
        return false;
    for (uint32_t i = 0; i < ctx->param_count; i++)
        if (!xpd_str_eq(ctx->param[i].name, XPD_STR("host")) &&
            !xpd_str_eq(ctx->param[i].name, XPD_STR("module")))
            param[n++] = ctx->param[i];
    if (module)
        param[n++] = (struct xpd_param){XPD_STR("module"), xpd_str_of(module)};
    param[n++] = (struct xpd_param){XPD_STR("host"), xpd_str_of(host)};
    *ask = *ctx;
    ask->param = param;
    ask->param_count = n;
    return true;
}
