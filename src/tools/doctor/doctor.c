/* /api/v1/doctor: findings of a module, of memory and of time, ranked by what each would save. */
#include "diagnosis.h"

#define BUFFERS_MAX 1000 /* of each finding, the largest */
#define CONFIG_MAX  16384

static void write_source(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                         const struct xpd_finding *f)
{
    struct xpd_source_info info = {.line = 0};
    if (f->instruction != XPD_NO_INDEX)
        xpd_source_of(ctx->hlo, f->instruction, &info);
    xpd_tools_kstr(w, "instruction", xpd_tools_instruction_name(ctx->hlo, f->instruction));
    xpd_tools_kstr(w, "op_name", info.op_name);
    if (info.file.size == 0) {
        xpd_json_knull(w, "source");
        return;
    }
    xpd_json_key(w, "source");
    xpd_json_obj(w);
    xpd_json_kstr(w, "file", info.file);
    xpd_tools_kknown(w, "line", info.line > 0 ? info.line : -1);
    xpd_json_obj_end(w);
}

/* As the program calls it: the path of an argument ("params['w']"), else "%fusion.3". */
static void put_listed(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx, uint32_t buffer,
                       struct xpd_strbuf *text)
{
    const struct xpd_mem_buffer *b = &ctx->mem->buffer[buffer];
    struct xpd_str path = b->instruction != XPD_NO_INDEX && b->mem_class == XPD_CLASS_PARAMETER
                              ? xpd_tools_op_name(ctx->hlo, b->instruction)
                              : XPD_STR("");
    xpd_strbuf_clear(text);
    if (path.size == 0) {
        xpd_strbuf_putc(text, '%');
        xpd_tools_buffer_name(text, ctx->mem, buffer);
    }
    xpd_json_str(w,
                 path.size > 0 ? path : (struct xpd_str){text->data ? text->data : "", text->size});
}

#define LISTED_MAX 60 /* of each finding, for people */

static void write_listed(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                         const struct xpd_finding *f)
{
    const uint32_t *at = f->listed ? f->listed : f->buffer;
    uint32_t count = f->listed ? f->listed_count : f->buffer_count;
    uint32_t n = count < LISTED_MAX ? count : LISTED_MAX;
    struct xpd_strbuf text = {0};
    xpd_json_key(w, "listed");
    xpd_json_obj(w);
    xpd_json_ktext(w, "what", f->listed ? "argument" : "buffer");
    xpd_json_ku64(w, "count", count);
    xpd_json_col_u32(w, "buffer", at, n);
    XPD_COLUMN(w, "name", n, put_listed(w, ctx, at[row], &text));
    xpd_json_obj_end(w);
    xpd_strbuf_fini(&text);
}

static void write_buffers(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                          const struct xpd_finding *f)
{
    uint32_t n = f->buffer_count < BUFFERS_MAX ? f->buffer_count : BUFFERS_MAX;
    struct xpd_strbuf text = {0};
    xpd_json_ku64(w, "buffer_count", f->buffer_count);
    xpd_json_col_u32(w, "buffers", f->buffer, n);
    xpd_json_ku64(w, "buffers_left_out", f->buffer_count - n);
    if (n > 0) {
        xpd_tools_buffer_name(&text, ctx->mem, f->buffer[0]);
        xpd_json_kstr(w, "largest", (struct xpd_str){text.data, text.size});
        xpd_strbuf_clear(&text);
        if (ctx->mem->buffer[f->buffer[0]].shape)
            xpd_shape_text(&text, ctx->mem->buffer[f->buffer[0]].shape, true);
        xpd_json_kstr(w, "largest_shape", (struct xpd_str){text.data ? text.data : "", text.size});
    } else {
        xpd_json_knull(w, "largest");
        xpd_json_knull(w, "largest_shape");
    }
    xpd_strbuf_fini(&text);
}

