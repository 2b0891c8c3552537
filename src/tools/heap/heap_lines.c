/* /api/v1/heap/lines: a heap file by line, function, file, stack, size, device or kind. */
#include "heap_rows.h"

#include "xprofd/match/match.h"
#include "xprofd/tools/heap.h"

#include <string.h>

#define ROWS_DEFAULT 200
#define ROWS_MAX     100000

#define SORT_WORDS "value change growth count mean name"

#define XPD_HEAP_SERIES_ROW_FIELDS(FIELD)                                                          \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(MAYBE(SIGNED), step, "from its name; null: files are counted")                           \
    FIELD(SIGNED, value, "of the samples that the filters let through")
XPD_RECORD(xpd_heap_series_row, XPD_HEAP_SERIES_ROW_FIELDS)

#define XPD_HEAP_LINES_FIELDS(FIELD)                                                               \
    FIELD(TEXT, file, "the file shown")                                                            \
    FIELD(MAYBE(TEXT), against, "file to compare with")                                            \
    FIELD(WORD(XPD_HEAP_BY_WORDS), by, "what a row is")                                            \
    FIELD(TEXT, type, "which value of the samples")                                                \
    FIELD(WORD("bytes ns count other"), unit, "of all values here")                                \
    FIELD(BOOL, steps, "true: file names have step numbers; false: a step is a file")              \
    FIELD(VALUES(TEXT), devices, "devices of the values in `devices` of a row")                    \
    FIELD(SIGNED, value, "sum over all rows")                                                      \
    FIELD(SIGNED, count, "")                                                                       \
    FIELD(MAYBE(SIGNED), base_value, "")                                                           \
    FIELD(MAYBE(SIGNED), change, "")                                                               \
    FIELD(MAYBE(STRING), note, "what was left out because of a limit")                             \
    FIELD(COUNT, total, "rows, listed or not")                                                     \
    FIELD(COUNT, offset, "of the first row listed")                                                \
    FIELD(SIGNED, rest_value, "of the rows not listed")                                            \
    FIELD(COLUMNS(xpd_heap_line_row), rows, "")                                                    \
    FIELD(COLUMNS(xpd_heap_series_row), series, "files of the series, oldest first")
XPD_RECORD(xpd_heap_lines_answer, XPD_HEAP_LINES_FIELDS)

struct order { /* of one row */
    uint32_t row;
    int64_t key;
    struct xpd_str name;
};

struct listing {
    struct xpd_heap_ask ask;
    struct xpd_heap_lines lines;
    struct order *order;
    uint32_t count;
    struct xpd_heap_lines_answer out;
};

static const struct xpd_param_spec params[] = {
    XPD_HEAP_PARAMS,
    {.name = "group",
     .type = XPD_PARAM_ENUM,
     .words = XPD_HEAP_BY_WORDS,
     .help = "what a row is; default line"},
    {.name = "filter",
     .type = XPD_PARAM_TEXT,
     .help = "text or /expression/ in name, function or file"},
    {.name = "sort",
     .type = XPD_PARAM_ENUM,
     .words = SORT_WORDS,
     .help = "largest first; default value; name: by name"},
    {.name = "desc", .type = XPD_PARAM_INT, .max = 1, .fallback = 1, .help = "0: smallest first"},
    {.name = "stacks", .type = XPD_PARAM_INT, .max = 1, .help = "1: rows have their stack"},
    XPD_PARAM_FORMAT,
    {.name = "offset", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "first row"},
    XPD_PARAM_LIMIT(ROWS_DEFAULT, ROWS_MAX, "rows"),
    {.name = NULL},
};

/* ---- which rows, in which order ---- */

static int64_t sort_key(const struct listing *l, uint32_t row, int word)
{
    const struct xpd_heap_groups *g = &l->lines.groups;
    int64_t value = xpd_heap_lines_value(&l->lines, row);
    int64_t count = g->count[(size_t)row * g->member_count + l->ask.shown];
    double growth;
    switch (word) {
    case 1: return xpd_heap_lines_change(&l->lines, row);
    case 2:
        growth = xpd_heap_lines_growth(&l->lines, row).last_per_step;
        return growth > -9e18 && growth < 9e18 ? (int64_t)growth : INT64_MIN;
    case 3: return count;
    case 4: return count > 0 ? value / count : 0;
    default: return value;
    }
}

