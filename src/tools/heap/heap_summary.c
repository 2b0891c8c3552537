/* /api/v1/heap/summary: what a heap file says in a few numbers, and which lines grow. */
#include "heap_rows.h"

#include <string.h>

#define GROWING_MAX 20 /* lines that are listed; all are counted */

#define XPD_HEAP_PART_FIELDS(FIELD)                                                                \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(SIGNED, value, "")                                                                       \
    FIELD(SIGNED, count, "")                                                                       \
    FIELD(MAYBE(SIGNED), base_value, "in the file compared with")
XPD_RECORD(xpd_heap_part, XPD_HEAP_PART_FIELDS)

#define XPD_HEAP_MAPPING_FIELDS(FIELD)                                                             \
    FIELD(TEXT, file, "")                                                                          \
    FIELD(TEXT, build_id, "")                                                                      \
    FIELD(ID, start_address, "of the first byte")                                                  \
    FIELD(ID, end_address, "after the last byte")                                                  \
    FIELD(ID, file_offset_bytes, "where it begins in the file")
XPD_RECORD(xpd_heap_mapping_row, XPD_HEAP_MAPPING_FIELDS)

#define XPD_HEAP_TYPE_FIELDS(FIELD)                                                                \
    FIELD(TEXT, name, "value for the parameter `type`")                                            \
    FIELD(TEXT, unit, "as in the file")
XPD_RECORD(xpd_heap_type_row, XPD_HEAP_TYPE_FIELDS)

#define XPD_HEAP_SUMMARY_FIELDS(FIELD)                                                             \
    FIELD(TEXT, file, "the file shown")                                                            \
    FIELD(INT, size_bytes, "of the file")                                                          \
    FIELD(MAYBE(TEXT), against, "file to compare with")                                            \
    FIELD(MAYBE(TEXT), against_run, "its run, if it is another run")                               \
    FIELD(BOOL, steps, "the names of the series tell steps")                                       \
    FIELD(MAYBE(INT), step, "of the file, from its name")                                          \
    FIELD(MAYBE(INT), base_step, "likewise")                                                       \
    FIELD(COUNT, series_files, "files of the series")                                              \
    FIELD(MAYBE(TEXT), previous, "the file before in the series")                                  \
    FIELD(MAYBE(TEXT), next, "the next file in the series")                                        \
    FIELD(WORD("jax heap time other"), format,                                                     \
          "jax: a device memory profile; heap: bytes; time: a CPU or wait profile")                \
    FIELD(TEXT, type, "which value of the samples")                                                \
    FIELD(WORD("bytes ns count other"), unit, "of all values here")                                \
    FIELD(TEXT, unit_text, "as in the file")                                                       \
    FIELD(COLUMNS(xpd_heap_part), devices, "with their buffers")                                   \
    FIELD(COLUMNS(xpd_heap_type_row), types, "values that a sample has")                           \
    FIELD(SIGNED, value, "of all samples that the filters let through")                            \
    FIELD(MAYBE(SIGNED), base_value, "")                                                           \
    FIELD(MAYBE(SIGNED), change, "")                                                               \
    FIELD(SIGNED, count, "allocations")                                                            \
    FIELD(SIGNED, buffers, "samples without executables")                                          \
    FIELD(MAYBE(SIGNED), base_buffers, "")                                                         \
    FIELD(INT, samples, "samples in the file")                                                     \
    FIELD(COUNT, stacks, "different ones")                                                         \
    FIELD(BOOL, has_stacks, "at least one sample has frames")                                      \
    FIELD(BOOL, has_lines, "at least one frame has a source line")                                 \
    FIELD(COUNT, lines, "rows of heap/lines")                                                      \
    FIELD(SIGNED, lines_value, "their sum; equal to `value` unless samples were lost")             \
    FIELD(LIST(xpd_heap_line_row), top, "the largest line")                                        \
    FIELD(COUNT, growing_total, "lines that grow, in each of three or more files")                 \
    FIELD(LIST(xpd_heap_line_row), growing, "at most 20, the steepest first")                      \
    FIELD(                                                                                         \
        BOOL, same_program,                                                                        \
        "at least half of the lines of the smaller file are in the other, or no file is compared") \
    FIELD(MAYBE(REAL), uneven,                                                                     \
          "largest / smallest value of the devices; null: at most one device")                     \
    FIELD(COLUMNS(xpd_heap_part), kinds, "")                                                       \
    FIELD(MAYBE(INT), time_ns, "time of the recording, since 1970; null: not recorded")            \
    FIELD(MAYBE(INT), duration_ns, "of the recording")                                             \
    FIELD(MAYBE(INT), period, "between two samples, in `period_unit`")                             \
    FIELD(TEXT, period_unit, "")                                                                   \
    FIELD(COLUMNS(xpd_heap_mapping_row), mappings, "files of code, where the file names them")     \
    FIELD(VALUES(TEXT), comments, "of the writer")                                                 \
    FIELD(BOOL, cut, "the file is truncated")                                                      \
    FIELD(MAYBE(STRING), note, "what was left out because of a limit")                             \
    FIELD(COLUMNS(xpd_warning_row), warnings, "of reading the file")
