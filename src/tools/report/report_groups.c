/* /api/v1/report/groups: what is held at one to eight steps, by a grouping; also what is in one row
 * of another. In: steps, a grouping, perhaps a row. Out: groups, largest first, that add up. */
#include "../tables/module_text.h"
#include "report_keys.h"
#include "report_times.h"
#include "xprofd/report/type_lists.h"

#define XPD_REPORT_LITERAL_FIELDS(FIELD)                                                           \
    FIELD(TEXT, text, "the first values")                                                          \
    FIELD(INT, shown, "number of these")                                                           \
    FIELD(INT, count, "number of all values")
XPD_RECORD_TYPE(xpd_report_literal, XPD_REPORT_LITERAL_FIELDS)

#define XPD_REPORT_TYPES_ROW_FIELDS(FIELD)                                                         \
    FIELD(TEXT, text, "\"(bf16, f32) -> bf16\"")                                                   \
    FIELD(COUNT, count, "instructions")
XPD_RECORD_TYPE(xpd_report_types_row, XPD_REPORT_TYPES_ROW_FIELDS)

#define XPD_REPORT_GROUPS_ROW_FIELDS(FIELD)                                                        \
    FIELD(TEXT, name, "of the group, or of the buffer")                                            \
    XPD_REPORT_VALUES_FIELDS(FIELD)                                                                \
    FIELD(VALUES(INT), held, "buffers at each of `steps`")                                         \
    FIELD(MAYBE(INT), instructions,                                                                \
          "of the whole program; null: the grouping is of buffers, or filtered")                   \
    XPD_REPORT_TIMES_FIELDS(FIELD)                                                                 \
    FIELD(MAYBE(LIST(xpd_report_types_row)), types,                                                \
          "`by=opcode` and `signature`: types of operands and result, the most frequent four")     \
    FIELD(MAYBE(INT), types_left_out, "")                                                          \
    FIELD(MAYBE(STRING), origin, "`by=signature`: origin of the code")                             \
    FIELD(MAYBE(INDEX), buffer, "this and the fields below: for `by=buffer`, else null")           \
    FIELD(MAYBE(INDEX), tenancy, "null: always there")                                             \
    FIELD(MAYBE(INT), offset_bytes, "address in the heap; null: always there")                     \
    FIELD(MAYBE(INDEX), start_step, "held from here on; null: always there")                       \
    FIELD(MAYBE(INDEX), end_step, "up to, not including, this one")                                \
    FIELD(MAYBE(TEXT), instruction, "that defines it")                                             \
    FIELD(MAYBE(TEXT), shape, "without layout")                                                    \
    FIELD(MAYBE(TEXT), row, "of `report/details`")                                                 \
    FIELD(MAYBE(INT), fused, "instructions inside")                                                \
    FIELD(MAYBE(TEXT), body, "computation inside a fusion")                                        \
    FIELD(MAYBE(TEXT), operand_types, "of the instruction")                                        \
    FIELD(BOOL, is_constant, "")                                                                   \
    FIELD(MAYBE(OBJECT(xpd_report_literal)), literal,                                              \
          "values of a constant; null: not in the profile")
XPD_RECORD_TYPE(xpd_report_groups_row, XPD_REPORT_GROUPS_ROW_FIELDS)

#define XPD_REPORT_GROUPS_FIELDS(FIELD)                                                            \
    XPD_REPORT_VIEW_FIELDS(FIELD)                                                                  \
    FIELD(MAYBE(OBJECT(xpd_report_timed)), times, "null: not requested")                           \
    FIELD(OBJECT(xpd_report_values), total, "of all groups")                                       \
    FIELD(VALUES(INT), live_bytes, "held, at each of `steps`")                                     \
    FIELD(COUNT, n, "groups")                                                                      \
    FIELD(LIST(xpd_report_groups_row), rows, "the largest at the first step first")                \
    FIELD(COUNT, left_out, "groups beyond `limit`")                                                \
    FIELD(OBJECT(xpd_report_values), rest, "of these")
