/* /api/v1/trace/ops/compare: the operations of two runs, of two programs or of two sets of steps,
 * and what became of their time. */
#include "../program/graph_rows.h"
#include "op_side.h"
#include "xprofd/answer/write.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/vec.h"
#include "xprofd/tools/compare.h"
#include "xprofd/trace/op_compare.h"

#define ROWS_DEFAULT 1000
#define ROWS_MAX     20000

#define XPD_OPS_CHANGE_FIELDS(FIELD)                                                               \
    FIELD(WORD("both gone new"), state, "gone: did not run after; new: did not run before")        \
    FIELD(TEXT, scope, "without marks; of a group and of by=scope without numbers, \"\" unknown")  \
    FIELD(MAYBE(WORD(XPD_PHASE_WORDS)), phase, "of a group and of an operation; null: none")       \
    FIELD(TEXT, opcode, "likewise; without HLO, its name without the number")                      \
    FIELD(TEXT, shape, "likewise; of the result, without layout")                                  \
    FIELD(TEXT, source, "file and line; of by=source and by=operation, \"\" unknown")              \
    FIELD(MAYBE(TEXT), name_before, "of an operation; null: no pair, or another `by`")             \
    FIELD(MAYBE(TEXT), name_after, "likewise")                                                     \
    FIELD(COUNT, ops_before, "operations that ran")                                                \
    FIELD(COUNT, ops_after, "")                                                                    \
    FIELD(MAYBE(INT), before_ps, "self time of one step on one device; null: nothing ran")         \
    FIELD(MAYBE(INT), after_ps, "likewise")                                                        \
    FIELD(SIGNED, change_ps, "after minus before, where null counts as 0")
XPD_RECORD(xpd_ops_change, XPD_OPS_CHANGE_FIELDS)

#define XPD_OPS_LONE_FIELDS(FIELD)                                                                 \
    FIELD(WORD("before after"), side, "that has it")                                               \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(TEXT, scope, "without numbers")                                                          \
    FIELD(TEXT, opcode, "")                                                                        \
    FIELD(TEXT, shape, "")                                                                         \
    FIELD(INT, self_ps, "of one step on one device")
XPD_RECORD(xpd_ops_lone, XPD_OPS_LONE_FIELDS)

#define XPD_OPS_KIND_FIELDS(FIELD)                                                                 \
    FIELD(WORD(XPD_GROUP_WORDS), group, "kind of work")                                            \
    FIELD(INT, before_ps, "self time of one step on one device")                                   \
    FIELD(INT, after_ps, "likewise")
XPD_RECORD(xpd_ops_kind, XPD_OPS_KIND_FIELDS)

#define XPD_OPS_SIDE_FIELDS(FIELD)                                                                 \
    FIELD(TEXT, run, "")                                                                           \
    FIELD(TEXT, module, "key of the program")                                                      \
    FIELD(MAYBE(STRING), host, "host of the events; null: all hosts together")                     \
    FIELD(WORD("device host mixed"), clock, "of its times")                                        \
    FIELD(COUNT, spans, "steps of all devices together, the basis of means")                       \
    FIELD(VALUES(SIGNED), steps, "numbers of the steps that count")                                \
    FIELD(BOOL, whole, "no steps are marked: the whole trace is one span for each device")         \
    FIELD(COUNT, ops, "operations that ran")                                                       \
    FIELD(COUNT, unpaired, "operations without a pair")                                            \
    FIELD(INT, self_ps, "of one step on one device: the sum of the rows")
XPD_RECORD(xpd_ops_side, XPD_OPS_SIDE_FIELDS)

