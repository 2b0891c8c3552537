/* Measures what a budget limits. In: a budget and a run. Out: a row for each limit and module. */
#include "xprofd/tools/check.h"
#include "../trace/step_times.h"
#include "diagnosis.h"
#include "xprofd/tools/over_time.h"

#include <math.h>

const char *xpd_check_state_word(enum xpd_check_state state)
{
    return state == XPD_CHECK_OK ? "ok" : state == XPD_CHECK_BROKEN ? "broken" : "not_judged";
}

#define NO_HLO "the profile holds no program (no HLO)"

struct checker {
    struct xpd_check *out;
    const struct xpd_tool_ctx *base;
    struct xpd_str config;
    struct xpd_tool_ctx ctx; /* of the module that is looked at */
    struct xpd_diagnosis diagnosis, base_diagnosis;
    bool has_diagnosis, has_base_diagnosis;
};

static struct xpd_str kept(struct checker *c, const char *text)
{
    size_t size = strlen(text);
    const char *copy = xpd_arena_strndup(c->ctx.arena, text, size);
    return (struct xpd_str){copy ? copy : "", copy ? size : 0};
}

static const struct xpd_mem_space *space_of(const struct xpd_tool_ctx *ctx, struct xpd_str name)
{
    int64_t color;
    char scratch[24];
    if (name.size == 0)
        return xpd_mem_main_space(ctx->mem);
    if (xpd_str_to_i64(name, &color))
        return xpd_mem_space_of(ctx->mem, color);
    for (uint32_t i = 0; i < ctx->mem->space_count; i++) {
        struct xpd_str have =
            xpd_str_of(xpd_space_name(ctx->run->platform, ctx->mem->space[i].color, scratch));
        if (have.size == name.size && xpd_str_find(have, name, true) == 0)
            return &ctx->mem->space[i];
    }
    return NULL;
}

static void not_judged(struct checker *c, struct xpd_check_row *row, const char *why)
{
    row->state = XPD_CHECK_NOT_JUDGED;
    row->reason = kept(c, why);
    c->out->not_judged++;
}

static void judge(struct checker *c, struct xpd_check_row *row, bool broken)
{
    row->state = broken ? XPD_CHECK_BROKEN : XPD_CHECK_OK;
    c->out->broken += broken;
}

static int64_t bytes_of(const struct xpd_mem_space *space, enum xpd_measure measure)
{
    switch (measure) {
    case XPD_MEASURE_RESERVED: return space->totals.reserved;
    case XPD_MEASURE_TEMP: return space->totals.temp;
    case XPD_MEASURE_ARGUMENT: return space->totals.argument;
    default: return space->peak_bytes;
    }
}

static void put_change(struct checker *c, struct xpd_check_row *row, int64_t bytes, int64_t before)
{
    char text[56], size[48];
    int64_t by = bytes - before, most = bytes > before ? bytes : before;
    xpd_bytes_text(size, by < 0 ? -by : by, most);
    snprintf(text, sizeof text, "%c%s", by < 0 ? '-' : '+', size);
    row->change = kept(c, by == 0 ? "0" : text);
    xpd_bytes_text_own(size, before);
    row->before = kept(c, size);
}

static void judge_bytes(struct checker *c, struct xpd_check_row *row, int64_t bytes, int64_t before)
{
    char text[48];
    row->bytes = bytes;
    xpd_bytes_text_own(text, bytes);
    row->value = kept(c, text);
    if (before >= 0)
        put_change(c, row, bytes, before);
    judge(c, row, bytes > row->limit->bytes);
}

/* With as many digits as a share needs that is not zero: what breaks a limit of 0 % is not "0.0".
 */
static void percent_text(char text[48], double share, bool sign)
{
    int digits = 1;
    do
        snprintf(text, 48, sign ? "%+.*f" : "%.*f %%", digits, share * 100);
    while (share != 0 && !strpbrk(text, "123456789") && ++digits <= 12);
}

static void judge_share(struct checker *c, struct xpd_check_row *row, double share)
{
    char text[48];
    percent_text(text, share, false);
    row->bytes = (int64_t)(share * 100000 + (share < 0 ? -0.5 : 0.5));
    row->value = kept(c, text);
    judge(c, row, share > row->limit->share);
}

/* Only the HLO says which fusions are collectives: a value without it can break a limit, but cannot
 * confirm one. */
static void judge_least(struct checker *c, struct xpd_check_row *row)
{
    if (row->state == XPD_CHECK_OK && c->ctx.module == XPD_NO_INDEX)
        not_judged(c, row,
                   "without HLO, collectives inside fusions are unknown, so this is a lower bound");
}