/* The share that findings are ranked by, what it is a share of, and whose savings overlap. */
static void write_rank(struct xpd_jsonw *w, const struct xpd_diagnosis *d,
                       const struct xpd_finding *f)
{
    xpd_json_ktext(w, "kind", f->is_time ? "time" : "memory");
    if (f->share < 0)
        xpd_json_knull(w, "share");
    else
        xpd_json_kdouble(w, "share", f->share);
    xpd_json_ktext(w, "share_of", f->share < 0 ? NULL : xpd_finding_share_of(d, f));
    xpd_tools_kknown(w, "saving_ps", f->saving_ps);
    xpd_tools_kknown(w, "of_ps", f->of_ps);
    xpd_tools_kstr(w, "saving_note", f->saving_note);
    xpd_json_key(w, "overlaps");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < f->overlap_count; i++)
        xpd_json_u64(w, f->overlap[i]);
    xpd_json_arr_end(w);
}

static void write_time(struct xpd_jsonw *w, const struct xpd_diagnosis *d)
{
    const struct xpd_doctor_time *t = &d->time;
    xpd_json_key(w, "time");
    xpd_json_obj(w);
    xpd_json_kbool(w, "known", !d->no_time);
    xpd_json_ktext(w, "reason", d->no_time);
    xpd_json_ktext(w, "clock", t->clock);
    xpd_json_ku64(w, "chips", t->chips);
    xpd_tools_kknown(w, "runs", t->runs > 0 ? (int64_t)t->runs : -1);
    xpd_json_ki64(w, "operations_ps", t->ops_ps);
    xpd_json_ku64(w, "steps", t->steps);
    xpd_tools_kstr(w, "not_judged", d->time_not_judged);
    xpd_json_obj_end(w);
}

static void write_saving(struct xpd_jsonw *w, const struct xpd_diagnosis *d,
                         const struct xpd_finding *f)
{
    xpd_json_ki64(w, "bytes", f->bytes);
    xpd_tools_kknown(w, "saving_bytes", f->saving_bytes);
    xpd_json_ktext(w, "action", f->action);
    xpd_tools_kknown(w, "new_peak_bytes", f->new_peak_bytes);
    xpd_tools_kindex(w, "new_step", f->new_step);
    bool judged =
        f->new_peak_bytes >= 0 && d->space && f->color == d->space->color && d->capacity.bytes > 0;
    if (judged)
        xpd_json_kbool(w, "fits_then", f->new_peak_bytes <= d->capacity.bytes);
    else
        xpd_json_knull(w, "fits_then");
}

static void write_finding(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                          const struct xpd_diagnosis *d, const struct xpd_finding *f)
{
    char scratch[24];
    xpd_json_obj(w);
    xpd_json_ktext(w, "id", f->rule->id);
    xpd_json_ktext(w, "name", f->rule->name);
    xpd_json_ktext(w, "severity", xpd_doctor_severity_word(f->severity));
    xpd_json_ktext(w, "confidence", xpd_doctor_confidence_word(f->confidence));
    if (f->color < 0) {
        xpd_json_knull(w, "space");
        xpd_json_knull(w, "space_name");
    } else {
        xpd_json_ki64(w, "space", f->color);
        xpd_json_ktext(w, "space_name", xpd_space_name(ctx->run->platform, f->color, scratch));
    }
    xpd_json_kstr(w, "claim", f->claim);
    xpd_json_kstr(w, "advice", f->advice);
    xpd_json_ktext(w, "wrong_when", f->rule->wrong_when[0] ? f->rule->wrong_when : NULL);
    xpd_tools_kstr(w, "place", f->place);
    write_source(w, ctx, f);
    xpd_json_key(w, "numbers");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < f->number_count; i++) {
        xpd_json_obj(w);
        xpd_json_ktext(w, "name", f->number[i].name);
        xpd_json_ki64(w, "value", f->number[i].value);
        xpd_json_ktext(w, "unit", f->number[i].unit);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
    write_saving(w, d, f);
    write_rank(w, d, f);
    write_buffers(w, ctx, f);
    write_listed(w, ctx, f);
    if (f->silenced)
        xpd_json_kstr(w, "silenced", f->silenced->reason);
    else
        xpd_json_knull(w, "silenced");
    xpd_json_obj_end(w);
}

