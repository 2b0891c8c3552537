/* Keys under which buffers of one kind meet. In: a buffer. Out: bytes that are equal for equal
 * kinds. */
#include "xprofd/doctor/compare.h"
#include "xprofd/doctor/doctor.h"
#include "xprofd/hlo/source_info.h"

static struct xpd_str op_name(const struct xpd_hlo *hlo, uint32_t instruction)
{
    struct xpd_source_info info;
    struct xpd_str own = xpd_hlo_text(hlo, hlo->instructions.op_name[instruction]);
    if (own.size > 0)
        return own;
    xpd_source_of(hlo, instruction, &info);
    return info.op_name;
}

void xpd_group_key(struct xpd_strbuf *out, const struct xpd_mem *mem, uint32_t buffer,
                   enum xpd_mem_class mem_class, bool with_index)
{
    const struct xpd_hlo *hlo = mem->hlo;
    xpd_strbuf_i64(out, mem_class);
    xpd_strbuf_putc(out, '|');
    if (buffer == XPD_NO_INDEX)
        return;
    const struct xpd_shape *shape = mem->buffer[buffer].shape;
    uint32_t instruction = mem->buffer[buffer].instruction;
    if (shape) {
        xpd_strbuf_i64(out, shape->type);
        xpd_strbuf_putc(out, '|');
        if (shape->rank > 0)
            xpd_strbuf_i64_list(out, shape->dims, shape->rank);
    }
    xpd_strbuf_putc(out, '|');
    if (instruction != XPD_NO_INDEX) {
        struct xpd_str opcode = xpd_hlo_text(hlo, hlo->instructions.opcode[instruction]);
        xpd_strbuf_add(out, opcode.data, opcode.size);
        xpd_strbuf_putc(out, '|');
        xpd_doctor_scope(out, op_name(hlo, instruction));
    }
    if (!with_index)
        return;
    xpd_strbuf_putc(out, '|');
    uint32_t first = hlo->buffers.index_first[buffer];
    uint32_t count = hlo->buffers.index_first[buffer + 1] - first;
    if (count > 0)
        xpd_strbuf_i64_list(out, hlo->buffers.shape_index + first, count);
}

static bool is_parameter(const struct xpd_hlo *hlo, uint32_t i)
{
    return xpd_str_eq(xpd_hlo_text(hlo, hlo->instructions.opcode[i]), XPD_STR("parameter"));
}

void xpd_program_signature(struct xpd_strbuf *out, const struct xpd_hlo *hlo)
{
    if (hlo->entry >= hlo->computations.count)
        return;
    uint32_t first = hlo->computations.first[hlo->entry];
    uint32_t end = first + hlo->computations.instruction_count[hlo->entry];
    uint32_t parameters = 0;
    for (uint32_t i = first; i < end; i++)
        parameters += is_parameter(hlo, i);
    /* In order of numbers; a file may list them in any order. */
    for (uint32_t i = first; i < end; i++)
        if (is_parameter(hlo, i)) {
            xpd_strbuf_i64(out, hlo->instructions.parameter_number[i]);
            xpd_strbuf_putc(out, ':');
            xpd_shape_text(out, hlo->instructions.shape[i], false);
            xpd_strbuf_putc(out, ' ');
        }
    uint32_t root = hlo->computations.root[hlo->entry];
    xpd_strbuf_puts(out, "-> ");
    if (root != XPD_NO_INDEX && parameters > 0)
        xpd_shape_text(out, hlo->instructions.shape[root], false);
}
