/* /api/v1/report/transfers: what moves bytes between devices, memory spaces and the host, and what
 * it holds at one to eight steps. In: steps. Out: groups by opcode and name without its number. */
#include "../tables/module_text.h"
#include "report_keys.h"
#include "report_times.h"
#include "xprofd/base/checked.h"
#include "xprofd/hlo/groups.h"

#define XPD_TRANSFER_EACH_MAX 20 /* transfers of a group that are listed */

#define XPD_TRANSFER_ONE_FIELDS(FIELD)                                                             \
    FIELD(TEXT, name, "of the instruction")                                                        \
    FIELD(MAYBE(TEXT), operand, "the array that it moves")                                         \
    FIELD(TEXT, shape, "shape of the result, without layout")                                      \
    FIELD(BOOL, of_program, "true: it has an op name; false: added by the compiler")               \
    FIELD(MAYBE(TEXT), groups, "which devices communicate; null: not recorded")                    \
    FIELD(MAYBE(TEXT), groups_words, "the groups in words")
XPD_RECORD_TYPE(xpd_transfer_one, XPD_TRANSFER_ONE_FIELDS)

#define XPD_TRANSFER_AMOUNTS_FIELDS(FIELD)                                                         \
    FIELD(COUNT, count, "transfers")                                                               \
    FIELD(COUNT, of_program, "number with an op name; the rest was added by the compiler")         \
    FIELD(INT, operand_bytes, "of the operands, without padding")                                  \
    FIELD(INT, result_bytes, "of the results, without padding")
#define XPD_TRANSFER_AMOUNTS_OF(group)                                                             \
    .count = (group)->count, .of_program = (group)->of_program,                                    \
    .operand_bytes = (group)->operand_bytes, .result_bytes = (group)->result_bytes

#define XPD_TRANSFER_TOTAL_FIELDS(FIELD)                                                           \
    XPD_TRANSFER_AMOUNTS_FIELDS(FIELD)                                                             \
    XPD_REPORT_VALUES_FIELDS(FIELD)
XPD_RECORD_TYPE(xpd_transfer_total, XPD_TRANSFER_TOTAL_FIELDS)

#define XPD_TRANSFER_ROW_FIELDS(FIELD)                                                             \
    FIELD(TEXT, name, "of the instructions, without their number")                                 \
    FIELD(TEXT, kind, "opcode")                                                                    \
    FIELD(TEXT, from, "memory space")                                                              \
    FIELD(TEXT, to, "memory space")                                                                \
    XPD_TRANSFER_AMOUNTS_FIELDS(FIELD)                                                             \
    XPD_REPORT_TIMES_FIELDS(FIELD)                                                                 \
    XPD_REPORT_VALUES_FIELDS(FIELD)                                                                \
    FIELD(LIST(xpd_transfer_one), each, "at most 20")
XPD_RECORD_TYPE(xpd_transfer_row, XPD_TRANSFER_ROW_FIELDS)

#define XPD_TRANSFERS_FIELDS(FIELD)                                                                \
    XPD_REPORT_VIEW_FIELDS(FIELD)                                                                  \
    FIELD(MAYBE(OBJECT(xpd_report_timed)), times, "null: not requested")                           \
    FIELD(COUNT, n, "groups")                                                                      \
    FIELD(LIST(xpd_transfer_row), rows, "largest moved bytes first; values: bytes held")           \
    FIELD(COUNT, left_out, "groups beyond `limit`")                                                \
    FIELD(OBJECT(xpd_transfer_total), total, "of all groups, listed or not")
XPD_RECORD_TYPE(xpd_transfers_answer, XPD_TRANSFERS_FIELDS)

struct xpd_transfer { /* a group */
    uint32_t name, kind, from, to;
    uint32_t count,
        of_program; /* of_program: with an op name, the rest was added by the compiler */
    int64_t operand_bytes, result_bytes;
    uint32_t each[XPD_TRANSFER_EACH_MAX];
};

struct xpd_transfers {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_report *report;
    struct xpd_report_view view;
    struct xpd_names names;
    struct xpd_map64 group_of; /* opcode, name, from and to: a name of its own */
    uint32_t *of_instruction;  /* group + 1; of starts, plain ones and dones */
    struct xpd_transfer *group;
    uint32_t count;
    int64_t *bytes; /* held, by group and place */
    const char *platform;
    struct xpd_report_times times;
    bool any_collective;
    struct xpd_module_text text; /* open when the answer names a collective */
    struct xpd_transfers_answer out;
};

