/* Rows of heap/lines and heap/summary.
 *
 * In: a question with its files. Out: the groups of all of them, their share by device, and rows
 * with texts. */
#include "heap_rows.h"

#include <math.h>
#include <string.h>

XPD_RECORD_TABLE(xpd_heap_frame_row, XPD_HEAP_FRAME_FIELDS)
XPD_RECORD_TABLE(xpd_heap_line_row, XPD_HEAP_ROW_FIELDS)

/* ---- devices ---- */

static int by_text(const void *a, const void *b)
{
    const struct xpd_str *x = a, *y = b;
    return x->size != y->size && xpd_str_starts(*x, "cpu:")
               ? (x->size > y->size) - (x->size < y->size)
               : xpd_str_order(*x, *y);
}

static int devices_of(struct xpd_heap_devices *out, const struct xpd_heap_ask *ask,
                      struct xpd_err *err)
{
    const struct xpd_pprof *heap = ask->member[ask->shown].heap;
    struct xpd_arena *arena = ask->ctx->arena;
    bool *seen = XPD_NEW_ARRAY(arena, bool, (size_t)heap->text_count + 1);
    struct xpd_str *name = XPD_NEW_ARRAY(arena, struct xpd_str, XPD_HEAP_DEVICES_MAX);
    uint32_t count = 0;
    *out = (struct xpd_heap_devices){.name = name};
    if (!seen || !name)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < heap->sample_count; i++) {
        uint32_t device = heap->sample_device[i];
        if (device == 0 || seen[device])
            continue;
        if (count == XPD_HEAP_DEVICES_MAX)
            return XPD_OK; /* more than a row can show: none is */
        seen[device] = true;
        name[count++] = heap->text[device];
    }
    qsort(name, count, sizeof *name, by_text);
    out->count = count;
    return XPD_OK;
}

/* One grouping a device: the same sums as those of the whole, so that they add up to it. */
static int add_devices(struct xpd_heap_lines *out, enum xpd_heap_by by, struct xpd_err *err)
{
    const struct xpd_heap_ask *ask = out->ask;
    struct xpd_arena *arena = ask->ctx->arena;
    uint32_t devices = out->devices.count, rows = out->groups.row_count;
    struct xpd_intern keys;
    if (devices == 0)
        return XPD_OK;
    out->by_device = XPD_NEW_ARRAY(arena, int64_t, (size_t)rows * devices + 1);
    xpd_intern_init(&keys, arena);
    for (uint32_t i = 0; i < rows; i++)
        xpd_intern_put(&keys, out->groups.row[i].key.data, out->groups.row[i].key.size);
    int rc = out->by_device && !keys.failed ? XPD_OK : xpd_tools_no_memory(err);
    for (uint32_t d = 0; d < devices && rc == XPD_OK; d++) {
        struct xpd_heap_filter filter = ask->filter;
        struct xpd_heap_groups of;
        if (filter.device.size > 0 && !xpd_str_eq(filter.device, out->devices.name[d]))
            continue;
        filter.device = out->devices.name[d];
        rc = xpd_heap_group(&of, &ask->member[ask->shown], 1, by, &filter, arena, err);
        for (uint32_t i = 0; rc == XPD_OK && i < of.row_count; i++) {
            xpd_name_id id = xpd_intern_find(&keys, of.row[i].key);
            if (id != XPD_NO_NAME && id > 0)
                out->by_device[(size_t)(id - 1) * devices + d] = of.value[i];
        }
    }
    xpd_intern_fini(&keys);
    return rc;
}

int xpd_heap_lines_make(struct xpd_heap_lines *out, const struct xpd_heap_ask *ask,
                        enum xpd_heap_by by, struct xpd_err *err)
{
    *out = (struct xpd_heap_lines){.ask = ask};
    int rc = xpd_heap_group(&out->groups, ask->member, ask->member_count, by, &ask->filter,
                            ask->ctx->arena, err);
    if (rc == XPD_OK)
        rc = devices_of(&out->devices, ask, err);
    return rc == XPD_OK ? add_devices(out, by, err) : rc;
}

/* ---- one row ---- */

static int64_t at(const struct xpd_heap_lines *lines, const int64_t *column, uint32_t row,
                  uint32_t member)
{
    return column[(size_t)row * lines->groups.member_count + member];
}

bool xpd_heap_lines_has(const struct xpd_heap_lines *lines, uint32_t row)
{
    const struct xpd_heap_groups *g = &lines->groups;
    uint32_t shown = lines->ask->shown, compared = lines->ask->compared;
    bool here = at(lines, g->value, row, shown) != 0 || at(lines, g->count, row, shown) != 0;
    return here || (compared != XPD_NO_INDEX && (at(lines, g->value, row, compared) != 0 ||
                                                 at(lines, g->count, row, compared) != 0));
}

int64_t xpd_heap_lines_value(const struct xpd_heap_lines *lines, uint32_t row)
{
    return at(lines, lines->groups.value, row, lines->ask->shown);
}

int64_t xpd_heap_lines_change(const struct xpd_heap_lines *lines, uint32_t row)
{
    bool overflow = false;
    uint32_t compared = lines->ask->compared;
    int64_t value = xpd_heap_lines_value(lines, row);
    if (compared == XPD_NO_INDEX)
        return 0;
    int64_t base = at(lines, lines->groups.value, row, compared);
    return base == INT64_MIN ? INT64_MAX : xpd_add_i64(value, -base, &overflow);
}

