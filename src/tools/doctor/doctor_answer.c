/* Findings as an answer. In: a diagnosis. Out: the records of /api/v1/doctor. */
#include "doctor_answer.h"
#include "xprofd/tools/check.h"

XPD_RECORD_TABLE(xpd_finding_number, XPD_FINDING_NUMBER_FIELDS)
XPD_RECORD_TABLE(xpd_finding_source_line, XPD_FINDING_SOURCE_FIELDS)
XPD_RECORD_TABLE(xpd_finding_op_row, XPD_FINDING_OP_FIELDS)
XPD_RECORD_TABLE(xpd_finding_listed_row, XPD_FINDING_LISTED_FIELDS)
XPD_RECORD_TABLE(xpd_finding_list, XPD_FINDING_LIST_FIELDS)
XPD_RECORD_TABLE(xpd_finding_row, XPD_FINDING_ROW_FIELDS)
XPD_RECORD_TABLE(xpd_doctor_measured, XPD_DOCTOR_MEASURED_FIELDS)
XPD_RECORD_TABLE(xpd_doctor_setting, XPD_DOCTOR_SETTING_FIELDS)
XPD_RECORD_TABLE(xpd_doctor_heap_row, XPD_DOCTOR_HEAP_FIELDS)
XPD_RECORD_TABLE(xpd_doctor_answer, XPD_DOCTOR_ANSWER_FIELDS)

#define BUFFERS_MAX 1000 /* of each finding, the largest; as many operations */
#define LISTED_MAX  60   /* of each finding, for people */

struct filling {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_diagnosis *d;
    struct xpd_arena *arena;
    struct xpd_strbuf text; /* scratch */
};

static struct xpd_str kept(struct filling *a)
{
    struct xpd_str text = xpd_strbuf_keep(&a->text, a->arena);
    xpd_strbuf_clear(&a->text);
    return text;
}

static void fill_source(struct filling *a, struct xpd_finding_row *row, const struct xpd_finding *f)
{
    struct xpd_finding_at at = xpd_finding_at(a->ctx->hlo, f);
    if (f->line)
        row->line = f->line->key;
    if (f->instruction != XPD_NO_INDEX) {
        struct xpd_source_info info;
        xpd_source_of(a->ctx->hlo, f->instruction, &info);
        row->instruction = xpd_tools_or_null(xpd_hlo_instruction_name(a->ctx->hlo, f->instruction));
        row->op_name = xpd_tools_or_null(info.op_name);
    }
    struct xpd_finding_source_line *source =
        at.file.size > 0 ? XPD_NEW(a->arena, struct xpd_finding_source_line) : NULL;
    if (source)
        *source = (struct xpd_finding_source_line){at.file, at.line > 0 ? at.line : -1};
    row->source = source;
}

/* As the program calls it: the path of an argument ("params['w']"), else "%fusion.3". */
static struct xpd_str listed_name(struct filling *a, uint32_t buffer)
{
    const struct xpd_mem_buffer *b = &a->ctx->mem->buffer[buffer];
    struct xpd_str path = b->instruction != XPD_NO_INDEX && b->mem_class == XPD_CLASS_PARAMETER
                              ? xpd_hlo_op_name(a->ctx->hlo, b->instruction)
                              : XPD_STR("");
    if (path.size > 0)
        return path;
    xpd_strbuf_putc(&a->text, '%');
    xpd_mem_buffer_name(&a->text, a->ctx->mem, buffer);
    return kept(a);
}

static void fill_listed(struct filling *a, struct xpd_finding_row *row, const struct xpd_finding *f)
{
    const uint32_t *at = f->listed ? f->listed : f->buffer;
    uint32_t count = f->listed ? f->listed_count : f->buffer_count;
    uint32_t n = count < LISTED_MAX ? count : LISTED_MAX;
    struct xpd_finding_list *list = XPD_NEW(a->arena, struct xpd_finding_list);
    struct xpd_finding_listed_row *one = XPD_NEW_ARRAY(a->arena, struct xpd_finding_listed_row, n);
    if (!list || !one)
        return;
    for (uint32_t i = 0; i < n; i++)
        one[i] = (struct xpd_finding_listed_row){at[i], listed_name(a, at[i])};
    *list = (struct xpd_finding_list){f->listed ? "argument" : "buffer", count, {one, n}};
    row->listed = list;
}