static int compare(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? 1 : -1;
    int order = xpd_str_order(x->name, y->name);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

static bool matches(struct xpd_match *match, const struct xpd_heap_row *row)
{
    const struct xpd_heap_frame *frame =
        row->frame != XPD_NO_INDEX ? &row->heap->frame[row->frame] : NULL;
    return xpd_match_test(match, row->key) != XPD_MATCH_NONE ||
           (frame && (xpd_match_test(match, frame->function) != XPD_MATCH_NONE ||
                      xpd_match_test(match, frame->file) != XPD_MATCH_NONE));
}

static int choose(struct listing *l, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = l->ask.ctx;
    const struct xpd_heap_groups *g = &l->lines.groups;
    struct xpd_str typed = xpd_param_text(ctx, "filter");
    int word = xpd_param_word(ctx, &xpd_tool_heap_lines, "sort");
    bool rising = xpd_param_int(ctx, &xpd_tool_heap_lines, "desc") == 0;
    struct xpd_match match;
    l->order = XPD_NEW_ARRAY(ctx->arena, struct order, g->row_count);
    if (!l->order)
        return xpd_tools_no_memory(err);
    xpd_match_init(&match, typed);
    for (uint32_t i = 0; i < g->row_count; i++) {
        if (!xpd_heap_lines_has(&l->lines, i) || (typed.size > 0 && !matches(&match, &g->row[i])))
            continue;
        l->order[l->count++] =
            (struct order){i, word == 5 ? 0 : sort_key(l, i, word), g->row[i].key};
    }
    char room[XPD_MATCH_NOTE_MAX];
    const char *note = xpd_match_note(&match, room);
    if (note[0])
        l->ask.note = xpd_arena_printf(ctx->arena, "%s", note);
    xpd_match_fini(&match);
    qsort(l->order, l->count, sizeof *l->order, compare);
    for (uint32_t i = 0; rising && i < l->count / 2; i++) {
        struct order other = l->order[i];
        l->order[i] = l->order[l->count - 1 - i];
        l->order[l->count - 1 - i] = other;
    }
    return XPD_OK;
}

/* ---- the answer ---- */

static int fill_rows(struct listing *l, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = l->ask.ctx;
    uint32_t first = (uint32_t)xpd_param_int(ctx, &xpd_tool_heap_lines, "offset");
    uint32_t limit = (uint32_t)xpd_param_int(ctx, &xpd_tool_heap_lines, "limit");
    bool stacks = xpd_param_int(ctx, &xpd_tool_heap_lines, "stacks") == 1;
    first = first < l->count ? first : l->count;
    uint32_t n = l->count - first < limit ? l->count - first : limit;
    struct xpd_heap_line_row *row = XPD_NEW_ARRAY(ctx->arena, struct xpd_heap_line_row, n);
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++)
        xpd_heap_lines_row(&l->lines, l->order[first + i].row, stacks, &row[i]);
    for (uint32_t i = 0; i < l->count; i++)
        if (i < first || i >= first + n)
            xpd_grow_i64(&l->out.rest_value, xpd_heap_lines_value(&l->lines, l->order[i].row));
    l->out.total = l->count;
    l->out.offset = first;
    l->out.rows.at = row;
    l->out.rows.n = n;
    return XPD_OK;
}

static int fill_series(struct listing *l, struct xpd_err *err)
{
    const struct xpd_heap_ask *ask = &l->ask;
    uint32_t n = ask->series_count;
    struct xpd_heap_series_row *row = XPD_NEW_ARRAY(ask->ctx->arena, struct xpd_heap_series_row, n);
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++)
        row[i] = (struct xpd_heap_series_row){ask->file[ask->member_file[i]].name,
                                              ask->has_steps ? ask->step[i] : XPD_UNKNOWN,
                                              l->lines.groups.total[i]};
    l->out.series.at = row;
    l->out.series.n = n;
    return XPD_OK;
}