/* What the steps of the run took. Steps are those of its devices, of the host's threads without. */
static void judge_steps(struct checker *c, struct xpd_check_row *row)
{
    struct xpd_step_times times;
    struct xpd_err err = {0};
    if (xpd_step_times_of(&times, &c->ctx, &err) != XPD_OK) {
        not_judged(c, row, err.text);
        return;
    }
    if (times.why_not) {
        not_judged(c, row, times.why_not);
        return;
    }
    if (row->limit->measure == XPD_MEASURE_EXPOSED_COMM) {
        if (times.exposed_comm < 0) {
            not_judged(c, row, "no device steps were recorded");
            return;
        }
        judge_share(c, row, times.exposed_comm);
        judge_least(c, row);
        return;
    }
    char text[48];
    row->bytes = xpd_step_quantile(&times, row->limit->quantile);
    snprintf(text, sizeof text, "%.3f ms of %" PRIu32 " steps", (double)row->bytes / 1e9,
             times.count);
    row->value = kept(c, text);
    judge(c, row, (double)row->bytes > (double)row->limit->time_ps * (1 + row->limit->band));
}

/* What the runtime's allocators reported; a slope below 0 is not growth. */
static void judge_run(struct checker *c, struct xpd_check_row *row)
{
    struct xpd_over_time found;
    struct xpd_err err = {0};
    if (xpd_over_time_of(&found, &c->ctx, false, &err) != XPD_OK) {
        not_judged(c, row, err.text);
    } else if (found.why_not) {
        not_judged(c, row, found.why_not);
    } else if (row->limit->measure == XPD_MEASURE_MEASURED_PEAK) {
        judge_bytes(c, row, found.peak_bytes, -1);
    } else if (found.verdict == XPD_ALLOC_FEW_STEPS || isnan(found.slope_bytes)) {
        not_judged(c, row,
                   xpd_arena_printf(c->ctx.arena,
                                    "the recording has %" PRIu32
                                    " step%s; growth needs at least %d",
                                    found.steps, found.steps == 1 ? "" : "s", XPD_ALLOC_STEPS_MIN));
    } else {
        judge_bytes(c, row, found.slope_bytes > 0 ? (int64_t)(found.slope_bytes + 0.5) : 0, -1);
    }
}

/* `before` < 0: there is no baseline. */
static void judge_part(struct checker *c, struct xpd_check_row *row, double share, double before)
{
    char text[48];
    if (before >= 0) {
        percent_text(text, before, false);
        row->before = kept(c, text);
        percent_text(text, share - before, true);
        row->change = kept(c, share == before ? "0.0" : text);
    }
    judge_share(c, row, share);
}

static double padding_of(const struct xpd_mem_space *space)
{
    if (!space)
        return -1;
    return space->peak_bytes > 0
               ? ((double)space->peak_bytes - (double)space->peak_unpadded_bytes) /
                     (double)space->peak_bytes
               : 0;
}

static double fragmentation_of(const struct xpd_mem_space *space)
{
    if (!space)
        return -1;
    int64_t bytes = xpd_mem_fragmentation(space);
    if (bytes < 0)
        return -1;
    return space->heap_bytes > 0 ? (double)bytes / (double)space->heap_bytes : 0;
}

/* Of the baseline; NULL without one. It only adds a number to the row, and none when it fails. */
static const struct xpd_diagnosis *diagnosis_before(struct checker *c)
{
    if (c->base && !c->has_base_diagnosis)
        c->has_base_diagnosis = xpd_diagnose(&c->base_diagnosis, c->base, c->config,
                                             XPD_DIAGNOSE_ALL, NULL, NULL) == XPD_OK;
    return c->base && c->has_base_diagnosis ? &c->base_diagnosis : NULL;
}

static bool diagnose(struct checker *c, struct xpd_check_row *row)
{
    struct xpd_err err = {0};
    if (!c->has_diagnosis &&
        xpd_diagnose(&c->diagnosis, &c->ctx, c->config, XPD_DIAGNOSE_ALL, NULL, &err) != XPD_OK) {
        not_judged(c, row, err.text);
        return false;
    }
    c->has_diagnosis = true;
    return true;
}

/* Why the steps that findings of time are about say nothing; NULL = they do. */
static const char *why_no_steps(struct checker *c)
{
    const struct xpd_diagnosis *d = &c->diagnosis;
    const struct xpd_doctor_time *t = &d->time;
    if (!d->has_time)
        return d->no_time ? d->no_time : "nothing was measured";
    if (t->steps == 0 || t->chips == 0)
        return t->no_steps ? t->no_steps : "no step of a chip was recorded";
    if (t->steps / t->chips >= XPD_STEPS_JUDGED)
        return t->steps_doubt;
    struct xpd_strbuf devices = {0};
    xpd_doctor_put_devices(&devices, t, t->chips);
    const char *why =
        xpd_arena_printf(c->ctx.arena,
                         "the recording has %" PRIu64 " step%s on %.*s; times of steps need at "
                         "least 5 on each",
                         t->steps, t->steps == 1 ? "" : "s", (int)devices.size, devices.data);
    xpd_strbuf_fini(&devices);
    return why;
}