#define XPD_OPS_COMPARE_FIELDS(FIELD)                                                              \
    FIELD(BOOL, known, "both sides have times")                                                    \
    FIELD(MAYBE(STRING), reason, "why not")                                                        \
    FIELD(WORD("group scope operation source"), by, "what a row is")                               \
    FIELD(MAYBE(OBJECT(xpd_ops_side)), before, "the side of base_*")                               \
    FIELD(MAYBE(OBJECT(xpd_ops_side)), after, "the side of the other parameters")                  \
    FIELD(SIGNED, change_ps, "after minus before; the sum of the changes of all rows")             \
    FIELD(VALUES(STRING), notes, "differences that make the two hard to compare")                  \
    FIELD(COUNT, total, "rows, listed or not")                                                     \
    FIELD(COUNT, offset, "of the first row listed")                                                \
    FIELD(SIGNED, rest_ps, "changes of the rows not listed")                                       \
    FIELD(COLUMNS(xpd_ops_change), rows, "the largest change first")                               \
    FIELD(COUNT, unpaired_total, "operations without a pair")                                      \
    FIELD(COLUMNS(xpd_ops_lone), unpaired,                                                         \
          "the first of these, most time first; `limit` also applies here")                        \
    FIELD(COLUMNS(xpd_ops_kind), kinds,                                                            \
          "both sides by op group, most time before or after first; each column adds up to its "   \
          "side")
XPD_RECORD(xpd_ops_compare, XPD_OPS_COMPARE_FIELDS)

enum by { BY_GROUP, BY_SCOPE, BY_OPERATION, BY_SOURCE };

struct comparing_ops {
    struct xpd_tool_ctx ctx[2]; /* before, after; one arena */
    struct xpd_op_side side[2];
    struct xpd_ran_ops ran[2];
    struct xpd_op_compare result;
    struct xpd_ops_compare *out;
    enum by by;
    XPD_VEC(struct xpd_ops_change) row;
    XPD_VEC(struct xpd_ops_lone) lone;
    XPD_VEC(const char *) note;
    struct xpd_intern texts; /* of rows by scope and source */
    struct xpd_strbuf text;
};

static struct xpd_arena *arena_of(const struct comparing_ops *m)
{
    return m->ctx[1].arena;
}

/* ---- rows ---- */

static struct xpd_str name_of(const struct comparing_ops *m, int side, uint32_t op)
{
    const struct xpd_op_side *at = &m->side[side];
    if (op == XPD_NO_INDEX)
        return (struct xpd_str){NULL, 0};
    const struct xpd_op_times *times = at->runs->times;
    struct xpd_str name = xpd_intern_get(&times->names, times->op[at->program->first_op + op].name);
    return xpd_arena_str(arena_of(m), name);
}

/* File and line of an operation; in m->text. */
static struct xpd_str source_of(struct comparing_ops *m, int side, uint32_t op)
{
    uint32_t i = op == XPD_NO_INDEX ? XPD_NO_INDEX : m->side[side].instruction[op];
    xpd_strbuf_clear(&m->text);
    if (i != XPD_NO_INDEX)
        xpd_source_put_of(&m->text, m->side[side].hlo, i);
    return (struct xpd_str){m->text.data ? m->text.data : "", m->text.size};
}

static void add_ops(struct xpd_ops_change *row, int side, uint32_t ops, int64_t mean_ps)
{
    uint32_t *count = side == XPD_BEFORE ? &row->ops_before : &row->ops_after;
    int64_t *ps = side == XPD_BEFORE ? &row->before_ps : &row->after_ps;
    if (ops == 0)
        return;
    *ps = *count == 0 ? mean_ps : *ps + mean_ps;
    *count += ops;
    row->change_ps += side == XPD_BEFORE ? -mean_ps : mean_ps;
    row->state = row->ops_before == 0 ? "new" : row->ops_after == 0 ? "gone" : "both";
}

static struct xpd_ops_change empty_row(void)
{
    return (struct xpd_ops_change){.state = "both",
                                   .scope = XPD_STR(""),
                                   .opcode = XPD_STR(""),
                                   .shape = XPD_STR(""),
                                   .source = XPD_STR(""),
                                   .before_ps = -1,
                                   .after_ps = -1};
}

static struct xpd_ops_change row_of_group(const struct xpd_op_kin *group)
{
    struct xpd_ops_change row = empty_row();
    row.scope = group->scope;
    row.phase = xpd_phase_word(group->phase);
    row.opcode = group->opcode;
    row.shape = group->shape;
    return row;
}

