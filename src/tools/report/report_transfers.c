/* /api/v1/report/transfers: what moves bytes between devices, memory spaces and the host, and what
 * it holds at one to eight steps. In: steps. Out: groups by opcode and name without its number. */
#include "report_keys.h"
#include "xprofd/base/checked.h"

#define LIMIT_DEFAULT 200
#define LIMIT_MAX     5000
#define EACH_MAX      20 /* transfers of a group that are listed */
#define LEAVES_MAX    4096

struct transfer { /* a group */
    uint32_t name, kind, from, to;
    uint32_t count,
        of_program; /* of_program: with an op name, the rest was added by the compiler */
    int64_t operand_bytes, result_bytes;
    uint32_t each[EACH_MAX];
};

struct transfers {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_report *report;
    struct xpd_report_view view;
    struct xpd_names names;
    struct xpd_map64 group_of; /* opcode, name, from and to: a name of its own */
    uint32_t *of_instruction;  /* group + 1; of starts, plain ones and dones */
    struct transfer *group;
    uint32_t count;
    int64_t *bytes; /* held, by group and place */
    const char *platform;
};

static struct xpd_str opcode_of(const struct transfers *t, uint32_t instruction)
{
    return xpd_tools_opcode(t->ctx->hlo, instruction);
}

static uint32_t operand_of(const struct xpd_hlo *hlo, uint32_t instruction)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    uint32_t first = all->operand_first[instruction];
    return first < all->operand_first[instruction + 1] ? all->operand[first] : XPD_NO_INDEX;
}

/* What arrives: the start's tuple holds what it reads, what it writes and flags. */
static const struct xpd_shape *result_of(const struct transfers *t, uint32_t instruction)
{
    const struct xpd_shape *shape = t->ctx->hlo->instructions.shape[instruction];
    struct xpd_str opcode = opcode_of(t, instruction);
    uint32_t element = xpd_str_eq(opcode, XPD_STR("copy-start")) ? 0 : 1;
    bool starts = element == 0 || xpd_str_eq(opcode, XPD_STR("all-gather-start")) ||
                  xpd_str_eq(opcode, XPD_STR("collective-permute-start")) ||
                  xpd_str_eq(opcode, XPD_STR("async-start"));
    return starts && element < shape->element_count ? &shape->element[element] : shape;
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
static bool is_transfer(const struct transfers *t, uint32_t instruction, enum xpd_op_group group)
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

static uint32_t space_name(struct transfers *t, int64_t color)
{
    char scratch[24];
    return xpd_names_put(&t->names, xpd_str_of(xpd_space_name(t->platform, color, scratch)));
}

static uint32_t group_for(struct transfers *t, uint32_t instruction)
{
    const struct xpd_hlo *hlo = t->ctx->hlo;
    uint32_t operand = operand_of(hlo, instruction);
    int64_t from = operand == XPD_NO_INDEX ? 0 : space_of(hlo->instructions.shape[operand]);
    int64_t to = space_of(result_of(t, instruction));
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
    t->group[group] = (struct transfer){
        .name = xpd_names_put(&t->names, base),
        .kind = xpd_names_kept(&t->names, opcode_of(t, instruction)),
        .from = space_name(t, from),
        .to = space_name(t, to),
    };
    return group;
}

static void add(struct transfers *t, uint32_t instruction)
{
    const struct xpd_hlo_instructions *all = &t->ctx->hlo->instructions;
    struct transfer *group = &t->group[group_for(t, instruction)];
    uint32_t leaves = 0;
    if (group->count < EACH_MAX)
        group->each[group->count] = instruction;
    group->count++;
    group->of_program += all->op_name[instruction] != 0;
    for (uint32_t k = all->operand_first[instruction]; k < all->operand_first[instruction + 1]; k++)
        if (all->operand[k] != XPD_NO_INDEX)
            add_bytes(all->shape[all->operand[k]], &group->operand_bytes, &leaves);
    leaves = 0;
    add_bytes(result_of(t, instruction), &group->result_bytes, &leaves);
    t->of_instruction[instruction] = (uint32_t)(group - t->group) + 1;
}

static int collect(struct transfers *t, struct xpd_err *err)
{
    const struct xpd_hlo *hlo = t->ctx->hlo;
    const struct xpd_words *words = xpd_table_words_made(t->ctx);
    uint32_t n = hlo->instructions.count;
    bool *done = XPD_NEW_ARRAY(t->ctx->arena, bool, n);
    t->of_instruction = XPD_NEW_ARRAY(t->ctx->arena, uint32_t, n);
    t->group = XPD_NEW_ARRAY(t->ctx->arena, struct transfer, n);
    if (!t->of_instruction || !t->group || !done)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t computation = hlo->instructions.computation[i];
        bool fused = computation != XPD_NO_INDEX && hlo->computations.is_fusion[computation];
        if (fused || !is_transfer(t, i, xpd_words_group(words, hlo, i)))
            continue;
        if (is_done(opcode_of(t, i)))
            done[i] = true;
        else
            add(t, i);
    }
    for (uint32_t i = 0; i < n; i++) { /* what a done defines belongs to its start */
        uint32_t start = done[i] ? operand_of(hlo, i) : XPD_NO_INDEX;
        if (start != XPD_NO_INDEX)
            t->of_instruction[i] = t->of_instruction[start];
    }
    return t->group_of.failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static int measure(struct transfers *t, struct xpd_err *err)
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

struct ranked {
    int64_t moved;
    uint32_t group;
};

static int by_moved(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->moved != y->moved)
        return x->moved < y->moved ? 1 : -1;
    return (x->group > y->group) - (x->group < y->group);
}