static void fill_buffers(struct filling *a, struct xpd_finding_row *row,
                         const struct xpd_finding *f)
{
    uint32_t n = f->buffer_count < BUFFERS_MAX ? f->buffer_count : BUFFERS_MAX;
    row->buffer_count = f->buffer_count;
    row->buffers.at = f->buffer;
    row->buffers.n = n;
    row->buffers_left_out = f->buffer_count - n;
    if (n == 0)
        return;
    xpd_mem_buffer_name(&a->text, a->ctx->mem, f->buffer[0]);
    row->largest = kept(a);
    if (a->ctx->mem->buffer[f->buffer[0]].shape)
        xpd_shape_text(&a->text, a->ctx->mem->buffer[f->buffer[0]].shape, true);
    row->largest_shape = kept(a);
}

static void fill_operations(struct filling *a, struct xpd_finding_row *row,
                            const struct xpd_finding *f)
{
    uint32_t n = f->op_count < BUFFERS_MAX ? f->op_count : BUFFERS_MAX;
    struct xpd_finding_op_row *op = XPD_NEW_ARRAY(a->arena, struct xpd_finding_op_row, n);
    if (!op)
        return;
    for (uint32_t i = 0; i < n; i++)
        op[i] =
            (struct xpd_finding_op_row){xpd_hlo_instruction_name(a->ctx->hlo, f->op[i].instruction),
                                        f->op[i].self_ps, f->op[i].saving_ps};
    row->operations.at = op;
    row->operations.n = n;
    row->operations_left_out = f->op_count - n;
}

static void fill_numbers(struct filling *a, struct xpd_finding_row *row,
                         const struct xpd_finding *f)
{
    struct xpd_finding_number *number =
        XPD_NEW_ARRAY(a->arena, struct xpd_finding_number, f->number_count);
    if (!number)
        return;
    for (uint32_t i = 0; i < f->number_count; i++)
        number[i] =
            (struct xpd_finding_number){f->number[i].name, f->number[i].value, f->number[i].unit};
    row->numbers.at = number;
    row->numbers.n = f->number_count;
}

static void fill_saving(const struct filling *a, struct xpd_finding_row *row,
                        const struct xpd_finding *f)
{
    const struct xpd_diagnosis *d = a->d;
    row->share = f->share;
    row->share_of = f->share < 0 ? NULL : xpd_finding_share_of(d, f);
    row->saving_ps = f->saving_ps;
    row->of_ps = f->of_ps;
    row->size_bytes = f->bytes;
    row->saving_bytes = f->saving_bytes;
    row->action = f->action;
    row->new_peak_bytes = f->new_peak_bytes;
    row->new_step = f->new_step;
    row->saving_note = xpd_tools_or_null(f->saving_note);
    row->overlaps.at = f->overlap;
    row->overlaps.n = f->overlap_count;
    bool judged =
        f->new_peak_bytes >= 0 && d->space && f->color == d->space->color && d->capacity.bytes > 0;
    row->fits_then = !judged ? NULL : f->new_peak_bytes <= d->capacity.bytes ? "yes" : "no";
}

static void fill_space(struct filling *a, struct xpd_finding_row *row, const struct xpd_finding *f)
{
    char scratch[24];
    row->space = f->color >= 0 ? f->color : -1;
    if (f->color < 0)
        return;
    const char *name = xpd_space_name(a->ctx->run->platform, f->color, scratch);
    row->space_name = xpd_arena_strndup(a->arena, name, strlen(name));
}

static void fill_finding(struct filling *a, struct xpd_finding_row *row,
                         const struct xpd_finding *f)
{
    static const char *const kinds[] = {"memory", "time", "heap"};
    *row = (struct xpd_finding_row){
        .id = f->rule->id,
        .name = f->rule->name,
        .kind = kinds[f->about],
        .severity = xpd_doctor_severity_word(f->severity),
        .confidence = xpd_doctor_confidence_word(f->confidence),
        .claim = f->claim,
        .advice = f->advice,
        .wrong_when = f->rule->wrong_when[0] ? f->rule->wrong_when : NULL,
        .place = xpd_tools_or_null(f->place),
    };
    if (f->silenced)
        row->silenced = f->silenced->reason;
    fill_space(a, row, f);
    fill_source(a, row, f);
    fill_numbers(a, row, f);
    fill_saving(a, row, f);
    fill_operations(a, row, f);
    fill_buffers(a, row, f);
    fill_listed(a, row, f);
}

/* What is not as the table has it. */
static void fill_settings(struct filling *a, struct xpd_doctor_answer *out)
{
    uint32_t count, n = 0;
    const struct xpd_doctor_threshold_info *info = xpd_doctor_threshold_list(&count);
    struct xpd_doctor_setting *row = XPD_NEW_ARRAY(a->arena, struct xpd_doctor_setting, count);
    for (uint32_t i = 0; row && i < count; i++) {
        double value = xpd_doctor_threshold_value(&a->d->config->thresholds, i);
        if (value != info[i].value)
            row[n++] = (struct xpd_doctor_setting){info[i].name, value, info[i].value, info[i].unit,
                                                   info[i].help};
    }
    out->settings.at = row;
    out->settings.n = n;
}