XPD_RECORD(xpd_heap_summary, XPD_HEAP_SUMMARY_FIELDS)

struct summing {
    struct xpd_heap_ask ask;
    struct xpd_heap_lines lines;
    struct xpd_heap_summary out;
};

static const struct xpd_pprof *shown(const struct summing *s)
{
    return s->ask.member[s->ask.shown].heap;
}

/* ---- parts ---- */

static int fill_parts(struct summing *s, enum xpd_heap_by by, const struct xpd_heap_part **at,
                      uint32_t *n, struct xpd_err *err)
{
    const struct xpd_heap_ask *ask = &s->ask;
    struct xpd_heap_groups g;
    int rc =
        xpd_heap_group(&g, ask->member, ask->member_count, by, &ask->filter, ask->ctx->arena, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_heap_part *part = XPD_NEW_ARRAY(ask->ctx->arena, struct xpd_heap_part, g.row_count);
    *n = 0;
    for (uint32_t i = 0; part && i < g.row_count; i++) {
        size_t row = (size_t)i * g.member_count;
        int64_t base = ask->compared == XPD_NO_INDEX ? XPD_UNKNOWN : g.value[row + ask->compared];
        int64_t count = g.count[row + ask->shown];
        if (g.value[row + ask->shown] != 0 || count != 0 || (base != XPD_UNKNOWN && base != 0))
            part[(*n)++] =
                (struct xpd_heap_part){g.row[i].key, g.value[row + ask->shown], count, base};
    }
    *at = part;
    return part ? XPD_OK : xpd_tools_no_memory(err);
}

static int by_name(const void *a, const void *b)
{
    const struct xpd_heap_part *x = a, *y = b;
    if (x->name.size != y->name.size)
        return x->name.size < y->name.size ? -1 : 1; /* cpu:2 before cpu:10 */
    return xpd_str_order(x->name, y->name);
}

/* Executables have no device; they are in the list of kinds. */
static void keep_devices(struct summing *s)
{
    struct xpd_heap_part *part = (struct xpd_heap_part *)(uintptr_t)s->out.devices.at;
    uint32_t kept = 0;
    int64_t least = INT64_MAX, most = 0;
    for (uint32_t i = 0; i < s->out.devices.n; i++) {
        if (xpd_str_eq(part[i].name, XPD_STR("(no device)")))
            continue;
        least = part[i].value < least ? part[i].value : least;
        most = part[i].value > most ? part[i].value : most;
        part[kept++] = part[i];
    }
    qsort(part, kept, sizeof *part, by_name);
    s->out.devices.n = kept;
    s->out.uneven = kept > 1 && least > 0 ? (double)most / (double)least : -1;
}

/* ---- lines ---- */

struct steep {
    uint32_t row;
    double slope;
};

static int by_slope(const void *a, const void *b)
{
    const struct steep *x = a, *y = b;
    return x->slope != y->slope ? (x->slope < y->slope ? 1 : -1)
                                : (x->row > y->row) - (x->row < y->row);
}

static int fill_lines(struct summing *s, struct xpd_err *err)
{
    struct xpd_arena *arena = s->ask.ctx->arena;
    const struct xpd_heap_groups *g = &s->lines.groups;
    struct steep *steep = XPD_NEW_ARRAY(arena, struct steep, g->row_count);
    struct xpd_heap_line_row *row = XPD_NEW_ARRAY(arena, struct xpd_heap_line_row, GROWING_MAX + 1);
    uint32_t top = XPD_NO_INDEX;
    if (!steep || !row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < g->row_count; i++) {
        int64_t value = xpd_heap_lines_value(&s->lines, i);
        s->out.lines += xpd_heap_lines_has(&s->lines, i);
        xpd_grow_i64(&s->out.lines_value, value);
        if (value > 0 && (top == XPD_NO_INDEX || value > xpd_heap_lines_value(&s->lines, top)))
            top = i;
        struct xpd_heap_growth growth = xpd_heap_lines_growth(&s->lines, i);
        if (growth.verdict == XPD_HEAP_GROWS)
            steep[s->out.growing_total++] = (struct steep){i, growth.last_per_step};
    }
    qsort(steep, s->out.growing_total, sizeof *steep, by_slope);
    uint32_t n = s->out.growing_total < GROWING_MAX ? s->out.growing_total : GROWING_MAX;
    for (uint32_t i = 0; i < n; i++)
        xpd_heap_lines_row(&s->lines, steep[i].row, true, &row[1 + i]);
    if (top != XPD_NO_INDEX)
        xpd_heap_lines_row(&s->lines, top, true, &row[0]);
    s->out.top.at = row;
    s->out.top.n = top != XPD_NO_INDEX;
    s->out.growing.at = row + 1;
    s->out.growing.n = n;
    return XPD_OK;
}

/* ---- facts of the file ---- */

static const char *format_of(const struct xpd_pprof *heap, enum xpd_heap_unit unit)
{
    return heap->is_jax                   ? "jax"
           : unit == XPD_HEAP_BYTES       ? "heap"
           : unit == XPD_HEAP_NANOSECONDS ? "time"
                                          : "other";
}

static int64_t said(int64_t value)
{
    return value > 0 ? value : -1;
}

static void fill_file(struct summing *s)
{
    const struct xpd_heap_ask *ask = &s->ask;
    const struct xpd_heap_file *file = &ask->file[ask->at];
    const struct xpd_heap_member *m = &ask->member[ask->shown];
    const struct xpd_heap_type *type = &m->heap->type[m->type];
    const struct xpd_heap_file *last = ask->file + ask->file_count;
    s->out.file = file->name;
    s->out.size_bytes = (int64_t)ask->ctx->run->entry->input[file->input].identity.size_bytes;
    s->out.against = ask->base ? ask->base->name : (struct xpd_str){0};
    s->out.against_run =
        ask->base_run
            ? xpd_str_of(xpd_arena_printf(ask->ctx->arena, "%s", ask->base_run->entry->id))
            : (struct xpd_str){0};
    s->out.steps = ask->has_steps;
    s->out.step = file->step;
    s->out.base_step = ask->base ? ask->base->step : -1;
    s->out.series_files = ask->series_all;
    if (file > ask->file && xpd_str_eq(file[-1].series, file->series))
        s->out.previous = file[-1].name;
    if (file + 1 < last && xpd_str_eq(file[1].series, file->series))
        s->out.next = file[1].name;
    s->out.format = format_of(m->heap, type->kind);
    s->out.type = type->name;
    s->out.unit = xpd_heap_unit_word(type->kind);
    s->out.unit_text = type->unit;
    s->out.note = ask->note;
    s->out.time_ns = said(m->heap->time_ns);
    s->out.duration_ns = said(m->heap->duration_ns);
    s->out.period = said(m->heap->period);
    s->out.period_unit = m->heap->period_unit.data ? m->heap->period_unit : XPD_STR("");
    s->out.cut = m->heap->cut;
}

static int fill_tables(struct summing *s, struct xpd_err *err)
{
    const struct xpd_pprof *heap = shown(s);
    struct xpd_arena *arena = s->ask.ctx->arena;
    struct xpd_heap_type_row *type =
        XPD_NEW_ARRAY(arena, struct xpd_heap_type_row, heap->type_count);
    struct xpd_heap_mapping_row *mapping =
        XPD_NEW_ARRAY(arena, struct xpd_heap_mapping_row, heap->mapping_count);
    if (!type || !mapping)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < heap->type_count; i++)
        type[i] = (struct xpd_heap_type_row){heap->type[i].name, heap->type[i].unit};
    for (uint32_t i = 0; i < heap->mapping_count; i++) {
        const struct xpd_heap_mapping *m = &heap->mapping[i];
        mapping[i] =
            (struct xpd_heap_mapping_row){m->file, m->build_id, m->start, m->limit, m->offset};
    }
    s->out.types.at = type;
    s->out.types.n = heap->type_count;
    s->out.mappings.at = mapping;
    s->out.mappings.n = heap->mapping_count;
    s->out.comments.at = heap->comment;
    s->out.comments.n = heap->comment_count;
    s->out.warnings.at = xpd_tools_warnings(arena, &heap->warnings);
    s->out.warnings.n = heap->warnings.count;
    s->out.samples = (int64_t)heap->samples_read;
    s->out.stacks = heap->stack_count;
    for (uint32_t i = 0; i < heap->stack_count; i++)
        s->out.has_stacks |= heap->stack[i].count > 0;
    for (uint32_t i = 0; i < heap->frame_count; i++)
        s->out.has_lines |= heap->frame[i].has_line;
    return XPD_OK;
}

