/* Adds samples up by what they have in common.
 *
 * In: files with their flags of library code, a filter. Out: a row for each key, with a value a
 * file. A key is made once for each frame, stack, size or text of a file and remembered, so that a
 * sample costs a look-up. */
#include "sieve.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/intern.h"
#include "xprofd/base/map64.h"
#include "xprofd/base/str.h"
#include "xprofd/base/vec.h"
#include "xprofd/heap/groups.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Which samples of a file count, and where each belongs.
 *
 * In: a file, its flags of library code, a filter. Out: yes or no for a sample; the frame of a
 * stack that its bytes are told under. */

static void xpd_heap_put_line_key(struct xpd_strbuf *out, const struct xpd_heap_frame *frame)
{
    if (frame->has_line && frame->line > 0)
        xpd_strbuf_printf(out, "%.*s:%" PRId64, (int)frame->file.size, frame->file.data,
                          frame->line);
    else
        xpd_strbuf_add(out, frame->function.data, frame->function.size);
}

/* The frame that a stack belongs to: the innermost of own code, else the innermost; XPD_NO_INDEX:
 * there is no stack. */
static uint32_t xpd_heap_place_of(const struct xpd_heap_member *member, uint32_t stack)
{
    const struct xpd_heap_stack *s = &member->heap->stack[stack];
    const uint32_t *frame = member->heap->stack_frame + s->first;
    for (uint32_t i = 0; i < s->count; i++)
        if (!member->library[frame[i]])
            return frame[i];
    return s->count > 0 ? frame[0] : XPD_NO_INDEX;
}

bool xpd_heap_is_executable(const struct xpd_pprof *heap, uint32_t sample)
{
    return xpd_str_eq(heap->text[heap->sample_kind[sample]], XPD_STR("executable"));
}

bool xpd_heap_sieve_make(struct xpd_heap_sieve *sieve, const struct xpd_heap_member *member,
                         const struct xpd_heap_filter *filter, struct xpd_arena *arena)
{
    const struct xpd_pprof *heap = member->heap;
    struct xpd_strbuf text = {0};
    *sieve = (struct xpd_heap_sieve){.any_line = filter->line.size == 0,
                                     .executables =
                                         xpd_str_eq(filter->line, XPD_STR(XPD_HEAP_EXECUTABLES))};
    if (sieve->any_line)
        return true;
    sieve->line = XPD_NEW_ARRAY(arena, bool, (size_t)heap->frame_count + 1);
    for (uint32_t i = 0; sieve->line && i < heap->frame_count; i++) {
        xpd_strbuf_clear(&text);
        xpd_heap_put_line_key(&text, &heap->frame[i]);
        sieve->line[i] = xpd_str_eq((struct xpd_str){text.data, text.size}, filter->line);
    }
    bool fine = sieve->line && !text.failed;
    xpd_strbuf_fini(&text);
    return fine;
}

bool xpd_heap_passes(const struct xpd_heap_sieve *sieve, const struct xpd_heap_member *member,
                     const struct xpd_heap_filter *filter, uint32_t sample)
{
    const struct xpd_pprof *heap = member->heap;
    if (filter->device.size > 0 &&
        !xpd_str_eq(heap->text[heap->sample_device[sample]], filter->device))
        return false;
    if (filter->kind.size > 0 && !xpd_str_eq(heap->text[heap->sample_kind[sample]], filter->kind))
        return false;
    if (sieve->any_line)
        return true;
    if (sieve->executables || xpd_heap_is_executable(heap, sample))
        return sieve->executables && xpd_heap_is_executable(heap, sample);
    uint32_t place = xpd_heap_place_of(member, heap->sample_stack[sample]);
    return place == XPD_NO_INDEX ? xpd_str_eq(filter->line, XPD_STR(XPD_HEAP_NO_STACK))
                                 : sieve->line[place];
}

/* What became of a value over the files of a series, and whether two files are of one program. */

const char *xpd_heap_verdict_word(enum xpd_heap_verdict verdict)
{
    static const char *const word[] = {"unknown", "steady", "grew", "grows", "shrank"};
    return word[verdict];
}

static enum xpd_heap_verdict verdict_of(const int64_t *value, uint32_t count)
{
    bool rising = count >= 3;
    for (uint32_t i = 1; i < count; i++)
        rising &= value[i] > value[i - 1];
    if (rising)
        return XPD_HEAP_GROWS;
    int64_t last = value[count - 1], before = value[count - 2];
    return last > before ? XPD_HEAP_GREW : last < before ? XPD_HEAP_SHRANK : XPD_HEAP_STEADY;
}

