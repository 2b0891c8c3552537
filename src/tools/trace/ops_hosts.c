/* Operations on all hosts. In: rows of one host, the others that ran its programs. Out: by row what
 * it took on all of them, and on which an execution is slowest. */
#include "ops_hosts.h"
#include "../tables/measured.h"
#include "xprofd/base/checked.h"

static void add(struct xpd_ops_hosts *to, uint32_t host, const struct xpd_op *op, uint32_t kernels)
{
    uint64_t executions = (op->sums.count + kernels - 1) / kernels;
    double mean_ps = (double)op->sums.total_ps / (double)executions;
    if (to->count == 0 || mean_ps > to->slowest_ps) {
        to->slowest = host;
        to->slowest_ps = mean_ps;
    }
    if (to->count == 0 || mean_ps < to->fastest_ps)
        to->fastest_ps = mean_ps;
    to->count++;
    xpd_grow_i64(&to->self_ps, op->sums.self_ps);
}

static void add_rows(struct xpd_ops_found *found, uint32_t program, uint32_t host,
                     const struct xpd_op_times *times, const struct xpd_op_program *of)
{
    for (uint32_t i = 0; i < found->ops.count; i++) {
        const struct xpd_op_row *row = &found->ops.row[i];
        const struct xpd_op *op = row->program == program ? xpd_op_of(times, of, row->name) : NULL;
        if (op && op->sums.count > 0)
            add(&found->hosts[i], host, op, row->kernels);
    }
    found->host_read[host] = true;
}

static int add_host(struct xpd_ops_found *found, uint32_t program, uint32_t host,
                    const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    const struct xpd_ops_source *source = &found->source[program];
    struct xpd_tool_ctx one = *ctx;
    struct xpd_measured measured;
    one.module = source->module;
    one.hlo = found->program[program].hlo;
    int rc = xpd_measured_of(&measured, &one, source->module, one.hlo, host, err);
    if (rc == XPD_OK && measured.program)
        add_rows(found, program, host, measured.times, measured.program);
    return rc;
}

/* Of a program that is known by its events alone, here or there. */
static int add_unknown(struct xpd_ops_found *found, uint32_t program, uint32_t host,
                       const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    const struct xpd_ops_program *of = &found->program[program];
    const struct xpd_op_times *times = NULL;
    int rc = xpd_store_op_times(ctx->store, ctx->run, host, ctx->wait_ms, &times, ctx->state, err);
    if (rc != XPD_OK)
        return rc;
    const struct xpd_op_program *same = xpd_op_program_same(
        times, of->program, xpd_intern_get(&of->times->names, of->program->name));
    if (same)
        add_rows(found, program, host, times, same);
    return XPD_OK;
}

/* The host of the table first, so that of equal ones it is the slowest. */
static int add_program(struct xpd_ops_found *found, uint32_t program,
                       const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    const struct xpd_ops_source *source = &found->source[program];
    const struct xpd_ops_program *of = &found->program[program];
    int rc = XPD_OK;
    add_rows(found, program, source->host, of->times, of->program);
    if (source->module == XPD_NO_INDEX) {
        for (uint32_t i = 0; rc == XPD_OK && i < ctx->run->host_count; i++)
            if (i != source->host && xpd_host_has_events(&ctx->run->host[i]))
                rc = add_unknown(found, program, i, ctx, err);
        return rc;
    }
    const struct xpd_module *module = &ctx->run->module[source->module];
    for (uint32_t i = 0; rc == XPD_OK && i < module->host_count; i++)
        if (module->host[i] != source->host &&
            xpd_host_has_events(&ctx->run->host[module->host[i]]))
            rc = add_host(found, program, module->host[i], ctx, err);
    return rc;
}

int xpd_tools_ops_hosts(struct xpd_ops_found *found, const struct xpd_tool_ctx *ctx,
                        const struct xpd_tool *tool, struct xpd_err *err)
{
    int rc = XPD_OK;
    if (xpd_param_int(ctx, tool, "hosts") == 0)
        return XPD_OK;
    found->hosts = XPD_NEW_ARRAY(ctx->arena, struct xpd_ops_hosts, (size_t)found->ops.count + 1);
    found->host_read = XPD_NEW_ARRAY(ctx->arena, bool, (size_t)ctx->run->host_count + 1);
    if (!found->hosts || !found->host_read)
        return xpd_tools_no_memory(err);
    for (uint32_t p = 0; rc == XPD_OK && p < found->program_count; p++)
        rc = add_program(found, p, ctx, err);
    return rc;
}
