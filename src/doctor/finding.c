/* How rules make findings. In: sets of rows. Out: claims, numbers, buffers, exact savings. */
#include "doctor_internal.h"
#include "doctor_lines.h"
#include "xprofd/base/checked.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Lines of a small text file. In: its text. Out: one trimmed line after the other. */

bool xpd_text_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

struct xpd_str xpd_text_trim(struct xpd_str text)
{
    while (text.size > 0 && xpd_text_is_space(text.data[0])) {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && xpd_text_is_space(text.data[text.size - 1]))
        text.size--;
    return text;
}

void xpd_text_line_next(struct xpd_text_line *line, struct xpd_str *rest)
{
    const char *end = memchr(rest->data, '\n', rest->size);
    size_t size = end ? (size_t)(end - rest->data) : rest->size;
    const char *comment = memchr(rest->data, '#', size);
    line->start = rest->data;
    line->number++;
    line->text = xpd_text_trim(
        (struct xpd_str){line->start, comment ? (size_t)(comment - line->start) : size});
    size_t taken = size + (end != NULL);
    *rest = (struct xpd_str){rest->data + taken, rest->size - taken};
}

int xpd_text_line_fail(const struct xpd_text_line *line, const char *at, struct xpd_err *err,
                       const char *what)
{
    char where[160];
    snprintf(where, sizeof where, "%.100s:%" PRIu32 ":%zu", line->file, line->number,
             (size_t)(at - line->start) + 1);
    return xpd_fail(err, XPD_EINVAL, where, XPD_NO_OFFSET, "%s", what);
}

bool xpd_dx_set_init(struct xpd_dx *dx, struct xpd_dx_set *set)
{
    *set = (struct xpd_dx_set){.row = XPD_NEW_ARRAY(dx->arena, uint32_t, dx->held.count)};
    return set->row != NULL;
}

void xpd_dx_set_add(struct xpd_dx *dx, struct xpd_dx_set *set, uint32_t row)
{
    if (row == XPD_NO_INDEX || set->count == dx->held.count ||
        dx->held.at[row].buffer == XPD_NO_INDEX) /* nothing to name or to change */
        return;
    set->row[set->count++] = row;
    xpd_grow_i64(&set->bytes, dx->held.at[row].size_bytes);
    xpd_grow_i64(&set->padding_bytes, xpd_held_padding(&dx->held.at[row]));
}

bool xpd_dx_worth(const struct xpd_dx *dx, const struct xpd_dx_set *set, double share)
{
    return set->count > 0 && set->bytes >= xpd_dx_share(dx, share) &&
           (double)set->bytes >= dx->t->big_bytes;
}

struct xpd_finding *xpd_dx_find(struct xpd_dx *dx, enum xpd_doctor_severity severity,
                                enum xpd_doctor_confidence confidence, int64_t bytes)
{
    struct xpd_finding f = {.rule = dx->rule,
                            .severity = severity,
                            .confidence = confidence,
                            .color = dx->space ? dx->space->color : -1,
                            .advice = xpd_str_of(dx->rule->what_to_try),
                            .place = XPD_STR("program"),
                            .instruction = XPD_NO_INDEX,
                            .bytes = bytes,
                            .about = dx->time   ? XPD_FINDS_TIME
                                     : dx->heap ? XPD_FINDS_HEAP
                                                : XPD_FINDS_MEMORY,
                            .saving_ps = -1,
                            .of_ps = -1,
                            .share = -1,
                            .saving_note = XPD_STR(""),
                            .saving_bytes = -1,
                            .new_peak_bytes = -1,
                            .new_step = XPD_NO_STEP};
    XPD_PUSH(&dx->found, f);
    return dx->found.failed ? &dx->nowhere : &dx->found.at[dx->found.count - 1];
}

__attribute__((format(printf, 2, 0))) static struct xpd_str vtext(struct xpd_dx *dx,
                                                                  const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    size_t size = n < 0 ? 0 : (size_t)n;
    char *text = n < 0 ? NULL : xpd_arena_bytes(dx->arena, size + 1);
    if (text)
        vsnprintf(text, size + 1, fmt, again);
    va_end(again);
    return (struct xpd_str){text ? text : "", text ? size : 0};
}

void xpd_dx_claim(struct xpd_dx *dx, struct xpd_finding *f, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    f->claim = vtext(dx, fmt, args);
    va_end(args);
}

void xpd_dx_advice(struct xpd_dx *dx, struct xpd_finding *f, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    f->advice = vtext(dx, fmt, args);
    va_end(args);
}

void xpd_dx_number(struct xpd_finding *f, const char *name, int64_t value, const char *unit)
{
    if (f->number_count < XPD_DOCTOR_NUMBERS)
        f->number[f->number_count++] = (struct xpd_doctor_number){name, value, unit};
}

struct sized {
    uint32_t buffer;
    int64_t bytes;
};