struct xpd_transfer_rank {
    int64_t moved;
    uint32_t group;
};

/* What a transfer reads, and what of its result arrives. */

static uint32_t xpd_transfer_operand(const struct xpd_hlo *hlo, uint32_t instruction)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    uint32_t first = all->operand_first[instruction];
    return first < all->operand_first[instruction + 1] ? all->operand[first] : XPD_NO_INDEX;
}

/* What arrives: the start's tuple holds what it reads, what it writes and flags. */
static const struct xpd_shape *xpd_transfer_result(const struct xpd_transfers *t,
                                                   uint32_t instruction)
{
    const struct xpd_shape *shape = t->ctx->hlo->instructions.shape[instruction];
    struct xpd_str opcode = xpd_hlo_opcode(t->ctx->hlo, instruction);
    uint32_t element = xpd_str_eq(opcode, XPD_STR("copy-start")) ? 0 : 1;
    bool starts = element == 0 || xpd_str_eq(opcode, XPD_STR("all-gather-start")) ||
                  xpd_str_eq(opcode, XPD_STR("collective-permute-start")) ||
                  xpd_str_eq(opcode, XPD_STR("async-start"));
    return starts && element < shape->element_count ? &shape->element[element] : shape;
}

/* The answer of /api/v1/report/transfers. In: groups, ranked. Out: JSON or CSV; the devices that
 * talk to each other come from the text of the instruction. */

#define BODY_MOST 2048 /* instructions of a body that are looked at for a collective */

XPD_RECORD_TABLE(xpd_transfer_one, XPD_TRANSFER_ONE_FIELDS)
XPD_RECORD_TABLE(xpd_transfer_total, XPD_TRANSFER_TOTAL_FIELDS)
XPD_RECORD_TABLE(xpd_transfer_row, XPD_TRANSFER_ROW_FIELDS)
XPD_RECORD_TABLE(xpd_transfers_answer, XPD_TRANSFERS_FIELDS)

/* The collective itself, where a fusion hides it. */
static uint32_t collective_in(const struct xpd_hlo *hlo, uint32_t instruction)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    uint32_t at = all->called_first[instruction];
    uint32_t body = at < all->called_first[instruction + 1] ? all->called[at] : XPD_NO_INDEX;
    if (body == XPD_NO_INDEX)
        return instruction;
    uint32_t first = hlo->computations.first[body];
    uint32_t count = hlo->computations.instruction_count[body];
    for (uint32_t i = first; i < first + count && i < first + BODY_MOST; i++)
        if (xpd_op_group_of(hlo, i) == XPD_OP_COLLECTIVE)
            return i;
    return instruction;
}

/* Who talks to whom. */
static void fill_groups(struct xpd_transfer_one *to, const struct xpd_transfers *t,
                        uint32_t instruction)
{
    struct xpd_arena arena = {0}; /* the devices of one collective may be many */
    struct xpd_hlo_printer *printer = t->text.printer;
    struct xpd_strbuf list = {0}, words = {0};
    struct xpd_groups groups;
    struct xpd_err err = {0};
    uint32_t of = printer ? collective_in(t->ctx->hlo, instruction) : instruction;
    struct xpd_str said = XPD_STR(""), pairs = XPD_STR("");
    if (printer)
        said = xpd_hlo_attribute(printer, of, 0, "replica_groups", &arena);
    if (printer && said.size == 0)
        pairs = xpd_hlo_attribute(printer, of, 0, "source_target_pairs", &arena);
    if (said.size > 0 && xpd_groups_parse(&groups, &arena, said, &err) == XPD_OK) {
        xpd_groups_list(&list, &groups);
        xpd_groups_words(&words, &groups);
    } else if (pairs.size > 0 && xpd_groups_parse(&groups, &arena, pairs, &err) == XPD_OK) {
        (void)xpd_groups_pairs(&list, &groups);
    }
    to->groups = xpd_tools_or_null(xpd_strbuf_keep(&list, t->ctx->arena));
    to->groups_words = xpd_tools_or_null(xpd_strbuf_keep(&words, t->ctx->arena));
    xpd_strbuf_fini(&list);
    xpd_strbuf_fini(&words);
    xpd_arena_fini(&arena);
}