static void write_each(struct xpd_jsonw *w, const struct transfers *t, const struct transfer *group)
{
    const struct xpd_hlo *hlo = t->ctx->hlo;
    uint32_t n = group->count < EACH_MAX ? group->count : EACH_MAX;
    xpd_json_key(w, "each");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < n; i++) {
        struct xpd_strbuf text = {0};
        uint32_t operand = operand_of(hlo, group->each[i]);
        xpd_json_obj(w);
        xpd_json_kstr(w, "name", xpd_tools_instruction_name(hlo, group->each[i]));
        xpd_tools_kstr(w, "operand",
                       operand == XPD_NO_INDEX ? XPD_STR("")
                                               : xpd_tools_instruction_name(hlo, operand));
        xpd_shape_text(&text, result_of(t, group->each[i]), false);
        xpd_json_kstr(w, "shape", (struct xpd_str){text.data, text.size});
        xpd_json_kbool(w, "of_program", hlo->instructions.op_name[group->each[i]] != 0);
        xpd_json_obj_end(w);
        xpd_strbuf_fini(&text);
    }
    xpd_json_arr_end(w);
}

static void write(struct xpd_jsonw *w, struct transfers *t, const struct ranked *rank, uint32_t n)
{
    uint32_t places = t->view.steps.count;
    int64_t *total = XPD_NEW_ARRAY(t->ctx->arena, int64_t, places);
    for (uint32_t g = 0; total && g < t->count; g++)
        for (uint32_t p = 0; p < places; p++)
            total[p] += t->bytes[(size_t)g * places + p];
    xpd_json_obj(w);
    xpd_report_view_write(w, &t->view);
    xpd_json_ku64(w, "n", t->count);
    xpd_json_key(w, "rows");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < n; i++) {
        const struct transfer *group = &t->group[rank[i].group];
        xpd_json_obj(w);
        xpd_json_kstr(w, "name", xpd_intern_get(&t->names.table, group->name));
        xpd_json_kstr(w, "kind", xpd_intern_get(&t->names.table, group->kind));
        xpd_json_kstr(w, "from", xpd_intern_get(&t->names.table, group->from));
        xpd_json_kstr(w, "to", xpd_intern_get(&t->names.table, group->to));
        xpd_json_ku64(w, "count", group->count);
        xpd_json_ku64(w, "of_program", group->of_program);
        xpd_json_ki64(w, "operand_bytes", group->operand_bytes);
        xpd_json_ki64(w, "result_bytes", group->result_bytes);
        xpd_report_values_write(w, &t->view, t->bytes + (size_t)rank[i].group * places);
        write_each(w, t, group);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
    xpd_json_ku64(w, "left_out", t->count - n);
    xpd_json_key(w, "total");
    xpd_json_obj(w);
    if (total)
        xpd_report_values_write(w, &t->view, total);
    xpd_json_obj_end(w);
    xpd_json_obj_end(w);
}

