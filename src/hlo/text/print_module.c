/* Computations and the module's header, in the order of XLA's text. */
#include "print_internal.h"

#include <stdlib.h>

enum { LENGTH = 2 };

/* ---- order of instructions ---- */

struct order {
    const struct xpd_hlo *hlo;
    uint32_t first, count;
    uint8_t *state; /* 0 new, 1 entered, 2 done */
    uint32_t *out, written;
    XPD_VEC(uint32_t) stack;
};

static void push(struct order *order, uint32_t instruction)
{
    if (instruction >= order->first && instruction - order->first < order->count &&
        order->state[instruction - order->first] == 0)
        XPD_PUSH(&order->stack, instruction);
}

static void visit_from(struct order *order, struct xpd_hlo_printer *printer, uint32_t start)
{
    const struct xpd_hlo_instructions *ins = &order->hlo->instructions;
    push(order, start);
    while (order->stack.count != 0) {
        uint32_t at = order->stack.at[order->stack.count - 1];
        uint8_t *state = &order->state[at - order->first];
        if (*state != 0) {
            order->stack.count--;
            if (*state == 1) {
                *state = 2;
                order->out[order->written++] = at;
            }
            continue;
        }
        *state = 1;
        for (uint32_t k = ins->operand_first[at + 1]; k > ins->operand_first[at]; k--)
            push(order, ins->operand[k - 1]);
        if (!ins->has_control[at])
            continue;
        struct xpd_raw raw = xpd_raw_read(&printer->order_scratch, printer->message[at].bytes,
                                          (size_t)printer->message[at].size);
        struct xpd_raw_ints control = xpd_raw_ints(&printer->order_scratch, &raw, 37);
        for (uint32_t k = 0; k < control.count; k++)
            push(order, xpd_map64_get(&order->hlo->instruction_by_id, (uint64_t)control.at[k]));
    }
}

static void mark_used(const struct order *order, bool *used)
{
    const struct xpd_hlo_instructions *ins = &order->hlo->instructions;
    for (uint32_t k = ins->operand_first[order->first];
         k < ins->operand_first[order->first + order->count]; k++) {
        uint32_t operand = ins->operand[k];
        if (operand != XPD_NO_INDEX && operand >= order->first &&
            operand - order->first < order->count)
            used[operand - order->first] = true;
    }
}

void xpd_hlo_instruction_order(struct xpd_hlo_printer *printer, uint32_t computation,
                               const uint32_t **instruction, uint32_t *count)
{
    const struct xpd_hlo_computations *c = &printer->hlo->computations;
    uint32_t scheduled = c->schedule_first[computation + 1] - c->schedule_first[computation];
    *count = 0;
    if (scheduled) {
        *instruction = c->schedule + c->schedule_first[computation];
        *count = scheduled;
        return;
    }
    struct xpd_arena *scratch = &printer->order_scratch;
    struct order order = {.hlo = printer->hlo,
                          .first = c->first[computation],
                          .count = c->instruction_count[computation]};
    xpd_arena_reset(scratch);
    order.state = XPD_NEW_ARRAY(scratch, uint8_t, order.count);
    order.out = XPD_NEW_ARRAY(scratch, uint32_t, order.count);
    bool *used = XPD_NEW_ARRAY(scratch, bool, order.count);
    if (scratch->failed)
        return;
    mark_used(&order, used);
    for (uint32_t i = 0; i < order.count; i++)
        if (!used[i])
            visit_from(&order, printer, order.first + i);
    for (uint32_t i = 0; i < order.count; i++) /* cycles, which XLA refuses */
        visit_from(&order, printer, order.first + i);
    XPD_VEC_FINI(&order.stack);
    *instruction = order.out;
    *count = order.written;
}

/* ---- computations ---- */

struct parameter {
    int64_t number;
    uint32_t instruction;
};

static int by_number(const void *a, const void *b)
{
    const struct parameter *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->instruction < y->instruction ? -1 : x->instruction > y->instruction;
}

static void print_program_shape(struct xpd_hlo_printer *printer, uint32_t computation,
                                uint32_t flags, struct xpd_strbuf *out)
{
    const struct xpd_hlo *hlo = printer->hlo;
    const struct xpd_hlo_computations *c = &hlo->computations;
    uint32_t first = c->first[computation], n = 0;
    struct parameter *parameter =
        XPD_NEW_ARRAY(&printer->scratch, struct parameter, c->instruction_count[computation]);
    for (uint32_t i = first; parameter && i < first + c->instruction_count[computation]; i++)
        if (xpd_str_eq(xpd_hlo_text(hlo, hlo->instructions.opcode[i]), XPD_STR("parameter")))
            parameter[n++] = (struct parameter){hlo->instructions.parameter_number[i], i};
    if (n > 1)
        qsort(parameter, n, sizeof *parameter, by_number);
    xpd_strbuf_putc(out, '(');
    for (uint32_t i = 0; i < n; i++) {
        struct xpd_str name = xpd_hlo_text(hlo, hlo->instructions.name[parameter[i].instruction]);
        if (i != 0)
            xpd_strbuf_puts(out, ", ");
        xpd_print_clean_name(out, name, flags);
        xpd_strbuf_puts(out, ": ");
        xpd_shape_text(out, hlo->instructions.shape[parameter[i].instruction], false);
    }
    xpd_strbuf_puts(out, ") -> ");
    if (c->root[computation] != XPD_NO_INDEX)
        xpd_shape_text(out, hlo->instructions.shape[c->root[computation]], false);
    xpd_strbuf_putc(out, ' ');
    xpd_arena_reset(&printer->scratch);
}