static void fill_each(struct xpd_transfer_row *to, const struct xpd_transfers *t,
                      const struct xpd_transfer *group)
{
    const struct xpd_hlo *hlo = t->ctx->hlo;
    uint32_t n = group->count < XPD_TRANSFER_EACH_MAX ? group->count : XPD_TRANSFER_EACH_MAX;
    struct xpd_transfer_one *one = XPD_NEW_ARRAY(t->ctx->arena, struct xpd_transfer_one, n);
    struct xpd_strbuf text = {0};
    for (uint32_t i = 0; one && i < n; i++) {
        uint32_t instruction = group->each[i], operand = xpd_transfer_operand(hlo, instruction);
        xpd_shape_text(&text, xpd_transfer_result(t, instruction), false);
        one[i] = (struct xpd_transfer_one){
            .name = xpd_hlo_instruction_name(hlo, instruction),
            .operand = xpd_tools_or_null(
                operand == XPD_NO_INDEX ? XPD_STR("") : xpd_hlo_instruction_name(hlo, operand)),
            .shape = xpd_strbuf_keep(&text, t->ctx->arena),
            .of_program = hlo->instructions.op_name[instruction] != 0,
        };
        fill_groups(&one[i], t, instruction);
    }
    xpd_strbuf_fini(&text);
    to->each.at = one;
    to->each.n = n;
}

static const struct xpd_transfer_total *total_of(const struct xpd_transfers *t)
{
    struct xpd_arena *arena = t->ctx->arena;
    uint32_t places = t->view.steps.count;
    int64_t *held = XPD_NEW_ARRAY(arena, int64_t, places);
    struct xpd_transfer_total *out = XPD_NEW(arena, struct xpd_transfer_total);
    struct xpd_transfer all = {0};
    for (uint32_t g = 0; held && g < t->count; g++) {
        for (uint32_t p = 0; p < places; p++)
            held[p] += t->bytes[(size_t)g * places + p];
        all.count += t->group[g].count;
        all.of_program += t->group[g].of_program;
        xpd_grow_i64(&all.operand_bytes, t->group[g].operand_bytes);
        xpd_grow_i64(&all.result_bytes, t->group[g].result_bytes);
    }
    if (!held || !out)
        return NULL;
    struct xpd_report_values values = xpd_report_values_of(&t->view, held, arena);
    *out = (struct xpd_transfer_total){XPD_TRANSFER_AMOUNTS_OF(&all), XPD_REPORT_VALUES_OF(values)};
    return out;
}

static int xpd_transfers_put(struct xpd_transfers *t, const struct xpd_transfer_rank *rank,
                             uint32_t n, struct xpd_err *err)
{
    struct xpd_arena *arena = t->ctx->arena;
    struct xpd_transfer_row *to = XPD_NEW_ARRAY(arena, struct xpd_transfer_row, n);
    for (uint32_t i = 0; to && i < n; i++) {
        const struct xpd_transfer *group = &t->group[rank[i].group];
        struct xpd_report_values values = xpd_report_values_of(
            &t->view, t->bytes + (size_t)rank[i].group * t->view.steps.count, arena);
        to[i] = (struct xpd_transfer_row){
            .name = xpd_intern_get(&t->names.table, group->name),
            .kind = xpd_intern_get(&t->names.table, group->kind),
            .from = xpd_intern_get(&t->names.table, group->from),
            .to = xpd_intern_get(&t->names.table, group->to),
            XPD_TRANSFER_AMOUNTS_OF(group),
            XPD_REPORT_TIMES_OF(&t->times, rank[i].group),
            XPD_REPORT_VALUES_OF(values),
        };
        fill_each(&to[i], t, group);
    }
    t->out = (struct xpd_transfers_answer){
        XPD_REPORT_VIEW_OF(&t->view),
        .times = xpd_report_timed_of(&t->times, t->ctx),
        .n = t->count,
        .rows = {to, n},
        .left_out = t->count - n,
        .total = total_of(t),
    };
    return arena->failed ? xpd_tools_no_memory(err) : XPD_OK;
}

/* t->out: `n` groups in the order of `rank`; csv: of that. */