static void fill_sums(struct listing *l, int by)
{
    static const char *const word[] = {"line", "function", "file", "stack",
                                       "size", "device",   "kind"};
    const struct xpd_heap_ask *ask = &l->ask;
    const struct xpd_heap_member *m = &ask->member[ask->shown];
    bool compared = ask->compared != XPD_NO_INDEX, overflow = false;
    l->out.file = ask->file[ask->at].name;
    l->out.against = ask->base ? ask->base->name : (struct xpd_str){0};
    l->out.by = word[by];
    l->out.type = m->heap->type[m->type].name;
    l->out.unit = xpd_heap_unit_word(m->heap->type[m->type].kind);
    l->out.steps = ask->has_steps;
    l->out.devices.at = l->lines.devices.name;
    l->out.devices.n = l->lines.devices.count;
    l->out.value = l->lines.groups.total[ask->shown];
    l->out.count = l->lines.groups.total_count[ask->shown];
    l->out.base_value = compared ? l->lines.groups.total[ask->compared] : XPD_UNKNOWN;
    l->out.change =
        compared ? xpd_add_i64(l->out.value, -l->out.base_value, &overflow) : XPD_UNKNOWN;
    l->out.note = ask->note;
}

static int lines(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    struct listing *l = XPD_NEW(ctx->arena, struct listing);
    if (!l)
        return xpd_tools_no_memory(err);
    *out = &l->out;
    int by = xpd_param_word(ctx, &xpd_tool_heap_lines, "group");
    by = by < 0 ? XPD_HEAP_BY_LINE : by;
    int rc = xpd_heap_ask_init(&l->ask, ctx, &xpd_tool_heap_lines, err);
    if (rc == XPD_OK)
        rc = xpd_heap_lines_make(&l->lines, &l->ask, (enum xpd_heap_by)by, err);
    if (rc == XPD_OK)
        rc = choose(l, err);
    if (rc == XPD_OK)
        rc = fill_rows(l, err);
    if (rc == XPD_OK)
        rc = fill_series(l, err);
    if (rc == XPD_OK)
        fill_sums(l, by);
    xpd_heap_ask_fini(&l->ask);
    return rc == XPD_OK && ctx->arena->failed ? xpd_tools_no_memory(err) : rc;
}

/* ---- for a terminal ---- */

static enum xpd_heap_unit unit_of(const struct xpd_heap_lines_answer *a)
{
    return (enum xpd_heap_unit)xpd_word_index("bytes ns count other", xpd_str_of(a->unit));
}

static void put_change(struct xpd_strbuf *out, int64_t change, enum xpd_heap_unit unit, int width)
{
    char text[48] = "-";
    if (change != XPD_UNKNOWN)
        xpd_heap_change_text(text, change, unit);
    xpd_strbuf_printf(out, " %*s", width, text);
}

static void put_row(struct xpd_strbuf *out, const struct xpd_heap_lines_answer *a,
                    const struct xpd_heap_line_row *row)
{
    enum xpd_heap_unit unit = unit_of(a);
    char value[48];
    xpd_heap_value_text(value, row->value, unit);
    xpd_strbuf_printf(out, "%14s ", value);
    if (row->share > 0 && row->share < 0.0005)
        xpd_strbuf_puts(out, " < 0.1 %");
    else
        xpd_strbuf_printf(out, "%6.1f %%", 100 * row->share);
    if (a->against.data)
        put_change(out, row->change, unit, 14);
    if (a->series.n > 1)
        put_change(out, row->last_per_step, unit, 14);
    xpd_strbuf_printf(out, " %10" PRId64 "  %-6s %.*s", row->count,
                      strcmp(row->growth, "grows") == 0 ? "grows" : "", (int)row->label.size,
                      row->label.data);
    if (row->function.size > 0 && !xpd_str_eq(row->function, row->label))
        xpd_strbuf_printf(out, "  %.*s", (int)row->function.size, row->function.data);
    xpd_strbuf_putc(out, '\n');
}

