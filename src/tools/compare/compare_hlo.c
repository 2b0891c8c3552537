/* /api/v1/compare/text: the HLO texts of two programs, line by line in one order. */
#include "compare_parts.h"
#include "xprofd/doctor/align.h"
#include "xprofd/hlo/print.h"

#define ROWS_DEFAULT 500
#define ROWS_MAX     2000
#define LINE_MAX     2000 /* bytes of a line that are sent */

#define LINE_STATES "same renumbered changed only_before only_after folded"

#define XPD_COMPARED_LINE_FIELDS(FIELD)                                                            \
    FIELD(WORD(LINE_STATES), state,                                                                \
          "`renumbered`: equal except for numbers that the compiler assigns")                      \
    FIELD(WORD("both before after"), side, "whose text it is; a changed line is two rows")         \
    FIELD(COUNT, count, "equal lines in a folded row")                                             \
    FIELD(INT, cut_bytes, "bytes of the text not sent: those beyond 2,000")                        \
    FIELD(MAYBE(INDEX), before_line, "counted from 0")                                             \
    FIELD(MAYBE(TEXT), before_name, "of the instruction; null: none, or folded")                   \
    FIELD(MAYBE(INDEX), after_line, "counted from 0")                                              \
    FIELD(MAYBE(TEXT), after_name, "as before")                                                    \
    FIELD(MAYBE(TEXT), text, "null: folded")
XPD_RECORD(xpd_compared_line, XPD_COMPARED_LINE_FIELDS)

#define XPD_COMPARED_TEXT_FIELDS(FIELD)                                                            \
    FIELD(COUNT, before_lines, "of the program before")                                            \
    FIELD(COUNT, before_lines_left_out, "lines beyond the limit of the comparison")                \
    FIELD(COUNT, after_lines, "of the program after")                                              \
    FIELD(COUNT, after_lines_left_out, "likewise")                                                 \
    FIELD(BOOL, whole, "false: the programs were too long to align line by line")                  \
    FIELD(COUNT, same, "lines")                                                                    \
    FIELD(COUNT, renumbered, "pairs of lines")                                                     \
    FIELD(COUNT, changed, "pairs of lines")                                                        \
    FIELD(COUNT, only_before, "lines")                                                             \
    FIELD(COUNT, only_after, "lines")                                                              \
    FIELD(COUNT, total, "rows, counting a folded stretch as one")                                  \
    FIELD(COUNT, offset, "first row")                                                              \
    FIELD(COLUMNS(xpd_compared_line), rows, "")
XPD_RECORD(xpd_compared_text, XPD_COMPARED_TEXT_FIELDS)

enum state { SAME, RENUMBERED, CHANGED, ONLY_BEFORE, ONLY_AFTER, FOLDED, STATES };
static const char *const state_word[STATES] = {"same",        "renumbered", "changed",
                                               "only_before", "only_after", "folded"};

struct row {
    enum state state;
    int side;             /* whose text it shows: a changed line is two rows, 0 and then 1 */
    uint32_t slot, count; /* count: equal lines that a fold stands for */
};

struct texts {
    const struct xpd_tool_ctx *ctx; /* two */
    struct xpd_proto_bytes proto[2];
    struct xpd_hlo_printer *printer[2];
    struct xpd_program_lines lines[2];
    struct xpd_align align;
    uint8_t *state;    /* enum state by slot */
    uint32_t *counted; /* rows: how many of each state there are */
    struct row *row;
    uint32_t row_count, flags;
    bool inside; /* with the bodies of fusions */
    struct xpd_strbuf text[2];
};

static int open_texts(struct texts *t, struct xpd_err *err)
{
    const struct xpd_hlo *hlo[2] = {t->ctx[0].hlo, t->ctx[1].hlo};
    struct xpd_arena *arena = t->ctx[1].arena;
    int rc = XPD_OK;
    for (int s = 0; s < 2 && rc == XPD_OK; s++) {
        const struct xpd_tool_ctx *ctx = &t->ctx[s];
        rc = xpd_store_module_bytes(ctx->store, ctx->run, ctx->module, &t->proto[s], err);
        if (rc == XPD_OK)
            rc = xpd_hlo_printer_new(&t->printer[s], hlo[s], t->proto[s].at, t->proto[s].size, err);
        if (rc == XPD_OK)
            rc = xpd_program_lines(&t->lines[s], hlo[s], t->printer[s], t->inside, arena, err);
    }
    return rc == XPD_OK ? xpd_align_programs(&t->align, hlo, t->lines, arena, err) : rc;
}

static void close_texts(struct texts *t)
{
    for (int s = 0; s < 2; s++) {
        xpd_hlo_printer_free(t->printer[s]);
        xpd_proto_bytes_free(&t->proto[s]);
        xpd_strbuf_fini(&t->text[s]);
    }
}

