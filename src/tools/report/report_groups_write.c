/* The answer of /api/v1/report/groups. In: groups, ranked and cut. Out: JSON or CSV. */
#include "report_groups.h"

#define LITERAL_VALUES 10 /* of a constant that are shown */
#define BUFFER_CELLS   5  /* of a table by buffer, behind the bytes */

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

/* "literal":{text,shown,count} of a constant; null when the profile does not hold its values. */
static void write_literal(struct xpd_jsonw *w, struct xpd_report_groups *g, uint32_t instruction)
{
    struct xpd_strbuf text = {0};
    uint64_t all;
    if (!g->text.printer ||
        !xpd_hlo_print_first_values(g->text.printer, instruction, LITERAL_VALUES, &text, &all)) {
        xpd_json_knull(w, "literal");
    } else {
        xpd_json_key(w, "literal");
        xpd_json_obj(w);
        xpd_json_kstr(w, "text", (struct xpd_str){text.data, text.size});
        xpd_json_ku64(w, "shown", all < LITERAL_VALUES ? all : LITERAL_VALUES);
        xpd_json_ku64(w, "count", all);
        xpd_json_obj_end(w);
    }
    xpd_strbuf_fini(&text);
}

/* Where it lies and when; null of what is always there. */
static void write_place(struct xpd_jsonw *w, const struct xpd_report_groups *g, uint32_t tenancy)
{
    const struct xpd_tenancy *at =
        tenancy == XPD_NO_INDEX ? NULL : &g->ctx->space->tenancy[tenancy];
    xpd_tools_kknown(w, "offset_bytes", at ? at->offset_bytes : -1);
    xpd_tools_kindex(w, "start", at ? at->start_step : XPD_NO_INDEX);
    xpd_tools_kindex(w, "end", at ? at->end_step : XPD_NO_INDEX);
}

static void write_buffer(struct xpd_jsonw *w, struct xpd_report_groups *g, uint32_t key)
{
    const struct xpd_mem *mem = g->ctx->mem;
    const struct xpd_report_row *row = &g->report->row[g->row_of[key]];
    uint32_t instruction = xpd_tools_instruction(mem, row->buffer);
    struct xpd_strbuf text = {0};
    char leaf[48];
    xpd_tools_buffer_name(&text, mem, row->buffer);
    xpd_json_kstr(w, "name", (struct xpd_str){text.data, text.size});
    xpd_tools_kindex(w, "buffer", row->buffer);
    xpd_tools_kindex(w, "tenancy", row->tenancy);
    write_place(w, g, row->tenancy);
    xpd_tools_kstr(w, "instruction", xpd_tools_instruction_name(mem->hlo, instruction));
    xpd_strbuf_clear(&text);
    if (row->buffer != XPD_NO_INDEX)
        xpd_shape_text(&text, mem->buffer[row->buffer].shape, false);
    xpd_json_kstr(w, "shape", (struct xpd_str){text.data, text.size});
    xpd_report_leaf(leaf, row);
    xpd_json_ktext(w, "row", leaf);
    xpd_json_ku64(w, "fused", instruction == XPD_NO_INDEX ? 0 : fused_count(mem->hlo, instruction));
    xpd_tools_kstr(w, "body", xpd_report_body(mem->hlo, instruction));
    xpd_strbuf_clear(&text);
    if (instruction != XPD_NO_INDEX)
        xpd_report_types_text(&text, mem->hlo, instruction);
    xpd_tools_kstr(w, "operand_types", (struct xpd_str){text.data, text.size});
    if (xpd_report_is_constant(g, key))
        write_literal(w, g, instruction);
    xpd_strbuf_fini(&text);
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

static void write_group(struct xpd_jsonw *w, struct xpd_report_groups *g, uint32_t key)
{
    uint32_t n = g->view.steps.count;
    xpd_json_obj(w);
    if (g->by == XPD_BY_BUFFER)
        write_buffer(w, g, key);
    else
        xpd_json_kstr(w, "name", xpd_intern_get(&g->names.table, g->keys.name[key]));
    xpd_report_values_write(w, &g->view, g->bytes + (size_t)key * n);
    xpd_report_at_write(w, "held", &g->view, g->count + (size_t)key * n);
    if (g->keys.instructions)
        xpd_json_ki64(w, "instructions", g->keys.instructions[key]);
    xpd_report_times_row(w, &g->times, key);
    xpd_report_types_write(w, g->ctx->hlo, &g->types, key);
    if (g->by == XPD_BY_SIGNATURE && g->keys.example[key] != XPD_NO_INDEX)
        xpd_json_ktext(w, "origin", origin_of(g->ctx->hlo, g->keys.example[key]));
    xpd_json_obj_end(w);
}

void xpd_report_groups_write(struct xpd_jsonw *w, struct xpd_report_groups *g)
{
    const struct xpd_mem_space *space = g->ctx->space;
    xpd_json_obj(w);
    xpd_report_view_write(w, &g->view);
    xpd_report_times_write(w, g->ctx, &g->times);
    xpd_json_key(w, "total");
    xpd_json_obj(w);
    xpd_report_values_write(w, &g->view, g->total);
    xpd_json_obj_end(w);
    XPD_COLUMN(
        w, "live", g->view.asked_count,
        xpd_json_i64(w, space->totals.resident +
                            (space->step_count ? space->live_bytes[g->view.asked[row].step] : 0)));
    xpd_json_ku64(w, "n", g->group_count);
    xpd_json_key(w, "rows");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < g->written; i++)
        write_group(w, g, g->group[i].key);
    xpd_json_arr_end(w);
    xpd_json_ku64(w, "left_out", g->group_count - g->written);
    xpd_json_key(w, "rest");
    xpd_json_obj(w);
    xpd_report_values_write(w, &g->view, g->rest);
    xpd_json_obj_end(w);
    xpd_json_obj_end(w);
}