static int by_size(const void *a, const void *b)
{
    const struct sized *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

/* Numbers as '*', because they change with every compile. A name of markers alone ("pjit(") is
 * unchanged: a place is never empty, because muted rules match it. */
static void put_place(struct xpd_dx *dx, struct xpd_strbuf *place, uint32_t buffer)
{
    struct xpd_strbuf text = {0};
    xpd_mem_buffer_name(&text, dx->mem, buffer);
    struct xpd_str name = {text.data ? text.data : "", text.size};
    xpd_doctor_scope(place, name);
    if (place->size == 0)
        xpd_strbuf_add(place, name.data, name.size);
    if (place->size == 0)
        xpd_strbuf_puts(place, "program");
    xpd_strbuf_fini(&text);
}

static void set_place(struct xpd_dx *dx, struct xpd_finding *f)
{
    struct xpd_strbuf text = {0};
    f->instruction = dx->mem->buffer[f->buffer[0]].instruction;
    xpd_doctor_scope(&text, xpd_dx_op_name(dx, f->instruction));
    if (text.size == 0)
        put_place(dx, &text, f->buffer[0]);
    const char *copy =
        text.failed ? NULL : xpd_arena_strndup(dx->arena, text.data ? text.data : "", text.size);
    f->place = (struct xpd_str){copy ? copy : "", copy ? text.size : 0};
    dx->arena->failed |= !copy;
    xpd_strbuf_fini(&text);
}

void xpd_dx_rows(struct xpd_dx *dx, struct xpd_finding *f, const struct xpd_dx_set *set)
{
    struct sized *list = XPD_NEW_ARRAY(dx->arena, struct sized, set->count);
    f->buffer = XPD_NEW_ARRAY(dx->arena, uint32_t, set->count);
    if (!list || !f->buffer)
        return;
    uint32_t n = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        const struct xpd_held *row = &dx->held.at[set->row[i]];
        if (row->buffer != XPD_NO_INDEX)
            list[n++] = (struct sized){row->buffer, row->size_bytes};
    }
    if (n > 1)
        qsort(list, n, sizeof *list, by_size);
    for (uint32_t i = 0; i < n; i++)
        f->buffer[i] = list[i].buffer;
    f->buffer_count = n;
    if (n > 0)
        set_place(dx, f);
}

void xpd_dx_save(struct xpd_dx *dx, struct xpd_finding *f, enum xpd_action action, int64_t parts)
{
    struct xpd_arena scratch;
    struct xpd_plan plan;
    struct xpd_plan_result result;
    if (f->buffer_count == 0)
        return;
    f->action = xpd_action_word(action);
    if (action == XPD_ACTION_DROP || action == XPD_ACTION_DONATE) {
        f->saving_bytes = xpd_saving(dx->mem, dx->space, f->buffer, f->buffer_count,
                                     &f->new_peak_bytes, &f->new_step, dx->arena);
        return;
    }
    xpd_arena_init(&scratch, dx->arena->budget_bytes);
    xpd_plan_init(&plan, dx->mem, dx->space, &scratch);
    for (uint32_t i = 0; i < f->buffer_count; i++)
        xpd_plan_add(&plan, f->buffer[i], action, parts); /* unchanged if impossible */
    if (xpd_plan_run(&plan, &result)) {
        f->saving_bytes = result.saving_bytes > 0 ? result.saving_bytes : 0;
        f->new_peak_bytes = result.saving_bytes > 0 ? result.peak_bytes : dx->peak_bytes;
        f->new_step = result.saving_bytes > 0 ? result.peak_step : dx->space->peak_step;
    }
    dx->arena->failed |= scratch.failed;
    xpd_arena_fini(&scratch);
}

struct xpd_finding *xpd_dx_find_set(struct xpd_dx *dx, enum xpd_doctor_severity severity,
                                    enum xpd_doctor_confidence confidence,
                                    const struct xpd_dx_set *set, enum xpd_action action)
{
    struct xpd_finding *f = xpd_dx_find(dx, severity, confidence, set->bytes);
    xpd_dx_rows(dx, f, set);
    xpd_dx_save(dx, f, action, 0);
    return f;
}

/* Rules in a row that lack the same thing are told together: "T05, T06: no HLO". */
void xpd_dx_not_judged(struct xpd_dx *dx, const char *why)
{
    struct xpd_strbuf *text = &dx->not_judged;
    bool again = dx->not_judged_why && strcmp(dx->not_judged_why, why) == 0;
    if (again && !text->failed)
        text->size -= strlen(": ") + strlen(why);
    if (text->size > 0)
        xpd_strbuf_puts(text, again ? ", " : "; ");
    xpd_strbuf_puts(text, dx->rule->id);
    xpd_strbuf_puts(text, ": ");
    xpd_strbuf_puts(text, why);
    dx->not_judged_why = why;
    dx->not_judged_count++;
}
