/* Live bytes by name. In: a host's trace, the memory analyses of the programs that ran on it. Out:
 * one level a name: each program gets a level for every instruction that was measured, the names of
 * the trace get those of their instructions. */
#include "memory_levels.h"
#include "../tables/measured.h"
#include "../tables/tools_tables.h"
#include "xprofd/memory/levels.h"

struct making {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_trace *trace;
    uint32_t host; /* in run->host, or xpd_run_all_hosts */
    struct xpd_trace_levels *out;
    struct xpd_arena *arena; /* of the table */
    struct made {            /* by program; what is needed only meanwhile */
        const struct xpd_hlo *hlo;
        struct xpd_mem_level *level;
    } * made;
};

static int add_program(struct making *making, uint32_t module, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = making->ctx;
    struct made made = {0};
    const struct xpd_mem *mem;
    struct xpd_measured measured;
    int rc = xpd_store_module(ctx->store, ctx->run, module, &made.hlo, &mem, NULL);
    if (rc == XPD_ENOMEM) /* there may be some the next time: this is not kept */
        return xpd_tools_no_memory(err);
    if (rc != XPD_OK)
        return XPD_OK;
    const struct xpd_mem_space *space = mem ? xpd_mem_main_space(mem) : NULL;
    rc = xpd_measured_of(&measured, ctx, module, made.hlo, making->host, err);
    if (rc != XPD_OK || measured.why_not || !space)
        return rc;
    uint32_t count = made.hlo->instructions.count;
    bool *shown = XPD_NEW_ARRAY(ctx->arena, bool, count);
    for (uint32_t i = 0; shown && i < count; i++)
        shown[i] = measured.op[i] != NULL;
    made.level = shown ? xpd_mem_levels(mem, space, shown, ctx->arena) : NULL;
    char scratch[24];
    const char *name = xpd_space_name(ctx->run->platform, space->color, scratch);
    name = xpd_arena_strndup(making->arena, name, strlen(name));
    if (!made.level || !name)
        return xpd_tools_no_memory(err);
    uint32_t at = making->out->program_count++;
    making->made[at] = made;
    making->out->program[at] = (struct xpd_level_program){module, name};
    return XPD_OK;
}

static struct xpd_name_level level_of(const struct making *making,
                                      const struct xpd_map64 *program_of,
                                      const struct xpd_event_name *name)
{
    struct xpd_name_level level = {-1, XPD_NO_STEP, XPD_NO_PROGRAM};
    uint32_t at = name->program_id ? xpd_map64_get(program_of, name->program_id) : XPD_NO_INDEX;
    if (at == XPD_NO_INDEX)
        return level;
    const struct made *made = &making->made[at];
    uint32_t instruction = xpd_hlo_named(made->hlo, xpd_op_instruction(making->trace, name));
    if (instruction == XPD_NO_INDEX)
        return level;
    level.bytes = made->level[instruction].bytes;
    level.step = made->level[instruction].step;
    level.program = (uint16_t)at;
    return level;
}

static int find_levels(struct making *making, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = making->ctx;
    const struct xpd_trace *trace = making->trace;
    struct xpd_trace_levels *out = making->out;
    struct xpd_map64 program_of = {0};
    size_t programs = (size_t)ctx->run->module_count + 1;
    making->made = XPD_NEW_ARRAY(ctx->arena, struct made, programs);
    out->program = XPD_NEW_ARRAY(making->arena, struct xpd_level_program, programs);
    out->name = XPD_NEW_ARRAY(making->arena, struct xpd_name_level, (size_t)trace->name_count + 1);
    int rc = making->made && out->program && out->name ? XPD_OK : xpd_tools_no_memory(err);
    for (uint32_t m = 0; rc == XPD_OK && m < ctx->run->module_count; m++) {
        uint32_t at = out->program_count;
        if (xpd_measured_never(ctx->run, m) || at >= XPD_NO_PROGRAM)
            continue;
        rc = add_program(making, m, err);
        if (out->program_count > at)
            xpd_map64_put(&program_of, ctx->run->module[m].program_id, at);
    }
    for (uint32_t i = 0; rc == XPD_OK && i < trace->name_count; i++)
        out->name[i] = level_of(making, &program_of, &trace->name[i]);
    if (program_of.failed && rc == XPD_OK)
        rc = xpd_tools_no_memory(err);
    xpd_map64_fini(&program_of);
    return rc;
}

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    struct making making = {
        .ctx = ctx, .host = xpd_trace_detail_host(ctx, detail), .out = table, .arena = arena};
    int rc = xpd_store_trace(ctx->store, ctx->run, making.host, ctx->wait_ms, &making.trace,
                             ctx->state, err);
    return rc == XPD_OK ? find_levels(&making, err) : rc;
}

/* A table is not begun before what it needs is there: who waits for it would wait for the file. */
static int times_are_read(const struct xpd_trace_call *call, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = call->ctx;
    const struct xpd_op_times *times;
    bool ran = false;
    for (uint32_t m = 0; m < ctx->run->module_count; m++)
        ran |= xpd_measured_never(ctx->run, m) == NULL;
    return ran ? xpd_store_op_times(ctx->store, ctx->run, call->host, ctx->wait_ms, &times,
                                    ctx->state, err)
               : XPD_OK;
}

int xpd_tools_trace_levels(const struct xpd_trace_levels **out, const struct xpd_trace_call *call,
                           struct xpd_err *err)
{
    struct xpd_tool_ctx of_run = *call->ctx;
    of_run.module = XPD_NO_INDEX;
    int rc = times_are_read(call, err);
    if (rc != XPD_OK)
        return rc;
    *out = xpd_table(&of_run, XPD_TABLE_LEVELS, xpd_trace_detail(call), false, sizeof **out, make,
                     err);
    return xpd_table_status(*out, err);
}
