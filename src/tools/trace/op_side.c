/* A program that ran, with its executions in the steps asked for. In: names out of a question. Out:
 * what the analyses take, or one sentence why it is not there. */
#include "op_side.h"
#include "../tables/measured.h"
#include "ops_hosts.h"

/* ---- steps=100-102,105 ---- */

static bool take_number(struct xpd_str *text, int64_t *number)
{
    size_t used = 0;
    while (used < text->size && text->data[used] >= '0' && text->data[used] <= '9')
        used++;
    bool fine = xpd_str_to_i64((struct xpd_str){text->data, used}, number);
    text->data += used;
    text->size -= used;
    return fine;
}

int xpd_tools_step_numbers(struct xpd_str text, struct xpd_arena *arena,
                           struct xpd_step_numbers **out, uint32_t *count, struct xpd_err *err)
{
    *count = 0;
    *out = XPD_NEW_ARRAY(arena, struct xpd_step_numbers, text.size / 2 + 1);
    if (!*out)
        return xpd_tools_no_memory(err);
    while (text.size > 0) {
        struct xpd_step_numbers *range = &(*out)[*count];
        bool fine =
            (*count == 0 || xpd_str_take_char(&text, ',')) && take_number(&text, &range->from);
        range->to = range->from;
        if (fine && xpd_str_take_char(&text, '-'))
            fine = take_number(&text, &range->to);
        if (!fine || range->from > range->to)
            return xpd_fail(err, XPD_EINVAL, "steps", XPD_NO_OFFSET,
                            "steps is a list of step numbers and ranges, such as 100-102,105");
        ++*count;
    }
    return XPD_OK;
}

/* ---- which program ---- */

static uint32_t module_of(const struct xpd_run *run, uint32_t host,
                          const struct xpd_op_times *times, const struct xpd_op_program *program)
{
    struct xpd_str name = xpd_intern_get(&times->names, program->name);
    for (uint32_t i = 0; i < run->module_count; i++)
        if ((program->has_id ? run->module[i].program_id == program->id
                             : xpd_str_eq(name, xpd_str_of(run->module[i].name))) &&
            xpd_module_may_run_on(run, i, host))
            return i;
    return XPD_NO_INDEX;
}

static int find_host(struct xpd_op_side *out, const struct xpd_tool_ctx *ctx,
                     const struct xpd_op_ask *ask, struct xpd_err *err)
{
    const struct xpd_run *run = ctx->run;
    int rc = XPD_OK;
    out->module = out->host = XPD_NO_INDEX;
    if (ask->module.size > 0)
        rc = xpd_run_find_module(run, ask->module, &out->module, err);
    if (rc == XPD_OK)
        rc = xpd_tools_host_called(run, ask->host, &out->host, err);
    if (rc != XPD_OK)
        return rc;
    if (out->module != XPD_NO_INDEX)
        out->why_not = xpd_measured_never(run, out->module);
    bool none = out->host == XPD_NO_INDEX ||
                (out->host < run->host_count && !xpd_host_has_events(&run->host[out->host]));
    if (!out->why_not && none)
        out->why_not =
            "nothing was measured: the profile has no events; the program was compiled ahead "
            "of time or captured without a trace";
    return XPD_OK;
}

static int find_program(struct xpd_op_side *out, const struct xpd_tool_ctx *ctx,
                        struct xpd_err *err)
{
    const struct xpd_op_times *times = out->runs->times;
    bool asked = out->module != XPD_NO_INDEX;
    if (!asked) {
        out->program = xpd_op_program_busiest(times);
        out->module =
            out->program ? module_of(ctx->run, out->host, times, out->program) : XPD_NO_INDEX;
    }
    if (out->module != XPD_NO_INDEX) {
        int rc = xpd_store_module(ctx->store, ctx->run, out->module, &out->hlo, NULL, err);
        if (rc != XPD_OK)
            return rc;
        const struct xpd_op_program *of =
            xpd_measured_program(ctx->run, out->module, times, out->host, out->hlo);
        if (!asked && of != out->program) { /* another program of that name, on other hosts */
            out->module = XPD_NO_INDEX;
            out->hlo = NULL;
        } else
            out->program = of;
    }
    if (!out->program || out->program->op_count == 0) {
        out->why_not = !asked        ? "the trace names no operation of an XLA program"
                       : times->part ? "the trace of no host names an operation of this program"
                                     : "the trace of this host names no operation of this program";
        return XPD_OK;
    }
    bool other;
    out->key = out->module != XPD_NO_INDEX
                   ? ctx->run->module[out->module].key
                   : xpd_tools_program_name(ctx, times, out->program, &other);
    out->clock = xpd_op_clock(out->program->count, out->program->device_count);
    return XPD_OK;
}

int xpd_tools_op_side(struct xpd_op_side *out, const struct xpd_tool_ctx *ctx,
                      const struct xpd_op_ask *ask, struct xpd_err *err)
{
    struct xpd_step_numbers *chosen;
    uint32_t count;
    *out = (struct xpd_op_side){0};
    int rc = xpd_tools_step_numbers(ask->steps, ctx->arena, &chosen, &count, err);
    if (rc == XPD_OK)
        rc = find_host(out, ctx, ask, err);
    if (rc != XPD_OK || out->why_not)
        return rc;
    const struct xpd_trace **trace = &out->view.trace;
    rc = xpd_store_op_runs(ctx->store, ctx->run, out->host, ctx->wait_ms, &out->runs, ctx->state,
                           err);
    if (rc == XPD_OK)
        rc = xpd_store_trace(ctx->store, ctx->run, out->host, ctx->wait_ms, trace, ctx->state, err);
    if (rc == XPD_OK)
        rc = xpd_store_derived(ctx->store, ctx->run, out->host, ctx->wait_ms, &out->view.derived,
                               ctx->state, err);
    if (rc == XPD_OK)
        rc = find_program(out, ctx, err);
    if (rc != XPD_OK || out->why_not)
        return rc;
    out->instruction = xpd_op_instructions(out->runs->times, out->program, out->hlo, ctx->arena);
    if (!out->instruction || !xpd_step_spans_make(&out->spans, ctx->arena, &out->view, out->runs,
                                                  out->program, chosen, count))
        return xpd_tools_no_memory(err);
    if (out->spans.count == 0)
        out->why_not = "this program did not run in the steps asked for";
    return XPD_OK;
}
