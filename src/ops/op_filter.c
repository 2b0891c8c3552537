/* Filters of operations. In: rows and an expression. Out: whether it lets a row through. Texts of a
 * row are made while they are tried. */
#include "xprofd/ops/filter.h"

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

/* ---- texts ---- */

static struct xpd_str text_of(struct xpd_op_filter *t, enum xpd_op_text column)
{
    const struct xpd_op_row *row = t->row;
    xpd_strbuf_clear(&t->text);
    xpd_op_row_text(&t->text, column, row, &t->program[row->program]);
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

static bool holds_text(struct xpd_op_filter *t, const struct xpd_filter_term *term)
{
    static const enum xpd_op_text column[] = {
        XPD_OPS_NAME,  XPD_OPS_OPCODE, XPD_OPS_CATEGORY, XPD_OPS_GROUP,  XPD_OPS_SCOPE,
        XPD_OPS_PHASE, XPD_OPS_SHAPE,  XPD_OPS_DTYPE,    XPD_OPS_SOURCE, XPD_OPS_BOUND};
    if (term->key == KEY_MODULE)
        return is_in(term, xpd_str_of(t->program[t->row->program].name));
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

static bool holds_any(struct xpd_op_filter *t, const struct xpd_filter_term *term)
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

static double share_of(const struct xpd_op_filter *t)
{
    return t->self_ps > 0 ? (double)t->row->self_ps / (double)t->self_ps : 0;
}

static double number_of(const struct xpd_op_filter *t, const struct xpd_filter_term *term)
{
    const struct xpd_op_row *row = t->row;
    switch (term->key) {
    case KEY_SELF: return term->unit == XPD_UNIT_SHARE ? share_of(t) : known(row->self_ps);
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
    case KEY_FLOPS: return known(row->amounts.flops);
    case KEY_HBM: return known(row->hbm_bytes);
    case KEY_INTENSITY: return row->intensity < 0 ? (double)NAN : row->intensity;
    case KEY_SPREAD: return row->chip_spread < 0 ? (double)NAN : row->chip_spread;
    default: return (double)NAN;
    }
}

static bool holds(const struct xpd_filter_term *term, void *self)
{
    struct xpd_op_filter *t = self;
    if (term->key == KEYS)
        return holds_any(t, term);
    if (term->compare == XPD_FILTER_TEXT)
        return holds_text(t, term);
    double number = number_of(t, term);
    return !isnan(number) && xpd_filter_compares(term, number);
}

/* ---- rows ---- */

int xpd_op_filter_init(struct xpd_op_filter *filter, struct xpd_str typed,
                       const struct xpd_op_rows *rows, const struct xpd_ops_program *program,
                       struct xpd_arena *arena, struct xpd_err *err)
{
    *filter = (struct xpd_op_filter){.program = program, .self_ps = rows->self_ps};
    return xpd_filter_parse(&filter->filter, arena, typed, keys, KEYS, err);
}

bool xpd_op_filter_test(struct xpd_op_filter *filter, const struct xpd_op_row *row)
{
    filter->row = row;
    return xpd_filter_test(&filter->filter, holds, filter);
}

bool xpd_op_filter_fini(struct xpd_op_filter *filter)
{
    bool ok = !filter->text.failed;
    xpd_filter_fini(&filter->filter);
    xpd_strbuf_fini(&filter->text);
    return ok;
}