/* The line without its line break; "" where the program has none in this slot. */
static struct xpd_str line_of(struct texts *t, int s, uint32_t slot)
{
    struct xpd_strbuf *out = &t->text[s];
    const struct xpd_hlo *hlo = t->ctx[s].hlo;
    uint32_t at = t->align.step[s][slot];
    xpd_strbuf_clear(out);
    if (at == XPD_NO_STEP)
        return XPD_STR("");
    const struct xpd_program_line *line = &t->lines[s].at[at];
    if (line->instruction == XPD_NO_INDEX) {
        xpd_hlo_print_head(t->printer[s], line->computation, t->flags, out);
    } else {
        xpd_strbuf_puts(
            out, hlo->computations.root[line->computation] == line->instruction ? "  ROOT " : "  ");
        xpd_hlo_print_instruction(t->printer[s], line->instruction, t->flags, out);
    }
    while (out->size > 0 && out->data[out->size - 1] == '\n')
        out->size--;
    return (struct xpd_str){out->data ? out->data : "", out->size};
}

static enum state state_of(struct texts *t, uint32_t slot)
{
    if (t->align.step[1][slot] == XPD_NO_STEP)
        return ONLY_BEFORE;
    if (t->align.step[0][slot] == XPD_NO_STEP)
        return ONLY_AFTER;
    struct xpd_str a = line_of(t, 0, slot), b = line_of(t, 1, slot);
    return xpd_str_eq(a, b) ? SAME : xpd_same_but_numbers(a, b) ? RENUMBERED : CHANGED;
}

/* Equal lines farther than `context` from a different one become one row each run; a run of one
 * stays itself. context < 0: nothing is folded. */
static void fold(struct texts *t, int64_t context)
{
    uint32_t count = t->align.count, next = 0; /* next: the different line at or behind a slot */
    int64_t last = -1;                         /* the different line before it */
    for (uint32_t slot = 0; slot < count; slot++) {
        next = next < slot ? slot : next;
        while (next < count && t->state[next] <= RENUMBERED)
            next++;
        bool differs = next == slot;
        enum state state = (enum state)t->state[slot];
        last = differs ? slot : last;
        bool near_last = last >= 0 && (int64_t)slot - last <= context;
        bool near_next = next < count && (int64_t)next - slot <= context;
        struct row *before = t->row_count > 0 ? &t->row[t->row_count - 1] : NULL;
        if (state == CHANGED)
            t->row[t->row_count++] = (struct row){state, 0, slot, 1};
        if (context < 0 || differs || near_last || near_next)
            t->row[t->row_count++] = (struct row){state, state != ONLY_BEFORE, slot, 1};
        else if (before && before->state == FOLDED)
            before->count++;
        else
            t->row[t->row_count++] = (struct row){FOLDED, 1, slot, 1};
    }
    for (uint32_t i = 0; i < t->row_count; i++)
        if (t->row[i].state == FOLDED && t->row[i].count == 1)
            t->row[i].state = (enum state)t->state[t->row[i].slot];
}

static int make_rows(struct texts *t, int64_t context, struct xpd_err *err)
{
    struct xpd_arena *arena = t->ctx[1].arena;
    t->state = XPD_NEW_ARRAY(arena, uint8_t, (size_t)t->align.count + 1);
    t->row = XPD_NEW_ARRAY(arena, struct row, 2 * (size_t)t->align.count + 1);
    t->counted = XPD_NEW_ARRAY(arena, uint32_t, STATES);
    if (!t->state || !t->row || !t->counted)
        return xpd_tools_no_memory(err);
    for (uint32_t slot = 0; slot < t->align.count; slot++) {
        t->state[slot] = (uint8_t)state_of(t, slot);
        t->counted[t->state[slot]]++;
    }
    if (t->text[0].failed || t->text[1].failed)
        return xpd_tools_no_memory(err);
    fold(t, context);
    return XPD_OK;
}

/* The text as it is sent; the bytes that are not, in *cut. */
static struct xpd_str text_of(struct texts *t, const struct row *row, int64_t *cut)
{
    if (row->state == FOLDED)
        return (struct xpd_str){0};
    struct xpd_str text = line_of(t, row->side, row->slot);
    if (text.size > LINE_MAX) {
        *cut = (int64_t)(text.size - LINE_MAX);
        text.size = LINE_MAX;
        while (text.size > 0 && ((unsigned char)text.data[text.size] & 0xc0) == 0x80)
            text.size--;
    }
    return xpd_arena_str(t->ctx[1].arena, text);
}

static const char *side_word(const struct row *row)
{
    bool both = row->state != CHANGED && row->state != ONLY_BEFORE && row->state != ONLY_AFTER;
    return both ? "both" : row->side ? "after" : "before";
}

static struct xpd_str name_of(const struct texts *t, int s, const struct row *row)
{
    uint32_t at = t->align.step[s][row->slot];
    if (row->state == FOLDED || at == XPD_NO_STEP || t->lines[s].at[at].instruction == XPD_NO_INDEX)
        return (struct xpd_str){0};
    const struct xpd_hlo *hlo = t->ctx[s].hlo;
    return xpd_tools_or_null(
        xpd_hlo_text(hlo, hlo->instructions.name[t->lines[s].at[at].instruction]));
}

