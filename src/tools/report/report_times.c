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

void xpd_report_times_write(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                            const struct xpd_report_times *times)
{
    const struct xpd_measured *measured = &times->measured;
    if (!times->asked) {
        xpd_json_knull(w, "times");
        return;
    }
    xpd_json_key(w, "times");
    xpd_json_obj(w);
    xpd_json_kbool(w, "known", times->self_ps != NULL);
    xpd_json_ktext(w, "reason", measured->why_not);
    xpd_json_ktext(w, "host",
                   measured->host == XPD_NO_INDEX ? NULL : ctx->run->host[measured->host].name);
    xpd_json_ktext(w, "clock",
                   times->self_ps
                       ? xpd_op_clock(measured->program->count, measured->program->device_count)
                       : NULL);
    xpd_json_ki64(w, "total_ps", times->total_ps);
    xpd_json_obj_end(w);
}

void xpd_report_times_row(struct xpd_jsonw *w, const struct xpd_report_times *times, uint32_t key)
{
    if (!times->self_ps)
        return;
    xpd_json_ki64(w, "self_ps", times->self_ps[key]);
    xpd_json_ku64(w, "executions", times->executions[key]);
    xpd_json_ki64(w, "wait_ps", times->wait_ps[key]);
}

void xpd_report_times_csv_head(struct xpd_csv *csv, const struct xpd_report_times *times)
{
    if (!times->self_ps)
        return;
    xpd_csv_text(csv, "self_ps");
    xpd_csv_text(csv, "executions");
    xpd_csv_text(csv, "wait_ps");
}

void xpd_report_times_csv_row(struct xpd_csv *csv, const struct xpd_report_times *times,
                              uint32_t key)
{
    if (!times->self_ps)
        return;
    if (key == XPD_NO_INDEX) {
        for (int i = 0; i < 3; i++)
            xpd_csv_empty(csv);
        return;
    }
    xpd_csv_i64(csv, times->self_ps[key]);
    xpd_csv_u64(csv, times->executions[key]);
    xpd_csv_i64(csv, times->wait_ps[key]);
}