/* What is not as the table has it. */
static void write_settings(struct xpd_jsonw *w, const struct xpd_doctor_config *config)
{
    uint32_t count;
    const struct xpd_doctor_threshold_info *info = xpd_doctor_threshold_list(&count);
    xpd_json_key(w, "settings");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < count; i++) {
        double value = xpd_doctor_threshold_value(&config->thresholds, i);
        if (value == info[i].value)
            continue;
        xpd_json_obj(w);
        xpd_json_ktext(w, "name", info[i].name);
        xpd_json_kdouble(w, "value", value);
        xpd_json_kdouble(w, "default", info[i].value);
        xpd_json_ktext(w, "unit", info[i].unit);
        xpd_json_ktext(w, "help", info[i].help);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
}

static void put_diagnosis(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                          const struct xpd_diagnosis *d)
{
    xpd_json_obj(w);
    xpd_json_ki64(w, "schema", 1);
    xpd_json_ktext(w, "run", ctx->run->entry->id);
    xpd_json_ktext(w, "module", ctx->run->module[ctx->module].key);
    xpd_tools_capacity_write(w, &d->capacity);
    if (d->space) {
        xpd_json_ki64(w, "space", d->space->color);
        xpd_json_ki64(w, "peak_bytes", d->space->peak_bytes);
        xpd_tools_kindex(w, "peak_step", d->space->peak_step);
    } else {
        xpd_json_knull(w, "space");
        xpd_json_knull(w, "peak_bytes");
        xpd_json_knull(w, "peak_step");
    }
    xpd_json_ku64(w, "rules_checked", d->rules_checked);
    xpd_json_ku64(w, "rules_not_judged", d->rules_not_judged);
    xpd_tools_kstr(w, "not_judged", d->not_judged);
    write_time(w, d);
    write_settings(w, d->config);
    xpd_json_ku64(w, "found", d->count - d->silenced_count);
    xpd_json_ku64(w, "silenced", d->silenced_count);
    xpd_json_ku64(w, "shown", XPD_FINDINGS_SHOWN);
    xpd_json_key(w, "findings");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < d->count; i++)
        write_finding(w, ctx, d, &d->finding[i]);
    xpd_json_arr_end(w);
    xpd_json_obj_end(w);
}

static int doctor(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_diagnosis d;
    struct xpd_jsonw w;
    const struct xpd_mem_space *only = NULL;
    int64_t color;
    if (xpd_str_to_i64(xpd_param_text(ctx, "space"), &color)) {
        only = xpd_mem_space_of(ctx->mem, color);
        if (!only)
            return xpd_fail(err, XPD_ENOTFOUND, "space", XPD_NO_OFFSET,
                            "this module has no memory space %" PRId64, color);
    }
    int rc = xpd_diagnose(&d, ctx, xpd_param_text(ctx, "config"), only, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_str format = xpd_param_text(ctx, "format");
    if (format.size == 0 || xpd_str_eq(format, XPD_STR("json"))) {
        xpd_jsonw_init(&w, &out->body);
        put_diagnosis(&w, ctx, &d);
        return XPD_OK;
    }
    out->type = XPD_BODY_TEXT;
    if (xpd_str_eq(format, XPD_STR("md"))) {
        xpd_diagnosis_markdown(&out->body, ctx, &d);
    } else if (xpd_str_eq(format, XPD_STR("junit"))) {
        xpd_diagnosis_junit(&out->body, ctx, &d);
    } else if (xpd_str_eq(format, XPD_STR("sarif"))) {
        out->type = XPD_BODY_JSON;
        xpd_jsonw_init(&w, &out->body);
        xpd_diagnosis_sarif(&w, ctx, &d);
    } else {
        xpd_diagnosis_text(&out->body, ctx, &d);
    }
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    {.name = "space", .type = XPD_PARAM_INT, .max = INT64_MAX, .help = "only this memory space"},
    {.name = "format",
     .type = XPD_PARAM_ENUM,
     .words = "json text md sarif junit",
     .help = "form of the answer"},
    {.name = "config",
     .type = XPD_PARAM_TEXT,
     .max = CONFIG_MAX,
     .help = "thresholds and muted rules, one per line (docs/CI.md)"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_doctor = {
    .route = "/api/v1/doctor",
    .title = "Findings: what makes the peak of a program high and its runs long, and what each "
             "change would save.",
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .run = doctor,
};
