/* The join of a trace and a program. In: a run, a module. Out: one pointer an instruction, in the
 * request's arena, or one sentence why there are no times. */
#include "measured.h"

const char *xpd_measured_never(const struct xpd_run *run, uint32_t module)
{
    if (!run->has_events)
        return "nothing was measured: there are no events; the program was compiled ahead of time "
               "or captured without a trace";
    if (module != XPD_NO_INDEX && run->module[module].run_count_known &&
        run->module[module].run_count == 0)
        return "this program did not run during the trace";
    return NULL;
}

uint32_t xpd_measured_host(const struct xpd_run *run, uint32_t at)
{
    const struct xpd_module *module = at == XPD_NO_INDEX ? NULL : &run->module[at];
    uint32_t count = module ? module->host_count : run->host_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t host = module ? module->host[i] : i;
        if (xpd_host_has_events(&run->host[host]))
            return host;
    }
    return XPD_NO_INDEX;
}

/* Updates between the two take no part: a chip waits at the done. */
static bool find_waits(struct xpd_measured *out, const struct xpd_tool_ctx *ctx,
                       const struct xpd_hlo *hlo)
{
    uint32_t count = hlo->instructions.count;
    uint32_t *of = XPD_NEW_ARRAY(ctx->arena, uint32_t, count);
    out->wait = XPD_NEW_ARRAY(ctx->arena, const struct xpd_op *, count);
    out->done = of;
    for (uint32_t done = 0; of && out->wait && done < count; done++) {
        uint32_t start = out->op[done] ? xpd_hlo_start_of(hlo, done) : XPD_NO_INDEX;
        if (start == XPD_NO_INDEX)
            continue;
        out->wait[start] = out->wait[done] = out->op[done];
        of[start] = of[done] = done;
    }
    return of && out->wait;
}

static int join(struct xpd_measured *out, const struct xpd_tool_ctx *ctx, const struct xpd_hlo *hlo,
                struct xpd_err *err)
{
    const struct xpd_op_times *times = out->times;
    out->op = XPD_NEW_ARRAY(ctx->arena, const struct xpd_op *, hlo->instructions.count);
    if (!out->op)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < out->program->op_count; i++) {
        const struct xpd_op *op = &times->op[out->program->first_op + i];
        xpd_name_id name = xpd_intern_find(&hlo->names, xpd_intern_get(&times->names, op->name));
        uint32_t at = name == XPD_NO_NAME ? XPD_NO_INDEX : hlo->instruction_by_name[name];
        if (at == XPD_NO_INDEX)
            continue;
        out->joined_count += out->op[at] == NULL;
        out->op[at] = op;
    }
    if (out->joined_count == 0)
        out->why_not = "the events of this program name no instruction of this module";
    return find_waits(out, ctx, hlo) ? XPD_OK : xpd_tools_no_memory(err);
}

static bool only_one_named(const struct xpd_run *run, const char *name)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->module_count; i++)
        count += strcmp(run->module[i].name, name) == 0;
    return count == 1;
}

int xpd_measured_of(struct xpd_measured *out, const struct xpd_tool_ctx *ctx, uint32_t module,
                    const struct xpd_hlo *hlo, uint32_t host, struct xpd_err *err)
{
    const struct xpd_run *run = ctx->run;
    const struct xpd_module *at = &run->module[module];
    *out = (struct xpd_measured){.host = host, .why_not = xpd_measured_never(run, module)};
    if (out->why_not)
        return XPD_OK;
    if (host == XPD_NO_INDEX)
        out->host = xpd_measured_host(run, module);
    if (out->host == XPD_NO_INDEX || !xpd_host_has_events(&run->host[out->host])) {
        out->why_not = "the host that holds this program has no events";
        return XPD_OK;
    }
    int rc =
        xpd_store_op_times(ctx->store, run, out->host, ctx->wait_ms, &out->times, ctx->state, err);
    if (rc == XPD_OK)
        rc =
            xpd_store_trace(ctx->store, run, out->host, ctx->wait_ms, &out->trace, ctx->state, err);
    if (rc != XPD_OK)
        return rc;
    out->program = xpd_op_program_of(out->times, at->program_id);
    if (!out->program && only_one_named(run, at->name))
        out->program = xpd_op_program_named(out->times, xpd_str_of(at->name));
    if (!out->program) {
        out->why_not = "the trace of this host names no operation of this program";
        return XPD_OK;
    }
    return join(out, ctx, hlo, err);
}

uint32_t xpd_measured_asked(const struct xpd_tool_ctx *ctx)
{
    struct xpd_str name = xpd_param_text(ctx, "host");
    for (uint32_t i = 0; name.size && i < ctx->run->host_count; i++)
        if (xpd_str_eq(name, xpd_str_of(ctx->run->host[i].name)))
            return i;
    return XPD_NO_INDEX;
}

int xpd_measured_make(struct xpd_measured *out, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_measured_of(out, ctx, ctx->module, ctx->hlo, xpd_measured_asked(ctx), err);
}
