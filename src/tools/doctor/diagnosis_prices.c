/* What findings of memory cost in time. In: the op times of the run. Out: two numbers and a
 * sentence more in each finding of memory that names timed instructions. */
#include "../tables/measured.h"
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

int xpd_diagnosis_prices(struct xpd_diagnosis *d, const struct xpd_tool_ctx *ctx,
                         struct xpd_err *err)
{
    struct xpd_measured measured = {0};
    uint32_t count, timed = 0;
    int64_t all_ps = 0;
    for (uint32_t i = 0; i < d->count; i++)
        timed += d->finding[i].timed_count;
    if (timed == 0)
        return XPD_OK;
    int rc = xpd_measured_of(&measured, ctx, ctx->module, ctx->hlo, XPD_NO_INDEX, err);
    if (rc != XPD_OK || measured.why_not)
        return rc;
    for (uint32_t i = 0; i < ctx->hlo->instructions.count; i++)
        if (measured.op[i])
            xpd_grow_i64(&all_ps, measured.op[i]->sums.self_ps);
    for (uint32_t i = 0; i < d->count; i++) {
        struct xpd_finding *f = &d->finding[i];
        int64_t time_ps = time_of(&measured, f->timed, f->timed_count, &count);
        if (count > 0)
            say(f, ctx, time_ps, all_ps, count);
    }
    return XPD_OK;
}