static int put(struct xpd_compared_text *out, struct texts *t, uint32_t first, uint32_t n,
               struct xpd_err *err)
{
    struct xpd_compared_line *to = XPD_NEW_ARRAY(t->ctx[1].arena, struct xpd_compared_line, n);
    for (uint32_t i = 0; to && i < n; i++) {
        const struct row *row = &t->row[first + i];
        to[i] = (struct xpd_compared_line){
            .state = state_word[row->state],
            .side = side_word(row),
            .count = row->count,
            .before_line = t->align.step[0][row->slot],
            .before_name = name_of(t, 0, row),
            .after_line = t->align.step[1][row->slot],
            .after_name = name_of(t, 1, row),
        };
        to[i].text = text_of(t, row, &to[i].cut_bytes);
    }
    *out = (struct xpd_compared_text){
        .before_lines = t->lines[0].count,
        .before_lines_left_out = t->lines[0].left_out,
        .after_lines = t->lines[1].count,
        .after_lines_left_out = t->lines[1].left_out,
        .whole = t->align.whole,
        .same = t->counted[SAME],
        .renumbered = t->counted[RENUMBERED],
        .changed = t->counted[CHANGED],
        .only_before = t->counted[ONLY_BEFORE],
        .only_after = t->counted[ONLY_AFTER],
        .total = t->row_count,
        .offset = first,
        .rows = {to, n},
    };
    return t->ctx[1].arena->failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static int answer(const struct xpd_tool_ctx ctx[2], void *to, struct xpd_err *err)
{
    const struct xpd_tool *tool = &xpd_tool_compare_text;
    struct texts t = {.ctx = ctx, .flags = XPD_PRINT_PERCENT};
    if (xpd_param_int(&ctx[1], tool, "config"))
        t.flags |= XPD_PRINT_CONFIG;
    t.inside = xpd_param_int(&ctx[1], tool, "inside") != 0;
    int rc = open_texts(&t, err);
    if (rc == XPD_OK)
        rc = make_rows(&t, xpd_param_int(&ctx[1], tool, "context"), err);
    if (rc == XPD_OK) {
        uint32_t first = (uint32_t)xpd_param_int(&ctx[1], tool, "offset");
        uint32_t limit = (uint32_t)xpd_param_int(&ctx[1], tool, "limit");
        first = first < t.row_count ? first : t.row_count;
        rc = put(to, &t, first, t.row_count - first < limit ? t.row_count - first : limit, err);
    }
    close_texts(&t);
    return rc;
}

static int text(const struct xpd_tool_ctx *ctx, const void **to, struct xpd_err *err)
{
    return xpd_compare_with_base(ctx, answer, sizeof(struct xpd_compared_text), to, err);
}

static const struct xpd_param_spec params[] = {
    XPD_COMPARE_BASE_PARAMS,
    {.name = "context",
     .type = XPD_PARAM_INT,
     .min = -1,
     .max = 1000,
     .fallback = 3,
     .help = "equal lines kept around different ones, default 3; -1: all lines"},
    {.name = "inside",
     .type = XPD_PARAM_INT,
     .max = 1,
     .help = "1: includes the bodies of fusions"},
    {.name = "config",
     .type = XPD_PARAM_INT,
     .max = 1,
     .help = "1: compares and shows backend_config"},
    {.name = "offset", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "first row"},
    XPD_PARAM_LIMIT(ROWS_DEFAULT, ROWS_MAX, "rows"),
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_compare_text = {
    .route = "/api/v1/compare/text",
    .title = "The HLO texts of two programs, aligned line by line.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .about =
        "Lines (first lines of computations, instructions) are in the order of the text. Lines "
        "match if they are in the longest common subsequence of equal keys: opcode, type and "
        "dimensions of the result, and scope without numbers; for a computation, its name without "
        "numbers and its result. At both ends of the remaining pieces the scope is ignored. This "
        "is how `compare/curve` aligns steps. It is exact up to 16,384 x 16,384 lines; longer "
        "programs are first split where a key occurs once in both. At most 1,048,576 lines of each "
        "program are compared. For a line on both sides, `text` is the text after.",
    .answer = xpd_compared_text_record,
    .make = text,
    .file_name = "compare_text.csv",
    XPD_IN_REPORT(
        "space",
        {120, XPD_EACH_TEXT, "offset=0&limit=500", "the HLO texts of each pair, line by line"},
        {210, XPD_EACH_TEXT, "offset={offset}&limit=500", NULL},
        {310, XPD_EACH_TEXT, "context=-1&offset={offset}&limit=500", NULL},
        {310, XPD_EACH_TEXT, "inside=1&offset={offset}&limit=500", NULL},
        {310, XPD_EACH_TEXT, "inside=1&context=-1&offset={offset}&limit=500", NULL},
        {310, XPD_EACH_TEXT, "", NULL}),
};
