/* The table of steps beside the run. In: a host. Out: its table, from what the store has of it. */
#include "step_kept.h"
#include "../tables/tools_tables.h"
#include "../trace/overlap_kept.h"
#include "op_places.h"

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
        xpd_op_places_load(ctx, call->host);
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
        rc = xpd_op_places_make(&places, ctx, call.host, in.times, arena, err);
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
