/* Self times summed by group. In: a key for each instruction. Out: sums by key, or why there are
 * none. Self times do not count what runs inside (the body of a loop), so that groups add up. */
#include "report_times.h"

#include "xprofd/base/checked.h"

/* A pair is counted once in a group: by its done, or by its start where the done is in another. */
static void add_waits(struct xpd_report_times *out, const uint32_t *key_of, uint32_t count)
{
    const struct xpd_measured *measured = &out->measured;
    for (uint32_t i = 0; i < count; i++) {
        if (!measured->wait[i] || key_of[i] == XPD_NO_INDEX)
            continue;
        if (measured->done[i] == i || key_of[measured->done[i]] != key_of[i])
            xpd_grow_i64(&out->wait_ps[key_of[i]], measured->wait[i]->sums.total_ps);
    }
}

int xpd_report_times_make(struct xpd_report_times *out, const struct xpd_tool_ctx *ctx,
                          const uint32_t *key_of, uint32_t keys, struct xpd_err *err)
{
    *out = (struct xpd_report_times){.asked = true};
    int rc = xpd_measured_of(&out->measured, ctx, ctx->module, ctx->hlo, XPD_NO_INDEX, err);
    if (rc == XPD_OK && !out->measured.why_not && !key_of)
        out->measured.why_not =
            "times are of instructions: they are known by op, computation, opcode and signature, "
            "without a filter by what is inside";
    if (rc != XPD_OK || out->measured.why_not)
        return rc;
    out->self_ps = XPD_NEW_ARRAY(ctx->arena, int64_t, keys);
    out->executions = XPD_NEW_ARRAY(ctx->arena, uint64_t, keys);
    out->wait_ps = XPD_NEW_ARRAY(ctx->arena, int64_t, keys);
    if (!out->self_ps || !out->executions || !out->wait_ps)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < ctx->hlo->instructions.count; i++) {
        const struct xpd_op *op = out->measured.op[i];
        if (!op || key_of[i] == XPD_NO_INDEX)
            continue;
        xpd_grow_i64(&out->self_ps[key_of[i]], op->sums.self_ps);
        xpd_grow_i64(&out->total_ps, op->sums.self_ps);
        out->executions[key_of[i]] += op->sums.count;
    }
    add_waits(out, key_of, ctx->hlo->instructions.count);
    return XPD_OK;
}

XPD_RECORD_TABLE(xpd_report_timed, XPD_REPORT_TIMED_FIELDS)

const struct xpd_report_timed *xpd_report_timed_of(const struct xpd_report_times *times,
                                                   const struct xpd_tool_ctx *ctx)
{
    const struct xpd_measured *measured = &times->measured;
    struct xpd_report_timed *out =
        times->asked ? XPD_NEW(ctx->arena, struct xpd_report_timed) : NULL;
    if (out)
        *out = (struct xpd_report_timed){
            .known = times->self_ps != NULL,
            .reason = measured->why_not,
            .host = measured->host == XPD_NO_INDEX ? NULL : ctx->run->host[measured->host].name,
            .clock = times->self_ps
                         ? xpd_op_clock(measured->program->count, measured->program->device_count)
                         : NULL,
            .total_ps = times->total_ps,
        };
    return out;
}

void xpd_report_times_csv_head(struct xpd_csv *csv, const struct xpd_report_timed *times)
{
    if (!times || !times->known)
        return;
    xpd_csv_text(csv, "self_ps");
    xpd_csv_text(csv, "executions");
    xpd_csv_text(csv, "wait_ps");
}

void xpd_report_times_csv(struct xpd_csv *csv, const struct xpd_report_timed *times,
                          int64_t self_ps, int64_t executions, int64_t wait_ps)
{
    const int64_t cell[] = {self_ps, executions, wait_ps};
    for (int i = 0; times && times->known && i < 3; i++)
        if (cell[i] < 0)
            xpd_csv_empty(csv);
        else
            xpd_csv_i64(csv, cell[i]);
}