static void fill_sums(struct summing *s)
{
    const struct xpd_heap_groups *g = &s->lines.groups;
    uint32_t at = s->ask.shown, base = s->ask.compared;
    bool compared = base != XPD_NO_INDEX, overflow = false;
    s->out.value = g->total[at];
    s->out.count = g->total_count[at];
    s->out.buffers = g->buffers[at];
    s->out.base_value = compared ? g->total[base] : XPD_UNKNOWN;
    s->out.base_buffers = compared ? g->buffers[base] : XPD_UNKNOWN;
    s->out.change = compared ? xpd_add_i64(g->total[at], -g->total[base], &overflow) : XPD_UNKNOWN;
    s->out.same_program = !compared || xpd_heap_same_program(g, at, base);
}

static int summary(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    struct summing *s = XPD_NEW(ctx->arena, struct summing);
    if (!s)
        return xpd_tools_no_memory(err);
    *out = &s->out;
    int rc = xpd_heap_ask_init(&s->ask, ctx, &xpd_tool_heap_summary, err);
    if (rc == XPD_OK)
        rc = xpd_heap_lines_make(&s->lines, &s->ask, XPD_HEAP_BY_LINE, err);
    if (rc == XPD_OK)
        rc = fill_lines(s, err);
    if (rc == XPD_OK)
        rc = fill_parts(s, XPD_HEAP_BY_DEVICE, &s->out.devices.at, &s->out.devices.n, err);
    if (rc == XPD_OK)
        rc = fill_parts(s, XPD_HEAP_BY_KIND, &s->out.kinds.at, &s->out.kinds.n, err);
    if (rc == XPD_OK)
        rc = fill_tables(s, err);
    if (rc == XPD_OK) {
        keep_devices(s);
        fill_file(s);
        fill_sums(s);
    }
    xpd_heap_ask_fini(&s->ask);
    return rc == XPD_OK && ctx->arena->failed ? xpd_tools_no_memory(err) : rc;
}

