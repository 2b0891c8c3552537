/* Texts of a node: the operands that are lines in it, the path of a parameter. In: an instruction.
 * Out: text. */
#include "xprofd/graph/view.h"

enum { LINES_MAX = 32 };

/* The constant that a parameter of a fusion always is, XPD_NO_INDEX = none. */
static uint32_t bound_constant(const struct xpd_graph_index *index, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    uint32_t fusion = index->fusion_of[ins->computation[i]];
    if (index->op[i] != XPD_GOP_PARAMETER || fusion == XPD_NO_INDEX)
        return XPD_NO_INDEX;
    uint32_t operand = xpd_index_operand(index, fusion, ins->parameter_number[i]);
    return operand != XPD_NO_INDEX && index->op[operand] == XPD_GOP_CONSTANT ? operand
                                                                             : XPD_NO_INDEX;
}

static uint32_t constant_of(const struct xpd_graph_index *index, uint32_t i)
{
    if (index->op[i] == XPD_GOP_CONSTANT)
        return i;
    uint32_t spread = xpd_index_broadcast_of(index, i);
    return spread != XPD_NO_INDEX ? spread : bound_constant(index, i);
}

static void put_value(struct xpd_strbuf *out, const struct xpd_graph_index *index, uint32_t operand,
                      uint32_t constant)
{
    struct xpd_str value = index->value[constant];
    struct xpd_str name = xpd_hlo_text(index->hlo, index->hlo->instructions.name[constant]);
    xpd_shape_text(out, index->hlo->instructions.shape[operand], false);
    xpd_strbuf_putc(out, ' ');
    if (value.size == 0)
        value = name;
    xpd_strbuf_add(out, value.data, value.size);
}

static void put_element(struct xpd_strbuf *out, const struct xpd_graph_index *index, uint32_t i)
{
    uint32_t from = xpd_index_operand(index, i, 0);
    struct xpd_str name = from != XPD_NO_INDEX
                              ? xpd_hlo_text(index->hlo, index->hlo->instructions.name[from])
                              : XPD_STR("?");
    xpd_strbuf_printf(out, "tuple-element %lld of ",
                      (long long)index->hlo->instructions.tuple_index[i]);
    xpd_strbuf_add(out, name.data, name.size);
    xpd_strbuf_putc(out, ' ');
    xpd_shape_text(out, index->hlo->instructions.shape[i], true);
}

/* False when the operand has a node of its own. */
static bool put_line(struct xpd_strbuf *out, const struct xpd_graph_index *index, uint32_t operand,
                     uint32_t number, bool elements)
{
    uint32_t constant = operand != XPD_NO_INDEX ? constant_of(index, operand) : XPD_NO_INDEX;
    bool element = operand != XPD_NO_INDEX && constant == XPD_NO_INDEX && elements &&
                   index->op[operand] == XPD_GOP_ELEMENT;
    if (operand != XPD_NO_INDEX && constant == XPD_NO_INDEX && !element)
        return false;
    xpd_strbuf_clear(out);
    xpd_strbuf_printf(out, "operand %u = ", number);
    if (operand == XPD_NO_INDEX)
        xpd_strbuf_puts(out, "not in the profile");
    else if (element)
        put_element(out, index, operand);
    else
        put_value(out, index, operand, constant);
    return true;
}

uint32_t xpd_view_lines(const struct xpd_graph_index *index, uint32_t instruction, bool elements,
                        void (*put)(void *to, struct xpd_str line), void *to)
{
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    uint32_t first = ins->operand_first[instruction], end = ins->operand_first[instruction + 1];
    struct xpd_strbuf line = {0};
    uint32_t count = 0;
    for (uint32_t k = first; k < end; k++)
        if (put_line(&line, index, ins->operand[k], k - first, elements) && count++ < LINES_MAX)
            put(to, (struct xpd_str){line.data ? line.data : "", line.size});
    xpd_strbuf_fini(&line);
    return count;
}

/* params['blocks'][0]['up'] as params.blocks[0].up: a key that is a name stands behind a point, a
 * number stays in its brackets. */
static bool is_key(const char *text, size_t size)
{
    for (size_t k = 0; k < size; k++)
        if (!(text[k] == '_' || text[k] == '-' || (text[k] >= '0' && text[k] <= '9') ||
              (text[k] >= 'a' && text[k] <= 'z') || (text[k] >= 'A' && text[k] <= 'Z')))
            return false;
    return size > 0;
}

void xpd_view_parameter_path(struct xpd_strbuf *out, const struct xpd_graph_index *index,
                             uint32_t instruction)
{
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    struct xpd_str name = xpd_hlo_text(index->hlo, ins->op_name[instruction]);
    if (index->op[instruction] != XPD_GOP_PARAMETER ||
        ins->computation[instruction] != index->hlo->entry)
        return;
    for (size_t at = 0; at < name.size;) {
        const char *text = name.data + at;
        size_t left = name.size - at;
        bool opens = left > 3 && text[0] == '[' && (text[1] == '\'' || text[1] == '"');
        const char *end = opens ? memchr(text + 2, text[1], left - 3) : NULL;
        if (end && end[1] == ']' && is_key(text + 2, (size_t)(end - text) - 2)) {
            if (at > 0)
                xpd_strbuf_putc(out, '.');
            xpd_strbuf_add(out, text + 2, (size_t)(end - text) - 2);
            at += (size_t)(end - text) + 2;
        } else {
            xpd_strbuf_putc(out, *text);
            at++;
        }
    }
}