/* Up to the file that is shown: what came later is not its past. */
struct xpd_heap_growth xpd_heap_lines_growth(const struct xpd_heap_lines *lines, uint32_t row)
{
    const struct xpd_heap_ask *ask = lines->ask;
    uint32_t count = ask->shown < ask->series_count ? ask->shown + 1 : 0;
    return xpd_heap_growth_of(lines->groups.value + (size_t)row * lines->groups.member_count,
                              ask->step, count);
}

static int64_t rounded(double value)
{
    return isfinite(value) && fabs(value) < 9e18 ? (int64_t)llround(value) : XPD_UNKNOWN;
}

static void put_frame(struct xpd_arena *arena, const struct xpd_heap_frame *frame, bool own,
                      struct xpd_heap_frame_row *out)
{
    *out = (struct xpd_heap_frame_row){
        .label = xpd_heap_frame_label(arena, frame),
        .function = frame->function,
        .file = frame->file.size > 0 ? frame->file : (struct xpd_str){0},
        .line = frame->line > 0 ? frame->line : -1,
        .start_line = frame->start_line > 0 ? frame->start_line : -1,
        .own = own,
    };
}

#define STACK_SHOWN 200 /* frames of a row's stack; a page shows no more, and the tree has all */

static void put_stack(const struct xpd_heap_lines *lines, const struct xpd_heap_row *row,
                      struct xpd_heap_line_row *out)
{
    struct xpd_arena *arena = lines->ask->ctx->arena;
    const struct xpd_heap_member *m = NULL;
    for (uint32_t i = 0; i < lines->ask->member_count && !m; i++)
        if (lines->ask->member[i].heap == row->heap)
            m = &lines->ask->member[i];
    if (!m || row->stack == XPD_NO_INDEX)
        return;
    const struct xpd_heap_stack *s = &m->heap->stack[row->stack];
    uint32_t count = s->count < STACK_SHOWN ? s->count : STACK_SHOWN;
    struct xpd_heap_frame_row *frame = XPD_NEW_ARRAY(arena, struct xpd_heap_frame_row, count);
    for (uint32_t i = 0; frame && i < count; i++) {
        uint32_t index = m->heap->stack_frame[s->first + i];
        put_frame(arena, &m->heap->frame[index], !m->library[index], &frame[i]);
    }
    out->stack.at = frame;
    out->stack.n = frame ? count : 0;
}

static void put_name(const struct xpd_heap_lines *lines, const struct xpd_heap_row *row,
                     struct xpd_heap_line_row *out)
{
    struct xpd_arena *arena = lines->ask->ctx->arena;
    char text[48];
    out->key = row->key;
    out->label = row->key;
    out->line = -1;
    out->size_bytes = row->size_bytes;
    if (row->size_bytes >= 0) {
        xpd_heap_value_text(text, row->size_bytes, XPD_HEAP_BYTES);
        out->label = xpd_str_of(xpd_arena_printf(arena, "%s", text));
    }
    if (row->executables)
        out->label = XPD_STR("executables");
    if (row->frame == XPD_NO_INDEX)
        return;
    const struct xpd_heap_frame *frame = &row->heap->frame[row->frame];
    out->label = xpd_heap_frame_label(arena, frame);
    out->function = frame->function.size > 0 ? frame->function : (struct xpd_str){0};
    out->file = frame->file.size > 0 ? frame->file : (struct xpd_str){0};
    out->line = frame->line > 0 ? frame->line : -1;
}

static void put_growth(const struct xpd_heap_lines *lines, uint32_t row,
                       struct xpd_heap_line_row *out)
{
    struct xpd_heap_growth growth = xpd_heap_lines_growth(lines, row);
    out->growth = xpd_heap_verdict_word(growth.verdict);
    out->last_per_step = rounded(growth.last_per_step);
    out->per_step = rounded(growth.per_step);
    out->r2 = isfinite(growth.r2) ? growth.r2 : -1;
    out->values.at = lines->groups.value + (size_t)row * lines->groups.member_count;
    out->values.n = lines->ask->series_count;
}

void xpd_heap_lines_row(const struct xpd_heap_lines *lines, uint32_t index, bool with_stack,
                        struct xpd_heap_line_row *out)
{
    const struct xpd_heap_groups *g = &lines->groups;
    const struct xpd_heap_ask *ask = lines->ask;
    const struct xpd_heap_row *row = &g->row[index];
    bool compared = ask->compared != XPD_NO_INDEX;
    *out = (struct xpd_heap_line_row){.own = row->own, .executables = row->executables};
    put_name(lines, row, out);
    out->value = xpd_heap_lines_value(lines, index);
    out->count = at(lines, g->count, index, ask->shown);
    int64_t total = g->total[ask->shown];
    out->share = total != 0 ? (double)out->value / (double)total : 0;
    out->base_value = compared ? at(lines, g->value, index, ask->compared) : XPD_UNKNOWN;
    out->base_count = compared ? at(lines, g->count, index, ask->compared) : XPD_UNKNOWN;
    out->change = compared ? xpd_heap_lines_change(lines, index) : XPD_UNKNOWN;
    out->mean = out->count > 0 && out->value >= 0 ? out->value / out->count : -1;
    put_growth(lines, index, out);
    if (lines->by_device) {
        out->devices.at = lines->by_device + (size_t)index * lines->devices.count;
        out->devices.n = lines->devices.count;
    }
    if (with_stack)
        put_stack(lines, row, out);
}