void xpd_hlo_print_head(struct xpd_hlo_printer *printer, uint32_t computation, uint32_t flags,
                        struct xpd_strbuf *out)
{
    const struct xpd_hlo *hlo = printer->hlo;
    struct xpd_print p = {.printer = printer, .hlo = hlo, .out = out, .flags = flags};
    if (computation == hlo->entry)
        xpd_strbuf_puts(out, "ENTRY ");
    xpd_print_name(&p, hlo->computations.name[computation]);
    xpd_strbuf_putc(out, ' ');
    if (flags & XPD_PRINT_PROGRAM_SHAPE)
        print_program_shape(printer, computation, flags, out);
    xpd_strbuf_puts(out, "{\n");
}

/* False: the sink has stopped. */
static bool print_computation(struct xpd_hlo_printer *printer, uint32_t computation, uint32_t flags,
                              struct xpd_strbuf *out, const struct xpd_hlo_sink *sink)
{
    const struct xpd_hlo *hlo = printer->hlo;
    const struct xpd_hlo_computations *c = &hlo->computations;
    const uint32_t *instruction;
    uint32_t count;
    if (computation >= c->count)
        return true;
    xpd_hlo_print_head(printer, computation, flags, out);
    xpd_hlo_instruction_order(printer, computation, &instruction, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (instruction[i] == XPD_NO_INDEX)
            continue;
        xpd_strbuf_puts(out, instruction[i] == c->root[computation] ? "  ROOT " : "  ");
        xpd_hlo_print_instruction(printer, instruction[i], flags, out);
        xpd_strbuf_putc(out, '\n');
        if (!xpd_hlo_sink_goes_on(sink, out))
            return false;
    }
    xpd_strbuf_putc(out, '}');
    struct xpd_str thread = xpd_hlo_text(hlo, c->execution_thread[computation]);
    if (thread.size && !xpd_str_eq(thread, XPD_STR("main"))) {
        xpd_strbuf_puts(out, ", execution_thread=\"");
        xpd_strbuf_add(out, thread.data, thread.size);
        xpd_strbuf_putc(out, '"');
    }
    struct xpd_str config = xpd_hlo_text(hlo, c->config[computation]);
    if (flags & XPD_PRINT_CONFIG && config.size) {
        xpd_strbuf_puts(out, ", backend_config=");
        xpd_print_dictionary(out, config);
    }
    return true;
}

void xpd_hlo_print_computation(struct xpd_hlo_printer *printer, uint32_t computation,
                               uint32_t flags, struct xpd_strbuf *out)
{
    (void)print_computation(printer, computation, flags, out, NULL);
}

/* ---- the header ---- */

static void put_index(struct xpd_strbuf *out, const int64_t *index, uint32_t count)
{
    xpd_strbuf_putc(out, '{');
    xpd_print_ints(out, (struct xpd_raw_ints){index, count});
    xpd_strbuf_putc(out, '}');
}