/* Least squares with both means taken away first, so that large values lose no digits. */
static void fit(struct xpd_heap_growth *out, const int64_t *value, const int64_t *step,
                uint32_t count)
{
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0, yy = 0;
    for (uint32_t i = 0; i < count; i++) {
        mean_x += (double)step[i] / count;
        mean_y += (double)value[i] / count;
    }
    for (uint32_t i = 0; i < count; i++) {
        double x = (double)step[i] - mean_x, y = (double)value[i] - mean_y;
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    out->per_step = xx > 0 ? xy / xx : NAN;
    out->r2 = xx > 0 && yy > 0 ? xy * xy / (xx * yy) : 1;
}

struct xpd_heap_growth xpd_heap_growth_of(const int64_t *value, const int64_t *step, uint32_t count)
{
    struct xpd_heap_growth out = {XPD_HEAP_UNKNOWN, NAN, NAN, NAN};
    if (count < 2)
        return out;
    double change = (double)value[count - 1] - (double)value[count - 2];
    double steps = (double)step[count - 1] - (double)step[count - 2];
    out.verdict = verdict_of(value, count);
    out.last_per_step = steps > 0 ? change / steps : NAN;
    fit(&out, value, step, count);
    return out;
}

static bool has(const struct xpd_heap_groups *g, uint32_t row, uint32_t member)
{
    size_t at = (size_t)row * g->member_count + member;
    return g->value[at] != 0 || g->count[at] != 0;
}

bool xpd_heap_same_program(const struct xpd_heap_groups *lines, uint32_t a, uint32_t b)
{
    uint32_t in_a = 0, in_b = 0, both = 0;
    for (uint32_t i = 0; i < lines->row_count; i++) {
        if (lines->row[i].executables)
            continue;
        in_a += has(lines, i, a);
        in_b += has(lines, i, b);
        both += has(lines, i, a) && has(lines, i, b);
    }
    uint32_t fewer = in_a < in_b ? in_a : in_b;
    return 2 * (uint64_t)both >= fewer;
}

struct grouping {
    const struct xpd_heap_member *member;
    uint32_t member_count, at; /* the file being added */
    enum xpd_heap_by by;
    const struct xpd_heap_filter *filter;
    struct xpd_intern keys; /* id - 1 is the row */
    struct xpd_strbuf text;
    XPD_VEC(struct xpd_heap_row) row;
    XPD_VEC(int64_t) value;
    XPD_VEC(int64_t) count;
    XPD_VEC(int64_t) heaviest; /* by row: the value of row.stack */
    uint32_t *memo;            /* of this file: row + 1 by frame, stack or text */
    struct xpd_map64 size_row; /* row by size, of all files */
    uint32_t executables, unknown_size;
};

bool *xpd_heap_library_flags(const struct xpd_pprof *heap, struct xpd_arena *arena)
{
    bool *flag = XPD_NEW_ARRAY(arena, bool, (size_t)heap->frame_count + 1);
    for (uint32_t i = 0; flag && i < heap->frame_count; i++)
        flag[i] = xpd_heap_is_library(&heap->frame[i]);
    return flag;
}

/* ---- keys ---- */

static void put_function_key(struct xpd_strbuf *out, const struct xpd_heap_frame *frame)
{
    if (frame->has_line) {
        xpd_strbuf_add(out, frame->file.data, frame->file.size);
        xpd_strbuf_putc(out, ':');
    }
    xpd_strbuf_add(out, frame->function.data, frame->function.size);
}

static void put_stack_key(struct xpd_strbuf *out, const struct xpd_pprof *heap, uint32_t stack)
{
    const struct xpd_heap_stack *s = &heap->stack[stack];
    uint64_t hash = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct xpd_heap_frame *frame = &heap->frame[heap->stack_frame[s->first + i]];
        uint64_t part[4] = {hash, xpd_hash(frame->file.data, frame->file.size),
                            xpd_hash(frame->function.data, frame->function.size),
                            (uint64_t)frame->line};
        hash = xpd_hash(part, sizeof part);
    }
    xpd_strbuf_printf(out, "%016" PRIx64, hash);
}

/* ---- rows ---- */

static uint32_t new_row(struct grouping *g, uint32_t id, const struct xpd_heap_row *row)
{
    if (id <= g->row.count || g->keys.failed)
        return g->keys.failed ? 0 : id - 1;
    struct xpd_heap_row kept = *row;
    kept.key = xpd_intern_get(&g->keys, id);
    XPD_PUSH(&g->row, kept);
    XPD_PUSH(&g->heaviest, INT64_MIN);
    for (uint32_t i = 0; i < g->member_count; i++) {
        XPD_PUSH(&g->value, 0);
        XPD_PUSH(&g->count, 0);
    }
    return (uint32_t)g->row.count - 1;
}