XPD_RECORD_TYPE(xpd_report_groups_answer, XPD_REPORT_GROUPS_FIELDS)

struct xpd_report_group {
    uint32_t key;
    int64_t first, most; /* bytes at the first step asked for, and at the fullest of all of them */
};

struct xpd_report_groups {
    struct xpd_report_groups_answer out; /* first: the CSV asks for `by`, too */
    const struct xpd_tool_ctx *ctx;
    const struct xpd_report *report;
    struct xpd_report_view view;
    struct xpd_names names;
    struct xpd_report_keys keys;
    enum xpd_report_by by;
    int64_t *bytes, *count; /* by key and place */
    int64_t *rest, *total;  /* by place: groups over the limit; all of them */
    struct xpd_report_group *group;
    uint32_t group_count, written;
    uint32_t *row_of; /* by key, of XPD_BY_BUFFER */
    struct xpd_report_times times;
    struct xpd_module_text text;   /* open when constants are listed */
    struct xpd_report_types types; /* of XPD_BY_SIGNATURE and XPD_BY_OPCODE */
    uint32_t filtered_rows;
};

/* The answer of /api/v1/report/groups. In: groups, ranked and cut. Out: JSON or CSV. */

#define LITERAL_VALUES 10 /* of a constant that are shown */
#define TYPES_WRITTEN  4  /* of a key */
#define BUFFER_CELLS   5  /* of a table by buffer, behind the bytes */

XPD_RECORD_TABLE(xpd_report_literal, XPD_REPORT_LITERAL_FIELDS)
XPD_RECORD_TABLE(xpd_report_types_row, XPD_REPORT_TYPES_ROW_FIELDS)
XPD_RECORD_TABLE(xpd_report_groups_row, XPD_REPORT_GROUPS_ROW_FIELDS)
XPD_RECORD_TABLE(xpd_report_groups_answer, XPD_REPORT_GROUPS_FIELDS)

static uint32_t fused_count(const struct xpd_hlo *hlo, uint32_t instruction)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    uint32_t count = 0;
    for (uint32_t i = all->called_first[instruction]; i < all->called_first[instruction + 1]; i++)
        if (all->called[i] != XPD_NO_INDEX)
            count += hlo->computations.instruction_count[all->called[i]];
    return count;
}

/* Whether the buffer of a key is defined by a constant. */
static bool xpd_report_is_constant(const struct xpd_report_groups *g, uint32_t key)
{
    uint32_t buffer = g->report->row[g->row_of[key]].buffer;
    uint32_t instruction = xpd_mem_instruction(g->ctx->mem, buffer);
    return instruction != XPD_NO_INDEX &&
           xpd_str_eq(xpd_hlo_opcode(g->ctx->hlo, instruction), XPD_STR("constant"));
}

/* NULL when the profile does not hold the values. */
static const struct xpd_report_literal *literal_of(struct xpd_report_groups *g,
                                                   uint32_t instruction)
{
    struct xpd_strbuf text = {0};
    struct xpd_report_literal *out = NULL;
    uint64_t all;
    if (g->text.printer &&
        xpd_hlo_print_first_values(g->text.printer, instruction, LITERAL_VALUES, &text, &all))
        out = XPD_NEW(g->ctx->arena, struct xpd_report_literal);
    if (out)
        *out = (struct xpd_report_literal){xpd_strbuf_keep(&text, g->ctx->arena),
                                           all < LITERAL_VALUES ? (int64_t)all : LITERAL_VALUES,
                                           (int64_t)all};
    xpd_strbuf_fini(&text);
    return out;
}