static int by_output_index(const void *a, const void *b)
{
    const struct xpd_hlo_alias *const *x = a, *const *y = b;
    uint32_t n = (*x)->output_index_count < (*y)->output_index_count ? (*x)->output_index_count
                                                                     : (*y)->output_index_count;
    for (uint32_t i = 0; i < n; i++)
        if ((*x)->output_index[i] != (*y)->output_index[i])
            return (*x)->output_index[i] < (*y)->output_index[i] ? -1 : 1;
    if ((*x)->output_index_count != (*y)->output_index_count)
        return (*x)->output_index_count < (*y)->output_index_count ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

static void print_aliases(struct xpd_hlo_printer *printer, struct xpd_strbuf *out)
{
    const struct xpd_hlo *hlo = printer->hlo;
    const struct xpd_hlo_alias **alias =
        XPD_NEW_ARRAY(&printer->scratch, const struct xpd_hlo_alias *, hlo->alias_count);
    if (hlo->alias_count == 0 || !alias)
        return;
    for (uint32_t i = 0; i < hlo->alias_count; i++)
        alias[i] = &hlo->alias[i];
    qsort(alias, hlo->alias_count, sizeof *alias, by_output_index);
    for (uint32_t i = 0; i < hlo->alias_count; i++) {
        xpd_strbuf_puts(out, i ? ", " : ", input_output_alias={ ");
        put_index(out, alias[i]->output_index, alias[i]->output_index_count);
        xpd_strbuf_printf(out, ": (%lld, ", (long long)alias[i]->parameter_number);
        put_index(out, alias[i]->parameter_index, alias[i]->parameter_index_count);
        xpd_strbuf_puts(out, alias[i]->kind == 1 ? ", may-alias)" : ", must-alias)");
    }
    xpd_strbuf_puts(out, " }");
    xpd_arena_reset(&printer->scratch);
}

static int by_donor(const void *a, const void *b)
{
    const struct xpd_hlo_donor *x = *(const struct xpd_hlo_donor *const *)a;
    const struct xpd_hlo_donor *y = *(const struct xpd_hlo_donor *const *)b;
    if (x->parameter_number != y->parameter_number)
        return x->parameter_number < y->parameter_number ? -1 : 1;
    for (uint32_t i = 0; i < x->parameter_index_count && i < y->parameter_index_count; i++)
        if (x->parameter_index[i] != y->parameter_index[i])
            return x->parameter_index[i] < y->parameter_index[i] ? -1 : 1;
    return (x->parameter_index_count > y->parameter_index_count) -
           (x->parameter_index_count < y->parameter_index_count);
}

/* A set: in order, each once. */
static void print_donors(struct xpd_hlo_printer *printer, struct xpd_strbuf *out)
{
    const struct xpd_hlo *hlo = printer->hlo;
    const struct xpd_hlo_donor **donor =
        XPD_NEW_ARRAY(&printer->scratch, const struct xpd_hlo_donor *, hlo->donor_count);
    if (hlo->donor_count == 0 || !donor)
        return;
    for (uint32_t i = 0; i < hlo->donor_count; i++)
        donor[i] = &hlo->donor[i];
    qsort(donor, hlo->donor_count, sizeof *donor, by_donor);
    for (uint32_t i = 0; i < hlo->donor_count; i++) {
        if (i != 0 && by_donor(&donor[i - 1], &donor[i]) == 0)
            continue;
        xpd_strbuf_printf(out, "%s(%lld, ", i ? ", " : ", buffer_donor={ ",
                          (long long)donor[i]->parameter_number);
        put_index(out, donor[i]->parameter_index, donor[i]->parameter_index_count);
        xpd_strbuf_putc(out, ')');
    }
    xpd_strbuf_puts(out, " }");
    xpd_arena_reset(&printer->scratch);
}

static void print_entry_layout(struct xpd_print *p, const struct xpd_raw *program)
{
    uint32_t at = 0, index = 0;
    xpd_strbuf_puts(p->out, ", entry_computation_layout={(");
    for (; at < program->count; at++) {
        if (program->field[at].number != 1 || program->field[at].wire_type != LENGTH)
            continue;
        if (index != 0 && index % 5 == 0)
            xpd_print_index(p->out, index);
        else if (index != 0)
            xpd_strbuf_puts(p->out, ", ");
        xpd_shape_text(p->out, xpd_print_shape_of(p->printer, &program->field[at]), true);
        index++;
    }
    xpd_strbuf_puts(p->out, ")->");
    xpd_print_shape(p, program, 2);
    xpd_strbuf_putc(p->out, '}');
}

void xpd_hlo_print_header(struct xpd_hlo_printer *printer, uint32_t flags, struct xpd_strbuf *out)
{
    const struct xpd_hlo *hlo = printer->hlo;
    const struct xpd_raw *top = &printer->top;
    struct xpd_print p = {.printer = printer, .hlo = hlo, .out = out, .flags = flags};
    struct xpd_str name = xpd_hlo_text(hlo, hlo->name);
    xpd_strbuf_puts(out, "HloModule ");
    xpd_print_clean_name(out, name, flags);
    if (xpd_raw_has(top, 7))
        xpd_strbuf_puts(out, ", is_scheduled=true");
    print_aliases(printer, out);
    print_donors(printer, out);
    struct xpd_raw program = xpd_raw_message(&printer->scratch, top, 4);
    print_entry_layout(&p, &program);
    p.raw = *top;
    xpd_print_frontend_attributes(&p, 19);
    struct xpd_str config = xpd_raw_text(top, 25);
    if (flags & XPD_PRINT_CONFIG && config.size) {
        xpd_strbuf_puts(out, ", backend_config=");
        xpd_print_dictionary(out, config);
    }
    xpd_strbuf_putc(out, '\n');
    if (flags & XPD_PRINT_METADATA) {
        xpd_print_make_frames(printer);
        xpd_strbuf_add(out, printer->frames.data, printer->frames.size);
    }
    xpd_strbuf_putc(out, '\n');
    xpd_arena_reset(&printer->scratch);
}

void xpd_hlo_print_module(struct xpd_hlo_printer *printer, uint32_t flags, struct xpd_strbuf *out,
                          const struct xpd_hlo_sink *sink)
{
    xpd_hlo_print_header(printer, flags, out);
    for (uint32_t i = 0; i < printer->order_count && !out->failed; i++) {
        if (!print_computation(printer, printer->order[i], flags, out, sink))
            return;
        xpd_strbuf_puts(out, "\n\n");
    }
}
