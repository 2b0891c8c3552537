/* The answer of /api/v1/report/transfers. In: groups, ranked. Out: JSON or CSV; the devices that
 * talk to each other come from the text of the instruction. */
#include "report_transfers.h"
#include "xprofd/base/checked.h"
#include "xprofd/hlo/groups.h"

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
        said = xpd_module_attribute(printer, of, "replica_groups", &arena);
    if (printer && said.size == 0)
        pairs = xpd_module_attribute(printer, of, "source_target_pairs", &arena);
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
            .name = xpd_tools_instruction_name(hlo, instruction),
            .operand = xpd_tools_or_null(
                operand == XPD_NO_INDEX ? XPD_STR("") : xpd_tools_instruction_name(hlo, operand)),
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

int xpd_transfers_put(struct xpd_transfers *t, const struct xpd_transfer_rank *rank, uint32_t n,
                      struct xpd_err *err)
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

void xpd_transfers_csv(struct xpd_csv *csv, const void *answer)
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
