/* Filters of operations. In: lines and an expression. Out: the lines it lets through, in their
 * order. Texts of a row are made while they are tried. */
#include "ops_filter.h"
#include "xprofd/match/filter.h"

#include <math.h>

enum { /* keys, in the order of the table below */
       KEY_NAME,
       KEY_OPCODE,
       KEY_CATEGORY,
       KEY_GROUP,
       KEY_SCOPE,
       KEY_PHASE,
       KEY_SHAPE,
       KEY_DTYPE,
       KEY_SOURCE,
       KEY_BOUND,
       KEY_MODULE,
       KEY_SELF,
       KEY_TOTAL,
       KEY_MEAN,
       KEY_P50,
       KEY_P99,
       KEY_MIN,
       KEY_MAX,
       KEY_COUNT,
       KEY_RUNS,
       KEY_LOST,
       KEY_ROOFLINE,
       KEY_FLOPS,
       KEY_HBM,
       KEY_INTENSITY,
       KEY_SPREAD,
       KEYS
};
#define TEXT(word)                                                                                 \
    {                                                                                              \
        .name = (word), .is_text = true                                                            \
    }
#define NUMBER(word, in, or)                                                                       \
    {                                                                                              \
        .name = (word), .unit = (in), .other = (or)                                                \
    }
static const struct xpd_filter_key keys[KEYS] = {
    TEXT("name"),
    TEXT("op"),
    TEXT("cat"),
    TEXT("group"),
    TEXT("scope"),
    TEXT("phase"),
    TEXT("shape"),
    TEXT("dtype"),
    TEXT("src"),
    TEXT("bound"),
    TEXT("module"),
    NUMBER("self", XPD_UNIT_TIME, XPD_UNIT_SHARE),
    NUMBER("total", XPD_UNIT_TIME, XPD_UNIT_NONE),
    NUMBER("avg", XPD_UNIT_TIME, XPD_UNIT_NONE),
    NUMBER("p50", XPD_UNIT_TIME, XPD_UNIT_NONE),
    NUMBER("p99", XPD_UNIT_TIME, XPD_UNIT_NONE),
    NUMBER("min", XPD_UNIT_TIME, XPD_UNIT_NONE),
    NUMBER("max", XPD_UNIT_TIME, XPD_UNIT_NONE),
    NUMBER("count", XPD_UNIT_COUNT, XPD_UNIT_NONE),
    NUMBER("runs", XPD_UNIT_COUNT, XPD_UNIT_NONE),
    NUMBER("lost", XPD_UNIT_TIME, XPD_UNIT_NONE),
    NUMBER("roofline", XPD_UNIT_SHARE, XPD_UNIT_NONE),
    NUMBER("flops", XPD_UNIT_COUNT, XPD_UNIT_NONE),
    NUMBER("hbm", XPD_UNIT_BYTES, XPD_UNIT_COUNT),
    NUMBER("intensity", XPD_UNIT_COUNT, XPD_UNIT_NONE),
    NUMBER("spread", XPD_UNIT_COUNT, XPD_UNIT_NONE),
};

struct trying {
    const struct xpd_ops_found *found;
    const struct xpd_ops_line *line;
    struct xpd_strbuf text;
};

/* ---- texts ---- */

static struct xpd_str text_of(struct trying *t, enum xpd_op_text column)
{
    const struct xpd_op_row *row = t->line->row;
    xpd_strbuf_clear(&t->text);
    xpd_op_row_text(&t->text, column, row, &t->found->program[row->program]);
    return (struct xpd_str){t->text.data, t->text.size};
}

static bool is_in(const struct xpd_filter_term *term, struct xpd_str text)
{
    return text.size > 0 && xpd_match_test(term->match, text) != XPD_MATCH_NONE;
}

/* Letters of either case. */
static bool is_word(struct xpd_str wanted, struct xpd_str word)
{
    return wanted.size == word.size && xpd_str_find(word, wanted, true) == 0;
}

/* block_* is block_0, block_1, ..., and what is below them. */
static bool is_scope(const struct xpd_filter_term *term, struct xpd_str scope)
{
    return xpd_scope_below(scope, term->text) ||
           (!memchr(term->text.data, '*', term->text.size) && is_in(term, scope));
}

