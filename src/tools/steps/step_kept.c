/* The table of steps beside the run. In: a host, the programs of the run. Out: its table, from what
 * the store has of it: executions, and of each operation that ran its instruction and its part of a
 * step (trace/step_table.h). */
#include "step_kept.h"
#include "../tables/measured.h"
#include "../tables/tools_tables.h"
#include "../trace/overlap_kept.h"

/* ---- what the operations that ran are ---- */

/* NULL: it did not run there, or is damaged: its operations are told by their names. */
static const struct xpd_hlo *program_of(const struct xpd_tool_ctx *ctx, uint32_t module,
                                        uint32_t host)
{
    const struct xpd_hlo *hlo = NULL;
    struct xpd_err damaged = {0};
    if (xpd_module_is_on_host(&ctx->run->module[module], host) &&
        !xpd_measured_never(ctx->run, module) &&
        xpd_store_module(ctx->store, ctx->run, module, &hlo, NULL, &damaged) != XPD_OK)
        hlo = NULL;
    return hlo;
}

static void load_programs(const struct xpd_tool_ctx *ctx, uint32_t host)
{
    for (uint32_t m = 0; m < ctx->run->module_count; m++)
        (void)program_of(ctx, m, host);
}

static int find_in_module(struct xpd_op_places *out, const struct xpd_tool_ctx *ctx,
                          uint32_t module, uint32_t host, struct xpd_err *err)
{
    struct xpd_measured measured;
    const struct xpd_hlo *hlo = program_of(ctx, module, host);
    if (!hlo)
        return XPD_OK;
    int rc = xpd_measured_of(&measured, ctx, module, hlo, host, err);
    for (uint32_t i = 0; rc == XPD_OK && !measured.why_not && i < hlo->instructions.count; i++)
        if (measured.op[i])
            xpd_op_places_put(out, (size_t)(measured.op[i] - measured.times->op), hlo, module, i);
    return rc;
}

static int find_places(struct xpd_op_places *out, const struct xpd_tool_ctx *ctx, uint32_t host,
                       const struct xpd_op_times *times, struct xpd_arena *arena,
                       struct xpd_err *err)
{
    int rc = XPD_OK;
    if (!xpd_op_places_init(out, times, arena))
        return xpd_tools_no_memory(err);
    for (uint32_t m = 0; rc == XPD_OK && m < ctx->run->module_count; m++)
        rc = find_in_module(out, ctx, m, host, err);
    return rc;
}

/* ---- the table ---- */

#define KEYS_MAX (1u << 24) /* of xpd_table */

/* A thread of the store finds the executions while this one measures the steps and loads the
 * programs: neither needs the other. */
static int open_host(struct xpd_step_input *in, struct xpd_trace_call *call, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = call->ctx;
    struct xpd_view *view = &call->view;
    int rc = xpd_store_trace(ctx->store, ctx->run, call->host, ctx->wait_ms, &view->trace,
                             ctx->state, err);
    if (rc == XPD_OK)
        rc = xpd_store_derived(ctx->store, ctx->run, call->host, ctx->wait_ms, &view->derived,
                               ctx->state, err);
    if (rc == XPD_OK) /* starts; asked again below */
        (void)xpd_store_op_runs(ctx->store, ctx->run, call->host, 0, NULL, NULL, NULL);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_roles(&in->overlap, call, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_steps(&in->kept, call, in->clock, err);
    if (rc == XPD_OK)
        load_programs(ctx, call->host);
    if (rc == XPD_OK)
        rc = xpd_store_op_times(ctx->store, ctx->run, call->host, ctx->wait_ms, &in->times,
                                ctx->state, err);
    in->view = *view;
    return rc;
}

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    uint32_t hosts = ctx->run->host_count, program = detail / 2 / hosts;
    struct xpd_trace_call call = {.ctx = ctx, .host = detail / 2 % hosts};
    struct xpd_step_input in = {.clock = detail % 2 ? XPD_CLOCK_HOST : XPD_CLOCK_DEVICE};
    struct xpd_step_program asked;
    struct xpd_op_places places;
    int rc = open_host(&in, &call, err);
    if (rc == XPD_OK)
        rc = find_places(&places, ctx, call.host, in.times, arena, err);
    if (rc == XPD_OK)
        rc = xpd_store_op_runs(ctx->store, ctx->run, call.host, ctx->wait_ms, &in.runs, ctx->state,
                               err);
    if (rc != XPD_OK)
        return rc;
    in.places = &places;
    if (program > 0) {
        const struct xpd_module *module = &ctx->run->module[program - 1];
        asked = (struct xpd_step_program){xpd_str_of(module->key), xpd_str_of(module->name),
                                          module->program_id};
        in.program = &asked;
    }
    return xpd_step_table_make(table, &in, arena, ctx->arena, err);
}

int xpd_step_table_of(const struct xpd_step_table **out, const struct xpd_tool_ctx *ctx,
                      uint32_t host, enum xpd_clock clock, uint32_t program, struct xpd_err *err)
{
    struct xpd_tool_ctx of_run = *ctx;
    uint64_t key = program == XPD_NO_INDEX ? 0 : (uint64_t)program + 1;
    key = (key * ctx->run->host_count + host) * 2 + (clock == XPD_CLOCK_HOST);
    of_run.module = XPD_NO_INDEX;
    if (key >= KEYS_MAX)
        return xpd_fail(err, XPD_ELIMIT, "program", XPD_NO_OFFSET,
                        "this run has too many programs and hosts to look at one: %" PRIu32
                        " and %" PRIu32,
                        ctx->run->module_count, ctx->run->host_count);
    *out = xpd_table(&of_run, XPD_TABLE_SPLIT, (uint32_t)key, false, sizeof **out, make, err);
    return xpd_table_status(*out, err);
}