static void xpd_transfers_csv(struct xpd_csv *csv, const void *answer)
{
    const struct xpd_transfers_answer *of = answer;
    static const char *const columns[] = {"name",  "kind",          "from",        "to",
                                          "count", "operand_bytes", "result_bytes"};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        xpd_csv_text(csv, columns[i]);
    xpd_report_csv_heads(csv, "held_at_step_", "_bytes", of->steps.at, of->steps.n);
    xpd_report_times_csv_head(csv, of->times);
    xpd_csv_end_row(csv);
    for (uint32_t i = 0; i < of->rows.n; i++) {
        const struct xpd_transfer_row *row = &of->rows.at[i];
        xpd_csv_str(csv, row->name);
        xpd_csv_str(csv, row->kind);
        xpd_csv_str(csv, row->from);
        xpd_csv_str(csv, row->to);
        xpd_csv_u64(csv, row->count);
        xpd_csv_i64(csv, row->operand_bytes);
        xpd_csv_i64(csv, row->result_bytes);
        xpd_report_csv_values(csv, row->at_bytes.at, row->at_bytes.n);
        XPD_REPORT_TIMES_CSV(csv, of->times, row);
        xpd_csv_end_row(csv);
    }
}

#define LIMIT_DEFAULT 200
#define LEAVES_MAX    4096

static struct xpd_str opcode_of(const struct xpd_transfers *t, uint32_t instruction)
{
    return xpd_hlo_opcode(t->ctx->hlo, instruction);
}

static const struct xpd_shape *first_array(const struct xpd_shape *shape)
{
    while (shape->type == XPD_TYPE_TUPLE && shape->element_count > 0)
        shape = &shape->element[0];
    return shape;
}

static int64_t space_of(const struct xpd_shape *shape)
{
    const struct xpd_shape *array = first_array(shape);
    return array->layout ? array->layout->memory_space : 0;
}

/* Bytes of the arrays in a shape, pointer tables not counted. */
static void add_bytes(const struct xpd_shape *shape, int64_t *bytes, uint32_t *leaves)
{
    if (++*leaves > LEAVES_MAX)
        return;
    if (shape->type == XPD_TYPE_TUPLE) {
        for (uint32_t i = 0; i < shape->element_count && i < LEAVES_MAX; i++)
            if (shape->element[i].type != XPD_TYPE_TUPLE || shape->element[i].element_count > 0)
                add_bytes(&shape->element[i], bytes, leaves);
        return;
    }
    bool overflow = false;
    xpd_grow_i64(bytes, xpd_shape_unpadded_bytes(shape, &overflow));
}

static bool is_done(struct xpd_str opcode)
{
    return xpd_str_ends(opcode, "-done") || xpd_str_eq(opcode, XPD_STR("async-update"));
}

/* A copy within one memory space moves nothing between two places. */
static bool is_transfer(const struct xpd_transfers *t, uint32_t instruction,
                        enum xpd_op_group group)
{
    struct xpd_str opcode = opcode_of(t, instruction);
    if (group == XPD_OP_COLLECTIVE || group == XPD_OP_HOST)
        return true;
    if (xpd_str_starts(opcode, "copy-") || xpd_str_starts(opcode, "async-"))
        return group == XPD_OP_MOVE;
    return xpd_report_kind_of(t->ctx->hlo, instruction, group) == XPD_REPORT_SPACE_COPY ||
           xpd_report_kind_of(t->ctx->hlo, instruction, group) == XPD_REPORT_HOST;
}

/* "all-gather.12" and "all-gather.3" are one. */
static struct xpd_str base_of(struct xpd_str name)
{
    size_t end = name.size;
    while (end > 0 && name.data[end - 1] >= '0' && name.data[end - 1] <= '9')
        end--;
    return end > 1 && end < name.size && name.data[end - 1] == '.'
               ? (struct xpd_str){name.data, end - 1}
               : name;
}

static uint32_t space_name(struct xpd_transfers *t, int64_t color)
{
    char scratch[24];
    return xpd_names_put(&t->names, xpd_str_of(xpd_space_name(t->platform, color, scratch)));
}