/* What a single buffer is and where it lies; what is always there has no address before it runs. */
static void fill_buffer(struct xpd_report_groups_row *to, struct xpd_report_groups *g,
                        struct xpd_texts *texts, uint32_t key)
{
    const struct xpd_mem *mem = g->ctx->mem;
    const struct xpd_report_row *row = &g->report->row[g->row_of[key]];
    const struct xpd_tenancy *at =
        row->tenancy == XPD_NO_INDEX ? NULL : &g->ctx->space->tenancy[row->tenancy];
    uint32_t instruction = xpd_mem_instruction(mem, row->buffer);
    char leaf[48];
    xpd_report_leaf(leaf, row);
    to->name = xpd_texts_buffer(texts, mem, row->buffer);
    to->buffer = row->buffer;
    to->tenancy = row->tenancy;
    to->offset_bytes = at ? at->offset_bytes : -1;
    to->start_step = at ? at->start_step : XPD_NO_INDEX;
    to->end_step = at ? at->end_step : XPD_NO_INDEX;
    to->instruction = xpd_tools_or_null(xpd_hlo_instruction_name(mem->hlo, instruction));
    to->shape = xpd_texts_buffer_shape(texts, mem, row->buffer);
    to->row = xpd_arena_str(g->ctx->arena, xpd_str_of(leaf));
    to->fused = instruction == XPD_NO_INDEX ? 0 : fused_count(mem->hlo, instruction);
    to->body = xpd_tools_or_null(xpd_report_body(mem->hlo, instruction));
    if (instruction != XPD_NO_INDEX)
        xpd_report_types_text(&texts->scratch, mem->hlo, instruction);
    to->operand_types = xpd_tools_or_null(xpd_strbuf_keep(&texts->scratch, texts->arena));
    to->is_constant = xpd_report_is_constant(g, key);
    to->literal = to->is_constant ? literal_of(g, instruction) : NULL;
}

/* Whose code it is, by the target of a custom call. */
static const char *origin_of(const struct xpd_hlo *hlo, uint32_t instruction)
{
    static const struct {
        const char *part, *origin;
    } targets[] = {{"callback", "host callback"},
                   {"tpu_custom_call", "Pallas-Mosaic"},
                   {"mosaic", "Pallas-Mosaic"},
                   {"triton", "Triton"},
                   {"__cudnn", "cuDNN"},
                   {"__cublas", "cuBLAS"},
                   {"cutlass", "CUTLASS"},
                   {"cub", "CUB"},
                   {"cusolver", "cuSOLVER"},
                   {"cufft", "cuFFT"},
                   {"lapack", "LAPACK"},
                   {"eigen", "Eigen"},
                   {"ducc", "DUCC"},
                   {"onednn", "oneDNN"},
                   {"ffi", "FFI"}};
    struct xpd_str target = xpd_hlo_text(hlo, hlo->instructions.call_target[instruction]);
    if (target.size == 0)
        return "compiler";
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (xpd_str_find(target, xpd_str_of(targets[i].part), true) != SIZE_MAX)
            return targets[i].origin;
    return "custom call";
}

/* Those of a key, the most frequent; the number of others in *left_out. NULL: none were counted. */
static const struct xpd_report_types_row *types_of(const struct xpd_report_types *types,
                                                   const struct xpd_tool_ctx *ctx, uint32_t key,
                                                   uint32_t *count, int64_t *left_out)
{
    *left_out = -1;
    *count = 0;
    if (!types->first)
        return NULL;
    uint32_t first = types->first[key], all = types->first[key + 1] - first;
    uint32_t n = all < TYPES_WRITTEN ? all : TYPES_WRITTEN;
    struct xpd_report_types_row *to = XPD_NEW_ARRAY(ctx->arena, struct xpd_report_types_row, n);
    struct xpd_strbuf text = {0};
    for (uint32_t i = 0; to && i < n; i++) {
        xpd_report_types_text(&text, ctx->hlo, types->type[first + i].example);
        to[i] = (struct xpd_report_types_row){xpd_strbuf_keep(&text, ctx->arena),
                                              types->type[first + i].count};
    }
    xpd_strbuf_fini(&text);
    *left_out = all - n;
    *count = n;
    return to;
}