/* ---- for a terminal ---- */

static enum xpd_heap_unit unit_of(const struct xpd_heap_summary *a)
{
    return (enum xpd_heap_unit)xpd_word_index("bytes ns count other", xpd_str_of(a->unit));
}

static void put_head(struct xpd_strbuf *out, const struct xpd_heap_summary *a)
{
    char value[48], change[48], count[32];
    enum xpd_heap_unit unit = unit_of(a);
    xpd_heap_value_text(value, a->value, unit);
    xpd_number_text(count, (uint64_t)(a->buffers > 0 ? a->buffers : 0));
    xpd_strbuf_printf(out, "%.*s: %s", (int)a->file.size, a->file.data, value);
    if (unit == XPD_HEAP_COUNT || unit == XPD_HEAP_OTHER)
        xpd_strbuf_printf(out, " %.*s", (int)a->unit_text.size, a->unit_text.data);
    xpd_strbuf_printf(out, " %s",
                      unit != XPD_HEAP_BYTES              ? "in all"
                      : xpd_str_starts(a->type, "alloc_") ? "allocated" /* freed since, or not */
                                                          : "live");
    if (unit == XPD_HEAP_BYTES && a->buffers > 0)
        xpd_strbuf_printf(out, " in %s %s%s", count,
                          strcmp(a->format, "jax") == 0 ? "buffer" : "allocation",
                          a->buffers == 1 ? "" : "s");
    if (a->devices.n > 0)
        xpd_strbuf_printf(out, " on %" PRIu32 " device%s", a->devices.n,
                          a->devices.n == 1 ? "" : "s");
    if (a->against.data) {
        xpd_heap_change_text(change, a->change, unit);
        xpd_strbuf_printf(out, ", %s since %.*s", change, (int)a->against.size, a->against.data);
    }
    xpd_strbuf_putc(out, '\n');
}