/* What a mean step is not hidden or idle for, as T01 and T02 have it. */
static void judge_time(struct checker *c, struct xpd_check_row *row)
{
    const struct xpd_doctor_time *t = &c->diagnosis.time;
    if (!diagnose(c, row))
        return;
    const char *why = why_no_steps(c);
    if (why) {
        not_judged(c, row, why);
        return;
    }
    if (row->limit->measure == XPD_MEASURE_IDLE) {
        double all_ps = (double)t->steps_ps + (double)t->gap_ps;
        judge_share(c, row,
                    all_ps > 0 ? ((double)t->idle_ps + (double)t->gap_idle_ps) / all_ps : 0);
        return;
    }
    char text[48];
    row->bytes = (t->comm_exposed_ps + t->copy_exposed_ps) / (int64_t)t->steps;
    snprintf(text, sizeof text, "%.3f ms of %" PRIu64 " steps", (double)row->bytes / 1e9, t->steps);
    row->value = kept(c, text);
    bool broken = (double)row->bytes > (double)row->limit->time_ps * (1 + row->limit->band);
    judge(c, row, broken);
    judge_least(c, row);
}

static uint32_t count_findings(const struct xpd_diagnosis *d, const struct xpd_limit *limit,
                               const struct xpd_finding **worst)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        const struct xpd_finding *f = &d->finding[i];
        if (f->silenced || (int)f->severity > limit->severity)
            continue;
        *worst = *worst ? *worst : f;
        count++;
    }
    return count;
}

static void judge_findings(struct checker *c, struct xpd_check_row *row)
{
    const struct xpd_finding *worst = NULL, *worst_before = NULL;
    char text[64];
    if (!diagnose(c, row))
        return;
    uint32_t count = count_findings(&c->diagnosis, row->limit, &worst);
    snprintf(text, sizeof text, "%" PRIu32 " finding%s", count, count == 1 ? "" : "s");
    row->value = kept(c, text);
    row->bytes = count;
    if (worst)
        row->reason = worst->claim;
    const struct xpd_diagnosis *d = diagnosis_before(c);
    if (d) {
        uint32_t before = count_findings(d, row->limit, &worst_before);
        snprintf(text, sizeof text, "%" PRIu32 " finding%s", before, before == 1 ? "" : "s");
        row->before = kept(c, text);
        snprintf(text, sizeof text, "%+" PRId64, (int64_t)count - before);
        row->change = kept(c, count == before ? "0" : text);
    }
    judge(c, row, count > 0);
}

/* The most that a finding of the rule would save; *advice is that one's, left alone without any. */
static int64_t rule_bytes(const struct xpd_diagnosis *d, const struct xpd_limit *limit,
                          struct xpd_str *advice)
{
    int64_t bytes = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        const struct xpd_finding *f = &d->finding[i];
        if (f->silenced || !xpd_str_eq(xpd_str_of(f->rule->id), limit->rule))
            continue;
        int64_t size = f->saving_bytes >= 0 ? f->saving_bytes : f->bytes;
        if (size >= bytes) {
            bytes = size;
            *advice = f->advice;
        }
    }
    return bytes;
}

static void judge_rule(struct checker *c, struct xpd_check_row *row)
{
    struct xpd_str unused;
    if (!diagnose(c, row))
        return;
    int64_t bytes = rule_bytes(&c->diagnosis, row->limit, &row->reason);
    const struct xpd_diagnosis *before = diagnosis_before(c);
    judge_bytes(c, row, bytes, before ? rule_bytes(before, row->limit, &unused) : -1);
}

static void judge_growth(struct checker *c, struct xpd_check_row *row,
                         const struct xpd_mem_space *space)
{
    const struct xpd_mem_space *before = c->base ? space_of(c->base, row->limit->space) : NULL;
    if (!before)
        not_judged(c, row, "growth needs two programs: use xprofd diff BEFORE AFTER --budget");
    else if (before->peak_bytes <= 0)
        not_judged(c, row, "the peak before is 0");
    else
        judge_share(c, row,
                    ((double)space->peak_bytes - (double)before->peak_bytes) /
                        (double)before->peak_bytes);
}