static uint32_t group_for(struct xpd_transfers *t, uint32_t instruction)
{
    const struct xpd_hlo *hlo = t->ctx->hlo;
    uint32_t operand = xpd_transfer_operand(hlo, instruction);
    int64_t from = operand == XPD_NO_INDEX ? 0 : space_of(hlo->instructions.shape[operand]);
    int64_t to = space_of(xpd_transfer_result(t, instruction));
    struct xpd_str base = base_of(xpd_hlo_instruction_name(hlo, instruction));
    struct xpd_strbuf *key = &t->names.scratch;
    xpd_strbuf_clear(key);
    xpd_strbuf_add(key, base.data, base.size);
    xpd_strbuf_printf(key, " %" PRIu32 " %" PRId64 " %" PRId64,
                      hlo->instructions.opcode[instruction], from, to);
    uint64_t id = xpd_hash(key->data, key->size);
    uint32_t group = xpd_map64_get(&t->group_of, id);
    if (group != XPD_NO_INDEX)
        return group;
    group = t->count++;
    xpd_map64_put(&t->group_of, id, group);
    t->group[group] = (struct xpd_transfer){
        .name = xpd_names_put(&t->names, base),
        .kind = xpd_names_kept(&t->names, opcode_of(t, instruction)),
        .from = space_name(t, from),
        .to = space_name(t, to),
    };
    return group;
}

static void add(struct xpd_transfers *t, uint32_t instruction)
{
    const struct xpd_hlo_instructions *all = &t->ctx->hlo->instructions;
    struct xpd_transfer *group = &t->group[group_for(t, instruction)];
    uint32_t leaves = 0;
    if (group->count < XPD_TRANSFER_EACH_MAX)
        group->each[group->count] = instruction;
    group->count++;
    group->of_program += all->op_name[instruction] != 0;
    for (uint32_t k = all->operand_first[instruction]; k < all->operand_first[instruction + 1]; k++)
        if (all->operand[k] != XPD_NO_INDEX)
            add_bytes(all->shape[all->operand[k]], &group->operand_bytes, &leaves);
    leaves = 0;
    add_bytes(xpd_transfer_result(t, instruction), &group->result_bytes, &leaves);
    t->of_instruction[instruction] = (uint32_t)(group - t->group) + 1;
}

static int collect(struct xpd_transfers *t, struct xpd_err *err)
{
    const struct xpd_hlo *hlo = t->ctx->hlo;
    const struct xpd_words *words = xpd_table_words_made(t->ctx);
    uint32_t n = hlo->instructions.count;
    bool *done = XPD_NEW_ARRAY(t->ctx->arena, bool, n);
    t->of_instruction = XPD_NEW_ARRAY(t->ctx->arena, uint32_t, n);
    t->group = XPD_NEW_ARRAY(t->ctx->arena, struct xpd_transfer, n);
    if (!t->of_instruction || !t->group || !done)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t computation = hlo->instructions.computation[i];
        bool fused = computation != XPD_NO_INDEX && hlo->computations.is_fusion[computation];
        enum xpd_op_group group = xpd_words_group(words, hlo, i);
        if (fused || !is_transfer(t, i, group))
            continue;
        t->any_collective |= group == XPD_OP_COLLECTIVE;
        if (is_done(opcode_of(t, i)))
            done[i] = true;
        else
            add(t, i);
    }
    for (uint32_t i = 0; i < n; i++) { /* what a done defines belongs to its start */
        uint32_t start = done[i] ? xpd_transfer_operand(hlo, i) : XPD_NO_INDEX;
        if (start != XPD_NO_INDEX)
            t->of_instruction[i] = t->of_instruction[start];
    }
    return t->group_of.failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static int measure(struct xpd_transfers *t, struct xpd_err *err)
{
    uint32_t *key = XPD_NEW_ARRAY(t->ctx->arena, uint32_t, t->report->row_count);
    if (!key)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < t->report->row_count; i++) {
        uint32_t instruction = xpd_mem_instruction(t->ctx->mem, t->report->row[i].buffer);
        uint32_t group = instruction == XPD_NO_INDEX ? 0 : t->of_instruction[instruction];
        key[i] = group > 0 && i >= t->report->resident_count ? group - 1 : XPD_NO_INDEX;
    }
    t->bytes = xpd_report_bytes(t->report, key, t->count, t->view.steps, t->ctx->arena);
    return t->bytes ? XPD_OK : xpd_tools_no_memory(err);
}

static int by_moved(const void *a, const void *b)
{
    const struct xpd_transfer_rank *x = a, *y = b;
    if (x->moved != y->moved)
        return x->moved < y->moved ? 1 : -1;
    return (x->group > y->group) - (x->group < y->group);
}