static void fill_group(struct xpd_report_groups_row *to, struct xpd_report_groups *g,
                       struct xpd_texts *texts, uint32_t key)
{
    size_t first = (size_t)key * g->view.steps.count;
    struct xpd_arena *arena = g->ctx->arena;
    struct xpd_report_values values = xpd_report_values_of(&g->view, g->bytes + first, arena);
    bool has_origin = g->by == XPD_BY_SIGNATURE && g->keys.example[key] != XPD_NO_INDEX;
    *to = (struct xpd_report_groups_row){
        XPD_REPORT_VALUES_OF(values),
        .held = {xpd_report_at_of(&g->view, g->count + first, arena), g->view.asked_count},
        .instructions = g->keys.instructions ? g->keys.instructions[key] : -1,
        XPD_REPORT_TIMES_OF(&g->times, key),
        .origin = has_origin ? origin_of(g->ctx->hlo, g->keys.example[key]) : NULL,
        .buffer = XPD_NO_INDEX,
        .tenancy = XPD_NO_INDEX,
        .offset_bytes = -1,
        .start_step = XPD_NO_INDEX,
        .end_step = XPD_NO_INDEX,
        .fused = -1,
    };
    to->types.at = types_of(&g->types, g->ctx, key, &to->types.n, &to->types_left_out);
    if (g->by == XPD_BY_BUFFER)
        fill_buffer(to, g, texts, key);
    else
        to->name = xpd_intern_get(&g->names.table, g->keys.name[key]);
}

static int xpd_report_groups_put(struct xpd_report_groups *g, struct xpd_err *err)
{
    const struct xpd_mem_space *space = g->ctx->space;
    struct xpd_arena *arena = g->ctx->arena;
    struct xpd_texts texts = {.arena = arena};
    uint32_t steps = g->view.asked_count;
    int64_t *live = XPD_NEW_ARRAY(arena, int64_t, steps);
    struct xpd_report_groups_row *to =
        XPD_NEW_ARRAY(arena, struct xpd_report_groups_row, g->written);
    for (uint32_t i = 0; live && i < steps; i++)
        live[i] = space->totals.resident +
                  (space->step_count ? space->live_bytes[g->view.asked[i].step] : 0);
    for (uint32_t i = 0; to && i < g->written; i++)
        fill_group(&to[i], g, &texts, g->group[i].key);
    xpd_texts_fini(&texts);
    g->out = (struct xpd_report_groups_answer){
        XPD_REPORT_VIEW_OF(&g->view),
        .times = xpd_report_timed_of(&g->times, g->ctx),
        .total = xpd_report_values_keep(&g->view, g->total, arena),
        .live_bytes = {live, steps},
        .n = g->group_count,
        .rows = {to, g->written},
        .left_out = g->group_count - g->written,
        .rest = xpd_report_values_keep(&g->view, g->rest, arena),
    };
    return arena->failed ? xpd_tools_no_memory(err) : XPD_OK;
}

/* ---- CSV ---- */

static void cell(struct xpd_csv *csv, bool known, int64_t value)
{
    if (known)
        xpd_csv_i64(csv, value);
    else
        xpd_csv_empty(csv);
}

static void csv_head(struct xpd_csv *csv, const struct xpd_report_groups *g)
{
    const struct xpd_report_groups_answer *of = &g->out;
    xpd_csv_text(csv, "name");
    xpd_report_csv_heads(csv, "step_", "_bytes", of->steps.at, of->steps.n);
    xpd_csv_text(csv, "peak_bytes");
    if (g->by != XPD_BY_BUFFER)
        xpd_report_csv_heads(csv, "step_", "_buffers", of->steps.at, of->steps.n);
    if (g->keys.instructions)
        xpd_csv_text(csv, "instructions");
    xpd_report_times_csv_head(csv, of->times);
    static const char *const of_buffer[BUFFER_CELLS] = {"shape", "category", "offset_bytes",
                                                        "start_step", "end_step"};
    for (int i = 0; g->by == XPD_BY_BUFFER && i < BUFFER_CELLS; i++)
        xpd_csv_text(csv, of_buffer[i]);
    xpd_csv_end_row(csv);
}