static void add_groups(struct comparing_ops *m)
{
    for (uint32_t g = 0; g < m->result.group_count; g++) {
        const struct xpd_op_kin *group = &m->result.group[g];
        struct xpd_ops_change row = row_of_group(group);
        for (int s = 0; s < 2; s++)
            add_ops(&row, s, group->ops[s], group->mean_ps[s]);
        XPD_PUSH(&m->row, row);
    }
}

/* The row of that text; rows have the numbers of texts. */
static struct xpd_ops_change *row_named(struct comparing_ops *m, struct xpd_str text)
{
    xpd_name_id id = xpd_intern_put(&m->texts, text.data, text.size);
    while (m->row.count <= id && !m->row.failed) {
        struct xpd_ops_change row = empty_row();
        struct xpd_str own = xpd_intern_get(&m->texts, (xpd_name_id)m->row.count);
        *(m->by == BY_SCOPE ? &row.scope : &row.source) = own;
        XPD_PUSH(&m->row, row);
    }
    return m->row.failed ? NULL : &m->row.at[id];
}

static void add_scopes(struct comparing_ops *m)
{
    for (uint32_t g = 0; g < m->result.group_count; g++) {
        const struct xpd_op_kin *group = &m->result.group[g];
        struct xpd_ops_change *row = row_named(m, group->scope);
        for (int s = 0; row && s < 2; s++)
            add_ops(row, s, group->ops[s], group->mean_ps[s]);
    }
}

static void add_sources(struct comparing_ops *m)
{
    for (uint32_t p = 0; p < m->result.pair_count; p++)
        for (int s = 0; s < 2; s++) {
            uint32_t op = m->result.pair[p].op[s];
            struct xpd_ops_change *row =
                op == XPD_NO_INDEX ? NULL : row_named(m, source_of(m, s, op));
            if (row)
                add_ops(row, s, 1, m->result.op_mean_ps[s][op]);
        }
}

static void add_pairs(struct comparing_ops *m)
{
    for (uint32_t p = 0; p < m->result.pair_count; p++) {
        const struct xpd_op_pair *pair = &m->result.pair[p];
        struct xpd_ops_change row = row_of_group(&m->result.group[pair->group]);
        int side = pair->op[XPD_AFTER] != XPD_NO_INDEX ? XPD_AFTER : XPD_BEFORE;
        row.source = xpd_arena_str(arena_of(m), source_of(m, side, pair->op[side]));
        row.name_before = name_of(m, XPD_BEFORE, pair->op[XPD_BEFORE]);
        row.name_after = name_of(m, XPD_AFTER, pair->op[XPD_AFTER]);
        for (int s = 0; s < 2; s++)
            if (pair->op[s] != XPD_NO_INDEX)
                add_ops(&row, s, 1, m->result.op_mean_ps[s][pair->op[s]]);
        XPD_PUSH(&m->row, row);
    }
}

static int64_t size_of(int64_t change_ps)
{
    return change_ps < 0 ? -change_ps : change_ps;
}

static int by_change(const void *a, const void *b)
{
    const struct xpd_ops_change *x = a, *y = b;
    int64_t i = size_of(x->change_ps), k = size_of(y->change_ps);
    if (i != k)
        return i > k ? -1 : 1;
    if (x->before_ps != y->before_ps)
        return x->before_ps > y->before_ps ? -1 : 1;
    int order = xpd_str_order(x->scope, y->scope);
    if (order == 0)
        order = xpd_str_order(x->opcode, y->opcode);
    return order != 0 ? order : xpd_str_order(x->shape, y->shape);
}

/* Rows of texts that nothing has ("" as a rule) go. */
static void drop_empty(struct comparing_ops *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->row.count; i++)
        if (m->row.at[i].ops_before + m->row.at[i].ops_after > 0)
            m->row.at[kept++] = m->row.at[i];
    m->row.count = kept;
}