/* Of starts, dones and what is synchronous, on the rows of operations: what runs beside compute
 * between start and done is not in it. */
static int add_times(struct xpd_transfers *t, struct xpd_err *err)
{
    uint32_t n = t->ctx->hlo->instructions.count;
    uint32_t *key = XPD_NEW_ARRAY(t->ctx->arena, uint32_t, n);
    if (!key)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++)
        key[i] = t->of_instruction[i] > 0 ? t->of_instruction[i] - 1 : XPD_NO_INDEX;
    return xpd_report_times_make(&t->times, t->ctx, key, t->count, err);
}

static int answer(struct xpd_transfers *t, struct xpd_err *err)
{
    int rc = collect(t, err);
    if (rc == XPD_OK)
        rc = measure(t, err);
    if (rc == XPD_OK && xpd_param_int(t->ctx, &xpd_tool_report_transfers, "times"))
        rc = add_times(t, err);
    struct xpd_transfer_rank *rank =
        XPD_NEW_ARRAY(t->ctx->arena, struct xpd_transfer_rank, t->count);
    if (rc != XPD_OK || !rank)
        return rc != XPD_OK ? rc : xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < t->count; i++)
        rank[i] = (struct xpd_transfer_rank){t->group[i].result_bytes, i};
    if (t->count > 1)
        qsort(rank, t->count, sizeof *rank, by_moved);
    bool csv = xpd_tools_csv(t->ctx);
    /* A page is a part of the list; a table that is saved is the whole one. */
    uint32_t limit = csv && !xpd_param_has(t->ctx, "limit")
                         ? XPD_ROWS_ALL
                         : (uint32_t)xpd_param_int(t->ctx, &xpd_tool_report_transfers, "limit");
    if (t->any_collective && !csv)
        rc = xpd_module_text_open(&t->text, t->ctx, err);
    return rc == XPD_OK ? xpd_transfers_put(t, rank, t->count < limit ? t->count : limit, err) : rc;
}

static int transfers(const struct xpd_tool_ctx *ctx, const void **to, struct xpd_err *err)
{
    struct xpd_transfers *t = XPD_NEW(ctx->arena, struct xpd_transfers);
    if (!t)
        return xpd_tools_no_memory(err);
    *t = (struct xpd_transfers){
        .ctx = ctx, .report = xpd_table_report(ctx, err), .platform = ctx->run->platform};
    if (!t->report)
        return err->code;
    int rc = xpd_report_view_read(&t->view, ctx, &xpd_tool_report_transfers, err);
    if (rc != XPD_OK)
        return rc;
    xpd_names_init(&t->names, ctx->arena);
    rc = answer(t, err);
    xpd_module_text_close(&t->text);
    xpd_names_fini(&t->names);
    xpd_map64_fini(&t->group_of);
    *to = &t->out;
    return rc;
}

static const struct xpd_param_spec params[] = {
    XPD_REPORT_VIEW_PARAMS(0),
    XPD_REPORT_TIMES_PARAM,
    XPD_PARAM_LIMIT(LIMIT_DEFAULT, XPD_ROWS_ALL, "groups, those that move most first"),
    XPD_REPORT_FORMAT_PARAM,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_report_transfers = {
    .route = "/api/v1/report/transfers",
    .title = "Collectives, copies between memory spaces and host transfers: bytes moved, and held "
             "at steps.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .about =
        "Fused instructions and copies within one memory space are not transfers. An asynchronous "
        "transfer counts once, and its bytes count once however often it runs. Times are those of "
        "starts, dones and synchronous transfers, without the overlapped time between start and "
        "done. `groups`: "
        "`2 groups of 4: {0,1,2,3} {4,5,6,7}`, alike for lists, iota and mesh axes, the first 4 "
        "groups and 8 devices of each; of a collective-permute `2 pairs: 0→1 1→0`, the first 8.",
    .answer = xpd_transfers_answer_record,
    .make = transfers,
    .csv = xpd_transfers_csv,
    .file_name = "report_transfers.csv",
    XPD_IN_REPORT(
        "px", {235, XPD_EACH_PEAK, "steps={step}&px=150", "the transfers at the peaks"},
        {235, XPD_EACH_SPACE, "times=1&limit=5000", "the measured times of the transfers"}),
};
