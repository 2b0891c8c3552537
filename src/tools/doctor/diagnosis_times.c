/* What was measured, for findings. In: the op times and steps of the run. Out: the findings of
 * time, and two numbers and a sentence more in each finding of memory that names timed
 * instructions. */
#include "../tables/measured.h"
#include "../trace/overlap_kept.h"
#include "diagnosis.h"

#include "xprofd/base/checked.h"

static int64_t time_of(const struct xpd_measured *m, const uint32_t *instruction, uint32_t count,
                       uint32_t *measured)
{
    int64_t sum_ps = 0;
    *measured = 0;
    for (uint32_t i = 0; i < count; i++)
        if (m->op[instruction[i]]) {
            xpd_grow_i64(&sum_ps, m->op[instruction[i]]->sums.self_ps);
            (*measured)++;
        }
    return sum_ps;
}

static void add_number(struct xpd_finding *f, const char *name, int64_t value, const char *unit)
{
    if (f->number_count < XPD_DOCTOR_NUMBERS)
        f->number[f->number_count++] = (struct xpd_doctor_number){name, value, unit};
}

static void say(struct xpd_finding *f, const struct xpd_tool_ctx *ctx, int64_t time_ps,
                int64_t all_ps, uint32_t measured)
{
    double share = all_ps > 0 ? (double)time_ps / (double)all_ps : 0;
    bool waits = strcmp(f->rule->id, "D14") == 0, seconds = time_ps >= INT64_C(10000000000000);
    double unit = seconds ? 1e12 : 1e9;
    const char *text = xpd_arena_printf(
        ctx->arena,
        "%.*s Measured: %s %.3f %s, %.1f %% of the %.3f %s of this program's operations (%" PRIu32
        " of %" PRIu32 " %s, over all devices and runs).",
        (int)f->claim.size, f->claim.data,
        waits ? "the program waited for their ends" : "they took", (double)time_ps / unit,
        seconds ? "s" : "ms", share * 100, (double)all_ps / unit, seconds ? "s" : "ms", measured,
        f->timed_count, waits ? "ends" : "instructions");
    if (!text)
        return;
    f->claim = xpd_str_of(text);
    add_number(f, "measured_ps", time_ps, "ps");
    add_number(f, "measured_share", (int64_t)(share * 1000 + 0.5), "permille");
}

/* ---- what was measured, as plain numbers ---- */

/* An instruction of the entry is executed once a run. */
static uint64_t runs_of(const struct xpd_measured *m, const struct xpd_hlo *hlo)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < hlo->instructions.count; i++)
        if (m->op[i] && hlo->instructions.computation[i] == hlo->entry &&
            m->op[i]->sums.count > most)
            most = m->op[i]->sums.count;
    return most;
}

/* Chips that ran the program, and whether each runs one operation at a time. */
static void look_at_chips(struct xpd_doctor_time *time, const struct xpd_measured *m)
{
    const struct xpd_op_times *times = m->times;
    time->one_at_a_time = times->device_count > 0;
    for (uint32_t d = 0; d < times->device_count; d++) {
        bool ran = false;
        for (uint32_t i = 0; i < m->program->op_count && !ran; i++) {
            const struct xpd_op *op = &times->op[m->program->first_op + i];
            for (uint32_t k = 0; k < op->share_count; k++)
                ran |= times->share[op->first_share + k].device == d;
        }
        if (!ran)
            continue;
        time->chips++;
        time->one_at_a_time &= xpd_process_is_tpu(m->trace->process[times->device[d].process].kind);
    }
}

static void add_step(struct xpd_doctor_time *time, const struct xpd_view *view, uint32_t at,
                     const struct xpd_overlap *overlap)
{
    const struct xpd_step *step = &view->derived->step[at];
    if (!xpd_trace_computes(view->trace, step->process))
        return;
    time->steps++;
    xpd_grow_i64(&time->steps_ps, step->end_ps - step->start_ps);
    xpd_grow_i64(&time->idle_ps, overlap->idle_ps);
    xpd_grow_i64(&time->comm_exposed_ps, overlap->comm_exposed_ps);
    xpd_grow_i64(&time->copy_exposed_ps, overlap->copy_exposed_ps);
    bool follows = at > 0 && step[-1].process == step->process && step->start_ps > step[-1].end_ps;
    if (follows)
        xpd_grow_i64(&time->gap_ps, step->start_ps - step[-1].end_ps);
}

static int read_steps(struct xpd_doctor_time *time, const struct xpd_tool_ctx *ctx,
                      const struct xpd_measured *m, struct xpd_err *err)
{
    struct xpd_trace_call call = {.ctx = ctx, .host = m->host, .view = {.trace = m->trace}};
    const struct xpd_steps_kept *kept = NULL;
    int rc = xpd_store_derived(ctx->store, ctx->run, m->host, ctx->wait_ms, &call.view.derived,
                               ctx->state, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_steps(&kept, &call, XPD_CLOCK_HOST, err);
    for (uint32_t i = 0; rc == XPD_OK && i < call.view.derived->step_count; i++)
        add_step(time, &call.view, i, &kept->overlap[i]);
    return rc;
}

static int make_time(struct xpd_doctor_time *time, const struct xpd_tool_ctx *ctx,
                     const struct xpd_measured *m, struct xpd_err *err)
{
    uint32_t count = ctx->hlo->instructions.count;
    int64_t *self_ps = XPD_NEW_ARRAY(ctx->arena, int64_t, count);
    if (!self_ps)
        return xpd_tools_no_memory(err);
    time->clock = xpd_op_clock(m->program->count, m->program->device_count);
    time->runs = runs_of(m, ctx->hlo);
    time->self_ps = self_ps;
    for (uint32_t i = 0; i < count; i++)
        if (m->op[i]) {
            self_ps[i] = m->op[i]->sums.self_ps;
            xpd_grow_i64(&time->ops_ps, self_ps[i]);
        }
    look_at_chips(time, m);
    return read_steps(time, ctx, m, err);
}

int xpd_diagnosis_times(struct xpd_diagnosis *d, bool memory_only, const struct xpd_tool_ctx *ctx,
                        struct xpd_err *err)
{
    struct xpd_measured measured = {0};
    uint32_t count, timed = 0;
    for (uint32_t i = 0; i < d->count; i++)
        timed += d->finding[i].timed_count;
    if (memory_only && timed == 0)
        return XPD_OK;
    int rc = xpd_measured_of(&measured, ctx, ctx->module, ctx->hlo, XPD_NO_INDEX, err);
    d->no_time = measured.why_not;
    if (rc != XPD_OK || measured.why_not)
        return rc;
    rc = make_time(&d->time, ctx, &measured, err);
    for (uint32_t i = 0; rc == XPD_OK && i < d->count; i++) {
        struct xpd_finding *f = &d->finding[i];
        int64_t time_ps = time_of(&measured, f->timed, f->timed_count, &count);
        if (count > 0)
            say(f, ctx, time_ps, d->time.ops_ps, count);
    }
    return rc;
}
