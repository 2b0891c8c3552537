/* The answer of /api/v1/report/transfers. In: groups, ranked. Out: JSON or CSV; the devices that
 * talk to each other come from the text of the instruction. */
#include "report_transfers.h"
#include "xprofd/base/checked.h"
#include "xprofd/hlo/groups.h"

#define BODY_MOST 2048 /* instructions of a body that are looked at for a collective */

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

/* "groups": who talks to whom, "groups_words": what that means; null when it is not said. */
static void write_groups(struct xpd_jsonw *w, const struct xpd_transfers *t, uint32_t instruction)
{
    struct xpd_arena arena = {0}; /* the devices of one collective may be many */
    struct xpd_hlo_printer *printer = t->text.printer;
    struct xpd_strbuf list = {0}, words = {0};
    struct xpd_groups groups;
    struct xpd_err err = {0};
    uint32_t of = printer ? collective_in(t->ctx->hlo, instruction) : instruction;
    struct xpd_str said = XPD_STR(""), pairs = XPD_STR("");
    if (printer)
        said = xpd_module_attribute(printer, of, "replica_groups", &arena);
    if (printer && said.size == 0)
        pairs = xpd_module_attribute(printer, of, "source_target_pairs", &arena);
    if (said.size > 0 && xpd_groups_parse(&groups, &arena, said, &err) == XPD_OK) {
        xpd_groups_list(&list, &groups);
        xpd_groups_words(&words, &groups);
    } else if (pairs.size > 0 && xpd_groups_parse(&groups, &arena, pairs, &err) == XPD_OK) {
        (void)xpd_groups_pairs(&list, &groups);
    }
    xpd_tools_kstr(w, "groups", (struct xpd_str){list.data, list.size});
    xpd_tools_kstr(w, "groups_words", (struct xpd_str){words.data, words.size});
    xpd_strbuf_fini(&list);
    xpd_strbuf_fini(&words);
    xpd_arena_fini(&arena);
}

static void write_each(struct xpd_jsonw *w, const struct xpd_transfers *t,
                       const struct xpd_transfer *group)
{
    const struct xpd_hlo *hlo = t->ctx->hlo;
    uint32_t n = group->count < XPD_TRANSFER_EACH_MAX ? group->count : XPD_TRANSFER_EACH_MAX;
    xpd_json_key(w, "each");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < n; i++) {
        struct xpd_strbuf text = {0};
        uint32_t operand = xpd_transfer_operand(hlo, group->each[i]);
        xpd_json_obj(w);
        xpd_json_kstr(w, "name", xpd_tools_instruction_name(hlo, group->each[i]));
        xpd_tools_kstr(w, "operand",
                       operand == XPD_NO_INDEX ? XPD_STR("")
                                               : xpd_tools_instruction_name(hlo, operand));
        xpd_shape_text(&text, xpd_transfer_result(t, group->each[i]), false);
        xpd_json_kstr(w, "shape", (struct xpd_str){text.data, text.size});
        xpd_json_kbool(w, "of_program", hlo->instructions.op_name[group->each[i]] != 0);
        write_groups(w, t, group->each[i]);
        xpd_json_obj_end(w);
        xpd_strbuf_fini(&text);
    }
    xpd_json_arr_end(w);
}

/* How many, and what they move: of a group, or of all. */
static void write_amounts(struct xpd_jsonw *w, const struct xpd_transfer *of)
{
    xpd_json_ku64(w, "count", of->count);
    xpd_json_ku64(w, "of_program", of->of_program);
    xpd_json_ki64(w, "operand_bytes", of->operand_bytes);
    xpd_json_ki64(w, "result_bytes", of->result_bytes);
}

static void write_total(struct xpd_jsonw *w, const struct xpd_transfers *t)
{
    uint32_t places = t->view.steps.count;
    int64_t *held = XPD_NEW_ARRAY(t->ctx->arena, int64_t, places);
    struct xpd_transfer all = {0};
    for (uint32_t g = 0; held && g < t->count; g++) {
        for (uint32_t p = 0; p < places; p++)
            held[p] += t->bytes[(size_t)g * places + p];
        all.count += t->group[g].count;
        all.of_program += t->group[g].of_program;
        xpd_grow_i64(&all.operand_bytes, t->group[g].operand_bytes);
        xpd_grow_i64(&all.result_bytes, t->group[g].result_bytes);
    }
    xpd_json_key(w, "total");
    xpd_json_obj(w);
    write_amounts(w, &all);
    if (held)
        xpd_report_values_write(w, &t->view, held);
    xpd_json_obj_end(w);
}

void xpd_transfers_write(struct xpd_jsonw *w, struct xpd_transfers *t,
                         const struct xpd_transfer_rank *rank, uint32_t n)
{
    uint32_t places = t->view.steps.count;
    xpd_json_obj(w);
    xpd_report_view_write(w, &t->view);
    xpd_report_times_write(w, t->ctx, &t->times);
    xpd_json_ku64(w, "n", t->count);
    xpd_json_key(w, "rows");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < n; i++) {
        const struct xpd_transfer *group = &t->group[rank[i].group];
        xpd_json_obj(w);
        xpd_json_kstr(w, "name", xpd_intern_get(&t->names.table, group->name));
        xpd_json_kstr(w, "kind", xpd_intern_get(&t->names.table, group->kind));
        xpd_json_kstr(w, "from", xpd_intern_get(&t->names.table, group->from));
        xpd_json_kstr(w, "to", xpd_intern_get(&t->names.table, group->to));
        write_amounts(w, group);
        xpd_report_times_row(w, &t->times, rank[i].group);
        xpd_report_values_write(w, &t->view, t->bytes + (size_t)rank[i].group * places);
        write_each(w, t, group);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
    xpd_json_ku64(w, "left_out", t->count - n);
    write_total(w, t);
    xpd_json_obj_end(w);
}

void xpd_transfers_csv(struct xpd_tool_result *out, const struct xpd_transfers *t,
                       const struct xpd_transfer_rank *rank, uint32_t n)
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
    xpd_report_times_csv_head(&csv, &t->times);
    xpd_csv_end_row(&csv);
    for (uint32_t i = 0; i < n; i++) {
        const struct xpd_transfer *group = &t->group[rank[i].group];
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
        xpd_report_times_csv_row(&csv, &t->times, rank[i].group);
        xpd_csv_end_row(&csv);
    }
}
