/* The columns of a row that are texts. In: a row and its program. Out: bytes appended. */
#include "xprofd/ops/ops.h"

static void put(struct xpd_strbuf *out, struct xpd_str text)
{
    xpd_strbuf_add(out, text.data, text.size);
}

static void put_source(struct xpd_strbuf *out, const struct xpd_hlo *hlo, uint32_t instruction)
{
    struct xpd_source_info info;
    xpd_source_of(hlo, instruction, &info);
    put(out, info.file);
    if (info.file.size > 0 && info.line > 0) {
        xpd_strbuf_putc(out, ':');
        xpd_strbuf_i64(out, info.line);
    }
}

/* The first array of a shape. */
static const struct xpd_shape *array_of(const struct xpd_shape *shape)
{
    while (shape->element_count > 0)
        shape = &shape->element[0];
    return shape;
}

static void put_dtype(struct xpd_strbuf *out, const struct xpd_op_row *row,
                      const struct xpd_ops_program *of)
{
    const struct xpd_hlo_instructions *all = &of->hlo->instructions;
    const struct xpd_shape *shape = all->shape[row->instruction];
    if (row->matmul != XPD_NO_INDEX) {
        uint32_t at = of->costs->matmuls[row->matmul].instruction, first = all->operand_first[at];
        if (first < all->operand_first[at + 1] && all->operand[first] != XPD_NO_INDEX)
            shape = all->shape[all->operand[first]];
    }
    char scratch[16];
    shape = array_of(shape);
    if (xpd_type_bits(shape->type) > 0)
        xpd_strbuf_puts(out, xpd_type_name(shape->type, scratch));
}

static void put_of_hlo(struct xpd_strbuf *out, enum xpd_op_text column,
                       const struct xpd_op_row *row, const struct xpd_ops_program *of)
{
    const struct xpd_hlo *hlo = of->hlo;
    uint32_t i = row->instruction;
    switch (column) {
    case XPD_OPS_OPCODE: put(out, xpd_hlo_text(hlo, hlo->instructions.opcode[i])); break;
    case XPD_OPS_CATEGORY: put(out, xpd_hlo_category(hlo, i)); break;
    case XPD_OPS_SCOPE: xpd_scope_plain(out, xpd_hlo_text(hlo, xpd_scope_name_of(hlo, i))); break;
    case XPD_OPS_SHAPE: xpd_shape_text(out, hlo->instructions.shape[i], false); break;
    case XPD_OPS_DTYPE: put_dtype(out, row, of); break;
    case XPD_OPS_SOURCE: put_source(out, hlo, i); break;
    default: break;
    }
}

void xpd_op_row_text(struct xpd_strbuf *out, enum xpd_op_text column, const struct xpd_op_row *row,
                     const struct xpd_ops_program *of)
{
    const char *phase = xpd_phase_word(row->phase);
    switch (column) {
    case XPD_OPS_NAME: put(out, row->name); break;
    case XPD_OPS_GROUP: xpd_strbuf_puts(out, xpd_op_group_word(row->group)); break;
    case XPD_OPS_PHASE: xpd_strbuf_puts(out, phase ? phase : ""); break;
    case XPD_OPS_BOUND: xpd_strbuf_puts(out, xpd_ops_bound_word(row->bound)); break;
    default:
        if (row->instruction != XPD_NO_INDEX)
            put_of_hlo(out, column, row, of);
    }
}
