/* /api/v1/doctor: findings of a module, of memory and of time, or of heap files, ranked by what
 * each would save; also as Markdown, SARIF and JUnit. */
#include "../program/explain_peaks.h"
#include "../steps/run_steps.h"
#include "doctor_answer.h"

#define CONFIG_MAX 16384

struct made { /* what the other forms are written from stands behind the answer */
    struct xpd_doctor_answer answer;
    struct xpd_tool_ctx ctx;
    struct xpd_diagnosis diagnosis;
};

static const struct made *made_of(const void *answer)
{
    return (const struct made *)answer;
}

static enum xpd_diagnose_what what_of(const struct xpd_tool_ctx *ctx)
{
    struct xpd_str kind = xpd_param_text(ctx, "kind");
    return xpd_str_eq(kind, XPD_STR("time"))     ? XPD_DIAGNOSE_TIME
           : xpd_str_eq(kind, XPD_STR("memory")) ? XPD_DIAGNOSE_MEMORY
           : xpd_str_eq(kind, XPD_STR("heap"))   ? XPD_DIAGNOSE_HEAP
                                                 : XPD_DIAGNOSE_ALL;
}

/* Whether a host, or the run where it is XPD_NO_INDEX, was only measured. */
static bool has_no_program(const struct xpd_run *run, uint32_t host)
{
    if (host == XPD_NO_INDEX)
        return run->module_count == 0 && run->has_events;
    for (uint32_t m = 0; m < run->module_count; m++)
        if (xpd_module_is_on_host(&run->module[m], host))
            return false;
    return xpd_host_has_events(&run->host[host]);
}

/* Heap files, and what was only measured, are examined without a program. */
static bool needs_no_program(const struct xpd_run *run, uint32_t host, enum xpd_diagnose_what what)
{
    bool all = what == XPD_DIAGNOSE_ALL;
    if (run->entry->kind == XPD_RUN_HEAP)
        return (all || what == XPD_DIAGNOSE_HEAP) && !xpd_run_no_files(run->entry);
    return has_no_program(run, host) && (all || what == XPD_DIAGNOSE_TIME);
}

static int pick_module(struct xpd_tool_ctx *ctx, enum xpd_diagnose_what what, struct xpd_err *err)
{
    struct xpd_str program = xpd_param_text(ctx, "program");
    uint32_t host;
    ctx->module = XPD_NO_INDEX;
    int rc = xpd_tool_host(ctx, &host, err);
    if (rc != XPD_OK)
        return rc;
    if (program.size == 0 && xpd_param_text(ctx, "module").size == 0 &&
        needs_no_program(ctx->run, host, what))
        return XPD_OK;
    if (what == XPD_DIAGNOSE_HEAP)
        return xpd_fail(err, XPD_ENOTFOUND, "kind", XPD_NO_OFFSET,
                        "run %.120s holds no heap files (*.prof)", ctx->run->entry->id);
    rc = program.size > 0 ? xpd_run_find_module(ctx->run, program, &ctx->module, err)
                          : xpd_tool_pick_module(ctx, err);
    return rc == XPD_OK
               ? xpd_store_module(ctx->store, ctx->run, ctx->module, &ctx->hlo, &ctx->mem, err)
               : rc;
}

static int pick_space(const struct xpd_tool_ctx *ctx, const struct xpd_mem_space **only,
                      struct xpd_err *err)
{
    int64_t color;
    *only = NULL;
    if (!ctx->mem || !xpd_str_to_i64(xpd_param_text(ctx, "space"), &color))
        return XPD_OK;
    *only = xpd_mem_space_of(ctx->mem, color);
    return *only ? XPD_OK
                 : xpd_fail(err, XPD_ENOTFOUND, "space", XPD_NO_OFFSET,
                            "this module has no memory space %" PRId64, color);
}

static int doctor(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct made *made = XPD_NEW(ctx->arena, struct made);
    const struct xpd_mem_space *only = NULL;
    enum xpd_diagnose_what what = what_of(ctx);
    if (!made)
        return xpd_tools_no_memory(err);
    made->ctx = *ctx;
    int rc = pick_module(&made->ctx, what, err);
    if (rc == XPD_OK)
        rc = pick_space(&made->ctx, &only, err);
    if (rc == XPD_OK)
        rc = xpd_diagnose(&made->diagnosis, &made->ctx, xpd_param_text(ctx, "config"), what, only,
                          err);
    if (rc == XPD_OK)
        rc = xpd_doctor_answer_fill(&made->answer, &made->ctx, &made->diagnosis, err);
    *answer = &made->answer;
    return rc;
}

static void text(struct xpd_strbuf *out, const void *answer)
{
    const struct made *made = made_of(answer);
    xpd_diagnosis_text(out, &made->ctx, &made->diagnosis);
}

static void other_form(struct xpd_tool_result *out, struct xpd_str format, const void *answer)
{
    const struct made *made = made_of(answer);
    struct xpd_jsonw w;
    out->type = XPD_BODY_TEXT;
    if (xpd_str_eq(format, XPD_STR("md"))) {
        xpd_diagnosis_markdown(&out->body, &made->ctx, &made->diagnosis);
    } else if (xpd_str_eq(format, XPD_STR("junit"))) {
        xpd_diagnosis_junit(&out->body, &made->ctx, &made->diagnosis);
    } else {
        out->type = XPD_BODY_JSON;
        xpd_jsonw_init(&w, &out->body);
        xpd_diagnosis_sarif(&w, &made->ctx, &made->diagnosis);
    }
}

static const struct xpd_param_spec params[] = {
    {.name = "module", .type = XPD_PARAM_TEXT, .help = "program; default: the most important one"},
    XPD_PROGRAM_PARAM,
    {.name = "host",
     .type = XPD_PARAM_TEXT,
     .help = "whose events; default: the first host of the program that has events"},
    {.name = "kind",
     .type = XPD_PARAM_ENUM,
     .words = "all memory time heap",
     .help = "only findings of this kind; those of time and of heap files need no program"},
    {.name = "space", .type = XPD_PARAM_INT, .max = INT64_MAX, .help = "only this memory space"},
    {.name = "format",
     .type = XPD_PARAM_ENUM,
     .words = "json text md sarif junit",
     .help = "form of the answer"},
    {.name = "config",
     .type = XPD_PARAM_TEXT,
     .max = CONFIG_MAX,
     .help = "thresholds and muted rules, one per line (docs/CI.md)"},
    XPD_PEAKS_PARAMS,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_doctor = {
    .route = "/api/v1/doctor",
    .title = "Findings: what makes the peak of a program high and its runs long, and what each "
             "change would save; of heap files, which lines grow.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_doctor_answer_record,
    .make = doctor,
    .text = text,
    .other_form = other_form,
    XPD_IN_REPORT("", {120, XPD_EACH_MODULE, "", "the findings of each program"},
                  {120, XPD_EACH_MEASURED, "", NULL}, {120, XPD_EACH_HEAP, "", NULL}),
};
