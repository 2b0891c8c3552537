/* Operands that are drawn as lines of a label: constants, parameters, tuple elements. */
#include "dot_parts.h"

enum { OPERANDS_MAX = 32, VALUE_ELEMENTS = 8, VALUE_MAX = 64 };

static bool is_empty_array(const struct xpd_shape *shape)
{
    for (uint32_t i = 0; i < shape->rank; i++)
        if (shape->dims[i] == 0)
            return true;
    return false;
}

static void put_constant(struct xpd_dot *d, uint32_t constant, const struct xpd_shape *shape)
{
    const struct xpd_shape *own = d->hlo->instructions.shape[constant];
    struct xpd_strbuf value = {0}, text = {0};
    struct xpd_str name = xpd_dot_name_of(d, constant);
    if (is_empty_array(shape)) {
        xpd_strbuf_puts(&text, "{} (");
        xpd_shape_text(&text, own, false);
        xpd_strbuf_putc(&text, ')');
    } else if (xpd_hlo_print_value(d->printer, constant, VALUE_ELEMENTS, true, &value) &&
               value.size <= VALUE_MAX) {
        xpd_shape_text(&text, shape, false);
        xpd_strbuf_putc(&text, ' ');
        xpd_strbuf_add(&text, value.data, value.size);
    } else {
        if (!xpd_str_starts(name, "constant"))
            xpd_strbuf_puts(&text, "constant ");
        xpd_strbuf_add(&text, name.data, name.size);
        xpd_strbuf_putc(&text, ' ');
        xpd_shape_text(&text, shape, false);
    }
    xpd_markup_put(d->out, xpd_dot_whole(&text));
    xpd_strbuf_fini(&value);
    xpd_strbuf_fini(&text);
}

static void put_element(struct xpd_dot *d, uint32_t i)
{
    struct xpd_strbuf text = {0};
    uint32_t from = xpd_dot_operand_of(d, i, 0);
    xpd_strbuf_printf(d->out, "tuple-element %lld of ",
                      (long long)d->hlo->instructions.tuple_index[i]);
    if (from != XPD_NO_INDEX)
        xpd_markup_put(d->out, xpd_dot_name_of(d, from));
    xpd_strbuf_putc(d->out, ' ');
    xpd_shape_text(&text, d->hlo->instructions.shape[i], true);
    xpd_markup_put(d->out, xpd_dot_whole(&text));
    xpd_strbuf_fini(&text);
}

static void put_operand_label(struct xpd_dot *d, uint32_t number, bool only)
{
    xpd_dot_line(d);
    if (only)
        xpd_strbuf_puts(d->out, "<b>operand</b> = ");
    else
        xpd_strbuf_printf(d->out, "<b>operand %u</b> = ", number);
}

/* False when the operand has a node of its own. */
static bool put_operand(struct xpd_dot *d, uint32_t operand, uint32_t number, bool only)
{
    const struct xpd_shape *shape = d->hlo->instructions.shape[operand];
    uint32_t broadcast = xpd_graph_broadcast_of(d->g, operand);
    uint32_t constant = xpd_dot_is(d, operand, "constant") ? operand : broadcast;
    bool merged = constant == XPD_NO_INDEX && xpd_graph_merges(d->g, operand);
    if (constant == XPD_NO_INDEX && !merged)
        return false;
    put_operand_label(d, number, only);
    if (constant != XPD_NO_INDEX) {
        put_constant(d, constant, shape);
    } else if (xpd_dot_is(d, operand, "parameter")) {
        constant = xpd_graph_constant_of(d->g, operand);
        if (constant != XPD_NO_INDEX)
            put_constant(d, constant, d->hlo->instructions.shape[constant]);
        else
            xpd_strbuf_printf(d->out, "Parameter %lld",
                              (long long)d->hlo->instructions.parameter_number[operand]);
    } else {
        put_element(d, operand);
    }
    return true;
}

void xpd_dot_operands(struct xpd_dot *d, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &d->hlo->instructions;
    uint32_t first = ins->operand_first[i], count = ins->operand_first[i + 1] - first, lines = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (ins->operand[first + k] != XPD_NO_INDEX)
            lines += put_operand(d, ins->operand[first + k], k, count == 1);
        if (lines == OPERANDS_MAX && k + 1 < count) {
            xpd_dot_line(d);
            xpd_strbuf_puts(d->out, "...");
            break;
        }
    }
    uint32_t fusion = d->g->index->fusion_of[ins->computation[i]];
    if (!xpd_dot_is(d, i, "parameter") || fusion == XPD_NO_INDEX)
        return;
    int64_t number = ins->parameter_number[i];
    uint32_t input = number >= 0 && number < UINT32_MAX
                         ? xpd_dot_operand_of(d, fusion, (uint32_t)number)
                         : XPD_NO_INDEX;
    if (input != XPD_NO_INDEX && xpd_dot_is(d, input, "get-tuple-element")) {
        xpd_dot_line(d);
        put_element(d, input);
    }
}