static int put_rows(struct comparing_ops *m, struct xpd_err *err)
{
    static void (*const add[])(struct comparing_ops *) = {add_groups, add_scopes, add_pairs,
                                                          add_sources};
    const struct xpd_tool_ctx *ctx = &m->ctx[XPD_AFTER];
    struct xpd_ops_compare *out = m->out;
    add[m->by](m);
    drop_empty(m);
    if (m->row.count > 1)
        qsort(m->row.at, m->row.count, sizeof *m->row.at, by_change);
    uint32_t total = (uint32_t)m->row.count;
    uint32_t first = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_ops_compare, "offset");
    uint32_t limit = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_ops_compare, "limit");
    first = first < total ? first : total;
    uint32_t n = total - first < limit ? total - first : limit;
    for (uint32_t i = 0; i < total; i++)
        if (i < first || i >= first + n)
            out->rest_ps += m->row.at[i].change_ps;
    struct xpd_ops_change *row =
        xpd_arena_copy(arena_of(m), m->row.at ? &m->row.at[first] : NULL, n, sizeof *row);
    out->total = total;
    out->offset = first;
    out->rows.at = row;
    out->rows.n = n;
    return row && !m->row.failed && !m->texts.failed && !m->text.failed ? XPD_OK
                                                                        : xpd_tools_no_memory(err);
}

/* ---- what has no pair ---- */

static int by_time(const void *a, const void *b)
{
    const struct xpd_ops_lone *x = a, *y = b;
    if (x->self_ps != y->self_ps)
        return x->self_ps > y->self_ps ? -1 : 1;
    return xpd_str_order(x->name, y->name);
}

static int put_unpaired(struct comparing_ops *m, struct xpd_err *err)
{
    static const char *const words[] = {"before", "after"};
    uint32_t limit =
        (uint32_t)xpd_param_int(&m->ctx[XPD_AFTER], &xpd_tool_trace_ops_compare, "limit");
    for (uint32_t p = 0; p < m->result.pair_count; p++) {
        const struct xpd_op_pair *pair = &m->result.pair[p];
        int side = pair->op[XPD_BEFORE] != XPD_NO_INDEX ? XPD_BEFORE : XPD_AFTER;
        if (pair->op[!side] != XPD_NO_INDEX)
            continue;
        const struct xpd_op_kin *group = &m->result.group[pair->group];
        struct xpd_ops_lone lone = {words[side],  name_of(m, side, pair->op[side]),
                                    group->scope, group->opcode,
                                    group->shape, m->result.op_mean_ps[side][pair->op[side]]};
        XPD_PUSH(&m->lone, lone);
    }
    if (m->lone.count > 1)
        qsort(m->lone.at, m->lone.count, sizeof *m->lone.at, by_time);
    m->out->unpaired_total = (uint32_t)m->lone.count;
    m->out->unpaired.n = m->lone.count < limit ? (uint32_t)m->lone.count : limit;
    m->out->unpaired.at =
        xpd_arena_copy(arena_of(m), m->lone.at, m->out->unpaired.n, sizeof *m->lone.at);
    return m->out->unpaired.at && !m->lone.failed ? XPD_OK : xpd_tools_no_memory(err);
}

/* ---- by kind of work ---- */

static enum xpd_op_group group_of(const struct xpd_op_side *side, uint32_t op)
{
    uint32_t i = side->instruction[op];
    return i == XPD_NO_INDEX ? XPD_OP_NONE : xpd_op_group_of(side->hlo, i);
}

static int by_size(const void *a, const void *b)
{
    const struct xpd_ops_kind *x = a, *y = b;
    int64_t left = x->before_ps > x->after_ps ? x->before_ps : x->after_ps;
    int64_t right = y->before_ps > y->after_ps ? y->before_ps : y->after_ps;
    return (left < right) - (left > right);
}