static void csv_row(struct xpd_csv *csv, const struct xpd_report_groups *g,
                    const struct xpd_report_groups_row *row)
{
    xpd_csv_str(csv, row->name);
    xpd_report_csv_values(csv, row->at_bytes.at, row->at_bytes.n);
    xpd_csv_i64(csv, row->peak_bytes);
    for (uint32_t i = 0; g->by != XPD_BY_BUFFER && i < row->at_bytes.n; i++)
        cell(csv, row->held.at, row->held.at ? row->held.at[i] : 0);
    if (g->keys.instructions)
        cell(csv, row->instructions >= 0, row->instructions);
    XPD_REPORT_TIMES_CSV(csv, g->out.times, row);
    if (g->by == XPD_BY_BUFFER) {
        xpd_csv_str(csv, row->shape);
        xpd_csv_str(csv, row->row);
        cell(csv, row->offset_bytes >= 0, row->offset_bytes);
        cell(csv, row->start_step != XPD_NO_INDEX, row->start_step);
        cell(csv, row->end_step != XPD_NO_INDEX, row->end_step);
    }
    xpd_csv_end_row(csv);
}

/* g->out of the groups; csv: of g->out. */

static void xpd_report_groups_csv(struct xpd_csv *csv, const void *answer)
{
    const struct xpd_report_groups *g = answer; /* `out` is its first member */
    const struct xpd_report_groups_answer *of = &g->out;
    csv_head(csv, g);
    for (uint32_t i = 0; i < of->rows.n; i++)
        csv_row(csv, g, &of->rows.at[i]);
    struct xpd_report_groups_row rest = {.name = XPD_STR("(rest)"),
                                         XPD_REPORT_VALUES_OF(*of->rest),
                                         .instructions = -1,
                                         .self_ps = -1,
                                         .executions = -1,
                                         .wait_ps = -1,
                                         .offset_bytes = -1,
                                         .start_step = XPD_NO_INDEX,
                                         .end_step = XPD_NO_INDEX};
    if (of->left_out > 0)
        csv_row(csv, g, &rest);
}

#define LIMIT_DEFAULT 200

static int by_bytes(const void *a, const void *b)
{
    const struct xpd_report_group *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? 1 : -1;
    if (x->most != y->most)
        return x->most < y->most ? 1 : -1;
    return (x->key > y->key) - (x->key < y->key);
}

/* Rows outside of `within`, or without `inner` inside, are in no group. */
static int filter(struct xpd_report_groups *g, struct xpd_err *err)
{
    struct xpd_str within = xpd_param_text(g->ctx, "within");
    struct xpd_str inner = xpd_param_text(g->ctx, "inner");
    struct xpd_report_keys other;
    if (inner.size > 0) {
        int failed =
            xpd_report_keep_inner(g->ctx, g->report, inner, g->keys.key, &g->filtered_rows, err);
        if (failed != XPD_OK)
            return failed;
        g->keys.instructions = NULL;
    }
    if (!xpd_param_has(g->ctx, "within"))
        return XPD_OK;
    enum xpd_report_by by = xpd_param_has(g->ctx, "within_by")
                                ? xpd_report_by_of(xpd_param_text(g->ctx, "within_by"))
                                : XPD_BY_ROW;
    int rc = xpd_report_keys_make(&other, g->ctx, g->report, by,
                                  (uint32_t)xpd_param_int(g->ctx, &xpd_tool_report_groups, "level"),
                                  &g->names, err);
    for (uint32_t i = 0; rc == XPD_OK && i < g->report->row_count; i++) {
        struct xpd_str name = xpd_intern_get(&g->names.table, other.name[other.key[i]]);
        if (!xpd_str_eq(name, within)) {
            g->keys.key[i] = XPD_NO_INDEX;
            g->filtered_rows++;
        }
    }
    if (g->filtered_rows > 0)
        g->keys.instructions = NULL; /* of the whole program: not of what is left */
    return rc;
}

