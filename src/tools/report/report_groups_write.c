/* The answer of /api/v1/report/groups. In: groups, ranked and cut. Out: JSON or CSV. */
#include "report_groups.h"

#define LITERAL_VALUES 10 /* of a constant that are shown */
#define BUFFER_CELLS   5  /* of a table by buffer, behind the bytes */

XPD_RECORD_TABLE(xpd_report_literal, XPD_REPORT_LITERAL_FIELDS)
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

bool xpd_report_is_constant(const struct xpd_report_groups *g, uint32_t key)
{
    uint32_t buffer = g->report->row[g->row_of[key]].buffer;
    uint32_t instruction = xpd_tools_instruction(g->ctx->mem, buffer);
    return instruction != XPD_NO_INDEX &&
           xpd_str_eq(xpd_tools_opcode(g->ctx->hlo, instruction), XPD_STR("constant"));
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
    uint32_t instruction = xpd_tools_instruction(mem, row->buffer);
    char leaf[48];
    xpd_report_leaf(leaf, row);
    to->name = xpd_texts_buffer(texts, mem, row->buffer);
    to->buffer = row->buffer;
    to->tenancy = row->tenancy;
    to->offset_bytes = at ? at->offset_bytes : -1;
    to->start_step = at ? at->start_step : XPD_NO_INDEX;
    to->end_step = at ? at->end_step : XPD_NO_INDEX;
    to->instruction = xpd_tools_or_null(xpd_tools_instruction_name(mem->hlo, instruction));
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
    to->types.at = xpd_report_types_of(&g->types, g->ctx, key, &to->types.n, &to->types_left_out);
    if (g->by == XPD_BY_BUFFER)
        fill_buffer(to, g, texts, key);
    else
        to->name = xpd_intern_get(&g->names.table, g->keys.name[key]);
}

int xpd_report_groups_put(struct xpd_report_groups *g, struct xpd_err *err)
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

void xpd_report_groups_csv(struct xpd_csv *csv, const void *answer)
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