/* The row of the text that was put into g->text. */
static uint32_t row_of_text(struct grouping *g, struct xpd_heap_row row)
{
    struct xpd_str text = {g->text.data ? g->text.data : "", g->text.size};
    if (text.size == 0)
        text = XPD_STR("(unknown)");
    uint32_t id = xpd_intern_put(&g->keys, text.data, text.size);
    row.heap = g->member[g->at].heap;
    return new_row(g, id, &row);
}

static struct xpd_heap_row no_row(void)
{
    return (struct xpd_heap_row){.frame = XPD_NO_INDEX, .stack = XPD_NO_INDEX, .size_bytes = -1};
}

static uint32_t row_of_executables(struct grouping *g)
{
    if (g->executables == XPD_NO_INDEX) {
        struct xpd_heap_row row = no_row();
        row.executables = true;
        xpd_strbuf_clear(&g->text);
        xpd_strbuf_puts(&g->text, XPD_HEAP_EXECUTABLES);
        g->executables = row_of_text(g, row);
    }
    return g->executables;
}

static uint32_t row_of_frame(struct grouping *g, uint32_t frame)
{
    const struct xpd_heap_member *m = &g->member[g->at];
    struct xpd_heap_row row = no_row();
    xpd_strbuf_clear(&g->text);
    if (frame == XPD_NO_INDEX) {
        xpd_strbuf_puts(&g->text, XPD_HEAP_NO_STACK);
        return row_of_text(g, row);
    }
    uint32_t *memo = &g->memo[frame];
    if (*memo != 0)
        return *memo - 1;
    const struct xpd_heap_frame *f = &m->heap->frame[frame];
    row.frame = frame;
    row.own = !m->library[frame];
    if (g->by == XPD_HEAP_BY_LINE)
        xpd_heap_put_line_key(&g->text, f);
    else if (g->by == XPD_HEAP_BY_FUNCTION)
        put_function_key(&g->text, f);
    else
        xpd_strbuf_add(&g->text, f->file.data, f->file.size);
    *memo = row_of_text(g, row) + 1;
    return *memo - 1;
}

static uint32_t row_of_stack(struct grouping *g, uint32_t stack)
{
    const struct xpd_heap_member *m = &g->member[g->at];
    uint32_t *memo = &g->memo[stack];
    if (*memo != 0)
        return *memo - 1;
    struct xpd_heap_row row = no_row();
    row.frame = xpd_heap_place_of(m, stack);
    row.own = row.frame != XPD_NO_INDEX && !m->library[row.frame];
    xpd_strbuf_clear(&g->text);
    put_stack_key(&g->text, m->heap, stack);
    *memo = row_of_text(g, row) + 1;
    return *memo - 1;
}

static uint32_t row_of_size(struct grouping *g, int64_t size)
{
    if (size < 0 && g->unknown_size != XPD_NO_INDEX)
        return g->unknown_size;
    uint32_t found = size < 0 ? XPD_NO_INDEX : xpd_map64_get(&g->size_row, (uint64_t)size);
    if (found != XPD_NO_INDEX)
        return found;
    struct xpd_heap_row row = no_row();
    row.size_bytes = size;
    xpd_strbuf_clear(&g->text);
    if (size >= 0)
        xpd_strbuf_printf(&g->text, "%" PRId64, size);
    found = row_of_text(g, row);
    if (size < 0)
        g->unknown_size = found;
    else
        xpd_map64_put(&g->size_row, (uint64_t)size, found);
    return found;
}

static uint32_t row_of_label(struct grouping *g, uint32_t text)
{
    uint32_t *memo = &g->memo[text];
    if (*memo != 0)
        return *memo - 1;
    struct xpd_str label = g->member[g->at].heap->text[text];
    xpd_strbuf_clear(&g->text);
    if (label.size > 0)
        xpd_strbuf_add(&g->text, label.data, label.size);
    else
        xpd_strbuf_puts(&g->text, g->by == XPD_HEAP_BY_DEVICE ? "(no device)" : "(no kind)");
    *memo = row_of_text(g, no_row()) + 1;
    return *memo - 1;
}

