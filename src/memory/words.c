/* How a buffer is called and what class its allocation has. In: a frozen analysis. Out: text. */
#include "xprofd/memory/held.h"

void xpd_mem_buffer_index(struct xpd_strbuf *out, const struct xpd_mem *mem, uint32_t buffer)
{
    const struct xpd_hlo_buffers *buffers = &mem->hlo->buffers;
    uint32_t first = buffers->index_first[buffer], end = buffers->index_first[buffer + 1];
    for (uint32_t i = first; i < end; i++) {
        xpd_strbuf_putc(out, i == first ? '{' : ',');
        xpd_strbuf_i64(out, buffers->shape_index[i]);
    }
    if (end > first)
        xpd_strbuf_putc(out, '}');
}

void xpd_mem_buffer_name(struct xpd_strbuf *out, const struct xpd_mem *mem, uint32_t buffer)
{
    if (buffer == XPD_NO_INDEX)
        return;
    const struct xpd_hlo_buffers *buffers = &mem->hlo->buffers;
    uint32_t instruction = mem->buffer[buffer].instruction;
    struct xpd_str name = instruction == XPD_NO_INDEX
                              ? XPD_STR("")
                              : xpd_hlo_text(mem->hlo, mem->hlo->instructions.name[instruction]);
    if (name.size == 0) {
        xpd_strbuf_puts(out, "buffer ");
        xpd_strbuf_i64(out, buffers->id[buffer]);
    } else {
        xpd_strbuf_add(out, name.data, name.size);
    }
    xpd_mem_buffer_index(out, mem, buffer);
}

enum xpd_mem_class xpd_mem_class_of(uint32_t flags)
{
    return flags & XPD_ALLOC_PARAMETER      ? XPD_CLASS_PARAMETER
           : flags & XPD_ALLOC_LIVE_OUT     ? XPD_CLASS_OUTPUT
           : flags & XPD_ALLOC_THREAD_LOCAL ? XPD_CLASS_THREAD_LOCAL
           : flags & XPD_ALLOC_CONSTANT     ? XPD_CLASS_CONSTANT
                                            : XPD_CLASS_TEMPORARY;
}