static int put_kinds(struct comparing_ops *m, struct xpd_err *err)
{
    struct xpd_ops_kind *kind = XPD_NEW_ARRAY(arena_of(m), struct xpd_ops_kind, XPD_OP_GROUP_COUNT);
    uint32_t n = 0;
    if (!kind)
        return xpd_tools_no_memory(err);
    for (int g = 0; g < XPD_OP_GROUP_COUNT; g++)
        kind[g].group = xpd_op_group_word((enum xpd_op_group)g);
    for (int s = 0; s < 2; s++)
        for (uint32_t o = 0; o < m->side[s].program->op_count; o++) {
            struct xpd_ops_kind *to = &kind[group_of(&m->side[s], o)];
            xpd_grow_i64(s == XPD_BEFORE ? &to->before_ps : &to->after_ps,
                         m->result.op_mean_ps[s][o]);
        }
    for (int g = 0; g < XPD_OP_GROUP_COUNT; g++)
        if (kind[g].before_ps > 0 || kind[g].after_ps > 0)
            kind[n++] = kind[g];
    qsort(kind, n, sizeof *kind, by_size);
    m->out->kinds.at = kind;
    m->out->kinds.n = n;
    return XPD_OK;
}

/* ---- the sides ---- */

static const struct xpd_ops_side *put_side(struct comparing_ops *m, int s)
{
    struct xpd_arena *arena = arena_of(m);
    const struct xpd_op_side *side = &m->side[s];
    const struct xpd_run *run = m->ctx[s].run;
    struct xpd_ops_side *out = XPD_NEW(arena, struct xpd_ops_side);
    if (!out)
        return NULL;
    out->run = xpd_arena_str(arena, xpd_str_of(run->entry->id));
    out->module = xpd_arena_str(arena, xpd_str_of(side->key));
    out->host = xpd_tools_whose(run, side->host);
    out->clock = side->clock;
    out->spans = side->spans.count;
    out->steps.at = side->spans.number;
    out->steps.n = side->spans.step_count;
    out->whole = side->spans.whole;
    out->ops = m->result.ops[s];
    out->unpaired = m->result.unpaired[s];
    out->self_ps = m->result.mean_ps[s];
    return out;
}

static void note(struct comparing_ops *m, const char *text)
{
    XPD_PUSH(&m->note, text);
}

static void put_notes(struct comparing_ops *m)
{
    const struct xpd_op_side *a = &m->side[XPD_BEFORE], *b = &m->side[XPD_AFTER];
    const struct xpd_run *x = m->ctx[XPD_BEFORE].run, *y = m->ctx[XPD_AFTER].run;
    if (strcmp(a->clock, b->clock) != 0)
        note(m, "times of the two are by different clocks");
    if (strcmp(x->device_type, y->device_type) != 0)
        note(m, "the devices differ");
    if (!a->hlo != !b->hlo)
        note(m, a->hlo
                    ? "the profile after has no HLO of its program, so no operation has a pair"
                    : "the profile before has no HLO of its program, so no operation has a pair");
    if (a->spans.whole || b->spans.whole)
        note(m, a->spans.whole && b->spans.whole
                    ? "neither has marked steps: each is taken as a whole, as one step"
                    : "only one of the two has marked steps; the other is taken as a whole, as one "
                      "step");
    m->out->notes.at = xpd_arena_copy(arena_of(m), m->note.at, m->note.count, sizeof *m->note.at);
    m->out->notes.n = m->out->notes.at ? (uint32_t)m->note.count : 0;
}

/* The program that pairs with the one after, where none is named: that of its name. */
static int base_module(struct comparing_ops *m, struct xpd_str *name, struct xpd_err *err)
{
    const struct xpd_tool_ctx *after = &m->ctx[XPD_AFTER], *before = &m->ctx[XPD_BEFORE];
    uint32_t module;
    if (name->size > 0 || m->side[XPD_AFTER].module == XPD_NO_INDEX)
        return XPD_OK;
    const struct xpd_module *like = &after->run->module[m->side[XPD_AFTER].module];
    if (before->run == after->run) {
        *name = xpd_str_of(like->key);
        return XPD_OK;
    }
    int rc =
        xpd_compare_pair(after->store, before->run, like, m->side[XPD_AFTER].hlo, &module, err);
    if (rc == XPD_OK)
        *name = xpd_str_of(before->run->module[module].key);
    return rc;
}