static void write_csv(struct xpd_tool_result *out, const struct transfers *t,
                      const struct ranked *rank, uint32_t n)
{
    struct xpd_csv csv;
    char head[48];
    xpd_tools_start_csv(out, &csv, "report_transfers.csv");
    static const char *const columns[] = {"name",  "kind",          "from",        "to",
                                          "count", "operand_bytes", "result_bytes"};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        xpd_csv_text(&csv, columns[i]);
    for (uint32_t i = 0; i < t->view.asked_count; i++) {
        snprintf(head, sizeof head, "held_at_step_%" PRIu32 "_bytes", t->view.asked[i].step);
        xpd_csv_text(&csv, head);
    }
    xpd_csv_end_row(&csv);
    for (uint32_t i = 0; i < n; i++) {
        const struct transfer *group = &t->group[rank[i].group];
        const int64_t *value = t->bytes + (size_t)rank[i].group * t->view.steps.count;
        xpd_csv_str(&csv, xpd_intern_get(&t->names.table, group->name));
        xpd_csv_str(&csv, xpd_intern_get(&t->names.table, group->kind));
        xpd_csv_str(&csv, xpd_intern_get(&t->names.table, group->from));
        xpd_csv_str(&csv, xpd_intern_get(&t->names.table, group->to));
        xpd_csv_u64(&csv, group->count);
        xpd_csv_i64(&csv, group->operand_bytes);
        xpd_csv_i64(&csv, group->result_bytes);
        for (uint32_t s = 0; s < t->view.asked_count; s++)
            xpd_csv_i64(&csv, value[xpd_report_place(&t->view, t->view.asked[s].step)]);
        xpd_csv_end_row(&csv);
    }
}

static int answer(struct transfers *t, struct xpd_tool_result *out, struct xpd_err *err)
{
    int rc = collect(t, err);
    if (rc == XPD_OK)
        rc = measure(t, err);
    struct ranked *rank = XPD_NEW_ARRAY(t->ctx->arena, struct ranked, t->count);
    if (rc != XPD_OK || !rank)
        return rc != XPD_OK ? rc : xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < t->count; i++)
        rank[i] = (struct ranked){t->group[i].result_bytes, i};
    if (t->count > 1)
        qsort(rank, t->count, sizeof *rank, by_moved);
    uint32_t limit = (uint32_t)xpd_param_int(t->ctx, &xpd_tool_report_transfers, "limit");
    uint32_t n = t->count < limit ? t->count : limit;
    if (xpd_tools_csv(t->ctx)) {
        write_csv(out, t, rank, n);
        return XPD_OK;
    }
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    write(&w, t, rank, n);
    return XPD_OK;
}

static int transfers(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                     struct xpd_err *err)
{
    struct transfers t = {
        .ctx = ctx, .report = xpd_table_report(ctx, err), .platform = ctx->run->platform};
    if (!t.report)
        return err->code;
    int rc = xpd_report_view_read(&t.view, ctx, &xpd_tool_report_transfers, err);
    if (rc != XPD_OK)
        return rc;
    xpd_names_init(&t.names, ctx->arena);
    rc = answer(&t, out, err);
    xpd_names_fini(&t.names);
    xpd_map64_fini(&t.group_of);
    return rc;
}

static const struct xpd_param_spec params[] = {
    XPD_REPORT_VIEW_PARAMS(0),
    {.name = "limit",
     .type = XPD_PARAM_INT,
     .min = 1,
     .max = LIMIT_MAX,
     .fallback = LIMIT_DEFAULT,
     .help = "groups, those that move most first"},
    {.name = "format", .type = XPD_PARAM_ENUM, .words = "json csv", .help = "json or csv"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_report_transfers = {
    .route = "/api/v1/report/transfers",
    .title = "Collectives, copies between memory spaces and host transfers: bytes moved, and held "
             "at steps.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = transfers,
};