static void fill_time(struct filling *a, struct xpd_doctor_answer *out)
{
    struct xpd_doctor_measured *to = XPD_NEW(a->arena, struct xpd_doctor_measured);
    const struct xpd_doctor_time *t = &a->d->time;
    const struct xpd_doctor_ops *ops = t->ops;
    if (!to)
        return;
    *to = (struct xpd_doctor_measured){
        .known = a->d->has_time,
        .reason = a->d->no_time,
        .host = t->host,
        .other_hosts = t->other_hosts,
        .clock = ops ? ops->clock : NULL,
        .chips = ops ? ops->chips : t->chips,
        .runs = ops && ops->runs > 0 ? (int64_t)ops->runs : -1,
        .operations_ps = ops ? ops->all_ps : 0,
        .steps = (int64_t)t->steps,
        .steps_of = t->steps_of,
        .steps_clock = t->steps > 0 ? t->steps_clock : NULL,
        .not_judged = xpd_tools_or_null(a->d->time_not_judged),
    };
    out->measured = to;
}

static void fill_heap(struct filling *a, struct xpd_doctor_answer *out)
{
    const struct xpd_doctor_heap *heap = &a->d->heap;
    struct xpd_doctor_heap_row *row =
        XPD_NEW_ARRAY(a->arena, struct xpd_doctor_heap_row, heap->series_count);
    if (!row)
        return;
    for (uint32_t i = 0; i < heap->series_count; i++) {
        const struct xpd_doctor_heap_series *s = &heap->series[i];
        row[i] = (struct xpd_doctor_heap_row){
            .series = s->name,
            .files = s->all_files,
            .judged = s->why_not ? 0 : s->files,
            .first = s->first,
            .last = s->last,
            .last_bytes = s->why_not ? -1 : s->last_bytes,
            .growing = s->why_not ? -1 : (int64_t)s->line_count,
            .reason = s->why_not,
        };
    }
    out->heap.at = row;
    out->heap.n = heap->series_count;
}

int xpd_doctor_answer_fill(struct xpd_doctor_answer *out, const struct xpd_tool_ctx *ctx,
                           const struct xpd_diagnosis *d, struct xpd_err *err)
{
    struct filling a = {.ctx = ctx, .d = d, .arena = ctx->arena};
    struct xpd_finding_row *row = XPD_NEW_ARRAY(ctx->arena, struct xpd_finding_row, d->count);
    *out = (struct xpd_doctor_answer){
        .schema = 1,
        .run = ctx->run->entry->id,
        .module = ctx->module == XPD_NO_INDEX ? NULL : ctx->run->module[ctx->module].key,
        .capacity_bytes = d->capacity.bytes,
        .capacity_from = d->capacity.from,
        .capacity_unknown = d->capacity.unknown,
        .space = d->space ? d->space->color : -1,
        .peak_bytes = d->space ? d->space->peak_bytes : -1,
        .peak_step = d->space ? d->space->peak_step : XPD_NO_INDEX,
        .rules_checked = d->rules_checked,
        .rules_not_judged = d->rules_not_judged,
        .not_judged = xpd_tools_or_null(d->not_judged),
        .found = d->count - d->silenced_count,
        .silenced = d->silenced_count,
        .shown = XPD_FINDINGS_SHOWN,
    };
    fill_time(&a, out);
    fill_settings(&a, out);
    fill_heap(&a, out);
    for (uint32_t i = 0; row && i < d->count; i++)
        fill_finding(&a, &row[i], &d->finding[i]);
    out->findings.at = row;
    out->findings.n = d->count;
    bool failed = a.text.failed || ctx->arena->failed;
    xpd_strbuf_fini(&a.text);
    return failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static int level(const char *severity)
{
    return severity[0] == 'e' ? 0 : severity[0] == 'w' ? 1 : 2;
}

bool xpd_doctor_reaches(const void *answer, const char *fail_on)
{
    const struct xpd_doctor_answer *doctor = answer;
    bool found = false;
    for (uint32_t i = 0; fail_on && i < doctor->findings.n; i++) {
        const struct xpd_finding_row *row = &doctor->findings.at[i];
        found |= !row->silenced.data && level(row->severity) <= level(fail_on);
    }
    return found;
}