static bool measure(struct xpd_report_groups *g)
{
    struct xpd_arena *arena = g->ctx->arena;
    uint32_t n = g->view.steps.count;
    g->bytes = xpd_report_bytes(g->report, g->keys.key, g->keys.count, g->view.steps, arena);
    g->count = xpd_report_counts(g->report, g->keys.key, g->keys.count, g->view.steps, arena);
    g->group = XPD_NEW_ARRAY(arena, struct xpd_report_group, g->keys.count);
    g->rest = XPD_NEW_ARRAY(arena, int64_t, n);
    g->total = XPD_NEW_ARRAY(arena, int64_t, n);
    g->row_of = XPD_NEW_ARRAY(arena, uint32_t, g->keys.count);
    if (!g->bytes || !g->count || !g->group || !g->rest || !g->total || !g->row_of)
        return false;
    bool *any = XPD_NEW_ARRAY(arena, bool, g->keys.count);
    if (!any)
        return false;
    for (uint32_t i = 0; i < g->report->row_count; i++)
        if (g->keys.key[i] != XPD_NO_INDEX) {
            any[g->keys.key[i]] = true;
            g->row_of[g->keys.key[i]] = i;
        }
    uint32_t first = xpd_report_place(&g->view, g->view.asked[0].step);
    for (uint32_t k = 0; k < g->keys.count; k++) {
        struct xpd_report_group group = {.key = k, .first = g->bytes[(size_t)k * n + first]};
        for (uint32_t p = 0; p < n; p++) {
            int64_t value = g->bytes[(size_t)k * n + p];
            group.most = value > group.most ? value : group.most;
            g->total[p] += value;
        }
        if (any[k] || g->keys.instructions)
            g->group[g->group_count++] = group;
    }
    if (g->group_count > 1)
        qsort(g->group, g->group_count, sizeof *g->group, by_bytes);
    return true;
}

static void cut(struct xpd_report_groups *g, uint32_t limit)
{
    uint32_t n = g->view.steps.count;
    g->written = g->group_count < limit ? g->group_count : limit;
    for (uint32_t i = g->written; i < g->group_count; i++)
        for (uint32_t p = 0; p < n; p++)
            g->rest[p] += g->bytes[(size_t)g->group[i].key * n + p];
}

/* Values of constants are not kept when a module is loaded: they are read from its bytes. */
static int open_text(struct xpd_report_groups *g, struct xpd_err *err)
{
    for (uint32_t i = 0; g->by == XPD_BY_BUFFER && i < g->written; i++)
        if (xpd_report_is_constant(g, g->group[i].key))
            return xpd_module_text_open(&g->text, g->ctx, err);
    return XPD_OK;
}

static int answer(struct xpd_report_groups *g, struct xpd_err *err)
{
    /* A page is a part of the list; a table that is saved is the whole one. */
    cut(g, xpd_tools_csv(g->ctx) && !xpd_param_has(g->ctx, "limit")
               ? XPD_ROWS_ALL
               : (uint32_t)xpd_param_int(g->ctx, &xpd_tool_report_groups, "limit"));
    int rc = open_text(g, err);
    return rc == XPD_OK ? xpd_report_groups_put(g, err) : rc;
}