/* False: the limit is of the program, not of what was measured. */
static bool judge_measured(struct checker *c, struct xpd_check_row *row)
{
    switch (row->limit->measure) {
    case XPD_MEASURE_MEASURED_PEAK:
    case XPD_MEASURE_GROWTH_PER_STEP: judge_run(c, row); return true;
    case XPD_MEASURE_STEP_TIME:
    case XPD_MEASURE_EXPOSED_COMM: judge_steps(c, row); return true;
    case XPD_MEASURE_EXPOSED_TIME:
    case XPD_MEASURE_IDLE: judge_time(c, row); return true;
    default: return false;
    }
}

static void measure(struct checker *c, struct xpd_check_row *row)
{
    const struct xpd_mem_space *space = space_of(&c->ctx, row->limit->space), *before;
    if (row->limit->measure == XPD_MEASURE_DOCTOR) {
        judge_findings(c, row);
        return;
    }
    if (row->limit->measure == XPD_MEASURE_DOCTOR_RULE) {
        judge_rule(c, row);
        return;
    }
    if (judge_measured(c, row))
        return;
    if (!space) {
        not_judged(c, row, "the module has no such memory space");
        return;
    }
    before = c->base ? space_of(c->base, row->limit->space) : NULL;
    switch (row->limit->measure) {
    case XPD_MEASURE_GROWTH: judge_growth(c, row, space); break;
    case XPD_MEASURE_PADDING: judge_part(c, row, padding_of(space), padding_of(before)); break;
    case XPD_MEASURE_FRAGMENTATION:
        if (fragmentation_of(space) < 0) {
            not_judged(c, row, "no heap events show what is live in the heap");
            break;
        }
        judge_part(c, row, fragmentation_of(space), fragmentation_of(before));
        break;
    default:
        judge_bytes(c, row, bytes_of(space, row->limit->measure),
                    before ? bytes_of(before, row->limit->measure) : -1);
    }
}

static int check_module(struct checker *c, const struct xpd_budget *budget,
                        const struct xpd_budget_section *section, uint32_t module,
                        struct xpd_err *err)
{
    c->ctx.module = module;
    c->has_diagnosis = false;
    int rc = xpd_store_module(c->ctx.store, c->ctx.run, module, &c->ctx.hlo, &c->ctx.mem, err);
    for (uint32_t i = 0; i < section->count && rc == XPD_OK; i++) {
        struct xpd_check_row *row = &c->out->row[c->out->count++];
        row->section = section;
        row->limit = &budget->limit[section->first + i];
        row->module = c->ctx.run->module[module].name;
        measure(c, row);
    }
    return rc;
}

/* A run without programs (no HLO): sections that mean any program judge what was measured. */
static bool check_without_modules(struct checker *c, const struct xpd_budget *budget,
                                  const struct xpd_budget_section *section)
{
    if (c->ctx.run->module_count > 0 || !xpd_doctor_glob(section->pattern, XPD_STR("")))
        return false;
    c->ctx.module = XPD_NO_INDEX;
    for (uint32_t i = 0; i < section->count; i++) {
        struct xpd_check_row *row = &c->out->row[c->out->count++];
        row->section = section;
        row->limit = &budget->limit[section->first + i];
        row->module = "(run)";
        if (!judge_measured(c, row))
            not_judged(c, row, NO_HLO);
    }
    return section->count > 0;
}

int xpd_check_run(struct xpd_check *out, const struct xpd_budget *budget, const char *file,
                  const struct xpd_tool_ctx *after, const struct xpd_tool_ctx *base,
                  struct xpd_str config, struct xpd_err *err)
{
    struct checker c = {.out = out, .base = base, .config = config, .ctx = *after};
    uint32_t modules = after->run->module_count;
    *out = (struct xpd_check){.file = file};
    out->row = XPD_NEW_ARRAY(after->arena, struct xpd_check_row,
                             ((size_t)modules + 1) * ((size_t)budget->limit_count + 1));
    if (!out->row)
        return xpd_tools_no_memory(err);
    int rc = XPD_OK;
    for (uint32_t s = 0; s < budget->section_count && rc == XPD_OK; s++) {
        bool found = false;
        for (uint32_t i = 0; i < modules && rc == XPD_OK; i++) {
            if ((base && i != after->module) ||
                !xpd_doctor_glob(budget->section[s].pattern,
                                 xpd_str_of(after->run->module[i].name)))
                continue;
            found = true;
            rc = check_module(&c, budget, &budget->section[s], i, err);
        }
        found = found || check_without_modules(&c, budget, &budget->section[s]);
        if (!found && rc == XPD_OK && !base) {
            struct xpd_check_row *row = &out->row[out->count++];
            row->section = &budget->section[s];
            not_judged(&c, row,
                       modules > 0 ? "no module of this run has that name"
                                   : NO_HLO ": only a section [*] checks what was measured");
        }
    }
    return rc;
}