static void csv_head(struct xpd_csv *csv, const struct xpd_report_groups *g)
{
    char head[48];
    xpd_csv_text(csv, "name");
    for (uint32_t i = 0; i < g->view.asked_count; i++) {
        snprintf(head, sizeof head, "step_%" PRIu32 "_bytes", g->view.asked[i].step);
        xpd_csv_text(csv, head);
    }
    xpd_csv_text(csv, "peak_bytes");
    for (uint32_t i = 0; g->by != XPD_BY_BUFFER && i < g->view.asked_count; i++) {
        snprintf(head, sizeof head, "step_%" PRIu32 "_buffers", g->view.asked[i].step);
        xpd_csv_text(csv, head);
    }
    if (g->keys.instructions)
        xpd_csv_text(csv, "instructions");
    xpd_report_times_csv_head(csv, &g->times);
    static const char *const of_buffer[BUFFER_CELLS] = {"shape", "category", "offset_bytes",
                                                        "start", "end"};
    for (int i = 0; g->by == XPD_BY_BUFFER && i < BUFFER_CELLS; i++)
        xpd_csv_text(csv, of_buffer[i]);
    xpd_csv_end_row(csv);
}

static void csv_name(struct xpd_csv *csv, const struct xpd_report_groups *g, uint32_t key)
{
    struct xpd_strbuf text = {0};
    if (key == XPD_NO_INDEX) {
        xpd_csv_text(csv, "(rest)");
    } else if (g->by == XPD_BY_BUFFER) {
        xpd_tools_buffer_name(&text, g->ctx->mem, g->report->row[g->row_of[key]].buffer);
        xpd_csv_str(csv, (struct xpd_str){text.data, text.size});
    } else {
        xpd_csv_str(csv, xpd_intern_get(&g->names.table, g->keys.name[key]));
    }
    xpd_strbuf_fini(&text);
}

/* What a single buffer is and where it lies; what is always there has no address before it runs. */
static void csv_buffer(struct xpd_csv *csv, const struct xpd_report_groups *g, uint32_t key)
{
    const struct xpd_report_row *row = &g->report->row[g->row_of[key]];
    struct xpd_strbuf text = {0};
    char leaf[48];
    if (row->buffer != XPD_NO_INDEX)
        xpd_shape_text(&text, g->ctx->mem->buffer[row->buffer].shape, false);
    xpd_csv_str(csv, (struct xpd_str){text.data, text.size});
    xpd_strbuf_fini(&text);
    xpd_report_leaf(leaf, row);
    xpd_csv_text(csv, leaf);
    if (row->tenancy == XPD_NO_INDEX) {
        for (int i = 0; i < 3; i++)
            xpd_csv_empty(csv);
        return;
    }
    const struct xpd_tenancy *tenancy = &g->ctx->space->tenancy[row->tenancy];
    xpd_csv_i64(csv, tenancy->offset_bytes);
    xpd_csv_u64(csv, tenancy->start_step);
    xpd_csv_u64(csv, tenancy->end_step);
}

static void csv_row(struct xpd_csv *csv, const struct xpd_report_groups *g, uint32_t key)
{
    bool rest = key == XPD_NO_INDEX;
    size_t first = rest ? 0 : (size_t)key * g->view.steps.count;
    const int64_t *value = rest ? g->rest : g->bytes + first;
    csv_name(csv, g, key);
    for (uint32_t s = 0; s < g->view.asked_count; s++)
        xpd_csv_i64(csv, value[xpd_report_place(&g->view, g->view.asked[s].step)]);
    xpd_csv_i64(csv, value[xpd_report_place(&g->view, g->view.peak_step)]);
    for (uint32_t s = 0; g->by != XPD_BY_BUFFER && s < g->view.asked_count; s++) {
        if (rest)
            xpd_csv_empty(csv);
        else
            xpd_csv_i64(csv, g->count[first + xpd_report_place(&g->view, g->view.asked[s].step)]);
    }
    if (g->keys.instructions && rest)
        xpd_csv_empty(csv);
    else if (g->keys.instructions)
        xpd_csv_i64(csv, g->keys.instructions[key]);
    xpd_report_times_csv_row(csv, &g->times, key);
    if (g->by == XPD_BY_BUFFER && !rest)
        csv_buffer(csv, g, key);
    for (int i = 0; g->by == XPD_BY_BUFFER && rest && i < BUFFER_CELLS; i++)
        xpd_csv_empty(csv);
    xpd_csv_end_row(csv);
}

void xpd_report_groups_csv(struct xpd_tool_result *out, struct xpd_report_groups *g)
{
    struct xpd_csv csv;
    xpd_tools_start_csv(out, &csv, "report_groups.csv");
    csv_head(&csv, g);
    for (uint32_t i = 0; i < g->written; i++)
        csv_row(&csv, g, g->group[i].key);
    if (g->written < g->group_count)
        csv_row(&csv, g, XPD_NO_INDEX);
}