static int make(struct xpd_report_groups *g, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = g->ctx;
    const struct xpd_tool *tool = &xpd_tool_report_groups;
    int rc = xpd_report_view_read(&g->view, ctx, tool, err);
    if (rc == XPD_OK)
        rc = xpd_report_keys_make(&g->keys, ctx, g->report, g->by,
                                  (uint32_t)xpd_param_int(ctx, tool, "level"), &g->names, err);
    if (rc == XPD_OK)
        rc = filter(g, err);
    if (rc == XPD_OK && xpd_param_int(ctx, tool, "times"))
        rc = xpd_report_times_make(&g->times, ctx,
                                   g->keys.instructions ? g->keys.of_instruction : NULL,
                                   g->keys.count, err);
    bool typed = g->by == XPD_BY_SIGNATURE || g->by == XPD_BY_OPCODE;
    if (rc == XPD_OK && typed && g->keys.instructions)
        rc = xpd_report_types_make(&g->types, ctx->hlo, g->keys.of_instruction, g->keys.count,
                                   ctx->arena, err);
    if (rc == XPD_OK && !measure(g))
        rc = xpd_tools_no_memory(err);
    return rc == XPD_OK ? answer(g, err) : rc;
}

static int groups(const struct xpd_tool_ctx *ctx, const void **to, struct xpd_err *err)
{
    struct xpd_report_groups *g = XPD_NEW(ctx->arena, struct xpd_report_groups);
    if (!g)
        return xpd_tools_no_memory(err);
    *g = (struct xpd_report_groups){.ctx = ctx,
                                    .report = xpd_table_report(ctx, err),
                                    .by = xpd_report_by_of(xpd_param_text(ctx, "by"))};
    if (!g->report)
        return err->code;
    xpd_names_init(&g->names, ctx->arena);
    int rc = make(g, err);
    xpd_module_text_close(&g->text);
    xpd_names_fini(&g->names);
    *to = &g->out;
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "by", .type = XPD_PARAM_ENUM, .words = XPD_REPORT_BY_WORDS, .help = "default op"},
    XPD_REPORT_LEVEL_PARAM,
    {.name = "within",
     .type = XPD_PARAM_TEXT,
     .help = "only buffers in this group of another grouping"},
    {.name = "within_by",
     .type = XPD_PARAM_ENUM,
     .words = XPD_REPORT_BY_WORDS,
     .help = "that other grouping, default row"},
    {.name = "inner",
     .type = XPD_PARAM_TEXT,
     .help = "only buffers of instructions that contain this opcode or name"},
    XPD_REPORT_VIEW_PARAMS(0),
    XPD_REPORT_TIMES_PARAM,
    XPD_PARAM_LIMIT(LIMIT_DEFAULT, XPD_ROWS_ALL, "groups; what is over is summed up in `rest`"),
    XPD_REPORT_FORMAT_PARAM,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_report_groups = {
    .route = "/api/v1/report/groups",
    .title = "The bytes held at one to eight steps by op, kind, scope or another grouping.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .about = "Rows and `rest` add up to `total`. Times are available by `op`, `computation`, "
             "`opcode` and `signature`; a pair counts once in each group that contains one of its "
             "halves. `origin` is the compiler, or the library of a custom call's kernel, by its "
             "target. A CSV has a column "
             "for each step, and all groups unless `limit` is given.",
    .answer = xpd_report_groups_answer_record,
    .make = groups,
    .csv = xpd_report_groups_csv,
    .file_name = "report_groups.csv",
    XPD_IN_REPORT(
        "px",
        {235, XPD_EACH_PEAK,
         "steps={step}&by=op|signature|kind|class|dtype|scope|computation|opcode&level=2&px=150&"
         "limit=500",
         "the categories and groups at the peaks"},
        {235, XPD_EACH_LEAF, "steps={step}&by=buffer&within={within}&px=150&limit=12",
         "the largest buffers of each category and op group at the peak"},
        {235, XPD_EACH_GROUP,
         "steps={step}&by=buffer&within={within}&within_by=op&level=2&px=150&limit=20", NULL},
        {235, XPD_EACH_SPACE, "by=op|signature|computation|opcode&level=2&times=1&limit=5000",
         "the measured times of the groups"}),
};