static void put_growing(struct xpd_strbuf *out, const struct xpd_heap_summary *a)
{
    char value[48], slope[48];
    for (uint32_t i = 0; i < a->growing.n; i++) {
        const struct xpd_heap_line_row *row = &a->growing.at[i];
        xpd_heap_value_text(value, row->value, unit_of(a));
        xpd_heap_change_text(slope, row->last_per_step, unit_of(a));
        xpd_strbuf_printf(out, "grows: %.*s", (int)row->label.size, row->label.data);
        if (row->function.size > 0)
            xpd_strbuf_printf(out, " (%.*s)", (int)row->function.size, row->function.data);
        xpd_strbuf_printf(out, ": %s made there, %s a %s\n", value, slope,
                          a->steps ? "step" : "file");
    }
    if (a->growing_total > a->growing.n)
        xpd_strbuf_printf(out, "%" PRIu32 " more lines grow\n", a->growing_total - a->growing.n);
    if (a->series_files >= 3 && a->growing_total == 0)
        xpd_strbuf_printf(out, "No line grew from each of the %" PRIu32 " files to the next.\n",
                          a->series_files);
}

static void text(struct xpd_strbuf *out, const void *answer)
{
    const struct xpd_heap_summary *a = answer;
    put_head(out, a);
    if (!a->same_program)
        xpd_strbuf_puts(out, "warning: not the same program: less than half of the lines are in "
                             "both files\n");
    put_growing(out, a);
    for (uint32_t i = 0; i < a->warnings.n; i++) {
        const struct xpd_warning_row *w = &a->warnings.at[i];
        xpd_strbuf_printf(out, "%s: %s", w->severity, w->text);
        if (w->offset >= 0)
            xpd_strbuf_printf(out, " (byte %" PRId64 ")", w->offset);
        if (w->count > 1)
            xpd_strbuf_printf(out, ", %" PRId64 " times", w->count);
        xpd_strbuf_putc(out, '\n');
    }
}

static const struct xpd_param_spec params[] = {XPD_HEAP_PARAMS, XPD_PARAM_FORMAT, {.name = NULL}};

const struct xpd_tool xpd_tool_heap_summary = {
    .route = "/api/v1/heap/summary",
    .title = "Contents of a heap file, changes since another one, and lines that grow.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_heap_summary_record,
    .make = summary,
    .text = text,
    .file_name = "heap_devices.csv",
    XPD_IN_REPORT("", {110, XPD_EACH_HEAP, "", "what the last heap file holds against the first"},
                  {265, XPD_EACH_HEAP_FILE, "file={name}", "each heap file"}),
};