/* Holds the run before when it is set, also after a failure. */
static int open_sides(struct comparing_ops *m, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = &m->ctx[XPD_AFTER];
    struct xpd_op_ask after = {xpd_param_text(ctx, "module"), xpd_param_text(ctx, "host"),
                               xpd_param_text(ctx, "steps")};
    struct xpd_op_ask before = {xpd_param_text(ctx, "base_module"),
                                xpd_param_text(ctx, "base_host"),
                                xpd_param_text(ctx, "base_steps")};
    struct xpd_str run = xpd_param_text(ctx, "base_run"), own = xpd_str_of(ctx->run->entry->id);
    bool same = run.size == 0 || xpd_str_eq(run, own);
    m->ctx[XPD_BEFORE].run = NULL;
    int rc = xpd_store_acquire_part(ctx->store, same ? own : run,
                                    same ? xpd_param_text(ctx, "only") : XPD_STR(""), ctx->wait_ms,
                                    &m->ctx[XPD_BEFORE].run, ctx->state, err);
    if (rc == XPD_OK)
        rc = xpd_tools_op_side(&m->side[XPD_AFTER], ctx, &after, err);
    if (rc == XPD_OK && !m->side[XPD_AFTER].why_not)
        rc = base_module(m, &before.module, err);
    if (rc == XPD_OK && !m->side[XPD_AFTER].why_not)
        rc = xpd_tools_op_side(&m->side[XPD_BEFORE], &m->ctx[XPD_BEFORE], &before, err);
    return rc;
}

/* ---- the answer ---- */

static int answer(struct comparing_ops *m, struct xpd_err *err)
{
    struct xpd_ops_compare *out = m->out;
    for (int s = 1; s >= 0; s--)
        if (m->side[s].why_not) {
            out->reason =
                xpd_arena_printf(arena_of(m), "%s: %s", s ? "after" : "before", m->side[s].why_not);
            return out->reason ? XPD_OK : xpd_tools_no_memory(err);
        }
    for (int s = 0; s < 2; s++)
        m->ran[s] = (struct xpd_ran_ops){m->side[s].hlo, m->side[s].runs, m->side[s].program,
                                         m->side[s].instruction, &m->side[s].spans};
    if (!xpd_op_compare_make(&m->result, m->ran, arena_of(m)))
        return xpd_tools_no_memory(err);
    out->known = true;
    out->before = put_side(m, XPD_BEFORE);
    out->after = put_side(m, XPD_AFTER);
    out->change_ps = m->result.mean_ps[XPD_AFTER] - m->result.mean_ps[XPD_BEFORE];
    put_notes(m);
    if (!out->before || !out->after)
        return xpd_tools_no_memory(err);
    int rc = put_rows(m, err);
    if (rc == XPD_OK)
        rc = put_unpaired(m, err);
    return rc == XPD_OK ? put_kinds(m, err) : rc;
}

static const char by_words[] = "group scope operation source";

static int compare(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    static const char *const words[] = {"group", "scope", "operation", "source"};
    struct comparing_ops m = {.ctx = {*ctx, *ctx},
                              .out = XPD_NEW(ctx->arena, struct xpd_ops_compare)};
    *out = m.out;
    if (!m.out)
        return xpd_tools_no_memory(err);
    int by = xpd_param_word(ctx, &xpd_tool_trace_ops_compare, "by");
    m.by = by < 0 ? BY_GROUP : (enum by)by;
    m.out->by = words[m.by];
    xpd_intern_init(&m.texts, ctx->arena);
    int rc = open_sides(&m, err);
    if (rc == XPD_OK)
        rc = answer(&m, err);
    if (m.ctx[XPD_BEFORE].run)
        xpd_store_release(ctx->store, m.ctx[XPD_BEFORE].run);
    XPD_VEC_FINI(&m.row);
    XPD_VEC_FINI(&m.lone);
    XPD_VEC_FINI(&m.note);
    xpd_intern_fini(&m.texts);
    xpd_strbuf_fini(&m.text);
    return rc;
}