static uint32_t row_of(struct grouping *g, uint32_t sample)
{
    const struct xpd_heap_member *m = &g->member[g->at];
    const struct xpd_pprof *heap = m->heap;
    bool executable = xpd_heap_is_executable(heap, sample);
    switch (g->by) {
    case XPD_HEAP_BY_LINE:
    case XPD_HEAP_BY_FUNCTION:
    case XPD_HEAP_BY_FILE:
        return executable ? row_of_executables(g)
                          : row_of_frame(g, xpd_heap_place_of(m, heap->sample_stack[sample]));
    case XPD_HEAP_BY_STACK: return row_of_stack(g, heap->sample_stack[sample]);
    case XPD_HEAP_BY_SIZE:
        return executable ? row_of_executables(g) : row_of_size(g, heap->sample_size[sample]);
    case XPD_HEAP_BY_DEVICE: return row_of_label(g, heap->sample_device[sample]);
    case XPD_HEAP_BY_KIND: return row_of_label(g, heap->sample_kind[sample]);
    }
    return 0;
}

/* ---- sums ---- */

static int64_t count_of(const struct xpd_heap_member *m, uint32_t sample)
{
    uint32_t type = m->heap->type[m->type].count_of;
    return type == XPD_NO_INDEX ? 0 : xpd_heap_value(m->heap, sample, type);
}

static void add(struct grouping *g, struct xpd_heap_groups *out, uint32_t sample)
{
    const struct xpd_heap_member *m = &g->member[g->at];
    uint32_t row = row_of(g, sample);
    int64_t value = xpd_heap_value(m->heap, sample, m->type), count = count_of(m, sample);
    if (g->row.failed || g->value.failed || g->count.failed || row >= g->row.count)
        return;
    xpd_grow_i64(&g->value.at[(size_t)row * g->member_count + g->at], value);
    xpd_grow_i64(&g->count.at[(size_t)row * g->member_count + g->at], count);
    xpd_grow_i64(&out->total[g->at], value);
    xpd_grow_i64(&out->total_count[g->at], count);
    if (!xpd_heap_is_executable(m->heap, sample))
        xpd_grow_i64(&out->buffers[g->at], count);
    if (g->row.at[row].heap == m->heap && value > g->heaviest.at[row]) {
        g->heaviest.at[row] = value;
        g->row.at[row].stack = m->heap->sample_stack[sample];
    }
}

static bool add_member(struct grouping *g, struct xpd_heap_groups *out, struct xpd_arena *arena)
{
    const struct xpd_pprof *heap = g->member[g->at].heap;
    uint32_t most = heap->frame_count > heap->stack_count ? heap->frame_count : heap->stack_count;
    most = most > heap->text_count ? most : heap->text_count;
    struct xpd_heap_sieve sieve;
    g->memo = XPD_NEW_ARRAY(arena, uint32_t, (size_t)most + 1);
    if (!g->memo || !xpd_heap_sieve_make(&sieve, &g->member[g->at], g->filter, arena))
        return false;
    for (uint32_t i = 0; i < heap->sample_count; i++)
        if (xpd_heap_passes(&sieve, &g->member[g->at], g->filter, i))
            add(g, out, i);
    return !g->row.failed && !g->value.failed && !g->count.failed && !g->heaviest.failed &&
           !g->keys.failed && !g->text.failed && !g->size_row.failed;
}

int xpd_heap_group(struct xpd_heap_groups *out, const struct xpd_heap_member *member,
                   uint32_t member_count, enum xpd_heap_by by, const struct xpd_heap_filter *filter,
                   struct xpd_arena *arena, struct xpd_err *err)
{
    struct grouping g = {.member = member,
                         .member_count = member_count,
                         .by = by,
                         .filter = filter,
                         .executables = XPD_NO_INDEX,
                         .unknown_size = XPD_NO_INDEX};
    *out = (struct xpd_heap_groups){
        .member_count = member_count,
        .total = XPD_NEW_ARRAY(arena, int64_t, (size_t)member_count + 1),
        .total_count = XPD_NEW_ARRAY(arena, int64_t, (size_t)member_count + 1),
        .buffers = XPD_NEW_ARRAY(arena, int64_t, (size_t)member_count + 1)};
    xpd_intern_init(&g.keys, arena);
    bool fine = out->total && out->total_count && out->buffers;
    for (g.at = 0; fine && g.at < member_count; g.at++)
        fine = add_member(&g, out, arena);
    out->row = XPD_COPY_VEC(arena, &g.row);
    out->value = XPD_COPY_VEC(arena, &g.value);
    out->count = XPD_COPY_VEC(arena, &g.count);
    out->row_count = (uint32_t)g.row.count;
    fine &= !arena->failed;
    xpd_intern_fini(&g.keys);
    xpd_strbuf_fini(&g.text);
    xpd_map64_fini(&g.size_row);
    XPD_VEC_FINI(&g.row);
    XPD_VEC_FINI(&g.value);
    XPD_VEC_FINI(&g.count);
    XPD_VEC_FINI(&g.heaviest);
    return fine ? XPD_OK : xpd_no_memory(err, NULL, "to add these files up");
}
