/* Steps of a report and values at them. In: a query and the space's table. Out: places in one list
 * of steps, so that every number of an answer comes out of one table. */
#include "report_common.h"
#include "report_keys.h"
#include "report_times.h"
#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/order.h"
#include <ctype.h>

/* Rows by what is inside of the instruction that defines them. In: a word. Out: rows without it are
 * in no group. A body is read once, however many fusions call it. */

enum { UNKNOWN, HAS, HAS_NOT };

static bool has_word(const struct xpd_hlo *hlo, uint32_t body, struct xpd_str word)
{
    uint32_t first = hlo->computations.first[body];
    uint32_t end = first + hlo->computations.instruction_count[body];
    for (uint32_t i = first; i < end; i++) {
        struct xpd_str opcode = xpd_hlo_opcode(hlo, i);
        struct xpd_str name = xpd_hlo_text(hlo, hlo->instructions.name[i]);
        if (xpd_str_find(opcode, word, true) < opcode.size ||
            xpd_str_find(name, word, true) < name.size)
            return true;
    }
    return false;
}

static bool is_inside(const struct xpd_hlo *hlo, uint32_t instruction, struct xpd_str word,
                      uint8_t *known)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    if (instruction == XPD_NO_INDEX)
        return false;
    for (uint32_t i = all->called_first[instruction]; i < all->called_first[instruction + 1]; i++) {
        uint32_t body = all->called[i];
        if (body == XPD_NO_INDEX)
            continue;
        if (known[body] == UNKNOWN)
            known[body] = has_word(hlo, body, word) ? HAS : HAS_NOT;
        if (known[body] == HAS)
            return true;
    }
    return false;
}

int xpd_report_keep_inner(const struct xpd_tool_ctx *ctx, const struct xpd_report *report,
                          struct xpd_str word, uint32_t *key, uint32_t *dropped,
                          struct xpd_err *err)
{
    uint8_t *known = XPD_NEW_ARRAY(ctx->arena, uint8_t, (size_t)ctx->hlo->computations.count + 1);
    if (!known)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < report->row_count; i++) {
        uint32_t instruction = xpd_mem_instruction(ctx->mem, report->row[i].buffer);
        if (key[i] == XPD_NO_INDEX || is_inside(ctx->hlo, instruction, word, known))
            continue;
        key[i] = XPD_NO_INDEX;
        ++*dropped;
    }
    return XPD_OK;
}

struct xpd_str xpd_report_body(const struct xpd_hlo *hlo, uint32_t instruction)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    if (instruction == XPD_NO_INDEX ||
        !xpd_str_eq(xpd_hlo_opcode(hlo, instruction), XPD_STR("fusion")))
        return XPD_STR("");
    uint32_t first = all->called_first[instruction];
    if (first == all->called_first[instruction + 1] || all->called[first] == XPD_NO_INDEX)
        return XPD_STR("");
    return xpd_hlo_text(hlo, hlo->computations.name[all->called[first]]);
}

/* Self times summed by group. In: a key for each instruction. Out: sums by key, or why there are
 * none. Self times do not count what runs inside (the body of a loop), so that groups add up. */

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
            .host = xpd_tools_whose(ctx->run, measured->host),
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

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    const struct xpd_words *words = xpd_table_words(ctx, err);
    return xpd_report_make(table, ctx->mem, ctx->space, words ? words->group : NULL, arena, err);
}

const struct xpd_report *xpd_table_report(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_REPORT, 0, true, sizeof(struct xpd_report), make, err);
}

/* ---- steps ---- */

static void skip_spaces(struct xpd_str *text)
{
    while (text->size > 0 && isspace((unsigned char)text->data[0])) {
        text->data++;
        text->size--;
    }
}

static bool take(struct xpd_str *text, char c)
{
    skip_spaces(text);
    return xpd_str_take_char(text, c);
}

static int take_number(struct xpd_str *text, uint32_t count, uint32_t *out, struct xpd_err *err)
{
    skip_spaces(text);
    const char *start = text->data;
    if (!xpd_str_take_u32(text, out))
        return xpd_fail(
            err, XPD_EINVAL, "steps", XPD_NO_OFFSET,
            "steps are numbers and ranges separated by commas, such as 94, 167, 340-350");
    ptrdiff_t digits = text->data - start;
    if (*out >= count)
        return xpd_fail(err, XPD_EINVAL, "steps", XPD_NO_OFFSET,
                        "there is no step %.*s: there are %" PRIu32 ", from 0",
                        digits < 20 ? (int)digits : 20, start, count);
    return XPD_OK;
}

