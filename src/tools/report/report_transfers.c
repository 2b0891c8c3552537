/* /api/v1/report/transfers: what moves bytes between devices, memory spaces and the host, and what
 * it holds at one to eight steps. In: steps. Out: groups by opcode and name without its number. */
#include "report_transfers.h"
#include "xprofd/base/checked.h"

#define LIMIT_DEFAULT 200
#define LEAVES_MAX    4096

static struct xpd_str opcode_of(const struct xpd_transfers *t, uint32_t instruction)
{
    return xpd_tools_opcode(t->ctx->hlo, instruction);
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
    struct xpd_str base = base_of(xpd_tools_instruction_name(hlo, instruction));
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
        uint32_t instruction = xpd_tools_instruction(t->ctx->mem, t->report->row[i].buffer);
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
        "Fused instructions and copies within one memory space are no transfers; an asynchronous "
        "one counts once, and bytes count once however often it runs. Times are those of starts, "
        "dones and synchronous ones: what runs beside compute in between is not in them. `groups`: "
        "`2 groups of 4: {0,1,2,3} {4,5,6,7}`, alike for lists, iota and mesh axes, the first 4 "
        "groups and 8 devices of each; of a collective-permute `2 pairs: 0→1 1→0`, the first 8.",
    .answer = xpd_transfers_answer_record,
    .make = transfers,
    .csv = xpd_transfers_csv,
    .file_name = "report_transfers.csv",
};