/* ---- on a terminal ---- */

static void text_side(struct xpd_strbuf *out, const char *word, const struct xpd_ops_side *side)
{
    xpd_strbuf_printf(out,
                      "%-7s %.*s %.*s: %.3f ms a step (mean of %" PRIu32 "%s), %" PRIu32
                      " operations, %" PRIu32 " without a pair\n",
                      word, (int)side->run.size, side->run.data, (int)side->module.size,
                      side->module.data, (double)side->self_ps / 1e9, side->spans,
                      side->whole ? ", all of the trace" : "", side->ops, side->unpaired);
}

static void text(struct xpd_strbuf *out, const void *made)
{
    static const char *const columns[] = {
        "change_ps before_ps after_ps ops_before ops_after state phase opcode shape scope",
        "change_ps before_ps after_ps ops_before ops_after state scope",
        "change_ps before_ps after_ps name_before name_after opcode scope source",
        "change_ps before_ps after_ps ops_before ops_after state source"};
    const struct xpd_ops_compare *a = made;
    int by = a->by[0] == 'g' ? 0 : a->by[0] == 'o' ? 2 : a->by[1] == 'c' ? 1 : 3;
    if (!a->known) {
        xpd_strbuf_printf(out, "Nothing to compare: %s.\n", a->reason);
        return;
    }
    text_side(out, "before", a->before);
    text_side(out, "after", a->after);
    xpd_strbuf_printf(out, "change  %+.3f ms\n", (double)a->change_ps / 1e9);
    for (uint32_t i = 0; i < a->notes.n; i++)
        xpd_strbuf_printf(out, "note: %s\n", a->notes.at[i]);
    xpd_strbuf_putc(out, '\n');
    xpd_answer_table(out, xpd_record_table(xpd_ops_compare_record(), "kinds"), a,
                     "before_ps after_ps group");
    xpd_strbuf_putc(out, '\n');
    xpd_answer_table(out, xpd_record_table(xpd_ops_compare_record(), "rows"), a, columns[by]);
    if (a->total > a->offset + a->rows.n)
        xpd_strbuf_printf(out, "%" PRIu32 " more: %+.3f ms\n", a->total - a->rows.n,
                          (double)a->rest_ps / 1e9);
}

static const struct xpd_param_spec params[] = {
    {.name = "module",
     .type = XPD_PARAM_TEXT,
     .help = "the program after; default: the one with most time"},
    {.name = "host", .type = XPD_PARAM_TEXT, .help = "default, and ALL: all hosts together"},
    XPD_PARAM_STEPS("steps", "numbers of steps and ranges, such as 100-102,105; default: all"),
    {.name = "base_run", .type = XPD_PARAM_TEXT, .help = "run before; default: this run"},
    {.name = "base_module",
     .type = XPD_PARAM_TEXT,
     .help = "program before; default: the one of the same name"},
    {.name = "base_host", .type = XPD_PARAM_TEXT, .help = "host before"},
    XPD_PARAM_STEPS("base_steps", "steps before; default: all"),
    {.name = "by", .type = XPD_PARAM_ENUM, .words = by_words, .help = "what a row is"},
    XPD_PARAM_FORMAT,
    {.name = "offset", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "first row"},
    XPD_PARAM_LIMIT(ROWS_DEFAULT, ROWS_MAX, "rows"),
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_ops_compare = {
    .route = "/api/v1/trace/ops/compare",
    .title = "How the time of operations changed between two runs, programs or sets of steps.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_ops_compare_record,
    .make = compare,
    .text = text,
    .about = "Operations are matched in groups: scope without numbers and markers, pass, opcode, "
             "shape. In a group, operations of equal scope are paired first, the others in program "
             "order. Times are self times of one step on one device, in picoseconds rounded so "
             "that the changes of all rows add up to the change of the sums for every `by`.",
    .file_name = "operations-compared.csv",
};