static void text(struct xpd_strbuf *out, const void *answer)
{
    const struct xpd_heap_lines_answer *a = answer;
    char value[48];
    xpd_strbuf_printf(out, "%14s %8s", a->type.size < 14 ? a->type.data : "value", "share");
    if (a->against.data)
        xpd_strbuf_printf(out, " %14s", "change");
    if (a->series.n > 1)
        xpd_strbuf_printf(out, " %14s", a->steps ? "last, a step" : "last, a file");
    xpd_strbuf_printf(out, " %10s  %-6s %s\n", "count", "", a->by);
    for (uint32_t i = 0; i < a->rows.n; i++)
        put_row(out, a, &a->rows.at[i]);
    if (a->total > a->offset + a->rows.n) {
        xpd_heap_value_text(value, a->rest_value, unit_of(a));
        xpd_strbuf_printf(out, "%14s          %" PRIu32 " more rows\n", value,
                          a->total - a->rows.n);
    }
    if (a->note)
        xpd_strbuf_printf(out, "note: %s\n", a->note);
}

const struct xpd_tool xpd_tool_heap_lines = {
    .route = "/api/v1/heap/lines",
    .title = "A heap file by line, function, file, stack, size, device or kind, compared with "
             "another one.",
    .about =
        "The line of a sample is the innermost frame of your own code. Rows add up to `value`. "
        "Executables are one row where rows are of code.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_heap_lines_answer_record,
    .make = lines,
    .text = text,
    .file_name = "heap.csv",
    XPD_IN_REPORT(
        "", {110, XPD_EACH_HEAP, "limit=10000", "what the last heap file holds against the first"},
        {255, XPD_EACH_HEAP, "group=function&limit=10000", NULL},
        {255, XPD_EACH_HEAP, "group=stack&limit=10000&stacks=1", NULL},
        {255, XPD_EACH_HEAP, "group=size&limit=10000", NULL},
        {260, XPD_EACH_HEAP_LINE, "line={key}&limit=1&stacks=1",
         "the cards of the 200 lines that hold most"},
        {260, XPD_EACH_HEAP_LINE, "group=size&line={key}&limit=8", NULL},
        {265, XPD_EACH_HEAP_FILE, "file={name}&limit=10000", "each heap file"}),
};

/* ---- what a file gained, for a limit of CI ---- */

int xpd_tools_heap_gain(struct xpd_heap_gain *out, const struct xpd_tool_ctx *ctx,
                        struct xpd_err *err)
{
    struct xpd_heap_ask ask;
    struct xpd_heap_lines lines;
    uint32_t most = XPD_NO_INDEX;
    *out = (struct xpd_heap_gain){.line = XPD_STR(""), .function = XPD_STR("")};
    int rc = xpd_heap_ask_init(&ask, ctx, &xpd_tool_heap_lines, err);
    if (rc == XPD_OK)
        rc = xpd_heap_lines_make(&lines, &ask, XPD_HEAP_BY_LINE, err);
    for (uint32_t i = 0; rc == XPD_OK && i < lines.groups.row_count; i++) {
        int64_t change = xpd_heap_lines_change(&lines, i);
        xpd_grow_i64(&out->total, change);
        if (change > out->most) {
            out->most = change;
            most = i;
        }
    }
    if (rc == XPD_OK) {
        struct xpd_heap_line_row row;
        out->file = ask.file[ask.at].name;
        out->against = ask.base ? xpd_arena_str(ctx->arena, ask.base->name) : XPD_STR("");
        out->compared = ask.compared != XPD_NO_INDEX;
        out->bytes = xpd_heap_unit_of(&ask) == XPD_HEAP_BYTES;
        if (most != XPD_NO_INDEX) {
            xpd_heap_lines_row(&lines, most, false, &row);
            out->line = xpd_arena_str(ctx->arena, row.label);
            out->function = xpd_arena_str(ctx->arena, row.function);
        }
    }
    xpd_heap_ask_fini(&ask);
    return rc;
}