static bool holds_text(struct trying *t, const struct xpd_filter_term *term)
{
    static const enum xpd_op_text column[] = {
        XPD_OPS_NAME,  XPD_OPS_OPCODE, XPD_OPS_CATEGORY, XPD_OPS_GROUP,  XPD_OPS_SCOPE,
        XPD_OPS_PHASE, XPD_OPS_SHAPE,  XPD_OPS_DTYPE,    XPD_OPS_SOURCE, XPD_OPS_BOUND};
    if (term->key == KEY_MODULE)
        return is_in(term, xpd_str_of(t->line->shown.module));
    struct xpd_str text = text_of(t, column[term->key]);
    switch (term->key) {
    case KEY_GROUP:
    case KEY_PHASE:
    case KEY_DTYPE:
    case KEY_BOUND: return term->match->is_regex ? is_in(term, text) : is_word(term->text, text);
    case KEY_SCOPE: return term->match->is_regex ? is_in(term, text) : is_scope(term, text);
    default: return is_in(term, text);
    }
}

static bool holds_any(struct trying *t, const struct xpd_filter_term *term)
{
    static const enum xpd_op_text column[] = {XPD_OPS_NAME, XPD_OPS_OPCODE, XPD_OPS_SCOPE,
                                              XPD_OPS_SHAPE, XPD_OPS_SOURCE};
    for (size_t i = 0; i < sizeof column / sizeof *column; i++)
        if (is_in(term, text_of(t, column[i])))
            return true;
    return false;
}

/* ---- numbers ---- */

static double known(int64_t value)
{
    return value < 0 ? (double)NAN : (double)value;
}

static double number_of(const struct xpd_ops_row *row, const struct xpd_filter_term *term)
{
    switch (term->key) {
    case KEY_SELF: return term->unit == XPD_UNIT_SHARE ? row->self_share : known(row->self_ps);
    case KEY_TOTAL: return known(row->total_ps);
    case KEY_MEAN: return row->mean_ps;
    case KEY_P50: return known(row->p50_ps);
    case KEY_P99: return known(row->p99_ps);
    case KEY_MIN: return known(row->min_ps);
    case KEY_MAX: return known(row->max_ps);
    case KEY_COUNT: return known(row->count);
    case KEY_RUNS: return known(row->executions);
    case KEY_LOST: return known(row->lost_ps);
    case KEY_ROOFLINE: return row->roofline_share < 0 ? (double)NAN : row->roofline_share;
    case KEY_FLOPS: return known(row->flops);
    case KEY_HBM: return known(row->hbm_bytes);
    case KEY_INTENSITY: return row->intensity < 0 ? (double)NAN : row->intensity;
    case KEY_SPREAD: return row->chip_spread < 0 ? (double)NAN : row->chip_spread;
    default: return (double)NAN;
    }
}

static bool holds(const struct xpd_filter_term *term, void *self)
{
    struct trying *t = self;
    if (term->key == KEYS)
        return holds_any(t, term);
    if (term->compare == XPD_FILTER_TEXT)
        return holds_text(t, term);
    double number = number_of(&t->line->shown, term);
    return !isnan(number) && xpd_filter_compares(term, number);
}

/* ---- lines ---- */

int xpd_ops_filter(struct xpd_ops_lines *lines, const struct xpd_ops_found *found,
                   const struct xpd_tool_ctx *ctx, const char **note, struct xpd_err *err)
{
    struct xpd_str typed = xpd_param_text(ctx, "filter");
    struct xpd_filter filter = {0};
    struct trying t = {.found = found};
    uint32_t kept = 0;
    char room[XPD_MATCH_NOTE_MAX];
    int rc = xpd_filter_parse(&filter, ctx->arena, typed, keys, KEYS, err);
    for (uint32_t i = 0; rc == XPD_OK && i < lines->count; i++) {
        t.line = &lines->at[i];
        if (xpd_filter_test(&filter, holds, &t))
            lines->at[kept++] = lines->at[i];
    }
    const char *left = xpd_filter_note(&filter, room);
    *note = left[0] ? xpd_arena_strndup(ctx->arena, left, strlen(left)) : NULL;
    xpd_filter_fini(&filter);
    if (rc == XPD_OK && t.text.failed)
        rc = xpd_tools_no_memory(err);
    xpd_strbuf_fini(&t.text);
    lines->count = rc == XPD_OK ? kept : lines->count;
    return rc;
}
