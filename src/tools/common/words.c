/* Words of a buffer: its name, opcode, group, source line. In: frozen analyses and an index. Out:
 * borrowed texts of the module, or bytes appended to a buffer. */
#include "common.h"
#include "xprofd/memory/held.h"

uint32_t xpd_tools_instruction(const struct xpd_mem *mem, uint32_t buffer)
{
    return buffer == XPD_NO_INDEX ? XPD_NO_INDEX : mem->buffer[buffer].instruction;
}

struct xpd_str xpd_tools_instruction_name(const struct xpd_hlo *hlo, uint32_t instruction)
{
    if (instruction == XPD_NO_INDEX)
        return XPD_STR("");
    return xpd_hlo_text(hlo, hlo->instructions.name[instruction]);
}

void xpd_tools_buffer_name(struct xpd_strbuf *out, const struct xpd_mem *mem, uint32_t buffer)
{
    xpd_mem_buffer_name(out, mem, buffer);
}

struct xpd_str xpd_tools_opcode(const struct xpd_hlo *hlo, uint32_t instruction)
{
    if (instruction == XPD_NO_INDEX)
        return XPD_STR("");
    return xpd_hlo_text(hlo, hlo->instructions.opcode[instruction]);
}

struct xpd_str xpd_tools_op_name(const struct xpd_hlo *hlo, uint32_t instruction)
{
    if (instruction == XPD_NO_INDEX)
        return XPD_STR("");
    struct xpd_str own = xpd_hlo_text(hlo, hlo->instructions.op_name[instruction]);
    if (own.size > 0)
        return own;
    struct xpd_source_info info;
    xpd_source_of(hlo, instruction, &info);
    return info.op_name;
}

struct xpd_str xpd_tools_scope_name(const struct xpd_hlo *hlo, uint32_t instruction)
{
    return instruction == XPD_NO_INDEX ? XPD_STR("")
                                       : xpd_hlo_text(hlo, xpd_scope_name_of(hlo, instruction));
}

const char *xpd_tools_group(const struct xpd_hlo *hlo, uint32_t instruction)
{
    return xpd_op_group_word(instruction == XPD_NO_INDEX ? XPD_OP_NONE
                                                         : xpd_op_group_of(hlo, instruction));
}

const char *xpd_tools_dtype(const struct xpd_mem *mem, uint32_t buffer, char scratch[16])
{
    if (buffer == XPD_NO_INDEX || !mem->buffer[buffer].shape)
        return "";
    return xpd_type_name(mem->buffer[buffer].shape->type, scratch);
}

void xpd_tools_source(struct xpd_strbuf *out, const struct xpd_hlo *hlo, uint32_t instruction)
{
    if (instruction == XPD_NO_INDEX)
        return;
    struct xpd_source_info info;
    xpd_source_of(hlo, instruction, &info);
    if (info.file.size == 0)
        return;
    xpd_strbuf_add(out, info.file.data, info.file.size);
    if (info.line > 0) {
        xpd_strbuf_putc(out, ':');
        xpd_strbuf_i64(out, info.line);
    }
}

struct xpd_str xpd_tools_base_name(struct xpd_str path)
{
    for (size_t i = path.size; i > 0; i--)
        if (path.data[i - 1] == '/' || path.data[i - 1] == '\\')
            return (struct xpd_str){path.data + i, path.size - i};
    return path;
}

int64_t xpd_tools_color_of(const struct xpd_mem *mem, uint32_t buffer)
{
    uint32_t allocation = mem->buffer[buffer].allocation;
    return allocation != XPD_NO_INDEX ? mem->hlo->allocation[allocation].color
                                      : mem->hlo->buffers.color[buffer];
}