int xpd_report_asked_read(struct xpd_report_view *view, const struct xpd_tool_ctx *ctx,
                          struct xpd_err *err)
{
    struct xpd_str text = xpd_param_text(ctx, "steps");
    uint32_t count = ctx->space->step_count, peak = ctx->space->peak_step;
    skip_spaces(&text);
    if (text.size == 0 || count == 0) {
        view->asked[view->asked_count++] = (struct xpd_report_asked){peak, peak, peak};
        return XPD_OK;
    }
    do {
        struct xpd_report_asked *asked = &view->asked[view->asked_count];
        if (view->asked_count == XPD_REPORT_STEPS_MAX)
            return xpd_fail(err, XPD_EINVAL, "steps", XPD_NO_OFFSET, "at most %d steps at a time",
                            XPD_REPORT_STEPS_MAX);
        int rc = take_number(&text, count, &asked->from, err);
        asked->to = asked->from;
        if (rc == XPD_OK && take(&text, '-'))
            rc = take_number(&text, count, &asked->to, err);
        if (rc != XPD_OK)
            return rc;
        if (asked->to < asked->from)
            return xpd_fail(err, XPD_EINVAL, "steps", XPD_NO_OFFSET,
                            "the range %" PRIu32 "-%" PRIu32 " ends before it begins", asked->from,
                            asked->to);
        struct xpd_curve_column highest;
        xpd_curve(ctx->space, (struct xpd_step_window){asked->from, asked->to + 1}, 1, &highest);
        asked->step = highest.max_step;
        view->asked_count++;
    } while (take(&text, ','));
    skip_spaces(&text);
    return text.size == 0
               ? XPD_OK
               : xpd_fail(
                     err, XPD_EINVAL, "steps", XPD_NO_OFFSET,
                     "steps are numbers and ranges separated by commas, such as 94, 167, 340-350");
}

int xpd_report_view_read(struct xpd_report_view *view, const struct xpd_tool_ctx *ctx,
                         const struct xpd_tool *tool, struct xpd_err *err)
{
    uint32_t px = (uint32_t)xpd_param_int(ctx, tool, "px"), n = 0;
    *view = (struct xpd_report_view){.peak_step = ctx->space->peak_step};
    int rc = xpd_report_asked_read(view, ctx, err);
    if (rc == XPD_OK)
        rc = xpd_tools_window(ctx, tool, &view->window, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_curve_column *column = XPD_NEW_ARRAY(ctx->arena, struct xpd_curve_column, px);
    uint32_t *step = XPD_NEW_ARRAY(ctx->arena, uint32_t, (size_t)px + XPD_REPORT_STEPS_MAX + 1);
    view->column = XPD_NEW_ARRAY(ctx->arena, uint32_t, px);
    if (!column || !step || !view->column)
        return xpd_tools_no_memory(err);
    view->column_count = px ? xpd_curve(ctx->space, view->window, px, column) : 0;
    for (uint32_t i = 0; i < view->column_count; i++)
        step[n++] = view->column[i] = column[i].max_step;
    for (uint32_t i = 0; i < view->asked_count; i++)
        step[n++] = view->asked[i].step;
    step[n++] = view->peak_step;
    qsort(step, n, sizeof *step, xpd_order_u32);
    for (uint32_t i = 0; i < n; i++)
        if (view->steps.count == 0 || step[view->steps.count - 1] != step[i])
            step[view->steps.count++] = step[i];
    view->steps.at = step;
    return XPD_OK;
}

uint32_t xpd_report_place(const struct xpd_report_view *view, uint32_t step)
{
    uint32_t low = 0;
    XPD_BISECT(low, view->steps.count - 1, middle, view->steps.at[middle] < step);
    return low;
}

/* ---- parts of answers ---- */

XPD_RECORD_TABLE(xpd_report_asked, XPD_REPORT_ASKED_FIELDS)
XPD_RECORD_TABLE(xpd_report_values, XPD_REPORT_VALUES_FIELDS)

const int64_t *xpd_report_at_of(const struct xpd_report_view *view, const int64_t *value,
                                struct xpd_arena *arena)
{
    int64_t *at = XPD_NEW_ARRAY(arena, int64_t, view->asked_count);
    for (uint32_t i = 0; at && i < view->asked_count; i++)
        at[i] = value[xpd_report_place(view, view->asked[i].step)];
    return at;
}

struct xpd_report_values xpd_report_values_of(const struct xpd_report_view *view,
                                              const int64_t *value, struct xpd_arena *arena)
{
    int64_t *curve = XPD_NEW_ARRAY(arena, int64_t, view->column_count);
    for (uint32_t i = 0; curve && i < view->column_count; i++)
        curve[i] = value[xpd_report_place(view, view->column[i])];
    return (struct xpd_report_values){
        .at_bytes = {xpd_report_at_of(view, value, arena), view->asked_count},
        .peak_bytes = value[xpd_report_place(view, view->peak_step)],
        .curve_bytes = {curve, view->column_count},
    };
}

const struct xpd_report_values *xpd_report_values_keep(const struct xpd_report_view *view,
                                                       const int64_t *value,
                                                       struct xpd_arena *arena)
{
    struct xpd_report_values *out = XPD_NEW(arena, struct xpd_report_values);
    if (out)
        *out = xpd_report_values_of(view, value, arena);
    return out;
}

void xpd_report_csv_heads(struct xpd_csv *csv, const char *before, const char *behind,
                          const struct xpd_report_asked *asked, uint32_t count)
{
    char head[48];
    for (uint32_t i = 0; i < count; i++) {
        snprintf(head, sizeof head, "%s%" PRIu32 "%s", before, asked[i].step, behind);
        xpd_csv_text(csv, head);
    }
}

void xpd_report_csv_values(struct xpd_csv *csv, const int64_t *value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        xpd_csv_i64(csv, value[i]);
}
